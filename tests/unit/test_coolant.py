"""Coolants and air: water against tables, balances, errors."""

from __future__ import annotations

import pytest

from asbuilt.physics import coolant, psychrometrics


@pytest.mark.parametrize(
    ("celsius", "density", "viscosity", "heat"),
    [(20.0, 998.2, 1.0016, 4184), (25.0, 997.05, 0.8900, 4182), (40.0, 992.2, 0.6527, 4179), (60.0, 983.2, 0.4664, 4185)],
)
def test_water_agrees_with_the_steam_tables(celsius: float, density: float, viscosity: float, heat: float) -> None:
    """IAPWS-95 and IAPWS 2008 viscosity, at 101.325 kPa."""
    found = coolant.fluid("water", celsius)
    assert found.density_kg_m3 == pytest.approx(density, rel=2e-4)
    assert found.viscosity_pa_s * 1000 == pytest.approx(viscosity, rel=0.01)
    assert found.heat_j_kg_k == pytest.approx(heat, rel=1e-3)


def test_inhibited_fluid_is_thicker_and_otherwise_the_same() -> None:
    plain, thick = coolant.fluid("pg25", 30), coolant.fluid("pg25", 30, 1.15)
    assert thick.viscosity_pa_s == pytest.approx(1.15 * plain.viscosity_pa_s)
    assert (thick.density_kg_m3, thick.heat_j_kg_k) == (plain.density_kg_m3, plain.heat_j_kg_k)


@pytest.mark.parametrize("name", ["pg25", "water"])
def test_return_temperature_and_flow_are_one_balance(name: str) -> None:
    back = coolant.return_c(name, 100.0, 150.0, 30.0)
    assert coolant.flow_l_min(name, 100.0, back - 30.0, (30.0 + back) / 2) == pytest.approx(150.0)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (("oil", 20.0, 1.0), "no properties of coolant 'oil': known are pg25 and water"),
        (("pg25", 80.0, 1.0), "pg25 at 80 °C: its properties are known from 5 to 70 °C"),
        (("pg25", float("nan"), 1.0), "pg25 at nan °C: its properties are known from 5 to 70 °C"),
        (("water", -1.0, 1.0), "water at -1 °C: its properties are known from 0 to 150 °C"),
        (("pg25", 20.0, 0.0), "a viscosity factor of 0 is not a positive number"),
    ],
)
def test_what_is_not_known_is_refused(asked: tuple[str, float, float], text: str) -> None:
    with pytest.raises(ValueError) as told:
        coolant.fluid(*asked)
    assert str(told.value) == text


def test_dew_point_meets_the_air_at_saturation() -> None:
    assert psychrometrics.dew_point_c(24.0, 100.0) == pytest.approx(24.0)
    with pytest.raises(ValueError) as told:
        psychrometrics.dew_point_c(24.0, 0.0)
    assert str(told.value) == "a relative humidity of 0 % is not above 0 and up to 100 %"


def test_air_takes_a_heat_at_a_rise() -> None:
    flow = psychrometrics.air_m3_h(14.2, 15.0)
    assert flow == pytest.approx(2861.0, rel=1e-3)
    assert psychrometrics.air_rise_k(14.2, flow) == pytest.approx(15.0)
    assert flow * psychrometrics.CFM_PER_M3_H == pytest.approx(1684, rel=1e-3)
