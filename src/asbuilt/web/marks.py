"""Where the answer changes character: the sizing's limits as numbered marks on the slider and lines of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from asbuilt.model.design import Sizing
from asbuilt.web import slider
from asbuilt.web.query import GPUS_FEWEST, GPUS_MOST

FIRST_RISE, LEVEL_PX, CLOSEST = 30, 21, 3.4
#: limits of the building: past them the site cannot carry this size
SITE = ("site-power", "rack-site-kw", "liquid")


@dataclass(frozen=True, slots=True)
class Mark:
    """One limit. ``left`` in percent of the slider (None: not a matter of size), ``rise`` in pixels above it.

    ``tone`` is fail (the site cannot carry it), warn (worth a look) or none; ``word`` says the same in text.
    """

    number: int
    gpus: int | None
    text: str
    source: str
    tone: str
    word: str
    left: float | None
    rise: int
    url: str


def marks(sizing: Sizing, url: Callable[[int], str]) -> list[Mark]:
    """Marks in the order of their GPU counts, numbered; then what is not a matter of size, worst first, without number."""
    sized = sorted((m for m in sizing.limits if _count(m)), key=lambda m: (m["at_gpus"], m["id"]))
    others = [m for m in sizing.limits if not _count(m)]
    placed: list[Mark] = []
    for index, limit in enumerate(sized, start=1):
        gpus = _count(limit)
        assert gpus is not None
        tone, word = judged(limit)
        left = 100 * slider.share(gpus)
        rise = FIRST_RISE + LEVEL_PX * _level(placed, left)
        placed.append(Mark(index, gpus, limit["text"], limit["source"], tone, word, left, rise, url(gpus)))
    rest = [Mark(0, None, m["text"], m["source"], *judged(m), None, 0, "") for m in others]
    return placed + sorted(rest, key=lambda m: ("fail", "warn", "none").index(m.tone))


def judged(limit: dict[str, Any]) -> tuple[str, str]:
    """``(tone, word)`` of a limit as it stands at the size asked for."""
    if limit["id"] in SITE:
        if limit["now"]:
            return "fail", "the site cannot carry it"
        return ("warn", "ahead") if limit["at_gpus"] else ("warn", "needed")
    if limit["at_gpus"]:
        return "none", "passed" if limit["now"] else ""
    return "warn", "worth a look"


def _count(limit: dict[str, Any]) -> int | None:
    gpus = limit["at_gpus"]
    return int(gpus) if gpus is not None and GPUS_FEWEST <= gpus <= GPUS_MOST else None


def _level(placed: list[Mark], left: float) -> int:
    """The first level on which no earlier mark is closer than a circle's width on a phone."""
    level = 0
    while any(m.left is not None and m.rise == FIRST_RISE + LEVEL_PX * level and abs(m.left - left) < CLOSEST for m in placed):
        level += 1
    return level
