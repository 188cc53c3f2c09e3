"""Racks with a busbar: what each section carries and what the shelves are left with; earth bonds of every rack."""

from __future__ import annotations

import polars as pl

from asbuilt.base.units import W_PER_KW
from asbuilt.checks.answers import amount, judge
from asbuilt.checks.power_feeds import rightly_fed
from asbuilt.checks.power_limits import bound
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("PWR-006", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("busbars", "expectations"), since="0.1")
def busbar_sections_carry_the_load(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With all shelves standing, every section of a busbar stays within its rated current.

    Why: shelves at one end of the bar send the whole rack through the sections beside them.
    Measured by: plan table `busbars`: nominal load, shelves sharing equally, against the rating of a section.
    Repair: place the shelves among the trays, half of them in each half of the rack.
    Source: rating of a section from the catalogue; Kirchhoff's current law.
    """
    rows = plan.table("busbars")
    return _section(rows, pl.col("healthy_a"), rows_within(plan, "healthy_a"), pl.lit("all shelves"), pl.lit(True))


@check("PWR-007", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("busbars", "expectations"), since="0.1")
def busbar_sections_carry_a_lost_feed(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With any one feed or shelf lost, every section of a busbar stays within its rated current.

    Why: feed A in the upper shelves and B in the lower ones puts the whole rack through the middle section when one is lost;
        shelves of both feeds side by side do not.
    Measured by: plan table `busbars`: nominal load, worst loss, against the rating of a section; a section that is too weak
        with all shelves is PWR-006.
    Repair: interleave the feeds from shelf to shelf.
    Source: rating of a section from the catalogue; Kirchhoff's current law.
    """
    return _section(
        plan.table("busbars"),
        pl.col("lost_a"),
        rows_within(plan, "lost_a"),
        pl.format("{} lost", "lost"),
        rows_within(plan, "healthy_a") & rightly_fed(plan),
    )


@check("PWR-008", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("busbars", "expectations"), since="0.1")
def busbar_sections_carry_the_peak(plan: Plan, facts: Facts) -> pl.DataFrame:
    """At the peak of the load, the worst feed or shelf lost, every section of a busbar stays within its rated current.

    Why: GPUs step together; peaks of a second repeat for weeks and warm the bar like a steady current of their mean square.
    Measured by: plan table `busbars`: peak load, worst loss, against the rating of a section; what fails at nominal load is
        PWR-006 or PWR-007.
    Repair: cap the peak (power smoothing), interleave the feeds, or have the maker confirm the section for the peak.
    Source: rating of a section from the catalogue; peak draw of the system from the catalogue.
    """
    return _section(
        plan.table("busbars"),
        pl.col("peak_a"),
        rows_within(plan, "peak_a"),
        pl.format("peak, {} lost", "lost"),
        rows_within(plan, "lost_a") & rightly_fed(plan),
    )


def rows_within(plan: Plan, current: str) -> pl.Expr:
    """Whether a section carries the current of this column."""
    return pl.col(current) <= pl.col("rating_a") * bound(plan, "PWR-001")


def _section(rows: pl.DataFrame, current: pl.Expr, ok: pl.Expr, case: pl.Expr, applies: pl.Expr) -> pl.DataFrame:
    return judge(
        rows,
        subject=pl.col("section"),
        ok=ok,
        expected=pl.format("at most {}", amount(pl.col("rating_a"), "A")),
        found=pl.format(
            "{} between U{} and U{}, {}", amount(current, "A"), amount(pl.col("bottom_u")), amount(pl.col("top_u")), case
        ),
        applies=applies,
    )


@check("PWR-016", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("shelves", "expectations"), since="0.1")
def shelves_carry_a_lost_feed(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With the worst feed or shelf lost, the shelves that are left carry the rack.

    Why: eight shelves are N+N only as long as four carry the whole rack.
    Measured by: plan table `shelves`: output with the worst loss at nominal load, against the rated output.
    Repair: cap the rack, spread the shelves evenly over the feeds, or order one more.
    Source: rated output from the catalogue.
    """
    return _shelf(plan, pl.col("lost_w") <= pl.col("rating_w") * bound(plan, "PWR-001"), pl.col("rating_w"), rightly_fed(plan))


@check("PWR-017", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("shelves", "expectations"), since="0.1")
def shelves_keep_a_margin(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With the worst feed or shelf lost, the shelves that are left keep a margin for unequal sharing and peaks.

    Why: four shelves at exactly their rating carry a rack on paper; they share unequally, and every peak is an overload.
    Measured by: plan table `shelves`: output with the worst loss at nominal load, against the rated output less the site's
        margin; what is over the rating is PWR-016.
    Repair: cap the rack below the rating, or accept that it slows down while a feed is lost.
    Source: site policy for the margin; supplies share within some 5 %: verify with the maker.
    """
    most = pl.col("rating_w") * (1 - bound(plan, "PWR-017"))
    return _shelf(
        plan,
        pl.col("lost_w") <= most,
        most,
        (pl.col("lost_w") <= pl.col("rating_w") * bound(plan, "PWR-001")) & rightly_fed(plan),
    )


def _shelf(plan: Plan, ok: pl.Expr, most: pl.Expr, applies: pl.Expr) -> pl.DataFrame:
    lost, rating = amount(pl.col("lost_w") / W_PER_KW), amount(pl.col("rating_w") / W_PER_KW, "kW")
    return judge(
        plan.table("shelves"),
        subject=pl.col("shelf"),
        ok=ok,
        expected=pl.format("at most {}", amount(most / W_PER_KW, "kW")),
        found=pl.format("{} of {} with the worst feed or shelf lost", lost, rating),
        applies=applies,
    )


@check("PWR-031", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("bonds", "racks"), since="0.1")
def every_rack_has_earth_targets(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every rack has a planned earth bond with a target, and its potential to neighbours joined by copper has limits.

    Why: a rack without a measured bond puts its leakage through the shields of copper cables: links that fail now and then.
    Measured by: plan table `bonds`: a bond to the row's bus with a resistance, both limits in mV where racks are joined; they
        are measured before the first job.
    Repair: state the site's targets.
    Source: site policy: no public standard gives numbers for this use; IEC 62368-1 asks for 0.1 Ω of a product's own bond.
    """
    limits = pl.col("warn_mv").is_not_null() == pl.col("fail_mv").is_not_null()
    to_bus = pl.col("kind") == "rack-to-bus"
    bonds = plan.table("bonds").group_by("rack").agg(
        bus=(to_bus & (pl.col("target_mohm") > 0)).any(), limited=((limits & (pl.col("target_mohm") > 0)) | to_bus).all()
    )  # fmt: skip
    rows = plan.table("racks").join(bonds, on="rack", how="left").with_columns(pl.col("bus", "limited").fill_null(False))
    missing = pl.when(~pl.col("bus")).then(pl.lit("no bond to the row's bus with a target"))
    return judge(
        rows,
        subject=pl.col("rack"),
        ok=pl.col("bus") & pl.col("limited"),
        expected=pl.lit("a bond with a target in mΩ, and limits in mV between racks joined by copper"),
        found=missing.otherwise(pl.lit("a joined rack without limits in mV")),
    )
