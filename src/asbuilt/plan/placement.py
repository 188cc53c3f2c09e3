"""Where every device stands: rows, racks, U. Nodes fill the compute positions in order; network racks stand mid-row.

Row of R positions: the middle ones are kept for network racks, as many as the hall's share of them needs; nodes take the
others from position 1 on. Leaves and what is above them are packed by U, W and kg, so that a rack holds what it carries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from asbuilt.design.racks import NODES_PER_MANAGEMENT_RACK, STORAGE_RACK_KW, STORAGE_SHARES_RACK_KW
from asbuilt.model.design import Design, PlaneDesign, SiteDesign
from asbuilt.plan.figures import DeviceFigures

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
COMPUTE, NETWORK, MANAGEMENT, STORAGE = 0, 1, 2, 3
RACK_ROLES = ("compute", "network", "management", "storage")
#: U kept free below the first device of a network rack, for the cable entry.
_BOTTOM_U = 3.0
#: Rows behind one another before the next ones are put beside them: about 100 m, the depth of a large hall.
ROWS_PER_HALL = 32
#: Rows up to which switches keep their racks under growth; in larger halls short cables matter more.
_FIRM_ROWS = 6
#: From the bottom of an NVL72 rack: 4 power shelves, 8 compute trays, 9 NVLink switch trays, 10 compute trays, 4 power
#: shelves, 2 management switches (NVIDIA DGX GB200 user guide, hardware chapter).
_NVL72_LOWER = 8
_NVL72_FIRST_U = 5
_NVL72_SWITCH_TRAYS = 9


@dataclass(frozen=True, slots=True)
class Packed:
    """One entry per device: rack number within its kind of rack, and the lowest U."""

    rack: Ints
    u: Floats
    racks: int


@dataclass(frozen=True, slots=True)
class Hall:
    """Racks in hall order (row by row). ``kind``, ``row``, ``position`` (from 1) per rack; where each device stands."""

    kind: Ints
    row: Ints
    position: Ints
    x_mm: Floats
    y_mm: Floats
    node_rack: Ints
    node_u: Floats
    network_rack: Ints
    network_u: Floats
    network_positions: int

    def __len__(self) -> int:
        return len(self.kind)


def line_of_row(row: Ints) -> Ints:
    """Line of a row in its hall. Every other hall runs back, so that rows that follow one another are neighbours."""
    hall, line = np.divmod(row, np.int32(ROWS_PER_HALL))
    return np.where(hall % 2 == 0, line, ROWS_PER_HALL - 1 - line).astype(np.int32)


def hall_width_mm(site: SiteDesign) -> float:
    """From one hall's first position to the next hall's: a row and the main aisle beside it."""
    return max(2, site.racks_per_row) * site.rack_width_mm + 2 * site.aisle_mm


def place_nodes(design: Design) -> Packed:
    """Nodes in order, ``nodes_per_rack`` to a rack; NVL72 trays in the order of the rack's own stack."""
    count, site, node = design.nodes, design.site, design.node
    per_rack = node.nodes_per_unit if node.units_are_racks else site.nodes_per_rack
    at = np.arange(count, dtype=np.int32)
    rack, slot = np.divmod(at, np.int32(per_rack))
    if node.units_are_racks:
        above = np.where(slot >= _NVL72_LOWER, _NVL72_SWITCH_TRAYS, 0)
        u = _NVL72_FIRST_U + slot * node.height_u + above
    else:
        room = max(0.0, site.rack_height_u - per_rack * node.height_u)
        gap = min(2.0, float(room // (per_rack + 1)))  # air and cable room between nodes, never more than 2 U
        u = 1.0 + gap + slot * (node.height_u + gap)
    return Packed(rack, u.astype(np.float64), int(rack[-1]) + 1 if count else 0)


def built_in_racks(design: Design, plane: PlaneDesign, role: Ints) -> Ints:
    """The compute rack that each switch of a plane is built into, -1 for those that stand in network racks.

    ``role``: tier of each switch. Leaf n serves nodes from ``n * nodes_per_leaf``; a rack holds the first few of its leaves.
    """
    own = np.full(len(role), -1, np.int32)
    held = design.node.built_in(plane)
    if held:
        leaves = np.flatnonzero(role == 0)
        rack, within = np.divmod(np.arange(len(leaves), dtype=np.int32), design.node.nodes_per_unit // plane.nodes_per_leaf)
        own[leaves] = np.where(within < held, rack, -1)
    return own


def build_in(design: Design, network: Packed, own_rack: Ints) -> Packed:
    """The lowest U of switches that are built into compute racks: on top of the upper power shelves."""
    top = 2 * (_NVL72_FIRST_U - 1) + design.node.nodes_per_unit * design.node.height_u + _NVL72_SWITCH_TRAYS + 1
    inside = np.flatnonzero(own_rack >= 0)
    u = network.u.copy()
    u[inside] = top + inside - inside[np.searchsorted(own_rack[inside], own_rack[inside])]
    return Packed(network.rack, u, network.racks)


def pack_network(devices: Sequence[DeviceFigures], kinds: Ints, site: SiteDesign, own_rack: Ints) -> Packed:
    """Pack devices (``kinds[i]`` names the figures of device i) in order into racks by U, W and kg; first rack that fits is
    the one at hand, else a new one. Devices with a rack of their own (not -1) are left out, with rack -1."""
    count = len(kinds)
    rack, u = np.zeros(count, np.int32), np.zeros(count, np.float64)
    limit_w, limit_kg = site.rack_power_kw * 1000.0, site.rack_weight_kg - (site.rack_own_weight_kg or 0.0)
    heights = [d.height_u for d in devices]
    watts = [d.nameplate_w for d in devices]
    weights = [d.weight_kg or 0.0 for d in devices]
    at, used_u, used_w, used_kg = 0, 0.0, 0.0, 0.0
    rack[own_rack >= 0] = -1
    loose = np.flatnonzero(own_rack < 0)
    for i, kind in zip(loose.tolist(), kinds[loose].tolist(), strict=True):
        high, power, heavy = heights[kind], watts[kind], weights[kind]
        full = used_u + high > site.switch_u_per_rack or used_w + power > limit_w or used_kg + heavy > limit_kg
        if full and used_u > 0:
            at, used_u, used_w, used_kg = at + 1, 0.0, 0.0, 0.0
        rack[i] = at
        u[i] = used_u
        used_u, used_w, used_kg = used_u + high, used_w + power, used_kg + heavy
    # Half-filled racks leave a cable manager of the device's own height above each device.
    spread = 2.0 if 2 * site.switch_u_per_rack + _BOTTOM_U <= site.rack_height_u + 1 else 1.0
    return Packed(rack, _BOTTOM_U + u * spread, at + 1 if len(loose) else 0)


def draw_near(design: Design, nodes: Packed, network: Packed, alike: Ints, pull: Floats) -> Packed:
    """In a large hall, like devices trade places so that each rack holds those that are wanted near each other.

    ``alike`` numbers the kind of device (same model). Racks stay as full as they were. Kinds run to and fro through the
    hall, so that a rack in which one kind ends and the next begins is wanted in one place. Halls of up to `_FIRM_ROWS` rows
    are left alone: there every leaf keeps its rack and U when blocks are added behind it.
    """
    if nodes.racks <= _FIRM_ROWS * max(2, design.site.racks_per_row):
        return network
    rack, u = network.rack.copy(), network.u.copy()
    for turn, kind in enumerate(dict.fromkeys(alike.tolist())):
        places = np.flatnonzero((alike == kind) & (rack >= 0))
        order = places[np.argsort(pull[places] * (-1.0 if turn % 2 else 1.0), kind="stable")]
        rack[order], u[order] = network.rack[places], network.u[places]
    return Packed(rack, u, network.racks)


def lay_out(
    design: Design,
    nodes: Packed,
    network: Packed,
    pull: Floats,
    serves: Floats,
    management: int,
    storage: int,
    own_rack: Ints,
) -> Hall:
    """Rows of the hall. Every row keeps the same middle positions for network racks, so that growth appends rows.

    ``pull`` is, per network device, the mean number of the compute racks that it serves: each network rack stands in the
    row where its devices are wanted, as far as the middle positions allow; those that serve nodes (``serves``) choose first,
    since their links are the short-reach ones. ``management`` and ``storage`` racks stand in a
    row of their own behind the others.
    """
    site = design.site
    across = max(2, site.racks_per_row)
    middle = network_positions(nodes.racks, network.racks, across)
    sides = across - middle
    first = sides // 2 + 1
    row_c, place = np.divmod(np.arange(nodes.racks, dtype=np.int32), np.int32(sides))
    position_c = np.where(place < first - 1, place + 1, place + 1 + middle)
    rows = max(1, -(-nodes.racks // sides), -(-network.racks // middle))
    loose = own_rack < 0
    held = network.rack[loose]
    wanted = np.bincount(held, pull[loose], network.racks) / np.maximum(np.bincount(held, minlength=network.racks), 1)
    first_served = np.bincount(held, serves[loose], network.racks) > 0
    row_n, seat = np.divmod(_seats(wanted / sides, first_served, middle, rows), np.int32(middle))
    behind = int(max(row_c.max(initial=-1), row_n.max(initial=-1))) + 1
    row_s, place_s = np.divmod(np.arange(management + storage, dtype=np.int32), np.int32(across))
    numbers = ((COMPUTE, nodes.racks), (NETWORK, network.racks), (MANAGEMENT, management), (STORAGE, storage))
    kind = np.concatenate([np.full(count, code, np.int32) for code, count in numbers])
    row = np.concatenate([row_c, row_n, row_s + behind]).astype(np.int32)
    position = np.concatenate([position_c, first + seat, place_s + 1]).astype(np.int32)
    order = np.lexsort((position, row))
    back = np.empty(len(order), np.int32)
    back[order] = np.arange(len(order), dtype=np.int32)
    row, position = row[order], position[order]
    return Hall(
        kind=kind[order],
        row=row,
        position=position,
        x_mm=(position - 1).astype(np.float64) * site.rack_width_mm + (row // ROWS_PER_HALL) * hall_width_mm(site),
        y_mm=line_of_row(row).astype(np.float64) * (site.rack_depth_mm + site.aisle_mm),
        node_rack=back[nodes.rack],
        node_u=nodes.u,
        network_rack=back[np.where(loose, nodes.racks + network.rack, own_rack)],
        network_u=network.u,
        network_positions=middle,
    )


def _seats(wanted_row: Floats, first: NDArray[np.bool_], middle: int, rows: int) -> Ints:
    """A middle position (row * ``middle`` + seat) for each network rack; racks marked ``first`` choose before the others."""
    seats = np.empty(len(wanted_row), np.int32)
    free = np.arange(rows * middle, dtype=np.int32)
    for group in (np.flatnonzero(first), np.flatnonzero(~first)):
        taken = _nearest(wanted_row[group] * middle, free)
        seats[group] = free[taken]
        free = np.delete(free, taken)
    return seats


def _nearest(goal: Floats, free: Ints) -> Ints:
    """Which of the ``free`` seats (ascending) each rack takes, as near to its goal as the others allow.

    Racks keep the order of their goals; the least squares of the shifts under that order (pooling neighbours that want the
    same seats), rounded.
    """
    count = len(goal)
    order = np.argsort(goal, kind="stable")
    start = (np.searchsorted(free, goal[order]) - np.arange(count)).clip(0, max(0, len(free) - count))
    pools: list[tuple[float, int]] = []
    for value in start.tolist():
        total, size = float(value), 1
        while pools and pools[-1][0] / pools[-1][1] > total / size:
            before, number = pools.pop()
            total, size = total + before, size + number
        pools.append((total, size))
    taken = np.empty(count, np.int32)
    if pools:
        shift = np.concatenate([np.full(size, round(total / size)) for total, size in pools])
        taken[order] = shift + np.arange(count)
    return taken


def network_positions(compute: int, network: int, across: int) -> int:
    """Middle positions of each row kept for network racks: the fewest that hold them all in the rows that nodes need."""
    for middle in range(1, across):
        rows = max(1, -(-compute // (across - middle)))
        if rows * middle >= network:
            return middle
    return across - 1


def beside_trays(design: Design) -> tuple[tuple[str, int, int], ...]:
    """What an NVL72 rack holds beside its compute trays, from the bottom: kind, lowest U, how many of 1U.

    Of the management switches only those that no plane plans: the planned ones `build_in` puts on top, one U after another.
    """
    node = design.node
    planned = sum(node.built_in(plane) for plane in design.planes)
    between = _NVL72_FIRST_U + int(_NVL72_LOWER * node.height_u)
    above = _NVL72_FIRST_U + int(node.nodes_per_unit * node.height_u) + _NVL72_SWITCH_TRAYS
    shelves = _NVL72_FIRST_U - 1
    return (
        ("shelf", 1, shelves),
        ("nvlink-switch", between, _NVL72_SWITCH_TRAYS),
        ("shelf", above, shelves),
        ("management", above + shelves + planned, max(0, node.management_switches - planned)),
    )


def rack_extra_u(design: Design, hall: Hall) -> Floats:
    """U that an NVL72 rack holds beside its compute trays (NVLink switch trays, power shelves, management switches)."""
    beside = 0.0
    if design.node.units_are_racks:
        planned = sum(design.node.built_in(plane) for plane in design.planes)
        beside = float(_NVL72_SWITCH_TRAYS + 2 * (_NVL72_FIRST_U - 1) + design.node.management_switches - planned)
    return np.where(hall.kind == COMPUTE, beside, 0.0)


def management_racks(design: Design) -> int:
    """Racks of management, login and provisioning servers: one for every `NODES_PER_MANAGEMENT_RACK` nodes begun.

    Up to one SU they stand in the network rack.
    """
    if design.nodes <= int(design.extra.get("su_nodes", 0)):
        return 0
    return len(range(0, design.nodes, NODES_PER_MANAGEMENT_RACK))


def storage_racks(power_kw: float) -> int:
    """Racks of storage arrays, filled one by one with `STORAGE_RACK_KW` each; a small array stands in a network rack."""
    if power_kw <= STORAGE_SHARES_RACK_KW:
        return 0
    racks, left = 1, power_kw - STORAGE_RACK_KW
    while left > 1e-3:
        racks, left = racks + 1, left - STORAGE_RACK_KW
    return racks
