"""The scan of `asbuilt.parsers.shapes` with whole arrays, where numba is absent or not worth its start: equal on any bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_PIECE = 1 << 20


def scan_whole(
    data: Array, classes: Array, weights: Array, base: Any, most: Any, starts: Array, hashes: Array, at: Array, values: Array,
    stops: Array,
) -> tuple[int, int]:  # fmt: skip
    """As `shapes._scan`, a piece of whole lines at a time."""
    feeds = np.flatnonzero(data == 10)
    line = count = begin = 0
    while begin < len(data):
        last = int(np.searchsorted(feeds, begin + _PIECE))
        if last > line and feeds[last - 1] >= begin:
            stop = int(feeds[last - 1]) + 1
        else:
            stop = int(feeds[last]) + 1 if last < len(feeds) else len(data)
        piece = data[begin:stop]
        begins, marks, owner, found, places = _piece(piece, classes, weights, base)
        n = len(begins)
        if line + n > len(starts):
            return -1, 0
        starts[line : line + n], hashes[line : line + n] = begins + begin, marks
        per = np.bincount(owner, minlength=n)
        rank = np.arange(len(owner)) - np.repeat(np.cumsum(per) - per, per)
        kept = rank < most
        found, places = found[kept], places[kept]
        if count + len(found) > len(values):
            return -1, 0
        fewer = np.minimum(per, most)
        at[line : line + n] = count + np.cumsum(fewer) - fewer
        values[count : count + len(found)] = found
        if len(stops):
            stops[count : count + len(found)] = places + begin
        line, count, begin = line + n, count + len(found), stop
    at[line] = count
    return line, count


def _piece(data: Array, classes: Array, weights: Array, base: Any) -> tuple[Array, Array, Array, Array, Array]:
    """One piece: (line starts, hash of each line's shape, and of each number its line, value and stop)."""
    size = len(data)
    feed = data == 10
    kind = classes[data]
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
    begins = np.concatenate(([0], np.flatnonzero(feed)[: -1 if size and feed[-1] else None] + 1)) if size else np.zeros(0, int)
    start = np.concatenate([word[hexed], run])
    stop = np.concatenate([behind[hexed], ends])
    is_hex = np.concatenate([np.ones(int(hexed.sum()), bool), np.zeros(len(run), bool)])
    order = np.argsort(start, kind="stable")
    start, stop, is_hex = start[order], stop[order], is_hex[order]
    values = _values(data, start, stop, is_hex)
    owner = np.searchsorted(begins, start, side="right") - 1
    # The shape as a stream: one weight per byte that counts, numbers at their first byte.
    counts = ~feed & (kind != 4) & ~covered & ~digit
    weight = np.where(counts, weights[data], np.uint64(0))
    weight[start] = np.where(is_hex, 3, np.where(stop - start > 18, 4, 2)).astype(np.uint64)
    counts[start] = True
    place = np.flatnonzero(counts)
    line = np.searchsorted(begins, place, side="right") - 1
    gap = np.zeros(len(place), bool)
    if len(place):
        blank = np.concatenate(([0], np.cumsum(kind == 4)))
        gap[1:] = (blank[place[1:]] > blank[place[:-1]]) & (line[1:] == line[:-1])
    marks = _hashes(weight[place], gap, line, len(begins), weights[32], base)
    return begins, marks, owner, values, stop


def _values(data: Array, start: Array, stop: Array, is_hex: Array) -> Array:
    """The number in each stretch: after ``0x`` in base 16, else in base 10, 0 past 18 digits."""
    values = np.zeros(len(start), np.uint64)
    at = start + np.where(is_hex, 2, 0)
    base = np.where(is_hex, 16, 10).astype(np.uint64)
    live = np.flatnonzero(is_hex | (stop - start <= 18))
    while len(live):
        live = live[at[live] < stop[live]]
        byte = data[at[live]]
        digit = np.where(byte < 58, byte - 48, (byte & 7) + 9).astype(np.uint64)
        values[live] = values[live] * base[live] + digit
        at[live] += 1
    return values


def _hashes(weight: Array, gap: Array, line: Array, lines: int, blank: Any, base: Any) -> Array:
    """The polynomial in ``base`` of each line's weights, a blank's weight before each that a gap precedes (modulo 2^64)."""
    total = len(weight) + int(gap.sum())
    stream, owner = np.empty(total, np.uint64), np.empty(total, np.int64)
    to = np.arange(len(weight)) + np.cumsum(gap)
    stream[to], owner[to] = weight, line
    stream[to[gap] - 1], owner[to[gap] - 1] = blank, line[gap]
    per = np.bincount(owner, minlength=lines)
    last = np.cumsum(per)
    powers = np.full(int(per.max(initial=0)) + 1, base, np.uint64)
    powers[0] = 1
    powers = np.multiply.accumulate(powers)
    terms = stream * powers[last[owner] - 1 - np.arange(total)]
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)))
    hashes: Array = sums[last] - sums[last - per]
    return hashes
