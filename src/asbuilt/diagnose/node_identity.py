"""Names by which a machine can be told from every other, from every capture that holds one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from asbuilt.model.facts_node import IDENTITY_FACTS

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.model.facts import Facts

#: Fact table, column, kind of name: what tools of cards and GPUs tell beside the identity itself.
_BESIDE = (
    ("hca_facts", "port_guid", "port_guid"),
    ("gpu_facts", "uuid", "gpu_uuid"),
    ("gpu_facts", "serial", "gpu_serial"),
)


def identity_table(facts: Facts) -> pl.DataFrame | None:
    """`IDENTITY_FACTS` with the port GUIDs of cards and the UUIDs and serials of GPUs; None without any."""
    import polars as pl

    parts = [facts.tables["identity_facts"]] if facts.has("identity_facts") else []
    for table, column, kind in _BESIDE:
        if facts.has(table):
            rows = facts.tables[table].filter(pl.col(column).is_not_null() & pl.col("host").is_not_null())
            parts.append(
                rows.select(
                    "host", pl.lit(kind).alias("kind"), pl.col(column).str.to_lowercase().alias("value"), "capture_id", "line"
                )
            )
    if not parts or not any(p.height for p in parts):
        return None
    return pl.concat(parts).unique(IDENTITY_FACTS.key, keep="first", maintain_order=True).select(IDENTITY_FACTS.names)


def without_borrowed(facts: Facts, verdicts: pl.DataFrame | None, commands: pl.DataFrame | None) -> Facts:
    """``facts`` without the ports in archives of one machine under several names: whose they are nobody knows.

    ``verdicts`` are those of NOD-002, ``commands`` is `command_measured`. Told once there, they must not be told again as
    GUIDs and LIDs that several devices hold.
    """
    import polars as pl

    if verdicts is None or commands is None or not facts.has("hca_facts"):
        return facts
    one = verdicts.filter((pl.col("verdict") == "fail") & pl.col("found").str.starts_with(ONE_MACHINE))["subject"]
    if one.is_empty():
        return facts
    hosts = commands.filter(pl.col("node").is_in(one.implode()))["host"].drop_nulls().unique()
    rows = facts.tables["hca_facts"]
    archive = pl.col("host").is_in(hosts.implode()) & (pl.col("capture_id") == pl.format("{}/ibstat", "host"))
    return replace(facts, tables={**facts.tables, "hca_facts": rows.filter(~archive.fill_null(False))})


#: How NOD-002 begins to tell of one machine under several names (not of a copied image).
ONE_MACHINE = "one machine under"
