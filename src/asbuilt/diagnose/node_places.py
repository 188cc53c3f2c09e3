"""What subjects of node verdicts are called and where they stand: node, GPU, NIC, part of a node, NVLink switch tray, rack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl


def places(plan: Plan, subjects: pl.Series) -> pl.DataFrame:
    """subject, called, place (rack and U), node, device (node by name) of ``subjects``.

    A subject is ``node:0003``, ``gpu:0003/5``, ``nic:0003/mlx5_3``, ``nvtray:A-01/3``, ``rack:A-01``, any of these with
    ``#part`` behind it (``node:0003#dimm A1``), or anything else, which stays as it is.
    """
    import polars as pl

    wanted = subjects.unique(maintain_order=True).alias("subject").to_frame()
    whole = pl.col("subject").str.extract(r"^([^#]+)", 1)
    wanted = wanted.with_columns(whole.alias("thing"), pl.col("subject").str.extract(r"#(.+)$", 1).alias("part"))
    nodes = plan.table("nodes").select("node", pl.col("name").alias("device"), "rack", "u") if plan.has("nodes") else None
    if nodes is None:
        none = pl.lit(None, dtype=pl.String)
        return wanted.select(
            "subject", pl.col("subject").alias("called"), *(none.alias(c) for c in ("place", "node", "device"))
        )
    owners = [nodes.select(pl.col("node").alias("thing"), "node", pl.lit("").alias("suffix"))]
    if plan.has("gpus"):
        owners.append(
            plan.table("gpus").select(pl.col("gpu").alias("thing"), "node", pl.format(" GPU {}", "slot").alias("suffix"))
        )
    if plan.has("nics"):
        owners.append(
            plan.table("nics").select(pl.col("nic").alias("thing"), "node", pl.format(" {}", "device").alias("suffix"))
        )
    rows = wanted.join(
        pl.concat(owners).unique("thing", keep="first", maintain_order=True), on="thing", how="left", maintain_order="left"
    )
    rows = rows.join(nodes, on="node", how="left", maintain_order="left")
    rows = rows.join(_others(plan), on="thing", how="left", maintain_order="left")
    part = pl.when(pl.col("part").is_not_null()).then(pl.format(" {}", "part")).otherwise(pl.lit(""))
    u = pl.col("u").cast(pl.String).str.replace(r"\.0$", "")
    return rows.select(
        "subject",
        pl.coalesce(pl.format("{}{}{}", "device", "suffix", part), pl.format("{}{}", "other", part), "subject").alias("called"),
        pl.coalesce(pl.when(pl.col("rack") != "").then(pl.format("{} U{}", "rack", u)), "other_place").alias("place"),
        "node",
        "device",
    )


def _others(plan: Plan) -> pl.DataFrame:
    """thing, other (name), other_place of NVLink switch trays, and of racks, which stand nowhere but where they are."""
    import polars as pl

    parts = [pl.DataFrame(schema={"thing": pl.String, "other": pl.String, "other_place": pl.String})]
    if plan.has("nvlink_trays"):
        place = pl.format("{} U{}", "rack", pl.col("u").cast(pl.String).str.replace(r"\.0$", ""))
        trays = plan.table("nvlink_trays")
        parts.append(
            trays.select(pl.col("nvlink_tray").alias("thing"), pl.col("name").alias("other"), place.alias("other_place"))
        )
    if plan.has("nodes"):
        racks = plan.table("nodes").select("rack").filter(pl.col("rack") != "").unique(maintain_order=True)
        parts.append(
            racks.select(pl.col("rack").alias("thing"), pl.col("rack").alias("other"), pl.col("rack").alias("other_place"))
        )
    return pl.concat(parts)


def crowd(plan: Plan, rows: pl.DataFrame, several: str) -> str:
    """What the rows of `places` are together: one by name, "3 GPUs of node-0003", "all 48 nodes", "7 nodes of rack:A-02"."""
    if rows.height == 1:
        return str(rows["called"][0])
    number = f"{rows.height} {several}"
    nodes = rows["device"].drop_nulls().unique()
    if nodes.len() == 1 and not rows["device"].null_count():
        return f"{number} of {nodes[0]}"
    everyone = plan.table("nodes").height if plan.has("nodes") else 0
    if rows["subject"].str.starts_with("node:").all() and nodes.len() == rows.height == everyone:
        return f"all {number}"
    racks = rows["place"].str.extract(r"^(\S+) U", 1).unique()
    if racks.len() == 1 and racks[0] is not None:
        return f"{number} in {racks[0]}"
    return f"{number} of {nodes.len()} nodes" if nodes.len() < rows.height and nodes.len() > 1 else number
