"""Firmware of cards and GPUs: as locked for their part, and alike on all that are of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, untold
from asbuilt.checks.node_devices import machines
from asbuilt.checks.registry import check
from asbuilt.checks.software_alike import VERSIONS, one_each, unlike
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "node_traits", "gpus", "nics", "software")


def _told(plan: Plan, facts: Facts, component: str) -> pl.DataFrame:
    """node, device, kind (PSID or GPU name, where told), version, evidence of every report of ``component`` of a device."""
    import polars as pl

    rows = facts.tables["version_measured"].filter((pl.col("component") == component) & pl.col("device").is_not_null())
    rows = rows.select("node", "device", pl.col("part").alias("kind"), "version", *EVIDENCE)
    return rows.join(machines(plan, facts).select("node"), on="node", how="semi", maintain_order="left")


def _cards(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`_told` of NICs with ``subject`` and planned ``part``: a PCI address is that of the RDMA device that a capture names."""
    import polars as pl

    rows = _told(plan, facts, "nic_firmware")
    nics = plan.table("nics").select("node", pl.col("device").alias("rdma"), "nic", "part")
    names = pl.DataFrame(schema={"node": pl.String, "device": pl.String, "rdma": pl.String})
    if facts.has("nic_function_measured"):
        seen = facts.tables["nic_function_measured"].select("node", pl.col("address").alias("device"), "rdma").drop_nulls()
        names = seen.unique(["node", "device"], keep="first", maintain_order=True)
    rows = rows.join(names, on=["node", "device"], how="left", maintain_order="left")
    rows = rows.with_columns(pl.coalesce("rdma", "device").alias("rdma"))
    rows = rows.join(nics, on=["node", "rdma"], how="left", maintain_order="left")
    return rows.with_columns(pl.coalesce("nic", pl.format("{}#{}", "node", "rdma")).alias("subject"))


def _gpus(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`_told` of GPUs with ``subject`` and planned ``part``: they are those of the plan in the order of their addresses."""
    import polars as pl

    rows = _told(plan, facts, "vbios")
    seen = rows.select("node", "device").unique().sort("node", "device")
    seen = seen.with_columns(pl.int_range(pl.len()).over("node").alias("slot"), pl.len().over("node").alias("seen"))
    planned = plan.table("gpus").select("node", "gpu", "slot", pl.len().over("node").alias("planned"))
    seen = seen.join(planned, on=["node", "slot"], how="left", maintain_order="left")
    gpu = pl.when(pl.col("seen") == pl.col("planned")).then("gpu")
    seen = seen.select("node", "device", pl.coalesce(gpu, pl.format("{}#{}", "node", "device")).alias("subject"))
    models = plan.table("gpus").select("node", pl.col("model").alias("part")).unique("node", keep="first", maintain_order=True)
    rows = rows.join(seen, on=["node", "device"], how="left", maintain_order="left")
    return rows.join(models, on="node", how="left", maintain_order="left")


def _alike(plan: Plan, rows: pl.DataFrame, component: str, what: str, nouns: tuple[str, str]) -> pl.DataFrame:
    """Verdicts of every device of ``rows``: its version is the locked one of its kind or part, else that of most."""
    import polars as pl

    rows = rows.with_columns(
        pl.coalesce(pl.col("kind").drop_nulls().first().over("subject"), "part", pl.lit("unknown")).alias("group")
    )
    each = rows.select("subject", "group", "part", "version", *EVIDENCE).rename({"subject": "node"})
    each = each.with_columns(pl.format("{} {}", "group", pl.lit(what)).alias("component"))
    each = one_each(each.unique(["node", "version"], keep="first", maintain_order=True))
    lock = plan.table("software").filter((pl.col("component") == component) & pl.col("part").is_not_null())
    for key in ("group", "part"):
        told = (pl.col("version").alias(f"by_{key}"), pl.col("source").alias(f"of_{key}"))
        named = lock.select(pl.col("part").alias(key), *told)
        each = each.join(named, on=key, how="left", maintain_order="left")
    each = each.with_columns(pl.coalesce("by_group", "by_part").alias("locked"), pl.coalesce("of_group", "of_part").alias("of"))
    odd = unlike(each.select("node", "group", "component", "version", *EVIDENCE), nouns).select("node", "expected", "found")
    each = each.join(odd, on="node", how="left", maintain_order="left").with_columns(pl.len().over("group").alias("size"))
    locked = pl.col("locked").is_not_null()
    return judge(
        each,
        subject=pl.col("node"),
        ok=pl.when(locked).then(pl.col("version") == pl.col("locked")).otherwise(pl.col("found").is_null()),
        applies=locked | (pl.col("size") > 1),
        expected=pl.when(locked)
        .then(pl.format("{} {} ({})", "component", "locked", "of"))
        .otherwise(pl.col("expected").fill_null("unknown")),
        found=pl.when(locked).then(pl.format("{} {}", "component", "version")).otherwise(pl.col("found")),
        evidence=EVIDENCE,
    )


@check("SW-003", layer=Layer.NODE, needs=NEEDS, facts=VERSIONS, since="0.1")
def card_firmware_is_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every NIC runs the firmware that is locked for its part or board id; where nobody locked it, that of most of its kind.

    Why: cards of one kind with different firmware negotiate speed, congestion control and adaptive routing differently, and
    support asks for equal firmware first.
    Measured by: flint or mlxfwmanager, sysfs (fw_ver, board_id), ibv_devinfo of every node.
    Repair: burn the locked firmware (mlxfwmanager or flint), reset the card or reboot, capture again.
    Source: `software.firmware.PART` or `software.firmware.PSID`; more than half of the cards with the same board id.
    """
    rows = _cards(plan, facts)
    if rows.is_empty():
        return untold("firmware of the NICs")
    return _alike(plan, rows, "nic_firmware", "firmware", ("card", "cards"))


@check("SW-004", layer=Layer.NODE, needs=NEEDS, facts=VERSIONS, since="0.1")
def gpu_firmware_is_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every GPU has the VBIOS that is locked for its part; where nobody locked it, that of most GPUs of its model.

    Why: a GPU that was replaced comes with the VBIOS of its day: other clocks, power limits and NVLink settings than the rest.
    Measured by: nvidia-smi -q of every node.
    Repair: bring the GPU to the maker's current VBIOS with the maker's tool, reboot, capture again.
    Source: `software.firmware.PART`; more than half of the GPUs of the model.
    """
    rows = _gpus(plan, facts)
    if rows.is_empty():
        return untold("VBIOS versions of the GPUs")
    return _alike(plan, rows, "vbios", "VBIOS", ("GPU", "GPUs"))
