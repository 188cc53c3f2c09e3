"""The NVLink switch trays of a plan: one row for each, from the rack unit that it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.tables_nodes import NVLINK_TRAYS

if TYPE_CHECKING:
    import polars as pl

#: `rack_slots.kind` of a tray.
KIND = "nvlink-switch"


def nvlink_trays_table(catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `nvlink_trays` from ``tables`` `rack_slots` and `nodes`; empty where no rack has such a tray.

    A tray belongs to the NVLink domain (`nodes.unit`) of the compute nodes in its rack: domains are whole racks.
    """
    import polars as pl

    slots = tables["rack_slots"].filter(pl.col("kind") == KIND)
    if slots.is_empty():
        return NVLINK_TRAYS.empty()
    units = tables["nodes"].filter(pl.col("role") == "compute").group_by("rack").agg(pl.col("unit").min())
    parts = [part for part in slots["part"].unique() if part is not None and catalogue.has("switch", part)]
    figures = pl.DataFrame(
        [(p, catalogue.get("switch", p).value("asics"), catalogue.get("switch", p).value("ports")) for p in parts],
        schema={"part": pl.String, "chips": pl.Int64, "ports": pl.Int64},
        orient="row",
    )
    number = pl.int_range(1, pl.len() + 1).over("rack", order_by="u")
    rack = pl.col("rack").str.strip_prefix("rack:")
    rows = slots.join(units, on="rack", how="inner", maintain_order="left")
    rows = rows.join(figures, on="part", how="left", maintain_order="left").with_columns(number.alias("number"))
    named = rows.with_columns(
        pl.format("nvtray:{}/{}", rack, "number").alias("nvlink_tray"),
        pl.format("nvlink-{}-{}", rack.str.to_lowercase(), "number").alias("name"),
    )
    return NVLINK_TRAYS.conform(named.select(NVLINK_TRAYS.names).sort("nvlink_tray"))
