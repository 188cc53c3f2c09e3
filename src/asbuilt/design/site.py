"""The building, with every default chosen: rack limits, rows, power, cooling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.design.ledger import Choices, Ledger
from asbuilt.model.design import NodeDesign, SiteDesign
from asbuilt.model.requirement import Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part

# Switches and management servers fill a network rack to about half: the rest is cable managers and patch panels.
# The DGX H100 reference bill of four SUs puts 80 switches, UFM and management hosts into six racks.
SWITCH_U_PER_RACK = 20
PUE_AIR = 1.4
PUE_LIQUID = 1.2


def resolve_site(ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign) -> SiteDesign:
    """`SiteDesign` from the requirement; what it leaves open is assumed and recorded."""
    asked = requirement.site
    rack_id = "nvl72-rack" if node.units_are_racks else "rack-48u"
    rack = _rack(ledger, rack_id)

    pick = Choices(ledger, "site", asked)
    liquid = max(node.liquid_fraction, node.unit_liquid_fraction) >= 0.5
    height = int(pick("rack_height_u", int(_of(ledger, rack, "height_u", 48)), "rack of the catalogue"))
    per_rack = _nodes_per_rack(
        ledger, asked.nodes_per_rack, asked.rack_power_kw, asked.rack_weight_kg, height, system, node, rack
    )
    feeds = int(pick("feeds", 2, "two independent feeds, A and B"))
    cords = asked.cords or _cords(ledger, node, feeds)
    need_kw = node.unit_power_max_w / 1000 if node.units_are_racks else per_rack * node.power_max_w / 1000
    return SiteDesign(
        rack_height_u=height,
        rack_power_kw=float(pick("rack_power_kw", round(need_kw + 0.05, 1), "what the fullest rack of nodes draws at most")),
        rack_weight_kg=float(
            pick("rack_weight_kg", _of(ledger, rack, "load_max_kg", 1360.0), "static load of the catalogue's rack")
        ),
        rack_width_mm=float(pick("rack_width_mm", _of(ledger, rack, "width_mm", 600.0), "rack of the catalogue")),
        rack_depth_mm=float(pick("rack_depth_mm", _of(ledger, rack, "depth_mm", 1200.0), "rack of the catalogue")),
        nodes_per_rack=per_rack,
        racks_per_row=int(
            pick("racks_per_row", 16 if not node.units_are_racks else 8, "one scalable unit fills a row or half of it")
        ),
        aisle_mm=float(pick("aisle_mm", 1800.0, "three tiles: a cold aisle wide enough to slide an 8U server out")),
        tray_height_mm=float(pick("tray_height_mm", 2600.0, "trays 300 mm above a 48U rack")),
        slack_m=float(pick("slack_m", 1.0, "half a metre of service loop at each end")),
        power_mw=asked.power_mw,
        pue=float(
            pick(
                "pue",
                PUE_LIQUID if liquid else PUE_AIR,
                "upper half of the design range for " + ("liquid" if liquid else "air"),
            )
        ),
        cooling=str(
            pick("cooling", "mixed" if node.liquid_fraction or node.unit_liquid_fraction else "air", "what the system needs")
        ),
        coolant_supply_c=float(pick("coolant_supply_c", 40.0, "warm water without chillers, below the W45 limit")),
        air_inlet_c=float(pick("air_inlet_c", 25.0, "middle of the ASHRAE recommended range 18-27 °C")),
        feeds=feeds,
        cords=tuple(cords),
        airflow=str(pick("airflow", "connector-to-port", "switch ports face the hot aisle, where the nodes' ports are")),
        switch_u_per_rack=ledger.assume(
            "site.switch_u_per_rack", SWITCH_U_PER_RACK, "network racks are half full: cable managers"
        ),
        switch_ports_face=str(pick("switch_ports_face", "hot", "the nodes' network ports are at their rear")),
        rack_part=rack.id if rack else "",
        rack_own_weight_kg=_of(ledger, rack, "weight_kg", None),
    )


def _cords(ledger: Ledger, node: NodeDesign, feeds: int) -> tuple[str, ...]:
    """Feed of each power cord: the cords of a node dealt evenly over the feeds, in blocks."""
    letters, count = "ABCD"[:feeds], max(1, node.psus)
    cords = tuple(letters[i * feeds // count] for i in range(count))
    ledger.assume("site.cords", "".join(cords), "power cords spread evenly over the feeds")
    return cords


def _rack(ledger: Ledger, wanted: str) -> Part | None:
    """The rack of the catalogue: ``wanted``, else the first one; None for a catalogue without racks."""
    ids = ledger.catalogue.ids("rack")
    if not ids:
        return None
    return ledger.catalogue.get("rack", wanted if wanted in ids else ids[0])


def _of(ledger: Ledger, part: Part | None, key: str, default: Any) -> Any:
    return default if part is None else ledger.figure(part, key, default)


def _nodes_per_rack(
    ledger: Ledger,
    asked: int | None,
    power_kw: float | None,
    weight_kg: float | None,
    height_u: int,
    system: Part,
    node: NodeDesign,
    rack: Part | None,
) -> int:
    """Nodes of one rack: as asked, else the reference number held down by the rack's kW, kg and U. At least 1."""
    if node.units_are_racks:
        return node.nodes_per_unit
    if asked is not None:
        return asked
    count = int(ledger.figure(system, "nodes_per_rack", 1))
    limits = {"reference build": count, "height": int(height_u // max(1.0, node.height_u))}
    if power_kw is not None:
        limits["rack power"] = int(power_kw * 1000 // node.power_max_w)
    load = weight_kg if weight_kg is not None else _of(ledger, rack, "load_max_kg", None)
    if load is not None and node.weight_kg:
        limits["rack load"] = int(load // node.weight_kg)
    fewest = min(limits.values())
    why = " and ".join(name for name, value in limits.items() if value == fewest)
    if fewest < 1:
        ledger.warn(
            f"one {node.system} draws {node.power_max_w / 1000:g} kW and weighs {node.weight_kg or '?'} kg: more than the rack "
            f"carries ({why}); counted as one a rack"
        )
    return int(ledger.assume("site.nodes_per_rack", max(1, fewest), f"limited by {why}"))
