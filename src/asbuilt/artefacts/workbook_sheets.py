"""Which sheets a workbook has: from which tables of the plan each is made, in which order, under which heading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asbuilt.artefacts.workbook_bill import BILL, bill
from asbuilt.artefacts.workbook_cables import CABLE_LIST, cable_lists
from asbuilt.base.table import Column, Schema
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES

if TYPE_CHECKING:
    import polars as pl

C = Column


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its name, the part of the book, the schema that its headers are made from, its rows."""

    name: str
    group: str
    schema: Schema
    frame: pl.DataFrame


ASSUMPTIONS = Schema(
    "assumptions",
    "Values that nobody stated and the tool chose: write them into the requirement to make them yours.",
    (
        C("path", "str", "field of the requirement"),
        C("value", "str", "what was chosen"),
        C("why", "str", "why"),
        C("origin", "str", "assumed or derived"),
    ),
    ("path",),
)
SOURCES = Schema(
    "sources",
    "Figures of the catalogue that results were made from.",
    (
        C("what", "str", "part and figure"),
        C("value", "str", "its value"),
        C("unit", "str", "its unit"),
        C("source", "str", "where it is from"),
        C("confidence", "str", "high: the maker's text was read; medium: second-hand or arithmetic; low: memory"),
        C("origin", "str", "published, measured, declared, derived, claimed or assumed"),
        C("note", "str", "what else is to know", nullable=True),
    ),
    ("what",),
)
WARNINGS = Schema(
    "warnings",
    "What the plan warns of.",
    (C("number", "i64", "number, from 1"), C("warning", "str", "what is to be looked at")),
    ("number",),
)
COLUMNS = Schema(
    "columns",
    "What every column of every sheet means.",
    (
        C("sheet", "str", "sheet"),
        C("column", "str", "header"),
        C("meaning", "str", "what it holds"),
        C("unit", "str", "unit", nullable=True),
    ),
    ("sheet", "column"),
)

#: Sheet, part of the book, table.
_TABLES = (
    ("draws", "power", "draws"),
    ("feeds", "power", "feeds"),
    ("busways", "power", "busways"),
    ("circuits", "power", "circuits"),
    ("PDUs", "power", "pdus"),
    ("power cords", "power", "cords"),
    ("power shelves", "power", "shelves"),
    ("busbars", "power", "busbars"),
    ("protections", "power", "protections"),
    ("bonds", "power", "bonds"),
    ("liquid shares", "cooling", "liquid_shares"),
    ("loops", "cooling", "loops"),
    ("loop cases", "cooling", "loop_cases"),
    ("CDUs", "cooling", "cdus"),
    ("headers", "cooling", "loop_segments"),
    ("branches", "cooling", "branches"),
    ("manifolds", "cooling", "manifolds"),
    ("fittings", "cooling", "fittings"),
    ("air by row", "cooling", "air_rows"),
    ("bundles", "cable plant", "bundles"),
    ("trunks", "cable plant", "trunks"),
    ("panels", "cable plant", "panels"),
    ("routes", "cable plant", "routes"),
    ("trays", "cable plant", "trays"),
    ("racks", "racks", "racks"),
    ("rack units", "racks", "rack_slots"),
    ("floor", "racks", "floor"),
    ("networks", "addresses", "address_pools"),
    ("addresses", "addresses", "addresses"),
)


def sheets(plan: Plan) -> list[Sheet]:
    """The sheets of ``plan`` that have rows, in the order of the book. A partial plan has those of what it knows.

    Texts and numbers are those of the tables; rows of cable lists are in the order of work of the labels.
    """
    listed = []
    if plan.has("bom"):
        listed.append(Sheet("BOM", "bill of materials", BILL, bill(plan)))
    listed += [Sheet(name, "cables", CABLE_LIST, frame) for name, frame in cable_lists(plan)]
    for name, group, table in _TABLES:
        if plan.has(table):
            listed.append(Sheet(name, group, PLAN_TABLES[table], plan.table(table)))
    listed += _basis(plan)
    listed = [_present(sheet) for sheet in listed if sheet.frame.height]
    return [*listed, _columns(listed)] if listed else []


def left_out(plan: Plan) -> list[str]:
    """Sheets that this plan has no rows for."""
    return [name for name, _, table in _TABLES if not (plan.has(table) and plan.table(table).height)]


def _present(sheet: Sheet) -> Sheet:
    """The sheet with the columns that its table has: a stored plan may be older than a nullable column."""
    kept = tuple(c for c in sheet.schema.columns if c.name in sheet.frame.columns)
    schema = Schema(sheet.schema.name, sheet.schema.meaning, kept, sheet.schema.key)
    return Sheet(sheet.name, sheet.group, schema, sheet.frame.select(schema.names))


def _basis(plan: Plan) -> list[Sheet]:
    import polars as pl

    out = []
    if plan.design is not None:
        assumed = [(a.path, _text(a.value), a.why, a.origin.value) for a in plan.design.assumptions]
        cited = [
            (c.what, _text(f.value), f.unit, f.source, f.confidence.value, f.origin.value, f.note or None)
            for c in plan.design.citations
            for f in (c.figure,)
        ]
        out.append(Sheet("assumptions", "basis", ASSUMPTIONS, pl.DataFrame(assumed, ASSUMPTIONS.polars(), orient="row")))
        out.append(Sheet("sources", "basis", SOURCES, pl.DataFrame(cited, SOURCES.polars(), orient="row")))
    warned = list(enumerate(plan.warnings, start=1))
    out.append(Sheet("warnings", "basis", WARNINGS, pl.DataFrame(warned, WARNINGS.polars(), orient="row")))
    return out


def _columns(listed: list[Sheet]) -> Sheet:
    import polars as pl

    from asbuilt.artefacts.workbook_columns import header

    rows = [(s.name, header(c), c.meaning, c.unit or None) for s in listed for c in s.schema.columns]
    return Sheet("columns", "basis", COLUMNS, pl.DataFrame(rows, COLUMNS.polars(), orient="row"))


def _text(value: Any) -> str:
    """A value as it would stand in the requirement."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_text(v) for v in value)}]"
    return str(value)
