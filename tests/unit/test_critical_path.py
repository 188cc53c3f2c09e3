"""Critical paths against textbook networks, and the chain of waits on sites worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.decide.critical_path import REASONS, Run, chain, critical_path
from asbuilt.decide.schedule import schedule
from deployment_sites import crew, hall, hall_crew, hall_hours, tasks


def links(work: list[float], scope: list[int], row: list[int], preds: list[list[int]], staff: dict[str, Any]) -> list[Any]:
    site = tasks(scope, row, preds)
    times = schedule(np.array([work]), np.zeros((1, len(work))), **site, **staff)
    found = chain(Run(times.start_h[0], times.work_end_h[0], times.finish_h[0], **site, **staff))
    return [(link.package, link.reason, link.off_shift_h) for link in found]


def test_forward_and_backward_pass() -> None:
    """A 3, B 4 after A, C 2 after A, D 5 after B, E 1 after C and D with a hold of 2: the path is A, B, D, E."""
    site = tasks([0] * 5, [-1] * 5, [[], [0], [0], [1], [2, 3]])
    path = critical_path([3.0, 4.0, 2.0, 5.0, 1.0], [0.0, 0.0, 0.0, 0.0, 2.0], site["pred_start"], site["pred"])
    assert path.early_start_h.tolist() == [0, 3, 3, 7, 12]
    assert path.early_finish_h.tolist() == [3, 7, 5, 12, 15]
    assert path.late_start_h.tolist() == [0, 3, 10, 7, 12]
    assert path.late_finish_h.tolist() == [3, 7, 12, 12, 15]
    assert path.float_h.tolist() == [0, 0, 7, 0, 0]
    assert path.length_h == 15


def test_pert_of_a_chain() -> None:
    """Triangular hours on a chain without limits: mean and variance of the end are the sums of those of the packages."""
    low, likely, high, count, runs = 0.8, 1.0, 1.6, 12, 20_000
    work = 10.0 * np.random.default_rng(3).triangular(low, likely, high, (runs, count))
    site = tasks([0] * count, [-1] * count, [[i - 1] if i else [] for i in range(count)])
    end = schedule(work, work * 0, **site, **crew([1], [1], [24.0], [7], 1)).finish_h[:, -1]
    mean = count * 10.0 * (low + likely + high) / 3
    variance = count * 100.0 * (low**2 + likely**2 + high**2 - low * likely - low * high - likely * high) / 18
    assert abs(end.mean() - mean) < 3 * np.sqrt(variance / runs)
    assert abs(end.var() - variance) < 3 * variance * np.sqrt(2 / runs)


def test_of_nothing() -> None:
    empty = np.zeros(0)
    site = tasks([], [], [])
    assert critical_path(empty, empty, site["pred_start"], site["pred"]).length_h == 0
    assert chain(Run(empty, empty, empty, **site, **crew([1], [1], [24.0], [7], 1))) == ()


def test_a_package_waits_for_its_predecessor_a_team_and_room() -> None:
    day_and_night = crew([1, 3], [1, 2], [24.0, 24.0], [7, 7], 2)
    assert links([3.0, 2.0], [0, 1], [-1, -1], [[], [0]], day_and_night) == [(0, "begin", 0.0), (1, "order", 0.0)]
    assert links([3.0, 2.0], [0, 0], [-1, -1], [[], []], day_and_night) == [(0, "begin", 0.0), (1, "team", 0.0)]
    assert links([3.0, 2.0], [1, 1], [0, 0], [[], []], day_and_night) == [(0, "begin", 0.0), (1, "room", 0.0)]


def test_a_night_between_is_told() -> None:
    """The first team ends at 10 h, two hours after the day shift went home: it starts 14 h later."""
    staff = crew([1, 1], [1, 1], [24.0, 8.0], [7, 5], 1)
    assert links([10.0, 2.0], [0, 1], [-1, -1], [[], [0]], staff) == [(0, "begin", 0.0), (1, "order", 14.0)]


def test_room_that_comes_free_at_night_is_what_the_day_shift_waited_for() -> None:
    """Ready at 5 h already, room from 10 h on, at work from 24 h on: the room was the last to come."""
    staff = crew([2, 1], [1, 1], [24.0, 8.0], [7, 5], 1)
    assert links([5.0, 10.0, 2.0], [0, 0, 1], [-1, 0, 0], [[], [], [0]], staff) == [(1, "begin", 0.0), (2, "room", 14.0)]


def test_a_hall_hangs_on_a_chain_without_gaps() -> None:
    site, staff = hall(24), hall_crew(24)
    work, hold = hall_hours(site, 1, 9)
    times = schedule(work, hold, **site, **staff)
    found = chain(Run(times.start_h[0], times.work_end_h[0], times.finish_h[0], **site, **staff))
    assert {link.reason for link in found} <= set(REASONS)
    assert found[-1].package == int(np.argmax(times.finish_h[0]))
    assert len(found) > 10
