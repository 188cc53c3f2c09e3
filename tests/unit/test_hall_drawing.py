"""Hall plans and row fronts: to scale, nothing on anything, no text cut off, split into sheets instead of made smaller."""

from __future__ import annotations

import functools
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import polars as pl
import pytest

from asbuilt.design.resolve import resolve
from asbuilt.drawings.hall import plan_sheets, sheets
from asbuilt.drawings.hall_parts import ground, windows, within
from asbuilt.drawings.scale import wrap
from asbuilt.drawings.sheet import Sheet
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement, Site
from asbuilt.model.tables_cooling import CDUS, LOOPS, MANIFOLDS
from asbuilt.model.tables_fibre import TRAYS
from asbuilt.plan.expand import expand
from asbuilt.plan.layout.tables import floor
from drawing_boxes import Box, colliding, cut, rects, texts
from template_plans import CATALOGUE, expanded


@functools.cache
def dressed(template: str) -> Plan:
    """The plan of a template with CDUs, headers and trays of our own over every compute row."""
    plan = expanded(template)
    assert plan.design is not None
    site, racks = plan.design.site, plan.table("racks")
    compute = racks.filter(pl.col("role") == "compute")
    rows = compute.group_by("row").agg(pl.col("y_mm").min()).sort("row")
    tables = dict(plan.tables)
    tables["cdus"] = CDUS.conform(
        rows.with_columns(
            cdu=pl.format("cdu:{}/1", "row"), loop=pl.format("loop:{}", "row"), part=pl.lit("vertiv-xdu1350"),
            x_mm=pl.lit(site.racks_per_row * site.rack_width_mm), width_mm=pl.lit(900.0), depth_mm=pl.lit(1200.0),
            height_mm=pl.lit(2000.0), capacity_kw=pl.lit(1350.0), standby=pl.lit(False), phase=pl.lit("1"),
        )
    )  # fmt: skip
    tables["manifolds"] = MANIFOLDS.conform(
        compute.select("rack", "phase", manifold=pl.format("manifold:{}", "rack"), loop=pl.format("loop:{}", "row"),
                       underside_mm=pl.lit(2300.0), top_mm=pl.lit(2236.0), clearance_mm=pl.lit(64.0))
    )  # fmt: skip
    blank = {c.name: pl.lit(1.0 if c.dtype == "f64" else 1 if c.dtype == "i64" else "any") for c in LOOPS.columns}
    tables["loops"] = LOOPS.conform(
        rows.select("row").with_columns(**(blank | {"loop": pl.format("loop:{}", "row"), "row": pl.col("row")}))
        .with_columns(header_id_mm=pl.lit(102.3))
    )  # fmt: skip
    tray = {c.name: pl.lit(1.0 if c.dtype == "f64" else 1 if c.dtype == "i64" else "any") for c in TRAYS.columns}
    pieces = [
        rows.with_columns(**(tray | {
            "tray": pl.format(f"tray:{kind}/{{}}/1", "row"), "kind": pl.lit(kind), "row": pl.col("row"), "x1_mm": pl.lit(0.0),
            "x2_mm": pl.lit(site.racks_per_row * site.rack_width_mm), "y1_mm": pl.col("y_mm"), "y2_mm": pl.col("y_mm"),
            "z_mm": pl.lit(z), "depth_mm": pl.lit(100.0), "shared": pl.lit(False),
        })).drop("y_mm")
        for kind, z in (("fibre", 2600.0), ("copper", 2600.0), ("power", 2900.0))
    ]  # fmt: skip
    tables["trays"] = TRAYS.conform(pl.concat(pieces))
    tables["floor"] = floor(plan.design, CATALOGUE, tables)
    return replace(plan, tables=tables)


@functools.cache
def large() -> Plan:
    """More than a thousand racks in three halls, with the tables that hall drawings read."""
    requirement = Requirement(name="large", system="l40s-8gpu", gpus=7_600, site=Site(racks_per_row=16, nodes_per_rack=1))
    plan = expand(resolve(requirement, CATALOGUE), CATALOGUE)
    kept = ("floor", "racks", "rack_slots", "switches")
    return replace(plan, tables={name: plan.table(name) for name in kept})


def things(sheet: Sheet) -> list[Box]:
    """Racks, CDUs and kept positions of a plan sheet."""
    return [b for b in rects(sheet.svg()) if re.match(r"([A-Z]+-\d\d|CDU )", b.what) and ", U" not in b.what]


@pytest.mark.parametrize("template", ["gb300-nvl72", "dgx-h100-superpod", "l40s-384"])
@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_is_cut_off_and_nothing_overlaps(template: str, narrow: bool) -> None:
    found = sheets(dressed(template), narrow=narrow)
    assert len({sheet.name for sheet in found}) == len(found)
    for sheet in found:
        svg = sheet.svg()
        assert sheet.width == (390 if narrow else 1120)
        assert cut(svg) == [], sheet.name
        assert colliding(texts(svg)) == [], sheet.name
        assert colliding(things(sheet)) == [], sheet.name


@pytest.mark.parametrize("template", ["gb300-nvl72", "l40s-384"])
@pytest.mark.parametrize("narrow", [False, True])
def test_every_thing_on_the_floor_is_drawn_once_and_to_scale(template: str, narrow: bool) -> None:
    plan = dressed(template)
    on_floor = ground(plan)
    assert on_floor is not None
    drawn = [box for sheet in plan_sheets(on_floor, narrow) for box in things(sheet)]
    table = plan.table("floor").filter(pl.col("kind") != "aisle")
    assert sorted(box.what.split(",")[0] for box in drawn) == sorted(table["name"])
    sizes = {name: (w, d) for name, w, d in table.select("name", "width_mm", "depth_mm").iter_rows()}
    for sheet in plan_sheets(on_floor, narrow):
        scales = set()
        for box in things(sheet):
            width, depth = sizes[box.what.split(",")[0]]
            scales |= {round((box.right - box.left + 1.2) / width, 3), round((box.bottom - box.top + 1.2) / depth, 3)}
        assert max(scales) - min(scales) <= 0.0011


def test_the_plan_says_what_stands_where_and_dimensions_in_mm() -> None:
    sheet = next(s for s in sheets(dressed("gb300-nvl72")) if s.name == "hall-rows-a-b")
    said = [box.what for box in texts(sheet.svg())]
    assert {"A-01", "142 kW", "1,375 kg", "6,900 mm", "1,800 mm", "1,068 mm", "600 mm", "CDU A/1", "1,350 kW"} <= set(said)
    assert {"Hot aisle A and B", "Cold aisle A", "Cold aisle B and C", "Row A, front", "Row B, front", "kept"} <= set(said)
    assert sheet.subtitle == "14 compute racks, 5 network racks, 2 CDUs, 1 position kept; 2,091.7 kW of racks."


def test_fronts_face_the_cold_aisle_on_both_sides_of_a_hot_one() -> None:
    svg = next(s for s in sheets(dressed("gb300-nvl72")) if s.name == "hall-rows-a-b").svg()
    hot = next(b for b in rects(svg) if b.what == "hot aisle A and B")
    row_a, row_b = (next(b for b in texts(svg) if b.what == f"Row {r}, front") for r in "AB")
    assert row_b.bottom < hot.top and row_a.top > hot.bottom
    assert all(not (hot.top < b.top < hot.bottom) for b in (row_a, row_b))


def test_row_fronts_show_heights_and_run_the_way_one_sees_them() -> None:
    found = {s.name: s for s in sheets(dressed("gb300-nvl72"))}
    a, b = texts(found["row-a-front"].svg()), texts(found["row-b-front"].svg())
    said = {box.what for box in a}
    assert {"header 2,300", "rack top 2,236", "rack top 2,258", "trays 2,600", "power tray 2,900", "CDU top 2,000"} <= said
    left = {box.what: box.left for box in (*a, *b)}
    assert left["A-01"] < left["A-10"] and left["B-01"] > left["B-10"]


def test_a_thousand_racks_give_an_overview_and_a_sheet_for_each_two_rows() -> None:
    plan = large()
    assert plan.table("racks").height > 1000
    on_floor = ground(plan)
    assert on_floor is not None
    found = sheets(plan)
    rows = len(on_floor.rows)
    assert sum(s.name.startswith("hall-rows-") for s in found) in (rows // 2, rows // 2 + 1, rows // 2 + 2)
    assert sum(s.name.startswith("row-") for s in found) == rows
    first = found[0]
    assert first.name == "hall-overview" and len(first.svg()) < 150_000
    for sheet in (first, sheets(plan, narrow=True)[0], *found[1:4]):
        assert cut(sheet.svg()) == [] and colliding(texts(sheet.svg())) == [], sheet.name
    drawn = sum(len(re.findall(r"<title>[A-Z]+-\d\d, ", sheet.svg())) for sheet in plan_sheets(on_floor))
    assert drawn == sum(len(row.things) for row in on_floor.rows)
    assert {row.letters for row in on_floor.rows} <= {box.what for box in texts(first.svg())}


def test_windows_hold_everything_once_and_are_no_longer_than_asked() -> None:
    on_floor = ground(dressed("gb300-nvl72"))
    assert on_floor is not None
    for most in (1000.0, 2500.0, 3600.0, 9000.0):
        cuts = windows(on_floor.rows, most)
        shown = [t.name for window in cuts for row in on_floor.rows for t in within(row, window)]
        assert sorted(shown) == sorted(t.name for row in on_floor.rows for t in row.things)
        assert all(b - a <= max(most, 900.0) + 1 for a, b in cuts)
        assert min(b - a for a, b in cuts) >= min(max(b - a for a, b in cuts) - 2000.0, 600.0)
    row = on_floor.rows[0]
    assert [round(b - a) for a, b in windows([row], row.right - row.x - 100.0)] == [3600, row.right - row.x - 3600]


def test_hostile_names_stay_text() -> None:
    plan = dressed("l40s-384")
    hostile = '</text><script>alert("x")</script>&\x00'
    table = plan.table("floor").with_columns(name=pl.when(pl.col("kind") == "rack").then(pl.lit(hostile)).otherwise("name"))
    for sheet in sheets(replace(plan, tables=plan.tables | {"floor": table})):
        svg = sheet.svg(standalone=True)
        ET.fromstring(svg)
        assert "<script" not in svg and cut(sheet.svg()) == []


def test_a_plan_without_a_floor_has_no_hall_and_equal_plans_give_equal_pictures() -> None:
    plan = expanded("l40s-384")
    assert sheets(replace(plan, tables={k: v for k, v in plan.tables.items() if k != "floor"})) == []
    assert [s.svg(True) for s in sheets(plan)] == [s.svg(True) for s in sheets(plan)]


def test_wrapping_keeps_every_word_and_breaks_names_behind_hyphens() -> None:
    assert wrap("one two three", 1000, "tiny") == ["one two three"]
    assert wrap("frontend-leaf-b003-r1", 70, "num", names=True) == ["frontend-", "leaf-b003-", "r1"]
    assert " ".join(wrap("a bc def ghij klmno", 40, "tiny")) == "a bc def ghij klmno"
    assert wrap("", 50, "tiny") == []
