"""Trays and ways: fill now and at the finished site, fibre apart from power, bend radius at turns, pull tension."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, threshold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

_POWER = "power"


def _limit(plan: Plan, check_id: str) -> pl.Expr:
    """The threshold of a check as a literal; null when the plan has none, so that nothing is judged by it."""
    row = threshold(plan, check_id)
    return pl.lit(None if row is None else row["limit"], dtype=pl.Float64)


def _filled(plan: Plan) -> pl.DataFrame:
    """Trays for data cables with the planned and the hard limit of their fill, %, the larger of both fills, and that of the
    fullest segment of their run."""
    data = plan.table("trays").filter(pl.col("kind") != _POWER)
    worst = pl.max_horizontal("fill_now_percent", "fill_full_percent")
    limited = data.with_columns(planned=_limit(plan, "CAB-020"), most=_limit(plan, "CAB-021"), worst=worst)
    return limited.with_columns(fullest=pl.col("worst").max().over("kind", "row"))


def _fills() -> pl.Expr:
    now, full = amount(pl.col("fill_now_percent"), "%"), amount(pl.col("fill_full_percent"), "%")
    return pl.format("{} now, {} when the site is finished", now, full)


@check("CAB-020", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("trays", "expectations"), since="0.1")
def trays_keep_room(plan: Plan, facts: Facts) -> pl.DataFrame:
    """At the finished site no tray holds more than the planned part of its cross-section.

    Why: a tray that the pilot fills by a third is full when the row is finished, and every later cable lies on the pilot's.
    Measured by: plan table `trays`; where a segment of a run is past the hard limit CAB-021 answers alone.
    Repair: wider trays from the start, or a second run.
    Source: TIA-569 and EN 50174-2.
    """
    return judge(
        _filled(plan),
        subject=pl.col("tray"),
        ok=pl.col("worst") <= pl.col("planned"),
        applies=(pl.col("fullest") <= pl.col("most")).fill_null(True),
        expected=pl.format("at most {}", amount(pl.col("planned"), "%")),
        found=_fills(),
    )


@check("CAB-021", layer=Layer.FACILITY, needs=("trays", "expectations"), since="0.1")
def trays_are_never_full(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No tray is filled past the hard limit, now or at the finished site.

    Why: round cables at half of the cross-section fill a tray to the eye; what is laid on top is crushed or hangs beside it.
    Measured by: plan table `trays`.
    Repair: wider or deeper trays, a second run, or fewer cables: trunks in place of cords.
    Source: TIA-569, as several pages quote it.
    """
    return judge(
        _filled(plan),
        subject=pl.col("tray"),
        ok=pl.col("worst") <= pl.col("most"),
        expected=pl.format("at most {}", amount(pl.col("most"), "%")),
        found=_fills(),
    )


@check("CAB-022", layer=Layer.FACILITY, needs=("trays",), since="0.1")
def fibre_lies_apart_from_power(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No fibre tray holds power cables.

    Why: a power cable pulled later crushes fibre that carries jobs, and a fault in it burns the row's only way out.
    Measured by: plan table `trays`.
    Repair: a tray of its own for the power cables.
    Source: EN 50174-2 and NEC 770.133 on separation; dedicated fibre trays are the rule of the site.
    """
    rows = plan.table("trays")
    return judge(
        rows,
        subject=pl.col("tray"),
        ok=~pl.col("shared"),
        applies=pl.col("kind") != _POWER,
        expected=pl.lit("no power cables"),
        found=pl.format("{} and power in one tray", "kind"),
    )


@check("CAB-023", layer=Layer.FACILITY, needs=("routes",), since="0.1")
def turns_are_wide_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """At every turn of a way the radius is no less than its thickest cable may take under pull.

    Why: bent tighter, glass loses light at once or cracks in months, and the loss is somewhere above the ceiling.
    Measured by: plan table `routes`: radius of the turns against a multiple of the outside diameter.
    Repair: sweeps and drop-outs with the larger radius: `fibre.turn_radius_mm`.
    Source: ANSI/TIA-568.3: 15 times the outside diameter under pull, 10 times at rest.
    """
    return judge(
        plan.table("routes"),
        subject=pl.col("route"),
        ok=pl.col("bend_mm") >= pl.col("bend_least_mm").round(2),
        applies=pl.col("turns") > 0,
        expected=pl.format("a radius of at least {}", amount(pl.col("bend_least_mm"), "mm")),
        found=amount(pl.col("bend_mm"), "mm"),
    )


@check("CAB-024", layer=Layer.FACILITY, needs=("routes",), since="0.1")
def pulls_stay_below_the_cable(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Pulled from end to end, no cable of a way sees more tension than it may take.

    Why: tension over the rating stretches the glass; it works on the day of the test and fails later.
    Measured by: plan table `routes`: friction along the trays and over the turns.
    Repair: pull from the middle, lay in instead of pulling, or fewer turns.
    Source: IEEE 1185 pull formulas; ratings from the data sheets as in the catalogue.
    """
    return judge(
        plan.table("routes"),
        subject=pl.col("route"),
        ok=pl.col("tension_n").round(2) <= pl.col("tension_most_n"),
        expected=pl.format("at most {}", amount(pl.col("tension_most_n"), "N")),
        found=amount(pl.col("tension_n"), "N"),
    )
