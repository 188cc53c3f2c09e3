"""Captures of NVLink switch trays resolved to planned trays: table `nvlink_tray_measured`.

A tray is known by the name that its captures give it (`nvlink_trays.name`, whole or up to the first dot): the subject of the
capture, or the host of the prompt behind which an answer stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.measured_nodes import NVLINK_TRAY_MEASURED
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.model.facts import Facts

#: Tables that speak of a tray; of the last every row is a ``sensor``.
_SOURCES = ("nvlink_fabric_facts", "sensor_facts")


def tray_hosts(plan: Plan, hosts: pl.Series) -> pl.DataFrame:
    """host, nvlink_tray of those ``hosts`` that are planned trays by name."""
    import polars as pl

    told = hosts.drop_nulls().unique(maintain_order=True).alias("host").to_frame()
    if not plan.has("nvlink_trays") or plan.table("nvlink_trays").is_empty():
        return told.clear().with_columns(pl.lit(None, dtype=pl.String).alias("nvlink_tray"))
    names = plan.table("nvlink_trays").select("nvlink_tray", pl.col("name").str.to_lowercase().alias("key"))
    lower = pl.col("host").str.to_lowercase()
    whole = told.with_columns(lower.alias("key")).join(names, on="key", how="inner", maintain_order="left")
    short = told.with_columns(lower.str.extract(r"^([^.]+)\.").alias("key")).drop_nulls("key")
    brief = short.join(names, on="key", how="inner", maintain_order="left")
    found = pl.concat([whole, brief]).unique("host", keep="first", maintain_order=True)
    return found.select("host", "nvlink_tray")


def tray_table(plan: Plan, facts: Facts) -> pl.DataFrame | None:
    """`nvlink_tray_measured`, or None when no capture is of a planned tray.

    Sensors without a state (plain readings) and those that are not there are left out: they say nothing of the tray's health.
    """
    import polars as pl

    parts = []
    for table in _SOURCES:
        if not facts.has(table):
            continue
        frame = facts.tables[table]
        rows = frame.join(tray_hosts(plan, frame["host"]), on="host", how="inner", maintain_order="left")
        if table == "sensor_facts":
            rows = rows.filter(pl.col("state").is_in(["ok", "warning", "critical", "leak"]))
            rows = rows.with_columns(pl.lit("sensor").alias("kind"), pl.col("sensor").alias("name"))
        else:
            rows = rows.filter(pl.col("kind").is_in(["switch_chip", "switch_tray"]))
        none = pl.lit(None, dtype=pl.String).alias("node")
        parts.append(rows.select(none, "nvlink_tray", "kind", "name", "state", "capture_id", "line"))
    found = pl.concat(parts) if parts else None
    if found is None or found.is_empty():
        return None
    found = found.unique(NVLINK_TRAY_MEASURED.key, keep="first", maintain_order=True)
    return NVLINK_TRAY_MEASURED.conform(found.sort(NVLINK_TRAY_MEASURED.order))
