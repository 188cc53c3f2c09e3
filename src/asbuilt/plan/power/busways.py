"""Busways of the finished rows: rating, voltage along them, fault currents. Panels have circuits and no busway."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asbuilt.model.design import Design
from asbuilt.physics.conductors import drop_volts, sweep
from asbuilt.physics.protection import fault_amperes
from asbuilt.plan.power.branches import Branches
from asbuilt.plan.power.loads import Watts, currents, to_neutral
from asbuilt.plan.power.outlets import PHASES
from asbuilt.plan.power.parts import SLACK, BuswayPart, CircuitPart
from asbuilt.plan.power.racks import Floats, Ints, Racks
from asbuilt.plan.power.sharing import Cases

#: Shown for a row whose voltages find no rest: it cannot carry the load at all.
COLLAPSED_PERCENT = 100.0
_AMPERES_PER_KA = 1000.0
_PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class Busways:
    """One entry per row and feed with a circuit on it, row by row. ``part`` numbers the ratings; A per case of the finished
    row (cases, n, 4); %, kA (NaN: the source's is not known)."""

    row: Ints
    feed: Ints
    part: Ints
    full_a: Floats
    drop_percent: Floats
    far_ka: Floats
    of_circuit: Ints
    tap_m: Floats
    tap_drop_percent: Floats
    tap_ka: Floats


def busway_numbers(branches: Branches, racks: Racks) -> tuple[Ints, Ints, Ints]:
    """Row and feed of each busway, and the busway of each circuit."""
    key = racks.row[branches.rack].astype(np.int64) * 4 + branches.feed
    known, of_circuit = np.unique(key, return_inverse=True)
    return (known // 4).astype(np.int32), (known % 4).astype(np.int32), of_circuit.astype(np.int32)


def plan_busways(
    design: Design, branches: Branches, racks: Racks, full: Watts, cases: Cases, ratings: list[BuswayPart]
) -> Busways:
    """``full``: watts of every circuit of the finished rows, equal shares, by case. The smallest rating that carries a row's
    worst case is taken, the largest where none does."""
    row, feed, of_circuit = busway_numbers(branches, racks)
    amps = currents(design, full.add(of_circuit, len(row)))
    # A row's busways are alike: a feed moved back must not need another rating.
    worst = np.zeros(int(row.max(initial=-1)) + 1)
    np.maximum.at(worst, row, amps[..., :PHASES].max(axis=(0, 2)))
    part = np.array([_rating(ratings, a) for a in worst[row].tolist()], np.int32)
    tap, side = _taps(design, branches, racks, racks.row_m)
    per_tap, drop = _drops(design, branches, full, of_circuit, len(row), part, ratings, tap, side)
    r, x = (np.array([getattr(p, n) for p in ratings])[part] for n in ("r_mohm_m", "x_mohm_m"))
    reach = racks.row_m[row] / (2.0 if design.power.busway_entry == "centre" else 1.0)
    return Busways(
        row,
        feed,
        part,
        amps,
        drop,
        _fault_ka(design, r * reach, x * reach),
        of_circuit,
        tap,
        per_tap,
        _fault_ka(design, r[of_circuit] * tap, x[of_circuit] * tap),
    )


def _rating(ratings: list[BuswayPart], amps: float) -> int:
    return next((i for i, p in enumerate(ratings) if p.usable_a >= amps * (1.0 - SLACK)), len(ratings) - 1)


def _taps(design: Design, branches: Branches, racks: Racks, row_m: Floats) -> tuple[Floats, Ints]:
    """Distance of each circuit's tap from the head along the busway, and the half it is on (0, 1) of one fed in its centre."""
    along = racks.x_m[branches.rack]
    if design.power.busway_entry != "centre":
        return along, np.zeros(len(along), np.int32)
    off = along - row_m[racks.row[branches.rack]] / 2.0
    return np.abs(off), (off > 0).astype(np.int32)


def _drops(
    design: Design,
    branches: Branches,
    full: Watts,
    of_circuit: Ints,
    count: int,
    part: Ints,
    ratings: list[BuswayPart],
    tap: Floats,
    side: Ints,
) -> tuple[Floats, Floats]:
    """Largest drop at each circuit's tap and on each busway, %, over all cases: unbalanced four-wire sweeps."""
    run = of_circuit.astype(np.int64) * 2 + side  # half busways
    order = np.lexsort((tap, run))
    place = np.empty(len(run), np.int64)
    place[order] = np.arange(len(run)) - np.searchsorted(run[order], run[order])
    runs, taps = 2 * count, int(place.max(initial=-1)) + 1
    if not taps:
        return np.zeros(0), np.zeros(count)
    distance = np.zeros((runs, taps))
    distance[run, place] = tap
    section = np.diff(np.maximum.accumulate(distance, axis=1), axis=1, prepend=0.0)
    load = to_neutral(design, full)
    loads = np.zeros((len(load), runs, taps, PHASES))
    loads[:, run, place] = load
    rating = np.repeat(part, 2)
    r, x, n = (np.array([getattr(p, k) for p in ratings])[rating] for k in ("r_mohm_m", "x_mohm_m", "neutral_ratio"))
    power = design.power
    swept = sweep(loads, section, r, x, power.voltage_v, power.power_factor, n)
    share = np.abs(swept.volts).min(axis=-1) / (power.voltage_v / np.sqrt(3.0))
    lost = np.where(swept.settled[..., None], (1.0 - share) * _PERCENT, COLLAPSED_PERCENT).max(axis=0)
    at_tap = lost[run, place]
    worst = np.zeros(count)
    np.maximum.at(worst, of_circuit, at_tap)
    return at_tap, worst


def whip_drop_percent(design: Design, branches: Branches, circuits: list[CircuitPart], amps: Floats) -> Floats:
    """Drop along each circuit's whip at ``amps`` of its most loaded conductor, % of the voltage between phases."""
    power = design.power
    r = np.array([c.whip_r_mohm_m for c in circuits])[branches.part]
    return np.asarray(drop_volts(amps, branches.whip_m, r, 0.0, power.power_factor) / power.voltage_v * _PERCENT)


def whip_end_ka(
    design: Design, branches: Branches, circuits: list[CircuitPart], busways: Busways | None, parts: list[BuswayPart]
) -> Floats:
    """Prospective fault current at the far end of each whip, kA; NaN where the source's is not known. Without a busway the
    whip hangs on the head."""
    whip_r = np.array([c.whip_r_mohm_m for c in circuits])[branches.part] * branches.whip_m
    if busways is None:
        return _fault_ka(design, whip_r, np.zeros_like(whip_r))
    rating = busways.part[busways.of_circuit]
    r, x = (np.array([getattr(p, n) for p in parts])[rating] * busways.tap_m for n in ("r_mohm_m", "x_mohm_m"))
    return _fault_ka(design, r + whip_r, x)


def _fault_ka(design: Design, r_mohm: Floats, x_mohm: Floats) -> Floats:
    source = design.power.fault_ka
    if source is None:
        return np.full(np.shape(r_mohm), np.nan)
    return np.asarray(fault_amperes(design.power.voltage_v, source * _AMPERES_PER_KA, r_mohm, x_mohm) / _AMPERES_PER_KA)
