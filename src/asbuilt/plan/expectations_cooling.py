"""Thresholds of the cooling plan, with unit, origin and source."""

from __future__ import annotations

from typing import Any

from asbuilt.catalogue.load import Catalogue, Part
from asbuilt.model.design import Design
from asbuilt.plan.expectation import expectation

#: Watts and kilowatts, litres and cubic metres: the last binary digit is no finding.
_ROUNDING = 1e-9
#: Flows are solved to within this.
_SOLVED = 1e-3

_HEADER = "OCP Modular Technology Cooling System white paper, second-hand; ASHRAE's guide for water-cooled servers says 2.1 m/s"
_HOSE = "ASHRAE TC 9.9, Water-Cooled Servers: flexible tubing at most 6 ft/s, from memory: verify"
_SPREAD = "OCP ORv3 rack manifold recommendation, second-hand"
_MARGIN = "practice of pump selection, a policy that the site confirms"
_UNIT = "EIA-310-E: one rack unit; clear above and below as a rule of the field"
_REACH = "room for a hand and an open-ended wrench, a policy that the site confirms"
_DEW = "2 to 3 K above the dew point, as published for data-centre coolant loops; the lower one holds"
_ROOM = "existing server rooms feed and cool 5 to 10 kW a rack; the upper one holds"
#: id, subject, selector, relation, value, unit, origin, source, confidence, relative tolerance
_LIQUID: tuple[tuple[str, str, str, str, float, str, str, str, str | None, float], ...] = (
    ("COO-003", "branch", "*", "ge", 1.0, "ratio", "derived", "the system's flow by supply temperature", None, _SOLVED),
    ("COO-004", "branch", "*", "le", 1.83, "m/s", "published", _HOSE, "low", _ROUNDING),
    ("COO-010", "loop", "worst", "ge", 0.0, "%", "derived", "the far rack still gets its flow", None, 0.0),
    ("COO-021", "loop", "*", "ge", 2.0, "K", "published", _DEW, "medium", 0.0),
    ("COO-031", "manifold", "*", "ge", 44.45, "mm", "published", _UNIT, "high", 0.0),
    ("COO-032", "manifold", "*", "ge", 100.0, "mm", "assumed", _REACH, None, 0.0),
    ("COO-034", "manifold", "*", "ge", 44.45, "mm", "published", _UNIT, "high", 0.0),
)
_AIR: tuple[tuple[str, str, str, str, float, str, str, str, str | None, float], ...] = (
    ("COO-042", "row", "*", "le", 10.0, "kW", "assumed", _ROOM, None, _ROUNDING),
    ("COO-043", "row", "*", "ge", 1.0, "ratio", "derived", "V = P / (rho cp dT)", None, _SOLVED),
)


def cooling_rows(design: Design, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` that checks of the cooling plan use: policies, and what the makers of system and CDU state."""
    system = catalogue.get("system", design.node.system)
    liquid = design.cooling.rack is not None
    rows = [
        expectation(id, kind, selector, op, value, unit, origin, source, confidence, tol_rel=tolerance)
        for id, kind, selector, op, value, unit, origin, source, confidence, tolerance in (*_AIR, *(_LIQUID if liquid else ()))
    ]
    if liquid:
        rows += _policies(design)
        rows += _of_system(system)
        rows += _of_cdu(catalogue.get("cooling", design.cooling.cdu)) if catalogue.has("cooling", design.cooling.cdu) else []
    return rows


def _policies(design: Design) -> list[dict[str, Any]]:
    """Limits that the requirement may state: the site's own where it does, else the published or usual ones."""
    asked, held = design.requirement.cooling, design.cooling
    known = (
        ("COO-001", "velocity_m_s", "le", held.velocity_m_s, "m/s", "published", _HEADER, "medium"),
        ("COO-002", "spread_percent", "le", held.spread_percent, "%", "published", _SPREAD, "medium"),
        ("COO-010", "margin_percent", "ge", held.margin_percent, "%", "assumed", _MARGIN, None),
    )
    rows = []
    for id, field, op, value, unit, origin, source, confidence in known:
        if getattr(asked, field) is not None:
            origin, source, confidence = "declared", f"cooling.{field}", None
        rows.append(expectation(id, "loop", "*", op, value, unit, origin, source, confidence, tol_rel=_ROUNDING))
    return rows


def _figure(part: Part, key: str, id: str, kind: str, selector: str, op: str, unit: str) -> list[dict[str, Any]]:
    """The row of one published figure; none where the catalogue has none."""
    if not part.has(key):
        return []
    found = part.figure(key)
    confidence = found.confidence.value
    return [expectation(id, kind, selector, op, float(found.value), unit, "published", found.source, confidence)]


def _of_system(system: Part) -> list[dict[str, Any]]:
    rows = _figure(system, "coolant_c_max", "COO-022", "loop", "*", "le", "°C")
    rows += _figure(system, "coolant_filter_um", "COO-017", "cdu", "*", "le", "µm")
    if system.has("wetted_materials"):
        found = system.figure("wetted_materials")
        banned = banned_materials(str(found.value))
        if banned:
            value, confidence = "+".join(banned), found.confidence.value
            rows.append(expectation("COO-023", "loop", "*", "none of", value, "", "published", found.source, confidence))
    return rows


def banned_materials(text: str) -> tuple[str, ...]:
    """What a maker's list of wetted materials bans: the words behind ``no``, as in ``copper, 316L; no aluminium, zinc``."""
    behind = [part.strip().removeprefix("no ") for part in text.split(";") if part.strip().startswith("no ")]
    return tuple(word.strip().lower().replace(" ", "-") for part in behind for word in part.split(",") if word.strip())


def _of_cdu(cdu: Part) -> list[dict[str, Any]]:
    one = f"part={cdu.id}"
    rows = _figure(cdu, "supply_c_min", "COO-016", "cdu", f"{one},least", "ge", "°C")
    rows += _figure(cdu, "supply_c_max", "COO-016", "cdu", f"{one},most", "le", "°C")
    rows += _figure(cdu, "vessel_l", "COO-024", "cdu", one, "ge", "L")
    return rows + _figure(cdu, "filter_um", "COO-017", "cdu", f"{one},filter_um", "eq", "µm")
