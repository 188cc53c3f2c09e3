"""Voltage drop along busways and whips, balanced and unbalanced, and the current in the sections of a busbar.

Arrays in, arrays out. Resistance and reactance in mΩ or mΩ/m, lengths in m, voltages in V, powers in W.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asbuilt.physics.three_phase import SQRT3, TO_NEUTRAL, Floats

Complexes = NDArray[np.complex128]

OHM_PER_MOHM = 1e-3
#: Steps of the sweep; a row settles in four to seven, one near collapse never does.
MOST_SWEEPS = 60
SETTLED_V = 1e-9


def drop_volts(
    current_a: ArrayLike, length_m: ArrayLike, r_mohm_m: ArrayLike, x_mohm_m: ArrayLike = 0.0, power_factor: ArrayLike = 1.0
) -> Floats:
    """Voltage lost between two phase conductors of a balanced line: √3·I·L·(R·cos φ + X·sin φ), load at the end."""
    cosine = np.asarray(power_factor, dtype=np.float64)
    along = np.asarray(r_mohm_m) * cosine + np.asarray(x_mohm_m) * np.sqrt(1.0 - cosine**2)
    return np.asarray(SQRT3 * np.asarray(current_a) * np.asarray(length_m) * along * OHM_PER_MOHM)


def single_phase_drop_volts(
    current_a: ArrayLike, length_m: ArrayLike, r_mohm_m: ArrayLike, x_mohm_m: ArrayLike = 0.0, power_factor: ArrayLike = 1.0
) -> Floats:
    """Voltage lost to and fro over two equal conductors: 2·I·L·(R·cos φ + X·sin φ)."""
    return drop_volts(current_a, length_m, r_mohm_m, x_mohm_m, power_factor) * (2.0 / SQRT3)


def equal_taps(taps: ArrayLike) -> Floats:
    """Share of the end-load drop that n equal loads at L/n, 2L/n … L cause at the far end: (n+1)/(2n); no tap: 0."""
    count = np.asarray(taps, dtype=np.float64)
    return np.divide(count + 1.0, 2.0 * count, out=np.zeros(count.shape), where=count > 0)


def centre_fed(length_m: ArrayLike, current_a: ArrayLike) -> tuple[Floats, Floats]:
    """Length and head current of one half of a busway that is fed in its centre and loaded evenly: a quarter of the drop."""
    return np.asarray(length_m, dtype=np.float64) / 2.0, np.asarray(current_a, dtype=np.float64) / 2.0


@dataclass(frozen=True, slots=True)
class Swept:
    """What `sweep` finds. Shapes: (…, taps, 3), (…, 3), (…), (…)."""

    volts: Complexes  # voltage of each phase to the neutral there, at every tap
    head_a: Floats  # current of each phase conductor at the head
    neutral_a: Floats  # current of the neutral at the head
    settled: NDArray[np.bool_]  # false: the row cannot carry the load

    @property
    def lowest_share(self) -> Floats:
        """Lowest of all voltages to neutral of a row, as a share of the voltage at its head; NaN where nothing settled."""
        return np.asarray(np.where(self.settled, self._shares.min(axis=(-1, -2)), np.nan))

    @property
    def _shares(self) -> Floats:
        return np.abs(self.volts) / self._head

    _head: float = 1.0


def sweep(
    load_w: ArrayLike,
    section_m: ArrayLike,
    r_mohm_m: ArrayLike,
    x_mohm_m: ArrayLike,
    voltage_v: float,
    power_factor: float = 1.0,
    neutral_ratio: ArrayLike = 1.0,
) -> Swept:
    """Voltages and currents of four-wire radial rows with unbalanced loads of constant power, by backward/forward sweeps.

    ``load_w`` (…, taps, 3): what each tap draws from each phase to neutral, taps in order from the head. ``section_m``
    (…, taps): length of the section before each tap. ``r_mohm_m``, ``x_mohm_m`` (… or number): impedance of a phase conductor;
    ``neutral_ratio``: impedance of the neutral over that of a phase (1: a full neutral, Z0 = Z1 + 3·Zn = 4·Z1).
    ``voltage_v``: between phases at the head. Loads lag with ``power_factor``. A tap without load costs nothing: pad with 0.

    Source: Kirchhoff's laws; the method of Cheng and Shirmohammadi, IEEE Trans. Power Systems 10(2), 1995.
    """
    loads = np.asarray(load_w, dtype=np.float64)
    power = loads * complex(1.0, math.tan(math.acos(power_factor)))
    per_metre = (np.asarray(r_mohm_m) + 1j * np.asarray(x_mohm_m)) * OHM_PER_MOHM
    phase_z = np.asarray(per_metre)[..., None] * np.asarray(section_m, dtype=np.float64)
    neutral_z = phase_z * np.asarray(neutral_ratio)[..., None]
    head = TO_NEUTRAL * (voltage_v / SQRT3)
    volts = np.broadcast_to(head, loads.shape).astype(np.complex128)
    moved = np.full(loads.shape[:-2], np.inf)
    line = np.zeros(loads.shape, dtype=np.complex128)
    for _ in range(MOST_SWEEPS):
        with np.errstate(all="ignore"):
            drawn = np.conj(power / volts)
            line = np.flip(np.cumsum(np.flip(drawn, -2), -2), -2)
            lost = line * phase_z[..., None] + line.sum(-1, keepdims=True) * neutral_z[..., None]
            new = head - np.cumsum(lost, -2)
            moved = np.abs(new - volts).max(axis=(-1, -2), initial=0.0)
        volts = new
        if not np.any(moved > SETTLED_V):
            break
    at_head = line[..., 0, :] if loads.shape[-2] else np.zeros((*loads.shape[:-2], 3), dtype=np.complex128)
    settled = np.asarray(moved <= SETTLED_V)
    return Swept(volts, np.abs(at_head), np.abs(at_head.sum(-1)), settled, voltage_v / SQRT3)


def section_currents(injected_a: ArrayLike) -> Floats:
    """Current through each section of a direct-current bar: (…, places) in, (…, places - 1) out, sections between neighbours.

    ``injected_a`` holds what each place puts in (a shelf) or takes out (a tray, negative), from the bottom. The magnitude: a
    section carries what is below it and not used there, whichever way it flows. Source: Kirchhoff's current law.
    """
    placed = np.asarray(injected_a, dtype=np.float64)
    return np.asarray(np.abs(np.cumsum(placed, axis=-1)[..., :-1]))


def shelf_injection(load_a: ArrayLike, shelves: ArrayLike) -> Floats:
    """What each place injects (…, places) when the shelves that stand (true in ``shelves``) share the load equally.

    ``load_a`` (…, places): what each place takes. Without any shelf standing: NaN.
    """
    taken, standing = np.asarray(load_a, dtype=np.float64), np.asarray(shelves, dtype=np.float64)
    total, count = taken.sum(-1, keepdims=True), standing.sum(-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(count > 0, total / count, np.nan)
    return np.asarray(standing * each - taken)


def length_spread(shortest_m: ArrayLike, longest_m: ArrayLike) -> Floats:
    """How far the lengths of whips that share a load differ, as a share of the shortest: unequal lengths share unequally."""
    least = np.asarray(shortest_m, dtype=np.float64)
    return np.asarray((np.asarray(longest_m, dtype=np.float64) - least) / least)
