"""At how many racks each decision of a pilot breaks: readings at several sizes, and which size to look at next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from asbuilt.model.plan import Plan
from asbuilt.predict import cooling_decisions, fabric_decisions, fibre_decisions, floor_decisions, power_decisions
from asbuilt.predict.reading import AREAS, Reading

#: A decision that the larger plan mends and the pilot fails: too little is asked of it.
TOO_SMALL = "cdu-least-flow"
HOLDS, BREAKS, MENDS, UNKNOWN = "holds", "breaks", "mends", "unknown"


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision over all sizes looked at.

    ``reading`` is that at the target. ``breaks_at``: the smallest number of compute racks looked at that it does not hold
    for; ``holds_to``: the largest below it that it holds for, None where it fails at the pilot already. Between the two
    nobody looked; where they are neighbours the number is exact. ``holds_from``: of a decision that growth mends.
    """

    reading: Reading
    verdict: str
    breaks_at: int | None
    holds_to: int | None
    holds_from: int | None = None

    @property
    def exact(self) -> bool:
        """True when no size between ``holds_to`` and ``breaks_at`` was left out."""
        return self.breaks_at is not None and (self.holds_to is None or self.breaks_at - self.holds_to <= 1)


def readings(pilot: Plan, grown: Plan) -> dict[str, Reading]:
    """All decisions of the pilot held against one larger plan, by id, in the order of areas."""
    rooms = (power_decisions, cooling_decisions, fibre_decisions, fabric_decisions, floor_decisions)
    found = [reading for room in rooms for reading in room.readings(pilot, grown)]
    return {reading.id: reading for reading in sorted(found, key=lambda r: AREAS.index(r.area))}


def decisions(by_racks: Mapping[int, Mapping[str, Reading]]) -> list[Decision]:
    """One decision for each id, in the order of the largest size; ``by_racks``: readings by the number of compute racks.

    A size without the reading asks nothing of the decision: it holds there.
    """
    sizes = sorted(by_racks)
    ids = dict.fromkeys(key for n in reversed(sizes) for key in by_racks[n])
    found = [_over(key, sizes, {n: by_racks[n][key] for n in sizes if key in by_racks[n]}) for key in ids]
    return sorted(found, key=lambda d: AREAS.index(d.reading.area))


def _over(key: str, sizes: Sequence[int], seen: Mapping[int, Reading]) -> Decision:
    last = seen[max(seen)]
    failing = [n for n in sizes if n in seen and seen[n].holds is False]
    if not failing:
        undecided = any(reading.holds is None for reading in seen.values())
        return Decision(last, UNKNOWN if undecided else HOLDS, None, None)
    first = failing[0]
    below = max((n for n in sizes if n < first), default=None)
    if key == TOO_SMALL:
        after = next((n for n in sizes if n > failing[-1] and n in seen and seen[n].holds), None)
        return Decision(seen[first], MENDS if after is not None else BREAKS, first, below, after)
    # What fails on the way and holds at the target is shown where it fails.
    return Decision(last if last.holds is False else seen[failing[-1]], BREAKS, first, below)


def next_size(by_racks: Mapping[int, Mapping[str, Reading]]) -> int | None:
    """The size that halves the bracket in which most decisions break; None when every break is exact."""
    weight: dict[tuple[int, int], int] = {}
    for decision in decisions(by_racks):
        if decision.breaks_at is not None and decision.holds_to is not None and not decision.exact:
            bracket = (decision.holds_to, decision.breaks_at)
            weight[bracket] = weight.get(bracket, 0) + 1
    if not weight:
        return None
    low, high = min(weight, key=lambda b: (-weight[b], b))
    return (low + high) // 2
