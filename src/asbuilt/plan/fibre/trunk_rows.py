"""The trunks with their lengths, once the ways are known."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from asbuilt.base.units import MM_PER_M
from asbuilt.model.design import Design
from asbuilt.model.tables_fibre import TRUNKS
from asbuilt.physics.cable_pull import needed_length_m
from asbuilt.plan.fibre.names import ranked_phase
from asbuilt.plan.fibre.trunking import Trunking
from asbuilt.plan.route import U_MM, from_stock

Floats = NDArray[np.float64]


def panel_heights(panels: pl.DataFrame, racks: pl.DataFrame) -> pl.DataFrame:
    """Columns panel and centre_mm: height of its middle; a panel without room counts as on top of its rack."""
    tall = racks.select("rack", pl.col("height_u").alias("rack_u"))
    at = pl.col("u").fill_null(pl.col("rack_u") + 1.0 - pl.col("height_u"))
    return panels.join(tall, on="rack", how="left", maintain_order="left").select(
        "panel", ((at - 1.0 + pl.col("height_u") / 2.0) * U_MM).alias("centre_mm")
    )


def trunk_lengths(design: Design, made: Trunking, heights: pl.DataFrame, tray_m: Floats) -> pl.DataFrame:
    """``made.ends`` with drop_m (both), route_m and length_m. ``tray_m``: the way of each of its rows in trays."""
    ends = made.ends
    for end in ("lo", "hi"):
        names = {"panel": f"panel_{end}", "centre_mm": f"centre_{end}"}
        ends = ends.join(heights.rename(names), on=f"panel_{end}", how="left", maintain_order="left")
    tall = design.site.tray_height_mm
    drop = ((tall - pl.col("centre_lo")).clip(0.0) + (tall - pl.col("centre_hi")).clip(0.0)) / MM_PER_M
    ends = ends.with_columns(drop.alias("drop_m"))
    legs = tray_m + ends["drop_m"].to_numpy() + 2.0 * design.fibre.loop_m
    need = np.round(needed_length_m(legs, design.fibre.rules.slack_percent), 2)
    length = np.zeros(len(need))
    for word, kind in made.kinds.items():
        at = (ends["kind"] == word).to_numpy()
        length[at] = from_stock(need[at], kind.lengths_m)
    return ends.with_columns(pl.Series("route_m", need), pl.Series("length_m", length))


def trunks_table(design: Design, made: Trunking, lengths: pl.DataFrame) -> pl.DataFrame:
    """Table `TRUNKS`, sorted by key."""

    def of(key: str, dtype: type[pl.DataType]) -> pl.Expr:
        return pl.col("kind").replace_strict({w: getattr(k, key) for w, k in made.kinds.items()}, return_dtype=dtype)

    named = lengths.with_columns(
        pl.format("trunk:{}/{}-{}", "pair", "kind", "number").alias("trunk"),
        of("trunk", pl.String).alias("part"),
        pl.col("panel_lo").alias("a_panel"),
        pl.col("position_lo").alias("a_position"),
        pl.col("panel_hi").alias("b_panel"),
        pl.col("position_hi").alias("b_position"),
        of("strands", pl.Int64).alias("fibres"),
        of("polarity", pl.String).alias("polarity"),
        of("gender", pl.String).alias("a_gender"),
        of("gender", pl.String).alias("b_gender"),
        of("polish", pl.String).alias("polish"),
        of("od_mm", pl.Float64).alias("od_mm"),
        ranked_phase(design, "first").alias("phase"),
    )
    return TRUNKS.conform(named.select(TRUNKS.names).sort("trunk"))
