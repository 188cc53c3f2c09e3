"""Health of a GPU's memory and clocks: uncorrected errors, remapped rows, slowdowns, and whether it is idle before a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge, nothing, threshold, thresholds, untold
from asbuilt.checks.gpu_reports import joined, told
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "gpus", "node_traits", "hardware", "expectations")
GPUS = ("gpu_measured",)
_UNSTATED = "the plan states no limit"
#: Column that each expectation of a check limits, and how the amount reads.
_ERRORS = {
    "volatile": ("uncorrected_volatile", "uncorrected ECC errors since the driver was loaded"),
    "sram": ("sram_uncorrected_aggregate", "uncorrected SRAM errors of its life"),
    "corrected": ("corrected_volatile", "corrected ECC errors since the driver was loaded"),
}
_ROWS = {"rows": ("remapped_uncorrected", "rows remapped for uncorrected errors"), "pages": ("retired_pages", "retired pages")}
_USE = {"memory": ("memory_used_mib", "MiB of memory in use"), "load": ("utilisation_percent", "% load")}


def _over(plan: Plan, check_id: str, limited: dict[str, tuple[str, str]]) -> dict[str, tuple[pl.Expr, pl.Expr, str]]:
    """selector: (the column is over its limit, what is found in words, what is expected in words), of stated limits."""
    import polars as pl

    limits = {row["selector"]: row for row in thresholds(plan, check_id).iter_rows(named=True)}
    found = {}
    for selector, (column, words) in limited.items():
        if selector in limits:
            most = limits[selector]
            found[selector] = (
                pl.col(column) > pl.lit(most["limit"]),
                pl.format("{} {}", amount(pl.col(column)), pl.lit(words)),
                f"at most {most['value']} {words}" if most["limit"] else f"no {words}",
            )
    return found


@check("GPU-010", layer=Layer.NODE, needs=NEEDS, facts=GPUS, since="0.1")
def memory_holds_no_uncorrected_errors(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No GPU has had an uncorrected memory error since its driver was loaded, nor more of its life than a good one has.

    Why: an uncorrected error ends the job that met it; a GPU that has one is looked at before it is given work.
    Measured by: nvidia-smi --query-gpu=ecc.errors.uncorrected.volatile.total --format=csv, or nvidia-smi -q.
    Repair: reset the GPU (nvidia-smi -r) or reboot, run dcgmi diag -r 3, read the counters again; they rise again: replace it.
    Source: the plan's expectations GPU-010 (uncorrected 0; SRAM errors of its life; corrected errors).
    """
    import polars as pl

    over = _over(plan, "GPU-010", _ERRORS)
    if "volatile" not in over:
        return nothing(_UNSTATED)
    bad = pl.any_horizontal(o.fill_null(False) for o, _, _ in over.values())
    rows = told(plan, facts, ("uncorrected_volatile",), bad)
    if rows is None:
        return untold("the uncorrected ECC errors of a GPU")
    said = joined([pl.when(o).then(words) for o, words, _ in over.values()])
    wanted = [pl.when(o).then(pl.lit(words)) for o, _, words in over.values()]
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when("bad").then(False).when(pl.col("uncorrected_volatile").is_not_null()).then(True),
        expected=joined(wanted).fill_null(pl.lit(over["volatile"][2])),
        found=said.fill_null("the driver prints no uncorrected ECC errors: ECC is off, or not supported"),
        evidence=EVIDENCE,
    )


@check("GPU-011", layer=Layer.NODE, needs=NEEDS, facts=GPUS, since="0.1")
def rows_are_not_being_remapped(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No row of a GPU's memory waits to be remapped, no remap has failed, and no more rows are remapped than it may have.

    Why: a pending remap means a bad row that is still in use until the next reset; a failed one means that the spare rows of
    a bank are gone, and the GPU must be replaced. Each is a column of its own, read by its name.
    Measured by: nvidia-smi -q (Remapped Rows), or nvidia-smi --query-remapped-rows.
    Repair: pending: reset the GPU or reboot, then read it again. Failed: replace the GPU.
    Source: the plan's expectations GPU-011; NVIDIA GPU memory error management: row remapping.
    """
    import polars as pl

    over = _over(plan, "GPU-011", _ROWS)
    if "rows" not in over:
        return nothing(_UNSTATED)
    limited = [pl.when(o).then(words) for o, words, _ in over.values()]
    bad = pl.any_horizontal(
        pl.col("remap_pending").fill_null(False),
        pl.col("remap_failed").fill_null(False),
        *(o.fill_null(False) for o, _, _ in over.values()),
    )
    # Cards before Ampere retire pages and remap nothing: those that print pages alone are judged by them.
    columns = ("remap_pending", "remap_failed", "remapped_uncorrected", "retired_pages")
    rows = told(plan, facts, columns, bad)
    if rows is None:
        return untold("the remapped rows of a GPU")
    remaps = pl.all_horizontal(pl.col(c).is_not_null() for c in columns[:-1])
    none = pl.all_horizontal(pl.col(c).is_null() for c in columns[:-1])
    whole = remaps | (none & pl.col("retired_pages").is_not_null())
    found = joined(
        [
            pl.when("remap_failed").then(pl.lit("a remap failed")),
            pl.when("remap_pending").then(pl.lit("a remap is pending")),
            *limited,
        ]
    )
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when("bad").then(False).when(whole).then(True),
        expected=pl.lit("no remap pending or failed, " + ", ".join(words for _, _, words in over.values())),
        found=found.fill_null("the report does not tell pending, failed and remapped rows"),
        evidence=EVIDENCE,
    )


@check("GPU-013", layer=Layer.NODE, needs=NEEDS, facts=GPUS, since="0.1")
def clocks_are_not_held_down(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No GPU is slowed down by heat, by its power brake or by its hardware, and its margin to the thermal limit is not used up.

    Why: one hot GPU slows every collective that it is part of, and no error says so. A power cap by software (sw_power) is how
    a GPU under load behaves, and idle is no slowdown: neither is a fault by itself.
    Measured by: nvidia-smi -q -d PERFORMANCE,TEMPERATURE, under load where a test is judged.
    Repair: look at the air path, fans, coolant flow and inlet temperature, at the power supplies for a power brake; run again.
    Source: the plan's expectations GPU-013 (reasons, margin).
    """
    import polars as pl

    reasons, margin = threshold(plan, "GPU-013", "reasons"), threshold(plan, "GPU-013", "margin")
    if reasons is None:
        return nothing("the plan names no reason of a slowdown that is a fault")
    faults = str(reasons["value"]).split("+")
    hit = pl.col("slowdown").str.split("+").list.set_intersection(pl.lit(faults))
    slow = hit.list.len() > 0
    least = pl.lit(margin["limit"] if margin else None, dtype=pl.Float64)
    hot = (pl.col("margin_c") < least).fill_null(False)
    rows = told(plan, facts, ("slowdown",), slow.fill_null(False) | hot)
    if rows is None:
        return untold("the reasons of a GPU's slower clock")
    words = [
        pl.when(slow).then(pl.format("slowed down by {}", hit.list.sort().list.join(", "))),
        pl.when(hot).then(pl.format("{} left to the thermal limit", amount(pl.col("margin_c"), "°C"))),
    ]
    most = f", at least {margin['value']} °C left to the thermal limit" if margin else ""
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when("bad").then(False).when(pl.col("slowdown").is_not_null()).then(True),
        expected=pl.lit(f"none of {', '.join(faults)}{most}"),
        found=joined(words).fill_null("the report tells no reasons of a slower clock"),
        evidence=EVIDENCE,
    )


@check("GPU-018", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS, facts=GPUS, since="0.1")
def gpus_are_idle_before_a_test(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Before a test no GPU is in use: next to no memory is held, and there is no load.

    Why: what another job, or a process that outlived its job, holds of a GPU is missing in the test, and its number means
    nothing.
    Measured by: nvidia-smi --query-gpu=memory.used,utilization.gpu --format=csv, with the nodes drained.
    Repair: drain the node, end what nvidia-smi lists under Processes, capture again; GPUs in production are meant to be in use.
    Source: the plan's expectations GPU-018 (memory, load).
    """
    import polars as pl

    over = _over(plan, "GPU-018", _USE)
    if len(over) != len(_USE):
        return nothing(_UNSTATED)
    columns = tuple(column for column, _ in _USE.values())
    rows = told(plan, facts, columns, pl.any_horizontal(o.fill_null(False) for o, _, _ in over.values()))
    if rows is None:
        return untold("memory in use and load of a GPU")
    known = pl.all_horizontal(pl.col(c).is_not_null() for c in columns)
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when("bad").then(False).when(known).then(True),
        expected=pl.lit(", ".join(words for _, _, words in over.values())),
        found=joined([pl.when(o).then(words) for o, words, _ in over.values()]).fill_null(
            "the report does not tell memory in use and load"
        ),
        evidence=EVIDENCE,
    )
