"""From cables to links: through patch panels, from front port to rear port, along the trunk and out again.

Columnar: all paths take one step at a time, so the work is linear in cables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

INTERFACE, FRONT, REAR = "dcim.interface", "dcim.frontport", "dcim.rearport"
MOST_PANELS = 32  # a path through more is a loop, or no path of this world
#: A path: where it began, its first cable, the cable it is in and from which side, the cables before, where it comes out.
_STATE = ("o_device", "o_name", "first", "row", "side", "trail", "type", "device", "name")
_HERE = ("type", "device", "name")


def trace(
    cables: pl.DataFrame, fronts: pl.DataFrame, rears: pl.DataFrame
) -> tuple[pl.DataFrame, list[int], list[tuple[int, str]]]:
    """(paths, rows of ``cables`` that paths run over, rows of which a path comes to no interface with the reason).

    A path has ``a_device a_name b_device b_name row``: row is that of its first cable. ``cables`` has both ends as ``a_`` and
    ``b_`` ``type device name``; an empty type is looked up among the panel ports, else it is an interface.
    """
    import polars as pl

    ends = _ends(cables, fronts, rears)
    start = ends.filter(pl.col("type") == INTERFACE)
    start = start.select(
        pl.col("device").alias("o_device"), pl.col("name").alias("o_name"), "row", "side", pl.col("row").alias("first")
    )
    state = _across(start, ends)
    done: list[pl.DataFrame] = []
    lost: list[pl.DataFrame] = []
    for _ in range(MOST_PANELS + 1):
        arrived = state.filter(pl.col("type") == INTERFACE)
        done.append(arrived)
        onward = state.filter(pl.col("type") == FRONT)
        other = ~pl.col("type").is_in([INTERFACE, FRONT])
        lost.append(
            state.filter(other).select("first", pl.format("it comes to {} {}, no interface", "device", "name").alias("why"))
        )
        if onward.is_empty():
            break
        state, ended = _through(onward, ends, fronts)
        lost += ended
    else:
        lost.append(onward.select("first", pl.lit(f"it runs through more than {MOST_PANELS} panels").alias("why")))
    paths = _once(pl.concat(done))
    used = [paths["first"], paths["trail"].explode().drop_nulls(), paths["row"]]
    rows = pl.concat([u.cast(pl.Int64) for u in used]).unique()
    # A path that was followed from its other end is no loss: lists of ports may be short on one side.
    gone = pl.concat(lost).unique("first", keep="first", maintain_order=True).sort("first")
    dead = gone.filter(~pl.col("first").cast(pl.Int64).is_in(rows.implode()))
    out = paths.select(
        pl.col("o_device").alias("a_device"),
        pl.col("o_name").alias("a_name"),
        pl.col("device").alias("b_device"),
        pl.col("name").alias("b_name"),
        pl.col("first").alias("row"),
    )
    return out, rows.to_list(), list(dead.rows())


def _ends(cables: pl.DataFrame, fronts: pl.DataFrame, rears: pl.DataFrame) -> pl.DataFrame:
    """``row side type device name``, two per cable."""
    import polars as pl

    both = pl.concat(
        cables.select(
            "row", pl.lit(s).alias("side"), *(pl.col(f"{s}_{c}").alias(c) for c in _HERE), pl.col("type").alias("cable")
        )
        for s in "ab"
    )
    known = pl.concat(
        [
            fronts.select("device", "name", pl.lit(FRONT).alias("there")),
            rears.select("device", "name", pl.lit(REAR).alias("there")),
        ]
    ).unique(["device", "name"], keep="first")
    both = both.join(known, on=["device", "name"], how="left", maintain_order="left")
    kind = (
        pl.when(pl.col("cable").str.to_lowercase() == "power")
        .then(pl.lit("power"))
        .otherwise(pl.coalesce("there", pl.lit(INTERFACE)))
    )
    return both.with_columns(pl.when(pl.col("type") == "").then(kind).otherwise("type").alias("type")).drop("there", "cable")


def _across(state: pl.DataFrame, ends: pl.DataFrame) -> pl.DataFrame:
    """The far end of the cable that each path enters at ``row`` from ``side``."""
    import polars as pl

    far = ends.with_columns(pl.when(pl.col("side") == "a").then(pl.lit("b")).otherwise(pl.lit("a")).alias("side"))
    held = state if "trail" in state.columns else state.with_columns(pl.lit([], dtype=pl.List(pl.Int64)).alias("trail"))
    return held.join(far, on=["row", "side"], how="inner", maintain_order="left").select(_STATE)


def _through(onward: pl.DataFrame, ends: pl.DataFrame, fronts: pl.DataFrame) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """From a front port over the trunk behind it to the cable at the far front port; and the paths that end on the way."""
    import polars as pl

    lost: list[pl.DataFrame] = []

    def kept(frame: pl.DataFrame, column: str, why: pl.Expr) -> pl.DataFrame:
        lost.append(frame.filter(pl.col(column).is_null()).select("first", why.alias("why")))
        return frame.filter(pl.col(column).is_not_null())

    where = pl.format("{} {}", "device", "name")
    single = fronts.unique(["device", "name"], keep="first")
    held = onward.join(single.select("device", "name", "rear_port", "rear_port_position"), on=["device", "name"], how="left")
    held = kept(held, "rear_port", pl.format("front port {} is in no list of front ports", where))
    rear = ends.filter(pl.col("type") == REAR).unique(["device", "name"], keep="first")
    behind = rear.select("device", pl.col("name").alias("rear_port"), pl.col("row").alias("trunk"), pl.col("side").alias("in"))
    held = held.join(behind, on=["device", "rear_port"], how="left")
    held = kept(held, "trunk", pl.format("no trunk is behind front port {}", where))
    far = ends.with_columns(pl.when(pl.col("side") == "a").then(pl.lit("b")).otherwise(pl.lit("a")).alias("in"))
    far = far.select(pl.col("row").alias("trunk"), "in", pl.col("device").alias("far_device"), pl.col("name").alias("far_rear"))
    held = held.join(far, on=["trunk", "in"], how="left")
    out = fronts.unique(["device", "rear_port", "rear_port_position"], keep="first").select(
        pl.col("device").alias("far_device"),
        pl.col("rear_port").alias("far_rear"),
        "rear_port_position",
        pl.col("name").alias("far_name"),
    )
    held = held.join(out, on=["far_device", "far_rear", "rear_port_position"], how="left")
    place = pl.format("{} rear port {} position {}", "far_device", "far_rear", "rear_port_position")
    held = kept(held, "far_name", pl.format("no front port is at {}", place))
    cord = ends.filter(pl.col("type") == FRONT).unique(["device", "name"], keep="first")
    cord = cord.select(
        pl.col("device").alias("far_device"), pl.col("name").alias("far_name"), pl.col("row").alias("next"), "side"
    )
    held = held.drop("side").join(cord, on=["far_device", "far_name"], how="left")
    held = kept(held, "next", pl.format("no cable is at front port {} {}", "far_device", "far_name"))
    trail = pl.concat_list("trail", pl.col("row").cast(pl.Int64), pl.col("trunk").cast(pl.Int64))
    held = held.select("o_device", "o_name", "first", "side", pl.col("next").alias("row"), trail.alias("trail"))
    return _across(held, ends), lost


def _once(done: pl.DataFrame) -> pl.DataFrame:
    """Each path is found from both of its ends: the one whose cable comes first stays."""
    import polars as pl

    ends = [pl.concat_str(pair, separator="\0") for pair in (["o_device", "o_name"], ["device", "name"])]
    pair = pl.concat_str([pl.min_horizontal(ends), pl.max_horizontal(ends)], separator="\0\0")
    frame = done.with_columns(pair.alias("pair")).sort("first", "side", maintain_order=True)
    return frame.unique("pair", keep="first", maintain_order=True)
