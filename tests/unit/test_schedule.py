"""The schedule of packages on sites small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from asbuilt.base.kernel import Engine
from asbuilt.decide.schedule import schedule
from deployment_sites import crew, hall, hall_crew, hall_hours, random_site, tasks

DAY_SHIFT = ([8.0], [5])
ROUND_THE_CLOCK = ([24.0], [7])


def planned(
    work: list[float],
    scope: list[int],
    row: list[int],
    preds: list[list[int]],
    staff: dict[str, Any],
    hold: list[float] | None = None,
) -> tuple[list[float], list[float], list[float]]:
    """Start, end of work and finish of one run."""
    found = schedule(np.array([work]), np.array([hold or [0.0] * len(work)]), **tasks(scope, row, preds), **staff)
    return found.start_h[0].tolist(), found.work_end_h[0].tolist(), found.finish_h[0].tolist()


def test_work_pauses_at_night_and_on_the_weekend() -> None:
    """10 h of work on 8 h days end on Tuesday at 02:00 of the shift; 44 h end on the next Monday."""
    assert planned([10.0], [0], [-1], [[]], crew([1], [1], *DAY_SHIFT, 1))[1] == [26.0]
    assert planned([40.0], [0], [-1], [[]], crew([1], [1], *DAY_SHIFT, 1))[1] == [4 * 24 + 8.0]
    assert planned([44.0], [0], [-1], [[]], crew([1], [1], *DAY_SHIFT, 1))[1] == [7 * 24 + 4.0]


def test_a_hold_runs_on_at_night_and_its_successor_waits_for_the_shift() -> None:
    start, end, finish = planned([6.0, 1.0], [0, 0], [-1, -1], [[], [0]], crew([1], [1], *DAY_SHIFT, 1), [5.0, 0.0])
    assert (start, end, finish) == ([0.0, 24.0], [6.0, 25.0], [11.0, 25.0])


def test_during_a_hold_the_team_is_free() -> None:
    start, _, finish = planned([6.0, 1.0], [0, 0], [-1, -1], [[], []], crew([1], [1], *ROUND_THE_CLOCK, 1), [100.0, 0.0])
    assert (start, finish) == ([0.0, 6.0], [106.0, 7.0])


def test_the_first_in_the_order_goes_first() -> None:
    start, _, _ = planned([3.0, 2.0, 2.0], [0] * 3, [-1] * 3, [[], [], []], crew([2], [1], *ROUND_THE_CLOCK, 1))
    assert start == [0.0, 0.0, 2.0]


def test_who_finds_no_room_does_not_hold_up_the_next_row() -> None:
    """Two teams of two people; row 0 has room for three: its second package waits, the one in row 1 does not."""
    start, _, _ = planned([4.0, 4.0, 4.0], [0] * 3, [0, 0, 1], [[], [], []], crew([2], [2], *ROUND_THE_CLOCK, 3))
    assert start == [0.0, 4.0, 0.0]


def test_a_small_team_fits_where_a_larger_one_waits() -> None:
    """Room for four: three and one work; the other three must wait for the first three, though earlier in the order."""
    staff = crew([2, 1], [3, 1], [24.0, 24.0], [7, 7], 4)
    start, _, _ = planned([4.0, 4.0, 9.0], [0, 0, 1], [0, 0, 0], [[], [], []], staff)
    assert start == [0.0, 4.0, 0.0]


def test_a_team_that_is_not_at_work_takes_neither_package_nor_room() -> None:
    """At 20 h the day shift is at home: the other pool gets the room that is free, and keeps it until 30 h."""
    staff = crew([1, 1], [2, 2], [8.0, 24.0], [5, 7], 2)
    start, _, _ = planned([20.0, 1.0, 10.0], [1, 0, 1], [0, 0, 0], [[], [0], [0]], staff)
    assert start == [0.0, 30.0, 20.0]


def test_paused_work_keeps_its_room() -> None:
    """10 h of day work hold the aisle from Monday to Tuesday 02:00 of the shift."""
    staff = crew([1, 1], [2, 2], [8.0, 24.0], [5, 7], 2)
    start, _, _ = planned([10.0, 1.0], [0, 1], [0, 0], [[], []], staff)
    assert start == [0.0, 26.0]


def test_packages_without_work_take_no_time() -> None:
    start, end, finish = planned([0.0, 0.0, 2.0], [0] * 3, [-1] * 3, [[], [0], [1]], crew([1], [1], *ROUND_THE_CLOCK, 1))
    assert (start, end, finish) == ([0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 2.0])


def test_no_packages_and_no_runs() -> None:
    staff = crew([1], [1], *ROUND_THE_CLOCK, 1)
    assert schedule(np.zeros((3, 0)), np.zeros((3, 0)), **tasks([], [], []), **staff).finish_h.shape == (3, 0)
    assert schedule(np.zeros((0, 2)), np.zeros((0, 2)), **tasks([0, 0], [0, 0], [[], []]), **staff).finish_h.shape == (0, 2)


@pytest.mark.parametrize("seed", range(40))
def test_both_engines_agree_to_the_last_bit(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    site, staff, work, hold = random_site(seed)
    found = []
    for mode in ("numpy", "numba"):
        monkeypatch.setattr(Engine, "mode", mode)
        found.append(schedule(work, hold, **site, **staff))
    for plain, compiled in zip(*found, strict=True):
        assert np.array_equal(plain, compiled)


def test_both_engines_agree_on_a_hall(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    site, staff = hall(100), hall_crew(100)
    work, hold = hall_hours(site, 3, 5)
    monkeypatch.setattr(Engine, "mode", "numpy")
    plain = schedule(work, hold, **site, **staff)
    monkeypatch.setattr(Engine, "mode", "numba")
    compiled = schedule(work, hold, **site, **staff)
    assert np.array_equal(plain.finish_h, compiled.finish_h)
    assert not np.isnan(plain.finish_h).any()


def test_runs_do_not_know_each_other() -> None:
    site, staff = hall(20), hall_crew(20)
    work, hold = hall_hours(site, 4, 7)
    together = schedule(work, hold, **site, **staff)
    for s in range(4):
        alone = schedule(work[s : s + 1], hold[s : s + 1], **site, **staff)
        assert np.array_equal(alone.finish_h[0], together.finish_h[s])


# R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969): hours and order of nine packages.
GRAHAM_HOURS = [3.0, 2.0, 2.0, 2.0, 4.0, 4.0, 4.0, 4.0, 9.0]
GRAHAM_ORDER = [[], [], [], [], [3], [3], [3], [3], [0]]


def test_one_team_more_can_end_later() -> None:
    """Graham's example: with the order given, 3 teams end at 12, 4 teams at 15, and 3 teams with shorter packages at 13."""
    for teams, shorter, end in ((3, 0.0, 12.0), (4, 0.0, 15.0), (3, 1.0, 13.0)):
        work = [hours - shorter for hours in GRAHAM_HOURS]
        staff = crew([teams], [1], *ROUND_THE_CLOCK, 1)
        assert max(planned(work, [0] * 9, [-1] * 9, GRAHAM_ORDER, staff)[2]) == end


def test_more_room_can_end_later() -> None:
    """The same nine in one row with teams enough: room for three people ends at 12, for four at 15."""
    for room, end in ((3, 12.0), (4, 15.0)):
        staff = crew([9], [1], *ROUND_THE_CLOCK, room)
        assert max(planned(GRAHAM_HOURS, [0] * 9, [0] * 9, GRAHAM_ORDER, staff)[2]) == end


REFUSED = [
    ({"work_h": [[1.0, -2.0]]}, "hours of work of package 1 in run 0 are -2: hours must be numbers from 0 on; look at the "
     "assumptions that they were multiplied from"),
    ({"hold_h": [[np.nan, 0.0]]}, "hours of hold of package 0 in run 0 are nan: hours must be numbers from 0 on; look at the "
     "assumptions that they were multiplied from"),
    ({"work_h": [[1.0]]}, "hours of work have the shape (1, 1), and those of work (1, 1), for 2 packages: both must be runs x "
     "packages"),
    ({"scope": [0, 3]}, "a package is of a scope outside 0 to 0, or of a row below -1 (the site): there is no such pool or "
     "aisle; look at the tasks of the plan"),
    ({"row": [0]}, "2 packages have 1 rows, 2 lists of predecessors, and in all 1 predecessors of 1 announced: each package "
     "needs one row and one list"),
    ({"pred": [1]}, "package 1 waits for package 1: a predecessor must have a smaller index, or the order may be a circle; put "
     "the packages in building order"),
    ({"people": [1, 1]}, "there are 1 numbers of teams, 2 of people, 1 of hours and 1 of days: each pool needs one of each"),
    ({"teams": [0]}, "pool 0 has 0 teams of 1 people and packages to do: nobody would ever do them; give it a team of one at "
     "least"),
    ({"hours_per_day": [25.0]}, "pool 0 works 25 h a day on 5 days a week: it must be more than 0 and up to 24 h, "
     "on 1 to 7 days"),
    ({"row_people": 0}, "a team of pool 0 is 1 people and a row has room for 0: it could never start; make the team smaller or "
     "the room larger"),
    ({"work_h": [[1.0, 1e12]]}, "packages of up to 1e+12 h of work and 0 h of hold, 2 of them, could last longer than the "
     "2.14748e+09 h that can be counted: look at the units of the assumptions that they come from"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "text"), REFUSED, ids=[f"{next(iter(c))}-{i}" for i, (c, _) in enumerate(REFUSED)])
def test_what_cannot_be_simulated_is_refused(change: dict[str, Any], text: str) -> None:
    asked: dict[str, Any] = {
        "work_h": [[1.0, 1.0]], "hold_h": [[0.0, 0.0]], **tasks([0, 0], [0, 0], [[], [0]]), **crew([1], [1], [8.0], [5], 1),
    }  # fmt: skip
    with pytest.raises(ValueError) as refused:
        schedule(**{**asked, **change})
    assert str(refused.value) == text
