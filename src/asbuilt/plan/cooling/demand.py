"""What one rack asks of its loop at a supply temperature: flow, loss, return temperature; and the share left to the air."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.model.design import Design
from asbuilt.model.design_cooling import RackCoolant
from asbuilt.model.tables_cooling import LIQUID_SHARES
from asbuilt.physics import coolant as fluids
from asbuilt.physics.pipe_sizes import drop_at

if TYPE_CHECKING:
    import polars as pl

#: A return is at least this much warmer than the supply; below it flows grow without end.
LEAST_RISE_K = 5.0


@dataclass(frozen=True, slots=True)
class Demand:
    """One rack at one supply temperature: L/min, kPa at that flow and its exponent, °C. ``published``: as printed."""

    supply_c: float
    flow_l_min: float
    drop_kpa: float
    exponent: float
    return_c: float
    published: bool
    drop_known: bool


def demand(rack: RackCoolant, coolant: str, supply_c: float) -> Demand:
    """The rack's flow and loss at ``supply_c``.

    A published point as it is; between points the return temperatures are interpolated, since it is the allowed return that
    sets the flow, and the loss follows the rack's exponent from the nearest point. Without points: the design flow, or a
    rise.
    """
    heat_kw = rack.heat_w * rack.liquid_fraction / 1000.0
    exact = next((p for p in rack.points if p.supply_c == supply_c), None)
    if exact is not None:
        drop = rack.drop_kpa if exact.drop_kpa is None else exact.drop_kpa
        back = return_c(coolant, heat_kw, exact.flow_l_min, supply_c)
        return Demand(supply_c, exact.flow_l_min, drop, rack.exponent, back, True, exact.drop_kpa is not None)
    if rack.points:
        supplies = [p.supply_c for p in rack.points]
        returns = [return_c(coolant, heat_kw, p.flow_l_min, p.supply_c) for p in rack.points]
        back = max(float(np.interp(supply_c, supplies, returns)), supply_c + LEAST_RISE_K)
        flow = fluids.flow_l_min(coolant, heat_kw, back - supply_c, _within(coolant, (supply_c + back) / 2))
        near = min(rack.points, key=lambda p: (abs(p.supply_c - supply_c), p.supply_c))
        known = near.drop_kpa is not None
        drop = drop_at(flow, near.flow_l_min, near.drop_kpa if near.drop_kpa is not None else rack.drop_kpa, rack.exponent)
        return Demand(supply_c, flow, drop, rack.exponent, back, False, known)
    if rack.flow_l_min is not None:
        back = return_c(coolant, heat_kw, rack.flow_l_min, supply_c)
        return Demand(supply_c, rack.flow_l_min, rack.drop_kpa, rack.exponent, back, False, True)
    back = supply_c + rack.rise_k
    flow = fluids.flow_l_min(coolant, heat_kw, rack.rise_k, _within(coolant, (supply_c + back) / 2))
    return Demand(supply_c, flow, rack.drop_kpa, rack.exponent, back, False, False)


def _within(coolant: str, celsius: float) -> float:
    """``celsius``, held inside the range in which the coolant's properties are known."""
    low, high = fluids.PG25_RANGE_C if coolant == "pg25" else fluids.WATER_RANGE_C
    return min(max(celsius, low), high)


def fluid_at(coolant: str, celsius: float, viscosity_factor: float = 1.0) -> fluids.Fluid:
    """The coolant at ``celsius``, or at the end of its range that is nearest."""
    return fluids.fluid(coolant, _within(coolant, celsius), viscosity_factor)


def return_c(coolant: str, heat_kw: float, flow_l_min: float, supply_c: float) -> float:
    """Return temperature in °C; far outside the coolant's range with the properties at its end."""
    try:
        return fluids.return_c(coolant, heat_kw, flow_l_min, supply_c)
    except ValueError:
        at = fluid_at(coolant, fluids.PG25_RANGE_C[1] if coolant == "pg25" else fluids.WATER_RANGE_C[1])
        return supply_c + heat_kw * 1000.0 / (at.density_kg_m3 * at.heat_j_kg_k * flow_l_min / fluids.L_MIN)


def liquid_shares(design: Design) -> pl.DataFrame:
    """Table `LIQUID_SHARES`: the system at every published supply temperature and at the site's; empty for air."""
    import polars as pl

    rack = design.cooling.rack
    if rack is None:
        return LIQUID_SHARES.empty()
    chosen = design.site.coolant_supply_c
    supplies = sorted({p.supply_c for p in rack.points} | {chosen})
    found = [demand(rack, design.cooling.coolant, supply) for supply in supplies]
    liquid = rack.heat_w * rack.liquid_fraction
    other = None if rack.other_fraction is None else rack.heat_w * rack.other_fraction
    frame = pl.DataFrame(
        {
            "system": [rack.system] * len(found),
            "supply_c": supplies,
            "flow_l_min": [d.flow_l_min for d in found],
            "drop_kpa": [d.drop_kpa if d.drop_known else None for d in found],
            "return_c": [d.return_c for d in found],
            "heat_w": [rack.heat_w] * len(found),
            "liquid_w": [liquid] * len(found),
            "air_w": [rack.heat_w - liquid] * len(found),
            "chosen": [d.supply_c == chosen for d in found],
            "source": [
                rack.source if d.published or not rack.points else f"between the points of {rack.source}" for d in found
            ],
            "confidence": [rack.confidence if d.published or not rack.points else "low" for d in found],
            "other_liquid_w": [other] * len(found),
            "other_source": [rack.other_source or None] * len(found),
        },
        schema_overrides={"drop_kpa": pl.Float64, "other_liquid_w": pl.Float64, "other_source": pl.String},
    )
    return LIQUID_SHARES.conform(frame.select(LIQUID_SHARES.names).sort(LIQUID_SHARES.order))
