"""Boxes and texts of an SVG as rectangles, and what is wrong between them: cut off, on top of one another, outside."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

from asbuilt.drawings.scale import BASE_SIZE, SIZES, is_bold
from asbuilt.drawings.theme import text_width

SVG = "{http://www.w3.org/2000/svg}"
#: Part of the type size above and below the baseline that letters take (capitals and descenders of common faces).
ABOVE, BELOW = 0.74, 0.22


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float
    what: str
    css: str = ""

    def overlap(self, other: Box) -> float:
        """Smaller side of what the two share; 0 or less when they do not touch."""
        across = min(self.right, other.right) - max(self.left, other.left)
        up = min(self.bottom, other.bottom) - max(self.top, other.top)
        return min(across, up)

    def inside(self, other: Box, slack: float = 1.0) -> bool:
        return (
            self.left >= other.left - slack
            and self.right <= other.right + slack
            and self.top >= other.top - slack
            and self.bottom <= other.bottom + slack
        )


def frame_of(svg: str) -> Box:
    _, _, width, height = (float(v) for v in ET.fromstring(svg).get("viewBox", "").split())
    return Box(0, 0, width, height, "view box")


def rects(svg: str) -> list[Box]:
    out = []
    for rect in ET.fromstring(svg).iter(f"{SVG}rect"):
        x, y, w, h = (float(rect.get(k, "0")) for k in ("x", "y", "width", "height"))
        title = rect.find(f"{SVG}title")
        out.append(Box(x, y, x + w, y + h, (title.text or "") if title is not None else "", rect.get("class", "")))
    return out


def texts(svg: str) -> list[Box]:
    out = []
    for text in ET.fromstring(svg).iter(f"{SVG}text"):
        css = text.get("class", "")
        size = next((SIZES[word] for word in css.split() if word in SIZES), BASE_SIZE)
        said = text.text or ""
        x, y, w = float(text.get("x", "0")), float(text.get("y", "0")), text_width(said, size, is_bold(css)) / 1.02
        left = x - w / 2 if "mid" in css.split() else x - w if "end" in css.split() else x
        box = Box(left, y - size * ABOVE, left + w, y + size * BELOW, said, css)
        turn = re.match(r"rotate\(-90 ", text.get("transform", ""))
        if turn:  # about the anchor: what was right of it is above it
            box = Box(x - size * ABOVE, y - w / 2, x + size * BELOW, y + w / 2, said, css)
        out.append(box)
    return out


def colliding(boxes: list[Box], slack: float = 0.6) -> list[tuple[str, str]]:
    """Pairs of boxes that share more than ``slack`` pixels both ways."""
    ordered = sorted(boxes, key=lambda b: b.top)
    found = []
    for at, box in enumerate(ordered):
        for other in ordered[at + 1 :]:
            if other.top >= box.bottom:
                break
            if box.overlap(other) > slack:
                found.append((box.what, other.what))
    return found


def cut(svg: str) -> list[str]:
    """Texts and boxes that leave the picture, and texts that leave the smallest box in which their middle lies."""
    frame = frame_of(svg)
    boxes = rects(svg)
    found = [f"outside: {b.what or b.css}" for b in (*boxes, *texts(svg)) if not b.inside(frame)]
    for text in texts(svg):
        x, y = (text.left + text.right) / 2, (text.top + text.bottom) / 2
        around = [b for b in boxes if b.left <= x <= b.right and b.top <= y <= b.bottom]
        if around:
            smallest = min(around, key=lambda b: (b.right - b.left) * (b.bottom - b.top))
            if not text.inside(smallest):
                found.append(f"cut: {text.what} by {smallest.what or smallest.css}")
    return found
