"""Who must be on site: teams at work at the same time and their hours, by skill, week and shift, from one simulated run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asbuilt.decide.calendar import DAYS_A_WEEK, HOURS_A_DAY
from asbuilt.decide.schedule_input import Hours, Numbers


@dataclass(frozen=True, slots=True)
class CrewWeeks:
    """Arrays [P, W, K]: pool, week from the first Monday on, shift of the day (the first begins at 00:00).

    ``teams``: the most at work at the same time; ``hours``: hours of teams. ``people``: of all teams of ``teams``.
    """

    teams: Numbers
    people: Numbers
    hours: Hours

    @property
    def weeks(self) -> int:
        return int(self.teams.shape[1])


def crew_weeks(
    start_h: Hours,
    work_end_h: Hours,
    scope: Numbers,
    people: Numbers,
    shift_hours: Hours,
    shifts: Numbers,
    days_per_week: Numbers,
) -> CrewWeeks:
    """Count from one run: ``start_h``, ``work_end_h``, ``scope`` [T]; ``people`` of a team, hours of a shift, shifts a day,
    working days a week [P]. A pool with fewer shifts than another has zeros in the rest."""
    pools, most = len(people), int(max(shifts, default=0))
    weeks = int(np.ceil(work_end_h.max(initial=0.0) / (HOURS_A_DAY * DAYS_A_WEEK)))
    teams, hours = np.zeros((pools, weeks, most), np.int64), np.zeros((pools, weeks, most))
    for p in np.unique(scope).tolist():
        of = (scope == p) & (work_end_h > start_h)
        starts, ends = np.sort(start_h[of]), np.sort(work_end_h[of])
        days = np.arange(weeks * DAYS_A_WEEK).reshape(weeks, DAYS_A_WEEK)[:, : int(days_per_week[p])]
        for k in range(int(shifts[p])):
            begin = days * float(HOURS_A_DAY) + k * shift_hours[p]
            end = begin + shift_hours[p]
            hours[p, :, k] = (_spent(end, starts, ends) - _spent(begin, starts, ends)).sum(axis=1)
            teams[p, :, k] = _most(begin, end, starts, ends).max(axis=1)
    return CrewWeeks(teams, teams * np.asarray(people, np.int64)[:, None, None], hours)


def _spent(time: Hours, starts: Hours, ends: Hours) -> Hours:
    """Calendar hours of packages under way in [0, ``time``), of sorted starts and ends."""
    total = np.zeros_like(time)
    for edges, sign in ((starts, 1.0), (ends, -1.0)):
        passed = np.searchsorted(edges, time)
        total += sign * (passed * time - np.concatenate([[0.0], np.cumsum(edges)])[passed])
    return total


def _most(begin: Hours, end: Hours, starts: Hours, ends: Hours) -> NDArray[np.int64]:
    """The most packages under way at the same time in [``begin``, ``end``): at the beginning, or after a start inside."""
    at_begin = np.searchsorted(starts, begin, side="right") - np.searchsorted(ends, begin, side="right")
    after_start = np.searchsorted(starts, starts, side="right") - np.searchsorted(ends, starts, side="right")
    first, last = np.searchsorted(starts, begin), np.searchsorted(starts, end)
    found = at_begin.astype(np.int64)
    for at in np.ndindex(*begin.shape):
        found[at] = max(found[at], after_start[first[at] : last[at]].max(initial=0))
    return found
