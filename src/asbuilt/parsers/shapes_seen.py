"""What one line of each shape tells of all of them, and texts made fit for shapes."""

from __future__ import annotations

from asbuilt.parsers.shapes import LONGEST_LINE, Shapes

_ESCAPE = 0x1B


def plain_shapes(found: Shapes) -> bool:
    """True when the text is ASCII without escapes of a terminal: a shape keeps every byte but digits and blanks."""
    for line in found.first.tolist():
        raw = found.line(line)
        if not raw.isascii() or _ESCAPE in raw:
            return False
    return True


def without_returns(data: bytes) -> bytes | None:
    """``data`` with line feeds alone where lines end as on Windows; None where carriage returns stand elsewhere."""
    if b"\r" not in data:
        return data
    bare = data.replace(b"\r\n", b"\n")
    return None if b"\r" in bare or max(map(len, bare.split(b"\n"))) >= LONGEST_LINE else bare
