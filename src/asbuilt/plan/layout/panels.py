"""Patch panels in the free units of their racks, from the top down: trunks come from above, and cords reach down."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from asbuilt.model.design import Design
from asbuilt.model.tables_fibre import PANELS
from asbuilt.plan.layout.free import CELLS, Bools, highest_run, taken
from asbuilt.plan.layout.slots import keyed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def place_panels(racks: pl.DataFrame, slots: pl.DataFrame, panels: pl.DataFrame) -> pl.DataFrame:
    """``panels`` with the lowest U of each: the one it has where that is free, else the highest free one, null without room.

    Panels of a rack are placed in the order of their numbers. Every rack of ``panels`` must be in ``racks``.
    """
    if not panels.height:
        return panels
    here = racks.filter(pl.col("rack").is_in(panels["rack"].unique().implode())).sort("rack")
    grid = taken(here, slots)
    row = panels.join(here.select("rack", row=pl.int_range(pl.len())), on="rack", how="left", maintain_order="left")
    order = panels.select(pl.col("number").rank("ordinal").over("rack") - 1).to_series().to_numpy()
    at, heights = row["row"].to_numpy(), panels["height_u"].to_numpy()
    wanted = panels["u"].to_numpy().astype(np.float64)
    placed = np.full(panels.height, np.nan)
    for turn in range(int(order.max()) + 1):
        for height in sorted(set(heights[order == turn].tolist())):
            now = np.flatnonzero((order == turn) & (heights == height))
            racks_now = at[now]
            units = max(1, int(np.ceil(height)))
            keeps = _is_free(grid, racks_now, wanted[now], units)
            u = np.where(keeps, wanted[now], highest_run(grid[racks_now], units))
            placed[now] = u
            _take(grid, racks_now, u, units)
    return PANELS.conform(panels.with_columns(pl.Series("u", placed).fill_nan(None)))


def _is_free(grid: Bools, racks: Ints, u: Floats, units: int) -> Bools:
    cells = _cells(u, units)
    inside = (~np.isnan(u)) & (u >= 1.0) & (cells[:, -1] < grid.shape[1])
    held = grid[racks[:, None], np.clip(cells, 0, grid.shape[1] - 1)].any(axis=1)
    return np.asarray(inside & ~held, bool)


def _take(grid: Bools, racks: Ints, u: Floats, units: int) -> None:
    there = ~np.isnan(u)
    grid[racks[there][:, None], _cells(u[there], units)] = True


def _cells(u: Floats, units: int) -> Ints:
    first = np.floor((np.nan_to_num(u, nan=1.0) - 1.0) * CELLS).astype(np.int64)
    cells: Ints = first[:, None] + np.arange(CELLS * units)[None, :]
    return cells


def with_panels(design: Design, slots: pl.DataFrame, panels: pl.DataFrame) -> pl.DataFrame:
    """Table `RACK_SLOTS`: ``slots`` and the panels that found room (`place_panels`), at the face where the ports are.

    Trays of rack-scale systems have their network ports in front, servers at the rear, switches where the site says.
    """
    if not panels.height:
        return slots
    front = design.node.units_are_racks
    ports = "rear" if design.site.switch_ports_face == "hot" else "front"
    compute = slots.filter(pl.col("kind") == "node")["rack"].unique()
    face = pl.when(pl.col("rack").is_in(compute.implode())).then(pl.lit("front" if front else "rear")).otherwise(pl.lit(ports))
    added = panels.filter(pl.col("u").is_not_null()).select(
        "rack",
        "u",
        "height_u",
        face.alias("face"),
        pl.col("panel").alias("device"),
        pl.lit("panel").alias("kind"),
        pl.format("patch panel {}", "number").alias("name"),
        "part",
        pl.lit(False).alias("liquid"),
        "phase",
    )
    return keyed(pl.concat([slots.drop("slot"), added]))
