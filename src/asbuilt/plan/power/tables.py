"""The power tables of a plan: devices, cords, circuits, busways, feeds, and what each carries when any of them is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_power import POWER_TABLES

if TYPE_CHECKING:
    import polars as pl


def power_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables of `POWER_TABLES` from the expanded ``tables`` (racks, nodes, switches, loads, jumpers, rack_slots).

    Raises ``ProblemError`` PLN-015 for circuits or cords as built that the plan does not have.
    """
    from asbuilt.plan.power.build import build

    made = build(design, catalogue, tables)
    return {schema.name: made.get(schema.name, schema.empty()) for schema in POWER_TABLES}
