"""Faults that parts bring along are the same whoever builds; those of hands follow qualification and experience."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asbuilt.decide.cases import cases
from asbuilt.decide.simulate import Case, expected
from asbuilt.decide.variants import factor_of
from asbuilt.model.deployment import FAULT_KINDS
from decide_sites import SMALL, question, site

KIND = {kind.id: k for k, kind in enumerate(FAULT_KINDS)}


def found(case: Case, fault: str, share: float) -> float:
    """Expected faults of a kind when that share of them is the work of people."""
    return float(expected(case, {f"fault.{fault}.by_work": np.array([share])}).caught[0, KIND[fault]].sum())


@pytest.fixture(scope="module")
def sides() -> dict[str, Case]:
    return dict(cases(site(SMALL), question(SMALL)))


@pytest.mark.parametrize("fault", ["gpu_fault", "optic_dead", "cable_swapped"])
def test_without_a_share_of_people_both_sides_have_the_same_faults(sides: dict[str, Case], fault: str) -> None:
    own, outside = (found(sides[key], fault, 0.0) for key in ("in-house", "specialist"))
    assert own == pytest.approx(outside, rel=1e-6)
    assert own > 0


@pytest.mark.parametrize("fault", ["gpu_fault", "optic_dead", "cable_swapped"])
def test_the_share_of_people_is_mixed_in_proportion(sides: dict[str, Case], fault: str) -> None:
    for case in sides.values():
        none, half, all_ = (found(case, fault, share) for share in (0.0, 0.5, 1.0))
        assert half == pytest.approx((none + all_) / 2, rel=1e-6)
        assert none != pytest.approx(all_, rel=1e-3)


def test_dead_parts_hardly_depend_on_the_crew_and_swapped_ends_do(sides: dict[str, Case]) -> None:
    made = {key: expected(case).caught[0] for key, case in sides.items()}
    ratio = {f: made["specialist"][KIND[f]].sum() / made["in-house"][KIND[f]].sum() for f in ("gpu_fault", "cable_swapped")}
    assert ratio["gpu_fault"] > 0.9
    assert ratio["cable_swapped"] < 0.7


def test_what_trials_are_held_against_is_mixed_the_same_way() -> None:
    asked = question(SMALL)
    items = asked.assumptions

    def factor(share: float) -> float:
        own = {"fault.gpu_fault.by_work": replace(items["fault.gpu_fault.by_work"], low=share, likely=share, high=share)}
        return factor_of(replace(asked, assumptions=items.with_own(own)))("own", "gpu_fault")

    assert factor(0.0) == 1.0
    assert factor(0.5) == pytest.approx((1.0 + factor(1.0)) / 2)
