"""Forwarding tables: what is read from a plan, what is fixed, what analysis says of tables that are good and of broken ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from asbuilt.checks.registry import checks
from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS, Facts
from asbuilt.model.facts_subnet import LFT_FACTS
from asbuilt.model.plan import Plan
from asbuilt.plan.forwarding import Forwarding, changed_rows, compare_tables, forwarding, forwarding_of
from asbuilt.plan.guids import hex16
from asbuilt.plan.routing_analysis import (
    balance,
    credit_loop,
    lanes_of,
    leaving_their_leaf,
    reach,
    routes_per_port,
    shift_loads,
    unrouted,
)
from asbuilt.plan.routing_fabric import COMPUTE, HOST, IO, NOTHING, fabric_of, network_order, words
from asbuilt.plan.routing_ftree import NotAFatTreeError, ftree, tree_of
from asbuilt.plan.routing_reroute import reroute, ways
from routing_trees import degraded, fullest, rail_and_storage, three_tier, two_tier
from template_plans import made


@pytest.fixture(scope="module")
def plan() -> Plan:
    return made("l40s-384")


@pytest.fixture(scope="module")
def planned(plan: Plan) -> Forwarding:
    return forwarding(plan, "ib0", aggregation=False)


def test_guids_are_compared_as_the_wire_has_them() -> None:
    guids = words(pl.Series(["0200000000000100", "0100000000000200"]))
    assert guids.tolist() == [0x0200000000000100, 0x0100000000000200]
    assert network_order(guids).tolist() == [0x0001000000000002, 0x0002000000000001]


def test_the_planned_fabric_as_arrays(plan: Plan) -> None:
    fabric = fabric_of(plan, "ib0")
    assert (fabric.switches, fabric.hosts) == (10, 300)
    assert [k for k, root in zip(fabric.switch_keys, fabric.root, strict=True) if root] == [
        f"sw:compute/spine-p00-0{n}#0" for n in range(4)
    ]
    assert np.bincount(fabric.host_role).tolist() == [0, 192, 108]
    rows, ports = np.nonzero(fabric.peer >= 0)
    assert (fabric.peer[fabric.peer[rows, ports], fabric.peer_port[rows, ports]] == rows).all()
    assert len(rows) == 2 * (4 * 24 + 2 * 4)
    assert (fabric.peer[fabric.host_switch, fabric.host_port] == HOST - np.arange(300)).all()
    assert fabric_of(plan, "ib0", aggregation=False).hosts == 290


def test_every_row_of_the_example_is_fixed(planned: Forwarding) -> None:
    assert (planned.engine, planned.reason) == ("ftree", "")
    assert planned.rows == 10 * 300
    assert planned.out.dtype == np.uint8 and planned.out.shape == planned.fixed.shape == (10, planned.fabric.top_lid + 1)


def test_lids_of_a_mask_all_have_rows() -> None:
    fabric = two_tier(3, 2, 3, lmc=2)
    owner = fabric.row_of_lid()
    assert (owner[fabric.host_lid[0] : fabric.host_lid[0] + 4] == HOST).all()
    made = forwarding_of(fabric)
    assert made.engine == "minhop" and made.reason.startswith("ftree falls back to minhop: LMC above 0")
    home = fabric.host_switch[0]
    assert (made.out[home, fabric.host_lid[0] : fabric.host_lid[0] + 4] == fabric.host_port[0]).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"root": np.zeros(7, bool)}, "no root switch"),
        ({"host_switch": np.full(20, NOTHING, np.int32)}, "no compute node is connected"),
        ({"root": np.array([1, 0, 0, 0, 0, 0, 0], bool)}, "compute nodes hang on switches of different rank"),
    ],
)
def test_what_is_no_fat_tree_is_told(change: dict[str, np.ndarray], words: str) -> None:
    fabric = replace(two_tier(4, 3, 5), **change)
    if "host_switch" in change:  # the switches say so too
        fabric = replace(fabric, peer=np.where(fabric.peer <= HOST, NOTHING, fabric.peer).astype(np.int32))
    with pytest.raises(NotAFatTreeError, match=words):
        tree_of(fabric)
    assert words in forwarding_of(fabric).reason


def test_a_dark_switch_has_no_rows() -> None:
    fabric = two_tier(4, 3, 5).without(switches=np.array([5], np.int32))
    made = forwarding_of(fabric)
    assert (made.out[5] == 255).all() and not made.fixed[5].any()
    assert made.out[0, fabric.lid[5]] == 255 and made.fixed[0, fabric.lid[5]]


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_more_switches_than_hosts(engine: str) -> None:
    """All hosts on one leaf: ftree falls back, and no row of a switch is taken for one of a host."""
    fabric = replace(two_tier(1, 6, 2), engine=engine)
    made = forwarding_of(fabric)
    assert made.engine == ("updn" if engine == "updn" else "minhop")
    assert made.out[0, fabric.host_lid].tolist() == fabric.host_port.tolist()
    assert unrouted(fabric, made.out) == 0


def test_rows_are_compared_and_counted(planned: Forwarding) -> None:
    out = planned.out.copy()
    lids = planned.fabric.host_lid[:5]
    out[0, lids[:3]] = 255
    out[4, lids[3]] = 99
    found = compare_tables(planned, out)
    assert (int(found.compared.sum()), int(found.equal.sum())) == (3000, 2996)
    assert found.holes.tolist() == [3, 0, 0, 0, 0, 0, 0, 0, 0, 0] and found.differs.sum() == 4
    some = compare_tables(planned, out[:, :100], np.arange(10) == 4)
    assert int(some.compared.sum()) == 300


def test_a_pod_that_joins_changes_rows_that_are_counted() -> None:
    before, after = forwarding_of(two_tier(4, 4, 6, seed=7)), forwarding_of(two_tier(6, 4, 6, seed=7))
    old = before.fabric
    same = replace(after.fabric, lid=np.r_[old.lid[:4], 90, 91, old.lid[4:]].astype(np.int32))
    count, changed, compared = changed_rows(before, forwarding_of(same))
    assert compared == 8 * (8 + 24) and changed == int(count.sum())
    local = [before.out[s, old.host_lid[old.host_switch == s]] for s in range(4)]
    grown = forwarding_of(same)
    assert all((grown.out[s, old.host_lid[old.host_switch == s]] == local[s]).all() for s in range(4))


def test_reach_tells_holes_wrong_hosts_and_loops() -> None:
    fabric = two_tier(3, 2, 2)
    out = forwarding_of(fabric).out.copy()
    assert reach(fabric, out, only_hosts=True).lost.sum() == 0 and reach(fabric, out, only_hosts=True).farthest == 3
    hole, loop, wrong = out.copy(), out.copy(), out.copy()
    hole[0, fabric.host_lid[5]] = 255
    assert reach(fabric, hole, only_hosts=True).lost.tolist() == [1, 0, 0, 0, 0]
    spine = int(fabric.peer[0, out[0, fabric.host_lid[5]]])
    loop[spine, fabric.host_lid[5]] = 1
    found = reach(fabric, loop, only_hosts=True)
    assert found.looped[[0, spine]].tolist() == [1, 1] and found.lost.sum() == 0
    wrong[2, fabric.host_lid[5]] = fabric.host_port[4]
    assert reach(fabric, wrong, only_hosts=True).lost.tolist() == [1, 1, 1, 1, 1]
    short = reach(fabric, out[:, : fabric.host_lid[5]])
    assert short.lost[0] > 0, "LIDs past the end of a table are lost"


def test_balance_and_local_traffic() -> None:
    fabric = two_tier(3, 4, 4)
    out = forwarding_of(fabric).out.copy()
    even = balance(fabric, out)
    assert even.routes[:3].tolist() == [8, 8, 8] and even.per_parent[:3].tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(even.per_parent[3:]).all()
    uplink = int(np.flatnonzero(fabric.peer[0] == 3)[0])
    away = fabric.host_lid[fabric.host_switch != 0]
    out[0, away] = uplink
    assert balance(fabric, out).per_parent[0] == 4.0 and routes_per_port(fabric, out)[0, uplink] == 8
    out[0, fabric.host_lid[1]] = uplink
    assert leaving_their_leaf(fabric, out).tolist() == [1, 0, 0, 0, 0, 0, 0]


def test_links_that_wait_in_a_circle_are_found() -> None:
    fabric = two_tier(3, 2, 2)
    out = forwarding_of(fabric).out.copy()
    assert credit_loop(fabric, out) == (0, [])
    one, two = fabric.host_lid[[4, 5]]
    up = {(leaf, spine): int(np.flatnonzero(fabric.peer[leaf] == spine)[0]) for leaf in range(3) for spine in (3, 4)}
    down = {(spine, leaf): int(np.flatnonzero(fabric.peer[spine] == leaf)[0]) for leaf in range(3) for spine in (3, 4)}
    out[0, one], out[3, one], out[1, one], out[4, one] = up[0, 3], down[3, 1], up[1, 4], down[4, 2]
    out[1, two], out[4, two], out[0, two], out[3, two] = up[1, 4], down[4, 0], up[0, 3], down[3, 2]
    assert reach(fabric, out, only_hosts=True).looped.sum() == 0, "every packet arrives, and yet"
    count, circle = credit_loop(fabric, out)
    assert set(circle) == {(0, up[0, 3]), (3, down[3, 1]), (1, up[1, 4]), (4, down[4, 0])} and count >= 4
    apart = [(np.array([0, 1], np.int32), np.array([4], np.int32))], [(np.array([2, 3], np.int32), np.array([5], np.int32))]
    assert [credit_loop(fabric, out, flows)[0] for flows in apart] == [0, 0], "on lanes of their own they do not wait"


def test_reverse_hops_wait_in_a_circle_on_one_lane_and_not_on_three(plan: Plan) -> None:
    fabric = fabric_of(plan, "ib0", aggregation=False)
    assert fabric.reverse_hops == 1
    out = forwarding_of(fabric).out
    lanes = lanes_of(plan, "ib0", fabric)
    assert sorted(lanes) == [0, 1, 2]
    assert credit_loop(fabric, out)[0] > 0
    assert {vl: credit_loop(fabric, out, flows)[0] for vl, flows in lanes.items()} == {0: 0, 1: 0, 2: 0}
    bare = Plan("bare", {"lids": plan.table("lids")})
    assert list(lanes_of(bare, "ib0", fabric)) == [0]


def test_shift_permutations_are_free_of_conflicts_on_a_full_tree() -> None:
    fabric = two_tier(4, 4, 4)
    order = np.arange(fabric.hosts, dtype=np.int32)
    shifts = np.arange(1, fabric.hosts, dtype=np.int32)
    assert shift_loads(fabric, forwarding_of(fabric).out, shifts, order).max() == 1
    assert shift_loads(fabric, reroute(ways(fabric), fabric).out, shifts, order).max() == 1
    pods = three_tier(4, 4, 4, 2, 4, up=2)
    assert fullest(pods, reroute(ways(pods), pods).out).max() == 1


@pytest.mark.parametrize("seed", range(4))
def test_the_fullest_link_is_no_fuller_than_by_the_engines_own_routes(seed: int) -> None:
    """Of degraded trees, over shifts: the engine's walk stands for OpenSM, row for row (`tests/real`)."""
    for fabric in (two_tier(32, 32, 32), three_tier(2, 16, 16, 2, 16, up=8), three_tier(4, 16, 16, 4, 16, up=4)):
        broken = degraded(fabric, seed)
        ours, theirs = fullest(broken, reroute(ways(fabric), broken).out), fullest(broken, ftree(broken))
        assert ours.mean() < theirs.mean() and ours.mean() < 2.1
        assert (ours > theirs).mean() <= 0.03


def test_a_reroute_serves_hosts_of_every_tier() -> None:
    fabric = rail_and_storage()
    for seed in range(6):
        broken = degraded(fabric, seed, 0.2)
        found = reroute(ways(fabric), broken)
        assert unrouted(broken, found.out) == 0 and credit_loop(broken, found.out) == (0, [])
        assert reach(broken, found.out, only_hosts=True).looped.sum() == 0


def test_one_cable_down_moves_only_what_used_it() -> None:
    fabric = three_tier(2, 4, 4, 4, 4)
    before = reroute(ways(fabric), fabric)
    uplink = int(np.flatnonzero(fabric.peer[0] >= 0)[0])
    spine = int(fabric.peer[0, uplink])
    after = reroute(ways(fabric), fabric.without(np.array([[0, uplink]], np.int32)))
    changed = before.out != after.out
    assert changed[0].sum() > 0 and (before.out[0, changed[0]] == uplink).all()
    elsewhere = [s for s in range(fabric.switches) if s not in (0, spine)]
    lids = np.flatnonzero(changed[elsewhere].any(axis=0))
    own = set(fabric.host_lid[fabric.host_switch == 0].tolist()) | {int(fabric.lid[0]), int(fabric.lid[spine])}
    assert set(lids.tolist()) <= own


def facts(planned: Forwarding, out: np.ndarray, **more: pl.DataFrame) -> Facts:
    switch, lid = np.nonzero(out != 255)
    rows = {
        "guid": np.array(hex16(planned.guid).to_list())[switch], "lid": planned.lid[switch].astype(np.int64), "target": lid,
        "out_port": out[switch, lid].astype(np.int64), "capture_id": "c", "line": np.arange(len(switch)),
    }  # fmt: skip
    return Facts({"lft_facts": LFT_FACTS.conform(pl.DataFrame(rows)), **more})


def verdicts(plan: Plan, told: Facts, check_id: str) -> dict[str, int]:
    return dict(checks()[check_id].run(plan, told).group_by("verdict").len().rows())


def test_planned_tables_pass_every_check(plan: Plan, planned: Forwarding) -> None:
    told = facts(planned, planned.out)
    found = {f"FAB-04{n}": verdicts(plan, told, f"FAB-04{n}") for n in range(6)}
    assert found == {
        "FAB-040": {"pass": 10},
        "FAB-041": {"pass": 10},
        "FAB-042": {"pass": 10},
        "FAB-043": {"pass": 1},
        "FAB-044": {"pass": 6, "not_applicable": 4},
        "FAB-045": {"pass": 8, "not_applicable": 2},
    }


def test_a_table_that_nobody_read_is_not_measured(plan: Plan, planned: Forwarding) -> None:
    out = planned.out.copy()
    out[3] = 255
    told = facts(planned, out)
    assert verdicts(plan, told, "FAB-040") == {"pass": 9, "not_measured": 1}
    assert verdicts(plan, told, "FAB-041") == {"pass": 9, "not_measured": 1}
    assert verdicts(plan, told, "FAB-042") == {"not_measured": 10}
    assert verdicts(plan, told, "FAB-043") == {"not_measured": 1}
    nobody = facts(planned, np.full(planned.out.shape, 255, np.uint8))
    assert verdicts(plan, nobody, "FAB-040") == {"not_measured": 1}


def test_a_lid_that_no_table_knows_is_told_once(plan: Plan, planned: Forwarding) -> None:
    out = planned.out.copy()
    lid = int(planned.fabric.host_lid[planned.fabric.host_role == COMPUTE][0])
    out[:, lid] = 255
    told = facts(planned, out)
    rows = checks()["FAB-040"].run(plan, told)
    assert rows["verdict"].unique().to_list() == ["fail"] and rows["found"].unique().to_list() == [f"none for LID {lid}"]
    others = {f"FAB-04{n}": verdicts(plan, told, f"FAB-04{n}").get("fail", 0) for n in (1, 2, 5)}
    assert others == {"FAB-041": 0, "FAB-042": 0, "FAB-045": 0}
    stray = np.where(out == 255, planned.out, out)
    stray[4, lid] = int(np.setdiff1d(np.flatnonzero(planned.fabric.peer[4] >= 0), planned.out[4, lid])[0])
    assert verdicts(plan, facts(planned, stray), "FAB-041")["fail"] == 1


def discovered(planned: Forwarding, cut: tuple[int, int] | None = None, rename: int = 0) -> dict[str, pl.DataFrame]:
    """Discovery of the fabric; ``cut`` is a cable that is down, ``rename`` is added to every switch GUID (other hardware)."""
    fabric = planned.fabric if cut is None else planned.fabric.without(np.array([cut], np.int32))
    box = np.array(hex16(fabric.guid + np.uint64(rename)).to_list())
    node = np.array(hex16(fabric.host_node_guid).to_list())
    rows, ports = np.nonzero(fabric.peer != NOTHING)
    peers = fabric.peer[rows, ports]
    far = np.where(peers >= 0, box[np.maximum(peers, 0)], node[np.minimum(HOST - peers, fabric.hosts - 1)])
    links = {
        "guid": box[rows], "port": ports, "peer_guid": far, "peer_port": fabric.peer_port[rows, ports].astype(np.int64),
        "peer_description": "", "peer_kind": "switch", "capture_id": "d", "line": np.arange(len(rows)),
    }  # fmt: skip
    return {"link_facts": LINK_FACTS.conform(pl.DataFrame(links))}


def test_a_cable_that_is_down_is_the_cablings_finding(plan: Plan, planned: Forwarding) -> None:
    spine = int(np.flatnonzero(planned.fabric.root)[0])
    port = int(np.flatnonzero(planned.fabric.peer[spine] >= 0)[0])
    now = forwarding_of(planned.fabric.without(np.array([[spine, port]], np.int32)))
    assert (now.out != planned.out).any()
    told = facts(planned, now.out, **discovered(planned, (spine, port)))
    assert verdicts(plan, told, "FAB-041") == {"pass": 10}
    stale = facts(planned, planned.out, **discovered(planned, (spine, port)))
    assert verdicts(plan, stale, "FAB-041")["fail"] > 0 and verdicts(plan, stale, "FAB-042")["fail"] > 0


def test_hosts_with_one_guid_are_told_by_cabling_alone(plan: Plan, planned: Forwarding) -> None:
    """Which of two ports a manager routes to is its own affair, and the order of all other destinations hangs on it."""
    fabric = planned.fabric
    one, two = np.flatnonzero(fabric.host_switch == fabric.host_switch[0])[:2]
    node = fabric.host_node_guid.copy()
    node[two] = node[one]
    more = discovered(replace(planned, fabric=replace(fabric, host_node_guid=node)))
    out = planned.out.copy()
    out[:, fabric.host_lid[two]] = 255
    told = facts(planned, out, **more)
    found = {f"FAB-04{n}": verdicts(plan, told, f"FAB-04{n}") for n in (0, 1, 2, 5)}
    assert found == {
        "FAB-040": {"pass": 10},
        "FAB-041": {"not_applicable": 10},
        "FAB-042": {"pass": 10},
        "FAB-045": {"pass": 8, "not_applicable": 2},
    }


def test_other_hardware_under_the_same_names_is_recognised(plan: Plan, planned: Forwarding) -> None:
    other = replace(planned.fabric, guid=planned.fabric.guid + np.uint64(1 << 20))
    made = forwarding_of(other)
    names = dict(plan.table("lids").select("port", "name").rows())
    devices = {
        "guid": hex16(other.guid), "system_guid": hex16(other.guid), "kind": "switch",
        "description": [names[k] for k in other.switch_keys], "ports": 64, "capture_id": "d", "line": np.arange(10),
    }  # fmt: skip
    more = discovered(planned, rename=1 << 20) | {"device_facts": DEVICE_FACTS.conform(pl.DataFrame(devices))}
    assert verdicts(plan, facts(made, made.out, **more), "FAB-041") == {"pass": 10}


def test_roles_follow_the_files_that_are_exported() -> None:
    fabric = rail_and_storage()
    assert (fabric.host_role == COMPUTE).sum() == 48 and (fabric.host_role == IO).sum() == 24


def test_lids_are_the_measured_ones_where_they_are_told(plan: Plan, planned: Forwarding) -> None:
    fabric = planned.fabric
    other = replace(fabric, host_lid=fabric.host_lid + 1000)
    made = forwarding_of(other)
    lids = pl.DataFrame({"port": fabric.host_keys, "lid": other.host_lid.astype(np.int64)})
    told = facts(made, made.out, lids_measured=lids)
    assert verdicts(plan, told, "FAB-041") == {"pass": 10} and verdicts(plan, told, "FAB-042") == {"pass": 10}
    assert verdicts(plan, facts(made, made.out), "FAB-040")["fail"] > 0
