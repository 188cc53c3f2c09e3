"""Prospective fault currents, whether breakers in series trip selectively, and what a step of all GPUs does to them.

Arrays in, arrays out; amperes, mΩ, volts between phases. NaN is unknown, and never proves anything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asbuilt.physics.three_phase import SQRT3, Floats, amperes

SELECTIVE, NOT_PROVEN, NOT_SELECTIVE = "selective", "not_proven", "not_selective"
MOHM_PER_OHM = 1e3
#: An instantaneous release may act at 80 % of its setting: IEC 60947-2, ±20 %.
EARLIEST_SHARE = 0.8
#: From this ratio of ratings on, inverse-time curves of breakers stay apart: a rule of thumb of the trade, no proof for faults.
OVERLOAD_RATIO = 2.0


def source_mohm(voltage_v: ArrayLike, fault_a: ArrayLike, r_over_x: ArrayLike = 0.0) -> tuple[Floats, Floats]:
    """Resistance and reactance behind a prospective fault current: |Z| = U/(√3·I), in mΩ. ``r_over_x`` 0: all reactance."""
    size = np.asarray(voltage_v) / (SQRT3 * np.asarray(fault_a, dtype=np.float64)) * MOHM_PER_OHM
    ratio = np.asarray(r_over_x, dtype=np.float64)
    reactance = size / np.sqrt(1.0 + ratio**2)
    return np.asarray(reactance * ratio), np.asarray(reactance)


def fault_amperes(
    voltage_v: ArrayLike, source_a: ArrayLike, r_mohm: ArrayLike = 0.0, x_mohm: ArrayLike = 0.0, r_over_x: ArrayLike = 0.0
) -> Floats:
    """Three-phase prospective fault current behind a source of ``source_a`` and conductors of ``r_mohm`` + j·``x_mohm`` in all.

    I = U/(√3·|Z|), IEC 60909 with c = 1. Conductors in series add up: sum their mΩ first.
    """
    source_r, source_x = source_mohm(voltage_v, source_a, r_over_x)
    size = np.hypot(source_r + np.asarray(r_mohm), source_x + np.asarray(x_mohm))
    return np.asarray(np.asarray(voltage_v) / (SQRT3 * size) * MOHM_PER_OHM)


def earliest_pickup(setting_a: ArrayLike) -> Floats:
    """Least current at which an instantaneous release of this setting may act."""
    return np.asarray(setting_a, dtype=np.float64) * EARLIEST_SHARE


def coordination(
    downstream_a: ArrayLike, upstream_a: ArrayLike, pickup_a: ArrayLike, fault_a: ArrayLike
) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """Verdict and reason of breakers in series: selective, not_proven or not_selective.

    ``pickup_a``: least current at which the upper breaker acts at once (`earliest_pickup`); ``fault_a``: prospective fault
    current below the lower one; NaN where unknown. Not selective: the upper rating is not above the lower. Selective: ratings
    stand 2:1 apart and no fault reaches the upper pick-up. All between needs the makers' selectivity table (IEC 60947-2
    annex A), zone interlocking or an energy study.
    """
    lower, upper, pickup, fault = np.broadcast_arrays(
        *(np.asarray(a, dtype=np.float64) for a in (downstream_a, upstream_a, pickup_a, fault_a))
    )
    conditions = [
        np.isnan(lower) | np.isnan(upper),
        upper <= lower,
        upper < lower * OVERLOAD_RATIO,
        np.isnan(fault),
        np.isnan(pickup),
        fault >= pickup,
    ]
    verdicts = [NOT_PROVEN, NOT_SELECTIVE, NOT_PROVEN, NOT_PROVEN, NOT_PROVEN, NOT_PROVEN]
    reasons = [
        "a rating is not known",
        "the upper breaker is rated no higher than the lower one",
        "ratings less than 2:1 apart: the trip curves have to be compared",
        "the fault current is not known",
        "the instantaneous pick-up of the upper breaker is not known",
        "the fault reaches the upper pick-up: needs the makers' selectivity table",
    ]
    return np.select(conditions, verdicts, SELECTIVE), np.select(conditions, reasons, "no fault reaches the upper pick-up")


def step_amperes(idle_w: ArrayLike, peak_w: ArrayLike, voltage_v: ArrayLike, power_factor: ArrayLike = 1.0) -> Floats:
    """Step of the line current when all GPUs behind a three-phase feeder start or stop at once: peak less idle."""
    return amperes(np.asarray(peak_w, dtype=np.float64) - np.asarray(idle_w), voltage_v, 3, power_factor)


def inrush_amperes(peak_each_a: ArrayLike, together: ArrayLike) -> Floats:
    """Current when ``together`` supplies, each with its inrush peak, are switched on at once: the arithmetic sum, the worst."""
    return np.asarray(np.asarray(peak_each_a, dtype=np.float64) * np.asarray(together))
