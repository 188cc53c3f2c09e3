"""The upper confidence bound of a counted number of rare events: half a chi-squared quantile, without a statistics library.

For ``k`` events seen, the bound ``m`` at confidence ``p`` solves ``P(X <= k; m) = 1 - p`` for a Poisson ``X``, which is
``chi2_p(2k + 2) / 2``; for ``k = 0`` and ``p = 0.95`` it is ``-ln 0.05 = 2.996``, the rule of three.
Source: NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.4.1 (exact limits); Abramowitz and Stegun, 26.4.21 and 26.5.3.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_STEPS, _TERMS = 60, 100_000
#: From so many events on the cube-root approximation is good to six digits, and the series gets long.
_MANY = 1_000_000


def upper_bound(events: int, confidence: float) -> float:
    """The largest mean that ``events`` counted events leave possible at ``confidence`` (0 to 1, exclusive).

    Raises ``ValueError`` for a negative count or a confidence outside its range.
    """
    if events < 0 or not 0.0 < confidence < 1.0:
        raise ValueError(f"no bound for {events} events at confidence {confidence}")
    if events == 0:
        return -math.log1p(-confidence)
    guess = _cube_root(events, confidence)
    if events >= _MANY:
        return guess
    low, high = float(events), guess * 2.0 + 10.0
    mean = guess
    for _ in range(_STEPS):
        excess = _at_most(events, mean) - (1.0 - confidence)
        if excess > 0.0:
            low = mean
        else:
            high = mean
        # d/dm P(X <= k; m) = -e^-m m^k / k!
        slope = math.exp(events * math.log(mean) - mean - math.lgamma(events + 1.0))
        step = mean + excess / slope if slope > 0.0 else math.inf
        following = step if low < step < high else (low + high) / 2.0
        if abs(following - mean) <= 1e-13 * mean:
            return following
        mean = following
    return mean


def _cube_root(events: int, confidence: float) -> float:
    """Wilson and Hilferty: the cube root of chi-squared over its degrees of freedom is nearly normal."""
    freedom = 2.0 * (events + 1)
    part = 2.0 / (9.0 * freedom)
    return freedom / 2.0 * (1.0 - part + NormalDist().inv_cdf(confidence) * math.sqrt(part)) ** 3


def _at_most(events: int, mean: float) -> float:
    """``P(X <= events; mean)`` for a Poisson ``X``: the sum of its terms from the largest one down."""
    term = total = 1.0
    for n in range(events, max(0, events - _TERMS), -1):
        term *= n / mean
        total += term
        if term < 1e-17 * total:
            break
    return total * math.exp(events * math.log(mean) - mean - math.lgamma(events + 1.0))
