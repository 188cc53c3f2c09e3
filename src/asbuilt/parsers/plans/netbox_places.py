"""Racks, nodes and switches of NetBox's lists, in the schemas of the plan. What NetBox does not say is null."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.table import Schema
from asbuilt.model.tables import NODES, RACKS, SWITCHES

if TYPE_CHECKING:
    import polars as pl


def places(devices: pl.DataFrame, racks: pl.DataFrame, links: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Tables ``racks``, ``nodes`` and ``switches`` of what is listed; none of them for a list of cables alone.

    Switches are the devices that links name as such, or whose role does; nodes all others that a link ends in, or whose key
    says so. Everything else in a rack (panels, PDUs, shelves) is in neither.
    """
    out: dict[str, pl.DataFrame] = {}
    if racks.height or devices.height:
        out["racks"] = _racks(racks, devices)
    if devices.height:
        rows = _devices(devices, out["racks"], links)
        out["nodes"], out["switches"] = _nodes(rows), _switches(rows)
    return {name: frame for name, frame in out.items() if frame.height}


def _number(column: str) -> pl.Expr:
    import polars as pl

    return pl.col(column).str.extract(r"^\s*(-?\d+(?:\.\d+)?)").cast(pl.Float64, strict=False)


def _told(column: str) -> pl.Expr:
    import polars as pl

    return pl.when(pl.col(column) != "").then(column)


def _conformed(schema: Schema, frame: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with null in the columns that it does not have."""
    import polars as pl

    absent = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in schema.polars().items() if name not in frame.columns]
    return schema.conform(frame.with_columns(absent).select(schema.names)).sort(schema.key)


def _racks(racks: pl.DataFrame, devices: pl.DataFrame) -> pl.DataFrame:
    """Racks as listed; without a list of racks those that devices stand in."""
    import polars as pl

    if racks.is_empty():
        names = devices.filter(pl.col("rack") != "")["rack"].unique().sort()
        racks = pl.DataFrame(
            {c: names if c == "name" else [""] * len(names) for c in racks.columns if c not in ("file", "line")}
        )
    rows = racks.unique("name", keep="first", maintain_order=True)
    by_name = pl.col("name").str.extract(r"(\d+)\s*$").cast(pl.Int64, strict=False)
    row = pl.coalesce(pl.col("location").str.extract(r"(?i)^row (.+)$"), _told("location"))
    return _conformed(
        RACKS,
        rows.select(
            pl.coalesce(_told("key"), pl.lit("rack:") + pl.col("name")).alias("rack"),
            "name",
            _told("role").alias("role"),
            row.alias("row"),
            pl.coalesce(_number("place").cast(pl.Int64), by_name).alias("position"),
            _number("x_mm").alias("x_mm"),
            _number("y_mm").alias("y_mm"),
            _number("u_height").cast(pl.Int64).alias("height_u"),
            pl.col("phase"),
        ).unique("rack", keep="first"),
    )


def _devices(devices: pl.DataFrame, racks: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """``device name kind role rack u height_u part phase``: kind is switch, node or empty."""
    import polars as pl

    rows = devices.unique("name", keep="first", maintain_order=True)
    there = racks.select(pl.col("name").alias("rack"), pl.col("rack").alias("rack_key"))
    rows = rows.join(there.unique("rack", keep="first"), on="rack", how="left", maintain_order="left")
    device = pl.coalesce(_told("key"), "name")
    ends = [
        pl.concat([links["a_device"], links.filter(pl.col("b_nic").is_null())["b_device"]]),
        links.filter(pl.col("b_nic").is_not_null())["b_device"],
    ]
    role = pl.col("role").str.to_lowercase().str.replace_all("-", " ", literal=True)
    switch = (
        device.is_in(ends[0].unique().implode())
        | device.str.starts_with("sw:")
        | role.str.contains(r"(?:^|\s)(?:leaf|spine|core)$")
    )
    node = device.is_in(ends[1].unique().implode()) | device.str.contains("^(?:node|svc):")
    return rows.select(
        device.alias("device"),
        "name",
        pl.when(switch).then(pl.lit("switch")).when(node).then(pl.lit("node")).alias("kind"),
        role.alias("role"),
        pl.col("rack_key").alias("rack"),
        _number("position").alias("u"),
        _number("height_u").alias("height_u"),
        _told("part").alias("part"),
        pl.col("phase"),
    ).unique("device", keep="first", maintain_order=True)


def _nodes(rows: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    word = pl.col("role").str.extract(r"^(.*) node$")
    return _conformed(
        NODES,
        rows.filter(pl.col("kind") == "node").select(
            pl.col("device").alias("node"),
            "name",
            pl.coalesce(word, "role").alias("role"),
            pl.col("part").alias("system"),
            "rack",
            "u",
            "height_u",
            "phase",
            pl.col("device").str.extract(r"(?:^node:|-)(\d+)$").cast(pl.Int64, strict=False).alias("index"),
        ),
    )


def _switches(rows: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return _conformed(
        SWITCHES,
        rows.filter(pl.col("kind") == "switch").select(
            pl.col("device").alias("switch"),
            "name",
            pl.col("part").alias("model"),
            pl.coalesce(pl.col("role").str.extract(r"(leaf|spine|core)$"), "role").alias("role"),
            pl.coalesce(
                pl.col("device").str.extract("^sw:([^/]+)/"), pl.col("role").str.extract(r"^(.*) (?:leaf|spine|core)$")
            ).alias("plane"),
            "rack",
            "u",
            "height_u",
            "phase",
        ),
    )
