"""Ports for UFM and subnet manager hosts that nobody asked for: as many as the fabric has room for, where it has room.

What the requirement states is never changed: it is planned as far as ports go, and what finds none fails a design check.
"""

from __future__ import annotations

from dataclasses import replace

from asbuilt.design.fabric import count_island, guests_of, spines_of
from asbuilt.design.ledger import Ledger
from asbuilt.model.design import PlaneDesign
from asbuilt.model.requirement import Plane


def stated(asked: Plane | None) -> bool:
    """True when the requirement itself speaks of the plane's service ports."""
    return asked is not None and (asked.service_ports is not None or asked.service_at is not None)


def with_default_services(
    ledger: Ledger, asked: Plane | None, plane: PlaneDesign, planes: tuple[PlaneDesign, ...]
) -> PlaneDesign:
    """``plane`` with the service ports of its profile held to those that every island has free.

    On leaves where these have a port, as the published scalable units of 31 nodes leave it; else on the spines of a
    two-tier fabric; the rest is counted in ``service_unplaced`` and not planned. ``planes`` are its guests, if any.
    """
    wanted = plane.service_ports
    if stated(asked) or plane.share or not wanted:
        return plane
    path = f"planes.{plane.name}"
    found = _placed(plane, planes)
    if found < wanted and _two_tiers(plane):
        above = replace(plane, service_at="spine")
        there = _placed(above, planes)
        if there > found:
            ledger.assume(f"{path}.service_at", "spine", "every leaf port is taken, and the spines have free ones")
            plane, found = above, there
    if found < wanted:
        ledger.revise(f"{path}.service_ports", found, f"of {wanted} in the reference fabric: no further port is free")
    return replace(plane, service_ports=found, service_unplaced=wanted - found)


def _placed(plane: PlaneDesign, planes: tuple[PlaneDesign, ...]) -> int:
    """Service links that find a port in each island, in one subplane."""
    guests = guests_of(plane, planes)
    sizes = {min(plane.island_nodes, plane.nodes), plane.nodes % plane.island_nodes} - {0}
    return min(count_island(plane, nodes, guests, planes).service for nodes in sizes)


def _two_tiers(plane: PlaneDesign) -> bool:
    if plane.spine is None or not plane.uplinks or plane.nodes > plane.island_nodes:
        return False
    if plane.layout == "leaf-groups" and plane.nodes > plane.su_nodes:
        return False
    return spines_of(plane, -(-plane.nodes // plane.nodes_per_leaf) * plane.leaves_per_block) is not None
