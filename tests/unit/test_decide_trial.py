"""Trial racks: conjugate update of the rate of the party that was tried."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from asbuilt.base.origin import Origin
from asbuilt.decide.rates import pseudo_counts, rate_id
from asbuilt.decide.trial import updated
from asbuilt.model.assumption import Assumptions, Spread
from asbuilt.model.crew_question import Trial
from fault_site import assumed, assumptions, rate

DIRTY = rate("fault.connector_dirty.rate", 0.0053, 0.03, 0.071)
OTHER = assumed("work.trunk_pull.minutes", 10.0, 20.0, 60.0, unit="min")
ITEMS = assumptions(DIRTY, OTHER)
TRIAL = Trial("connector_dirty", 576.0, 40.0, "own", "trial rack")


def test_the_counts_are_added() -> None:
    prior = pseudo_counts(DIRTY)
    assert prior is not None
    made = updated(ITEMS, [TRIAL])["fault.connector_dirty.rate.own"]
    assert made.faults == pytest.approx(prior.faults + 40.0) and made.operations == pytest.approx(prior.operations + 576.0)
    assert made.likely == pytest.approx((prior.faults + 40.0) / (prior.operations + 576.0))
    after = pseudo_counts(made)
    assert after is not None and (made.low, made.high) == pytest.approx(after.spread)
    assert made.origin is Origin.MEASURED and made.unit == DIRTY.unit and made.meaning == DIRTY.meaning
    assert made.source == "trial rack: 40 in 576 operations; as if 2 in 66.52 before (own estimate)"


def test_a_trial_of_one_party_changes_no_other() -> None:
    made = updated(ITEMS, [TRIAL])
    assert made["fault.connector_dirty.rate"] == DIRTY and made["work.trunk_pull.minutes"] == OTHER
    assert [item.id for item in made] == [
        "fault.connector_dirty.rate",
        "fault.connector_dirty.rate.own",
        "work.trunk_pull.minutes",
    ]
    assert rate_id(made, "connector_dirty", "specialist") == "fault.connector_dirty.rate"
    assert rate_id(made, "connector_dirty", "own") == "fault.connector_dirty.rate.own"
    both = updated(made, [replace(TRIAL, party="specialist", faults=1.0)])
    assert both["fault.connector_dirty.rate.own"] == made["fault.connector_dirty.rate.own"]
    assert both["fault.connector_dirty.rate.specialist"].likely < DIRTY.likely < both["fault.connector_dirty.rate.own"].likely
    assert list(updated(ITEMS, [])) == list(ITEMS)


def test_two_trials_are_one_large_one() -> None:
    halves = updated(ITEMS, [replace(TRIAL, operations=288.0, faults=15.0), replace(TRIAL, operations=288.0, faults=25.0)])
    one = updated(ITEMS, [TRIAL])["fault.connector_dirty.rate.own"]
    two = halves["fault.connector_dirty.rate.own"]
    assert (two.low, two.likely, two.high, two.faults, two.operations) == pytest.approx(
        (one.low, one.likely, one.high, one.faults, one.operations)
    )


def test_the_factor_of_the_party_is_not_learnt_twice() -> None:
    plain = updated(ITEMS, [TRIAL])["fault.connector_dirty.rate.own"]
    novice = updated(ITEMS, [TRIAL], lambda party, kind: {"own": 2.0}[party])["fault.connector_dirty.rate.own"]
    prior = pseudo_counts(DIRTY)
    assert prior is not None
    assert novice.operations == pytest.approx(prior.operations + 1152.0) and novice.likely < plain.likely
    assert (
        novice.source == "trial rack: 40 in 576 operations, expected 2 times the rate; as if 2 in 66.52 before (own estimate)"
    )
    exact = updated(ITEMS, [replace(TRIAL, operations=1e9, faults=6e7)], lambda party, kind: 2.0)
    assert exact["fault.connector_dirty.rate.own"].likely == pytest.approx(0.03, rel=1e-4), "0.06 seen, twice the rate"


def test_a_claim_that_is_left_out_first_leaves_no_trace() -> None:
    claimed = replace(DIRTY, origin=Origin.CLAIMED, removed=Spread(0.01, 0.05, 0.12))
    items = assumptions(claimed, OTHER)
    believed = updated(items, [TRIAL])["fault.connector_dirty.rate.own"]
    unbelieved = updated(items.without_claims(), [TRIAL])["fault.connector_dirty.rate.own"]
    assert believed.removed is None and believed.likely < unbelieved.likely
    Assumptions({believed.id: believed}).without_claims()


WRONG = {
    "kind": (
        {"fault": "gremlin"},
        "trial of gremlin (trial rack): no kind of fault is called 'gremlin'; the kinds are backplane_pin, ",
    ),
    "party": (
        {"party": "us"},
        "trial of connector_dirty (trial rack): no party is called 'us'; the parties are own, specialist",
    ),
    "none": (
        {"operations": 0.0, "faults": 0.0},
        "trial of connector_dirty (trial rack): operations must be a number above 0, not 0: without work nothing was seen",
    ),
    "nan": (
        {"operations": math.nan},
        "trial of connector_dirty (trial rack): operations must be a number above 0, not nan: without work nothing was seen",
    ),
    "negative": ({"faults": -1.0}, "trial of connector_dirty (trial rack): faults must be a number from 0 on, not -1"),
    "faults-nan": ({"faults": math.nan}, "trial of connector_dirty (trial rack): faults must be a number from 0 on, not nan"),
    "more": (
        {"operations": 10.0},
        "trial of connector_dirty (trial rack): 40 faults in 10 operations; a piece of work counts as faulty once. "
        "Are the two columns exchanged?",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_trial_that_is_none_is_refused(case: str) -> None:
    change, words = WRONG[case]
    with pytest.raises(ValueError) as caught:
        updated(ITEMS, [replace(TRIAL, **change)])  # type: ignore[arg-type]
    assert str(caught.value).startswith(words) and (case == "kind" or str(caught.value) == words)


def test_certainty_and_impossible_factors_are_refused() -> None:
    certain = assumptions(replace(DIRTY, low=0.03, high=0.03))
    with pytest.raises(ValueError) as caught:
        updated(certain, [TRIAL])
    assert str(caught.value) == (
        "fault.connector_dirty.rate is stated as certain (0.03), so the trial (trial rack) cannot change it; "
        "give low, likely and high, or leave the trial out"
    )
    with pytest.raises(ValueError) as caught:
        updated(ITEMS, [TRIAL], lambda party, kind: 0.0)
    assert str(caught.value) == "fault.connector_dirty.rate: the factor of party own must be a number above 0, not 0"
    with pytest.raises(KeyError, match=r"fault\.fitting_leak\.rate"):
        updated(ITEMS, [replace(TRIAL, fault="fitting_leak")])
