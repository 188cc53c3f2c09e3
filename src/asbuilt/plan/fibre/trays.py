"""Trays with what lies in them: now, and when every compute position of the rows is taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.base.units import MM_PER_M
from asbuilt.model.design import Design
from asbuilt.model.tables_fibre import ROUTE_TRAYS, TRAYS
from asbuilt.physics.cable_pull import tray_fill_percent
from asbuilt.plan.devices import phase_names
from asbuilt.plan.fibre.grid import Floats, Ints, RackPlaces, Steps, TrayGrid, line_names, row_ways, segments, steps
from asbuilt.plan.fibre.routes import COPPER_TRAY, Routed, route_keys

_COMPUTE, _NETWORK = "compute", "network"
#: Copper trays lie beside those of the fibre, with room for a hand between.
_BESIDE_MM = 100.0
_NEARLY = 1e-9


@dataclass(frozen=True, slots=True)
class Finished:
    """How the site grows: compute racks now, growth of each row and of the whole, and the empty compute positions with the
    position of the network rack that each will be cabled to.
    """

    racks_now: int
    row_factor: Floats
    site_factor: float
    empty_row: Ints
    empty_position: Ints
    target: Ints


def finished(design: Design, grid: TrayGrid, places: RackPlaces, racks: pl.DataFrame) -> Finished:
    """Every compute position of the rows with compute racks taken, or what ``growth.gpus`` asks when that is more."""
    role = racks["role"].to_numpy()
    compute, network = role == _COMPUTE, role == _NETWORK
    across = max(2, design.site.racks_per_row)
    kept = np.unique(places.position[network])
    seats = np.setdiff1d(np.arange(1, across + 1), kept)
    now = np.array([np.count_nonzero(compute & (places.row == r)) for r in grid.rows])
    empty_row, empty_position, target = [], [], []
    for at, row in enumerate(grid.rows.tolist()):
        here = places.row == row
        if not now[at]:
            continue
        free = np.setdiff1d(seats, places.position[here])
        middle = places.position[here & network]
        aim = middle[len(middle) // 2] if len(middle) else (across + 1) // 2
        empty_row += [row] * len(free)
        empty_position += free.tolist()
        target += [int(aim)] * len(free)
    empty = np.bincount(np.searchsorted(grid.rows, np.array(empty_row, np.int64)), minlength=len(grid.rows))
    total = int(now.sum())
    asked = design.requirement.growth.gpus or 0
    nodes = design.node.nodes_per_unit if design.node.units_are_racks else design.site.nodes_per_rack
    per_rack = nodes * design.node.gpus_per_node
    full = max(total + len(empty_row), -(-asked // max(1, per_rack)))
    return Finished(
        racks_now=total,
        row_factor=(now + empty) / np.maximum(now, 1),
        site_factor=full / total if total else 1.0,
        empty_row=np.array(empty_row, np.int64),
        empty_position=np.array(empty_position, np.int64),
        target=np.array(target, np.int64),
    )


def trays_tables(
    design: Design, grid: TrayGrid, places: RackPlaces, found: list[Routed], racks: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tables `TRAYS` and `ROUTE_TRAYS`."""
    growth = finished(design, grid, places, racks)
    names = line_names(grid)
    trays, passes = [], []
    for routes in found:
        passed = steps(grid, routes.way)
        frame = _trays(design, grid, places, routes, passed, growth, racks, names)
        trays.append(frame)
        keys = route_keys(routes, racks["rack"])
        # Racks stand in the order of their keys, so that numbers sort as the routes' keys do, and cheaper.
        pair = routes.sums["lo"].to_numpy().astype(np.int64) * racks.height + routes.sums["hi"].to_numpy()
        order = 2 * pair + (routes.kind == COPPER_TRAY)
        passes.append(
            pl.DataFrame(
                {
                    "route": keys.gather(pl.Series(passed.way)),
                    "order": order[passed.way],
                    "step": passed.step,
                    "tray": frame["tray"].gather(pl.Series(passed.segment)),
                }
            )
        )
    if not trays:
        return TRAYS.empty(), ROUTE_TRAYS.empty()
    both = pl.concat(passes).sort("order", "step").drop("order")
    return TRAYS.conform(pl.concat(trays).sort("tray")), ROUTE_TRAYS.conform(both)


def _trays(
    design: Design,
    grid: TrayGrid,
    places: RackPlaces,
    routes: Routed,
    passed: Steps,
    growth: Finished,
    racks: pl.DataFrame,
    names: list[str],
) -> pl.DataFrame:
    """Rows of `TRAYS` for one kind, in the order of the grid's segments."""
    site, fibre = design.site, design.fibre
    front = dict(zip(places.row.tolist(), racks["y_mm"].to_list(), strict=True))
    where = segments(grid, places, front)
    beside = fibre.tray_width_mm + _BESIDE_MM if routes.kind == COPPER_TRAY else 0.0
    along = (where.row >= 0) | (where.line >= grid.mains)
    shift_x, shift_y = np.where(along, 0.0, beside), np.where(along, beside, 0.0)
    now = {key: _held(grid, routes, passed, key) for key in ("cables", "area_mm2", "mass_kg_m")}
    full = {key: _full(grid, places, routes, passed, growth, key, now[key], where.row) for key in now}
    number = pl.Series(where.number).cast(pl.String).str.zfill(2)
    line = pl.Series(names).gather(pl.Series(where.line))
    rows = pl.Series([n if at < grid.crosses else None for at, n in enumerate(names)], dtype=pl.String)
    size = fibre.tray_width_mm, fibre.tray_depth_mm
    return pl.DataFrame(
        {
            "tray": f"tray:{routes.kind}/" + line + "/" + number,
            "kind": pl.repeat(routes.kind, len(number), eager=True),
            "row": rows.gather(pl.Series(where.line)),
            "x1_mm": where.x1 + shift_x,
            "y1_mm": where.y1 + shift_y,
            "x2_mm": where.x2 + shift_x,
            "y2_mm": where.y2 + shift_y,
            "z_mm": np.full(len(number), site.tray_height_mm),
            "length_m": np.round((np.abs(where.x2 - where.x1) + np.abs(where.y2 - where.y1)) / MM_PER_M, 4),
            "width_mm": np.full(len(number), fibre.tray_width_mm),
            "depth_mm": np.full(len(number), fibre.tray_depth_mm),
            "cables_now": now["cables"].astype(np.int64),
            "cables_full": np.ceil(full["cables"] - _NEARLY).astype(np.int64),
            "fill_now_percent": np.round(tray_fill_percent(now["area_mm2"], *size), 4),
            "fill_full_percent": np.round(tray_fill_percent(full["area_mm2"], *size), 4),
            "mass_kg_m": np.round(full["mass_kg_m"], 4),
            "shared": np.full(len(number), fibre.trays_shared_with_power and routes.kind != COPPER_TRAY),
            "origin": pl.repeat("declared" if fibre.trays_declared else "assumed", len(number), eager=True),
            "phase": _phases(design, grid, places, racks, where.line),
        }
    ).select(TRAYS.names)


def _held(grid: TrayGrid, routes: Routed, passed: Steps, key: str) -> Floats:
    """Sum of a column of the routes over the segments that they pass."""
    each = routes.sums[key].to_numpy().astype(np.float64)
    return np.bincount(passed.segment, each[passed.way], grid.segments).astype(np.float64)


def _full(
    grid: TrayGrid,
    places: RackPlaces,
    routes: Routed,
    passed: Steps,
    growth: Finished,
    key: str,
    now: Floats,
    row: Ints,
) -> Floats:
    """A sum over segments when the site is finished.

    In a row, cables between switches grow with the row; each empty compute position adds what a compute rack has on average,
    from there to the row's network racks, and to the cross tray as much of it as leaves the row now. What lies in cross and
    main trays grows with the site.
    """
    node = _held(grid, routes, passed, f"node_{key}")
    factor = growth.row_factor[np.maximum(row, 0)]
    inside = node + (now - node) * factor
    total = np.where(row >= 0, inside, now * growth.site_factor)
    if not len(growth.empty_row):
        return total
    each = routes.sums[f"node_{key}"].to_numpy().astype(np.float64)
    stays = places.row[routes.sums["lo"].to_numpy()] == places.row[routes.sums["hi"].to_numpy()]
    for share, target in ((each[stays].sum(), growth.target), (each[~stays].sum(), np.zeros_like(growth.target))):
        walked = steps(grid, row_ways(grid, growth.empty_row, growth.empty_position, target))
        total = total + share / max(1, growth.racks_now) * np.bincount(walked.segment, minlength=grid.segments)
    return total


def _phases(design: Design, grid: TrayGrid, places: RackPlaces, racks: pl.DataFrame, line: Ints) -> pl.Series:
    """Phase of each segment: the earliest of the racks in its row, of all racks for cross and main trays."""
    names = phase_names(design)
    rank = racks["phase"].replace_strict({n: i for i, n in enumerate(names)}, default=len(names) - 1, return_dtype=pl.Int64)
    first = np.full(grid.lines, int(rank.min() or 0), np.int64)  # type: ignore[arg-type]
    first[: grid.crosses] = len(names) - 1
    np.minimum.at(first, np.searchsorted(grid.rows, places.row), rank.to_numpy())
    return pl.Series(names).gather(pl.Series(first[line]))
