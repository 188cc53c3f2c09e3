"""The floor: racks, CDUs, positions kept for later racks, and the aisles, with what each thing loads the floor with.

Rows stand back to back in pairs: the first line of a hall faces the hall's front, the second faces away from it, so that
between them lies a hot aisle, and a cold one behind the second. Every row has an aisle on both sides, at the walls too.
``x_mm`` and ``y_mm`` are the corner with the lowest coordinates whichever way a row faces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.base.row_letters import row_index, row_letters
from asbuilt.catalogue.load import Catalogue, Part
from asbuilt.model.design import Design
from asbuilt.model.tables_layout import FLOOR
from asbuilt.physics.floor_load import caster_kn, footprint_kpa, shared_kpa
from asbuilt.plan.devices import phase_names
from asbuilt.plan.figures import switch_figures
from asbuilt.plan.placement import ROWS_PER_HALL, hall_width_mm, line_of_row

#: PG25 at 20 °C, kg/L (water 1.00): what is carried, not what flows.
COOLANT_KG_L = 1.02
#: What stands beside the racks of a rack-scale system.
PLAIN_RACK = "rack-48u"
COMPUTE = "compute"


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row: index, hall, line within the hall (0 at its front), corner, and the build phase it starts with."""

    index: int
    hall: int
    line: int
    x_mm: float
    y_mm: float
    phase: str | None

    @property
    def letters(self) -> str:
        return row_letters(self.index)


def floor(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `FLOOR` from racks and CDUs. Unknown weights stay null, and so do the loads that need them."""
    racks = tables["racks"]
    rows = _rows(design, racks)
    stands = [_racks(design, catalogue, tables), _cdus(catalogue, tables["cdus"])]
    kept = _positions(design, racks, rows, tables["cdus"])
    loaded = pl.concat([*stands, kept], how="diagonal")
    frame = pl.concat([_loads(design, loaded), _aisles(design, rows, tables["cdus"])], how="diagonal")
    return FLOOR.conform(frame.select(FLOOR.names).sort("object"))


def _rows(design: Design, racks: pl.DataFrame) -> list[RowPlace]:
    """The rows of the plan, and behind them those that growth asks for, in order."""
    order = {name: at for at, name in enumerate(phase_names(design))}
    ranked = racks.select("row", rank=pl.col("phase").replace_strict(order, default=len(order), return_dtype=pl.Int64))
    first = dict(ranked.group_by("row").agg(pl.col("rank").min()).iter_rows())
    names = list(order)
    by_index = {row_index(letters): names[min(rank, len(names) - 1)] for letters, rank in first.items()}
    last = max(by_index, default=-1)
    phases: dict[int, str | None] = {i: by_index.get(i) for i in range(last + 1)}
    phases |= dict.fromkeys(range(last + 1, last + 1 + growth_rows(design, racks)))
    return [_place(design, index, phase) for index, phase in phases.items()]


def _place(design: Design, index: int, phase: str | None) -> RowPlace:
    site = design.site
    hall, line = index // ROWS_PER_HALL, int(line_of_row(np.asarray([index], np.int32))[0])
    return RowPlace(index, hall, line, hall * hall_width_mm(site), float(line) * (site.rack_depth_mm + site.aisle_mm), phase)


def growth_rows(design: Design, racks: pl.DataFrame) -> int:
    """Rows that ``growth.gpus`` asks for beyond the finished rows of the plan."""
    growth = design.requirement.growth
    asked = growth.gpus if growth and growth.gpus else 0
    per_rack = design.node.nodes_per_unit if design.node.units_are_racks else design.site.nodes_per_rack
    nodes = -(-asked // max(1, design.node.gpus_per_node))
    wanted = -(-nodes // max(1, per_rack))
    compute_rows = racks.filter(pl.col("role") == COMPUTE)["row"].n_unique()
    network = racks.filter(pl.col("role") == "network").group_by("row").len()["len"].to_list()
    sides = max(1, max(2, design.site.racks_per_row) - max(network, default=1))
    return max(0, -(-(wanted - compute_rows * sides) // sides))


def _racks(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    racks = tables["racks"]
    site = design.site
    rack, plain = _rack(catalogue, site.rack_part), _rack(catalogue, PLAIN_RACK)
    own = pl.col("role") == COMPUTE if design.node.units_are_racks else pl.lit(True)
    heights = pl.when(own).then(_figure(rack, "height_mm")).otherwise(_figure(plain, "height_mm"))
    # The plan adds the weight of the site's own rack; beside rack-scale systems others stand, whose weight is not in it.
    missing = pl.when(own).then(0.0).otherwise(_figure(plain, "weight_kg") - (site.rack_own_weight_kg or 0.0))
    wet = pl.when(pl.col("liquid_w") > 0).then(_figure(rack, "coolant_l") * COOLANT_KG_L).otherwise(0.0)
    unknown = _unknown_weights(design, catalogue, tables)
    weight = pl.when(pl.col("rack").is_in(unknown)).then(None).otherwise(pl.col("weight_kg") + missing + wet)
    return racks.select(
        pl.format("floor:{}", pl.col("rack")).alias("object"),
        pl.lit("rack").alias("kind"),
        "name",
        "row",
        "x_mm",
        "y_mm",
        pl.lit(site.rack_width_mm).alias("width_mm"),
        pl.lit(site.rack_depth_mm).alias("depth_mm"),
        heights.alias("height_mm"),
        weight.alias("weight_kg"),
        "phase",
    )


def _unknown_weights(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> list[str]:
    """Racks in which something stands whose weight nobody knows: storage, management servers, parts without a figure."""
    loads, slots = tables["loads"], tables["rack_slots"]
    heavy = {design.node.system} if (design.node.unit_weight_kg or design.node.weight_kg) else set()
    for part in loads.filter(pl.col("role") != "node")["part"].unique(maintain_order=True):
        if switch_figures(catalogue, part).weight_kg is not None:
            heavy.add(part)
    vague = loads.filter(~pl.col("part").is_in(sorted(heavy)))["rack"]
    blocks = slots.filter(pl.col("kind").is_in(["storage", "management"]) & pl.col("part").is_null())["rack"]
    return sorted(set(vague) | set(blocks))


def _cdus(catalogue: Catalogue, cdus: pl.DataFrame) -> pl.DataFrame:
    weights = {p: _weight(catalogue, p) for p in cdus["part"].unique(maintain_order=True)}
    return cdus.select(
        pl.format("floor:{}", pl.col("cdu")).alias("object"),
        pl.lit("cdu").alias("kind"),
        pl.format("CDU {}", pl.col("cdu").str.strip_prefix("cdu:")).alias("name"),
        "row",
        "x_mm",
        "y_mm",
        "width_mm",
        "depth_mm",
        "height_mm",
        pl.col("part").replace_strict(weights, default=None, return_dtype=pl.Float64).alias("weight_kg"),
        "phase",
    )


def _weight(catalogue: Catalogue, part: str) -> float | None:
    if not catalogue.has("cooling", part):
        return None
    value = catalogue.get("cooling", part).value("weight_kg", None)
    return None if value is None else float(value)


def _positions(design: Design, racks: pl.DataFrame, rows: list[RowPlace], cdus: pl.DataFrame) -> pl.DataFrame:
    """Positions kept for later racks: those of rows with compute racks that are empty, and whole rows that growth asks for.

    A position on which a CDU stands is not kept.
    """
    site = design.site
    across = max(2, site.racks_per_row)
    grown = set(racks.filter(pl.col("role") == COMPUTE)["row"].unique())
    kept = [place for place in rows if place.phase is None or place.letters in grown]
    frame = pl.DataFrame(
        {"row": [p.letters for p in kept], "left": [p.x_mm for p in kept], "y_mm": [p.y_mm for p in kept]},
        schema={"row": pl.String, "left": pl.Float64, "y_mm": pl.Float64},
    ).join(pl.DataFrame({"position": range(1, across + 1)}, schema={"position": pl.Int64}), how="cross")
    free = frame.join(racks.select("row", "position"), on=["row", "position"], how="anti", maintain_order="left")
    free = free.with_columns((pl.col("left") + (pl.col("position") - 1) * site.rack_width_mm).alias("x_mm"))
    if cdus.height:
        free = _clear_of(free, cdus, site.rack_width_mm, site.rack_depth_mm)
    name = pl.format("{}-{}", "row", pl.col("position").cast(pl.String).str.zfill(2))
    return free.select(
        pl.format("floor:position:{}", name).alias("object"),
        pl.lit("position").alias("kind"),
        name.alias("name"),
        "row",
        "x_mm",
        "y_mm",
        pl.lit(site.rack_width_mm).alias("width_mm"),
        pl.lit(site.rack_depth_mm).alias("depth_mm"),
        pl.lit(None, dtype=pl.Float64).alias("height_mm"),
        pl.lit(None, dtype=pl.Float64).alias("weight_kg"),
        pl.lit(None, dtype=pl.String).alias("phase"),
    )


def _clear_of(free: pl.DataFrame, cdus: pl.DataFrame, width_mm: float, depth_mm: float) -> pl.DataFrame:
    """Those of the positions on whose area no CDU of their row stands."""
    beside = free.join(cdus.select("row", cx="x_mm", cy="y_mm", cw="width_mm", cd="depth_mm"), on="row")
    along = (pl.col("cx") < pl.col("x_mm") + width_mm - 1) & (pl.col("cx") + pl.col("cw") > pl.col("x_mm") + 1)
    over = (pl.col("cy") < pl.col("y_mm") + depth_mm - 1) & (pl.col("cy") + pl.col("cd") > pl.col("y_mm") + 1)
    hit = beside.filter(along & over).select("row", "position").unique()
    return free.join(hit, on=["row", "position"], how="anti", maintain_order="left")


def _loads(design: Design, frame: pl.DataFrame) -> pl.DataFrame:
    aisle = pl.lit(design.site.aisle_mm)
    weight, width, depth = pl.col("weight_kg"), pl.col("width_mm"), pl.col("depth_mm")
    return frame.with_columns(
        footprint_kpa(weight, width, depth).alias("load_kpa"),
        shared_kpa(weight, width, depth, aisle, aisle).alias("shared_kpa"),
        caster_kn(weight).alias("caster_kn"),
    )


def _aisles(design: Design, rows: list[RowPlace], cdus: pl.DataFrame) -> pl.DataFrame:
    """The aisles at both sides of every row; in a hall all of one length, along the longest row with the CDUs at its ends."""
    site = design.site
    spans = _spans(design, rows, cdus)
    pitch = site.rack_depth_mm + site.aisle_mm
    by_line = {(place.hall, place.line): place for place in rows}
    out = []
    for hall, line in sorted({(h, at) for h, low in by_line for at in (low, low + 1)}):
        before, behind = by_line.get((hall, line - 1)), by_line.get((hall, line))
        sides = [place for place in (before, behind) if place is not None]
        cold = line % 2 == 0
        out.append(
            {
                "object": f"floor:aisle:{hall + 1}/{line + 1:02d}",
                "kind": "aisle",
                "name": f"{'cold' if cold else 'hot'} aisle {' and '.join(place.letters for place in sides)}",
                "x_mm": spans[hall][0],
                "y_mm": line * pitch - site.aisle_mm,
                "width_mm": spans[hall][1] - spans[hall][0],
                "depth_mm": site.aisle_mm,
                "phase": next((p.phase for p in sorted(sides, key=lambda p: p.index) if p.phase is not None), None),
            }
        )
    empty = FLOOR.empty()
    return pl.DataFrame(out, schema_overrides={"phase": pl.String}) if out else empty


def _spans(design: Design, rows: list[RowPlace], cdus: pl.DataFrame) -> dict[int, tuple[float, float]]:
    """x from and to of what stands in each hall: the positions of its rows and the CDUs beside them."""
    length = max(2, design.site.racks_per_row) * design.site.rack_width_mm
    reach = cdus.group_by("row").agg(pl.col("x_mm").min(), (pl.col("x_mm") + pl.col("width_mm")).max().alias("end"))
    beside = {row: (x, end) for row, x, end in reach.iter_rows()}
    spans: dict[int, tuple[float, float]] = {}
    for place in rows:
        start, end = spans.get(place.hall, (place.x_mm, place.x_mm + length))
        left, right = beside.get(place.letters, (start, end))
        spans[place.hall] = (min(start, left), max(end, right))
    return spans


def _rack(catalogue: Catalogue, part: str) -> Part | None:
    return catalogue.get("rack", part) if part and catalogue.has("rack", part) else None


def _figure(part: Part | None, key: str) -> pl.Expr:
    value = None if part is None else part.value(key, None)
    return pl.lit(None if value is None else float(value), dtype=pl.Float64)
