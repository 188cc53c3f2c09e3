"""The declared fabric as somebody else's cable list."""

from __future__ import annotations

import polars as pl
from fabric import plane

from asbuilt.model.plan import Plan
from asbuilt.model.tables import LINKS
from asbuilt.plan.wiring import wire


def planned(gpus: int) -> Plan:
    """The declared fabric as somebody else's cable list: names and ports, no more."""
    wired = wire(plane(gpus))
    frames = []
    for kind, name in ((wired.node_leaf, "node_leaf"), (wired.leaf_spine, "leaf_spine"), (wired.spine_core, "spine_core")):
        frame = pl.DataFrame({"a": kind.a_switch, "a_port": kind.a_port, "b": kind.b_device, "b_port": kind.b_port})
        host = name == "node_leaf"
        nic = pl.format("mlx5_{}", pl.col("b_port") - 1) if host else pl.lit(None, pl.String)
        device = pl.format("node{}", "b") if host else pl.format("sw-{}", "b")
        frames.append(
            frame.select(
                pl.format("link:sw-{}/{}", "a", "a_port").alias("link"),
                pl.lit("compute").alias("plane"),
                pl.lit(name).alias("kind"),
                pl.format("sw-{}", "a").alias("a_device"),
                pl.col("a_port").cast(pl.Int64),
                pl.col("a_port").cast(pl.String).alias("a_label"),
                device.alias("b_device"),
                (pl.lit(1) if host else pl.col("b_port")).cast(pl.Int64).alias("b_port"),
                nic.alias("b_nic"),
                pl.lit("").alias("b_label"),
                pl.format("sw-{}", "a").alias("a_name"),
                (pl.format("node{} mlx5_{}", "b", pl.col("b_port") - 1) if host else device).alias("b_name"),
            )
        )
    return Plan(name="bench", tables={"links": LINKS.conform(pl.concat(frames).sort("link"))}, source="bench")
