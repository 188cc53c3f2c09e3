"""Lines of a text as shapes and numbers: how one grammar reads a hundred thousand alike lines at once.

The **shape** of a line is its text with every number taken out and every run of blanks as one: a listing of a whole fabric has
millions of lines and a few dozen shapes. A tool's grammar (regular expressions over shapes, `asbuilt.parsers.grammar`) is
asked once per shape; the numbers of all lines of that shape are then taken out of one array.

Words are runs of ASCII letters and digits. A word ``0x`` and 1 to 16 hexadecimal digits is one number (`HEX` in the shape);
in other words each run of 1 to 18 decimal digits is one (`DEC`), a longer run is none that anybody reads (`LONG`).
Two lines have the same shape when 64 bits of a polynomial hash of it agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from asbuilt.base.interning import distinct_numbers
from asbuilt.base.kernel import kernel
from asbuilt.parsers.shapes_whole import scan_whole

Array = np.ndarray[Any, Any]

DEC, HEX, LONG = "\x01", "\x02", "\x03"
LONGEST_LINE = 1 << 20
#: Class of each byte: 1 decimal digit, 2 letter of a hexadecimal digit, 3 other letter, 4 blank, 0 the rest.
CLASSES = np.zeros(256, np.uint8)
CLASSES[48:58] = 1
CLASSES[97:123] = CLASSES[65:91] = 3
CLASSES[97:103] = CLASSES[65:71] = 2
CLASSES[[32, 9, 13]] = 4
#: What each byte counts in the hash of a shape: never 0, and the signs of numbers are kept for numbers.
WEIGHTS = np.arange(1, 257, dtype=np.uint64)
WEIGHTS[1:4] = 1
BASE = np.uint64(0x9E3779B97F4A7C15)
_WORD = re.compile(rb"0x[0-9a-fA-F]{1,16}(?![0-9A-Za-z])|[0-9A-Za-z]+")
_DIGITS = re.compile(rb"[0-9]+")
_MOST = 1 << 30


@dataclass(frozen=True, slots=True)
class Shapes:
    """The lines of ``data`` (uint8): where each starts and ends, which shape it has, and its numbers.

    ``shape`` counts shapes in order of appearance, -1 for a line longer than `LONGEST_LINE`. The numbers of line i are
    ``values[at[i] : at[i + 1]]``, ``stops`` is the position behind each of them (without entries when not asked for).
    ``first`` is the first line of each shape; ``cut`` says that the last line has no line feed.
    """

    data: Array
    start: Array
    end: Array
    shape: Array
    first: Array
    at: Array
    values: Array
    stops: Array
    cut: bool

    def line(self, number: int) -> bytes:
        """The bytes of one line (0-based), without its line feed."""
        return self.data[self.start[number] : self.end[number]].tobytes()

    def number(self, lines: Array, which: Array | int) -> Array:
        """Number ``which`` (0-based) of each of ``lines`` as uint64; the caller knows that it is there."""
        found: Array = self.values[self.at[lines] + which]
        return found


def _scan(  # noqa: C901, PLR0912, PLR0915
    data: Any, classes: Any, weights: Any, base: Any, most: Any, starts: Any, hashes: Any, at: Any, values: Any, stops: Any
) -> tuple[int, int]:
    """Fill the arrays; (lines, numbers), or (-1, 0) when ``starts`` or ``values`` are too short."""
    size, i, line, count = len(data), 0, 0, 0
    room, placed = len(values), len(stops) > 0
    while i < size:
        if line >= len(starts):
            return -1, 0
        starts[line], at[line] = i, count
        mark, seen, gap, some = np.uint64(0), 0, False, False
        while i < size and data[i] != 10:
            kind = classes[data[i]]
            if kind == 4:
                gap = True
                i += 1
                continue
            if gap and some:
                mark = mark * base + weights[32]
            gap, some = False, True
            if kind == 0:
                mark = mark * base + weights[data[i]]
                i += 1
                continue
            stop = i + 1
            while stop < size and 0 < classes[data[stop]] < 4:
                stop += 1
            whole = data[i] == 48 and 3 <= stop - i <= 18 and data[i + 1] == 120
            if whole:
                value = np.uint64(0)
                for j in range(i + 2, stop):
                    digit = data[j]
                    if classes[digit] == 3:
                        whole = False
                        break
                    value = value * np.uint64(16) + np.uint64(digit - 48 if digit < 58 else (digit & 7) + 9)
            if whole:
                mark = mark * base + np.uint64(3)
                if seen < most:
                    if count >= room:
                        return -1, 0
                    values[count] = value
                    if placed:
                        stops[count] = stop
                    count += 1
                seen += 1
                i = stop
                continue
            while i < stop:
                if classes[data[i]] != 1:
                    mark = mark * base + weights[data[i]]
                    i += 1
                    continue
                begin, value = i, np.uint64(0)
                while i < stop and classes[data[i]] == 1:
                    if i - begin < 18:
                        value = value * np.uint64(10) + np.uint64(data[i] - 48)
                    i += 1
                if i - begin > 18:
                    mark, value = mark * base + np.uint64(4), np.uint64(0)
                else:
                    mark = mark * base + np.uint64(2)
                if seen < most:
                    if count >= room:
                        return -1, 0
                    values[count] = value
                    if placed:
                        stops[count] = i
                    count += 1
                seen += 1
        hashes[line] = mark
        line += 1
        i += 1
    at[line] = count
    return line, count


#: Whole arrays read some 15 MB a second; numba starts in half a second and then reads hundreds.
_scanned = kernel(scan_whole, threshold=8 << 20)(_scan)


def shapes(data: bytes, most: int = _MOST, *, places: bool = True) -> Shapes:
    """The shapes of ``data``. Only the first ``most`` numbers of each line are kept, with their places when asked for."""
    raw = np.frombuffer(data, np.uint8)
    lines = data.count(b"\n") + 1
    room = min(len(raw) // 6, lines * min(most, 1 << 20)) + 64
    starts, hashes, at = np.empty(lines, np.int64), np.empty(lines, np.uint64), np.zeros(lines + 1, np.int64)
    while True:
        values, stops = np.empty(room, np.uint64), np.empty(room if places else 0, np.int64)
        n, count = _scanned(raw, CLASSES, WEIGHTS, BASE, np.int64(most), starts, hashes, at, values, stops)
        if n >= 0:
            break
        room *= 2
    starts, at = starts[:n], at[: n + 1]
    cut = bool(len(raw) and raw[-1] != 10)
    ends = np.append(starts[1:] - 1, len(raw) if cut else len(raw) - 1) if n else starts
    shape, first = distinct_numbers(hashes[:n])
    shape[ends - starts > LONGEST_LINE] = -1
    return Shapes(raw, starts, ends, shape, first, at, values[:count], stops[:count], cut)


def shape_text(line: bytes) -> tuple[str, list[tuple[int, int]]]:
    """The shape of one line as text, and where in ``line`` each of its numbers starts and stops."""
    spans: list[tuple[int, int]] = []

    def digits(found: re.Match[bytes], offset: int) -> bytes:
        spans.append((offset + found.start(), offset + found.end()))
        return b"\1" if found.end() - found.start() <= 18 else b"\3"

    def word(found: re.Match[bytes]) -> bytes:
        text = found[0]
        if text[:2] == b"0x" and 3 <= len(text) <= 18 and not text[2:].strip(b"0123456789abcdefABCDEF"):
            spans.append(found.span())
            return b"\2"
        return _DIGITS.sub(lambda inner: digits(inner, found.start()), text)

    plain = line.translate(_SIGNLESS)
    text = re.sub(rb"[ \t\r]+", b" ", _WORD.sub(word, plain)).strip(b" ")
    return text.decode("utf-8", "replace"), spans


_SIGNLESS = bytes(0 if b in (1, 2, 3) else b for b in range(256))
