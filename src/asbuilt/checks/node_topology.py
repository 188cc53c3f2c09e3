"""Where GPUs, cards and interrupts sit in a machine: as planned, and as the driver says the same as the firmware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.cpu_list import within
from asbuilt.checks.answers import EVIDENCE, judge, untold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

#: What of a topology matrix a traversal of bridges can differ in without moving a byte: both stay below one host bridge.
_BRIDGES = ["PIX", "PXB"]


def _inside(rows: pl.DataFrame, inner: str, outer: str) -> pl.DataFrame:
    """``rows`` with ``inside``: is the list ``inner`` within ``outer``? Asked once for each different pair of lists."""
    import polars as pl

    pairs = rows.select(inner, outer).unique()
    told = [within(a, b) for a, b in pairs.rows()]
    pairs = pairs.with_columns(pl.Series("inside", told, dtype=pl.Boolean))
    return rows.join(pairs, on=[inner, outer], how="left", nulls_equal=True, maintain_order="left")


def _whole(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The places of GPUs of the nodes that have as many as planned: where one is missing, its neighbours have other numbers."""
    import polars as pl

    places = facts.tables["gpu_places"]
    planned = plan.table("gpus").group_by("node").agg(pl.len().alias("planned"))
    seen = places.group_by("node").agg(pl.len().alias("seen")).join(planned, on="node", how="inner")
    return places.join(seen.filter(pl.col("seen") == pl.col("planned")), on="node", how="semi")


def _compute_ports(plan: Plan) -> pl.DataFrame:
    """nic, node, device, rail, socket of the planned ports of the compute plane."""
    import polars as pl

    rows = plan.table("nics").filter(pl.col("plane") == "compute")
    return rows.select("nic", "node", "device", "rail", pl.col("socket").alias("planned"))


@check("NOD-040", layer=Layer.NODE, needs=("gpus", "nics"), facts=("gpu_places", "port_places"), since="0.1")
def gpus_sit_with_the_port_of_their_rail(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port of a rail that is planned on one socket with its GPU sits there, on nodes whose GPUs are all there.

    Why: traffic between a GPU and a card on the other socket crosses the link between processors, which is slower, shared, and
    carries no GPUDirect at full rate on many boards.
    Measured by: numa_node of GPU and card in sysfs (or lspci -vv), lscpu or numactl -H for the sockets.
    Repair: move the card to the slot of its GPU's socket, or set the board's NPS and PCIe bifurcation as planned; where the
    board is built so, correct the plan: affinity follows what is measured, never the template.
    Source: plan columns `gpus.socket`, `gpus.rail`, `nics.socket`.
    """
    import polars as pl

    ports = _compute_ports(plan)
    places = facts.tables["port_places"].select("node", "device", pl.col("socket").alias("port_socket"))
    wanted = plan.table("gpus").select("gpu", "node", pl.col("slot"), "rail", pl.col("socket").alias("gpu_planned"))
    gpus = _whole(plan, facts)
    asked = gpus["node"].unique()
    pairs = wanted.filter(pl.col("node").is_in(asked.implode())).join(ports, on=["node", "rail"], how="inner")
    pairs = pairs.filter(pl.col("gpu_planned") == pl.col("planned")).join(places, on=["node", "device"], how="left")
    seen = gpus.select("node", pl.col("gpu").alias("slot"), "socket", *EVIDENCE)
    pairs = pairs.join(seen, on=["node", "slot"], how="left", maintain_order="left")
    pairs = pairs.with_columns((pl.col("socket") == pl.col("port_socket")).alias("ok"))
    # Of several GPUs that one port serves the one that sits elsewhere is told, then one of which nobody knows.
    rank = pl.when(~pl.col("ok")).then(0).when(pl.col("ok").is_null()).then(1).otherwise(2)
    pairs = pairs.sort(rank, maintain_order=True).unique("nic", keep="first", maintain_order=True)
    return judge(
        pairs,
        subject=pl.col("nic"),
        ok=pl.col("ok"),
        expected=pl.format("one socket with GPU {}", "slot"),
        found=pl.format("socket {}, GPU {} on socket {}", "port_socket", "slot", "socket"),
        evidence=EVIDENCE,
    )


@check("NOD-041", layer=Layer.NODE, needs=("gpus",), facts=("near_measured",), since="0.1")
def driver_and_firmware_agree_on_the_topology(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The driver's topology matrix says of every GPU and port what PCI parents and NUMA nodes say.

    Why: collectives choose ports by one of the two views; where they differ somebody is wrong: a firmware without NUMA nodes,
    a container or VM that hides bridges, a matrix of another machine. On Grace the driver always says SYS: sysfs decides.
    Measured by: lspci -tv and sysfs numa_node, and nvidia-smi topo -m.
    Repair: read both again on the bare machine; update the firmware, or give NCCL a topology file made from sysfs.
    Source: NVIDIA nvidia-smi topo -m legend (PIX, PXB, PHB, NODE, SYS).
    """
    import polars as pl

    rows = facts.tables["near_measured"]
    if rows["before"].is_null().all() or rows["after"].is_null().all():
        return untold("the topology both before the driver and after it")
    bridge = pl.lit("one host bridge")
    sides = [
        pl.when(pl.col(c).is_in(_BRIDGES)).then(bridge).otherwise(pl.col(c)).alias(f"{c}_kind") for c in ("before", "after")
    ]
    rows = rows.with_columns(sides)
    same = pl.when(pl.col("before").is_not_null() & pl.col("after").is_not_null()).then(
        pl.col("before_kind") == pl.col("after_kind")
    )
    rows = rows.with_columns(same.alias("same")).sort("same", "device", maintain_order=True, nulls_last=False)
    differing = (~pl.col("same").fill_null(True)).sum().over("node", "gpu")
    rows = rows.with_columns(differing.alias("count")).sort(pl.col("same").fill_null(True), maintain_order=True)
    first = rows.unique(["node", "gpu"], keep="first", maintain_order=True)
    first = (
        plan.table("gpus")
        .select(pl.col("gpu").alias("key"), "node", pl.col("slot").alias("gpu"))
        .join(first, on=["node", "gpu"], how="inner", maintain_order="left")
    )
    more = pl.when(pl.col("count") > 1).then(pl.format(" (and {} ports more)", pl.col("count") - 1)).otherwise(pl.lit(""))
    return judge(
        first,
        subject=pl.col("key"),
        ok=pl.col("same"),
        applies=pl.col("one_domain"),
        expected=pl.format("{} to {}, as PCI parents and NUMA nodes say", "before", "device"),
        found=pl.format("{} to {} by the driver{}", "after", "device", more),
        evidence=EVIDENCE,
    )


@check("NOD-042", layer=Layer.NODE, needs=("nics",), facts=("irq_measured", "port_places"), since="0.1")
def interrupts_stay_near_their_card(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every interrupt of a planned card goes to processors of the card's NUMA node alone.

    Why: completions handled on the other socket cost latency and 10 to 20 % of bandwidth; irqbalance, a template, or a driver
    update moves them without a word.
    Measured by: /proc/irq/*/smp_affinity_list and /proc/interrupts, numa_node of the card, numactl -H or lscpu.
    Repair: `asbuilt affinity` writes scripts that apply what the measured topology asks for, and take it back.
    Source: processors of the measured NUMA node (sysfs), not of a template.
    """
    import polars as pl

    irqs = facts.tables["irq_measured"].filter(pl.col("address").is_not_null() & pl.col("cpus").is_not_null())
    places = facts.tables["port_places"].select("node", "device", "address", "numa", pl.col("cpus").alias("near"))
    planned = plan.table("nics").select("nic", "node", "device").join(places, on=["node", "device"], how="inner")
    rows = planned.join(irqs.select("node", "address", "irq", "cpus", *EVIDENCE), on=["node", "address"], how="inner")
    if rows.is_empty():
        return untold("the interrupts of a planned card")
    rows = _inside(rows, "cpus", "near")
    away = ~pl.col("inside")
    found = rows.group_by("nic", "numa", "near", maintain_order=True).agg(
        pl.len().alias("count"), away.sum().alias("away"), pl.col("inside").is_null().any().alias("open"),
        pl.col("cpus").filter(away).first().alias("cpus"), *(pl.col(c).filter(away).first().alias(c) for c in EVIDENCE),
    )  # fmt: skip
    return judge(
        found,
        subject=pl.col("nic"),
        ok=pl.when(pl.col("away") > 0).then(False).when(~pl.col("open")).then(True),
        expected=pl.format("processors of NUMA node {}: {}", "numa", "near"),
        found=pl.format("{} of {} interrupts may go elsewhere, the first to {}", "away", "count", "cpus"),
        evidence=EVIDENCE,
    )


@check("NOD-043", layer=Layer.NODE, needs=("nics",), facts=("port_places",), since="0.1")
def cards_sit_on_their_planned_socket(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port of the compute plane sits on the socket that the plan puts its rail on.

    Why: rails are dealt out over the sockets so that each has its share of PCIe; a card in the wrong slot, or a firmware that
    numbers sockets the other way, changes which GPUs a rail serves on this node alone.
    Measured by: numa_node of the card in sysfs; lscpu or numactl -H for the sockets.
    Repair: move the card, or correct the plan where all nodes are built so.
    Source: plan column `nics.socket`.
    """
    import polars as pl

    places = facts.tables["port_places"].select("node", "device", "socket", "numa", *EVIDENCE)
    rows = _compute_ports(plan).join(places, on=["node", "device"], how="inner", maintain_order="left")
    return judge(
        rows,
        subject=pl.col("nic"),
        ok=pl.col("socket") == pl.col("planned"),
        expected=pl.format("socket {}", "planned"),
        found=pl.when(pl.col("numa").is_null())
        .then(pl.lit("the firmware does not say (numa_node -1)"))
        .otherwise(pl.format("socket {} (NUMA node {})", "socket", "numa")),
        evidence=EVIDENCE,
    )


@check("NOD-044", layer=Layer.NODE, severity=Severity.MINOR, needs=("gpus",), facts=("gpu_places",), since="0.1")
def driver_calls_the_right_processors_near(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The processors that the driver calls near to a GPU are those of its NUMA node.

    Why: Slurm, MPI and NCCL pin ranks by the driver's word; where the firmware tells NUMA nodes and the driver another list,
    ranks run far from their GPU.
    Measured by: the column CPU Affinity of nvidia-smi topo -m; sysfs numa_node and numactl -H.
    Repair: update firmware and driver; pin by the measured NUMA node (`asbuilt affinity`).
    Source: processors of the measured NUMA node (sysfs).
    """
    import polars as pl

    places = _whole(plan, facts).filter(pl.col("driver_cpus").is_not_null())
    if places.is_empty():
        return untold("what the driver calls near")
    places = _inside(_inside(places, "driver_cpus", "cpus").rename({"inside": "one"}), "cpus", "driver_cpus")
    keys = plan.table("gpus").select(pl.col("gpu").alias("key"), "node", pl.col("slot").alias("gpu"))
    rows = keys.join(places, on=["node", "gpu"], how="inner", maintain_order="left")
    return judge(
        rows,
        subject=pl.col("key"),
        ok=pl.col("one") & pl.col("inside"),
        expected=pl.format("{} (NUMA node {})", "cpus", "numa"),
        found=pl.col("driver_cpus"),
        evidence=EVIDENCE,
    )
