"""The floor and the rack units of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_layout import FLOOR, RACK_SLOTS

if TYPE_CHECKING:
    import polars as pl


def device_slots(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `RACK_SLOTS` without panels: what stands in the racks before the cable plant is laid."""
    return RACK_SLOTS.empty()


def with_panels(slots: pl.DataFrame, panels: pl.DataFrame) -> pl.DataFrame:
    """Table `RACK_SLOTS`: ``slots`` and the panels that found room."""
    return slots


def floor(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `FLOOR` from racks and CDUs."""
    return FLOOR.empty()
