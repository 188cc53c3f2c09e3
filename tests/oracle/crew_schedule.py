"""Sites of work packages simulated by SimPy, for comparison. Run by .venv-oracle's Python: JSON on stdin and stdout.

A site: ``scope row preds teams people hours days row_people work hold`` (lists), ``work`` and ``hold`` runs x packages. It
shares no code with the product: a process for each package, containers for teams and rooms, a clock for each pool's shift,
and a dispatcher that looks at the waiting packages after everything else of a moment has happened.
"""

from __future__ import annotations

import json
import sys
from bisect import insort
from typing import Any, Iterator

import simpy

_AFTER_ALL_ELSE = 10  # SimPy's own priorities are 0 and 1


class Site:
    """One run of one site."""

    def __init__(self, site: dict[str, Any], work: list[float], hold: list[float]) -> None:
        self.site, self.work, self.hold = site, work, hold
        self.env = simpy.Environment()
        self.teams = [simpy.Container(self.env, n, n) for n in site["teams"]]
        rows = max(site["row"], default=-1) + 1
        self.room = [simpy.Container(self.env, site["row_people"], site["row_people"]) for _ in range(rows)]
        self.waiting: list[tuple[int, simpy.Event]] = []
        self.called = False
        count = len(site["scope"])
        self.start, self.end, self.finish = [-1.0] * count, [-1.0] * count, [-1.0] * count
        self.done = [self.env.event() for _ in range(count)]
        for i in range(count):
            self.env.process(self.package(i))
        for p in set(site["scope"]):
            self.env.process(self.clock(p))

    def at_work(self, p: int) -> bool:
        day, hour = divmod(self.env.now, 24.0)
        return day % 7 < self.site["days"][p] and hour < self.site["hours"][p]

    def clock(self, p: int) -> Iterator[simpy.Event]:
        """Calls the dispatcher whenever a shift of the pool begins."""
        while True:
            yield self.env.timeout(24.0)
            if self.at_work(p):
                self.call()

    def call(self) -> None:
        """Let the dispatcher look once this moment is over."""
        if self.called:
            return
        self.called = True
        look = self.env.event()
        look._ok, look._value = True, None
        assert look.callbacks is not None
        look.callbacks.append(self.dispatch)
        self.env.schedule(look, priority=_AFTER_ALL_ELSE)

    def dispatch(self, _: simpy.Event) -> None:
        self.called = False
        left = []
        for i, go in self.waiting:
            p, r = self.site["scope"][i], self.site["row"][i]
            people = self.site["people"][p]
            if self.at_work(p) and self.teams[p].level >= 1 and (r < 0 or self.room[r].level >= people):
                self.teams[p].get(1)
                if r >= 0:
                    self.room[r].get(people)
                go.succeed()
            else:
                left.append((i, go))
        self.waiting = left

    def package(self, i: int) -> Iterator[simpy.Event]:
        p, r = self.site["scope"][i], self.site["row"][i]
        yield self.env.all_of([self.done[j] for j in self.site["preds"][i]])
        go = self.env.event()
        insort(self.waiting, (i, go), key=lambda entry: entry[0])
        self.call()
        yield go
        self.start[i] = self.env.now
        left = self.work[i]
        while left > 0:
            if not self.at_work(p):
                day = self.env.now // 24.0
                yield self.env.timeout((day + 1) * 24.0 - self.env.now)
                continue
            spell = min(left, self.site["hours"][p] - self.env.now % 24.0)
            yield self.env.timeout(spell)
            left -= spell
        self.end[i] = self.env.now
        self.teams[p].put(1)
        if r >= 0:
            self.room[r].put(self.site["people"][p])
        self.call()
        if self.hold[i] > 0:
            yield self.env.timeout(self.hold[i])
        self.finish[i] = self.env.now
        self.done[i].succeed()


def simulated(site: dict[str, Any]) -> list[list[list[float]]]:
    """Start, end of work and finish of every package of every run."""
    out = []
    for work, hold in zip(site["work"], site["hold"], strict=True):
        run = Site(site, work, hold)
        run.env.run(until=run.env.all_of(run.done))
        out.append([run.start, run.end, run.finish])
    return out


if __name__ == "__main__":
    json.dump([simulated(site) for site in json.load(sys.stdin)], sys.stdout)
