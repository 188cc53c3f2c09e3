"""People and hours of a week and shift, counted by hand and against a plain count over half hours."""

from __future__ import annotations

import numpy as np
import pytest

from asbuilt.decide.cases import case_of
from asbuilt.decide.crew_weeks import crew, team_hours
from asbuilt.decide.schedule import schedule
from asbuilt.decide.simulate import detailed
from asbuilt.model.deployment import SCOPES, SKILLS
from decide_sites import SMALL, WET, question, site
from deployment_sites import crew as staffed
from deployment_sites import random_site


def test_by_hand() -> None:
    """Two teams side by side on Monday, one of them into the second shift and, paused at night, into Tuesday."""
    start, end = np.array([0.0, 2.0]), np.array([6.0, 26.0])
    found = team_hours(start, end, range(1), (12.0, 2, 5))
    assert found.tolist() == [[6.0 + 4.0 + 2.0, 6.0]]
    # A week later it is the second week, and nothing in the first.
    later = team_hours(start + 168.0, end + 168.0, range(2), (12.0, 2, 5))
    assert later.tolist() == [[0.0, 0.0], found[0].tolist()]


def test_against_a_plain_count() -> None:
    """Whole hours, so a look at each half hour sees everything."""
    for seed in range(0, 60, 3):
        drawn, staff, work, hold = random_site(seed)
        pools = len(staff["teams"])
        staff = staffed(staff["teams"], staff["people"], [16.0] * pools, staff["days_per_week"], staff["row_people"])
        times = schedule(work, hold, **drawn, **staff)
        for p in range(pools):
            of = drawn["scope"] == p
            start, end = times.start_h[0][of], times.work_end_h[0][of]
            weeks = range(int(np.ceil(end.max(initial=0.0) / 168)))
            found = team_hours(start, end, weeks, (16.0, 2, int(staff["days_per_week"][p])))
            assert np.isclose(found.sum(), work[0][of].sum())
            for week in weeks:
                for k in range(2):
                    looks = [
                        week * 168 + day * 24 + 8 * k + h + 0.5 for day in range(staff["days_per_week"][p]) for h in range(8)
                    ]
                    assert found[week, k] == sum(int(((start < t) & (end > t)).sum()) for t in looks)


@pytest.mark.parametrize("template", [SMALL, WET])
@pytest.mark.parametrize("who", range(3))
def test_all_work_of_a_run_is_in_some_shift(template: str, who: int) -> None:
    asked = question(template)
    case = case_of(site(template), asked, asked.arrangements[who])
    tasks, pools = case.tasks, case.pools
    _, times, work = detailed(case, 3, 0, 4)
    rows = crew(times, 2, tasks, pools)
    for k, scope in enumerate(SCOPES):
        mine = [row for row in rows if row.skill == SKILLS[scope]]
        wanted = work[2, tasks.scope == k].sum() * pools.people[k]
        assert sum(row.hours for row in mine) == pytest.approx(wanted, abs=1e-5)
        assert {row.party for row in mine} <= {pools.party[k]}
        # Nobody works longer than his shift lasts, and all are there from the first week to the last.
        shift_h = pools.hours_per_day[k] / pools.shifts[k] * pools.days_per_week[k]
        assert all(row.hours <= row.people * shift_h + 1e-6 and row.people == pools.teams[k] * pools.people[k] for row in mine)
        weeks = sorted({row.week for row in mine})
        assert weeks == list(range(weeks[0], weeks[-1] + 1)) if weeks else wanted == 0.0
        assert len(mine) == len(weeks) * pools.shifts[k]
