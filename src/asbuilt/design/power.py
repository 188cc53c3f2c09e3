"""The power chain, with every default chosen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from asbuilt.design.ledger import Choices, Ledger
from asbuilt.model.design import NodeDesign, SiteDesign
from asbuilt.model.design_power import PowerDesign
from asbuilt.model.requirement import Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part

#: Voltages of a system that count as the same: 400 V equipment stands on 415 V, 480 V equipment does not.
SAME_VOLTAGE = 0.05
BUSWAY = "busway-copper"
#: Which connector goes with which inlet of IEC 60320.
CONNECTORS = {"C14": "C13", "C16": "C15", "C20": "C19", "C22": "C21"}
_POLICY = "site policy, no public standard gives a number: verify"


def resolve_power(ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign, site: SiteDesign) -> PowerDesign:
    """`PowerDesign` from the requirement; what it leaves open is assumed and recorded."""
    asked, pick = requirement.power, Choices(ledger, "power", requirement.power)
    basis = str(pick("basis", "nec", "continuous loads at 80 % of the breaker: the stricter of the two"))
    voltage = pick.number(
        "voltage_v",
        415.0 if basis == "nec" else 400.0,
        "415/240 V wye, as in the reference architectures" if basis == "nec" else "400/230 V, the IEC supply",
    )
    redundancy = pick("redundancy", {1: "N", 2: "2N"}.get(site.feeds, "N+1"), "from the feeds")
    inlet = str(pick("node_inlet", _inlet(ledger, system), "inlet of the system's cords")) if node.psus else "C20"
    connector = str(pick("node_connector", CONNECTORS[inlet], "fits the inlet")) if node.psus else CONNECTORS[inlet]
    bonds = ("bond_bus_mohm", "bond_rack_mohm", "potential_warn_mv", "potential_fail_mv")
    return PowerDesign(
        basis=basis,
        redundancy=str(redundancy),
        voltage_v=voltage,
        source=str(pick("source", "ups", "nobody says; GPUs behind a UPS")),
        sources=asked.sources or (),
        feed_capacity_kw=asked.feed_capacity_kw,
        fault_ka=asked.fault_ka,
        pickup_multiple=asked.pickup_multiple,
        icu_ka=asked.icu_ka,
        bank_icu_ka=asked.bank_icu_ka,
        selectivity_study=asked.selectivity_study,
        distribution=str(pick("distribution", "busway", "rows are fed from above, and tap-offs can be moved")),
        busway=BUSWAY,
        busway_a=asked.busway_a,
        busway_entry=str(pick("busway_entry", "end", "the usual and the worse one for the voltage drop")),
        pdu=_pdu(ledger, requirement, voltage),
        pdus_per_feed=asked.pdus_per_feed,
        sides=tuple(pick("sides", ("left", "right", "left", "right")[: site.feeds], "A and C left, B and D right, every rack")),
        whip_m=pick.number("whip_m", 3.0, "from a busway above the rack to the PDU's inlet; equal for all racks"),
        cord_m=pick.number("cord_m", 2.0, "from a supply to a vertical PDU of its own rack"),
        node_inlet=inlet,
        node_connector=connector,
        shelf_feeds=_shelf_feeds(ledger, requirement, system, node, site),
        shelf_circuits=asked.shelf_circuits,
        power_factor=pick.number("power_factor", 0.98, "supplies with power factor correction"),
        sharing_skew=pick.number("sharing_skew_percent", 5.0, "supplies that share do so within a few percent: verify") / 100,
        node_sustained_w=asked.node_sustained_w,
        node_peak_w=asked.node_peak_w,
        node_peak_s=asked.node_peak_s,
        node_idle_w=asked.node_idle_w,
        bond_bus_mohm=pick.number("bond_bus_mohm", 5.0, _POLICY),
        bond_rack_mohm=pick.number("bond_rack_mohm", 10.0, _POLICY),
        potential_warn_mv=pick.number("potential_warn_mv", 10.0, _POLICY),
        potential_fail_mv=pick.number("potential_fail_mv", 50.0, _POLICY),
        bonds_declared=all(getattr(asked, name) is not None for name in bonds),
        declared_feeds=requirement.site.feeds is not None,
        circuits_as_built=asked.circuits_as_built,
        cords_as_built=asked.cords_as_built,
    )


def _inlet(ledger: Ledger, system: Part) -> str:
    """Inlet of the system's supplies from its cord type: ``C19/C20 locking``. C20 where that says none."""
    found = re.search(r"\bC(14|16|20|22)\b", str(ledger.figure(system, "cord_type", "")))
    return found.group(0) if found else "C20"


def _shelf_feeds(ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign, site: SiteDesign) -> tuple[str, ...]:
    """Feed of each power shelf of a rack-scale system, bottom to top; the list repeats where it is shorter than the stack."""
    count = int(ledger.figure(system, "power_shelves", 0)) if node.units_are_racks else 0
    if not count:
        return ()
    asked = requirement.power.shelf_feeds
    if asked is None and requirement.site.cords is not None and len(requirement.site.cords) == count:
        asked = requirement.site.cords
    if asked is None:
        dealt = tuple("ABCD"[i % site.feeds] for i in range(count))
        why = "interleaved: with one feed at the top and one at the bottom, half of the rack crosses one busbar section"
        return tuple(ledger.assume("power.shelf_feeds", dealt, why + " when a feed is lost"))
    return tuple(asked[i % len(asked)] for i in range(count))


def _pdu(ledger: Ledger, requirement: Requirement, voltage: float) -> str:
    """The PDU as asked (CAT-002 when the catalogue has none of that name), else the strongest of the site's voltage."""
    asked = requirement.power.pdu
    if asked is not None:
        ledger.part("power", asked, "power.pdu")
        return asked
    best: tuple[float, str] = (0.0, "")
    for name in ledger.catalogue.ids("power"):
        part = ledger.catalogue.get("power", name)
        if part.value("class") != "rack-pdu" or not part.has("voltage_v") or not part.has("capacity_kva"):
            continue
        if abs(float(part.value("voltage_v")) - voltage) > voltage * SAME_VOLTAGE:
            continue
        # The nearer voltage first: a 400 V PDU on 415 V only where there is no other.
        carried = float(part.value("capacity_kva", 0.0)) / (1.0 + abs(float(part.value("voltage_v")) - voltage))
        if carried > best[0]:
            best = (carried, name)
    if best[1]:
        return str(ledger.assume("power.pdu", best[1], "the strongest rack PDU of the catalogue for this voltage"))
    ledger.warn(
        f"the catalogue has no rack PDU for {voltage:g} V between phases; racks with PDUs are planned with one for 415 V"
    )
    return str(ledger.assume("power.pdu", "raritan-px3-5878", "PDU of the DGX H100 reference build"))
