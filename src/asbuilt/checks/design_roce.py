"""RDMA over Ethernet as planned: classes that can be told apart, frames that fit, headroom that the buffer holds."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, nothing, threshold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

_NONE = "no plane carries RDMA over Ethernet"


@check("DES-110", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("roce_classes",), since="0.1")
def code_points_and_priorities_pair_up(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every traffic class of a plane has a code point and a priority of its own.

    Why: a code point that means two priorities, or a priority that two classes share, puts traffic that must not be lost
        into a queue that may drop, or pauses traffic that nobody meant.
    Measured by: plan table `roce_classes`: code points and priorities of each plane.
    Repair: different `dscp` and `priority` for each class under `planes.<plane>.roce`.
    Source: IEEE 802.1Q clause 6.9 (one priority per frame), RFC 2474.
    """
    rows = plan.table("roce_classes")
    if rows.is_empty():
        return nothing(_NONE)
    marked = rows.filter(pl.col("dscp").is_not_null()).group_by("plane").agg(pl.col("dscp").n_unique() == pl.len())
    # Notifications may not share the priority of RDMA either; that has a check of its own.
    plain = rows.filter(pl.col("traffic") != "cnp").group_by("plane")
    apart = plain.agg((pl.col("priority").n_unique() == pl.len()).alias("apart"))
    told = rows.sort("plane", "traffic").group_by("plane", maintain_order=True).agg(_told().str.join(", ").alias("told"))
    joined = told.join(marked, on="plane", how="left").join(apart, on="plane", how="left")
    return judge(
        joined,
        subject=pl.lit("roce:") + pl.col("plane"),
        ok=pl.col("dscp") & pl.col("apart"),
        expected=pl.lit("a code point and a priority for each class"),
        found=pl.col("told"),
    )


def _told() -> pl.Expr:
    dscp = pl.when(pl.col("dscp").is_null()).then(pl.lit("all other DSCP")).otherwise(pl.format("DSCP {}", "dscp"))
    return pl.format("{}: {} on priority {}", "traffic", dscp, "priority")


@check("DES-111", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("roce_classes", "expectations"), since="0.1")
def rdma_messages_fit_the_frames(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The MTU of every plane holds a full RDMA packet with its headers.

    Why: where it does not, the NIC takes the next smaller RDMA MTU by itself, and every message costs twice the packets.
    Measured by: plan table `roce_classes`: MTU of the interfaces, RDMA MTU, and the headers of RoCE v2.
    Repair: a larger `mtu_bytes`, or a smaller `rdma_mtu_bytes`, under `planes.<plane>.roce`.
    Source: InfiniBand architecture specification vol. 1, annex A17.
    """
    limit = threshold(plan, "DES-111")
    rows = plan.table("roce_classes").filter(pl.col("traffic") == "roce")
    if limit is None or rows.is_empty():
        return nothing(_NONE)
    needed = pl.col("rdma_mtu_bytes") + pl.lit(limit["limit"])
    return judge(
        rows,
        subject=pl.lit("roce:") + pl.col("plane"),
        ok=pl.col("mtu_bytes") >= needed,
        expected=pl.format("at least {}", amount(needed, "bytes")),
        found=amount(pl.col("mtu_bytes"), "bytes"),
    )


@check("DES-112", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("roce_buffers", "expectations"), since="0.1")
def headroom_fits_the_buffer(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The headroom of all lossless ports of a switch fits the part of its buffer that lossless traffic may reserve.

    Why: without headroom, frames that are under way when a port pauses its sender are dropped, and RDMA starts over.
    Measured by: plan table `roce_buffers`: headroom by rate and cable length against the buffer of the catalogue.
    Repair: shorter cables, another switch, or fewer lossless ports on one switch.
    Source: IEEE 802.1Q annex N; the share is that of the expectation.
    """
    limit = threshold(plan, "DES-112")
    rows = plan.table("roce_buffers")
    if limit is None or rows.is_empty():
        return nothing(_NONE)
    most = pl.col("buffer_bytes") * pl.lit(limit["limit"])
    return judge(
        rows,
        subject=pl.col("switch"),
        ok=pl.col("headroom_bytes") <= most,
        expected=pl.format("at most {}", amount(most, "bytes")),
        found=pl.format("{} for {} ports", amount(pl.col("headroom_bytes"), "bytes"), "ports"),
    )


@check("DES-113", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("roce_classes",), since="0.1")
def notifications_do_not_wait(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Congestion notifications travel on a priority other than the lossless one.

    Why: a notification that is paused with the traffic it is to slow arrives when the congestion is over.
    Measured by: plan table `roce_classes`: priority of notifications against lossless priorities of the plane.
    Repair: another `cnp_priority` under `planes.<plane>.roce`.
    Source: NVIDIA Cumulus Linux user guide, RoCE: notifications on priority 6, strict; RDMA on priority 3.
    """
    rows = plan.table("roce_classes")
    if rows.is_empty():
        return nothing(_NONE)
    lossless = rows.filter("pfc").select("plane", lossless="priority")
    pairs = rows.filter(pl.col("traffic") == "cnp").join(lossless, on="plane", how="left")
    return judge(
        pairs,
        subject=pl.lit("roce:") + pl.col("plane"),
        ok=pl.col("priority") != pl.col("lossless"),
        expected=pl.format("a priority other than {}", pl.col("lossless")),
        found=pl.format("priority {}", "priority"),
    )


@check("DES-114", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("roce_classes",), since="0.1")
def marking_begins_before_it_is_full(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The lower marking threshold lies below the upper one.

    Why: between the two the probability rises; without a slope every flow is told at once and all of them stop together.
    Measured by: plan table `roce_classes`.
    Repair: `ecn_min_kb` below `ecn_max_kb` under `planes.<plane>.roce`.
    Source: RFC 3168; RED as in RFC 2309 section 3.
    """
    rows = plan.table("roce_classes").filter("ecn")
    if rows.is_empty():
        return nothing(_NONE)
    return judge(
        rows,
        subject=pl.lit("roce:") + pl.col("plane"),
        ok=pl.col("ecn_min_bytes") < pl.col("ecn_max_bytes"),
        expected=pl.format("less than {}", amount(pl.col("ecn_max_bytes"), "bytes")),
        found=amount(pl.col("ecn_min_bytes"), "bytes"),
    )


@check("DES-115", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("roce_classes", "roce_ports"), since="0.1")
def planes_on_one_switch_have_one_map(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Planes that share a switch mark and queue RDMA alike.

    Why: maps and queues are those of the switch: what is set for one plane is set for the other, and one of the two is wrong.
    Measured by: plan tables `roce_ports` and `roce_classes`: classes of all planes with ports on a switch.
    Repair: the same `roce` settings for both planes, or switches of their own.
    Source: NVIDIA NVUE reference: `default-global` maps; SONiC: maps by switch.
    """
    ports = plan.table("roce_ports").filter(pl.col("role") != "host")
    if ports.is_empty():
        return nothing(_NONE)
    said = pl.format("{} DSCP {} priority {} queue {}", "traffic", pl.col("dscp").fill_null(-1), "priority", "traffic_class")
    classes = plan.table("roce_classes").sort("plane", "traffic").group_by("plane", maintain_order=True)
    told = classes.agg(said.str.join(", ").alias("said"))
    uses = ports.select("device", "plane").unique().join(told, on="plane", how="left").sort("device", "plane")
    rows = uses.group_by("device", maintain_order=True).agg(
        pl.col("said").n_unique().alias("maps"), pl.col("plane").str.join(" and ").alias("planes")
    )
    return judge(
        rows,
        subject=pl.col("device"),
        ok=pl.col("maps") == 1,
        expected=pl.lit("one map for all planes on the switch"),
        found=pl.format("{} maps of {}", "maps", "planes"),
    )
