"""One run day by day: the packages of each row as bars, the critical chain, people on site by week and shift."""

from __future__ import annotations

import numpy as np

from asbuilt.decide.parties import Pools
from asbuilt.decide.schedule import Times
from asbuilt.decide.tasks import Tasks
from asbuilt.model.decision import Bar, CrewWeek
from asbuilt.model.deployment import SCOPES, SKILLS

_DAY_H, _WEEK_H = 24.0, 168.0


def bars(times: Times, run: int, tasks: Tasks, critical: np.ndarray) -> tuple[Bar, ...]:
    """One bar for each kind of package in each row: from the first start to the last finish, holds included."""
    on_chain = np.zeros(len(tasks.package), bool)
    on_chain[critical] = True
    start, finish = times.start_h[run], times.finish_h[run]
    made = []
    words = np.array(tasks.package)
    for row in range(-1, len(tasks.rows)):
        inside = tasks.row == row
        for package in dict.fromkeys(words[inside].tolist()):
            mine = np.flatnonzero(inside & (words == package))
            made.append(
                Bar(
                    package,
                    package.partition("/")[0],
                    tasks.rows[row] if row >= 0 else "",
                    float(start[mine].min() / _DAY_H),
                    float(finish[mine].max() / _DAY_H),
                    bool(on_chain[mine].any()),
                )
            )
    return tuple(sorted(made, key=lambda bar: (bar.start_d, bar.end_d, bar.package)))


def crew(times: Times, run: int, work: np.ndarray, tasks: Tasks, pools: Pools) -> tuple[CrewWeek, ...]:
    """People on site of each skill by week and shift, while their pool has work to come or at hand; and hours worked.

    A pool's people are there from the week of its first start to that of its last end. A day that is staffed longer than a
    shift has several shifts, all with the same people at work; hours are shared equally among them.
    """
    made = []
    for k, scope in enumerate(SCOPES):
        mine = np.flatnonzero((tasks.scope == k) & (work > 0))
        if not mine.size:
            continue
        first, last = times.start_h[run, mine], times.work_end_h[run, mine]
        weeks = range(int(first.min() // _WEEK_H), int(np.nextafter(last.max(), 0.0) // _WEEK_H) + 1)
        hours = _by_week(first, last, work[mine], weeks)
        shifts = int(pools.shifts[k])
        people = int(pools.teams[k] * pools.people[k])
        for week, worked in zip(weeks, hours.tolist(), strict=True):
            for shift in range(1, shifts + 1):
                made.append(
                    CrewWeek(week + 1, shift, SKILLS[scope], pools.party[k], people, worked * float(pools.people[k]) / shifts)
                )
    return tuple(sorted(made, key=lambda row: (row.week, row.shift, row.skill)))


def _by_week(first: np.ndarray, last: np.ndarray, work: np.ndarray, weeks: range) -> np.ndarray:
    """Team hours of each week: those of a package are spread evenly from its start to its end."""
    edges = np.arange(weeks.start, weeks.stop + 1) * _WEEK_H
    length = np.maximum(last - first, np.finfo(float).tiny)
    inside = np.clip(edges[None, :], first[:, None], last[:, None])
    return np.asarray((np.diff(inside, axis=1) / length[:, None] * work[:, None]).sum(axis=0))
