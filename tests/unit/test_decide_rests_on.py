"""What a figure of the answer moves with stands below it: nothing that is claimed or assumed carries a figure unseen."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest

from asbuilt.base.origin import Origin
from asbuilt.decide.answer import learnt
from asbuilt.decide.cases import cases
from asbuilt.decide.money import PARTS
from asbuilt.decide.quantities import counted
from asbuilt.decide.results import result_of
from asbuilt.decide.runs import run
from asbuilt.decide.simulate import Case, expected, ids
from asbuilt.decide.worked import worked
from asbuilt.model.crew_question import Question, Trial
from asbuilt.model.decision import Worked
from asbuilt.model.deployment import CATCHES
from asbuilt.report.decision_figures import Book
from decide_sites import SMALL, WET, question, site
from decision_sample import sample
from template_plans import made

#: Moves by less than this share of a figure are rounding.
ROUNDING = 1e-7


@dataclass(frozen=True)
class Moved:
    """Figures with what they are made of, and by figure the assumptions that move it."""

    book: Book
    movers: dict[str, frozenset[str]]


def figures_of(template: str, asked: Question) -> tuple[Mapping[str, Case], tuple[Worked, ...]]:
    """The cases of a question, and the figures of a few runs of them."""
    few = replace(asked, runs=4)
    staffed = cases(site(template), few)
    outcomes = run(staffed, few.seed, few.runs)
    results = [result_of(a, few, staffed[a.id], outcomes[a.id]) for a in few.arrangements]
    return staffed, worked(((r, staffed[r.id]) for r in results), counted(made(template)), few.assumptions, "USD")


@functools.cache
def moved(template: str) -> Moved:
    """Every value of a run at its low and its high end, one at a time, at expected values; teams as they were."""
    asked = question(template)
    staffed, figures = figures_of(template, asked)
    movers: dict[str, frozenset[str]] = {}
    for key, case in staffed.items():
        spread = [case.assumptions[id] for id in ids(case.assumptions) if case.assumptions[id].low < case.assumptions[id].high]
        values = {item.id: np.full(2 * len(spread) + 1, item.mean) for item in spread}
        for at, item in enumerate(spread):
            values[item.id][2 * at : 2 * at + 2] = item.low, item.high
        found = expected(case, values, 2 * len(spread) + 1)
        shown = {f"cost.{part}": found.parts[:, k] for k, part in enumerate(PARTS)}
        shown |= {f"faults.{catch}": found.caught[:, :, k].sum(axis=1, dtype=np.float64) for k, catch in enumerate(CATCHES)}
        shown |= {"cost": found.cost, "acceptance": found.acceptance_d, "first_job": found.first_job_d}
        shown["idle_hours"] = found.idle_gpu_h
        for name, of in shown.items():
            far = np.abs(of[:-1] - of[-1]).reshape(-1, 2).max(axis=1) > ROUNDING * max(1.0, abs(of[-1]))
            movers[f"{key}.{name}"] = frozenset(item.id for item, moves in zip(spread, far.tolist(), strict=True) if moves)
    whole = replace(sample(), assumptions=tuple(asked.assumptions), quantities=counted(made(template)), worked=figures)
    return Moved(Book(whole), movers)


@pytest.mark.parametrize("template", [SMALL, WET])
def test_what_moves_a_figure_stands_below_it(template: str) -> None:
    found = moved(template)
    assert {key for key in found.book.worked if not key.startswith("quantity.")} == set(found.movers)
    for key, movers in found.movers.items():
        assert movers <= found.book.below(key), (key, sorted(movers - found.book.below(key)))
    assert len(found.movers["in-house.cost"]) > 100


@pytest.mark.parametrize("template", [SMALL, WET])
def test_claims_stand_below_the_specialist_and_not_below_own_people(template: str) -> None:
    found = moved(template)

    def claimed(key: str) -> set[str]:
        return {id for id in found.book.below(key) if found.book.assumed[id].origin is Origin.CLAIMED}

    shifts = {f"crew.specialist.{word}" for word in ("shift_hours", "shifts", "days", "experience_racks")}
    assert claimed("in-house.cost") == claimed("in-house.acceptance") == set()
    assert shifts | {"qualification.certified.time_factor"} <= claimed("specialist.acceptance")
    assert shifts | {"money.premium.specialist", "qualification.certified.fault_factor"} <= claimed("specialist.cost")
    assert "qualification.certified.fault_factor" in claimed("specialist.faults.inspection")
    assert claimed("mixed.cost") == claimed("specialist.cost")
    figure = found.book.figure(found.book.worked["specialist.faults.inspection"], "x")
    assert figure.claimed == len(claimed("specialist.faults.inspection"))


def test_a_party_that_does_nothing_stands_below_nothing() -> None:
    for template in (SMALL, WET):
        book = moved(template).book
        assert not [id for id in book.below("in-house.cost") if ".specialist" in id]
        assert not [id for id in book.below("specialist.cost") if ".own" in id]


def test_a_rate_that_was_learnt_stands_below_the_faults_of_its_party() -> None:
    asked = learnt(replace(question(), trials=(Trial("optic_dead", 2_000.0, 3.0, "own", "log"),)))
    figures = {figure.id: figure for figure in figures_of(SMALL, asked)[1]}
    own, theirs = (figures[f"{key}.faults.fabric"].inputs for key in ("in-house", "specialist"))
    assert "fault.optic_dead.rate.own" in own and "fault.optic_dead.rate" not in own
    assert "fault.optic_dead.rate" in theirs and "fault.optic_dead.rate.own" not in theirs
