"""Rows of racks: laws that any solution keeps, a ladder marched by hand, pumps, blends, errors."""

from __future__ import annotations

import numpy as np
import pytest

from asbuilt.physics import hydraulics, pipe_sizes, pipes, pumps
from asbuilt.physics.coolant import fluid
from asbuilt.physics.hydraulics import Branch
from asbuilt.physics.pipes import Bore

WATERY = fluid("pg25", 40)
RACK = Branch(119.0, 58.6, 1.8928, (Bore(35.1, 3.0, 1.0), Bore(35.1, 3.0, 1.0)), (30.0, 30.0))
SEGMENTS = tuple(Bore(108.2, 0.8 if i else 5.0, 0.3) for i in range(9))


def march(branch: Branch, segments: tuple[Bore, ...], far: float) -> list[float]:
    """Flows of a direct return by walking from the far rack to the pump, each branch by bisection."""
    flows = [far]
    pressure = hydraulics.branch_kpa(branch, far, WATERY)
    for segment in reversed(segments[1:]):
        pressure += 2 * pipes.loss_kpa(sum(flows), segment, WATERY)
        low, high = 0.0, 10 * far
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if hydraulics.branch_kpa(branch, middle, WATERY) < pressure else (low, middle)
        flows.append((low + high) / 2)
    return flows[::-1]


def test_a_ladder_marched_from_the_far_rack_gives_the_same_flows() -> None:
    found = hydraulics.for_far_flow(hydraulics.direct_return((RACK,) * 9, SEGMENTS), WATERY, 119.0)
    assert found.flow_l_min == pytest.approx(march(RACK, SEGMENTS, 119.0), rel=1e-7)


def test_a_pump_of_that_pressure_gives_the_far_rack_its_flow_again() -> None:
    row = hydraulics.direct_return((RACK,) * 9, SEGMENTS)
    wanted = hydraulics.for_far_flow(row, WATERY, 119.0)
    assert hydraulics.for_pressure(row, WATERY, wanted.pressure_kpa).flow_l_min == pytest.approx(wanted.flow_l_min, rel=1e-7)
    total = wanted.total_l_min
    curve = pumps.curve_through(((total / 2, wanted.pressure_kpa + 50.0), (total, wanted.pressure_kpa)))
    assert curve is not None
    by_pump = hydraulics.for_pump(row, WATERY, curve)
    assert by_pump.total_l_min == pytest.approx(total, rel=1e-7)
    assert by_pump.pressure_kpa == pytest.approx(wanted.pressure_kpa, rel=1e-7)


def test_every_branch_sees_the_pressure_of_the_pump() -> None:
    odd = tuple(Branch(100.0 + 9 * i, 40.0 + 3 * i, 1.75 + 0.02 * i, RACK.hoses) for i in range(9))
    found = hydraulics.for_pressure(hydraulics.direct_return(odd, SEGMENTS), WATERY, 120.0)
    assert found.branch_kpa + found.header_kpa == pytest.approx(np.full(9, 120.0), abs=1e-5)
    assert found.segment_l_min[0] == pytest.approx(found.total_l_min)
    assert found.segment_l_min[-1] == pytest.approx(found.flow_l_min[-1])


def test_a_reverse_return_is_symmetric_and_serves_the_middle_worst() -> None:
    even = tuple(Bore(82.8, 0.8, 0.3) for _ in range(9))
    row = hydraulics.reverse_return((RACK,) * 9, even, Bore(82.8, 7.2, 0.3))
    found = hydraulics.for_least_flow(row, WATERY, 119.0)
    assert int(found.flow_l_min.argmin()) == 4
    assert found.flow_l_min.min() == pytest.approx(119.0)
    assert found.flow_l_min == pytest.approx(found.flow_l_min[::-1], rel=1e-7)
    direct = hydraulics.for_far_flow(hydraulics.direct_return((RACK,) * 9, even), WATERY, 119.0)
    assert np.ptp(found.flow_l_min) < np.ptp(direct.flow_l_min) / 2.5


def test_two_arms_of_one_pump_ask_for_less_than_one_long_row() -> None:
    arms = [hydraulics.direct_return((RACK,) * n, SEGMENTS[:n]) for n in (5, 4)]
    both = hydraulics.for_least_flow(hydraulics.centre_feed(*arms), WATERY, 119.0)
    assert both.flow_l_min.min() == pytest.approx(119.0)
    assert int(both.flow_l_min.argmin()) == 4
    alone = hydraulics.for_far_flow(arms[0], WATERY, 119.0)
    assert both.pressure_kpa == pytest.approx(alone.pressure_kpa, rel=1e-9)


def test_friction_has_no_step_between_laminar_and_turbulent() -> None:
    re = np.linspace(1990.0, 4010.0, 2021)
    factor = pipes.friction(re, np.full(len(re), 1e-4))
    assert factor[0] == pytest.approx(64.0 / 1990.0)
    assert np.abs(np.diff(factor)).max() < 1e-4
    drop = factor * re**2
    assert (np.diff(drop) > 0).all(), "more flow, more loss"


def test_flow_that_turns_loses_the_same_the_other_way() -> None:
    bore = Bore(50.0, 3.0, 1.0)
    assert pipes.loss_kpa(-80.0, bore, WATERY) == -pipes.loss_kpa(80.0, bore, WATERY)
    assert pipes.loss_kpa(0.0, bore, WATERY) == 0.0


def test_pumps_by_affinity_and_in_parallel() -> None:
    curve = pumps.curve_through(((600.0, 250.0), (900.0, 200.0)))
    assert curve is not None
    pair = curve.in_parallel(2)
    assert pair.at(1200.0) == pytest.approx(250.0)
    assert (pair.first_l_min, pair.last_l_min) == (1200.0, 1800.0)
    slow = curve.at_speed(0.5)
    assert slow.at(300.0) == pytest.approx(250.0 / 4)


def test_a_flow_that_nobody_published_has_no_head() -> None:
    curve = pumps.curve_through(((1200.0, 250.0), (1800.0, 200.0)))
    assert curve is not None
    assert [(curve.where(q), curve.published(q)) for q in (1199.0, 1200.0, 1801.0)] == [
        (pumps.BELOW, None),
        (pumps.INSIDE, pytest.approx(250.0)),
        (pumps.ABOVE, None),
    ]
    single = pumps.curve_through(((1200.0, 250.0),))
    assert single is not None
    assert [single.published(q) for q in (600.0, 1200.0)] == [None, 250.0]
    assert pumps.curve_through(()) is None


@pytest.mark.parametrize(
    ("points", "text"),
    [
        (((1200.0, 200.0), (1800.0, 250.0)), "a pump curve cannot rise from 200 kPa at 1200 L/min to 250 kPa at 1800 L/min"),
        (((0.0, 200.0),), "flow and pressure of a pump curve must be positive"),
        (((float("nan"), 200.0),), "flow and pressure of a pump curve must be positive"),
    ],
)
def test_points_that_are_no_pump_are_refused(points: tuple[tuple[float, float], ...], text: str) -> None:
    with pytest.raises(ValueError) as told:
        pumps.curve_through(points)
    assert str(told.value) == text


def test_a_pipe_that_is_no_standard_size_is_refused() -> None:
    with pytest.raises(ValueError) as told:
        pipe_sizes.inside_mm("DN90")
    assert str(told.value) == (
        "no inside diameter of 'DN90': known are DN25, DN32, DN40, DN50, DN65, DN80, DN100, DN125, DN150, DN200, DN250, DN300"
    )
