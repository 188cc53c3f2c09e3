"""Tray maps: fill in figures, pattern and words; cross trays where they cross; nothing cut or overlapping."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from asbuilt.drawings.judged import NARROW, WIDE
from asbuilt.drawings.sheet import Sheet
from asbuilt.drawings.tray_fill import fill_limits, tray_halls
from asbuilt.drawings.tray_map import tray_sheets
from asbuilt.model.plan import Plan
from drawing_boxes import colliding, cut, texts
from physical_frames import hall


def words(sheet: Sheet) -> str:
    return " ".join(" ".join(box.what for box in texts(sheet.svg())).split())


def changed(plan: Plan, table: str, **columns: pl.Expr) -> Plan:
    return replace(plan, tables={**plan.tables, table: plan.table(table).with_columns(**columns)})


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("per_row", [4, 13, 40])
def test_nothing_is_cut_off_and_nothing_overlaps(width: float, per_row: int) -> None:
    sheets = tray_sheets(hall(6, per_row), width)
    assert len({s.name for s in sheets}) == len(sheets) and all(s.width == width for s in sheets)
    for sheet in sheets:
        assert [c for c in cut(sheet.svg()) if not c.startswith("cut: ")] == [], sheet.name
        assert colliding(texts(sheet.svg())) == [], sheet.name


def test_the_fullest_segment_is_told_with_its_place_and_verdict() -> None:
    told = words(tray_sheets(hall(1, 13))[0])
    assert "fibre, 300 × 100 mm: now 27.3 %, finished 68.9 % at A-13: OVER the limit" in told
    assert "power, 150 × 100 mm: now 27.3 %, finished 68.9 % at A-13: not judged" in told
    assert "planned 40 %, at most 50 %" in told and "21/53" in told
    assert "finished 42.4 % at A-08: above the planned fill" in words(tray_sheets(hall(1, 8))[0])


@pytest.mark.parametrize(
    ("now", "full", "verdict"),
    [
        (40.0, 40.0, "pass"),
        (1.0, 40.1, "warn"),
        (40.1, 1.0, "warn"),
        (1.0, 50.0, "warn"),
        (1.0, 50.1, "fail"),
        (50.1, 1.0, "fail"),
    ],
)
def test_verdicts_follow_the_limits_of_the_plan(now: float, full: float, verdict: str) -> None:
    (drawn,), _ = tray_halls(changed(hall(1, 4), "trays", fill_now_percent=pl.lit(now), fill_full_percent=pl.lit(full)))
    assert {drawn.verdict(t) for t in drawn.rows[0].trays["fibre"]} == {verdict}
    assert {drawn.verdict(t) for t in drawn.rows[0].trays["power"]} == {"none"}


def test_without_a_limit_nothing_is_judged() -> None:
    plan = hall(1, 4)
    bare = replace(plan, tables={k: v for k, v in plan.tables.items() if k != "expectations"})
    assert fill_limits(bare) == (None, None)
    told = words(tray_sheets(bare)[0])
    assert "no limit is set" in told and "not judged" in told and "within" not in told


def test_a_tray_shared_with_power_says_so() -> None:
    shared = changed(hall(1, 4), "trays", shared=pl.col("kind") == "fibre")
    assert words(tray_sheets(shared)[0]).count("SHARED with power") == 1


def test_cross_trays_are_drawn_where_they_cross_and_nowhere_else() -> None:
    told = words(tray_sheets(hall(3, 10))[0])
    assert told.count("18/43") == 4
    alone = hall(3, 10)
    only = pl.col("row").is_not_null() | pl.col("tray").str.contains("cross/2")
    assert (
        words(tray_sheets(replace(alone, tables={**alone.tables, "trays": alone.table("trays").filter(only)}))[0]).count(
            "18/43"
        )
        == 2
    )


def test_blocks_of_rows_side_by_side_are_drawn_apart() -> None:
    """Rows C and D stand 20 m beside A and B, in the reverse order; a main tray joins the blocks."""
    plan = hall(4, 5)
    far = pl.col("row").is_in(["C", "D"])
    aside, turned = (
        pl.when(far).then(20_000.0).otherwise(0.0),
        pl.col("row").replace_strict({"C": 2400.0, "D": -2400.0}, default=0.0),
    )
    y = (
        pl.when(far)
        .then(turned - 2400.0 * pl.col("row").replace_strict({"C": 2.0, "D": 3.0}, default=0.0) + 2400.0)
        .otherwise(0.0)
    )
    trays = plan.table("trays").with_columns(
        x1_mm=pl.col("x1_mm") + aside, x2_mm=pl.col("x2_mm") + aside, y1_mm=pl.col("y1_mm") + y, y2_mm=pl.col("y2_mm") + y
    )
    trays = trays.filter(pl.col("tray").str.contains("cross/[23]").not_())
    main = (
        trays.filter(pl.col("row").is_null())
        .head(1)
        .with_columns(
            tray=pl.lit("tray:fibre/main/1"), x2_mm=pl.lit(20_000.0), y2_mm=pl.col("y1_mm"), fill_full_percent=pl.lit(77.0)
        )
    )
    racks = plan.table("racks").with_columns(x_mm=pl.col("x_mm") + aside)
    halls, mains = tray_halls(replace(plan, tables={**plan.tables, "racks": racks, "trays": pl.concat([trays, main])}))
    assert [[r.row for r in h.rows] for h in halls] == [["A", "B"], ["D", "C"]]
    assert [t["tray"] for t in mains] == ["tray:fibre/main/1"] and [len(h.cross) for h in halls] == [2, 0]
    assert {r.places[0].x_mm for h in halls for r in h.rows} == {0.0}
    sheets = tray_sheets(replace(plan, tables={**plan.tables, "racks": racks, "trays": pl.concat([trays, main])}))
    assert [s.name for s in sheets] == ["trays-overview", "trays-a-to-b", "trays-d-to-c"]
    assert "fibre from block to block (1 segment) 18/77 %: OVER the limit" in words(sheets[0])
    assert "fibre across the rows (2 segments) 18/43 %: above the planned fill" in words(sheets[0])


def test_large_halls_have_an_overview_and_several_sheets() -> None:
    names = [s.name for s in tray_sheets(hall(9, 4))]
    assert names == ["trays-overview", "trays-a-to-d", "trays-e-to-h", "trays-i"]
    assert [s.name for s in tray_sheets(hall(9, 4), rows=frozenset({"F"}))] == ["trays-overview", "trays-e-to-h"]
    assert [s.name for s in tray_sheets(hall(2, 4))] == ["trays"]


def test_a_plan_without_trays_has_no_sheet() -> None:
    plan = hall(1, 3)
    assert tray_sheets(Plan("links only", {})) == ()
    assert tray_sheets(replace(plan, tables={**plan.tables, "trays": plan.table("trays").clear()})) == ()


def test_hostile_names_stay_text() -> None:
    svg = tray_sheets(changed(hall(1, 3), "racks", name=pl.lit('"><script>x</script>\x00')))[0].svg(standalone=True)
    assert "<script>" not in svg and "\x00" not in svg
