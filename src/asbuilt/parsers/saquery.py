"""``saquery``: what the subnet administrator of the master subnet manager knows.

NodeRecord, LinkRecord, PathRecord, PKeyTableRecord, SL2VLTableRecord, VLArbitrationTableRecord, PortInfoRecord and
SMInfoRecord give facts, and so does the list of managers (``-s``): there a manager whose own LID is that of the master it
knows is the master, another that runs is standby (IBTA: IsSM is set while a manager runs), one that is switched off is
notactive. Other records (multicast groups, services, switches, forwarding blocks) are ignorable.

Formats as printed by infiniband-diags 44 (``saquery.c``). A table that came in pieces (a simulator without RMPP sends the
first piece only) can't be told from a whole one.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import (
    NAME_FACTS,
    PATH_FACTS,
    PKEY_FACTS,
    PORT_FACTS,
    SL2VL_FACTS,
    SM_FACTS,
    VLARB_FACTS,
)
from asbuilt.parsers import sa_records, sa_tables
from asbuilt.parsers.grammar import read, rule
from asbuilt.parsers.smp_records import PORT_KEYS

TOOL = "saquery"
#: Sixteen numbers with a bar behind each, the last too: without that one the last number may be cut.
_ROW = r" ?".join(r"<n> ?\|" for _ in range(16))
_RULES = (
    *(rule(f"head {kind}", rf"{kind} dump:") for kind in sa_records.KINDS),
    rule("head other", r"[A-Z][A-Za-z<n>]*? ?Record (?:group |member )?dump:|SA ClassPortInfo:"),
    rule("running", r"IsSM ports"),
    rule("disabled", r"IsSMdisabled ports"),
    *(rule(f"key {name}", pattern, fact=True) for name, pattern in sa_records.KEYS.items()),
    *(rule(name, pattern, fact=True) for name, pattern in PORT_KEYS.items()),
    rule("entries", r"(?:<h> ?){8}", fact=True),
    rule("sls", rf"SL: ?{_ROW}"),
    rule("lanes", rf"VL: ?{_ROW}", fact=True, closed=True),
    rule("vls", rf"VL ?: ?{_ROW}"),
    rule("weights", rf"Weight ?: ?{_ROW}", fact=True, closed=True),
    rule("listed", r'<n:lid> ".*"', fact=True, closed=True),
    rule(
        "list head",
        r'LID "name"|=+|PKey Table:|RID|(?:PortInfo|SwitchInfo|SMInfo) dump:|LFT:|LID Port Number|<n> <n>|Is[A-Z][^ :.]*',
    ),
    rule("other key", r"[A-Za-z][A-Za-z<n> _/]*(?::\.|\.\.).*"),
)
_SIGN = re.compile(
    rb"^[ \t]*(?:Node|Link|Path|PKeyTable|SL2VLTable|VLArbTable|PortInfo|SMInfo|MCMember|SwitchInfo|LFT|GUIDInfo|Service)"
    rb" ?Record (?:group |member )?dump:|^IsSM ports|^   LID \"name\"\s*$",
    re.M,
)


def sniff(data: bytes) -> bool:
    """True for records of saquery."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of a transcript of saquery."""
    reading = read(data, capture_id, subject, _RULES)
    kinds = sa_records.kind_of(reading)
    tables = (
        (NAME_FACTS, sa_records.names(reading, kinds)),
        (PORT_FACTS, sa_records.ports(reading, kinds)),
        (PATH_FACTS, sa_records.paths(reading, kinds)),
        (SM_FACTS, sa_records.managers(reading, kinds)),
        (PKEY_FACTS, sa_tables.pkeys(reading, kinds)),
        (SL2VL_FACTS, sa_tables.lanes(reading, kinds)),
        (VLARB_FACTS, sa_tables.arbitration(reading, kinds)),
    )
    sa_records.others(reading, kinds)
    return reading.facts(TOOL, tables)
