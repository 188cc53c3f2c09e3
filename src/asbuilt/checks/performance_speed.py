"""Measured speed against the plan: collectives, RDMA, copies, memory, multiplication. No criterion is never a pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, untold
from asbuilt.checks.performance_runs import COMPUTE, one_of_each, valid_runs
from asbuilt.checks.performance_validity import another_gpu, judged, made_for, older_nccl, other_nodes, slowest, unknown
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

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
    rows = _largest(runs, _bandwidth_limits(plan), facts)
    none = pl.format("no criterion for {} of {} GPUs at these sizes", "benchmark", "gpus")
    lacking = pl.when(pl.col("limit").is_null()).then(none)
    why = pl.coalesce(pl.format("not a measurement: {}", "invalid"), lacking, unknown())
    value = pl.format("{} at {}", amount(pl.col("value"), "GB/s"), amount(pl.col("bytes"), "bytes"))
    sized = pl.when(pl.col("limit").is_null()).then(
        pl.format("made for messages of {}, run with up to {}", "sizes", amount(pl.col("bytes"), "bytes"))
    )
    beyond = pl.coalesce(another_gpu(), other_nodes(), older_nccl(), sized)
    # A rail (one GPU of each host) has no criterion, whatever its number of GPUs.
    rows = rows.with_columns(pl.when(pl.col("invalid").is_null() & ~pl.col("one")).then(beyond).alias("beyond"))
    return judged(
        rows,
        ok=pl.when(why.is_null()).then(pl.col("value") >= least()),
        expected=pl.format("{} GB/s at least ({} expected)", least().round(1), pl.col("limit").round(1)),
        found=pl.coalesce(why, value),
    )


def _bandwidth_limits(plan: Plan) -> pl.DataFrame:
    """Limits of collectives by benchmark, gpus and bytes, with what they were made for and the ``sizes`` that have one."""
    import polars as pl

    limits = made_for(plan, "PERF-010").with_columns(
        pl.col("selector").str.split("/").list.first().alias("benchmark"),
        pl.col("for_gpus").alias("gpus"), pl.col("for_bytes").alias("bytes"),
    )  # fmt: skip
    return limits.select("benchmark", "gpus", "bytes", "limit", "tol_rel", "for_nodes", "least_nccl", "for_gpu")


def _largest(runs: pl.DataFrame, limits: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """Each run at its largest size that has a limit, else at its largest size; ``sizes`` are those of limits."""
    import polars as pl

    bus = facts.tables["result_measured"].filter(pl.col("quantity") == "busbw")
    best = bus.group_by("run", "bytes").agg(pl.col("value").max(), *(pl.col(c).first() for c in EVIDENCE))
    named = runs.select("run", "subject", "benchmark", "gpus", "hosts", "library", "device_name", "invalid", "one")
    sized = named.join(best, on="run", how="left")
    sized = sized.join(limits, on=["benchmark", "gpus", "bytes"], how="left").sort("bytes", nulls_last=False)
    sized = sized.with_columns(pl.when(~pl.col("one")).then(pl.col("limit")).alias("limit"))  # a rail has no criterion
    known = sized.filter(pl.col("limit").is_not_null()).unique("run", keep="last", maintain_order=True)
    rest = sized.join(known, on="run", how="anti").unique("run", keep="last", maintain_order=True)
    ends = limits.group_by("benchmark", "gpus").agg(
        pl.format("{} to {}", amount(pl.col("bytes").min()), amount(pl.col("bytes").max(), "bytes")).alias("sizes")
    )
    return pl.concat([known, rest]).join(ends, on=["benchmark", "gpus"], how="left", maintain_order="left")


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
    limits = made_for(plan, "PERF-011").select(
        pl.col("selector").str.extract(r"rate=([\d.]+)").cast(pl.Float64).alias("rate_gbps"), "limit", "tol_rel", "least_bytes"
    )
    rows = runs.select("run", "node", "device", *EVIDENCE).join(best, on="run", how="left")
    rows = rows.join(ports, on=["node", "device"], how="left").join(limits, on="rate_gbps", how="left")
    subject = pl.coalesce("nic", pl.format("run:{}", "run"))
    small = pl.format(
        "made for messages of {} and more, run with up to {}",
        amount(pl.col("least_bytes"), "bytes"),
        amount(pl.col("bytes"), "bytes"),
    )
    rows = rows.with_columns(
        subject.alias("subject"), pl.when(pl.col("bytes") < pl.col("least_bytes")).then(small).alias("beyond")
    )
    return judged(
        slowest(rows),
        ok=pl.col("value") >= least(),
        expected=pl.format("{} Gb/s at least", least().round(1)),
        found=pl.when(pl.col("limit").is_null())
        .then(pl.lit("no criterion: the run does not name a planned compute port"))
        .otherwise(pl.format("{} Gb/s at {}", pl.col("value").round(1), amount(pl.col("bytes"), "bytes"))),
    )


def _of_gpus(plan: Plan, facts: Facts, id: str, kinds: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """Verdicts of one-GPU results against the thresholds of ``id``; ``kinds``: selector -> which results are of it."""
    import polars as pl

    runs = facts.tables["run_measured"].select("run", "benchmark", "device_name").unique("run", keep="first")
    results = facts.tables["result_measured"].join(runs, on="run", how="left", maintain_order="left")
    rows = pl.concat([results.filter(hit).with_columns(pl.lit(selector).alias("selector")) for selector, hit in kinds.items()])
    if rows.is_empty():
        return untold(f"what {id} judges")
    limits = made_for(plan, id).select("selector", "limit", "tol_rel", pl.col("unit").alias("wanted_unit"), "for_gpu")
    who = pl.coalesce(pl.col("node"), pl.format("run:{}", "run"))
    rows = rows.with_columns(pl.format("{}#{}", who, "selector").alias("subject")).join(limits, on="selector", how="left")
    rows = rows.with_columns(another_gpu().alias("beyond"))
    pair = pl.when(pl.col("from_device").is_not_null()).then(pl.format(" ({} to {})", "from_device", "to_device"))
    same_unit = pl.col("unit") == pl.col("wanted_unit")
    return judged(
        slowest(rows),
        ok=pl.when(same_unit).then(pl.col("value") >= least()),
        expected=pl.format("{} {} at least", least().round(1), "wanted_unit"),
        found=pl.when(pl.col("limit").is_null())
        .then(pl.format("no criterion for {} of this system", "selector"))
        .otherwise(pl.format("{} {}{}", pl.col("value").round(1), "unit", pair.otherwise(pl.lit("")))),
    )


def _begins(*starts: str) -> pl.Expr:
    """Results whose quantity begins with one of these."""
    import polars as pl

    return pl.any_horizontal(pl.col("quantity").str.starts_with(s) for s in starts)


@check("PERF-012", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def copies_reach_the_rate_of_pcie(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Copies between host and GPU reach their share of the PCIe rate of every GPU.

    Why: a Gen5 card that trained at Gen3 computes as fast as ever and loads data at a quarter.
    Measured by: nvbandwidth (host_to_device_memcpy_ce, device_to_host_memcpy_ce), CUDA bandwidthTest.
    Repair: PCIe width and speed of the path, NUMA node of the process, IOMMU; measure again.
    Source: plan's expectations PERF-012 (`asbuilt expect --quantity h2d`).
    """
    kinds = {"h2d": _begins("host_to_device_memcpy_ce", "h2d"), "d2h": _begins("device_to_host_memcpy_ce", "d2h")}
    return _of_gpus(plan, facts, "PERF-012", kinds)


@check("PERF-013", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def copies_between_gpus_reach_nvlink(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Copies between two GPUs of a node reach their share of the NVLink rate.

    Why: one inactive NVLink slows one pair; the average of a collective hides it.
    Measured by: nvbandwidth (device_to_device_memcpy_read_ce, …write_ce), p2pBandwidthLatencyTest.
    Repair: nvidia-smi nvlink -s and -e of both GPUs, fabric manager, then the baseboard.
    Source: plan's expectations PERF-013 (`asbuilt expect --quantity p2p`).
    """
    copies = _begins("device_to_device_memcpy_read_ce", "device_to_device_memcpy_write_ce", "p2p")
    return _of_gpus(plan, facts, "PERF-013", {"p2p": copies})


@check("PERF-014", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def memory_reaches_its_bandwidth(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The memory of every GPU reaches its share of the published bandwidth.

    Why: floors that others ship for it are up to a thousand times too low, and pass anything.
    Measured by: nvbandwidth (device_local_copy), DCGM memory bandwidth, BabelStream on the GPU.
    Repair: clocks and temperature of the memory, ECC and remapped rows; then the GPU.
    Source: plan's expectations PERF-014 (`asbuilt expect --quantity hbm`).
    """
    import polars as pl

    # BabelStream on a GPU names it; on processors nothing is named.
    babel = (pl.col("benchmark") == "stream") & (pl.col("quantity") == "triad") & pl.col("device_name").is_not_null()
    return _of_gpus(plan, facts, "PERF-014", {"hbm": _begins("device_local_copy", "hbm") | babel.fill_null(False)})
