"""The cooling tables of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_cooling import COOLING_TABLES
from asbuilt.plan.cooling.air import air_rows
from asbuilt.plan.cooling.demand import demand, liquid_shares
from asbuilt.plan.cooling.loops import branches_table, cases_table, cdus_table, loops_table, segments_table
from asbuilt.plan.cooling.pieces import fittings_table, manifolds_table
from asbuilt.plan.cooling.sites import loop_sites, most_racks, places, units_needed
from asbuilt.plan.cooling.solve import SolvedLoop, solve_loops

if TYPE_CHECKING:
    import polars as pl


def cooling_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables of `COOLING_TABLES` from the expanded ``tables`` (racks, nodes, switches, links, jumpers, rack_slots, ...).

    The catalogue's figures are in the design already. A system without liquid has air by row and empty tables of loops.
    """
    racks = tables["racks"]
    made = {schema.name: schema.empty() for schema in COOLING_TABLES}
    made["air_rows"] = air_rows(design, racks)
    if design.cooling.rack is None:
        return made
    asked = demand(design.cooling.rack, design.cooling.coolant, design.site.coolant_supply_c)
    loops = solved_loops(design, racks)
    made["liquid_shares"] = liquid_shares(design)
    made["loops"] = loops_table(design, loops, asked)
    made["cdus"] = cdus_table(design, loops)
    made["loop_cases"] = cases_table(loops)
    made["loop_segments"] = segments_table(design, loops)
    made["branches"] = branches_table(design, loops, asked, racks)
    made["manifolds"] = manifolds_table(design, made["branches"], made["loop_segments"])
    made["fittings"] = fittings_table(design, made["branches"], made["loop_segments"], made["cdus"])
    return made


def solved_loops(design: Design, racks: pl.DataFrame) -> list[SolvedLoop]:
    """The loops of a plan as numbers, to try changes on; empty for a system without liquid. ``racks``: the plan's table."""
    rack = design.cooling.rack
    compute = racks.filter(racks["role"] == "compute")
    if rack is None or not compute.height:
        return []
    asked = demand(rack, design.cooling.coolant, design.site.coolant_supply_c)
    heat_kw = float(str(compute["liquid_w"].max())) / 1000.0
    row = len(places(design, racks))
    most = most_racks(design, asked, heat_kw)
    loops = -(-row // most) if row else 1
    units = units_needed(design, -(-row // loops), asked, heat_kw)
    return solve_loops(design, loop_sites(design, racks, most, units), asked, heat_kw)
