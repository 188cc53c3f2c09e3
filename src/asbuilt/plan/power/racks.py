"""Racks in the order of their rows, the planned ones and those that the finished row will hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from asbuilt.model.design import Design
from asbuilt.plan.placement import COMPUTE, RACK_ROLES

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Racks:
    """One entry per rack, row by row. ``names`` have no prefix ``rack:``; ``x_m`` is the rack's middle, from the row's start.

    ``planned`` false: a compute position of a row that is not taken yet. ``server``: a rack of servers or other devices with
    cords; false: a rack-scale rack with shelves.
    """

    names: pl.Series
    role: Ints
    row: Ints
    rows: tuple[str, ...]
    position: Ints
    x_m: Floats
    planned: Flags
    server: Flags
    phase: pl.Series
    row_m: Floats
    later: int

    def __len__(self) -> int:
        return len(self.role)

    @property
    def ids(self) -> pl.Series:
        return ("rack:" + self.names).alias("rack")


def rows_of(design: Design, racks: pl.DataFrame) -> Racks:
    """The racks of the table `racks`, and one more on every compute position of their rows that is free.

    A position is kept for compute when its row has compute racks and no row has a network rack there. ``later``: racks that
    `growth.gpus` asks for beyond the finished rows.
    """
    across, width = max(2, design.site.racks_per_row), design.site.rack_width_mm / 1000.0
    taken: dict[str, set[int]] = {}
    for row, position in racks.select("row", "position").iter_rows():
        taken.setdefault(row, set()).add(position)
    network = set(racks.filter(pl.col("role") == "network")["position"].to_list())
    compute = racks.filter(pl.col("role") == "compute")
    free = [
        (row, position)
        for row in sorted(set(compute["row"].to_list()))
        for position in range(1, across + 1)
        if position not in taken[row] and position not in network
    ]
    later = pl.DataFrame(
        {"row": [r for r, _ in free], "position": [p for _, p in free]}, schema={"row": pl.String, "position": pl.Int64}
    ).with_columns(
        pl.concat_str("row", pl.lit("-"), pl.col("position").cast(pl.String).str.zfill(2)).alias("name"),
        pl.lit("compute").alias("role"),
        pl.lit("").alias("phase"),
        pl.lit(False).alias("planned"),
    )
    columns = ["name", "role", "row", "position", "phase", "planned"]
    every = pl.concat([racks.with_columns(pl.lit(True).alias("planned")).select(columns), later.select(columns)])
    every = every.sort(pl.col("row").str.len_bytes(), "row", "position")
    rows = tuple(every["row"].unique(maintain_order=True).to_list())
    role = every["role"].replace_strict({r: i for i, r in enumerate(RACK_ROLES)}, return_dtype=pl.Int32).to_numpy()
    row = every["row"].replace_strict({r: i for i, r in enumerate(rows)}, return_dtype=pl.Int32).to_numpy()
    position = every["position"].cast(pl.Int32).to_numpy()
    longest = np.zeros(len(rows), np.int32)
    np.maximum.at(longest, row, position)
    with_compute = np.zeros(len(rows), np.bool_)
    with_compute[row[role == COMPUTE]] = True
    return Racks(
        names=every["name"],
        role=role,
        row=row,
        rows=rows,
        position=position,
        x_m=(position - 0.5) * width,
        planned=every["planned"].to_numpy(),
        server=(role != COMPUTE) | (not design.node.units_are_racks),
        phase=every["phase"],
        row_m=np.where(with_compute, np.maximum(longest, across), longest) * width,
        later=max(0, _racks_asked(design) - int((role == COMPUTE).sum())),
    )


def _racks_asked(design: Design) -> int:
    """Compute racks that `growth.gpus` asks for."""
    gpus = design.requirement.growth.gpus or 0
    node, site = design.node, design.site
    each = node.gpus_per_node * (node.nodes_per_unit if node.units_are_racks else site.nodes_per_rack)
    return -(-gpus // max(1, each))
