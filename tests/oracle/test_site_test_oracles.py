"""Worked examples of tests on site and of floor loads, each figure beside the published rule that it follows from."""

from __future__ import annotations

import pytest

from asbuilt.physics import floor_load, pressure_test, torque
from asbuilt.physics.pressure_test import Gauge, HoldLimits, Proof, Reading

pytestmark = pytest.mark.oracle


def test_m1_floor_of_a_rack_of_1360_kg() -> None:
    """TIA-942 rated-3 live load of 12 kPa; IBM floor rule: a third of a rack on one tile, of both where they share one."""
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


def test_l7_nitrogen_from_22_to_18_degrees() -> None:
    """Ideal gas at constant volume, p2/T2 = p1/T1 in absolute pressure; leak = V dp/dt."""
    start, end = Reading(550.0, 22.0), Reading(539.0, 18.0)
    held = pressure_test.hold(start, end, hours=24.0, volume_l=120.0, gauge=Gauge(5.0), limits=HoldLimits(hours=24.0))
    assert held.expected_kpa is not None and held.drop_mbar is not None and held.leak_mbar_l_s is not None
    assert held.expected_kpa / 100 == pytest.approx(5.41173, abs=5e-6)
    assert (start.gauge_kpa - held.expected_kpa) * 10 == pytest.approx(88.27, abs=5e-3)
    assert held.raw_mbar == pytest.approx(110.0)
    assert held.drop_mbar == pytest.approx(21.73, abs=5e-3)
    assert held.leak_mbar_l_s == pytest.approx(0.03018, abs=5e-6)
    assert held.verdict is Proof.FAIL
    naive = 550.0 * (18 + 273.15) / (22 + 273.15)
    assert (held.expected_kpa - naive) * 10 == pytest.approx(-13.732, abs=5e-4)


def test_l8_test_pressures_of_a_loop_for_5_bar() -> None:
    """ASME B31.3 345.4.2, 345.5.2, 345.5.4; stored energy ASME PCC-2 annex 501-II with TNT at 4266.92 kJ/kg."""
    pressures = pressure_test.pressures_from({"rack": 500.0, "pump skid": 600.0})
    assert pressures is not None
    assert (pressures.weakest, pressures.working_kpa) == ("rack", 500.0)
    assert pressures.pneumatic_kpa == pytest.approx(550.0)
    assert pressures.relief_kpa == pytest.approx(605.0)
    assert pressures.hydrostatic_kpa == pytest.approx(750.0)
    assert pressures.bears(1500.0)
    energy = pressure_test.stored_energy_j(550.0, 120.0)
    assert energy == pytest.approx(80572.0, abs=0.5)
    assert pressure_test.tnt_g(energy) == pytest.approx(18.88, abs=5e-3)


def test_l10_reynolds_of_a_flush() -> None:
    """DN100 (108.2 mm) at 1.5 m/s in PG25 at 25 degrees, 1021.7 kg/m3 and 2.093 mPa s (ASHRAE polynomials)."""
    number = pressure_test.reynolds(1.5, 108.2, 1021.71, 2.09308)
    assert number == pytest.approx(79225, rel=1e-4)


def test_l11_torque_records_of_five_joints() -> None:
    """4.0 N m within 10 %; a missing record is a failure."""
    found = torque.readings(torque.TorqueSpec(4.0, 10.0), [3.9, 4.1, 4.5, 4.0, None])
    assert [str(j) for j in found.joints] == ["tight", "tight", "over", "tight", "missing"]
    assert not found.passed
    assert found.failed == (2, 4)
