"""The labels of a plan: one record per label, both ends of everything that is pulled, and one for what stands still.

Columnar and in the order in which the crew of a row works: row, then the pair of racks, then rack unit and port of the near
end. Both labels of a cable are neighbours, because both are put on before it is pulled. Identifiers follow
`asbuilt.physics.labels`; what they are made of is in `plan.label_ends`, the things that are labelled in `plan.label_items`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.table import Column, Schema
from asbuilt.model.plan import Plan
from asbuilt.physics.labels import BETWEEN_ENDS
from asbuilt.plan.label_ends import identifier, stands
from asbuilt.plan.label_items import cables, objects

if TYPE_CHECKING:
    import polars as pl

C = Column
NEAR, FAR = "near", "far"

LABELS = Schema(
    "labels",
    "Every label: where it goes, what it reads, what its QR code holds.",
    (
        C("pull", "i64", "place in the order of work, from 1; both ends of a cable share it"),
        C("crew", "str", "who puts it on: rack, power, liquid or cable"),
        C("kind", "str", "jumper, patch-cord, cord-in-panel, trunk, power-cord, whip, hose, rack, pdu, panel or cdu"),
        C("item", "str", "natural key of the labelled thing: what the QR code holds"),
        C("tail", "i64", "tail of a splitter, from 1; 1 for everything else"),
        C("end", "str", "near or far; front or rear of what stands still"),
        C("own", "str", "identifier of this end; null: its place is not known", nullable=True),
        C("remote", "str", "identifier of the other end; null: not known, or there is none", nullable=True),
        C("text", "str", "what is printed: own/remote, or own alone for what stands still", nullable=True),
        C("row", "str", "row where it is put on", nullable=True),
        C("rack", "str", "rack where it is put on", nullable=True),
        C("u", "f64", "rack unit where it is put on", "U", nullable=True),
        C("route", "str", "pair of racks that the cable joins", nullable=True),
        C("part", "str", "catalogue id", nullable=True),
        C("length_m", "f64", "stock length", "m", nullable=True),
        C("phase", "str", "build phase"),
    ),
    ("item", "tail", "end"),
    sort=("crew", "pull"),
)


def label_records(plan: Plan, space: str = "") -> pl.DataFrame:
    """Table `LABELS` of everything in ``plan`` that is labelled; ``space`` is site and room (``DC1.H2``), left out when empty.

    A partial plan has the labels of what it knows. An end whose place the plan does not know has no identifier.
    """
    import polars as pl

    there = stands(plan)
    ends = _two_ends(_pulled(plan, there, space))
    still = _one_end(objects(plan).join(there, on="key", how="left"), space)
    frame = pl.concat([still, ends], how="diagonal_relaxed")
    return LABELS.conform(_numbered(frame).select(c for c in LABELS.names))


def pulled(plan: Plan, space: str = "") -> pl.DataFrame:
    """Everything that is pulled, one row per cable and tail: the columns of `label_items.cables`, and for each end (prefixes
    ``a_`` and ``b_``) the columns of `label_ends.stands` and the identifier ``id``, null where the place is not known."""
    return _pulled(plan, stands(plan), space)


def _pulled(plan: Plan, there: pl.DataFrame, space: str) -> pl.DataFrame:
    import polars as pl

    items = cables(plan)
    for side in "ab":
        places = there.select(pl.all().name.prefix(f"{side}_"))
        items = items.join(places, on=f"{side}_key", how="left", maintain_order="left")
    pair = [pl.min_horizontal("a_rack", "b_rack"), pl.max_horizontal("a_rack", "b_rack")]
    return items.with_columns(
        identifier(space, pl.col("a_cabinet"), pl.col("a_port")).alias("a_id"),
        identifier(space, pl.col("b_cabinet"), pl.col("b_port")).alias("b_id"),
        pl.concat_str(pair, separator="/").alias("route"),
    )


_ORDER = {
    "first_row": "a_line",
    "first_route": "route",
    "first_place": "a_place",
    "first_u": "a_u",
    "first_port": "a_port_number",
}


def _of_first_tail(named: pl.DataFrame) -> pl.DataFrame:
    """All tails of a splitter are pulled together: they take the place in the order of its first one."""
    import polars as pl

    more = named.filter(pl.col("tail") > 1)
    if more.is_empty():
        return named
    first = named.filter(pl.col("tail") == 1).select("item", *_ORDER)
    moved = more.drop(*_ORDER).join(first, on="item", how="left", maintain_order="left")
    return pl.concat([named.filter(pl.col("tail") == 1), moved.select(named.columns)])


def _two_ends(items: pl.DataFrame) -> pl.DataFrame:
    """Two rows per cable, near and far."""
    import polars as pl

    named = _of_first_tail(items.with_columns(pl.col(held).alias(name) for name, held in _ORDER.items()))
    frames = []
    for number, (end, own, far) in enumerate(((NEAR, "a", "b"), (FAR, "b", "a"))):
        frames.append(
            named.select(
                "crew", "kind", "item", "tail", "part", "length_m", "phase", "route",
                pl.lit(end).alias("end"), pl.lit(number).alias("which"),
                pl.col(f"{own}_id").alias("own"), pl.col(f"{far}_id").alias("remote"),
                (pl.col(f"{own}_id") + BETWEEN_ENDS + pl.col(f"{far}_id")).alias("text"),
                pl.col(f"{own}_row").alias("row"), pl.col(f"{own}_rack").alias("rack"), pl.col(f"{own}_u").alias("u"),
                *_ORDER,
            )
        )  # fmt: skip
    return pl.concat(frames)


def _one_end(items: pl.DataFrame, space: str) -> pl.DataFrame:
    """What stands still: the label names it and nothing else."""
    import polars as pl

    own = identifier(space, pl.col("cabinet"), pl.lit(None, dtype=pl.String))
    return items.select(
        "crew", "kind", "item", "end", "part", "phase", "row", "rack", "u",
        pl.lit(1, dtype=pl.Int64).alias("tail"), pl.lit(None, dtype=pl.Float64).alias("length_m"),
        pl.lit(None, dtype=pl.String).alias("route"), pl.lit(None, dtype=pl.String).alias("remote"),
        own.alias("own"), own.alias("text"), (pl.col("end") == "rear").cast(pl.Int32).alias("which"),
        pl.col("line").alias("first_row"), pl.col("place").alias("first_place"), pl.col("u").alias("first_u"),
        pl.lit(None, dtype=pl.Int64).alias("first_port"), pl.lit(None, dtype=pl.String).alias("first_route"),
    )  # fmt: skip


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """Sorted by crew and order of work, with ``pull`` counted over the items of a crew."""
    import polars as pl

    ranked = frame.with_columns(pl.col("first_route").fill_null(""))
    order = ["crew", "first_row", "first_route", "first_place", "first_u", "first_port", "item", "tail", "which"]
    ordered = ranked.sort(order, nulls_last=True)
    head = (pl.col("item") != pl.col("item").shift()).fill_null(True) | (pl.col("crew") != pl.col("crew").shift())
    counted = ordered.with_columns(head.cast(pl.Int64).cum_sum().alias("pull"))
    return counted.with_columns(pl.col("pull") - pl.col("pull").min().over("crew") + 1)
