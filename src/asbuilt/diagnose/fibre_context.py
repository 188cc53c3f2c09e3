"""What stands around the subject of a verdict on the cable plant: the columns that causes and ways out are worded with."""

from __future__ import annotations

import math

import polars as pl

from asbuilt.model.plan import Plan

Rows = pl.DataFrame
_CROSS = "cross"


def of_bundle(plan: Plan, rows: Rows) -> Rows:
    """Subject is a bundle: adds ``a_rack b_rack medium ports``."""
    return rows.join(_of(plan, "bundles", "bundle", "a_rack", "b_rack", "medium", "ports"), on="subject", how="left")


def of_trunk(plan: Plan, rows: Rows) -> Rows:
    """Subject is a trunk: adds ``part`` and its ends, ``a_panel a_position b_panel b_position``."""
    columns = ("part", "a_panel", "a_position", "b_panel", "b_position")
    return rows.join(_of(plan, "trunks", "trunk", *columns), on="subject", how="left")


def of_panel(plan: Plan, rows: Rows) -> Rows:
    """Subject is a panel: adds ``rack part`` and ``racks``, how many racks these panels are of."""
    joined = rows.join(_of(plan, "panels", "panel", "rack", "part"), on="subject", how="left")
    return joined.with_columns(racks=pl.col("rack").n_unique())


def of_channel(plan: Plan, rows: Rows) -> Rows:
    """Subject is a jumper: adds ``phy pairs`` of its channel, and ``through``, the part that ``found`` names in brackets."""
    joined = rows.join(_of(plan, "channels", "jumper", "phy", "pairs"), on="subject", how="left")
    return joined.with_columns(
        pl.col("found").str.extract(r"\(([^)]*)\)").alias("through"), pl.col("phy").fill_null("(unknown)")
    )


def of_tray(plan: Plan, rows: Rows) -> Rows:
    """Subject is a tray segment: adds ``run`` (kind and row, or the trays that cross rows), and of all that are too full of one
    ``kind``: ``runs``, how many, ``class``, the run or the kind, and ``times``, the fullest over what is planned at most.

    ``expected`` and ``found`` are told once, of the fullest run: one size of tray is ordered for the whole hall.
    """
    held = _of(plan, "trays", "tray", "kind", "row", "width_mm", "depth_mm", "fill_now_percent", "fill_full_percent")
    joined = rows.join(held, on="subject", how="left")
    worst = pl.max_horizontal("fill_now_percent", "fill_full_percent").fill_null(0.0)
    run = pl.format("{}/{}", "kind", pl.col("row").fill_null(_CROSS))
    named = joined.with_columns(run=run, worst=worst).sort("kind", "worst", "subject", descending=[False, True, False])
    runs = pl.col("run").n_unique().over("kind")
    return named.with_columns(
        found=pl.col("found").first().over("kind"),
        times=pl.col("worst").max().over("kind") / _planned_fill(plan),
        runs=runs,
        **{"class": pl.when(runs > 1).then(pl.col("kind")).otherwise(pl.col("run"))},
    )


def _planned_fill(plan: Plan) -> float:
    """What a tray may be filled to with room for what comes later, %; infinite where the plan has no such threshold."""
    if not plan.has("expectations"):
        return math.inf
    stated = plan.table("expectations").filter(pl.col("check_id") == "CAB-020")["value"].cast(pl.Float64, strict=False)
    return float(stated.drop_nulls().first() or math.inf)  # type: ignore[arg-type]


def of_route(plan: Plan, rows: Rows) -> Rows:
    """Subject is a way between two racks: adds ``a_rack b_rack turns bend_mm loops_m``."""
    held = _of(plan, "routes", "route", "a_rack", "b_rack", "turns", "bend_mm", "bend_least_mm", "loops_m")
    return rows.join(held, on="subject", how="left")


def _of(plan: Plan, table: str, key: str, *columns: str) -> Rows:
    """Columns of a table under ``subject``; a plan without the table gives nulls."""
    if not plan.has(table):
        return pl.DataFrame(schema=dict.fromkeys(("subject", *columns), pl.String))
    return plan.table(table).select(pl.col(key).alias("subject"), *columns)
