"""``ibtracert``: the way from one port to another, hop by hop.

Each hop is one row: hop 0 is where the way begins (``From``), the last one where it ends. ``out_port`` of a hop is printed on
the line of the next one (``[33] -> switch port {…}[1]``: leaves the hop before by 33, enters this one by 1); it is on the row
of the hop that is left. The GUID at a NIC's end is that of its port, on ``From`` and ``To`` that of its node. ``To`` repeats
the last hop and gives no row; it closes the trace: only a trace with its ``To`` has ``to_lid``.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import PATH_FACTS
from asbuilt.parsers.grammar import Reading, guid_column, number_column, read, rule

TOOL = "ibtracert"
Array = np.ndarray[Any, Any]
_KIND = r"(?:(?:ca|switch|router) )?(?:port )?"
_RULES = (
    rule("from", rf'From {_KIND}\{{<h:guid>\}}(?: portnum <n> lid <n:lid>-<n>(?: ".*")?|\[<n>\])', fact=True),
    rule("hop", rf'\[<n:out>\] -> {_KIND}\{{<h:guid>\}}\[<n:in>\](?: lid <n:lid>-<n>(?: ".*")?)?', fact=True),
    rule("to", rf'To {_KIND}\{{<h:guid>\}}(?: portnum <n> lid <n:lid>-<n>(?: ".*")?|\[<n>\])', fact=True),
)
_SIGN = re.compile(rb"^From (?:(?:ca|switch|router) )?\{0x[0-9a-fA-F]{1,16}\}", re.M)


def sniff(data: bytes) -> bool:
    """True for a traced route."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of traced routes: ``path_facts``, a row a hop; a trace that was cut has no ``to_lid``."""
    reading = read(data, capture_id, subject, _RULES)
    hops, ends = reading.lines("hop"), reading.lines("to")
    opened = reading.last(reading.lines("from", "to"), np.arange(reading.count))
    begins = reading.named("from")
    traced = begins[opened[hops]]
    closing = begins[_above(opened, ends)]
    reading.refuse(hops[~traced])  # a hop of no trace: its beginning is not in the capture
    reading.refuse(ends[~closing])
    ends = ends[closing]
    rows = np.sort(np.concatenate([reading.lines("from"), hops[traced]]))
    if not len(rows):
        return reading.facts(TOOL, ())
    return reading.facts(TOOL, ((PATH_FACTS, _columns(reading, rows, opened, ends)),))


def _above(opened: Array, ends: Array) -> Array:
    """What was opened on the line before each of ``ends``."""
    return np.where(ends > 0, opened[np.maximum(ends - 1, 0)], -1)


def _columns(reading: Reading, rows: Array, opened: Array, ends: Array) -> dict[str, Any]:
    trace = opened[rows]
    first = np.searchsorted(rows, trace)
    lid = reading.number(rows, "lid")
    out, entered = reading.number(rows, "out"), reading.number(rows, "in")
    same = np.concatenate((trace[1:] == trace[:-1], [False]))
    to_lid = np.full(reading.count + 1, -1, np.int64)
    to_lid[_above(opened, ends)] = reading.number(ends, "lid")
    return {
        "from_lid": number_column(lid[first]),
        "to_lid": number_column(to_lid[trace]),
        "hop": np.arange(len(rows)) - first,
        "guid": guid_column(reading.unsigned(rows, "guid")),
        "in_port": number_column(entered),
        "out_port": number_column(np.where(same, np.concatenate((out[1:], [-1])), -1)),
        "line": rows + 1,
    }
