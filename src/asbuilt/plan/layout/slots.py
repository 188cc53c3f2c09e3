"""Every device in its rack unit: what the tables know, the built-in stack of rack-scale systems, and blocks for the rest.

Arrays of storage and servers of management are known by power and count only. They get one block each, as tall as assumed
below, and the name of the block says so: take the maker's elevation when it is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.design.racks import NODES_PER_MANAGEMENT_RACK
from asbuilt.model.design import Design
from asbuilt.model.tables_layout import RACK_SLOTS
from asbuilt.plan.layout.free import longest_run, lowest_run, taken
from asbuilt.plan.layout.stack import built_in_slots

#: Power of a 2U flash enclosure, halved: assumed, small enough that the block is rather too tall than too low.
STORAGE_W_PER_U = 500.0
#: Most of a rack that one block may take: the rest is for switches, panels and cable managers. Assumed.
STORAGE_MOST_U = 40
#: Servers of 1U, one for each 1,024 nodes begun seven of them: the DGX H100 and B200 bills have 4 to 7 for 127 nodes.
MANAGEMENT_SERVERS = 7
#: The same for a cluster of up to one scalable unit, where they stand in a network rack.
MANAGEMENT_SERVERS_FEW = 4
#: Free below blocks for the cable entry, as below the switches of a network rack.
BLOCK_FIRST_U = 3


def device_slots(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `RACK_SLOTS` without panels: what stands in the racks before the cable plant is laid."""
    parts = [_nodes(design, tables["nodes"]), _switches(catalogue, tables["switches"])]
    parts.append(built_in_slots(design, tables["nodes"]))
    racks = tables["racks"]
    held = pl.concat(parts)
    held = pl.concat([held, _storage(racks, tables["loads"], held)])
    held = pl.concat([held, _management(design, racks, held)])
    return keyed(held)


def keyed(slots: pl.DataFrame) -> pl.DataFrame:
    """``slots`` with keys from rack and lowest U, devices without a key of their own named by it, in table order."""
    behind = pl.when(pl.col("face") == "rear").then(pl.lit("/rear")).otherwise(pl.lit(""))
    key = pl.format("slot:{}/{}{}", pl.col("rack").str.strip_prefix("rack:"), u_text(pl.col("u")), behind)
    frame = slots.with_columns(key.alias("slot")).with_columns(pl.col("device").fill_null(pl.col("slot")))
    return RACK_SLOTS.conform(frame.sort("slot"))


def u_text(u: pl.Expr) -> pl.Expr:
    """A rack unit as it stands in keys: two digits at least, so that they sort; halves as ``.5``."""
    whole = u.floor().cast(pl.Int64)
    half = pl.when(u > whole).then(pl.lit(".5")).otherwise(pl.lit(""))
    return pl.format("{}{}", whole.cast(pl.String).str.zfill(2), half)


def _nodes(design: Design, nodes: pl.DataFrame) -> pl.DataFrame:
    share = design.node.unit_liquid_fraction if design.node.units_are_racks else design.node.liquid_fraction
    compute = pl.col("role") == "compute"
    return nodes.select(
        "rack",
        "u",
        "height_u",
        pl.lit("both").alias("face"),
        pl.col("node").alias("device"),
        pl.when(compute).then(pl.lit("node")).otherwise(pl.lit("service")).alias("kind"),
        "name",
        pl.col("system").alias("part"),
        (compute & (share > 0)).alias("liquid"),
        "phase",
    )


def _switches(catalogue: Catalogue, switches: pl.DataFrame) -> pl.DataFrame:
    wet = [model for model in switches["model"].unique(maintain_order=True) if _is_liquid(catalogue, model)]
    return switches.select(
        "rack",
        "u",
        "height_u",
        pl.lit("both").alias("face"),
        pl.col("switch").alias("device"),
        pl.lit("switch").alias("kind"),
        "name",
        pl.col("model").alias("part"),
        pl.col("model").is_in(wet).alias("liquid"),
        "phase",
    )


def _is_liquid(catalogue: Catalogue, switch: str) -> bool:
    if not catalogue.has("switch", switch):
        return False
    return float(catalogue.get("switch", switch).value("heat_liquid_fraction", 0.0)) > 0


def _storage(racks: pl.DataFrame, loads: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """One block for the storage of each rack that has some: as tall as its power asks, or as the longest free run is."""
    kept = loads.filter((pl.col("role") == "storage") & (pl.col("nameplate_w") > 0))
    wanted = kept.group_by("rack").agg(pl.col("nameplate_w").sum(), pl.col("part").sort().first()).sort("rack")
    chosen = racks.join(wanted, on="rack", how="inner", maintain_order="left")
    if not chosen.height:
        return held.clear()
    grid = taken(chosen, held)
    longest = longest_run(grid, BLOCK_FIRST_U).tolist()
    rows = []
    columns = chosen.select("rack", "nameplate_w", "part", "phase").iter_rows()
    for at, (rack, watts, part, phase) in enumerate(columns):
        asked = min(STORAGE_MOST_U, 2 * math.ceil(watts / (2 * STORAGE_W_PER_U)))
        tall = min(asked, longest[at])
        short = "" if tall == asked else f", {asked}U wanted"
        name = f"storage array ({tall}U assumed{short})"
        if tall:
            u = float(lowest_run(grid[at : at + 1], tall, BLOCK_FIRST_U)[0])
            rows.append((rack, u, float(tall), "both", None, "storage", name, part, False, phase))
    return _frame(rows, held)


def _management(design: Design, racks: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """The management servers: in the racks kept for them, or few of them in the last network rack that has room."""
    own = racks.filter(pl.col("role") == "management").sort("rack")
    if own.height:
        begun = -(-design.nodes // NODES_PER_MANAGEMENT_RACK)
        counts = [MANAGEMENT_SERVERS * (begun // own.height + (at < begun % own.height)) for at in range(own.height)]
        rows = [
            (rack, float(BLOCK_FIRST_U), float(count), "both", None, "management", _servers(count), None, False, phase)
            for (rack, phase), count in zip(own.select("rack", "phase").iter_rows(), counts, strict=True)
            if count
        ]
        return _frame(rows, held)
    network = racks.filter(pl.col("role") == "network").sort("rack", descending=True)
    if not network.height:
        return held.clear()
    low = lowest_run(taken(network, held), MANAGEMENT_SERVERS_FEW, BLOCK_FIRST_U)
    rows = [
        (rack, u, float(MANAGEMENT_SERVERS_FEW), "both", None, "management", _servers(MANAGEMENT_SERVERS_FEW), None, False, ph)
        for (rack, ph), u in zip(network.select("rack", "phase").iter_rows(), low.tolist(), strict=True)
        if u == u  # NaN: no room
    ]
    return _frame(rows[:1], held)


def _servers(count: int) -> str:
    return f"management servers ({count}U assumed)"


def _frame(rows: Sequence[tuple[object, ...]], like: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=like.schema, orient="row") if rows else like.clear()
