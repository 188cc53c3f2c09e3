"""Whether node links end in modules or in the cable itself, once the cards of every plane are known.

Modules of two lane rates do not understand each other: a card of 50 Gb/s lanes (HDR) on a switch of 100 Gb/s lanes (NDR)
takes a cable with fixed ends, two of its links to one twin-port cage.
"""

from __future__ import annotations

from dataclasses import replace

from asbuilt.design.ledger import Ledger
from asbuilt.model.design import NodeDesign, PlaneDesign

#: Copper and AOC for OSFP cages are short or split: slow links there take modules too.
_OPTICS_ONLY = "osfp"


def with_ends(ledger: Ledger, planes: tuple[PlaneDesign, ...], node: NodeDesign) -> tuple[PlaneDesign, ...]:
    """``planes`` with ``node_fixed_ends`` by the lane rates at both ends; a change is recorded as an assumption."""
    return tuple(_settled(ledger, plane, node) for plane in planes)


def _settled(ledger: Ledger, plane: PlaneDesign, node: NodeDesign) -> PlaneDesign:
    card = next((n.part for n in node.nics if n.plane == plane.name), "")
    switch = ledger.catalogue.get("switch", plane.leaf.switch)
    if plane.node_fixed_ends and switch.value("cage") == _OPTICS_ONLY:
        why = f"no cable with fixed ends for {plane.link_gbps:g} Gb/s reaches far from the OSFP cages of {plane.leaf.switch}"
        ledger.assume(f"planes.{plane.name}.media.node", "optics", why)
        return replace(plane, node_fixed_ends=False)
    if plane.node_fixed_ends or not ledger.catalogue.has("nic", card):
        return plane
    there = float(switch.value("lane_gbps", 0.0) or 0.0)
    here = float(ledger.catalogue.get("nic", card).value("lane_gbps", 0.0) or 0.0)
    if not 0 < here < there:
        return plane
    why = f"{card} runs {here:g} Gb/s lanes and {plane.leaf.switch} {there:g}: no two modules understand each other"
    ledger.assume(f"planes.{plane.name}.media.node", "fixed ends", why)
    return replace(plane, node_fixed_ends=True)
