"""Decisions of the fabric: ports of leaves and spines, striping, tiers, LIDs, subnet managers, addresses."""

from __future__ import annotations

from asbuilt.model.plan import Plan
from asbuilt.predict.reading import FABRIC, Reading, both, counted, worst

#: Unicast LIDs of a subnet: 0x0001 to 0xBFFF (InfiniBand Architecture Specification volume 1, 4.1.3).
UNICAST_LIDS = 0xBFFF


def readings(pilot: Plan, grown: Plan) -> list[Reading]:
    """What the pilot's fabric and its numbers hold, and what ``grown`` asks of the same."""
    return [*_ports(pilot, grown), *_wiring(pilot, grown), *_subnets(pilot, grown), *_addresses(pilot, grown)]


def _ports(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    taken = pl.sum_horizontal("node_links", "shared_links", "uplinks", "downlinks", "service", "reserved").cast(pl.Float64)
    now = pilot.table("port_budget").select("switch", pl.col("ports").cast(pl.Float64).alias("has"))
    then = grown.table("port_budget").select("switch", taken.alias("asked"))
    roles = pilot.table("switches").select("switch", "role")
    rows = now.join(then, on="switch").join(roles, on="switch").rename({"switch": "subject"})
    made = []
    for role, words in (("leaf", "leaf ports"), ("spine", "spine ports")):
        instead = "{asked:.0f} ports on this switch: a larger one, or fewer node slots on a leaf (planes.*.nodes_per_leaf)"
        source = "port_budget"
        made += worst(f"{role}-ports", FABRIC, words, rows.filter(pl.col("role") == role), "ports", source, instead)
    return made


def _wiring(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    old = pilot.table("links").select("link", "kind", "a_device", "b_device", "b_port")
    new = grown.table("links").select("link", pl.col("b_device").alias("far"), pl.col("b_port").alias("far_port"))
    held = old.join(new, on="link", how="left")
    other = held.filter(
        pl.col("far").is_null() | (pl.col("far") != pl.col("b_device")) | (pl.col("far_port") != pl.col("b_port"))
    )
    between = old.filter(pl.col("kind").is_in(["leaf_spine", "spine_core"]))
    moved = other.filter(pl.col("kind").is_in(["leaf_spine", "spine_core"]))["link"]
    spines = [_count(plan, "spine") for plan in (pilot, grown)]
    words = (
        f"the {spines[1]:,} spines of the target at once, or positions of the {spines[0]:,} wired as the target stripes them"
    )
    made = counted(
        "spine-striping", FABRIC, "striping of the uplinks", moved, between.height, "uplinks", "links.b_device", words
    )
    hosts = old.filter(~pl.col("kind").is_in(["leaf_spine", "spine_core"]))
    moved = other.filter(~pl.col("kind").is_in(["leaf_spine", "spine_core"]))["link"]
    words = "leaves with node slots for the target (planes.*.nodes_per_leaf), service hosts at ports of their own"
    made += counted("node-links", FABRIC, "ports of the nodes", moved, hosts.height, "links", "links", words)
    tiers = [_tiers(plan) for plan in (pilot, grown)]
    holds = tiers[0] >= tiers[1]
    words = "" if holds else f"leaf and spine models, and rack positions, for {tiers[1]} tiers"
    return [
        *made,
        Reading("tiers", FABRIC, "tiers of the fabrics", "fabric", tiers[0], tiers[1], "tiers", holds, "switches.role", words),
    ]


def _tiers(plan: Plan) -> int:
    roles = set(plan.table("switches")["role"].to_list())
    return sum(role in roles for role in ("leaf", "spine", "core"))


def _count(plan: Plan, role: str) -> int:
    import polars as pl

    return plan.table("switches").filter((pl.col("role") == role) & ~pl.col("spare")).height


def _subnets(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    ranges = both(pilot, grown, "lid_ranges", "first", "last", "used").select(
        (pl.col("subnet") + " " + pl.col("range")).alias("subject"),
        (pl.col("last") - pl.col("first") + 1).cast(pl.Float64).alias("has"),
        pl.col("used_then").cast(pl.Float64).alias("asked"),
    )
    instead = "a range of {asked:,.0f} LIDs, dictated in subnets.<name>.lid_ranges"
    made = worst("lid-range", FABRIC, "LID range", ranges, "LIDs", "lid_ranges", instead)
    old = pilot.table("lids").select("port", "lid")
    moved = old.join(grown.table("lids").select("port", "lid"), on=["port", "lid"], how="anti")["port"]
    words = "LID ranges of the target (growth.gpus, or subnets.<name>.lid_ranges): no host loses its LID"
    made += counted("lids", FABRIC, "LIDs given out", moved, old.height, "LIDs", "lids.lid", words)
    space = both(pilot, grown, "subnets", "lids").filter(pl.col("lids").is_not_null())
    rows = space.select(
        pl.col("subnet").alias("subject"),
        pl.lit(float(UNICAST_LIDS)).alias("has"),
        pl.col("lids_then").cast(pl.Float64).alias("asked"),
    )
    made += worst("lid-space", FABRIC, "unicast LIDs of the subnet", rows, "LIDs", "subnets.lids, 0x0001 to 0xBFFF", "islands")
    hosts = pilot.table("subnet_managers").select("subnet", "number", "port", "priority")
    key = pl.format("{} manager {}", "subnet", "number").alias("manager")
    new = grown.table("subnet_managers").select(hosts.columns)
    moved = hosts.join(new, on=hosts.columns, how="anti").select(key)["manager"]
    words = "hosts of their own for the subnet manager (planes.compute.service_ports, subnets.<name>.sm_hosts)"
    return made + counted(
        "sm-hosts", FABRIC, "hosts of the subnet manager", moved, hosts.height, "managers", "subnet_managers", words
    )


def _addresses(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    pools = both(pilot, grown, "address_pools", "used", "room", "cidr").select(
        pl.col("network").alias("subject"),
        (pl.col("used") + pl.col("room")).cast(pl.Float64).alias("has"),
        pl.col("used_then").cast(pl.Float64).alias("asked"),
        "cidr_then",
    )
    instead = "{cidr_then} from the start (growth.gpus, or addresses.pools)"
    made = worst("address-pool", FABRIC, "address pool", pools, "addresses", "address_pools.used, address_pools.room", instead)
    columns = ["device", "interface", "address", "prefix"]
    old = pilot.table("addresses").select(columns)
    moved = old.join(grown.table("addresses").select(columns), on=columns, how="anti", nulls_equal=True)
    keys = moved.select(pl.format("{} {}", "device", "interface").alias("key"))["key"]
    words = "pools of the target's size (growth.gpus, or addresses.pools): no interface is set anew"
    return made + counted("addresses", FABRIC, "addresses and prefixes", keys, old.height, "interfaces", "addresses", words)
