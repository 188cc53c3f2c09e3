"""Decisions of the floor: what stands at a position, what a rack holds, where switches stand."""

from __future__ import annotations

from asbuilt.model.plan import Plan
from asbuilt.predict.reading import FLOOR, Reading, both, counted, worst


def readings(pilot: Plan, grown: Plan) -> list[Reading]:
    """What the pilot's positions hold, and what ``grown`` puts there."""
    return [*_positions(pilot, grown), *_racks(pilot, grown)]


def _positions(pilot: Plan, grown: Plan) -> list[Reading]:
    old = pilot.table("racks").select("rack", "role")
    moved = old.join(grown.table("racks").select("rack", "role"), on=["rack", "role"], how="anti")["rack"]
    words = "network and storage racks at the positions of the finished rows (state growth.gpus before the pilot stands)"
    made = counted("rack-positions", FLOOR, "what stands at a position", moved, old.height, "racks", "racks.role", words)
    for table, key, what in (("switches", "switch", "places of the switches"), ("nodes", "node", "places of the nodes")):
        columns = [key, "rack", "u"]
        old = pilot.table(table).select(columns)
        moved = old.join(grown.table(table).select(columns), on=columns, how="anti")[key]
        words = "network racks packed as the target packs them: gaps kept for the switches to come"
        made += counted(table, FLOOR, what, moved, old.height, table, f"{table}.rack, {table}.u", words)
    return made


def _racks(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    held = both(pilot, grown, "racks", "power_w", "height_u", "used_u")
    made = []
    if pilot.design is not None:
        allowed = pilot.design.site.rack_power_kw
        rows = held.select(
            pl.col("rack").alias("subject"), pl.lit(allowed).alias("has"), (pl.col("power_w_then") / 1000).alias("asked")
        )
        instead = "positions for {asked:,.1f} kW, or a second network rack"
        made += worst("rack-power", FLOOR, "power of a position", rows, "kW", "site.rack_power_kw, racks.power_w", instead)
    rows = held.select(
        pl.col("rack").alias("subject"), pl.col("height_u").cast(pl.Float64).alias("has"), pl.col("used_u_then").alias("asked")
    )
    instead = "a rack of {asked:.0f} U"
    return made + worst("rack-units", FLOOR, "units of a rack", rows, "U", "racks.height_u, racks.used_u", instead)
