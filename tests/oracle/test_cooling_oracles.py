"""Coolant, pipes, couplings, rows and pumps against worked examples, and against pandapipes on random rows."""

from __future__ import annotations

import json
import math
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asbuilt.physics import coolant, hydraulics, pipe_sizes, pipes, psychrometrics, pumps
from asbuilt.physics.hydraulics import Branch, Row
from asbuilt.physics.pipe_sizes import KPA_PER_PSI, L_PER_GALLON
from asbuilt.physics.pipes import Bore
from requirements_of_tests import absent

pytestmark = pytest.mark.oracle

# Lenovo Press LP2357, GB300 NVL72 product guide, table 27: supply °C -> L/min and psi of one rack.
LP2357 = {25: (59, 2.3), 30: (71, 3.2), 35: (89, 4.9), 40: (119, 8.5), 45: (177, 18.4)}
HOSE = Bore(35.1, 3.0, 1.0)
RACK = Branch(177.0, 18.4 * KPA_PER_PSI, 1.8928, (HOSE, HOSE))


def row_of(nominal: str, racks: int) -> Row:
    """A direct return of equal racks: 5 m of feed, 0.8 m from rack to rack, K 0.3 a segment."""
    inside = pipe_sizes.inside_mm(nominal)
    return hydraulics.direct_return((RACK,) * racks, tuple(Bore(inside, 0.8 if i else 5.0, 0.3) for i in range(racks)))


@pytest.mark.parametrize(
    ("celsius", "density", "viscosity", "heat", "conductivity"),
    [
        (20, 1023.872, 2.4662, 3912.87, 0.468),
        (30, 1019.426, 1.7972, 3937.552, 0.478),
        (35, 1017.013, 1.5599, 3949.893, 0.483),
        (40, 1014.473, 1.3677, 3962.234, 0.487),
        (45, 1011.807, 1.2104, 3974.574, 0.491),
    ],
)
def test_l0_properties_of_pg25(celsius: float, density: float, viscosity: float, heat: float, conductivity: float) -> None:
    """CoolProp INCOMP::APG[0.25]."""
    found = coolant.fluid("pg25", celsius)
    assert round(found.density_kg_m3, 3) == density
    assert round(found.viscosity_pa_s * 1000, 4) == viscosity
    assert found.heat_j_kg_k == pytest.approx(heat, abs=0.002)
    assert round(found.conductivity_w_m_k, 3) == conductivity


def test_l1_flow_for_132_kw() -> None:
    """Q = P / (rho cp dT), PG25 at 35 °C; OCP's convention is 1.5 L/min for each kW at 10 K."""
    assert round(coolant.flow_l_min("pg25", 132, 10, 35), 3) == 197.157
    assert round(coolant.flow_l_min("pg25", 1, 10, 35), 4) == 1.4936
    assert round(coolant.flow_l_min("pg25", 1, 15, 35), 4) == 0.9957
    assert round(coolant.flow_l_min("pg25", 1, 5, 35), 4) == 2.9872
    # water with the round figures 994 kg/m³ and 4,178 J/(kg·K) is 1.4448; the fit gives the same to 0.1 %
    assert coolant.flow_l_min("water", 1, 10, 35) == pytest.approx(1.4448, rel=1e-3)


@pytest.mark.parametrize(
    ("supply", "back", "per_kw"),
    [(25, 55.74, 0.486), (30, 55.54, 0.584), (35, 55.37, 0.733), (40, 55.23, 0.979), (45, 55.24, 1.457)],
)
def test_l2_return_temperature_of_the_published_flows(supply: int, back: float, per_kw: float) -> None:
    """121.5 kW to PG25: the return stays near 55 °C, which is what sets the flow."""
    flow, _ = LP2357[supply]
    assert round(flow / 121.5, 3) == per_kw
    assert coolant.return_c("pg25", 121.5, flow, supply) == pytest.approx(back, abs=0.01)


def test_l2_loss_of_the_rack_follows_a_power() -> None:
    n = pipe_sizes.exponent(LP2357[25], LP2357[45])
    assert round(n, 4) == 1.8928
    assert round(pipe_sizes.drop_at(198, 177, 18.4, n), 2) == 22.75
    # 130 L/min, where the MGX rack specification wants about 10 psi: from the point of 40 °C on
    assert round(pipe_sizes.drop_at(130, *LP2357[40], n), 3) == 10.048


def test_l3_couplings_by_cv() -> None:
    """dP[psi] = SG (Q[gpm]/Cv)²; least Cv by OCP UQD 1.0; PG25 of 1,019.2 kg/m³. 1.7 and 4.7 gpm are 6.4 and 17.8 L/min."""
    gallons = L_PER_GALLON
    assert round(pipes.coupling_kpa(1.7 * gallons, 0.80, 1000.0), 3) == 31.134
    assert round(pipes.coupling_kpa(1.7 * gallons, 0.80, 1019.2), 3) == 31.732
    assert round(pipes.coupling_kpa(9.5, 1.60, 1019.2), 3) == 17.289
    assert round(pipes.coupling_kpa(4.7 * gallons, 2.50, 1019.2), 3) == 24.837
    assert round(2 * pipes.coupling_kpa(1.7 * gallons, 0.80, 1019.2), 2) == 63.46
    assert round(pipe_sizes.KV_OF_CV, 6) == 0.864978


@pytest.mark.parametrize(
    ("nominal", "speed", "re", "factor", "drop_pa"),
    [("DN100", 3.589, 253179, 0.01613, 9762.3), ("DN150", 1.6109, 169622, 0.01681, 1373.7)],
)
def test_l4_header_segment(nominal: str, speed: float, re: float, factor: float, drop_pa: float) -> None:
    """1,980 L/min of PG25 at 35 °C through 10 m of schedule 10S pipe."""
    inside, at = pipe_sizes.inside_mm(nominal), coolant.fluid("pg25", 35)
    velocity = pipes.velocity_m_s(1980, inside)
    assert velocity == pytest.approx(speed, abs=5e-4)
    assert pipes.reynolds(velocity, inside, at) == pytest.approx(re, rel=1e-5)
    assert round(pipes.friction_factor(re, 0.015 / inside), 5) == factor
    assert pipes.loss_kpa(1980, Bore(inside, 10.0), at) * 1000 == pytest.approx(drop_pa, abs=0.2)


def test_l4_least_bore_for_a_velocity() -> None:
    """2.3 m/s: OCP, Modular TCS white paper."""
    assert round(pipes.least_inside_mm(1980, 2.3), 2) == 135.16
    assert (
        pipes.velocity_m_s(1980, pipe_sizes.inside_mm("DN100")) > 2.3 > pipes.velocity_m_s(1980, pipe_sizes.inside_mm("DN150"))
    )


@pytest.mark.parametrize(
    ("nominal", "racks", "pressure", "header", "near", "total", "speed"),
    [
        ("DN80", 2, 154.24, 1.945, 177.1, 354.1, 1.096),
        ("DN80", 4, 160.914, 8.618, 178.25, 709.8, 2.197),
        ("DN80", 8, 197.557, 45.261, 188.84, 1444.8, 4.472),
        ("DN80", 10, 233.371, 81.076, 200.57, 1839.5, 5.694),
        ("DN100", 2, 152.859, 0.563, 177.03, 354.0, 0.642),
        ("DN100", 4, 154.816, 2.521, 177.4, 708.6, 1.284),
        ("DN100", 8, 165.547, 13.251, 180.78, 1425.2, 2.583),
        ("DN100", 10, 175.783, 23.488, 184.59, 1792.3, 3.249),
        ("DN150", 2, 152.386, 0.091, 177.01, 354.0, 0.288),
        ("DN150", 4, 152.711, 0.416, 177.07, 708.1, 0.576),
        ("DN150", 8, 154.535, 2.24, 177.7, 1417.7, 1.153),
        ("DN150", 10, 156.28, 3.985, 178.41, 1774.1, 1.443),
    ],
)
def test_l5_what_a_pilot_hides(
    nominal: str, racks: int, pressure: float, header: float, near: float, total: float, speed: float
) -> None:
    """177 L/min at the far rack, PG25 at 50 °C: the header of ten racks loses forty times what that of two does."""
    found = hydraulics.for_far_flow(row_of(nominal, racks), coolant.fluid("pg25", 50), 177.0)
    assert round(found.pressure_kpa, 3) == pytest.approx(pressure, abs=0.002)
    assert float(found.header_kpa[-1]) == pytest.approx(header, abs=0.002)
    assert float(found.branch_kpa[-1]) == pytest.approx(152.295, abs=0.001)
    assert float(found.flow_l_min[0]) == pytest.approx(near, abs=0.006)
    assert float(found.flow_l_min[-1]) == pytest.approx(177.0, abs=1e-6)
    assert found.total_l_min == pytest.approx(total, abs=0.06)
    assert pipes.velocity_m_s(found.total_l_min, pipe_sizes.inside_mm(nominal)) == pytest.approx(speed, abs=6e-4)


@pytest.mark.parametrize(
    ("need", "flow", "available", "margin", "inside"),
    [
        (154.24, 354.1, 286.52, 85.76, False),
        (174.486, 1071.2, 258.13, 47.93, False),
        (197.557, 1444.8, 232.02, 17.44, True),
        (233.371, 1839.5, 196.01, -16.01, False),
        (152.859, 354.0, 286.52, 87.44, False),
        (158.812, 1064.9, 258.5, 62.77, False),
        (165.547, 1425.2, 233.58, 41.09, True),
        (175.783, 1792.3, 200.77, 14.21, True),
    ],
)
def test_l6_head_margin_as_arithmetic(need: float, flow: float, available: float, margin: float, inside: bool) -> None:
    """H = H0 - k Q² through 1,200 L/min at 2.5 bar and 1,800 at 2.0 (Vertiv SL-71309). The two points belong to two and three
    pumps, so this is the formula only; and the example calls flows below the first point inside, where nothing is published."""
    curve = pumps.curve_through(((1200, 250), (1800, 200)))
    assert curve is not None
    assert curve.at(flow) == pytest.approx(available, abs=0.02)
    assert pumps.margin_percent(curve.at(flow), need) == pytest.approx(margin, abs=0.02)
    assert (curve.published(flow) is not None) == inside


def test_l9_volume_glycol_and_expansion() -> None:
    """DN100, 12.2 m there and back, ten racks with two hoses of 3 m and 15 L each; from 20 to 60 °C."""
    header = coolant.pipe_litres(pipe_sizes.inside_mm("DN100"), 2 * 12.2)
    hoses = coolant.pipe_litres(35.1, 10 * 2 * 3.0)
    total = header + hoses + 150.0
    assert round(header, 2) == 224.35
    assert round(hoses, 2) == 58.06
    assert round(total, 2) == 432.41
    assert round(total * coolant.GLYCOL_FRACTION["pg25"], 1) == 108.1
    assert round(100 * coolant.expansion_fraction("pg25", 20, 60), 4) == 2.0763
    assert round(total * coolant.expansion_fraction("pg25", 20, 60), 3) == 8.978


def test_l10_flush_and_dew_point() -> None:
    """1.5 m/s in DN100, PG25 at 25 °C; Magnus with the coefficients of Alduchov and Eskridge."""
    assert pipes.reynolds(1.5, pipe_sizes.inside_mm("DN100"), coolant.fluid("pg25", 25)) == pytest.approx(79225, abs=1)
    assert round(psychrometrics.dew_point_c(24, 50), 3) == 12.939


def test_l12_manifold_clearance() -> None:
    """At least 1 U of 44.45 mm (EIA-310-E) between the top of the rack and the header above it."""
    assert [pipe_sizes.clear_mm(under, 2236) for under in (2300, 2270)] == [64, 34]
    assert [pipe_sizes.clear_mm(under, 2236) >= pipe_sizes.RACK_UNIT_MM for under in (2300, 2270)] == [True, False]


def test_a_row_of_a_hundred_gives_the_last_rack_what_was_asked() -> None:
    found = hydraulics.for_far_flow(row_of("DN300", 100), coolant.fluid("pg25", 50), 177.0)
    assert len(found.flow_l_min) == 100 and found.flow_l_min[-1] == pytest.approx(177.0)
    assert (np.diff(found.flow_l_min) <= 1e-6).all(), "a rack nearer to the pump never gets less"


def _random_row(draw: random.Random, count: int) -> dict[str, Any]:
    """A row with rising losses: racks that differ, a header wide enough that every branch stays turbulent."""
    at = coolant.fluid("pg25", draw.uniform(25, 50))
    header = draw.choice([n for n in ("DN80", "DN100", "DN125", "DN150") if count < 20 or n in ("DN125", "DN150")])
    inside = pipe_sizes.inside_mm(header)
    branches = [{"mm": draw.uniform(25, 40), "m": draw.uniform(2, 8), "k": draw.uniform(20, 120)} for _ in range(count)]
    segments = [{"mm": inside, "m": draw.uniform(0.6, 6), "k": draw.uniform(0, 1)} for _ in range(count)]
    return {
        "pressure_kpa": draw.uniform(80, 250),
        "density": at.density_kg_m3,
        "viscosity_pa_s": at.viscosity_pa_s,
        "roughness_mm": pipes.ROUGHNESS_MM,
        "segments": segments,
        "branches": branches,
    }


def _ours(row: dict[str, Any]) -> list[float]:
    """The same row by our solver; K of a branch as the power law with n = 2 (K rho v²/2)."""
    at = coolant.Fluid(row["density"], row["viscosity_pa_s"], 4000.0, 0.5)
    branches = []
    for b in row["branches"]:
        speed = pipes.velocity_m_s(100.0, b["mm"])
        branches.append(Branch(100.0, b["k"] * at.density_kg_m3 * speed**2 / 2000.0, 2.0, (Bore(b["mm"], b["m"]),)))
    segments = tuple(Bore(s["mm"], s["m"], s["k"]) for s in row["segments"])
    solved = hydraulics.for_pressure(hydraulics.direct_return(tuple(branches), segments), at, row["pressure_kpa"])
    return [float(q) for q in solved.flow_l_min]


def test_random_rows_agree_with_pandapipes(capsys: pytest.CaptureFixture[str]) -> None:
    """Constant properties, n = 2, Colebrook: within 0.1 % at every rack of eight rows of 2 to 30 racks."""
    python = Path(__file__).parents[2] / ".venv-oracle" / "bin" / "python"
    if not python.exists():
        absent("REQUIRE_REAL", "oracle: .venv-oracle with pandapipes is not set up (`make test` sets it up)")
    draw = random.Random(17)
    rows = [_random_row(draw, count) for count in (2, 3, 5, 8, 12, 17, 24, 30)]
    script = Path(__file__).with_name("hydraulics.py")
    done = subprocess.run([python, script], input=json.dumps(rows), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    theirs = json.loads(done.stdout)
    assert [len(flows) for flows in theirs] == [len(row["branches"]) for row in rows]
    worst = max(
        abs(own / other - 1)
        for row, flows in zip(rows, theirs, strict=True)
        for own, other in zip(_ours(row), flows, strict=True)
    )
    text = f"pandapipes, {sum(map(len, theirs))} racks of {len(rows)} random rows, at most {100 * worst:.4f} % apart"
    with capsys.disabled():
        print(f"\noracle: {text}", end="")
    assert worst < 1e-3
    assert math.isfinite(worst)
