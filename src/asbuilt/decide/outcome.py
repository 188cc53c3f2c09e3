"""What the simulated deployments of one arrangement come to: quantiles, faults by stage, one run shown day by day."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from asbuilt.decide.money import PARTS
from asbuilt.decide.simulate import Case, Outcomes
from asbuilt.model.decision import CaughtFaults, Quantiles
from asbuilt.model.deployment import CATCHES, FAULT_KINDS

_P10, _P50, _P90 = 0.1, 0.5, 0.9
#: Runs that a picture of a distribution is drawn from.
MOST_SAMPLES = 2_000


def quantiles(values: np.ndarray) -> Quantiles:
    """P10, P50, P90 and mean. Raises ``ValueError`` for no values or any that is no number."""
    if not len(values) or not np.isfinite(values).all():
        raise ValueError("quantiles need numbers, one for each run")
    low, middle, high = np.quantile(values, (_P10, _P50, _P90))
    return Quantiles(float(low), float(middle), float(high), float(values.mean()))


def parts(outcomes: Outcomes) -> Mapping[str, Quantiles]:
    """Quantiles of each part of the cost. They do not add up: only the means do."""
    return {part: quantiles(outcomes.parts[:, column]) for column, part in enumerate(PARTS)}


def faults(case: Case, outcomes: Outcomes) -> tuple[CaughtFaults, ...]:
    """Faults by kind and stage, with the hours of rework and the price of parts that the mean number costs."""
    made = []
    there = set(case.lots.kind.tolist())
    for k, kind in enumerate(FAULT_KINDS):
        if k not in there:
            continue
        price = case.assumptions[f"fault.{kind.id}.parts"].mean
        for catch in kind.catches:
            counts = outcomes.caught[:, k, CATCHES.index(catch)]
            mean = float(counts.mean(dtype=np.float64))
            hours = case.assumptions[f"fault.{kind.id}.rework.{catch}"].mean
            made.append(CaughtFaults(kind.id, catch, mean, float(np.quantile(counts, _P90)), mean * hours, mean * price))
    return tuple(made)


def sampled(values: np.ndarray) -> tuple[float, ...]:
    """At most ``MOST_SAMPLES`` of the values, evenly taken."""
    step = max(1, -(-len(values) // MOST_SAMPLES))
    return tuple(float(value) for value in values[::step])


def nearest_run(values: np.ndarray) -> int:
    """The run that lies nearest to the median."""
    return int(np.abs(values - np.quantile(values, _P50)).argmin())
