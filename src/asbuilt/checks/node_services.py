"""Services and kernel modules of a machine: fabric manager, peer memory, what must run and what must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, nothing, threshold, thresholds, untold
from asbuilt.checks.node_devices import machines
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "node_traits")
SERVICES, MODULES = ("service_measured",), ("kernel_module_measured",)
_FABRIC_MANAGER = "nvidia-fabricmanager"
#: Modules that let a NIC reach GPU memory: the driver's own, and its forerunner.
_PEER_MEMORY = ["nvidia_peermem", "nv_peer_mem"]
_ABSENT = ["not-found", "masked"]


def _services(facts: Facts) -> pl.DataFrame:
    """node, service, state (active, inactive, failed, absent), with where it stands."""
    import polars as pl

    rows = facts.tables["service_measured"].unique(["node", "service"], keep="last", maintain_order=True)
    state = pl.when(pl.col("load").is_in(_ABSENT)).then(pl.lit("absent")).otherwise("active")
    return rows.select("node", "service", state.alias("state"), *EVIDENCE)


def _modules(facts: Facts) -> pl.DataFrame:
    """node, loaded (list of modules), whole, with where the first stands.

    ``whole``: the list is that of lsmod, which counts users; /sys/module holds a version for some modules alone, so that one
    which is not there may yet be loaded.
    """
    import polars as pl

    rows = facts.tables["kernel_module_measured"]
    return rows.group_by("node", maintain_order=True).agg(
        pl.col("module").filter("loaded").alias("loaded"),
        pl.col("users").is_not_null().any().alias("whole"),
        *(pl.col(c).first() for c in EVIDENCE),
    )


@check("NOD-050", layer=Layer.NODE, severity=Severity.BLOCKER, needs=NEEDS, facts=SERVICES, since="0.1")
def fabric_manager_runs(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The fabric manager is active on every node that has NVSwitches of its own.

    Why: without it CUDA does not start on such a node (error 802). Servers without NVLink have none, and the compute trays of
    an NVL72 rack have theirs in the switch trays: there this check does not apply.
    Measured by: systemctl show nvidia-fabricmanager.
    Repair: install the fabric manager of the driver's version, `systemctl enable --now nvidia-fabricmanager`, read its log.
    Source: plan column `node_traits.fabric_manager`.
    """
    import polars as pl

    seen = _services(facts).filter(pl.col("service") == _FABRIC_MANAGER)
    rows = machines(plan, facts).join(seen, on="node", how="left", maintain_order="left")
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.col("state") == "active",
        applies=pl.col("fabric_manager"),
        expected=pl.lit("fabric manager active"),
        found=pl.format("fabric manager {}", "state").fill_null("no report of the fabric manager"),
        evidence=EVIDENCE,
    )


@check("NOD-051", layer=Layer.NODE, needs=(*NEEDS, "gpus", "nics", "hardware"), facts=MODULES, since="0.1")
def peer_memory_is_loaded(plan: Plan, facts: Facts) -> pl.DataFrame:
    """On every node with NVIDIA GPUs and RDMA NICs the peer memory module is loaded.

    Why: without it a NIC cannot reach GPU memory and NCCL copies through the host, unless it takes the dma-buf path. That it is
    loaded does not prove that it is used: the transport lines of an NCCL run do.
    Measured by: lsmod (loaded kernel modules).
    Repair: `modprobe nvidia-peermem` and load it at every boot; if refused, the driver was built before the RDMA stack.
    Source: NVIDIA GPUDirect RDMA guide: nvidia-peermem.
    """
    import polars as pl

    nvidia = plan.table("hardware").filter((pl.col("kind") == "gpu") & pl.col("pci_ids").str.starts_with("10de:"))
    with_gpus = plan.table("gpus").join(nvidia, left_on="model", right_on="part", how="semi")["node"].unique()
    rdma = plan.table("nics").filter(pl.col("plane") == "compute")["node"].unique()
    rows = machines(plan, facts).join(_modules(facts), on="node", how="left", maintain_order="left")
    has = pl.any_horizontal(*(pl.col("loaded").list.contains(m) for m in _PEER_MEMORY))
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.when(has).then(True).when("whole").then(has),
        applies=pl.col("node").is_in(with_gpus.implode()) & pl.col("node").is_in(rdma.implode()),
        expected=pl.lit("nvidia_peermem loaded"),
        found=pl.when("whole").then(pl.lit("not loaded")).otherwise(pl.lit("no whole list of its kernel modules (lsmod)")),
        evidence=EVIDENCE,
    )


@check("NOD-052", layer=Layer.NODE, needs=(*NEEDS, "expectations"), facts=SERVICES, since="0.1")
def services_are_as_stated(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every service that the requirement wants on is active, and none that it wants off is.

    Why: a firewall, a tuning daemon or an automatic update that one node still has decides a benchmark, or a night.
    Measured by: systemctl show of the named units.
    Repair: `systemctl enable --now` or `disable --now` the unit; put it into the image; capture again.
    Source: requirement nodes.services_on, nodes.services_off.
    """
    return _held(plan, facts, "NOD-052", "the requirement names no service")


def _held(plan: Plan, facts: Facts, check_id: str, silent: str) -> pl.DataFrame:
    """Services of the expectations ``service=…`` of a check on every machine."""
    import polars as pl

    limits = thresholds(plan, check_id).filter(pl.col("selector").str.starts_with("service="))
    if limits.is_empty():
        return nothing(silent)
    wanted = limits.select(pl.col("selector").str.strip_prefix("service=").alias("service"), pl.col("value").alias("want"))
    rows = (
        machines(plan, facts)
        .join(wanted, how="cross")
        .join(_services(facts), on=["node", "service"], how="left", maintain_order="left")
    )
    runs = pl.col("state") == "active"
    return judge(
        rows,
        subject=pl.format("{}#{}", "node", "service"),
        ok=pl.when(pl.col("want") == "active").then(runs).otherwise(~runs),
        expected=pl.format("{} {}", "service", "want"),
        found=pl.format("{} {}", "service", "state").fill_null("no report of this service"),
        evidence=EVIDENCE,
    )


@check("NOD-053", layer=Layer.NODE, severity=Severity.MINOR, needs=(*NEEDS, "expectations"), facts=(), since="0.1")
def policies_are_kept(plan: Plan, facts: Facts) -> pl.DataFrame:
    """irqbalance and the persistence mode of the GPUs are as the site's policy says.

    Why: irqbalance moves interrupts that were pinned to a card's socket; without persistence the driver unloads between jobs.
    Measured by: systemctl show irqbalance; nvidia-smi (persistence_mode).
    Repair: `systemctl disable --now irqbalance`; `systemctl enable --now nvidia-persistenced`; capture again.
    Source: requirement nodes.irqbalance, nodes.persistence.
    """
    import polars as pl

    parts = []
    if facts.has("service_measured"):
        parts.append(_held(plan, facts, "NOD-053", "the plan states no policy"))
    limit = threshold(plan, "NOD-053", "persistence")
    if facts.has("gpu_measured") and limit is not None:
        rows = facts.tables["gpu_measured"].filter(pl.col("persistence").is_not_null())
        off = pl.col("persistence") != pl.lit(limit["value"] == "enabled")
        rows = rows.group_by("node", maintain_order=True).agg(
            off.sum().alias("off"), pl.len().alias("count"),
            *(pl.col(c).filter(off).first().fill_null(pl.col(c).first()) for c in EVIDENCE),
        )  # fmt: skip
        told = pl.lit("off" if limit["value"] == "enabled" else "on")
        parts.append(
            judge(
                rows,
                subject=pl.format("{}#persistence", "node"),
                ok=pl.col("off") == 0,
                expected=pl.lit(f"persistence mode {limit['value']}"),
                found=pl.format("persistence mode {} in {} of {} reports of GPUs", told, "off", "count"),
                evidence=EVIDENCE,
            )
        )
    return pl.concat(parts, how="diagonal") if parts else untold("a policy of a planned node")


@check("NOD-054", layer=Layer.NODE, needs=(*NEEDS, "expectations"), facts=MODULES, since="0.1")
def kernel_modules_are_loaded(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every kernel module that the planned NICs need is loaded.

    Why: without ib_umad no diagnostic tool sees the fabric from that node, without ib_uverbs no program reaches the NIC.
    Measured by: lsmod (loaded kernel modules).
    Repair: start openibd or load the module, and see that it is loaded at every boot; capture again.
    Source: requirement nodes.kernel_modules, else the modules of the planned link types.
    """
    import polars as pl

    limits = thresholds(plan, "NOD-054").select(pl.col("selector").str.strip_prefix("module=").alias("module"))
    if limits.is_empty():
        return nothing("the plan names no kernel module")
    rows = machines(plan, facts).join(_modules(facts), on="node", how="left", maintain_order="left")
    wanted = limits["module"].to_list()
    lacking = [pl.when(~pl.col("loaded").list.contains(m)).then(pl.lit(m)) for m in wanted]
    rows = rows.with_columns(pl.concat_str(*lacking, separator=", ", ignore_nulls=True).alias("lacks"))
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.when((pl.col("lacks") == "") & pl.col("loaded").is_not_null()).then(True).when("whole").then(False),
        expected=pl.format("{} loaded", pl.lit(", ".join(wanted))),
        found=pl.when("whole")
        .then(pl.format("{} not loaded", "lacks"))
        .otherwise(pl.lit("no whole list of its kernel modules (lsmod)")),
        evidence=EVIDENCE,
    )
