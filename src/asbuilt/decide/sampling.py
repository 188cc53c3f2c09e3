"""Inspection of a sample of each row's end faces, without replacement; a fault found may lead to the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: A share times a number may come out a hair above the whole number that it is.
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Sampling:
    """``share`` of the pieces of each lot is inspected; ``detect [S or 1]``: the probability that a bad piece looked at is
    found; ``escalate``: one found in the sample, and the rest of the lot is inspected as well."""

    share: float
    escalate: bool
    detect: np.ndarray

    def sizes(self, pieces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whole pieces of each lot, and of its sample (rounded up), ``int64[M]``."""
        whole = np.rint(pieces).astype(np.int64)
        return whole, np.ceil(self.share * whole * (1.0 - _SLACK)).astype(np.int64)


def later_shares(shares: np.ndarray) -> np.ndarray:
    """Shares of those that the first stage left, by the stage that catches them: ``[..., C]``, the first one zero."""
    made = shares.copy()
    made[..., 0] = 0.0
    return np.asarray(made / made.sum(axis=-1, keepdims=True))


def sampled(
    rng: np.random.Generator, means: np.ndarray, pieces: np.ndarray, shares: np.ndarray, sampling: Sampling
) -> tuple[np.ndarray, np.ndarray]:
    """Faults of ``M`` lots by catch, ``int64[S, M, C]``, and pieces inspected beyond the sample, ``float64[S, M]``.

    Bad pieces of a lot are Poisson with ``means [S, M]`` (never more than its pieces); how many lie in the sample is
    hypergeometric; each is found with ``detect``. What stays goes on to the later stages in the proportions of
    ``shares [S or 1, C]``, stage after stage by binomial draws.
    """
    whole, size = sampling.sizes(pieces)
    bad = np.minimum(rng.poisson(means), whole)
    inside = rng.hypergeometric(bad, whole - bad, size)
    detect = np.broadcast_to(sampling.detect[:, None], means.shape)
    found = rng.binomial(inside, detect)
    rest = np.zeros(means.shape)
    if sampling.escalate:
        more = rng.binomial(bad - inside, detect)
        hit = found > 0
        found = found + np.where(hit, more, 0)
        rest = np.where(hit, whole - size, 0).astype(np.float64)
    made = np.zeros((*means.shape, shares.shape[-1]), np.int64)
    made[..., 0] = found
    left = bad - found
    later = later_shares(shares)
    remaining = np.ones(len(later))
    for stage in range(1, later.shape[-1] - 1):
        if later[:, stage].any():
            chance = np.where(remaining > 0.0, later[:, stage] / np.maximum(remaining, np.finfo(float).tiny), 0.0)
            made[..., stage] = rng.binomial(left, np.broadcast_to(np.minimum(chance, 1.0)[:, None], means.shape))
            left = left - made[..., stage]
            remaining = remaining - later[:, stage]
    made[..., -1] = left
    return made, rest


def expected_sampled(
    means: np.ndarray, pieces: np.ndarray, shares: np.ndarray, sampling: Sampling
) -> tuple[np.ndarray, np.ndarray]:
    """Expected faults by catch ``[S, M, C]`` and pieces inspected beyond the sample ``[S, M]``, in closed form.

    In a lot much larger than its faults those inside the sample and those outside are independent Poisson numbers: the
    sample finds any with probability 1 - exp(-mean x share x detect).
    """
    whole, size = sampling.sizes(pieces)
    inside = means * (size / np.maximum(whole, 1))
    detect = sampling.detect[:, None]
    found = inside * detect
    rest = np.zeros(found.shape)
    if sampling.escalate:
        any_found = 1.0 - np.exp(-found)
        found = found + any_found * (means - inside) * detect
        rest = any_found * (whole - size)
    made = (means - found)[:, :, None] * later_shares(shares)[:, None, :]
    made[..., 0] = found
    return made, rest
