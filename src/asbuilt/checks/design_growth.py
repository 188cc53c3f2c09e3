"""Growth, and the weight that thresholds may carry."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, nothing
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("DES-070", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("growth",), since="0.1")
def growth_moves_no_cable(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The growth target is reached by adding; no installed link has to be moved.

    Why: recabling a running fabric costs an outage, a second set of mating cycles and every label and test record.
    Measured by: plan table `growth`: the target laid out by the same rules and held against what is built.
    Repair: keep ports for the target now: split ports, leaves with free slots, spines for the target's striping.
    Source: the requirement's `growth`.
    """
    if plan.table("growth").is_empty():
        return nothing("the requirement names no growth target")
    return judge(
        plan.table("growth"),
        subject=pl.format("growth:{}/{}", "plane", pl.col("quantity").str.replace_all(" ", "-")),
        ok=pl.col("moved_links") == 0,
        expected=pl.lit("no link moves"),
        found=pl.when(pl.col("moved_links") == 0)
        .then(pl.col("reason"))
        .otherwise(pl.format("{}: {} cannot stay or have no port", "reason", amount(pl.col("moved_links"), "links"))),
    )


@check("DES-071", layer=Layer.DESIGN, severity=Severity.INFO, needs=("expectations",), since="0.1")
def thresholds_rest_on_figures_that_were_read(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No threshold that a gate may hang on comes from a low-confidence figure.

    Why: to fail a machine, or pass it, on a number that somebody remembered is no acceptance.
    Measured by: plan table `expectations`: confidence of thresholds that come from the catalogue.
    Repair: read the primary source and correct the catalogue entry, or state the value in the requirement.
    Source: confidence of each figure in the catalogue.
    """
    rows = plan.table("expectations")
    weak = pl.col("confidence") == "low"
    return judge(
        rows,
        subject=pl.lit("expectation:") + pl.col("id"),
        ok=pl.when(~weak.fill_null(False)).then(pl.lit(True)),
        expected=pl.lit("a figure of medium or high confidence, or a declared value"),
        found=pl.format("{} {} ({} confidence, {})", "value", "unit", pl.col("confidence").fill_null("no catalogue"), "source"),
    )
