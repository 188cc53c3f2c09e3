"""All sheets of a plan in the order of a book, and which rows stand for others that are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from asbuilt.drawings import elevation, hall
from asbuilt.drawings.judged import NARROW, WIDE
from asbuilt.drawings.loop import loop_sheets
from asbuilt.drawings.one_line import one_line_sheets
from asbuilt.drawings.planned_fabric import plan_fabric_canvas
from asbuilt.drawings.sheet import Sheet, file_stem
from asbuilt.drawings.theme import number, plural
from asbuilt.drawings.tray_map import tray_sheets
from asbuilt.model.plan import Plan

W_PER_KW = 1000.0
# Plans of more racks than this have a book of one row of each kind; its other rows are drawn as files only.
MOST_RACKS = 40


@dataclass(frozen=True, slots=True)
class Chapter:
    """The sheets of one kind of drawing."""

    title: str
    sheets: tuple[Sheet, ...]


def chapters(
    plan: Plan, *, narrow: bool = False, rows: frozenset[str] | None = None, fabric: bool = True
) -> tuple[Chapter, ...]:
    """All drawings that the plan has tables for.

    ``narrow``: for a phone's width, without the fabric, which is drawn for a screen only; ``rows``: row sheets of these
    rows only; ``fabric``: the planned fabric too.
    """
    width = NARROW if narrow else WIDE
    made: tuple[tuple[str, Callable[[], tuple[Sheet, ...]]], ...] = (
        ("Fabric", lambda: _fabric(plan) if fabric and not narrow else ()),
        ("Floor: hall and rows", lambda: _floor(plan, narrow=narrow, rows=rows)),
        ("Racks: elevations", lambda: tuple(elevation.sheets(plan, narrow=narrow, typical=rows is not None))),
        ("Power: one-line diagrams", lambda: one_line_sheets(plan, width, rows)),
        ("Cooling: loop diagrams", lambda: loop_sheets(plan, width, rows)),
        ("Cables: tray maps", lambda: tray_sheets(plan, width, rows)),
    )
    found = tuple(Chapter(title, make()) for title, make in made)
    return tuple(c for c in found if c.sheets)


def row_kinds(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Rows that hold racks of the same roles and power in the same order: the first of each kind, and the others like it."""
    import polars as pl

    if not plan.has("racks"):
        return {}
    racks = plan.table("racks").sort(pl.col("row").str.len_chars(), "row", "position")
    told = pl.format("{}:{}", "role", (pl.col("power_w") / W_PER_KW).round(1)).alias("told")
    rows = racks.group_by("row", maintain_order=True).agg(told)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for row, mark in rows.iter_rows():
        kinds.setdefault(tuple(mark), []).append(row)
    return {held[0]: tuple(held[1:]) for held in kinds.values()}


def book_rows(plan: Plan) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """The rows whose sheets a book holds (None: all), and a sentence for each kind of row that is left out."""
    if not plan.has("racks") or plan.table("racks").height <= MOST_RACKS:
        return None, ()
    kinds = row_kinds(plan)
    left = []
    for row, others in kinds.items():
        if others:
            span = others[0] if len(others) == 1 else f"{others[0]} to {others[-1]}"
            verb = "is" if len(others) == 1 else "are"
            left.append(f"Row {row} is drawn; {plural(len(others), 'row')} like it ({span}) {verb} among the SVG files only.")
    return frozenset(kinds), tuple(left)


def _floor(plan: Plan, *, narrow: bool, rows: frozenset[str] | None) -> tuple[Sheet, ...]:
    made = tuple(hall.sheets(plan, narrow=narrow))
    if rows is None:
        return made
    stems = {file_stem(row) for row in rows}
    return tuple(s for s in made if s.name.startswith("hall-overview") or not stems.isdisjoint(s.name.split("-")))


def _fabric(plan: Plan) -> tuple[Sheet, ...]:
    if not plan.has("links") or not plan.links.height:
        return ()
    told = f"{number(plan.links.height)} planned links"
    return (Sheet("Planned fabric", told, file_stem("fabric"), plan_fabric_canvas(plan)),)
