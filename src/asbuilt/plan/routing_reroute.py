"""New tables for a tree with cables or switches down: what still stands keeps its way, the rest is spread over what is left.

Every destination has a preferred uplink on every switch, taken round robin over the *planned* uplinks: the k-th host of a leaf
by uplink k on leaves, hosts of the n-th leaf of a pod by uplink n on the switches above (the order that makes shift
permutations free of conflicts on a healthy tree). Where the preferred one is down, or leads to a switch from which the
destination cannot be reached, the uplink that took in the fewest such strangers is taken. Ways go up, then only down: no
credit loops. O(switches x LIDs), one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.base.kernel import kernel
from asbuilt.plan.routing_fabric import NOTHING, Fabric, Ints
from asbuilt.plan.routing_ftree import UNRANKED, ranks
from asbuilt.plan.routing_regular import regular

FREE = 255


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
        place[tree.leaves] = np.arange(len(tree.leaves)) % tree.per_pod
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
    room = _room(preferred, fabric)
    bounds = np.append(begin, len(live)).astype(np.int64)
    spread(
        homes.astype(np.int64), bounds, fabric.host_lid[live], fabric.host_port[live], 1 << fabric.host_lmc[live], fabric.peer,
        fabric.peer_port, preferred.ups, preferred.tops, preferred.many, preferred.rank, preferred.place, preferred.order, out,
        told, *room,
    )  # fmt: skip
    _to_switches(preferred, fabric, out)
    return Rerouted(out.T, *(int(n) for n in told))


def _room(preferred: Ways, fabric: Fabric) -> tuple[Any, ...]:
    """Working memory of `spread`."""
    many = fabric.switches
    bytes_, numbers = np.zeros((2, many), np.uint8), np.zeros((2, many), np.int32)
    candidates = np.zeros((many, fabric.peer.shape[1]), np.int32)
    return bytes_[0], candidates, numbers[0], np.zeros(preferred.ups.shape, np.int32), bytes_[1], numbers[1]


def _to_switches(preferred: Ways, fabric: Fabric, out: Any) -> None:
    """LIDs of switches: as a host on each would be reached, which is all that management asks for."""
    there = (fabric.peer != NOTHING).any(axis=1) & (preferred.rank != UNRANKED)
    rows = np.flatnonzero(there)
    room = _room(preferred, fabric)
    ones = np.ones(len(rows), np.int32)
    spread(
        rows.astype(np.int64), np.arange(len(rows) + 1), fabric.lid[rows], np.zeros(len(rows), np.int32), ones, fabric.peer,
        fabric.peer_port, preferred.ups, preferred.tops, preferred.many, preferred.rank, preferred.place, preferred.order, out,
        np.zeros(3, np.int64), *room,
    )  # fmt: skip


def _below(home: int, peer: Any, rank: Any, order: Any, has: Any, cand: Any, count: Any) -> None:
    """``has`` [S]: 2 where the switch ``home`` is reached going down (itself too), 1 where going up first, 0 nowhere.

    ``cand`` [S, ...], ``count`` [S]: the ports that lead down to it.
    """
    many, ports = peer.shape
    for s in range(many):
        has[s] = 0
        count[s] = 0
    has[home] = 2
    for i in range(many - 1, -1, -1):
        s = order[i]
        if has[s] == 2:
            for p in range(1, ports):
                to = peer[s, p]
                if to >= 0 and rank[to] < rank[s]:
                    has[to] = 2
    for i in range(many):
        s = order[i]
        if has[s] == 2 and s != home:
            for p in range(1, ports):
                to = peer[s, p]
                if to >= 0 and has[to] == 2 and rank[to] > rank[s]:
                    cand[s, count[s]] = p
                    count[s] += 1


def _above(peer: Any, ups: Any, many: Any, order: Any, has: Any) -> None:
    for i in range(order.shape[0]):
        s = order[i]
        if has[s] == 0:
            for q in range(many[s]):
                to = peer[s, ups[s, q]]
                if to >= 0 and has[to] > 0:
                    has[s] = 1
                    break


def _choose(s: int, want: int, least: int, peer: Any, ups: Any, tops: Any, many: Any, has: Any, extra: Any, told: Any) -> int:
    """The preferred uplink of ``s``; else, of those to the same switch or of all, the one with the fewest strangers.

    ``least``: what ``has`` must be at the far side; -1 when there is none.
    """
    n = many[s]
    first = want % n
    to = peer[s, ups[s, first]]
    if to >= 0 and has[to] >= least:
        told[0] += 1
        return int(ups[s, first])
    best, near = -1, -1
    for i in range(1, n):
        q = first + i
        if q >= n:
            q -= n
        to = peer[s, ups[s, q]]
        if to >= 0 and has[to] >= least:
            if best < 0 or extra[s, q] < extra[s, best]:
                best = q
            if to == tops[s, first] and (near < 0 or extra[s, q] < extra[s, near]):
                near = q
    best = near if near >= 0 else best
    if best < 0:
        return -1
    extra[s, best] += 1
    told[1] += 1
    return int(ups[s, best])


def _climb(
    home: int, lid: int, k: int, place: int, peer: Any, peer_port: Any, ups: Any, tops: Any, many: Any, has: Any, extra: Any,
    out: Any, told: Any,
) -> None:  # fmt: skip
    """The way that the destination's own preferences lead up: there the tables point back down the same cables."""
    at, want = home, k
    while many[at] > 0:
        port = _choose(at, want, 2, peer, ups, tops, many, has, extra, told)
        if port < 0:
            return
        to = peer[at, port]
        out[lid, to] = peer_port[at, port]
        at, want = to, place


def _steady(
    home: int, want: int, peer: Any, ups: Any, many: Any, rank: Any, has: Any, cand: Any, count: Any, base: Any, vary: Any
) -> int:
    """Rows that are the same for every host of ``home``, into ``base`` [S]; the others, counted, into ``vary``."""
    some = 0
    for s in range(peer.shape[0]):
        base[s] = 255
        if has[s] == 2 and s != home:
            base[s] = cand[s, 0]
            if count[s] > 1:
                vary[some] = s
                some += 1
        elif has[s] == 1:
            port = ups[s, want % many[s]]
            to = peer[s, port]
            if rank[s] < rank[home] and to >= 0 and has[to] > 0:
                base[s] = port
            else:
                vary[some] = s
                some += 1
    return some


def _spread(
    homes: Any, bounds: Any, lids: Any, ports: Any, spans: Any, peer: Any, peer_port: Any, ups: Any, tops: Any, many: Any,
    rank: Any, place: Any, order: Any, out: Any, told: Any, has: Any, cand: Any, count: Any, extra: Any, base: Any, vary: Any,
) -> None:  # fmt: skip
    """All destinations of all ``homes``; ``told``: rows kept, moved, lost."""
    for h in range(homes.shape[0]):
        home, k = homes[h], 0
        _below(home, peer, rank, order, has, cand, count)
        _above(peer, ups, many, order, has)
        some = _steady(home, place[home], peer, ups, many, rank, has, cand, count, base, vary)
        lost, steady = 0, 0
        for s in range(peer.shape[0]):
            lost += has[s] == 0 and rank[s] != 255
            steady += has[s] == 1 and base[s] != 255
        for j in range(bounds[h], bounds[h + 1]):
            for lid in range(lids[j], lids[j] + spans[j]):
                for s in range(base.shape[0]):
                    out[lid, s] = base[s]
                for i in range(some):
                    s = vary[i]
                    if has[s] == 2:
                        out[lid, s] = cand[s, k % count[s]]
                    else:
                        want = k if rank[s] >= rank[home] else place[home]
                        out[lid, s] = _choose(s, want, 1, peer, ups, tops, many, has, extra, told)
                _climb(home, lid, k, place[home], peer, peer_port, ups, tops, many, has, extra, out, told)
                out[lid, home] = ports[j]
                told[0] += steady
                told[2] += lost
                k += 1


_PARTS = (_below, _above, _choose, _climb, _steady)
spread = kernel(_spread, threshold=64, parts=_PARTS)(_spread)
