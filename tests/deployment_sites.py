"""Sites of work packages for tests and benches of the schedule: small random ones, and a hall of liquid-cooled racks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

GRID = 1 << 30
RACKS_A_ROW = 8
STAGING, POWER, LIQUID, FIBRE, BRINGUP, ACCEPTANCE = range(6)


def crew(teams: Any, people: Any, hours_per_day: Any, days_per_week: Any, row_people: int) -> dict[str, Any]:
    """The crew arguments of `asbuilt.decide.schedule.schedule`."""
    return {
        "teams": np.asarray(teams, np.int64), "people": np.asarray(people, np.int64),
        "hours_per_day": np.asarray(hours_per_day, float), "days_per_week": np.asarray(days_per_week, np.int64),
        "row_people": row_people,
    }  # fmt: skip


def tasks(scope: list[int], row: list[int], preds: list[list[int]]) -> dict[str, Any]:
    """The task arguments of `schedule` from lists of predecessors."""
    return {
        "scope": np.array(scope, np.int64), "row": np.array(row, np.int64),
        "pred_start": np.cumsum([0, *(len(p) for p in preds)], dtype=np.int64),
        "pred": np.array([i for p in preds for i in p], np.int64),
    }  # fmt: skip


def as_site(site: dict[str, Any], staff: dict[str, Any], work: Any, hold: Any) -> dict[str, Any]:
    """The lists of a site from the arguments of the product's `schedule`."""
    bounds = site["pred_start"].tolist()
    preds = [site["pred"][a:b].tolist() for a, b in itertools.pairwise(bounds)]
    return {
        "scope": site["scope"].tolist(), "row": site["row"].tolist(), "preds": preds, "teams": staff["teams"].tolist(),
        "people": staff["people"].tolist(), "hours": staff["hours_per_day"].tolist(), "days": staff["days_per_week"].tolist(),
        "row_people": staff["row_people"], "work": work.tolist(), "hold": hold.tolist(),
    }  # fmt: skip


def random_site(seed: int) -> tuple[dict[str, Any], dict[str, Any], Any, Any]:
    """Tasks, crew, work and hold hours [1, T] of up to 40 packages; in one site of three whole hours, so that events meet."""
    draw = np.random.default_rng(seed)
    count, pools, rows = int(draw.integers(1, 41)), int(draw.integers(1, 5)), int(draw.integers(1, 5))
    preds = [
        sorted(set(draw.integers(0, i, int(draw.integers(0, 3))).tolist())) if i else [] for i in range(count)
    ]  # fmt: skip
    site = tasks(draw.integers(0, pools, count).tolist(), draw.integers(-1, rows, count).tolist(), preds)
    people = draw.integers(1, 4, pools)
    hours = draw.choice([4.0, 7.5, 8.0, 12.0, 16.0, 24.0], pools)
    staff = crew(draw.integers(1, 4, pools), people, hours, draw.integers(1, 8, pools), int(people.max() + draw.integers(0, 4)))
    work, hold = draw.gamma(2.0, 4.0, (1, count)), draw.gamma(1.0, 6.0, (1, count)) * (draw.random((1, count)) < 0.3)
    if seed % 3 == 0:
        work, hold = np.floor(work), np.floor(hold)
    return site, staff, np.rint(work * GRID) / GRID, np.rint(hold * GRID) / GRID


def hall(racks: int) -> dict[str, Any]:
    """Tasks of a hall: rows of eight racks; per rack staging, power, liquid, fibre, bring-up; gates and tests per row."""
    scope: list[int] = []
    row: list[int] = []
    preds: list[list[int]] = []

    def put(of: int, r: int, before: list[int]) -> int:
        scope.append(of)
        row.append(r)
        preds.append(before)
        return len(scope) - 1

    rows = [range(a, min(a + RACKS_A_ROW, racks)) for a in range(0, racks, RACKS_A_ROW)]
    collectives, fabric = [], -1
    for r, of in enumerate(rows):
        header, trunks = put(LIQUID, r, []), put(FIBRE, r, [])
        staged = [put(STAGING, r, []) for _ in of]
        power = [put(POWER, r, [i]) for i in staged]
        liquid = [put(LIQUID, r, [i, header]) for i in staged]
        fibre = [put(FIBRE, r, [i, trunks]) for i in staged]
        gates = [put(POWER, r, power), put(LIQUID, r, liquid)]
        up = [put(BRINGUP, r, [i, *gates]) for i in fibre]
        fabric = put(ACCEPTANCE, r, [*up, *([fabric] if fabric >= 0 else [])])
        collectives.append(put(ACCEPTANCE, r, [fabric]))
    site = put(ACCEPTANCE, -1, collectives)
    put(ACCEPTANCE, -1, [site])
    put(ACCEPTANCE, -1, [site])
    return tasks(scope, row, preds)


def hall_crew(racks: int) -> dict[str, Any]:
    """Own electricians by day, the others in two shifts of 12 h; more teams for more racks; six people in a row."""
    more = max(1, racks // 50)
    return crew(
        [2 * more, more, 2 * more, 3 * more, more, 1], [2, 2, 2, 2, 1, 2], [24, 8, 24, 24, 12, 8], [7, 5, 7, 7, 6, 5], 6
    )


def hall_hours(site: dict[str, Any], runs: int, seed: int) -> tuple[Any, Any]:
    """Random hours of work (about a shift a package) and holds (a gate or acceptance of two) [runs, T]."""
    draw = np.random.default_rng(seed)
    scope = site["scope"]
    mean = np.array([5.0, 4.0, 6.0, 9.0, 7.0, 12.0])[scope]
    work = mean * draw.triangular(0.8, 1.0, 1.6, (runs, len(scope)))
    rests = np.array([0.0, 0.0, 0.0, 0.0, 24.0, 8.0])[scope]
    hold = rests * draw.uniform(0.8, 1.2, (runs, len(scope)))
    return np.rint(work * GRID) / GRID, np.rint(hold * GRID) / GRID
