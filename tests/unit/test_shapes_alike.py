"""The compiled scan that compares lines with earlier ones: equal to whole arrays where its memory ends, or layouts move."""

from __future__ import annotations

import numpy as np
import pytest

from asbuilt.base.kernel import Engine
from asbuilt.parsers.shapes import MOST, Shapes, shapes
from asbuilt.parsers.shapes_alike import KEPT
from asbuilt.parsers.shapes_pass import LONGEST_LAYOUT, NUMBERS

WORD = "".join(chr(97 + i % 26) for i in range(60))
TEXTS = {
    "more shapes than are kept": "".join(f"{WORD[: 2 + i % 40]}{WORD[: i // 40 + 1]}- {i}\n" for i in range(40 * 30)) * 2,
    "more numbers than are kept": (" ".join(map(str, range(NUMBERS + 9))) + "\n") * 5 + "1 2\n" * 3,
    "just as many numbers": (" ".join(map(str, range(NUMBERS))) + "\n") * 5,
    "lines longer than a layout": ("x" * LONGEST_LAYOUT + " 1\n" + "y 2\n") * 4,
    "blanks that come and go": "".join(f"lid {i:6d} {'  ' * (i % 3)}port 0x{i:04x}\n" for i in range(300)),
    "words that turn into numbers": "a 0x12\na 0x12g\na 0x1G2\na 12\na 0x\na 0x123456789abcdef01\na 1234567890123456789012\n"
    * 4,
    "one text, other numbers behind": "0x1 2 : (a 'b')\n0x1 3 : (c)\n0x9 4 : \n0x9 4\n0x9 4 : (cd 'e' 7)\n" * 4,
    "signs for the end": "port 7\r\nport 8\r\nport 9\nport 10 \n\n\nport 11",
    "control bytes": "\x01 1\n\x02 1\n\x01 2\n\x01\x01 3\n" * 3,
}


def scanned(data: bytes, mode: str, most: int, short: bool) -> Shapes:
    before, Engine.mode = Engine.mode, mode
    try:
        return shapes(data, most, short=short)
    finally:
        Engine.mode = before


@pytest.mark.parametrize("name", sorted(TEXTS))
@pytest.mark.parametrize(("most", "short"), [(MOST, False), (2, False), (2, True), (1, True), (0, False)])
def test_compared_lines_read_like_lines_that_are_read(name: str, most: int, short: bool) -> None:
    data = TEXTS[name].encode()
    one, two = scanned(data, "numpy", most, short), scanned(data, "numba", most, short)
    for field in ("start", "end", "shape", "first", "at", "values", "stops"):
        assert np.array_equal(getattr(one, field), getattr(two, field)), field
    for cut in range(len(data) - 40, len(data)):
        assert np.array_equal(
            scanned(data[:cut], "numpy", most, short).values, scanned(data[:cut], "numba", most, short).values
        )


def test_the_text_with_too_many_shapes_has_them() -> None:
    found = scanned(TEXTS["more shapes than are kept"].encode(), "numba", MOST, False)
    assert len(found.first) > KEPT and len(np.unique(found.shape)) == len(found.first)
