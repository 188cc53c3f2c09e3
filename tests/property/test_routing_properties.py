"""Routing of any tree: index arithmetic against the walk, both engines of the kernels, degraded trees re-routed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.kernel import Engine
from asbuilt.plan.forwarding import forwarding_of
from asbuilt.plan.routing_analysis import credit_loop, hops, leaving_their_leaf, reach, unrouted
from asbuilt.plan.routing_closed import closed_form
from asbuilt.plan.routing_fabric import COMPUTE, IO, NOTHING, Fabric
from asbuilt.plan.routing_ftree import ftree, ranks
from asbuilt.plan.routing_regular import regular
from asbuilt.plan.routing_reroute import reroute, ways
from asbuilt.plan.routing_walks import LOOP
from routing_trees import three_tier, two_tier

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def trees(draw: st.DrawFn, most: int = 4) -> Fabric:
    """Regular trees of two or three tiers, with parallel links, a short last leaf and some hosts that do not compute."""
    few = st.integers(1, most)
    seed, odd = draw(SEEDS), draw(st.integers(0, 1))
    hosts = draw(st.integers(2, 5))
    if draw(st.booleans()):
        fabric = two_tier(draw(st.integers(2, 5)), draw(few), hosts, draw(st.integers(1, 3)), seed, odd)
    else:
        pods, leaves = draw(st.integers(1, 3)), draw(st.integers(2, 3))
        links = draw(st.integers(1, 3)), draw(st.integers(1, 3))
        fabric = three_tier(pods, leaves, draw(st.integers(1, 3)), draw(st.integers(1, 3)), hosts, *links, seed, odd)
    if draw(st.booleans()):
        rng = np.random.default_rng(seed)
        fabric = replace(fabric, host_role=np.where(rng.random(fabric.hosts) < 0.8, COMPUTE, IO).astype(np.uint8))
    return replace(fabric, connect_roots=draw(st.booleans()))


def cut(fabric: Fabric, seed: int, share: float) -> Fabric:
    rng = np.random.default_rng(seed)
    rows, ports = np.nonzero(fabric.peer >= 0)
    pick = rng.permutation(len(rows))[: max(1, int(len(rows) * share))]
    return fabric.without(np.stack([rows[pick], ports[pick]], axis=1).astype(np.int32))


def several_leaves(fabric: Fabric) -> bool:
    """Compute nodes on more than one leaf: else the engine falls back."""
    compute = fabric.host_role == COMPUTE
    return len(np.unique(fabric.host_switch[compute if compute.any() else compute | True])) > 1


@settings(max_examples=60, deadline=None)
@given(trees())
def test_index_arithmetic_is_the_walk(fabric: Fabric) -> None:
    if not several_leaves(fabric):
        return
    found = closed_form(fabric)
    assert found is not None
    assert np.array_equal(found, ftree(fabric))


@settings(max_examples=40, deadline=None)
@given(trees(), SEEDS)
def test_pairs_walk_up_and_then_down_by_the_shortest_way(fabric: Fabric, seed: int) -> None:
    if not several_leaves(fabric):
        return
    out, rank = forwarding_of(fabric).out, ranks(fabric)
    rng = np.random.default_rng(seed)
    for source, target in rng.integers(0, fabric.hosts, (20, 2)):
        at, path = int(fabric.host_switch[source]), []
        while True:
            path.append(at)
            port = int(out[at, fabric.host_lid[target]])
            if fabric.peer[at, port] < 0:
                assert fabric.peer[at, port] == -2 - target
                break
            at = int(fabric.peer[at, port])
            assert len(path) < 8
        tiers = [int(rank[s]) for s in path]
        top = tiers.index(min(tiers))
        assert tiers == sorted(tiers[: top + 1], reverse=True) + sorted(tiers[top + 1 :])
        assert len(path) == hops(fabric, out, fabric.host_lid[[target]])[0, fabric.host_switch[source]]
        assert (len(path) == 1) == (fabric.host_switch[source] == fabric.host_switch[target])


@settings(max_examples=25, deadline=None)
@given(trees(), SEEDS)
def test_compiled_and_plain_kernels_agree(fabric: Fabric, seed: int) -> None:
    pytest.importorskip("numba")
    broken = cut(fabric, seed, 0.1)
    before, answers = Engine.mode, []
    try:
        for Engine.mode in ("numpy", "numba"):
            planned, now = forwarding_of(fabric), forwarding_of(broken)
            again = reroute(ways(fabric), broken)
            told = reach(broken, now.out)
            answers.append(
                (planned.out, now.out, now.fixed, again.out, told.lost, told.looped, credit_loop(broken, now.out)[0])
            )
    finally:
        Engine.mode = before
    for one, two in zip(*answers, strict=True):
        assert np.array_equal(one, two)


@settings(max_examples=60, deadline=None)
@given(trees(), SEEDS, st.sampled_from([0.03, 0.1, 0.25]))
def test_a_rerouted_tree_reaches_all_that_can_be_reached_and_cannot_lock_up(fabric: Fabric, seed: int, share: float) -> None:
    broken = cut(fabric, seed, share)
    preferred = ways(fabric)
    found = reroute(preferred, broken)
    assert unrouted_as_planned(broken, found.out, preferred.rank) == 0
    assert reach(broken, found.out, only_hosts=True).looped.sum() == 0
    assert credit_loop(broken, found.out) == (0, [])
    assert leaving_their_leaf(broken, found.out).sum() == 0
    healthy = reroute(preferred, fabric)
    assert (healthy.moved, healthy.lost) == (0, 0)
    assert unrouted(fabric, healthy.out) == 0


def unrouted_as_planned(fabric: Fabric, out: np.ndarray, rank: np.ndarray) -> int:
    """Pairs without a way though one goes up and down, by a plain search over planned tiers: a witness without kernels."""
    lost = 0
    steps = hops(fabric, out, fabric.host_lid)
    for h in range(fabric.hosts):
        home = int(fabric.host_switch[h])
        down = {home}
        for s in sorted(range(fabric.switches), key=lambda s: -int(rank[s])):
            if any(int(p) in down and rank[p] > rank[s] for p in fabric.peer[s] if p >= 0):
                down.add(s)
        reachable = set(down)
        for s in sorted(range(fabric.switches), key=lambda s: int(rank[s])):
            if any(int(p) in reachable and rank[p] < rank[s] for p in fabric.peer[s] if p >= 0):
                reachable.add(s)
        lost += sum(steps[h, s] >= LOOP for s in reachable)
        lost += sum(steps[h, s] < LOOP for s in range(fabric.switches) if s not in reachable)
    return lost


def test_irregular_trees_have_no_index_arithmetic() -> None:
    fabric = three_tier(2, 2, 2, 2, 2)
    assert regular(fabric) is not None
    rows, ports = np.nonzero(fabric.peer >= 0)
    for row, port in zip(rows, ports, strict=True):
        assert closed_form(fabric.without(np.array([[row, port]], np.int32))) is None
    assert regular(fabric.without(switches=np.array([0], np.int32))) is None
    assert regular(replace(fabric, host_lmc=np.ones(fabric.hosts, np.int32))) is None
    assert (fabric.host_switch != NOTHING).all()
