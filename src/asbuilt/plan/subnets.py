"""Subnets: which planes, how many end ports and switch ASICs, how many LIDs."""

from __future__ import annotations

from typing import Any

import polars as pl

from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.tables import SUBNETS


def subnets_table(design: Design, switches: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """Table `SUBNETS`, sorted by name. End ports are those of nodes and service hosts on the subnet's switches.

    LIDs of an InfiniBand subnet: end ports and SHARP aggregation nodes x 2^LMC, and switch ASICs (a switch has one LID, on
    port 0). A plane whose links all went without a port still stands in the subnet that it was given.
    """
    live = switches.filter(~pl.col("spare"))
    per_switch = (
        links.filter(pl.col("kind").is_in(["node_leaf", "service"])).group_by("a_device", "plane").agg(pl.len().alias("ends"))
    )
    ends = per_switch.join(live.select("switch", "subnet"), left_on="a_device", right_on="switch", how="inner")
    by_subnet = ends.group_by("subnet").agg(pl.col("ends").sum().alias("endpoints"))
    asics = live.group_by("subnet").agg(
        pl.col("asics").sum().alias("switches"),
        pl.col("model").is_in(_aggregating(design)).sum().cast(pl.Int64).alias("aggregation"),
        pl.col("island").min(),
        pl.col("island").n_unique().alias("islands"),
        pl.col("subplane").min(),
        pl.col("subplane").n_unique().alias("subplanes"),
    )
    planes = pl.concat([ends.select("subnet", "plane"), live.select("subnet", "plane"), _declared(design)]).unique()
    joined = planes.group_by("subnet").agg(pl.col("plane").sort().str.join("+").alias("planes"))
    frame = joined.join(asics, on="subnet", how="left").join(by_subnet, on="subnet", how="left")
    facts = pl.DataFrame(
        [_facts(p) for p in design.planes], schema={"plane": pl.String, "technology": pl.String, "lmc": pl.Int64}
    )
    first = planes.join(facts, on="plane").group_by("subnet").agg(pl.col("technology").sort().last(), pl.col("lmc").max())
    frame = frame.join(first, on="subnet", how="left").with_columns(
        pl.col("endpoints", "switches", "aggregation").fill_null(0).cast(pl.Int64),
        pl.when(pl.col("islands") == 1).then("island").alias("island"),
        pl.when(pl.col("subplanes") == 1).then("subplane").alias("subplane"),
    )
    fabric, runs = pl.col("technology") == "infiniband", pl.col("endpoints") + pl.col("aggregation")
    frame = frame.with_columns(
        pl.when(fabric).then("lmc").alias("lmc"),
        pl.when(fabric).then(runs * pl.lit(2, pl.Int64).pow(pl.col("lmc")) + pl.col("switches")).alias("lids"),
    )
    return SUBNETS.conform(frame.select(SUBNETS.names).sort("subnet"))


def _facts(plane: PlaneDesign) -> dict[str, Any]:
    return {"plane": plane.name, "technology": plane.technology, "lmc": plane.lmc}


def _aggregating(design: Design) -> list[str]:
    """Switch models with a SHARP aggregation node of their own."""
    tiers = (tier for p in design.planes for tier in (p.leaf, p.spine, p.core))
    return sorted({tier.switch for tier in tiers if tier and tier.aggregation})


def _declared(design: Design) -> pl.DataFrame:
    """The subnet that a plane without switches of its own was given."""
    rows = [(p.subnet or p.name, p.name) for p in design.planes if p.share and p.subplanes == 1]
    return pl.DataFrame(rows, schema={"subnet": pl.String, "plane": pl.String}, orient="row")
