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
from asbuilt.parsers import shapes_alike, shapes_pass, shapes_whole

Array = np.ndarray[Any, Any]

DEC, HEX, LONG, TAIL = "\x01", "\x02", "\x03", "\x04"
LONGEST_LINE = 1 << 20
_WORD = re.compile(rb"[0-9A-Za-z]+")
_DIGITS = re.compile(rb"[0-9]+")
#: As many numbers of a line as there are.
MOST = 1 << 30


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


#: Whole arrays read some 10 MB a second; numba starts in half a second and then reads hundreds.
_scanned = kernel(shapes_whole.scan, threshold=3 << 20, parts=shapes_alike.PARTS)(shapes_alike.scan)


def shapes(data: bytes, most: int = MOST, *, places: bool = True, short: bool = False) -> Shapes:
    """The shapes of ``data``. Only the first ``most`` numbers of each line are kept, with their places when asked for.

    ``short`` lets a line that begins with a hexadecimal number end there, as far as its shape goes: what follows is `TAIL`
    and the first and last sign of the rest, where those are neither letter nor digit.
    """
    raw = np.frombuffer(data, np.uint8)
    lines = len(raw) // 16 + 64
    while True:
        room = min(len(raw), lines * min(most, 4)) + 64
        starts, hashes, at = np.empty(lines, np.int64), np.empty(lines, np.uint64), np.zeros(lines + 1, np.int64)
        values, stops = np.empty(room, np.uint64), np.empty(room if places else 0, np.int64)
        shape, memory = np.empty(lines, np.int64), shapes_alike.memory()
        n, count, distinct = _scanned(raw, np.int64(most), short, starts, hashes, at, values, stops, shape, *memory)
        if n >= 0:
            break
        lines *= 4
    starts, at = starts[:n], at[: n + 1]
    cut = bool(len(raw) and raw[-1] != 10)
    ends = np.empty(n, np.int64)
    np.subtract(starts[1:], 1, out=ends[:-1])
    ends[-1:] = len(raw) if cut else len(raw) - 1
    if distinct < 0:
        shape, first = distinct_numbers(hashes[:n])
    else:
        shape, first = shape[:n], memory[-1][:distinct]
    some = (
        np.searchsorted(starts, np.arange(0, len(raw), LONGEST_LINE), side="right") - 1
    )  # a longer line has one of those places
    shape[some[ends[some] - starts[some] > LONGEST_LINE]] = -1
    return Shapes(raw, starts, ends, shape, first, at, values[:count], stops[:count], cut)


def shape_text(line: bytes, most: int = MOST, *, short: bool = False) -> tuple[str, list[tuple[int, int]]]:
    """The shape of one line as text, and where in ``line`` each of its numbers starts and stops."""
    plain = line.translate(_SIGNLESS)
    text, spans = _shape(plain)
    if short and len(spans) >= most and text.startswith(HEX.encode()):
        stop = spans[most - 1][1]
        rest = plain[stop:].strip(b" \t\r")
        text, _ = _shape(plain[:stop])
        if rest:
            ends = (rest[:1], rest[-1:] if len(rest) > 1 else b"")
            text += TAIL.encode() + b"".join(sign for sign in ends if not _WORD.fullmatch(sign))
    return text.decode("utf-8", "replace"), spans


def _shape(plain: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    spans: list[tuple[int, int]] = []

    def digits(found: re.Match[bytes], offset: int) -> bytes:
        spans.append((offset + found.start(), offset + found.end()))
        return b"\1" if found.end() - found.start() <= shapes_pass.DIGITS_READ else b"\3"

    def word(found: re.Match[bytes]) -> bytes:
        text = found[0]
        if text[:2] == b"0x" and 3 <= len(text) <= 18 and not text[2:].strip(b"0123456789abcdefABCDEF"):
            spans.append(found.span())
            return b"\2"
        return _DIGITS.sub(lambda inner: digits(inner, found.start()), text)

    return re.sub(rb"[ \t\r]+", b" ", _WORD.sub(word, plain)).strip(b" "), spans


_SIGNLESS = bytes(0 if b in (1, 2, 3, 4) else b for b in range(256))
