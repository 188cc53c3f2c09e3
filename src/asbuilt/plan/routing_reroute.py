"""New tables for a tree with cables or switches down: what still stands keeps its way, the rest is spread over what is left.

Every destination has a preferred uplink on every switch, taken round robin over the *planned* uplinks: the k-th host of a leaf
by uplink k on leaves, hosts of the n-th leaf of a pod by uplink n on the switches above (the order that makes shift
permutations free of conflicts on a healthy tree). Where the preferred one is down, or leads to a switch from which the
destination cannot be reached, a way is taken whose links carry no other such stranger at the same time (`routing_spread`).
Ways go up, then only down: no credit loops. O(switches x LIDs), one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.plan.routing_fabric import NOTHING, Fabric, Ints
from asbuilt.plan.routing_ftree import UNRANKED, ranks
from asbuilt.plan.routing_regular import regular
from asbuilt.plan.routing_spread import spread

FREE = 255
# Clash maps tell apart as many steps of a shift as there are leaves, up to 2 to this: 2,560 switches of 64 ports take 21 MB.
_STEPS = 10


@dataclass(frozen=True, slots=True)
class Ways:
    """What a planned fabric prefers, made once. ``ups`` [S, U]: planned uplinks of each switch in the order of preference, -1
    beyond, and ``tops`` [S, U] the switches there; ``many`` [S] how many; ``rank`` [S]; ``place`` [S]: position of a leaf in
    its pod; ``order`` [S]: rows, roots first.
    """

    ups: Ints
    tops: Ints
    many: Ints
    rank: NDArray[np.int64]
    place: Ints
    order: Ints


@dataclass(frozen=True, slots=True)
class Rerouted:
    """``out`` [S, top_lid + 1] as in `forwarding`; rows (switch, host LID) that kept their preferred uplink, those that took
    another, and those without any way up and down."""

    out: NDArray[np.uint8]
    kept: int
    moved: int
    lost: int


def ways(planned: Fabric) -> Ways:
    """The preferences of a planned fabric. Uplinks: the first link to every switch above in index order, then the second."""
    rank = ranks(planned).astype(np.int64)
    tree = regular(planned)
    index = np.arange(planned.switches)
    place = np.zeros(planned.switches, np.int32)
    place[np.lexsort((index, -rank))] = np.arange(planned.switches)
    if tree is not None:
        for number, rows in enumerate((tree.leaves, tree.spines.reshape(-1), tree.cores.reshape(-1))):
            index[rows] = number * planned.switches + np.arange(len(rows))
        # In the order of the rows, which is that of the hosts; the engine's own puts the leaf that it started from first.
        place[np.sort(tree.leaves.reshape(-1, tree.per_pod), axis=1)] = np.arange(tree.per_pod)
    rows, ports = np.nonzero(planned.peer >= 0)
    to = planned.peer[rows, ports]
    up = rank[to] < rank[rows]
    rows, ports, to = rows[up], ports[up], to[up]
    by_group = np.lexsort((ports, index[to], rows))
    rows, ports, to = rows[by_group], ports[by_group], to[by_group]
    first = np.r_[True, (rows[1:] != rows[:-1]) | (to[1:] != to[:-1])] if len(rows) else np.zeros(0, bool)
    start = np.maximum.accumulate(np.where(first, np.arange(len(rows)), 0))
    link = np.arange(len(rows)) - start
    by_link = np.lexsort((index[to], link, rows))
    rows, ports, to = rows[by_link], ports[by_link], to[by_link]
    many = np.bincount(rows, minlength=planned.switches)
    ups = np.full((planned.switches, max(int(many.max(initial=0)), 1)), NOTHING, np.int32)
    tops = ups.copy()
    at = rows, np.arange(len(rows)) - np.repeat(np.cumsum(many) - many, many)
    ups[at], tops[at] = ports, to
    order = np.argsort(rank, kind="stable").astype(np.int32)
    return Ways(ups, tops, many.astype(np.int32), rank, place, order)


def reroute(preferred: Ways, fabric: Fabric) -> Rerouted:
    """Tables for ``fabric``: the planned one with cables or switches down (`Fabric.without`)."""
    live = np.flatnonzero((fabric.host_switch >= 0) & (preferred.rank[fabric.host_switch] != UNRANKED))
    live = live[np.lexsort((fabric.host_port[live], fabric.host_switch[live]))]
    homes, begin = np.unique(fabric.host_switch[live], return_index=True)
    out = np.full((fabric.top_lid + 1, fabric.switches), FREE, np.uint8)
    told = np.zeros(3, np.int64)
    bounds = np.append(begin, len(live)).astype(np.int64)
    below = _below(preferred, fabric, homes)
    hosts: Any = homes.astype(np.int64), bounds, fabric.host_lid[live], fabric.host_port[live], 1 << fabric.host_lmc[live]
    spread(*(*hosts, *_tree(preferred, fabric), *below, out, told, *_room(preferred, fabric, len(homes))))
    _to_switches(preferred, fabric, out)
    return Rerouted(out.T, *(int(n) for n in told))


def _tree(preferred: Ways, fabric: Fabric) -> tuple[Any, ...]:
    """The tree as `spread` asks for it. Added here: which uplink a port is [S, P+1], -1 for none, and switches above [S]."""
    slot = np.full(fabric.peer.shape, NOTHING, np.int16)
    rows, number = np.nonzero(preferred.ups != NOTHING)
    slot[rows, preferred.ups[rows, number]] = number
    tops = np.sort(preferred.tops, axis=1)
    wide = ((tops[:, 1:] != tops[:, :-1]) & (tops[:, 1:] != NOTHING)).sum(axis=1) + (tops[:, 0] != NOTHING)
    return (
        fabric.peer, fabric.peer_port, preferred.ups, preferred.tops, preferred.many, preferred.rank, preferred.place,
        preferred.order, slot, np.maximum(wide, 1).astype(np.int32),
    )  # fmt: skip


def _below(preferred: Ways, fabric: Fabric, homes: Any) -> tuple[Any, Any, Any]:
    """Of the leaves below each switch: the first and the last place among ``homes`` [S], and the row of one of them [S].

    Without a leaf below: beyond the last, -1, -1. Hosts on higher tiers are no leaves.
    """
    first = np.full(fabric.switches, len(homes), np.int32)
    last, one = np.full((2, fabric.switches), NOTHING, np.int32)
    at = np.arange(len(homes))[preferred.rank[homes] == preferred.rank[homes].max(initial=0)]
    leaves = homes[at]
    first[leaves] = last[leaves] = at
    one[leaves] = leaves
    rows, ports = np.nonzero(fabric.peer >= 0)
    to = fabric.peer[rows, ports]
    for rank in sorted(set(preferred.rank.tolist()), reverse=True):
        up = (preferred.rank[rows] == rank) & (preferred.rank[to] < rank)
        np.minimum.at(first, to[up], first[rows[up]])
        np.maximum.at(last, to[up], last[rows[up]])
        np.maximum.at(one, to[up], one[rows[up]])
    return first, last, one


def _room(preferred: Ways, fabric: Fabric, homes: int) -> tuple[Any, ...]:
    """Working memory of `spread`, and the measure of its clash maps."""
    many, halved = fabric.switches, max(0, (homes - 1).bit_length() - _STEPS)
    busy = np.zeros((*fabric.peer.shape, (homes >> halved) // 8 + 1), np.uint8)
    bytes_, numbers = np.zeros((2, many), np.uint8), np.zeros((3, many), np.int32)
    whole, candidates = np.zeros((2, *fabric.peer.shape), np.int32)
    return busy, whole, bytes_[0], candidates, *numbers, bytes_[1], np.array([homes, halved], np.int64)


def _to_switches(preferred: Ways, fabric: Fabric, out: Any) -> None:
    """LIDs of switches: as a host on each would be reached, which is all that management asks for."""
    there = (fabric.peer != NOTHING).any(axis=1) & (preferred.rank != UNRANKED)
    rows = np.flatnonzero(there)
    ones, none = np.ones(len(rows), np.int32), np.full(fabric.switches, NOTHING, np.int32)
    boxes: Any = rows.astype(np.int64), np.arange(len(rows) + 1), fabric.lid[rows], np.zeros(len(rows), np.int32), ones
    below = np.full(fabric.switches, len(rows), np.int32), none, none
    told = np.zeros(3, np.int64)
    spread(*(*boxes, *_tree(preferred, fabric), *below, out, told, *_room(preferred, fabric, len(rows))))
