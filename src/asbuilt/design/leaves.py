"""How nodes meet leaves: node slots of a leaf, rails that share one, its uplinks; pods and leaf groups above."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.design.ledger import Ledger
from asbuilt.design.ports import balance
from asbuilt.model.design import TierDesign
from asbuilt.model.requirement import Plane


@dataclass(frozen=True, slots=True)
class Leaves:
    """Node slots of one leaf, rails that share a leaf, uplinks of one leaf; ``single``: one switch is the whole fabric."""

    nodes_per_leaf: int
    rails_per_leaf: int
    uplinks: int
    single: bool = False


@dataclass(frozen=True, slots=True)
class Ends:
    """What plugs into the leaves of a plane: ``nodes`` to make room for, with ``rails`` ports of their own each and
    ``guest_rails`` ports of planes that share the leaves; ``unit_nodes`` come as one rack (NVL72) or singly (1)."""

    nodes: int
    rails: int
    guest_rails: int
    service: int
    unit_nodes: int


def leaves(
    ledger: Ledger,
    path: str,
    wish: Plane,
    leaf: TierDesign,
    units: int,
    link: float,
    uplink: float,
    upper: bool,
    dictated: bool,
    ends: Ends,
) -> Leaves:
    """`Leaves` of a plane. What the requirement dictates stands; the rest is as large as the ports and the promised
    oversubscription allow. ``upper``: there is a tier above; ``dictated``: the requirement itself fixes the leaf.

    Small fabrics: when every end port fits one switch, that switch is the fabric; when a block would be mostly empty,
    several rails share a leaf (the largest divisor of the rails that fits).
    """
    layout = wish.layout or "rail-optimised"
    per_node = ends.rails + ends.guest_rails
    if upper and not dictated and layout != "leaf-groups" and ends.nodes * per_node + ends.service <= leaf.ports:
        return Leaves(leaf.ports // per_node, ends.rails, 0, single=True)
    if not upper:
        down, uplinks = leaf.ports, 0
    elif wish.leaf.uplinks is not None:
        down, uplinks = leaf.ports - wish.leaf.uplinks * units, wish.leaf.uplinks
    else:
        down, uplinks = balance(leaf.ports, units, link, uplink, wish.oversubscription or 1.0)
    shared = ends.rails if layout == "fat-tree" else 1
    if layout == "rail-optimised" and upper and not dictated:
        slots = down // (1 + _guests(ends, 1))
        if ends.nodes < slots:
            shared = max(
                (q for q in range(1, ends.rails + 1) if ends.rails % q == 0 and ends.nodes * (q + _guests(ends, q)) <= down),
                default=1,
            )
    room = max(1, down // (shared + _guests(ends, shared)))
    block = -(-ends.rails // shared)
    slots = _slots(ledger, path, wish, room, block, ends)
    if layout == "leaf-groups" and wish.leaf.uplinks is None and wish.nodes_per_leaf is None:
        slots = min(slots, ends.unit_nodes)
    if upper and wish.leaf.uplinks is None and wish.nodes_per_leaf is not None and slots * shared < down:
        # Fewer nodes than the leaf could take: no more uplinks than these need.
        wanted = slots * (shared + _guests(ends, shared)) * link / (uplink * (wish.oversubscription or 1.0))
        uplinks = min(uplinks, max(1, -(-int(wanted * 1_000_000) // 1_000_000)))
    if layout == "leaf-groups" and wish.leaf.uplinks is None:
        uplinks = min(uplinks, -(-int(slots * shared * link) // int(uplink)))
    return Leaves(slots, shared, uplinks)


def _guests(ends: Ends, shared: int) -> int:
    """Ports of guest planes on each leaf for one node, when ``shared`` own rails sit on a leaf."""
    return -(-ends.guest_rails * shared // ends.rails)


def _slots(ledger: Ledger, path: str, wish: Plane, room: int, block: int, ends: Ends) -> int:
    if wish.nodes_per_leaf is not None:
        return wish.nodes_per_leaf
    if wish.leaf.count:
        if wish.leaf.count % block:
            ledger.problem(
                "REQ-408",
                f"{path}.leaf.count: {wish.leaf.count} leaves do not make whole blocks of {block}",
                f"{ends.rails} rails take {block} leaves for every group of nodes",
                f"ask for a multiple of {block}, or leave count out",
            )
            return room
        return max(1, -(-ends.nodes // (wish.leaf.count // block)))
    return room


def pods(spine: TierDesign | None, oversubscription: float, block: int) -> tuple[int, int]:
    """(leaves of a pod, uplinks of a spine) of a three-tier fabric; a pod holds whole blocks of ``block`` leaves."""
    if spine is None:
        return 0, 0
    up = int(spine.ports / (1 + oversubscription))
    return max(block, (spine.ports - up) // block * block), up


def groups(uplinks: int, spine: TierDesign, leaves_per_group: int) -> tuple[int, int, int]:
    """(spines of a leaf group, uplinks of a spine, downlink ports kept on a spine) for a group of ``leaves_per_group``.

    The spines are the largest divisor of a leaf's uplinks that leaves them as many uplinks as downlinks and no more
    than half of their ports: 8 leaves x 18 uplinks on 6 spines of 24 down and 24 up in the DGX GB200 reference.
    """
    fewest = -(-2 * leaves_per_group * uplinks // spine.ports)
    count = min((d for d in range(1, uplinks + 1) if uplinks % d == 0 and d >= fewest), default=uplinks)
    down = leaves_per_group * uplinks // count
    return count, down, down
