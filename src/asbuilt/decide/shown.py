"""One run day by day: the packages of each row as bars, the critical chain among them."""

from __future__ import annotations

import numpy as np

from asbuilt.decide.schedule import Times
from asbuilt.decide.tasks import Tasks
from asbuilt.model.decision import Bar

_DAY_H = 24.0


def bars(times: Times, run: int, tasks: Tasks, critical: np.ndarray) -> tuple[Bar, ...]:
    """One bar for each kind of package in each row: from the first start to the last finish, holds included."""
    on_chain = np.zeros(len(tasks.package), bool)
    on_chain[critical] = True
    start, finish = times.start_h[run], times.finish_h[run]
    made = []
    words = np.array(tasks.package)
    for row in range(-1, len(tasks.rows)):
        inside = tasks.row == row
        for package in dict.fromkeys(words[inside].tolist()):
            mine = np.flatnonzero(inside & (words == package))
            made.append(
                Bar(
                    package,
                    package.partition("/")[0],
                    tasks.rows[row] if row >= 0 else "",
                    float(start[mine].min() / _DAY_H),
                    float(finish[mine].max() / _DAY_H),
                    bool(on_chain[mine].any()),
                )
            )
    return tuple(sorted(made, key=lambda bar: (bar.start_d, bar.end_d, bar.package)))
