"""``smpquery``: what one port or node answers, or ten thousand of them one after another.

Operations pkeys, sl2vl, vlarb, portinfo, nodeinfo and nodedesc give facts; what switchinfo, guidinfo and the others print is
ignorable. The port that an answer speaks of is named by the comment that opens it (``# Port info: Lid 4 port 1``), by the
prompt line above it, or by the capture's subject: ``guid:0x…/1``, ``lid:12/1``. Asked with ``-G``, ``guid`` is the GUID that
was asked, which for a NIC is the port's. A switch port's own ``Lid:`` is 0 (IBTA: only port 0 has one): then the LID that
was asked stands.

Formats as printed by infiniband-diags 44 (libibmad ``dump.c``). Width and speed are as the port's registers say, also while it
is down.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import NAME_FACTS, PKEY_FACTS, PORT_FACTS, SL2VL_FACTS, VLARB_FACTS
from asbuilt.parsers import smp_records, smp_tables
from asbuilt.parsers.grammar import Rule, read, rule

TOOL = "smpquery"
_ROW = r"<n:index>:" + "".join(rf"(?: <h:entry{i}>)" + ("?" if i else "") for i in range(8))
_LANES = r" ?\|".join(rf" ?<n:vl{i}>" for i in range(16))


_CELLS = r"(?:<h> ?\|)+"

_HEADS = (
    rule("of lid", r"# (?:Port info|VLArbitration tables): Lid <n:lid> port <n:port>(?: LowCap <n> HighCap <n>)?"),
    rule("of lid", r"# (?:Node info|Switch info|SL<n>VL table): Lid <n:lid>"),
    rule("foreign", r"# (?:MLNX ext Port info|Port info ext|GUID).*"),
    rule("of other", r"# (?:Port info|VLArbitration tables|Node info|Switch info|SL<n>VL table).*"),
)
RULES: tuple[Rule, ...] = (
    rule("entries", _ROW, fact=True),
    rule("capacity", r"<n:capacity> pkeys capacity for this port", fact=False, closed=True),
    rule("other capacity", r"<n> guids capacity for this port"),
    *_HEADS,
    rule("lanes", rf"ports: in <n:in>, out <n:out>: \|{_LANES} ?\|", fact=True, closed=True),
    rule("lane head", r"# SL: .*"),
    rule("low", r"# Low priority VL Arbitration Table:"),
    rule("high", r"# High priority VL Arbitration Table:"),
    rule("vls", rf"VL ?: \|{_CELLS}", closed=True),
    rule("weights", rf"WEIGHT: \|{_CELLS}", fact=True, closed=True),
    *smp_records.RULES,
)
_SIGN = re.compile(
    rb"^\s*0: (?:0x[0-9a-f]{4} ){7}0x[0-9a-f]{4}\s*$|pkeys capacity for this port|^# (?:Port|Node|Switch) info: |^# SL2VL table"
    rb"|^# VLArbitration|^Node Description:\.\.|^(?:SMLid|LinkState|PhysLinkState|NodeType):\.\.",
    re.M,
)


def sniff(data: bytes) -> bool:
    """True for answers of smpquery."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of a transcript of smpquery: ``port_facts``, ``name_facts``, ``pkey_facts``, ``sl2vl_facts``, ``vlarb_facts``."""
    reading = read(data, capture_id, subject, RULES)
    tables = (
        (PKEY_FACTS, smp_tables.pkeys(reading)),
        (SL2VL_FACTS, smp_tables.lanes(reading)),
        (VLARB_FACTS, smp_tables.arbitration(reading)),
        (PORT_FACTS, smp_records.ports(reading)),
        (NAME_FACTS, smp_records.names(reading)),
    )
    return reading.facts(TOOL, tables)
