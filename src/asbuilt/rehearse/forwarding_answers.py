"""What switches answer about routes: ``ibroute`` of every switch, by the tables that the planned manager would program.

A fabric with faults is routed as it stands: dark cables carry nothing, and ports that no manager configures have no LID.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.model.plan import Plan
from asbuilt.plan.forwarding import forwarding
from asbuilt.rehearse.built import Built

if TYPE_CHECKING:
    import polars as pl

NO_PORT = 255
KIND_WORDS = {"switch": "Switch", "ca": "Channel Adapter", "aggregation": "Channel Adapter", "router": "Router"}


def standing(plan: Plan, built: Built) -> Plan:
    """The plan whose links are the live cables and whose LIDs are those that the ports carry: what a manager would route."""
    import polars as pl

    live = built.live().filter(pl.col("a_nic").is_null() | pl.col("b_nic").is_null())
    turned = pl.col("a_nic").is_not_null()
    ends = {}
    for name in ("device", "port", "nic"):
        for side, other in ("ab", "ba"):
            ends[f"{side}_{name}"] = pl.when(turned).then(f"{other}_{name}").otherwise(f"{side}_{name}")
    cables = live.select("cable", "rate_gbps", **ends).drop("a_nic")
    rest = plan.links.drop("a_device", "a_port", "b_device", "b_port", "b_nic", "rate_gbps")
    links = cables.rename({"cable": "link"}).join(rest, on="link", how="left").select(plan.links.columns)
    lids = plan.table("lids")
    carried = dict(lids.select("port", "lid").rows())
    moved = {one: carried[two] for one, two in built.lids.items()}
    lost = [f"{node}/{nic}" for node, nic in built.unmanaged]
    lids = lids.filter(~pl.col("port").is_in(lost)).with_columns(
        pl.col("port").replace_strict(moved, default=pl.col("lid")).cast(pl.Int64).alias("lid") if moved else "lid"
    )
    return replace(plan, tables={**plan.tables, "links": links.sort("link"), "lids": lids})


def route_text(plan: Plan, built: Built, subnet: str, devices: pl.DataFrame) -> bytes:
    """One transcript, switch after switch. ``devices``: frame of `DEVICE_FACTS`; a switch that nobody sees does not answer."""
    import polars as pl

    tables = forwarding(standing(plan, built), subnet)
    seen = devices.select("guid", "kind", "description", pl.col("lid").alias("own"))
    rows, lids = np.nonzero(tables.out != NO_PORT)
    lids_of = pl.DataFrame({"lid": lids, "row": rows, "out": tables.out[rows, lids]})
    switches = pl.DataFrame({"row": np.arange(len(tables.keys)), "own": tables.lid}).with_columns(pl.all().cast(pl.Int64))
    switches = switches.join(seen.filter(pl.col("kind") == "switch"), on="own", how="inner")
    ends = plan.table("lids").filter(pl.col("subnet") == subnet).select("port_guid", "node_guid")
    targets = seen.join(ends, left_on="guid", right_on="node_guid", how="left").unique("own", keep="first")
    word = pl.col("kind").replace_strict(KIND_WORDS, return_dtype=pl.String)
    told = targets.select(
        pl.col("own").alias("lid"),
        pl.format("({} portguid 0x{}: '{}')", word, pl.coalesce("port_guid", "guid"), "description").alias("what"),
    )
    hexed = {n: f"0x{n:04x}" for n in np.unique(lids).tolist()}
    line = pl.format(
        "{} {} : {}", pl.col("lid").replace_strict(hexed, return_dtype=pl.String),
        pl.col("out").cast(pl.String).str.zfill(3), "what",
    )  # fmt: skip
    frame = lids_of.with_columns(pl.col("lid", "row").cast(pl.Int64)).join(told, on="lid", how="inner")
    frame = frame.join(switches.select("row"), on="row", how="semi").sort("row", "lid")
    blocks = frame.group_by("row", maintain_order=True).agg(line.str.join("\n").alias("text"), pl.len().alias("count"))
    top = f"0x{tables.fabric.top_lid:x}"
    head = (
        "$ ibroute {}\nUnicast lids [0x0-{}] of switch Lid {} guid 0x{} ({}):\n"
        "  Lid  Out   Destination\n       Port     Info \n{}\n{} valid lids dumped \n"
    )
    full = blocks.join(switches, on="row").sort("row")
    text = pl.format(head, "own", pl.lit(top), "own", "guid", "description", "text", "count")
    return "".join(full.select(text.alias("text"))["text"].to_list()).encode()
