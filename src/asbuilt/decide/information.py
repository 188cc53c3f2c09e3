"""What it is worth to know one thing before deciding: the expected value of partial perfect information, by simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_BINS, _LEAST_IN_BIN = 20, 25
#: Times that values without meaning are tried, and how far a worth must stand out of what these seem to be worth.
_BLIND, _SURE = 100, 4.0


@dataclass(frozen=True, slots=True)
class Worth:
    """``money``: what choosing with the value known saves on average; ``settles``: share of runs whose choice changes."""

    money: float
    settles: float


@dataclass(frozen=True, slots=True)
class Luck:
    """What values that say nothing seem to be worth in so many runs: mean and standard deviation."""

    mean: float
    spread: float


def luck(costs: np.ndarray) -> Luck:
    """``Luck`` of these ``costs`` ``[S, A]``: picking the least of noisy means pretends some worth where there is none."""
    bins = _bins(costs)
    if not bins:
        return Luck(0.0, 0.0)
    rng = np.random.default_rng(_BLIND)
    seeming = np.array([_binned(costs, rng.random(len(costs)), bins)[0] for _ in range(_BLIND)])
    return Luck(float(seeming.mean()), float(seeming.std()))


def worth(costs: np.ndarray, values: np.ndarray, chance: Luck | None = None) -> Worth:
    """Worth of knowing ``values`` ``[S]`` before choosing among arrangements with ``costs`` ``[S, A]`` in the same runs.

    Runs are put into bins of equal numbers by the value; in each bin the arrangement with the least mean cost is chosen.
    What values without meaning seem to be worth (``chance``: ``luck(costs)``, where it is at hand) is taken off, and what
    does not stand out of it by ``_SURE`` standard deviations is nothing: of hundreds of inputs some always seem to matter.
    Source: M. Strong, J. E. Oakley, "An efficient method for computing single-parameter partial expected value of perfect
    information", Medical Decision Making 33 (2013), 755-766.
    """
    bins = _bins(costs)
    if not bins or not np.ptp(values) > 0.0:
        return Worth(0.0, 0.0)
    saved, settles = _binned(costs, values, bins)
    blind = luck(costs) if chance is None else chance
    left = saved - blind.mean
    return Worth(left, settles) if left > _SURE * blind.spread and left > 0.0 else Worth(0.0, 0.0)


def _bins(costs: np.ndarray) -> int:
    """Bins of the runs; 0 where there are too few runs for two, or nothing to choose from."""
    bins = min(_BINS, len(costs) // _LEAST_IN_BIN)
    return bins if bins > 1 and costs.shape[1] > 1 else 0


def _binned(costs: np.ndarray, values: np.ndarray, bins: int) -> tuple[float, float]:
    order = np.argsort(values, kind="stable")
    edges = np.linspace(0, len(values), bins + 1).astype(np.int64)
    sums = np.add.reduceat(costs[order], edges[:-1], axis=0)
    counts = np.diff(edges)
    means = sums / counts[:, None]
    blind = int(costs.mean(axis=0).argmin())
    best = means.argmin(axis=1)
    saved = float(((means[:, blind] - means.min(axis=1)) * counts).sum() / len(values))
    return saved, float(counts[best != blind].sum() / len(values))


def perfect(costs: np.ndarray) -> float:
    """Worth of knowing everything: mean of the least cost of each run, against the least mean cost."""
    return float(costs.mean(axis=0).min() - costs.min(axis=1).mean())


def joint(costs: np.ndarray, columns: np.ndarray, chance: Luck | None = None) -> Worth:
    """Worth of knowing several inputs ``[S, N]`` together, as a trial shows them.

    What they say of the difference between the two cheapest arrangements is fitted by least squares, and the fitted
    difference is taken as one value. The fit is on one half of the runs and used on the other, and the other way round, so
    that a column without meaning earns nothing. Source: as ``worth`` (regression in the place of bins).
    """
    if costs.shape[1] < 2 or not columns.size or len(costs) < 2 * _LEAST_IN_BIN:
        return Worth(0.0, 0.0)
    first, second = np.argsort(costs.mean(axis=0), kind="stable")[:2].tolist()
    apart = costs[:, second] - costs[:, first]
    spread = columns.std(axis=0)
    design = np.column_stack([np.ones(len(columns)), (columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0)])
    fitted = np.empty(len(apart))
    halves = np.arange(len(apart)) % 2
    for half in (0, 1):
        known, _, _, _ = np.linalg.lstsq(design[halves != half], apart[halves != half], rcond=None)
        fitted[halves == half] = design[halves == half] @ known
    return worth(costs, fitted, chance)
