"""Worked examples of fibre polarity, loss, counts and laying, reproduced by the product's functions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from asbuilt.physics.cable_pull import (
    Straight,
    Turn,
    bend_radius_mm,
    cable_area_mm2,
    cables_that_fit,
    needed_length_m,
    pull_tensions_n,
    stock_length_m,
    tray_fill_percent,
)
from asbuilt.physics.optical_loss import channel_loss_db, loss_margin_db
from asbuilt.physics.polarity import channel_map, channel_works, duplex_works, element_map
from asbuilt.physics.trunk_count import spare_trunks, trunks_needed


def test_f1_maps_of_12_fibre_elements() -> None:
    """ANSI/TIA-568.3 array cable types A, B and C and array adapters A and B."""
    straight = tuple(range(1, 13))
    assert element_map("A", 12) == straight
    assert element_map("B", 12) == tuple(range(12, 0, -1))
    assert element_map("C", 12) == (2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11)
    assert element_map("adA", 12) == straight
    assert element_map("adB", 12) == tuple(13 - i for i in straight)


@pytest.mark.parametrize(
    ("elements", "works", "first", "fourth"),
    [
        ("B", True, 12, 9),
        ("A", False, 1, 4),
        ("C", False, 2, 3),
        ("B adA B", False, 1, 4),
        ("B adA B adA B", True, 12, 9),
        ("B adB B adB B", True, 12, 9),
        ("B adA B adB B", False, 1, 4),
        ("A adA B adA A", True, 12, 9),
        ("C adA C", False, 1, 4),
    ],
)
def test_f2_parallel_optics_over_composed_elements(elements: str, works: bool, first: int, fourth: int) -> None:
    """Composition of permutations; it works iff i -> 13 - i (Tx 1-4, Rx 12-9)."""
    far = channel_map(elements, 12)
    assert (far[0], far[3]) == (first, fourth)
    assert channel_works(elements, "mpo12") is works


@pytest.mark.parametrize(
    ("length_m", "attenuation", "pairs", "pair_db", "limit", "loss", "margin"),
    [
        (50.0, 3.0, 2.0, 0.35, 1.8, 0.85, 0.95),
        (100.0, 3.0, 4.0, 0.75, 1.8, 3.3, -1.5),
        (100.0, 3.0, 4.0, 0.35, 1.9, 1.7, 0.2),
        (150.0, 0.4, 4.0, 0.35, 3.0, 1.46, 1.54),
        (150.0, 0.4, 4.0, 0.75, 3.0, 3.06, -0.06),
        (500.0, 0.4, 4.0, 0.35, 3.0, 1.6, 1.4),
    ],
)
def test_f3_link_loss_budgets(
    length_m: float, attenuation: float, pairs: float, pair_db: float, limit: float, loss: float, margin: float
) -> None:
    """SR4, SR8 on OM4 (3.0 dB/km), DR4, DR8 on OS2 (0.4 dB/km); limits: TIA FOTC; 0.35 dB: NVIDIA structured cabling."""
    got = channel_loss_db(length_m, pairs, attenuation, pair_db)
    assert got == pytest.approx(loss, abs=1e-9)
    assert loss_margin_db(got, limit) == pytest.approx(margin, abs=1e-9)


def test_f4_trunk_counts_in_integers() -> None:
    """One port a trunk, 10 % spare: ceil(ports x 110 / 100). The float way over-counts at 720."""
    for ports, both in ((144, 159), (720, 792), (1, 2), (0, 0)):
        trunks = trunks_needed(ports, 8, 8)
        assert trunks == ports
        assert trunks + spare_trunks(trunks, 10) == both
    assert math.ceil(720 * 1.1) == 793
    many = np.array([144, 720, 1, 0])
    assert (many + spare_trunks(many, 10)).tolist() == [159, 792, 2, 0]


def test_f5_bend_radius() -> None:
    """TIA-568.3: 10 x OD at rest, 15 x under load, 20 x conservative."""
    assert bend_radius_mm(8.5, 10) == pytest.approx(85.0)
    assert bend_radius_mm(8.5, 15) == pytest.approx(127.5)
    assert bend_radius_mm(8.5, 20) == pytest.approx(170.0)
    assert bend_radius_mm(8.5, 10) > 80  # measured 80 mm: too tight


def test_f6_pull_tension() -> None:
    """20 m + 90 degrees + 20 m + 90 degrees, 0.10 kg/m, friction 0.3 (IEEE 1185)."""
    after = pull_tensions_n((Straight(20.0), Turn(), Straight(20.0), Turn()), 0.10, 0.3)
    assert after == pytest.approx((5.884, 9.426, 15.31, 24.526), abs=5e-4)
    assert after[-1] < 220


def test_f7_tray_fill() -> None:
    """300 x 100 mm, trunks of 8.5 mm (TIA-569, EN 50174-2)."""
    area = cable_area_mm2(8.5)
    assert area == pytest.approx(56.745, abs=5e-4)
    assert cables_that_fit(8.5, 300, 100, 40) == 211
    assert cables_that_fit(8.5, 300, 100, 50) == 264
    assert tray_fill_percent(200 * area, 300, 100) == pytest.approx(37.83, abs=5e-3)
    assert tray_fill_percent(250 * area, 300, 100) == pytest.approx(47.288, abs=5e-4)


def test_f11_trunk_length() -> None:
    """Route 23.4 m, drops 1.2 + 1.2, loops 1.5 + 1.5, 5 % slack; stock 10 to 50 m; multimode 50 m in all (NVIDIA)."""
    need = needed_length_m(23.4 + 1.2 + 1.2 + 1.5 + 1.5, 5.0)
    assert need == pytest.approx(30.24, abs=1e-9)
    order = stock_length_m(need, (10, 15, 20, 25, 30, 35, 40, 50))
    assert order == 35
    assert order <= 50


def test_f12_duplex_positions_through_the_three_methods() -> None:
    """TIA-568.3 methods A, B, C: near LC position, adapter, trunk, adapter, far LC position."""
    assert channel_map("adA A adA", 12) == tuple(range(1, 13))
    assert channel_map("adB B adB", 12) == tuple(range(12, 0, -1))
    assert channel_map("adA C adA", 12) == (2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11)
    # A needs one A-A cord, B and C crossed cords at both ends.
    assert duplex_works(channel_map("AB adA A adA AA", 12))
    assert not duplex_works(channel_map("AB adA A adA AB", 12))
    assert duplex_works(channel_map("AB adB B adB AB", 12))
    assert duplex_works(channel_map("AB adA C adA AB", 12))
