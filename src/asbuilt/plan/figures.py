"""What one device of each kind takes of a rack: height, power, heat, weight, air, from the catalogue."""

from __future__ import annotations

from dataclasses import dataclass, replace

from asbuilt.base.origin import Confidence
from asbuilt.catalogue.load import Catalogue, Part
from asbuilt.model.design import Design

#: Height assumed for a host or switch whose catalogue entry is missing; the plan's warnings name it.
UNKNOWN_HEIGHT_U = 1.0


@dataclass(frozen=True, slots=True)
class DeviceFigures:
    """One device: U, W, kg, m³/h. None: nobody knows; it adds nothing to a sum and the plan says so."""

    part: str
    height_u: float
    nameplate_w: float
    expected_w: float
    heat_w: float
    liquid_w: float
    weight_kg: float | None
    airflow_m3_h: float | None
    confidence: str


def _least(part: Part, keys: tuple[str, ...]) -> str:
    known = [part.figure(k).confidence for k in keys if part.has(k)]
    return min(known, key=lambda c: c.rank).value if known else Confidence.LOW.value


def switch_figures(catalogue: Catalogue, switch: str) -> DeviceFigures:
    """Figures of a switch. Expected power is the catalogue's typical figure, the nameplate where it has none."""
    if not catalogue.has("switch", switch):
        return DeviceFigures(switch, UNKNOWN_HEIGHT_U, 0.0, 0.0, 0.0, 0.0, None, None, Confidence.LOW.value)
    part = catalogue.get("switch", switch)
    power = float(part.value("power_max_w", 0.0))
    liquid = float(part.value("heat_liquid_fraction", 0.0))
    return DeviceFigures(
        part=switch,
        height_u=float(part.value("height_u", UNKNOWN_HEIGHT_U)),
        nameplate_w=power,
        expected_w=float(part.value("power_typical_w", power)),
        heat_w=power,
        liquid_w=power * liquid,
        weight_kg=part.value("weight_kg"),
        airflow_m3_h=part.value("airflow_m3_h"),
        confidence=_least(part, ("power_max_w", "power_typical_w")),
    )


def without_draw(figures: DeviceFigures) -> DeviceFigures:
    """The same device where its power, heat, air and weight are counted with the rack that it is built into."""
    return replace(figures, nameplate_w=0.0, expected_w=0.0, heat_w=0.0, liquid_w=0.0, weight_kg=0.0, airflow_m3_h=0.0)


def node_figures(design: Design, catalogue: Catalogue) -> DeviceFigures:
    """Figures of one node; for rack-scale systems those of the whole rack shared out over its trays."""
    node = design.node
    system = node.system
    confidence = Confidence.LOW.value
    if catalogue.has("system", system):
        confidence = _least(catalogue.get("system", system), ("power_max_w", "heat_max_w", "power_expected_w"))
    if node.units_are_racks:
        trays = node.nodes_per_unit
        heat = node.unit_heat_max_w / trays
        return DeviceFigures(
            part=system,
            height_u=node.height_u,
            nameplate_w=node.unit_power_max_w / trays,
            expected_w=node.unit_power_expected_w / trays,
            heat_w=heat,
            liquid_w=heat * node.unit_liquid_fraction,
            weight_kg=None if node.unit_weight_kg is None else node.unit_weight_kg / trays,
            airflow_m3_h=None if node.unit_airflow_m3_h is None else node.unit_airflow_m3_h / trays,
            confidence=confidence,
        )
    return DeviceFigures(
        part=system,
        height_u=node.height_u,
        nameplate_w=node.power_max_w,
        expected_w=node.power_expected_w,
        heat_w=node.heat_max_w,
        liquid_w=node.heat_max_w * node.liquid_fraction,
        weight_kg=node.weight_kg,
        airflow_m3_h=node.airflow_m3_h,
        confidence=confidence,
    )


#: What fabric services (UFM, subnet manager) run on.
SERVICE_PART = "ufm-appliance-ndr"


def service_figures(catalogue: Catalogue) -> DeviceFigures:
    """Figures of a service host: the UFM appliance's."""
    return switch_figures(catalogue, SERVICE_PART)


def storage_figures(catalogue: Catalogue, tier: str, power_w: float) -> DeviceFigures:
    """Figures of one rack of storage arrays of a performance class; all power becomes heat in air. Height is not known."""
    confidence = Confidence.LOW.value
    if catalogue.has("storage", tier):
        confidence = _least(catalogue.get("storage", tier), ("power_w_per_tb",))
    return DeviceFigures(f"storage-{tier}", 0.0, power_w, power_w, power_w, 0.0, None, None, confidence)
