"""Values drawn for deployments: pseudo-counts of rates, triangles, streams by id."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from asbuilt.decide.rates import PseudoCounts, drawn, fixed, pseudo_counts, rate_id, triangle
from asbuilt.workflow.assumptions import defaults
from fault_site import assumed, assumptions, rate

DIRTY = rate("fault.connector_dirty.rate", 0.0053, 0.03, 0.071)
MINUTES = assumed("work.trunk_pull.minutes", 10.0, 20.0, 60.0, unit="min")


def test_counts_keep_the_mean_and_the_ratio() -> None:
    counts = pseudo_counts(DIRTY)
    assert counts is not None
    low, high = counts.spread
    assert counts.mean == pytest.approx(0.03, rel=1e-12)
    assert high / low == pytest.approx(0.071 / 0.0053, rel=1e-6)
    assert (low, high) == pytest.approx((0.0053, 0.071), rel=0.01), "these three values are nearly a gamma distribution's"


def test_counts_that_the_input_carries_are_taken() -> None:
    assert pseudo_counts(replace(DIRTY, faults=3.0, operations=100.0)) == PseudoCounts(3.0, pytest.approx(100.0))
    rounded = pseudo_counts(replace(DIRTY, faults=3.0, operations=99.0))
    assert rounded is not None and rounded.mean == pytest.approx(0.03), "likely is the mean, whatever was rounded"


def test_a_rate_without_a_spread_is_a_constant() -> None:
    for value in (0.0, 0.02):
        certain = rate("fault.fitting_leak.rate", value, value, value)
        assert pseudo_counts(certain) is None
        made = drawn(assumptions(certain), [certain.id], np.random.default_rng(1), 5)
        assert made[certain.id].tolist() == [value] * 5


#: Changes of a rate that make it none, and what is said after its id.
WRONG = {
    "order": ({"low": 0.5}, "low, likely and high must be in this order; they are 0.5, 0.03, 0.071"),
    "nan": ({"low": math.nan}, "a fault rate is a number from 0 on; low, likely, high are nan, 0.03, 0.071"),
    "negative": ({"low": -0.1}, "a fault rate is a number from 0 on; low, likely, high are -0.1, 0.03, 0.071"),
    "zero-low": (
        {"low": 0.0},
        "low is the 5 % point of a rate and above zero where the rate has a spread; low, likely, high are 0, 0.03, 0.071. "
        "State a small low, or the same value three times",
    ),
    "zero-faults": ({"faults": 0.0}, "a spread needs faults above zero; 0 were given for 0.03"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_rate_that_is_none_is_refused(case: str) -> None:
    change, words = WRONG[case]
    with pytest.raises(ValueError) as caught:
        pseudo_counts(replace(DIRTY, **change))
    assert str(caught.value) == f"fault.connector_dirty.rate: {words}"


def test_a_triangle_has_its_ends_its_mode_and_its_mean() -> None:
    assert triangle(1.0, 2.0, 5.0, np.array([0.0, 0.25, 1.0])) == pytest.approx([1.0, 2.0, 5.0])
    assert triangle(1.0, 1.0, 5.0, np.array([0.0, 1.0])) == pytest.approx([1.0, 5.0])
    assert triangle(1.0, 5.0, 5.0, np.array([0.0, 1.0])) == pytest.approx([1.0, 5.0])
    assert triangle(3.0, 3.0, 3.0, np.array([0.2, 0.9])).tolist() == [3.0, 3.0]
    n = 100_000
    made = triangle(10.0, 20.0, 60.0, np.random.default_rng(5).random(n))
    variance = (10.0**2 + 20.0**2 + 60.0**2 - 10.0 * 20.0 - 10.0 * 60.0 - 20.0 * 60.0) / 18.0
    assert abs(made.mean() - 30.0) < 3.0 * math.sqrt(variance / n)
    assert made.var() == pytest.approx(variance, rel=0.02)


def test_a_triangle_out_of_order_is_refused_with_its_id() -> None:
    wrong = replace(MINUTES, low=70.0)
    with pytest.raises(ValueError) as caught:
        drawn(assumptions(wrong), [wrong.id], np.random.default_rng(1), 3)
    assert (
        str(caught.value) == "work.trunk_pull.minutes: low, likely and high must be numbers in this order; they are 70, 20, 60"
    )


def test_drawn_rates_have_their_mean_and_their_points() -> None:
    n = 100_000
    made = drawn(assumptions(DIRTY), [DIRTY.id], np.random.default_rng(2), n)[DIRTY.id]
    counts = pseudo_counts(DIRTY)
    assert counts is not None
    assert abs(made.mean() - 0.03) < 3.0 * math.sqrt(counts.faults / counts.operations**2 / n)
    low, high = counts.spread
    for point, share in ((low, 0.05), (high, 0.95)):
        assert abs((made < point).mean() - share) < 3.0 * math.sqrt(share * (1.0 - share) / n)


def test_an_input_more_or_less_moves_no_other() -> None:
    both, one = assumptions(DIRTY, MINUTES), assumptions(MINUTES)
    first = drawn(both, [DIRTY.id, MINUTES.id], np.random.default_rng(9), 50)
    second = drawn(one, [MINUTES.id], np.random.default_rng(9), 50)
    assert first[MINUTES.id].tolist() == second[MINUTES.id].tolist()
    assert not np.array_equal(np.argsort(first[MINUTES.id]), np.argsort(first[DIRTY.id])), "streams of two inputs differ"


def test_a_changed_input_keeps_its_luck() -> None:
    wider = replace(DIRTY, low=0.001, high=0.2)
    a = drawn(assumptions(DIRTY), [DIRTY.id], np.random.default_rng(9), 200)[DIRTY.id]
    b = drawn(assumptions(wider), [DIRTY.id], np.random.default_rng(9), 200)[DIRTY.id]
    own = replace(DIRTY, id=DIRTY.id + ".own")
    c = drawn(assumptions(own), [own.id], np.random.default_rng(9), 200)[own.id]
    assert np.array_equal(np.argsort(a), np.argsort(b))
    assert a.tolist() == c.tolist()


def test_chunks_are_their_own_whoever_draws_them_when() -> None:
    def chunk(index: int) -> np.ndarray:
        rng = np.random.default_rng(np.random.SeedSequence(7).spawn(4)[index])
        return drawn(assumptions(DIRTY, MINUTES), [DIRTY.id, MINUTES.id], rng, 10)[DIRTY.id]

    forth = [chunk(index).tolist() for index in range(4)]
    back = [chunk(index).tolist() for index in reversed(range(4))]
    assert forth == back[::-1]
    assert len({tuple(one) for one in forth}) == 4


def test_means_and_ids() -> None:
    items = assumptions(DIRTY, MINUTES, replace(DIRTY, id=DIRTY.id + ".own", likely=0.05))
    assert fixed(items, [DIRTY.id, MINUTES.id]) == {DIRTY.id: 0.03, MINUTES.id: 30.0}
    assert rate_id(items, "connector_dirty", "own") == "fault.connector_dirty.rate.own"
    assert rate_id(items, "connector_dirty", "specialist") == "fault.connector_dirty.rate"
    with pytest.raises(KeyError, match=r"no assumption is called 'work\.nothing'"):
        fixed(items, ["work.nothing"])


def test_no_two_inputs_share_a_stream() -> None:
    items = defaults()
    ids = [item.id for item in items]
    wide = assumptions(*(assumed(id, 0.0, 0.5, 1.0) for id in ids))
    first = drawn(wide, ids, np.random.default_rng(1), 1)
    assert len({float(value[0]) for value in first.values()}) == len(ids) > 100


def test_the_stated_rates_are_nearly_gamma_distributions() -> None:
    for item in defaults():
        if item.is_rate:
            counts = pseudo_counts(item)
            assert counts is not None and counts.spread == pytest.approx((item.low, item.high), rel=0.05), item.id
