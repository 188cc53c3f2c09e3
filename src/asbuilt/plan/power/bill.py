"""What is bought for the power plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.design import Design

if TYPE_CHECKING:
    import polars as pl

#: Spare power cords where the requirement does not say: as for network cables.
SPARE_PERCENT = 5.0


def power_parts(design: Design, tables: dict[str, pl.DataFrame]) -> list[pl.DataFrame]:
    """Frames with the columns part, role, category, quantity, spares, length_m and rule, for the bill of materials.

    PDUs, power cords by their two ends and length, circuits (tap-off or panel breaker, whip and receptacle) by length of the
    whip, busways by rating and length. Power shelves and busbars come with rack-scale racks and are not bought apart.
    """
    if "circuits" not in tables or not tables["circuits"].height:
        return []
    return [_pdus(tables["pdus"]), _cords(design, tables["cords"]), _circuits(tables["circuits"]), _busways(tables["busways"])]


def _pdus(pdus: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    counted = pdus.group_by("part").agg(pl.len().alias("quantity"))
    return counted.with_columns(
        pl.lit("rack PDU").alias("role"),
        pl.lit("power").alias("category"),
        pl.lit(0).alias("spares"),
        pl.lit(None, pl.Float64).alias("length_m"),
        pl.lit("one for every feed of a rack, more where one does not carry it").alias("rule"),
    )


def _cords(design: Design, cords: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    stated = design.requirement.cabling.spare_percent
    percent = SPARE_PERCENT if stated is None else stated
    counted = cords.group_by(pl.format("{}-{}", "plug", "connector").alias("part"), "length_m").agg(pl.len().alias("quantity"))
    return counted.with_columns(
        pl.lit("power cord, plug at the PDU - connector at the device").alias("role"),
        pl.lit("power").alias("category"),
        (pl.col("quantity") * percent / 100.0 - 1e-9).ceil().cast(pl.Int64).alias("spares"),
        pl.lit(f"one for every power supply; spares {percent:g} % of each kind, rounded up").alias("rule"),
    )


def _circuits(circuits: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    tapped = pl.when(pl.col("busway").is_null()).then(pl.lit("panel breaker")).otherwise(pl.lit("tap-off box"))
    counted = circuits.group_by(
        pl.col("part").fill_null("circuit"),
        pl.format("{} and whip to {}", tapped, "receptacle").alias("role"),
        pl.col("whip_m").alias("length_m"),
    ).agg(pl.len().alias("quantity"))
    return counted.with_columns(
        pl.lit("power").alias("category"),
        pl.lit(0).alias("spares"),
        pl.lit("one for every PDU and circuit of a power shelf; length of the whip").alias("rule"),
    )


def _busways(busways: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    counted = busways.group_by(
        pl.col("part").fill_null("busway"),
        pl.format("busway of {} A", pl.col("rating_a").cast(pl.Int64)).alias("role"),
        "length_m",
    ).agg(pl.len().alias("quantity"))
    return counted.with_columns(
        pl.lit("power").alias("category"),
        pl.lit(0).alias("spares"),
        pl.lit("one for every row and feed, over the finished row").alias("rule"),
    )
