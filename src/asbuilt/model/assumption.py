"""What nobody measured yet: a value with spread, unit, origin, source, and what stands there when claims are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from asbuilt.base.origin import Confidence, Origin


@dataclass(frozen=True, slots=True)
class Spread:
    """A low, a likely and a high value."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True, slots=True)
class Assumed:
    """One input of the decision.

    ``low`` and ``high`` are the ends of a triangle around ``likely``. Fault rates (unit ``per operation``) are gamma
    distributed instead, as if ``faults`` had been seen in ``operations``; there ``likely`` is the mean, ``low`` and ``high``
    the 5 % and 95 % points. ``removed``: what stands in the place of a ``claimed`` value when claims are left out.
    """

    id: str
    low: float
    likely: float
    high: float
    unit: str
    origin: Origin
    confidence: Confidence
    source: str
    meaning: str
    removed: Spread | None = None
    removed_why: str = ""
    faults: float | None = None
    operations: float | None = None

    @property
    def is_rate(self) -> bool:
        """True for a fault rate: gamma distributed."""
        return self.unit == PER_OPERATION

    @property
    def mean(self) -> float:
        """Mean of the triangle; of a rate, the likely value."""
        return self.likely if self.is_rate else (self.low + self.likely + self.high) / 3.0

    def as_json(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "id": self.id, "low": self.low, "likely": self.likely, "high": self.high, "unit": self.unit,
            "origin": str(self.origin), "confidence": str(self.confidence), "source": self.source, "meaning": self.meaning,
        }  # fmt: skip
        if self.removed is not None:
            made["removed"] = {"low": self.removed.low, "likely": self.removed.likely, "high": self.removed.high}
            made["removed_why"] = self.removed_why
        return made


PER_OPERATION = "per operation"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """All inputs of a decision by id, in a fixed order."""

    items: Mapping[str, Assumed]

    def __getitem__(self, key: str) -> Assumed:
        """The input. Raises ``KeyError`` naming the id: nothing that is missing becomes zero."""
        try:
            return self.items[key]
        except KeyError:
            raise KeyError(f"no assumption is called {key!r}") from None

    def __contains__(self, key: object) -> bool:
        return key in self.items

    def __iter__(self) -> Iterator[Assumed]:
        return iter(self.items.values())

    def under(self, prefix: str) -> tuple[Assumed, ...]:
        """Those whose id begins with ``prefix`` and a dot."""
        return tuple(item for item in self if item.id.startswith(prefix + "."))

    def with_own(self, own: Mapping[str, Assumed]) -> Assumptions:
        """The same with some written over. Raises ``KeyError`` for an id that is none."""
        for key in own:
            self[key]
        return Assumptions({**self.items, **own})

    def without_claims(self) -> Assumptions:
        """Every claimed value replaced by what stands there unbelieved. Raises ``ValueError`` where nothing does."""
        return Assumptions({item.id: _unclaimed(item) for item in self})


def _unclaimed(item: Assumed) -> Assumed:
    if item.origin is not Origin.CLAIMED:
        return item
    if item.removed is None:
        raise ValueError(f"{item.id} is claimed, and nothing stands in its place without the claim")
    spread = item.removed
    return replace(
        item, low=spread.low, likely=spread.likely, high=spread.high, origin=Origin.ASSUMED, confidence=Confidence.LOW,
        source=item.removed_why, removed=None, removed_why="", faults=None, operations=None,
    )  # fmt: skip
