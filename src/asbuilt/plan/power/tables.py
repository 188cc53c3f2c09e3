"""The power tables of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_power import POWER_TABLES

if TYPE_CHECKING:
    import polars as pl


def power_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables of `POWER_TABLES` from the expanded ``tables`` (racks, nodes, switches, links, jumpers, rack_slots, ...)."""
    return {schema.name: schema.empty() for schema in POWER_TABLES}
