"""Sheets for print: the light palette written out, because programs that set SVG into a page know no CSS variables."""

from __future__ import annotations

import re

from asbuilt.drawings.sheet import Sheet
from asbuilt.drawings.theme import LIGHT, drawing_css

# The serif face that typst carries in itself: narrower than what `text_width` reckons with, so that nothing grows too long.
PRINT_FONT = "Libertinus Serif"
# Its letters are smaller than those of the screen's faces at the same size; this evens it out and still fits.
GROWN = 1.12

_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")
_FAMILY = re.compile(r"font-family:[^;}]+")
_SIZE = re.compile(r"font-size:([0-9.]+)px")


def plain_colours(markup: str) -> str:
    """``markup`` with each ``var(--name)`` of the palette replaced by its light value; unknown names become black."""
    return _VARIABLE.sub(lambda found: LIGHT.get(found.group(1), "#000000"), markup)


def print_css(font: str = PRINT_FONT, grown: float = GROWN) -> str:
    """The rules of the drawings in plain colours, in one named face, its sizes grown by a factor."""
    css = _FAMILY.sub(f"font-family:'{font}'", plain_colours(drawing_css()))
    css = css.replace("font-weight:650", "font-weight:700")
    return _SIZE.sub(lambda found: f"font-size:{float(found.group(1)) * grown:.2f}px", css)


def printed_svg(sheet: Sheet) -> str:
    """The sheet as an SVG of its own without variables, media queries or tooltips. Equal sheets give equal text."""
    markup = plain_colours(sheet.svg(standalone=False))
    markup = re.sub(r"<title>[^<]*</title>", "", markup)
    return markup.replace("</desc>", f"</desc><style>{print_css()}</style>", 1)
