"""Table `BONDS`: earth bonds to measure before the first job, with the site's targets."""

from __future__ import annotations

import polars as pl

from asbuilt.model.design import Design
from asbuilt.model.tables_power import BONDS

COPPER = ("copper", "active-copper")


def bonds_table(design: Design, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """One bond from every rack to the bus of its row, one to the next rack of the row, and one between any two racks that
    copper network cables join. Potentials are asked for between racks: the next cable that joins two of them may be copper."""
    racks = tables["racks"].select("rack", "name", "row", "position", "phase").sort("row", "position")
    power = design.power
    bus = racks.select(
        pl.format("bond:{}/bus", "name").alias("bond"),
        "rack",
        pl.format("bus of row {}", "row").alias("far"),
        pl.lit("rack-to-bus").alias("kind"),
        pl.lit(power.bond_bus_mohm).alias("target_mohm"),
        "phase",
    )
    following = racks.with_columns(
        pl.col("rack").shift(-1).over("row").alias("far"), pl.col("name").shift(-1).over("row").alias("far_name")
    ).drop_nulls("far")
    pairs = following.select("rack", "name", "far", "far_name", "phase")
    copper = _copper(tables, racks)
    every = pl.concat([pairs, copper.select(pairs.columns)]).unique(["rack", "far"], maintain_order=True)
    between = every.select(
        pl.format("bond:{}/{}", "name", "far_name").alias("bond"),
        "rack",
        "far",
        pl.lit("rack-to-rack").alias("kind"),
        pl.lit(power.bond_rack_mohm).alias("target_mohm"),
        "phase",
    )
    frame = pl.concat([bus, between]).with_columns(
        pl.when(pl.col("kind") == "rack-to-rack").then(pl.lit(power.potential_warn_mv)).alias("warn_mv"),
        pl.when(pl.col("kind") == "rack-to-rack").then(pl.lit(power.potential_fail_mv)).alias("fail_mv"),
        pl.lit("declared" if power.bonds_declared else "assumed").alias("origin"),
    )
    return BONDS.conform(frame.sort("bond"))


def _copper(tables: dict[str, pl.DataFrame], racks: pl.DataFrame) -> pl.DataFrame:
    """Pairs of racks that copper jumpers join: rack, far (the later one of the hall), names, phase of the nearer."""
    jumpers = tables["jumpers"].filter(pl.col("medium").is_in(COPPER))
    place = pl.concat(
        [
            tables["nodes"].select(pl.col("node").alias("device"), "rack"),
            tables["switches"].select(pl.col("switch").alias("device"), "rack"),
        ]
    )
    joined = (
        jumpers.select("a_device", "b_device")
        .unique()
        .join(place.rename({"device": "a_device", "rack": "a_rack"}), on="a_device")
        .join(place.rename({"device": "b_device", "rack": "b_rack"}), on="b_device")
        .filter(pl.col("a_rack") != pl.col("b_rack"))
        .select(pl.min_horizontal("a_rack", "b_rack").alias("rack"), pl.max_horizontal("a_rack", "b_rack").alias("far"))
        .unique()
    )
    return (
        joined.join(racks.select("rack", "name", "phase"), on="rack")
        .join(racks.select(pl.col("rack").alias("far"), pl.col("name").alias("far_name")), on="far")
        .sort("rack", "far")
    )
