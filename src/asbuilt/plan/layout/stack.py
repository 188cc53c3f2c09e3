"""What a rack-scale system brings along beside its compute trays: power shelves, NVLink switch trays, management switches.

The stack of an NVL72 rack from the bottom: power shelves, compute trays, NVLink switch trays, compute trays, power shelves,
management switches (NVIDIA DGX GB200 user guide, hardware chapter). `plan.placement` says where each run of it stands.
"""

from __future__ import annotations

import polars as pl

from asbuilt.model.design import Design
from asbuilt.plan.placement import beside_trays

SHELF_PART = "nvl72-power-shelf"
NVLINK_PART = "nvlink-switch-tray"
WORDS = {"shelf": "power shelf", "nvlink-switch": "NVLink tray", "management": "management switch"}


def built_in_slots(design: Design, nodes: pl.DataFrame) -> pl.DataFrame:
    """Slots of what is built into each rack of a rack-scale system and has no table of its own, without their keys.

    One row for each rack and thing, numbered from the bottom of the rack. Shelves are named ``shelf:<rack>/<number>``, as the
    table of power shelves names them; what has no key stays null.
    """
    parts = {"shelf": SHELF_PART, "nvlink-switch": NVLINK_PART, "management": design.node.management_switch or None}
    wet = design.node.unit_liquid_fraction > 0
    stack = []
    numbers = dict.fromkeys(parts, 0)
    for kind, first, count in beside_trays(design):
        for step in range(count):
            numbers[kind] += 1
            stack.append((kind, float(first + step), numbers[kind], parts[kind], wet and kind == "nvlink-switch"))
    built = pl.DataFrame(
        stack,
        schema={"kind": pl.String, "u": pl.Float64, "number": pl.Int64, "part": pl.String, "liquid": pl.Boolean},
        orient="row",
    )
    racks = nodes.filter(pl.col("role") == "compute").group_by("rack").agg(pl.col("phase").first()).sort("rack")
    if not design.node.units_are_racks:
        racks = racks.clear()
    shelf = pl.format("shelf:{}/{}", pl.col("rack").str.strip_prefix("rack:"), "number")
    return racks.join(built, how="cross").select(
        "rack",
        "u",
        pl.lit(1.0).alias("height_u"),
        pl.lit("both").alias("face"),
        pl.when(pl.col("kind") == "shelf").then(shelf).otherwise(None).alias("device"),
        "kind",
        pl.format("{} {}", pl.col("kind").replace_strict(WORDS), "number").alias("name"),
        "part",
        "liquid",
        "phase",
    )
