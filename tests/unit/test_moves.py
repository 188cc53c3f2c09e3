"""The smallest set of moves: crossed pairs, rotated rails, shifted blocks, missing and surplus cables, applied by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from asbuilt.diagnose.moves import MOVE, PLUG, REMOVE, Tangle, tangles, ways

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


def fewest(planned: Pairs, measured: Pairs, ports: range) -> int:
    """The fewest acts on single ends (move one, plug a cable in, take one out) by trying everything, breadth first.

    An end goes into a free port or, as in a ring, into one whose own end is taken out at the same time: between acts a port
    may hold two ends, at the end it may not.
    """
    goal = frozenset(map(frozenset, planned))
    seen = {tuple(sorted(tuple(sorted(c)) for c in measured))}
    level = set(seen)
    want = tuple(sorted(tuple(sorted(c)) for c in goal))
    for acts in range(8):
        if want in level:
            return acts
        after = set()
        for cables in level:
            for i, (a, b) in enumerate(cables):
                rest = cables[:i] + cables[i + 1 :]
                after.add(rest)
                for keep in (a, b):
                    after.update(tuple(sorted((*rest, tuple(sorted((keep, p)))))) for p in ports if p != keep)
            after.update(tuple(sorted((*cables, tuple(sorted(p))))) for p in goal)
        level = after - seen
        seen |= level
    raise AssertionError("no way found")


def all_matchings(ends: list[int]) -> list[Pairs]:
    """Every way to plug cables between some of ``ends``."""
    if len(ends) < 2:
        return [[]]
    first, rest = ends[0], ends[1:]
    found = all_matchings(rest)
    for i, other in enumerate(rest):
        found += [[(first, other), *more] for more in all_matchings(rest[:i] + rest[i + 1 :])]
    return found


def test_no_smaller_set_of_moves_exists_for_any_cabling_of_six_ports() -> None:
    """All 76 cablings of six ports against plans of three links, of two, and of one."""
    cablings = all_matchings(list(range(6)))
    assert len(cablings) == 76
    for planned in ([(0, 3), (1, 4), (2, 5)], [(0, 3), (1, 4)], [(0, 3)]):
        for measured in cablings:
            found = [t for t in find(planned, measured) if t.links]
            touched = {slot for t in found for slot in t.slots} | {slot for link in planned for slot in link}
            mended = [m for m in measured if set(m) & touched]  # others stand beside the plan: no cause to move them
            count = sum(len(t.steps) for t in found)
            assert count == fewest(planned, mended, range(6)), (planned, measured)
            for t in found:
                assert all(len(way) == len(t.steps) for way in ways(t))


@pytest.mark.parametrize("seed", range(40))
def test_any_way_out_of_a_tangle_mends_it(seed: int) -> None:
    """Permutations with cables taken out: each of the equally small ways, carried out by hand, gives the plan."""
    draw = random.Random(seed)
    count = draw.randint(2, 6)
    planned = [(i, 10 + i) for i in range(count)]
    order = draw.sample(range(count), count)
    measured = [(i, 10 + j) for i, j in enumerate(order)]
    measured = draw.sample(measured, draw.randint(0, count))
    found = find(planned, measured)
    for t in found:
        for way in ways(t):
            others = [o if o is not t else replace(t, steps=way) for o in found]
            assert apply(measured, others) == {frozenset(p) for p in planned}
    cycles = _cycles_of(order)
    if len(measured) == count:
        assert sum(t.exchanges for t in found) == count - cycles
    # Every planned link that is not there costs one act: no end can serve two of them.
    assert sum(len(t.steps) for t in found) == sum((i, 10 + i) not in measured for i in range(count))


def _cycles_of(order: list[int]) -> int:
    left, count = set(range(len(order))), 0
    while left:
        count += 1
        at = min(left)
        while at in left:
            left.remove(at)
            at = order[at]
    return count
