"""NetBox's bulk import files, numbered in the order in which NetBox can take them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from asbuilt.artefacts import netbox_types
from asbuilt.artefacts.delimited import write_csv
from asbuilt.artefacts.netbox_cables import FEED
from asbuilt.artefacts.netbox_kinds import slug
from asbuilt.artefacts.netbox_records import CUSTOM_FIELDS, HALL, ROLE_COLOURS, Inventory, named, row_name

if TYPE_CHECKING:
    import polars as pl

PLANNED = "planned"
FORM_FACTOR, RACK_WIDTH_IN = "4-post-cabinet", 19


def csv_files(held: Inventory) -> dict[str, bytes]:
    """``NN-<what>.csv`` -> bytes. Files without a row are left out."""
    import polars as pl

    frames = {
        "01-custom-fields": _custom_fields(),
        "02-manufacturers": _slugged([t["manufacturer"] for t in held.types]),
        "03-sites": _slugged([held.site]).with_columns(pl.lit(PLANNED).alias("status")),
        "04-locations": _locations(held),
        "05-rack-roles": _coloured(held.racks["role"]),
        "06-device-roles": _coloured(held.devices["role"]),
        "07-rack-types": _rack_types(held),
        "08-racks": _racks(held),
        "09-devices": _devices(held),
        "10-interfaces": interfaces(held, extra=True),
        "11-rear-ports": _on_device(held, held.rear_ports).select("device", "name", "type", "positions"),
        "12-front-ports": _on_device(held, held.front_ports).select(
            "device", "name", "type", "rear_port", "rear_port_position"
        ),
        "13-power-ports": _power_ports(held),
        "14-power-outlets": _outlets(held),
        "15-power-panels": _panels(held),
        "16-power-feeds": _feeds(held),
        "17-cables": cables(held, power_feeds=False),
        "18-power-feed-cables": cables(held, power_feeds=True),
    }
    return {f"{name}.csv": csv(frame) for name, frame in frames.items() if frame.height}


def csv(frame: pl.DataFrame) -> bytes:
    """``frame`` as CSV; risky cells get a ``'`` in front (`asbuilt.artefacts.delimited`)."""
    target = io.BytesIO()
    write_csv(frame, target)
    return target.getvalue()


def _custom_fields() -> pl.DataFrame:
    import polars as pl

    rows = [(n, n.replace("_", " "), t, ",".join(o), said) for n, (t, o, said) in CUSTOM_FIELDS.items()]
    return pl.DataFrame(rows, schema=["name", "label", "type", "object_types", "description"], orient="row")


def _slugged(names: list[str]) -> pl.DataFrame:
    import polars as pl

    told = sorted(set(names))
    return pl.DataFrame({"name": told, "slug": [named(n)["slug"] for n in told]}, schema={"name": pl.String, "slug": pl.String})


def _coloured(names: pl.Series) -> pl.DataFrame:
    import polars as pl

    frame = _slugged(names.to_list())
    colours = [ROLE_COLOURS[i % len(ROLE_COLOURS)] for i in range(frame.height)]
    return frame.with_columns(pl.Series("color", colours, dtype=pl.String))


def _locations(held: Inventory) -> pl.DataFrame:
    import polars as pl

    names = [HALL, *(row_name(r) for r in held.racks["row"].unique().sort().to_list())]
    return pl.DataFrame(
        {
            "site": [held.site] * len(names),
            "name": names,
            "slug": [slug(n) for n in names],
            "parent": ["", *[HALL] * (len(names) - 1)],
            "status": [PLANNED] * len(names),
        }
    )


def _rack_types(held: Inventory) -> pl.DataFrame:
    import polars as pl

    from asbuilt.artefacts.netbox_devices import GENERIC

    slugs = [slug(t) for t in held.rack_types["type"].to_list()]
    return held.rack_types.select(
        pl.lit(GENERIC).alias("manufacturer"),
        pl.col("type").alias("model"),
        pl.Series("slug", slugs, dtype=pl.String),
        pl.lit(FORM_FACTOR).alias("form_factor"),
        pl.lit(RACK_WIDTH_IN).alias("width"),
        pl.col("height_u").alias("u_height"),
        pl.col("width_mm").alias("outer_width"),
        pl.col("depth_mm").alias("outer_depth"),
        pl.col("height_mm").alias("outer_height"),
        pl.lit("mm").alias("outer_unit"),
    )


def _racks(held: Inventory) -> pl.DataFrame:
    import polars as pl

    return held.racks.select(
        pl.lit(held.site).alias("site"),
        _row("row").alias("location"),
        "name",
        pl.lit(PLANNED).alias("status"),
        "role",
        pl.col("type").alias("rack_type"),
        pl.lit(FORM_FACTOR).alias("form_factor"),
        pl.lit(RACK_WIDTH_IN).alias("width"),
        pl.col("height_u").alias("u_height"),
        pl.col("rack").alias("cf_asbuilt_id"),
        pl.col("phase").alias("cf_asbuilt_phase"),
        pl.col("position").alias("cf_asbuilt_position"),
        pl.col("x_mm").alias("cf_asbuilt_x_mm"),
        pl.col("y_mm").alias("cf_asbuilt_y_mm"),
    )


def _row(column: str) -> pl.Expr:
    import polars as pl

    return pl.lit(row_name("")) + pl.col(column)


def _devices(held: Inventory) -> pl.DataFrame:
    import polars as pl

    types = pl.DataFrame(held.types).select(pl.col("key").alias("type"), "manufacturer", "model")
    return held.devices.join(types, on="type", how="left", maintain_order="left").select(
        "name",
        "role",
        "manufacturer",
        pl.col("model").alias("device_type"),
        pl.lit(PLANNED).alias("status"),
        pl.lit(held.site).alias("site"),
        _row("row").alias("location"),
        "rack",
        pl.col("u").alias("position"),
        "face",
        pl.col("key").alias("cf_asbuilt_id"),
        pl.col("phase").alias("cf_asbuilt_phase"),
        pl.col("part").alias("cf_asbuilt_part"),
    )


def _on_device(held: Inventory, ports: pl.DataFrame) -> pl.DataFrame:
    """Ports with the name of their device in the place of its key."""
    import polars as pl

    names = held.devices.select(pl.col("key").alias("device"), pl.col("name").alias("device_name"))
    frame = ports.join(names, on="device", how="left", maintain_order="left")
    return frame.with_columns(pl.col("device_name").alias("device")).drop("device_name")


def interfaces(held: Inventory, extra: bool) -> pl.DataFrame:
    """Interfaces: those that no device type brings (``extra``), else every one of them."""
    frame = held.interfaces
    if extra:
        _, frame = netbox_types.split(frame, held.of_type, netbox_types.SECTIONS["interfaces"])
    return _on_device(held, frame).select("device", "name", "label", "type", "mgmt_only", "speed")


def _power_ports(held: Inventory) -> pl.DataFrame:
    _, rest = netbox_types.split(held.power_ports, held.of_type, netbox_types.SECTIONS["power-ports"])
    return _on_device(held, rest).select("device", "name", "type", "maximum_draw", "allocated_draw")


def _outlets(held: Inventory) -> pl.DataFrame:
    _, rest = netbox_types.split(held.outlets, held.of_type, netbox_types.SECTIONS["power-outlets"])
    return _on_device(held, rest).select("device", "name", "type", "power_port", "feed_leg")


def panels(held: Inventory) -> pl.DataFrame:
    """``panel panel_name row``: one power panel per busway, or per feed where circuits come from a board."""
    import polars as pl

    alone = pl.when(pl.col("row").n_unique() == 1).then(pl.col("row").first())
    return held.feeds.group_by("panel", "panel_name").agg(alone.alias("row")).sort("panel")


def _panels(held: Inventory) -> pl.DataFrame:
    import polars as pl

    return panels(held).select(
        pl.lit(held.site).alias("site"),
        _row("row").fill_null(HALL).alias("location"),
        pl.col("panel_name").alias("name"),
        pl.col("panel").alias("cf_asbuilt_id"),
    )


def _feeds(held: Inventory) -> pl.DataFrame:
    import polars as pl

    return held.feeds.select(
        pl.lit(held.site).alias("site"),
        pl.col("panel_name").alias("power_panel"),
        _row("row").alias("location"),
        "rack",
        "name",
        pl.lit(PLANNED).alias("status"),
        "type",
        pl.lit("ac").alias("supply"),
        "phase",
        "voltage",
        "amperage",
        "max_utilization",
        pl.col("id").alias("cf_asbuilt_id"),
    )


def cables(held: Inventory, power_feeds: bool) -> pl.DataFrame:
    """Cables with both ends by name. Those of power feeds stand apart: not every NetBox has the column of their panel."""
    import polars as pl

    mine = pl.col("a_type") == FEED
    frame = held.cables.filter(mine if power_feeds else ~mine)
    parents = pl.concat(
        [
            held.devices.select(pl.col("key").alias("parent"), "name"),
            held.feeds.select(pl.col("panel").alias("parent"), pl.col("panel_name").alias("name")).unique(),
        ]
    )
    for side in "ab":
        there = parents.rename({"parent": f"{side}_parent", "name": f"{side}_called"})
        frame = frame.join(there, on=f"{side}_parent", how="left", maintain_order="left")
    near = "side_a_power_panel" if power_feeds else "side_a_device"
    return frame.select(
        pl.col("a_called").alias(near),
        pl.col("a_type").alias("side_a_type"),
        pl.col("a_name").alias("side_a_name"),
        pl.col("b_called").alias("side_b_device"),
        pl.col("b_type").alias("side_b_type"),
        pl.col("b_name").alias("side_b_name"),
        "type",
        pl.lit(PLANNED).alias("status"),
        "label",
        "color",
        "length",
        pl.when(pl.col("length").is_not_null()).then(pl.lit("m")).alias("length_unit"),
        "description",
        pl.col("id").alias("cf_asbuilt_id"),
        *(pl.col(c).alias(f"cf_asbuilt_{c}") for c in ("link", "jumper", "part", "plane", "rate_gbps", "phase")),
    )
