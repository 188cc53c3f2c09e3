"""Forwarding tables: ``ibroute``, ``dump_fts`` and ``dump_lfts``, and OpenSM's own ``opensm-lfts.dump`` and ``opensm.fdbs``.

The line that opens a table names the switch by GUID and, but for routes that only the asking host can follow, by LID; a table
without one is that of the switch which the prompt or the subject names. The port a packet leaves by is decimal with leading
zeros: ``030`` is 30. 255, or ``UNREACHABLE``, is none. Multicast tables (``-M``) are ignorable.

A table of 8,000 LIDs in each of 600 switches is half a gigabyte: only the first two numbers of each line are
read, and of the rest its first and last sign.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import LFT_FACTS
from asbuilt.parsers.grammar import Columns, Reading, guid_column, number_column, read, rule
from asbuilt.parsers.shapes import TAIL

TOOL = "ibroute"
Array = np.ndarray[Any, Any]
#: IBTA: LIDs have 16 bits, ports 8; 255 in a forwarding table drops the packet.
_TOP_LID, _NO_PORT = 0xFFFF, 255
_RULES = (
    rule("entry", rf"<h:target> <n:port>(?:{TAIL}:\)|{TAIL}#['\")])", fact=True, closed=True),
    rule("entry", rf"<h:target> <n:port>(?:{TAIL}:)?", fact=True),
    rule("entry", rf"<h:target> : <n:port>{TAIL}:", fact=True),
    rule("unreachable", r"<h:target> : UNREACHABLE", fact=True, closed=True),
    rule("table", r"Unicast lids \[.*\] of switch .*guid <h> ?.*:?"),
    rule("table", r"dump_ucast_routes: Switch <h>.*"),
    rule("other table", r"(?:Multicast mlids \[.*|Ports: .*|MLid|<h>(?: x)+|<n> valid mlids dumped)"),
    rule("head", r"Lid Out Destination|Port Info|LID : Port : Hops : Optimal|<n>(?: valid)? lids dumped"),
    rule("remark", r"\*\*\* WARNING \*\*\*.*"),
)
_TABLE = re.compile(
    rb"\s*(?:Unicast lids \[[^\]]*\] of switch (?:Lid (?P<lid>\d{1,5}) |DR path [\w;, ]*? ?)guid 0x"
    rb"(?P<guid>[0-9a-fA-F]{1,16})\b"
    rb"|dump_ucast_routes: Switch 0x(?P<fdb>[0-9a-fA-F]{1,16})\b)"
)
_SIGN = re.compile(rb"^\s*Unicast lids \[|^dump_ucast_routes: Switch 0x", re.M)


def sniff(data: bytes) -> bool:
    """True for a forwarding table."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of forwarding tables: ``lft_facts``, in the order of the text."""
    reading = read(data, capture_id, subject, _RULES, most=2, short=True)
    lines = reading.lines("entry", "unreachable")
    if not len(lines):
        return reading.facts(TOOL, ())
    target, port = reading.number(lines, "target"), reading.number(lines, "port", _NO_PORT)
    wrong = (target > _TOP_LID) | (port > _NO_PORT)
    if wrong.any():
        reading.refuse(lines[wrong])
        lines, target, port = lines[~wrong], target[~wrong], port[~wrong]

    def columns() -> dict[str, Any]:
        guid, lid = _switches(reading, lines)
        return {"guid": guid, "lid": number_column(lid), "target": target, "out_port": port, "line": lines + 1}

    return reading.facts(TOOL, ((LFT_FACTS, Columns(len(lines), columns)),))


def _switches(reading: Reading, lines: Array) -> tuple[Any, Array]:
    """(GUIDs as a column, LID or -1) of the switch that each line speaks of."""
    import polars as pl

    guid, lid, _ = reading.who(lines)
    tables = reading.lines("table")
    if not len(tables):
        return guid_column(guid), lid
    named, numbered = np.zeros(len(tables), np.uint64), np.full(len(tables), -1, np.int64)
    for i, line in enumerate(tables.tolist()):
        found = _TABLE.match(reading.shapes.line(line))
        if found is not None:
            named[i] = int(found["guid"] or found["fdb"], 16)
            numbered[i] = int(found["lid"]) if found["lid"] else -1
    place = np.zeros(reading.count + 1, np.int64)
    place[tables] = np.arange(1, len(tables) + 1)
    which = place[reading.last(tables, lines)]  # 0: a line of no table, else the table's number from 1
    if len(which) and which.min() > 0 and named.all():
        return guid_column(named).gather(pl.Series(which - 1)), np.where(numbered < 0, -1, numbered)[which - 1]
    named, numbered = np.append(np.uint64(0), named), np.append(-1, numbered)
    return guid_column(np.where(which > 0, named[which], guid)), np.where(numbered[which] >= 0, numbered[which], lid)
