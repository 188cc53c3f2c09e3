"""What OpenSM 3.3.23's fat-tree engine programs, predicted: ranks, indexing, the order of destinations, then the walk.

Rules from ``osm_ucast_ftree.c`` of OpenSM 3.3.23 with root, compute and I/O GUID files. The engine keeps its tables ordered by
GUID as the bytes lie on the wire, read as a little-endian number; every tie ends there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.plan.routing_descent import FREE, room, route
from asbuilt.plan.routing_fabric import COMPUTE, HOST, IO, NOTHING, Fabric, Flags, Ints, network_order

UNRANKED = 0xFF
_TUPLE = 8
_MOST_TIERS, _LEAST_TIERS = 8, 2


class NotAFatTreeError(ValueError):
    """The engine refuses this fabric and falls back to minhop; the text says why."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Ports of all switches gathered by what they lead to, groups in the order of their first port.

    ``switch`` [G], ``remote`` [G] (switch row, or `HOST` - h), ``ports`` [G+1] into ``near`` and ``far`` (port numbers).
    """

    switch: Ints
    remote: Ints
    ports: Ints
    near: Ints
    far: Ints


@dataclass(frozen=True, slots=True)
class Tree:
    """A ranked and indexed fabric. ``leaves``: the switches at leaf rank that destinations are routed from, in index order."""

    rank: NDArray[np.uint8]
    leaf_rank: int
    leaves: Ints
    index: NDArray[np.uint8]
    groups: Groups
    targets: Ints


def groups_of(fabric: Fabric) -> Groups:
    """The port groups of every switch. A cable from a switch to itself belongs to none."""
    rows, ports = np.nonzero(fabric.peer != NOTHING)
    peers = fabric.peer[rows, ports]
    keep = peers != rows
    rows, ports, peers = rows[keep], ports[keep], peers[keep]
    width = fabric.switches + fabric.hosts + 2
    key = rows.astype(np.int64) * width + np.where(peers >= 0, peers, fabric.switches - HOST - 1 + (HOST - peers) + 1)
    _, first, member = np.unique(key, return_index=True, return_inverse=True)
    by_first = np.argsort(first, kind="stable")
    number = np.empty(len(first), np.int64)
    number[by_first] = np.arange(len(first))
    group = number[member]
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(len(first) + 1))
    head = first[by_first]
    return Groups(
        rows[head].astype(np.int32), peers[head].astype(np.int32), bounds.astype(np.int32), ports[order].astype(np.int32),
        fabric.peer_port[rows, ports][order].astype(np.int32),
    )  # fmt: skip


def ranks(fabric: Fabric) -> NDArray[np.uint8]:
    """Distance of each switch from the nearest root, uint8 [S]; `UNRANKED` without a cable or where no root is reached."""
    rank = np.full(fabric.switches, UNRANKED, np.uint8)
    wave = np.flatnonzero(fabric.root & (fabric.peer != NOTHING).any(axis=1))
    rank[wave] = 0
    step = 0
    while len(wave):
        step += 1
        seen = fabric.peer[wave]
        seen = np.unique(seen[seen >= 0])
        wave = seen[rank[seen] == UNRANKED]
        rank[wave] = step
    return rank


def tree_of(fabric: Fabric) -> Tree:
    """Rank, index and order a fabric as the engine does. Raises `NotAFatTreeError` where the engine gives up."""
    fabric = seen(fabric)
    if (fabric.host_lmc > 0).any():
        raise NotAFatTreeError("LMC above 0 is not supported by fat-tree routing")
    if fabric.switches < 2 or fabric.hosts < 2:
        raise NotAFatTreeError(f"{fabric.switches} switches and {fabric.hosts} hosts: a fat tree has two of each")
    if not fabric.root.any():
        raise NotAFatTreeError("no root switch")
    groups, rank = groups_of(fabric), ranks(fabric)
    compute = _compute(fabric)
    homes = fabric.host_switch[compute]
    if not len(homes):
        raise NotAFatTreeError("no compute node is connected")
    by_node = np.argsort(network_order(fabric.host_node_guid[compute]), kind="stable")
    leaf_rank = int(rank[homes[by_node[0]]])
    if leaf_rank == UNRANKED:
        raise NotAFatTreeError("no root switch can be reached from the compute nodes")
    if not _LEAST_TIERS <= leaf_rank + 1 <= _MOST_TIERS:
        raise NotAFatTreeError(f"{leaf_rank + 1} tiers: the engine takes {_LEAST_TIERS} to {_MOST_TIERS}")
    if (rank[homes] != leaf_rank).any():
        raise NotAFatTreeError("compute nodes hang on switches of different rank")
    real = np.zeros(fabric.switches, bool)
    real[homes] = True
    index = _index(fabric, groups, rank, leaf_rank, real)
    at_leaf = np.flatnonzero(rank == leaf_rank)
    at_leaf = at_leaf[np.lexsort([*reversed(index[at_leaf].T)])]
    used = np.flatnonzero(real[at_leaf])
    if len(used) < 2:
        raise NotAFatTreeError("all compute nodes hang on one leaf")
    leaves = at_leaf[used[0] : used[-1] + 1].astype(np.int32)
    return Tree(rank, leaf_rank, leaves, index, groups, _targets(fabric, groups, rank, leaves, compute))


def ftree(fabric: Fabric) -> NDArray[np.uint8]:
    """Tables out[S, top_lid + 1] as the engine programs them; 255 where it sets nothing. Raises `NotAFatTreeError`."""
    tree = tree_of(fabric)
    groups, rank = tree.groups, tree.rank
    out = np.full((fabric.top_lid + 1, fabric.switches), FREE, np.uint8)
    starts, order = _order(fabric, tree)
    remote = np.where(groups.remote >= 0, groups.remote, NOTHING).astype(np.int64)
    place = np.empty(fabric.switches, np.int64)
    place[np.lexsort([*reversed(tree.index.T)])] = np.arange(fabric.switches)
    tie = np.where(remote >= 0, place[remote], NOTHING)
    ports, count = groups.ports.astype(np.int64), len(groups.near)
    ranks_then_leaf = np.append(rank, tree.leaf_rank).astype(np.int64)
    counters = (np.zeros(n, np.int64) for n in (len(tie), len(tie), count, count, fabric.switches))
    route(
        tree.targets.astype(np.int64), out, *room(fabric.switches), starts, order, tie, ranks_then_leaf, remote, ports,
        groups.far.astype(np.int64), *counters,
    )  # fmt: skip
    made = np.ascontiguousarray(out.T)
    made[:, 0] = FREE
    if fabric.connect_roots:
        _join_roots(fabric, tree, made)
    return made


def seen(fabric: Fabric) -> Fabric:
    """What one manager discovers: of a fabric that fell apart, the piece with the most hosts; the rest is taken out."""
    piece = np.full(fabric.switches, NOTHING, np.int64)
    for start in range(fabric.switches):
        wave = np.array([start]) if piece[start] == NOTHING else np.zeros(0, np.int64)
        while len(wave):
            piece[wave] = start
            far = fabric.peer[wave]
            far = np.unique(far[far >= 0])
            wave = far[piece[far] == NOTHING]
    home = fabric.host_switch
    hosts = np.bincount(piece[home[home >= 0]], minlength=fabric.switches)
    gone = piece != np.argmax(hosts)
    return fabric.without(switches=np.flatnonzero(gone).astype(np.int32)) if gone.any() else fabric


def _compute(fabric: Fabric) -> NDArray[np.int64]:
    """Connected hosts that the engine takes for compute nodes: those listed; all of them when none is."""
    live = fabric.host_switch >= 0
    said = live & (fabric.host_role == COMPUTE)
    return np.flatnonzero(said if said.any() else live)


def _index(fabric: Fabric, groups: Groups, rank: NDArray[np.uint8], leaf_rank: int, real: Flags) -> NDArray[np.uint8]:
    """The engine's tuple of each switch, uint8 [S, 8], 255 where it assigns none: breadth first from the first leaf."""
    index = np.full((fabric.switches, _TUPLE), UNRANKED, np.uint8)
    between = groups.remote >= 0
    first = np.searchsorted(groups.switch, np.arange(fabric.switches + 1))
    candidates = np.flatnonzero(real)
    start = int(candidates[np.argmin(network_order(fabric.guid[candidates]))])
    given: dict[int, bytes] = {start: bytes([leaf_rank] + [0] * leaf_rank).ljust(_TUPLE, b"\xff")}
    taken = set(given.values())
    queue = [start]
    for at in queue:
        own = range(first[at], first[at + 1])
        to = [int(groups.remote[g]) for g in own if between[g]]
        down = [r for r in to if rank[r] > rank[at]] if rank[at] < leaf_rank else []
        up = [r for r in to if rank[r] < rank[at]]
        for far, step, place in [*((r, 1, rank[at] + 1) for r in down), *((r, -1, rank[at]) for r in up)]:
            if far in given:
                continue
            new = _free_tuple(given[at], taken, step, int(place))
            given[far] = new
            taken.add(new)
            queue.append(far)
    rows = np.fromiter(given, np.int64, len(given))
    index[rows] = np.frombuffer(b"".join(given.values()), np.uint8).reshape(-1, _TUPLE)
    return index


def _free_tuple(source: bytes, taken: set[bytes], step: int, place: int) -> bytes:
    """The first tuple beside ``source``, a tier up or down, that no switch has; all 255 when 255 are taken."""
    draft = bytearray(source)
    draft[0] += step
    for number in range(UNRANKED):
        draft[place] = number
        if bytes(draft) not in taken:
            return bytes(draft)
    return b"\xff" * _TUPLE


def _order(fabric: Fabric, tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Groups of each switch, up then down: starts [S, 3] (up, down, end) into the order of group numbers.

    Switches above the leaves have their down groups in index order, the others in port order.
    """
    groups, rank = tree.groups, tree.rank.astype(np.int64)
    own = rank[groups.switch]
    host = groups.remote < 0
    to = np.where(host, UNRANKED, rank[np.where(host, 0, groups.remote)])
    way = np.where(host | (to > own), 1, np.where(to < own, 0, 2))
    visited = tree.index[groups.switch, 0] != UNRANKED
    sorted_down = visited & ~host & (((way == 1) & (own < tree.leaf_rank)) | (way == 0))
    keys = tree.index[np.where(host, 0, groups.remote)].astype(np.int64)
    place = np.zeros(len(own), np.int64)
    ranked = np.lexsort([*reversed(keys.T)])
    place[ranked] = np.arange(len(own))
    place = np.where(sorted_down, place, len(own))  # stable: port order stays, hosts last
    order = np.lexsort((np.arange(len(own)), place, way, groups.switch))
    key = groups.switch[order] * 3 + way[order]
    edges = np.searchsorted(key, np.arange(3 * fabric.switches + 1))
    starts = np.stack([edges[:-1:3], edges[1::3], edges[2::3]], axis=1)  # cables beside (third) are not walked
    return starts.astype(np.int64), order.astype(np.int64)


def _targets(fabric: Fabric, groups: Groups, rank: NDArray[np.uint8], leaves: Ints, compute: NDArray[np.int64]) -> Ints:
    """The destinations in the order of the engine: compute nodes and dummies leaf by leaf, other hosts, switches.

    Columns: switch, LID (0: nobody there), port at the switch, main path, hops there, reverse hops.
    """
    hosts = np.flatnonzero(groups.remote < 0)
    host = HOST - groups.remote[hosts]
    is_compute = np.zeros(fabric.hosts, bool)
    is_compute[compute] = True
    at_switch = np.bincount(fabric.host_switch[compute], minlength=fabric.switches)
    most = int(at_switch[leaves].max(initial=0))
    parts: list[Any] = []
    begins = np.searchsorted(groups.switch[hosts], leaves, "left"), np.searchsorted(groups.switch[hosts], leaves, "right")
    for leaf, begin, end in zip(leaves.tolist(), *begins, strict=True):
        mine = hosts[begin:end][is_compute[host[begin:end]]]
        count = max(most, len(mine))
        block = np.zeros((count, 6), np.int32)
        block[:, 0], block[:, 3], block[:, 4] = leaf, 1, 1
        block[: len(mine), 1] = fabric.host_lid[HOST - groups.remote[mine]]
        block[: len(mine), 2] = groups.near[groups.ports[mine]]
        parts.append(block)
    parts.append(_others(fabric, is_compute, rank))
    boxes = np.flatnonzero(rank != UNRANKED)
    boxes = boxes[np.argsort(network_order(fabric.guid[boxes]))]
    last = np.zeros((len(boxes), 6), np.int32)
    last[:, 0], last[:, 1] = boxes, fabric.lid[boxes]
    return np.concatenate([*parts, last])


def _others(fabric: Fabric, is_compute: Flags, rank: NDArray[np.uint8]) -> Ints:
    """Hosts that are no compute nodes, by node GUID."""
    home = fabric.host_switch
    rest = np.flatnonzero(~is_compute & (home >= 0))
    rest = rest[rank[home[rest]] != UNRANKED]
    rest = rest[np.argsort(network_order(fabric.host_node_guid[rest]), kind="stable")]
    block = np.zeros((len(rest), 6), np.int32)
    block[:, 0], block[:, 1], block[:, 2] = home[rest], fabric.host_lid[rest], fabric.host_port[rest]
    block[:, 3:5] = 1
    block[:, 5] = np.where(fabric.host_role[rest] == IO, fabric.reverse_hops, 0)
    return block


def _join_roots(fabric: Fabric, tree: Tree, out: NDArray[np.uint8]) -> None:
    """``connect_roots``: switches above the leaves reach the switches that they have no way to through the last leaf."""
    last = int(tree.leaves[-1])
    above = np.flatnonzero(tree.rank < tree.leaf_rank)
    boxes = fabric.lid[tree.rank != UNRANKED]
    known = boxes[out[last, boxes] != FREE]
    holes = out[np.ix_(above, known)] == FREE
    through = out[above, fabric.lid[last]]
    out[np.ix_(above, known)] = np.where(holes, through[:, None], out[np.ix_(above, known)])
