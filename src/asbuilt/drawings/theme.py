"""Colours, type and SVG primitives that every picture and page shares.

A colour always has one meaning (a plane, a tier of trust, a verdict) and never stands alone: shape, label or text says
the same. Colours are CSS variables, so that one picture serves light, dark and print. Inside a page the page's
stylesheet sets them; a picture on its own carries them (``standalone=True``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable

LIGHT = {
    "bg": "#f6f7f8",
    "surface": "#ffffff",
    "sunken": "#eef1f4",
    "line": "#dbe0e6",
    "line-strong": "#aab3be",
    "ink": "#141c26",
    "ink-2": "#414e5c",
    "ink-3": "#5c6876",
    "accent": "#1d5aa8",
    "compute": "#2462b0",
    "storage": "#0d7460",
    "frontend": "#7440ad",
    "management": "#8a5a00",
    "oob": "#5b6672",
    "fail": "#b3261e",
    "warn": "#8a5a00",
    "pass": "#18743f",
    "error": "#96206e",
    "none": "#5c6876",
}
DARK = {
    "bg": "#0e1318",
    "surface": "#161c23",
    "sunken": "#1d252e",
    "line": "#2b343f",
    "line-strong": "#56626f",
    "ink": "#e9eef3",
    "ink-2": "#b8c3ce",
    "ink-3": "#95a1ae",
    "accent": "#79b4f5",
    "compute": "#71aef2",
    "storage": "#4cc7a8",
    "frontend": "#bf98ee",
    "management": "#e2ae55",
    "oob": "#9eaab6",
    "fail": "#ff8d80",
    "warn": "#efb85a",
    "pass": "#62cf93",
    "error": "#ef93d0",
    "none": "#95a1ae",
}
FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"
PLANES = ("compute", "storage", "frontend", "management", "oob")


def _block(selector: str, colours: dict[str, str], scheme: str) -> str:
    body = "".join(f"--{name}:{value};" for name, value in colours.items())
    return f"{selector}{{color-scheme:{scheme};{body}}}"


def css_variables() -> str:
    """The palette as CSS: light, dark by preference, and ``data-theme`` on the root to choose by hand; print is light."""
    by_system = _block(':root:not([data-theme="light"])', DARK, "dark")
    by_hand = _block(':root[data-theme="dark"]', DARK, "dark")
    return (
        f"{_block(':root', LIGHT, 'light')}\n"
        f"@media screen and (prefers-color-scheme: dark){{{by_system}}}\n"
        f"@media screen{{{by_hand}}}\n"
    )


def drawing_css() -> str:
    """Rules for the classes that the drawings use. Needs the variables of `css_variables`."""
    planes = "".join(
        f".dw .p-{p}{{fill:var(--{p})}}.dw .b-{p}{{fill:var(--surface);stroke:var(--{p})}}"
        f".dw .t-{p}{{fill:var(--{p});fill-opacity:.13;stroke:var(--{p})}}.dw .l-{p}{{stroke:var(--{p})}}"
        for p in (*PLANES, "fail", "warn", "pass", "error", "none")
    )
    return (
        f".dw{{font-family:{FONT};font-size:13px;max-width:100%;height:auto;display:block}}"
        ".dw text{fill:var(--ink);font-variant-numeric:tabular-nums}"
        ".dw .strong{font-weight:650}.dw .big{font-size:15px;font-weight:650}"
        ".dw .quiet{fill:var(--ink-2)}.dw .small{font-size:11.5px;fill:var(--ink-2)}"
        ".dw .tiny{font-size:10px;fill:var(--ink-3)}.dw .num{font-size:10.5px}.dw .one{font-size:9px}"
        ".dw .mid{text-anchor:middle}.dw .end{text-anchor:end}"
        ".dw .line{stroke:var(--line-strong);fill:none}.dw .hair{stroke:var(--line);fill:none}"
        ".dw .panel{fill:var(--sunken);stroke:var(--line)}.dw .sheet{fill:var(--surface);stroke:var(--line-strong)}"
        ".dw .frame{fill:none;stroke:var(--line-strong);stroke-dasharray:4 4}"
        ".dw .halo{paint-order:stroke;stroke:var(--surface);stroke-width:4px;stroke-linejoin:round}"
        ".dw .link{fill:none;stroke-opacity:.55}.dw .faint{stroke-opacity:.2;stroke-width:.7}"
        ".dw .fault{fill:none;stroke:var(--fail);stroke-width:2.5}"
        ".dw .gap{fill:none;stroke:var(--fail);stroke-width:2;stroke-dasharray:6 4}"
        ".dw .warnline{fill:none;stroke:var(--warn);stroke-width:2;stroke-dasharray:2 3}"
        ".dw text.c-fail{fill:var(--fail)}.dw text.c-warn{fill:var(--warn)}"
        ".dw .paper{fill:var(--surface)}" + planes
    )


def xml(text: object) -> str:
    """Text for XML: escaped, and characters that XML 1.0 forbids replaced by U+FFFD."""
    raw = str(text)
    clean = "".join(c if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF and c not in "\ufffe\uffff" else _control(c) for c in raw)
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;").replace("'", "&#39;")


def _control(char: str) -> str:
    return " " if char in "\t\n\r" else "\ufffd"


def number(value: float, digits: int = 0) -> str:
    """A number for people: thousands separated by commas, ``digits`` decimals, trailing zeros cut."""
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plural(count: int, word: str, more: str = "") -> str:
    """``1 switch``, ``2 switches``: the count with separators and the word in the right form."""
    if count == 1:
        return f"1 {word}"
    many = more or (word + "es" if word.endswith(("s", "x", "ch", "sh")) else word + "s")
    return f"{count:,} {many}"


_WIDE = dict.fromkeys("iljtfrI.,:;'|!() ", 0.35) | dict.fromkeys("mwMW%@", 0.9) | dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ", 0.68)


def text_width(text: str, size: float = 13, bold: bool = False) -> float:
    """Width of ``text`` in pixels, on the safe side for the wide system fonts (DejaVu, Verdana)."""
    return sum(_WIDE.get(c, 0.64) for c in text) * size * (1.1 if bold else 1.02)


def fit(text: str, width: float, size: float = 13, bold: bool = False) -> str:
    """``text`` shortened in the middle with an ellipsis until it fits ``width`` pixels; never longer than it was."""
    if text_width(text, size, bold) <= width:
        return text
    keep = len(text) - 1
    while keep > 2:
        head = (keep + 1) // 2
        short = f"{text[:head]}…{text[len(text) - (keep - head) :]}"
        if text_width(short, size, bold) <= width:
            return short
        keep -= 1
    return "…"


def cut(text: str, width: float, size: float = 13) -> str:
    """A sentence shortened at its end, for running text; names are shortened by `fit`."""
    if text_width(text, size) <= width:
        return text
    keep = len(text)
    while keep > 1 and text_width(text[:keep] + "…", size) > width:
        keep -= 1
    return text[:keep].rstrip(" ,;:") + "…"


@dataclass(slots=True)
class Canvas:
    """An SVG under construction: elements in drawing order, and the extent that they need."""

    width: float
    height: float
    title: str
    description: str
    parts: list[str] = field(default_factory=list)

    def add(self, markup: str) -> None:
        self.parts.append(markup)

    def text(self, x: float, y: float, content: object, css: str = "", room: float = 0, size: float = 13) -> None:
        """Text at the baseline ``y``; shortened to ``room`` pixels (the whole then stands in a tooltip)."""
        full = str(content)
        shown = fit(full, room, size, "strong" in css or "big" in css) if room else full
        hint = f"<title>{xml(full)}</title>" if shown != full else ""
        kind = f' class="{css}"' if css else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}"{kind}>{xml(shown)}{hint}</text>')

    def box(self, x: float, y: float, w: float, h: float, css: str, hint: str = "", radius: float = 3) -> None:
        inner = f"><title>{xml(hint)}</title></rect>" if hint else "/>"
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{radius:g}" class="{css}"{inner}')

    def line(self, points: Iterable[tuple[float, float]], css: str, width: float = 1, hint: str = "") -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        inner = f"><title>{xml(hint)}</title></polyline>" if hint else "/>"
        self.add(f'<polyline points="{path}" class="{css}" stroke-width="{width:g}"{inner}')

    def render(self, standalone: bool = False) -> str:
        """The SVG element. ``standalone`` adds the palette, so that the file is a picture of its own."""
        style = f"<style>{css_variables()}{drawing_css()}</style>" if standalone else ""
        size = f'viewBox="0 0 {self.width:.0f} {self.height:.0f}" width="{self.width:.0f}" height="{self.height:.0f}"'
        paper = f'<rect width="{self.width:.0f}" height="{self.height:.0f}" class="paper"/>' if standalone else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="dw" role="img" {size}>'
            f"<title>{xml(self.title)}</title><desc>{xml(self.description)}</desc>{style}{paper}{''.join(self.parts)}</svg>\n"
        )
