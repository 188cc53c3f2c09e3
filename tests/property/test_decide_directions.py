"""Changing one assumption moves the answer the right way; trials narrow it; chunks and processes change nothing."""

from __future__ import annotations

import functools
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.origin import Origin
from asbuilt.decide import money, outcome
from asbuilt.decide.cases import case_of, cases
from asbuilt.decide.information import joint, perfect, worth
from asbuilt.decide.runs import chunk_runs, run
from asbuilt.decide.simulate import Case, expected, simulate
from asbuilt.decide.tornado import swings
from asbuilt.decide.trial import updated
from asbuilt.decide.variants import factor_of, trial_rack
from asbuilt.model.crew_question import Trial
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, SCOPES
from decide_sites import SMALL, WET, question, site, stated

PART = {part: column for column, part in enumerate(money.PARTS)}
KIND = {kind.id: k for k, kind in enumerate(FAULT_KINDS)}


@functools.cache
def staffed(template: str) -> dict[str, Case]:
    return dict(cases(site(template), question(template)))


@settings(max_examples=20)
@given(st.floats(0, 20), st.floats(0, 20), st.sampled_from((SMALL, WET)))
def test_more_idle_value_never_favours_the_slower(first: float, second: float, template: str) -> None:
    low, high = sorted((first, second))
    values = {"money.gpu_hour": np.array([low, high])}
    found = {key: expected(case, values, 2) for key, case in staffed(template).items()}
    keys = list(found)
    for a in keys:
        for b in keys:
            if found[a].idle_gpu_h[0] < found[b].idle_gpu_h[0] and _outage(found[a].parts) <= _outage(found[b].parts):
                ahead = found[b].cost - found[a].cost
                assert ahead[1] >= ahead[0] - 1e-6 * abs(ahead[0])


def _outage(parts: np.ndarray) -> float:
    return float(parts[1, PART["outages"]])


@settings(max_examples=15)
@given(st.sampled_from(range(6)), st.integers(1, 40), st.sampled_from((SMALL, WET)))
def test_more_crew_than_the_aisles_have_room_for_never_helps(scope: int, more: int, template: str) -> None:
    case = staffed(template)["in-house"]
    tasks, people = case.tasks, int(case.pools.people[scope])
    room = max(round(case.assumptions["access.row_people"].likely), int(case.pools.people.max()))
    # Teams that all rows together have room for, and one for each package of the site, which needs no room.
    mine = tasks.scope == scope
    enough = max(1, len(np.unique(tasks.row[mine & (tasks.row >= 0)])) * (room // people) + int((mine & (tasks.row < 0)).sum()))
    arrangement = question(template).arrangements[0]
    made = []
    for number in (enough, enough + more):
        teams = case.pools.teams.copy()
        teams[scope] = number
        made.append(expected(case_of(site(template), question(template), arrangement, None, teams)))
    assert made[0].acceptance_d[0] == made[1].acceptance_d[0] and made[0].first_job_d[0] == made[1].first_job_d[0]
    assert made[0].cost[0] <= made[1].cost[0] + 1e-6


@settings(max_examples=12)
@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(("in-house", "specialist", "mixed")))
def test_a_dearer_specialist_never_gets_cheaper_and_own_people_do_not_notice(first: float, second: float, key: str) -> None:
    low, high = sorted((first, second))
    made = expected(staffed(WET)[key], {"money.premium.specialist": np.array([low, high])}, 2).cost
    assert made[1] == made[0] if key == "in-house" else made[1] >= made[0]


@settings(max_examples=16)
@given(st.sampled_from([kind.id for kind in FAULT_KINDS]), st.floats(1, 5))
def test_more_faults_never_cost_less_and_are_caught_in_proportion(kind: str, times: float) -> None:
    case = staffed(WET)["in-house"]
    key = f"fault.{kind}.rate"
    rate = case.assumptions[key].mean
    made = expected(case, {key: np.array([rate, rate * times])}, 2)
    counts = made.caught[:, KIND[kind]].astype(float)
    assert counts[1] == pytest.approx(counts[0] * times, rel=1e-5)
    for part in ("replacements", "outages", "liability"):
        assert made.parts[1, PART[part]] >= made.parts[0, PART[part]] * (1 - 1e-12)


def test_a_checkpoint_that_is_dropped_moves_the_catch_later() -> None:
    asked = question(WET)
    arrangement = asked.arrangements[0]
    teams = staffed(WET)["in-house"].pools.teams
    full = expected(staffed(WET)["in-house"]).caught[0].sum(axis=0)
    for name, value in (
        ("connector_inspection", 0.0), ("cable_inspection", False), ("pressure_test", False), ("node_acceptance", False),
        ("fabric_gate", False), ("collectives_gate", False), ("soak", False),
    ):  # fmt: skip
        changed = replace(arrangement, checkpoints=replace(arrangement.checkpoints, **{name: value}))
        less = expected(case_of(site(WET), asked, changed, None, teams)).caught[0].sum(axis=0)
        assert less.sum() == pytest.approx(full.sum(), rel=1e-5)
        # Caught by each stage or before: nowhere more, somewhere less.
        behind = np.cumsum(full)[:-1] - np.cumsum(less)[:-1]
        assert (behind > -1e-4).all() and behind.max() > 1e-4, name


def test_the_runs_lie_around_what_is_expected() -> None:
    # Without any spread the mean of the runs differs from the expected deployment only by the luck of faults, and by the waits
    # that uneven work makes (labour: people are paid while they wait).
    asked = question()
    exact = {item.id.replace(".", "__"): item.mean for item in asked.assumptions if not item.id.startswith("rule.")}
    fixed = replace(asked, assumptions=stated(asked.assumptions, **exact))
    case = case_of(site(), fixed, fixed.arrangements[0])
    runs = 4_000
    found, mean = simulate(case, 7, 0, runs), expected(case)
    counts = found.caught.sum(axis=(1, 2))
    wanted = float(mean.caught.sum())
    assert abs(counts.mean() - wanted) < 3 * np.sqrt(wanted / runs)
    for part in ("labour", "replacements", "insurance", "audit"):
        values = found.parts[:, PART[part]]
        assert abs(values.mean() - mean.parts[0, PART[part]]) < 3 * values.std() / np.sqrt(runs) + 0.04 * values.mean(), part


def test_runs_do_not_hang_on_processes_or_on_the_company_they_are_in() -> None:
    made = staffed(SMALL)
    runs = chunk_runs(made) + 40
    alone = run(made, 3, runs)
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        shared = run(made, 3, runs, executor)
    for key in made:
        assert (alone[key].parts == shared[key].parts).all() and (alone[key].caught == shared[key].caught).all()
        single = run({key: made[key]}, 3, runs)[key]
        assert (single.parts == alone[key].parts).all()
    assert (run(made, 4, runs)["in-house"].parts != alone["in-house"].parts).any()


def test_a_trial_rack_moves_the_middle_and_narrows_the_spread() -> None:
    asked = question(WET)
    # Money fixed, so that the spread is that of the work.
    money_known = {
        item.id.replace(".", "__"): item.likely for item in asked.assumptions if item.id.startswith(("money.", "crew."))
    }
    asked = replace(asked, assumptions=stated(asked.assumptions, **money_known))
    arrangement = asked.arrangements[0]
    teams = case_of(site(WET), asked, arrangement).pools.teams

    def ran(found: tuple[Trial, ...]) -> tuple[outcome.Quantiles, outcome.Quantiles]:
        believed = updated(asked.assumptions, found, factor_of(asked))
        made = simulate(case_of(site(WET), replace(asked, assumptions=believed), arrangement, None, teams), 5, 0, 3_000)
        return outcome.quantiles(made.caught.sum(axis=(1, 2)).astype(float)), outcome.quantiles(made.rework_h.sum(axis=1))

    before = ran(())
    as_expected = ran(trial_rack(site(WET), asked))
    worse = ran(tuple(replace(t, faults=min(3 * t.faults, t.operations)) for t in trial_rack(site(WET), asked)))
    for prior, same, bad in zip(before, as_expected, worse, strict=True):
        assert same.p90 - same.p10 < prior.p90 - prior.p10
        assert bad.p50 > prior.p50 * 1.2 and bad.p50 > same.p50


def test_a_trial_of_own_people_leaves_the_specialist_as_he_was() -> None:
    asked = question(WET)
    believed = updated(asked.assumptions, trial_rack(site(WET), asked), factor_of(asked))
    for arrangement in asked.arrangements:
        teams = staffed(WET)[arrangement.id].pools.teams
        tried = simulate(case_of(site(WET), replace(asked, assumptions=believed), arrangement, None, teams), 5, 0, 64)
        plain = simulate(staffed(WET)[arrangement.id], 5, 0, 64)
        if arrangement.id == "specialist":
            assert (tried.caught == plain.caught).all()
        else:
            assert (tried.caught != plain.caught).any()


def test_without_claims_nothing_that_is_claimed_is_used() -> None:
    asked = question(WET, claims=False)
    assert not [item.id for item in asked.assumptions if item.origin is Origin.CLAIMED]
    plain = question(WET)
    changed = [item.id for item in plain.assumptions if item.origin is Origin.CLAIMED]
    assert "money.premium.specialist" in changed and asked.specialist.shift != plain.specialist.shift
    assert asked.own == replace(plain.own, experience_racks=asked.own.experience_racks)


def test_the_tornado_shows_only_what_moves_and_says_when_the_choice_turns() -> None:
    asked, made = question(), staffed(SMALL)
    order = sorted(made, key=lambda key: float(expected(made[key]).cost[0]))
    found = swings(site(), asked, made, order[0], order[1])
    widths = [abs(swing.at_high - swing.at_low) for swing in found]
    assert widths == sorted(widths, reverse=True) and widths[-1] > 0
    # Nobody mates with liquid on an air-cooled site.
    assert not [swing for swing in found if ".fitting_leak." in swing.assumption or ".loop_" in swing.assumption]
    by_id = {swing.assumption: swing for swing in found}
    assert {"money.gpu_hour", "crew.own.ready_days"} <= set(by_id)
    for swing in found:
        assert swing.changes_winner == (min(swing.at_low, swing.at_high) < 0)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_knowing_is_worth_something_only_where_it_changes_the_choice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=4_000), rng.normal(size=4_000)
    costs = np.stack([10.0 + x, 10.0 - x + 0.3], axis=1)
    known, nothing = worth(costs, x), worth(costs, y)
    # The cheaper of two: E|x| less what the better one costs; binning loses a little.
    assert known.money == pytest.approx(perfect(costs), rel=0.05) and 0.3 < known.settles < 0.6
    assert nothing.money < 0.08 * known.money
    assert joint(costs, np.column_stack([y, x])).money == pytest.approx(perfect(costs), rel=0.05)
    apart = np.stack([10.0 + x, 100.0 + x], axis=1)
    assert worth(apart, x).money == 0.0 and worth(apart, x).settles == 0.0 and joint(apart, x[:, None]).money == 0.0


def test_catches_and_scopes_are_those_of_the_words() -> None:
    case = staffed(WET)["in-house"]
    assert expected(case).caught.shape == (1, len(FAULT_KINDS), len(CATCHES)) and len(case.pools.party) == len(SCOPES)
