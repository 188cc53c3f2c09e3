"""Fabric shape: rails, striping, oversubscription as promised, LID space."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, nothing, threshold, thresholds
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("DES-030", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("links",), since="0.1")
def rails_carry_equally_many_links(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Within a plane and subplane, every rail has the same number of node links.

    Why: a collective ends with its slowest rail; one link fewer on a rail is one GPU that leaves through another rail.
    Measured by: plan table `links`, node links counted by rail.
    Repair: add the node links that the rail lacks.
    Source: arithmetic on the plan.
    """
    wired = plan.table("links").filter((pl.col("kind") == "node_leaf") & (pl.col("rail").fill_null(-1) >= 0))
    counted = wired.group_by("plane", pl.col("subplane").fill_null(0), "rail").agg(links=pl.len())
    rows = counted.with_columns(pl.col("links").max().over("plane", "subplane").alias("most"))
    return judge(
        rows,
        subject=pl.format("rail:{}/{}/{}", "plane", "subplane", "rail"),
        ok=pl.col("links") == pl.col("most"),
        expected=pl.format("{} node links, as on the fullest rail", "most"),
        found=pl.format("{} node links", "links"),
    )


@check("DES-031", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("links",), since="0.1")
def uplinks_are_striped_evenly(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every switch spreads its uplinks evenly over the switches above it.

    Why: routing balances over ports; a spine with fewer links from a leaf becomes that leaf's bottleneck, which is why the
        spine count must divide the uplinks of a leaf.
    Measured by: plan table `links`, uplinks counted by pair of switches.
    Repair: take a spine count that divides the uplinks, or move the uplinks named in the finding.
    Source: NVIDIA SuperPOD reference tables, which a divisor rule reproduces.
    """
    up = plan.table("links").filter(pl.col("kind").is_in(["leaf_spine", "spine_core"]))
    pairs = up.group_by("a_device", "b_device").agg(links=pl.len())
    rows = pairs.group_by("a_device").agg(
        pl.col("links").min().alias("least"), pl.col("links").max().alias("most"), above=pl.len()
    )
    total = up.group_by("a_device").agg(uplinks=pl.len())
    rows = rows.join(total, on="a_device")
    return judge(
        rows,
        subject=pl.col("a_device"),
        ok=pl.col("least") == pl.col("most"),
        expected=pl.format("{} uplinks spread evenly over {} switches", "uplinks", "above"),
        found=pl.format("from {} to {} uplinks to one switch", "least", "most"),
    )


def _bandwidth(plan: Plan) -> pl.DataFrame:
    """``switch plane role down own_down up`` in Gb/s: what comes from below (own plane, and all planes) and goes up."""
    links = plan.table("links").filter(pl.col("kind").is_in(["node_leaf", "leaf_spine", "spine_core"]))
    switches = plan.table("switches").filter(~pl.col("spare")).select("switch", owner="plane", role="role")
    below = pl.concat(
        [
            links.filter(pl.col("kind") == "node_leaf").select("plane", "rate_gbps", switch="a_device"),
            links.filter(pl.col("kind") != "node_leaf").select("plane", "rate_gbps", switch="b_device"),
        ]
    )
    above = links.filter(pl.col("kind") != "node_leaf").select("rate_gbps", switch="a_device")
    down = (
        below.join(switches.select("switch", "owner"), on="switch")
        .group_by("switch")
        .agg(
            pl.col("rate_gbps").sum().alias("down"),
            pl.col("rate_gbps").filter(pl.col("plane") == pl.col("owner")).sum().alias("own_down"),
        )
    )
    up = above.group_by("switch").agg(pl.col("rate_gbps").sum().alias("up"))
    return (
        switches.join(down, on="switch", how="left")
        .join(up, on="switch", how="left")
        .with_columns(pl.col("down", "own_down", "up").fill_null(0.0))
    )


@check("DES-032", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("links", "switches", "expectations"), since="0.1")
def oversubscription_is_as_promised(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No switch has more bandwidth below it than the promised multiple of its uplink bandwidth.

    Why: oversubscription is bought once and paid for in every collective that leaves the leaf.
    Measured by: plan table `links`: rates of the plane's own links below over those above, per switch. Traffic of planes
        that share the switch is told beside it.
    Repair: add uplinks, or promise the ratio that is built.
    Source: the requirement's `planes.<name>.oversubscription`.
    """
    promised = thresholds(plan, "DES-032")
    if promised.is_empty():
        return nothing("no plane with uplinks promises a ratio")
    key = pl.format("plane={},role={}", "owner", "role").alias("selector")
    rows = _bandwidth(plan).with_columns(key).join(promised.select("selector", "limit", "tol_rel"), on="selector")
    # A tier without any uplink is the top of its plane: nothing was promised of it.
    rows = rows.filter((pl.col("down") > 0) & (pl.col("up").sum().over("owner", "role") > 0))
    if rows.is_empty():
        return nothing("no tier with uplinks")
    room = pl.col("limit") * (1 + pl.col("tol_rel").fill_null(0.0))
    ratio = pl.col("own_down") / pl.col("up")
    also = pl.when((pl.col("down") > pl.col("own_down")) & (pl.col("up") > 0)).then(
        pl.format(", {}:1 with the planes that share it", amount(pl.col("down") / pl.col("up")))
    )
    built = pl.when(pl.col("up") > 0).then(pl.format("{}:1", amount(ratio))).otherwise(pl.lit("no uplink"))
    return judge(
        rows,
        subject=pl.col("switch"),
        ok=pl.col("own_down") <= room * pl.col("up"),
        expected=pl.format("at most {}:1", amount(pl.col("limit"))),
        found=built + also.fill_null(""),
    )


@check("DES-033", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("links", "switches"), since="0.1")
def rails_end_on_their_own_leaves(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node link of a rail ends on a leaf that serves this rail.

    Why: on a rail-optimised fabric, GPUs of the same rail meet one hop apart; a link on another rail's leaf still works
        and sends that GPU's traffic over the spines.
    Measured by: plan tables `links` and `switches`. Leaves that serve several rails are not applicable.
    Repair: exchange the ends named in the finding.
    Source: the rail of each switch in the plan.
    """
    leaves = plan.table("switches").select("switch", "name", leaf_rail="rail")
    node_links = plan.table("links").filter(pl.col("kind") == "node_leaf")
    rows = node_links.join(leaves, left_on="a_device", right_on="switch")
    return judge(
        rows,
        subject=pl.col("link"),
        ok=pl.col("rail") == pl.col("leaf_rail"),
        applies=pl.col("leaf_rail") >= 0,
        expected=pl.format("a leaf of rail {}", "rail"),
        found=pl.format("{}, which serves rail {}", "name", "leaf_rail"),
    )


@check("DES-034", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("subnets", "expectations"), since="0.1")
def subnets_have_lids_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every InfiniBand subnet needs no more unicast LIDs than there are.

    Why: an end port takes 2^LMC addresses and a switch one; past the last unicast LID the subnet manager leaves ports
        without an address, and they never come up.
    Measured by: plan table `subnets`: end ports x 2^LMC + switch ASICs.
    Repair: lower the LMC, or split the fabric into several subnets.
    Source: the OpenSM sources, IB_LID_UCAST_END_HO.
    """
    limit = threshold(plan, "DES-034", "technology=infiniband")
    if limit is None:
        return nothing("the plan states no LID space")
    rows = plan.table("subnets").filter(pl.col("technology") == "infiniband")
    return judge(
        rows,
        subject=pl.lit("subnet:") + pl.col("subnet"),
        ok=pl.col("lids") <= pl.lit(limit["limit"]),
        expected=pl.format("at most {}", amount(pl.lit(limit["limit"]), "LIDs")),
        found=pl.format("{} at LMC {}", amount(pl.col("lids"), "LIDs"), pl.col("lmc")),
    )
