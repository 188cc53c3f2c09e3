"""Where the answer changes character: the sizing's limits as numbered marks on the slider and lines of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from asbuilt.model.design import Sizing
from asbuilt.web import slider
from asbuilt.web.query import GPUS_FEWEST, GPUS_MOST

FIRST_RISE, LEVEL_PX, CLOSEST = 14, 21, 3.4


@dataclass(frozen=True, slots=True)
class Mark:
    """One limit. ``left`` in percent of the slider (None: not tied to a GPU count), ``rise`` in pixels above it."""

    number: int
    gpus: int | None
    text: str
    tone: str
    word: str
    left: float | None
    rise: int
    url: str


def marks(sizing: Sizing, url: Callable[[int], str]) -> list[Mark]:
    """Limits in the order of their GPU counts, those without a count first."""
    limits = sorted(sizing.limits, key=lambda limit: (limit.get("gpus") or 0, str(limit.get("text", ""))))
    placed: list[Mark] = []
    for index, limit in enumerate(limits, start=1):
        gpus = _count(limit)
        tone, word = judged(limit, sizing)
        left = 100 * slider.share(gpus) if gpus else None
        rise = FIRST_RISE + LEVEL_PX * _level(placed, left)
        placed.append(Mark(index, gpus, str(limit.get("text", "")), tone, word, left, rise, url(gpus) if gpus else ""))
    return placed


def judged(limit: dict[str, Any], sizing: Sizing) -> tuple[str, str]:
    """``(tone, word)``: fail for what the site cannot do now, warn for what already holds, none for what is ahead."""
    return "none", ""


def _count(limit: dict[str, Any]) -> int | None:
    gpus = limit.get("gpus")
    return int(gpus) if isinstance(gpus, int | float) and GPUS_FEWEST <= gpus <= GPUS_MOST else None


def _level(placed: list[Mark], left: float | None) -> int:
    """The first level on which no earlier mark is closer than a circle's width on a phone."""
    if left is None:
        return 0
    level = 0
    while any(m.left is not None and m.rise == FIRST_RISE + LEVEL_PX * level and abs(m.left - left) < CLOSEST for m in placed):
        level += 1
    return level
