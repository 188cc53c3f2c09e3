"""Every link of a plane as integer arrays: which switch, which port, at both ends. No object per link, no strings.

Numbering: switches of a plane are numbered leaves first, then spines, then cores; within a tier by island, subplane and
position. Port numbers are protocol port numbers, from 1. A node's port is subplane * rails + rail + 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import PlaneDesign, TierDesign
from asbuilt.plan.shape import GROUPS, PODS, TWO_TIER, FabricShape, island_shapes

Ints = NDArray[np.int32]
LEAF, SPINE, CORE = 0, 1, 2
ROLES = ("leaf", "spine", "core")


@dataclass(frozen=True, slots=True)
class LinkArrays:
    """Links of one kind, int32 each: ``a`` is the reference switch, ``b`` a node index or the switch of the tier above."""

    a_switch: Ints
    a_port: Ints
    b_device: Ints
    b_port: Ints

    def __len__(self) -> int:
        return len(self.a_switch)

    @classmethod
    def room(cls, count: int) -> LinkArrays:
        """Unfilled arrays for ``count`` links."""
        return cls(*(np.empty(count, np.int32) for _ in range(4)))


@dataclass(frozen=True, slots=True)
class SwitchArrays:
    """One entry per switch, int32 each. ``column`` is the leaf's column (rail group) in its block, -1 above the leaves;
    ``block`` a leaf's block, a spine's pod or group, a core's group; ``place`` the position within that; ``pod`` -1 for
    cores."""

    role: Ints
    island: Ints
    subplane: Ints
    column: Ints
    block: Ints
    place: Ints
    pod: Ints
    index: Ints

    def __len__(self) -> int:
        return len(self.role)


@dataclass(frozen=True, slots=True)
class WiredFabric:
    """A plane's own switches and the links between them and to its nodes."""

    plane: PlaneDesign
    shapes: tuple[FabricShape, ...]
    switches: SwitchArrays
    node_leaf: LinkArrays
    leaf_spine: LinkArrays
    spine_core: LinkArrays

    @property
    def cables(self) -> int:
        """Electrical links, all kinds."""
        return len(self.node_leaf) + len(self.leaf_spine) + len(self.spine_core)

    @property
    def nbytes(self) -> int:
        """Bytes held by the link arrays."""
        kinds = (self.node_leaf, self.leaf_spine, self.spine_core)
        return sum(a.nbytes for k in kinds for a in (k.a_switch, k.a_port, k.b_device, k.b_port))

    def tier_ports(self) -> Ints:
        """Usable ports of each switch, int32 per switch."""
        by_role = [_ports(t) for t in (self.plane.leaf, self.plane.spine, self.plane.core)]
        return np.asarray(by_role, np.int32)[self.switches.role]


def _ports(tier: TierDesign | None) -> int:
    return tier.ports if tier else 0


def leaf_down_ports(plane: PlaneDesign) -> int:
    """Ports of a leaf set aside for node slots, its own and its guests'; the uplinks follow them."""
    return plane.nodes_per_leaf * plane.rails_per_leaf + guest_ports(plane)


def guest_ports(plane: PlaneDesign) -> int:
    """Ports of a leaf for node links of planes that share it: what they ask for, held to what the leaf has left."""
    left = plane.leaf.ports - plane.nodes_per_leaf * plane.rails_per_leaf - plane.uplinks * plane.uplink_units
    return max(0, min(plane.shared_rails * plane.nodes_per_leaf, left))


def wire(plane: PlaneDesign) -> WiredFabric:
    """Wire a plane: all islands, all subplanes. O(links) time; 16 bytes a link.

    Raises ``ProblemError`` PLN-001 when the tiers given cannot carry the size.
    """
    shapes = island_shapes(plane)
    many = range(plane.subplanes)
    copies = [(shape, sub) for shape in shapes for sub in many]
    leaves = sum(s.leaves for s, _ in copies)
    spines = sum(s.spines for s, _ in copies)
    node_leaf = LinkArrays.room(sum(s.nodes * plane.rails for s, _ in copies))
    leaf_spine = LinkArrays.room(sum(s.leaves * plane.uplinks for s, _ in copies if s.spines))
    spine_core = LinkArrays.room(sum(s.spines * plane.spine_uplinks for s, _ in copies if s.cores))
    base = np.array([0, leaves, leaves + spines])
    row = np.zeros(3, np.int64)
    for shape, sub in copies:
        row[0] += _nodes_to_leaves(plane, shape, sub, node_leaf, int(row[0]), int(base[0]))
        if shape.spines:
            row[1] += _leaves_to_spines(plane, shape, leaf_spine, int(row[1]), int(base[0]), int(base[1]))
        if shape.cores:
            row[2] += _spines_to_cores(plane, shape, spine_core, int(row[2]), int(base[1]), int(base[2]))
        base += (shape.leaves, shape.spines, shape.cores)
    return WiredFabric(plane, shapes, _switches(copies), node_leaf, leaf_spine, spine_core)


def _put(out: LinkArrays, row: int, shape: tuple[int, ...], parts: tuple[Any, Any, Any, Any]) -> int:
    """Write four broadcastable index expressions of ``shape`` into the rows from ``row`` on; the number of rows."""
    count = int(np.prod(shape))
    for array, part in zip((out.a_switch, out.a_port, out.b_device, out.b_port), parts, strict=True):
        array[row : row + count].reshape(shape)[...] = part
    return count


def _axes(shape: tuple[int, ...]) -> list[Ints]:
    """One index array per axis, shaped to broadcast against the others."""
    return [np.arange(n, dtype=np.int32).reshape((1,) * i + (n,) + (1,) * (len(shape) - i - 1)) for i, n in enumerate(shape)]


def _nodes_to_leaves(plane: PlaneDesign, shape: FabricShape, sub: int, out: LinkArrays, row: int, leaf0: int) -> int:
    """Node n sits in block n // nodes_per_leaf at slot n % nodes_per_leaf; rail r of it at the leaf of r's column."""
    slots, width = plane.nodes_per_leaf, plane.rails_per_leaf
    start = row
    columns, odd = divmod(plane.rails, width)  # the last leaf of a block serves fewer rails where the rails do not divide
    for first_block, blocks, filled in _runs(shape.nodes, slots):
        for first_column, count, rails in ((0, columns, width), (columns, 1, odd)):
            if not rails or not count:
                continue
            size = (blocks, count, rails, filled)
            b, q, r, s = _axes(size)
            leaf = leaf0 + (b + first_block) * shape.leaf_columns + q + first_column
            node = shape.first_node + (b + first_block) * slots + s
            port = sub * plane.rails + (q + first_column) * width + r + 1
            row += _put(out, row, size, (leaf, r * slots + s + 1, node, port))
    return row - start


def _runs(nodes: int, slots: int) -> list[tuple[int, int, int]]:
    """(first block, blocks, nodes in each): the full blocks, then the partly filled one."""
    full, rest = divmod(nodes, slots)
    return [run for run in ((0, full, slots), (full, 1, rest)) if run[1] and run[2]]


def _leaves_to_spines(plane: PlaneDesign, shape: FabricShape, out: LinkArrays, row: int, leaf0: int, spine0: int) -> int:
    """Uplinks of a leaf in port order: ``leaf_to_spine`` to the first spine of its set, then to the next, and so on."""
    down, wide = leaf_down_ports(plane), plane.uplink_units
    parallel = shape.leaf_to_spine
    if not parallel:  # a dictated spine count that does not divide the uplinks: deal them round robin
        size: tuple[int, ...] = (shape.leaves, plane.uplinks)
        leaf, j = _axes(size)
        turn = leaf * plane.uplinks + j
        parts = (leaf0 + leaf, down + j * wide + 1, spine0 + turn % shape.set_spines, turn // shape.set_spines + 1)
        return _put(out, row, size, parts)
    size = (shape.leaves, shape.set_spines, parallel)
    leaf, s, k = _axes(size)
    if shape.kind == TWO_TIER:
        in_set, which = leaf, np.zeros_like(leaf)
    elif shape.kind == PODS:
        which, in_set = np.divmod(leaf, np.int32(shape.set_leaves))
    else:
        assert shape.kind == GROUPS
        block, column = np.divmod(leaf, np.int32(shape.leaf_columns))
        su, in_set = np.divmod(block, np.int32(shape.set_leaves))
        which = su * shape.leaf_columns + column
    parts = (
        leaf0 + leaf,
        down + (s * parallel + k) * wide + 1,
        spine0 + which * shape.set_spines + s,
        in_set * parallel + k + 1,
    )
    return _put(out, row, size, parts)


def _spines_to_cores(plane: PlaneDesign, shape: FabricShape, out: LinkArrays, row: int, spine0: int, core0: int) -> int:
    """Spine s of every pod or group reaches the cores of group s, ``spine_to_core`` links each, in port order."""
    down = shape.set_leaves * shape.leaf_to_spine
    size = (shape.spine_sets, shape.set_spines, shape.group_cores, shape.spine_to_core)
    p, s, c, k = _axes(size)
    parts = (
        spine0 + p * shape.set_spines + s,
        down + c * shape.spine_to_core + k + 1,
        core0 + s * shape.group_cores + c,
        p * shape.spine_to_core + k + 1,
    )
    return _put(out, row, size, parts)


def _switches(copies: list[tuple[FabricShape, int]]) -> SwitchArrays:
    """Coordinates of every switch, leaves then spines then cores."""
    columns: list[list[Ints]] = [[] for _ in range(8)]
    for role in (LEAF, SPINE, CORE):
        index = 0
        for shape, sub in copies:
            count = (shape.leaves, shape.spines, shape.cores)[role]
            at = np.arange(count, dtype=np.int32)
            per = max(1, (shape.leaf_columns, shape.set_spines, shape.group_cores)[role])
            block, place = np.divmod(at, np.int32(per))
            column = place if role == LEAF else np.full(count, -1, np.int32)
            pod = _pods(shape, role, block)
            values = (role, shape.island, sub, column, block, place, pod, at + index)
            for into, value in zip(columns, values, strict=True):
                into.append(np.broadcast_to(np.asarray(value, np.int32), (count,)))
            index += count
    return SwitchArrays(*(np.concatenate(c) if c else np.empty(0, np.int32) for c in columns))


def _pods(shape: FabricShape, role: int, block: Ints) -> Ints:
    """Pod of each switch of a tier: the pod of a leaf or spine, the SU of a leaf group; -1 outside pods."""
    if role == CORE or shape.kind not in (PODS, GROUPS):
        return np.full(len(block), -1, np.int32)
    if shape.kind == GROUPS:
        return block // np.int32(shape.set_leaves if role == LEAF else shape.leaf_columns)
    if role == SPINE:
        return block
    return np.arange(len(block), dtype=np.int32) // np.int32(shape.set_leaves)


def prove(wired: WiredFabric) -> dict[str, int]:
    """Prove that every port is used at most once, exists, and that every tier is striped evenly. O(links).

    Returns the ports used per side (``node``, ``leaf``, ``spine``, ``core``) and ``links``. Raises ``ProblemError``
    PLN-002 naming the first switch or node port that breaks the claim.
    """
    plane, switches = wired.plane, wired.switches
    count = len(switches)
    ends = (
        (wired.node_leaf.a_switch, wired.node_leaf.a_port),
        (wired.leaf_spine.a_switch, wired.leaf_spine.a_port),
        (wired.leaf_spine.b_device, wired.leaf_spine.b_port),
        (wired.spine_core.a_switch, wired.spine_core.a_port),
        (wired.spine_core.b_device, wired.spine_core.b_port),
    )
    ports = wired.tier_ports()
    stride = int(ports.max(initial=0)) + 1
    used = np.zeros(count * stride, np.uint8)
    total = 0
    for switch, port in ends:
        if len(switch) and (int(port.min()) < 1 or bool((port > ports[switch]).any())):
            bad = int(switch[np.argmax((port < 1) | (port > ports[switch]))])
            raise _broken(plane, f"switch {bad} has a link on a port that it does not have")
        used[switch * np.int64(stride) + port] = 1
        total += len(switch)
    if int(used.sum(dtype=np.int64)) != total:
        raise _broken(plane, f"{total - int(used.sum(dtype=np.int64))} switch ports carry more than one link")
    width = plane.rails * plane.subplanes
    seen = np.zeros(plane.nodes * width, np.uint8)
    seen[wired.node_leaf.b_device * np.int64(width) + wired.node_leaf.b_port - 1] = 1
    if len(wired.node_leaf) and (int(seen.sum(dtype=np.int64)) != len(seen) or len(seen) != len(wired.node_leaf)):
        raise _broken(plane, "a node port is used twice or not at all")
    _prove_even(wired)
    per_switch = used.reshape(count, stride).sum(axis=1, dtype=np.int64)
    by_role = {name: int(per_switch[switches.role == role].sum()) for role, name in enumerate(ROLES)}
    return {"node": len(wired.node_leaf), **by_role, "links": wired.cables}


def _prove_even(wired: WiredFabric) -> None:
    """Every leaf has all its uplinks, every spine pair equal parallel links, unless a dictated count forbids it."""
    plane = wired.plane
    kinds = ((wired.leaf_spine, plane.uplinks, "leaf"), (wired.spine_core, plane.spine_uplinks, "spine"))
    for links, each, name in kinds:
        if not len(links):
            continue
        per_lower = np.bincount(links.a_switch)
        per_lower = per_lower[per_lower > 0]
        if not bool((per_lower == each).all()):
            raise _broken(plane, f"a {name} has {int(per_lower.min())} uplinks, not {each}")
        # Rows stand in order of (lower, upper): parallel links of a pair are neighbours, so runs are pairs.
        pair = links.a_switch.astype(np.int64) * len(wired.switches) + links.b_device
        starts = np.flatnonzero(np.diff(pair, prepend=-1))
        runs = np.diff(starts, append=len(pair))
        even = all(s.leaf_to_spine for s in wired.shapes) or name == "spine"
        if even and len(wired.shapes) == 1 and int(runs.min()) != int(runs.max()):
            raise _broken(plane, f"a {name} spreads its uplinks {int(runs.min())} to {int(runs.max())} a switch, not evenly")


def _broken(plane: PlaneDesign, what: str) -> ProblemError:
    return ProblemError(Problem("PLN-002", f"plane {plane.name}: {what}", why="a port takes one link"))
