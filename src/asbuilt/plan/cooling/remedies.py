"""The smallest change with which a loop carries its finished row: tried on its numbers, each with what comes of it.

Two verdicts stay apart: the header's (velocity, spread between racks) and the CDU's (head that is left at the row's flow). A
remedy is one that the header's verdict asks for; what the CDU says to it stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from asbuilt.model.design import Design
from asbuilt.physics.pipe_sizes import SIZES
from asbuilt.plan.cooling.circuit import (
    DIRECT,
    REVERSE,
    Circuit,
    Limits,
    Loaded,
    branch_of,
    cdu_holds,
    head,
    header_holds,
    limits_of,
    load,
)
from asbuilt.plan.cooling.demand import demand
from asbuilt.plan.cooling.tables import solved_loops

if TYPE_CHECKING:
    import polars as pl

FIRST_SEGMENTS, HEADER, SECOND_CDU, SUPPLY, REVERSE_RETURN = (
    "first-segments",
    "header",
    "second-cdu",
    "supply",
    "reverse-return",
)
#: In this order a change counts as smaller: pipe before it is laid, then a machine, then what the facility delivers to all.
_ORDER = (FIRST_SEGMENTS, HEADER, SECOND_CDU, SUPPLY, REVERSE_RETURN)
#: Larger sizes tried for the first segments alone.
_SIZES_TRIED = 3


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change, and the finished row with it.

    ``size`` of the header from the CDU up to rack ``segments``; ``metres`` of pipe that change, both ways; ``racks`` on each
    of ``loops`` loops. ``header_ok`` and ``cdu_ok`` are the two verdicts; ``cdu_ok`` None: its head is not published there.
    """

    kind: str
    size: str
    segments: int
    metres: float
    supply_c: float
    loops: int
    racks: int
    velocity_m_s: float
    spread_percent: float
    need_kpa: float
    flow_l_min: float
    available_kpa: float | None
    curve: str
    header_ok: bool
    cdu_ok: bool | None

    def says(self) -> str:
        """The change and its numbers in words."""
        done = {
            FIRST_SEGMENTS: f"{self.size} for the header up to the {_nth(self.segments)} rack ({self.metres:.1f} m of pipe)",
            HEADER: f"{self.size} for the whole header ({self.metres:.1f} m of pipe)",
            SECOND_CDU: f"a second CDU at the other end of the row, {self.racks} racks on each loop",
            SUPPLY: f"coolant supplied at {self.supply_c:g} °C",
            REVERSE_RETURN: f"a reverse return ({self.metres:.1f} m of pipe more)",
        }[self.kind]
        return (
            f"{done}: {self.velocity_m_s:.2f} m/s, {self.spread_percent:.1f} % between racks, "
            f"{self.need_kpa:.0f} kPa at {self.flow_l_min:.0f} L/min"
        )


@dataclass(frozen=True, slots=True)
class LoopVerdict:
    """A loop's finished row as planned: the two verdicts, the fastest segment, and what would mend it, the smallest first.

    ``in_vain``: what was tried and does not mend the header, with its numbers.
    """

    loop: str
    header_ok: bool
    cdu_ok: bool | None
    velocity_m_s: float
    spread_percent: float
    need_kpa: float
    flow_l_min: float
    segment: str
    remedies: tuple[Remedy, ...]
    in_vain: tuple[Remedy, ...]

    @property
    def smallest(self) -> Remedy | None:
        """The smallest change that the CDU does not rule out, else the smallest that mends the header; None: nothing to do."""
        return next((r for r in self.remedies if r.cdu_ok is not False), next(iter(self.remedies), None))


def verdicts(design: Design, racks: pl.DataFrame) -> list[LoopVerdict]:
    """Every loop of a plan (``racks``: its table) with the changes that would mend its header; equal loops are tried once.

    A loop whose header holds has no remedies, whatever its CDU says.
    """
    known: dict[Circuit, LoopVerdict] = {}
    found = []
    for loop in solved_loops(design, racks):
        key = replace(loop.circuit, now=())
        if key not in known:
            known[key] = verdict(design, key)
        made = known[key]
        number = made.segment.rpartition("/")[2]
        found.append(replace(made, loop=loop.site.loop, segment=f"segment:{loop.site.name}/{number}"))
    return found


def verdict(design: Design, circuit: Circuit) -> LoopVerdict:
    """`LoopVerdict` of one circuit, without the loop's name."""
    limits = limits_of(design.cooling)
    full = load(circuit)
    given = head(circuit, full.total_l_min)
    good = header_holds(full, limits)
    tried = [] if good else sorted((r for r in _tried(design, circuit, limits) if r is not None), key=_rank)
    return LoopVerdict(
        loop="",
        header_ok=good,
        cdu_ok=cdu_holds(full, given, limits),
        velocity_m_s=full.velocity_m_s,
        spread_percent=full.spread_percent,
        need_kpa=full.need_kpa,
        flow_l_min=full.total_l_min,
        segment=f"segment:/s{full.fastest + 1}",
        remedies=tuple(r for r in tried if r.header_ok),
        in_vain=tuple(r for r in tried if not r.header_ok),
    )


def _rank(remedy: Remedy) -> tuple[int, float, int]:
    return _ORDER.index(remedy.kind), remedy.metres, SIZES.index(remedy.size)


def _tried(design: Design, circuit: Circuit, limits: Limits) -> Iterator[Remedy | None]:
    """Changes of one thing at a time, each at its smallest step that mends the header; where none does, at its last."""
    supply = design.site.coolant_supply_c
    yield from _pipes(circuit, limits, supply)
    if circuit.racks > 1:
        half = -(-circuit.racks // 2)
        lengths, headers = circuit.lengths_m[:half], circuit.headers[:half]
        yield _remedy(SECOND_CDU, replace(circuit, lengths_m=lengths, headers=headers), limits, supply, loops=2)
    colder = sorted((p.supply_c for p in (design.cooling.rack.points if design.cooling.rack else ())), reverse=True)
    remedy = None
    for step in (s for s in colder if s < supply):
        remedy = _remedy(SUPPLY, _at_supply(design, circuit, step), limits, step)
        if remedy is not None and remedy.header_ok:
            break
    yield remedy
    if circuit.topology == DIRECT:
        metres = sum(circuit.lengths_m[1:])  # the return runs the row twice
        yield _remedy(REVERSE_RETURN, replace(circuit, topology=REVERSE), limits, supply, metres=metres)


def _pipes(circuit: Circuit, limits: Limits, supply_c: float) -> Iterator[Remedy | None]:
    """Larger pipe: for the first racks only, and for all of the header."""
    narrowest = min(circuit.headers, key=SIZES.index)
    larger = SIZES[SIZES.index(narrowest) + 1 :]
    whole = None
    for size in larger:
        remedy = _remedy(HEADER, _widened(circuit, size, circuit.racks), limits, supply_c, circuit)
        if remedy is not None and remedy.header_ok:
            whole = remedy
            break
    if whole is None:
        return
    yield whole
    at = SIZES.index(whole.size)
    for size in SIZES[at : at + _SIZES_TRIED]:
        count = _fewest(circuit, size, limits)
        if count is not None and count < circuit.racks:
            yield _remedy(FIRST_SEGMENTS, _widened(circuit, size, count), limits, supply_c, circuit, segments=count)


def _fewest(circuit: Circuit, size: str, limits: Limits) -> int | None:
    """The fewest first segments that must be ``size``; None where even all of them do not do. Wider pipe never harms."""
    low, high = 1, circuit.racks
    if not _holds(_widened(circuit, size, high), limits):
        return None
    while low < high:
        middle = (low + high) // 2
        if _holds(_widened(circuit, size, middle), limits):
            high = middle
        else:
            low = middle + 1
    return low


def _holds(circuit: Circuit, limits: Limits) -> bool:
    try:
        return header_holds(load(circuit), limits)
    except ValueError:  # too narrow for any pressure
        return False


def _widened(circuit: Circuit, size: str, count: int) -> Circuit:
    """The first ``count`` segments at least ``size``."""
    wide = tuple(size if at < count and SIZES.index(now) < SIZES.index(size) else now for at, now in enumerate(circuit.headers))
    return replace(circuit, headers=wide)


def _at_supply(design: Design, circuit: Circuit, supply_c: float) -> Circuit:
    rack = design.cooling.rack
    if rack is None:
        return circuit
    asked = demand(rack, design.cooling.coolant, supply_c)
    mean = (asked.supply_c + asked.return_c) / 2
    return replace(circuit, branch=branch_of(design.cooling, asked), flow_l_min=asked.flow_l_min, mean_c=mean)


def _remedy(
    kind: str,
    circuit: Circuit,
    limits: Limits,
    supply_c: float,
    before: Circuit | None = None,
    *,
    loops: int = 1,
    segments: int | None = None,
    metres: float = 0.0,
) -> Remedy | None:
    """``circuit`` solved; ``before``: the circuit whose pipe it changes. None for a header that no pressure serves."""
    try:
        found: Loaded = load(circuit)
    except ValueError:
        return None
    given = head(circuit, found.total_l_min)
    if before is not None:
        changed = zip(circuit.headers, before.headers, circuit.lengths_m, strict=True)
        metres = 2 * sum(length for new, old, length in changed if new != old)
    return Remedy(
        kind=kind,
        size=circuit.headers[0],
        segments=circuit.racks if segments is None else segments,
        metres=metres,
        supply_c=supply_c,
        loops=loops,
        racks=circuit.racks,
        velocity_m_s=found.velocity_m_s,
        spread_percent=found.spread_percent,
        need_kpa=found.need_kpa,
        flow_l_min=found.total_l_min,
        available_kpa=given.available_kpa,
        curve=given.curve,
        header_ok=header_holds(found, limits),
        cdu_ok=cdu_holds(found, given, limits),
    )


def _nth(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
