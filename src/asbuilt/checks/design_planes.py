"""Planes: kept apart as promised, and on link layers and rates that their parts can run."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, by_kind, holds, holds_number, judge, nothing, once, traits, words
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

DATA_PLANES = ("compute", "storage", "frontend")


def plane_pairs(plan: Plan) -> pl.DataFrame:
    """Every pair of planes once: columns of `planes` with suffixes ``_1`` and ``_2``, and how the two are kept apart.

    ``physical``: one of the two is declared physically separate, or nobody said anything and both are by default.
    ``declared``: the requirement itself says physical. ``partition``: one of the two is separated by partition.
    """
    planes = plan.table("planes")
    pairs = planes.rename({c: f"{c}_1" for c in planes.columns}).join(
        planes.rename({c: f"{c}_2" for c in planes.columns}), how="cross"
    )
    said = {s: pl.col(f"separation_origin_{s}") == "declared" for s in ("1", "2")}
    physical = {s: pl.col(f"separation_{s}") == "physical" for s in ("1", "2")}
    declared = (said["1"] & physical["1"]) | (said["2"] & physical["2"])
    assumed = ~said["1"] & ~said["2"] & physical["1"] & physical["2"]
    return pairs.filter(pl.col("plane_1") < pl.col("plane_2")).with_columns(
        (declared | assumed).alias("physical"),
        declared.alias("declared"),
        pl.any_horizontal(pl.col(f"separation_{s}") == "partition" for s in said).alias("partition"),
        pl.format("planes:{}+{}", "plane_1", "plane_2").alias("pair"),
    )


def shared_switches(plan: Plan) -> pl.DataFrame:
    """Switches that two planes use: ``plane_1 plane_2 leaf spine core`` with the number of switches in each role.

    A plane uses the switches that it owns, those its links end on, and, where it declares ``share``, all of that plane's.
    """
    switches = plan.table("switches").filter(~pl.col("spare"))
    owned = switches.select("plane", "switch", "role")
    used = [owned]
    if plan.has("links"):
        links = plan.table("links")
        ends = pl.concat([links.select("plane", switch="a_device"), links.select("plane", switch="b_device")]).unique()
        used.append(ends.join(owned.select("switch", "role"), on="switch").select("plane", "switch", "role"))
    owners = owned["plane"].unique().to_list()
    planes = plan.table("planes").filter(pl.col("share").is_not_null() & ~pl.col("plane").is_in(owners))
    used.append(planes.select("plane", "share").join(owned.rename({"plane": "share"}), on="share").drop("share"))
    uses = pl.concat([u.select("plane", "switch", "role") for u in used]).unique()
    both = uses.rename({"plane": "plane_1"}).join(uses.rename({"plane": "plane_2"}), on=["switch", "role"])
    return (
        both.filter(pl.col("plane_1") < pl.col("plane_2"))
        .group_by("plane_1", "plane_2")
        .agg((pl.col("role") == role).sum().cast(pl.Int64).alias(role) for role in ("leaf", "spine", "core"))
    )


@once
def in_common(plan: Plan) -> pl.DataFrame:
    """The pairs of planes with ``leaf spine core`` switches that both use, ``subnet`` (one InfiniBand subnet) and ``apart``."""
    rows = plane_pairs(plan).join(shared_switches(plan), on=["plane_1", "plane_2"], how="left")
    rows = rows.with_columns(pl.col("leaf", "spine", "core").fill_null(0))
    fabric = (pl.col("technology_1") == "infiniband") & (pl.col("technology_2") == "infiniband")
    subnet = fabric & (pl.col("subnet_1") == pl.col("subnet_2"))
    number = pl.sum_horizontal("leaf", "spine", "core")
    return rows.with_columns(subnet.alias("subnet"), number.alias("number"), (~subnet & (number == 0)).alias("apart"))


@check("DES-010", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("planes", "switches"), since="0.1")
def physically_separate_planes_share_nothing(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Two planes, one of which is called physically separate, share no switch, no subnet and no subnet manager.

    Why: a partition key separates traffic, not faults: one subnet manager, one set of spines and one congestion domain
        fail together, and an owner who was promised physical separation plans storage recovery around it.
    Measured by: plan tables `planes`, `switches` and `links`: switches that both planes use, and the subnet of each.
    Repair: give the plane switches and a subnet of its own, or say `separation: partition` and have the owner accept it.
    Source: the requirement's `planes.<name>.separation`.
    """
    rows = in_common(plan)
    if rows.is_empty():
        return nothing("fewer than two planes in the plan")
    counted = pl.concat_str(
        [pl.when(pl.col(r) > 0).then(pl.format("{} {}", r, pl.lit(r))) for r in ("leaf", "spine", "core")],
        separator=", ",
        ignore_nulls=True,
    )
    shared = pl.concat_str(
        [
            pl.when(pl.col("subnet")).then(pl.format("subnet {} and its subnet manager", "subnet_1")),
            pl.when(pl.col("number") > 0).then(pl.format("switches: {}", counted)),
        ],
        separator="; ",
        ignore_nulls=True,
    )
    return judge(
        rows,
        subject=pl.col("pair"),
        ok=pl.col("apart"),
        applies=pl.col("physical"),
        expected=pl.lit("no switch, subnet or subnet manager in common"),
        found=pl.when("apart").then(pl.lit("nothing in common")).otherwise(pl.lit("in common: ") + shared),
    )


@check("DES-011", layer=Layer.DESIGN, severity=Severity.MINOR, needs=("planes", "switches"), since="0.1")
def physically_separate_planes_share_no_rack(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Two data planes that the requirement itself calls physically separate have no switches in the same rack.

    Why: one rack is one pair of feeds, one door, one leak and one person with a trolley: both planes go together.
    Measured by: plan tables `planes` and `switches`. Planes that share more than a rack are judged by DES-010; management
        and out-of-band switches stand in every rack by nature.
    Repair: place the switches of the two planes in different racks, or accept the common rack in writing.
    Source: the requirement's `planes.<name>.separation`.
    """
    pairs = in_common(plan)
    if pairs.is_empty():
        return nothing("fewer than two planes in the plan")
    placed = plan.table("switches").filter(~pl.col("spare")).select("plane", "rack").unique()
    both = placed.rename({"plane": "plane_1"}).join(placed.rename({"plane": "plane_2"}), on="rack")
    common = both.group_by("plane_1", "plane_2").agg(pl.col("rack").sort().str.join(", "), racks=pl.len())
    owners = [plane for plane in DATA_PLANES if plane in placed["plane"]]
    rows = pairs.join(common, on=["plane_1", "plane_2"], how="left")
    judged = pl.col("plane_1").is_in(owners) & pl.col("plane_2").is_in(owners)
    return judge(
        rows,
        subject=pl.col("pair"),
        ok=pl.col("racks").fill_null(0) == 0,
        applies=pl.col("declared") & pl.col("apart") & judged,
        expected=pl.lit("no rack in common"),
        found=pl.format("in common: {}", pl.col("rack").fill_null("none")),
    )


@check("DES-012", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("nics", "parts"), since="0.1")
def nics_run_their_link_type(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every NIC port is planned on a link layer that its part can run.

    Why: the link layer is a property of the part number, not of the speed or the family name: an Ethernet-only card has no
        setting that makes it join an InfiniBand fabric, and no driver will.
    Measured by: plan table `nics` (planned link type) against `parts` (link types of the part).
    Repair: order the part of the family that does both, or plan the plane on Ethernet.
    Source: the manual of each card, named in the catalogue.
    """
    rows = plan.table("nics").join(traits(plan, "part", "link_types"), on="part", how="left")
    able = holds(pl.col("part_link_types"), pl.col("link_type"))
    return judge(
        by_kind(rows, "part_link_types", "link_type", able=able),
        subject=pl.col("nic"),
        ok=pl.col("able"),
        expected=pl.format("a card that runs {}", "link_type"),
        found=pl.format("{} runs {}", "part", words(pl.col("part_link_types"))),
    )


@check("DES-013", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("links", "switches", "parts"), since="0.1")
def both_ends_run_one_link_layer(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Both ends of every link run the same link layer.

    Why: an InfiniBand port and an Ethernet port negotiate nothing; the link stays down without a message on either side.
    Measured by: plan tables `links`, `switches`, `nics` and `parts`.
    Repair: move the link to a switch of the other technology, or change the planned link type of the NIC.
    Source: switch technology and NIC link types from the catalogue.
    """
    models = plan.table("switches").select("switch", part="model").join(traits(plan, "sw", "link_types"), on="part", how="left")
    layer = models.select("switch", "sw_link_types")
    links = plan.table("links").join(
        layer.rename({"switch": "a_device", "sw_link_types": "a_layer"}), on="a_device", how="left"
    )
    links = links.join(layer.rename({"switch": "b_device", "sw_link_types": "b_switch"}), on="b_device", how="left")
    if plan.has("nics"):
        nics = plan.table("nics").select(b_device="node", b_nic="device", b_card="link_type")
        links = links.join(nics, on=["b_device", "b_nic"], how="left")
    else:
        links = links.with_columns(pl.lit(None, dtype=pl.String).alias("b_card"))
    links = links.with_columns(pl.coalesce("b_card", "b_switch").alias("b_layer"))
    return judge(
        links,
        subject=pl.col("link"),
        ok=pl.col("a_layer") == pl.col("b_layer"),
        applies=pl.col("kind") != "service",
        expected=pl.format("{} at both ends", "a_layer"),
        found=pl.format("{} at {}, {} at {}", "a_layer", "a_device", "b_layer", "b_device"),
    )


@check("DES-014", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("nics", "parts"), since="0.1")
def nics_run_their_rate(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every NIC port is planned at a rate that its part can run.

    Why: a port that cannot run the planned rate comes up slower, and every job on that rail runs at its pace.
    Measured by: plan table `nics` (planned rate) against `parts` (rates of the part).
    Repair: order the faster part, or plan the plane at a rate that the part has.
    Source: the manual of each card, named in the catalogue.
    """
    rows = plan.table("nics").join(traits(plan, "part", "rates_gbps"), on="part", how="left")
    able = holds_number(pl.col("part_rates_gbps"), pl.col("rate_gbps"))
    return judge(
        by_kind(rows, "part_rates_gbps", "rate_gbps", able=able),
        subject=pl.col("nic"),
        ok=pl.col("able"),
        expected=pl.format("a card that runs {}", amount(pl.col("rate_gbps"), "Gb/s")),
        found=pl.format("{} runs {} Gb/s", "part", words(pl.col("part_rates_gbps"), ", ")),
    )


@check("DES-015", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("planes",), since="0.1")
def partitioned_planes_have_keys_of_their_own(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Two planes of one InfiniBand subnet that are separated by partition have partition keys, and different ones.

    Why: with one key, or none, every host of one plane reaches every host of the other: the separation is only a word.
    Measured by: plan table `planes`.
    Repair: give each plane a `pkey` of its own.
    Source: the requirement's `planes.<name>.pkey`.
    """
    pairs = plane_pairs(plan)
    if pairs.is_empty():
        return nothing("fewer than two planes in the plan")
    infiniband = (pl.col("technology_1") == "infiniband") & (pl.col("technology_2") == "infiniband")
    keys = [pl.col(f"pkey_{s}").cast(pl.String).fill_null("none") for s in ("1", "2")]
    return judge(
        pairs,
        subject=pl.col("pair"),
        ok=(pl.col("pkey_1") != pl.col("pkey_2")).fill_null(False),
        applies=pl.col("partition") & infiniband & (pl.col("subnet_1") == pl.col("subnet_2")),
        expected=pl.lit("two partition keys that differ"),
        found=pl.format("{} has {}, {} has {}", "plane_1", keys[0], "plane_2", keys[1]),
    )


@check("DES-016", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("links", "switches", "parts"), since="0.1")
def switches_run_the_rate_of_their_links(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every link is planned at a rate that the switch ports at its ends can run.

    Why: a port that cannot run the planned rate comes up slower or not at all.
    Measured by: plan tables `links` and `switches` against `parts` (rates of the switch, split or not).
    Repair: choose a switch that runs the rate, or plan the links at a rate that it has.
    Source: the data sheet of each switch, named in the catalogue.
    """
    models = plan.table("switches").select("switch", part="model").join(traits(plan, "sw", "rates_gbps"), on="part", how="left")
    columns = ("link", "rate_gbps")
    links = plan.table("links")
    ends = pl.concat(
        [
            links.select(*columns, end=pl.lit("a"), switch="a_device"),
            links.filter(pl.col("b_nic").is_null()).select(*columns, end=pl.lit("b"), switch="b_device"),
        ]
    )
    able = holds_number(pl.col("sw_rates_gbps"), pl.col("rate_gbps"))
    kinds = ends.select("switch", "rate_gbps").unique().join(models, on="switch").with_columns(able=able)
    return judge(
        ends.join(kinds, on=["switch", "rate_gbps"], nulls_equal=True),
        subject=pl.format("{}#{}", "link", "end"),
        ok=pl.col("able"),
        expected=pl.format("a switch that runs {}", amount(pl.col("rate_gbps"), "Gb/s")),
        found=pl.format("{} runs {} Gb/s", "part", words(pl.col("sw_rates_gbps"), ", ")),
    )
