"""The loop of `asbuilt.decide.schedule` in plain Python, for a machine without numba and for a few runs: equal numbers.

Same arguments as `asbuilt.decide.schedule_loop.simulate`, whose room for work it leaves alone: it keeps lists of its own. Each
pool has a heap of ready packages; one that its row has no room for is kept aside by pool and row, and the first of them
comes back when it fits. A run of 1,000 packages takes about 6 ms.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from asbuilt.decide.calendar import NEVER, TICKS_AN_HOUR, closed, ended, opened, ticks


@dataclass(slots=True)
class _Site:
    """The site during one run: what is free, what waits for a team (by pool), what waits for room (by pool and row)."""

    scope: list[int]
    row: list[int]
    people: list[int]
    windows: list[tuple[int, int]]  # day, days of each pool
    left: list[int]
    free: list[int]
    room: list[int]
    ready: list[list[int]]
    kept: list[list[list[int]]]
    opens: list[int]
    closes: list[int]
    events: list[tuple[int, int]] = field(default_factory=list)
    woken: set[int] = field(default_factory=set)

    def readmit(self, p: int, r: int) -> None:
        """The first package of the pool that waits for room in the row is ready again when it fits."""
        if self.kept[p][r] and self.room[r] >= self.people[p]:
            heappush(self.ready[p], heappop(self.kept[p][r]))

    def first(self, now: int) -> int:
        """The pool, at work and with a team free, whose first ready package comes first of all; -1: none."""
        best, least = -1, NEVER
        for p, ready in enumerate(self.ready):
            if ready and self.free[p] > 0:
                if now >= self.closes[p]:
                    self.opens[p] = opened(now, *self.windows[p])
                    self.closes[p] = closed(self.opens[p], *self.windows[p])
                if now >= self.opens[p] and ready[0] < least:
                    best, least = p, ready[0]
        return best

    def start_ready(self, now: int, work: list[int], start: list[int], end: list[int]) -> None:
        """Start what can start at ``now``; teams off shift are woken when their window opens."""
        while (p := self.first(now)) >= 0:
            i = heappop(self.ready[p])
            r = self.row[i]
            if self.room[r] < self.people[p]:
                heappush(self.kept[p][r], i)
                continue
            self.free[p] -= 1
            self.room[r] -= self.people[p]
            start[i], end[i] = now, ended(now, work[i], *self.windows[p])
            heappush(self.events, (end[i], i))
            self.readmit(p, r)
        for p, ready in enumerate(self.ready):
            if ready and self.free[p] > 0 and now < self.opens[p] and p not in self.woken:
                self.woken.add(p)
                heappush(self.events, (self.opens[p], 2 * len(self.scope) + p))

    def take_in(self, now: int, hold: list[int], after: list[list[int]]) -> None:
        """All events of the moment ``now``."""
        count = len(self.scope)
        while self.events and self.events[0][0] == now:
            _, what = heappop(self.events)
            if what >= 2 * count:
                self.woken.discard(what - 2 * count)
                continue
            i = what % count
            if what < count:
                self.free[self.scope[i]] += 1
                self.room[self.row[i]] += self.people[self.scope[i]]
                for p in range(len(self.people)):
                    self.readmit(p, self.row[i])
                if hold[i] > 0:
                    heappush(self.events, (now + hold[i], count + i))
                    continue
            for j in after[i]:
                self.left[j] -= 1
                if self.left[j] == 0:
                    heappush(self.ready[self.scope[j]], j)


def simulate(
    work_h: Any, hold_h: Any, scope: Any, row: Any, many: Any, after_start: Any, after: Any, teams: Any, people: Any, day: Any,
    days: Any, row_people: int, cell_start: Any, left: Any, queue: Any, queued: Any, head: Any, pick: Any, free: Any,
    room: Any, *others: Any,
) -> None:  # fmt: skip
    """All runs, one after the other, into the last three arrays: hours of start, end of work, finish [S, T]."""
    start_h, work_end_h, finish_h = others[-3:]
    pools, rows = len(teams), len(room)
    follow = [after[a:b].tolist() for a, b in zip(after_start[:-1].tolist(), after_start[1:].tolist(), strict=True)]
    for s in range(len(work_h)):
        work, hold = ticks(work_h[s]).tolist(), ticks(hold_h[s]).tolist()
        site = _Site(
            scope.tolist(), row.tolist(), people.tolist(), list(zip(day.tolist(), days.tolist(), strict=True)), many.tolist(),
            teams.tolist(), [row_people] * (rows - 1) + [NEVER], [[] for _ in range(pools)],
            [[[] for _ in range(rows)] for _ in range(pools)], [0] * pools, [0] * pools,
        )  # fmt: skip
        for i, before in enumerate(site.left):
            if before == 0:
                heappush(site.ready[site.scope[i]], i)
        start, end, now = [0] * len(work), [0] * len(work), 0
        site.start_ready(now, work, start, end)
        while site.events:
            now = site.events[0][0]
            site.take_in(now, hold, follow)
            site.start_ready(now, work, start, end)
        for i, (a, b) in enumerate(zip(start, end, strict=True)):
            start_h[s, i], work_end_h[s, i], finish_h[s, i] = (
                a / TICKS_AN_HOUR, b / TICKS_AN_HOUR, (b + hold[i]) / TICKS_AN_HOUR,
            )  # fmt: skip
