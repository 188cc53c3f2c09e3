"""Decisions of the cable plant: tray fill, trunks between racks, panel positions, cables that become trunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan
from asbuilt.predict.reading import FIBRE, Reading, both, counted, limit, worst

if TYPE_CHECKING:
    import polars as pl


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
    rows = _by_rack(pilot, grown, _ends)
    instead = "{asked:.0f} trunks to this rack in one pull, or empty ways for them: later ones are pulled over loaded trays"
    made = worst("trunk-count", FIBRE, "trunks to a rack", rows, "trunks", "bundles.trunks, bundles.spares", instead)
    old = pilot.table("trunks").select("trunk", "a_panel", "a_position", "b_panel", "b_position")
    new = grown.table("trunks").select(old.columns)
    moved = old.join(new, on=old.columns, how="anti")["trunk"]
    words = "network racks at the positions that the finished row gives them (state growth.gpus), and their panels with them"
    return made + counted("trunk-ends", FIBRE, "panel positions of the trunks", moved, old.height, "trunks", "trunks", words)


def _panels(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    def positions(column: str) -> Callable[[Plan], pl.DataFrame]:
        return lambda plan: plan.table("panels").group_by("rack").agg(pl.col(column).sum().cast(pl.Float64).alias("n"))

    rows = _by_rack(pilot, grown, positions("positions"), positions("used"))
    instead = "panels of {asked:.0f} positions in this rack, or their units kept free now"
    source = "panels.positions, panels.used"
    return worst("panel-positions", FIBRE, "panel positions of a rack", rows, "positions", source, instead)


def _ends(plan: Plan) -> pl.DataFrame:
    """Trunks that end in each rack, spares among them: ``rack, n``."""
    import polars as pl

    count = (pl.col("trunks") + pl.col("spares")).cast(pl.Float64).alias("n")
    sides = [plan.table("bundles").select(pl.col(f"{end}_rack").alias("rack"), count) for end in ("a", "b")]
    return pl.concat(sides).group_by("rack").agg(pl.col("n").sum())


def _by_rack(
    pilot: Plan,
    grown: Plan,
    has: Callable[[Plan], pl.DataFrame],
    asked: Callable[[Plan], pl.DataFrame] | None = None,
) -> pl.DataFrame:
    """``subject, has, asked`` of the racks that the pilot has and the larger plan asks something of; nothing there is 0."""
    import polars as pl

    racks = pilot.table("racks").select("rack")
    then = (asked or has)(grown).rename({"n": "asked"})
    held = racks.join(then, on="rack").join(has(pilot).rename({"n": "has"}), on="rack", how="left")
    return held.select(pl.col("rack").alias("subject"), pl.col("has").fill_null(0.0), "asked")


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
