"""Teams and hours of a week and shift, counted by hand and against a plain count over quarter hours."""

from __future__ import annotations

import numpy as np

from asbuilt.decide.crew_weeks import crew_weeks
from asbuilt.decide.schedule import schedule
from deployment_sites import crew, random_site


def test_by_hand() -> None:
    """Two teams of three side by side on Monday, one of them into the second shift and, paused at night, into Tuesday."""
    start, end = np.array([0.0, 2.0]), np.array([6.0, 26.0])
    found = crew_weeks(start, end, np.array([1, 1]), np.array([2, 3]), np.array([8.0, 6.0]), np.array([1, 2]), np.array([5, 5]))
    assert found.teams.shape == (2, 1, 2)
    assert found.teams[0].tolist() == [[0, 0]]
    assert found.teams[1].tolist() == [[2, 1]]
    assert found.people[1].tolist() == [[6, 3]]
    assert found.hours[1].tolist() == [[6.0 + 4.0 + 2.0, 6.0]]
    assert found.weeks == 1


def test_against_a_plain_count() -> None:
    """Whole hours, so a look at each half hour sees everything."""
    for seed in range(0, 60, 3):
        site, staff, work, hold = random_site(seed)
        pools = len(staff["teams"])
        staff = crew(staff["teams"], staff["people"], [16.0] * pools, staff["days_per_week"], staff["row_people"])
        times = schedule(work, hold, **site, **staff)
        start, end = times.start_h[0], times.work_end_h[0]
        shifts = np.full(pools, 2)
        found = crew_weeks(start, end, site["scope"], staff["people"], np.full(pools, 8.0), shifts, staff["days_per_week"])
        assert np.isclose(found.hours.sum(), work.sum())
        for p in range(pools):
            of = site["scope"] == p
            for week in range(found.weeks):
                for k in range(2):
                    looks = [
                        week * 168 + day * 24 + 8 * k + h + 0.5 for day in range(staff["days_per_week"][p]) for h in range(8)
                    ]
                    counts = [int((of & (start < t) & (end > t)).sum()) for t in looks]
                    assert found.teams[p, week, k] == max(counts)
                    assert found.hours[p, week, k] == sum(counts)
