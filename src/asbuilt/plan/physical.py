"""The physical plan: layout, power, cooling, cable plant, each a room of its own, in the order in which one needs the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.plan.cooling.tables import cooling_tables
from asbuilt.plan.fibre.tables import fibre_tables
from asbuilt.plan.layout.tables import device_slots, floor, place_panels, with_panels
from asbuilt.plan.power.tables import power_tables

if TYPE_CHECKING:
    import polars as pl


def physical_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables of layout, power, cooling and cable plant from the expanded ``tables``.

    Devices take their rack units first; panels find room among them; the floor comes last, because CDUs stand on it.
    """
    made: dict[str, pl.DataFrame] = {"rack_slots": device_slots(design, catalogue, tables)}
    made |= power_tables(design, catalogue, tables | made)
    made |= cooling_tables(design, catalogue, tables | made)
    made |= fibre_tables(design, catalogue, tables | made)
    made["panels"] = place_panels(tables["racks"], made["rack_slots"], made["panels"])
    made["rack_slots"] = with_panels(design, made["rack_slots"], made["panels"])
    made["floor"] = floor(design, catalogue, tables | made)
    return made
