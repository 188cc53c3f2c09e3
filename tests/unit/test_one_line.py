"""One-line diagrams: the chain as the tables have it, alike racks together, verdicts in words, nothing cut or overlapping."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

from asbuilt.drawings.judged import NARROW, WIDE, Judged, wrapped
from asbuilt.drawings.one_line import one_line_sheets
from asbuilt.drawings.power_chain import Group, row_chains, spans
from asbuilt.drawings.sheet import Sheet
from asbuilt.drawings.theme import text_width
from asbuilt.model.plan import Plan
from drawing_boxes import colliding, cut, texts
from physical_frames import hall

HOSTILE = '</text><script>alert("x")</script>&\x00 " onload="y'


def changed(plan: Plan, table: str, **columns: pl.Expr) -> Plan:
    return replace(plan, tables={**plan.tables, table: plan.table(table).with_columns(**columns)})


def words(sheet: Sheet) -> str:
    return " ".join(" ".join(box.what for box in texts(sheet.svg())).split())


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("shelves", [True, False])
def test_nothing_is_cut_off_and_nothing_overlaps(width: float, shelves: bool) -> None:
    sheets = one_line_sheets(hall(3, 13, 10, shelves=shelves), width)
    assert len({s.name for s in sheets}) == len(sheets)
    for sheet in sheets:
        assert sheet.width == width
        assert cut(sheet.svg()) == [], sheet.name
        assert colliding(texts(sheet.svg())) == [], sheet.name


def test_ten_alike_racks_stand_together_with_their_worst_figures() -> None:
    (sheet,) = one_line_sheets(hall(1, 10))
    told = words(sheet)
    assert "A-01 to A-10" in told and "10 racks, 132 kW nameplate each" in told
    assert "4 × 60 A breaker, 3-phase" in told and "whip 1.6 to 2.5 m, left side" in told
    assert "busbar section: 1,510 of 1,400 A, 108 %: OVER" in told
    assert "now, feed lost: 823 of 960 A, 86 %: within" in told
    assert "finished row: 1,070 of 960 A, 111 %: OVER" in told


def test_a_rack_that_differs_stands_alone() -> None:
    plan = hall(1, 10)
    other = pl.when(pl.col("rack") == "rack:A-04").then(16.0).otherwise("breaker_a")
    groups = {g.title for f in row_chains(changed(plan, "circuits", breaker_a=other), "A") for b in f.below for g in b.below}
    assert groups == {"4 × 60 A breaker, 3-phase", "4 × 16 A breaker, 3-phase"}
    told = words(one_line_sheets(changed(plan, "circuits", breaker_a=other))[0])
    assert "A-01 to A-03, A-05 to A-10" in told and "9 racks" in told and "1 rack, 132 kW nameplate" in told


def test_many_runs_of_alike_racks_are_not_all_named() -> None:
    assert spans({0: "a", 1: "b", 3: "d", 5: "f", 6: "g"}) == ["a to b", "d", "f to g"]
    assert Group({n: f"A-{n:02d}" for n in range(1, 20, 2)}, 1.0).title == "A-01, A-03, A-05 and others to A-19"


def test_racks_without_a_circuit_are_named() -> None:
    plan = hall(1, 6)
    fed = plan.table("circuits").filter(~pl.col("rack").is_in(["rack:A-02", "rack:A-03", "rack:A-06"]))
    told = words(one_line_sheets(replace(plan, tables={**plan.tables, "circuits": fed}))[0])
    assert "Without a circuit in the plan: A-02 to A-03, A-06." in told


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_row_of_many_kinds_of_racks_is_cut_into_sheets_that_fit_a_page(width: float) -> None:
    plan = hall(1, 12, shelves=False)
    every = pl.col("rack").str.tail(2).cast(pl.Float64)
    sheets = one_line_sheets(changed(plan, "circuits", breaker_a=every + 20), width)
    assert len({s.name for s in sheets}) == len(sheets) >= 6
    assert sheets[0].title == f"One-line diagram, row A, feed A, part 1 of {len(sheets) // 2}"
    assert sheets[0].name == "one-line-row-a-feed-a-1"
    drawn = re.findall(r"\d+ A breaker, 3-phase", " ".join(words(sheet) for sheet in sheets))
    assert sorted(drawn) == sorted([f"{20 + n} A breaker, 3-phase" for n in range(1, 13)] * 2)
    for sheet in sheets:
        assert sheet.height <= (800 if width == WIDE else 1800)
        assert cut(sheet.svg()) == [] and colliding(texts(sheet.svg())) == []


def test_cords_of_a_pdu_are_counted_by_kind() -> None:
    assert "4 cords a PDU: 1 C13, 3 C19" in words(one_line_sheets(hall(1, 4, shelves=False))[0])


def test_a_hall_has_an_overview_and_a_sheet_for_each_row() -> None:
    names = [s.name for s in one_line_sheets(hall(30, 2, shelves=False))]
    assert names[:2] == ["one-line-overview-1", "one-line-overview-2"] and len(names) == 32
    assert names[2] == "one-line-row-a" and names[-1] == "one-line-row-ad"
    chosen = one_line_sheets(hall(30, 2, shelves=False), rows=frozenset({"C"}))
    assert [s.name for s in chosen] == ["one-line-overview-1", "one-line-overview-2", "one-line-row-c"]


def test_what_is_not_known_is_never_within() -> None:
    plan = changed(hall(1, 4), "feeds", capacity_kw=pl.lit(None, dtype=pl.Float64))
    told = words(one_line_sheets(plan)[0])
    assert "now, worst feed lost: 1,320 kW, limit not known" in told
    assert Judged("x", None, 5.0, "A").verdict == "none" and Judged("x", 5.0, 0.0, "A").verdict == "none"
    assert Judged("x", float("nan"), 5.0, "A").verdict == "none"


def test_a_limit_that_is_met_exactly_is_kept() -> None:
    assert Judged("x", 48.0, 48.0, "A").text == "x: 48 of 48\u00a0A, 100\u00a0%:\u00a0within"
    assert Judged("x", 48.1, 48.0, "A").text == "x: 48.1 of 48\u00a0A, 100.2\u00a0%:\u00a0OVER"


def test_a_plan_without_circuits_has_no_sheet() -> None:
    plan = hall(1, 4)
    assert one_line_sheets(Plan("links only", {})) == ()
    assert one_line_sheets(replace(plan, tables={**plan.tables, "circuits": plan.table("circuits").clear()})) == ()


def test_panels_instead_of_busways_are_drawn() -> None:
    plan = changed(hall(2, 3), "circuits", busway=pl.lit(None, dtype=pl.String))
    plan = replace(plan, tables={**plan.tables, "busways": plan.table("busways").clear()})
    overview, row, _ = one_line_sheets(plan)
    assert "No busways: circuits come from panels." in words(overview) and "Panel breakers" in words(row)


def test_hostile_names_stay_text() -> None:
    plan = changed(hall(1, 3), "racks", name=pl.lit(HOSTILE))
    svg = one_line_sheets(plan)[0].svg(standalone=True)
    assert "<script>" not in svg and "\x00" not in svg and 'onload="y"' not in svg


def test_text_is_broken_at_blanks_and_never_wider_than_its_room() -> None:
    lines = wrapped("a whip crosses the swing of a door and_a_word_that_is_far_too_long_for_any_line_of_this_box", 120)
    assert all(text_width(line, 11.5) <= 120 for line in lines) and lines[0].startswith("a whip crosses")
    assert wrapped("", 100) == [""]
