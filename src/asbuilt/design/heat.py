"""Coolant and air from heat and temperature rise, coolant distribution units."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Return temperature that reproduces the GB300 NVL72 flow table (Lenovo Press LP2357, table 27: 59 to 177 L/min at 25 to
# 45 °C supply) within 2 % for 121.5 kW to PG25: the allowed return sets the flow, not a flat L/min per kW.
NVL72_RETURN_C = 55.3
# OCP convention of 1.5 L/min per kW is a rise of 10 K in PG25.
SERVER_RISE_K = 10.0
LEAST_RISE_K = 5.0
# Air through switches and other equipment of which no airflow is published.
AIR_RISE_K = 15.0
AIR_DENSITY_KG_M3 = 1.184  # dry air at 25 °C and 101.325 kPa
AIR_HEAT_KJ_KG_K = 1.006


def pg25_density_kg_m3(celsius: float) -> float:
    """Density of 25 vol% propylene glycol in kg/m³, 5-70 °C: CoolProp INCOMP::APG (ASHRAE Fundamentals)."""
    return 1031.24 - 0.3176738 * celsius - 0.002537296 * celsius**2


def pg25_heat_j_kg_k(celsius: float) -> float:
    """Specific heat of 25 vol% propylene glycol in J/(kg·K), 5-70 °C: CoolProp INCOMP::APG (ASHRAE Fundamentals)."""
    return 3863.507 + 2.468163 * celsius


def coolant_l_min(heat_kw: float, supply_c: float, return_c: float) -> float:
    """PG25 flow in L/min that carries ``heat_kw`` from supply to return temperature: Q = P / (rho cp dT) at the mean."""
    mean = (supply_c + return_c) / 2
    rise = return_c - supply_c
    return heat_kw * 1000.0 / (pg25_density_kg_m3(mean) * pg25_heat_j_kg_k(mean) * rise) * 60_000.0


def return_c(supply_c: float, rack_scale: bool) -> float:
    """Return temperature: what NVL72 racks allow, else the supply plus the rise that servers are designed for."""
    wanted = NVL72_RETURN_C if rack_scale else supply_c + SERVER_RISE_K
    return max(wanted, supply_c + LEAST_RISE_K)


def air_m3_h(heat_kw: float, rise_k: float = AIR_RISE_K) -> float:
    """Air in m³/h that carries ``heat_kw`` at a rise of ``rise_k``."""
    return heat_kw / (AIR_DENSITY_KG_M3 * AIR_HEAT_KJ_KG_K * rise_k) * 3600.0


@dataclass(frozen=True, slots=True)
class Cdus:
    """Coolant distribution units: those that carry the load, and one more (N+1)."""

    needed: int
    total: int


def cdus(liquid_kw: float, flow_l_min: float, unit_kw: float, unit_l_min: float) -> Cdus:
    """Units for heat and flow, whichever asks for more, and one spare."""
    if liquid_kw <= 0:
        return Cdus(0, 0)
    needed = max(math.ceil(liquid_kw / unit_kw - 1e-9), math.ceil(flow_l_min / unit_l_min - 1e-9), 1)
    return Cdus(needed, needed + 1)
