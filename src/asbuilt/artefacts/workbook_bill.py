"""The bill of materials of the workbook: the plan's own, with the class of every part and what comes built in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.base.table import Column, Schema
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

C = Column
FACTORY, REPLACEABLE, CONSUMABLE, INSTALLED = "factory-built", "field-replaceable", "consumable", "installed"
LONG, STOCK, WITH_RACK = "long-lead", "stock", "with the rack"

BILL = Schema(
    "bill",
    "What is bought, counted from the tables, with spares and part classes; what comes built into racks is named, not ordered.",
    (
        C("part", "str", "catalogue id"),
        C("category", "str", "system, switch, nic, optic, cable, fibre, power, cooling, rack or factory-built"),
        C("role", "str", "what it is used as"),
        C("description", "str", "what it is"),
        C("quantity", "i64", "needed"),
        C("spares", "i64", "spare quantity"),
        C("to_order", "i64", "needed and spare"),
        C("counted_in", "str", "pieces, metres or litres"),
        C("length_m", "f64", "stock length, for what is sold by length", "m", nullable=True),
        C("rule", "str", "how the quantity and the spares were found"),
        C("confidence", "str", "lowest confidence of the catalogue figures behind it"),
        C("service", "str", "factory-built, field-replaceable, consumable, or installed: set once and repaired in place"),
        C("lead", "str", "long-lead: ordered first; stock; or with the rack"),
        C("class_rule", "str", "why it is of that class and lead"),
        C("class_origin", "str", "assumed (makers publish neither: ask for the date), or the source of the figure"),
    ),
    ("category", "part", "role", "length_m"),
)


@dataclass(frozen=True, slots=True)
class _Class:
    """Class of the parts of a category whose role matches ``role`` (a regular expression, empty for all)."""

    category: str
    role: str
    service: str
    lead: str
    rule: str


#: The first that matches counts. Nobody publishes lead times or service classes by part: all of it is assumed and says so.
_CLASSES = (
    _Class("system", "", INSTALLED, LONG, "whole machines are built to order; their own parts are the maker's to replace"),
    _Class("switch", "", REPLACEABLE, LONG, "built to order; a chassis is replaced whole, cabling stays"),
    _Class("nic", "", REPLACEABLE, LONG, "ordered and built with the systems"),
    _Class("gpu", "", REPLACEABLE, LONG, "ordered and built with the systems"),
    _Class("optic", "", REPLACEABLE, LONG, "hot-pluggable; thousands of one kind are allocated by the maker"),
    _Class("cable", "", REPLACEABLE, STOCK, "pluggable at both ends, stock lengths"),
    _Class("fibre", "^trunk", REPLACEABLE, LONG, "terminated and tested in the factory to the lengths of this plan"),
    _Class("fibre", "tray", INSTALLED, STOCK, "hung once, cut on site"),
    _Class("fibre", "", INSTALLED, STOCK, "set once; cassettes and positions are replaced in place"),
    _Class("power", "power cord", REPLACEABLE, STOCK, "pluggable at both ends, stock lengths"),
    _Class("power", "PDU", REPLACEABLE, LONG, "built to order with these plugs and outlets; replaced whole"),
    _Class("power", "busway", INSTALLED, LONG, "built to order for the row"),
    _Class("power", "", INSTALLED, LONG, "tap-off boxes and whips are built to order with these breakers and receptacles"),
    _Class("cooling", "^coolant", CONSUMABLE, STOCK, "topped up and changed by analysis; delivered in drums"),
    _Class("cooling", "^cdu", INSTALLED, LONG, "built to order; its pumps and filters are the maker's spare parts"),
    _Class("cooling", "header pipe", INSTALLED, LONG, "prefabricated, cleaned and pickled for this row"),
    _Class("cooling", "filter|strainer", CONSUMABLE, STOCK, "changed after the flush and whenever its drop says so"),
    _Class("cooling", "", REPLACEABLE, STOCK, "replaced between closed valves; hoses and seals age"),
    _Class("rack", "", INSTALLED, STOCK, "set once"),
)
_OTHER = _Class("", "", INSTALLED, STOCK, "no rule for this category")


def bill(plan: Plan) -> pl.DataFrame:
    """Table `BILL`: the rows of ``bom`` in their order, then the factory-built parts of ``factory_parts`` summed over racks."""
    import polars as pl

    bom = plan.table("bom")
    litres = pl.col("role") == "coolant"
    metres = (pl.col("category") == "fibre") & pl.col("role").str.ends_with(" tray")
    frame = bom.with_columns(
        (pl.col("quantity") + pl.col("spares")).alias("to_order"),
        pl.when(litres)
        .then(pl.lit("litres"))
        .when(metres)
        .then(pl.lit("metres"))
        .otherwise(pl.lit("pieces"))
        .alias("counted_in"),
        *_classes(),
        pl.lit("assumed").alias("class_origin"),
    )
    return pl.concat([BILL.conform(frame), *_factory(plan)])


def _classes() -> list[pl.Expr]:
    """Expressions ``service``, ``lead`` and ``class_rule`` by category and role."""
    import polars as pl

    out = []
    for name, of in (("service", "service"), ("lead", "lead"), ("class_rule", "rule")):
        chosen: pl.Expr = pl.lit(getattr(_OTHER, of))
        for known in reversed(_CLASSES):
            here = (pl.col("category") == known.category) & pl.col("role").str.contains(known.role)
            chosen = pl.when(here).then(pl.lit(getattr(known, of))).otherwise(chosen)
        out.append(chosen.alias(name))
    return out


def _factory(plan: Plan) -> list[pl.DataFrame]:
    """What comes built in: nobody orders it, nobody opens it."""
    import polars as pl

    if not plan.has("factory_parts") or plan.table("factory_parts").is_empty():
        return []
    held = (
        plan.table("factory_parts")
        .group_by("part", "source", "confidence")
        .agg(pl.col("quantity").sum(), pl.col("rack").n_unique().alias("racks"))
    )
    frame = held.sort("part", "source", "confidence").select(
        "part", "quantity", "confidence", pl.lit(FACTORY).alias("category"), pl.lit("built into its rack").alias("role"),
        pl.col("part").alias("description"),
        pl.lit(0, dtype=pl.Int64).alias("spares"), pl.lit(0, dtype=pl.Int64).alias("to_order"),
        pl.lit("pieces").alias("counted_in"), pl.format("in {} racks as delivered", "racks").alias("rule"),
        pl.lit(FACTORY).alias("service"), pl.lit(WITH_RACK).alias("lead"),
        pl.lit("never pulled, patched, labelled or opened in the field: the maker's service replaces it").alias("class_rule"),
        pl.col("source").alias("class_origin"),
    )  # fmt: skip
    return [BILL.conform(frame)]
