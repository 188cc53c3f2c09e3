"""What belongs to each InfiniBand subnet, as integer arrays: its switches with their coordinates, its NIC ports, its hosts.

A subnet is an island and subplane of the planes that name it. Everything is index arithmetic over `Network`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asbuilt.base.problem import ProblemError
from asbuilt.model.design import Design, PlaneDesign, TierDesign
from asbuilt.model.requirement import Subnet
from asbuilt.plan.devices import subnet_name
from asbuilt.plan.links import Devices, node_ports
from asbuilt.plan.ports import NODE, SERVICE, LinkGroup, Network
from asbuilt.plan.shape import FabricShape, island_shapes

Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Crew:
    """The switches of one plane in a subnet, and how many of each role there is room for at the growth target.

    ``first`` counts over all switches of the plan; ``role place`` per switch, ``place`` counted within role from the
    coordinates alone. ``room`` is the highest place of each role (leaf, spine, core) that the target needs, plus one.
    """

    plane: PlaneDesign
    switches: Longs
    role: Longs
    place: Longs
    room: tuple[int, int, int]
    shape: FabricShape
    subplane: int

    def tier(self, role: int) -> TierDesign:
        """The resolved tier of a role: 0 leaf, 1 spine, 2 core."""
        return (self.plane.leaf, self.plane.spine or self.plane.leaf, self.plane.core or self.plane.leaf)[role]


@dataclass(frozen=True, slots=True)
class Ports:
    """NIC ports of one kind in a subnet: the host (node index, or number of the service host), the switch that it is
    plugged into, the ordinal of the port among the host's ports in this subnet, the device name and port number."""

    plane: str
    far: str
    host: Longs
    switch: Longs
    ordinal: Longs
    which: Longs
    nics: tuple[str, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """One InfiniBand subnet.

    ``base`` is the name that `subnets` of the requirement uses: without island and subplane. ``width`` is the number of
    ports of one node in it; ``su_nodes`` nodes are a scalable unit; ``first_node`` is the first node of the island and
    ``room_nodes`` the nodes that the growth target puts into it.
    """

    name: str
    base: str
    wish: Subnet
    planes: tuple[PlaneDesign, ...]
    crews: tuple[Crew, ...]
    ports: tuple[Ports, ...]
    width: int
    su_nodes: int
    first_node: int
    room_nodes: int
    room_origin: str
    lmc: int

    def plane(self, name: str) -> PlaneDesign:
        return next(p for p in self.planes if p.name == name)


def scenes(design: Design, net: Network) -> tuple[Scene, ...]:
    """Every InfiniBand subnet of the plan, sorted by name."""
    crews: dict[str, list[Crew]] = {}
    places: dict[str, tuple[str, int, int]] = {}
    target, origin = growth_nodes(design)
    for fabric in net.fabrics:
        plane = fabric.plane
        if plane.technology != "infiniband":
            continue
        many = len(fabric.shapes)
        s, first = fabric.switches, net.first[plane.name]
        for island, shape in enumerate(fabric.shapes):
            big = _target_shape(design, plane, shape, island, target)
            for sub in range(plane.subplanes):
                name = subnet_name(plane, island, sub, many)
                at = np.flatnonzero((s.island == island) & (s.subplane == sub))
                role = s.role[at].astype(np.int64)
                within = np.where(role == 0, s.column[at], s.place[at])
                place = s.block[at].astype(np.int64) * _each(shape, big)[role] + within
                room = _room(big, role, place)
                crew = Crew(plane, at.astype(np.int64) + first, role, place, room, shape, sub)
                crews.setdefault(name, []).append(crew)
                places.setdefault(name, (plane.subnet or plane.name, island, sub))
    of_switch = np.full(net.count, -1, np.int64)
    names = sorted(crews)
    for number, name in enumerate(names):
        for crew in crews[name]:
            of_switch[crew.switches] = number
    ports = _ports(design, net, of_switch, len(names))
    return tuple(_scene(design, name, places[name], crews[name], ports[n], target, origin) for n, name in enumerate(names))


def wish_of(design: Design, name: str, base: str) -> Subnet:
    """What the requirement says of a subnet: under its full name, else under the name without island and subplane."""
    asked = design.requirement.subnets
    return asked.get(name) or asked.get(base) or Subnet()


def _scene(
    design: Design,
    name: str,
    where: tuple[str, int, int],
    crews: list[Crew],
    ports: list[Ports],
    target: int,
    origin: str,
) -> Scene:
    base, island, _ = where
    order = [p.name for p in design.planes]
    crews = sorted(crews, key=lambda c: order.index(c.plane.name))
    served = {c.plane.name for c in crews} | {p.plane for p in ports}
    planes = tuple(p for p in design.planes if p.name in served)
    wish = wish_of(design, name, base)
    lmc = max(p.lmc for p in planes)
    size = crews[0].plane.island_nodes or design.nodes
    first = island * size
    compute = design.plane("compute")
    return Scene(
        name=name,
        base=base,
        wish=wish,
        planes=planes,
        crews=tuple(crews),
        ports=tuple(ports),
        width=sum(p.rails for p in planes),
        su_nodes=max(1, compute.su_nodes if compute else design.nodes),
        first_node=first,
        room_nodes=max(0, min(size, max(target, design.nodes) - first)),
        room_origin=origin,
        lmc=lmc,
    )


def growth_nodes(design: Design) -> tuple[int, str]:
    """(nodes that LID ranges leave room for, why): the growth target, else the scalable units doubled to a power of two.

    Neither depends on the GPUs that are asked for now, as long as a stated target, or the power of two, is the same.
    """
    per_node = max(1, design.node.gpus_per_node)
    asked = design.requirement.growth.gpus
    if asked and -(-asked // per_node) >= design.nodes:
        return -(-asked // per_node), "growth.gpus"
    compute = design.plane("compute")
    unit = max(1, compute.su_nodes if compute else 1)
    units = 1
    while units * unit < design.nodes:
        units *= 2
    return units * unit, "no growth target is stated: scalable units up to the next power of two"


def _target_shape(design: Design, plane: PlaneDesign, now: FabricShape, island: int, target: int) -> FabricShape:
    """The shape of an island when the growth target stands; the present one where the target cannot be laid out."""
    size = plane.island_nodes or plane.nodes
    nodes = max(now.nodes, min(size, target - island * size))
    guests = sum(_guest_uplinks(g, nodes) for g in design.planes if g.share == plane.name and g.share_tier == "spine")
    grown = dataclasses.replace(plane, nodes=nodes, guest_uplinks=max(plane.guest_uplinks, guests))
    try:
        return island_shapes(grown)[0]
    except ProblemError:
        return now


def _guest_uplinks(plane: PlaneDesign, nodes: int) -> int:
    return -(-nodes // plane.nodes_per_leaf) * plane.leaves_per_block * plane.uplinks


def _each(now: FabricShape, then: FabricShape) -> Longs:
    """Per role (leaf, spine, core): switches in a group, as places are counted: those of the target.

    A single group may be larger than the target's, as where two tiers become groups: its places then run on over the next.
    """
    alone = (now.blocks == 1, now.spine_sets <= 1, now.core_groups <= 1)
    pairs = (
        (now.leaf_columns, then.leaf_columns),
        (now.set_spines, then.set_spines),
        (now.group_cores, then.group_cores),
    )
    return np.array([t if one and t else max(n, t) for (n, t), one in zip(pairs, alone, strict=True)], np.int64)


def _room(then: FabricShape, role: Longs, place: Longs) -> tuple[int, int, int]:
    """Per role the places that there must be: of the target, and of every switch that stands now."""
    asked = (then.leaves, then.spines, then.cores)
    held = [int(place[role == r].max(initial=-1)) + 1 for r in range(3)]
    leaf, spine, core = (max(a, h) for a, h in zip(asked, held, strict=True))
    return leaf, spine, core


def _ports(design: Design, net: Network, of_switch: Longs, count: int) -> list[list[Ports]]:
    """NIC ports of every subnet, in the order of the link groups."""
    out: list[list[Ports]] = [[] for _ in range(count)]
    offsets: list[dict[str, int]] = [{} for _ in range(count)]
    for group in (g for plane in design.planes for g in net.groups if g.plane.name == plane.name and g.far in (NODE, SERVICE)):
        at = of_switch[group.arrays.a_switch]
        for number in np.unique(at[at >= 0]):
            mine = at == number
            out[number].append(_of_group(design, group, mine, offsets[number]))
    return out


def _of_group(design: Design, group: LinkGroup, mine: NDArray[np.bool_], offset: dict[str, int]) -> Ports:
    host = group.arrays.b_device[mine].astype(np.int64)
    switch = group.arrays.a_switch[mine].astype(np.int64)
    which = group.arrays.b_port[mine].astype(np.int64)
    if group.far == SERVICE:
        return Ports(group.plane.name, SERVICE, host, switch, np.zeros_like(host), which, ("", "mlx5_0"), (0, 1))
    table = node_ports(design, group.plane)
    start = offset.setdefault(group.plane.name, sum(p.rails for p in design.planes if p.name in offset))
    ordinal = start + (which - 1) % group.plane.rails
    return Ports(
        group.plane.name, NODE, host, switch, ordinal, which, tuple(table["nic"].to_list()), tuple(table["port"].to_list())
    )


def phases(devices: Devices, ports: Ports) -> Longs:
    """The build phase (ordinal) of each port: the later of host and switch."""
    far = devices.node_phase if ports.far == NODE else devices.service_phase
    return np.maximum(far[ports.host], devices.switch_phase[ports.switch]).astype(np.int64)
