"""What it is worth to know one value: hand-made costs, where the answer is known, and values that say nothing."""

from __future__ import annotations

import numpy as np
import pytest

from asbuilt.decide.information import perfect, worth

RUNS = 4_000


def test_a_value_that_turns_the_choice_is_worth_what_it_saves() -> None:
    rng = np.random.default_rng(3)
    value = rng.random(RUNS)
    # Blind: both cost 10 on average. Known: 10 - |value - 1/2| x 8 on average, which is 8.
    costs = np.stack([np.full(RUNS, 10.0), 10.0 + 8.0 * (value - 0.5)], axis=1) + rng.normal(0, 1, (RUNS, 1))
    found = worth(costs, value)
    assert found.money == pytest.approx(1.0, abs=0.1) and found.money <= perfect(costs) + 0.05
    assert found.settles == pytest.approx(0.5, abs=0.1)


def test_values_that_say_nothing_are_worth_nothing_however_close_the_race() -> None:
    rng = np.random.default_rng(5)
    costs = 1e6 + rng.normal(0, 2e5, (RUNS, 3))
    found = [worth(costs, rng.random(RUNS)).money for _ in range(400)]
    assert sum(money > 0.0 for money in found) <= 4


def test_a_weak_value_that_leads_to_another_choice_is_found() -> None:
    rng = np.random.default_rng(7)
    value = rng.random(RUNS)
    costs = np.stack([np.full(RUNS, 0.0), (value - 0.5) * 0.6], axis=1) + np.stack(
        [np.zeros(RUNS), rng.normal(0, 1, RUNS)], axis=1
    )
    assert 0.04 < worth(costs, value).money < 0.12  # 0.6 / 8 = 0.075


def test_a_value_that_moves_both_sides_alike_decides_nothing() -> None:
    rng = np.random.default_rng(9)
    value = rng.random(RUNS)
    costs = np.stack([value, value + 1e-3 * rng.normal(0, 1, RUNS)], axis=1)
    assert worth(costs, value).money == 0.0 and worth(costs[:, :1], value).money == 0.0
