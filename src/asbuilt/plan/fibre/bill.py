"""What is bought for the cable plant: trunks with their spares, panels, cords to the panels, trays by the metre."""

from __future__ import annotations

import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.plan.fibre.bodies import fibre_jumpers
from asbuilt.plan.fibre.channels import straight_cords

_COLUMNS = ("part", "role", "category", "quantity", "spares", "length_m", "rule")


def direct_jumpers(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """The jumpers that are bought as such: those whose channel goes over a trunk are cords and panels instead."""
    over = tables["channels"].filter(pl.col("trunk").is_not_null()).select("jumper")
    return tables["jumpers"].join(over, on="jumper", how="anti", maintain_order="left")


def fibre_parts(
    design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame], percent: float, rule: str
) -> list[pl.DataFrame]:
    """Frames with the columns part, role, category, quantity, spares, length_m and rule, for the bill of materials.

    ``percent`` and ``rule``: spares of cords, as for all cables of the bill.
    """
    trunks, panels, trays = tables["trunks"], tables["panels"], tables["trays"]
    frames = [_trays(trays)] if trays.height else []
    if trunks.height:
        frames += [_trunks(trunks), _panels(panels), _cords(design, catalogue, tables, percent, rule)]
    return frames


def _trunks(trunks: pl.DataFrame) -> pl.DataFrame:
    counted = trunks.group_by("part", "length_m").agg(
        (pl.col("ports") > 0).sum().alias("quantity"), (pl.col("ports") == 0).sum().alias("spares")
    )
    rule = "ports x fibres over usable fibres, each pair of racks; spares are laid and tested beside them"
    return counted.with_columns(role=pl.lit("trunk"), category=pl.lit("fibre"), rule=pl.lit(rule)).select(_COLUMNS)


def _panels(panels: pl.DataFrame) -> pl.DataFrame:
    counted = panels.group_by("part").agg(pl.len().alias("quantity"))
    return counted.with_columns(
        role=pl.lit("patch panel"),
        category=pl.lit("fibre"),
        spares=pl.lit(0, dtype=pl.UInt32),
        length_m=pl.lit(None, dtype=pl.Float64),
        rule=pl.lit("trunk ends of each rack and medium over the positions of a panel"),
    ).select(_COLUMNS)


def _cords(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame], percent: float, rule: str) -> pl.DataFrame:
    """Cords of trunked channels: the jumper's own part at the far end, a straight one at the reference end."""
    over = tables["channels"].filter(pl.col("trunk").is_not_null())
    held = over.join(tables["jumpers"].select("jumper", "part"), on="jumper", how="left", maintain_order="left")
    straight = straight_cords(catalogue, fibre_jumpers(catalogue, held["part"].unique().sort().to_list()))
    near = pl.col("part").replace({part: cord for part, (cord, _) in straight.items()})
    ends = pl.concat(
        [
            held.select(near.alias("part"), pl.col("a_cord_m").alias("length_m")),
            held.select("part", pl.col("b_cord_m").alias("length_m")),
        ]
    )
    counted = ends.group_by("part", "length_m").agg(pl.len().alias("quantity"))
    spares = (pl.col("quantity") * percent / 100.0 - 1e-9).ceil().cast(pl.Int64)
    return counted.with_columns(role=pl.lit("patch cord"), category=pl.lit("cable"), spares=spares, rule=pl.lit(rule)).select(
        _COLUMNS
    )


def _trays(trays: pl.DataFrame) -> pl.DataFrame:
    part = pl.format("tray {} x {} mm", pl.col("width_mm").cast(pl.Int64), pl.col("depth_mm").cast(pl.Int64))
    counted = trays.group_by(part.alias("part"), pl.format("{} tray", "kind").alias("role")).agg(
        pl.col("length_m").sort().sum().round(3).ceil().cast(pl.Int64).alias("quantity")
    )
    return counted.with_columns(
        category=pl.lit("fibre"),
        spares=pl.lit(0, dtype=pl.Int64),
        length_m=pl.lit(None, dtype=pl.Float64),
        rule=pl.lit("metres over all rows and between them, rounded up"),
    ).select(_COLUMNS)
