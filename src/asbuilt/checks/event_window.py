"""Which logged events count: those within the window before the log was taken, not all since boot.

The window ends when the log was taken (`command_facts.time` of the command that gave it; without a manifest, the last event of
that machine's log) and is as long as the plan's expectation ``<check>/window`` says, in hours. An event that has only seconds
since boot is placed by the event with a date nearest before it, else by none: a log without any date counts as a whole, and the
finding says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import threshold
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

#: How the log's place in time is told: within the window, or since boot where the log has no dates.
SINCE_BOOT = "since boot: the log has no dates"


def moment(text: pl.Expr) -> pl.Expr:
    """An ISO 8601 text as a moment in UTC; without an offset it is taken as it stands. Null for anything else."""
    import polars as pl

    plain = text.str.replace(",", ".", literal=True).str.replace(r"Z$", "+00:00")
    offset = plain.str.extract(r"([+-]\d{2}:?\d{2})$").str.replace(":", "", literal=True)
    bare = plain.str.extract(r"^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2})").str.replace("T", " ", literal=True)
    at = bare.str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False, time_unit="us")
    hours, minutes = offset.str.slice(1, 2).cast(pl.Int64, strict=False), offset.str.slice(-2).cast(pl.Int64, strict=False)
    west = pl.when(offset.str.starts_with("-")).then(-1).otherwise(1)
    return at - pl.duration(hours=(hours * west).fill_null(0), minutes=(minutes * west).fill_null(0))


def in_window(plan: Plan, facts: Facts, events: pl.DataFrame, check_id: str, command: str = "dmesg") -> pl.DataFrame:
    """The rows of ``events`` (of `event_measured`) that count for ``check_id``, with ``placed``: how, in words.

    Without an expectation ``<check_id>/window`` every event counts, as since boot.
    """
    import polars as pl

    window = threshold(plan, check_id, "window") if plan.has("expectations") else None
    dated = events.with_columns(moment(pl.col("time")).alias("_at"))
    ends = dated.group_by("node").agg(pl.col("_at").max().alias("_last"))
    if facts.has("command_measured"):
        asked = facts.tables["command_measured"].filter(pl.col("command") == command)
        taken = asked.group_by("node").agg(moment(pl.col("time")).max().alias("_taken"))
        ends = ends.join(taken, on="node", how="left")
    else:
        ends = ends.with_columns(pl.lit(None, dtype=pl.Datetime("us")).alias("_taken"))
    dated = dated.join(ends, on="node", how="left", maintain_order="left")
    dated = dated.with_columns(pl.col("_at").fill_null(strategy="forward").over("node", "capture_id", order_by="line"))
    hours = window["limit"] if window else None
    begin = pl.coalesce("_taken", "_last") - pl.duration(hours=pl.lit(hours, dtype=pl.Float64))
    inside = (pl.col("_at") >= begin).fill_null(True)
    words = pl.when(begin.is_not_null() & pl.col("_at").is_not_null()).then(
        pl.format("within {} h", pl.lit(f"{hours:g}" if window else ""))
    )
    kept = dated.with_columns(words.otherwise(pl.lit(SINCE_BOOT)).alias("placed")).filter(inside)
    return kept.drop("_at", "_last", "_taken")
