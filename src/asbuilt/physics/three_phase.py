"""Currents of one- and three-phase loads, of conductors and neutral, and how far they are from balance.

Arrays in, arrays out: every argument may be a number or a numpy array, and arrays broadcast. Watts, volts, amperes.
Conductor triples are arrays whose last axis is L1, L2, L3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

SQRT3 = math.sqrt(3.0)
#: Share of a breaker's rating that a load of three hours or more may take: NEC 210.19(A), 210.20(A), 215.2, 215.3 (conductors
#: and breakers at 125 % of the continuous load), unless the assembly is listed for 100 %.
NEC_CONTINUOUS = 0.8

_TURN = np.exp(2j * np.pi / 3.0)
#: Directions of the voltages L1, L2, L3 to neutral, and of L1-L2, L2-L3, L3-L1.
TO_NEUTRAL = np.array([1.0, _TURN**-1, _TURN])
BETWEEN = TO_NEUTRAL - np.roll(TO_NEUTRAL, -1)
BETWEEN = BETWEEN / np.abs(BETWEEN)


def amperes(power_w: ArrayLike, voltage_v: ArrayLike, conductors: ArrayLike = 3, power_factor: ArrayLike = 1.0) -> Floats:
    """Current of a conductor of a balanced load: P/(√3·U·pf) with 3 phase conductors, P/(U·pf) with 1.

    ``voltage_v`` is between two phase conductors for 3, and what the load stands between for 1.
    """
    root = np.where(np.asarray(conductors) == 3, SQRT3, 1.0)
    return np.asarray(np.asarray(power_w, dtype=np.float64) / (root * np.asarray(voltage_v) * np.asarray(power_factor)))


def watts(current_a: ArrayLike, voltage_v: ArrayLike, conductors: ArrayLike = 3, power_factor: ArrayLike = 1.0) -> Floats:
    """Power that a current of every conductor carries; the inverse of `amperes`. With power factor 1: volt-amperes."""
    root = np.where(np.asarray(conductors) == 3, SQRT3, 1.0)
    return np.asarray(np.asarray(current_a, dtype=np.float64) * root * np.asarray(voltage_v) * np.asarray(power_factor))


def usable_amperes(rating_a: ArrayLike, basis: str, derated: ArrayLike = False, factor: ArrayLike = 1.0) -> Floats:
    """Continuous current allowed on a rating.

    ``basis`` "nec": 80 % of the breaker, unless the nameplate is ``derated`` already (cord-connected equipment under UL
    62368-1 carries the continuous figure: never derate twice). "iec": the device's own rating times ``factor``, its grouping
    and ambient factor of IEC 60364-5-52 (1.0: none). Raises ``ValueError`` for another basis.
    """
    rating = np.asarray(rating_a, dtype=np.float64)
    if basis == "nec":
        return np.where(np.asarray(derated), rating, rating * NEC_CONTINUOUS)
    if basis == "iec":
        return np.asarray(rating * np.asarray(factor))
    raise ValueError(f"basis is nec or iec, not {basis!r}")


def between_phases(currents: ArrayLike) -> Floats:
    """Line currents L1, L2, L3 of loads between phases, unity power factor: last axis L1-L2, L2-L3, L3-L1 in, L1, L2, L3 out.

    I_L1 = √(I12² + I31² + I12·I31) and so on: phasors 60° apart, never added as amperes.
    """
    loads = np.asarray(currents, dtype=np.float64)
    before = np.roll(loads, 1, axis=-1)
    return np.sqrt(loads**2 + before**2 + loads * before)


def line_currents(to_neutral: ArrayLike, between: ArrayLike = 0.0, three: ArrayLike = 0.0) -> Floats:
    """L1, L2, L3 and N (last axis, 4) of loads to neutral, loads between phases and balanced three-phase loads together.

    ``to_neutral`` and ``between`` end in an axis of 3 (L1, L2, L3; L1-L2, L2-L3, L3-L1), ``three`` is the current per
    conductor; all of one power factor, voltages balanced. The neutral is the sum of the phasors to neutral.
    """
    neutral = np.asarray(to_neutral, dtype=np.float64) * TO_NEUTRAL
    delta = np.asarray(between, dtype=np.float64) * BETWEEN
    lines = neutral + delta - np.roll(delta, 1, axis=-1) + np.asarray(three, dtype=np.float64)[..., None] * TO_NEUTRAL
    total = np.broadcast_to(neutral.sum(axis=-1), lines.shape[:-1])
    return np.concatenate([np.abs(lines), np.abs(total)[..., None]], axis=-1)


def neutral_amperes(phases: ArrayLike, third_harmonic: ArrayLike = 0.0) -> Floats:
    """Neutral current of the loads to neutral L1, L2, L3 (last axis): √(a²+b²+c²-ab-bc-ca), equal power factors.

    ``third_harmonic`` is the share of the third harmonic in each phase current; triplen harmonics add up arithmetically
    in the neutral.
    """
    loads = np.asarray(phases, dtype=np.float64)
    fundamental = np.abs((loads * TO_NEUTRAL).sum(axis=-1))
    triplen = loads.sum(axis=-1) * np.asarray(third_harmonic, dtype=np.float64)
    return np.asarray(np.hypot(fundamental, triplen))


def nema_unbalance(phases: ArrayLike) -> Floats:
    """Largest distance of L1, L2, L3 (last axis) from their mean, as a share of it: the measure of NEMA MG-1. No load: 0."""
    loads = np.asarray(phases, dtype=np.float64)
    mean = loads.mean(axis=-1)
    return _share(np.abs(loads - mean[..., None]).max(axis=-1), mean)


def spread(phases: ArrayLike) -> Floats:
    """Largest less smallest of L1, L2, L3 (last axis), as a share of their mean. No load: 0."""
    loads = np.asarray(phases, dtype=np.float64)
    return _share(loads.max(axis=-1) - loads.min(axis=-1), loads.mean(axis=-1))


def feeds_needed(power_w: ArrayLike, usable_w: ArrayLike, redundancy: str) -> NDArray[np.int64]:
    """Circuits of ``usable_w`` that a load needs: N = ceil(P / usable), N+1, or 2N. Raises ``ValueError`` for another word."""
    least = np.ceil(np.asarray(power_w, dtype=np.float64) / np.asarray(usable_w) - 1e-9)
    if redundancy == "N":
        return np.asarray(least, dtype=np.int64)
    if redundancy == "N+1":
        return np.asarray(least + 1, dtype=np.int64)
    if redundancy == "2N":
        return np.asarray(least * 2, dtype=np.int64)
    raise ValueError(f"redundancy is N, N+1 or 2N, not {redundancy!r}")


def shares_with_lost(on_feed: ArrayLike, lost: int | None) -> Floats:
    """Share of a device's load that each feed carries with feed ``lost`` out (None: all stand); no feed left: NaN.

    ``on_feed`` (devices, feeds) counts the supplies of a device on each feed. Supplies share equally, as load-sharing ones
    do within a few percent.
    """
    counts = np.array(on_feed, dtype=np.float64)
    if lost is not None:
        counts[..., lost] = 0.0
    total = counts.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(total > 0, counts / total, np.nan))


def _share(part: Any, whole: Any) -> Floats:
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.asarray(np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole > 0))
