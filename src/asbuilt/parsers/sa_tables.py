"""The tables in a transcript of ``saquery``: partitions, lanes by service level, arbitration, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.parsers.grammar import Reading, number_column
from asbuilt.parsers.sa_records import ARBITRATION, LANES, PKEYS, Kinds, records

Array = np.ndarray[Any, Any]
_ROW, _HIGHEST_PKEY, _HIGHEST_VL, _SLS = 8, 0xFFFF, 15, 16
#: IBTA: a P_KeyTable block has 32 entries; VLArbitration blocks 1 and 2 are the low priority table, 3 and 4 the high one.
_BLOCK, _LOW, _BLOCKS = 32, 2, 0xFFFF


def _of(reading: Reading, kinds: Kinds, kind: int, name: str) -> tuple[Array, Array, dict[str, Array]]:
    """(lines called ``name`` in records of ``kind``, their rank in the record, LID, port and block of the record)."""
    lines = reading.lines(name)
    mine = kinds.kind[lines] == kind
    reading.ignore(lines[~mine])
    lines = lines[mine]
    found = records(reading, kind)
    said = {}
    for key in [n for n in found.names if n in ("lid", "Port", "Block", "in", "out")]:
        column = np.full(reading.count + 1, -1, np.int64)
        column[kinds.head[found.first]] = found.number(key)
        said[key] = column[kinds.head[lines]]
    head = kinds.head[lines]
    opens = np.concatenate(([True], head[1:] != head[:-1])) if len(lines) else np.zeros(0, bool)
    place = np.arange(len(lines))
    return lines, place - np.maximum.accumulate(np.where(opens, place, 0)), said


def _matrix(reading: Reading, lines: Array, width: int) -> Array:
    return reading.shapes.number(lines[:, None], np.arange(width)[None, :]).astype(np.int64)


def pkeys(reading: Reading, kinds: Kinds) -> dict[str, Any] | None:
    """Columns of ``pkey_facts``: entries that are not zero. That a whole table is zero can't be seen from one block."""
    lines, rank, said = _of(reading, kinds, PKEYS, "entries")
    if not len(lines):
        return None
    table = _matrix(reading, lines, _ROW)
    wrong = np.asarray((table > _HIGHEST_PKEY).any(axis=1)) | (said["Block"] < 0) | (said["Block"] > _BLOCKS)
    reading.refuse(lines[wrong])
    row, column = np.nonzero((table > 0) & ~wrong[:, None])
    return {
        "lid": number_column(said["lid"][row]),
        "port": number_column(said["Port"][row]),
        "index": said["Block"][row] * _BLOCK + rank[row] * _ROW + column,
        "entry": table[row, column],
        "line": lines[row] + 1,
    }


def lanes(reading: Reading, kinds: Kinds) -> dict[str, Any] | None:
    """Columns of ``sl2vl_facts``. Output port 0 is a NIC's: its own port number is not in the record."""
    import polars as pl

    lines, _, said = _of(reading, kinds, LANES, "lanes")
    table = _matrix(reading, lines, _SLS)
    wrong = np.asarray((table > _HIGHEST_VL).any(axis=1))
    reading.refuse(lines[wrong])
    lines, table = lines[~wrong], table[~wrong]
    if not len(lines):
        return None
    distinct, index = np.unique(table, axis=0, return_inverse=True)
    texts = pl.Series([",".join(map(str, row)) for row in distinct.tolist()], dtype=pl.String)
    out = said["out"][~wrong]
    return {
        "lid": number_column(said["lid"][~wrong]),
        "port": number_column(np.where(out > 0, out, -1)),
        "in_port": number_column(said["in"][~wrong]),
        "lanes": texts.gather(pl.Series(index.reshape(-1))),
        "line": lines + 1,
    }


def arbitration(reading: Reading, kinds: Kinds) -> dict[str, Any] | None:
    """Columns of ``vlarb_facts``: every entry, a line of VLs and the line of weights below it read together."""
    import polars as pl

    lines, rank, said = _of(reading, kinds, ARBITRATION, "weights")
    above = reading.last(reading.lines("vls"), lines)
    before = np.concatenate(([-1], lines[:-1])) if len(lines) else lines
    good = (above > before) & (said["Block"] > 0) & (above > kinds.head[lines])
    reading.refuse(lines[~good])
    lines, above, rank, block = lines[good], above[good], rank[good], said["Block"][good]
    if not len(lines):
        return None
    row, column = np.repeat(np.arange(len(lines)), _SLS), np.tile(np.arange(_SLS), len(lines))
    high = (block > _LOW).astype(np.int64)[row]
    return {
        "lid": number_column(said["lid"][good][row]),
        "port": number_column(said["Port"][good][row]),
        "priority": pl.Series(["low", "high"], dtype=pl.String).gather(pl.Series(high)),
        "index": ((block - 1) % _LOW * _BLOCK + rank * _SLS)[row] + column,
        "vl": _matrix(reading, above, _SLS).reshape(-1),
        "weight": _matrix(reading, lines, _SLS).reshape(-1),
        "line": lines[row] + 1,
    }
