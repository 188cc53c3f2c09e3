"""Loop diagrams: pressures by hand, kept positions dashed, the worst segment named, nothing cut or overlapping."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from asbuilt.drawings.judged import NARROW, WIDE
from asbuilt.drawings.loop import loop_sheets
from asbuilt.drawings.loop_pressures import ladders
from asbuilt.drawings.sheet import Sheet
from asbuilt.model.plan import Plan
from drawing_boxes import colliding, cut, texts
from physical_frames import hall


def words(sheet: Sheet) -> str:
    return " ".join(" ".join(box.what for box in texts(sheet.svg())).split())


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_nothing_is_cut_off_and_nothing_overlaps(width: float) -> None:
    sheets = loop_sheets(hall(2, 30, 10), width)
    assert len({s.name for s in sheets}) == len(sheets) and all(s.width == width for s in sheets)
    for sheet in sheets:
        assert cut(sheet.svg()) == [], sheet.name
        assert colliding(texts(sheet.svg())) == [], sheet.name


def test_pressures_fall_along_the_supply_and_rise_along_the_return() -> None:
    """Flows of 1,300, 1,170, ... L/min; finished drop = flow² / 250,000 kPa, now a quarter of it: sums by hand."""
    (ladder,) = ladders(hall(1, 10))
    first, second, last = ladder.rungs[0], ladder.rungs[1], ladder.rungs[-1]
    assert ladder.head == {"now": 90.0, "full": 148.0}
    assert first.back["full"] == pytest.approx(6.76) and first.supply["full"] == pytest.approx(148 - 6.76)
    assert second.back["full"] == pytest.approx(6.76 + 5.4756)
    assert last.back["full"] == pytest.approx(0.0676 * (10 * 11 * 21 / 6))
    assert last.back["now"] == pytest.approx(last.back["full"] / 4)
    assert last.across("full") == pytest.approx(148 - 2 * 0.0676 * 385)


def test_the_worst_segment_loses_most_a_metre_and_the_first_of_equals_is_marked() -> None:
    (ladder,) = ladders(hall(1, 10))
    worst = [s.name for held in ladder.segments.values() for s in held if s.worst]
    assert len(worst) == 1 and worst[0][1:] == "1"
    plan = hall(1, 10)
    short = pl.when(pl.col("number") == 4).then(0.05).otherwise("length_m")
    thin = replace(plan, tables={**plan.tables, "loop_segments": plan.table("loop_segments").with_columns(length_m=short)})
    assert "R4: DN80, 0.05 m, 3.18 m/s: WORST" in words(loop_sheets(thin)[0])


def test_a_reversed_return_is_summed_against_its_order() -> None:
    """Three racks; the return starts at the first and leaves behind the last: 1, 2, 3 kPa from there on."""
    plan = hall(1, 3)
    segments = plan.table("loop_segments")
    turned = segments.filter(pl.col("side") == "return").with_columns(
        start=pl.Series(["rack:A-01", "rack:A-02", "rack:A-03"]),
        end=pl.Series(["rack:A-02", "rack:A-03", "cdu:A/1"]),
        drop_kpa=pl.Series([1.0, 2.0, 3.0]),
    )
    both = pl.concat([segments.filter(pl.col("side") == "supply"), turned])
    reverse = replace(plan, tables={**plan.tables, "loop_segments": both})
    (ladder,) = ladders(reverse)
    assert [r.back["full"] for r in ladder.rungs] == [6.0, 5.0, 3.0]
    assert [s.at for s in ladder.segments["return"]] == [2, 3, 4]
    sheet = loop_sheets(reverse)[0]
    assert "R3 runs from the last rack back to the CDU: DN80, 0.6 m" in words(sheet)
    assert cut(sheet.svg()) == [] and colliding(texts(sheet.svg())) == []


def test_positions_kept_for_later_are_dashed_and_have_no_pressure_now() -> None:
    sheet = loop_sheets(hall(1, 6, 4))[0]
    told = words(sheet)
    assert "A-05, later" in told and "A-04, later" not in told
    assert sheet.svg().count('<polyline points="318.0') and 'class="frame"' in sheet.svg()
    assert all(r.supply["now"] is None and r.supply["full"] for r in ladders(hall(1, 6, 4))[0].rungs[4:])


def test_verdicts_stand_in_words() -> None:
    told = words(loop_sheets(hall(1, 10))[0])
    assert "racks of now, 1,300 L/min: 90 kPa, limit not known" in told
    assert "flow below the published curve: not proven" in told
    assert "all three at once, 1,300 L/min: 176 of 151 kPa, 117 %: OVER" in told
    assert "138 / 126 of 130 L/min: LOW" in told


def test_a_plan_without_liquid_has_no_sheet() -> None:
    plan = hall(1, 3)
    assert loop_sheets(Plan("links only", {})) == ()
    assert loop_sheets(replace(plan, tables={**plan.tables, "loops": plan.table("loops").clear()})) == ()


def test_only_the_loops_of_the_rows_asked_for_are_drawn() -> None:
    assert [s.name for s in loop_sheets(hall(3, 4), rows=frozenset({"B"}))] == ["loop-b"]


def test_hostile_names_stay_text() -> None:
    plan = hall(1, 3)
    evil = '"><script>x</script>\x00'
    named = replace(plan, tables={**plan.tables, "loops": plan.table("loops").with_columns(coolant=pl.lit(evil))})
    svg = loop_sheets(named)[0].svg(standalone=True)
    assert "<script>" not in svg and "\x00" not in svg
