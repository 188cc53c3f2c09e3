"""The compiled loop of `asbuilt.decide.schedule`: every event once, no look over all packages.

Times are ticks (`asbuilt.decide.calendar`). An event is a number: below T the end of a package's work, from T to 2T the end
of its hold, from 2T on the opening of a pool's window. All events of one moment are taken in before anybody starts.

Each pool has a heap of ready packages. One that its row has no room for goes to the heap of its cell (pool and row); when
room comes free, the first of each cell of that row that now fits goes back. So a package is moved a few times at most.

Arguments besides those of `schedule`, all int64: ``many`` [T] predecessors; ``after_start`` [T+1], ``after``: successors;
``pool_start`` [P+1], ``cell_start`` [P*(R+1)+1]: places of each pool's and cell's heap in ``queue``, ``kept`` [T]; ``day`` [P]
ticks of work a day. Room for work: ``left`` [T]; ``queued``, ``free``, ``opens``, ``closes``, ``woken`` [P]; ``room`` [R+1],
the last for the site; ``waiting`` [P*(R+1)]; ``moment``, ``event`` [T+P+1] the heap of events, ``pending`` [1] its size.
"""

from __future__ import annotations

from typing import Any

from asbuilt.decide.calendar import PARTS as CALENDAR_PARTS
from asbuilt.decide.calendar import TICKS_AN_HOUR, closed, ended, opened

_HOURS_A_TICK = 1.0 / TICKS_AN_HOUR
#: Room at the site, outside the rows: more people than there are.
NO_LIMIT = 1 << 60


def _ticks(hours: float) -> int:
    """As `asbuilt.decide.calendar.ticks`, halves to even: ``round`` of a float does so in Python and in numba."""
    return round(hours * TICKS_AN_HOUR)


def _push(heap: Any, base: int, size: int, item: int) -> None:
    """Put ``item`` into the heap of ``size`` numbers that begins at ``base``."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if heap[base + above] <= item:
            break
        heap[base + at] = heap[base + above]
        at = above
    heap[base + at] = item


def _pop(heap: Any, base: int, size: int) -> int:
    """Take the least number out of a heap of ``size``."""
    least, last, at, child = heap[base], heap[base + size - 1], 0, 1
    size -= 1
    while child < size:
        if child + 1 < size and heap[base + child + 1] < heap[base + child]:
            child += 1
        if heap[base + child] >= last:
            break
        heap[base + at] = heap[base + child]
        at, child = child, 2 * child + 1
    heap[base + at] = last
    return int(least)


def _expect(moment: Any, event: Any, pending: Any, time: int, what: int) -> None:
    """Put an event into the heap of events."""
    at = pending[0]
    pending[0] += 1
    while at > 0:
        above = (at - 1) >> 1
        if moment[above] <= time:
            break
        moment[at], event[at] = moment[above], event[above]
        at = above
    moment[at], event[at] = time, what


def _next(moment: Any, event: Any, pending: Any) -> int:
    """Take the first event out; those of one moment come in any order."""
    what, size = event[0], pending[0] - 1
    pending[0] = size
    last, last_what, at, child = moment[size], event[size], 0, 1
    while child < size:
        if child + 1 < size and moment[child + 1] < moment[child]:
            child += 1
        if moment[child] >= last:
            break
        moment[at], event[at] = moment[child], event[child]
        at, child = child, 2 * child + 1
    moment[at], event[at] = last, last_what
    return int(what)


def _readmit(
    p: int, r: int, rows: int, people: Any, pool_start: Any, cell_start: Any, queue: Any, queued: Any, kept: Any, waiting: Any,
    room: Any,
) -> None:  # fmt: skip
    """The first package of pool ``p`` that waits for room in row ``r``, back among the ready ones when it fits now."""
    c = p * rows + r
    if waiting[c] > 0 and room[r] >= people[p]:
        i = _pop(kept, cell_start[c], waiting[c])
        waiting[c] -= 1
        _push(queue, pool_start[p], queued[p], i)
        queued[p] += 1


def _finish(i: int, scope: Any, after_start: Any, after: Any, pool_start: Any, left: Any, queue: Any, queued: Any) -> None:
    """Package ``i`` is finished: successors without other open predecessors are ready."""
    for k in range(after_start[i], after_start[i + 1]):
        j = after[k]
        left[j] -= 1
        if left[j] == 0:
            _push(queue, pool_start[scope[j]], queued[scope[j]], j)
            queued[scope[j]] += 1


def _take_in(
    now: int, s: int, hold_h: Any, scope: Any, row: Any, people: Any, after_start: Any, after: Any, pool_start: Any,
    cell_start: Any, left: Any, queue: Any, queued: Any, kept: Any, waiting: Any, free: Any, room: Any, woken: Any, moment: Any,
    event: Any, pending: Any,
) -> int:  # fmt: skip
    """All events of the moment ``now``. Returns how many packages finished."""
    count, finished, rows = scope.shape[0], 0, room.shape[0]
    while pending[0] > 0 and moment[0] == now:
        what = _next(moment, event, pending)
        if what >= 2 * count:
            woken[what - 2 * count] = 0
            continue
        i = what if what < count else what - count
        if what < count:
            free[scope[i]] += 1
            room[row[i]] += people[scope[i]]
            for p in range(people.shape[0]):
                _readmit(p, row[i], rows, people, pool_start, cell_start, queue, queued, kept, waiting, room)
            hold = _ticks(hold_h[s, i])
            if hold > 0:
                _expect(moment, event, pending, now + hold, count + i)
                continue
        _finish(i, scope, after_start, after, pool_start, left, queue, queued)
        finished += 1
    return finished


def _first(now: int, pool_start: Any, queue: Any, queued: Any, free: Any, day: Any, days: Any, opens: Any, closes: Any) -> int:
    """The pool, at work and with a team free, whose first ready package comes first of all; -1: none."""
    best, least = -1, 0
    for p in range(queued.shape[0]):
        if queued[p] > 0 and free[p] > 0:
            if now >= closes[p]:
                opens[p] = opened(now, day[p], days[p])
                closes[p] = closed(opens[p], day[p], days[p])
            if now >= opens[p] and (best < 0 or queue[pool_start[p]] < least):
                best, least = p, queue[pool_start[p]]
    return best


def _start_ready(
    now: int, s: int, work_h: Any, hold_h: Any, scope: Any, row: Any, people: Any, day: Any, days: Any, pool_start: Any,
    cell_start: Any, queue: Any, queued: Any, kept: Any, waiting: Any, free: Any, room: Any, opens: Any, closes: Any,
    woken: Any, moment: Any, event: Any, pending: Any, start_h: Any, work_end_h: Any, finish_h: Any,
) -> None:  # fmt: skip
    """Start what can start at ``now``, in the order of the index; teams off shift are woken when their window opens."""
    count, rows = scope.shape[0], room.shape[0]
    p = _first(now, pool_start, queue, queued, free, day, days, opens, closes)
    while p >= 0:
        i = _pop(queue, pool_start[p], queued[p])
        queued[p] -= 1
        r = row[i]
        if room[r] < people[p]:
            c = p * rows + r
            _push(kept, cell_start[c], waiting[c], i)
            waiting[c] += 1
        else:
            free[p] -= 1
            room[r] -= people[p]
            work = _ticks(work_h[s, i])
            end = now + work if now + work <= closes[p] else ended(now, work, day[p], days[p])
            start_h[s, i], work_end_h[s, i] = now * _HOURS_A_TICK, end * _HOURS_A_TICK
            finish_h[s, i] = (end + _ticks(hold_h[s, i])) * _HOURS_A_TICK
            _expect(moment, event, pending, end, i)
            _readmit(p, r, rows, people, pool_start, cell_start, queue, queued, kept, waiting, room)
        p = _first(now, pool_start, queue, queued, free, day, days, opens, closes)
    for q in range(queued.shape[0]):
        if queued[q] > 0 and free[q] > 0 and now < opens[q] and woken[q] == 0:
            woken[q] = 1
            _expect(moment, event, pending, opens[q], 2 * count + q)


def _begin(
    scope: Any, many: Any, teams: Any, pool_start: Any, row_people: int, left: Any, queue: Any, queued: Any, waiting: Any,
    free: Any, room: Any, opens: Any, closes: Any, woken: Any, pending: Any,
) -> None:  # fmt: skip
    """The site on Monday 00:00: all teams free, packages without predecessors ready."""
    for p in range(teams.shape[0]):
        queued[p], free[p], opens[p], closes[p], woken[p] = 0, teams[p], 0, 0, 0
    for r in range(room.shape[0]):
        room[r] = row_people
    room[room.shape[0] - 1] = NO_LIMIT
    for c in range(waiting.shape[0]):
        waiting[c] = 0
    pending[0] = 0
    for i in range(scope.shape[0]):
        left[i] = many[i]
        if many[i] == 0:
            _push(queue, pool_start[scope[i]], queued[scope[i]], i)
            queued[scope[i]] += 1


def simulate(
    work_h: Any, hold_h: Any, scope: Any, row: Any, many: Any, after_start: Any, after: Any, teams: Any, people: Any, day: Any,
    days: Any, row_people: int, pool_start: Any, cell_start: Any, left: Any, queue: Any, queued: Any, kept: Any, waiting: Any,
    free: Any, room: Any, opens: Any, closes: Any, woken: Any, moment: Any, event: Any, pending: Any, start_h: Any,
    work_end_h: Any, finish_h: Any,
) -> None:  # fmt: skip
    """All runs, one after the other, into ``start_h``, ``work_end_h``, ``finish_h`` [S, T]."""
    for s in range(work_h.shape[0]):
        _begin(
            scope, many, teams, pool_start, row_people, left, queue, queued, waiting, free, room, opens, closes, woken, pending
        )  # fmt: skip
        now, finished = 0, 0
        while True:
            _start_ready(
                now, s, work_h, hold_h, scope, row, people, day, days, pool_start, cell_start, queue, queued, kept, waiting,
                free, room, opens, closes, woken, moment, event, pending, start_h, work_end_h, finish_h,
            )  # fmt: skip
            if finished >= scope.shape[0] or pending[0] == 0:
                break
            now = moment[0]
            finished += _take_in(
                now, s, hold_h, scope, row, people, after_start, after, pool_start, cell_start, left, queue, queued, kept,
                waiting, free, room, woken, moment, event, pending,
            )  # fmt: skip


PARTS = (
    *CALENDAR_PARTS, _ticks, _push, _pop, _expect, _next, _readmit, _finish, _take_in, _first, _start_ready, _begin,
)  # fmt: skip
