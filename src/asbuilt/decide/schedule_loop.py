"""The compiled loop of `asbuilt.decide.schedule`: every event once, no look over all packages.

Times are ticks (`asbuilt.decide.calendar`). An event is a number: below T the end of a package's work, from T to 2T the end
of its hold, from 2T on the opening of a pool's window. All events of one moment are taken in before anybody starts.

A cell is a pool in a row, number ``pool * (R+1) + row``; row R is the site. Each cell has a heap of its ready packages.
``pick`` holds for each pool the first ready package that its row has room for: one look over the rows when a package
starts, and one over the pools when a team leaves a row.

Arguments besides those of `schedule`, all int64: ``row`` with R for the site; ``many`` [T] predecessors; ``after_start``
[T+1], ``after``: successors; ``day`` [P] ticks of work a day; ``cell_start`` [cells+1]: places of each cell's heap in
``queue`` [T]. Room for work: ``left`` [T] open predecessors; ``queued``, ``head`` [cells] size and first of each heap (T when
empty); ``pick``, ``free``, ``opens``, ``closes``, ``woken`` [P]; ``room`` [R+1]; ``moment``, ``event`` [T+P+1] the heap of
events, ``pending`` [1] its size.
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


def _scan(p: int, rows: int, none: int, people: Any, head: Any, room: Any) -> int:
    """The first ready package of pool ``p`` that its row has room for; ``none`` when there is none."""
    first, needs, base = none, people[p], p * rows
    for r in range(rows):
        if room[r] >= needs and head[base + r] < first:
            first = head[base + r]
    return int(first)


def _ready(
    j: int, scope: Any, row: Any, people: Any, cell_start: Any, queue: Any, queued: Any, head: Any, pick: Any, room: Any
) -> None:
    """Package ``j`` is ready."""
    p, r = scope[j], row[j]
    c = p * room.shape[0] + r
    _push(queue, cell_start[c], queued[c], j)
    queued[c] += 1
    if j < head[c]:
        head[c] = j
    if j < pick[p] and room[r] >= people[p]:
        pick[p] = j


def _release(i: int, scope: Any, row: Any, people: Any, head: Any, pick: Any, free: Any, room: Any) -> None:
    """The team of package ``i`` is free, and leaves its row."""
    p, r, rows = scope[i], row[i], room.shape[0]
    free[p] += 1
    room[r] += people[p]
    for q in range(people.shape[0]):
        if head[q * rows + r] < pick[q] and room[r] >= people[q]:
            pick[q] = head[q * rows + r]


def _take(
    i: int,
    scope: Any,
    row: Any,
    people: Any,
    cell_start: Any,
    queue: Any,
    queued: Any,
    head: Any,
    pick: Any,
    free: Any,
    room: Any,
) -> None:
    """Package ``i``, the first of its cell, gets a team and room."""
    p, r, rows, none = scope[i], row[i], room.shape[0], scope.shape[0]
    c = p * rows + r
    _pop(queue, cell_start[c], queued[c])
    queued[c] -= 1
    head[c] = queue[cell_start[c]] if queued[c] > 0 else none
    free[p] -= 1
    room[r] -= people[p]
    for q in range(people.shape[0]):
        if q == p or (pick[q] < none and row[pick[q]] == r and room[r] < people[q]):
            pick[q] = _scan(q, rows, none, people, head, room)


def _take_in(
    now: int, s: int, hold_h: Any, scope: Any, row: Any, people: Any, after_start: Any, after: Any, cell_start: Any, left: Any,
    queue: Any, queued: Any, head: Any, pick: Any, free: Any, room: Any, woken: Any, moment: Any, event: Any, pending: Any,
) -> int:  # fmt: skip
    """All events of the moment ``now``. Returns how many packages finished."""
    count, finished = scope.shape[0], 0
    while pending[0] > 0 and moment[0] == now:
        what = _next(moment, event, pending)
        if what >= 2 * count:
            woken[what - 2 * count] = 0
            continue
        i = what if what < count else what - count
        if what < count:
            _release(i, scope, row, people, head, pick, free, room)
            hold = _ticks(hold_h[s, i])
            if hold > 0:
                _expect(moment, event, pending, now + hold, count + i)
                continue
        finished += 1
        for k in range(after_start[i], after_start[i + 1]):
            j = after[k]
            left[j] -= 1
            if left[j] == 0:
                _ready(j, scope, row, people, cell_start, queue, queued, head, pick, room)
    return finished


def _first(
    now: int, count: int, pick: Any, free: Any, day: Any, days: Any, opens: Any, closes: Any, woken: Any, moment: Any,
    event: Any, pending: Any,
) -> int:  # fmt: skip
    """The first package that can start: its pool at work with a team free, its row with room; ``count`` when there is none.

    Pools that lack nothing but their shift are woken when it begins.
    """
    first = count
    for p in range(pick.shape[0]):
        if pick[p] < first and free[p] > 0:
            if now >= closes[p]:
                opens[p] = opened(now, day[p], days[p])
                closes[p] = closed(opens[p], day[p], days[p])
            if now >= opens[p]:
                first = pick[p]
            elif woken[p] == 0:
                woken[p] = 1
                _expect(moment, event, pending, opens[p], 2 * count + p)
    return int(first)


def _start_ready(
    now: int, s: int, work_h: Any, hold_h: Any, scope: Any, row: Any, people: Any, day: Any, days: Any, cell_start: Any,
    queue: Any, queued: Any, head: Any, pick: Any, free: Any, room: Any, opens: Any, closes: Any, woken: Any, moment: Any,
    event: Any, pending: Any, start_h: Any, work_end_h: Any, finish_h: Any,
) -> None:  # fmt: skip
    """Start what can start at ``now``, in the order of the index."""
    count = scope.shape[0]
    i = _first(now, count, pick, free, day, days, opens, closes, woken, moment, event, pending)
    while i < count:
        _take(i, scope, row, people, cell_start, queue, queued, head, pick, free, room)
        p, work = scope[i], _ticks(work_h[s, i])
        end = now + work if now + work <= closes[p] else ended(now, work, day[p], days[p])
        start_h[s, i], work_end_h[s, i] = now * _HOURS_A_TICK, end * _HOURS_A_TICK
        finish_h[s, i] = (end + _ticks(hold_h[s, i])) * _HOURS_A_TICK
        _expect(moment, event, pending, end, i)
        i = _first(now, count, pick, free, day, days, opens, closes, woken, moment, event, pending)


def _begin(
    scope: Any, row: Any, many: Any, teams: Any, people: Any, cell_start: Any, row_people: int, left: Any, queue: Any,
    queued: Any, head: Any, pick: Any, free: Any, room: Any, opens: Any, closes: Any, woken: Any, pending: Any,
) -> None:  # fmt: skip
    """The site on Monday 00:00: all teams free, packages without predecessors ready."""
    count = scope.shape[0]
    for p in range(teams.shape[0]):
        pick[p], free[p], opens[p], closes[p], woken[p] = count, teams[p], 0, 0, 0
    for r in range(room.shape[0]):
        room[r] = row_people
    room[room.shape[0] - 1] = NO_LIMIT
    for c in range(queued.shape[0]):
        queued[c], head[c] = 0, count
    pending[0] = 0
    for i in range(count):
        left[i] = many[i]
        if many[i] == 0:
            _ready(i, scope, row, people, cell_start, queue, queued, head, pick, room)


def simulate(
    work_h: Any, hold_h: Any, scope: Any, row: Any, many: Any, after_start: Any, after: Any, teams: Any, people: Any, day: Any,
    days: Any, row_people: int, cell_start: Any, left: Any, queue: Any, queued: Any, head: Any, pick: Any, free: Any,
    room: Any, opens: Any, closes: Any, woken: Any, moment: Any, event: Any, pending: Any, start_h: Any, work_end_h: Any,
    finish_h: Any,
) -> None:  # fmt: skip
    """All runs, one after the other, into ``start_h``, ``work_end_h``, ``finish_h`` [S, T]."""
    for s in range(work_h.shape[0]):
        _begin(
            scope, row, many, teams, people, cell_start, row_people, left, queue, queued, head, pick, free, room, opens, closes,
            woken, pending,
        )  # fmt: skip
        now, finished = 0, 0
        while True:
            _start_ready(
                now, s, work_h, hold_h, scope, row, people, day, days, cell_start, queue, queued, head, pick, free, room, opens,
                closes, woken, moment, event, pending, start_h, work_end_h, finish_h,
            )  # fmt: skip
            if finished >= scope.shape[0] or pending[0] == 0:
                break
            now = moment[0]
            finished += _take_in(
                now, s, hold_h, scope, row, people, after_start, after, cell_start, left, queue, queued, head, pick, free, room,
                woken, moment, event, pending,
            )  # fmt: skip


PARTS = (
    *CALENDAR_PARTS, _ticks, _push, _pop, _expect, _next, _scan, _ready, _release, _take, _take_in, _first, _start_ready,
    _begin,
)  # fmt: skip
