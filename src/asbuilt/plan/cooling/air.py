"""Table of the air by row: what the devices move, what the heat asks for, what the room takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.design import Design
from asbuilt.model.tables_cooling import AIR_ROWS
from asbuilt.physics.psychrometrics import air_m3_h, air_rise_k
from asbuilt.plan.devices import phase_names

if TYPE_CHECKING:
    import polars as pl


def air_rows(design: Design, racks: pl.DataFrame) -> pl.DataFrame:
    """Table `AIR_ROWS`.

    The rise is what the devices' own air gives with the heat left to it; where the air of one of them is not known, the rise
    that the site plans with.
    """
    import polars as pl

    cooling, inlet = design.cooling, design.site.air_inlet_c
    names = phase_names(design)
    rank = pl.col("phase").replace_strict({n: i for i, n in enumerate(names)}, default=len(names), return_dtype=pl.Int64)
    air = pl.col("heat_w") - pl.col("liquid_w")
    by_row = (
        racks.sort("rack")
        .with_columns(air.alias("air_w"), rank.alias("rank"))
        .group_by("row", maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("racks"),
            (pl.col("air_w").sum() / 1000.0).alias("air_kw"),
            pl.when(pl.col("airflow_m3_h").is_null().any())
            .then(None)
            .otherwise(pl.col("airflow_m3_h").sum())
            .alias("airflow_m3_h"),
            (pl.col("air_w").max() / 1000.0).alias("densest_kw"),
            pl.col("phase").sort_by("rank").first(),
        )
    )
    moved = (pl.col("airflow_m3_h") > 0) & (pl.col("air_kw") > 0)
    rise = pl.when(moved).then(pl.col("air_kw") * air_rise_k(1.0, 1.0) / pl.col("airflow_m3_h")).otherwise(cooling.air_rise_k)
    room = cooling.room_kw_per_rack
    frame = by_row.with_columns(
        (pl.col("air_kw") * air_m3_h(1.0, cooling.air_rise_k)).alias("need_m3_h"),
        rise.alias("rise_k"),
        pl.lit(inlet).alias("inlet_c"),
        (pl.lit(inlet) + rise).alias("outlet_c"),
        (pl.lit(room, dtype=pl.Float64) * pl.col("racks")).alias("room_kw"),
    )
    return AIR_ROWS.conform(frame.select(AIR_ROWS.names).sort(AIR_ROWS.order))
