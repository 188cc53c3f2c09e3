"""How full trays read: one finding for a hall, and a width that mends it."""

from __future__ import annotations

import dataclasses

import polars as pl
import pytest

from asbuilt.model.verdict import Finding
from asbuilt.workflow.check import check
from physical_faults import stated
from template_plans import made


def full(fills: dict[str, float]) -> list[Finding]:
    """Findings on the fill of trays when the fibre trays over these rows (null: those that cross) are filled so far."""
    plan = made("dgx-h100-superpod")
    trays = plan.table("trays")
    for row, fill in fills.items():
        here = (pl.col("kind") == "fibre") & pl.col("row").fill_null("cross").eq(row)
        trays = trays.with_columns(fill_full_percent=pl.when(here).then(fill).otherwise(pl.col("fill_full_percent")))
    seen = check(dataclasses.replace(plan, tables={**plan.tables, "trays": trays}))
    return [f for f in seen.findings if f.id in ("CAB-020", "CAB-021")]


def test_all_runs_that_are_full_are_one_finding() -> None:
    (finding,) = full({"A": 60.0, "B": 55.0, "cross": 71.5})
    now = made("dgx-h100-superpod").table("trays").filter(pl.col("row").is_null() & (pl.col("kind") == "fibre"))
    assert finding.subject == "trays:fibre" and finding.id == "CAB-021"
    assert finding.cause.startswith("3 runs of trays (fibre/cross, fibre/A, fibre/B) are full: the fullest part of all ")
    assert finding.cause.endswith("71.5 % when the site is finished, it may be at most 50 %")
    width = now["width_mm"][0] * 71.5 / 40
    told = float(finding.ways[0].split("tray_width_mm: ")[1].split("`")[0])
    assert width <= told < width + 50


def test_one_run_is_named() -> None:
    (finding,) = full({"B": 45.0})
    assert (finding.id, finding.subject) == ("CAB-020", "trays:fibre/B")
    assert finding.cause.startswith("a run of trays (fibre/B) keeps no room for what comes later: its fullest part ")


def test_what_no_tray_is_made_for_is_told_as_cross_section() -> None:
    (finding,) = full({"cross": 490.0})
    assert finding.ways[0] == "trays of 12.2 times this cross-section: `fibre.tray_width_mm`, `fibre.tray_depth_mm`"


@pytest.mark.parametrize("width", [300, 350])
def test_the_width_that_is_told_mends_it_and_a_step_less_does_not(width: int) -> None:
    narrow = check(stated("gb300-nvl72", fibre={"tray_width_mm": width}))
    told = [f for f in narrow.findings if f.id in ("CAB-020", "CAB-021")]
    assert told
    best = max(int(f.ways[0].split("tray_width_mm: ")[1].split("`")[0]) for f in told)
    for step, fine in ((0, True), (50, False)):
        seen = check(stated("gb300-nvl72", fibre={"tray_width_mm": best - step}))
        assert (not [f for f in seen.findings if f.id in ("CAB-020", "CAB-021")]) is fine


def test_panels_without_a_place_are_one_finding_however_many_racks_they_are_of() -> None:
    plan = made("dgx-h100-superpod")
    panels = plan.table("panels")
    racks = panels["rack"].unique().sort().to_list()[:2]
    homeless = panels.with_columns(u=pl.when(pl.col("rack").is_in(racks)).then(None).otherwise(pl.col("u")))
    seen = check(dataclasses.replace(plan, tables={**plan.tables, "panels": homeless}))
    (finding,) = [f for f in seen.findings if f.id == "CAB-005"]
    count = panels.filter(pl.col("rack").is_in(racks)).height
    assert finding.subject == "panels:no-room" and len(finding.subjects) == count
    assert finding.cause == f"{count} panels of 2 racks found no room: {racks[0]}, {racks[1]}"
