"""The same site decided under other inputs: claims left out, other shifts, checkpoints dropped, a trial rack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from asbuilt.decide import risk
from asbuilt.decide.cases import Site, case_of
from asbuilt.decide.rates import rate_id
from asbuilt.decide.simulate import Case
from asbuilt.decide.trial import updated
from asbuilt.model.assumption import Assumptions
from asbuilt.model.crew_question import Checkpoints, Question, Trial
from asbuilt.model.deployment import FAULT_KINDS, OPERATIONS

UNCLAIMED = "claims left out"
OWN_SHIFTS, OUTSIDE_DAYS = "own people in the specialist's shifts", "the specialist in own people's shifts"
NO_INSPECTION, SAMPLED = "no connector inspected", "one connector in ten inspected, the row where one is dirty"
TRIAL = "after a trial rack by own people"
_TENTH = 0.1


def variants(
    site: Site, question: Question, unclaimed: Question, cases: Mapping[str, Case]
) -> Iterator[tuple[str, Mapping[str, Case]]]:
    """Name and cases of each variant. ``unclaimed``: the question asked of assumptions without claims; ``cases``: as asked."""
    yield UNCLAIMED, {a.id: case_of(site, unclaimed, a) for a in unclaimed.arrangements}
    yield OWN_SHIFTS, _asked(site, replace(question, own=replace(question.own, shift=question.specialist.shift)))
    yield OUTSIDE_DAYS, _asked(site, replace(question, specialist=replace(question.specialist, shift=question.own.shift)))
    yield NO_INSPECTION, _checked(site, question, cases, {"connector_inspection": 0.0})
    yield SAMPLED, _checked(site, question, cases, {"connector_inspection": _TENTH, "escalate": True})
    tried = trial_rack(site, question)
    if tried:
        believed = updated(question.assumptions, tried, factor_of(question))
        yield TRIAL, _asked(site, replace(question, assumptions=believed, trials=(*question.trials, *tried)))


def _asked(site: Site, question: Question) -> dict[str, Case]:
    return {a.id: case_of(site, question, a) for a in question.arrangements}


def _checked(site: Site, question: Question, cases: Mapping[str, Case], kept: Mapping[str, float | bool]) -> dict[str, Case]:
    """Checkpoints changed, teams as they were."""
    made = {}
    for arrangement in question.arrangements:
        checkpoints: Checkpoints = replace(arrangement.checkpoints, **kept)  # type: ignore[arg-type]
        teams = cases[arrangement.id].pools.teams
        made[arrangement.id] = case_of(site, question, replace(arrangement, checkpoints=checkpoints), None, teams)
    return made


def trial_rack(site: Site, question: Question) -> tuple[Trial, ...]:
    """What one compute rack built by own people shows if faults come as expected: pieces of it, and their mean faults.

    A trial that shows what was expected moves no mean; it narrows the spread.
    """
    tasks = site.tasks
    computing = {"air", "liquid"} & set(tasks.racks)
    racks = sum(tasks.racks[kind] for kind in computing)
    if not racks:
        return ()
    columns = {operation.id: column for column, operation in enumerate(OPERATIONS)}
    factor = factor_of(question)
    made = []
    for kind in FAULT_KINDS:
        pieces = float(tasks.operations[:, columns[kind.operation]].sum()) / racks
        rate = question.assumptions[rate_id(question.assumptions, kind.id, "own")].mean
        if pieces >= 1.0 and not _without_spread(question.assumptions, kind.id):
            faults = min(pieces * rate * factor("own", kind.id), pieces)
            made.append(Trial(kind.id, pieces, faults, "own", "one compute rack, with the faults that are expected"))
    return tuple(made)


def _without_spread(assumptions: Assumptions, kind: str) -> bool:
    item = assumptions[rate_id(assumptions, kind, "own")]
    return item.low == item.high


def factor_of(question: Question) -> Callable[[str, str], float]:
    """How many times the rate a party has faults of a kind, at its qualification and the experience that it starts with.

    Faults that parts bring along are the same whoever builds.
    """

    def factor(party: str, fault: str) -> float:
        who = question.own if party == "own" else question.specialist
        kind = next(kind for kind in FAULT_KINDS if kind.id == fault)
        scope = next(operation.scope for operation in OPERATIONS if operation.id == kind.operation)
        believed = question.assumptions
        grade = believed[f"qualification.{who.qualification[scope]}.fault_factor"].mean
        slope, floor = (np.array([believed[f"experience.fault_{word}"].mean]) for word in ("slope", "floor"))
        reference = np.array([believed["learning.reference_racks"].mean])
        by_work = believed[f"fault.{fault}.by_work"].mean
        practised = float(risk.fault_factor(np.array([who.experience_racks]), slope, reference, floor)[0, 0])
        return 1.0 - by_work + by_work * grade * practised

    return factor
