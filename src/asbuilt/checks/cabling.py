"""Cabling as measured: links end where planned, links are there, nothing is plugged in beside the plan, rates are reached.

The checks judge the table ``cabling`` (each planned link beside what was measured at its reference port), which the
compare makes from the plan and the discovery facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl


def _answer(facts: Facts, verdict: pl.Expr) -> pl.DataFrame:
    import polars as pl

    return (
        facts.tables["cabling"]
        .select(pl.col("link").alias("subject"), verdict.alias("verdict"), "expected", "found", "capture_id", "line")
        .filter(pl.col("verdict").is_not_null())
    )


def _words(**verdicts: str) -> pl.Expr:
    import polars as pl

    return pl.col("status").replace_strict(verdicts, return_dtype=pl.String, default=None)


@check("FAB-001", layer=Layer.FABRIC, needs=("links",), facts=("cabling",), since="0.1")
def links_end_where_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned link ends in the port that the plan names.

    Why: on a rail-optimised fabric a swapped pair still links up and still pings, but one GPU's traffic crosses the spine.
    Measured by: ibnetdiscover, or the neighbour tables of Ethernet switches.
    Repair: move the cable ends named in the finding, then capture again.
    Source: plan table `links`; a link is keyed by its reference end, the switch port of a host link.
    """
    said = {"ok": "pass", "wrong": "fail", "not_measured": "not_measured", "out_of_scope": "not_applicable"}
    return _answer(facts, _words(**said, missing="not_applicable"))


@check("FAB-002", layer=Layer.FABRIC, needs=("links",), facts=("cabling",), since="0.1")
def links_are_there(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned link is up.

    Why: a port that is down is a GPU without its rail, or a spine that carries less than it was bought for.
    Measured by: ibnetdiscover, or the neighbour tables of Ethernet switches.
    Repair: look at both ends: power, transceiver, cable, link layer of the port; then capture again.
    Source: plan table `links`.
    """
    said = {"ok": "pass", "wrong": "pass", "not_measured": "not_measured", "out_of_scope": "not_applicable"}
    return _answer(facts, _words(**said, missing="fail"))


@check("FAB-003", layer=Layer.FABRIC, severity=Severity.MINOR, needs=("links",), facts=("cabling",), since="0.1")
def no_link_beside_the_plan(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No link of a planned class sits on a port that the plan leaves free.

    Why: what nobody planned takes ports that growth needs, and may join networks that should be apart.
    Measured by: ibnetdiscover, or the neighbour tables of Ethernet switches.
    Repair: put the link into the plan, or take the cable out.
    Source: plan table `links`; classes are host to switch and switch to switch, judged when the plan has a row of it.
    """
    import polars as pl

    table = facts.tables.get("unplanned_links")
    if table is None or not table.height:
        return pl.DataFrame({"subject": ["plan"], "verdict": ["pass"], "found": ["nothing beside the plan"]})
    expected = pl.lit("no link on this port").alias("expected")
    return table.select(
        pl.col("link").alias("subject"), pl.lit("fail").alias("verdict"), expected, "found", "capture_id", "line"
    )


@check("FAB-004", layer=Layer.FABRIC, needs=("links",), facts=("cabling",), since="0.1")
def links_reach_their_rate(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned link that is right runs at its planned rate or above.

    Why: a link that trained down (fewer lanes, an older speed) slows every collective that crosses it and alarms nobody.
    Measured by: ibnetdiscover (width and speed words). Neighbour tables carry no rate: not applicable there.
    Repair: reseat and clean both ends, swap the cable; check that both ends are parts of the planned generation.
    Source: plan column `links.rate_gbps`; lane rates of the IBTA link speeds.
    """
    import polars as pl

    planned, found = pl.col("rate_gbps"), pl.col("found_gbps")
    speaks = pl.col("found_speed").is_not_null().any().over("capture_id")
    verdict = (
        pl.when((pl.col("status") != "ok") | planned.is_null() | ~speaks)
        .then(pl.lit("not_applicable"))
        .when(found.is_null())
        .then(pl.lit("not_measured"))
        .when(found < planned)
        .then(pl.lit("fail"))
        .otherwise(pl.lit("pass"))
    )
    rows = facts.tables["cabling"].with_columns(verdict.alias("verdict"))
    told = pl.col("verdict").is_in(["fail", "not_measured"])
    lanes, rate = pl.col("found_lanes").cast(pl.String).fill_null("?"), found.round(1).cast(pl.String).fill_null("unknown")
    columns = [pl.col("link").alias("subject"), pl.col("verdict"), pl.col("capture_id"), pl.col("line")]
    said = rows.filter(told).select(
        *columns,
        pl.format("{} Gb/s", planned.round(1)).alias("expected"),
        pl.format("{} Gb/s ({}x{})", rate, lanes, pl.col("found_speed").fill_null("?")).alias("found"),
    )
    return pl.concat([rows.filter(~told).select(columns), said], how="diagonal")
