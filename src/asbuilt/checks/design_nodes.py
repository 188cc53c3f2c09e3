"""Inside the node: GPU, NIC, socket and rail."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import judge, once
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@once
def _compute_nics(plan: Plan) -> pl.DataFrame:
    """One row per node and compute rail: ``node rail nic_socket nic_devices nic_count``; the lowest socket first."""
    nics = plan.table("nics").filter(pl.col("plane") == "compute")
    return (
        nics.sort("node", "rail", "device")
        .group_by("node", "rail", maintain_order=True)
        .agg(
            pl.col("socket").unique().sort().alias("nic_sockets"),
            pl.col("device").str.join(", ").alias("nic_devices"),
        )
    )


@check("DES-020", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("gpus", "nics"), since="0.1")
def rail_nics_sit_on_the_gpus_socket(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The NIC of a GPU's rail sits on the same CPU socket as the GPU.

    Why: across the socket link a GPU reads and writes its NIC at a fraction of the PCIe rate, peer-to-peer DMA may be
        refused, and the two sockets' traffic competes; the fabric looks healthy and every collective is slow.
    Measured by: plan tables `gpus` and `nics` (sockets of the node map).
    Repair: give each GPU a rail whose NIC hangs on its own socket, or move the card to a slot of that socket.
    Source: the requirement's `node` map, else the catalogue's.
    """
    rows = plan.table("gpus").join(_compute_nics(plan), on=["node", "rail"], how="left")
    sockets = pl.col("nic_sockets").cast(pl.List(pl.String)).list.join(" and ")
    return judge(
        rows,
        subject=pl.col("gpu"),
        ok=pl.col("nic_sockets").list.contains(pl.col("socket")),
        expected=pl.format("rail {} NIC on socket {}", "rail", "socket"),
        found=pl.format("{} on socket {}", "nic_devices", sockets),
    )


@check("DES-021", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("gpus", "nics"), since="0.1")
def gpus_have_a_rail_nic(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every GPU's rail has a compute NIC in its node.

    Why: a GPU without a NIC on its rail leaves the node through another GPU's NIC: that rail carries twice the traffic.
    Measured by: plan tables `gpus` and `nics`.
    Repair: correct the GPU to rail map, or add the missing NIC.
    Source: the requirement's `node` map, else the catalogue's.
    """
    rows = plan.table("gpus").join(_compute_nics(plan), on=["node", "rail"], how="left")
    return judge(
        rows,
        subject=pl.col("gpu"),
        ok=pl.col("nic_devices").is_not_null(),
        expected=pl.format("a compute NIC on rail {}", "rail"),
        found=pl.col("nic_devices").fill_null("none"),
    )


@check("DES-022", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("gpus", "nics"), since="0.1")
def gpus_spread_evenly_over_rails(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Within a node, every compute rail serves the same number of GPUs.

    Why: a collective ends with its slowest rail; a rail that serves more GPUs than the others sets the pace for all.
    Measured by: plan tables `gpus` and `nics`.
    Repair: spread the GPUs evenly over the rails in the node map.
    Source: the requirement's `node` map, else the catalogue's.
    """
    rails = _compute_nics(plan).select("node", "rail")
    served = plan.table("gpus").group_by("node", "rail").agg(gpus=pl.len())
    rows = rails.join(served, on=["node", "rail"], how="full", coalesce=True).with_columns(pl.col("gpus").fill_null(0))
    per_node = rows.sort("node", "rail").group_by("node", maintain_order=True).agg("rail", "gpus")
    told = pl.col("gpus").cast(pl.List(pl.String)).list.join(", ")
    return judge(
        per_node,
        subject=pl.col("node"),
        ok=pl.col("gpus").list.min() == pl.col("gpus").list.max(),
        expected=pl.lit("the same number of GPUs on every rail"),
        found=pl.format("GPUs by rail: {}", told),
    )
