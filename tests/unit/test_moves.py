"""The smallest set of moves: crossed pairs, rotated rails, shifted blocks, missing and surplus cables, applied by hand."""

from __future__ import annotations

import numpy as np
import pytest

from asbuilt.diagnose.moves import MOVE, PLUG, REMOVE, Tangle, tangles

Pairs = list[tuple[int, int]]


def find(planned: Pairs, measured: Pairs, place: list[int] | None = None) -> list[Tangle]:
    known = {tuple(sorted(p)) for p in planned} & {tuple(sorted(m)) for m in measured}
    left = [[p for p in pairs if tuple(sorted(p)) not in known] for pairs in (planned, measured)]
    size = 1 + max((s for pairs in left for p in pairs for s in p), default=0)
    boxes = np.array(place if place is not None else range(size))
    return tangles(*(np.array(p, np.int64).reshape(-1, 2) for p in left), boxes)


def apply(measured: Pairs, found: list[Tangle]) -> set[frozenset[int]]:
    """The cables after the moves; a port must be free when a cable end comes, in a ring all ends are out first."""
    cables = {frozenset(m) for m in measured}
    for tangle in found:
        waiting = []
        for step in tangle.steps:
            if step.kind in (MOVE, REMOVE):
                cables.remove(frozenset((step.keep, step.take)))
            if step.kind != REMOVE:
                waiting.append(frozenset((step.keep, step.put)))
            if not tangle.ring:
                _plug(cables, waiting)
        _plug(cables, waiting)
    return cables


def _plug(cables: set[frozenset[int]], waiting: list[frozenset[int]]) -> None:
    for cable in waiting:
        assert not any(cable & other for other in cables), "a port is still in use"
        cables.add(cable)
    waiting.clear()


PLAN: Pairs = [(0, 10), (1, 11), (2, 12), (3, 13)]


@pytest.mark.parametrize(
    ("measured", "kinds", "exchanges"),
    [
        ([(0, 11), (1, 10), (2, 12), (3, 13)], [MOVE, MOVE], 1),
        ([(0, 11), (1, 12), (2, 13), (3, 10)], [MOVE] * 4, 3),
        ([(0, 10), (1, 11), (2, 12)], [PLUG], 1),
        ([(0, 10), (1, 11), (2, 12), (3, 19)], [MOVE], 1),
        ([(4, 13), (3, 12), (2, 11), (1, 10)], [MOVE] * 4, 4),
        ([(0, 10), (1, 19), (2, 12), (9, 11), (3, 13)], [REMOVE, MOVE], 2),
        ([(0, 11), (2, 12), (3, 13)], [MOVE, PLUG], 2),
        (list(PLAN), [], 0),
    ],
    ids=["swap", "rotation", "unplugged", "wrong port", "shifted block", "squatter", "half a swap", "right"],
)
def test_kinds_of_faults(measured: Pairs, kinds: list[str], exchanges: int) -> None:
    found = find(PLAN, measured)
    steps = [s.kind for t in found for s in t.steps]
    assert sorted(steps) == sorted(kinds) and sum(t.exchanges for t in found) == exchanges
    assert apply(measured, found) == {frozenset(p) for p in PLAN}


def test_the_end_that_is_on_one_box_is_moved() -> None:
    crossed: Pairs = [(0, 11), (1, 10)]
    at_switch = [0, 0, *range(1, 9), 20, 21]
    at_node = [0, 1, *range(2, 10), 20, 20]
    assert {s.take for t in find(PLAN[:2], crossed, at_switch) for s in t.steps} == {0, 1}
    assert {s.take for t in find(PLAN[:2], crossed, at_node) for s in t.steps} == {10, 11}


def test_separate_faults_are_separate_tangles() -> None:
    found = find(PLAN, [(0, 11), (1, 10), (2, 13), (3, 12)])
    assert [len(t.links) for t in found] == [2, 2]
