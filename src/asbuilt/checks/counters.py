"""Error counters as differences over a window whose length and load the readings themselves prove.

Totals say nothing: they are as old as the last clear, and a counter may have been reset or have stuck. Two readings of one
port, with their times, give a window; what its data counters moved in between says how much traffic the window saw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.base.poisson import upper_bound
from asbuilt.checks.answers import EVIDENCE, kept, plan_and, shortly, threshold
from asbuilt.checks.lanes import asked, planned_ports
from asbuilt.checks.registry import check
from asbuilt.model.counters import DATA_UNIT_BITS, GIGA, PER_S, STICKS_AT
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

if TYPE_CHECKING:
    import polars as pl

_DATA = ("PortXmitData", "PortRcvData")
_NEEDS, _FACTS = ("lids", "links", "expectations"), ("counters_measured",)


def _windows(facts: Facts, counter: str) -> pl.DataFrame:
    """port, number, delta, seconds, readings, back (it went backwards), stuck; of the ports with readings of ``counter``."""
    import polars as pl

    rows = facts.tables["counters_measured"].filter(pl.col("counter") == counter)
    rows = rows.unique(["port", "number", "at_s"], keep="last", maintain_order=True).sort(
        "at_s", nulls_last=True, maintain_order=True
    )
    timed = pl.col("at_s").is_not_null()
    value = pl.col("value").filter(timed)
    top = STICKS_AT.get(counter)
    return rows.group_by("port", "number", maintain_order=True).agg(
        (value.last() - value.first()).alias("delta"),
        (pl.col("at_s").max() - pl.col("at_s").min()).alias("seconds"),
        timed.sum().alias("readings"),
        (value.diff() < 0).any().alias("back"),
        (value == top).any().alias("stuck"),
        *(pl.col(c).last() for c in EVIDENCE),
    )


@kept(plan_and("counters_measured"))
def _moved(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned port with its rate and what it ``moved``: data, in units of the counters."""
    import polars as pl

    ports = asked(planned_ports(plan), facts.tables["counters_measured"])
    links = facts.tables["counters_measured"].select("port", "number", "link").unique(["port", "number"])
    rates = plan.links.select("link", "rate_gbps")
    frame = ports.join(links, on=["port", "number"], how="left", maintain_order="left")
    frame = frame.join(rates, on="link", how="left", maintain_order="left")
    moved = pl.lit(0.0)
    for name in _DATA:
        part = _windows(facts, name).select(
            "port", "number", pl.when(~pl.col("back") & ~pl.col("stuck")).then("delta").alias(name)
        )
        frame = frame.join(part, on=["port", "number"], how="left", maintain_order="left")
        moved = pl.max_horizontal(moved, pl.col(name).fill_null(0.0))
    return frame.with_columns(moved.alias("moved"))


def _frame(plan: Plan, facts: Facts, counter: str) -> pl.DataFrame:
    """Every planned port with its window of ``counter``, its rate, the share of it that moved, and why it tells nothing."""
    import polars as pl

    frame = _moved(plan, facts).join(_windows(facts, counter), on=["port", "number"], how="left", maintain_order="left")
    bits = pl.col("rate_gbps") * GIGA * pl.col("seconds")
    open_ = (
        pl.when(pl.col("readings").is_null()).then(pl.lit(f"{counter} was not read"))
        .when(pl.col("readings") < 2).then(pl.lit("one reading with its time, a window takes two"))
        .when(pl.col("seconds") <= 0).then(pl.lit("both readings have one time"))
        .when(pl.col("stuck")).then(pl.lit("the counter stands at its highest value: clear it and read again"))
        .when(pl.col("back")).then(pl.lit("the counter went backwards: it was cleared, or the device restarted"))
    )  # fmt: skip
    return frame.with_columns(bits.alias("bits"), (pl.col("moved") * DATA_UNIT_BITS / bits).alias("load"), open_.alias("open"))


def _loaded(frame: pl.DataFrame, limit: dict[str, Any] | None) -> pl.DataFrame:
    """``frame`` with a window that saw no traffic left open, too: no error in it proves nothing."""
    import polars as pl

    least = limit["limit"] if limit else None
    idle = pl.when(pl.col("load").is_null() | (pl.col("load") < least)).then(
        pl.format("no load in the window: {} of the rate moved", shortly(pl.col("load").fill_null(0.0)))
    )
    return frame.with_columns(pl.coalesce("open", idle).alias("open_idle"))


def _answer(frame: pl.DataFrame, ok: pl.Expr, expected: str, found: pl.Expr) -> pl.DataFrame:
    """Verdict rows with words on all of them: what a window supports is worth knowing where it passes, too."""
    import polars as pl

    verdict = pl.when(ok.is_null()).then(pl.lit("not_measured")).when(ok).then(pl.lit("pass")).otherwise(pl.lit("fail"))
    return frame.select(
        pl.col("subject"), verdict.alias("verdict"), pl.lit(expected).alias("expected"), found.alias("found"), *EVIDENCE
    ).sort("subject")


@check("FAB-031", layer=Layer.FABRIC, needs=_NEEDS, facts=_FACTS, since="0.1")
def symbol_errors_stay_below_the_limit(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Over a window under load, no port counts more symbol errors than the limit of the bit error ratio allows.

    Why: a link that loses symbols replays packets, and one slow member holds up every collective; a clean short window
    supports little: no error in t seconds at rate R means a ratio of at most 3/(R t) at 95 %, not none.
    Measured by: perfquery of each port twice, with the times, under load (at 400 Gb/s 750 s apart for 1e-14).
    Repair: clean and inspect both ends, swap the cable, then the transceiver; one at a time, with a window between.
    Source: limit: the plan's expectation FAB-031; bound: half the chi-squared quantile of 2k+2 degrees of freedom over R t.
    Symbol errors are counted behind the correction, per code word: errors/(R t) is UFM's convention, not physics.
    """
    import polars as pl

    limit, load, sure = (threshold(plan, "FAB-031", selector) for selector in ("*", "load", "confidence"))
    if not limit or not sure:
        return pl.DataFrame({"subject": ["plan"], "verdict": ["not_applicable"], "found": ["no limit in the plan"]})
    frame = _loaded(_frame(plan, facts, "SymbolErrorCounter"), load)
    confidence, most = sure["limit"], limit["limit"]
    assert isinstance(confidence, float) and isinstance(most, float)
    kinds = frame.select("delta").drop_nulls().unique().filter(pl.col("delta") >= 0)
    bounds = pl.Series("events", [upper_bound(int(k), confidence) for k in kinds["delta"].to_list()], dtype=pl.Float64)
    frame = frame.join(kinds.with_columns(bounds), on="delta", how="left", maintain_order="left")
    ratio, bound = pl.col("delta") / pl.col("bits"), pl.col("events") / pl.col("bits")
    # More than the limit is a failure whatever the load; to pass, the window must be long and loaded enough to say so.
    ok = (
        pl.when(pl.col("open").is_not_null()).then(None)
        .when(ratio > most).then(False)
        .when(pl.col("open_idle").is_not_null() | pl.col("rate_gbps").is_null()).then(None)
        .when(bound <= most).then(True)
    )  # fmt: skip
    window = pl.format(
        "{} symbol errors in {} s at {} Gb/s, {} of it loaded: at most {} per bit at {}",
        pl.col("delta").cast(pl.Int64), pl.col("seconds").round(1), pl.col("rate_gbps").round(1), shortly(pl.col("load")),
        shortly(bound), pl.lit(str(confidence)),
    )  # fmt: skip
    short = pl.when(pl.col("open_idle").is_null() & (ratio <= most) & (bound > most)).then(
        pl.format("the window is too short: {}", window)
    )
    return _answer(
        frame, ok, f"at most {most:g} errors per bit", pl.coalesce(short, "open_idle", window, pl.lit("no rate in the plan"))
    )


def _rate(plan: Plan, facts: Facts, check_id: str, counter: str) -> pl.DataFrame:
    """A counter whose rise over time has a limit; without load a window without a rise proves nothing."""
    import polars as pl

    limit = threshold(plan, check_id)
    if not limit or not isinstance(limit["limit"], float):
        return pl.DataFrame({"subject": ["plan"], "verdict": ["not_applicable"], "found": ["no limit in the plan"]})
    frame = _loaded(_frame(plan, facts, counter), threshold(plan, "FAB-031", "load"))
    unit = str(limit["unit"])
    rate = pl.col("delta") / pl.col("seconds") * PER_S[unit]
    ok = (
        pl.when(pl.col("open").is_not_null()).then(None)
        .when(rate > limit["limit"]).then(False)
        .when(pl.col("open_idle").is_not_null()).then(None)
        .otherwise(True)
    )  # fmt: skip
    said = pl.format(
        "{} in {} s: {} {}", pl.col("delta").cast(pl.Int64), pl.col("seconds").round(1), shortly(rate), pl.lit(unit)
    )
    open_ = pl.when(rate > limit["limit"]).then("open").otherwise("open_idle")
    return _answer(frame, ok, f"at most {limit['value']} {unit}", pl.coalesce(open_, said))


@check("FAB-032", layer=Layer.FABRIC, needs=_NEEDS, facts=_FACTS, since="0.1")
def links_do_not_flap(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Within the window no port's link went down.

    Why: a link that flaps aborts every job that crosses it, and comes back before anybody looks.
    Measured by: perfquery of each port twice, with the times (LinkDownedCounter).
    Repair: see whether a restart explains it; else reseat, then swap the cable.
    Source: the plan's expectation FAB-032. A total counts restarts of hosts too: only the difference is judged.
    """
    import polars as pl

    limit = threshold(plan, "FAB-032")
    if not limit:
        return pl.DataFrame({"subject": ["plan"], "verdict": ["not_applicable"], "found": ["no limit in the plan"]})
    frame = _frame(plan, facts, "LinkDownedCounter")
    ok = pl.when(pl.col("open").is_null()).then(pl.col("delta") <= pl.lit(limit["limit"]))
    said = pl.format("went down {} times in {} s", pl.col("delta").cast(pl.Int64), pl.col("seconds").round(1))
    return _answer(frame, ok, "no time down within the window", pl.coalesce("open", said))


@check("FAB-033", layer=Layer.FABRIC, needs=_NEEDS, facts=_FACTS, since="0.1")
def links_do_not_retrain(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Over a window under load no port recovers its link more often than the limit.

    Why: each recovery stops the link for a moment; many of them are a cable on its way out.
    Measured by: perfquery of each port twice, with the times, under load (LinkErrorRecoveryCounter).
    Repair: clean and reseat both ends, then swap the cable.
    Source: the plan's expectation FAB-033.
    """
    return _rate(plan, facts, "FAB-033", "LinkErrorRecoveryCounter")


@check("FAB-034", layer=Layer.FABRIC, needs=_NEEDS, facts=_FACTS, since="0.1")
def ports_receive_cleanly(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Over a window under load no port receives broken packets faster than the limit.

    Why: a packet received with errors is dropped and sent again by the application's transport, at a cost to all.
    Measured by: perfquery of each port twice, with the times, under load (PortRcvErrors).
    Repair: read the details (perfquery -E); clean both ends, swap the cable, look at the far port.
    Source: the plan's expectation FAB-034.
    """
    return _rate(plan, facts, "FAB-034", "PortRcvErrors")


@check("FAB-035", layer=Layer.FABRIC, needs=_NEEDS, facts=_FACTS, since="0.1")
def ports_do_not_discard(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Over a window under load no port discards packets faster than the limit.

    Why: discards stand for a dead or congested way behind the port: a receiver that does not drain, or a route to nowhere.
    Measured by: perfquery of each port twice, with the times, under load (PortXmitDiscards).
    Repair: look at routes and at the receivers behind this port.
    Source: the plan's expectation FAB-035.
    """
    return _rate(plan, facts, "FAB-035", "PortXmitDiscards")
