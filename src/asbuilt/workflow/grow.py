"""Use case: from pilot to production. Plans both, the sizes between them that breaks ask for, and compares."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from asbuilt.workflow.grow_ahead import at_size, freed, planned_ahead

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.catalogue.load import Catalogue
    from asbuilt.model.plan import Plan
    from asbuilt.model.requirement import Requirement
    from asbuilt.predict.breaks import Decision
    from asbuilt.predict.grown import Foreseen, Growth, Size
    from asbuilt.predict.rates import Rates
    from asbuilt.predict.reading import Reading

#: Clusters planned for one question: the two, both again in two forms with what the target needs stated, and sizes between.
MOST_PLANS = 13
_NUMBER = re.compile(r"^(?P<number>[0-9][0-9_,]{0,10})(?P<racks>racks?)?$")


@dataclass(frozen=True, slots=True)
class Named:
    """A requirement with the catalogue that it is planned with."""

    requirement: Requirement
    catalogue: Catalogue


def grow(
    pilot: str, target: str, folder: Path, rates: Rates | None = None, tell: Callable[[str], None] = lambda text: None
) -> Growth:
    """What becomes of ``pilot`` on the way to ``target``.

    Each is a project folder, a `cluster.yaml` or a template; the target may be a number of GPUs or, with `racks` behind it,
    of compute racks: then it is the pilot's own requirement at that size. Paths are taken from ``folder``; ``tell`` hears of
    each plan that is made.
    Raises ``ProblemError`` CLI-080 (neither of these), CLI-081 (the target is no larger, or another system), those of
    `make_plan`.
    """
    from asbuilt.predict.rates import Rates

    start = named(pilot, folder)
    tell(f"planning {pilot}")
    small = _planned(start, start.requirement)
    wanted = _target(target, start, small, folder)
    notes: list[str] = []
    tell(f"planning {target}")
    end, large = _reached(wanted, notes)
    _comparable(small, large, pilot, target)
    own = _NUMBER.match(target) is not None
    return _answer(_Question(start, end, small, large, own, tell), rates or Rates(), notes)


@dataclass(frozen=True, slots=True)
class _Question:
    """Both requirements and plans; ``own``: the target is the pilot's requirement at another size."""

    start: Named
    end: Named
    small: Plan
    large: Plan
    own: bool
    tell: Callable[[str], None]


def _answer(asked: _Question, rates: Rates, notes: list[str]) -> Growth:
    from asbuilt.predict.acts import acts
    from asbuilt.predict.breaks import BREAKS, readings
    from asbuilt.predict.grown import Growth
    from asbuilt.predict.survival import cables, links, survival

    small, large = asked.small, asked.large
    seen: dict[int, dict[str, Reading]] = {compute_racks(p): readings(small, p) for p in (small, large)}
    seen[compute_racks(large)] = readings(small, large)
    refused: dict[int, str] = {}
    _look_between(asked, seen, refused, MOST_PLANS - 6)
    found = _decided(seen, refused, asked)
    states = cables(small, large)
    survived = survival(small, large, {d.reading.id: d.reading.items for d in found if d.verdict == BREAKS})
    notes = [*notes, *_of_places(states)]
    counts = {str(state): int(n) for state, n in states.group_by("state").len().sort("state").iter_rows()}
    return Growth(
        pilot=_size(small),
        target=_size(large),
        looked_at=tuple(sorted({*seen, *refused})),
        decisions=tuple(found),
        survived=tuple(survived),
        links=links(small, large, states),
        cables=counts,
        acts=tuple(acts(small, large, found, survived, states, rates)),
        rates=rates,
        foreseen=_foreseen(asked, found),
        notes=tuple(notes),
    )


def _of_places(states: pl.DataFrame) -> list[str]:
    """A note on cables that are pulled anew for nothing but a device that the larger plan puts into another rack."""
    moved = int(states["rack_moved"].sum())
    if not moved:
        return []
    return [
        f"{moved:,} cables are pulled anew only because the target's plan has a device of theirs in another rack: "
        "a site that leaves it where it stands pulls them not, and departs from that plan"
    ]


def _decided(seen: dict[int, dict[str, Reading]], refused: dict[int, str], asked: _Question) -> list[Decision]:
    """Decisions over all sizes; those of the requirement that refuse a size come first."""
    from asbuilt.predict.breaks import BREAKS, Decision, decisions
    from asbuilt.predict.reading import FABRIC, Reading

    found = decisions(seen)
    if refused:
        first = min(refused)
        below = [n for n in seen if n < first and n not in refused]
        reading = Reading(
            "as-written",
            FABRIC,
            "what the requirement dictates",
            asked.start.requirement.name,
            None,
            refused[first],
            "",
            False,
            "the plan of the pilot's requirement at that size",
            "leave out what is dictated there, or dictate it for the target",
        )
        found.append(Decision(reading, BREAKS, first, max(below) if below else None))
    return found


def _look_between(asked: _Question, seen: dict[int, dict[str, Reading]], refused: dict[int, str], most: int) -> None:
    """Plan sizes between the two where breaks are not exact yet, at most ``most``: the pilot's next racks, then halves."""
    from asbuilt.base.problem import ProblemError
    from asbuilt.predict.breaks import next_size, readings

    low, high = min(seen), max(seen)
    if asked.own and _dictated(asked):
        try:
            _planned(asked.start, at_size(asked.start.requirement, asked.large.design.gpus if asked.large.design else 0))
        except ProblemError as error:
            refused[high] = error.problems.items[0].what
    for _ in range(most):
        size = next_size(seen)
        if size is None:
            size = _refusal_between(refused, low, seen)
        if size is None or size in seen:
            return
        if size in refused:
            return
        asked.tell(f"planning {size:,} racks")
        base = asked.start if asked.own else asked.end
        wanted = at_size(base.requirement, size * gpus_per_rack(asked.small))
        try:
            plan = _planned(base, wanted)
        except ProblemError as error:
            refused[size] = error.problems.items[0].what
            try:
                _, plan = _reached(Named(wanted, base.catalogue), [])
            except ProblemError:
                return
        seen[size] = readings(asked.small, plan)


def _dictated(asked: _Question) -> bool:
    """True when the target was reached only with what the pilot dictates left out."""
    start, end = asked.start.requirement, asked.end.requirement
    return (end.planes, end.cooling) != (start.planes, start.cooling)


def _refusal_between(refused: dict[int, str], low: int, seen: dict[int, dict[str, Reading]]) -> int | None:
    """The size that halves the bracket in which the requirement begins to be refused."""
    if not refused:
        return None
    first = min(refused)
    below = max((n for n in seen if n < first), default=low)
    return (below + first) // 2 if first - below > 1 else None


def _foreseen(asked: _Question, found: list[Decision]) -> Foreseen | None:
    """The pilot planned again for its target, and held against it. None where nothing breaks or nothing is left to state."""
    from asbuilt.base.problem import ProblemError
    from asbuilt.predict.breaks import BREAKS, readings
    from asbuilt.predict.grown import Foreseen
    from asbuilt.predict.survival import cables, links

    design = asked.large.design
    broken = {d.reading.id: d.reading for d in found if d.verdict == BREAKS}
    if design is None or not broken:
        return None
    asked.tell("planning the pilot for its target")
    best: Foreseen | None = None
    for choices in planned_ahead(asked.start.requirement, asked.large, broken):
        if choices.requirement == asked.start.requirement:  # it states all of this already
            continue
        try:
            wiser = _planned(asked.start, choices.requirement)
            large = asked.large
            if asked.own:
                _, large = _reached(Named(at_size(choices.requirement, design.gpus), asked.end.catalogue), [])
        except ProblemError:
            continue
        failing = {key: reading for key, reading in readings(wiser, large).items() if reading.holds is False}
        proof = links(wiser, large, cables(wiser, large))
        mended = tuple(key for key in broken if key not in failing and key != "as-written")
        made = Foreseen(choices.stated, tuple(failing.values()), proof.links, proof.same_ends, proof.untouched, mended)
        if best is None or (len(made.failing), -made.untouched) < (len(best.failing), -best.untouched):
            best = made
    return best


def _size(plan: Plan) -> Size:
    from asbuilt.predict.grown import Size

    gpus = plan.design.gpus if plan.design else 0
    return Size(plan.name, gpus, compute_racks(plan), plan.table("racks").height, plan.plan_hash)


def compute_racks(plan: Plan) -> int:
    """Compute racks of a plan."""
    import polars as pl

    return plan.table("racks").filter(pl.col("role") == "compute").height


def gpus_per_rack(plan: Plan) -> int:
    """GPUs of one full compute rack."""
    design = plan.design
    assert design is not None
    node = design.node
    per_rack = node.nodes_per_unit if node.units_are_racks else design.site.nodes_per_rack
    return design.gpus // design.nodes * per_rack


def _reached(wanted: Named, notes: list[str]) -> tuple[Named, Plan]:
    """The target's plan; where what it dictates has no plan at that size, with as little left out as does, and said so."""
    from asbuilt.base.problem import ProblemError

    try:
        return wanted, _planned(wanted, wanted.requirement)
    except ProblemError as error:
        refusal = error
    for words, requirement in freed(wanted.requirement):
        try:
            plan = _planned(wanted, requirement)
        except ProblemError:
            continue
        notes.append(f"no plan of the target as written ({refusal.problems.items[0].what}): planned without {words}")
        return Named(requirement, wanted.catalogue), plan
    raise refusal


def _planned(named: Named, requirement: Requirement) -> Plan:
    from asbuilt.workflow.plan import make_plan

    return make_plan(requirement, named.catalogue)


def named(text: str, folder: Path) -> Named:
    """A project folder, a requirement's file, or a template. Raises ``ProblemError`` CLI-080 for none of them."""
    from asbuilt.base.nearest import nearest
    from asbuilt.base.problem import Problem, ProblemError
    from asbuilt.catalogue.load import load
    from asbuilt.model.decode_requirement import decode
    from asbuilt.workflow import templates
    from asbuilt.workflow.plan import REQUIREMENT_FILE, project_catalogue, read_requirement

    path = folder / text
    if text and path.is_dir():
        return Named(read_requirement(path / REQUIREMENT_FILE), project_catalogue(path))
    if text and path.is_file():
        return Named(read_requirement(path), project_catalogue(path.parent))
    if text in templates.names():
        return Named(decode(templates.text(text).encode(), text), load())
    near = nearest(text, templates.names(), "did you mean ")
    fix = f"{near} give a project folder, a cluster.yaml, or a template: {', '.join(templates.names())}".lstrip()
    raise ProblemError(Problem("CLI-080", f"{text!r} is no project, no file and no template", fix=fix))


def _target(text: str, start: Named, small: Plan, folder: Path) -> Named:
    number = _NUMBER.match(text)
    if number is None:
        return named(text, folder)
    count = int(number["number"].replace("_", "").replace(",", ""))
    gpus = count * gpus_per_rack(small) if number["racks"] else count
    return Named(at_size(start.requirement, gpus), start.catalogue)


def sized(start: Named, size: str) -> Named:
    """The requirement at another size: a number of GPUs, or of compute racks (`100racks`). Raises ``ProblemError`` CLI-080."""
    from asbuilt.base.problem import Problem, ProblemError

    if _NUMBER.match(size) is None:
        fix = "give a number of GPUs (1024), or of compute racks (100racks)"
        raise ProblemError(Problem("CLI-080", f"{size!r} is no size of a site", fix=fix))
    return _target(size, start, _planned(start, start.requirement), Path())


def _comparable(small: Plan, large: Plan, pilot: str, target: str) -> None:
    """Raises ``ProblemError`` CLI-081 unless the target is the same system, and larger."""
    from asbuilt.base.problem import Problem, ProblemError

    now, then = small.design, large.design
    assert now is not None
    assert then is not None
    if now.requirement.system != then.requirement.system:
        what = f"{pilot} is built of {now.requirement.system}, {target} of {then.requirement.system}"
        fix = "compare clusters of one system"
        raise ProblemError(Problem("CLI-081", what, why="no part of the one would stay in the other", fix=fix))
    if compute_racks(large) <= compute_racks(small):
        what = f"{target} is {compute_racks(large):,} compute racks, {pilot} is {compute_racks(small):,}"
        fix = "give a larger number of GPUs, or of racks: `10racks`"
        raise ProblemError(Problem("CLI-081", what, why="growth is asked for, rack by rack", fix=fix))


def read_rates(path: Path) -> Rates:
    """The file of rates at ``path``. Raises ``ProblemError`` CLI-082 with everything that is wrong with it."""
    from asbuilt.base.decode import Grammar, decode_record
    from asbuilt.base.fault import Fault
    from asbuilt.base.problem import Place, Problem, ProblemError
    from asbuilt.predict.rates import Rates

    try:
        if not path.is_file():
            raise OSError(0, "it is not a file")
        data = path.read_bytes()
    except OSError as error:
        what, fix = f"the rates cannot be read: {error.strerror or error}", "give a YAML file of rates"
        raise ProblemError(Problem("CLI-082", what, Place(str(path)), fix=fix)) from None
    found = decode_record(data, str(path), Rates, Grammar("rates", 1, dict.fromkeys(Fault, "CLI-082")))
    if found.problems:
        raise ProblemError(found.problems)
    return found.value
