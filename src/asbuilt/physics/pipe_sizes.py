"""Standard pipes and units of racks, factors between units of flow and pressure, and losses by a power of the flow."""

from __future__ import annotations

import math

#: ASME B36.19M schedule 10S, by nominal size: outside diameter and wall, mm.
SCHEDULE_10S: dict[str, tuple[float, float]] = {
    "DN25": (33.4, 2.77),
    "DN32": (42.2, 2.77),
    "DN40": (48.3, 2.77),
    "DN50": (60.3, 2.77),
    "DN65": (73.0, 3.05),
    "DN80": (88.9, 3.05),
    "DN100": (114.3, 3.05),
    "DN125": (141.3, 3.40),
    "DN150": (168.3, 3.40),
    "DN200": (219.1, 3.76),
    "DN250": (273.0, 4.19),
    "DN300": (323.8, 4.57),
}
#: Nominal sizes, smallest first.
SIZES: tuple[str, ...] = tuple(SCHEDULE_10S)
#: Height of one rack unit (EIA-310-E) and of one open unit (ORv3), mm.
RACK_UNIT_MM = 44.45
OPEN_UNIT_MM = 48.0
#: kPa in one psi; L/min in one US gallon a minute; Kv (m³/h at 1 bar) of a valve with Cv 1 (gpm at 1 psi).
KPA_PER_PSI = 6.894757
L_PER_GALLON = 3.785412
KV_OF_CV = L_PER_GALLON * 0.06 / math.sqrt(KPA_PER_PSI / 100.0)


def inside_mm(nominal: str) -> float:
    """Inside diameter of a schedule 10S pipe in mm. Raises ``ValueError`` for a size that is not in `SCHEDULE_10S`."""
    if nominal not in SCHEDULE_10S:
        raise ValueError(f"no inside diameter of {nominal!r}: known are {', '.join(SIZES)}")
    outside, wall = SCHEDULE_10S[nominal]
    return round(outside - 2 * wall, 3)


def clear_mm(underside_mm: float, top_mm: float) -> float:
    """Free height in mm between the top of a rack and what runs above it; negative: they meet."""
    return underside_mm - top_mm


def exponent(low: tuple[float, float], high: tuple[float, float]) -> float:
    """n of a loss that follows flow^n through two points (L/min, pressure)."""
    return math.log(high[1] / low[1]) / math.log(high[0] / low[0])


def drop_at(flow_l_min: float, reference_l_min: float, reference_kpa: float, n: float) -> float:
    """Loss at a flow by the power law through a reference point: dP = dP_ref (Q/Q_ref)^n."""
    return float(reference_kpa * (flow_l_min / reference_l_min) ** n)
