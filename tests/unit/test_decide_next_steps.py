"""What an owner can change: said only where it saves, with what it turns the choice into, most first."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from asbuilt.decide.cases import cases
from asbuilt.decide.next_steps import CHANGE, OWN_CHANGES, changes, next_steps
from asbuilt.decide.runs import run
from asbuilt.decide.simulate import Outcomes
from asbuilt.decide.variants import NO_INSPECTION, OWN_SHIFTS, SAMPLED
from decide_sites import SMALL, question, site

RUNS = 60


@functools.cache
def simulated() -> Mapping[str, Outcomes]:
    return run(cases(site(SMALL), question()), 1, RUNS)


def priced(costs: Mapping[str, float], runs: int = RUNS) -> dict[str, Outcomes]:
    """Outcomes of which each run costs so much."""
    made = {}
    for key, outcomes in simulated().items():
        parts = np.zeros((runs, outcomes.parts.shape[1]))
        parts[:, 0] = costs[key]
        made[key] = replace(outcomes, parts=parts)
    return made


BEFORE = {"in-house": 1000.0, "specialist": 900.0, "mixed": 950.0}


def test_a_change_says_what_becomes_what_and_what_it_saves() -> None:
    found = changes(question(), priced(BEFORE), {OWN_SHIFTS: priced(BEFORE | {"in-house": 700.0}, 30)})
    assert [(line.assumption, line.worth, line.cost, line.settles) for line in found] == [(CHANGE, 200.0, 0.0, 1.0)]
    turn = "specialist for 900 USD becomes in-house for 700 USD"
    assert found[0].what == f"{OWN_SHIFTS}: {turn}, on average"
    assert found[0].how == f"{OWN_CHANGES[OWN_SHIFTS]}; its price is counted in that"


def test_the_same_arrangement_made_cheaper_turns_no_choice() -> None:
    found = changes(question(), priced(BEFORE), {SAMPLED: priced(BEFORE | {"specialist": 800.0})})
    assert [(line.worth, line.settles) for line in found] == [(100.0, 0.0)]


def test_what_saves_nothing_or_next_to_nothing_has_no_line() -> None:
    dearer = priced({key: cost + 50.0 for key, cost in BEFORE.items()})
    hardly = priced(BEFORE | {"specialist": 897.0})
    assert changes(question(), priced(BEFORE), {NO_INSPECTION: dearer, SAMPLED: hardly, "a trial rack": dearer}) == ()


def test_what_only_the_model_can_do_is_no_change_of_the_owner() -> None:
    cheaper = priced({key: cost / 2 for key, cost in BEFORE.items()})
    assert changes(question(), priced(BEFORE), {"the specialist in own people's shifts": cheaper}) == ()


def test_the_line_that_is_worth_most_stands_first() -> None:
    varied = {SAMPLED: priced(BEFORE | {"specialist": 850.0}), OWN_SHIFTS: priced(BEFORE | {"in-house": 500.0})}
    found = next_steps(question(), simulated(), cases(site(SMALL), question()), varied)
    assert [line.worth for line in found] == sorted((line.worth for line in found), reverse=True)
    assert all(line.worth > 0.0 for line in found)
