"""Quantiles of the gamma distribution against printed tables, closed forms and draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from asbuilt.decide.gamma import log_quantiles, quantile, shape_of_ratio, table, tails

#: Percentage points of chi-square: degrees of freedom, share below, value. NIST/SEMATECH e-Handbook of Statistical Methods,
#: section 1.3.6.7.4 (a chi-square variable is twice a gamma variable of half its degrees of freedom).
CHI_SQUARE = (
    (1, 0.90, 2.706),
    (1, 0.95, 3.841),
    (2, 0.95, 5.991),
    (2, 0.05, 0.103),
    (5, 0.95, 11.070),
    (5, 0.05, 1.145),
    (10, 0.95, 18.307),
    (10, 0.05, 3.940),
    (50, 0.95, 67.505),
    (50, 0.05, 34.764),
    (100, 0.95, 124.342),
    (100, 0.05, 77.929),
)


@pytest.mark.oracle
@pytest.mark.parametrize("row", CHI_SQUARE, ids=lambda row: f"{row[0]}-{row[1]}")
def test_printed_percentage_points_of_chi_square(row: tuple[int, float, float]) -> None:
    degrees, share, printed = row
    assert 2.0 * quantile(degrees / 2.0, 1.0, share) == pytest.approx(printed, abs=6e-4)


@pytest.mark.parametrize("share", (0.001, 0.05, 0.5, 0.95, 0.999))
def test_shape_one_is_the_exponential_distribution(share: float) -> None:
    assert quantile(1.0, 4.0, share) == pytest.approx(-math.log(1.0 - share) / 4.0, rel=1e-10)


@pytest.mark.parametrize("shape", (0.02, 0.3, 1.0, 7.0, 300.0, 15_000.0))
def test_the_share_below_a_quantile_is_the_share_asked(shape: float) -> None:
    scores = np.array([-6.0, -1.0, 0.0, 0.5, 5.0])
    below, above = tails(shape, log_quantiles(shape, scores))
    asked = np.array([0.5 * math.erfc(-score / math.sqrt(2.0)) for score in scores])
    assert below == pytest.approx(asked, rel=1e-9)
    assert above[-1] == pytest.approx(0.5 * math.erfc(5.0 / math.sqrt(2.0)), rel=1e-9), "the small tail keeps its digits"


def test_the_cube_takes_over_without_a_step() -> None:
    below, above = quantile(19_999.0, 19_999.0, 0.95), quantile(20_001.0, 20_001.0, 0.95)
    assert below == pytest.approx(above, rel=1e-6)


@pytest.mark.parametrize("shape", (0.5, 2.0, 50.0))
def test_mean_and_variance_of_tabled_draws(shape: float) -> None:
    n = 200_000
    made = np.exp(np.interp(np.random.default_rng(3).standard_normal(n), *table(shape)))
    assert abs(made.mean() - shape) < 3.0 * math.sqrt(shape / n)
    fourth = 3.0 * shape**2 + 6.0 * shape  # central, of a gamma variable
    assert abs(made.var() - shape) < 3.0 * math.sqrt((fourth - shape**2) / n)


@pytest.mark.parametrize("ratio", (1.01, 2.4, 13.4, 1000.0, 1e6))
def test_the_shape_gives_the_ratio_back(ratio: float) -> None:
    shape = shape_of_ratio(ratio, 0.05)
    assert quantile(shape, 1.0, 0.95) / quantile(shape, 1.0, 0.05) == pytest.approx(ratio, rel=1e-6)


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^the shape of a gamma distribution is positive, not 0$"):
        quantile(0.0, 1.0, 0.5)
    with pytest.raises(ValueError, match=r"^the rate of a gamma distribution is positive, not -1$"):
        quantile(1.0, -1.0, 0.5)
    with pytest.raises(ValueError, match=r"^a quantile is asked at a share between 0 and 1, not 1$"):
        quantile(1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"^a spread is the high value over the low one, above 1, not 1$"):
        shape_of_ratio(1.0, 0.05)
