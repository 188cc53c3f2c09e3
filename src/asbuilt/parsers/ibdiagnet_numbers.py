"""Rows of ``db_csv`` that hold numbers only, as arrays: what the large sections are made of.

A cell that is read is a decimal number of 1 to 18 digits, ``0x`` and 1 to 15 digits (a GUID: 1 to 16), or ``N/A`` or ``NA``.
A section with any other wanted cell, a quote, or a row with too many or too few cells is left to the reading of text.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.interning import read_only
from asbuilt.base.kernel import kernel
from asbuilt.base.machine_words import HIGHS, ONES, byte_at, eight_at, first_byte
from asbuilt.parsers.discovery_fast import eight_digits, fast_hexadecimal, not_hexadecimal

Array = np.ndarray[Any, Any]
#: What stands for a number that is not there.
ABSENT = np.uint64(0xFFFFFFFFFFFFFFFF)
#: What a column is wanted as.
NOT_WANTED, NUMBER, GUID = 0, 1, 2
#: How far behind the end of a row is looked.
_AHEAD = 8
_COMMAS, _FEEDS = np.uint64(0x2C2C2C2C2C2C2C2C), np.uint64(0x0A0A0A0A0A0A0A0A)
_ZEROS, _SEVEN, _PAST_NINE = (np.uint64(n * 0x0101010101010101) for n in (0x30, 0x7F, 0x76))
_PAIRS, _FOURS, _ALL = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0xFFFFFFFF)
_EIGHT, _BITS, _NONE = np.uint64(8), np.uint64(64), np.uint64(0)
_TENS = np.array([10**n for n in range(9)], np.uint64)


def digits_at(data: Any, at: int) -> tuple[Any, int]:
    """A run of 1 to 18 decimal digits: (value, position behind it), position -1 for any other."""
    value, begin = _NONE, at
    while at - begin < 24:
        text = eight_at(data, at) ^ _ZEROS
        other = (((text & _SEVEN) + _PAST_NINE) | text) & HIGHS
        length = 8 if other == _NONE else first_byte(other)
        if length > 0:
            text = text << (_BITS - np.uint64(length) * _EIGHT)
            text = (text * np.uint64(10) + (text >> _EIGHT)) & _PAIRS
            text = (text * np.uint64(100) + (text >> np.uint64(16))) & _FOURS
            text = (text * np.uint64(10000) + (text >> np.uint64(32))) & _ALL
            value = value * _TENS[length] + text
            at += length
        if length < 8:
            return value, at if begin < at <= begin + 18 else -1
    return _NONE, -1


def number_in(data: Any, at: int, kind: int) -> tuple[Any, int]:
    """A cell that is wanted: (value, position behind it), position -1 where it is none of the plain ones."""
    byte = byte_at(data, at)
    if byte == 48 and byte_at(data, at + 1) == 120:
        value, behind = fast_hexadecimal(data, at + 2)
        return value, -1 if value == ABSENT or (kind == NUMBER and behind > at + 17) else behind
    if kind == GUID:
        return _NONE, -1
    if byte == 78:
        second = byte_at(data, at + 1)
        if second == 65:
            return ABSENT, at + 2
        return ABSENT, at + 3 if second == 47 and byte_at(data, at + 2) == 65 else -1
    return digits_at(data, at)


def signs_in(text: Any, sign: Any) -> Any:
    """The high bit of each of eight bytes that is ``sign`` (given eight times)."""
    other = text ^ sign
    return ~(((other & _SEVEN) + _SEVEN) | other) & HIGHS


def comma_from(data: Any, at: int, stop: int, which: int) -> int:
    """The position of comma ``which`` (1 is the next one) from ``at``, or ``stop`` where there are fewer."""
    while at < stop:
        commas = signs_in(eight_at(data, at), _COMMAS)
        held = int(np.int64(((commas >> np.uint64(7)) * ONES) >> np.uint64(56)))
        if held >= which:
            while which > 1:
                commas = commas & (commas - np.uint64(1))
                which -= 1
            return min(at + first_byte(commas), stop)
        which -= held
        at += 8
    return stop


def row_read(data: Any, at: int, stop: int, steps: Any, out: Any, row: int) -> bool:
    """The wanted cells of one row into a row of ``out``; False where a cell is not plain or their number is another.

    A step is what a cell is wanted as, or the number of cells that are not, as a negative number.
    """
    seat, last = 0, len(steps) - 1
    for step in range(last + 1):
        kind = steps[step]
        if kind > 0:
            value, at = number_in(data, at, kind)
            if at < 0:
                return False
            out[row, seat] = value
            seat += 1
        elif step < last:
            at = comma_from(data, at, stop, -kind)
        else:
            if kind < -1:
                at = comma_from(data, at, stop, -kind - 1) + 1
                if at > stop:
                    return False
            at = comma_from(data, at, stop, 1)
        if step < last:
            if at >= stop or byte_at(data, at) != 44:
                return False
            at += 1
    return at == stop


def steps_of(kinds: list[int]) -> Array:
    """The steps of `row_read` for columns of these kinds."""
    steps: list[int] = []
    for kind in kinds:
        if kind != NOT_WANTED:
            steps.append(kind)
        elif steps and steps[-1] < 0:
            steps[-1] -= 1
        else:
            steps.append(-1)
    return np.array(steps, np.int64)


def _not_here(data: Any, starts: Any, stops: Any, steps: Any, out: Any) -> bool:
    """Without compiled code nothing is read this way."""
    return False


@kernel(
    _not_here,
    threshold=3 << 20,
    parts=(not_hexadecimal, eight_digits, fast_hexadecimal, digits_at, number_in, signs_in, comma_from, row_read),
)
def _rows(data: Any, starts: Any, stops: Any, steps: Any, out: Any) -> bool:
    """Every row from ``starts`` to ``stops`` into ``out`` (rows, wanted columns); False where one is not plain."""
    row = 0
    while row < len(starts) and row_read(data, starts[row], stops[row], steps, out, row):
        row += 1
    return row == len(starts)


def rows(text: bytes, starts: Array, stops: Array, kinds: list[int]) -> Array | None:
    """The wanted cells of rows as uint64 (rows, wanted columns), `ABSENT` where there is none; None where one is not plain."""
    if stops[-1] + _AHEAD > len(text) or text.find(b'"', int(starts[0]), int(stops[-1])) >= 0:
        return None
    out = np.empty((len(starts), sum(kind != NOT_WANTED for kind in kinds)), np.uint64)
    data = np.frombuffer(text, np.uint8)
    return out if _rows(data, read_only(starts), read_only(stops), steps_of(kinds), out) else None


def _ends_found(data: Array, out: Array) -> int:
    places = np.flatnonzero(data == 10)
    out[: len(places)] = places[: len(out)]
    return len(places)


@kernel(_ends_found, threshold=3 << 20, parts=(signs_in,))
def _ends(data: Any, out: Any) -> int:
    """The positions of the line feeds into ``out``, as many as it has places for: how many there are."""
    at, line, size, room = 0, 0, len(data), len(out)
    while at + 8 <= size:
        feeds = signs_in(eight_at(data, at), _FEEDS)
        while feeds:
            if line < room:
                out[line] = at + first_byte(feeds)
            line += 1
            feeds = feeds & (feeds - np.uint64(1))
        at += 8
    while at < size:
        if byte_at(data, at) == 10:
            if line < room:
                out[line] = at
            line += 1
        at += 1
    return line


def line_ends(text: bytes) -> Array:
    """The positions of the line feeds."""
    raw, room = np.frombuffer(text, np.uint8), len(text) // 64 + 64
    while True:
        out = np.empty(room, np.int64)
        count = _ends(raw, out)
        if count <= room:
            return out[:count]
        room = count
