"""The floor and the rack units of a plan: the door of this room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_layout import FLOOR
from asbuilt.plan.layout.panels import place_panels, with_panels
from asbuilt.plan.layout.slots import device_slots

if TYPE_CHECKING:
    import polars as pl

__all__ = ["device_slots", "floor", "place_panels", "with_panels"]


def floor(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `FLOOR` from racks and CDUs."""
    return FLOOR.empty()
