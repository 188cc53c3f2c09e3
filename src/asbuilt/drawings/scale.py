"""What drawings to scale share: the way from mm to pixels, dimension lines, a scale bar, labels that keep inside their box.

Two layouts exist of every such drawing: `WIDE` for screens and paper, `NARROW` for a phone held upright. A drawing that does
not fit is split into further sheets; type is never made smaller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from asbuilt.drawings.theme import Canvas, fit, number, text_width, xml

#: Pixels of a sheet: a landscape page at 96 to the inch, and the width of a common phone.
WIDE_PX, NARROW_PX = 1120.0, 390.0
#: Sizes of the type classes of `theme.drawing_css`.
SIZES = {"tiny": 10.0, "num": 10.5, "small": 11.5, "one": 9.0, "big": 15.0}
BASE_SIZE = 13.0
LINE = 1.3
#: One rack unit (EIA-310), mm.
U_MM = 44.45
MM_PER_M = 1000.0
_ELLIPSIS = "…"


def type_size(css: str) -> float:
    """Pixels of the type that ``css`` asks for."""
    return next((SIZES[word] for word in css.split() if word in SIZES), BASE_SIZE)


def is_bold(css: str) -> bool:
    """True for the classes that are set in bold."""
    return "strong" in css or "big" in css


def width_of(text: str, css: str) -> float:
    """Width of ``text`` set in ``css``, in pixels, on the safe side."""
    return text_width(text, type_size(css), is_bold(css))


@dataclass(frozen=True, slots=True)
class View:
    """A window onto the floor from above (y away from the hall's front) or onto a row from its front (y the height).

    y runs up the sheet: ``left`` and ``top`` in pixels show the point ``x_mm``, ``y_mm``. ``mirrored``: x runs to the left, and
    ``x_mm`` is the right end of what is seen.
    """

    left: float
    top: float
    x_mm: float
    y_mm: float
    scale: float
    mirrored: bool = False

    def x(self, mm: float) -> float:
        return self.left + (self.x_mm - mm if self.mirrored else mm - self.x_mm) * self.scale

    def y(self, mm: float) -> float:
        return self.top + (self.y_mm - mm) * self.scale

    def px(self, mm: float) -> float:
        return mm * self.scale

    def rect(self, x: float, y: float, w: float, h: float) -> tuple[float, float, float, float]:
        """Left, top, width and height in pixels of the rectangle whose corner with the lowest coordinates is x, y (mm)."""
        left = self.x(x + w) if self.mirrored else self.x(x)
        return left, self.y(y + h), self.px(w), self.px(h)


def turned(canvas: Canvas, x: float, y: float, content: str, css: str, room: float) -> None:
    """Text that runs upwards, centred on the point; shortened to ``room``, left out where nothing of it fits."""
    shown = fit(content, room, type_size(css), is_bold(css))
    if shown == _ELLIPSIS:
        return
    hint = f"<title>{xml(content)}</title>" if shown != content else ""
    where = f'x="{x:.1f}" y="{y:.1f}" transform="rotate(-90 {x:.1f} {y:.1f})"'
    canvas.add(f'<text {where} class="{css} mid">{xml(shown)}{hint}</text>')


def label(canvas: Canvas, x: float, y: float, w: float, h: float, lines: Sequence[tuple[str, str]]) -> None:
    """Lines of (text, css) centred in a box, the first ones first; those that find no room are left out."""
    pad = 3.0
    kept: list[tuple[str, str, float]] = []
    used = 0.0
    for text, css in lines:
        size = type_size(css)
        if used + size * LINE > h - 2 or not text:
            continue
        if fit(text, w - 2 * pad, size, is_bold(css)) == _ELLIPSIS:
            continue
        kept.append((text, css, size))
        used += size * LINE
    level = y + (h - used) / 2
    for text, css, size in kept:
        canvas.text(x + w / 2, level + size, text, f"{css} mid", w - 2 * pad, size)
        level += size * LINE


def across(canvas: Canvas, x1: float, x2: float, y: float, text: str) -> None:
    """A dimension along the sheet, its text above the line, or right of it where it is longer than the line."""
    canvas.line(((x1, y), (x2, y)), "line")
    for x in (x1, x2):
        canvas.line(((x, y - 4), (x, y + 4)), "line")
    if width_of(text, "tiny") <= x2 - x1 - 2:
        canvas.text((x1 + x2) / 2, y - 4, text, "tiny mid")
    elif x2 + 6 + width_of(text, "tiny") <= canvas.width - 2:
        canvas.text(x2 + 6, y + 3.5, text, "tiny")


def upright(canvas: Canvas, x: float, y1: float, y2: float, text: str) -> None:
    """A dimension up the sheet, its text turned and left of the line."""
    canvas.line(((x, y1), (x, y2)), "line")
    for y in (y1, y2):
        canvas.line(((x - 4, y), (x + 4, y)), "line")
    turned(canvas, x - 4, (y1 + y2) / 2, text, "tiny", abs(y2 - y1) - 2)


def scale_bar(canvas: Canvas, x: float, y: float, scale: float) -> float:
    """A bar of a round length with its length beside it. Returns the right end of its text."""
    metres = next((m for m in (0.5, 1, 2, 5, 10, 20, 50) if m * MM_PER_M * scale >= 50), 100)
    length = metres * MM_PER_M * scale
    canvas.line(((x, y - 6), (x, y), (x + length, y), (x + length, y - 6)), "line")
    text = f"{number(metres, 1)} m"
    canvas.text(x + length + 6, y, text, "tiny")
    return x + length + 6 + width_of(text, "tiny")


def mm(value: float) -> str:
    """A length for a dimension line."""
    return f"{number(value)} mm"


def wrap(text: str, room: float, css: str, names: bool = False) -> list[str]:
    """``text`` in lines of at most ``room`` pixels; a word that is longer than a line is shortened.

    ``names``: lines may also end behind a hyphen, as in names of devices.
    """
    lines: list[str] = []
    open_line = ""
    for word in re.findall(r"[^\s-]*-+|[^\s-]+\s*|\s+" if names else r"\S+\s*", text.strip()):
        if open_line and width_of((open_line + word).rstrip(), css) > room:
            lines.append(open_line.rstrip())
            open_line = ""
        open_line += word
    return [fit(line, room, type_size(css), is_bold(css)) for line in (*lines, open_line.rstrip()) if line]


def heading(canvas: Canvas, title: str, subtitle: str) -> float:
    """Title and subtitle at the top of a sheet, wrapped to its width. Returns where the drawing may start."""
    room = canvas.width - 32
    y = 8.0
    for line in wrap(title, room, "big"):
        y += 19
        canvas.text(16, y, line, "big")
    y += 3
    for line in wrap(subtitle, room, "small"):
        y += 15
        canvas.text(16, y, line, "small")
    return y + 12


def notes(canvas: Canvas, lines: Sequence[str], y: float) -> float:
    """Notes below a drawing, wrapped. Returns the lower end."""
    for note in lines:
        for line in wrap(note, canvas.width - 32, "small"):
            y += 15
            canvas.text(16, y, line, "small")
        y += 3
    return y
