"""Moist and dry air: dew point, and the air that carries a heat."""

from __future__ import annotations

import math

#: Magnus coefficients of Alduchov and Eskridge, Journal of Applied Meteorology 35, 1996.
_MAGNUS = (17.625, 243.04)
#: Dry air at 25 °C and 101.325 kPa: kg/m³, kJ/(kg·K).
AIR_DENSITY_KG_M3 = 1.184
AIR_HEAT_KJ_KG_K = 1.006
#: Cubic feet per minute in one m³/h.
CFM_PER_M3_H = 0.588578


def dew_point_c(air_c: float, humidity_percent: float) -> float:
    """Dew point in °C of air at ``air_c`` and relative humidity: Magnus, 17.625 and 243.04 °C (Alduchov and Eskridge).

    Raises ``ValueError`` for a humidity outside 0 (excluded) to 100 %.
    """
    if not 0 < humidity_percent <= 100:
        raise ValueError(f"a relative humidity of {humidity_percent:g} % is not above 0 and up to 100 %")
    slope, shift = _MAGNUS
    gamma = math.log(humidity_percent / 100.0) + slope * air_c / (shift + air_c)
    return shift * gamma / (slope - gamma)


def air_m3_h(heat_kw: float, rise_k: float) -> float:
    """Air in m³/h that carries ``heat_kw`` at a rise of ``rise_k``: V = P / (rho cp dT), dry air at 25 °C."""
    return heat_kw / (AIR_DENSITY_KG_M3 * AIR_HEAT_KJ_KG_K * rise_k) * 3600.0


def air_rise_k(heat_kw: float, flow_m3_h: float) -> float:
    """Temperature rise in K of ``flow_m3_h`` of air that takes ``heat_kw``."""
    return heat_kw * 3600.0 / (AIR_DENSITY_KG_M3 * AIR_HEAT_KJ_KG_K * flow_m3_h)
