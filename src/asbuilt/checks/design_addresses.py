"""Addresses: networks that do not overlap and hold what is planned, private ranges, valid names, VLANs apart."""

from __future__ import annotations

import polars as pl

from asbuilt.base.ipv4 import dotted, first, last, number, span
from asbuilt.checks.answers import amount, judge, nothing, threshold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

#: Letters, digits and hyphens, none at the ends (RFC 1123 section 2.1); how long stands in the plan's expectations.
LABEL = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"


def _spans(pools: pl.DataFrame) -> pl.DataFrame:
    return pools.with_columns(first(pl.col("cidr")).alias("low"), last(pl.col("cidr")).alias("high")).sort("low", "high")


@check("DES-100", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("address_pools",), since="0.1")
def networks_do_not_overlap(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No two networks have an address in common.

    Why: a host that is in two networks at once, or a route that means two places, works for some peers and not for others.
    Measured by: plan table `address_pools`: first and last address of each network against those that begin below it.
    Repair: give one of the planes another range under `addresses.pools`.
    Source: arithmetic on the plan; IPv4 routing is by longest prefix (RFC 1812 section 5.2.4.3).
    """
    rows = _spans(plan.table("address_pools"))
    before = pl.col("high").cum_max().shift(1)
    # Of all networks that begin before, the one that reaches furthest.
    other = pl.when(pl.col("high") == pl.col("high").cum_max()).then("network").forward_fill().shift(1)
    apart = pl.col("low") > before.fill_null(-1)
    return judge(
        rows.with_columns(other.alias("other"), apart.alias("apart")),
        subject=pl.lit("network:") + pl.col("network"),
        ok=pl.col("apart"),
        expected=pl.lit("addresses of its own"),
        found=pl.format("{} overlaps {}", "cidr", pl.col("other").fill_null("no other")),
    )


@check("DES-101", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("address_pools",), since="0.1")
def every_interface_has_an_address(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned interface finds an address in its network.

    Why: an interface without an address is found by the first job that lands on its host.
    Measured by: plan table `address_pools`, column `without`.
    Repair: a larger range under `addresses.pools`, or fewer nodes in one network.
    Source: arithmetic on the plan.
    """
    return judge(
        plan.table("address_pools"),
        subject=pl.lit("network:") + pl.col("network"),
        ok=pl.col("without") == 0,
        expected=pl.lit("an address for every interface"),
        found=pl.format("{} of {} interfaces without an address", "without", pl.col("used") + pl.col("without")),
    )


@check("DES-102", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("address_pools",), since="0.1")
def networks_hold_the_growth_target(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every network lies in the range of its plane and has addresses for the growth target.

    Why: a network that is full is renumbered, and every file that names an address with it.
    Measured by: plan table `address_pools`: target against used and room, network against range.
    Repair: a larger range under `addresses.pools` before the first address is configured.
    Source: the requirement's `growth.gpus`; arithmetic on the plan.
    """
    inside = (first(pl.col("cidr")) >= first(pl.col("supernet"))) & (last(pl.col("cidr")) <= last(pl.col("supernet")))
    room = pl.col("used") + pl.col("room")
    return judge(
        plan.table("address_pools"),
        subject=pl.lit("network:") + pl.col("network"),
        ok=inside & (pl.col("target") <= room),
        expected=pl.format("room for {}", amount(pl.col("target"), "addresses")),
        found=pl.format("room for {} in {}", amount(room), "cidr"),
    )


@check("DES-103", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("address_pools", "expectations"), since="0.1")
def ranges_are_private(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every network lies in a range that is free for private use.

    Why: an address that belongs to somebody else makes that part of the Internet unreachable from every node, and leaks out.
    Measured by: plan table `address_pools` against the private ranges of the expectation.
    Repair: a range of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10 under `addresses.pools`; public addresses
        belong on the site's border, not in the cluster.
    Source: RFC 1918, RFC 6598.
    """
    limit = threshold(plan, "DES-103")
    if limit is None:
        return nothing("the plan has no list of private ranges")
    blocks = [span(block) for block in str(limit["value"]).split("+")]
    rows = _spans(plan.table("address_pools"))
    private = pl.any_horizontal((pl.col("low") >= low) & (pl.col("high") <= high) for low, high in blocks)
    return judge(
        rows,
        subject=pl.lit("network:") + pl.col("network"),
        ok=private,
        expected=pl.lit("a range for private use"),
        found=pl.format("{} of the range {}", "cidr", "supernet"),
    )


@check("DES-104", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("addresses", "expectations"), since="0.1")
def names_are_valid_and_unique(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every name is a DNS label and means one address.

    Why: a resolver refuses or shortens other names, and a name with two addresses sends every second login elsewhere.
    Measured by: plan table `addresses`: letters, digits and hyphens, length, and how often a name is given.
    Repair: change the name templates (`node_names`, `planes.<plane>.<tier>.names`).
    Source: RFC 1123 section 2.1, RFC 1035 section 2.3.4.
    """
    limit = threshold(plan, "DES-104")
    if limit is None:
        return nothing("the plan has no length of a label")
    rows = plan.table("addresses").with_columns(pl.len().over("name").alias("times"))
    name = pl.col("name")
    well = name.str.contains(LABEL) & (name.str.len_chars() <= pl.lit(limit["limit"]))
    found = pl.when(well).then(pl.format("{} stands for {} addresses", name, "times")).otherwise(pl.format("'{}'", name))
    return judge(
        rows,
        subject=pl.format("address:{}/{}", "device", "interface"),
        ok=well & (pl.col("times") == 1),
        expected=pl.lit("a DNS label of its own"),
        found=found,
    )


@check("DES-105", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("address_pools", "expectations"), since="0.1")
def vlans_are_apart(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Networks of different planes or rails have different VLANs, all of them usable.

    Why: two networks in one VLAN are one broadcast domain: the plane that was meant to be apart answers.
    Measured by: plan table `address_pools`, column `vlan`; networks behind different leaves may share one.
    Repair: other VLANs under `addresses.pools`.
    Source: IEEE 802.1Q clause 9.6: VLANs 1 to 4094
    """
    limit = threshold(plan, "DES-105")
    tagged = plan.table("address_pools").filter(pl.col("vlan").is_not_null())
    if limit is None or tagged.is_empty():
        return nothing("no network has a VLAN")
    kinds = tagged.with_columns(pl.col("network").str.replace(r"-b\d+$", "").alias("stem"))
    stems = kinds.select("vlan", "stem").unique().sort("stem")
    users = stems.group_by("vlan").agg(pl.col("stem").str.join(", ").alias("users"), pl.len().alias("times"))
    rows = kinds.unique("stem").join(users, on="vlan", how="left")
    return judge(
        rows,
        subject=pl.lit("network:") + pl.col("stem"),
        ok=(pl.col("times") == 1) & pl.col("vlan").is_between(1, pl.lit(limit["limit"])),
        expected=pl.format("a VLAN of its own, at most {}", amount(pl.lit(limit["limit"]))),
        found=pl.format("VLAN {} of {}", "vlan", "users"),
    )


@check("DES-106", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("addresses", "address_pools"), since="0.1")
def addresses_are_unique_and_in_their_network(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every address is given once, lies in its network, and is none of network, gateway and broadcast address.

    Why: two hosts with one address answer in turns; a host with the gateway's address takes its network off the air.
    Measured by: plan tables `addresses` and `address_pools`.
    Repair: an edited plan: give the interface another address; otherwise report it, the plan makes them by arithmetic.
    Source: arithmetic on the plan; RFC 1122 section 3.2.1.3.
    """
    pools = _spans(plan.table("address_pools")).select("network", "low", "high", "gateway", "kind")
    rows = plan.table("addresses").filter(pl.col("address").is_not_null()).drop("kind")
    rows = rows.join(pools, on="network", how="left").with_columns(
        number(pl.col("address")).alias("n"), pl.len().over("address").alias("times")
    )
    # Router ids are single addresses: nothing of their network is set aside.
    edge = pl.when(pl.col("kind") == "loopback").then(0).otherwise(1)
    inside = (pl.col("n") >= pl.col("low") + edge) & (pl.col("n") <= pl.col("high") - edge)
    alone = (pl.col("times") == 1) & (pl.col("address") != pl.col("gateway").fill_null(""))
    return judge(
        rows,
        subject=pl.format("address:{}/{}", "device", "interface"),
        ok=inside.fill_null(False) & alone,
        expected=pl.format("an address of its own in {}", pl.col("network")),
        found=pl.format(
            "{}{}, network {} to {}",
            "address",
            pl.when(pl.col("times") > 1).then(pl.format(" given {} times", "times")).otherwise(pl.lit("")),
            dotted(pl.col("low")).fill_null("unknown"),
            dotted(pl.col("high")).fill_null("-"),
        ),
    )
