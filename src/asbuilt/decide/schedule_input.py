"""What `asbuilt.decide.schedule` refuses to simulate: each text says where, what, why, and what to do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from asbuilt.decide.calendar import DAY, DAYS_A_WEEK, HOURS_A_DAY, NEVER, TICKS_AN_HOUR

Hours = NDArray[np.float64]
Numbers = NDArray[np.int64]
#: Hours that ticks can count, with a margin: 245,000 years.
LONGEST_H = NEVER / TICKS_AN_HOUR / 2


def refuse_hours(work_h: Hours, hold_h: Hours, count: int) -> None:
    """Raise ValueError unless both are [S, ``count``] of numbers from 0 on."""
    for name, hours in (("work", work_h), ("hold", hold_h)):
        if hours.ndim != 2 or hours.shape != work_h.shape or hours.shape[1] != count:
            raise ValueError(
                f"hours of {name} have the shape {hours.shape}, and those of work {work_h.shape}, for {count} packages: "
                "both must be runs x packages"
            )
        if hours.size and not (hours.min() >= 0 and hours.max() < np.inf):
            run, at = (int(k[0]) for k in np.nonzero(~((hours >= 0) & (hours < np.inf))))
            raise ValueError(
                f"hours of {name} of package {at} in run {run} are {hours[run, at]:g}: hours must be numbers from 0 on; "
                "look at the assumptions that they were multiplied from"
            )


def refuse_order(scope: Numbers, row: Numbers, pred_start: Numbers, pred: Numbers, pools: int) -> None:
    """Raise ValueError unless each package has a pool, a row, and predecessors of smaller index."""
    if len(row) != len(scope) or len(pred_start) != len(scope) + 1 or pred_start[-1] != len(pred):
        raise ValueError(
            f"{len(scope)} packages have {len(row)} rows, {len(pred_start) - 1} lists of predecessors, and in all "
            f"{len(pred)} predecessors of {pred_start[-1]} announced: each package needs one row and one list"
        )
    if len(scope) and not (scope.min() >= 0 and scope.max() < pools and row.min() >= -1):
        raise ValueError(
            f"a package is of a scope outside 0 to {pools - 1}, or of a row below -1 (the site): there is no such pool or aisle"
            "; look at the tasks of the plan"
        )
    of = np.repeat(np.arange(len(scope)), np.diff(pred_start))
    wrong = np.nonzero((pred >= of) | (pred < 0))[0]
    if len(wrong):
        raise ValueError(
            f"package {of[wrong[0]]} waits for package {pred[wrong[0]]}: a predecessor must have a smaller index, or the "
            "order may be a circle; put the packages in building order"
        )


def refuse_crew(
    scope: Numbers, row: Numbers, teams: Numbers, people: Numbers, day: Numbers, days: Numbers, row_people: int
) -> None:
    """Raise ValueError unless each pool that has packages can start each of them one day."""
    if not len(teams) == len(people) == len(day) == len(days):
        raise ValueError(
            f"there are {len(teams)} numbers of teams, {len(people)} of people, {len(day)} of hours and {len(days)} of days: "
            "each pool needs one of each"
        )
    for p in np.unique(scope).tolist():
        if teams[p] < 1 or people[p] < 1:
            raise ValueError(
                f"pool {p} has {teams[p]} teams of {people[p]} people and packages to do: nobody would ever do them; "
                "give it a team of one at least"
            )
        if not (0 < day[p] <= DAY and 1 <= days[p] <= DAYS_A_WEEK):
            raise ValueError(
                f"pool {p} works {day[p] / DAY * HOURS_A_DAY:g} h a day on {days[p]} days a week: it must be more than 0 and "
                f"up to {HOURS_A_DAY} h, on 1 to {DAYS_A_WEEK} days"
            )
        if people[p] > row_people and (row[scope == p] >= 0).any():
            raise ValueError(
                f"a team of pool {p} is {people[p]} people and a row has room for {row_people}: it could never start; "
                "make the team smaller or the room larger"
            )


class TooLongError(ValueError):
    """Work that would last longer than can be counted."""


def refuse_ages(work_h: Hours, hold_h: Hours, day: Numbers, days: Numbers) -> None:
    """Raise ``TooLongError`` when all packages one after the other, in the shortest week, could pass what ticks can count."""
    week = int((day * days).min(initial=DAY * DAYS_A_WEEK)) / DAY * HOURS_A_DAY
    calendar = HOURS_A_DAY * DAYS_A_WEEK
    longest = work_h.max(initial=0.0) * calendar / week + hold_h.max(initial=0.0) + calendar
    if longest * work_h.shape[1] > LONGEST_H:
        raise TooLongError(
            f"packages of up to {work_h.max():g} h of work and {hold_h.max():g} h of hold, {work_h.shape[1]} of them, could "
            f"last longer than the {LONGEST_H:g} h that can be counted: look at the units of the assumptions that they come "
            "from"
        )
