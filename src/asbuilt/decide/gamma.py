"""The gamma distribution: its share below a value, its quantiles, the shape that a ratio of quantiles asks for. Numpy only."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

_NORMAL = NormalDist()
_EPSILON = 1e-14
_MOST_TERMS = 20_000
_MOST_STEPS = 60
#: Above this shape the cube of a normal variable is as good as the integral: relative error below 1e-6 in the central range.
_CUBE_FROM = 20_000.0
#: Shapes between which one is looked for: from "nothing is known" to "hardly any spread".
_LEAST_SHAPE, _MOST_SHAPE = 1e-2, 1e7
#: Normal scores at which quantiles are tabled; what lies outside happens once in 10^12 draws and takes the last value.
_SCORE_END, _SCORE_STEPS = 7.0, 1400


def tails(shape: float, log_x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares below and above ``exp(log_x)`` of a gamma variable of that shape and unit rate, each exact where it is small.

    Source: NIST Digital Library of Mathematical Functions, 8.11.4 (series) below the shape, 8.9.2 (continued fraction) above.
    """
    x = np.exp(log_x)
    below, above = np.empty_like(x), np.empty_like(x)
    left = x < shape + 1.0
    below[left] = np.exp(shape * log_x[left] - x[left] - math.lgamma(shape + 1.0)) * _series(shape, x[left])
    above[left] = 1.0 - below[left]
    right = ~left
    above[right] = np.exp(shape * log_x[right] - x[right] - math.lgamma(shape)) * _fraction(shape, x[right])
    below[right] = 1.0 - above[right]
    return below, above


def _series(shape: float, x: np.ndarray) -> np.ndarray:
    """1 + x/(a+1) + x²/((a+1)(a+2)) + …"""
    term = np.ones_like(x)
    total = np.ones_like(x)
    for n in range(1, _MOST_TERMS):
        term *= x / (shape + n)
        total += term
        if not (term > total * _EPSILON).any():
            break
    return total


def _fraction(shape: float, x: np.ndarray) -> np.ndarray:
    """1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- …))), by Lentz's method."""
    tiny = 1e-300
    b = x + 1.0 - shape
    c = np.full_like(x, 1.0 / tiny)
    d = 1.0 / b
    made = d.copy()
    for n in range(1, _MOST_TERMS):
        a = -n * (n - shape)
        b += 2.0
        d = a * d + b
        d = 1.0 / np.where(np.abs(d) < tiny, tiny, d)
        c = b + a / c
        c = np.where(np.abs(c) < tiny, tiny, c)
        step = c * d
        made *= step
        if not (np.abs(step - 1.0) > _EPSILON).any():
            break
    return made


def log_quantiles(shape: float, scores: np.ndarray) -> np.ndarray:
    """Logarithms of the quantiles of a gamma variable of unit rate at the shares that have these normal scores.

    The logarithm of a gamma variable has a density whose logarithm is concave; so have both of its tails. Newton's method on
    the logarithm of the smaller tail therefore comes from a bound outside without ever overshooting. The bounds: the share
    below x is at most x^a / Γ(a+1); the shares below a - sqrt(2at) and above a + sqrt(2at) + t are at most exp(-t)
    (Boucheron, Lugosi, Massart, Concentration Inequalities, 2013, section 2.4). From a shape of 20,000 on: the cube of
    Wilson and Hilferty, "The distribution of chi-square", PNAS 17 (1931), 684-688. Raises ``ValueError`` for a shape that
    is not positive.
    """
    if not (math.isfinite(shape) and shape > 0):
        raise ValueError(f"the shape of a gamma distribution is positive, not {shape:g}")
    if shape >= _CUBE_FROM:
        third = 1.0 / (9.0 * shape)
        return np.asarray(math.log(shape) + 3.0 * np.log(1.0 - third + scores * math.sqrt(third)))
    lower = scores <= 0
    small = np.array([_NORMAL.cdf(-abs(float(score))) for score in scores])
    t = -np.log(small)
    width = np.sqrt(2.0 * shape * t)
    start_low = np.maximum((math.lgamma(shape + 1.0) - t) / shape, np.log(np.maximum(shape - width, np.finfo(float).tiny)))
    log_x = np.where(lower, start_low, np.log(shape + width + t))
    for _ in range(_MOST_STEPS):
        below, above = tails(shape, log_x)
        tail = np.where(lower, below, above)
        density = np.exp(shape * log_x - np.exp(log_x) - math.lgamma(shape))
        step = np.log(tail / small) * tail / density
        log_x += np.where(lower, -step, step)
        if not (np.abs(step) > 1e-12).any():
            break
    return np.asarray(log_x)


def quantile(shape: float, rate: float, share: float) -> float:
    """The value that a share of a gamma variable lies below: ``shape`` events in ``rate`` chances. 0 < share < 1.

    Raises ``ValueError`` for a shape or rate that is not positive, or a share outside.
    """
    if not 0.0 < share < 1.0:
        raise ValueError(f"a quantile is asked at a share between 0 and 1, not {share:g}")
    if not (math.isfinite(rate) and rate > 0):
        raise ValueError(f"the rate of a gamma distribution is positive, not {rate:g}")
    score = np.array([_NORMAL.inv_cdf(share)])
    return float(np.exp(log_quantiles(shape, score)[0])) / rate


@lru_cache(maxsize=256)
def table(shape: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal scores and the logarithms of the quantiles there, to be interpolated: relative error below 1e-4."""
    scores = np.linspace(-_SCORE_END, _SCORE_END, _SCORE_STEPS + 1)
    made = log_quantiles(shape, scores)
    scores.setflags(write=False)
    made.setflags(write=False)
    return scores, made


@lru_cache(maxsize=1024)
def shape_of_ratio(ratio: float, share: float) -> float:
    """The shape of the gamma distribution whose quantile at ``1 - share`` is ``ratio`` times that at ``share``.

    The ratio falls as the shape grows; the logarithm of one is nearly a straight line over that of the other. Shapes run
    from 0.01 to 10^7: a ratio beyond takes the end. Raises ``ValueError`` for a ratio of 1 or below.
    """
    if not (math.isfinite(ratio) and ratio > 1.0):
        raise ValueError(f"a spread is the high value over the low one, above 1, not {ratio:g}")
    ends = np.array([_NORMAL.inv_cdf(share), _NORMAL.inv_cdf(1.0 - share)])
    aim = math.log(math.log(ratio))

    def off(log_shape: float) -> float:
        low, high = log_quantiles(math.exp(log_shape), ends)
        return math.log(float(high - low)) - aim

    least, most = math.log(_LEAST_SHAPE), math.log(_MOST_SHAPE)
    guess = 2.0 * math.log(float(ends[1] - ends[0]) / math.log(ratio))  # as if the logarithm were normal
    left, right = min(max(guess - 1.0, least), most), min(max(guess + 1.0, least), most)
    at_left, at_right = off(left), off(right)
    while at_left <= 0.0 and left > least:
        left = max(left - 1.0, least)
        at_left = off(left)
    while at_right >= 0.0 and right < most:
        right = min(right + 1.0, most)
        at_right = off(right)
    if at_left <= 0.0 or at_right >= 0.0:
        return math.exp(least if at_left <= 0.0 else most)
    moved = 0
    for _ in range(_MOST_STEPS):  # regula falsi; an end that stays twice counts half (Illinois)
        middle = (left * at_right - right * at_left) / (at_right - at_left)
        at = off(middle)
        if abs(at) < 1e-9 or right - left < 1e-12:
            break
        if at > 0.0:
            left, at_left, at_right = middle, at, at_right / (2.0 if moved > 0 else 1.0)
            moved = 1
        else:
            right, at_right, at_left = middle, at, at_left / (2.0 if moved < 0 else 1.0)
            moved = -1
    return math.exp(middle)
