"""Ports of an InfiniBand subnet as both sides see them: up, InfiniBand, on all lanes, at speed, with the planned MTU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, kept, plan_and, threshold, untold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.link_speeds import LANE_GBPS
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

if TYPE_CHECKING:
    import polars as pl

_UP = ("active", "armed", "init")


def _links(plan: Plan, seen: pl.Series) -> pl.DataFrame:
    """link, rate_gbps, subnet of the planned links of InfiniBand subnets; of those between switches when any was ``seen``.

    Where NIC ports alone were asked, nothing was asked about the links between switches.
    """
    import polars as pl

    switches = plan.table("lids").filter(pl.col("nic").is_null() & (pl.col("role") != "aggregation"))
    subnets = switches.select(pl.col("device").alias("a_device"), "subnet").unique("a_device")
    links = plan.links.join(subnets, on="a_device", how="inner", maintain_order="left")
    between = links.filter(pl.col("b_nic").is_null())["link"]
    if not between.is_in(seen.implode()).any():
        links = links.filter(pl.col("b_nic").is_not_null())
    return links.select("link", "rate_gbps", "subnet")


def _reports(facts: Facts) -> pl.DataFrame:
    """link, state, phys_state, side, capture_id, line: what either side says of a planned link."""
    import polars as pl

    parts = []
    for table, side in (("ports_measured", "the fabric"), ("hcas_measured", "its host")):
        if table in facts.tables:
            rows = facts.tables[table].filter(pl.col("link").is_not_null() & pl.col("state").is_not_null())
            if table == "hcas_measured":
                rows = rows.filter((pl.col("link_layer") != "ethernet").fill_null(True))
            parts.append(rows.select("link", "state", "phys_state", pl.lit(side).alias("side"), *EVIDENCE))
    return pl.concat(parts) if parts else pl.DataFrame(schema={"link": pl.String, "state": pl.String})


@check("FAB-005", layer=Layer.FABRIC, needs=("links", "lids"), since="0.1")
def ports_are_active(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port of a planned link is in the logical state Active, whichever side is asked.

    Why: a port that is Down, Polling or Initializing carries nothing; a port in Armed waits for its far side.
    Measured by: iblinkinfo, smpquery portinfo, ibstat.
    Repair: Down and Polling: look at both ends of the cable; Disabled: enable the port; Initializing: see the subnet manager.
    Source: IBTA Architecture Specification vol. 1, 7.2.7: port states.
    """
    import polars as pl

    reports = _reports(facts)
    if reports.is_empty():
        return untold("the state of a planned port")
    links = _links(plan, reports["link"])
    if "ports_measured" not in facts.tables:  # hosts speak for themselves alone
        links = links.join(reports.select("link"), on="link", how="semi")
    rows = reports.with_columns((pl.col("state") == "active").alias("ok")).sort("ok", maintain_order=True)
    worst = rows.unique("link", keep="first", maintain_order=True)
    physical = pl.when(pl.col("phys_state").is_not_null()).then(pl.format("/{}", "phys_state")).otherwise(pl.lit(""))
    return judge(
        links.join(worst, on="link", how="left", maintain_order="left"),
        subject=pl.col("link"),
        ok=pl.col("ok"),
        expected=pl.lit("active"),
        found=pl.format("{}{}", pl.col("state").fill_null("unread"), physical),
        evidence=EVIDENCE,
    )


@check("FAB-006", layer=Layer.FABRIC, needs=("lids",), facts=("hcas_measured",), since="0.1")
def nics_run_infiniband(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every NIC port of an InfiniBand subnet runs the InfiniBand link layer.

    Why: a port set to Ethernet is absent from every InfiniBand discovery, as if its cable were out; only its host can tell.
    Measured by: ibstat or ibstatus of the host (Link layer).
    Repair: `mlxconfig -d DEVICE set LINK_TYPE_P1=1`, then reset the card or restart the host; capture again.
    Source: plan table `lids`; NVIDIA mlxconfig: LINK_TYPE_P1 is IB(1) or ETH(2).
    """
    import polars as pl

    rows = facts.tables["hcas_measured"].join(
        plan.table("lids").filter(pl.col("nic").is_not_null()).select("port"), on="port", how="semi"
    )
    rows = rows.with_columns((pl.col("link_layer") == "infiniband").alias("ok")).sort(
        "ok", nulls_last=True, maintain_order=True
    )
    return judge(
        rows.unique("port", keep="first", maintain_order=True),
        subject=pl.col("port"),
        ok=pl.col("ok"),
        expected=pl.lit("link layer InfiniBand"),
        found=pl.format("link layer {}", pl.col("link_layer").str.to_titlecase()),
        evidence=EVIDENCE,
    )


@kept(plan_and("ports_measured"))
def _rates(plan: Plan, facts: Facts) -> pl.DataFrame | None:
    """Planned links with what they run at and could run at; the slowest report of each. None when no report has a width.

    A port that names no width beyond the standard lanes could run no wider: simulators print "Could be 12X" on every link.
    """
    import polars as pl

    rows = facts.tables["ports_measured"]
    up = pl.col("state").is_in(list(_UP)).fill_null(True)
    dark = rows.filter(~up & pl.col("link").is_not_null())["link"]  # what is down has no rate
    rows = rows.filter(pl.col("link").is_not_null() & pl.col("width").is_not_null() & pl.col("speed").is_not_null() & up)
    if rows.is_empty():
        return None
    limit = threshold(plan, "FAB-007") if plan.has("expectations") else None
    lanes = pl.lit(limit["limit"] if limit else None, dtype=pl.Float64)
    lane = pl.col("speed").replace_strict(LANE_GBPS, default=None, return_dtype=pl.Float64)
    could_lane = pl.col("speed_could").replace_strict(LANE_GBPS, default=None, return_dtype=pl.Float64)
    could_width = pl.when(pl.col("width_could") <= lanes).then("width_could")
    rows = rows.with_columns(
        lane.alias("lane"),
        (lane * pl.col("width")).alias("gbps"),
        lanes.alias("lanes"),
        pl.coalesce(could_width, "width").alias("could_width"),
        pl.when(could_lane.is_not_null()).then("speed_could").otherwise("speed").alias("could_speed"),
        (pl.coalesce(could_width, "width") * pl.coalesce(could_lane, lane)).alias("could_gbps"),
    )
    slowest = rows.sort("gbps", nulls_last=True, maintain_order=True).unique("link", keep="first", maintain_order=True)
    could = pl.when(pl.col("could_gbps") > pl.col("gbps"))
    frame = _links(plan, slowest["link"]).join(slowest, on="link", how="left", maintain_order="left")
    return frame.with_columns(
        (pl.col("gbps") < pl.col("rate_gbps")).alias("slow"),
        (pl.col("gbps").is_not_null() | ~pl.col("link").is_in(dark.implode())).alias("lit"),
        pl.format(
            "{}x{}{}", "width", "speed",
            could.then(pl.format(", could be {}x{}", "could_width", "could_speed")).otherwise(pl.lit("")),
        ).alias("runs"),
    )  # fmt: skip


@check("FAB-007", layer=Layer.FABRIC, needs=("links", "lids", "expectations"), facts=("ports_measured",), since="0.1")
def links_run_on_all_lanes(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No planned link is below its rate because lanes are missing.

    Why: a link that came up on one or two of four lanes carries a quarter or half, slows every collective that crosses it, and
    alarms nobody: discovery tools with --diff do not even compare it.
    Measured by: iblinkinfo, smpquery portinfo; "could be" says that both ends offer more than the cable carries.
    Repair: clean and reseat both ends, swap the cable, then the transceiver; capture again.
    Source: plan column `links.rate_gbps`; lanes of a port: the plan's expectation FAB-007.
    """
    import polars as pl

    frame = _rates(plan, facts)
    if frame is None:
        return untold("the width of a planned port")
    needed = pl.min_horizontal("lanes", (pl.col("rate_gbps") / pl.col("lane")).ceil())
    narrow = pl.col("slow") & (pl.col("width") < needed)
    return judge(
        frame,
        subject=pl.col("link"),
        ok=~narrow,
        applies=pl.col("lit"),
        expected=pl.format("{} lanes", needed.cast(pl.Int64)),
        found=pl.col("runs"),
        evidence=EVIDENCE,
    )


@check("FAB-008", layer=Layer.FABRIC, needs=("links", "lids"), facts=("ports_measured",), since="0.1")
def links_run_at_speed(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No planned link is below its rate because its lanes run at an older speed.

    Why: an SDR or EDR link in an NDR fabric works, and carries a fraction; it is the slowest member of every ring.
    Measured by: iblinkinfo, smpquery portinfo; "could be" says that the port offers more than it runs at.
    Repair: check that both ends and the cable are parts of the planned generation, that no speed is forced (ibportstate,
    force_link_speed), reseat and clean; capture again.
    Source: plan column `links.rate_gbps`; lane rates of the IBTA link speeds.
    """
    import polars as pl

    frame = _rates(plan, facts)
    if frame is None:
        return untold("the speed of a planned port")
    full = pl.col("lane") * pl.max_horizontal("width", "lanes")
    return judge(
        frame,
        subject=pl.col("link"),
        ok=~(pl.col("slow") & (full < pl.col("rate_gbps"))),
        applies=pl.col("lit"),
        expected=pl.format("{} Gb/s", pl.col("rate_gbps").round(1)),
        found=pl.format("{} Gb/s ({})", pl.col("gbps").round(1), "runs"),
        evidence=EVIDENCE,
    )


@check("FAB-009", layer=Layer.FABRIC, needs=("links", "lids", "partitions"), facts=("ports_measured",), since="0.1")
def links_have_the_planned_mtu(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port of a planned link has at least the MTU that its subnet's partitions are planned with.

    Why: one link with a small MTU makes packets of planned size undeliverable across it: small messages pass, large ones stall.
    Measured by: smpquery portinfo (NeighborMTU).
    Repair: check the MTU that both ends support and the one that the manager sets; capture again.
    Source: plan column `partitions.mtu_bytes`; IBTA vol. 1, 14.2.5.6: NeighborMTU.
    """
    import polars as pl

    rows = facts.tables["ports_measured"].filter(pl.col("link").is_not_null() & pl.col("mtu_bytes").is_not_null())
    if rows.is_empty():
        return untold("the MTU of a planned port")
    wanted = plan.table("partitions").group_by("subnet").agg(pl.col("mtu_bytes").max().alias("want"))
    smallest = rows.sort("mtu_bytes", maintain_order=True).unique("link", keep="first", maintain_order=True)
    frame = _links(plan, rows["link"]).join(wanted, on="subnet", how="inner", maintain_order="left")
    frame = frame.join(smallest.select("link", "mtu_bytes", *EVIDENCE), on="link", how="left", maintain_order="left")
    return judge(
        frame,
        subject=pl.col("link"),
        ok=pl.col("mtu_bytes") >= pl.col("want"),
        expected=pl.format("MTU {} bytes", "want"),
        found=pl.format("MTU {} bytes", "mtu_bytes"),
        evidence=EVIDENCE,
    )
