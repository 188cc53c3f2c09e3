"""Decisions of the cable plant: tray fill, trunks between racks, panel positions, cables that become trunks."""

from __future__ import annotations

from asbuilt.model.plan import Plan
from asbuilt.predict.reading import FIBRE, Reading, both, counted, limit, worst


def readings(pilot: Plan, grown: Plan) -> list[Reading]:
    """What the pilot's trays, trunks and panels hold, and what ``grown`` asks of the same."""
    return [*_trays(pilot, grown), *_trunks(pilot, grown), *_panels(pilot, grown), *_direct(pilot, grown)]


def _trays(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    allowed = limit(pilot, "CAB-020/*")
    held = both(pilot, grown, "trays", "fill_now_percent", "width_mm", "depth_mm", "cables_now")
    area = pl.col("width_mm") * pl.col("depth_mm")
    then = pl.col("width_mm_then") * pl.col("depth_mm_then")
    rows = held.select(
        pl.col("tray").alias("subject"),
        pl.lit(allowed, pl.Float64).alias("has"),
        (pl.col("fill_now_percent_then") * then / area).alias("asked"),
        "width_mm",
        (pl.col("fill_now_percent_then") * then / pl.col("depth_mm") / (allowed or 1.0)).alias("wide"),
    )
    instead = "trays {wide:,.0f} mm wide of the same depth in place of {width_mm:,.0f} mm"
    source = "expectations CAB-020, trays.fill_now_percent over the pilot's cross-section"
    return worst("tray-fill", FIBRE, "tray fill", rows, "%", source, instead)


def _trunks(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    held = both(pilot, grown, "bundles", "trunks", "spares")
    rows = held.select(
        pl.col("bundle").alias("subject"),
        (pl.col("trunks") + pl.col("spares")).cast(pl.Float64).alias("has"),
        (pl.col("trunks_then") + pl.col("spares_then")).cast(pl.Float64).alias("asked"),
    )
    instead = "{asked:.0f} trunks on this way in one pull: later ones are pulled over loaded trays"
    made = worst("trunk-count", FIBRE, "trunks between two racks", rows, "trunks", "bundles.trunks, bundles.spares", instead)
    old = pilot.table("trunks").select("trunk", "a_panel", "a_position", "b_panel", "b_position")
    new = grown.table("trunks").select(old.columns)
    moved = old.join(new, on=old.columns, how="anti")["trunk"]
    words = "network racks at the positions that the finished row gives them (state growth.gpus), and their panels with them"
    return made + counted("trunk-ends", FIBRE, "panel positions of the trunks", moved, old.height, "trunks", "trunks", words)


def _panels(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    held = both(pilot, grown, "panels", "positions", "used")
    rows = held.select(
        pl.col("panel").alias("subject"),
        pl.col("positions").cast(pl.Float64).alias("has"),
        pl.col("used_then").cast(pl.Float64).alias("asked"),
    )
    instead = "a second panel beside it, its units kept free now"
    return worst("panel-positions", FIBRE, "panel positions", rows, "positions", "panels.positions, panels.used", instead)


def _direct(pilot: Plan, grown: Plan) -> list[Reading]:
    """Links that are one jumper now and run over a trunk then: the jumper is pulled out."""
    import polars as pl

    direct = pilot.table("channels").filter(pl.col("trunk").is_null()).select("jumper")
    over = grown.table("channels").filter(pl.col("trunk").is_not_null()).select("jumper")
    moved = direct.join(over, on="jumper", how="semi")["jumper"]
    words = f"panels and trunks for these {moved.len():,} links from the start, with short cords at both ends"
    return counted(
        "direct-to-trunk", FIBRE, "jumpers from end to end", moved, direct.height, "jumpers", "channels.trunk", words
    )
