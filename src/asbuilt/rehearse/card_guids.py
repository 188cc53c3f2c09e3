"""GUIDs that the hardware of the twin answers with: those of table `lids`, or, under a seed, those of other hardware.

A declared GUID is that of a card in hand: the twin answers with it. ``seed`` other than 0 stands for other cards under the same
plan, so that a list of GUIDs then names cards which are not there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.model.plan import Plan
from asbuilt.plan.guids import guids, hex16

if TYPE_CHECKING:
    import polars as pl

Values = np.ndarray[Any, np.dtype[np.uint64]]
_AGGREGATION = "+agg"
_AGGREGATION_OFFSET = np.uint64(8)  # an aggregation node answers with its switch's GUID plus 8


def answered(plan: Plan, seed: int = 0) -> Plan:
    """The plan whose `lids` and `subnet_managers` have the GUIDs that the hardware answers with."""
    import polars as pl

    if not seed or not plan.has("lids"):
        return plan
    lids = plan.table("lids")
    aggregation = lids["port"].str.ends_with(_AGGREGATION).to_numpy()
    node = guids(lids["port"].str.strip_suffix(_AGGREGATION), seed)
    node = node + np.where(aggregation, _AGGREGATION_OFFSET, np.uint64(0))
    port = node + lids["number"].to_numpy().astype(np.uint64)
    lids = lids.with_columns(hex16(node).alias("node_guid"), hex16(port).alias("port_guid"))
    tables = {**plan.tables, "lids": lids}
    if plan.has("subnet_managers"):
        managers, own = plan.table("subnet_managers"), lids.select("port", pl.col("port_guid").alias("own"))
        managers = managers.join(own, on="port", how="left", maintain_order="left")
        tables["subnet_managers"] = managers.with_columns(pl.coalesce("own", "port_guid").alias("port_guid")).drop("own")
    return replace(plan, tables=tables)


def numbers(plan: Plan, keys: pl.Series, seed: int = 0) -> tuple[Values, Values]:
    """Of each end port key: its node GUID, and the number that gives the GUID of its port n when n is added."""
    import polars as pl

    made = guids(keys, seed)
    if seed or not plan.has("lids"):
        return made, made
    declared = plan.table("lids").filter(pl.col("guid_origin") == "declared").select("port", "node_guid", "port_guid", "number")
    if declared.is_empty():
        return made, made
    rows = pl.DataFrame({"port": keys}).join(declared, on="port", how="left", maintain_order="left")
    known = rows["number"].is_not_null().to_numpy()
    node, base = made.copy(), made.copy()
    node[known] = _values(rows["node_guid"].drop_nulls())
    base[known] = _values(rows["port_guid"].drop_nulls()) - rows["number"].drop_nulls().to_numpy().astype(np.uint64)
    return node, base


def _values(words: pl.Series) -> Values:
    return np.array([int(word, 16) for word in words.to_list()], np.uint64)
