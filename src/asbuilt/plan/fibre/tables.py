"""The fibre tables of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_fibre import BUNDLES, PANELS, TRUNKS

if TYPE_CHECKING:
    import polars as pl


def fibre_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables of `FIBRE_TABLES` from the expanded ``tables`` (racks, nodes, switches, links, jumpers, rack_slots, ...)."""
    import polars as pl

    from asbuilt.plan.fibre.bodies import fibre_jumpers
    from asbuilt.plan.fibre.channels import channels_table
    from asbuilt.plan.fibre.factory import factory_parts_table
    from asbuilt.plan.fibre.grid import leg_lengths_m, tray_grid, ways
    from asbuilt.plan.fibre.laid import cord_ends, device_places, jumper_ends, rack_places
    from asbuilt.plan.fibre.names import phase_rank
    from asbuilt.plan.fibre.routes import laid_cables, routed, routes_table
    from asbuilt.plan.fibre.trays import trays_tables
    from asbuilt.plan.fibre.trunk_rows import panel_heights, trunk_lengths, trunks_table
    from asbuilt.plan.fibre.trunking import trunking

    racks = tables["racks"]
    places = rack_places(design.site, racks)
    grid = tray_grid(design.site, places)
    devices = device_places(design.site, tables, racks.select("rack", at=pl.int_range(pl.len())))
    jumpers = jumper_ends(tables, devices).with_columns(phase_rank(design, "phase").alias("rank"))
    cords = cord_ends(tables, devices).with_columns(phase_rank(design, "phase").alias("rank"))
    fibres = fibre_jumpers(catalogue, jumpers["part"].unique().sort().to_list())
    made = trunking(design, catalogue, fibres, jumpers, places, tables)
    lengths = None
    if made is not None:
        lo, hi = (made.ends[end].to_numpy().astype("int64") for end in ("lo", "hi"))
        tray_m = leg_lengths_m(grid, ways(grid, places, lo, hi)).sum(axis=1)
        lengths = trunk_lengths(design, made, panel_heights(made.panels, racks), tray_m)
    found = routed(grid, places, laid_cables(design, catalogue, jumpers, cords, made, lengths, racks))
    trays, passes = trays_tables(design, grid, places, found, racks)
    return {
        "trays": trays,
        "routes": routes_table(design, grid, found, racks["rack"]),
        "route_trays": passes,
        "panels": made.panels if made is not None else PANELS.empty(),
        "bundles": made.bundles if made is not None else BUNDLES.empty(),
        "trunks": trunks_table(design, made, lengths) if made is not None and lengths is not None else TRUNKS.empty(),
        "channels": channels_table(design, catalogue, fibres, jumpers, made, lengths, tables),
        "factory_parts": factory_parts_table(design, catalogue, tables["nodes"]),
    }
