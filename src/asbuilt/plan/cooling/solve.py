"""The loops of a plan solved: header chosen, every case, flows of every rack. Equal loops are solved once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import Design
from asbuilt.physics import pumps
from asbuilt.plan.cooling.circuit import Circuit, Head, Loaded, branch_of, head, limits_of, load, smallest_header
from asbuilt.plan.cooling.demand import Demand
from asbuilt.plan.cooling.sites import LoopSite, units_needed

#: Name of a case, whether all racks of the finished row draw, thick fluid, dirty filter, a pump out.
CASES: tuple[tuple[str, bool, bool, bool, bool], ...] = (
    ("now", False, False, False, False),
    ("full", True, False, False, False),
    ("pump-out", True, False, False, True),
    ("viscous", True, True, False, False),
    ("dirty-filter", True, False, True, False),
    ("worst", True, True, True, True),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A loop in one case."""

    name: str
    found: Loaded
    filter_kpa: float
    given: Head

    @property
    def need_kpa(self) -> float:
        return self.found.need_kpa + self.filter_kpa

    @property
    def margin_percent(self) -> float | None:
        return None if self.given.available_kpa is None else pumps.margin_percent(self.given.available_kpa, self.need_kpa)


@dataclass(frozen=True, slots=True)
class SolvedLoop:
    """A loop with its circuit and cases; ``declared``: the header's size is the requirement's."""

    site: LoopSite
    circuit: Circuit
    declared: bool
    cases: tuple[Case, ...]

    def case(self, name: str) -> Case:
        """The case called ``name``."""
        return next(c for c in self.cases if c.name == name)


def circuit_of(design: Design, site: LoopSite, asked: Demand, heat_kw: float) -> Circuit:
    """The loop's numbers, with the header declared, or of the first size where the plan is to choose it."""
    cooling = design.cooling
    count = len(site.racks)
    main = cooling.header or "DN25"
    wide = cooling.header_first if cooling.header else ""
    first = min(cooling.header_first_racks, count) if wide else 0
    return Circuit(
        lengths_m=site.lengths_m,
        headers=(wide,) * first + (main,) * (count - first),
        now=site.built,
        topology=cooling.topology,
        branch=branch_of(cooling, asked),
        flow_l_min=asked.flow_l_min,
        coolant=cooling.coolant,
        mean_c=(asked.supply_c + asked.return_c) / 2,
        unit=cooling.unit,
        units=units_needed(design, count, asked, heat_kw),
    )


def solve_loops(design: Design, sites: list[LoopSite], asked: Demand, heat_kw: float) -> list[SolvedLoop]:
    """Every loop of ``sites`` with its header and cases. Raises ``ProblemError`` PLN-016 for a header that serves nobody."""
    declared = bool(design.cooling.header)
    sized: dict[Circuit, Circuit] = {}
    known: dict[Circuit, tuple[Case, ...]] = {}
    found = []
    for site in sites:
        circuit = circuit_of(design, site, asked, heat_kw)
        if not declared:
            plain = replace(circuit, now=())
            if plain not in sized:
                size = smallest_header(plain, limits_of(design.cooling))
                sized[plain] = replace(plain, headers=(size,) * circuit.racks)
            circuit = replace(circuit, headers=sized[plain].headers)
        if circuit not in known:
            try:
                known[circuit] = cases_of(circuit, design.cooling.viscosity_factor, design.cooling.filter_dirty_kpa)
            except ValueError:
                raise ProblemError(_unsolved(site, circuit)) from None
        found.append(SolvedLoop(site, circuit, declared, known[circuit]))
    return found


def _unsolved(site: LoopSite, circuit: Circuit) -> Problem:
    return Problem(
        "PLN-016",
        f"{site.loop}: {circuit.racks} racks of {circuit.flow_l_min:g} L/min on a header of {circuit.headers[-1]}",
        why="the racks next to the CDU would take many times the flow of the last one: no pressure serves them all",
        fix="leave cooling.header out, so that the plan chooses it; or fewer racks_per_loop",
    )


def cases_of(circuit: Circuit, viscosity_factor: float, dirty_kpa: float) -> tuple[Case, ...]:
    """All of `CASES`; flows and losses of the row are solved once for each set of racks and each viscosity."""
    now = tuple(i for i, built in enumerate(circuit.now) if built)
    solved: dict[tuple[bool, bool], Loaded] = {}
    made = []
    for name, full, thick, dirty, out in CASES:
        if (full, thick) not in solved:
            solved[full, thick] = load(circuit, None if full else now, viscosity_factor if thick else 1.0)
        found = solved[full, thick]
        made.append(Case(name, found, dirty_kpa if dirty else 0.0, head(circuit, found.total_l_min, out)))
    return tuple(made)
