"""Was a benchmark launched as meant? A number of a run that was not is an invalid measurement, not a slow cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge, kept, plan_and, threshold, untold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS, RUNS = ("expectations",), ("run_measured",)
#: Collectives of nccl-tests by the factor from bytes over time to bus bandwidth (its doc/PERFORMANCE.md).
TWICE = ("all_reduce",)
SHARED = ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter")
ONCE = ("broadcast", "reduce", "sendrecv", "hypercube")
#: Planes whose ports carry collectives.
COMPUTE = "compute"
_UNFIT = "bus over algorithm bandwidth is {}, of {} ranks it must be {}"


def collectives(facts: Facts) -> pl.DataFrame:
    """The runs of collectives, with ``subject`` (run:<id>)."""
    import polars as pl

    rows = facts.tables["run_measured"].filter(pl.col("benchmark").is_in([*TWICE, *SHARED, *ONCE]))
    return rows.with_columns(pl.format("run:{}", "run").alias("subject"))


def one_of_each(plan: Plan) -> pl.Expr:
    """Whether a run had one GPU of each of several hosts that have more: it measures a rail, not the nodes."""
    import polars as pl

    more = plan.has("gpus") and plan.table("gpus").height > plan.table("gpus")["node"].n_unique()
    return (pl.col("hosts") > 1) & (pl.col("ranks") == pl.col("hosts")) & pl.lit(more)


@kept(plan_and("run_measured", "result_measured"))
def ratios(plan: Plan, facts: Facts) -> pl.DataFrame:
    """run, ratio, factor: bus over algorithm bandwidth of each run's largest size, and what it must be."""
    import polars as pl

    runs = collectives(facts)
    schema = {"run": pl.String, "ratio": pl.Float64, "factor": pl.Float64}
    if not facts.has("result_measured"):
        return pl.DataFrame(schema=schema)
    rows = facts.tables["result_measured"].filter(pl.col("quantity").is_in(["busbw", "algbw"]) & (pl.col("value") > 0))
    wide = rows.sort("bytes").group_by("run", "quantity").agg(pl.col("value").last())
    one = wide.filter(pl.col("quantity") == "busbw").select("run", pl.col("value").alias("bus"))
    two = wide.filter(pl.col("quantity") == "algbw").select("run", pl.col("value").alias("alg"))
    n = pl.col("ranks").cast(pl.Float64)  # a rank is a GPU: nccl-tests prints one line for each, also of one process with -g 8
    factor = (
        pl.when(pl.col("benchmark").is_in(list(TWICE))).then(2 * (n - 1) / n)
        .when(pl.col("benchmark").is_in(list(SHARED))).then((n - 1) / n)
        .otherwise(pl.lit(1.0))
    )  # fmt: skip
    found = runs.with_columns(factor.alias("factor")).join(one, on="run", how="left").join(two, on="run", how="left")
    return found.select("run", (pl.col("bus") / pl.col("alg")).alias("ratio"), "factor")


def _launch(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every run of a collective with ``wrong_launch``: what is not as meant, in words; null where nothing is."""
    import polars as pl

    runs = collectives(facts).join(ratios(plan, facts), on="run", how="left")
    limit = threshold(plan, "PERF-001", "ratio")
    near = pl.lit(limit["limit"] if limit else None, dtype=pl.Float64)
    off = (pl.col("ratio") / pl.col("factor") - 1).abs() > near
    reasons = [
        pl.when(pl.col("failure").is_not_null()).then(pl.format("it failed: {}", "failure")),
        pl.when(pl.col("copies") > 1).then(pl.format("{} copies of one rank, not one run", "copies")),
        pl.when(pl.col("ranks") < pl.col("ranks_wanted")).then(pl.format("{} ranks of {} asked for", "ranks", "ranks_wanted")),
        pl.when(pl.col("ranks") < 2).then(pl.lit("one GPU alone: nothing was sent")),
        pl.when(pl.col("average_gbytes_s") == 0).then(pl.lit("average bus bandwidth 0: no rank had a partner")),
        pl.when(off).then(pl.format(_UNFIT, pl.col("ratio").round(2), "ranks", pl.col("factor").round(2))),
        pl.when(~pl.col("complete")).then(pl.lit("the log ends before the run does")),
    ]  # fmt: skip
    return runs.with_columns(pl.coalesce(*reasons).alias("wrong_launch"))


@kept(plan_and("run_measured", "result_measured"))
def valid_runs(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Runs of collectives with ``invalid``: why their bandwidth is no measurement, null for those that are one."""
    import polars as pl

    runs = _launch(plan, facts)
    least = threshold(plan, "PERF-002")
    short = pl.col("reached_bytes") < pl.lit(least["limit"] if least else None, dtype=pl.Float64)
    reasons = [
        pl.when(pl.col("wrong_launch").is_not_null()).then(pl.format("launched wrong: {}", "wrong_launch")),
        pl.when(pl.col("ranks").is_null()).then(pl.lit("the log does not say how many ranks took part")),
        pl.when(pl.col("wrong") > 0).then(pl.lit("wrong results")),
        pl.when(short).then(pl.lit("too small messages")),
        pl.when(pl.col("transports").str.contains("NET/Socket", literal=True)).then(pl.lit("over TCP")),
    ]
    return runs.with_columns(pl.coalesce(*reasons).alias("invalid"))


@check("PERF-001", layer=Layer.COLLECTIVE, needs=NEEDS, facts=RUNS, since="0.1")
def runs_are_launched_as_meant(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every run of a collective had the ranks that it was meant to have, and its numbers fit together.

    Why: an MPI without its launcher gives as many copies of one rank as asked for; their average is 0, or the speed of one GPU,
    and it is reported as a slow or a fine cluster.
    Measured by: the whole log of nccl-tests, with its rank lines and its last line.
    Repair: launch again with the right launcher; keep the launch line in the log.
    Source: nccl-tests doc/PERFORMANCE.md (bus bandwidth); NVIDIA/nccl-tests issues 294, 131, 167.
    """
    import polars as pl

    runs = _launch(plan, facts)
    known = pl.col("ranks").is_not_null() | pl.col("wrong_launch").is_not_null()
    return judge(
        runs,
        subject=pl.col("subject"),
        ok=pl.when(known).then(pl.col("wrong_launch").is_null()),
        expected=pl.lit("one run of all ranks"),
        found=pl.col("wrong_launch").fill_null("the log does not say how many ranks took part"),
        evidence=EVIDENCE,
    )


@check("PERF-002", layer=Layer.COLLECTIVE, severity=Severity.MINOR, needs=NEEDS, facts=RUNS, since="0.1")
def sizes_reach_the_regime(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every run of a collective reaches messages large enough to say something of bandwidth.

    Why: a sweep that ends at 128 MB, or is averaged from 8 bytes on, measures latency; held against a bandwidth it always
    fails, or passes a floor that was set for it.
    Measured by: the last size that a result was printed of.
    Repair: run to 8 GiB or more (-e 8G); judge the largest sizes, never the average of all.
    Source: plan's expectation PERF-002; scitix/sichek issue 52; AWS p5 validation (a sweep that ends at 128 MB).
    """
    import polars as pl

    least = threshold(plan, "PERF-002")
    limit = pl.lit(least["limit"] if least else None, dtype=pl.Float64)
    runs = collectives(facts).filter(pl.col("reached_bytes").is_not_null() | pl.col("complete"))
    return judge(
        runs,
        subject=pl.col("subject"),
        ok=pl.col("reached_bytes") >= limit,
        expected=pl.format("messages of {} at least", amount(limit, "bytes")),
        found=pl.format("messages up to {}", amount(pl.col("reached_bytes"), "bytes")),
        evidence=EVIDENCE,
    )


@check("PERF-003", layer=Layer.COLLECTIVE, severity=Severity.BLOCKER, needs=NEEDS, facts=RUNS, since="0.1")
def results_are_right(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No run of a collective has wrong results, and validation was on.

    Why: a cluster that sums wrong numbers fast ruins training without a word; a run with validation off proves speed alone.
    Measured by: the column #wrong of nccl-tests (-c 1).
    Repair: find the node by pairs, then its GPU memory, NVLink and driver; do not train on it.
    Source: nccl-tests README: #wrong is the number of elements that differ from what the host expects.
    """
    import polars as pl

    runs = collectives(facts)
    return judge(
        runs,
        subject=pl.col("subject"),
        ok=pl.when(pl.col("wrong") > 0).then(False).when(pl.col("checked").fill_null(True)).then(pl.col("wrong") == 0),
        expected=pl.lit("no wrong result"),
        found=pl.when(pl.col("wrong").is_null())
        .then(pl.lit("validation was off"))
        .otherwise(amount(pl.col("wrong"), "wrong results")),
        evidence=EVIDENCE,
    )


@check("PERF-004", layer=Layer.COLLECTIVE, needs=NEEDS, facts=RUNS, since="0.1")
def traffic_goes_by_rdma_from_gpu_memory(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Between hosts collectives go over NET/IB with GPUDirect, not over NET/Socket, and not through host memory.

    Why: NCCL falls back to TCP without failing (4 instead of 340 GB/s), and to host memory when nvidia_peermem or dma-buf is
    missing; the module may be loaded and yet refused.
    Measured by: NCCL_DEBUG=INFO in the log of a run over several hosts.
    Repair: load nvidia_peermem (or a driver with dma-buf), set NCCL_IB_HCA to the compute ports, look for NCCL_IB_DISABLE.
    Source: NVIDIA/nccl issues 1939, 1537; acceptance of the owner: transport is proven by the log, not by lsmod.
    """
    import polars as pl

    runs = collectives(facts).filter(pl.col("hosts").fill_null(2) > 1)
    if runs.is_empty():
        return untold("a collective over several hosts")
    socket = pl.col("transports").str.contains("NET/Socket", literal=True)
    verbs = pl.col("transports").str.contains("NET/IB", literal=True)
    return judge(
        runs,
        subject=pl.col("subject"),
        ok=pl.when(socket).then(False).when(verbs).then(pl.col("gpudirect")),
        expected=pl.lit("NET/IB with GPUDirect"),
        found=pl.when(pl.col("transports").is_null())
        .then(pl.lit("the log does not say: run with NCCL_DEBUG=INFO"))
        .otherwise(
            pl.format(
                "{}, {}", "transports", pl.when(pl.col("gpudirect")).then(pl.lit("GPUDirect")).otherwise(pl.lit("no GPUDirect"))
            )
        ),
        evidence=EVIDENCE,
    )


@check("PERF-005", layer=Layer.COLLECTIVE, needs=("nics",), facts=RUNS, since="0.1")
def runs_use_the_rails_alone(plan: Plan, facts: Facts) -> pl.DataFrame:
    """A run over several hosts uses every port of the compute rails, and no other.

    Why: a list that names a bond or a management card slows every rank to it; one that omits a rail leaves that rail untested,
    and nobody notices because the rest is fine. A run of one GPU of each host needs no more than its own rail.
    Measured by: the NET/IB device line of NCCL_DEBUG=INFO.
    Repair: set NCCL_IB_HCA to exactly the compute ports (`asbuilt affinity` prints it).
    Source: plan table `nics`, plane compute; stas00/ml-engineering (mlx5_bond_0); a peer's list with one device twice.
    """
    import polars as pl

    planned = plan.table("nics").filter(pl.col("plane") == COMPUTE)["device"].unique().sort().to_list()
    runs = collectives(facts).filter(pl.col("hosts").fill_null(2) > 1)
    if runs.is_empty():
        return untold("a collective over several hosts")
    used = (
        pl.col("devices_used").str.split("+").list.eval(pl.element().str.replace(r":\d+(/.*)?$", "")).list.unique().list.sort()
    )
    strangers = used.list.set_difference(planned).list.sort()
    absent = pl.Series([planned])
    runs = runs.with_columns(used.alias("used"), strangers.alias("strangers")).with_columns(
        pl.lit(absent).list.set_difference(pl.col("used")).list.sort().alias("absent")
    )
    one = one_of_each(plan).fill_null(False)
    told = pl.concat_str(
        pl.when(pl.col("strangers").list.len() > 0).then(pl.format("also {}", pl.col("strangers").list.join(", "))),
        pl.when(pl.col("absent").list.len() > 0).then(pl.format("not {}", pl.col("absent").list.join(", "))),
        separator="; ",
        ignore_nulls=True,
    )
    return judge(
        runs,
        subject=pl.col("subject"),
        ok=(pl.col("strangers").list.len() == 0) & (one | (pl.col("absent").list.len() == 0)),
        expected=pl.when(one).then(pl.lit(f"none but {', '.join(planned)}")).otherwise(pl.lit(", ".join(planned))),
        found=pl.when(pl.col("devices_used").is_null())
        .then(pl.lit("the log does not say: run with NCCL_DEBUG=INFO"))
        .otherwise(told),
        evidence=EVIDENCE,
    )
