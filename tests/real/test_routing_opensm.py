"""The planned forwarding tables beside those that the real OpenSM programs: every row that the plan fixes is equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asbuilt.model.decode_requirement import decode
from asbuilt.plan.forwarding import compare_tables, forwarding_of
from asbuilt.plan.routing_fabric import COMPUTE, HOST, IO, NOTHING, Fabric, fabric_of
from asbuilt.plan.routing_reroute import reroute, ways
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan
from opensm_oracle import Told, ask
from requirements_of_tests import need_program
from routing_trees import degraded, fullest, rail_and_storage, three_tier, two_tier

pytestmark = pytest.mark.real


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    need_program("ibsim")
    need_program("opensm")


def held(fabric: Fabric) -> tuple[int, int, Told]:
    """Ask OpenSM, compare; (rows compared, rows of all LIDs that exist, what it told)."""
    planned = forwarding_of(fabric)
    told = ask(fabric, at=int(np.flatnonzero(fabric.host_switch >= 0)[0]))
    found = compare_tables(planned, told.out)
    switch, lid = np.nonzero(found.differs)
    first = [
        (planned.keys[s], int(n), int(planned.out[s, n]), int(told.out[s, n])) for s, n in zip(switch[:5], lid[:5], strict=True)
    ]
    assert not found.differs.any(), (first, planned.reason)
    assert int(found.equal.sum()) == int(found.compared.sum()) == planned.rows
    nobody = fabric.row_of_lid() == NOTHING
    assert (told.out[:, nobody] == 255).all()
    return planned.rows, int((~nobody).sum()) * fabric.switches, told


TREES = {
    "two tiers": two_tier(4, 3, 5),
    "two tiers, parallel links, a short leaf": two_tier(4, 3, 8, links=2, odd=3),
    "rails, storage leaves, managers on spines": rail_and_storage(),
    "three tiers": three_tier(3, 3, 2, 2, 4),
    "three tiers, parallel links, a short leaf": three_tier(3, 3, 2, 2, 5, down=2, up=2, odd=2),
    "roots joined": replace(three_tier(3, 2, 2, 2, 3), connect_roots=True),
    "reverse hops, two tiers": replace(rail_and_storage(nodes=5), reverse_hops=1, connect_roots=True),
    "reverse hops, three tiers": replace(
        three_tier(2, 2, 2, 2, 2), reverse_hops=2, host_role=np.array([COMPUTE, IO] * 4, np.uint8)
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_every_row_is_predicted(name: str) -> None:
    rows, all_rows, told = held(TREES[name])
    assert rows == all_rows and not told.fell_back


@pytest.mark.parametrize("seed", range(24))
def test_every_row_is_predicted_with_cables_and_switches_missing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = (
        lambda: two_tier(5, 4, 6, links=int(rng.integers(1, 4)), seed=seed, odd=int(rng.integers(0, 3))),
        lambda: rail_and_storage(seed, nodes=int(rng.integers(2, 9)), managers=bool(rng.integers(0, 2))),
        lambda: three_tier(3, 3, 3, 2, 3, int(rng.integers(1, 3)), int(rng.integers(1, 3)), seed, int(rng.integers(0, 2))),
    )
    fabric = made[seed % 3]()
    rows, ports = np.nonzero(fabric.peer >= 0)
    pick = rng.permutation(len(rows))[: max(1, len(rows) // 20)]
    dark = rng.permutation(np.flatnonzero(fabric.root))[: seed % 2]
    rows_fixed, _, _ = held(fabric.without(np.stack([rows[pick], ports[pick]], axis=1).astype(np.int32), dark.astype(np.int32)))
    assert rows_fixed > 100


@pytest.mark.parametrize(
    ("name", "fabric", "engine", "share"),
    [
        ("one switch", two_tier(1, 0, 5, engine="minhop"), "minhop", 1.0),
        ("minhop", two_tier(3, 3, 3, engine="minhop"), "minhop", 0.3),
        ("LMC 2", two_tier(3, 3, 3, lmc=2), "minhop", 0.3),
        ("up and down", replace(three_tier(2, 2, 2, 2, 3), engine="updn"), "updn", 0.6),
    ],
)
def test_other_engines_fix_the_rows_without_a_choice(name: str, fabric: Fabric, engine: str, share: float) -> None:
    planned = forwarding_of(fabric)
    rows, all_rows, told = held(fabric)
    assert planned.engine == engine and share * all_rows <= rows <= all_rows
    assert (rows == all_rows) == (planned.reason == "")
    assert told.fell_back == (name == "LMC 2")


def test_a_leaf_alone_makes_the_engine_fall_back() -> None:
    fabric = two_tier(2, 2, 3)
    lone = fabric.without(switches=np.array([1], np.int32))
    assert forwarding_of(lone).engine == "minhop"
    assert held(lone)[2].fell_back


def test_a_cable_beside_the_tree_leaves_nothing_fixed() -> None:
    fabric = two_tier(3, 2, 2)
    peer, far = fabric.peer.copy(), fabric.peer_port.copy()
    peer[0, 60], far[0, 60], peer[1, 60], far[1, 60] = 1, 60, 0, 60
    planned = forwarding_of(replace(fabric, peer=peer, peer_port=far))
    assert planned.rows == 0 and planned.reason.startswith("1 cable")


@pytest.mark.parametrize("aggregation", [False, True])
def test_the_planned_384_gpu_subnet(aggregation: bool, capsys: pytest.CaptureFixture[str]) -> None:
    plan = make_plan(decode(templates.text("l40s-384").encode(), "l40s-384"))
    fabric = fabric_of(plan, "ib0", aggregation=aggregation)
    fabric = replace(fabric, host_guid=fabric.host_node_guid + np.uint64(1))  # ibsim: node GUID + port number
    rows, all_rows, told = held(fabric)
    assert rows == all_rows == fabric.switches * (fabric.switches + fabric.hosts) and not told.fell_back
    assert (fabric.peer[fabric.host_switch, fabric.host_port] == HOST - np.arange(fabric.hosts)).all()
    with capsys.disabled():
        print(f"\nreal: l40s-384 ib0, aggregation nodes {aggregation}: {rows:,} rows of forwarding tables compared, all equal")


@pytest.mark.parametrize("name", ["two tiers", "three tiers"])
def test_a_reroute_of_1024_hosts_loads_no_link_more_than_the_engine(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    fabric = two_tier(32, 32, 32) if name == "two tiers" else three_tier(4, 16, 16, 4, 16, up=4)
    broken = degraded(fabric, 10)
    told = ask(broken, extra="qos FALSE\n")
    assert not told.fell_back
    ours, theirs = fullest(broken, reroute(ways(fabric), broken).out), fullest(broken, told.out)
    with capsys.disabled():
        means = f"{ours.mean():.3f} (OpenSM {theirs.mean():.3f}), fuller on {(ours > theirs).sum()} of {len(ours)} shifts"
        print(f"\nreal: 1,024 hosts, {name}, 1 % of cables down: flows on the fullest link {means}")
    assert ours.mean() < theirs.mean() and (ours > theirs).mean() <= 0.05


def aggregated(template: str, subnet: str) -> Fabric:
    """A planned subnet with its aggregation nodes, as ibsim numbers ports."""
    fabric = fabric_of(make_plan(decode(templates.text(template).encode(), template)), subnet)
    assert fabric.host_keys.str.ends_with("+agg").any()
    return replace(fabric, host_guid=fabric.host_node_guid + np.uint64(1))


@pytest.mark.parametrize("template", ["dgx-b200", "dgx-h100-superpod"])
def test_a_storage_subnet_of_its_own_is_routed_by_ftree(template: str) -> None:
    fabric = aggregated(template, "storage")
    rows, all_rows, told = held(fabric)
    assert rows == all_rows and not told.fell_back
    nobody = replace(fabric, host_role=np.zeros(fabric.hosts, np.uint8))
    assert ask(nobody).fell_back, "without a list the engine takes aggregation nodes on spines for compute nodes"
