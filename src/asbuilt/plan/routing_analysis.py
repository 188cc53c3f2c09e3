"""What forwarding tables do, planned or measured: who is reached, how evenly links are used, whether traffic can lock up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.model.plan import Plan
from asbuilt.plan import routing_walks
from asbuilt.plan.routing_fabric import HOST, NOTHING, Fabric, Ints
from asbuilt.plan.routing_ftree import UNRANKED, ranks

Table = NDArray[np.uint8]
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Reach:
    """Rows (switch, LID) by what becomes of a packet there, counted per switch [S], for LIDs that something answers to.

    ``lost``: it ends at a port that leads nowhere, or to the wrong host. ``looped``: it never ends. ``farthest``: most switches
    that a packet which arrives has passed.
    """

    rows: NDArray[np.int64]
    lost: NDArray[np.int64]
    looped: NDArray[np.int64]
    farthest: int


def hops(fabric: Fabric, out: Table, lids: Ints) -> NDArray[np.uint8]:
    """Switches passed from each switch to each LID, uint8 [n, S]; `routing_walks.NOWHERE` (255) or `LOOP` (254) otherwise."""
    owner = fabric.row_of_lid()[lids].astype(np.int64)
    steps = np.zeros((len(lids), fabric.switches), np.uint8)
    routing_walks.hops(
        np.asarray(lids, np.int64), _wide(fabric, out), fabric.peer, owner, steps, np.zeros(fabric.switches, np.int64)
    )
    return steps


def reach(fabric: Fabric, out: Table, *, only_hosts: bool = False) -> Reach:
    """Every row of every LID that is given out, walked to its end. O(switches x LIDs)."""
    owner = fabric.row_of_lid()
    lids = np.flatnonzero(owner <= HOST if only_hosts else owner != NOTHING)
    lost = np.zeros(fabric.switches, np.int64)
    looped = np.zeros(fabric.switches, np.int64)
    farthest = 0
    for first in range(0, len(lids), _BLOCK):
        steps = hops(fabric, out, lids[first : first + _BLOCK].astype(np.int32))
        lost += (steps == routing_walks.NOWHERE).sum(axis=0)
        looped += (steps == routing_walks.LOOP).sum(axis=0)
        farthest = max(farthest, int(np.where(steps < routing_walks.LOOP, steps, 0).max(initial=0)))
    return Reach(np.full(fabric.switches, len(lids)), lost, looped, farthest)


def routes_per_port(fabric: Fabric, out: Table, lids: Ints | None = None) -> NDArray[np.int64]:
    """How many LIDs each switch sends by each port, [S, P+1]; of all hosts unless ``lids`` are given."""
    chosen = np.flatnonzero(fabric.row_of_lid() <= HOST) if lids is None else lids
    width = fabric.peer.shape[1]
    part = _wide(fabric, out)[:, chosen].astype(np.int64)
    row = np.repeat(np.arange(fabric.switches), part.shape[1])
    flat = part.reshape(-1)
    keep = flat < width
    return np.bincount(row[keep] * width + flat[keep], minlength=fabric.switches * width).reshape(-1, width)


@dataclass(frozen=True, slots=True)
class Balance:
    """Routes of each switch to hosts elsewhere, per cable upwards and per switch above: the fullest over the mean.

    Arrays [S], nan for a switch without two ways up or without such routes. ``routes``: how many go up.
    """

    routes: NDArray[np.int64]
    per_link: NDArray[np.float64]
    per_parent: NDArray[np.float64]


def balance(fabric: Fabric, out: Table) -> Balance:
    """How evenly the tables use the cables towards the roots."""
    rank = ranks(fabric).astype(np.int64)
    count = routes_per_port(fabric, out)
    to = np.where(fabric.peer >= 0, fabric.peer, 0)
    up = (fabric.peer >= 0) & (rank[to] < rank[:, None])
    count = np.where(up, count, 0)
    links, total = up.sum(axis=1), count.sum(axis=1)
    rows, ports = np.nonzero(up)
    parents = np.zeros((fabric.switches, fabric.switches), np.int64)
    np.add.at(parents, (rows, to[rows, ports]), count[rows, ports])
    joined = np.zeros(parents.shape, bool)
    joined[rows, to[rows, ports]] = True
    above = joined.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        per_link = np.where((links > 1) & (total > 0), count.max(axis=1) * links / total, np.nan)
        per_parent = np.where((above > 1) & (total > 0), parents.max(axis=1) * above / total, np.nan)
    return Balance(total, per_link, per_parent)


Flows = list[tuple[Ints, Ints]]


def lanes_of(plan: Plan, subnet: str, fabric: Fabric) -> dict[int, Flows]:
    """Who sends to whom on which virtual lane, as the partitions of the plan allow: lane -> [(senders, receivers), ...].

    Hosts are numbers of ``fabric``. Of two members of a partition one at least must be a full one (IBTA volume 1, 10.9). All to
    all on lane 0 where the plan has no partitions.
    """
    import polars as pl

    everyone = np.arange(fabric.hosts, dtype=np.int32)
    if not (plan.has("partitions") and plan.has("partition_members") and plan.has("service_levels")):
        return {0: [(everyone, everyone)]}
    number = pl.DataFrame({"port": fabric.host_keys, "host": everyone})
    members = plan.table("partition_members").filter(pl.col("subnet") == subnet).join(number, on="port", how="inner")
    partitions = plan.table("partitions").filter(pl.col("subnet") == subnet).select("partition", "sl")
    levels = plan.table("service_levels").filter(pl.col("subnet") == subnet).select("sl", "vl")
    lanes: dict[int, Flows] = {}
    for name, vl in partitions.join(levels, on="sl", how="left").select("partition", "vl").fill_null(0).rows():
        own = members.filter(pl.col("partition") == name)
        all_ = own["host"].to_numpy()
        full = own.filter(pl.col("membership") == "full")["host"].to_numpy()
        lanes.setdefault(vl, []).extend([(full, all_), (all_, full)] if len(full) < len(all_) else [(all_, all_)])
    return lanes


def credit_loops(plan: Plan, subnet: str, fabric: Fabric, out: Table) -> dict[int, tuple[int, list[tuple[int, int]]]]:
    """`credit_loop` of each virtual lane that closes one, with the traffic that the plan's partitions allow."""
    found = {vl: credit_loop(fabric, out, flows) for vl, flows in sorted(lanes_of(plan, subnet, fabric).items())}
    return {vl: circle for vl, circle in found.items() if circle[0]}


def credit_loop(fabric: Fabric, out: Table, flows: Flows | None = None) -> tuple[int, list[tuple[int, int]]]:
    """Channels (a switch's port to another switch) that can wait for each other in a circle, and one such circle.

    (Number of channels that cannot be taken out of the dependency graph, [(switch row, port), ...] of one cycle.) A channel
    depends on the next one when some packet of ``flows`` (of one lane; default all hosts to all) holds the first and asks
    for the second (Dally and Seitz, 1987: no cycle, no deadlock). O(rows + turns).
    """
    everyone = np.arange(fabric.hosts, dtype=np.int32)
    width = fabric.peer.shape[1]
    turns = np.zeros((fabric.switches, width, width), np.bool_)
    table = _wide(fabric, out)
    for senders, receivers in flows if flows is not None else [(everyone, everyone)]:
        live = fabric.host_switch[senders]
        starts = np.unique(live[live >= 0]).astype(np.int64)
        lids = fabric.host_lid[receivers].astype(np.int64)
        spans = [lids[(1 << fabric.host_lmc[receivers]) > k] + k for k in range(1 << int(fabric.host_lmc.max(initial=0)))]
        mark = np.zeros(fabric.switches, np.int64)
        routing_walks.turns(np.concatenate(spans), starts, table, fabric.peer, fabric.peer_port, mark, turns)
    into = np.zeros((fabric.switches, width), np.int64)
    queue = np.zeros(fabric.switches * width, np.int64)
    left = int(routing_walks.peel(turns, fabric.peer, fabric.peer_port, into, queue))
    return left, _circle(fabric, turns, into) if left else []


def _circle(fabric: Fabric, turns: NDArray[np.bool_], into: NDArray[np.int64]) -> list[tuple[int, int]]:
    """One cycle among the channels that stay: backwards along those that wait, until one comes again."""
    start, port = (int(v[0]) for v in np.nonzero(into > 0))
    seen: dict[tuple[int, int], int] = {}
    path: list[tuple[int, int]] = []
    while (start, port) not in seen:
        seen[start, port] = len(path)
        path.append((start, port))
        for came in np.flatnonzero(turns[start, :, port]).tolist():
            before, by = int(fabric.peer[start, came]), int(fabric.peer_port[start, came])
            if into[before, by] > 0:
                start, port = before, by
                break
    return path[seen[start, port] :][::-1]


def leaving_their_leaf(fabric: Fabric, out: Table) -> NDArray[np.int64]:
    """Hosts of each switch, [S], that their own switch sends by another port than theirs; without any port does not count."""
    known = np.flatnonzero((fabric.host_switch >= 0) & (fabric.host_lid > 0))
    table = _wide(fabric, out)
    wrong = np.zeros(fabric.switches, np.int64)
    for step in range(int((1 << fabric.host_lmc).max(initial=1))):
        some = known[step < (1 << fabric.host_lmc[known])]
        home = fabric.host_switch[some]
        port = table[home, fabric.host_lid[some] + step]
        off = (port != fabric.host_port[some]) & (port != routing_walks.NOWHERE)
        wrong += np.bincount(home[off], minlength=fabric.switches)
    return wrong


def shift_loads(fabric: Fabric, out: Table, shifts: Ints, order: Ints) -> NDArray[np.int64]:
    """Most flows on one cable direction for each shift permutation of the hosts ``order`` (host i sends to host i + shift)."""
    worst = np.zeros(len(shifts), np.int64)
    load = np.zeros(fabric.peer.shape, np.int64)
    lids, homes = fabric.host_lid[order].astype(np.int64), fabric.host_switch[order].astype(np.int64)
    routing_walks.loads(np.asarray(shifts, np.int64), lids, homes, _wide(fabric, out), fabric.peer, load, worst)
    return worst


def unrouted(fabric: Fabric, out: Table) -> int:
    """Pairs (switch, host LID) without a way in ``out`` though one exists that goes up first and then only down."""
    rank = ranks(fabric)
    from asbuilt.plan.routing_hops import FAR
    from asbuilt.plan.routing_hops import hops as shortest

    far = shortest(fabric, rank)
    hosts = np.flatnonzero(fabric.host_switch >= 0)
    steps = hops(fabric, out, fabric.host_lid[hosts])
    exists = far[:, fabric.host_switch[hosts]].T < FAR
    return int((exists & (steps >= routing_walks.LOOP) & (rank != UNRANKED)[None, :]).sum())


def _wide(fabric: Fabric, out: Table) -> Any:
    """``out`` with a column for every LID of the fabric; what is not there is 255."""
    short = fabric.top_lid + 1 - out.shape[1]
    return np.pad(out, ((0, 0), (0, short)), constant_values=routing_walks.NOWHERE) if short > 0 else out
