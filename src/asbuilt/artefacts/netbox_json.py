"""All objects as one JSON document, in the shapes that NetBox's API takes (POST, one list per model)."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from asbuilt.artefacts import netbox_cables as cabling
from asbuilt.artefacts.netbox_csv import FORM_FACTOR, PLANNED, RACK_WIDTH_IN, panels
from asbuilt.artefacts.netbox_devices import GENERIC
from asbuilt.artefacts.netbox_kinds import slug
from asbuilt.artefacts.netbox_records import CUSTOM_FIELDS, HALL, ROLE_COLOURS, Inventory, named, row_name

if TYPE_CHECKING:
    import polars as pl

SCHEMA = "asbuilt-netbox/v1"
_METRES = "m"


def document(held: Inventory) -> bytes:
    """``{"schema": ..., "<model>": [objects]}``. Each object has an ``id`` of this document, from 1 within its model."""
    few = {
        "extras.customfield": _custom_fields(),
        "dcim.manufacturer": [named(m) for m in sorted({GENERIC, *(t["manufacturer"] for t in held.types)})],
        "dcim.site": [{**named(held.site), "status": PLANNED}],
        "dcim.location": _locations(held),
        "dcim.rackrole": _coloured(held.racks["role"]),
        "dcim.devicerole": _coloured(held.devices["role"]),
        "dcim.racktype": _rack_types(held),
        "dcim.devicetype": _device_types(held),
    }
    numbered: dict[str, str] = {m: json.dumps([{"id": i, **o} for i, o in enumerate(rows, 1)]) for m, rows in few.items()}
    frames = _frames(held)
    written = {model: _array(frame) for model, frame in frames.items()}
    parts = [f'"schema":"{SCHEMA}"', *(f'"{m}":{text}' for m, text in {**numbered, **written}.items())]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _array(frame: pl.DataFrame) -> str:
    """Rows as a JSON list, one object per line. A null is left out of no object: NetBox takes it where the schema says so."""
    target = io.BytesIO()
    frame.write_ndjson(target)
    lines = target.getvalue().decode().rstrip("\n")
    return "[\n" + lines.replace("\n", ",\n") + "\n]" if lines else "[]"


def _custom_fields() -> list[dict[str, Any]]:
    return [
        {"name": n, "label": n.replace("_", " "), "type": t, "object_types": list(o), "description": said}
        for n, (t, o, said) in CUSTOM_FIELDS.items()
    ]


def _locations(held: Inventory) -> list[dict[str, Any]]:
    site = named(held.site)
    rows = [row_name(r) for r in held.racks["row"].unique().sort().to_list()]
    hall: dict[str, Any] = {**named(HALL), "site": site, "parent": None, "status": PLANNED}
    return [hall, *({**named(r), "site": site, "parent": 1, "status": PLANNED} for r in rows)]


def _coloured(names: pl.Series) -> list[dict[str, Any]]:
    told = names.unique().sort().to_list()
    return [{**named(n), "color": ROLE_COLOURS[i % len(ROLE_COLOURS)]} for i, n in enumerate(told)]


def _rack_types(held: Inventory) -> list[dict[str, Any]]:
    return [
        {
            "manufacturer": named(GENERIC),
            "model": t,
            "slug": slug(t),
            "form_factor": FORM_FACTOR,
            "width": RACK_WIDTH_IN,
            "u_height": u,
            "outer_width": w,
            "outer_depth": d,
            "outer_height": h,
            "outer_unit": "mm" if w is not None else "",
        }
        for t, u, w, d, h in held.rack_types.select("type", "height_u", "width_mm", "depth_mm", "height_mm").rows()
    ]


def _device_types(held: Inventory) -> list[dict[str, Any]]:
    keep = ("model", "slug", "u_height", "is_full_depth", "airflow", "description")
    return [{"manufacturer": named(t["manufacturer"]), **{k: t[k] for k in keep}} for t in held.types]


def _frames(held: Inventory) -> dict[str, pl.DataFrame]:
    import polars as pl

    names = held.devices.select(pl.col("key").alias("device"), pl.struct("name").alias("_device"))
    ports = {
        "dcim.interface": held.interfaces.select("device", "name", "label", "type", "mgmt_only", "speed"),
        "dcim.powerport": held.power_ports.select("device", "name", "type", "maximum_draw", "allocated_draw"),
        "dcim.poweroutlet": _outlets(held),
        "dcim.rearport": held.rear_ports.select("device", "name", "type", "positions"),
        "dcim.frontport": held.front_ports,
    }
    numbered = {model: frame.with_row_index("id", offset=1) for model, frame in ports.items()}
    rear = numbered["dcim.rearport"].select("device", pl.col("name").alias("rear_port"), pl.col("id").alias("_rear"))
    front = numbered["dcim.frontport"].join(rear, on=["device", "rear_port"], how="left", maintain_order="left")
    numbered["dcim.frontport"] = front.with_columns(pl.col("_rear").alias("rear_port")).drop("_rear")
    feeds = held.feeds.rename({"id": "key"}).with_row_index("id", offset=1)
    out = {"dcim.rack": _racks(held), "dcim.device": _devices(held)}
    for model, frame in numbered.items():
        told = frame.join(names, on="device", how="left", maintain_order="left")
        out[model] = told.with_columns(pl.col("_device").alias("device")).drop("_device")
    out["dcim.powerpanel"] = _panels(held)
    out["dcim.powerfeed"] = _feeds(held, feeds)
    out["dcim.cable"] = _cables(held, numbered, feeds)
    return out


def _outlets(held: Inventory) -> pl.DataFrame:
    import polars as pl

    names = held.devices.select(pl.col("key").alias("device"), pl.col("name").alias("pdu"))
    frame = held.outlets.join(names, on="device", how="left", maintain_order="left")
    inlet = pl.struct(pl.struct(pl.col("pdu").alias("name")).alias("device"), pl.col("power_port").alias("name"))
    return frame.select("device", "name", "type", inlet.alias("power_port"), "feed_leg")


def _site(held: Inventory) -> pl.Expr:
    return _struct(named(held.site)).alias("site")


def _struct(words: dict[str, str]) -> pl.Expr:
    import polars as pl

    return pl.struct(pl.lit(v).alias(k) for k, v in words.items())


def _by_name(column: str, names: list[str]) -> pl.Expr:
    """A column of names as objects of name and slug; null stays null."""
    import polars as pl

    told = {n: named(n)["slug"] for n in names}
    slugs = pl.col(column).replace_strict(told, default=None, return_dtype=pl.String)
    return pl.when(pl.col(column).is_not_null()).then(pl.struct(pl.col(column).alias("name"), slugs.alias("slug")))


def _location(held: Inventory, frame: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with its column ``row`` as the location."""
    import polars as pl

    rows = [row_name(r) for r in held.racks["row"].unique().to_list()]
    where = frame.with_columns((pl.lit(row_name("")) + pl.col("row")).fill_null(HALL).alias("location"))
    return where.with_columns(_by_name("location", [HALL, *rows]).alias("location")).drop("row")


def _custom(**fields: str) -> pl.Expr:
    import polars as pl

    return pl.struct(pl.col(column).alias(f"asbuilt_{name}") for name, column in fields.items()).alias("custom_fields")


def _racks(held: Inventory) -> pl.DataFrame:
    import polars as pl

    kinds = held.rack_types["type"].to_list()
    slugs = pl.col("type").replace_strict({t: slug(t) for t in kinds}, default="", return_dtype=pl.String)
    rack_type = pl.struct(_struct(named(GENERIC)).alias("manufacturer"), pl.col("type").alias("model"), slugs.alias("slug"))
    frame = _location(held, held.racks).with_row_index("id", offset=1)
    return frame.select(
        "id",
        "name",
        _site(held),
        "location",
        pl.lit(PLANNED).alias("status"),
        _by_name("role", held.racks["role"].unique().to_list()).alias("role"),
        rack_type.alias("rack_type"),
        pl.lit(FORM_FACTOR).alias("form_factor"),
        pl.lit(RACK_WIDTH_IN).alias("width"),
        pl.col("height_u").alias("u_height"),
        _custom(id="rack", phase="phase", position="position", x_mm="x_mm", y_mm="y_mm"),
    )


def _devices(held: Inventory) -> pl.DataFrame:
    import polars as pl

    types = pl.DataFrame(held.types).select(
        pl.col("key").alias("type"),
        pl.struct(
            pl.struct(
                pl.col("manufacturer").alias("name"), pl.Series("slug", [slug(t["manufacturer"]) for t in held.types])
            ).alias("manufacturer"),
            "model",
            "slug",
        ).alias("device_type"),
    )
    frame = (
        _location(held, held.devices).join(types, on="type", how="left", maintain_order="left").with_row_index("id", offset=1)
    )
    rack = pl.when(pl.col("rack").is_not_null()).then(pl.struct(pl.col("rack").alias("name")))
    return frame.select(
        "id",
        "name",
        "device_type",
        _by_name("role", held.devices["role"].unique().to_list()).alias("role"),
        _site(held),
        "location",
        rack.alias("rack"),
        pl.col("u").alias("position"),
        "face",
        pl.lit(PLANNED).alias("status"),
        _custom(id="key", phase="phase", part="part"),
    )


def _panels(held: Inventory) -> pl.DataFrame:
    import polars as pl

    frame = _location(held, panels(held)).with_row_index("id", offset=1)
    return frame.select("id", _site(held), "location", pl.col("panel_name").alias("name"), _custom(id="panel"))


def _feeds(held: Inventory, feeds: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return feeds.select(
        "id",
        pl.struct(pl.col("panel_name").alias("name")).alias("power_panel"),
        pl.struct(pl.col("rack").alias("name")).alias("rack"),
        "name",
        pl.lit(PLANNED).alias("status"),
        "type",
        pl.lit("ac").alias("supply"),
        "phase",
        "voltage",
        "amperage",
        "max_utilization",
        _custom(id="key"),
    )


def _cables(held: Inventory, ports: dict[str, pl.DataFrame], feeds: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    every = [
        frame.select(pl.lit(model).alias("model"), pl.col("device").alias("parent"), "name", pl.col("id").alias("number"))
        for model, frame in ports.items()
    ]
    every.append(
        feeds.select(pl.lit(cabling.FEED).alias("model"), pl.col("panel").alias("parent"), "name", pl.col("id").alias("number"))
    )
    known = pl.concat(every)
    frame = held.cables
    for side in "ab":
        there = known.rename(
            {"model": f"{side}_type", "parent": f"{side}_parent", "name": f"{side}_name", "number": f"{side}_id"}
        )
        frame = frame.join(there, on=[f"{side}_type", f"{side}_parent", f"{side}_name"], how="left", maintain_order="left")
    ends = [
        pl.concat_list(pl.struct(pl.col(f"{s}_type").alias("object_type"), pl.col(f"{s}_id").alias("object_id"))).alias(
            f"{s}_terminations"
        )
        for s in "ab"
    ]
    unit = pl.when(pl.col("length").is_not_null()).then(pl.lit(_METRES)).otherwise(pl.lit(""))
    fields = ("link", "jumper", "part", "plane", "rate_gbps", "phase")
    return frame.with_row_index("number", offset=1).select(
        pl.col("number").alias("id"),
        "type",
        *ends,
        pl.lit(PLANNED).alias("status"),
        "label",
        "color",
        "length",
        unit.alias("length_unit"),
        "description",
        _custom(id="id", **{f: f for f in fields}),
    )
