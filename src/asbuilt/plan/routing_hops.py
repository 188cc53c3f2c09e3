"""Shortest ways of a subnet, free or up and then down, and the rows of a table that they leave no choice for.

For engines whose balancing the plan does not predict (minhop, updn): where exactly one port lies on a shortest way, any
of them must take it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.plan.routing_fabric import HOST, NOTHING, Fabric

FREE = 255
FAR = np.int32(1 << 20)


def hops(fabric: Fabric, rank: NDArray[np.uint8] | None = None) -> NDArray[np.int32]:
    """Switch hops [S, S] of shortest ways, `FAR` where there is none. With ``rank``: ways that go up first, then only down.

    O(S^2 x tiers) per tier of distance; between switches of one rank no way is counted up or down.
    """
    if rank is None:
        return _spread(_beside(fabric, None, 0), np.eye(fabric.switches, dtype=bool))
    down = _spread(_beside(fabric, rank, 1), np.eye(fabric.switches, dtype=bool))
    above = _beside(fabric, rank, -1)
    found = down.copy()
    for level in sorted(set(rank.tolist())):
        for s in np.flatnonzero(rank == level):
            tops = np.flatnonzero(above[s])
            if len(tops):
                found[s] = np.minimum(found[s], found[tops].min(axis=0) + 1)
    return np.minimum(found, FAR)


def only_ways(fabric: Fabric, rank: NDArray[np.uint8] | None = None) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """A shortest-way table out[S, top_lid + 1] and where it is the only one: ``fixed``, of the same shape.

    Where several ports are equally short the lowest stands in the table. A destination without a way is 255, and fixed.
    """
    far = hops(fabric, rank)
    down = None if rank is None else _spread(_beside(fabric, rank, 1), np.eye(fabric.switches, dtype=bool))
    owner = fabric.row_of_lid()
    host = np.clip(HOST - owner, 0, fabric.hosts)
    at = np.where(owner <= HOST, np.append(fabric.host_switch, NOTHING)[host], owner)
    ports, count = _ways(fabric, far, down, rank)
    known = np.flatnonzero((owner != NOTHING) & (at != NOTHING))
    out = np.full((fabric.switches, len(owner)), FREE, np.uint8)
    fixed = np.zeros(out.shape, bool)
    fixed[:, owner != NOTHING] = True
    out[:, known] = ports[:, at[known]]
    fixed[:, known] = (count[:, at[known]] <= 1) | (far[:, at[known]] >= FAR)
    hosts = known[owner[known] <= HOST]
    out[at[hosts], hosts] = fabric.host_port[HOST - owner[hosts]]
    boxes = known[owner[known] >= 0]
    out[at[boxes], boxes] = 0
    fixed[at[known], known] = True
    return out, fixed


def _beside(fabric: Fabric, rank: NDArray[np.uint8] | None, step: int) -> NDArray[np.bool_]:
    """Which switches are one cable away, bool [S, S]; with ``rank`` only those ``step`` (+ down, - up) in rank."""
    rows, ports = np.nonzero(fabric.peer >= 0)
    to = fabric.peer[rows, ports]
    if rank is not None:
        keep = np.sign(rank[to].astype(np.int64) - rank[rows]) == step
        rows, to = rows[keep], to[keep]
    found = np.zeros((fabric.switches, fabric.switches), bool)
    found[rows, to] = True
    return found


def _spread(beside: NDArray[np.bool_], start: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Steps along ``beside`` from every row to every column, breadth first for all columns at once."""
    steps = np.where(start, 0, FAR).astype(np.int32)
    reached, wave, count = start.copy(), start.copy(), 0
    links = beside.astype(np.float32)
    while wave.any():
        count += 1
        wave = (links @ wave.astype(np.float32) > 0) & ~reached
        steps[wave] = count
        reached |= wave
    return steps


def _ways(
    fabric: Fabric, far: NDArray[np.int32], down: NDArray[np.int32] | None, rank: NDArray[np.uint8] | None
) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Lowest port on a shortest way [S, S], and how many ports lie on one."""
    ports = np.full(far.shape, FREE, np.uint8)
    count = np.zeros(far.shape, np.int32)
    for s in range(fabric.switches):
        for port in reversed(np.flatnonzero(fabric.peer[s] >= 0).tolist()):
            to = int(fabric.peer[s, port])
            beyond = far[to]
            if down is not None and rank is not None:
                if rank[to] == rank[s]:
                    continue
                beyond = down[to] if rank[to] > rank[s] else far[to]
            short = (beyond + 1 == far[s]) & (far[s] < FAR)
            ports[s, short] = port
            count[s] += short
    return ports, count
