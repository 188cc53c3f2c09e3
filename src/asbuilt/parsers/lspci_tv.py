r"""``lspci -t``, ``-tv``, ``-Dtv``: the tree of PCI buses, drawn with ``+-`` and ``\-``.

A function hangs on the bus whose joint stands in its column; ``01.1-[02-05]--+-00.0`` is a bridge, the buses below it, and the
first function of the bus 02. A bus in brackets with its domain is a root bus (pciutils, ls-tree.c).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import PCI_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.lspci_blocks import IDS
from asbuilt.parsers.told_rows import Told

TOOL = "lspci-tv"
_BUS = r"\[(?:([0-9a-f]{4,8}):)?([0-9a-f]{2})(?:-[0-9a-f]{2})?\]"
_OWN = re.compile(rf"^(?:-(?:[+-]-)?{_BUS}|[ |]*[+\\]-(?:{_BUS}|[0-9a-f]{{2}}\.[0-7]))")
_SIGN = re.compile(rb"^(?:[\w.-]+: )?-(?:[+-]-)?\[(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}(?:-[0-9a-f]{2})?\]-", re.M)
_AT_BUS = re.compile(_BUS)
_AT_FUNCTION = re.compile(r"([0-9a-f]{2}\.[0-7])(?:  (.*)$)?")
#: What leads from a bus to its first function: one alone, or the joint that the others hang on.
_TO_FIRST = re.compile(r"-*(\+?)-+(?=[0-9a-f]{2}\.)")
#: Functions on one line; a bus has at most 255 bridges below each other.
_DEEPEST = 256
_TOP = -1


@dataclass(frozen=True, slots=True)
class _Bus:
    """A bus that functions hang on: the bridge above it (or the root) and the column of its joint."""

    column: int
    parent: str
    domain: str
    number: str


def sniff(data: bytes) -> bool:
    """True for a text with the line that opens a tree."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``pci_facts`` of every function with the bridge above it. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    open_buses: dict[tuple[str | None, ...], tuple[int, list[_Bus]]] = {}
    for said in told:
        turn, buses = open_buses.get(said.speaker.hosts, (said.speaker.turn, []))
        if said.text[0] == "-" or turn != said.speaker.turn:
            buses = []
        open_buses[said.speaker.hosts] = (said.speaker.turn, buses)
        if said.closed and _OWN.match(said.text):
            _line(told, said, buses)
    return told.facts()


def _line(told: Told, said: Said, buses: list[_Bus]) -> None:
    """One line: where it hangs, then bridge by bridge to the right."""
    text, at = said.text, 0
    bus: _Bus | None = None
    if text[0] != "-":
        column = next(i for i, c in enumerate(text) if c in "+\\")
        while buses and buses[-1].column > column:
            buses.pop()
        bus = buses[-1] if buses and buses[-1].column == column else None
        at = column + 2
        if bus is None and text[at] != "[":
            return
    elif text[1] in "+-":
        at = 3
    else:
        at = 1
    rows: list[dict[str, Any]] = []
    if root := _AT_BUS.match(text, at):
        if text[0] != "-" and buses:
            return  # a root does not hang on another bus
        domain = root[1] or "0000"
        bus = _Bus(_TOP, f"root:{domain}:{root[2]}", domain, root[2])
        at, bus = _first(text, root.end(), bus, buses)
    while bus is not None and len(rows) < _DEEPEST and (function := _AT_FUNCTION.match(text, at)):
        address = f"{bus.domain}:{bus.number}:{function[1]}"
        rows.append({"address": address, "parent": bus.parent, **_name(function[2])})
        at = function.end()
        below = _AT_BUS.match(text, at + 1) if text[at : at + 1] == "-" else None
        if below is None:
            break
        at, bus = _first(text, below.end(), _Bus(_TOP, address, below[1] or bus.domain, below[2]), buses)
    if at < len(text.rstrip("-")):
        return  # something stands there that no tree has
    for row in rows:
        told.add(PCI_FACTS, said, row)
    if not rows:
        told.ignore(said)


def _first(text: str, at: int, bus: _Bus, buses: list[_Bus]) -> tuple[int, _Bus]:
    """Where the first function of a bus stands; a joint on the way keeps the bus open for the lines below."""
    way = _TO_FIRST.match(text, at)
    if way is None:
        return at, bus
    if way[1]:
        buses.append(_Bus(way.start(1), bus.parent, bus.domain, bus.number))
    return way.end(), bus


def _name(text: str | None) -> dict[str, Any]:
    words = (text or "").strip()
    if ids := IDS.match(words):
        return {"name": ids[1] or None, "vendor_id": ids[2], "device_id": ids[3]}
    return {"name": words or None}
