"""Which interfaces share which networks: the rules of the address plan.

Compute and storage: networks of their own for each rail and subplane, since a host with two interfaces in one IP network may
answer for both on either (ip-sysctl of Linux, ``arp_ignore``); of InfiniBand also for each island, which is a subnet of its
own. An Ethernet plane with spines is routed at its leaves: a network for each leaf. Frontend and management: several ports of
a node are one bond with one address. Out of band: every port of a node in one network.
"""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.design import Design, NicPortDesign, PlaneDesign
from asbuilt.plan.address_ranges import RESERVED, Range, power, size_for

SEVERAL_NETWORKS = ("compute", "storage")
BONDED = ("frontend", "management")


@dataclass(frozen=True, slots=True)
class Family:
    """Networks that lie one behind another: that of block ``b`` begins at ``base + b * size``.

    ``ports`` are the interfaces that each node has in them, ``block_nodes`` the nodes of one network, ``split`` what a network
    is made for: leaf, island or none. ``end`` is the first address behind the family's part of the range.
    """

    stem: str
    plane: str
    kind: str
    ports: tuple[str, ...]
    rail: int
    subplane: int
    base: int
    size: int
    end: int
    block_nodes: int
    blocks: int
    split: str
    routed: bool
    vlan: int | None
    range: Range

    @property
    def prefix(self) -> int:
        """Prefix length of each network."""
        return 32 - (self.size.bit_length() - 1)

    @property
    def capacity(self) -> int:
        """Addresses of one network for nodes: all but the reserved ones and the broadcast address."""
        return max(0, self.size - 1 - RESERVED)

    def network(self, block: int) -> str:
        """Key of the network of a block."""
        if self.split == "leaf":
            return f"{self.stem}-b{block:03d}"
        return f"{self.stem}-i{block}" if block else self.stem


def target_nodes(design: Design) -> int:
    """Nodes that the growth target asks for, at least those that are built now."""
    asked = design.requirement.growth.gpus or design.gpus
    return max(design.nodes, -(-asked // max(1, design.node.gpus_per_node)))


def families(design: Design, held: dict[str, Range]) -> list[Family]:
    """The families of all planes that nodes plug into, in plane order."""
    made = []
    for plane in design.planes:
        ports = [p for p in design.node.nics if p.plane == plane.name]
        if not ports:
            continue
        if plane.name in SEVERAL_NETWORKS:
            parts = power(plane.rails * plane.subplanes)
            for port in ports:
                at = port.rail + plane.rails * port.subplane
                made.append(_family(design, plane, port, (port.name,), held[plane.name], (at, parts)))
        else:
            bond = plane.name in BONDED and len(ports) > 1
            names = (f"bond-{plane.name}",) if bond else tuple(p.name for p in ports)
            made.append(_family(design, plane, None, names, held[plane.name], (0, 1)))
    return made


def _family(
    design: Design,
    plane: PlaneDesign,
    port: NicPortDesign | None,
    names: tuple[str, ...],
    held: Range,
    part: tuple[int, int],
) -> Family:
    """``port`` is the one port of a rail's own networks; ``part`` the number of its part of the range, of how many."""
    target = target_nodes(design)
    fabric = plane.technology == "infiniband"
    routed = is_routed(design, plane)
    island = fabric and 0 < plane.island_nodes < target
    nodes = plane.nodes_per_leaf if routed else plane.island_nodes if island else target
    room = held.size // part[1]
    base = held.base + part[0] * room
    # A leaf has a fixed number of node slots, so that its network needs no headroom.
    size = min(power(RESERVED + nodes * len(names) + 1), room) if routed else size_for(nodes * len(names), room)
    vlan = None if fabric or held.vlan is None else held.vlan + part[0]
    stem = plane.name
    if port is not None and plane.rails > 1:
        stem += f"-r{port.rail}"
    if port is not None and plane.subplanes > 1:
        stem += f"-s{port.subplane}"
    return Family(
        stem=stem,
        plane=plane.name,
        kind="ipoib" if fabric else {"oob": "bmc", "storage": "storage"}.get(plane.name, "ethernet"),
        ports=names,
        rail=port.rail if port else -1,
        subplane=port.subplane if port else -1,
        base=base,
        size=size,
        end=base + room,
        block_nodes=max(1, nodes),
        blocks=-(-target // max(1, nodes)) if routed or island else 1,
        split="leaf" if routed else "island" if island else "",
        routed=not fabric,
        vlan=vlan,
        range=held,
    )


def is_routed(design: Design, plane: PlaneDesign) -> bool:
    """True for an Ethernet plane whose leaves, or those that it shares, hang on spines: the leaves are its routers."""
    host = design.plane(plane.share) if plane.share else None
    spines = plane.spine is not None or (host is not None and host.spine is not None)
    return plane.technology == "ethernet" and plane.name != "oob" and spines
