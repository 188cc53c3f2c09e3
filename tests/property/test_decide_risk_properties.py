"""Faults and rates: what holds for any probabilities, checkpoints, experience and trials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from asbuilt.decide.gamma import quantile
from asbuilt.decide.rates import drawn, pseudo_counts, triangle
from asbuilt.decide.risk import SAMPLED_KIND, catch_shares, fault_factor
from asbuilt.decide.sampling import Sampling, expected_sampled
from asbuilt.decide.trial import updated
from asbuilt.model.crew_question import Checkpoints, Trial
from asbuilt.model.deployment import FAULT_KINDS, FaultKind
from fault_site import assumptions, rate

KINDS = st.sampled_from(FAULT_KINDS)
SHARE = st.floats(0.0, 1.0)
SWITCHES = ("cable_inspection", "pressure_test", "node_acceptance", "fabric_gate", "collectives_gate", "soak")
CHECKPOINTS = st.builds(Checkpoints, SHARE, st.booleans(), *[st.booleans()] * len(SWITCHES))
RATE = rate("fault.connector_dirty.rate", 0.0053, 0.03, 0.071)


@st.composite
def detections(draw: st.DrawFn) -> tuple[FaultKind, dict[str, float]]:
    kind = draw(KINDS)
    return kind, {catch: draw(SHARE) for catch in kind.catches[:-1]}


def caught_by(
    kind: FaultKind, checkpoints: Checkpoints, detect: dict[str, float], lacking: frozenset[str] = frozenset()
) -> np.ndarray:
    """Share caught at each stage or before it."""
    made = catch_shares(kind, checkpoints, {(kind.id, catch) for catch in lacking}, detect)
    assert (made >= 0.0).all()
    assert made.sum() == pytest.approx(1.0)
    return np.cumsum(made)


@given(case=detections(), checkpoints=CHECKPOINTS, data=st.data())
def test_more_detection_never_moves_a_catch_later(case, checkpoints, data) -> None:  # type: ignore[no-untyped-def]
    kind, detect = case
    catch = data.draw(st.sampled_from(kind.catches[:-1]))
    better = {**detect, catch: data.draw(st.floats(detect[catch], 1.0))}
    before, after = caught_by(kind, checkpoints, detect), caught_by(kind, checkpoints, better)
    assert (after >= before - 1e-12).all(), "by every stage at least as many are caught"
    assert 1.0 - after[-2] <= 1.0 - before[-2] + 1e-12, "and no more are left for production"


@given(case=detections(), checkpoints=CHECKPOINTS, name=st.sampled_from(("connector_inspection", *SWITCHES)))
def test_a_checkpoint_switched_off_never_moves_a_catch_earlier(case, checkpoints, name) -> None:  # type: ignore[no-untyped-def]
    kind, detect = case
    off = replace(checkpoints, **{name: 0.0 if name == "connector_inspection" else False})
    before, after = caught_by(kind, checkpoints, detect), caught_by(kind, off, detect)
    assert (after <= before + 1e-12).all()


@given(case=detections(), checkpoints=CHECKPOINTS, data=st.data())
def test_a_missing_tool_never_moves_a_catch_earlier(case, checkpoints, data) -> None:  # type: ignore[no-untyped-def]
    kind, detect = case
    lacking = frozenset(data.draw(st.sets(st.sampled_from(kind.catches[:-1]))))
    assert (caught_by(kind, checkpoints, detect, lacking) <= caught_by(kind, checkpoints, detect) + 1e-12).all()


@given(detect=st.tuples(SHARE, SHARE, SHARE, SHARE), share=SHARE, more=SHARE)
def test_a_larger_sample_never_moves_a_catch_later(detect, share, more) -> None:  # type: ignore[no-untyped-def]
    kind = next(kind for kind in FAULT_KINDS if kind.id == SAMPLED_KIND)
    chances = dict(zip(kind.catches[:-1], detect, strict=True))
    few, many = sorted((share, more))
    less, most = (caught_by(kind, Checkpoints(connector_inspection=part), chances) for part in (few, many))
    assert (most >= less - 1e-12).all()


@given(
    done=st.floats(0.0, 1e4), further=st.floats(0.0, 1e4), slope=st.floats(0.5, 1.0), reference=st.floats(0.0, 100.0),
    floor=st.floats(0.0, 1.0),
)  # fmt: skip
def test_more_experience_never_raises_the_rate(done, further, slope, reference, floor) -> None:  # type: ignore[no-untyped-def]
    made = fault_factor(np.array([done, done + further]), *(np.array([value]) for value in (slope, reference, floor)))[0]
    assert made[1] <= made[0] * (1.0 + 1e-12) and made[1] >= floor


@st.composite
def priors(draw: st.DrawFn) -> tuple[float, float, float]:
    low = draw(st.floats(1e-5, 0.05))
    likely = low * draw(st.floats(1.2, 20.0))
    return low, likely, likely * draw(st.floats(1.2, 20.0))


@settings(max_examples=40)
@given(prior=priors(), operations=st.integers(1, 5000), data=st.data())
def test_a_posterior_lies_between_and_its_spread_narrows(prior, operations, data) -> None:  # type: ignore[no-untyped-def]
    faults = data.draw(st.integers(0, operations))
    before = replace(RATE, low=prior[0], likely=prior[1], high=prior[2])
    after = updated(assumptions(before), [Trial("connector_dirty", float(operations), float(faults), "own", "trial")])[
        RATE.id + ".own"
    ]
    seen = faults / operations
    low, high = sorted((before.likely, seen))
    assert low * (1 - 1e-9) <= after.likely <= high * (1 + 1e-9)
    assert after.low < after.high
    was, now = (pseudo_counts(item) for item in (before, after))
    assert was is not None and now is not None
    ratios = [quantile(c.faults, c.operations, 0.9) / quantile(c.faults, c.operations, 0.1) for c in (was, now)]
    assert ratios[1] <= ratios[0] * (1 + 1e-9)
    if faults:
        assert ratios[1] < ratios[0]
    else:
        assert now.at(0.9) - now.at(0.1) < was.at(0.9) - was.at(0.1), "nothing found: the rate falls, and its width with it"


@settings(max_examples=40)
@given(prior=priors(), size=st.integers(1, 300), times=st.integers(2, 20), data=st.data())
def test_more_data_of_the_same_kind_tell_more(prior, size, times, data) -> None:  # type: ignore[no-untyped-def]
    faults = data.draw(st.integers(1, size))
    before = replace(RATE, low=prior[0], likely=prior[1], high=prior[2])
    less, more = (
        updated(assumptions(before), [Trial("connector_dirty", float(n * size), float(n * faults), "own", "trial")])[
            RATE.id + ".own"
        ]
        for n in (1, times)
    )
    assert more.high / more.low < less.high / less.low


@given(values=st.tuples(*[st.floats(0.0, 1e6)] * 3), shares=st.lists(SHARE, min_size=2, max_size=5))
def test_a_triangle_stays_within_and_rises(values, shares) -> None:  # type: ignore[no-untyped-def]
    low, likely, high = sorted(values)
    made = triangle(low, likely, high, np.array(sorted(shares)))
    slack = 1e-9 * max(high, 1.0)
    assert (made >= low - slack).all() and (made <= high + slack).all()
    assert (np.diff(made) >= -slack).all()


@settings(max_examples=40)
@given(prior=priors())
def test_counts_of_a_rate_meet_mean_and_ratio(prior) -> None:  # type: ignore[no-untyped-def]
    low, likely, high = prior
    assume(high / low > 1.5)
    counts = pseudo_counts(replace(RATE, low=low, likely=likely, high=high))
    assert counts is not None and counts.mean == pytest.approx(likely)
    points = counts.spread
    assert points[1] / points[0] == pytest.approx(high / low, rel=1e-5)


@given(mean=st.floats(0.0, 50.0), detect=SHARE, share=st.floats(0.01, 0.99), pieces=st.integers(100, 5000))
def test_a_find_that_leads_to_the_rest_never_moves_a_catch_later(mean, detect, share, pieces) -> None:  # type: ignore[no-untyped-def]
    shares = catch_shares(
        FAULT_KINDS[0], Checkpoints(connector_inspection=share), frozenset(), dict.fromkeys(FAULT_KINDS[0].catches, detect)
    )
    alone, then = (
        expected_sampled(
            np.full((1, 1), mean), np.array([float(pieces)]), shares[None, :], Sampling(share, escalate, np.array([detect]))
        )
        for escalate in (False, True)
    )
    assert alone[0].sum() == pytest.approx(mean) and then[0].sum() == pytest.approx(mean)
    assert (np.cumsum(then[0][0, 0]) >= np.cumsum(alone[0][0, 0]) - 1e-9).all()
    assert 0.0 <= then[1][0, 0] <= pieces and alone[1][0, 0] == 0.0


@settings(max_examples=30)
@given(prior=priors(), operations=st.integers(20, 2000), seed=st.integers(0, 2**32))
def test_drawn_rates_after_a_trial_narrow(prior, operations, seed) -> None:  # type: ignore[no-untyped-def]
    before = replace(RATE, low=prior[0], likely=prior[1], high=prior[2])
    faults = float(min(operations, max(1, round(operations * before.likely))))
    items = updated(assumptions(before), [Trial("connector_dirty", float(operations), faults, "own", "trial")])
    made = drawn(items, [RATE.id, RATE.id + ".own"], np.random.default_rng(seed), 500)
    was, now = (np.quantile(made[id], [0.1, 0.9]) for id in (RATE.id, RATE.id + ".own"))
    assert now[1] / now[0] < was[1] / was[0]
    assert (np.argsort(made[RATE.id]) == np.argsort(made[RATE.id + ".own"])).all(), "the same luck"
