"""What a test on site proves: a hold under nitrogen, test pressures, a flush, torque records."""

from __future__ import annotations

from datetime import date

import pytest

from asbuilt.physics.pressure_test import (
    ROW_HOLD,
    Gauge,
    Hold,
    HoldLimits,
    Proof,
    Reading,
    flush,
    hold,
    leak_mbar_l_s,
    pressures_from,
    stored_energy_j,
    thermal_doubt_mbar,
)
from asbuilt.physics.torque import Tightness, TorqueRecord, TorqueSpec, readings, records, tightness

FINE = Gauge(5.0)
RACK_HOLD = HoldLimits()


def judged(start: Reading, end: Reading, hours: float = 1.0, gauge: Gauge = FINE, limits: HoldLimits = RACK_HOLD) -> Hold:
    return hold(start, end, hours=hours, volume_l=120.0, gauge=gauge, limits=limits)


def test_a_cold_night_is_not_a_leak() -> None:
    held = judged(Reading(550.0, 22.0), Reading(541.2, 18.0), 24.0, limits=ROW_HOLD)
    assert held.verdict is Proof.PASS
    assert held.raw_mbar == pytest.approx(88.0)
    assert held.drop_mbar == pytest.approx(-0.27, abs=0.01)
    assert held.reasons == ("temperature moved by 4.0 K: the correction is only as good as the thermometers",)


def test_a_rising_barometer_is_not_a_leak() -> None:
    held = judged(Reading(550.0, 20.0, 99.0), Reading(547.0, 20.0, 102.0))
    assert held.verdict is Proof.PASS
    assert held.raw_mbar == pytest.approx(30.0)
    assert held.drop_mbar == pytest.approx(0.0, abs=1e-9)


def test_a_leak_fails() -> None:
    held = judged(Reading(550.0, 20.0), Reading(547.0, 20.0))
    assert held.verdict is Proof.FAIL
    assert held.reasons == ("lost 30.0 mbar beyond what temperature and barometer explain, allowed are 20.0 mbar",)
    assert held.leak_mbar_l_s == pytest.approx(30.0 * 120 / 3600)


def test_a_leak_that_warming_hides_fails() -> None:
    held = judged(Reading(550.0, 18.0), Reading(550.0, 20.0))
    assert held.raw_mbar == 0
    assert held.verdict is Proof.FAIL
    assert held.drop_mbar == pytest.approx(44.7, abs=0.1)


def test_twice_the_accuracy_of_a_coarse_gauge_is_allowed() -> None:
    held = judged(Reading(550.0, 20.0), Reading(547.0, 20.0), gauge=Gauge(25.0))
    assert (held.verdict, held.allowed_mbar) == (Proof.PASS, 50.0)


@pytest.mark.parametrize(
    ("start", "end", "hours", "gauge", "reason"),
    [
        (
            Reading(550.0, None), Reading(550.0, 20.0), 1.0, FINE,
            "no temperature of the gas at both ends of the hold: pressure alone cannot tell cold from a leak",
        ),
        (Reading(550.0, 20.0), Reading(550.0, 20.0), 0.5, FINE, "held 0.5 h, asked are 1 h"),
        (
            Reading(550.0, 20.0), Reading(550.0, 20.0, drift_k_h=-0.8), 1.0, FINE,
            "the gas was not at rest: 0.8 K/h, at most 0.5 K/h",
        ),
        (Reading(550.0, 20.0), Reading(550.0, 20.0), 1.0, Gauge(None), "the accuracy of the gauge is not known"),
        (
            Reading(550.0, 20.0), Reading(550.0, 20.0), 1.0, Gauge(5.0, 0.5),
            "the thermometers leave 22.2 mbar open, more than the limit of 20.0 mbar",
        ),
        (
            Reading(550.0, 20.0), Reading(553.0, 20.0), 1.0, FINE,
            "pressure rose by 30.0 mbar beyond what temperature explains: a thermometer is wrong, or gas comes in",
        ),
        (
            Reading(550.0, 20.0), Reading(547.0, 20.0), 1.0, Gauge(5.0, 0.3),
            "lost 30.0 mbar; allowed are 20.0 mbar, and the instruments leave 13.3 mbar open",
        ),
    ],
)  # fmt: skip
def test_what_is_left_open_is_not_a_pass(start: Reading, end: Reading, hours: float, gauge: Gauge, reason: str) -> None:
    held = judged(start, end, hours, gauge)
    assert held.verdict is Proof.NOT_PROVEN
    assert held.reasons[0] == reason


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 0.0, -1.0])
def test_hours_and_volume_are_positive_numbers(wrong: float) -> None:
    with pytest.raises(ValueError, match="hours and volume must be positive numbers"):
        hold(Reading(550.0, 20.0), Reading(550.0, 20.0), hours=wrong, volume_l=1.0, gauge=FINE)
    with pytest.raises(ValueError, match="hours and volume must be positive numbers"):
        hold(Reading(550.0, 20.0), Reading(550.0, 20.0), hours=1.0, volume_l=wrong, gauge=FINE)


@pytest.mark.parametrize(
    ("reading", "text"),
    [
        (Reading(float("nan"), 20.0), "readings must be numbers"),
        (Reading(550.0, float("inf")), "readings must be numbers"),
        (Reading(-200.0, 20.0), "readings must lie above vacuum and absolute zero"),
        (Reading(550.0, -300.0), "readings must lie above vacuum and absolute zero"),
    ],
)
def test_readings_are_numbers(reading: Reading, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        judged(reading, Reading(550.0, 20.0))


def test_one_kelvin_at_5_5_bar_is_22_mbar() -> None:
    assert thermal_doubt_mbar(Reading(550.0, 22.0), 0.5) == pytest.approx(22.07, abs=0.01)


def test_small_leaks_of_large_volumes() -> None:
    assert leak_mbar_l_s(20.0, 430.0, 24.0) == pytest.approx(0.0995, abs=1e-4)


def test_the_weakest_part_sets_the_pressure() -> None:
    loop = pressures_from({"rack": 500.0, "rack manifold": 344.7, "CDU": 275.8})
    assert loop is not None
    assert (loop.weakest, loop.working_kpa) == ("CDU", 275.8)
    assert loop.pneumatic_kpa == pytest.approx(303.38)
    assert loop.bears(414.0)
    assert not loop.bears(413.0)


def test_an_unknown_part_leaves_no_test_pressure() -> None:
    assert pressures_from({"rack": 500.0, "hose": None}) is None
    assert pressures_from({"rack": float("nan")}) is None
    assert pressures_from({}) is None


def test_relief_of_high_pressures_is_50_psi_above() -> None:
    loop = pressures_from({"pipe": 10_000.0})
    assert loop is not None
    assert loop.relief_kpa == pytest.approx(11_000 + 344.737865)


def test_stored_energy_grows_with_the_volume() -> None:
    assert stored_energy_j(550.0, 240.0) == pytest.approx(2 * stored_energy_j(550.0, 120.0))
    assert stored_energy_j(0.0, 120.0) == 0


@pytest.mark.parametrize(
    ("flow", "diameter", "verdict"),
    [(830.0, 108.2, Proof.PASS), (820.0, 108.2, Proof.FAIL), (5.0, 8.4, Proof.FAIL)],
    ids=["1.504 m/s", "1.486 m/s", "1.504 m/s and Re 6,167"],
)
def test_a_flush_is_fast_and_turbulent(flow: float, diameter: float, verdict: Proof) -> None:
    assert flush(flow, diameter, 1021.7, 2.093, 1.5) is verdict


SPEC = TorqueSpec(4.0, 10.0)


@pytest.mark.parametrize(
    ("reading", "verdict"),
    [
        (3.6, Tightness.TIGHT),
        (4.4, Tightness.TIGHT),
        (3.59, Tightness.LOOSE),
        (4.41, Tightness.OVER),
        (None, Tightness.MISSING),
        (float("nan"), Tightness.MISSING),
        (float("inf"), Tightness.MISSING),
        (0.0, Tightness.LOOSE),
    ],
)
def test_one_joint(reading: float | None, verdict: Tightness) -> None:
    assert tightness(SPEC, reading) is verdict


def test_a_joint_without_a_figure_is_unproven() -> None:
    found = readings(None, [4.0, None])
    assert found.joints == (Tightness.UNPROVEN, Tightness.MISSING)
    assert (found.failed, found.unproven, found.passed) == ((1,), (0,), False)


def test_no_joints_are_no_pass() -> None:
    assert not readings(SPEC, []).passed


def test_a_record_counts_with_instrument_calibration_and_mark() -> None:
    day, until = date(2026, 3, 2), date(2026, 9, 1)
    whole = TorqueRecord("clamp 1", SPEC, 4.0, "TW-07", until, day, True)
    assert records([whole]).passed
    lacking = [
        TorqueRecord("clamp 2", SPEC, 4.0, " ", until, day, True),
        TorqueRecord("clamp 3", SPEC, 4.0, "TW-07", None, day, True),
        TorqueRecord("clamp 4", SPEC, 4.0, "TW-07", date(2026, 3, 1), day, True),
        TorqueRecord("clamp 5", SPEC, 4.0, "TW-07", until, day, False),
        TorqueRecord("clamp 6", SPEC, 4.0, "TW-07", until, None, True),
    ]
    assert records([whole, *lacking]).unproven == (1, 2, 3, 4, 5)
    loose = TorqueRecord("clamp 7", SPEC, 3.0)
    assert records([loose]).failed == (0,)
