"""Ways between racks with what lies on them: lengths, turns, bends, pull."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.base.units import MM_PER_M
from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_fibre import ROUTES
from asbuilt.physics.cable_pull import bend_radius_mm, straight_tension_n, turn_factor
from asbuilt.plan.fibre.bodies import COPPER, bodies
from asbuilt.plan.fibre.grid import Floats, Ints, RackPlaces, TrayGrid, Ways, leg_lengths_m, ways
from asbuilt.plan.fibre.names import pair_key, ranked_phase
from asbuilt.plan.fibre.trunking import Trunking

FIBRE_TRAY, COPPER_TRAY = "fibre", "copper"
_COMPUTE = "compute"


@dataclass(frozen=True, slots=True)
class Routed:
    """Routes of one kind of tray. ``sums``: a row per route, in the order of ``way``, with what lies on it (`_summed`)."""

    kind: str
    sums: pl.DataFrame
    way: Ways


def laid_cables(
    design: Design,
    catalogue: Catalogue,
    jumpers: pl.DataFrame,
    cords: pl.DataFrame,
    made: Trunking | None,
    lengths: pl.DataFrame | None,
    racks: pl.DataFrame,
) -> pl.DataFrame:
    """A row per cable between two racks: lo, hi, kind of tray, to_node (an end at a compute rack), phase rank, drops and loops
    in m, od_mm, mass_kg_m, pull_n and bend_mm (the least radius under pull)."""
    site, rules = design.site, design.fibre.rules
    both = (pl.col("drop_a") + pl.col("drop_b")) / MM_PER_M
    pair = [pl.min_horizontal("ra", "rb").alias("lo"), pl.max_horizontal("ra", "rb").alias("hi")]
    own = [*pair, pl.col("part"), pl.col("rank")]
    direct = (
        jumpers if made is None else jumpers.join(made.carried.select("jumper"), on="jumper", how="anti", maintain_order="left")
    )
    single = [
        f.filter((pl.col("ra") != pl.col("rb")).fill_null(False)).select(
            *own, both.alias("drops_m"), loops_m=pl.lit(site.slack_m)
        )
        for f in (direct, cords)
    ]
    if made is not None and lengths is not None:
        names = {w: k.trunk for w, k in made.kinds.items()}
        part = pl.col("kind").replace_strict(names, return_dtype=pl.String).alias("part")
        loops = pl.lit(2.0 * design.fibre.loop_m).alias("loops_m")
        single.append(lengths.select("lo", "hi", part, pl.col("first").alias("rank"), pl.col("drop_m").alias("drops_m"), loops))
    laid = pl.concat(single)
    known = bodies(catalogue, laid["part"].unique().sort().to_list())
    trunk = pl.col("part").is_in(list(catalogue.ids("fibre")))
    copper = pl.col("media").is_in(COPPER)
    free = bend_radius_mm(1.0, rules.bend_pull_times) * pl.col("od_mm")
    bend = (
        pl.when(copper)
        .then(pl.col("od_mm") * rules.bend_copper_times)
        .otherwise(pl.when(trunk).then(free).otherwise(pl.max_horizontal(free, pl.lit(rules.bend_cord_mm))))
    )
    own_tray = copper if design.fibre.copper_trays == "own" else pl.lit(False)
    compute = pl.Series((racks["role"] == _COMPUTE).to_numpy())
    return laid.join(known, on="part", how="left", maintain_order="left").with_columns(
        bend.alias("bend_mm"),
        pl.when(own_tray).then(pl.lit(COPPER_TRAY)).otherwise(pl.lit(FIBRE_TRAY)).alias("kind"),
        (compute.gather(laid["lo"]) | compute.gather(laid["hi"])).alias("to_node"),
    )


def routed(grid: TrayGrid, places: RackPlaces, laid: pl.DataFrame) -> list[Routed]:
    """The routes of each kind of tray, in the order of their racks."""
    out = []
    for kind in (FIBRE_TRAY, COPPER_TRAY):
        sums = _summed(laid.filter(pl.col("kind") == kind))
        if sums.height:
            out.append(Routed(kind, sums, ways(grid, places, _numbers(sums, "lo"), _numbers(sums, "hi"))))
    return out


def _numbers(frame: pl.DataFrame, column: str) -> Ints:
    return frame[column].to_numpy().astype(np.int64)


def _summed(laid: pl.DataFrame) -> pl.DataFrame:
    """Per pair of racks: cables, cross-section, mass per metre, those of them that end at a compute rack, and the extremes."""
    area = pl.col("od_mm").pow(2) * (np.pi / 4.0)
    parts = ("lo", "hi", "to_node", "drops_m", "loops_m", "od_mm", "mass_kg_m", "pull_n", "bend_mm", "rank")
    same = laid.group_by(parts).agg(pl.len().cast(pl.Int64).alias("n")).sort(parts)
    n, node = pl.col("n"), pl.col("n") * pl.col("to_node")
    longest = (pl.col("drops_m") + pl.col("loops_m")).arg_max()
    return same.group_by("lo", "hi", maintain_order=True).agg(
        n.sum().alias("cables"),
        node.sum().alias("node_cables"),
        (n * area).sum().alias("area_mm2"),
        (node * area).sum().alias("node_area_mm2"),
        (n * pl.col("mass_kg_m")).sum().alias("mass_kg_m"),
        (node * pl.col("mass_kg_m")).sum().alias("node_mass_kg_m"),
        pl.col("mass_kg_m").max().alias("heaviest_kg_m"),
        pl.col("pull_n").min(),
        pl.col("bend_mm").max(),
        pl.col("drops_m").get(longest),
        pl.col("loops_m").get(longest),
        pl.col("rank").min(),
    )


def route_keys(routes: Routed, racks: pl.Series) -> pl.Series:
    """Keys of the routes; those in copper trays end in ``/copper``."""
    pair = pair_key(racks, routes.sums["lo"], routes.sums["hi"])
    return "route:" + pair + ("/copper" if routes.kind == COPPER_TRAY else "")


def routes_table(design: Design, grid: TrayGrid, found: list[Routed], racks: pl.Series) -> pl.DataFrame:
    """Table `ROUTES`, sorted by key."""
    frames = []
    for routes in found:
        sums, legs = routes.sums, leg_lengths_m(grid, routes.way)
        tray_m, drops = legs.sum(axis=1), sums["drops_m"].to_numpy()
        length = tray_m + drops + sums["loops_m"].to_numpy()
        frames.append(
            sums.with_columns(
                route_keys(routes, racks).alias("route"),
                racks.gather(sums["lo"]).alias("a_rack"),
                racks.gather(sums["hi"]).alias("b_rack"),
                pl.Series("tray_m", np.round(tray_m, 4)),
                pl.col("drops_m").round(4),
                pl.Series("length_m", np.round(length, 2)),
                pl.Series("turns", (legs > 0).sum(axis=1) + 1),
                pl.lit(design.fibre.turn_radius_mm).alias("bend_mm"),
                pl.col("bend_mm").alias("bend_least_mm"),
                pl.Series("tension_n", np.round(_tension(design, legs, drops, sums), 3)),
                pl.col("pull_n").alias("tension_most_n"),
                ranked_phase(design, "rank").alias("phase"),
            ).select(ROUTES.names)
        )
    return ROUTES.conform(pl.concat(frames).sort("route")) if frames else ROUTES.empty()


def _tension(design: Design, legs: Floats, drops: Floats, sums: pl.DataFrame) -> Floats:
    """Pull at the end of each way, N: its heaviest cable alone, from the worse end. A drop counts as level: it is short."""
    friction = design.fibre.rules.friction
    mass = sums["heaviest_kg_m"].to_numpy()
    half = (drops / 2.0)[:, None]
    path = np.concatenate([half, legs, half], axis=1)
    factor = turn_factor(friction)
    ends = []
    for order in (path, path[:, ::-1]):
        tension = straight_tension_n(np.zeros(len(order)), order[:, 0], mass, friction)
        for leg in order[:, 1:].T:
            turned = np.where(leg > 0, tension * factor, tension)
            tension = straight_tension_n(turned, leg, mass, friction)
        ends.append(tension)
    return np.maximum(*ends)
