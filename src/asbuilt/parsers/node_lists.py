"""``ibhosts``, ``ibswitches`` and ``ibnodes``: one line a node with its node GUID, ports and description."""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import NAME_FACTS
from asbuilt.parsers.grammar import Columns, guid_column, number_column, read, rule

TOOL = "ibnodes"
_KINDS = {"Ca": "ca", "Switch": "switch", "Rt": "router", "Router": "router"}
_PORT_ZERO = r"(?: (?:enhanced|base) port <n> lid <n:lid> lmc <n>)?"
_RULES = (
    rule(
        "node",
        rf'(?:> ?)?(?P<kind>{"|".join(_KINDS)}) ?: <h:guid> ports <n:ports> ".*"{_PORT_ZERO}',
        fact=True,
    ),
)
_SIGN = re.compile(rb"^>?\s*(?:Ca|Switch|Rt|Router)\s*: 0x[0-9a-fA-F]{1,16} ports \d+ \"", re.M)


def sniff(data: bytes) -> bool:
    """True for a list of nodes."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of one list: ``name_facts``. The LID is that of a switch's port 0; a NIC is listed without."""
    reading = read(data, capture_id, subject, _RULES)
    lines = reading.lines("node")
    if not len(lines):
        return reading.facts(TOOL, ())

    def columns() -> dict[str, Any]:
        return {
            "guid": guid_column(reading.unsigned(lines, "guid")),
            "lid": number_column(reading.number(lines, "lid")),
            "kind": reading.words(lines, "kind", _KINDS),
            "description": reading.texts(lines).str.extract(r'^[^"]*"(.*)"[^"]*$'),
            "ports": number_column(reading.number(lines, "ports")),
            "line": lines + 1,
        }

    return reading.facts(TOOL, ((NAME_FACTS, Columns(len(lines), columns)),))
