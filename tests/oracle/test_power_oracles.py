"""Worked examples of power, and random busway rows solved by an independent program.

The examples were computed apart from this product, by hand formulas or other libraries; beside each stands what it is from.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asbuilt.physics import assignment, conductors, cords, earthing, protection, three_phase
from requirements_of_tests import absent

pytestmark = pytest.mark.oracle

ORACLE_PYTHON = Path(__file__).parents[2] / ".venv-oracle" / "bin" / "python"
#: Copper busway, phase conductor, Eaton Pow-R-Way III TD01701001E table 8: mΩ per 100 ft at 2,000 A, in mΩ/m.
R_2000, X_2000 = 0.76 / 30.48, 0.39 / 30.48
#: 6 AWG copper at 75 °C, NEC chapter 9 table 8, mΩ/m.
R_6AWG = 1.61


@pytest.mark.parametrize(
    ("rating", "volts", "basis", "power_factor", "kilovolt_amperes"),
    [
        (60, 415, "nec", 1.0, 34.502),
        (30, 415, "nec", 1.0, 17.251),
        (60, 208, "nec", 1.0, 17.293),  # HP power table: 17,292 VA
        (63, 400, "iec", 1.0, 43.648),
        (32, 415, "iec", 1.0, 23.002),
        (60, 415, "nec", 0.98, 33.812),
    ],
)
def test_p1_usable_power_of_a_rack_pdu(
    rating: float, volts: float, basis: str, power_factor: float, kilovolt_amperes: float
) -> None:
    """√3·U·I·pf at 80 % of the breaker (NEC), or at the device's own rating (IEC)."""
    usable = three_phase.usable_amperes(rating, basis)
    assert three_phase.watts(usable, volts, 3, power_factor) / 1e3 == pytest.approx(kilovolt_amperes, abs=5e-4)
    assert three_phase.watts(60, 415) / 1e3 == pytest.approx(43.128, abs=5e-4)


def test_p1_a_derated_nameplate_is_not_derated_twice() -> None:
    assert three_phase.usable_amperes([60, 48], "nec", [False, True]).tolist() == [48, 48]


def test_p2_feeds_of_a_132_kw_rack() -> None:
    """60 A at 415 V, power factor 0.98: N 4, N+1 5, 2N 8; four stand at 97.6 % of what they may carry."""
    usable = three_phase.watts(three_phase.usable_amperes(60, "nec"), 415, 3, 0.98)
    assert [int(three_phase.feeds_needed(132_000, usable, r)) for r in ("N", "N+1", "2N")] == [4, 5, 8]
    assert 132_000 / 4 / usable * 100 == pytest.approx(97.6, abs=0.05)


def test_p3_imbalance_of_45_52_38_a() -> None:
    phases = [45, 52, 38]
    assert three_phase.nema_unbalance(phases) * 100 == pytest.approx(15.5556, abs=5e-5)
    assert three_phase.spread(phases) * 100 == pytest.approx(31.1111, abs=5e-5)
    assert three_phase.neutral_amperes(phases) == pytest.approx(12.1244, abs=5e-5)
    assert three_phase.line_currents(phases) == pytest.approx([45, 52, 38, 12.1244], abs=5e-5)


def test_p4_line_currents_of_loads_between_phases() -> None:
    """Raritan and APC application notes: 16 A on each of three banks is 27.7 A in each phase."""
    lines = three_phase.between_phases([[16, 16, 16], [10, 5, 0]])
    assert lines == pytest.approx(np.array([[27.7128] * 3, [10.0, 13.2288, 5.0]]), abs=5e-5)
    assert three_phase.line_currents([0, 0, 0], [10, 5, 0]) == pytest.approx([10.0, 13.2288, 5.0, 0.0], abs=5e-5)


def test_p5_side_a_lost() -> None:
    """On each phase A + B goes over the 48 A that a 60 A breaker may carry, so neither side may stand above 24 A."""
    a, b = np.array([30, 28, 26]), np.array([27, 25, 30])
    usable = three_phase.usable_amperes(60, "nec")
    on_b = (a + b)[:, None] * three_phase.shares_with_lost([[1, 1]] * 3, 0)
    assert on_b[:, 1].tolist() == [57, 53, 56]
    assert on_b[:, 1] / usable * 100 == pytest.approx([118.75, 110.42, 116.67], abs=5e-3)
    assert on_b[:, 1] / 60 * 100 == pytest.approx([95.0, 88.33, 93.33], abs=5e-3)
    assert usable / 2 == 24.0
    assert (np.maximum(a, b) > usable / 2).tolist() == [True, True, True]


def test_p6_shelves_of_a_gb300_rack() -> None:
    """Eight shelves of 33 kW, N+N, 132 kW nominal and 155 kW peak: no margin with a side lost, 117 % at peak."""
    share = three_phase.shares_with_lost([[4, 4]], 0)[0]
    left = 4 * 33.0
    assert (share * 132 / 4).tolist() == [0.0, 33.0]  # each standing shelf at exactly its rating
    assert left - 132 == 0
    assert 155 / left * 100 == pytest.approx(117.42, abs=5e-3)
    assert (8 - 1) * 33 == 231
    assert three_phase.amperes(132_000, [50, 48], 1) == pytest.approx([2640, 2750])


def test_p7_drop_of_a_2000_a_busway() -> None:
    """30 m, ten racks of 132 kW, power factor 0.98."""
    current = three_phase.amperes(10 * 132_000, 415, 3, 0.98)
    at_end = conductors.drop_volts(current, 30, R_2000, X_2000, 0.98)
    spread_out = at_end * conductors.equal_taps(10)
    assert current == pytest.approx(1873.87, abs=5e-3)
    assert (at_end, at_end / 415 * 100) == (pytest.approx(2.6272, abs=5e-5), pytest.approx(0.6331, abs=5e-5))
    assert (spread_out, spread_out / 415 * 100) == (pytest.approx(1.445, abs=5e-4), pytest.approx(0.3482, abs=5e-5))
    half, halved = conductors.centre_fed(30, current)
    assert conductors.drop_volts(halved, half, R_2000, X_2000, 0.98) == pytest.approx(at_end / 4)


def test_p8_unbalanced_row() -> None:
    """Ten racks 3 m apart, 48.4/44.0/39.6 kW: pandapower 3.5.6, power-grid-model 1.12 and a sweep agreed to six digits."""
    row = conductors.sweep(np.tile([48_400, 44_000, 39_600], (10, 1)), np.full(10, 3.0), R_2000, X_2000, 415)
    assert np.abs(row.volts[-1]) * np.sqrt(3) / 415 == pytest.approx([0.995902, 0.997119, 0.997491], abs=5e-7)
    assert row.head_a == pytest.approx([2025.8, 1840.1, 1655.7], abs=0.05)
    assert row.neutral_a == pytest.approx(319.6, abs=0.05)
    assert row.lowest_share == pytest.approx(0.995902, abs=5e-7)


def test_p9_drop_of_a_whip() -> None:
    """15 m of 6 AWG at 48 A; with the ten taps of the busway 0.832 % in all."""
    whip = conductors.drop_volts(48, 15, R_6AWG)
    assert (whip, whip / 415 * 100) == (pytest.approx(2.0078, abs=5e-5), pytest.approx(0.4838, abs=5e-5))
    current = three_phase.amperes(10 * 132_000, 415, 3, 0.98)
    busway = conductors.drop_volts(current, 30, R_2000, X_2000, 0.98) * conductors.equal_taps(10)
    assert (whip + busway) / 415 * 100 == pytest.approx(0.832, abs=5e-4)


def test_p10_whips_of_unequal_length() -> None:
    """7.5, 7.5 and 9.0 m are 20 % apart, over a tolerance of 5 %."""
    assert conductors.length_spread(7.5, 9.0) * 100 == pytest.approx(20.0)


def test_p11_fault_at_the_pdu_and_selectivity() -> None:
    """65 kA, 30 m of busway, 10 m of 6 AWG (0.26 mΩ/m reactance): 13.2 kA; 400 A at 5 × above 60 A."""
    fault = protection.fault_amperes(415, 65_000, R_2000 * 30 + R_6AWG * 10, X_2000 * 30 + 0.26 * 10)
    assert fault == pytest.approx(13_223, abs=0.5)
    pickup = protection.earliest_pickup(2_000)
    assert pickup == 1600
    verdicts, reasons = protection.coordination(60, 400, pickup, [1_500, fault])
    assert verdicts.tolist() == ["selective", "not_proven"]
    assert reasons.tolist() == [
        "no fault reaches the upper pick-up",
        "the fault reaches the upper pick-up: needs the makers' selectivity table",
    ]


def test_p12_potential_between_racks() -> None:
    """24 supplies of 3.5 mA over 20 and 100 mΩ; one ampere; a 25 A test over 4 mΩ."""
    assert earthing.leakage_millivolts(3.5, 24, [20, 100]) == pytest.approx([1.68, 8.4])
    assert earthing.current_millivolts(1.0, [20, 100]).tolist() == [20.0, 100.0]
    assert earthing.current_millivolts(25, 4) == 100.0
    assert earthing.bond_milliohms(100, 25) == 4.0
    assert np.isnan(earthing.bond_milliohms(100, 0))


def test_p13_cord_of_a_3300_w_supply() -> None:
    """14.0 A at 240 V fits a C19; 16.2 A at 208 V does not, by neither rating."""
    current = three_phase.amperes(3300, [240, 208], 1, 0.98)
    assert current == pytest.approx([14.031, 16.189], abs=5e-4)
    iec = cords.rated_amperes(["C20", "C14"], ["C19", "C13"], "iec")
    assert iec.tolist() == [16, 10]
    assert cords.rated_amperes("C20", "C19", "nec") == 16  # 80 % of the 20 A of UL
    assert (current[0] <= iec).tolist() == [True, False]
    assert (current[1] <= iec).tolist() == [False, False]
    females = ["C13", "C13", "C19", "C15", "C13", "C13", "C19", "C19"]
    males = ["C14", "C20", "C20", "C14", "C16", "C14", "C14", "C20"]
    assert cords.mates(females, males).tolist() == [True, False, True, True, False, True, False, True]


def test_p14_longest_first() -> None:
    loads = [3300, 3300, 2750, 2100, 1700, 1600]
    dealt = assignment.deal(loads)
    assert dealt.tolist() == [0, 1, 2, 2, 0, 1]
    assert assignment.totals(loads, dealt).tolist() == [5000, 4900, 4850]
    assert three_phase.nema_unbalance(assignment.totals(loads, dealt)) * 100 == pytest.approx(1.6949, abs=5e-5)


def _random_rows(count: int) -> list[dict[str, Any]]:
    draw = np.random.default_rng(20)
    rows = []
    for _ in range(count):
        taps = int(draw.integers(1, 12))
        mean = draw.uniform(1e3, 60e3, (taps, 1))
        rows.append(
            {
                "sections_m": draw.uniform(0.3, 6.0, taps).tolist(),
                "r": float(draw.uniform(0.01, 0.12)),
                "x": float(draw.uniform(0.005, 0.06)),
                "loads_w": (mean * draw.uniform(0.0, 1.6, (taps, 3))).tolist(),
            }
        )
    return rows


def test_random_rows_agree_with_pandapower() -> None:
    """Voltages, phase and neutral currents of random unbalanced rows within 0.1 %, all rows swept at once."""
    if not ORACLE_PYTHON.exists():
        absent("REQUIRE_REAL", "oracle: .venv-oracle with pandapower is not set up (`make test` sets it up)")
    asked = {"volts": 415.0, "power_factor": 0.98, "rows": _random_rows(10)}
    script = Path(__file__).parent / "power_flow.py"
    ran = subprocess.run(
        [str(ORACLE_PYTHON), str(script)], input=json.dumps(asked), capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    theirs = json.loads(ran.stdout)
    most = max(len(row["sections_m"]) for row in asked["rows"])
    loads, sections = np.zeros((10, most, 3)), np.zeros((10, most))
    for index, row in enumerate(asked["rows"]):
        loads[index, : len(row["loads_w"])] = row["loads_w"]
        sections[index, : len(row["sections_m"])] = row["sections_m"]
    r, x = (np.array([row[name] for row in asked["rows"]]) for name in "rx")
    ours = conductors.sweep(loads, sections, r, x, 415.0, 0.98)
    assert ours.settled.all()
    for index, row in enumerate(theirs):
        shares = np.array(row["shares"])
        assert np.abs(ours.volts[index, : len(shares)]) * np.sqrt(3) / 415 == pytest.approx(shares, rel=1e-3)
        assert 1 - np.abs(ours.volts[index, : len(shares)]) * np.sqrt(3) / 415 == pytest.approx(1 - shares, rel=1e-3, abs=1e-7)
        assert ours.head_a[index] == pytest.approx(row["head_a"], rel=1e-3)
        assert ours.neutral_a[index] == pytest.approx(row["neutral_a"], rel=1e-3)
    assert min(np.array(row["shares"]).min() for row in theirs) < 0.99  # the rows are not trivial
