"""``sminfo``: the subnet managers that answered, and the form in which UFM logs one.

One capture may hold many answers; each line names its manager, so prompts add nothing. A line of UFM's log that names no
manager ("Other SM is master in the fabric …") is ignorable.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import SM_FACTS
from asbuilt.parsers.grammar import guid_column, number_column, read, rule

TOOL = "sminfo"
#: SMInfo.SMState, IBTA 1.4 volume 1 table 223, as libibmad's ``mad_dump_smstate`` and sminfo.c write it.
STATES = {"NOTACT": "notactive", "DISCOVER": "discovering", "STANDBY": "standby", "MASTER": "master"}
_STATE = rf"SMINFO_(?P<state>{'|'.join(STATES)})"
_RULES = (
    rule(
        "manager",
        rf"sminfo: sm lid <n:lid> sm guid <h:guid>, activity count <n:activity> priority <n:priority> state <n> {_STATE}",
        fact=True,
        closed=True,
    ),
    rule(
        "manager",
        rf".*\bSM is in the fabric: lid:<n:lid>, guid:<h:guid>, priority:<n:priority>, state:{_STATE}",
        fact=True,
        closed=True,
    ),
    rule("other", r".*\bufmd?\[<n>\]: .*"),
)
_SIGN = re.compile(rb"^sminfo: (?:sm lid|iberror)|SM is in the fabric: lid:\d+, guid:0x", re.M)


def sniff(data: bytes) -> bool:
    """True for an answer of sminfo."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of sminfo's answers: table ``sm_facts``."""
    reading = read(data, capture_id, subject, _RULES)
    lines = reading.lines("manager")
    if not len(lines):
        return reading.facts(TOOL, ())
    columns = {
        "lid": number_column(reading.number(lines, "lid")),
        "guid": guid_column(reading.unsigned(lines, "guid")),
        "priority": number_column(reading.number(lines, "priority")),
        "state": reading.words(lines, "state", STATES),
        "activity": number_column(reading.number(lines, "activity")),
        "line": lines + 1,
    }
    return reading.facts(TOOL, ((SM_FACTS, columns),))
