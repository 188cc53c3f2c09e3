"""What the end of the work hangs on: the critical path without limits, and the chain of waits of a simulated run.

Without limits (a team for everybody, room for all, work day and night) the schedule is the classic critical path method:
a forward pass for the earliest times, a backward pass for the latest, the float between them (J. E. Kelley, M. R. Walker,
"Critical-path planning and scheduling", 1959). Hours are on the grid of `asbuilt.decide.calendar`, so that a float of zero
is exactly zero.

With limits, a package starts when the last thing it waited for came: a predecessor, a team, room in its row. `chain` goes
back from the package that finished last, from one such wait to the one before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from asbuilt.decide.calendar import DAY, DAYS_A_WEEK, TICKS_AN_HOUR, on_grid, ticks
from asbuilt.decide.schedule import successors
from asbuilt.decide.schedule_input import Hours, Numbers

#: Why a package did not start earlier.
REASONS = {
    "begin": "it starts with the work",
    "order": "it waited for the package before it in the order",
    "team": "it waited for a team of its skill",
    "room": "it waited for room in its row",
}


@dataclass(frozen=True, slots=True)
class Path:
    """Critical path method over T packages; all in hours from the beginning, [T] or [S, T] as the work given.

    ``early_finish_h`` and ``late_finish_h`` include the hold. ``float_h``: how much later a package may start without a later
    end; 0 on the critical path.
    """

    early_start_h: Hours
    early_finish_h: Hours
    late_start_h: Hours
    late_finish_h: Hours

    @property
    def float_h(self) -> Hours:
        found: Hours = self.late_start_h - self.early_start_h
        return found

    @property
    def length_h(self) -> Any:
        """Hours until everything is finished: a number, or [S]."""
        return self.early_finish_h.max(axis=-1, initial=0.0)


def critical_path(work_h: Any, hold_h: Any, pred_start: Numbers, pred: Numbers) -> Path:
    """Earliest and latest times with teams and room for everybody, day and night.

    ``work_h``, ``hold_h`` [T] or [S, T]; predecessors as in `asbuilt.decide.schedule.schedule`, of smaller index.
    """
    spent = on_grid(work_h) + on_grid(hold_h)
    starts, follow_start = pred_start.tolist(), (after := successors(pred_start, pred))[0].tolist()
    early, late = np.zeros_like(spent), np.zeros_like(spent)
    for i in range(spent.shape[-1]):
        before = pred[starts[i] : starts[i + 1]]
        early[..., i] = (early[..., before] + spent[..., before]).max(axis=-1, initial=0.0)
    end = (early + spent).max(axis=-1, initial=0.0)
    for i in reversed(range(spent.shape[-1])):
        following = after[1][follow_start[i] : follow_start[i + 1]]
        last = late[..., following].min(axis=-1) if len(following) else end
        late[..., i] = last - spent[..., i]
    return Path(early, early + spent, late, late + spent)


@dataclass(frozen=True, slots=True)
class Link:
    """One package of a chain: why it started no earlier, and hours between what it waited for and its start.

    Those hours are a night or weekend of its teams: what it waited for came while they were not at work.
    """

    package: int
    reason: str
    off_shift_h: float


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a schedule, [T], with what it was simulated from."""

    start_h: Hours
    work_end_h: Hours
    finish_h: Hours
    scope: Numbers
    row: Numbers
    pred_start: Numbers
    pred: Numbers
    teams: Numbers
    people: Numbers
    hours_per_day: Hours
    days_per_week: Numbers
    row_people: int


def chain(run: Run) -> tuple[Link, ...]:
    """The waits that made the run end when it did, from the first package to the last.

    The last package is the first in the order of those that finish last. Each one before it is what the next waited for:
    the predecessor that finished last, or a package whose end gave it a team or room. Empty without packages.
    """
    if not len(run.scope):
        return ()
    at, links = int(np.argmax(run.finish_h)), []
    while True:
        cause, reason, came = _cause(run, at)
        links.append(Link(at, reason, float(run.start_h[at]) - came))
        if cause < 0:
            return tuple(reversed(links))
        at = cause


def _cause(run: Run, i: int) -> tuple[int, str, float]:
    """What package ``i`` waited for last (-1: nothing), why, and when it came [h].

    Of what came at the same time an earlier reason of `REASONS` is named, then the first in the order.
    """
    before = run.pred[run.pred_start[i] : run.pred_start[i + 1]]
    ready = float(run.finish_h[before].max(initial=0.0))
    since = _before_the_gap(run, i)
    found = (int(before[np.argmax(run.finish_h[before])]), "order", ready) if len(before) else (-1, "begin", 0.0)
    pool = np.nonzero(run.scope == run.scope[i])[0]
    row = np.nonzero(run.row == run.row[i])[0] if run.row[i] >= 0 else pool[:0]
    own, people = int(run.people[run.scope[i]]), run.people[run.scope[row]]
    for reason, of, needs, limit in (
        ("team", pool, np.ones(len(pool), np.int64), int(run.teams[run.scope[i]]) - 1),
        ("room", row, people, run.row_people - own),
    ):
        j, came = _last_release(run, i, of, needs, limit, since)
        if j >= 0 and came > found[2]:
            found = (j, reason, came)
    return found


def _last_release(run: Run, i: int, of: Numbers, needs: Numbers, limit: int, since: float) -> tuple[int, float]:
    """The last end of work, from ``since`` to the start of ``i``, before which more than ``limit`` of ``needs`` were in use."""
    start, end = run.start_h[of], run.work_end_h[of]
    for came in np.unique(end[(end >= since) & (end <= run.start_h[i])])[::-1]:
        held = (start < came) & (end >= came)
        if needs[held].sum() > limit:
            return int(of[held & (end == came)][0]), float(came)
    return -1, 0.0


def _before_the_gap(run: Run, i: int) -> float:
    """The close of the window before the one that opens when ``i`` starts; its start itself when it is inside a window."""
    p = run.scope[i]
    start, day, days = int(ticks(run.start_h[i])), int(ticks(run.hours_per_day[p])), int(run.days_per_week[p])
    date = start // DAY
    if start == 0 or start != date * DAY or (day == DAY and date % DAYS_A_WEEK):
        return float(run.start_h[i])
    last = date - 1 if date % DAYS_A_WEEK else date - DAYS_A_WEEK + days - 1
    return (last * DAY + day) / TICKS_AN_HOUR
