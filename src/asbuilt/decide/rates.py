"""Values of a simulated deployment: triangles for what is assumed, gamma distributions for fault rates."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from asbuilt.decide.gamma import quantile, shape_of_ratio, table
from asbuilt.model.assumption import Assumed, Assumptions

#: ``low`` and ``high`` of a rate are the quantiles at this share and at its complement.
LOW_SHARE = 0.05
#: Endings of ids that hold the rate of one party alone, after a trial of that party.
PARTY_ENDINGS = (".own", ".specialist")


@dataclass(frozen=True, slots=True)
class PseudoCounts:
    """A rate as if ``faults`` had been seen in ``operations``: gamma distributed with that shape and rate."""

    faults: float
    operations: float

    @property
    def mean(self) -> float:
        return self.faults / self.operations

    def at(self, share: float) -> float:
        """The rate that a share of the distribution lies below."""
        return quantile(self.faults, self.operations, share)

    @property
    def spread(self) -> tuple[float, float]:
        """The 5 % and 95 % points."""
        return self.at(LOW_SHARE), self.at(1.0 - LOW_SHARE)


def pseudo_counts(item: Assumed) -> PseudoCounts | None:
    """The counts that a rate is worth: mean ``likely``, and ``high`` over ``low`` as stated. None where it has no spread.

    A gamma distribution has two parameters and the input three values: mean and ratio are met, the two points themselves may
    lie a little beside what was stated (``PseudoCounts.spread`` says where). Counts that the input carries are taken as they
    are, the operations such that ``likely`` stays the mean. Raises ``ValueError`` for values out of order, a low of zero
    below a rate, or what is no number.
    """
    values = (item.low, item.likely, item.high)
    if not all(math.isfinite(value) and value >= 0 for value in values):
        raise ValueError(f"{item.id}: a fault rate is a number from 0 on; low, likely, high are {_three(item)}")
    if not item.low <= item.likely <= item.high:
        raise ValueError(f"{item.id}: low, likely and high must be in this order; they are {_three(item)}")
    if item.low == item.high:
        return None
    if item.faults is not None:
        if not (math.isfinite(item.faults) and item.faults > 0 and item.likely > 0):
            raise ValueError(f"{item.id}: a spread needs faults above zero; {item.faults:g} were given for {item.likely:g}")
        return PseudoCounts(item.faults, item.faults / item.likely)
    if item.low == 0.0:
        raise ValueError(
            f"{item.id}: low is the 5 % point of a rate and above zero where the rate has a spread; "
            f"low, likely, high are {_three(item)}. State a small low, or the same value three times"
        )
    shape = shape_of_ratio(item.high / item.low, LOW_SHARE)
    return PseudoCounts(shape, shape / item.likely)


def _three(item: Assumed) -> str:
    return f"{item.low:g}, {item.likely:g}, {item.high:g}"


def triangle(low: float, likely: float, high: float, shares: np.ndarray) -> np.ndarray:
    """Quantiles of a triangle at ``shares``, by inversion. Without a spread the value itself, everywhere.

    Raises ``ValueError`` for values out of order or what is no number.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low <= likely <= high):
        raise ValueError(f"low, likely and high must be numbers in this order; they are {low:g}, {likely:g}, {high:g}")
    width = high - low
    if width == 0.0:
        return np.full(shares.shape, likely)
    rising = (likely - low) / width
    with np.errstate(invalid="ignore"):  # each half is asked beyond its own end, and not taken there
        made: np.ndarray = np.where(
            shares <= rising,
            low + np.sqrt(shares * width * (likely - low)),
            high - np.sqrt((1.0 - shares) * width * (high - likely)),
        )
    return made


def drawn(assumptions: Assumptions, ids: Iterable[str], rng: np.random.Generator, runs: int) -> dict[str, np.ndarray]:
    """What each input is in each of ``runs`` deployments, ``[runs]`` by id.

    Every input has a stream of its own, made from one number of ``rng`` and its id: inputs that are added, left out or
    changed move no other's draws, and a changed input keeps its luck (the same share of its new distribution). The rate of
    one party shares the luck of the rate of the kind: they differ by what was learnt, not by chance. Takes one number from
    ``rng``. Raises ``KeyError`` for an id that is none, ``ValueError`` for values out of order.
    """
    key = int(rng.integers(0, 2**63))
    return {id: _drawn(assumptions[id], key, runs) for id in ids}


def _drawn(item: Assumed, key: int, runs: int) -> np.ndarray:
    if item.is_rate:
        counts = pseudo_counts(item)
        if counts is None:
            return np.full(runs, item.likely)
        scores = _stream(item.id, key).standard_normal(runs)
        made: np.ndarray = np.exp(np.interp(scores, *table(counts.faults)))
        return made / counts.operations
    if item.low == item.likely == item.high:
        return np.full(runs, item.likely)
    try:
        return triangle(item.low, item.likely, item.high, _stream(item.id, key).random(runs))
    except ValueError as wrong:
        raise ValueError(f"{item.id}: {wrong}") from None


def _stream(id: str, key: int) -> np.random.Generator:
    base = next((id.removesuffix(ending) for ending in PARTY_ENDINGS if id.endswith(".rate" + ending)), id)
    return np.random.default_rng([zlib.crc32(base.encode()), key])


def fixed(assumptions: Assumptions, ids: Iterable[str]) -> dict[str, float]:
    """The mean of each input by id. Raises ``KeyError`` for an id that is none."""
    return {id: assumptions[id].mean for id in ids}


def rate_id(assumptions: Assumptions, kind: str, party: str) -> str:
    """The id of a kind's rate for a party: its own after a trial of that party, else the one of all."""
    own = f"fault.{kind}.rate.{party}"
    return own if own in assumptions else f"fault.{kind}.rate"
