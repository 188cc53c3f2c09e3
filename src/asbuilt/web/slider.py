"""The logarithmic GPU slider: position 0 is 8 GPUs, a hundred steps double it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from asbuilt.web.query import GPUS_FEWEST, GPUS_MOST

STEPS_PER_DOUBLING = 100
LAST = round(math.log2(GPUS_MOST / GPUS_FEWEST) * STEPS_PER_DOUBLING)


def position(gpus: int) -> int:
    """Slider position of a GPU count, rounded to whole steps."""
    return max(0, min(LAST, round(math.log2(max(gpus, 1) / GPUS_FEWEST) * STEPS_PER_DOUBLING)))


def share(gpus: float) -> float:
    """Where a GPU count lies on the slider, 0 to 1."""
    return min(1.0, max(0.0, math.log2(max(gpus, 1) / GPUS_FEWEST) / math.log2(GPUS_MOST / GPUS_FEWEST)))


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark under the slider: ``left`` in percent of its width, the count in short."""

    left: float
    label: str
    gpus: int


def scale() -> list[Tick]:
    """Plain ticks: 8, 64, 512, 4,096, 32k, 262k, 1M."""
    counts = (8, 64, 512, 4096, 32768, 262144, 1048576)
    return [Tick(100 * share(n), short(n), n) for n in counts]


def short(gpus: int) -> str:
    """A count in at most five characters: 8, 4,096, 32k, 1M."""
    if gpus < 10_000:
        return f"{gpus:,}"
    if gpus < 1_000_000:
        return f"{gpus / 1024:.0f}k" if gpus % 1024 == 0 else f"{gpus / 1000:.0f}k"
    return f"{gpus / 1_000_000:.0f}M"
