"""What one machine computes and how fast its own memory is: multiplication, STREAM, and whether results are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge, shortly, threshold, untold
from asbuilt.checks.node_devices import counted
from asbuilt.checks.performance_speed import FACTS, NEEDS, least
from asbuilt.checks.performance_validity import another_gpu, judged, made_for
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.physics.rates import memory_gbytes_s, tera_per_s

if TYPE_CHECKING:
    import polars as pl

_GEMM = "gemm_"
TRAITS = ("expectations", "nodes", "node_traits")
#: Rates of several data types together: no criterion is of them.
_MIXED = "gemm_mixed"


def _limit(plan: Plan, id: str, selector: str) -> pl.Expr:
    """The value of a threshold of the plan; null where it has none."""
    import polars as pl

    row = threshold(plan, id, selector)
    return pl.lit(row["limit"] if row else None, dtype=pl.Float64)


def _products(facts: Facts) -> pl.DataFrame:
    """One row per run, GPU, data type and size of a multiplication: the median of what was printed, and its operations."""
    import polars as pl

    told = facts.tables["run_measured"].select("run", "benchmark", "device_name", "failure").unique("run", keep="first")
    rows = facts.tables["result_measured"].filter(pl.col("quantity").str.starts_with(_GEMM) & (pl.col("quantity") != _MIXED))
    by = ["node", "run", "from_device", "quantity", "unit", "shape", "fill"]
    each = rows.group_by(by, maintain_order=True).agg(
        pl.col("value").median(), pl.col("time_us").median(), pl.col("wrong").max(), *(pl.col(c).first() for c in EVIDENCE)
    )
    sides = pl.col("shape").str.extract_all(r"\d+").cast(pl.List(pl.Float64))
    operations = pl.when(sides.list.len() > 0).then(2 * sides.list.eval(pl.element().product()).list.first())
    who = pl.coalesce(pl.col("node"), pl.format("run:{}", "run"))
    kind = pl.col("quantity").str.strip_prefix(_GEMM)
    return each.join(told, on="run", how="left", maintain_order="left").with_columns(
        operations.alias("operations"), kind.alias("selector"), pl.format("{}#{}", who, kind).alias("subject")
    )


def _no_product(plan: Plan) -> pl.Expr:
    """Why a rate is no measurement of multiplication; null where it is one."""
    import polars as pl

    made = tera_per_s(pl.col("operations"), pl.col("time_us"))
    off = (pl.col("value") / made - 1).abs() > _limit(plan, "PERF-015", "ratio")
    small = pl.col("operations") < _limit(plan, "PERF-015", "operations")
    peak = pl.col("peak") * (1 + pl.col("peak_tolerance").fill_null(0.0))
    over = pl.format("more than the dense peak of {} {}: another data type, or sparse", pl.col("peak").round(1), "unit")
    reasons = [
        pl.when(pl.col("failure").is_not_null()).then(pl.format("it failed: {}", "failure")),
        pl.when(pl.col("selector") == "unknown").then(pl.lit("its data type is not stated: keep the launch line")),
        pl.when(pl.col("shape").is_null()).then(pl.lit("the size of its matrices is not stated")),
        pl.when(small).then(pl.format("matrices of {} are too small", "shape")),
        pl.when(pl.col("fill") == "zeros").then(pl.lit("its matrices were zeros, which draw less power")),
        pl.when(pl.col("wrong") > 0).then(pl.lit("its results are wrong")),
        pl.when(off).then(pl.format("{} {}, but size and time give {}", shortly(pl.col("value")), "unit", shortly(made))),
        pl.when(pl.col("value") > peak).then(over),
    ]
    return pl.coalesce(*reasons)


@check("PERF-015", layer=Layer.COLLECTIVE, severity=Severity.MINOR, needs=NEEDS, facts=FACTS, since="0.1")
def multiplication_reaches_its_rate(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Large multiplications reach their share of the published dense peak.

    Why: a power cap or a hot loop shows here first; the number next to a sparse peak on a slide means nothing, and a number
    without its data type and size means as little.
    Measured by: mamf-finder.py, cublasMatmulBench with its launch line, gpu-burn; dcgmproftester states no size.
    Repair: power limit, clocks, temperature, coolant flow; then the GPU.
    Source: plan's expectations PERF-015 (`asbuilt expect --quantity gemm-bf16`).
    """
    import polars as pl

    rows = _products(facts)
    if rows.is_empty():
        return untold("a multiplication")
    limits = made_for(plan, "PERF-015").select("selector", "limit", "tol_rel", pl.col("unit").alias("wanted_unit"), "for_gpu")
    ends = pl.col("selector").str.ends_with("-peak")
    peaks = limits.filter(ends).select(
        pl.col("selector").str.strip_suffix("-peak"), pl.col("limit").alias("peak"), pl.col("tol_rel").alias("peak_tolerance")
    )
    rows = rows.join(limits.filter(~ends), on="selector", how="left", maintain_order="left")
    rows = rows.join(peaks, on="selector", how="left", maintain_order="left").with_columns(_no_product(plan).alias("invalid"))
    # Small sizes are slower than large ones: of what a GPU measured of one type the fastest size counts.
    fit = pl.col("invalid").is_null()
    of = ["subject", "run", "from_device"]
    best = rows.filter(fit).sort("value", descending=True, maintain_order=True).unique(of, keep="first", maintain_order=True)
    # What is no measurement is told of a GPU that no other run measures.
    rest = rows.filter(~fit).join(best, on=["subject", "from_device"], how="anti", nulls_equal=True)
    known = made_for(plan, "PERF-015").filter(~ends & (pl.col("subject_kind") == "gpu"))["selector"].sort().to_list()
    typed = pl.when(pl.col("limit").is_null() & pl.lit(bool(known))).then(
        pl.format("made for {}, run in {}", pl.lit(" and ".join(known)), "selector")
    )
    told = pl.when(~fit).then(1).when(pl.col("value") < least()).then(0).otherwise(2)
    rows = pl.concat([best, rest.unique(of, keep="first", maintain_order=True)]).with_columns(
        pl.when(pl.col("invalid").is_null()).then(pl.coalesce(typed, another_gpu())).alias("beyond")
    )
    device = pl.when(pl.col("from_device").is_not_null()).then(pl.format(" ({})", "from_device")).otherwise(pl.lit(""))
    same_unit = pl.col("unit") == pl.col("wanted_unit")
    first = rows.sort(pl.col("beyond").is_not_null(), told, "value", maintain_order=True)
    return judged(
        first.unique("subject", keep="first", maintain_order=True),
        ok=pl.when(pl.col("invalid").is_null() & same_unit).then(pl.col("value") >= least()),
        expected=pl.format("{} {} at least", least().round(1), "wanted_unit"),
        found=pl.coalesce(
            pl.format("not a measurement: {}", "invalid"),
            pl.when(pl.col("limit").is_null()).then(pl.format("no criterion for {} of this system", "selector")),
            pl.format("{} {}{}", pl.col("value").round(1), "unit", device),
        ),
    )


@check("PERF-016", layer=Layer.COLLECTIVE, severity=Severity.BLOCKER, needs=("nodes",), facts=("run_measured",), since="0.1")
def machines_compute_right(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No benchmark of one machine found its own results wrong, and where it can compare, it did.

    Why: a GPU or a memory module that computes wrong and fast ruins training without a word; a rate of it is worth nothing.
    Measured by: gpu-burn (errors, FAULTY), STREAM's validation.
    Repair: take the node out; GPU memory errors and XIDs of the GPU named, memory errors of the host; do not train on it.
    Source: wilicc/gpu-burn: results are compared with the first one; McCalpin's STREAM: solution validates.
    """
    import polars as pl

    runs = facts.tables["run_measured"].filter(pl.col("benchmark").is_in(["gemm", "stream"]) & pl.col("wrong").is_not_null())
    if runs.is_empty():
        return untold("whether what a machine computes is right")
    runs = runs.with_columns(pl.coalesce(pl.col("node"), pl.format("run:{}", "run")).alias("subject"))
    if facts.has("result_measured"):
        bad = facts.tables["result_measured"].filter((pl.col("wrong") > 0) & pl.col("from_device").is_not_null())
        devices = bad.group_by("run").agg(pl.col("from_device").unique().sort().str.join(", ").alias("where"))
        runs = runs.join(devices, on="run", how="left", maintain_order="left")
    else:
        runs = runs.with_columns(pl.lit(None, dtype=pl.String).alias("where"))
    worst = runs.sort("wrong", descending=True, maintain_order=True).unique("subject", keep="first", maintain_order=True)
    on = pl.when(pl.col("where").is_not_null()).then(pl.format(" on {}", "where")).otherwise(pl.lit(""))
    return judge(
        worst,
        subject=pl.col("subject"),
        ok=pl.when(pl.col("wrong") > 0).then(False).when(pl.col("complete")).then(True),
        expected=pl.lit("no wrong result"),
        found=pl.when(pl.col("wrong") > 0)
        .then(pl.format("{}{}", counted(pl.col("wrong").cast(pl.Int64), "wrong result", "wrong results"), on))
        .otherwise(pl.lit("none so far: the text ends before the run does")),
        evidence=EVIDENCE,
    )


@check("PERF-017", layer=Layer.COLLECTIVE, severity=Severity.MINOR, needs=TRAITS, facts=FACTS, since="0.1")
def host_memory_reaches_its_bandwidth(plan: Plan, facts: Facts) -> pl.DataFrame:
    """STREAM's triad over all processors of a node reaches its share of what the memory channels carry.

    Why: a channel without its module, or one slow module, takes its share of every copy to and from the GPUs; sizes and speeds
    of modules say what should be, STREAM says what is.
    Measured by: STREAM built with streaming stores, a thread on every core, arrays far larger than the caches.
    Repair: modules and their speed (NOD-010 to NOD-012), NUMA settings, power profile of the BIOS; then measure again.
    Source: plan's expectations PERF-017: channels x transfers x 8 bytes; speed from the plan, else as dmidecode shows it.
    """
    import polars as pl

    runs = facts.tables["run_measured"].filter((pl.col("benchmark") == "stream") & pl.col("device_name").is_null())
    runs = runs.select("run", pl.col("reached_bytes").alias("array"), pl.col("wrong").alias("errors"), "failure")
    triads = facts.tables["result_measured"].filter((pl.col("quantity") == "triad") & pl.col("node").is_not_null())
    rows = triads.join(runs.unique("run", keep="first"), on="run", how="inner", maintain_order="left")
    if rows.is_empty():
        return untold("STREAM of a planned node")
    rows = _channels(plan, facts, rows)
    small = pl.col("array") < _limit(plan, "PERF-017", "array")
    why = pl.coalesce(
        pl.when(pl.col("failure").is_not_null()).then(pl.format("it failed: {}", "failure")),
        pl.when(pl.col("errors") > 0).then(pl.lit("its results are wrong")),
        pl.when(pl.col("array").is_null()).then(pl.lit("the size of its arrays is not stated")),
        pl.when(small).then(pl.format("arrays of {} lie in the caches", amount(pl.col("array"), "bytes"))),
    )
    rows = rows.with_columns(why.alias("invalid")).sort(
        pl.col("invalid").is_not_null(), "value", descending=[False, True], maintain_order=True
    )
    return judged(
        rows.unique("subject", keep="first", maintain_order=True),
        ok=pl.when(pl.col("invalid").is_null()).then(pl.col("value") >= least()),
        expected=pl.format("{} GB/s at least ({} expected)", least().round(1), pl.col("limit").round(1)),
        found=pl.coalesce(pl.format("not a measurement: {}", "invalid"), pl.format("{} GB/s", pl.col("value").round(1))),
    )


def _channels(plan: Plan, facts: Facts, rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with subject, limit (GB/s), tol_rel, and ``beyond``: what nobody knows of a node's memory. The plan's own number
    goes first; where it does not know the speed, what dmidecode showed of the modules takes its place."""
    import polars as pl

    traits = plan.table("node_traits").select("system", "sockets", "channels", "dimms", "dimm_mts")
    systems = plan.table("nodes").select("node", "system").join(traits, on="system", how="left")
    rows = rows.join(systems, on="node", how="left", maintain_order="left")
    rows = rows.join(_modules(facts), on="node", how="left", maintain_order="left")
    modules, speed = pl.coalesce("dimms", "counted"), pl.coalesce("dimm_mts", "slowest")
    # Null where any of the three is unknown: a minimum over what is left would be a guess.
    known = pl.all_horizontal(pl.col("sockets", "channels").is_not_null(), modules.is_not_null())
    filled = pl.when(known).then(pl.min_horizontal(pl.col("sockets") * pl.col("channels"), modules))
    share = threshold(plan, "PERF-017", "share")
    measured = memory_gbytes_s(filled, speed) * _limit(plan, "PERF-017", "share")
    planned = pl.when(pl.col("dimm_mts").is_not_null()).then(_limit(plan, "PERF-017", "triad"))
    lacking = (
        pl.when(filled.is_null())
        .then(pl.lit("nobody says how many memory channels it has"))
        .when(speed.is_null())
        .then(pl.lit("nobody says how fast its memory modules run: capture dmidecode -t memory"))
    )
    return rows.with_columns(
        pl.col("node").alias("subject"),
        pl.coalesce(planned, measured).alias("limit"),
        pl.lit(share["tol_rel"] if share else None, dtype=pl.Float64).alias("tol_rel"),
        lacking.alias("beyond"),
    )


def _modules(facts: Facts) -> pl.DataFrame:
    """node, counted and slowest (MT/s) of the memory modules that dmidecode showed; none where it showed none."""
    import polars as pl

    if not facts.has("dimm_measured"):
        return pl.DataFrame(schema={"node": pl.String, "counted": pl.Int64, "slowest": pl.Float64})
    full = facts.tables["dimm_measured"].unique(["node", "locator", "bank"], keep="last").filter(pl.col("size_gib") > 0)
    return full.group_by("node").agg(pl.len().cast(pl.Int64).alias("counted"), pl.col("configured_mts").min().alias("slowest"))
