"""Coolants: density, viscosity, heat capacity by temperature; flow for a heat; volume, glycol and expansion of a loop."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Litres per minute in one cubic metre per second.
L_MIN = 60_000.0
#: Range of the fits below, °C.
PG25_RANGE_C = (5.0, 70.0)
WATER_RANGE_C = (0.0, 150.0)
#: 25 % propylene glycol means by volume: share of the volume that is glycol.
GLYCOL_FRACTION = {"pg25": 0.25, "water": 0.0}


@dataclass(frozen=True, slots=True)
class Fluid:
    """A coolant at one temperature: kg/m³, Pa·s, J/(kg·K), W/(m·K)."""

    density_kg_m3: float
    viscosity_pa_s: float
    heat_j_kg_k: float
    conductivity_w_m_k: float


def fluid(coolant: str, celsius: float, viscosity_factor: float = 1.0) -> Fluid:
    """Properties of ``pg25`` (25 vol% propylene glycol) or ``water`` at ``celsius``.

    PG25: the polynomials of CoolProp's INCOMP::APG at 25 % by volume (ASHRAE Handbook Fundamentals), 5-70 °C.
    Water: Popiel and Wojtkowiak, Heat Transfer Engineering 28(3), 2007, 0-150 °C, within 0.04 % (viscosity 1 %).
    ``viscosity_factor`` makes it thicker than the pure mixture, as inhibited fluids are. Raises ``ValueError`` for another
    coolant, a temperature outside the fit, or a factor that is not positive.
    """
    if coolant not in GLYCOL_FRACTION:
        raise ValueError(f"no properties of coolant {coolant!r}: known are pg25 and water")
    low, high = PG25_RANGE_C if coolant == "pg25" else WATER_RANGE_C
    if not low <= celsius <= high:
        raise ValueError(f"{coolant} at {celsius:g} °C: its properties are known from {low:g} to {high:g} °C")
    if not 0 < viscosity_factor < math.inf:
        raise ValueError(f"a viscosity factor of {viscosity_factor:g} is not a positive number")
    found = _pg25(celsius) if coolant == "pg25" else _water(celsius)
    thick = found.viscosity_pa_s * viscosity_factor
    return Fluid(found.density_kg_m3, thick, found.heat_j_kg_k, found.conductivity_w_m_k)


def _pg25(t: float) -> Fluid:
    viscosity = math.exp(1.689819 - 0.04509897 * t + 3.071168e-4 * t**2 - 1.001816e-6 * t**3) / 1000.0
    return Fluid(
        1031.24 - 0.3176738 * t - 0.002537296 * t**2,
        viscosity,
        3863.507 + 2.468163 * t,
        0.4429142 + 1.366716e-3 * t - 6.556552e-6 * t**2,
    )


def _water(t: float) -> Fluid:
    density = 999.79684 + 0.068317355 * t - 0.010740248 * t**2 + 0.00082140905 * t**2.5 - 2.3030988e-5 * t**3
    heat = 4.2174356 - 0.0056181625 * t + 0.0012992528 * t**1.5 - 0.00011535353 * t**2 + 4.14964e-6 * t**2.5
    viscosity = 1.0 / (557.82468 + 19.408782 * t + 0.1360459 * t**2 - 3.1160832e-4 * t**3)
    conductivity = 0.5650285 + 0.0026363895 * t - 0.00012516934 * t**1.5 - 1.5154918e-6 * t**2 - 0.0009412945 * t**0.5
    return Fluid(density, viscosity, heat * 1000.0, conductivity)


def flow_l_min(coolant: str, heat_kw: float, rise_k: float, mean_c: float) -> float:
    """Flow in L/min that carries ``heat_kw`` at a rise of ``rise_k``, properties at ``mean_c``: Q = P / (rho cp dT)."""
    at = fluid(coolant, mean_c)
    return heat_kw * 1000.0 / (at.density_kg_m3 * at.heat_j_kg_k * rise_k) * L_MIN


def return_c(coolant: str, heat_kw: float, flow: float, supply_c: float) -> float:
    """Temperature at which ``flow`` L/min returns with ``heat_kw``, °C; properties at the mean of supply and return.

    Raises ``ValueError`` where that leaves the range of the fluid (as `fluid`).
    """
    found = supply_c
    for _ in range(50):
        at = fluid(coolant, (supply_c + found) / 2)
        hotter = supply_c + heat_kw * 1000.0 / (at.density_kg_m3 * at.heat_j_kg_k * flow / L_MIN)
        if abs(hotter - found) < 1e-9:
            return hotter
        found = hotter
    return found


def pipe_litres(inside_mm: float, length_m: float) -> float:
    """Contents of a pipe or hose in litres: pi/4 D² L."""
    return math.pi / 4 * (inside_mm / 1000.0) ** 2 * length_m * 1000.0


def expansion_fraction(coolant: str, cold_c: float, hot_c: float) -> float:
    """Share by which a volume grows from ``cold_c`` to ``hot_c``: the ratio of the densities, less one."""
    return fluid(coolant, cold_c).density_kg_m3 / fluid(coolant, hot_c).density_kg_m3 - 1.0
