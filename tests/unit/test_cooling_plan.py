"""The plan of the loops: what a pilot hides, which change mends it, sizes, cases, fittings, air; words of refusals."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.design import Design
from asbuilt.model.plan import Plan
from asbuilt.model.tables_cooling import COOLING_TABLES
from asbuilt.plan.cooling import tables as cooling
from asbuilt.plan.cooling.remedies import FIRST_SEGMENTS, HEADER, SECOND_CDU, SUPPLY, verdicts
from asbuilt.plan.expand import expand
from template_plans import CATALOGUE, expanded

PILOT = "header: DN80"


def requirement(asked: str = "", system: str = "gb300-nvl72", gpus: int = 144, supply: float = 45, row: int = 12) -> str:
    """A pilot of two racks in a row of ten, racks 0.8 m apart as in the worked example."""
    return f"""schema: requirement/v1
name: pilot
system: {system}
gpus: {gpus}
growth: {{gpus: 720}}
fabric: {"xdr" if system == "gb300-nvl72" else "ndr"}
site: {{racks_per_row: {row}, cooling: liquid, coolant_supply_c: {supply}, rack_width_mm: 800}}
cooling: {{{asked}}}
"""


@functools.cache
def planned(asked: str = "", **more: Any) -> Plan:
    return expand(resolve(decode(requirement(asked, **more).encode(), "t"), CATALOGUE), CATALOGUE)


def design_of(plan: Plan) -> Design:
    assert plan.design is not None
    return plan.design


def cases(plan: Plan) -> dict[str, dict[str, Any]]:
    """The cases of the plan's first loop by name."""
    first = plan.table("loops")["loop"][0]
    return {c["case"]: c for c in plan.table("loop_cases").filter(pl.col("loop") == first).iter_rows(named=True)}


def test_a_pilot_of_two_looks_well_and_its_row_of_ten_fails() -> None:
    """The worked example L5 has 81 kPa with 8.0 m of header in a row; here network racks stand between the fifth and sixth."""
    plan = planned(PILOT)
    (loop,) = plan.table("loops").iter_rows(named=True)
    assert (loop["racks"], loop["racks_full"], loop["header"], loop["origin"]) == (2, 10, "DN80", "declared")
    now, full = cases(plan)["now"], cases(plan)["full"]
    assert (now["header_kpa"], now["need_kpa"]) == (pytest.approx(1.944, abs=2e-3), pytest.approx(154.23, abs=0.01))
    assert full["header_kpa"] == pytest.approx(84.04, abs=0.05)
    assert full["need_kpa"] == pytest.approx(236.3, abs=0.1)
    segments = plan.table("loop_segments")
    first = segments.row(by_predicate=pl.col("segment") == "segment:A/s1", named=True)
    assert first["velocity_m_s"] == pytest.approx(5.716, abs=2e-3)
    assert first["velocity_m_s"] * first["flow_now_l_min"] / first["flow_l_min"] == pytest.approx(1.096, abs=1e-3)
    assert segments.filter("built")["segment"].to_list() == [f"segment:A/{side}{n}" for side in "rs" for n in (1, 2)]


def test_the_cdu_of_the_pilot_is_below_its_curve_and_beyond_it_in_the_row() -> None:
    found = cases(planned(PILOT))
    assert [(found[c]["curve"], found[c]["available_kpa"]) for c in ("now", "full")] == [("below", None), ("above", None)]
    assert (found["full"]["pumps"], found["pump-out"]["pumps"]) == (3, 2)


def test_the_smallest_change_is_found_with_its_numbers() -> None:
    plan = planned(PILOT)
    (found,) = verdicts(design_of(plan), plan.table("racks"))
    assert (found.loop, found.header_ok, found.cdu_ok, found.segment) == ("loop:A", False, False, "segment:A/s1")
    best = found.smallest
    assert best is not None
    assert (best.kind, best.size, best.segments, best.cdu_ok) == (FIRST_SEGMENTS, "DN125", 6, True)
    assert best.says() == (
        "DN125 for the header up to the 6th rack (21.2 m of pipe): 2.20 m/s, 3.1 % between racks, 165 kPa at 1795 L/min"
    )
    whole = next(r for r in found.remedies if r.kind == HEADER)
    assert whole.says() == "DN125 for the whole header (27.6 m of pipe): 2.09 m/s, 1.8 % between racks, 161 kPa at 1780 L/min"
    assert {r.kind for r in found.in_vain} >= {SECOND_CDU, SUPPLY}
    assert all(r.velocity_m_s > 2.3 or r.spread_percent > 5 for r in found.in_vain)


@pytest.mark.parametrize("asked", ["header: DN80, header_first: DN125, header_first_racks: 6", "header: DN125"])
def test_the_change_written_into_the_requirement_passes(asked: str) -> None:
    plan = planned(asked)
    (found,) = verdicts(design_of(plan), plan.table("racks"))
    assert (found.header_ok, found.cdu_ok, found.remedies) == (True, True, ())
    assert plan.table("loop_segments")["velocity_m_s"].max() <= 2.3
    full = cases(plan)["full"]
    assert full["curve"] == "inside"
    assert full["margin_percent"] > 20


def test_one_rack_fewer_of_the_wide_size_would_not_do() -> None:
    plan = planned("header: DN80, header_first: DN125, header_first_racks: 5")
    (found,) = verdicts(design_of(plan), plan.table("racks"))
    assert not found.header_ok


def test_a_header_that_nobody_states_is_the_smallest_that_passes() -> None:
    plan = planned()
    (loop,) = plan.table("loops").iter_rows(named=True)
    assert (loop["header"], loop["origin"]) == ("DN125", "derived")
    smaller = planned("header: DN100")
    assert smaller.table("loops")["velocity_m_s"][0] > 2.3


def test_cases_add_what_they_name() -> None:
    found = cases(planned("header: DN125, filter_dirty_kpa: 33"))
    full = found["full"]["need_kpa"]
    assert found["dirty-filter"]["need_kpa"] == pytest.approx(full + 33)
    assert found["viscous"]["need_kpa"] > full
    assert found["worst"]["need_kpa"] == pytest.approx(found["viscous"]["need_kpa"] + 33)
    for case in found.values():
        assert case["need_kpa"] == pytest.approx(case["header_kpa"] + case["branch_kpa"] + case["filter_kpa"])


def test_a_row_too_long_for_a_cdu_is_fed_from_both_ends() -> None:
    plan = planned("racks_per_loop: 5, header: DN100", gpus=720, row=15)
    assert plan.table("loops")["loop"].to_list() == ["loop:A-1", "loop:A-2"]
    assert plan.table("loops")["racks_full"].to_list() == [5, 5]
    cdus = plan.table("cdus")
    assert cdus["cdu"].to_list() == ["cdu:A/1", "cdu:A/2", "cdu:A/3", "cdu:A/4"]
    assert cdus["standby"].to_list() == [False, True, False, True]
    assert cdus["x_mm"].to_list() == [-900.0, -1800.0, 12000.0, 12900.0]
    numbers = plan.table("branches").filter(pl.col("loop") == "loop:A-2").sort("number")["rack"].to_list()
    assert numbers == [f"rack:A-{p:02d}" for p in (15, 14, 13, 12, 11)]


def test_a_reverse_return_runs_on_and_comes_home() -> None:
    direct, reverse = planned("header: DN125"), planned("header: DN125, topology: reverse-return")
    back = reverse.table("loop_segments").filter(pl.col("side") == "return").sort("number")
    assert back["start"].to_list()[:2] == ["rack:A-01", "rack:A-02"]
    assert (back["end"][-1], back["length_m"][-1]) == ("cdu:A/1", pytest.approx(13.8))
    assert back["flow_l_min"].is_sorted()
    assert reverse.table("loops")["volume_l"][0] > direct.table("loops")["volume_l"][0]
    assert cases(reverse)["full"]["spread_percent"] < cases(direct)["full"]["spread_percent"]


@pytest.mark.parametrize(("supply", "flow", "drop", "published"), [(45, 177, 126.86, True), (42.5, 142.31, 82.23, False)])
def test_shares_and_flows_by_supply_temperature(supply: float, flow: float, drop: float, published: bool) -> None:
    shares = planned("header: DN125", supply=supply).table("liquid_shares")
    (chosen,) = shares.filter("chosen").iter_rows(named=True)
    assert chosen["flow_l_min"] == pytest.approx(flow, rel=1e-3)
    assert chosen["drop_kpa"] == pytest.approx(drop, rel=2e-3)
    assert chosen["return_c"] == pytest.approx(55.24, abs=0.01)
    assert (chosen["liquid_w"], chosen["other_liquid_w"]) == (121_500, 114_750)
    assert chosen["source"].startswith("Lenovo" if published else "between the points of Lenovo")
    assert "MGX" in chosen["other_source"]
    assert chosen["confidence"] == ("medium" if published else "low")


def test_contents_of_the_loop_are_counted() -> None:
    """Ten racks of 15 L, twenty hoses of 3 m, 13.8 m of DN125 there and back: pi/4 D² L."""
    (loop,) = planned("header: DN125").table("loops").iter_rows(named=True)
    assert loop["volume_l"] == pytest.approx(150 + 58.06 + 392.2, abs=0.1)
    assert loop["glycol_l"] == pytest.approx(loop["volume_l"] / 4)
    assert 0.015 < loop["expansion_l"] / loop["volume_l"] < 0.021


def test_the_weakest_part_of_the_chain_is_named() -> None:
    (loop,) = planned("coupling: bmqc-orv3").table("loops").iter_rows(named=True)
    assert (loop["weakest"], loop["weakest_kpa"], loop["working_kpa"]) == ("bmqc-orv3", 345, 350)
    (plain,) = planned().table("loops").iter_rows(named=True)
    assert (plain["weakest"], plain["weakest_kpa"]) == ("gb300-nvl72", 500)


def test_fittings_are_every_joint_of_the_finished_row() -> None:
    plan = planned("header: DN125, valves: supply, clamp_torque_nm: 4, torque_percent: 10, coupling: lqc-v2")
    fittings = plan.table("fittings")
    counts = dict(fittings.group_by("kind").len().iter_rows())
    assert counts == {
        "coupling": 20,
        "valve": 10,
        "clamp": 40,
        "flange": 20 + 4,
        "vent": 2,
        "drain": 2,
        "strainer": 2,
        "gauge": 4,
    }
    clamps = fittings.filter(pl.col("kind") == "clamp")
    assert clamps["torque_nm"].unique().to_list() == [4.0]
    assert clamps["torque_percent"].unique().to_list() == [10.0]
    assert fittings.filter(pl.col("kind") == "flange")["torque_nm"].null_count() == 24
    assert fittings.filter(pl.col("kind") == "coupling")["working_kpa"].unique().to_list() == [517.0]
    later = fittings.filter(pl.col("phase").is_null())
    assert set(later["at"].unique()) == set(plan.table("branches").filter(~pl.col("built"))["branch"]) | set(
        plan.table("loop_segments").filter(~pl.col("built"))["segment"]
    )


def test_what_a_maker_states_of_a_fitting_is_taken() -> None:
    asked = "joints: [{kind: valve, torque_nm: 30, torque_percent: 10, working_kpa: 1600}, {kind: vent, working_kpa: 340}]"
    plan = planned(f"header: DN125, {asked}")
    fittings = plan.table("fittings")
    valves = fittings.filter(pl.col("kind") == "valve").select("torque_nm", "torque_percent", "working_kpa", "source").unique()
    assert valves.rows() == [(30.0, 10.0, 1600.0, "declared")]
    assert fittings.filter(pl.col("kind") == "clamp")["torque_nm"].null_count() == 40
    assert (plan.table("loops")["weakest"][0], plan.table("loops")["weakest_kpa"][0]) == ("vents", 340)


def test_heights_and_free_ways_of_manifolds() -> None:
    frame = planned("header: DN125").table("manifolds")
    assert frame["rack"].to_list() == ["rack:A-01", "rack:A-02"]
    first = frame.row(0, named=True)
    assert (first["underside_mm"], first["top_mm"], first["clearance_mm"]) == (2300, 2236, 64)
    assert first["above_mm"] == pytest.approx(2600 - 2300 - 141.3)
    assert (first["wrench_mm"], first["u"], first["bend_mm"]) == (500, None, None)
    low = planned("header: DN125, header_underside_mm: 2270").table("manifolds")
    assert low["clearance_mm"].unique().to_list() == [34]


def test_the_bill_lays_the_header_whole() -> None:
    bill = planned("header: DN125").table("bom").filter(pl.col("category") == "cooling")
    counts = {r["part"]: (r["quantity"], r["spares"], r["length_m"]) for r in bill.iter_rows(named=True)}
    assert counts == {
        "vertiv-xdu1350": (1, 1, None),
        "hose-35.1mm": (4, 1, 3.0),
        "rack-coupling": (4, 1, None),
        "ball-valve-35.1mm": (20, 1, None),
        "pipe-10s-DN125": (5, 0, 6.0),
        "pg25": (434, 44, None),
    }


@pytest.mark.parametrize("template", ["l40s-384", "dgx-h100-superpod"])
def test_air_cooled_systems_have_air_and_no_loops(template: str) -> None:
    plan = expanded(template)
    assert {s.name: plan.table(s.name).height for s in COOLING_TABLES if s.name != "air_rows"} == {
        s.name: 0 for s in COOLING_TABLES if s.name != "air_rows"
    }
    air = plan.table("air_rows")
    heat = plan.table("racks").group_by("row").agg(pl.col("heat_w").sum() / 1000).sort("row")
    assert air["air_kw"].to_list() == pytest.approx(heat["heat_w"].to_list())
    known = air.filter(pl.col("airflow_m3_h").is_not_null())
    assert known.filter((pl.col("outlet_c") - pl.col("inlet_c") - pl.col("rise_k")).abs() > 1e-9).height == 0
    assert not [a for a in design_of(plan).assumptions if a.path.startswith("cooling.hose")]


def test_an_old_room_takes_what_is_said_of_each_rack() -> None:
    air = planned("room_kw_per_rack: 7.5").table("air_rows")
    assert air["room_kw"].to_list() == pytest.approx([7.5 * n for n in air["racks"]])
    assert planned().table("air_rows")["room_kw"].null_count() == air.height


@pytest.mark.parametrize("system", ["gb200-nvl72", "hgx-b200-liquid"])
def test_systems_without_a_flow_table_are_planned_too(system: str) -> None:
    plan = planned("header: DN125", system=system)
    (share,) = plan.table("liquid_shares").iter_rows(named=True)
    assert (share["flow_l_min"] == 130) == (system == "gb200-nvl72")
    assert (share["drop_kpa"] is None) == (system == "hgx-b200-liquid"), "no published loss stays unknown"
    assert cases(plan)["full"]["need_kpa"] > 0
    assert plan.table("branches")["design_l_min"].unique().to_list() == [share["flow_l_min"]]


def test_every_table_keeps_its_schema() -> None:
    for plan in (planned(PILOT), planned("topology: reverse-return"), expanded("gb300-nvl72")):
        for schema in COOLING_TABLES:
            assert schema.faults(plan.table(schema.name)) == []


def test_the_same_requirement_gives_the_same_tables() -> None:
    plan = planned(PILOT)
    again = cooling.cooling_tables(design_of(plan), CATALOGUE, plan.tables)
    assert all(again[s.name].equals(plan.table(s.name)) for s in COOLING_TABLES)


def test_equal_rows_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred rows of ten cost what one costs."""
    plan = planned("header: DN200, racks_per_loop: 20", gpus=720, row=15)
    design, racks = design_of(plan), plan.table("racks")
    compute = racks.filter(pl.col("role") == "compute")
    assert compute.height == 10
    hall = pl.concat(
        [compute.with_columns(pl.lit(f"A{chr(65 + i // 26)}{chr(65 + i % 26)}").alias("row")) for i in range(100)]
        + [racks.filter(pl.col("role") != "compute")]
    )
    from asbuilt.plan.cooling import solve

    solved = []
    plain = solve.load
    monkeypatch.setattr(solve, "load", lambda *a: solved.append(1) or plain(*a))
    assert len(cooling.solved_loops(design, hall)) == 100
    assert len(solved) == 3, "now, full, and both with thick fluid"


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (
            "cdu: pg25",
            "CAT-015 cooling.cdu: pg25 is a coolant, not a cdu\n"
            "  why: the plan of the loops reads figures that only such a part has\n"
            "  fix: name a cooling part of class cdu",
        ),
        (
            "coupling: vertiv-xdu1350",
            "CAT-015 cooling.coupling: vertiv-xdu1350 is a cdu, not a coupling\n"
            "  why: the plan of the loops reads figures that only such a part has\n"
            "  fix: name a cooling part of class coupling",
        ),
    ],
)
def test_parts_of_another_class_are_refused(asked: str, text: str) -> None:
    with pytest.raises(ProblemError) as told:
        planned(asked)
    assert text in str(told.value)


def test_a_header_that_serves_nobody_is_refused() -> None:
    asked = "header: DN25, racks_per_loop: 200, rack_l_min: 1000, topology: reverse-return, hose_id_mm: 100, rack_kpa: 1"
    with pytest.raises(ProblemError) as told:
        planned(asked, row=60)
    assert "PLN-016 loop:A: 58 racks of 1000 L/min on a header of DN25" in str(told.value)


def test_the_numbers_of_the_page_are_the_plans() -> None:
    """docs/cooling.md shows a requirement and what becomes of it."""
    page = (Path(__file__).parents[2] / "docs" / "cooling.md").read_text(encoding="utf-8")
    shown = re.search(r"```yaml\n(.*?)```", page, re.S)
    assert shown is not None
    plan = expand(resolve(decode(shown[1].encode(), "page"), CATALOGUE), CATALOGUE)
    now, full = cases(plan)["now"], cases(plan)["full"]
    first = plan.table("loop_segments").row(by_predicate=pl.col("segment") == "segment:A/s1", named=True)
    slow = first["velocity_m_s"] * first["flow_now_l_min"] / first["flow_l_min"]
    for row in (
        f"| flow at the CDU | {now['flow_l_min']:.0f} L/min | {full['flow_l_min']:.0f} L/min |",
        f"| velocity in the first segment, `segment:A/s1` | {slow:.2f} m/s | {first['velocity_m_s']:.2f} m/s |",
        f"| lost in the header | {now['header_kpa']:.1f} kPa | {full['header_kpa']:.1f} kPa |",
        f"| asked of the CDU | {now['need_kpa']:.0f} kPa | {full['need_kpa']:.0f} kPa |",
        f"| near rack over far rack | {now['spread_percent']:.1f} % | {full['spread_percent']:.1f} % |",
        f"| on the CDU's published points | {now['curve']} | {full['curve']} |",
    ):
        assert row in page
    (found,) = verdicts(design_of(plan), plan.table("racks"))
    assert found.smallest is not None
    assert found.smallest.says() in page


def test_points_that_are_no_pump_are_refused_with_the_part(tmp_path: Path) -> None:
    own = tmp_path / "cooling"
    own.mkdir()
    text = CATALOGUE.text("cooling", "jetcool-300").replace("pressure_kpa: 152}", "pressure_kpa: 252}")
    (own / "rising.yaml").write_text(text.replace("id: jetcool-300", "id: rising"), encoding="utf-8")
    with pytest.raises(ProblemError) as told:
        resolve(decode(requirement("cdu: rising").encode(), "t"), load([tmp_path]))
    assert (
        "CAT-015 cooling/rising pump_points: a pump curve cannot rise from 193 kPa at 280 L/min to 252 kPa at 400 L/min\n"
        "  why: the head of the CDU is read from these points\n"
        "  fix: correct the catalogue entry"
    ) in str(told.value)


@pytest.mark.parametrize(
    ("cdu", "first", "last"), [("jetcool-300", 280, 400), ("coolit-chx2000", 2125, 2125), ("hpe-cdu-1300", None, None)]
)
def test_cdus_are_published_between_their_points_and_nowhere_else(cdu: str, first: float | None, last: float | None) -> None:
    plan = planned(f"header: DN200, cdu: {cdu}, racks_per_loop: 2")
    unit = plan.table("cdus").row(0, named=True)
    assert (unit["flow_first_l_min"], unit["flow_last_l_min"]) == (first, last)
    assert unit["pumps"] is None
    found = cases(plan)
    assert found["full"]["curve"] == ("none" if first is None else "inside" if cdu == "jetcool-300" else "below")
    assert (found["full"]["available_kpa"] is None) == (cdu != "jetcool-300")
    assert found["pump-out"]["available_kpa"] is None, "nobody says how many pumps there are"
