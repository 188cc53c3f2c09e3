"""When each package of work starts and ends: teams of six skills, their shifts, the order of the work, room in the aisles.

An event-driven simulation. Time runs from Monday 00:00. Whenever work or a hold ends, or the teams of a skill come to
work, the ready packages are looked at in the order of their index: one starts when its pool is at work and has a team free,
and its row has room for the people of that team. Team and room are held until the work ends, nights and weekends too; work
pauses outside the shift. Then the hold runs, day and night, and needs nobody. A package is ready when all its predecessors
are finished, hold included. Nobody keeps a team or room free for a package that comes earlier in the order but cannot start.

Of one moment all events are taken in first, then all starts are decided. So no result hangs on the order of events of one
moment. A package without work starts and ends in the same moment, and those after it are looked at once more.

What holds, and what does not: `docs/decide-schedule.md`. Without numba, `asbuilt.decide.schedule_plain` gives the same
numbers in about thirty times the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from asbuilt.base.kernel import kernel
from asbuilt.decide import schedule_loop, schedule_plain
from asbuilt.decide.calendar import ticks
from asbuilt.decide.schedule_input import Hours, Numbers, refuse_ages, refuse_crew, refuse_hours, refuse_order

# Packages in all runs from which compiling, seconds on its first time, is worth it.
_simulate: Callable[..., None] = kernel(schedule_plain.simulate, threshold=8_192, parts=schedule_loop.PARTS, measured=np.size)(
    schedule_loop.simulate
)


class Times(NamedTuple):
    """Calendar hours from Monday 00:00 of each run and package, [S, T]."""

    start_h: Hours
    work_end_h: Hours
    finish_h: Hours


def schedule(
    work_h: Hours,
    hold_h: Hours,
    scope: Numbers,
    row: Numbers,
    pred_start: Numbers,
    pred: Numbers,
    teams: Numbers,
    people: Numbers,
    hours_per_day: Hours,
    days_per_week: Numbers,
    row_people: int,
) -> Times:
    """Simulate S runs of T packages.

    ``work_h``, ``hold_h`` [S, T]: hours of one team, and calendar hours after it; rounded to 2^-30 h. ``scope`` [T]: pool of
    teams, from 0 to P-1; ``row`` [T]: aisle, -1 for the site, which needs no room. ``pred_start`` [T+1], ``pred``: predecessors
    of each package, all of smaller index. ``teams``, ``people`` [P]: teams of a pool at work at the same time, people of one
    team. ``hours_per_day``, ``days_per_week`` [P]: its shift. ``row_people``: people that a row has room for.

    Raises ValueError when the numbers cannot be simulated; the text says which, why, and what to do.
    """
    work_h, hold_h = np.ascontiguousarray(work_h, np.float64), np.ascontiguousarray(hold_h, np.float64)
    scope, row, pred_start, pred, teams, people, days = (
        np.ascontiguousarray(a, np.int64) for a in (scope, row, pred_start, pred, teams, people, days_per_week)
    )
    day = ticks(hours_per_day)
    refuse_hours(work_h, hold_h, len(scope))
    refuse_order(scope, row, pred_start, pred, len(teams))
    refuse_crew(scope, row, teams, people, day, days, row_people)
    refuse_ages(work_h, hold_h, day[scope], days[scope])
    rows = int(row.max(initial=-1)) + 1
    seat = np.where(row < 0, rows, row)
    times = Times(np.full(work_h.shape, np.nan), np.full(work_h.shape, np.nan), np.full(work_h.shape, np.nan))
    given: tuple[Any, ...] = (
        work_h, hold_h, scope, seat, np.diff(pred_start), *successors(pred_start, pred), teams, people, day, days,
        int(row_people), _places(scope * (rows + 1) + seat, len(teams) * (rows + 1)),
    )  # fmt: skip
    _simulate(*given, *_workspace(len(scope), len(teams), rows + 1), *times)
    return times


def successors(pred_start: Numbers, pred: Numbers) -> tuple[Numbers, Numbers]:
    """The order the other way round: starts [T+1] and successors of each package."""
    count = len(pred_start) - 1
    of = np.repeat(np.arange(count, dtype=np.int64), np.diff(pred_start))
    return _places(pred, count), of[np.argsort(pred, kind="stable")]


def _places(kind: Numbers, kinds: int) -> Numbers:
    """Starts [kinds+1] of stretches with one place for each package of a kind."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(kind, minlength=kinds), dtype=np.int64)])


def _workspace(count: int, pools: int, rows: int) -> tuple[Numbers, ...]:
    """Arrays for the loop, in the order of its arguments from ``left`` to ``pending``."""
    cells, events = pools * rows, count + pools + 1
    sizes = (count, count, cells, cells, pools, pools, rows, pools, pools, pools, events, events, 1)
    return tuple(np.zeros(size, np.int64) for size in sizes)
