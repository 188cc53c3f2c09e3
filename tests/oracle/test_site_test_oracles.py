"""Worked examples of tests on site and of floor loads, each figure beside the published rule that it follows from."""

from __future__ import annotations

import pytest

from asbuilt.physics import floor_load

pytestmark = pytest.mark.oracle


def test_m1_floor_of_a_rack_of_1360_kg() -> None:
    """TIA-942 rated-3 live load of 12 kPa; IBM floor-loading rule: a third of a rack on one tile, of both where they share one."""
    kg, width, depth = 1360.0, 600.0, 1200.0
    footprint = floor_load.footprint_kpa(kg, width, depth)
    shared = floor_load.shared_kpa(kg, width, depth, 1200.0, 1200.0)
    assert footprint == pytest.approx(18.524, abs=5e-4)
    assert shared == pytest.approx(9.262, abs=5e-4)
    assert (footprint <= 12, shared <= 12) == (False, True)
    assert floor_load.caster_equal_kn(kg) == pytest.approx(3.334, abs=5e-4)
    assert floor_load.caster_kn(kg) == pytest.approx(4.446, abs=5e-4)
    assert floor_load.caster_moving_kn(kg) == pytest.approx(6.669, abs=5e-4)
    assert floor_load.shared_tile_kn(kg, kg) == pytest.approx(8.891, abs=5e-4)


def test_what_lies_in_the_aisle_adds_to_the_shared_load() -> None:
    """73 kg/m2 (15 lb/ft2, IBM) on 1.2 m of aisle: half of it, 0.72 m2 a rack, is this rack's."""
    loaded = floor_load.shared_kpa(1360.0, 600.0, 1200.0, 1200.0, 1200.0, 73.0)
    assert loaded == pytest.approx((1360 + 73 * 0.72) * 9.80665 / 1.44 / 1000, rel=1e-12)
