"""Decisions of the power chain: PDUs, circuits and whips, busways, feeds, shelves on their busbar."""

from __future__ import annotations

from asbuilt.model.plan import Plan
from asbuilt.predict.reading import POWER, Reading, both, limit, worst


def readings(pilot: Plan, grown: Plan) -> list[Reading]:
    """What the pilot's power chain has, and what ``grown`` asks of the same parts, the worst feed lost."""
    return [
        *_feeds(pilot, grown),
        *_busways(pilot, grown),
        *_circuits(pilot, grown),
        *_pdus(pilot, grown),
        *_busbars(pilot, grown),
    ]


def _feeds(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    rows = both(pilot, grown, "feeds", "capacity_kw", "lost_kw").select(
        pl.col("feed").alias("subject"), pl.col("capacity_kw").alias("has"), pl.col("lost_kw_then").alias("asked")
    )
    instead = "feeds of {asked:,.0f} kW each, or a second pair; without it no rack may be energised past the break"
    return worst("feed-capacity", POWER, "feed capacity", rows, "kW", "feeds.capacity_kw, feeds.lost_kw", instead)


def _busways(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    held = both(
        pilot, grown, "busways", "usable_a", "rating_a", "lost_a", "length_m", "taps", "taps_full", "r_mohm_m", "drop_percent"
    )
    if held.is_empty():
        return []
    subject = pl.col("busway").alias("subject")
    current = held.select(
        subject,
        pl.col("usable_a").alias("has"),
        pl.col("lost_a_then").alias("asked"),
        (pl.col("lost_a_then") * pl.col("rating_a") / pl.col("usable_a")).alias("rating"),
    )
    made = worst(
        "busway-rating",
        POWER,
        "busway rating with a feed lost",
        current,
        "A",
        "busways.usable_a, busways.lost_a",
        "a busway rated {rating:,.0f} A or more over the whole row: it is bought once, and the row is never shut down for it",
    )
    length = held.select(subject, pl.col("length_m").alias("has"), pl.col("length_m_then").alias("asked"))
    made += worst(
        "busway-length",
        POWER,
        "busway length",
        length,
        "m",
        "busways.length_m",
        "busway over all {asked:.1f} m of the row: new racks take a tap-off box, without a shutdown of the row",
    )
    taps = held.select(
        subject, pl.col("taps_full").cast(pl.Float64).alias("has"), pl.col("taps_then").cast(pl.Float64).alias("asked")
    )
    made += worst(
        "busway-taps",
        POWER,
        "tap-off positions",
        taps,
        "",
        "busways.taps_full, busways.taps",
        "{asked:.0f} tap-off positions on each busway from the start",
    )
    allowed = limit(pilot, "PWR-026/*")
    factor = pl.col("r_mohm_m") / pl.col("r_mohm_m_then")
    drop = held.select(
        subject,
        pl.lit(allowed, pl.Float64).alias("has"),
        (pl.col("drop_percent_then") * factor).alias("asked"),
        "r_mohm_m_then",
    )
    source = "expectations PWR-026, busways.drop_percent x the pilot's resistance over the larger busway's"
    instead = "a busway of {r_mohm_m_then:.3g} mΩ/m, or one fed in the middle (half the way, a quarter of the drop)"
    return [*made, *worst("busway-drop", POWER, "busway voltage drop", drop, "%", source, instead)]


def _circuits(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    held = both(pilot, grown, "circuits", "usable_a", "lost_a", "breaker_a")
    rows = held.select(
        pl.col("circuit").alias("subject"), pl.col("usable_a").alias("has"), pl.col("lost_a_then").alias("asked")
    )
    instead = "circuits whose breaker carries {asked:.1f} A continuously: the whips stay"
    made = worst(
        "circuit-rating", POWER, "circuit and whip with a feed lost", rows, "A", "circuits.usable_a, circuits.lost_a", instead
    )
    count = pl.len().cast(pl.Float64)
    now = pilot.table("circuits").group_by("rack").agg(count.alias("has"))
    then = grown.table("circuits").group_by("rack").agg(count.alias("asked"))
    per_rack = now.join(then, on="rack").rename({"rack": "subject"})
    instead = "{asked:.0f} whips to this position from the start: no new circuit in a row that runs"
    source = "circuits by rack"
    return [*made, *worst("circuits-per-rack", POWER, "circuits of a rack position", per_rack, "circuits", source, instead)]


def _pdus(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    loads = grown.table("conductor_loads").filter(~pl.col("case").str.starts_with("full"))
    most = loads.group_by("subject", "kind").agg(pl.col("load_a").max().alias("asked"))
    pdus = pilot.table("pdus")
    current = pdus.select(pl.col("pdu").alias("subject"), pl.col("usable_a").alias("has")).join(
        most.filter(pl.col("kind") == "pdu"), on="subject"
    )
    made = worst(
        "pdu-rating",
        POWER,
        "PDU rating with a feed lost",
        current,
        "A",
        "pdus.usable_a, conductor_loads",
        "PDUs of {asked:.1f} A continuous in this rack, or its share of switches in a second network rack",
    )
    banks = pilot.table("conductor_loads").filter(pl.col("kind") == "bank")
    has = banks.group_by("subject").agg(pl.col("limit_a").max().alias("has"))
    instead = "PDUs with more banks, or cords dealt over the banks for {asked:.1f} A"
    made += worst("pdu-bank", POWER, "PDU bank", has.join(most, on="subject"), "A", "conductor_loads of the banks", instead)
    used = grown.table("cords").group_by("pdu", "outlet_type").agg(pl.len().cast(pl.Float64).alias("asked"))
    outlets = pdus.select("pdu", pl.col("outlets_c13").alias("C13"), pl.col("outlets_c19").alias("C19")).unpivot(
        index="pdu", variable_name="outlet_type", value_name="has"
    )
    rows = outlets.join(used, on=["pdu", "outlet_type"]).select(
        (pl.col("pdu") + " " + pl.col("outlet_type")).alias("subject"), pl.col("has").cast(pl.Float64), "asked"
    )
    instead = "PDUs with {asked:.0f} outlets of this kind"
    return [
        *made,
        *worst("pdu-outlets", POWER, "PDU outlets", rows, "outlets", "pdus.outlets_c13, outlets_c19, cords", instead),
    ]


def _busbars(pilot: Plan, grown: Plan) -> list[Reading]:
    """The fullest section of each busbar. Where neighbouring shelves are on different feeds already, only less load helps."""
    import polars as pl

    held = both(pilot, grown, "busbars", "rating_a", "lost_a")
    per_rack = held.join(pilot.table("busbars").select("section", "rack"), on="section").sort("section")
    rows = per_rack.group_by("rack").agg(pl.col("rating_a").min().alias("has"), pl.col("lost_a_then").max().alias("asked"))
    shelves = pilot.table("shelves").sort("rack", "number")
    mixed = pl.col("feed") != pl.col("feed").shift(1).over("rack")
    ordered = (
        shelves.with_columns(mixed.fill_null(True).alias("mixed"))
        .group_by("rack")
        .agg(pl.col("mixed").all(), pl.col("nominal_w").sum().alias("draw_w"))
    )
    rows = rows.join(ordered, on="rack", how="left").rename({"rack": "subject"}).sort("subject")
    source = "busbars.rating_a, busbars.lost_a"
    turned = (
        "shelves on alternating feeds from bottom to top (power.shelf_feeds: [A, B, A, B, ...]): "
        "{asked:,.0f} A now cross one section, and every further rack is wired the same way"
    )
    capped = "a cap of {cap_w:,.0f} W a rack (node.power_cap_w): {asked:,.0f} A cross one section when a shelf or feed is lost"
    cap = (pl.col("draw_w") * pl.col("has") / pl.col("asked")).floor().alias("cap_w")
    runs, alternate = rows.filter(~pl.col("mixed")), rows.filter(pl.col("mixed")).with_columns(cap)
    return [
        *worst("shelf-feeds", POWER, "feeds of the power shelves", runs, "A", source, turned),
        *worst("busbar-load", POWER, "load of a rack's busbar", alternate, "A", source, capped),
    ]
