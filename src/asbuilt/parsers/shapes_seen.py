"""What one line of each shape tells of all of them."""

from __future__ import annotations

from asbuilt.parsers.shapes import Shapes

_ESCAPE = 0x1B


def plain_shapes(found: Shapes) -> bool:
    """True when the text is ASCII without escapes of a terminal: a shape keeps every byte but digits and blanks."""
    for line in found.first.tolist():
        raw = found.line(line)
        if not raw.isascii() or _ESCAPE in raw:
            return False
    return True
