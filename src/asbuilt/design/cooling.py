"""Coolant loops and air, with every default chosen and every catalogue figure of rack, CDU and coupling read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from asbuilt.base.origin import Confidence
from asbuilt.design.ledger import Choices, Ledger
from asbuilt.model.design import NodeDesign, SiteDesign
from asbuilt.model.design_cooling import CduDesign, CoolantPoint, CoolingDesign, CouplingDesign, RackCoolant
from asbuilt.model.requirement import Requirement
from asbuilt.physics.pipe_sizes import KPA_PER_PSI, RACK_UNIT_MM, exponent
from asbuilt.physics.psychrometrics import dew_point_c
from asbuilt.physics.pumps import curve_through

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part

#: Loss of a rack of which no figure is known, at its design flow: about 10 psi, the target of the MGX rack specification.
RACK_KPA = 69.0
#: Exponent of that loss, between laminar channels and turbulent pipes; the GB300 table gives 1.89.
RACK_EXPONENT = 1.9
#: Rise that servers are designed for: OCP's 1.5 L/min for each kW.
RISE_K = 10.0
#: Above a rack whose height is not known: frame and feet.
FRAME_MM = 124.0
#: ASHRAE's recommended envelope ends at this dew point.
DEW_POINT_C = 15.0
#: Hangers are set to steps of this height.
_STEP_MM = 50


def resolve_cooling(
    ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign, site: SiteDesign
) -> CoolingDesign:
    """`CoolingDesign` from the requirement; what it leaves open is assumed and recorded, of loops only where there are any."""
    asked = requirement.cooling
    wet = max(node.liquid_fraction, node.unit_liquid_fraction) > 0
    pick = Choices(ledger if wet else Ledger(ledger.catalogue), "cooling", asked)
    humid = asked.humidity_percent
    dew = dew_point_c(site.air_inlet_c, humid) if humid is not None else None
    if dew is None:
        dew = pick.ledger.assume("cooling.dew_point_c", DEW_POINT_C, "the upper end of ASHRAE's recommended envelope")
    cdu = str(pick("cdu", "vertiv-xdu1350", "a row CDU with published points of its pumps"))
    top = _rack_top(ledger, site)
    return CoolingDesign(
        cdu=cdu,
        header=asked.header or "",
        header_first=asked.header_first or "",
        header_first_racks=asked.header_first_racks or 0,
        coolant=str(pick("coolant", "pg25", "25 % propylene glycol: no growth, no frost on the way")),
        topology=str(pick("topology", "direct-return", "the shorter pipe; a wide header balances the racks")),
        racks_per_loop=asked.racks_per_loop,
        cdus_standby=int(pick("cdus_standby", 1, "N+1: a CDU is serviced while the row runs")),
        feed_m=pick.number("feed_m", 5.0, "from a CDU at the end of the row to its first rack"),
        hose_m=pick.number("hose_m", 3.0, "from the header above the rack to its connections"),
        hose_id_mm=pick.number("hose_id_mm", 35.1, "1 1/4 inch: no figure for these racks is published"),
        hose_bend_mm=asked.hose_bend_mm,
        hose_working_kpa=asked.hose_working_kpa,
        coupling=_coupling(ledger, asked.coupling),
        valves=str(pick("valves", "supply+return", "a rack is taken out without draining its neighbours")),
        materials=asked.materials or (),
        rack_top_mm=top,
        header_underside_mm=pick.number(
            "header_underside_mm", _STEP_MM * math.ceil((top + RACK_UNIT_MM) / _STEP_MM), "1 U above the rack, rounded up"
        ),
        connection_mm=pick.number("connection_mm", 300.0, "two ball valves with couplings side by side: verify"),
        viscosity_factor=pick.number("viscosity_factor", 1.15, "inhibited fluids are up to 13 % thicker than the mixture"),
        filter_dirty_kpa=pick.number("filter_dirty_kpa", 40.0, "30 to 50 kPa at the change of a filter: verify"),
        fill_kpa=pick.number("fill_kpa", 100.0, "usual static pressure of a closed loop: verify with the CDU's maker"),
        dew_point_c=float(dew),
        velocity_m_s=pick.number("velocity_m_s", 2.3, "OCP Modular Technology Cooling System white paper"),
        margin_percent=pick.number("margin_percent", 20.0, "practice of pump selection"),
        spread_percent=pick.number("spread_percent", 5.0, "OCP ORv3 manifold recommendation"),
        clamp_torque_nm=asked.clamp_torque_nm,
        flange_torque_nm=asked.flange_torque_nm,
        torque_percent=asked.torque_percent,
        joints=asked.joints,
        room_kw_per_rack=asked.room_kw_per_rack,
        air_rise_k=Choices(ledger, "cooling", asked).number("air_rise_k", 15.0, "usual rise through air-cooled equipment"),
        rack=_rack(ledger, requirement, system, node, site) if wet else None,
        unit=_cdu(ledger, cdu) if wet else None,
    )


def _rack_top(ledger: Ledger, site: SiteDesign) -> float:
    """Top of the rack above the floor in mm: the catalogue's outside height, else its units and a frame."""
    part = ledger.catalogue.get("rack", site.rack_part) if site.rack_part else None
    plain = site.rack_height_u * RACK_UNIT_MM + FRAME_MM
    return float(plain if part is None else part.value("height_mm", plain))


def _coupling(ledger: Ledger, asked: str | None) -> CouplingDesign | None:
    """The quick disconnect as asked; None where nobody says, which no check takes for a pass."""
    part = ledger.part("cooling", asked, "cooling.coupling") if asked else None
    if part is None:
        return None
    if part.value("class") != "coupling":
        _wrong(ledger, "cooling.coupling", part, "coupling")
        return None
    figures = {key: ledger.figure(part, key) for key in ("cv", "rated_l_min", "working_kpa")}
    source = part.figure("working_kpa" if part.has("working_kpa") else "class").source
    cv, rated, working = (None if v is None else float(v) for v in figures.values())
    return CouplingDesign(part.id, cv, rated, working, source)


def _wrong(ledger: Ledger, path: str, part: Part, wanted: str) -> None:
    ledger.problem(
        "CAT-015",
        f"{path}: {part.id} is a {part.value('class', 'part')}, not a {wanted}",
        "the plan of the loops reads figures that only such a part has",
        f"name a cooling part of class {wanted}",
    )


def _rack(ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign, site: SiteDesign) -> RackCoolant:
    """What one rack asks of the loop: published points, else a design flow, else a rise of `RISE_K`."""
    asked = requirement.cooling
    whole = node.units_are_racks
    heat = node.unit_heat_max_w if whole else node.heat_max_w * site.nodes_per_rack
    if whole:  # flows by supply temperature are published for the rated power, not for the feeder's nameplate
        heat = min(heat, float(ledger.figure(system, "unit_power_expected_w", heat)))
    fraction = node.unit_liquid_fraction if whole else node.liquid_fraction
    points = () if asked.rack_l_min else _points(ledger, system, whole)
    flow = asked.rack_l_min or (ledger.figure(system, "unit_coolant_l_min") if whole else None)
    drop = asked.rack_kpa or (ledger.figure(system, "unit_coolant_drop_kpa") if whole else None)
    if drop is None and not points:
        drop = ledger.assume("cooling.rack_kpa", RACK_KPA, "no figure is published: ask the maker")
    if flow is None and not points:
        ledger.assume("cooling.rack_l_min", f"a rise of {RISE_K:g} K", "no figure is published: ask the maker")
    litres = _litres(ledger, site)
    working = ledger.figure(system, "coolant_working_bar")
    key = "unit_coolant_points" if points else "unit_coolant_l_min" if whole else "liquid_fraction"
    cited = system.figure(key) if system.has(key) else None
    other = "unit_liquid_other_fraction"
    return RackCoolant(
        system=system.id,
        heat_w=float(heat),
        liquid_fraction=float(fraction),
        other_fraction=float(ledger.figure(system, other)) if whole and system.has(other) else None,
        points=points,
        flow_l_min=None if flow is None or points else float(flow),
        drop_kpa=float(drop) if drop is not None else RACK_KPA,
        rise_k=RISE_K,
        exponent=_exponent(points),
        litres=litres,
        working_kpa=None if working is None else float(working) * 100.0,
        source="declared" if asked.rack_l_min else cited.source if cited else "assumed",
        other_source=system.figure(other).source if system.has(other) else "",
        confidence=(cited.confidence if cited else Confidence.LOW).value,
    )


def _litres(ledger: Ledger, site: SiteDesign) -> float:
    part = ledger.catalogue.get("rack", site.rack_part) if site.rack_part else None
    return float(ledger.figure(part, "coolant_l", 15.0)) if part else 15.0


def _points(ledger: Ledger, system: Part, whole: bool) -> tuple[CoolantPoint, ...]:
    rows = (ledger.figure(system, "unit_coolant_points", []) or []) if whole else []
    found = []
    for row in rows:
        flow, drop = _number(row, "flow_l_min"), _number(row, "drop_psi")
        supply = _number(row, "supply_c")
        if supply is None or flow is None or flow <= 0 or (drop is not None and drop <= 0):
            ledger.problem(
                "CAT-015",
                f"system/{system.id} unit_coolant_points: a row needs supply_c and a positive flow_l_min and drop_psi",
                "the loops are solved with these flows",
                "correct the catalogue entry",
            )
            return ()
        found.append(CoolantPoint(supply, flow, None if drop is None else drop * KPA_PER_PSI))
    return tuple(sorted(found, key=lambda p: p.supply_c))


def _number(row: Any, key: str) -> float | None:
    value = row.get(key) if isinstance(row, dict) else None
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good and value is not None else None


def _exponent(points: tuple[CoolantPoint, ...]) -> float:
    """n of the rack's loss through its first and last published point (flow, pressure); `RACK_EXPONENT` without two."""
    known = [(p.flow_l_min, p.drop_kpa) for p in points if p.drop_kpa is not None]
    if len(known) < 2 or known[0][0] == known[-1][0]:
        return RACK_EXPONENT
    n = exponent(known[0], known[-1])
    return n if 1.0 <= n <= 3.0 else RACK_EXPONENT


def _cdu(ledger: Ledger, cdu: str) -> CduDesign | None:
    """The CDU of the catalogue; None after a problem."""
    part = ledger.part("cooling", cdu, "cooling.cdu")
    if part is None:
        return None
    if part.value("class") != "cdu" or not part.has("capacity_kw"):
        _wrong(ledger, "cooling.cdu", part, "cdu")
        return None
    points = _pump_points(ledger, part)
    optional = {key: ledger.figure(part, key) for key in ("approach_k", "flow_l_min", "secondary_max_kpa", "height_mm")}
    known = {key: None if value is None else float(value) for key, value in optional.items()}
    return CduDesign(
        part=cdu,
        capacity_kw=float(ledger.figure(part, "capacity_kw")),
        approach_k=known["approach_k"],
        points=points,
        flow_l_min=known["flow_l_min"],
        working_kpa=known["secondary_max_kpa"],
        width_mm=float(ledger.figure(part, "width_mm", 900.0)),
        depth_mm=float(ledger.figure(part, "depth_mm", 1200.0)),
        height_mm=known["height_mm"],
    )


def _pump_points(ledger: Ledger, part: Part) -> tuple[tuple[int, float, float], ...]:
    """(pumps, L/min, kPa) as published; the single design point where the part has no list. Noted where it is no pump."""
    rows = ledger.figure(part, "pump_points", None)
    if rows is None:
        flow, pressure = ledger.figure(part, "flow_l_min"), ledger.figure(part, "pressure_kpa")
        rows = [{"pumps": ledger.figure(part, "pumps", 0), "flow_l_min": flow, "pressure_kpa": pressure}] if pressure else []
    found = [(_number(r, "pumps") or 0.0, _number(r, "flow_l_min") or 0.0, _number(r, "pressure_kpa") or 0.0) for r in rows]
    points = tuple(sorted((int(pumps), flow, pressure) for pumps, flow, pressure in found))
    try:
        curve_through(tuple((flow, pressure) for _, flow, pressure in points))
    except ValueError as error:
        what = f"cooling/{part.id} pump_points: {error}"
        ledger.problem("CAT-015", what, "the head of the CDU is read from these points", "correct the catalogue entry")
        return ()
    return points
