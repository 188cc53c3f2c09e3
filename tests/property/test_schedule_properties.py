"""What every schedule keeps, on random sites: no limit broken, nobody idle without need, no end before the critical path."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from asbuilt.decide.calendar import opened_h, worked_h
from asbuilt.decide.critical_path import Run, chain, critical_path
from asbuilt.decide.schedule import Times, schedule
from deployment_sites import crew, random_site, tasks

SEEDS = st.integers(0, 2**31)


def of(seed: int) -> tuple[dict[str, Any], dict[str, Any], Any, Any, Times]:
    site, staff, work, hold = random_site(seed)
    return site, staff, work, hold, schedule(work, hold, **site, **staff)


def predecessors(site: dict[str, Any], i: int) -> Any:
    return site["pred"][site["pred_start"][i] : site["pred_start"][i + 1]]


@given(SEEDS)
def test_no_limit_is_broken(seed: int) -> None:
    """Order, shifts, hours, teams and room, from the times alone."""
    site, staff, work, hold, times = of(seed)
    start, end, finish = (t[0] for t in times)
    scope, row = site["scope"], site["row"]
    hours, days = staff["hours_per_day"][scope], staff["days_per_week"][scope]
    assert (opened_h(start, hours, days) == start).all()
    assert (worked_h(end, hours, days) - worked_h(start, hours, days) == work[0]).all()
    assert (finish == end + hold[0]).all()
    for i in range(len(scope)):
        assert start[i] >= finish[predecessors(site, i)].max(initial=0.0)
        at = (start <= start[i]) & (end > start[i])
        assert at[scope == scope[i]].sum() <= staff["teams"][scope[i]]
        if row[i] >= 0:
            assert staff["people"][scope[at & (row == row[i])]].sum() <= staff["row_people"]


@given(SEEDS)
def test_who_could_work_does(seed: int) -> None:
    """At no moment does a ready package wait whose team is free and at work, and whose row has room."""
    site, staff, work, _, times = of(seed)
    start, end, finish = (t[0] for t in times)
    scope, row = site["scope"], site["row"]
    for i in range(len(scope)):
        ready = finish[predecessors(site, i)].max(initial=0.0)
        p = scope[i]
        for moment in np.unique(np.concatenate([end, finish, start, opened_h(end, *shift(staff, p)), [0.0, ready]])):
            if not ready <= moment < start[i] or opened_h(moment, *shift(staff, p)) != moment:
                continue
            under_way = (start <= moment) & (end > moment)
            no_team = under_way[scope == p].sum() >= staff["teams"][p]
            held = staff["people"][scope[under_way & (row == row[i])]].sum()
            assert no_team or (row[i] >= 0 and held + staff["people"][p] > staff["row_people"])
    assert work.shape == times.start_h.shape


def shift(staff: dict[str, Any], p: int) -> tuple[float, int]:
    return staff["hours_per_day"][p], staff["days_per_week"][p]


def without_limits(site: dict[str, Any], staff: dict[str, Any]) -> dict[str, Any]:
    pools, many = len(staff["teams"]), len(site["scope"])
    return crew([many] * pools, [1] * pools, [24.0] * pools, [7] * pools, many)


@given(SEEDS)
def test_without_limits_it_is_the_critical_path(seed: int) -> None:
    """To the last bit; the float of the path is exactly zero, and starting at the latest times ends no later."""
    site, staff, work, hold, _ = of(seed)
    free = schedule(work, hold, **site, **without_limits(site, staff))
    path = critical_path(work[0], hold[0], site["pred_start"], site["pred"])
    assert (free.start_h[0] == path.early_start_h).all()
    assert (free.finish_h[0] == path.early_finish_h).all()
    assert (path.float_h >= 0).all()
    assert path.float_h.min() == 0
    assert path.late_finish_h.max() == path.length_h
    for i in range(len(site["scope"])):
        assert path.late_start_h[i] >= path.late_finish_h[predecessors(site, i)].max(initial=0.0)
    several = critical_path(np.repeat(work, 2, 0), np.repeat(hold, 2, 0), site["pred_start"], site["pred"])
    assert (several.early_finish_h[1] == path.early_finish_h).all()


@given(SEEDS)
def test_limits_never_beat_the_critical_path(seed: int) -> None:
    site, _, work, hold, times = of(seed)
    path = critical_path(work, hold, site["pred_start"], site["pred"])
    assert (times.finish_h >= path.early_finish_h).all()


@given(SEEDS)
def test_more_crew_than_the_rows_have_room_for_changes_nothing(seed: int) -> None:
    """As many teams as fit in all rows, and one for each package of the site, are all that can ever work at once."""
    site, staff, work, hold, _ = of(seed)
    scope, row = site["scope"], site["row"]
    rows = row.max() + 1
    site_work = np.bincount(scope[row < 0], minlength=len(staff["teams"]))
    limit = np.maximum(1, rows * (staff["row_people"] // staff["people"]) + site_work)
    full = schedule(work, hold, **site, **{**staff, "teams": limit})
    more = schedule(work, hold, **site, **{**staff, "teams": limit * 3 + 1})
    for one, other in zip(full, more, strict=True):
        assert (one == other).all()


@given(SEEDS, st.integers(1, 4), st.integers(1, 3))
def test_of_packages_without_order_and_room_more_teams_never_end_later(seed: int, teams: int, more: int) -> None:
    """Graham's anomalies need an order or a second limit; with neither, each package starts no later."""
    draw = np.random.default_rng(seed)
    work = np.rint(draw.gamma(2.0, 4.0, (1, 15)) * 1024) / 1024
    site = tasks([0] * 15, [-1] * 15, [[]] * 15)
    shifts = float(draw.choice([8.0, 24.0])), int(draw.integers(1, 8))
    few = schedule(work, work * 0, **site, **crew([teams], [1], [shifts[0]], [shifts[1]], 1))
    many = schedule(work, work * 0, **site, **crew([teams + more], [1], [shifts[0]], [shifts[1]], 1))
    assert (many.finish_h <= few.finish_h).all()


@given(SEEDS, st.floats(0.0, 100.0))
def test_on_a_chain_a_longer_hold_never_finishes_earlier(seed: int, longer: float) -> None:
    draw = np.random.default_rng(seed)
    count = 8
    work, hold = draw.gamma(2.0, 4.0, (1, count)), draw.gamma(1.0, 6.0, (1, count))
    site = tasks(draw.integers(0, 2, count).tolist(), [0] * count, [[i - 1] if i else [] for i in range(count)])
    staff = crew([1, 1], [1, 2], [8.0, 12.0], [5, 7], 2)
    stretched = hold.copy()
    stretched[0, draw.integers(0, count)] += longer
    short, long = (schedule(work, h, **site, **staff).finish_h for h in (hold, stretched))
    assert (long >= short).all()


@given(SEEDS)
def test_the_same_again(seed: int) -> None:
    site, staff, work, hold, times = of(seed)
    again = schedule(work, hold, **site, **staff)
    assert all((a == b).all() for a, b in zip(times, again, strict=True))


@given(SEEDS)
def test_the_chain_explains_the_end(seed: int) -> None:
    """Each link starts when what it waited for came, but for time off shift; the first begins with the work."""
    site, staff, _, _, times = of(seed)
    start, end, finish = (t[0] for t in times)
    links = chain(Run(start, end, finish, **site, **staff))
    assert finish[links[-1].package] == finish.max()
    assert links[0].reason == "begin"
    assert start[links[0].package] == 0
    for before, link in itertools.pairwise(links):
        i, j = link.package, before.package
        came = finish[j] if link.reason == "order" else end[j]
        assert link.off_shift_h == start[i] - came
        p = site["scope"][i]
        assert opened_h(came, *shift(staff, p)) == start[i]
        assert {"order": j in predecessors(site, i), "team": site["scope"][j] == p, "room": site["row"][j] == site["row"][i]}[
            link.reason
        ]
