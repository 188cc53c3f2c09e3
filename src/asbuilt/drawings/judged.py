"""A figure against its limit, drawn so that the verdict never hangs on colour alone: a sign, a bar and words.

Also the two widths that the physical drawings are laid out for, and text broken into lines.
"""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.drawings.theme import Canvas, fit, number, text_width

WIDE, NARROW = 1100.0, 390.0
LINE, SMALL = 16.0, 11.5
SIGN, BAR = 12.0, 7.0
FULL = 100.0
WORDS = {"pass": "within", "fail": "OVER", "none": "not known"}
# Keeps a number and its unit on one line.
TIE = "\u00a0"


@dataclass(frozen=True, slots=True)
class Judged:
    """``label``: what is compared. ``value`` of ``limit`` in ``unit``; without one of them nothing is known."""

    label: str
    value: float | None
    limit: float | None
    unit: str
    digits: int = 1

    @property
    def percent(self) -> float | None:
        """Share of the limit in per cent; None when either is unknown or the limit is nothing."""
        if self.value is None or not self.limit:
            return None
        return self.value / self.limit * FULL

    @property
    def verdict(self) -> str:
        """``pass``, ``fail`` or ``none`` (not known). A limit that is met exactly is kept."""
        if self.percent is None or self.percent != self.percent:
            return "none"
        return "fail" if self.percent > FULL else "pass"

    @property
    def text(self) -> str:
        """``feed lost: 41.2 of 48 A, 86 %: within``."""
        if self.value is None:
            return f"{self.label}: {WORDS['none']}"
        if self.percent is None:
            return f"{self.label}: {number(self.value, self.digits)}{TIE}{self.unit}, limit {WORDS['none']}"
        shown = number(self.percent, 1 if FULL - 1 < self.percent < FULL + 1 else 0)
        told = f"{number(self.value, self.digits)} of {number(self.limit or 0, self.digits)}{TIE}{self.unit}"
        return f"{self.label}: {told}, {shown}{TIE}%:{TIE}{WORDS[self.verdict]}"


def wrapped(text: str, width: float, size: float = SMALL) -> list[str]:
    """``text`` in lines of at most ``width`` pixels, broken at blanks; a word that is too long is shortened in its middle."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if text_width(longer, size) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        line = fit(word, width, size)
    return [*lines, line] if line else lines or [""]


def sign(canvas: Canvas, x: float, y: float, verdict: str) -> None:
    """A disc with a tick, a square with a cross, a triangle, or a grey disc with a question mark; ``x``, ``y``: its middle."""
    half = SIGN / 2
    if verdict == "pass":
        canvas.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:g}" class="t-pass"/>')
        canvas.line(((x - 3, y), (x - 0.8, y + 2.6), (x + 3.2, y - 2.6)), "link l-pass", 1.6)
    elif verdict == "fail":
        canvas.box(x - half, y - half, SIGN, SIGN, "t-fail", radius=1)
        canvas.line(((x - 2.8, y - 2.8), (x + 2.8, y + 2.8)), "fault", 1.8)
        canvas.line(((x - 2.8, y + 2.8), (x + 2.8, y - 2.8)), "fault", 1.8)
    elif verdict == "warn":
        canvas.add(f'<path d="M{x:.1f},{y - half:.1f}l{half + 0.5:g},{SIGN:g}h{-SIGN - 1:g}z" class="t-warn"/>')
        canvas.text(x, y + 5, "!", "mid num")
    else:
        canvas.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:g}" class="t-none"/>')
        canvas.text(x, y + 3.6, "?", "mid num")


def judged_height(judged: Judged, width: float) -> float:
    """Height in pixels that `draw_judged` takes at ``width``."""
    return len(wrapped(judged.text, width - SIGN - 6)) * LINE + (BAR + 5 if judged.percent is not None else 2)


def draw_judged(canvas: Canvas, x: float, y: float, width: float, judged: Judged) -> float:
    """Sign, words and bar from ``y`` on; returns the ``y`` below. The bar ends at the limit; a fuller one is crossed out."""
    sign(canvas, x + SIGN / 2, y + 8, judged.verdict)
    css = {"fail": "small c-fail", "none": "small"}.get(judged.verdict, "small")
    for line in wrapped(judged.text, width - SIGN - 6):
        canvas.text(x + SIGN + 6, y + 12, line, css)
        y += LINE
    if judged.percent is None:
        return y + 2
    canvas.box(x, y + 1, width, BAR, "panel", radius=1)
    filled = width * min(judged.percent, FULL) / FULL
    if filled > 1:
        canvas.box(x, y + 1, filled, BAR, f"t-{judged.verdict}", radius=1)
    if judged.verdict == "fail":
        for step in range(int(width // BAR) - 1):
            left = x + 3 + step * BAR
            canvas.line(((left, y + 1 + BAR), (left + BAR, y + 1)), "fault", 1)
    return y + BAR + 5
