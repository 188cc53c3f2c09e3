"""The lines of the crews' work: one for everything that is set, pulled or joined, cut into shifts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping

from asbuilt.model.plan import Plan
from asbuilt.plan.labels import label_records

if TYPE_CHECKING:
    import polars as pl

#: Lines that a crew of two does in a shift of eight hours. Assumed: nobody publishes such figures; a site puts in its own.
SHIFT_SIZE: Mapping[str, int] = {"rack": 8, "power": 48, "liquid": 40, "cable": 120}
COLUMNS = (
    "crew", "row", "shift", "pull", "kind", "item", "tail", "own", "remote", "part", "length_m", "route", "phase",
    "near_labelled", "far_labelled", "done", "by", "remarks",
)  # fmt: skip
_NO_ROW = "hall"
#: Joints of the loops that a crew fits; the liquid crew signs for each of them.
_FITTING = "fitting"


def work_lines(plan: Plan, shift_size: Mapping[str, int] = SHIFT_SIZE) -> pl.DataFrame:
    """One line per item and tail: the columns of the CSV, and ``shift_size``. ``row`` is where its near end is.

    ``near_labelled`` to ``remarks`` are empty, for the crew. Shifts count from 1 within crew and row; both tails of a
    splitter may fall into two. Raises ``ValueError`` for a shift of less than one line.
    """
    import polars as pl

    if any(size < 1 for size in shift_size.values()):
        raise ValueError("a shift has at least one line")
    records = label_records(plan)
    first = records.filter(pl.col("end").is_in(["near", "front"]))
    frame = pl.concat([_lines(first), *_fittings(plan, first)], how="vertical_relaxed")
    if frame.is_empty():
        return frame.with_columns(shift=pl.lit(1), shift_size=pl.lit(1))
    frame = frame.with_columns(pl.col("row").fill_null(_NO_ROW))
    sizes = pl.col("crew").replace_strict(dict(shift_size), return_dtype=pl.Int64)
    cut = frame.with_columns(sizes.alias("shift_size")).with_columns(
        (pl.int_range(pl.len()).over("crew", "row") // pl.col("shift_size") + 1).alias("shift")
    )
    empty = [pl.lit("").alias(c) for c in ("near_labelled", "far_labelled", "done", "by", "remarks")]
    rank = pl.struct((pl.col("row") == _NO_ROW).alias("last"), pl.col("row").str.len_chars().alias("letters"), "row").rank(
        "dense"
    )
    return cut.with_columns(*empty, rank.alias("rank")).sort("crew", "rank", maintain_order=True).drop("rank")


_KEPT = ("crew", "row", "pull", "kind", "item", "tail", "own", "remote", "part", "length_m", "route", "phase")


def _lines(first: pl.DataFrame) -> pl.DataFrame:
    return first.select(_KEPT)


def _fittings(plan: Plan, first: pl.DataFrame) -> list[pl.DataFrame]:
    """Joints of the loops, behind the hoses of their row: place and size, torque as far as the maker gives it."""
    import polars as pl

    if not plan.has("fittings") or plan.table("fittings").is_empty():
        return []
    rows = (
        plan.table("loops").select("loop", "row")
        if plan.has("loops")
        else pl.DataFrame(schema={"loop": pl.String, "row": pl.String})
    )
    last = int(first.filter(pl.col("crew") == "liquid")["pull"].max() or 0)  # type: ignore[arg-type]
    joints = (
        plan.table("fittings").filter(pl.col("phase").is_not_null()).join(rows, on="loop", how="left", maintain_order="left")
    )
    torque = pl.when(pl.col("torque_nm").is_null()).then(pl.lit("")).otherwise(pl.format(", {} N·m", "torque_nm"))
    made = joints.with_columns(pl.int_range(last + 1, pl.len() + last + 1).alias("pull")).select(
        pl.lit("liquid").alias("crew"), "row", "pull", pl.lit(_FITTING).alias("kind"), pl.col("fitting").alias("item"),
        pl.lit(1, dtype=pl.Int64).alias("tail"), pl.col("fitting").str.strip_prefix("fitting:").alias("own"),
        pl.lit(None, dtype=pl.String).alias("remote"), pl.concat_str(["kind", pl.lit(" "), "size", torque]).alias("part"),
        pl.lit(None, dtype=pl.Float64).alias("length_m"), pl.lit(None, dtype=pl.String).alias("route"), "phase",
    )  # fmt: skip
    return [made.select(_KEPT)]
