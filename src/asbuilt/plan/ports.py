"""Ports that planes share and that services take, and the budget of every switch: asked, planned, free, short.

What finds no port is never dropped silently: it stands in `PORT_BUDGET` under ``short`` and in the plan's warnings.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import PlaneDesign
from asbuilt.plan.shape import TWO_TIER, FabricShape
from asbuilt.plan.wiring import (
    CORE,
    LEAF,
    ROLES,
    SPINE,
    Ints,
    LinkArrays,
    SwitchArrays,
    WiredFabric,
    guest_ports,
    leaf_down_ports,
    wire,
)

NODE, SWITCH, SERVICE = "node", "switch", "service"


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """Links of one kind of one plane. ``arrays.a_switch`` counts over all switches of the plan, and so does
    ``b_device`` when ``far`` is ``switch``; else it is a node index or a service host's number over the plan."""

    plane: PlaneDesign
    kind: str
    far: str
    near_tier: int
    near_plane: PlaneDesign
    far_tier: int
    far_plane: PlaneDesign
    arrays: LinkArrays
    rail: Ints


@dataclass(slots=True)
class Network:
    """All planes wired: switches one after another in the order of ``fabrics``, and every group of links."""

    fabrics: list[WiredFabric] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)
    groups: list[LinkGroup] = field(default_factory=list)
    services: list[tuple[str, int]] = field(default_factory=list)
    short: list[tuple[int, int, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    count: int = 0

    def fabric(self, plane: str) -> WiredFabric:
        """The wired fabric of a plane that owns switches."""
        return next(f for f in self.fabrics if f.plane.name == plane)

    def spread(self, name: str) -> Ints:
        """One column of `SwitchArrays` over all switches of the plan."""
        parts = [getattr(f.switches, name) for f in self.fabrics]
        return np.concatenate(parts) if parts else np.empty(0, np.int32)


def network(planes: tuple[PlaneDesign, ...]) -> Network:
    """Wire every plane, then place guests on the planes whose switches they use, then the services. Planes in order.

    Raises ``ProblemError`` PLN-001 when the leaves of a plane, or a tier above them, have too few ports for what it asks.
    """
    crowded = [problem for plane in planes if (problem := _crowded(plane)) is not None]
    if crowded:
        raise ProblemError(crowded)
    net = Network()
    for plane in planes:
        wired = wire(plane)
        if len(wired.switches):
            net.first[plane.name] = net.count
            net.fabrics.append(wired)
            net.count += len(wired.switches)
    for fabric in net.fabrics:
        _own_links(net, fabric)
    taken: dict[str, int] = {}
    for plane in planes:
        if plane.share and plane.share in net.first:
            host = net.fabric(plane.share)
            if plane.share_tier == "spine":
                _guest_leaves(net, plane, host)
            else:
                _guest_nodes(net, plane, host, taken)
    for fabric in list(net.fabrics):
        if fabric.plane.service_ports:
            _services(net, fabric)
    return net


def _crowded(plane: PlaneDesign) -> Problem | None:
    """The problem of a leaf whose node slots and uplinks are more than its ports; None when they fit."""
    down, up = plane.nodes_per_leaf * plane.rails_per_leaf, plane.uplinks * plane.uplink_units
    leaf = plane.leaf
    if (plane.share and plane.share_tier == "leaf") or down + up <= leaf.ports:
        return None
    wide = f" of {plane.uplink_units} port numbers each" if plane.uplink_units > 1 else ""
    kept = f", {leaf.reserved_ports} more are reserved" if leaf.reserved_ports else ""
    most = max(0, leaf.ports - up) // plane.rails_per_leaf
    return Problem(
        "PLN-001",
        f"plane {plane.name}: a leaf needs {down} ports for {plane.nodes_per_leaf} nodes with {plane.rails_per_leaf} "
        f"rail{'s' if plane.rails_per_leaf > 1 else ''} each and {up} for {plane.uplinks} uplinks{wide}; {leaf.switch} has "
        f"{leaf.ports} at {plane.link_gbps:g} Gb/s{kept}",
        why="every link needs a port at both ends",
        fix=f"set planes.{plane.name}.nodes_per_leaf to {most} or less, or fewer uplinks, or a leaf with more ports"
        if most
        else f"set fewer planes.{plane.name}.leaf.uplinks, or a leaf with more ports",
    )


def _own_links(net: Network, fabric: WiredFabric) -> None:
    plane, first = fabric.plane, np.int32(net.first[fabric.plane.name])

    def moved(links: LinkArrays, *, far: bool) -> LinkArrays:
        return replace(links, a_switch=links.a_switch + first, b_device=links.b_device + first if far else links.b_device)

    none = np.int32(-1)
    column = fabric.switches.column
    named = plane.layout != "fat-tree"
    for kind, links, near, far_tier in (
        ("node_leaf", fabric.node_leaf, LEAF, -1),
        ("leaf_spine", fabric.leaf_spine, LEAF, SPINE),
        ("spine_core", fabric.spine_core, SPINE, CORE),
    ):
        if not len(links):
            continue
        if kind == "node_leaf":
            rail = (links.b_port - 1) % np.int32(plane.rails)
        elif kind == "leaf_spine" and named and plane.rails_per_leaf == 1:
            rail = column[links.a_switch]
        else:
            rail = np.broadcast_to(none, links.a_switch.shape)
        far = NODE if far_tier < 0 else SWITCH
        arrays = moved(links, far=far == SWITCH)
        net.groups.append(LinkGroup(plane, kind, far, near, plane, far_tier, plane, arrays, rail))


def _guest_nodes(net: Network, plane: PlaneDesign, host: WiredFabric, taken: dict[str, int]) -> None:
    """Rail r of a guest lands on leaf ``r % leaves per block`` of the host plane, behind the host's own node slots."""
    owner, first = host.plane, net.first[host.plane.name]
    columns, slots = owner.leaves_per_block, owner.nodes_per_leaf
    before = taken.get(owner.name, 0)
    taken[owner.name] = before + -(-plane.rails // columns)
    parts: list[tuple[Ints, Ints, Ints, Ints]] = []
    leaf0 = 0
    lost = 0
    for shape in host.shapes:
        for sub in range(owner.subplanes):
            if sub < plane.subplanes:
                nodes = np.arange(shape.first_node, min(shape.first_node + shape.nodes, plane.nodes), dtype=np.int32)
                block, slot = np.divmod(nodes - shape.first_node, np.int32(slots))
                for rail in range(plane.rails):
                    local = before + rail // columns
                    leaf = first + leaf0 + block * shape.leaf_columns + rail % columns
                    fits = local * slots + slot < guest_ports(owner)
                    if not bool(fits.all()):
                        lost += int((~fits).sum())
                        where, count = np.unique(leaf[~fits], return_counts=True)
                        net.short += [(int(x), int(n), plane.name) for x, n in zip(where, count, strict=True)]
                    port = (owner.rails_per_leaf + local) * slots + slot + 1
                    number = np.full_like(nodes, sub * plane.rails + rail + 1)
                    parts.append((leaf[fits], port[fits], nodes[fits], number[fits]))
            leaf0 += shape.leaves
    if lost:
        net.warnings.append(
            f"{plane.name}: {lost} node links find no port on the {owner.name} leaves that it is to share; they are not planned"
        )
    if any(len(p[0]) for p in parts):
        arrays = LinkArrays(*(np.concatenate(c).astype(np.int32) for c in zip(*parts, strict=True)))
        rail_of = (arrays.b_port - 1) % np.int32(plane.rails)
        net.groups.append(LinkGroup(plane, "node_leaf", NODE, LEAF, owner, -1, plane, arrays, rail_of))


def _guest_leaves(net: Network, plane: PlaneDesign, host: WiredFabric) -> None:
    """Uplink j of a guest leaf goes to spine ``j % spines`` of the host, behind the ports of the leaves already there."""
    guest, owner = net.fabric(plane.name), host.plane
    first, host_first = net.first[plane.name], net.first[owner.name]
    spine_at = host_first + int((host.switches.role == LEAF).sum())
    leaf0 = 0
    for shape in guest.shapes:
        for sub in range(plane.subplanes):
            leaves = np.arange(leaf0, leaf0 + shape.leaves, dtype=np.int32) + first
            leaf0 += shape.leaves
            home = host.shapes[min(shape.island, len(host.shapes) - 1)]
            if home.kind != TWO_TIER or sub >= owner.subplanes:
                net.warnings.append(f"{plane.name}: its leaves cannot join the {owner.name} spines of a {home.kind} fabric")
                net.short += [(int(leaf), plane.uplinks, plane.name) for leaf in leaves]
                continue
            spines = spine_at + (home.island * owner.subplanes + sub) * home.set_spines + np.arange(home.set_spines)
            _join(net, plane, owner, leaves, spines.astype(np.int32))


def _join(net: Network, plane: PlaneDesign, owner: PlaneDesign, leaves: Ints, spines: Ints) -> None:
    assert owner.spine is not None
    j = np.arange(plane.uplinks, dtype=np.int32)
    turn = j % np.int32(len(spines))
    share = np.bincount(turn, minlength=len(spines))
    filled = used_ports(net, spines)
    leaf = np.arange(len(leaves), dtype=np.int32)[:, None]
    port = filled[turn][None, :] + leaf * share[turn][None, :] + (j // np.int32(len(spines)))[None, :] + 1
    a_port = np.broadcast_to(leaf_down_ports(plane) + j * plane.uplink_units + 1, port.shape)
    keep = port <= owner.spine.ports
    arrays = LinkArrays(
        np.broadcast_to(leaves[:, None], port.shape)[keep],
        a_port[keep].astype(np.int32),
        np.broadcast_to(spines[turn][None, :], port.shape)[keep],
        port[keep].astype(np.int32),
    )
    if not bool(keep.all()):
        lost = int((~keep).sum())
        net.warnings.append(f"{plane.name}: {lost} uplinks find no port on the {owner.name} spines; they are not planned")
        net.short += [(int(spines[s]), int(n), plane.name) for s, n in enumerate(np.bincount(turn, (~keep).sum(0))) if n]
    rail = np.full(len(arrays), -1, np.int32)
    net.groups.append(LinkGroup(plane, "leaf_spine", SWITCH, LEAF, plane, SPINE, owner, arrays, rail))


def used_ports(net: Network, switches: Ints) -> Ints:
    """The highest port number in use on each of ``switches``, 0 where none is."""
    top = np.zeros(net.count, np.int32)
    for group in net.groups:
        np.maximum.at(top, group.arrays.a_switch, group.arrays.a_port)
        if group.far == SWITCH:
            np.maximum.at(top, group.arrays.b_device, group.arrays.b_port)
    return top[switches]


def _services(net: Network, fabric: WiredFabric) -> None:
    """Up to ``service_ports`` hosts per island and subplane, round robin over the leaves of the last block or the spines."""
    plane, first = fabric.plane, net.first[fabric.plane.name]
    leaf0, spine0 = 0, int((fabric.switches.role == LEAF).sum())
    rows: list[tuple[int, int, int, int]] = []
    tier = SPINE if plane.service_at == "spine" and spine0 < len(fabric.switches) else LEAF
    for shape in fabric.shapes:
        for sub in range(plane.subplanes):
            if tier == SPINE:
                switches = [first + spine0 + i for i in range(shape.spines)]
                queues = _spine_queues(net, plane, switches)
            else:
                last = leaf0 + (shape.blocks - 1) * shape.leaf_columns
                switches = [first + last + q for q in range(shape.leaf_columns)]
                queues = [_leaf_queue(plane, shape, q) for q in range(shape.leaf_columns)]
            placed = _deal(plane.service_ports, switches, queues)
            lost = plane.service_ports - len(placed)
            if lost:
                where = f"island {shape.island}, subplane {sub}"
                net.warnings.append(f"{plane.name}: {lost} service ports find no free {ROLES[tier]} port ({where})")
                net.short.append((switches[0], lost, "service"))
            for switch, port in placed:
                rows.append((switch, port, len(net.services), 1))
                net.services.append((plane.name, len(rows) - 1))
            leaf0 += shape.leaves
            spine0 += shape.spines
    if rows:
        arrays = LinkArrays(*np.array(rows, np.int32).T.copy())
        rail = np.full(len(rows), -1, np.int32)
        net.groups.append(LinkGroup(plane, "service", SERVICE, tier, plane, -1, plane, arrays, rail))


def _spine_queues(net: Network, plane: PlaneDesign, switches: list[int]) -> list[list[int]]:
    """Free ports of spines, the last one first: leaves that come with growth take them from the other side."""
    assert plane.spine is not None
    top = used_ports(net, np.asarray(switches, np.int32))
    return [list(range(plane.spine.ports, int(t), -1)) for t in top]


def _leaf_queue(plane: PlaneDesign, shape: FabricShape, column: int) -> list[int]:
    """Free ports of a leaf of the last block: behind the uplinks, then empty node slots, last slot and last rail first."""
    slots = plane.nodes_per_leaf
    behind = leaf_down_ports(plane) + plane.uplinks * plane.uplink_units
    filled = shape.nodes - (shape.blocks - 1) * slots
    rails = min(plane.rails_per_leaf, plane.rails - column * plane.rails_per_leaf)
    empty = [r * slots + s + 1 for s in range(slots - 1, filled - 1, -1) for r in range(rails - 1, -1, -1)]
    return [*range(behind + 1, plane.leaf.ports + 1), *empty]


def _deal(wanted: int, switches: list[int], queues: list[list[int]]) -> list[tuple[int, int]]:
    """Round robin: one port of each switch in turn until ``wanted`` are placed or no queue holds any."""
    placed: list[tuple[int, int]] = []
    while len(placed) < wanted and any(queues):
        for switch, queue in zip(switches, queues, strict=True):
            if queue and len(placed) < wanted:
                placed.append((switch, queue.pop(0)))
    return placed


def pulls(net: Network, node_rack: Ints, devices: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Per network device (switches, service hosts, then others), the mean number of the compute racks that it serves; and
    1 where it serves nodes itself.

    A leaf is drawn to its nodes, a spine or core to what is below it, a service host to its switch; what serves nobody
    stands in the middle.
    """
    centre = float(node_rack.mean()) if len(node_rack) else 0.0
    total, links = np.zeros(net.count), np.zeros(net.count)
    out, serves = np.full(devices, centre), np.zeros(devices)
    for kind in ("node_leaf", "leaf_spine", "spine_core", "service"):
        for group in (g for g in net.groups if g.kind == kind):
            a, b = group.arrays.a_switch, group.arrays.b_device
            if kind == "service":
                out[net.count + b] = out[a]
                continue
            if kind == "node_leaf":
                serves[a] = 1.0
            near, weight = (a, node_rack[b].astype(np.float64)) if kind == "node_leaf" else (b, out[a])
            total += np.bincount(near, weight, net.count)
            links += np.bincount(near, minlength=net.count)
        out[: net.count] = np.where(links > 0, total / np.maximum(links, 1), centre)
    return out, serves


def budget(net: Network) -> dict[str, NDArray[np.int64]]:
    """Columns of `PORT_BUDGET` without the switch id, one entry per switch of the plan.

    ``free`` counts port numbers at the planned rate: an uplink wider than a port takes ``uplink_units`` of them.
    """
    names = ("ports", "node_links", "shared_links", "uplinks", "downlinks", "service", "reserved", "free", "short")
    out = {name: np.zeros(net.count, np.int64) for name in names}
    taken = np.zeros(net.count, np.int64)
    for fabric in net.fabrics:
        at = slice(net.first[fabric.plane.name], net.first[fabric.plane.name] + len(fabric.switches))
        tiers = (fabric.plane.leaf, fabric.plane.spine, fabric.plane.core)
        reserved = np.array([t.reserved_ports if t else 0 for t in tiers])
        out["ports"][at] = (np.array([t.ports if t else 0 for t in tiers]) + reserved)[fabric.switches.role]
        out["reserved"][at] = reserved[fabric.switches.role]
        _site_uplinks(fabric, fabric.switches, at, out["uplinks"], taken)
    for group in net.groups:
        near = np.bincount(group.arrays.a_switch, minlength=net.count)
        own = group.near_plane.name == group.plane.name
        column = {NODE: "node_links" if own else "shared_links", SERVICE: "service", SWITCH: "uplinks"}[group.far]
        out[column] += near
        taken += near * (group.plane.uplink_units if column == "uplinks" and group.near_tier == LEAF else 1)
        if group.far == SWITCH:
            far = np.bincount(group.arrays.b_device, minlength=net.count)
            out["downlinks"] += far
            taken += far
    for switch, count, _ in net.short:
        out["short"][switch] += count
    out["free"] = np.maximum(out["ports"] - out["reserved"] - taken, 0)
    return out


def _site_uplinks(
    fabric: WiredFabric, switches: SwitchArrays, at: slice, uplinks: NDArray[np.int64], taken: NDArray[np.int64]
) -> None:
    """Leaves without spines of their own keep their uplink ports for the site's network above them."""
    plane = fabric.plane
    if plane.spine is None and not plane.share:
        uplinks[at] = np.where(switches.role == LEAF, plane.uplinks, 0)
        taken[at] = uplinks[at] * plane.uplink_units
