"""What a number of speed was made for: GPU, number of GPUs and nodes, size of messages, version of NCCL.

A result outside of that is judged by nobody: ``not_applicable``, with what differs. A log that does not say where it belongs
is ``not_measured``. No check is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, SUBJECT, judge, thresholds, untold
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

_NUMBER = r"(\d+)\.(\d+)"


def _told(key: str, sign: str = "=") -> pl.Expr:
    """What ``valid_if`` says of ``key``; null where it says nothing."""
    import polars as pl

    return pl.col("valid_if").str.extract(rf"(?:^|,){key}{sign}([^,]+)")


def made_for(plan: Plan, check_id: str) -> pl.DataFrame:
    """`thresholds` of a check with what they hold for: ``for_gpus``, ``for_nodes``, ``for_bytes``, ``least_bytes``,
    ``least_nccl`` and ``for_gpu``, the names that tools print for the GPU, joined by |."""
    import polars as pl

    rows = thresholds(plan, check_id).with_columns(
        _told("gpu").alias("part"),
        _told("gpus").cast(pl.Int64, strict=False).alias("for_gpus"),
        _told("nodes").cast(pl.Int64, strict=False).alias("for_nodes"),
        _told("bytes").cast(pl.Float64, strict=False).alias("for_bytes"),
        _told("bytes", ">=").cast(pl.Float64, strict=False).alias("least_bytes"),
        _told("nccl", ">=").alias("least_nccl"),
    )
    if not plan.has("hardware"):
        return rows.with_columns(pl.lit(None, dtype=pl.String).alias("for_gpu"))
    names = plan.table("hardware").select("part", pl.col("shown_as").alias("for_gpu"))
    return rows.join(names, on="part", how="left", maintain_order="left")


def another_gpu() -> pl.Expr:
    """Why a run on ``device_name`` is outside of ``for_gpu``; null where it is not, or where either is unknown."""
    import polars as pl

    name = pl.col("device_name").str.replace(r" \(.*$", "")
    other = ~pl.col("for_gpu").str.split("|").list.contains(name)
    return pl.when(other).then(
        pl.format("made for {}, run on {}", pl.col("for_gpu").str.replace_all("|", " or ", literal=True), name)
    )


def other_nodes() -> pl.Expr:
    """Why a run over ``hosts`` is outside of ``for_nodes``."""
    import polars as pl

    return pl.when(pl.col("hosts") != pl.col("for_nodes")).then(
        pl.format("made for {}, run over {}", _nodes("for_nodes"), _nodes("hosts"))
    )


def _nodes(column: str) -> pl.Expr:
    import polars as pl

    return pl.when(pl.col(column) == 1).then(pl.lit("one node")).otherwise(pl.format("{} nodes", column))


def older_nccl() -> pl.Expr:
    """Why a run with ``library`` is outside of ``least_nccl``."""
    import polars as pl

    (major, minor), (least, last) = _version("library"), _version("least_nccl")
    older = (major < least) | ((major == least) & (minor < last))
    version = pl.col("library").str.replace(r"^NCCL ", "")
    return pl.when(older).then(pl.format("made for NCCL {} and later, run with {}", "least_nccl", version))


def _version(column: str) -> tuple[pl.Expr, pl.Expr]:
    import polars as pl

    return (
        pl.col(column).str.extract(_NUMBER, 1).cast(pl.Int64, strict=False),
        pl.col(column).str.extract(_NUMBER, 2).cast(pl.Int64, strict=False),
    )


def unknown() -> pl.Expr:
    """Why nobody can say whether a run is inside: the log lacks its hosts or its NCCL; null where it has what is asked."""
    import polars as pl

    hosts = pl.col("for_nodes").is_not_null() & pl.col("hosts").is_null()
    nccl = pl.col("least_nccl").is_not_null() & _version("library")[0].is_null()
    return pl.coalesce(
        pl.when(hosts).then(pl.lit("the log does not say over how many hosts it ran")),
        pl.when(nccl).then(pl.lit("the log does not say which NCCL it was: run with NCCL_DEBUG=VERSION")),
    )


def judged(rows: pl.DataFrame, *, ok: pl.Expr, expected: pl.Expr, found: pl.Expr) -> pl.DataFrame:
    """`judge` on the rows whose ``beyond`` is null, and a ``not_applicable`` row with ``beyond`` as its reason for every other.

    Where nothing is inside one more row says that nothing was judged: it is never a pass.
    """
    import polars as pl

    inside, outside = rows.filter(pl.col("beyond").is_null()), rows.filter(pl.col("beyond").is_not_null())
    answer = untold("a result inside of what a criterion was made for")
    if not inside.is_empty():
        answer = judge(inside, subject=pl.col(SUBJECT), ok=ok, expected=expected, found=found, evidence=EVIDENCE)
    if outside.is_empty():
        return answer
    lost = outside.select(
        pl.col(SUBJECT), pl.lit(Verdict.NOT_APPLICABLE.value).alias("verdict"), pl.col("beyond").alias("found")
    )
    return pl.concat([answer, lost], how="diagonal")


def slowest(rows: pl.DataFrame) -> pl.DataFrame:
    """The lowest ``value`` of each ``subject`` inside of validity; the lowest outside, where a subject has none inside."""
    import polars as pl

    ranked = rows.sort(pl.col("beyond").is_not_null(), "value", nulls_last=True, maintain_order=True)
    return ranked.unique(SUBJECT, keep="first", maintain_order=True)
