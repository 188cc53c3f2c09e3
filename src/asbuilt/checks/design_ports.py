"""Ports: asked for against there, and none used twice."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("DES-001", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("port_budget", "switches"), since="0.1")
def switches_have_the_ports_asked_of_them(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every switch has as many ports as the plan asks of it.

    Why: a link without a port cannot be built; it is found when the cable is in someone's hand, after the order.
    Measured by: plan table `port_budget`: node links, links of planes that share the switch, uplinks, downlinks, services
        and reserved ports against the ports of the chassis at the planned rate.
    Repair: split the ports, give the plane that shares them switches of its own, move services to the spines, add leaves.
    Source: arithmetic on the plan; port counts from the catalogue.
    """
    rows = plan.table("port_budget").join(plan.table("switches").select("switch", "spare"), on="switch")
    # Twice, because the budget says what found no port while wiring, and the sum what was wired past the last port.
    wired = pl.sum_horizontal("node_links", "shared_links", "uplinks", "downlinks", "service", "reserved")
    missing = pl.max_horizontal(pl.col("short"), wired - pl.col("ports"), pl.lit(0))
    asked = pl.max_horizontal(pl.col("ports") - pl.col("free") + pl.col("short"), wired)
    return judge(
        rows.filter(~pl.col("spare")),
        subject=pl.col("switch"),
        ok=missing == 0,
        expected=pl.format("at most {}", amount(pl.col("ports"), "ports")),
        found=pl.format("{} asked for, {} without a port", amount(asked, "ports"), missing),
    )


@check("DES-002", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("links",), since="0.1")
def ports_are_used_once(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port carries at most one planned link.

    Why: two cables cannot sit in one port; a plan that says so was edited by hand or merged from two lists.
    Measured by: plan table `links`, both ends.
    Repair: give one of the links named in the finding a free port.
    Source: arithmetic on the plan.
    """
    links = plan.table("links")
    reference = links.select("link", device="a_device", nic=pl.lit(""), port="a_port")
    far = links.select("link", device="b_device", nic=pl.col("b_nic").fill_null(""), port="b_port")
    port = ["device", "nic", "port"]
    ends = pl.concat([reference, far])
    # Ports that are alike have one hash: only these few, and none of a sound plan, are counted by their names.
    alike = ends.select(pl.struct(port).hash().is_duplicated()).to_series()
    crowded = ends.filter(alike).sort("link").group_by(port).agg(pl.col("link").str.join(", ").alias("links"), uses=pl.len())
    alone = ends.filter(~alike).select(*port, links="link", uses=pl.lit(1, dtype=pl.get_index_type()))
    ends = pl.concat([crowded.select(*port, "links", "uses"), alone])
    place = (
        pl.when(pl.col("nic") == "").then(pl.format("{}/{}", "device", "port")).otherwise(pl.format("{}/{}", "device", "nic"))
    )
    return judge(
        ends,
        subject=pl.lit("port:") + place.str.replace(r"^[a-z]+:", ""),
        ok=pl.col("uses") <= 1,
        expected=pl.lit("one link"),
        found=pl.when(pl.col("uses") > 1).then(pl.format("{} links: {}", "uses", "links")).otherwise(pl.lit("one link")),
    )


@check("DES-003", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("links", "switches"), since="0.1")
def ports_exist(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every switch port that a link names is one that the switch has.

    Why: a port number past the last one is a typing mistake or a plan made for another switch model.
    Measured by: plan tables `links` and `switches`.
    Repair: give the link a port that exists.
    Source: port counts from the catalogue.
    """
    links = plan.table("links")
    ends = pl.concat(
        [
            links.select("link", end=pl.lit("a"), switch="a_device", port="a_port"),
            links.filter(pl.col("b_nic").is_null()).select("link", end=pl.lit("b"), switch="b_device", port="b_port"),
        ]
    ).join(plan.table("switches").select("switch", "ports"), on="switch")
    return judge(
        ends,
        subject=pl.format("{}#{}", "link", "end"),
        ok=(pl.col("port") >= 1) & (pl.col("port") <= pl.col("ports")),
        expected=pl.format("a port from 1 to {}", "ports"),
        found=pl.format("port {} of {}", "port", "switch"),
    )
