"""Checks of cooling on small plans: one cause is one finding, what follows from it is not told again, unknown never passes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl
import pytest

from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.model.verdict import Finding, Verdict
from asbuilt.plan.expectations_cooling import banned_materials
from cooling_plans import told
from template_plans import expanded

BLANK: dict[str, Any] = {"str": "", "i64": 0, "i32": 0, "u64": 0, "f64": 0.0, "bool": False}
LIMITS = (
    ("COO-001", "*", "2.3", "m/s"),
    ("COO-002", "*", "5", "%"),
    ("COO-003", "*", "1", "ratio"),
    ("COO-004", "*", "1.83", "m/s"),
    ("COO-010", "*", "20", "%"),
    ("COO-010", "worst", "0", "%"),
)


def table(name: str, rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    schema = PLAN_TABLES[name]
    blank = {c.name: None if c.nullable else BLANK[c.dtype] for c in schema.columns}
    return pl.DataFrame([blank | row for row in rows], schema=schema.polars(), strict=False)


def rows_of(loops: int, *, header: str, inside: float, velocity: float) -> dict[str, pl.DataFrame]:
    """Loops of ten racks each, two of which stand, all with the same header."""
    names = [f"loop:{chr(65 + i)}" for i in range(loops)]
    segments = [
        {
            "segment": f"segment:{loop}/{side[0]}{number}", "loop": loop, "number": number, "side": side, "nominal": header,
            "id_mm": inside, "flow_l_min": 1800.0 * (11 - number) / 10, "flow_now_l_min": 360.0 if number == 1 else 0.0,
            "velocity_m_s": velocity * (11 - number) / 10,
        }
        for loop in names for number in range(1, 11) for side in ("supply", "return")
    ]  # fmt: skip
    branches = [
        {
            "branch": f"branch:rack:{loop[-1]}-{i:02}", "rack": f"rack:{loop[-1]}-{i:02}", "loop": loop, "number": i,
            "hose_id_mm": 35.1, "hose_m_s": 1.6, "design_l_min": 89.0, "full_l_min": 80.0, "valves": "supply+return",
        }
        for loop in names for i in range(1, 11)
    ]  # fmt: skip
    cases = [
        {"loop": loop, "case": "full", "racks": 10, "near_l_min": 200.0, "far_l_min": 177.0, "spread_percent": 13.0}
        for loop in names
    ]
    return {
        "loops": table("loops", [{"loop": n, "row": n[-1], "header": header, "racks": 2, "racks_full": 10} for n in names]),
        "loop_segments": table("loop_segments", segments),
        "loop_cases": table("loop_cases", cases),
        "branches": table("branches", branches),
        "expectations": limits(),
    }


def limits() -> pl.DataFrame:
    return table(
        "expectations",
        [{"id": f"{i}/{s}", "check_id": i, "selector": s, "value": v, "unit": u, "source": "x"} for i, s, v, u in LIMITS],
    )


def found(tables: dict[str, pl.DataFrame]) -> dict[str, Finding]:
    """Findings by id, each id once, without those that the tables were not made for."""
    made = [f for f in told(Plan("by hand", tables)).values() if f.id <= "COO-014"]
    assert len({f.id for f in made}) == len(made), "one finding for each cause"
    return {f.id: f for f in made}


def test_fourteen_headers_that_are_too_small_are_one_finding_and_nothing_follows() -> None:
    seen = found(rows_of(14, header="DN80", inside=82.8, velocity=5.571))
    assert set(seen) - {"COO-005", "COO-014"} == {"COO-001"}
    header = seen["COO-001"]
    assert (header.subject, len(header.subjects)) == ("loops:DN80", 14)
    assert header.cause == (
        "the DN80 header carries the 2 racks of now (1.11 m/s), 4 at most, and not the 10 of the finished row: 5.57 m/s in "
        "segment:loop:A/s1, segment:loop:B/s1, segment:loop:C/s1, segment:loop:D/s1, segment:loop:E/s1, segment:loop:F/s1, "
        "segment:loop:G/s1, segment:loop:H/s1 and 6 more, allowed are 2.3 m/s"
    )
    assert header.ways == (
        "the smallest header that is wide enough, before the first rack is connected: `cooling.header: DN125`",
        "at most 4 racks on a loop with this header: `cooling.racks_per_loop: 4`",
    )


def test_with_a_header_that_carries_the_row_each_fault_of_its_own_is_told() -> None:
    seen = found(rows_of(1, header="DN150", inside=161.5, velocity=1.465))
    assert set(seen) - {"COO-005", "COO-014"} == {"COO-002", "COO-003"}
    assert seen["COO-002"].subjects == ("loop:A",)
    assert len(seen["COO-003"].subjects) == 10


def case(name: str, margin: float | None, curve: str = "inside") -> dict[str, Any]:
    available = None if margin is None else 156.0 * (1 + margin / 100)
    return {
        "loop": "loop:A", "case": name, "racks": 10, "pumps": 2, "flow_l_min": 1774.0, "need_kpa": 156.0, "header_kpa": 4.0,
        "available_kpa": available, "margin_percent": margin, "curve": curve,
    }  # fmt: skip


def heads(**margins: float | str | None) -> dict[str, Finding]:
    """Findings for loop cases with these margins; a word is the curve in place of a margin."""
    usual: dict[str, float | str | None] = {
        "now": 60.0, "full": 30.0, "pump_out": 25.0, "viscous": 25.0, "dirty_filter": 22.0, "worst": 5.0,
    }  # fmt: skip
    rows = [
        case(name.replace("_", "-"), None, value) if isinstance(value, str) else case(name.replace("_", "-"), value)
        for name, value in (usual | margins).items()
    ]
    loops = table("loops", [{"loop": "loop:A", "row": "A", "header": "DN150", "racks": 2, "racks_full": 10}])
    return found({"loops": loops, "loop_cases": table("loop_cases", rows), "expectations": limits()})


@pytest.mark.parametrize(
    ("margins", "expected"),
    [
        ({}, {}),
        ({"full": 14.0, "pump_out": 3.0, "worst": -20.0}, {"COO-010": "fail"}),
        ({"now": 5.0, "full": -14.0, "worst": -40.0}, {"COO-010": "fail"}),
        ({"pump_out": 3.0, "worst": -20.0}, {"COO-011": "fail"}),
        ({"pump_out": "above", "worst": "above"}, {"COO-011": "fail"}),
        ({"pump_out": "below", "worst": "below"}, {"COO-011": "not_measured"}),
        ({"viscous": 19.0, "dirty_filter": 1.0, "worst": -9.0}, {"COO-012": "fail"}),
        ({"worst": -1.0}, {"COO-013": "fail"}),
        ({"worst": 0.0}, {}),
        ({"now": "below"}, {"COO-014": "not_measured"}),
        ({"now": "below", "pump_out": 3.0, "worst": -9.0}, {"COO-011": "fail", "COO-014": "not_measured"}),
        ({"now": "below", "full": "below"}, {"COO-014": "not_measured"}),
        ({"now": "below", "full": "above", "pump_out": "above"}, {"COO-014": "fail"}),
        ({"now": "none", "full": "none", "pump_out": "none"}, {"COO-014": "not_measured"}),
        ({"now": "below", "full": 14.0}, {"COO-010": "fail", "COO-014": "not_measured"}),
        ({"full": None}, {"COO-010": "not_measured"}),
    ],
)
def test_a_short_cdu_is_told_at_its_mildest_case(margins: dict[str, Any], expected: dict[str, str]) -> None:
    assert {id: f.verdict.value for id, f in heads(**margins).items()} == expected


def test_the_header_and_the_cdu_have_verdicts_of_their_own() -> None:
    tables = rows_of(1, header="DN80", inside=82.8, velocity=5.571)
    full = case("full", -16.0) | {"header_kpa": 81.1, "need_kpa": 233.4, "available_kpa": 196.0}
    seen = found(tables | {"loop_cases": table("loop_cases", [case("now", 86.0), full])})
    assert {id: f.verdict for id, f in seen.items() if id != "COO-005"} == {"COO-001": Verdict.FAIL, "COO-010": Verdict.FAIL}
    assert "233.4 kPa (81.1 kPa in the header)" in seen["COO-010"].cause


@pytest.mark.parametrize(
    ("text", "banned"),
    [
        ("copper, 316L; no aluminium, zinc, carbon steel, PVC", ("aluminium", "zinc", "carbon-steel", "pvc")),
        ("copper and EPDM", ()),
        ("", ()),
        ("no lead; nothing with north in it; no zinc", ("lead", "zinc")),
    ],
)
def test_what_a_maker_bans(text: str, banned: tuple[str, ...]) -> None:
    assert banned_materials(text) == banned


def thresholds(template: str) -> dict[str, str]:
    rows = expanded(template).table("expectations").filter(pl.col("check_id").str.starts_with("COO"))
    return dict(rows.select("id", "value").rows())


def test_limits_come_from_the_makers_where_they_state_them() -> None:
    held = thresholds("gb300-nvl72")
    assert held["COO-022/*"] == "45"
    assert held["COO-017/*"] == "50"
    assert held["COO-017/part=vertiv-xdu1350,filter_um"] == "50"
    assert (held["COO-016/part=vertiv-xdu1350,least"], held["COO-016/part=vertiv-xdu1350,most"]) == ("10", "52")
    assert held["COO-023/*"] == "aluminium+zinc+lead+carbon-steel+pvc"


def test_a_plan_without_loops_has_limits_of_air_alone() -> None:
    assert set(thresholds("l40s-384")) == {"COO-042/*", "COO-043/*"}


@pytest.mark.parametrize("said", ["=HYPERLINK(1)", "<script>", "a/b+c", "\N{SNOWMAN}", "{loop}", "{0}"])
def test_odd_names_go_through(said: str) -> None:
    """Names are data: braces are no templates, and every finding is made."""
    tables = rows_of(1, header=said, inside=82.8, velocity=5.571)
    loops = tables["loops"].with_columns(
        pl.lit(said).alias("row"), pl.lit(said).alias("weakest"), pl.lit(said).alias("materials")
    )
    branches = tables["branches"].with_columns(pl.lit(said).alias("coupling"), pl.lit(said).alias("valves"))
    made = list(told(Plan("by hand", tables | {"loops": loops, "branches": branches})).values())
    assert {"COO-001", "COO-005", "COO-030"} <= {f.id for f in made}
    assert not [f for f in made if f.verdict is Verdict.ERROR]
    assert said in next(f.cause for f in made if f.id == "COO-001")
