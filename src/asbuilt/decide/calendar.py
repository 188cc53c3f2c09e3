"""When a team is at work: the first days of each week, the first hours of each of these days, from Monday 00:00 on.

Inside, time is counted in whole ticks of 2^-30 h (3.4 µs). So sums of hours are exact whatever their order, "at the same
time" means the same number, and a run, its critical path and an independent simulation agree to the last digit. Hours
of a float on that grid are exact as well, up to 2^22 h (478 years).

A calendar is ``day`` ticks of work a day on ``days`` days a week. The plain functions are parts of the compiled loop of
`asbuilt.decide.schedule`; those in hours take arrays of any shapes that broadcast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

HOURS_A_DAY, DAYS_A_WEEK = 24, 7
TICKS_AN_HOUR = 1 << 30
DAY = HOURS_A_DAY * TICKS_AN_HOUR
#: Later than any end of work: 2^62 ticks.
NEVER = 1 << 62


def worked(time: int, day: int, days: int) -> int:
    """Ticks of work in [0, ``time``)."""
    date = time // DAY
    weekday = date % DAYS_A_WEEK
    whole = date // DAYS_A_WEEK * days
    if weekday >= days:
        return (whole + days) * day
    return (whole + weekday) * day + min(time - date * DAY, day)


def reached(work: int, day: int, days: int) -> int:
    """The earliest time by which ``work`` ticks of work have passed: the close of a window, not the opening of the next."""
    if work <= 0:
        return 0
    turn = (work - 1) // day
    return (turn // days * DAYS_A_WEEK + turn % days) * DAY + work - turn * day


def opened(time: int, day: int, days: int) -> int:
    """``time`` when it is inside a window, else the beginning of the next window."""
    date = time // DAY
    weekday = date % DAYS_A_WEEK
    if weekday >= days:
        return (date + DAYS_A_WEEK - weekday) * DAY
    if time - date * DAY < day:
        return time
    if weekday + 1 < days:
        return (date + 1) * DAY
    return (date + DAYS_A_WEEK - weekday) * DAY


def closed(time: int, day: int, days: int) -> int:
    """The end of the stretch of work that ``time``, inside a window, is in. Days of 24 h join; ``NEVER`` for 24/7."""
    date = time // DAY
    if day < DAY:
        return date * DAY + day
    if days == DAYS_A_WEEK:
        return NEVER
    return (date - date % DAYS_A_WEEK + days) * DAY


def ended(time: int, work: int, day: int, days: int) -> int:
    """When ``work`` ticks of work that begin at ``time``, inside a window, are done."""
    if work == 0:
        return time
    return reached(worked(time, day, days) + work, day, days)


#: For `asbuilt.base.kernel.kernel`: those without calls of their own first.
PARTS = (worked, reached, opened, closed, ended)


def ticks(hours: Any) -> NDArray[np.int64]:
    """Whole ticks nearest to ``hours`` [h], any shape."""
    return np.rint(np.asarray(hours, np.float64) * TICKS_AN_HOUR).astype(np.int64)


def on_grid(hours: Any) -> NDArray[np.float64]:
    """``hours`` [h] as a schedule counts them: at most 2^-31 h away."""
    return np.rint(np.asarray(hours, np.float64) * TICKS_AN_HOUR) / TICKS_AN_HOUR


def worked_h(time_h: Any, hours_per_day: Any, days_per_week: Any) -> NDArray[np.float64]:
    """Hours of work in [0, ``time_h``); all arguments broadcast."""
    time, day, days = ticks(time_h), ticks(hours_per_day), np.asarray(days_per_week, np.int64)
    date = time // DAY
    weekday = date % DAYS_A_WEEK
    today = np.where(weekday < days, np.minimum(time - date * DAY, day), 0)
    total: NDArray[np.float64] = ((date // DAYS_A_WEEK * days + np.minimum(weekday, days)) * day + today) / TICKS_AN_HOUR
    return total


def opened_h(time_h: Any, hours_per_day: Any, days_per_week: Any) -> NDArray[np.float64]:
    """``time_h`` where it is inside a window, else the beginning of the next window [h]; all arguments broadcast."""
    time, day, days = ticks(time_h), ticks(hours_per_day), np.asarray(days_per_week, np.int64)
    date = time // DAY
    weekday = date % DAYS_A_WEEK
    inside = (weekday < days) & (time - date * DAY < day)
    step = np.where(weekday + 1 < days, 1, DAYS_A_WEEK - weekday)
    found: NDArray[np.float64] = np.where(inside, time, (date + step) * DAY) / TICKS_AN_HOUR
    return found


def ended_h(time_h: Any, work_h: Any, hours_per_day: Any, days_per_week: Any) -> NDArray[np.float64]:
    """When ``work_h`` hours of work are done that begin at ``time_h`` or, outside a window, when the next opens [h].

    All arguments broadcast. Without work it is the beginning itself.
    """
    day, days, work = ticks(hours_per_day), np.asarray(days_per_week, np.int64), ticks(work_h)
    begin = opened_h(time_h, hours_per_day, days_per_week)
    total = ticks(worked_h(begin, hours_per_day, days_per_week)) + work
    turn = (total - 1) // day
    end = (turn // days * DAYS_A_WEEK + turn % days) * DAY + total - turn * day
    found: NDArray[np.float64] = np.where(work == 0, begin, end / TICKS_AN_HOUR)
    return found
