"""Working windows: the closed forms for every calendar and time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asbuilt.decide import calendar as at

TICK = st.integers(0, 60 * 7 * at.DAY)
LONG = st.one_of(st.sampled_from([at.DAY, at.DAY // 2, at.DAY // 3]), st.integers(at.TICKS_AN_HOUR, at.DAY))
DAYS = st.integers(1, at.DAYS_A_WEEK)


@given(TICK, LONG, DAYS)
def test_to_add_nothing_at_work_is_to_stay(time: int, day: int, days: int) -> None:
    assert at.ended(at.opened(time, day, days), 0, day, days) == at.opened(time, day, days)


@given(TICK, LONG, DAYS)
def test_the_next_window_is_the_next(time: int, day: int, days: int) -> None:
    """Opening again changes nothing, and no work is done on the way."""
    found = at.opened(time, day, days)
    assert found >= time
    assert at.opened(found, day, days) == found
    assert at.worked(found, day, days) == at.worked(time, day, days)
    assert at.worked(found + 1, day, days) == at.worked(found, day, days) + 1


@given(TICK, LONG, DAYS)
def test_a_window_lasts_until_it_closes(time: int, day: int, days: int) -> None:
    begin = at.opened(time, day, days)
    end = min(at.closed(begin, day, days), begin + 8 * at.DAY)
    assert at.worked(end, day, days) - at.worked(begin, day, days) == end - begin
    if end == at.closed(begin, day, days):
        assert at.opened(end, day, days) > end


@given(st.integers(1, 50 * 7 * at.DAY), LONG, DAYS)
def test_reached_is_the_inverse(work: int, day: int, days: int) -> None:
    """The earliest: one tick before it is not done."""
    end = at.reached(work, day, days)
    assert at.worked(end, day, days) == work
    assert at.worked(end - 1, day, days) == work - 1


@given(TICK, TICK, TICK, LONG, DAYS)
def test_later_begun_or_more_to_do_ends_later(time: int, more: int, work: int, day: int, days: int) -> None:
    begin = at.opened(time, day, days)
    end = at.ended(begin, work, day, days)
    assert at.ended(begin, work + more, day, days) >= end
    assert at.ended(at.opened(begin + more, day, days), work, day, days) >= end


@given(TICK, st.integers(1, 7 * at.DAY), st.integers(1, 7 * at.DAY), LONG, DAYS)
def test_work_in_two_parts_is_the_same_work(time: int, first: int, second: int, day: int, days: int) -> None:
    begin = at.opened(time, day, days)
    middle = at.opened(at.ended(begin, first, day, days), day, days)
    assert at.ended(middle, second, day, days) == at.ended(begin, first + second, day, days)


@given(TICK, TICK)
def test_day_and_night_is_plain_addition(time: int, work: int) -> None:
    assert at.opened(time, at.DAY, 7) == time
    assert at.ended(time, work, at.DAY, 7) == time + work
    assert at.worked(time, at.DAY, 7) == time
    assert at.closed(time, at.DAY, 7) == at.NEVER


@given(st.lists(st.tuples(TICK, TICK, LONG, DAYS), min_size=1, max_size=20))
def test_arrays_of_hours_say_what_the_parts_say(rows: list[tuple[int, int, int, int]]) -> None:
    time, work, day, days = (np.array(column) for column in zip(*rows, strict=True))
    hours = [column / at.TICKS_AN_HOUR for column in (time, work, day)]
    opened = [at.opened(t, d, n) for t, _, d, n in rows]
    assert at.ticks(at.opened_h(hours[0], hours[2], days)).tolist() == opened
    assert at.ticks(at.worked_h(hours[0], hours[2], days)).tolist() == [at.worked(t, d, n) for t, _, d, n in rows]
    expected = [at.ended(o, w, d, n) for o, (_, w, d, n) in zip(opened, rows, strict=True)]
    assert at.ticks(at.ended_h(*hours, days)).tolist() == expected


@pytest.mark.parametrize(
    ("time_h", "work_h", "hours", "days", "end_h"),
    [
        (0.0, 8.0, 8.0, 5, 8.0),  # to the minute: the end of the shift, not the next morning
        (0.0, 8.5, 8.0, 5, 24.5),
        (96.0, 9.0, 8.0, 5, 169.0),  # Friday into Monday
        (130.0, 1.0, 8.0, 5, 169.0),  # begun on Saturday: Monday
        (7.0, 1.0, 24.0, 7, 8.0),
        (119.0, 2.0, 24.0, 5, 169.0),  # day and night from Monday to Friday
    ],
)  # fmt: skip
def test_by_hand(time_h: float, work_h: float, hours: float, days: int, end_h: float) -> None:
    assert at.ended_h(time_h, work_h, hours, days) == end_h
