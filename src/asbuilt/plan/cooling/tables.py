"""The cooling tables of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_cooling import COOLING_TABLES

if TYPE_CHECKING:
    import polars as pl


def cooling_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables of `COOLING_TABLES` from the expanded ``tables`` (racks, nodes, switches, links, jumpers, rack_slots, ...)."""
    return {schema.name: schema.empty() for schema in COOLING_TABLES}
