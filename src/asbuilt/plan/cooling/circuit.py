"""A loop as numbers, solved: lengths, sizes, racks; velocities, pressures and flows; the head of its CDUs.

Knows no tables and no names, so that a change can be tried on it: see `remedies`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from asbuilt.model.design_cooling import CduDesign, CoolingDesign
from asbuilt.physics import pumps
from asbuilt.physics.hydraulics import Branch, Row, Solved, direct_return, for_least_flow, reverse_return
from asbuilt.physics.pipe_sizes import SIZES, inside_mm
from asbuilt.physics.pipes import Bore, velocity_m_s
from asbuilt.plan.cooling.demand import Demand, fluid_at

#: Loss coefficients: run of a tee in each header segment; entry, bends and exit of a hose. As in the worked example of ten
#: racks on one header that the oracles reproduce.
SEGMENT_K = 0.3
HOSE_K = 1.0
DIRECT, REVERSE = "direct-return", "reverse-return"


@dataclass(frozen=True, slots=True)
class Circuit:
    """A loop. Segment i leads to rack i: ``lengths_m`` one way, ``headers`` nominal sizes. ``now``: racks that stand.

    ``units`` CDUs run side by side, each with the points of ``unit`` (None: no CDU known).
    """

    lengths_m: tuple[float, ...]
    headers: tuple[str, ...]
    now: tuple[bool, ...]
    topology: str
    branch: Branch
    flow_l_min: float
    coolant: str
    mean_c: float
    unit: CduDesign | None
    units: int

    @property
    def racks(self) -> int:
        return len(self.lengths_m)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a loop must keep: header m/s, flow spread in percent, head of the CDU over the need in percent."""

    velocity_m_s: float
    spread_percent: float
    margin_percent: float


@dataclass(frozen=True, slots=True)
class Loaded:
    """A circuit solved for some racks. ``at`` are the positions of those that draw; flows and losses are theirs in order."""

    solved: Solved
    at: tuple[int, ...]
    velocity_m_s: float
    fastest: int
    spread_percent: float

    @property
    def need_kpa(self) -> float:
        return self.solved.pressure_kpa

    @property
    def total_l_min(self) -> float:
        return self.solved.total_l_min


@dataclass(frozen=True, slots=True)
class Head:
    """Head of the CDUs at a flow. ``curve``: inside, below, above or none."""

    available_kpa: float | None
    curve: str
    pumps: int | None


def limits_of(cooling: CoolingDesign) -> Limits:
    """The limits that the site holds its loops to."""
    return Limits(cooling.velocity_m_s, cooling.spread_percent, cooling.margin_percent)


def branch_of(cooling: CoolingDesign, asked: Demand) -> Branch:
    """A rack with its two hoses and, where their flow factor is known, its two couplings."""
    hose = Bore(cooling.hose_id_mm, cooling.hose_m, HOSE_K)
    cv = cooling.coupling.cv if cooling.coupling else None
    return Branch(asked.flow_l_min, asked.drop_kpa, asked.exponent, (hose, hose), () if cv is None else (cv, cv))


def segments(circuit: Circuit) -> tuple[Bore, ...]:
    """Supply segments, then those of the return (direct: the same again; reverse: onwards, and home)."""
    supply = tuple(Bore(inside_mm(n), m, SEGMENT_K) for n, m in zip(circuit.headers, circuit.lengths_m, strict=True))
    if circuit.topology == DIRECT:
        return (*supply, *supply)
    widest = max(circuit.headers, key=SIZES.index)
    return (*supply, *supply[1:], Bore(inside_mm(widest), sum(circuit.lengths_m), SEGMENT_K))


def load(circuit: Circuit, at: tuple[int, ...] | None = None, viscosity_factor: float = 1.0) -> Loaded:
    """The circuit with the racks at positions ``at`` (all by default), the worst served one at its design flow."""
    drawing = at if at is not None else tuple(range(circuit.racks))
    every = (circuit.branch,) * circuit.racks
    supply = tuple(Bore(inside_mm(n), m, SEGMENT_K) for n, m in zip(circuit.headers, circuit.lengths_m, strict=True))
    if circuit.topology == DIRECT:
        whole = direct_return(every, supply)
    else:
        whole = reverse_return(every, supply, segments(circuit)[-1])
    some = list(drawing)
    row = Row(tuple(every[i] for i in some), whole.segments, whole.uses[some], whole.carries[some])
    solved = for_least_flow(row, fluid_at(circuit.coolant, circuit.mean_c, viscosity_factor), circuit.flow_l_min)
    speeds = [velocity_m_s(float(q), b.inside_mm) for q, b in zip(solved.segment_l_min, whole.segments, strict=True)]
    fastest = int(np.argmax(speeds))
    least, most = float(solved.flow_l_min.min()), float(solved.flow_l_min.max())
    return Loaded(solved, drawing, speeds[fastest], fastest % circuit.racks, 100.0 * (most / least - 1.0))


def head(circuit: Circuit, flow_l_min: float, pump_out: bool = False) -> Head:
    """Head of the circuit's CDUs at ``flow_l_min``, all pumps running or all but one.

    Points of several pump counts: more pumps reach at least what fewer do at the same flow, so the curve through all
    published points is a lower bound for all pumps, and the points of m pumps hold for m. Nothing is published below the
    first point: minimum flow and bypass are the maker's. Of several CDUs, one with a pump out is taken as out.
    """
    points = circuit.unit.points if circuit.unit else ()
    if not points:
        return Head(None, pumps.NO_CURVE, None)
    most = max(count for count, _, _ in points)
    running = most * circuit.units if most else None
    units, kept = circuit.units, points
    if pump_out:
        running = None if running is None else running - 1
        if units > 1:
            units -= 1
        else:
            kept = tuple(p for p in points if 0 < p[0] < most)
    curve = pumps.curve_through(tuple((flow, kpa) for _, flow, kpa in kept))
    if curve is None:
        return Head(None, pumps.NO_CURVE, running)
    joined = curve.in_parallel(units)
    return Head(joined.published(flow_l_min), joined.where(flow_l_min), running)


def header_holds(found: Loaded, limits: Limits) -> bool:
    """The header's own verdict: velocity and spread. What the CDU can do is not asked."""
    return found.velocity_m_s <= limits.velocity_m_s and found.spread_percent <= limits.spread_percent


def cdu_holds(found: Loaded, given: Head, limits: Limits) -> bool | None:
    """The CDU's own verdict: margin of head; None where its head is not published, False beyond its last point."""
    if given.available_kpa is None:
        return False if given.curve == pumps.ABOVE else None
    return pumps.margin_percent(given.available_kpa, found.need_kpa) >= limits.margin_percent


def smallest_header(circuit: Circuit, limits: Limits) -> str:
    """The smallest nominal size, over the whole header, with which the finished row keeps velocity, spread and head.

    Head counts where it is published. The largest size where none passes.
    """
    good = ""  # no size satisfies the CDU: then the smallest that satisfies the header, so that the two verdicts stay apart
    for size in SIZES:
        tried = replace(circuit, headers=(size,) * circuit.racks)
        try:
            found = load(tried)
        except ValueError:  # so narrow that no pump would do
            continue
        if not header_holds(found, limits):
            continue
        good = good or size
        if cdu_holds(found, head(tried, found.total_l_min), limits) is not False:
            return size
    return good or SIZES[-1]
