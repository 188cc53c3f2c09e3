"""``ipmitool fru [print]``: serial numbers of chassis, board and product of the machine's own unit, and what product it is.

The machine's own unit has the number 0; supplies, risers and fans have units of their own and give nothing here.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import IDENTITY_FACTS, VERSION_FACTS
from asbuilt.parsers.ipmi_refusals import WORDS, refused
from asbuilt.parsers.sysfs import UNFILLED
from asbuilt.parsers.told_rows import Told

TOOL = "ipmitool-fru"
_OWN = re.compile(rf"^(?:FRU Device Description *:| +[A-Z][^:]{{0,60}}:|{WORDS.pattern[1:]})", re.I)
_SIGN = re.compile(rb"^(?:[\w.-]+: )?FRU Device Description *: ", re.M)
_UNIT = re.compile(r"^FRU Device Description *: *(.*?) \(ID (\d{1,3})\)$")
_FIELD = re.compile(r"^ +([A-Z][^:]{0,60}?) *:(?: (.*))?$")
_SERIALS = {"Chassis Serial": "chassis_serial", "Board Serial": "board_serial", "Product Serial": "system_serial"}
_VERSIONS = {"Product Version": "fru_product", "Board Part Number": "fru_board"}


def sniff(data: bytes) -> bool:
    """True for a text with the head of a unit."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``identity_facts`` and ``version_facts``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    units: dict[tuple[str | None, ...], int | None] = {}
    for said in told:
        hosts = said.speaker.hosts
        if not said.closed:
            continue
        if said.text.startswith("FRU Device Description"):
            head = _UNIT.match(said.text)
            units[hosts] = int(head[2]) if head else None
            if head is not None:
                told.ignore(said)
            continue
        if refused(told, said):
            continue
        found = _FIELD.match(said.text)
        if found is None or hosts not in units:
            continue
        name, value = found[1], (found[2] or "").strip()
        if units[hosts] != 0 or UNFILLED.match(value):
            told.ignore(said)
        elif name in _SERIALS:
            told.add(IDENTITY_FACTS, said, {"kind": _SERIALS[name], "value": value})
        elif name in _VERSIONS:
            told.add(VERSION_FACTS, said, {"component": _VERSIONS[name], "version": value})
        else:
            told.ignore(said)
    return told.facts()
