"""Money and hours of a deployment, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asbuilt.decide import hours, money
from asbuilt.decide.cases import case_of, sign_offs
from asbuilt.decide.parties import people_of_team, pools, positions
from asbuilt.decide.results import result_of
from asbuilt.decide.simulate import detailed, expected, expected_load, present
from asbuilt.model.crew_question import Arrangement, Checkpoints, Shift
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, OPERATIONS, SCOPES
from decide_sites import SMALL, WET, question, site, stated

PART = {part: column for column, part in enumerate(money.PARTS)}


def _zero_values(**said: float) -> dict[str, np.ndarray]:
    made = {item.id: np.zeros(1) for item in question().assumptions}
    made.update({key.replace("__", "."): np.array([value]) for key, value in said.items()})
    return made


def _bill(parties: dict[str, str], tools: tuple[tuple[str, float, str], ...] = (), trained: tuple[str, ...] = ()) -> tuple:
    asked = question()
    arrangement = Arrangement("x", "x", parties)
    made = pools(asked, arrangement, asked.assumptions, np.zeros(6))
    return made, money.Bill(gpus=10.0, audit_samples=7.0, tools=tools, trained=trained)


def _none() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((1, len(FAULT_KINDS), len(CATCHES))), np.zeros((1, len(FAULT_KINDS)))


def test_people_are_paid_while_their_pool_is_on_site() -> None:
    full, bill = _bill(dict.fromkeys(SCOPES, "own"))
    # Electricians for two weeks, 8 h a day on five days of seven: 2 people x 14 x 5/7 x 8 h = 160 h; 3 of the team (6 h
    # of two people) on rework.
    first, last, again = np.full((1, 6), np.nan), np.full((1, 6), np.nan), np.zeros((1, 6))
    power = SCOPES.index("power")
    first[0, power], last[0, power], again[0, power] = 24.0, 24.0 * 15, 3.0
    values = _zero_values(money__hour__power=50.0)
    cost = money.costs(bill, full, money.Presence(first, last, again), money.Ended(np.zeros(1), np.zeros(1)), *_none(), values)
    assert cost[0, PART["labour"]] == pytest.approx((160 - 6) * 50) and cost[0, PART["rework"]] == pytest.approx(6 * 50)
    assert cost.sum() == pytest.approx(160 * 50)


def test_a_week_of_five_shifts_is_paid_as_five_shifts() -> None:
    full, bill = _bill(dict.fromkeys(SCOPES, "own"))
    first, last = np.full((1, 6), np.nan), np.full((1, 6), np.nan)
    power = SCOPES.index("power")
    first[0, power] = 0.0
    values = _zero_values(money__hour__power=50.0)
    # Monday 0 h to Friday 8 h: 5 x 8 h of two people; to Monday 3 h of the week after: 3 h more, no weekend.
    for end, hours_each in ((4 * 24 + 8.0, 40.0), (7 * 24 + 3.0, 43.0), (2.5, 2.5), (20.0, 8.0)):
        last[0, power] = end
        there = money.Presence(first, last, np.zeros((1, 6)))
        cost = money.costs(bill, full, there, money.Ended(np.zeros(1), np.zeros(1)), *_none(), values)
        assert cost.sum() == pytest.approx(2 * hours_each * 50), end


def test_nobody_works_more_than_is_paid() -> None:
    for template in (SMALL, WET):
        asked = question(template)
        for arrangement in asked.arrangements:
            case = case_of(site(template), asked, arrangement)
            _, times, work = detailed(case, 4, 0, 20)
            scope = case.tasks.scope
            for k in range(len(SCOPES)):
                mine = np.flatnonzero((scope == k) & (work > 0).any(axis=0))
                if not mine.size:
                    continue
                first, last = np.full((20, 6), np.nan), np.full((20, 6), np.nan)
                first[:, k], last[:, k] = times.start_h[:, mine].min(axis=1), times.work_end_h[:, mine].max(axis=1)
                paid = money.Presence(first, last, np.zeros((20, 6))).staffed_h(case.pools)[:, k] * case.pools.teams[k]
                assert (work[:, mine].sum(axis=1) <= paid + 1e-5).all(), (template, arrangement.id, SCOPES[k])


def test_nights_weekends_and_premium_are_paid_to_a_specialist() -> None:
    full, bill = _bill(dict.fromkeys(SCOPES, "specialist"))
    first, last = np.full((1, 6), np.nan), np.full((1, 6), np.nan)
    fibre = SCOPES.index("fibre")
    first[0, fibre], last[0, fibre] = 0.0, 24.0 * 7
    values = _zero_values(money__hour__fibre=40.0, money__night=0.2, money__weekend=0.5, money__premium__specialist=0.3)
    cost = money.costs(
        bill, full, money.Presence(first, last, np.zeros((1, 6))), money.Ended(np.zeros(1), np.zeros(1)), *_none(), values
    )
    # 2 people, 24 h on 7 days; half of the hours at night, two days of seven at the weekend.
    worth = 2 * 24 * 7 * 40.0 * (1 + 0.5 * 0.2 + 2 / 7 * 0.5)
    assert cost[0, PART["labour"]] == pytest.approx(worth) and cost[0, PART["premium"]] == pytest.approx(0.3 * worth)


def test_a_tool_is_rented_or_bought_whichever_is_less() -> None:
    values = _zero_values(tooling__otdr__buy=5000.0, tooling__otdr__calibration_year=400.0, tooling__otdr__rent_week=600.0)
    for weeks, price in ((3.0, 3 * 600), (3.2, 4 * 600), (20.0, 5400), (53.0, 5800)):
        full, bill = _bill(dict.fromkeys(SCOPES, "own"), tools=(("otdr", 2.0, "fibre"),))
        first, last = np.full((1, 6), np.nan), np.full((1, 6), np.nan)
        first[0, 3], last[0, 3] = 0.0, weeks * 168
        there = money.Presence(first, last, np.zeros((1, 6)))
        cost = money.costs(bill, full, there, money.Ended(np.zeros(1), np.zeros(1)), *_none(), values)
        assert cost[0, PART["tooling"]] == pytest.approx(2 * price), weeks


def test_the_tool_list_rents_for_the_weeks_that_money_counts() -> None:
    asked = replace(question(WET), runs=30)
    own = asked.arrangements[0]
    case = case_of(site(WET), asked, own)
    outcomes, times, work = detailed(case, asked.seed, 0, 30)
    run = int(np.abs(outcomes.acceptance_d - np.quantile(outcomes.acceptance_d, 0.5)).argmin())
    weeks = np.ceil(present(times, work, case.tasks.scope).days[run] / 7)
    told = {item.what: item.detail for item in result_of(own, asked, case, outcomes).tools}
    for scope, word in (("staging", "go/no-go"), ("liquid", "nitrogen"), ("fibre", "OTDR")):
        (detail,) = [text for what, text in told.items() if word in what]
        assert f"rented for {weeks[SCOPES.index(scope)]:.0f} weeks" in detail, (scope, detail)
    assert weeks[SCOPES.index("fibre")] < np.ceil(times.work_end_h[run].max() / 168)


def test_faults_cost_parts_damage_and_outages() -> None:
    full, bill = _bill({scope: "specialist" if scope == "liquid" else "own" for scope in SCOPES})
    caught, gone = _none()
    leak = next(k for k, kind in enumerate(FAULT_KINDS) if kind.id == "fitting_leak")
    caught[0, leak, CATCHES.index("pressure")], caught[0, leak, CATCHES.index("production")] = 3.0, 2.0
    gone[0, leak] = 1.0
    at = "fault__fitting_leak__"
    values = _zero_values(
        **{at + "parts": 100.0, at + "damage": 80_000.0, at + "outage": 10.0, at + "outage_gpus": 72.0},
        money__deductible=50_000.0, money__liability_passed__specialist=0.6, money__gpu_hour=2.0,
        production__job_share=0.5, production__job_h=2.0, production__times=3.0,
    )  # fmt: skip
    nobody = money.Presence(np.full((1, 6), np.nan), np.full((1, 6), np.nan), np.zeros((1, 6)))
    none_ended = money.Ended(np.zeros(1), np.zeros(1))
    bill = replace(bill, gpus=100.0)
    cost = money.costs(bill, full, nobody, none_ended, caught, gone, values)
    assert cost[0, PART["replacements"]] == 500.0
    assert cost[0, PART["liability"]] == pytest.approx(50_000 * 0.4)  # the deductible, less what the crew's contract bears
    # Two faults: 72 GPUs for 10 h each, and half of the hundred GPUs lose 2 h three times.
    assert cost[0, PART["outages"]] == 2 * (10 * 72 + 100 * 0.5 * 2 * 3) * 2.0
    # A site of 10 GPUs has no 72 that could stand idle.
    small = money.costs(replace(bill, gpus=10.0), full, nobody, none_ended, caught, gone, values)
    assert small[0, PART["outages"]] == 2 * (10 * 10 + 10 * 0.5 * 2 * 3) * 2.0


def test_idle_gpus_audit_lead_insurance_training() -> None:
    full, bill = _bill(dict.fromkeys(SCOPES, "own"), trained=("power",))
    values = _zero_values(
        money__gpu_hour=3.0, money__audit_sample=80.0, money__lead_week=5000.0, money__equipment_gpu=40_000.0,
        money__insurance__own=0.002, money__training__power=900.0,
    )  # fmt: skip
    nobody = money.Presence(np.full((1, 6), np.nan), np.full((1, 6), np.nan), np.zeros((1, 6)))
    cost = money.costs(bill, full, nobody, money.Ended(np.array([336.0]), np.array([1000.0])), *_none(), values)[0]
    told = {part: cost[PART[part]] for part in ("idle", "audit", "lead", "insurance", "training")}
    assert told == pytest.approx(
        {"idle": 3000.0, "audit": 560.0, "lead": 10_000.0, "insurance": 800.0, "training": 900.0 * full.staff[1]}
    )


def test_insurance_goes_by_the_scopes_with_work() -> None:
    # Specialists for loops and fibre; the site has no loops: one scope of two is theirs.
    full, bill = _bill(dict.fromkeys(SCOPES, "own") | {"liquid": "specialist", "fibre": "specialist"})
    values = _zero_values(money__equipment_gpu=1000.0, money__insurance__own=0.01, money__insurance__specialist=0.03)
    first, last = np.full((1, 6), np.nan), np.full((1, 6), np.nan)
    for scope in ("power", "fibre"):
        first[0, SCOPES.index(scope)], last[0, SCOPES.index(scope)] = 0.0, 8.0
    there = money.Presence(first, last, np.zeros((1, 6)))
    cost = money.costs(bill, full, there, money.Ended(np.zeros(1), np.zeros(1)), *_none(), values)
    assert cost[0, PART["insurance"]] == pytest.approx(10_000.0 * (0.01 + 0.03) / 2)


def test_training_is_paid_for_those_who_are_trained_by_it() -> None:
    asked = question(WET)
    green = replace(asked, own=replace(asked.own, experience_racks=0.0))
    untrained = replace(green, own=replace(green.own, qualification={**green.own.qualification, "liquid": "novice"}))
    old_hands = replace(asked, own=replace(asked.own, experience_racks=5.0))
    told = [case_of(site(WET), q, q.arrangements[0]).bill.trained for q in (green, untrained, old_hands)]
    assert told == [SCOPES, tuple(scope for scope in SCOPES if scope != "liquid"), ()]


@pytest.mark.parametrize("template", [SMALL, WET])
def test_no_other_number_of_teams_of_a_skill_costs_less(template: str) -> None:
    asked = question(template)
    for arrangement in asked.arrangements:
        most = pools(asked, arrangement, asked.assumptions, hours.scope_hours(site(template).tasks, asked.assumptions)).teams
        case = case_of(site(template), asked, arrangement)
        teams, least = case.pools.teams, expected(case).cost[0]
        assert (teams >= 1).all() and (teams <= most).all() and (most > 1).any()
        others = [np.ones(6, np.int64), most]
        for k in range(6):
            others += [np.where(np.arange(6) == k, n, teams) for n in (teams[k] - 1, teams[k] + 1) if 1 <= n <= most[k]]
        for other in others:
            cost = expected(case_of(site(template), asked, arrangement, None, other)).cost[0]
            assert least <= cost * (1 + 2e-4), (arrangement.id, teams, other)


def test_practice_follows_the_curve_and_stops_at_its_floor() -> None:
    one = np.ones(1)
    made = hours.practice(np.array([0.0, 1.0, 3.0, 7.0, 1000.0]), 0.8 * one, 3.0 * one, 0.5 * one)[0]
    assert made == pytest.approx([0.8**-2, 0.8**-1, 1.0, 0.8, 0.5])


def test_hours_of_a_package_are_its_pieces() -> None:
    small, asked = site(), question()
    case = case_of(small, asked, asked.arrangements[0])
    tasks = small.tasks
    believed = stated(asked.assumptions, learning__slope=1.0, qualification__trained__time_factor=1.0)
    drawn = {item.id: np.array([item.likely]) for item in believed}
    made = hours.work_hours(tasks, case.pieces, case.pools, drawn, np.ones((1, len(tasks.package))))
    at = tasks.package.index("staging/rack")
    by_hand = sum(
        tasks.operations[at, k] * believed[f"work.{operation.id}.minutes"].likely / 60 for k, operation in enumerate(OPERATIONS)
    )
    assert made[0, at] == pytest.approx(by_hand) and by_hand > 0


def test_a_dropped_checkpoint_drops_its_work_and_hold_and_no_other() -> None:
    tasks = site(WET).tasks
    column = {operation.id: k for k, operation in enumerate(OPERATIONS)}
    kept = hours.pieces(tasks, Checkpoints())
    assert (kept == tasks.operations).all() and hours.held(Checkpoints()) == frozenset(column)
    dropped = hours.pieces(tasks, Checkpoints(pressure_test=False, connector_inspection=0.25))
    changed = {operation for operation, k in column.items() if (dropped[:, k] != tasks.operations[:, k]).any()}
    assert changed == {"loop_pressure_test", "connector_inspect"}
    assert dropped[:, column["connector_inspect"]].sum() == pytest.approx(
        tasks.operations[:, column["connector_inspect"]].sum() / 4
    )
    assert frozenset(column) - hours.held(Checkpoints(soak=False)) == {"site_soak"}


def test_rows_in_use_are_given_back_for_the_tests_of_the_whole_site() -> None:
    plain = question(WET)
    # No faults: what mends them takes no row from its users.
    rates = {item.id.replace(".", "__"): 1e-12 for item in plain.assumptions if item.is_rate}
    asked = replace(plain, assumptions=stated(plain.assumptions, **rates))
    early = case_of(site(WET), asked, asked.arrangements[1])
    late = replace(early, early_use=False)
    tasks = early.tasks
    (made, times, work), (waited, _, _) = (detailed(case, 2, 0, 5) for case in (early, late))
    ready = made.acceptance_d * 24 - times.finish_h[:, -3:].max(axis=1)
    at = {word: tasks.package.index(word) for word in ("acceptance/site", "acceptance/soak")}
    by_hand = np.zeros(5)
    for row, gpus in enumerate(tasks.row_gpus):
        if gpus:
            (own,) = [t for t, word in enumerate(tasks.package) if word == "acceptance/collectives" and tasks.row[t] == row]
            again = sum(work[:, t] + times.finish_h[:, t] - times.work_end_h[:, t] for t in at.values())
            by_hand += gpus * (ready + times.finish_h[:, own] + again)
    assert made.idle_gpu_h == pytest.approx(by_hand)
    faulty = case_of(site(WET), plain, plain.arrangements[1], None, early.pools.teams)
    assert expected_load(faulty).tested == pytest.approx(expected_load(early).tested)
    # Used early and given back is never worse than not used at all; without the tests nothing is given back.
    assert (made.idle_gpu_h <= waited.idle_gpu_h + 1e-6).all()
    free = replace(asked.arrangements[1], checkpoints=Checkpoints(soak=False, fabric_gate=False))
    untested = detailed(case_of(site(WET), asked, free, None, early.pools.teams), 2, 0, 5)
    in_row = untested[1].finish_h[:, [t for t, word in enumerate(tasks.package) if word == "acceptance/collectives"]]
    gpus = tasks.row_gpus[tasks.row[[t for t, word in enumerate(tasks.package) if word == "acceptance/collectives"]]]
    waits = [t for t in at.values() if (untested[1].finish_h[:, t] > untested[1].start_h[:, t]).any()]
    assert not waits
    assert untested[0].idle_gpu_h == pytest.approx(((in_row + ready[:, None]) * gpus).sum(axis=1))


def test_holds_of_one_package_come_one_after_the_other() -> None:
    tasks, believed = site(WET).tasks, question(WET).assumptions
    drawn = {item.id: np.array([item.likely]) for item in believed}
    made = hours.hold_hours(tasks, drawn, hours.held(Checkpoints()))[0]
    of = {word: made[tasks.package.index(word)] for word in ("liquid/header", "liquid/gate", "bringup/rack", "staging/rack")}
    hold = {key.split(".")[1]: believed[key].likely for key in (item.id for item in believed) if key.endswith(".hold")}
    assert of["liquid/gate"] == hold["loop_pressure_test"] + hold["loop_fill"] == 26.0
    assert of["liquid/header"] == hold["cdu_commission"] + hold["loop_flush"] and of["staging/rack"] == 0.0
    whole = next(t for t, rack in enumerate(tasks.rack) if tasks.package[t] == "bringup/rack" and tasks.operations[t].any()
                 and tasks.operations[t, [o.id for o in OPERATIONS].index("domain_accept")] > 0)  # fmt: skip
    assert made[whole] == hold["node_accept"] + hold["domain_accept"]
    # Without the nitrogen only the circulation after filling stays.
    dropped = hours.hold_hours(tasks, drawn, hours.held(Checkpoints(pressure_test=False)))[0]
    assert dropped[tasks.package.index("liquid/gate")] == hold["loop_fill"]


def test_teams_follow_the_hours_unless_they_are_stated() -> None:
    asked = question()
    work = np.array([0.0, 160.0, 161.0, 800.0, 1.0, 1.0])
    arrangement = asked.arrangements[0]
    full = pools(asked, arrangement, stated(asked.assumptions, crew__own__weeks=4.0), work)
    assert full.teams.tolist() == [1, 1, 2, 5, 1, 1]
    own = replace(asked.own, teams={"fibre": 9})
    assert pools(replace(asked, own=own), arrangement, asked.assumptions, work).teams[3] == 9


def test_a_position_that_is_staffed_around_the_clock_takes_several_people() -> None:
    asked = question()
    believed = stated(asked.assumptions, crew__person_week_hours=48.0)
    for shift, people in ((Shift(8, 1, 5), 1), (Shift(10, 1, 6), 2), (Shift(12, 2, 7), 4), (Shift(8, 3, 5), 3)):
        assert positions(replace(asked.own, shift=shift), believed) == people, shift.words
    assert people_of_team("fibre", stated(believed, crew__team__fibre=2.0)) == 2


def test_sign_offs_stand_where_work_changes_hands() -> None:
    tasks = site(WET).tasks
    own = dict.fromkeys(SCOPES, "own")
    assert not sign_offs(tasks, Arrangement("a", "a", own)).any()
    made = sign_offs(tasks, Arrangement("b", "b", {**own, "liquid": "specialist"}))
    words = np.array(tasks.package)
    # Each row with coolant: staging to liquid at its header, liquid to bring-up at its first rack.
    wet = {int(r) for r in tasks.row[words == "liquid/gate"]}
    assert wet and set(np.unique(words[made > 0])) == {"liquid/header", "bringup/rack"}
    assert made.sum() == 2 * len(wet) and set(tasks.row[made > 0].tolist()) == wet


def test_nobody_is_staffed_dearer_than_the_default_and_stated_teams_stay() -> None:
    wet, asked = site(WET), question(WET)
    for arrangement in asked.arrangements:
        case = case_of(wet, asked, arrangement)
        full = pools(asked, arrangement, asked.assumptions, hours.scope_hours(wet.tasks, asked.assumptions))
        assert (case.pools.teams <= full.teams).all()
        dearest = case_of(wet, asked, arrangement, None, full.teams)
        assert expected(case).cost[0] <= expected(dearest).cost[0] * (1 + 1e-9)
    own = replace(asked.own, teams={"fibre": 11})
    again = case_of(wet, replace(asked, own=own), asked.arrangements[0])
    assert again.pools.teams[3] == 11


def test_the_small_site_is_air_cooled() -> None:
    assert not (site(SMALL).tasks.scope == SCOPES.index("liquid")).any()
