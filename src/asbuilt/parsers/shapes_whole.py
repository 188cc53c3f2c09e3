"""The scan of `asbuilt.parsers.shapes` with whole arrays, where numba is absent or not worth its start: equal on any bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.parsers.shapes_pass import (
    BASE,
    CONTROL,
    DEC_CODE,
    DIGITS_READ,
    GAP_CODE,
    HEX_CODE,
    LONG_CODE,
    TAIL_CODE,
    mixed,
)

Array = np.ndarray[Any, Any]
_PIECE = 1 << 20
#: Class of each byte: 1 decimal digit, 2 letter of a hexadecimal digit, 3 other letter, 4 blank, 5 line feed, 6 other control
#: byte, 0 the rest.
_CLASSES = np.zeros(256, np.uint8)
_CLASSES[:32] = 6
_CLASSES[48:58] = 1
_CLASSES[97:123] = _CLASSES[65:91] = 3
_CLASSES[97:103] = _CLASSES[65:71] = 2
_CLASSES[[32, 9, 13]] = 4
_CLASSES[10] = 5


def scan(
    data: Array, most: Any, short: Any, starts: Array, hashes: Array, at: Array, values: Array, stops: Array, *_: Array
) -> tuple[int, int, int]:
    """As `shapes_alike.scan`, a piece of whole lines at a time; it leaves it to the caller to count shapes."""
    feeds = np.flatnonzero(data == 10)
    line = count = begin = 0
    while begin < len(data):
        last = int(np.searchsorted(feeds, begin + _PIECE))
        if last > line and feeds[last - 1] >= begin:
            stop = int(feeds[last - 1]) + 1
        else:
            stop = int(feeds[last]) + 1 if last < len(feeds) else len(data)
        begins, marks, owner, found, places = _piece(data[begin:stop], int(most), bool(short))
        n = len(begins)
        if line + n > len(starts) or count + len(found) + 1 >= len(values):
            return -1, 0, 0
        starts[line : line + n], hashes[line : line + n] = begins + begin, marks
        per = np.bincount(owner, minlength=n)
        at[line : line + n] = count + np.cumsum(per) - per
        values[count : count + len(found)] = found
        if len(stops):
            stops[count : count + len(found)] = places + begin
        line, count, begin = line + n, count + len(found), stop
    at[line] = count
    return line, count, -1


def _piece(data: Array, most: int, short: bool) -> tuple[Array, Array, Array, Array, Array]:
    """One piece: (line starts, hash of each line's shape, and of each number that is kept its line, value and stop)."""
    kind = _CLASSES[data]
    feeds = np.flatnonzero(kind == 5)
    begins = np.concatenate(([0], feeds[feeds < len(data) - 1] + 1))
    ends = np.append(begins[1:] - 1, feeds[-1] if len(feeds) and feeds[-1] == len(data) - 1 else len(data))
    start, stop, is_hex, covered = _numbers(data, kind)
    owner = np.searchsorted(begins, start, side="right") - 1
    codes = np.where(is_hex, HEX_CODE, np.where(stop - start > DIGITS_READ, LONG_CODE, DEC_CODE))
    place, code = _texts(data, kind, covered)
    place, code = np.concatenate([place, start]), np.concatenate([code, codes])
    order = np.argsort(place, kind="stable")
    place, code = place[order], code[order]
    line = np.searchsorted(begins, place, side="right") - 1
    blank = np.concatenate(([0], np.cumsum(kind == 4)))
    gap = np.zeros(len(place), bool)
    gap[1:] = (blank[place[1:]] > blank[place[:-1]]) & (line[1:] == line[:-1])
    per = np.bincount(owner, minlength=len(begins))
    rank = np.arange(len(owner)) - np.repeat(np.cumsum(per) - per, per)
    limit = ends.copy()
    if short:
        first = np.searchsorted(place, begins)
        headed = (
            (first < len(place))
            & (np.append(code, 0)[first] == HEX_CODE)
            & (np.append(line, -1)[first] == np.arange(len(begins)))
        )
        last = np.flatnonzero((rank == most - 1) & headed[owner])
        limit[owner[last]] = stop[last]
        kept = place < limit[line]
        place, code, line, gap = place[kept], code[kept], line[kept], gap[kept]
    keys = np.concatenate([place[gap] * 4 - 1, place * 4])
    items = np.concatenate([np.full(int(gap.sum()), GAP_CODE), code])
    owners = np.concatenate([line[gap], line])
    if short:
        more = _tails(data, kind, np.unique(owner[last]), limit, ends)
        keys, items, owners = (np.concatenate(pair) for pair in zip((keys, items, owners), more, strict=True))
    order = np.argsort(keys, kind="stable")
    marks = _hashes(items[order], owners[order], len(begins))
    kept = rank < most
    return begins, marks, owner[kept], _values(data, start[kept], stop[kept], is_hex[kept]), stop[kept]


def _numbers(data: Array, kind: Array) -> tuple[Array, Array, Array, Array]:
    """(start, stop, hexadecimal) of each number in order, and which bytes hexadecimal words cover."""
    size = len(data)
    wordy = (kind > 0) & (kind < 4)
    edge = np.diff(np.concatenate(([0], wordy.view(np.int8), [0])))
    word, behind = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)
    strange = np.concatenate(([0], np.cumsum(kind == 3)))
    length = behind - word
    second = data[np.minimum(word + 1, size - 1)] if size else data
    hexed = (data[word] == 48) & (length >= 3) & (length <= 18) & (second == 120)
    hexed &= strange[behind] - strange[np.minimum(word + 2, size)] == 0
    in_hex = np.zeros(size + 1, np.int8)
    in_hex[word[hexed]] += 1
    in_hex[behind[hexed]] -= 1
    covered = np.cumsum(in_hex[:size], dtype=np.int8) > 0
    digit = (kind == 1) & ~covered
    edge = np.diff(np.concatenate(([0], digit.view(np.int8), [0])))
    run, ends = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)
    start, stop = np.concatenate([word[hexed], run]), np.concatenate([behind[hexed], ends])
    is_hex = np.concatenate([np.ones(int(hexed.sum()), bool), np.zeros(len(run), bool)])
    order = np.argsort(start, kind="stable")
    return start[order], stop[order], is_hex[order], covered


def _texts(data: Array, kind: Array, covered: Array) -> tuple[Array, Array]:
    """(place, code) of every eight bytes of text, or what is left of a stretch, and of every control byte."""
    plain = ((kind == 0) | (kind == 2) | (kind == 3)) & ~covered
    edge = np.diff(np.concatenate(([0], plain.view(np.int8), [0])))
    start, stop = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)
    chunks = (stop - start + 7) // 8
    row = np.repeat(np.arange(len(start)), chunks)
    place = start[row] + 8 * (np.arange(len(row)) - np.repeat(np.cumsum(chunks) - chunks, chunks))
    padded = np.concatenate([data, np.zeros(8, np.uint8)])
    code = np.zeros(len(place), np.uint64)
    for ahead in range(8):
        there = place + ahead < stop[row]
        code |= np.where(there, padded[place + ahead], 0).astype(np.uint64) << np.uint64(8 * ahead)
    control = np.flatnonzero(kind == 6)
    return np.concatenate([place, control]), np.concatenate([code, data[control].astype(np.uint64) + CONTROL])


def _tails(data: Array, kind: Array, lines: Array, limit: Array, ends: Array) -> tuple[Array, Array, Array]:
    """(key, code, line) of what stands for the rest of each of ``lines``, from ``limit`` on."""
    filled = np.append(np.flatnonzero((kind != 4) & (kind != 5)), len(data))
    first = filled[np.searchsorted(filled, limit[lines])]
    some = first < ends[lines]
    lines, first = lines[some], first[some]
    last = filled[np.searchsorted(filled, ends[lines]) - 1]
    wordy = (kind > 0) & (kind < 4)
    open_, close = ~wordy[first], ~wordy[last] & (last > first)
    key = limit[lines] * 4
    codes = [np.full(len(lines), TAIL_CODE), data[first[open_]] + CONTROL, data[last[close]] + CONTROL]
    keys = [key, key[open_] + 1, key[close] + 2]
    return np.concatenate(keys), np.concatenate(codes).astype(np.uint64), np.concatenate([lines, lines[open_], lines[close]])


def _values(data: Array, start: Array, stop: Array, is_hex: Array) -> Array:
    """The number in each stretch: after ``0x`` in base 16, else in base 10, 0 past 18 digits."""
    values = np.zeros(len(start), np.uint64)
    at = start + np.where(is_hex, 2, 0)
    base = np.where(is_hex, 16, 10).astype(np.uint64)
    live = np.flatnonzero(is_hex | (stop - start <= DIGITS_READ))
    while len(live):
        live = live[at[live] < stop[live]]
        byte = data[at[live]]
        digit = np.where(byte < 58, byte - 48, (byte & 7) + 9).astype(np.uint64)
        values[live] = values[live] * base[live] + digit
        at[live] += 1
    return values


def _hashes(codes: Array, line: Array, lines: int) -> Array:
    """The polynomial in `BASE` of each line's mixed codes (modulo 2^64)."""
    per = np.bincount(line, minlength=lines)
    last = np.cumsum(per)
    powers = np.full(int(per.max(initial=0)) + 1, BASE, np.uint64)
    powers[0] = 1
    powers = np.multiply.accumulate(powers)
    terms = mixed(codes.astype(np.uint64)) * powers[last[line] - 1 - np.arange(len(line))]
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)))
    hashes: Array = sums[last] - sums[last - per]
    return hashes
