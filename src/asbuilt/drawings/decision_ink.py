"""Colours, textures, axes and legends of the decision's charts.

A series has a colour and a texture of its own, and its name in the legend or beside it: nothing hangs on colour alone.
The colours keep apart for the common kinds of colour blindness; fills are tints, so that text on them stays readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10

from asbuilt.drawings.decision_words import plain
from asbuilt.drawings.scale import type_size, width_of
from asbuilt.drawings.theme import Canvas, css_variables, cut, drawing_css

#: Pixels: a column of the report, and what a phone held upright leaves of it.
WIDE_PX, NARROW_PX = 940.0, 334.0
SERIES_LIGHT = ("#1f5fae", "#b84a00", "#0a7a63", "#8a3a9c", "#846200", "#4f5b67", "#b52a66", "#2a7f9e")
SERIES_DARK = ("#74b0f4", "#ff9a57", "#4cc9a9", "#cf93e6", "#dcb14a", "#aab5c0", "#ff8db8", "#6fc6e4")
#: Kinds of lines of each texture; the first one is plain.
_TEXTURES = ("", "/", ".", "-", "\\", "+", "|", "x")
#: Pixels between the lines of a texture.
_APART = 7.0
#: Steps that a scale may have, times a power of ten.
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def series_css() -> str:
    """Variables and rules of the series, in light, dark and print; to be added to those of `theme`."""

    def block(colours: tuple[str, ...]) -> str:
        return "{" + "".join(f"--s{i}:{c};" for i, c in enumerate(colours)) + "}"

    light, dark = block(SERIES_LIGHT), block(SERIES_DARK)
    rules = "".join(
        f".dw .s{i}{{fill:var(--s{i});fill-opacity:.27;stroke:var(--s{i});stroke-width:1}}"
        f".dw .k{i}{{stroke:var(--s{i});fill:none}}.dw .f{i}{{fill:var(--s{i})}}"
        for i in range(len(SERIES_LIGHT))
    )
    return (
        f":root{light}\n@media screen and (prefers-color-scheme: dark){{:root:not([data-theme='light']){dark}}}\n"
        f"@media screen{{:root[data-theme='dark']{dark}}}\n{rules}"
        ".dw .axis{stroke:var(--ink-3);fill:none}.dw .grid{stroke:var(--line);fill:none}"
        ".dw .crit{fill:none;stroke:var(--ink);stroke-width:2}.dw .mark{fill:var(--ink)}"
        ".dw .hollow{fill:var(--surface);stroke:var(--ink);stroke-width:1.6}"
        ".dw .hatch{stroke-width:1.1;stroke-opacity:.7;pointer-events:none}"
        ".dw .even{stroke:var(--ink);fill:none;stroke-dasharray:5 3}"
    )


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values from ``low`` to ``high``: as many as there may be of the smallest round step that gives at most ``most``.

    At least one: ``low`` itself where both are equal.
    """
    if not high > low:
        return [low]
    power = 10.0 ** floor(log10((high - low) / max(1, most + 1)))
    for step in (s * power * ten for ten in (1.0, 10.0) for s in _STEPS):
        first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
        if 0 < last - first + 1 <= most:
            return [i * step for i in range(first, last + 1)]
    return [low]


@dataclass(frozen=True, slots=True)
class Span:
    """A scale: the value ``low`` stands at ``start`` pixels, ``high`` at ``end``. Values outside end at the edge."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        if not self.high > self.low:
            return self.start
        part = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, part)) * (self.end - self.start)


@dataclass(slots=True)
class Chart:
    """A chart under construction; ``y`` is where the next part may start."""

    canvas: Canvas
    narrow: bool
    y: float = 6.0
    under: list[str] = field(default_factory=list)

    @property
    def width(self) -> float:
        return self.canvas.width

    def swatch(self, x: float, y: float, w: float, h: float, series: int, hint: str = "") -> None:
        """A box in the colour and the texture of a series; never thinner than what can be seen."""
        colour, texture = _look(series)
        self.canvas.box(x, y, max(w, 0.8), max(h, 0.8), f"s{colour}", plain(hint, 300), radius=1)
        self._lines(colour, hatch(x, y, w, h, texture))

    def columns(self, columns: Sequence[tuple[float, float, float]], base: float, series: int) -> None:
        """Columns side by side as one outline in the look of a series; each with left end, width and top."""
        colour, texture = _look(series)
        left = columns[0][0]
        steps = "".join(f"V{top:.1f}H{x + w:.1f}" for x, w, top in columns)
        self.canvas.add(f'<path d="M{left:.1f},{base:.1f}{steps}V{base:.1f}Z" class="s{colour}"/>')
        self._lines(colour, "".join(hatch(x, top, w, base - top, texture) for x, w, top in columns))

    def _lines(self, colour: int, path: str) -> None:
        if path:
            self.canvas.add(f'<path d="{path}" class="k{colour} hatch"/>')

    def on(self, x: float, y: float, w: float, text: str, css: str = "small") -> None:
        """Text in the middle of a piece that ends at ``x + w``, where it fits; ``y`` is its baseline."""
        if width_of(text, css) <= w - 4:
            self.canvas.text(x + w / 2, y, text, f"{css} mid halo ink")

    def legend(self, items: Sequence[tuple[int, str]], left: float = 0) -> None:
        """Series with their names, in lines, from ``y`` on."""
        x, room = left, self.width - left
        for series, name in items:
            text = cut(plain(name), room - 24, type_size("small"))
            wide = 20 + width_of(text, "small") + 16
            if x > left and x + wide - 16 > self.width:
                x, self.y = left, self.y + 20
            self.swatch(x, self.y + 1, 14, 12, series)
            self.canvas.text(x + 20, self.y + 11, text, "small")
            x += wide
        self.y += 24

    def rule(self, x: float, top: float, bottom: float) -> None:
        """A line of the scale, below everything that is drawn."""
        self.under.append(f'<path d="M{x:.1f},{top:.1f}V{bottom:.1f}" class="grid"/>')

    def grid(self, span: Span, top: float, bottom: float, texts: Sequence[tuple[float, str]], unit: str = "") -> None:
        """Vertical lines at values with their texts below ``bottom``; texts that would touch are left out."""
        free = -1.0
        for value, text in texts:
            x = span.at(value)
            self.rule(x, top, bottom)
            wide = width_of(text, "small")
            left = min(max(0.0, x - wide / 2), self.width - wide)
            if left > free:
                self.canvas.text(left, bottom + 14, text, "small")
                free = left + wide + 8
        if unit:
            self.canvas.text(self.width, bottom + 29, unit, "small end")

    def words(self, lines: Sequence[str]) -> None:
        """Running text below what stands."""
        from asbuilt.drawings.scale import wrap

        for text in lines:
            for line in wrap(plain(text, 400), self.width - 2, "small"):
                self.canvas.text(0, self.y + 12, line, "small")
                self.y += 15
            self.y += 3

    def svg(self, standalone: bool = False) -> str:
        """The picture, as high as what was drawn."""
        self.canvas.height = ceil(self.y + 4)
        self.canvas.parts[:0] = self.under
        if standalone:
            self.canvas.parts.insert(0, f"<style>{css_variables()}{drawing_css()}{series_css()}</style>")
            self.canvas.parts.insert(1, f'<rect width="{self.width:.0f}" height="{self.canvas.height:.0f}" class="paper"/>')
        return self.canvas.render()


def hatch(x: float, y: float, w: float, h: float, texture: str) -> str:
    """Lines of a texture inside a rectangle as path data; the lines of neighbours meet. Empty for what is too small.

    Written out instead of an SVG pattern: browsers print a pattern as a picture, which makes a PDF of a hundred megabytes.
    """
    if not texture or w < 3 or h < 3:
        return ""
    lines: list[tuple[float, float, float, float]] = []
    if texture in "/x":
        lines += [
            (max(x, c - y - h), min(y + h, c - x), min(x + w, c - y), max(y, c - x - w)) for c in _steps(x + y, x + w + y + h)
        ]
    if texture in "\\x":
        lines += [
            (max(x, c + y), max(y, x - c), min(x + w, c + y + h), min(y + h, x + w - c)) for c in _steps(x - y - h, x + w - y)
        ]
    if texture in "-+":
        lines += [(x, c, x + w, c) for c in _steps(y, y + h)]
    if texture in "|+":
        lines += [(c, y, c, y + h) for c in _steps(x, x + w)]
    if texture == ".":
        lines += [(c, r, c + 1.4, r) for c in _steps(x, x + w - 1.4) for r in _steps(y, y + h)]
    return "".join(f"M{a:.1f},{b:.1f}L{c:.1f},{d:.1f}" for a, b, c, d in lines)


def _steps(low: float, high: float) -> list[float]:
    """Multiples of the distance between ``low`` and ``high``; the middle where there is none."""
    found = [i * _APART for i in range(ceil(low / _APART), floor(high / _APART) + 1)]
    return found or [(low + high) / 2]


def _look(series: int) -> tuple[int, str]:
    """Colour and texture of a series: no two of the first 64 are alike."""
    turn, at = divmod(series, len(SERIES_LIGHT))
    return at, _TEXTURES[(at + turn) % len(_TEXTURES)]


def chart(title: str, description: str, narrow: bool) -> Chart:
    """An empty chart."""
    width = NARROW_PX if narrow else WIDE_PX
    return Chart(Canvas(width, 0, title, plain(description, 2000)), narrow)
