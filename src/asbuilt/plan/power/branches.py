"""Branch circuits: what stands behind each PDU and each power shelf, with what the site has built otherwise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import Design
from asbuilt.model.design_power import PowerDesign
from asbuilt.physics.assignment import balanced, deal, totals
from asbuilt.physics.three_phase import between_phases
from asbuilt.plan.placement import COMPUTE
from asbuilt.plan.power.devices import Devices
from asbuilt.plan.power.draws import outlet_volts
from asbuilt.plan.power.parts import SLACK, CircuitPart, PduPart, smallest
from asbuilt.plan.power.racks import Flags, Floats, Ints, Racks
from asbuilt.plan.power.sharing import Cases, Supplies, shared, skewed

#: PDUs tried on one feed of a rack before the plan gives up; the checks then say what is too much.
MOST_PDUS = 8
MOST_SHELF_CIRCUITS = 4


@dataclass(frozen=True, slots=True)
class Branches:
    """One entry per circuit, rack by rack, ``shelf`` -1: a PDU hangs on it. ``asked`` names it, ``feed`` it hangs on."""

    rack: Ints
    asked: Ints
    feed: Ints
    number: Ints
    shelf: Ints
    part: Ints
    side: pl.Series
    whip_m: Floats
    door: Flags

    def __len__(self) -> int:
        return len(self.rack)

    def labels(self, racks: Racks) -> pl.Series:
        """``A-01/A1`` of each."""
        letter = pl.Series(list("ABCD")).gather(self.asked.astype(np.int64))
        return (racks.names.gather(self.rack) + "/" + letter + pl.Series(self.number).cast(pl.String)).alias("label")


def pdus_needed(
    design: Design, racks: Racks, devices: Devices, supplies: Supplies, cases: Cases, pdu: PduPart
) -> dict[int, dict[int, int]]:
    """PDUs by role of rack and feed: as many as the fullest rack of the role needs in the worst case.

    Power, conductors as dealt and outlets all count. `power.pdus_per_feed` settles it for racks of servers.
    """
    power, feeds = design.power, len(cases) - 1
    worst = np.zeros(len(supplies))
    for lost in cases.feed:
        watts, standing = shared(devices, supplies, supplies.asked == lost)
        worst = np.maximum(worst, skewed(watts, standing, supplies.rating_w, power.sharing_skew))
    group = supplies.rack.astype(np.int64) * feeds + supplies.asked
    heavy = np.bincount(group, weights=worst, minlength=len(racks) * feeds).reshape(-1, feeds)
    cords = np.bincount(group, minlength=len(racks) * feeds).reshape(-1, feeds)
    out: dict[int, dict[int, int]] = {}
    for role in np.unique(racks.role[racks.server]).tolist():
        mine = np.flatnonzero((racks.role == role) & racks.server)
        used = [f for f in range(feeds) if cords[mine, f].any()] or list(range(min(2, feeds)))
        stated = power.pdus_per_feed if role == COMPUTE else None
        counts = {}
        for feed in used:
            fullest = mine[[int(heavy[mine, feed].argmax()), int(cords[mine, feed].argmax())]]
            loads = [worst[group == rack * feeds + feed] for rack in fullest.tolist()]
            counts[feed] = stated or max(_pdus_for(x, pdu, outlet_volts(design) * power.power_factor) for x in loads)
        out[role] = dict.fromkeys(used, max(counts.values()))  # the same on every feed
    return out


def _pdus_for(watts: Floats, pdu: PduPart, watts_per_a: float) -> int:
    """PDUs that carry these cords, dealt in turn: outlets, conductors and banks. A cord that is too much for any bank is left
    to the checks: more PDUs would not help it. Where no number does, as many as the outlets and the sum of the load need."""
    bank = math.inf if pdu.bank_a is None else pdu.bank_a * watts_per_a
    if watts.max(initial=0.0) > bank:
        bank = math.inf
    whole = pdu.usable_a * watts_per_a * (math.sqrt(3.0) if pdu.between else 3.0)
    places = max(1, pdu.c13 + pdu.c19)
    least = max(1, -(-len(watts) // places), math.ceil(float(watts.sum()) / whole - SLACK))
    for count in range(least, MOST_PDUS + 1):
        parts = [watts[i::count] for i in range(count)]
        lines = [balanced(part) for part in parts]
        amps = [totals(part, line) / watts_per_a for part, line in zip(parts, lines, strict=True)]
        most = max(float((between_phases(a) if pdu.between else a).max(initial=0.0)) for a in amps)
        if most > pdu.usable_a * (1.0 + SLACK):
            continue
        if all(_fullest_bank(part, line, pdu.outlets.banks) <= bank for part, line in zip(parts, lines, strict=True)):
            return count
    return min(least, MOST_PDUS)


def _fullest_bank(watts: Floats, line: NDArray[np.int64], banks: int) -> float:
    """W of the fullest bank when each conductor's cords are dealt to its banks."""
    fullest = 0.0
    for conductor in range(3):
        mine, own = watts[line == conductor], len(range(conductor, banks, 3))
        fullest = max(fullest, float(totals(mine, deal(mine, own), own).max(initial=0.0))) if own else fullest
    return fullest


def branches_of(
    power: PowerDesign,
    racks: Racks,
    needed: dict[int, dict[int, int]],
    pdu: PduPart,
    circuits: list[CircuitPart],
    shelf_w: float,
) -> Branches:
    """Every circuit: one per PDU, and one or more per shelf. ``shelf_w``: the most that a shelf takes in any case."""
    rows: list[tuple[int, int, int, int, int]] = []
    at_pdu = circuits.index(smallest(circuits, breaker_a=pdu.rating_a))
    each, at_shelf = _shelf_circuits(power, circuits, shelf_w)
    shelves = [(s, ord(letter) - ord("A")) for s, letter in enumerate(power.shelf_feeds)]
    shelf_rows = []
    for feed in range(4):
        mine = [s for s, f in shelves if f == feed for _ in range(each)]
        shelf_rows += [(feed, n + 1, s) for n, s in enumerate(mine)]
    for rack in range(len(racks)):
        if racks.server[rack]:
            for feed, count in sorted(needed.get(int(racks.role[rack]), {}).items()):
                rows += [(rack, feed, n + 1, -1, at_pdu) for n in range(count)]
        else:
            rows += [(rack, feed, number, shelf, at_shelf) for feed, number, shelf in shelf_rows]
    table = np.array(rows, np.int32).reshape(-1, 5)
    sides = pl.Series("side", [power.sides[f % len(power.sides)] for f in range(4)])
    made = Branches(
        rack=table[:, 0],
        asked=table[:, 1],
        feed=table[:, 1].copy(),
        number=table[:, 2],
        shelf=table[:, 3],
        part=table[:, 4],
        side=sides.gather(table[:, 1].astype(np.int64)),
        whip_m=np.full(len(table), power.whip_m),
        door=np.zeros(len(table), np.bool_),
    )
    return _as_built(power, racks, made)


def _shelf_circuits(power: PowerDesign, circuits: list[CircuitPart], shelf_w: float) -> tuple[int, int]:
    """Circuits of one shelf and which: as stated, else the fewest that some circuit of the catalogue can be."""
    tried = [power.shelf_circuits] if power.shelf_circuits else list(range(1, MOST_SHELF_CIRCUITS + 1))
    per_a = math.sqrt(3.0) * power.voltage_v * power.power_factor
    for count in tried:
        load_a = shelf_w / count / per_a
        found = smallest(circuits, load_a=load_a)
        if found.usable_a >= load_a * (1.0 - 1e-9):
            return count, circuits.index(found)
    return tried[-1], len(circuits) - 1


def _as_built(power: PowerDesign, racks: Racks, made: Branches) -> Branches:
    """The site's own words over the rule. Raises ``ProblemError`` PLN-015 for circuits that the plan does not have."""
    if not power.circuits_as_built:
        return made
    known = {name: at for at, name in enumerate(made.labels(racks).to_list()) if racks.planned[made.rack[at]]}
    side, problems = made.side.to_list(), []
    for i, told in enumerate(power.circuits_as_built):
        name = f"{told.rack.removeprefix('rack:')}/{told.feed}{told.number or 1}"
        at = known.get(name)
        if at is None:
            problems.append(_unknown(f"power.circuits_as_built[{i}]", f"circuit:{name}", "circuits"))
            continue
        if told.length_m is not None:
            made.whip_m[at] = told.length_m
        if told.side is not None:
            side[at] = told.side
        if told.door is not None:
            made.door[at] = told.door
        if told.feed_as_built is not None:
            made.feed[at] = ord(told.feed_as_built) - ord("A")
    if problems:
        raise ProblemError(problems)
    return Branches(
        made.rack,
        made.asked,
        made.feed,
        made.number,
        made.shelf,
        made.part,
        pl.Series("side", side, dtype=pl.String),
        made.whip_m,
        made.door,
    )


def _unknown(path: str, key: str, table: str) -> Problem:
    return Problem(
        "PLN-015",
        f"{path}: the plan has no {key}",
        None,
        "what is said of it would be ignored",
        f"use a key of `asbuilt show {table}`, or delete the entry",
    )


def moved_cords(power: PowerDesign, devices: Devices) -> dict[tuple[str, int], int]:
    """(device, supply) -> feed as built. Raises ``ProblemError`` PLN-015 for cords that the plan does not have."""
    if not power.cords_as_built:
        return {}
    counts = dict(zip(devices.ids.to_list(), (devices.draws[k].supplies for k in devices.kind.tolist()), strict=True))
    moved: dict[tuple[str, int], int] = {}
    problems = []
    for i, told in enumerate(power.cords_as_built):
        if told.supply >= counts.get(told.device, 0):
            problems.append(_unknown(f"power.cords_as_built[{i}]", f"cord:{told.device}/{told.supply}", "cords"))
        moved[(told.device, told.supply)] = ord(told.feed) - ord("A")
    if problems:
        raise ProblemError(problems)
    return moved
