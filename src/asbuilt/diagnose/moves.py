"""The smallest set of moves of cable ends that turns what is plugged into what is planned.

Take planned and measured links as edges between ports. A port has at most one of each, so what is not right falls into
chains and rings in which planned and measured links alternate. A ring of k cables is mended by moving one end of each (k
moves, k - 1 exchanges); a chain by one move per cable that can serve a planned link of it, a new cable for a link left over,
and taking out a cable left over. No smaller set exists: every misplaced cable must lose at least one of its ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

Array = np.ndarray[Any, Any]
#: What a `Step` does: move one end, put a cable where none is, take a cable out.
MOVE, PLUG, REMOVE = "move", "plug", "remove"


@dataclass(frozen=True, slots=True)
class Step:
    """One physical act on port slots. ``move``: the end of the cable ``keep``-``take`` at ``take`` goes to ``put``.
    ``plug``: a cable between ``keep`` and ``put``. ``remove``: the cable ``keep``-``take`` is taken out."""

    kind: str
    keep: int
    take: int
    put: int


@dataclass(frozen=True, slots=True)
class Tangle:
    """One chain or ring: its port slots in order, whether it closes, the steps that mend it, and the planned links in it.

    ``first_planned``: the edge between the first two slots is a planned one.
    """

    slots: tuple[int, ...]
    ring: bool
    first_planned: bool
    steps: tuple[Step, ...]
    links: tuple[int, ...]

    @property
    def exchanges(self) -> int:
        """How many single acts made it: a ring of k cables is k - 1 exchanges of two ends."""
        return len(self.steps) - 1 if self.ring else len(self.steps)


def sides(ring: Tangle) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The two ways to mend a ring: moving the even ends of its cables, or the odd ones."""
    return _even(ring.slots), _odd(ring.slots)


def ways(tangle: Tangle) -> tuple[tuple[Step, ...], ...]:
    """Every step list of the fewest steps that moves whole sides: that of ``tangle`` first.

    A ring is mended at either side. A chain with a planned link at both its ends, or with none, is mended from either end:
    which cable is the one too few, or too many, the links do not tell. Any other chain has one way.
    """
    if tangle.ring:
        both = sides(tangle)
        return both if tangle.steps == both[0] else both[::-1]
    walk = list(tangle.slots)
    last_planned = tangle.first_planned == (len(walk) % 2 == 0)
    if tangle.first_planned != last_planned or len(tangle.steps) < 2:
        return (tangle.steps,)
    runs = tuple(_serve(walk, tangle.first_planned)), tuple(_serve(walk[::-1], last_planned))
    return runs if tangle.steps == runs[0] else runs[::-1]


def tangles(planned: Array, measured: Array, place: Array) -> list[Tangle]:
    """Chains and rings of what is not as planned.

    ``planned`` (n, 2) and ``measured`` (m, 2) are links between port slots that do not coincide; a slot is in at most one
    of each. ``place`` gives the box that each slot belongs to: of two equally small repairs, the one that touches fewer
    boxes is taken.
    """
    plan_of: dict[int, tuple[int, int]] = {}
    seen_of: dict[int, int] = {}
    for row, (a, b) in enumerate(planned.tolist()):
        plan_of[a], plan_of[b] = (b, row), (a, row)
    for a, b in measured.tolist():
        seen_of[a], seen_of[b] = b, a
    done: set[int] = set()
    found = []
    ends = [s for s in {*plan_of, *seen_of} if (s in plan_of) != (s in seen_of)]
    for start in [*sorted(ends), *sorted(plan_of)]:
        if start in done:
            continue
        walk, links, ring, first_planned = _walk(start, plan_of, seen_of)
        done.update(walk)
        steps = _ring(walk, place) if ring else _chain(walk, first_planned, place)
        found.append(Tangle(tuple(walk), ring, first_planned, tuple(steps), tuple(links)))
    return found


def _walk(start: int, plan_of: dict[int, tuple[int, int]], seen_of: dict[int, int]) -> tuple[list[int], list[int], bool, bool]:
    """From ``start`` along alternating links: (slots, planned rows, closed, first link is a planned one).

    A ring starts with a measured link, so that slots 0-1, 2-3, … are its cables.
    """
    use_plan = first_planned = start in plan_of and start not in seen_of
    walk, slot = [start], start
    links: list[int] = []
    while True:
        if use_plan:
            if slot not in plan_of:
                return walk, links, False, first_planned
            slot, row = plan_of[slot]
            links.append(row)
        else:
            if slot not in seen_of:
                return walk, links, False, first_planned
            slot = seen_of[slot]
        if slot == start:
            return walk, links, True, first_planned
        walk.append(slot)
        use_plan = not use_plan


def _boxes(steps: Sequence[Step], place: Array) -> tuple[int, int]:
    touched = {int(place[s]) for step in steps for s in (step.take, step.put) if s >= 0}
    return len(touched), len(steps)


def _ring(walk: list[int], place: Array) -> list[Step]:
    """Cables are (0,1), (2,3), …; planned are (1,2), (3,4), …, (last,0). Move all even ends, or all odd ones."""
    odd, even = _odd(walk), _even(walk)
    return list(odd if _boxes(odd, place) <= _boxes(even, place) else even)


def _odd(walk: Sequence[int]) -> tuple[Step, ...]:
    return tuple(Step(MOVE, walk[i], walk[i + 1], walk[i - 1]) for i in range(0, len(walk), 2))


def _even(walk: Sequence[int]) -> tuple[Step, ...]:
    n = len(walk)
    return tuple(Step(MOVE, walk[i + 1], walk[i], walk[(i + 2) % n]) for i in range(0, n, 2))


def _chain(walk: list[int], first_planned: bool, place: Array) -> list[Step]:
    """One step per cable and planned link, in an order in which every port is free when its cable comes."""
    forward = _serve(walk, first_planned)
    last_planned = first_planned == (len(walk) % 2 == 0)
    if first_planned != last_planned:
        return forward if first_planned else _serve(walk[::-1], last_planned)
    backward = _serve(walk[::-1], last_planned)
    return min((forward, backward), key=lambda steps: _boxes(steps, place))


def _serve(walk: list[int], first_planned: bool) -> list[Step]:
    """Walk on: the cable behind each planned link serves it by the end that is not yet there."""
    steps = []
    at = 0
    if not first_planned:
        steps.append(Step(REMOVE, walk[0], walk[1], -1))
        at = 1
    while at + 1 < len(walk):
        free, shared = walk[at], walk[at + 1]
        if at + 2 < len(walk):
            steps.append(Step(MOVE, shared, walk[at + 2], free))
        else:
            steps.append(Step(PLUG, shared, -1, free))
        at += 2
    return steps
