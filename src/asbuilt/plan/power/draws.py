"""Four power figures of each kind of device, and its power supplies: table `DRAWS`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from asbuilt.base.origin import Confidence
from asbuilt.catalogue.load import Catalogue, Part
from asbuilt.model.design import Design
from asbuilt.model.tables_power import DRAWS
from asbuilt.physics.cords import rated_amperes
from asbuilt.plan.figures import SERVICE_PART

#: Inlets tried for a device of which no inlet is published, the smaller first.
INLETS = (("C14", "C14", "C13"), ("C20", "C20", "C19"))
DECLARED = "declared in the requirement"


@dataclass(frozen=True, slots=True)
class Value:
    """A figure with its source and confidence; W None: nobody publishes it."""

    watts: float | None
    source: str | None = None
    confidence: Confidence = Confidence.HIGH


@dataclass(frozen=True, slots=True)
class Draw:
    """One kind of device. ``supplies`` 0: fed by shelves, or nothing known. ``supply_w`` infinite: rating not known."""

    part: str
    role: str
    nameplate: Value
    nominal: Value
    sustained: Value
    peak: Value
    idle: Value
    peak_s: float | None = None
    supplies: int = 0
    supply_w: float = math.inf
    inlet: str = "C20"
    plug: str = "C20"
    connector: str = "C19"

    @property
    def nominal_w(self) -> float:
        return self.nominal.watts or 0.0


def _figure(part: Part | None, *keys: str) -> Value:
    """The first of ``keys`` that the part states."""
    for key in keys:
        if part is not None and part.has(key):
            found = part.figure(key)
            note = f" ({found.note})" if found.note else ""
            return Value(float(found.value), found.source + note, found.confidence)
    return Value(None)


def node_draw(design: Design, catalogue: Catalogue) -> Draw:
    """The system's figures: of one server, or of one rack of a rack-scale system."""
    node, power = design.node, design.power
    unit = "unit_" if node.units_are_racks else ""
    part = catalogue.get("system", node.system) if catalogue.has("system", node.system) else None
    nameplate = _figure(part, f"{unit}power_max_w", "power_max_w")
    cap = node.power_cap_w if node.power_cap_w is not None else design.requirement.node.power_cap_w
    nominal = _figure(part, f"{unit}power_nominal_w")
    if nominal.watts is None:
        nominal = nameplate  # nobody publishes a thermal figure: the label stands in, on the safe side
    if cap is not None and (nominal.watts is None or cap < nominal.watts):
        nominal = Value(float(cap), f"power cap {DECLARED}: node.power_cap_w")
    declared = {name: getattr(power, f"node_{name}_w") for name in ("sustained", "peak", "idle")}
    read = {
        "sustained": _figure(part, f"{unit}power_expected_w"),
        "peak": _figure(part, f"{unit}power_peak_w"),
        "idle": _figure(part, f"{unit}power_idle_w"),
    }
    values = {
        name: read[name] if stated is None else Value(float(stated), f"{DECLARED}: power.node_{name}_w")
        for name, stated in declared.items()
    }
    sustained = values["sustained"]
    if sustained.watts is not None and nominal.watts is not None and sustained.watts > nominal.watts:
        values["sustained"] = Value(nominal.watts, nominal.source, nominal.confidence)  # the cap holds it down
    return Draw(
        part=node.system,
        role="rack" if node.units_are_racks else "node",
        nameplate=nameplate,
        nominal=nominal,
        sustained=values["sustained"],
        peak=values["peak"],
        idle=values["idle"],
        peak_s=power.node_peak_s,
        supplies=0 if node.units_are_racks else node.psus,
        supply_w=node.psu_w or math.inf,
        inlet=power.node_inlet,
        plug="C20" if power.node_inlet in ("C20", "C22") else "C14",
        connector=power.node_connector,
    )


def other_draw(design: Design, catalogue: Catalogue, part_id: str, role: str) -> Draw:
    """A switch or a service host by its catalogue figures. Nominal is the maximum, with all modules in."""
    part = catalogue.get("switch", part_id) if catalogue.has("switch", part_id) else None
    most = _figure(part, "power_max_w")
    return _with_cords(design, Draw(part_id, role, most, most, _figure(part, "power_typical_w"), Value(None), Value(None)))


def storage_draw(design: Design, catalogue: Catalogue, part_id: str, watts: float) -> Draw:
    """A rack's share of the storage arrays, sized by capacity."""
    tier = part_id.removeprefix("storage-")
    part = catalogue.get("storage", tier) if catalogue.has("storage", tier) else None
    per_tb = _figure(part, "power_w_per_tb")
    known = Value(watts, f"capacity times the power of a terabyte: {per_tb.source}", per_tb.confidence)
    return _with_cords(design, Draw(part_id, "storage", known, known, Value(None), Value(None), Value(None)))


def _with_cords(design: Design, draw: Draw) -> Draw:
    """Supplies of a device of which none are published: two, or as many pairs as one half needs to stay inside its cords, when
    supplies share unequally."""
    volts, uneven = outlet_volts(design), 1.0 + design.power.sharing_skew
    for inlet, plug, connector in INLETS:
        carried = float(rated_amperes(plug, connector, design.power.basis)) * volts * design.power.power_factor
        half = 1 if draw.nominal_w <= carried else math.ceil(draw.nominal_w * uneven / carried - 1e-9)
        if half == 1 or inlet == INLETS[-1][0]:
            break
    return Draw(
        draw.part,
        draw.role,
        draw.nameplate,
        draw.nominal,
        draw.sustained,
        draw.peak,
        draw.idle,
        supplies=2 * half,
        inlet=inlet,
        plug=plug,
        connector=connector,
    )


def outlet_volts(design: Design) -> float:
    """Voltage at the outlets: to neutral on wye systems of 380 V and more, between phases below (208 V)."""
    volts = design.power.voltage_v
    return volts / math.sqrt(3.0) if volts > WYE_FROM_V else volts


#: From here on outlets stand between a phase and neutral: 200 V supplies do not take more than 240 V.
WYE_FROM_V = 300.0


def draws_table(draws: list[Draw]) -> pl.DataFrame:
    """Table `DRAWS`, one row per part and role."""
    rows = []
    for draw in draws:
        used = [v for v in (draw.nameplate, draw.nominal, draw.sustained, draw.peak) if v.watts is not None]
        rows.append(
            {
                "part": draw.part,
                "role": draw.role,
                "nameplate_w": draw.nameplate.watts or 0.0,
                "nominal_w": draw.nominal_w,
                "sustained_w": draw.sustained.watts,
                "peak_w": draw.peak.watts,
                "peak_s": draw.peak_s if draw.peak.watts is not None else None,
                "idle_w": draw.idle.watts,
                "nameplate_source": draw.nameplate.source or "not known",
                "nominal_source": draw.nominal.source or "not known",
                "sustained_source": draw.sustained.source,
                "peak_source": draw.peak.source,
                "confidence": min((v.confidence for v in used), key=lambda c: c.rank, default=Confidence.LOW).value,
            }
        )
    frame = pl.DataFrame(rows, schema=DRAWS.polars())
    return DRAWS.conform(frame.unique(["part", "role"], maintain_order=True).sort("part", "role"))


__all__ = ["SERVICE_PART", "Draw", "draws_table", "node_draw", "other_draw", "outlet_volts", "storage_draw"]
