"""Measured speed against the plan: collectives, RDMA, copies, memory, multiplication. No criterion is never a pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge, thresholds, untold
from asbuilt.checks.performance_runs import COMPUTE, one_of_each, valid_runs
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS, FACTS = ("expectations",), ("run_measured", "result_measured")
#: Benchmarks of RDMA whose bandwidth is held against the port's rate.
RDMA = ("ib_write_bw", "ib_read_bw", "ib_send_bw")


def least(value: str = "limit") -> pl.Expr:
    """The lowest value that a threshold lets pass: its value less its relative tolerance."""
    import polars as pl

    return pl.col(value) * (1 - pl.col("tol_rel").fill_null(0.0))


@check("PERF-010", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def collectives_reach_their_bandwidth(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every valid run of a collective reaches the bus bandwidth that the plan expects of its GPUs at its largest size.

    Why: a cluster can be whole and still carry half: a rail in Ethernet mode, a lane less, ACS, another library. Measured
    against the plan, because an error that all nodes share has no outlier.
    Measured by: nccl-tests to 8 GiB or more, all ranks, with its rank lines.
    Repair: climb the ladder of the finding: launch, transport, slow rail or node, links, PCIe, NUMA, versions, heat.
    Source: plan's expectations PERF-010: value, tolerance and validity (`asbuilt expect` shows the calculation).
    """
    import polars as pl

    runs = valid_runs(plan, facts).with_columns(pl.col("ranks").alias("gpus"), one_of_each(plan).fill_null(False).alias("one"))
    limits = thresholds(plan, "PERF-010").select(
        pl.col("selector").str.split("/").list.first().alias("benchmark"),
        pl.col("valid_if").str.extract(r"gpus=(\d+)").cast(pl.Int64).alias("gpus"),
        pl.col("valid_if").str.extract(r"bytes=(\d+)").cast(pl.Float64).alias("bytes"),
        "limit", "tol_rel",
    )  # fmt: skip
    bus = facts.tables["result_measured"].filter(pl.col("quantity") == "busbw")
    best = bus.group_by("run", "bytes").agg(pl.col("value").max(), *(pl.col(c).first() for c in EVIDENCE))
    judged = runs.select("run", "subject", "benchmark", "gpus", "invalid", "one").join(best, on="run", how="left")
    judged = judged.join(limits, on=["benchmark", "gpus", "bytes"], how="left").sort("bytes", nulls_last=False)
    judged = judged.with_columns(pl.when(~pl.col("one")).then(pl.col("limit")).alias("limit"))  # a rail has no criterion
    known = judged.filter(pl.col("limit").is_not_null()).unique("run", keep="last", maintain_order=True)
    rest = judged.join(known, on="run", how="anti").unique("run", keep="last", maintain_order=True)
    rows = pl.concat([known, rest])
    none = pl.format("no criterion for {} of {} GPUs at these sizes", "benchmark", "gpus")
    why = pl.coalesce(pl.format("not a measurement: {}", "invalid"), pl.when(pl.col("limit").is_null()).then(none))
    value = pl.format("{} at {}", amount(pl.col("value"), "GB/s"), amount(pl.col("bytes"), "bytes"))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when(why.is_null()).then(pl.col("value") >= least()),
        expected=pl.format("{} GB/s at least ({} expected)", least().round(1), pl.col("limit").round(1)),
        found=pl.coalesce(why, value),
        evidence=EVIDENCE,
    )


@check("PERF-011", layer=Layer.COLLECTIVE, needs=("expectations", "nics"), facts=FACTS, since="0.1")
def rdma_reaches_the_rate_of_its_port(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Large RDMA transfers between two ports reach their share of the planned rate.

    Why: it is the simplest measurement of a rail; what it misses no collective can have.
    Measured by: ib_write_bw (--report_gbits, one direction, large messages) of every port with a partner.
    Repair: link width and speed first, then PCIe of both hosts, then NUMA of the process and of the interrupts.
    Source: plan's expectations PERF-011; rate of the port from plan column `nics.rate_gbps`.
    """
    import polars as pl

    runs = facts.tables["run_measured"].filter(
        pl.col("benchmark").is_in(list(RDMA)) & ~pl.col("bidirectional").fill_null(False)
    )
    if runs.is_empty():
        return untold("a one-way RDMA bandwidth")
    results = facts.tables["result_measured"].filter((pl.col("quantity") == "bandwidth_average") & (pl.col("unit") == "Gb/s"))
    best = results.sort("bytes").group_by("run").agg(pl.col("value").last(), pl.col("bytes").last())
    ports = plan.table("nics").filter(pl.col("plane") == COMPUTE).select("nic", "node", "device", "rate_gbps")
    limits = thresholds(plan, "PERF-011").select(
        pl.col("selector").str.extract(r"rate=([\d.]+)").cast(pl.Float64).alias("rate_gbps"), "limit", "tol_rel"
    )
    rows = runs.select("run", "node", "device", *EVIDENCE).join(best, on="run", how="left")
    rows = rows.join(ports, on=["node", "device"], how="left").join(limits, on="rate_gbps", how="left")
    subject = pl.coalesce("nic", pl.format("run:{}", "run"))
    rows = (
        rows.with_columns(subject.alias("subject"))
        .sort("value", nulls_last=True)
        .unique("subject", keep="first", maintain_order=True)
    )
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("value") >= least(),
        expected=pl.format("{} Gb/s at least", least().round(1)),
        found=pl.when(pl.col("limit").is_null())
        .then(pl.lit("no criterion: the run does not name a planned compute port"))
        .otherwise(pl.format("{} Gb/s at {}", pl.col("value").round(1), amount(pl.col("bytes"), "bytes"))),
        evidence=EVIDENCE,
    )


def _of_gpus(plan: Plan, facts: Facts, id: str, kinds: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """Verdicts of one-GPU results against the thresholds of ``id``; ``kinds``: selector -> beginnings of quantities."""
    import polars as pl

    results = facts.tables["result_measured"]
    parts = []
    for selector, starts in kinds.items():
        hit = pl.any_horizontal(pl.col("quantity").str.starts_with(s) for s in starts)
        parts.append(results.filter(hit).with_columns(pl.lit(selector).alias("selector")))
    rows = pl.concat(parts)
    if rows.is_empty():
        return untold(f"what {id} judges")
    limits = thresholds(plan, id).select("selector", "limit", "tol_rel", pl.col("unit").alias("wanted_unit"))
    who = pl.coalesce(pl.col("node"), pl.format("run:{}", "run"))
    rows = rows.with_columns(pl.format("{}#{}", who, "selector").alias("subject")).join(limits, on="selector", how="left")
    slowest = rows.sort("value").unique("subject", keep="first", maintain_order=True)
    pair = pl.when(pl.col("from_device").is_not_null()).then(pl.format(" ({} to {})", "from_device", "to_device"))
    same_unit = pl.col("unit") == pl.col("wanted_unit")
    return judge(
        slowest,
        subject=pl.col("subject"),
        ok=pl.when(same_unit).then(pl.col("value") >= least()),
        expected=pl.format("{} {} at least", least().round(1), "wanted_unit"),
        found=pl.when(pl.col("limit").is_null())
        .then(pl.format("no criterion for {} of this system", "selector"))
        .otherwise(pl.format("{} {}{}", pl.col("value").round(1), "unit", pair.otherwise(pl.lit("")))),
        evidence=EVIDENCE,
    )


@check("PERF-012", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def copies_reach_the_rate_of_pcie(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Copies between host and GPU reach their share of the PCIe rate of every GPU.

    Why: a Gen5 card that trained at Gen3 computes as fast as ever and loads data at a quarter.
    Measured by: nvbandwidth (host_to_device_memcpy_ce, device_to_host_memcpy_ce), CUDA bandwidthTest.
    Repair: PCIe width and speed of the path, NUMA node of the process, IOMMU; measure again.
    Source: plan's expectations PERF-012 (`asbuilt expect --quantity h2d`).
    """
    starts = {"h2d": ("host_to_device_memcpy_ce", "h2d"), "d2h": ("device_to_host_memcpy_ce", "d2h")}
    return _of_gpus(plan, facts, "PERF-012", starts)


@check("PERF-013", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def copies_between_gpus_reach_nvlink(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Copies between two GPUs of a node reach their share of the NVLink rate.

    Why: one inactive NVLink slows one pair; the average of a collective hides it.
    Measured by: nvbandwidth (device_to_device_memcpy_read_ce, …write_ce), p2pBandwidthLatencyTest.
    Repair: nvidia-smi nvlink -s and -e of both GPUs, fabric manager, then the baseboard.
    Source: plan's expectations PERF-013 (`asbuilt expect --quantity p2p`).
    """
    return _of_gpus(
        plan, facts, "PERF-013", {"p2p": ("device_to_device_memcpy_read_ce", "device_to_device_memcpy_write_ce", "p2p")}
    )


@check("PERF-014", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def memory_reaches_its_bandwidth(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The memory of every GPU reaches its share of the published bandwidth.

    Why: floors that others ship for it are up to a thousand times too low, and pass anything.
    Measured by: nvbandwidth (device_local_copy), DCGM memory bandwidth, BabelStream on the GPU.
    Repair: clocks and temperature of the memory, ECC and remapped rows; then the GPU.
    Source: plan's expectations PERF-014 (`asbuilt expect --quantity hbm`).
    """
    return _of_gpus(plan, facts, "PERF-014", {"hbm": ("device_local_copy", "hbm")})


@check("PERF-015", layer=Layer.COLLECTIVE, severity=Severity.MINOR, needs=NEEDS, facts=FACTS, since="0.1")
def multiplication_reaches_its_rate(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Large multiplications reach their share of the published dense peak.

    Why: a power cap or a hot loop shows here first; the number next to a sparse peak on a slide means nothing.
    Measured by: a GEMM benchmark that prints TFLOPS per GPU and data type.
    Repair: power limit, clocks, temperature, coolant flow; then the GPU.
    Source: plan's expectations PERF-015 (`asbuilt expect --quantity gemm-bf16`).
    """
    return _of_gpus(plan, facts, "PERF-015", {"bf16": ("gemm_bf16", "bf16"), "fp8": ("gemm_fp8", "fp8")})
