"""Where a value comes from, and how far it may be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Origin(StrEnum):
    """Who says so. The order is that of falling authority."""

    MEASURED = "measured"
    PUBLISHED = "published"
    DECLARED = "declared"
    DERIVED = "derived"
    CLAIMED = "claimed"
    ASSUMED = "assumed"


class Confidence(StrEnum):
    """``high``: the primary text was read; ``medium``: second-hand or plain arithmetic; ``low``: memory or one weak source."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        return {"high": 2, "medium": 1, "low": 0}[self.value]


@dataclass(frozen=True, slots=True)
class Figure:
    """One hardware fact: value, unit, source, confidence, origin and an optional note."""

    value: Any
    unit: str
    source: str
    confidence: Confidence
    origin: Origin = Origin.PUBLISHED
    note: str = ""


@dataclass(frozen=True, slots=True)
class Assumption:
    """A value that nobody stated and the tool chose: the path in the requirement, the value, the reason."""

    path: str
    value: Any
    why: str
    origin: Origin = Origin.ASSUMED


@dataclass(frozen=True, slots=True)
class Citation:
    """A figure used for a result: ``what`` it is (``system/dgx-h100 power_max_w``) and the figure itself."""

    what: str
    figure: Figure
