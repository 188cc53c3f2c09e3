"""What NICs counted on the lossless priority: discards, and pauses that do not end."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, nothing, threshold, untold
from asbuilt.checks.registry import check
from asbuilt.checks.roce_hops import hops, resolved
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

_PLAN = ("roce_ports", "roce_classes", "expectations")
_NONE = "no plane carries RDMA over Ethernet"
_SEEN = ("capture_id", "line")
#: Names of the mlx5 driver; ``#`` stands for the lossless priority.
DISCARDS = "rx_prio#_discards"
LOAD = ("rx_prio#_packets", "tx_prio#_packets")
STORMS = "tx_pause_storm_error_events"
PAUSED = "rx_prio#_pause_duration"


def counted(plan: Plan, facts: Facts, names: tuple[str, ...]) -> pl.DataFrame:
    """Host ports with, for each of ``names`` (column 0, 1, ...): what was counted between the first and the last reading of
    the port, or since the counter began where it was read once; null where it is not known or ran backwards. And ``seconds``
    between these readings (null for one), their number, capture_id and line of the last."""
    ports = hops(plan).filter(pl.col("role") == "host")
    rows = facts.tables["counter_facts"].rename({"device": "interface"}).filter(pl.col("host").is_not_null())
    rows = resolved(plan, rows.rename({"host": "device"}))
    at = pl.col("time").str.to_datetime(strict=False, time_zone="UTC")
    rows = rows.with_columns(at.alias("at")).sort("at", nulls_last=False, maintain_order=True)
    out = ports
    for number, name in enumerate(names):
        wanted = ports.select(
            "device", "interface", counter=pl.lit(name).str.replace("#", pl.col("roce_priority").cast(pl.String))
        )
        mine = rows.join(wanted, on=["device", "interface", "counter"], how="semi", maintain_order="left")
        first, last = pl.col("value").first(), pl.col("value").last()
        grown = pl.when(pl.len() == 1).then(last).when(last >= first).then(last - first)
        seconds = (pl.col("at").last() - pl.col("at").first()).dt.total_seconds()
        found = mine.group_by("device", "interface", maintain_order=True).agg(
            grown.alias(str(number)),
            pl.when(pl.len() > 1).then(seconds).alias(f"{number}_seconds"),
            pl.len().alias(f"{number}_readings"),
            *(pl.col(c).last().alias(f"{number}_{c}") for c in _SEEN),
        )
        out = out.join(found, on=["device", "interface"], how="left", maintain_order="left")
    every = range(len(names))
    return out.with_columns(
        pl.max_horizontal(f"{n}_seconds" for n in every).alias("seconds"),
        pl.max_horizontal(f"{n}_readings" for n in every).alias("readings"),
        *(pl.coalesce(*(f"{n}_{c}" for n in every)).alias(c) for c in _SEEN),
    )


def _asked(facts: Facts) -> bool:
    """True when some capture holds counters of a NIC driver: others (perfquery) tell nothing of priorities."""
    if not facts.has("counter_facts"):
        return False
    names = facts.tables["counter_facts"]["counter"]
    return bool(names.str.contains(r"^[rt]x_").any())


def _window() -> pl.Expr:
    known = pl.format("in {}", amount(pl.col("seconds"), "s"))
    since = pl.when(pl.col("readings") > 1).then(pl.lit("between two readings")).otherwise(pl.lit("since the counter began"))
    return pl.when(pl.col("seconds") > 0).then(known).otherwise(since)


@check("NET-009", layer=Layer.FABRIC, severity=Severity.BLOCKER, needs=_PLAN, since="0.1")
def nothing_is_discarded_on_the_lossless_priority(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No host port drops frames of the lossless priority.

    Why: RDMA takes a lost frame for a fault and sends everything behind it again: one drop in a million halves the rate.
    Measured by: ethtool -S, rx_prio<n>_discards, under load: without frames counted on the priority nothing is measured.
    Repair: look for the hop that does not pause (NET-001), or whose headroom is too small (NET-008).
    Source: IEEE 802.1Qbb; the kernel's documentation of mlx5 ethtool counters.
    """
    limit = threshold(plan, "NET-009", "discards")
    if limit is None or plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not _asked(facts):
        return untold("counters of a NIC driver")
    rows = counted(plan, facts, (DISCARDS, *LOAD))
    lost = pl.col("0")
    load = pl.sum_horizontal("1", "2") > 0
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when(lost > pl.lit(limit["limit"])).then(False).when(load).then(lost <= pl.lit(limit["limit"])),
        expected=pl.format("no frame of priority {} discarded under load", "roce_priority"),
        found=pl.format(
            "{} {}{}", amount(lost, "discarded"), _window(), pl.when(load).then(pl.lit("")).otherwise(pl.lit(", no load"))
        ),
        evidence=_SEEN,
    )


@check("NET-010", layer=Layer.FABRIC, needs=_PLAN, since="0.1")
def pauses_end(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No host port stands in pause, or makes others stand.

    Why: a NIC that pauses without end stops its leaf port, the leaf pauses its spines, and soon the whole fabric stands.
    Measured by: ethtool -S twice: tx_pause_storm_error_events, and rx_prio<n>_pause_duration (microseconds) over the time
        between the readings.
    Repair: find the slow receiver (a stalled host, a PCIe slot at half its width) and take it out; then look for the
        switch port that pauses longest.
    Source: the kernel's documentation of mlx5 ethtool counters; limits of the plan's expectations.
    """
    storms, share = threshold(plan, "NET-010", "storms"), threshold(plan, "NET-010", "paused")
    if storms is None or share is None or plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not _asked(facts):
        return untold("counters of a NIC driver")
    rows = counted(plan, facts, (STORMS, PAUSED))
    part = pl.when(pl.col("seconds") > 0).then(pl.col("1") / pl.duration(seconds=pl.col("seconds")).dt.total_microseconds())
    stormy = pl.col("0") > pl.lit(storms["limit"])
    return judge(
        rows.with_columns(part.alias("part")),
        subject=pl.col("subject"),
        ok=pl.when(stormy).then(False).otherwise((pl.col("part") <= pl.lit(share["limit"])) & ~stormy),
        expected=pl.format("no pause storm, at most {} of the time in pause", amount(pl.lit(share["limit"]))),
        found=pl.format(
            "{} {}, {} of the time in pause", amount(pl.col("0"), "pause storms"), _window(), amount(pl.col("part"))
        ),
        evidence=_SEEN,
    )
