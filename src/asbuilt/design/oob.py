"""The out-of-band plane: management switches sized by counting ports (BMCs, DPU BMCs, PDUs or power shelves, switches)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from asbuilt.design.ledger import Ledger
from asbuilt.design.ports import largest_divisor
from asbuilt.model.design import NodeDesign, PlaneDesign, SiteDesign
from asbuilt.model.requirement import Plane

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part

# DGX H100 and B200 reference bills: three metered PDUs in each compute rack.
PDUS_PER_RACK = 3
# NVSwitch BMC and COM Express of each NVLink switch tray have a management port each (DGX GB200 RA, out-of-band scope).
PORTS_PER_NVLINK_TRAY = 2


def oob_wish(
    ledger: Ledger,
    wish: Plane,
    rails: int,
    system: Part,
    node: NodeDesign,
    site: SiteDesign,
    su_nodes: int,
    planes: Iterable[PlaneDesign],
) -> Plane:
    """``wish`` with the nodes of one management switch: the largest even part of an SU (or NVL72 rack) whose ports fit.

    Ports for each node: its own, its share of the rack's PDUs (or power shelves and NVLink trays), and its share of the
    management ports of all other switches. Reproduces 8 switches for 127 DGX H100 and 16 for 127 DGX B200.
    """
    if wish.nodes_per_leaf is not None:
        return wish
    switch = wish.leaf.switch or "sn2201"
    if not ledger.catalogue.has("switch", switch):
        return wish
    ports = int(ledger.catalogue.get("switch", switch).value("ports")) - (wish.leaf.reserved_ports or 0)
    if node.units_are_racks:
        shelves = int(ledger.figure(system, "power_shelves", 8))
        trays = int(ledger.figure(system, "nvlink_switch_trays", 9))
        per_rack, whole = shelves + PORTS_PER_NVLINK_TRAY * trays, node.nodes_per_unit
    else:
        per_rack, whole = PDUS_PER_RACK, su_nodes
        ledger.assume("site.pdus_per_rack", PDUS_PER_RACK, "DGX H100 and B200 reference bills")
    per_node = rails + per_rack / site.nodes_per_rack + sum(_switch_ports(p) for p in planes)
    slots = largest_divisor(whole, ports / per_node)
    why = f"{per_node:.2f} out-of-band ports a node on {ports} ports, an even part of {whole} nodes"
    ledger.assume("planes.oob.nodes_per_leaf", slots, why)
    reserved = ports - slots * rails
    tier = replace(wish.leaf, switch=switch, reserved_ports=max(0, reserved) + (wish.leaf.reserved_ports or 0))
    return replace(wish, leaf=tier, nodes_per_leaf=slots)


def _switch_ports(plane: PlaneDesign) -> float:
    """Management ports of the plane's switches for each node, in a large cluster: its leaves, spines and cores."""
    if plane.name == "oob" or plane.share:
        return 0.0
    per_leaf = 1.0
    if plane.spine is not None:
        per_leaf += plane.uplinks / plane.spine.ports
    return plane.subplanes * plane.leaves_per_block / plane.nodes_per_leaf * per_leaf
