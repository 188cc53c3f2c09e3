"""RDMA over Ethernet as measured, hop by hop: flow control, marking, code points, MTU, queues, headroom.

Every check judges each port end of `roce_ports` on its own, so that a finding names the hop; a hop that no capture tells of is
not measured.
"""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, nothing, thresholds, untold
from asbuilt.checks.registry import check
from asbuilt.checks.roce_hops import and_far_end, beside, hops, interfaces, settings, with_peer
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

_PLAN = ("roce_ports", "roce_classes")
_NONE = "no plane carries RDMA over Ethernet"
_SEEN = ("capture_id", "line")


@check("NET-001", layer=Layer.FABRIC, severity=Severity.BLOCKER, needs=_PLAN, since="0.1")
def flow_control_is_on_for_the_lossless_priority(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every hop pauses the planned priority, and no other.

    Why: one hop that pauses another priority drops RDMA frames under load, and pauses traffic that nobody meant to stop.
    Measured by: mlnx_qos -i on hosts; nv show interface ... qos, config_db.json on switches.
    Repair: set flow control of the port named in the finding to the planned priority.
    Source: plan table `roce_ports`, column `pfc`; IEEE 802.1Qbb.
    """
    if plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("roce_facts"):
        return untold("settings of RDMA over Ethernet")
    ports = hops(plan)
    on = pl.col("index").filter(pl.col("value") > 0).cast(pl.String).str.join("+")
    read = settings(plan, facts, "pfc").sort("index").group_by("device", "interface", maintain_order=True)
    sets = read.agg(on.alias("on"), pl.col("index").alias("covers"), *(pl.col(c).last() for c in _SEEN))
    said = pl.when(pl.col("on") == "").then(pl.lit("no priority")).otherwise(pl.format("priority {}", "on"))
    rows = with_peer(beside(ports, sets).with_columns(said.alias("said")), "said")
    # A tool that names only what is on, or other priorities only, does not say that the planned one is off.
    tells = pl.col("covers").list.contains(pl.col("roce_priority")) | (pl.col("on") != "")
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when(tells).then(pl.col("on") == pl.col("pfc")),
        expected=pl.format("flow control on priority {}", "pfc"),
        found=and_far_end(pl.format("flow control on {}", "said")),
        evidence=_SEEN,
    )


@check("NET-002", layer=Layer.FABRIC, needs=_PLAN, since="0.1")
def congestion_is_marked_and_answered(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every switch marks congestion on the queue of RDMA, and every host answers marks on its priority.

    Why: without marks, or without an answer to them, only pauses slow a sender, and they spread from hop to hop.
    Measured by: nv show ... qos, config_db.json on switches; /sys/class/net/<port>/ecn/roce_np and roce_rp on hosts.
    Repair: turn marking on for the queue (switch), or notification and reaction point for the priority (host).
    Source: plan table `roce_classes`; RFC 3168; DCQCN of NVIDIA's RoCE documentation.
    """
    if plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("roce_facts"):
        return untold("settings of RDMA over Ethernet")
    ports = hops(plan)
    at = pl.when(pl.col("role") == "host").then("roce_priority").otherwise("roce_queue")
    rows = beside(ports.with_columns(at.alias("at")), settings(plan, facts, "ecn"), at="at")
    said = pl.when(pl.col("value") > 0).then(pl.lit("on")).otherwise(pl.lit("off"))
    rows = with_peer(rows.with_columns(pl.when(pl.col("value").is_not_null()).then(said).alias("said")), "said")
    what = pl.when(pl.col("role") == "host").then(pl.lit("answers to marks of priority")).otherwise(pl.lit("marking on queue"))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("value") > 0,
        expected=pl.format("{} {}: on", what, "at"),
        found=and_far_end(pl.format("{} {}: {}", what, "at", pl.col("said").fill_null("unread"))),
        evidence=_SEEN,
    )


@check("NET-003", layer=Layer.FABRIC, needs=(*_PLAN, "expectations"), since="0.1")
def marking_thresholds_are_those_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every switch port marks from the planned queue length on, with the planned slope.

    Why: a hop that marks later than its neighbours fills first and pauses; one that marks earlier starves its flows.
    Measured by: nv show ... qos, config_db.json; thresholds are compared within the rounding of what tools print.
        A queue that does not mark at all has none: see NET-002.
    Repair: set the thresholds of the port named in the finding to those of the plan.
    Source: plan tables `roce_ports` and `roce_classes`.
    """
    limits = thresholds(plan, "NET-003")
    if plan.table("roce_ports").is_empty() or limits.is_empty():
        return nothing(_NONE)
    if not facts.has("roce_facts"):
        return untold("settings of RDMA over Ethernet")
    ports = hops(plan).filter(pl.col("ecn_min_bytes").is_not_null())
    near = pl.lit(limits["limit"][0])
    rows = ports
    for setting, name in (("ecn_min_bytes", "low"), ("ecn_max_bytes", "high"), ("ecn_probability_percent", "chance")):
        read = settings(plan, facts, setting).select("device", "interface", "index", "capture_id", "line", value="value")
        found = beside(ports, read, at="roce_queue").select(
            "subject", *(pl.col(c).alias(f"{name}_{c}") for c in ("value", *_SEEN))
        )
        rows = rows.join(found, on="subject", how="left", maintain_order="left")
    off = {
        "low": (pl.col("low_value") - pl.col("ecn_min_bytes")).abs() > near * pl.col("ecn_min_bytes"),
        "high": (pl.col("high_value") - pl.col("ecn_max_bytes")).abs() > near * pl.col("ecn_max_bytes"),
    }
    # Not every tool prints the probability: where it does, it must be the planned one.
    chance = (pl.col("chance_value") != pl.col("ecn_probability")).fill_null(False)
    shown = [amount(pl.col(f"{n}_value"), "bytes") for n in ("low", "high")]
    told = (
        pl.when(pl.col("chance_value").is_null())
        .then(pl.lit(""))
        .otherwise(pl.format(", {} %", amount(pl.col("chance_value"))))
    )
    planned = [amount(pl.col(c), "bytes") for c in ("ecn_min_bytes", "ecn_max_bytes")]
    marks = beside(ports, settings(plan, facts, "ecn"), at="roce_queue").select("subject", marks="value")
    rows = rows.join(marks, on="subject", how="left", maintain_order="left")
    rows = rows.with_columns(*(pl.coalesce(f"low_{c}", f"high_{c}").alias(c) for c in _SEEN))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=~(off["low"] | off["high"] | chance),
        applies=(pl.col("marks") > 0).fill_null(True),
        expected=pl.format("marking from {} to {}, {} %", *planned, "ecn_probability"),
        found=pl.format("marking from {} to {}{}", *shown, told),
        evidence=_SEEN,
    )


@check("NET-004", layer=Layer.FABRIC, severity=Severity.BLOCKER, needs=_PLAN, since="0.1")
def code_points_mean_the_planned_priority(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every hop reads the priority from the code point, and takes those of RDMA and of notifications for what is planned.

    Why: a hop that reads them otherwise puts RDMA into a queue that may drop, and nothing but its speed shows it.
    Measured by: mlnx_qos -i on hosts; nv show ... qos, config_db.json on switches.
    Repair: set trust to DSCP and the map of the port named in the finding to the plan's.
    Source: plan table `roce_classes`; RFC 2474.
    """
    if plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("roce_facts"):
        return untold("settings of RDMA over Ethernet")
    ports = hops(plan)
    trust = beside(ports, settings(plan, facts, "trust")).select("subject", trusted="text")
    rows = ports.join(trust, on="subject", how="left", maintain_order="left")
    points = settings(plan, facts, "dscp_to_priority")
    for traffic in ("roce", "cnp"):
        found = beside(ports, points, at=f"{traffic}_dscp").select(
            "subject", *(pl.col(c).alias(f"{traffic}_{c}") for c in ("value", *_SEEN))
        )
        rows = rows.join(found, on="subject", how="left", maintain_order="left")
    reads = pl.col("trusted").str.contains("dscp|both").fill_null(True)
    same = [pl.col(f"{t}_value") == pl.col(f"{t}_priority") for t in ("roce", "cnp")]
    # A trust mode that is not printed is not judged; a map that is not printed leaves the hop unread.
    ok = pl.when(~reads).then(False).otherwise(same[0] & same[1])
    said = pl.format(
        "{}: DSCP {} is priority {}, DSCP {} is priority {}",
        pl.col("trusted").fill_null("trust unread"),
        "roce_dscp",
        amount(pl.col("roce_value")),
        "cnp_dscp",
        amount(pl.col("cnp_value")),
    )
    rows = with_peer(
        rows.with_columns(said.alias("said"), *(pl.coalesce(f"roce_{c}", f"cnp_{c}").alias(c) for c in _SEEN)), "said"
    )
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=ok,
        expected=pl.format(
            "dscp: DSCP {} is priority {}, DSCP {} is priority {}", "roce_dscp", "roce_priority", "cnp_dscp", "cnp_priority"
        ),
        found=pl.col("said"),
        evidence=_SEEN,
    )


@check("NET-005", layer=Layer.FABRIC, needs=("roce_ports",), since="0.1")
def mtu_is_the_planned_one(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every hop has the planned MTU, so that both ends of every link agree.

    Why: a frame that one hop takes and the next does not is dropped in silence: small messages pass, large ones stall.
    Measured by: ip link on hosts; nv show interface, show interfaces status, config_db.json on switches.
    Repair: set the MTU of the port named in the finding.
    Source: plan table `roce_ports`.
    """
    if plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("interface_facts"):
        return untold("any interface")
    ports = hops(plan)
    rows = beside(ports, interfaces(plan, facts))
    rows = with_peer(rows.with_columns(pl.format("MTU {}", "mtu_found").alias("said")), "said")
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("mtu_found") == pl.col("mtu_bytes"),
        expected=pl.format("MTU {}", "mtu_bytes"),
        found=and_far_end(pl.col("said").fill_null("MTU unread")),
        evidence=_SEEN,
    )
