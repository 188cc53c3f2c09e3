"""Partitions, service levels and virtual lanes as planned."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, nothing, thresholds
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

DEFAULT = "default"
NONE = "no InfiniBand subnet in the plan"


@check(
    "DES-084",
    layer=Layer.DESIGN,
    severity=Severity.BLOCKER,
    needs=("lids", "partition_members", "expectations"),
    since="0.1",
)
def partition_tables_hold_the_entries(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No port needs more partition table entries than it has: the NIC port itself, and the switch port that faces it.

    Why: the subnet manager drops what does not fit, without a word to the host: a job of that tenant hangs on that port.
    Measured by: plan tables `partition_members` and `lids`, the fullest NIC port of each subnet. A switch port that faces a
        host is given the host's entries, to enforce them.
    Repair: fewer tenants on one node, or one partition for several of them.
    Source: IBTA vol. 1, NodeInfo.PartitionCap and SwitchInfo.PartitionEnforcementCap.
    """
    limits = thresholds(plan, "DES-084").select("selector", "limit")
    nics = plan.table("lids").filter(pl.col("nic").is_not_null()).select("port")
    counted = plan.table("partition_members").join(nics, on="port", how="semi").group_by("subnet", "port").len("entries")
    if counted.is_empty():
        return nothing(NONE)
    fullest = counted.sort("subnet", "entries", "port", descending=[False, True, False]).unique(
        "subnet", keep="first", maintain_order=True
    )
    rows = fullest.join(limits, how="cross").with_columns(pl.col("selector").str.replace("port=", ""))
    return judge(
        rows,
        subject=pl.format("partition-table:{}/{}", "subnet", "selector"),
        ok=pl.col("entries") <= pl.col("limit"),
        expected=pl.format("at most {}", amount(pl.col("limit"), "entries")),
        found=pl.format("{} on {}", amount(pl.col("entries"), "entries"), "port"),
    )


@check(
    "DES-085",
    layer=Layer.DESIGN,
    severity=Severity.MAJOR,
    needs=("service_levels", "subnet_settings", "expectations"),
    since="0.1",
)
def ports_have_the_lanes(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No subnet asks for more virtual lanes than NIC ports and switch ports have.

    Why: a service level that maps to a lane past the last one is folded onto another, or dropped: planes that were to be
        apart share buffers, and nothing says so.
    Measured by: plan tables `service_levels` (highest lane) and `subnet_settings` (qos_max_vls).
    Repair: fewer lanes: `subnets.<name>.lanes`, `subnets.<name>.max_vls`.
    Source: IBTA vol. 1, PortInfo.VLCap.
    """
    limits = thresholds(plan, "DES-085").select("selector", "limit")
    used = plan.table("service_levels").group_by("subnet").agg(used=pl.col("vl").max() + 1)
    if used.is_empty():
        return nothing(NONE)
    told = plan.table("subnet_settings").filter(pl.col("setting") == "qos_max_vls")
    told = told.select("subnet", asked=pl.col("value").cast(pl.Int64, strict=False))
    rows = used.join(told, on="subnet", how="left").join(limits, how="cross").sort("subnet", "selector")
    rows = rows.with_columns(lanes=pl.max_horizontal("used", "asked"), kind=pl.col("selector").str.replace("port=", ""))
    return judge(
        rows,
        subject=pl.format("lanes:{}/{}", "subnet", "kind"),
        ok=pl.col("lanes") <= pl.col("limit"),
        expected=pl.format("at most {}", amount(pl.col("limit"), "lanes")),
        found=amount(pl.col("lanes"), "lanes"),
    )


@check("DES-086", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("partitions", "service_levels", "planes"), since="0.1")
def planes_kept_apart_have_lanes_of_their_own(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Two planes of one subnet that are kept apart by partition have different service levels, on different lanes.

    Why: a partition says who may talk, not who waits: on one lane a storage burst fills the buffers that compute needs.
    Measured by: plan tables `partitions` and `service_levels`, where the subnet has service levels at all.
    Repair: `subnets.<name>.lanes.<plane>`, or `qos: true`.
    Source: IBTA vol. 1, 7.6.
    """
    apart = plan.table("planes").select("plane", "separation")
    held = plan.table("partitions").filter((pl.col("plane") != "") & (pl.col("tenant") == "")).select("subnet", "plane", "sl")
    held = held.join(plan.table("service_levels").select("subnet", "sl", "vl"), on=["subnet", "sl"], how="left")
    held = held.join(apart, on="plane", how="left")
    pairs = held.join(held, on="subnet", suffix="_2").filter(pl.col("plane") < pl.col("plane_2"))
    if pairs.is_empty():
        return nothing("no two planes in one InfiniBand subnet")
    wanted = (pl.col("separation") == "partition") | (pl.col("separation_2") == "partition")
    lane = [pl.format("SL {} on VL {}", f"sl{s}", pl.col(f"vl{s}").cast(pl.String).fill_null("none")) for s in ("", "_2")]
    return judge(
        pairs.sort("subnet", "plane", "plane_2"),
        subject=pl.format("lanes:{}/{}+{}", "subnet", "plane", "plane_2"),
        ok=((pl.col("sl") != pl.col("sl_2")) & (pl.col("vl") != pl.col("vl_2"))).fill_null(False),
        applies=wanted,
        expected=pl.lit("two service levels on two lanes"),
        found=pl.format("{}: {}; {}: {}", "plane", lane[0], "plane_2", lane[1]),
    )


@check("DES-090", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("partitions", "partition_members", "lids"), since="0.1")
def exclusive_tenants_share_no_node(plan: Plan, facts: Facts) -> pl.DataFrame:
    """A node of a tenant that is to be alone on its nodes belongs to no other tenant.

    Why: two tenants on one host share its memory, its NICs and its kernel, whatever the partition keys say.
    Measured by: plan tables `partitions` (exclusive), `partition_members` and `lids`.
    Repair: take the node out of one tenant's `nodes`, or let the two share: `exclusive: false`.
    Source: the requirement's `tenants`.
    """
    tenants = plan.table("partitions").filter(pl.col("tenant") != "").select("subnet", "partition", "tenant", "exclusive")
    if tenants.is_empty():
        return nothing("no tenant in the plan")
    members = plan.table("partition_members").join(tenants, on=["subnet", "partition"])
    held = members.join(plan.table("lids").select("port", "device"), on="port").select("device", "tenant", "exclusive").unique()
    rows = held.group_by("device").agg(
        tenants=pl.col("tenant").unique().sort(), alone=pl.col("exclusive").fill_null(False).any()
    )
    return judge(
        rows.sort("device"),
        subject=pl.col("device"),
        ok=pl.col("tenants").list.len() == 1,
        applies=pl.col("alone"),
        expected=pl.lit("one tenant"),
        found=pl.col("tenants").list.join(" and "),
    )


@check("DES-093", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("partitions", "partition_members", "lids"), since="0.1")
def every_port_is_in_the_default_partition(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every end port is a member of the default partition, and the subnet managers' ports are full ones.

    Why: the manager answers path and group queries in the default partition; a port outside of it gets no path, and with a
        limited manager every limited member is unanswered.
    Measured by: plan tables `partition_members`, `partitions`, `lids` and `subnet_managers`.
    Repair: plan the subnet again (`asbuilt plan`); in a foreign list, add the port to 0x7fff.
    Source: IBTA vol. 1, 10.9.1.2 and 15.4.2.
    """
    ports = plan.table("lids").select("port", "subnet")
    if ports.is_empty():
        return nothing(NONE)
    key = plan.table("partitions").filter(pl.col("partition") == DEFAULT).select("subnet", "partition")
    held = plan.table("partition_members").join(key, on=["subnet", "partition"]).select("port", "membership")
    rows = ports.join(held, on="port", how="left", maintain_order="left")
    bound = plan.table("subnet_managers")["port"] if plan.has("subnet_managers") else pl.Series("port", [], dtype=pl.String)
    rows = rows.with_columns(manager=pl.col("port").is_in(bound.implode()))
    wanted = pl.when("manager").then(pl.lit("full")).otherwise(pl.lit("limited"))
    return judge(
        rows,
        subject=pl.col("port"),
        ok=(pl.col("membership") == "full") | (pl.col("membership").is_not_null() & ~pl.col("manager")),
        expected=pl.format("{} member of the default partition", wanted),
        found=pl.col("membership").fill_null("no member"),
    )


@check("DES-094", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("partitions",), since="0.1")
def partition_keys_differ(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The partitions of a subnet have different keys, and only the default one has 0x7fff.

    Why: partitions with one key are one partition, whatever they are called: their members reach each other.
    Measured by: plan table `partitions`.
    Repair: give each a key of its own: `planes.<name>.pkey`, `tenants[].pkey`.
    Source: IBTA vol. 1, 10.9.1.
    """
    rows = plan.table("partitions")
    if rows.is_empty():
        return nothing(NONE)
    names = pl.col("partition").sort().str.join(", ").over("subnet", "pkey")
    rows = rows.with_columns(names=names, alike=pl.len().over("subnet", "pkey"))
    return judge(
        rows,
        subject=pl.format("partition:{}/{}", "subnet", "partition"),
        ok=pl.col("alike") == 1,
        expected=pl.lit("a key of its own"),
        found=pl.format("key {} for {}", "pkey", "names"),
    )


@check(
    "DES-095",
    layer=Layer.DESIGN,
    severity=Severity.MAJOR,
    needs=("service_levels", "vl_arbitration", "expectations"),
    since="0.1",
)
def every_lane_in_use_is_sent(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every virtual lane that carries traffic has a row with a weight in an arbitration table.

    Why: a lane that no row names is never sent: its traffic stands still, with every link up and no error counted.
    Measured by: plan tables `service_levels` and `vl_arbitration`, where the subnet writes these tables at all.
    Repair: a weight above 0: `subnets.<name>.lanes.<plane>.low_weight`.
    Source: IBTA vol. 1, 7.6.9.
    """
    levels = plan.table("service_levels").filter(pl.col("traffic") != "")
    written = plan.table("vl_arbitration")
    if levels.is_empty() or written.is_empty():
        return nothing("no arbitration table in the plan")
    least = thresholds(plan, "DES-095")["limit"].first()
    lanes = levels.group_by("subnet", "vl").agg(traffic=pl.col("traffic").sort().str.join("; "))
    weights = written.group_by("subnet", "vl").agg(weight=pl.col("weight").max(), least=pl.col("weight").min())
    rows = lanes.join(weights, on=["subnet", "vl"], how="left").join(written.select("subnet").unique(), on="subnet", how="semi")
    return judge(
        rows.sort("subnet", "vl"),
        subject=pl.format("lane:{}/{}", "subnet", "vl"),
        ok=(pl.col("least") >= pl.lit(least)).fill_null(False),
        expected=pl.format("a weight of at least {}", amount(pl.lit(least), "x 64 bytes")),
        found=pl.format("weight {}", pl.col("least").cast(pl.String).fill_null("none")),
    )
