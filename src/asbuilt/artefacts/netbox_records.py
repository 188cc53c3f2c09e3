"""All objects of a plan as NetBox's API takes them, model by model, in an order in which each needs only those before it.

Where the API takes names, an object is named by its own keys. Where it takes numbers only (ends of cables, rear ports,
parents), the number is ``id`` of an object in this document; a loader puts NetBox's number in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asbuilt.artefacts import netbox_cables, netbox_devices, netbox_ports, netbox_types
from asbuilt.artefacts.netbox_kinds import slug
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

HALL = "Hall"
_LETTERS = 100
ROLE_COLOURS = ("2196f3", "4caf50", "ff9800", "9c27b0", "607d8b", "00bcd4", "795548", "e91e63", "3f51b5", "009688")
#: Custom fields that hold what NetBox has no field for: name -> (type, object types, meaning).
CUSTOM_FIELDS = {
    "asbuilt_id": (
        "text",
        ("dcim.rack", "dcim.device", "dcim.cable", "dcim.powerfeed", "dcim.powerpanel"),
        "natural key in the plan",
    ),
    "asbuilt_phase": ("text", ("dcim.rack", "dcim.device", "dcim.cable"), "build phase"),
    "asbuilt_part": ("text", ("dcim.device", "dcim.cable"), "catalogue id of the part"),
    "asbuilt_link": ("text", ("dcim.cable",), "link that the cable carries, or is a piece of"),
    "asbuilt_jumper": ("text", ("dcim.cable",), "cable assembly that the cable is, or is a piece of"),
    "asbuilt_plane": ("text", ("dcim.cable",), "plane of the link"),
    "asbuilt_rate_gbps": ("decimal", ("dcim.cable",), "planned rate of the link, Gb/s"),
    "asbuilt_position": ("integer", ("dcim.rack",), "position in the row, from 1"),
    "asbuilt_x_mm": ("decimal", ("dcim.rack",), "left front corner along the row, mm"),
    "asbuilt_y_mm": ("decimal", ("dcim.rack",), "left front corner across the rows, mm"),
}


@dataclass(frozen=True, slots=True)
class Inventory:
    """The plan's things in NetBox's words, before they are written: frames as their modules make them."""

    site: str
    racks: pl.DataFrame
    rack_types: pl.DataFrame
    devices: pl.DataFrame
    types: list[dict[str, Any]]
    interfaces: pl.DataFrame
    power_ports: pl.DataFrame
    outlets: pl.DataFrame
    rear_ports: pl.DataFrame
    front_ports: pl.DataFrame
    feeds: pl.DataFrame
    cables: pl.DataFrame

    @property
    def of_type(self) -> pl.DataFrame:
        """``key type`` of every device."""
        return self.devices.select("key", "type")


def inventory(plan: Plan) -> Inventory:
    """Raises `ProblemError` ART-001 for names that NetBox cannot hold."""
    devices = netbox_devices.devices(plan)
    types = devices.select("key", "type")
    rear, front = netbox_cables.panel_ports(plan)
    racks, rack_types = _racks(plan)
    return Inventory(
        site=(plan.name or "asbuilt")[:_LETTERS],
        racks=racks,
        rack_types=rack_types,
        devices=devices,
        types=netbox_types.type_rows(plan, devices),
        interfaces=netbox_ports.interfaces(plan, types),
        power_ports=netbox_ports.power_ports(plan, types),
        outlets=netbox_ports.outlets(plan),
        rear_ports=rear,
        front_ports=front,
        feeds=_feeds(plan),
        cables=netbox_cables.cables(plan),
    )


def _racks(plan: Plan) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(racks with ``type``, rack types ``type height_u width_mm depth_mm height_mm``); outer sizes are the floor plan's."""
    import polars as pl

    racks = plan.table("racks")
    sizes = ("width_mm", "depth_mm", "height_mm")
    if plan.has("floor"):
        floor = plan.table("floor").filter(pl.col("kind") == "rack")
        floor = floor.select(pl.col("object").str.replace("^floor:", "").alias("rack"), *sizes)
        racks = racks.join(floor, on="rack", how="left", maintain_order="left")
    else:
        racks = racks.with_columns(pl.lit(None, dtype=pl.Float64).alias(s) for s in sizes)
    mm = [pl.col(s).round(0).cast(pl.Int64).alias(s) for s in sizes]
    size = pl.format(" {} x {} x {} mm", *(pl.col(s).cast(pl.String) for s in sizes)).fill_null("")
    racks = racks.with_columns(mm).with_columns(
        pl.concat_str([pl.col("height_u").cast(pl.String), pl.lit("U rack"), size]).alias("type")
    )
    return racks.sort("rack"), racks.select("type", "height_u", *sizes).unique("type", keep="first").sort("type")


def _feeds(plan: Plan) -> pl.DataFrame:
    """``id name panel panel_name row rack type phase voltage amperage max_utilization``, one row per circuit."""
    import polars as pl

    columns = {
        "id": pl.String,
        "name": pl.String,
        "panel": pl.String,
        "panel_name": pl.String,
        "row": pl.String,
        "rack": pl.String,
        "type": pl.String,
        "phase": pl.String,
        "voltage": pl.Int64,
        "amperage": pl.Int64,
        "max_utilization": pl.Int64,
    }
    if not plan.has("circuits"):
        return pl.DataFrame(schema=columns)
    racks = plan.table("racks").select("rack", pl.col("name").alias("rack_name"), "row")
    rows = plan.table("circuits").join(racks, on="rack", how="left", maintain_order="left")
    panel = pl.coalesce("busway", "feed")
    first = pl.col("feed") == pl.col("feed").min().over("rack")
    share = (pl.col("usable_a") / pl.col("breaker_a") * 100).round(0).cast(pl.Int64).clip(1, 100)
    return rows.select(
        pl.col("circuit").alias("id"),
        netbox_cables.feed_name().alias("name"),
        panel.alias("panel"),
        panel.str.replace(":", " ").alias("panel_name"),
        "row",
        pl.col("rack_name").alias("rack"),
        pl.when(first).then(pl.lit("primary")).otherwise(pl.lit("redundant")).alias("type"),
        pl.when(pl.col("conductors") > 1).then(pl.lit("three-phase")).otherwise(pl.lit("single-phase")).alias("phase"),
        pl.col("voltage_v").round(0).cast(pl.Int64).alias("voltage"),
        pl.col("breaker_a").round(0).cast(pl.Int64).clip(1).alias("amperage"),
        share.alias("max_utilization"),
    ).sort("id")


def row_name(row: str) -> str:
    """A row of the hall as NetBox's location."""
    return f"Row {row}"


def named(name: str) -> dict[str, str]:
    """An object that the API looks up by name and slug."""
    return {"name": name, "slug": slug(name)[:_LETTERS]}
