"""The work of a site before it is put in order: pieces by rack, by row and for the site, and which racks serve which row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from asbuilt.decide.quantities import checked, device_racks, link_racks, quantities, rack_kinds, row_order
from asbuilt.model.deployment import OPERATIONS

if TYPE_CHECKING:
    from asbuilt.model.plan import Plan

COLUMN = {operation.id: column for column, operation in enumerate(OPERATIONS)}
#: Order within a row: racks that others wait for come first.
_FIRST = "network"


@dataclass(frozen=True, slots=True)
class SiteWork:
    """``K`` racks in building order (rows in order, network racks first, then by position), ``R`` rows, ``O`` operations.

    ``trunks``: the trunks that are pulled with a row end in this rack. ``below``: the rack holds a switch that nodes of the
    row are plugged into, or stands in the row; ``above``: it holds one that is reached from there, tier by tier.
    """

    rows: tuple[str, ...]
    racks: tuple[str, ...]
    kinds: tuple[str, ...]  # [K] air, liquid, network, ...
    rack_row: np.ndarray  # int64[K]
    rack_gpus: np.ndarray  # float64[K]
    rack_pieces: np.ndarray  # float64[K, O]
    row_pieces: np.ndarray  # float64[R, O]
    site_pieces: np.ndarray  # float64[O]
    trunks: np.ndarray  # bool[R, K]
    below: np.ndarray  # bool[R, K]
    above: np.ndarray  # bool[R, K]


def site_work(plan: Plan, audit_share: float = 1.0) -> SiteWork:
    """The work of ``plan``. ``audit_share``: share of the records that are measured again, 0 to 1, rounded up to whole ones.

    Raises ``ValueError`` as `quantities` does, and for a share outside its bounds.
    """
    if not 0.0 <= audit_share <= 1.0:
        raise ValueError(f"audit_share is {audit_share:g}; a share of the records lies between 0 (none) and 1 (all of them)")
    tables = checked(plan)
    kinds = rack_kinds(tables).with_columns(order=row_order("row"), later=pl.col("kind") != _FIRST)
    kinds = kinds.sort("order", "later", "position")
    rows = tuple(kinds["row"].unique(maintain_order=True))
    racks = tuple(kinds["rack"])
    of_row, of_rack = {row: r for r, row in enumerate(rows)}, {rack: k for k, rack in enumerate(racks)}
    by_rack, by_row, by_site = _pieces(quantities(plan), of_row, of_rack)
    by_site[COLUMN["audit"]] = np.ceil(by_site[COLUMN["audit"]] * audit_share)
    gpus = np.zeros(len(racks))
    counts = tables["gpus"].join(tables["nodes"].select("node", "rack"), on="node").group_by("rack").len()
    for rack, count in counts.iter_rows():
        gpus[of_rack[rack]] = count
    below, above = _serving(tables, of_row, of_rack)
    return SiteWork(
        rows=rows,
        racks=racks,
        kinds=tuple(kinds["kind"]),
        rack_row=np.array([of_row[row] for row in kinds["row"]], dtype=np.int64),
        rack_gpus=gpus,
        rack_pieces=by_rack,
        row_pieces=by_row,
        site_pieces=by_site,
        trunks=_trunk_ends(tables, of_row, of_rack),
        below=below,
        above=above,
    )


def _pieces(frame: pl.DataFrame, of_row: dict[str, int], of_rack: dict[str, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    made = np.zeros((len(of_rack), len(OPERATIONS))), np.zeros((len(of_row), len(OPERATIONS))), np.zeros(len(OPERATIONS))
    by_rack, by_row, by_site = made
    for operation, row, rack, count in frame.select("operation", "row", "rack", "count").iter_rows():
        column = COLUMN[operation]
        if rack:
            by_rack[of_rack[rack], column] += count
        elif row:
            by_row[of_row[row], column] += count
        else:
            by_site[column] += count
    return made


def _flags(frame: pl.DataFrame, of_row: dict[str, int], of_rack: dict[str, int]) -> np.ndarray:
    """True where ``frame`` has the pair of ``row`` and ``rack``."""
    made = np.zeros((len(of_row), len(of_rack)), dtype=bool)
    for row, rack in frame.select("row", "rack").unique().iter_rows():
        made[of_row[row], of_rack[rack]] = True
    return made


def _trunk_ends(tables: dict[str, pl.DataFrame], of_row: dict[str, int], of_rack: dict[str, int]) -> np.ndarray:
    """Which racks end a trunk that is pulled with a row: the first row of the two that the trunk joins."""
    ends = tables["panels"].join(tables["racks"].select("rack", "row"), on="rack").select("panel", "rack", "row")
    sides = []
    for near, far in (("a_panel", "b_panel"), ("b_panel", "a_panel")):
        both = tables["trunks"].join(ends, left_on=near, right_on="panel")
        both = both.join(ends.rename({"row": "far_row"}).drop("rack"), left_on=far, right_on="panel")
        first = pl.when(row_order("far_row") < row_order("row")).then("far_row").otherwise("row")
        sides.append(both.select("rack", row=first))
    return _flags(pl.concat(sides), of_row, of_rack)


def _serving(tables: dict[str, pl.DataFrame], of_row: dict[str, int], of_rack: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """``below`` and ``above`` of `SiteWork`, walked over the links switch by switch."""
    racks = device_racks(tables)
    rows = tables["racks"].select("rack", "row")
    between = pl.col("b_device").str.starts_with("sw:")
    hung = link_racks(tables).join(rows, on="rack")
    own = tables["switches"].join(rows, on="rack").select("row", pl.col("switch").alias("device"))
    plugged = hung.filter(~between).select("row", pl.col("a_device").alias("device"))
    reached = pl.concat([own, plugged]).unique()
    up = tables["links"].filter(between).select("a_device", "b_device").unique()
    below, new, higher = reached, reached, reached.clear()
    while new.height:
        step = new.join(up, left_on="device", right_on="a_device").select("row", pl.col("b_device").alias("device")).unique()
        new = step.join(reached, on=("row", "device"), how="anti")
        reached, higher = pl.concat([reached, new]), pl.concat([higher, step]).unique()
    direct = _flags(below.join(racks, on="device"), of_row, of_rack)
    direct |= _flags(tables["racks"], of_row, of_rack)
    return direct, _flags(higher.join(racks, on="device"), of_row, of_rack)
