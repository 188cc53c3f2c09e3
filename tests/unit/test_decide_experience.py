"""Racks that people have built before: drawn where nobody states them, in the tornado, and exactly what a question says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asbuilt.decide.cases import case_of
from asbuilt.decide.hours import practice
from asbuilt.decide.simulate import detailed, expected, expected_load, ids, shapes, values_of
from asbuilt.decide.tornado import swings
from decide_sites import SMALL, question, site, stated

OWN = "crew.own.experience_racks"


def test_experience_that_nobody_states_is_drawn() -> None:
    asked = question()
    case = case_of(site(), asked, asked.arrangements[0])
    item = asked.assumptions[OWN]
    assert (item.low, item.likely, item.high) == (0.0, 2.0, 8.0) and case.assumptions is asked.assumptions
    less, more = (expected(case, {OWN: np.array([racks])}) for racks in (item.low, item.high))
    assert more.acceptance_d[0] < less.acceptance_d[0] and more.caught.sum() < less.caught.sum()
    # All other luck alike, more of it is less work in nearly every run; their rework differs.
    known = replace(asked, own=replace(asked.own, experience_racks=8.0))
    teams = case.pools.teams
    work = [detailed(case_of(site(), q, q.arrangements[0], None, teams), 3, 0, 40)[2] for q in (asked, known)]
    assert (work[1].sum(axis=1) < work[0].sum(axis=1)).mean() > 0.9


def test_experience_that_is_stated_is_taken_as_it_is() -> None:
    asked = question()
    told = replace(asked, own=replace(asked.own, experience_racks=30.0))
    case = case_of(site(), told, told.arrangements[0])
    item = case.assumptions[OWN]
    assert (item.low, item.likely, item.high, str(item.origin)) == (30.0, 30.0, 30.0, "declared")
    at = case.tasks.package.index("staging/rack")
    drawn = {key: np.array([case.assumptions[key].mean]) for key in ids(case.assumptions)}
    pace = practice(np.array([30.0]), *(drawn[f"learning.{word}"] for word in ("slope", "reference_racks", "floor")))[0, 0]
    believed = stated(told.assumptions, **{OWN.replace(".", "__"): 30.0})
    other = case_of(site(), replace(told, assumptions=believed), told.arrangements[0], None, case.pools.teams)
    made, again = (detailed(one, 5, 0, 8)[2] for one in (case, other))
    assert (made == again).all() and 0.75 <= pace < 1.0 and made[0, at] > 0


def test_the_tornado_shows_what_own_people_have_built() -> None:
    asked = question()
    made = {a.id: case_of(site(), asked, a) for a in asked.arrangements}
    found = {swing.assumption: swing for swing in swings(site(), asked, made, "specialist", "in-house")}
    swing = found[OWN]
    assert (swing.low_value, swing.high_value) == (0.0, 8.0) and swing.at_low > swing.at_high
    assert "crew.own.weeks" in found


@pytest.mark.parametrize("template", [SMALL])
def test_what_enters_no_run_is_not_drawn(template: str) -> None:
    asked = question(template)
    drawn = set(ids(asked.assumptions))
    assert {"crew.own.ready_days", OWN, "money.gpu_hour", "work.noise.spread"} <= drawn
    left = {item.id for item in asked.assumptions} - drawn
    assert {"access.row_people", "crew.own.weeks", "crew.team.fibre", "money.audit_share", "money.trial_rack"} <= left
    assert all(shapes(key) or key.startswith(("rule.", "money.trial_rack")) for key in left)
    # Nothing that is left out moves a run: any other value of it gives the same deployment.
    case = case_of(site(template), asked, asked.arrangements[0])
    plain = expected(case).parts
    assert (expected(case, {key: np.array([1e6]) for key in left}).parts == plain).all()


def test_of_two_parties_the_later_one_is_waited_for_on_average_as_well() -> None:
    asked = question()
    mixed = case_of(site(), asked, asked.arrangements[2])
    alone = case_of(site(), asked, asked.arrangements[0])
    load, runs = expected_load(mixed), 20_000
    drawn = values_of(mixed.assumptions, 1, 0, runs)
    both = np.maximum(drawn["crew.own.ready_days"], drawn["crew.specialist.ready_days"])
    assert load.ready_h[0] / 24 == pytest.approx(both.mean(), abs=4 * both.std() / np.sqrt(runs))
    assert load.ready_h[0] > expected_load(alone).ready_h[0] == asked.assumptions["crew.own.ready_days"].mean * 24
    # A wait that is known is taken as it is; that of the other side keeps its spread.
    late = expected_load(mixed, {"crew.own.ready_days": np.array([45.0, 1.0])}, 2).ready_h / 24
    assert late[0] == 45.0 and late[1] == pytest.approx(asked.assumptions["crew.specialist.ready_days"].mean, rel=0.01)
