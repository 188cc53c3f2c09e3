"""Watts on every conductor of every circuit, and the currents that they make of it, case by case."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from asbuilt.model.design import Design
from asbuilt.physics.three_phase import line_currents
from asbuilt.plan.power.branches import Branches
from asbuilt.plan.power.devices import Devices
from asbuilt.plan.power.draws import WYE_FROM_V
from asbuilt.plan.power.outlets import PHASES, Plugged
from asbuilt.plan.power.racks import Flags, Floats, Ints
from asbuilt.plan.power.sharing import Cases, Supplies, shared, skewed


@dataclass(frozen=True, slots=True)
class Watts:
    """W of the loads on each circuit or busway, (…, n, 3) and (…, n): from a phase to the other side, and over all three."""

    single: Floats
    three: Floats

    def add(self, group: Ints, count: int) -> Watts:
        """Summed over groups (n,) -> (…, count, …)."""
        lead = self.three.shape[:-1]
        single = np.zeros((*lead, count, PHASES))
        three = np.zeros((*lead, count))
        for at in np.ndindex(*lead):
            for c in range(PHASES):
                single[(*at, slice(None), c)] = np.bincount(group, weights=self.single[(*at, slice(None), c)], minlength=count)
            three[at] = np.bincount(group, weights=self.three[at], minlength=count)
        return Watts(single, three)

    @property
    def total(self) -> Floats:
        return np.asarray(self.single.sum(axis=-1) + self.three)


def currents(design: Design, watts: Watts) -> Floats:
    """A of L1, L2, L3 and N, (…, n, 4). Single-phase loads stand to neutral on wye systems, between phases at 208 V."""
    power = design.power
    three = watts.three / (math.sqrt(3.0) * power.voltage_v * power.power_factor)
    if power.voltage_v > WYE_FROM_V:
        volts = power.voltage_v / math.sqrt(3.0)
        return line_currents(watts.single / (volts * power.power_factor), 0.0, three)
    between = watts.single / (power.voltage_v * power.power_factor)
    return line_currents(np.zeros_like(between), between, three)


def to_neutral(design: Design, watts: Watts) -> Floats:
    """W from each conductor to neutral (…, n, 3) that make the same line currents: what a voltage sweep is fed with."""
    amps = currents(design, watts)[..., :PHASES]
    return np.asarray(amps * (design.power.voltage_v / math.sqrt(3.0) * design.power.power_factor))


@dataclass(frozen=True, slots=True)
class CordLoads:
    """W of each cord: healthy, worst with another feed lost (equal shares), and what conductors are planned for per case."""

    healthy_w: Floats
    lost_w: Floats
    case_w: Floats
    skewed_w: Floats


def cord_loads(design: Design, devices: Devices, supplies: Supplies, circuit: Ints, feed: Ints, cases: Cases) -> CordLoads:
    """``circuit`` and ``feed`` per cord as built. ``case_w`` and ``skewed_w``: (cases, cords)."""
    even, uneven = [], []
    for lost in cases.feed:
        watts, standing = shared(devices, supplies, feed == lost)
        even.append(watts)
        uneven.append(skewed(watts, standing, supplies.rating_w, design.power.sharing_skew) if lost >= 0 else watts)
    stacked, spread = np.array(even), np.array(uneven)
    return CordLoads(stacked[0], stacked.max(axis=0), stacked, spread)


def pdu_lost(design: Design, devices: Devices, supplies: Supplies, circuit: Ints, branches: Branches) -> Floats | None:
    """W of each cord (slots, cords) with PDU n of feed f lost in every rack at once: racks do not share devices. None: no rack
    has two PDUs on a feed, so that a lost PDU is a lost feed to its rack."""
    pdus = branches.shelf < 0
    if not (branches.number[pdus] > 1).any():
        return None
    slot = branches.asked.astype(np.int64) * 64 + branches.number
    out = []
    for one in np.unique(slot[pdus]).tolist():
        watts, standing = shared(devices, supplies, slot[circuit] == one)
        out.append(skewed(watts, standing, supplies.rating_w, design.power.sharing_skew))
    return np.array(out)


def shelf_loads(design: Design, branches: Branches, rack_w: float, rating_w: float, cases: Cases) -> tuple[Floats, Floats]:
    """W of each circuit of a shelf, 0 for PDUs: (cases, circuits) with each feed lost as built, (shelves, circuits) with each
    shelf lost. Shelves share equally, one may take more by the skew; none gives more than its rating in the long run."""
    count = len(design.power.shelf_feeds)
    mine = branches.shelf >= 0
    racks = int(branches.rack.max(initial=-1)) + 1
    if not mine.any():
        return np.zeros((len(cases), len(branches))), np.zeros((0, len(branches)))
    feed_of = np.full((racks, count), -1, np.int32)
    feed_of[branches.rack[mine], branches.shelf[mine]] = branches.feed[mine]
    circuits = np.zeros((racks, count))
    np.add.at(circuits, (branches.rack[mine], branches.shelf[mine]), 1.0)
    there = feed_of >= 0

    def per_circuit(standing: Flags, skew: bool) -> Floats:
        left = standing.sum(axis=1, keepdims=True)
        each = np.where(standing & (left > 0), rack_w / np.maximum(left, 1), 0.0)
        each = np.minimum(each, rating_w)
        if skew:
            above = np.minimum(each * (1.0 + design.power.sharing_skew), np.maximum(each, rating_w))
            each = np.where(left > 1, above, each)
        out = np.zeros(len(branches))
        at = (branches.rack[mine], branches.shelf[mine])
        out[mine] = each[at] / circuits[at]
        return out

    by_feed = np.array([per_circuit(there & (feed_of != lost), bool(lost >= 0)) for lost in cases.feed])
    by_shelf = np.array([per_circuit(there & (np.arange(count) != s), True) for s in range(count)])
    return by_feed, by_shelf


@dataclass(frozen=True, slots=True)
class CircuitLoads:
    """Watts of circuits: cases as shares (equal, for busways and feeds) and as planned for (skewed), and with a part lost."""

    even: Watts
    planned: Watts
    part_lost: Watts


def circuit_loads(
    loads: CordLoads,
    part_lost: Floats | None,
    plugged: Plugged,
    circuit: Ints,
    shelves: tuple[Floats, Floats],
    keep: Flags,
    keep_circuit: Flags,
) -> CircuitLoads:
    """Cords of ``keep`` and shelves of ``keep_circuit`` summed on circuits: (cases, circuits, 3) and (cases, circuits)."""
    count = len(keep_circuit)
    by_feed, by_shelf = (s * keep_circuit for s in shelves)

    def placed(cord_w: Floats) -> Floats:
        index = circuit[keep].astype(np.int64) * PHASES + plugged.conductor[keep]
        return np.array([np.bincount(index, weights=w[keep], minlength=count * PHASES) for w in cord_w]).reshape(
            -1, count, PHASES
        )

    lost = np.zeros((1, count, PHASES)) if part_lost is None else placed(part_lost)
    shelf = by_shelf if len(by_shelf) else np.zeros((1, count))
    steps = max(len(lost), len(shelf))
    both = Watts(np.resize(lost, (steps, count, PHASES)), np.resize(shelf, (steps, count)))
    return CircuitLoads(Watts(placed(loads.case_w), by_feed), Watts(placed(loads.skewed_w), by_feed), both)
