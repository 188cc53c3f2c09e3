"""Who is on site: people of each skill and their hours, by week and shift, from one simulated run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from asbuilt.decide.calendar import DAYS_A_WEEK, HOURS_A_DAY
from asbuilt.decide.schedule_input import Hours
from asbuilt.model.decision import CrewWeek
from asbuilt.model.deployment import SCOPES, SKILLS

if TYPE_CHECKING:
    from asbuilt.decide.parties import Pools
    from asbuilt.decide.schedule import Times
    from asbuilt.decide.tasks import Tasks

_WEEK_H = float(HOURS_A_DAY * DAYS_A_WEEK)


def crew(times: Times, run: int, tasks: Tasks, pools: Pools) -> tuple[CrewWeek, ...]:
    """People of each skill by week and shift, and the hours that they work.

    A pool's people are there, and paid, from the week of its first start to that of its last end, those of every shift alike.
    Hours are counted in the shift in which they are worked, the first of a day begins at 00:00.
    """
    made = []
    for k, scope in enumerate(SCOPES):
        start, end = times.start_h[run, tasks.scope == k], times.work_end_h[run, tasks.scope == k]
        start, end = start[end > start], end[end > start]
        if not start.size:
            continue
        first, last = int(start.min() // _WEEK_H), int(np.nextafter(end.max(), 0.0) // _WEEK_H)
        shifts, people = int(pools.shifts[k]), int(pools.people[k])
        hours = team_hours(
            start, end, range(first, last + 1), (float(pools.hours_per_day[k]), shifts, int(pools.days_per_week[k]))
        )
        for (week, shift), worked in np.ndenumerate(hours * people):
            who = int(pools.teams[k]) * people
            made.append(CrewWeek(first + week + 1, shift + 1, SKILLS[scope], pools.party[k], who, float(worked)))
    return tuple(sorted(made, key=lambda row: (row.week, row.shift, row.skill)))


def team_hours(start_h: Hours, work_end_h: Hours, weeks: range, window: tuple[float, int, int]) -> Hours:
    """Hours of teams of one pool by week and shift, ``[W, K]``: packages under way inside each shift.

    ``start_h``, ``work_end_h``: of its packages, from the first Monday on; ``window``: hours staffed a day, shifts of equal
    length in them, working days a week.
    """
    per_day, shifts, days = window
    begin = np.arange(weeks.start, weeks.stop)[:, None, None] * _WEEK_H
    begin = begin + np.arange(shifts)[None, :, None] * (per_day / shifts) + np.arange(days)[None, None, :] * float(HOURS_A_DAY)
    starts, ends = np.sort(start_h), np.sort(work_end_h)
    spent = _spent(begin + per_day / shifts, starts, ends) - _spent(begin, starts, ends)
    return np.asarray(spent.sum(axis=2))


def _spent(time: Hours, starts: Hours, ends: Hours) -> Hours:
    """Calendar hours of packages under way in [0, ``time``), of sorted starts and ends."""
    total = np.zeros_like(time)
    for edges, sign in ((starts, 1.0), (ends, -1.0)):
        passed = np.searchsorted(edges, time)
        total += sign * (passed * time - np.concatenate([[0.0], np.cumsum(edges)])[passed])
    return total
