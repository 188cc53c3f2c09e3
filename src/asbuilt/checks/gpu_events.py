"""What drivers and diagnostics report of GPUs: XIDs, a tool that does not answer, results of dcgmi diag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, nothing, threshold, untold
from asbuilt.checks.event_window import in_window
from asbuilt.checks.gpu_reports import gpu_ids, rows_by_key, shown
from asbuilt.checks.node_bmc import logged
from asbuilt.checks.node_devices import machines
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.model.xids import XIDS

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "gpus", "node_traits", "hardware", "expectations")
_NVIDIA = "10de:"
_UNANSWERED = {
    "no_driver": "it cannot reach the driver",
    "nvml_failed": "its library does not start",
    "no_devices": "it finds no device",
    "gpu_lost": "it says that a GPU is lost",
    "no_handle": "it gets no handle of a GPU",
    "failed": "it failed",
}
_OUTCOMES = {"timed_out": "it did not end", "absent": "it is not there", "failed": "it failed"}
#: What only the driver's tool tells: a node with any of these has been answered.
_ANSWERS = ("gpu_measured", "nvlink_measured", "topology_measured", "affinity_measured")
_TOOL = "nvidia-smi"
_ASKED = ["nvidia-smi", "nvidia-smi-q"]


@check("GPU-012", layer=Layer.NODE, needs=NEEDS, facts=(), since="0.1")
def drivers_log_no_xid(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Within the window before the log was taken, the driver logged no XID that tells of a fault of GPU, link or driver.

    Why: an XID is how a GPU says that it failed, often hours before it is gone. What a program causes by itself (13, 31,
    43, 45) is no fault of the machine; one that no list knows is not taken for harmless.
    Measured by: dmesg as root (NVRM: Xid), with dates.
    Repair: by its number: 48, 63, 64, 94, 95 memory; 74, 144 to 150 NVLink; 79 bus and power; 119, 120 firmware of the driver.
    Source: NVIDIA XID catalogue (`model.xids`); the plan's expectations GPU-012; requirement nodes.event_window_h.
    """
    import polars as pl

    limit = threshold(plan, "GPU-012")
    if limit is None:
        return nothing("the plan states no limit of XIDs")
    rows = machines(plan, facts).select("node").join(logged(facts), on="node", how="left", maintain_order="left")
    if not rows["read"].any():
        return untold("the kernel's log of a planned node")
    schema = {"node": pl.String, "device": pl.String, "count": pl.Int64, "words": pl.String, "placed": pl.String}
    bad = pl.DataFrame(schema=schema | {"capture_id": pl.String, "line": pl.Int64})
    if facts.has("event_measured"):
        kept = in_window(plan, facts, facts.tables["event_measured"].filter(pl.col("source") != "sel"), "GPU-012")
        bad = _weighty(kept)
    return judge(
        _by_device(plan, facts, rows, bad),
        subject=pl.col("subject"),
        ok=pl.when("read").then(pl.col("count").fill_null(0) <= pl.lit(limit["limit"])),
        expected=pl.lit("no XID of a fault within the window"),
        found=pl.format("{} ({})", "words", "placed").fill_null("no log of the kernel"),
        evidence=EVIDENCE,
    )


def _by_device(plan: Plan, facts: Facts, rows: pl.DataFrame, bad: pl.DataFrame) -> pl.DataFrame:
    """``rows`` (by node) with what is bad there, by ``device``; ``subject``: the GPU, else the device, else the node."""
    import polars as pl

    called = shown(plan, facts).select("node", pl.col("key").alias("device"), "subject")
    rows = rows.join(bad, on="node", how="left", maintain_order="left")
    rows = rows.join(called, on=["node", "device"], how="left", maintain_order="left")
    place = pl.when(pl.col("device").is_not_null()).then(pl.format("{}#{}", "node", "device")).otherwise("node")
    return rows.with_columns(pl.coalesce("subject", place).alias("subject"))


def _weighty(events: pl.DataFrame) -> pl.DataFrame:
    """node, device, count, words (each XID once, with its meaning), placed, evidence, of XIDs that tell of a fault."""
    import polars as pl

    meanings = pl.DataFrame(
        {"code": list(XIDS), "meaning": [m for m, _ in XIDS.values()], "weight": [w for _, w in XIDS.values()]},
        schema={"code": pl.String, "meaning": pl.String, "weight": pl.String},
    )
    rows = events.filter(pl.col("source") == "xid").join(meanings, on="code", how="left", maintain_order="left")
    rows = rows.filter(pl.col("weight").fill_null("fault") == "fault")
    words = pl.format("XID {}, {}", pl.col("code").fill_null("unread"), pl.col("meaning").fill_null("in no list"))
    return rows.with_columns(words.alias("words")).group_by("node", "device", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("count"), pl.col("words").unique(maintain_order=True).str.join("; "),
        pl.col("placed").first(), *(pl.col(c).first() for c in EVIDENCE),
    )  # fmt: skip


@check("GPU-016", layer=Layer.NODE, needs=NEEDS[:-1], facts=(), since="0.1")
def driver_answers(plan: Plan, facts: Facts) -> pl.DataFrame:
    """On every node with planned NVIDIA GPUs the driver's tool answers and loses no GPU.

    Why: where nvidia-smi cannot reach the driver no job starts, and nothing else can be asked of the GPUs of that node.
    Measured by: nvidia-smi, any query.
    Repair: read dmesg for NVRM; load the driver (modprobe nvidia), see that its kernel module fits the kernel; reboot.
    Source: plan table `gpus`.
    """
    import polars as pl

    planned = plan.table("gpus")["node"].unique()
    rows = machines(plan, facts).filter(pl.col("node").is_in(planned.implode())).select("node")
    if rows.is_empty():
        return untold("a planned node with GPUs")
    schema = {"node": pl.String, "what": pl.String, "device": pl.String, "capture_id": pl.String, "line": pl.Int64}
    parts = [pl.DataFrame(schema=schema)]
    if facts.has("event_measured"):
        said = facts.tables["event_measured"].filter(pl.col("source") == _TOOL)
        said = said.filter(pl.col("code").is_in(list(_UNANSWERED)))
        what = pl.col("code").replace_strict(_UNANSWERED, default=None, return_dtype=pl.String)
        parts.append(said.select("node", what.alias("what"), "device", *EVIDENCE))
    if facts.has("command_measured"):
        ran = facts.tables["command_measured"].filter(
            pl.col("command").is_in(_ASKED) & pl.col("outcome").is_in(list(_OUTCOMES))
        )
        what = pl.col("outcome").replace_strict(_OUTCOMES, default=None, return_dtype=pl.String)
        parts.append(ran.select("node", what.alias("what"), pl.lit(None, dtype=pl.String).alias("device"), *EVIDENCE))
    bad = pl.concat(parts).unique(["node", "device"], keep="first", maintain_order=True)
    told = [facts.tables[t].select("node") for t in _ANSWERS if facts.has(t)]
    answered = pl.concat([bad.select("node").clear(), *told])["node"].unique()
    if facts.has("command_measured"):
        asked = facts.tables["command_measured"]["command"].is_in(_ASKED).any()
    else:
        asked = False
    if bad.is_empty() and answered.is_empty() and not asked:
        return untold("whether nvidia-smi answers")
    return judge(
        _by_device(plan, facts, rows, bad),
        subject=pl.col("subject"),
        ok=pl.when(pl.col("what").is_not_null()).then(False).when(pl.col("node").is_in(answered.implode())).then(True),
        applies=pl.lit(any(i.startswith(_NVIDIA) for i in gpu_ids(plan))),
        expected=pl.lit("nvidia-smi answers"),
        found=pl.format("nvidia-smi: {}", "what").fill_null("no answer of nvidia-smi"),
        evidence=EVIDENCE,
    )


@check("GPU-017", layer=Layer.NODE, needs=NEEDS, facts=("diagnostic_measured",), since="0.1")
def diagnostics_pass(plan: Plan, facts: Facts) -> pl.DataFrame:
    """In a run of dcgmi diag no test fails on any GPU, and every planned test ran on every planned GPU.

    Why: a test that was skipped, or that ran on seven of eight GPUs, has proven nothing of the rest: it is not measured.
    Measured by: dcgmi diag -r 3 (or -j), with the node drained.
    Repair: read the message of the test, look at the same GPU's XIDs and ECC counters, reset it and run that test again.
    Source: NVIDIA DCGM diagnostics; the plan's expectation GPU-017 (tests).
    """
    import polars as pl

    wanted = threshold(plan, "GPU-017", "tests")
    if wanted is None:
        return nothing("the plan names no test of a diagnostic")
    tests = str(wanted["value"]).split("+")
    rows = _of_gpus(plan, facts)
    if rows.is_empty():
        return untold("a test of a planned GPU")
    failed, passed = pl.col("result") == "fail", pl.col("result").is_in(["pass", "warn"])
    told = rows.group_by("subject", maintain_order=True).agg(
        pl.col("test").filter(failed).unique(maintain_order=True).str.join(", ").alias("failed"),
        pl.col("message").filter(failed).drop_nulls().first().alias("message"),
        pl.col("test").filter(passed).unique().alias("passed"),
        *(pl.coalesce(pl.col(c).filter(failed).first(), pl.col(c).first()) for c in EVIDENCE),
    )  # fmt: skip
    lacks = [pl.when(~pl.col("passed").list.contains(t)).then(pl.lit(t)) for t in tests]
    told = told.with_columns(pl.concat_str(*lacks, separator=", ", ignore_nulls=True).alias("lacks"))
    broken = pl.col("failed") != ""
    said = pl.when(pl.col("message").is_not_null()).then(pl.format("{}: {}", "failed", "message")).otherwise("failed")
    return judge(
        told,
        subject=pl.col("subject"),
        ok=pl.when(broken).then(False).when(pl.col("lacks") == "").then(True),
        expected=pl.lit(f"passed: {', '.join(tests)}"),
        found=pl.when(broken).then(pl.format("failed {}", said)).otherwise(pl.format("no pass of {}", "lacks")),
        evidence=EVIDENCE,
    )


def _of_gpus(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Rows of `diagnostic_measured` per planned GPU of every node that gave one: a test of the whole machine is of each.

    A planned GPU that no test names has one row of nulls. An index is the slot, in the order of PCI addresses.
    """
    import polars as pl

    rows = facts.tables["diagnostic_measured"]
    gpus = plan.table("gpus").select("gpu", "node", "slot").sort("node", "slot")
    place = pl.int_range(pl.len()).over("node").alias("place")
    gpus = gpus.with_columns(place).join(rows.select("node").unique(), on="node", how="semi", maintain_order="left")
    if facts.has("gpu_measured"):
        by = (
            rows_by_key(plan, facts)
            .filter(pl.col("index").is_not_null())
            .unique(["node", "index"], keep="last", maintain_order=True)
        )
        at = shown(plan, facts).select("node", "key", "gpu").join(by.select("node", "key", "index"), on=["node", "key"])
        gpus = gpus.join(at.select("gpu", pl.col("index").alias("at")), on="gpu", how="left", maintain_order="left")
        gpus = gpus.with_columns(pl.coalesce("at", "place").alias("place"))
    own = gpus.join(rows, left_on=["node", "place"], right_on=["node", "gpu"], how="left", maintain_order="left")
    every = gpus.join(rows.filter(pl.col("gpu").is_null()).drop("gpu"), on="node", how="inner", maintain_order="left")
    names = ("test", "result", "message", *EVIDENCE)
    return pl.concat([part.select(pl.col("gpu").alias("subject"), *names) for part in (own, every)])


@check("GPU-019", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS[:-1], facts=("diagnostic_measured",), since="0.1")
def diagnostics_do_not_warn(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No test of dcgmi diag warns.

    Why: a warning is a setting or a counter that did not yet fail a test: persistence off, a remap pending, a slow link.
    Measured by: dcgmi diag -r 3 (or -j).
    Repair: read its message; mend what it names and run that test again.
    Source: NVIDIA DCGM diagnostics.
    """
    import polars as pl

    rows = _of_gpus(plan, facts)
    if rows.is_empty():
        return untold("a test of a planned GPU")
    warned = pl.col("result") == "warn"
    told = rows.group_by("subject", maintain_order=True).agg(
        pl.col("test").filter(warned).unique(maintain_order=True).str.join(", ").alias("warned"),
        pl.col("message").filter(warned).drop_nulls().first().alias("message"),
        pl.col("result").is_in(["pass", "warn", "fail"]).any().alias("ran"),
        *(pl.coalesce(pl.col(c).filter(warned).first(), pl.col(c).first()) for c in EVIDENCE),
    )  # fmt: skip
    said = pl.when(pl.col("message").is_not_null()).then(pl.format("{}: {}", "warned", "message")).otherwise("warned")
    return judge(
        told,
        subject=pl.col("subject"),
        ok=pl.when(pl.col("warned") != "").then(False).when("ran").then(True),
        expected=pl.lit("no warning"),
        found=pl.when(pl.col("ran")).then(pl.format("warning of {}", said)).otherwise(pl.lit("no test ran on it")),
        evidence=EVIDENCE,
    )
