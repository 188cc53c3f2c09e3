"""Cable lists: for every plane each cable with both of its ends, where they are, what they plug into, what labels read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.table import Column, Schema
from asbuilt.model.plan import Plan
from asbuilt.physics.labels import BETWEEN_ENDS
from asbuilt.plan.label_items import CABLE, PATCH_CORD, TRUNK
from asbuilt.plan.labels import pulled

if TYPE_CHECKING:
    import polars as pl

C = Column
#: Plane of the management ports' patch cords, and the list of the trunks, which serve several planes.
OUT_OF_BAND, TRUNKS, UNKNOWN = "oob", "trunks", "others"


def _end(side: str, words: str) -> tuple[Column, ...]:
    return (
        C(f"{side}_rack", "str", f"rack of {words}", nullable=True),
        C(f"{side}_u", "f64", f"lowest rack unit of the device at {words}", "U", nullable=True),
        C(f"{side}_device", "str", f"device at {words}", nullable=True),
        C(f"{side}_port", "str", f"front-panel label of the port at {words}", nullable=True),
        C(f"{side}_label", "str", f"what the label at {words} reads: this end, then the other one", nullable=True),
    )


CABLE_LIST = Schema(
    "cable_list",
    "Cables, in the order of work: both ends with rack, U, device, port and label.",
    (
        C("cable", "str", "natural key: what the QR code of both labels holds"),
        C("tail", "i64", "tail of a splitter, from 1; 1 for everything else"),
        C("kind", "str", "jumper, patch-cord, cord-in-panel (from a device to a panel) or trunk"),
        C("part", "str", "catalogue id", nullable=True),
        C("length_m", "f64", "stock length", "m", nullable=True),
        *_end("a", "the reference end"),
        *_end("b", "the far end"),
        C("trunk", "str", "trunk behind the panel, for a cord", nullable=True),
        C("phase", "str", "build phase"),
    ),
    ("cable", "tail"),
)


def cable_lists(plan: Plan) -> list[tuple[str, pl.DataFrame]]:
    """Name and table `CABLE_LIST` of each plane in name order, then of the trunks; no list without rows.

    Rows are in the order of work: row, pair of racks, position, rack unit and port of the reference end. A cord or cable
    whose plane the plan does not name is in the list ``others``.
    """
    import polars as pl

    every = pulled(plan).filter(pl.col("crew") == CABLE)
    if every.is_empty():
        return []
    names = _names(plan)
    for side in "ab":
        every = every.join(
            names.rename({"key": f"{side}_key", "name": f"{side}_device"}), on=f"{side}_key", how="left", maintain_order="left"
        )
    rows = every.with_columns(pl.col("item").str.replace(r"#[ab]$", "").alias("jumper"))
    rows = _with_planes(plan, _with_trunks(plan, rows))
    order = ["a_line", "route", "a_place", "a_u", "a_port_number", "item", "tail"]
    rows = rows.sort(order, nulls_last=True).with_columns(
        pl.col("item").alias("cable"), *(pl.coalesce(f"{s}_device", f"{s}_key").alias(f"{s}_device") for s in "ab"),
        (pl.col("a_id") + BETWEEN_ENDS + pl.col("b_id")).alias("a_label"),
        (pl.col("b_id") + BETWEEN_ENDS + pl.col("a_id")).alias("b_label"),
    )  # fmt: skip
    planes = sorted(rows["plane"].unique().to_list(), key=lambda name: (name in (TRUNKS, UNKNOWN), name))
    return [
        (f"cables {plane}", CABLE_LIST.conform(rows.filter(pl.col("plane") == plane).select(CABLE_LIST.names)))
        for plane in planes
    ]


def _names(plan: Plan) -> pl.DataFrame:
    """Display names of nodes and switches by key."""
    import polars as pl

    empty = pl.DataFrame(schema={"key": pl.String, "name": pl.String})
    named = [
        plan.table(t).select(pl.col(k).alias("key"), "name")
        for t, k in (("nodes", "node"), ("switches", "switch"))
        if plan.has(t)
    ]
    return pl.concat([empty, *named]).unique("key", keep="first", maintain_order=True)


def _with_trunks(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    if not plan.has("channels"):
        return rows.with_columns(pl.lit(None, dtype=pl.String).alias("trunk"))
    held = plan.table("channels").select("jumper", "trunk").filter(pl.col("trunk").is_not_null())
    return rows.join(held, on="jumper", how="left", maintain_order="left")


def _with_planes(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """``plane`` of every cable: that of its links; management cords are out-of-band; trunks are a list of their own."""
    import polars as pl

    of = pl.DataFrame(schema={"jumper": pl.String, "plane": pl.String})
    if plan.has("links"):
        of = plan.links.select("jumper", "plane").drop_nulls().unique("jumper", keep="first", maintain_order=True)
    # The second fibre of a link over two has a cable of its own, whose key ends with b; the link names the first.
    first = of.rename({"jumper": "first", "plane": "plane_of_first"})
    rows = rows.join(of, on="jumper", how="left", maintain_order="left").with_columns(
        pl.col("jumper").str.strip_suffix("b").alias("first")
    )
    rows = rows.join(first, on="first", how="left", maintain_order="left")
    return rows.with_columns(
        pl.when(pl.col("kind") == TRUNK)
        .then(pl.lit(TRUNKS))
        .when(pl.col("kind") == PATCH_CORD)
        .then(pl.lit(OUT_OF_BAND))
        .otherwise(pl.coalesce("plane", "plane_of_first", pl.lit(UNKNOWN)))
        .alias("plane")
    )
