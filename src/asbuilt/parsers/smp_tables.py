"""The tables in a transcript of ``smpquery``: partitions, lanes by service level, arbitration."""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.interning import distinct_numbers
from asbuilt.base.kernel import kernel
from asbuilt.parsers.grammar import Columns, Reading, guid_column, number_column
from asbuilt.parsers.host_lines import FACT

Array = np.ndarray[Any, Any]
PKEYS = frozenset({"pkeytable", "pkeys"})
LANES = frozenset({"sl2vltable", "sl2vl"})
ARBITRATION = frozenset({"vlarbitration", "vlarb"})
_ENTRIES, _HIGHEST_PKEY, _SLS, _HIGHEST_VL = 8, 0xFFFF, 16, 15


def who_columns(reading: Reading, lines: Array) -> dict[str, Any]:
    """guid, lid and port of the answer that each line belongs to: as its opening comment says, else as was asked."""
    guid, lid, port = who(reading, lines)
    return {"guid": guid_column(guid), "lid": number_column(lid), "port": number_column(port)}


def who(reading: Reading, lines: Array) -> tuple[Array, Array, Array]:
    """The same as numbers: GUID (0: none), LID and port (-1: none)."""
    guid, lid, port = reading.who(lines)
    heads = reading.lines("of lid")
    if len(heads):
        head = reading.last(heads, lines)
        there = np.flatnonzero(head >= 0)
        said = reading.number(head[there], "lid"), reading.number(head[there], "port")
        lid[there] = said[0]
        port[there] = np.where(said[1] >= 0, said[1], port[there])
    return guid, lid, port


def asked(reading: Reading, name: str, operations: frozenset[str]) -> Array:
    """The lines called ``name`` that answer one of ``operations``; those that answer another are ignorable."""
    lines = reading.lines(name)
    fits = reading.under(lines, "smpquery", operations)
    reading.ignore(lines[~fits])
    found: Array = lines[fits]
    return found


def pkeys(reading: Reading) -> Columns | None:
    """Columns of ``pkey_facts``: entries that are not zero, and for each whole table of zeros its last line."""
    lines = asked(reading, "entries", PKEYS)
    if not len(lines):
        return None
    shapes = reading.shapes
    filled = _counted(shapes.at[lines] + 1, shapes.at[lines + 1], shapes.values)
    if filled.min() < 0:
        reading.refuse(lines[filled < 0])
        lines, filled = lines[filled >= 0], filled[filled >= 0]
    empty = _empty_tables(reading, lines, filled > 0)
    reading.classes[empty] = FACT
    return Columns(int(filled.sum()) + len(empty), lambda: _pkey_columns(reading, lines, filled, empty))


def _counted_whole(first: Array, behind: Array, values: Array) -> Array:
    count = np.zeros(len(first), np.int64)
    for column in range(_ENTRIES):
        there = np.flatnonzero(first + column < behind)
        value = values[first[there] + column]
        count[there] += np.where(value > _HIGHEST_PKEY, -2 * _ENTRIES, value > 0)
    return np.where(count < 0, -1, count)


@kernel(_counted_whole, threshold=1 << 19)
def _counted(first: Any, behind: Any, values: Any) -> Any:
    """How many of ``values[first:behind]`` (up to 8) of each row are not zero, -1 where one can't be a partition key."""
    count = np.empty(len(first), np.int64)
    for row in range(len(first)):
        found = 0
        for place in range(first[row], min(behind[row], first[row] + _ENTRIES)):
            found += values[place] != 0
            if values[place] > _HIGHEST_PKEY:
                found = -2 * _ENTRIES
        count[row] = max(found, -1)
    return count


def _pkey_columns(reading: Reading, lines: Array, filled: Array, empty: Array) -> dict[str, Any]:
    shapes = reading.shapes
    some = np.flatnonzero(filled)
    rows, first, width = lines[some], shapes.at[lines[some]] + 1, np.diff(shapes.at)[lines[some]] - 1
    inside = np.arange(_ENTRIES) < width[:, None]
    table = np.where(inside, shapes.values[np.where(inside, first[:, None] + np.arange(_ENTRIES), 0)], 0)
    row, column = np.nonzero(table)
    index = reading.number(rows, "index")[row] + column
    at = np.concatenate([rows[row], empty])
    order = np.argsort(at, kind="stable")
    at = at[order]
    return {
        **who_columns(reading, at),
        "index": number_column(np.concatenate([index, np.full(len(empty), -1)])[order]),
        "entry": np.concatenate([table[row, column].astype(np.int64), np.zeros(len(empty), np.int64)])[order],
        "line": at + 1,
    }


def _empty_tables(reading: Reading, lines: Array, some: Array) -> Array:
    """The closing lines (``64 pkeys capacity …``) of tables whose entries are all zero."""
    ends = reading.lines("capacity")
    ends = ends[reading.under(ends, "smpquery", PKEYS)]
    if not len(ends):
        return ends
    bound = np.zeros(reading.count, bool)
    bound[ends] = bound[reading.prompts.lines] = True
    bounds = np.flatnonzero(bound)
    start = np.concatenate(([-1], bounds))[np.searchsorted(bounds, ends)]
    first, behind = np.searchsorted(lines, start), np.searchsorted(lines, ends)
    full = np.concatenate(([0], np.cumsum(some)))
    empty: Array = ends[(behind > first) & (full[behind] == full[first])]
    return empty


def lanes(reading: Reading) -> dict[str, Any] | None:
    """Columns of ``sl2vl_facts``. A NIC prints output port 0: then the port that was asked stands."""
    import polars as pl

    lines = asked(reading, "lanes", LANES)
    if not len(lines):
        return None
    table = np.stack([reading.number(lines, f"vl{i}") for i in range(_SLS)], axis=1)
    wrong = (table > _HIGHEST_VL).any(axis=1)
    reading.refuse(lines[wrong])
    lines, table = lines[~wrong], table[~wrong].astype(np.uint64)
    packed = np.zeros(len(lines), np.uint64)
    for sl in range(_SLS):
        packed |= table[:, sl] << np.uint64(4 * sl)
    index, first = distinct_numbers(packed)
    texts = [",".join(str(int(value) >> 4 * sl & _HIGHEST_VL) for sl in range(_SLS)) for value in packed[first].tolist()]
    guid, lid, port = who(reading, lines)
    out = reading.number(lines, "out")
    return {
        "guid": guid_column(guid),
        "lid": number_column(lid),
        "port": number_column(np.where(out > 0, out, port)),
        "in_port": reading.number(lines, "in"),
        "lanes": pl.Series(texts, dtype=pl.String).gather(pl.Series(index)),
        "line": lines + 1,
    }


def arbitration(reading: Reading) -> dict[str, Any] | None:
    """Columns of ``vlarb_facts``: every entry, also those of weight 0. A line of VLs and the next line of weights are read
    together; without a heading (low, high) nobody knows which table they are of."""
    import polars as pl

    lines = asked(reading, "weights", ARBITRATION)
    if not len(lines):
        return None
    lanes_ = reading.last(reading.lines("vls"), lines)
    head = reading.last(reading.lines("low", "high"), lines)
    at = reading.shapes.at
    length = at[lines + 1] - at[lines]
    before = np.concatenate(([-1], lines[:-1]))
    good = (lanes_ > before) & (head >= 0) & (head < lanes_)
    good[good] = (at[lanes_ + 1] - at[lanes_])[good] == length[good]
    reading.refuse(lines[~good])
    lines, lanes_, head, length = lines[good], lanes_[good], head[good], length[good]
    if not len(lines):
        return None
    row = np.repeat(np.arange(len(lines)), length)
    place = np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
    behind = np.cumsum(length) - length
    opens = np.concatenate(([True], head[1:] != head[:-1]))
    offset = behind - np.maximum.accumulate(np.where(opens, behind, 0))
    high = reading.named("high")[head]
    words = pl.Series(["low", "high"], dtype=pl.String).gather(pl.Series(high[row].astype(np.int64)))
    return {
        **who_columns(reading, lines[row]),
        "priority": words,
        "index": place + offset[row],
        "vl": reading.shapes.number(lanes_[row], place).astype(np.int64),
        "weight": reading.shapes.number(lines[row], place).astype(np.int64),
        "line": lines[row] + 1,
    }
