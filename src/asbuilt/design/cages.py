"""Transceivers of one leaf, spine or core: the cages in which at least one pluggable link ends."""

from __future__ import annotations

from asbuilt.model.design import PlaneDesign


def of_run(first_port: int, ports: int, per_cage: int) -> set[int]:
    """Cages (from 0) under ``ports`` neighbouring ports from ``first_port`` (from 1), ``per_cage`` ports in a cage."""
    if ports <= 0:
        return set()
    return set(range((first_port - 1) // per_cage, (first_port + ports - 2) // per_cage + 1))


def guest_ports(plane: PlaneDesign) -> int:
    """Ports of a leaf that guests may take: what they ask for, held to what own rails and uplinks leave."""
    own = plane.nodes_per_leaf * plane.rails_per_leaf + plane.uplinks * plane.uplink_units
    return max(0, min(plane.shared_rails * plane.nodes_per_leaf, plane.leaf.ports - own))


def of_leaf(
    plane: PlaneDesign, nodes: int, column: int, guests: tuple[tuple[PlaneDesign, int], ...], services: tuple[int, ...]
) -> int:
    """Modules of leaf ``column`` of a block that holds ``nodes`` nodes.

    ``guests`` are planes on the same leaves with the number of their first local rail; ``services`` the ports that go to
    service hosts. Ports as `PlaneDesign` lays them out: own rails, guest rails, uplinks.
    """
    slots, per_cage = plane.nodes_per_leaf, plane.leaf.ports_per_cage
    columns = plane.leaves_per_block
    taken: set[int] = set()
    if not plane.node_fixed_ends:
        for rail in range(min(plane.rails_per_leaf, plane.rails - column * plane.rails_per_leaf)):
            taken |= of_run(rail * slots + 1, nodes, per_cage)
        taken |= {(port - 1) // per_cage for port in services}
    for guest, before in guests:
        if guest.node_fixed_ends:
            continue
        for local in range(before, before + (guest.rails - column + columns - 1) // columns):
            found = min(nodes, max(0, guest_ports(plane) - local * slots))
            taken |= of_run((plane.rails_per_leaf + local) * slots + 1, found, per_cage)
    if not plane.switch_fixed_ends and (plane.spine is not None or plane.share_tier == "spine"):
        first = slots * plane.rails_per_leaf + guest_ports(plane)
        taken |= {(first + j * plane.uplink_units) // per_cage for j in range(plane.uplinks)}
    return len(taken)


def filled(ports: int, per_cage: int) -> int:
    """Modules under the first ``ports`` ports of a switch."""
    return -(-ports // per_cage)


def of_spine(down: int, up_first: int, up: int, per_cage: int) -> int:
    """Modules of a spine with ``down`` ports from port 1 and ``up`` ports from ``up_first``; the two may share a cage."""
    return len(of_run(1, down, per_cage) | of_run(up_first, up, per_cage))
