"""Which cables there are between which racks: jumpers and management cords with the rack and the drop of both ends."""

from __future__ import annotations

import numpy as np
import polars as pl

from asbuilt.base.row_letters import row_index
from asbuilt.model.design import SiteDesign
from asbuilt.plan.fibre.grid import RackPlaces
from asbuilt.plan.placement import ROWS_PER_HALL
from asbuilt.plan.route import U_MM


def rack_places(site: SiteDesign, racks: pl.DataFrame) -> RackPlaces:
    """Where the racks of the table stand, in its order."""
    letters = racks.select(pl.col("row").unique().sort()).to_series().to_list()
    row = racks["row"].replace_strict({text: row_index(text) for text in letters}, return_dtype=pl.Int64).to_numpy()
    pitch = site.rack_depth_mm + site.aisle_mm
    line = np.rint(racks["y_mm"].to_numpy() / pitch).astype(np.int64)
    return RackPlaces(row, racks["position"].to_numpy().astype(np.int64), line, row // ROWS_PER_HALL)


def device_places(site: SiteDesign, tables: dict[str, pl.DataFrame], rack_at: pl.DataFrame) -> pl.DataFrame:
    """Columns device, rack (row number of ``racks``), centre_mm (height of its middle), drop_mm (from there up to the tray)."""
    both = pl.concat(
        [
            tables["nodes"].select(pl.col("node").alias("device"), "rack", "u", "height_u"),
            tables["switches"].select(pl.col("switch").alias("device"), "rack", "u", "height_u"),
        ]
    )
    centre = (pl.col("u") - 1.0 + pl.col("height_u") / 2.0) * U_MM
    return (
        both.with_columns(centre.alias("centre_mm"))
        .join(rack_at, on="rack", how="left", maintain_order="left")
        .select(
            "device", pl.col("at").alias("rack"), "centre_mm", drop_mm=(site.tray_height_mm - pl.col("centre_mm")).clip(0.0)
        )
    )


def jumper_ends(tables: dict[str, pl.DataFrame], devices: pl.DataFrame) -> pl.DataFrame:
    """``jumpers`` with ra, rb (racks), drop_a, drop_b, centre_a, centre_b, port (of the name), one (a single far rack)."""
    jumpers = tables["jumpers"]
    port = pl.col("jumper").str.extract(r"/(\d+)b?$").cast(pl.Int64)
    ends = _with_ends(jumpers, devices, "a_device", "b_device").with_columns(port.alias("port"))
    split = jumpers.filter(pl.col("links") > 1)["jumper"]
    if not len(split):
        return ends.with_columns(one=pl.lit(True))
    far = tables["links"].filter(pl.col("jumper").is_in(split.implode())).select("jumper", "b_device")
    racks = far.join(devices.select(pl.col("device").alias("b_device"), "rack"), on="b_device", how="left")
    spread = racks.group_by("jumper").agg((pl.col("rack").n_unique() == 1).alias("one"))
    return ends.join(spread, on="jumper", how="left", maintain_order="left").with_columns(pl.col("one").fill_null(True))


def cord_ends(tables: dict[str, pl.DataFrame], devices: pl.DataFrame) -> pl.DataFrame:
    """Management cords with part, phase, ra, rb, drop_a, drop_b."""
    known = tables["management_ports"].filter(pl.col("part").is_not_null() & pl.col("switch").is_not_null())
    return _with_ends(known, devices, "device", "switch")


def _with_ends(frame: pl.DataFrame, devices: pl.DataFrame, a: str, b: str) -> pl.DataFrame:
    for end, column in (("a", a), ("b", b)):
        names = {"device": column, "rack": f"r{end}", "centre_mm": f"centre_{end}", "drop_mm": f"drop_{end}"}
        frame = frame.join(devices.rename(names), on=column, how="left", maintain_order="left")
    return frame
