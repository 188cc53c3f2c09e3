"""Coordinates of a regular fat tree, found by array arithmetic: class, pod and place of every switch as OpenSM indexes them.

Regular: two or three tiers, hosts on the leaves only, every leaf with the same spines and as many links to each; with three
tiers every pod alike, spine j of every pod linked to all cores of group j, with as many links to each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.plan.routing_fabric import COMPUTE, IO, Fabric, Flags, network_order

Grid = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Links from one tier to the next as [rows, groups, links]: the far switch [rows, groups], ports here and ports there."""

    peer: Grid
    near: Grid
    far: Grid

    def sorted_by(self, place: Grid) -> Bundle:
        """Groups in the order of ``place[far switch]``."""
        order = np.argsort(place[self.peer], axis=1, kind="stable")
        pick = order[:, :, None]
        take = np.take_along_axis
        return Bundle(take(self.peer, order, 1), take(self.near, pick, 1), take(self.far, pick, 1))


@dataclass(frozen=True, slots=True)
class Regular:
    """A regular tree. P pods of T leaves and C classes (spines), G cores a class; a two-tier tree is one pod without cores.

    ``leaves`` [P*T], ``spines`` [P, C] and ``cores`` [C, G]: switch rows in index order. ``up`` [P*T, C, W]: port of leaf t
    for link w towards class c, links in the order of the leaf's ports; ``up_far`` the spine's port there; ``down``: the leaf's
    ports again, links in the order of the spine's ports. ``core_*`` the same between spine [P, C] and its cores [G].
    """

    leaves: Grid
    spines: Grid
    cores: Grid
    up_far: Grid
    down: Grid
    core_far: Grid
    core_down: Grid

    @property
    def per_pod(self) -> int:
        return len(self.leaves) // len(self.spines)


def regular(fabric: Fabric) -> Regular | None:
    """The coordinates of a regular tree, or None when the fabric is not one. O(ports)."""
    rank = _ranks(fabric)
    homes = fabric.host_switch
    if rank is None or not len(homes) or (homes < 0).any() or (fabric.host_lmc > 0).any():
        return None
    tiers = int(rank.max()) + 1
    at_leaf = rank == tiers - 1
    if tiers not in (2, 3) or not at_leaf[homes].all() or (fabric.reverse_hops and (fabric.host_role == IO).any()):
        return None
    compute = fabric.host_role == COMPUTE
    real = np.zeros(fabric.switches, bool)
    real[homes[compute] if compute.any() else homes] = True
    if real.sum() < 2 or (np.bincount(homes, minlength=fabric.switches)[at_leaf] == 0).any():
        return None
    return (_two if tiers == 2 else _three)(fabric, rank, real)


def _ranks(fabric: Fabric) -> NDArray[np.int64] | None:
    """Tier of every switch, 0 the roots; None when links do not join neighbouring tiers or a switch is not reached."""
    rank = np.full(fabric.switches, -1)
    wave, step = fabric.root, 0
    while wave.any():
        rank[wave] = step
        seen = fabric.peer[wave]
        wave = np.zeros(fabric.switches, bool)
        wave[seen[seen >= 0]] = True
        wave &= rank < 0
        step += 1
    linked = fabric.peer >= 0
    apart = rank[np.where(linked, fabric.peer, 0)] - rank[:, None]
    if (rank < 0).any() or (np.abs(apart[linked]) != 1).any():
        return None
    return rank


def _bundle(fabric: Fabric, rows: Grid, rank: NDArray[np.int64], step: int) -> Bundle | None:
    """The links of ``rows`` to the tier ``step`` away; None when rows differ in links, or groups in their number."""
    peer = fabric.peer[rows]
    there = (peer >= 0) & (rank[np.where(peer >= 0, peer, 0)] == rank[rows[0]] + step)
    counts = there.sum(axis=1)
    if not len(rows) or counts[0] == 0 or (counts != counts[0]).any():
        return None
    at, port = np.nonzero(there)
    shape = len(rows), int(counts[0])
    to, port = peer[at, port].reshape(shape).astype(np.int64), port.reshape(shape)
    order = np.argsort(to, axis=1, kind="stable")
    to, port = np.take_along_axis(to, order, 1), np.take_along_axis(port, order, 1)
    width = int((to[0] == to[0, 0]).sum())
    if shape[1] % width:
        return None
    grid = to.reshape(shape[0], -1, width)
    if (grid != grid[:, :, :1]).any() or (np.diff(grid[:, :, 0], axis=1) <= 0).any():
        return None
    far = fabric.peer_port[rows[:, None], port].reshape(grid.shape).astype(np.int64)
    bundle = Bundle(grid[:, :, 0], port.reshape(grid.shape), far)
    first = np.argsort(bundle.near[:, :, 0], axis=1, kind="stable")  # groups by their first port
    take = np.take_along_axis
    return Bundle(take(bundle.peer, first, 1), take(bundle.near, first[:, :, None], 1), take(bundle.far, first[:, :, None], 1))


def _first_leaf(fabric: Fabric, real: Flags) -> int:
    rows = np.flatnonzero(real)
    return int(rows[np.argmin(network_order(fabric.guid[rows]))])


def _places(fabric: Fabric, order: Grid) -> Grid:
    """Position of each switch in ``order``, and the number of switches for the others."""
    place = np.full(fabric.switches, fabric.switches)
    place[order] = np.arange(len(order))
    return place


def _down(bundle: Bundle) -> Grid:
    """The near ports of each group with its links in the order of the far ports."""
    return np.take_along_axis(bundle.near, np.argsort(bundle.far, axis=2), 2)


def _first_then(first: int, rest: Grid) -> Grid:
    return np.concatenate([[first], rest[rest != first]])


def _two(fabric: Fabric, rank: NDArray[np.int64], real: Flags) -> Regular | None:
    low, top = np.flatnonzero(rank == 1), np.flatnonzero(rank == 0)
    up, below = _bundle(fabric, low, rank, -1), _bundle(fabric, top, rank, 1)
    if up is None or below is None or up.peer.shape[1] != len(top) or below.peer.shape[1] != len(low):
        return None
    first = _first_leaf(fabric, real)
    spines = up.peer[np.searchsorted(low, first)]
    leaves = _first_then(first, below.peer[np.searchsorted(top, spines[0])])
    picked = _bundle(fabric, leaves, rank, -1)
    if picked is None:
        return None
    picked = picked.sorted_by(_places(fabric, spines))
    none = np.zeros((1, len(spines), 0, 1), np.int64)
    return Regular(leaves, spines[None, :], np.zeros((len(spines), 0), np.int64), picked.far, _down(picked), none, none)


def _three(fabric: Fabric, rank: NDArray[np.int64], real: Flags) -> Regular | None:
    low, mid, top = (np.flatnonzero(rank == r) for r in (2, 1, 0))
    up, over = _bundle(fabric, low, rank, -1), _bundle(fabric, mid, rank, -1)
    below, under = _bundle(fabric, mid, rank, 1), _bundle(fabric, top, rank, 1)
    if up is None or over is None or below is None or under is None:
        return None
    first = _first_leaf(fabric, real)
    own = up.peer[np.searchsorted(low, first)]  # spines of the first pod, in index order
    cores = over.peer[np.searchsorted(mid, own)]  # [C, G] in index order
    if len(np.unique(cores)) != len(top) or cores.size != len(top):
        return None
    spines = under.peer[np.searchsorted(top, cores[:, 0])]  # [C, P] in the order of the first core's ports
    spines = np.stack([_first_then(int(o), row) for o, row in zip(own, spines, strict=True)], axis=1)  # [P, C]
    if spines.size != len(mid) or len(np.unique(spines)) != len(mid):
        return None
    leaves = below.peer[np.searchsorted(mid, spines[:, 0])]  # [P, T]
    leaves[0] = _first_then(first, leaves[0])
    if leaves.size != len(low) or len(np.unique(leaves)) != len(low):
        return None
    rows, flat = leaves.reshape(-1), spines.reshape(-1)
    ups, overs = _bundle(fabric, rows, rank, -1), _bundle(fabric, flat, rank, -1)
    if ups is None or overs is None:
        return None
    ups, overs = ups.sorted_by(_places(fabric, flat)), overs.sorted_by(_places(fabric, cores.reshape(-1)))
    pods, classes = spines.shape
    alike = ups.peer.shape[1] == classes and overs.peer.shape[1] == cores.shape[1]
    if not alike or (ups.peer.reshape(pods, -1, classes) != spines[:, None, :]).any():
        return None
    if (overs.peer.reshape(pods, classes, -1) != cores[None, :, :]).any():
        return None
    grid: Any = (pods, classes, *overs.near.shape[1:])
    return Regular(rows, spines, cores, ups.far, _down(ups), overs.far.reshape(grid), _down(overs).reshape(grid))
