"""The hops of RDMA over Ethernet beside what their devices answered. No check is here.

A hop is one port end of `roce_ports`, within the scope of the plan's links. Facts name a device by its display name (or its
key) and a port by its interface; what a device says of itself as a whole holds for every port that it says nothing else of.
"""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import once
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan

READ = ("value", "text", "capture_id", "line")


@once
def hops(plan: Plan) -> pl.DataFrame:
    """Planned port ends in scope with ``subject`` and, of their plane, ``roce_*`` and ``cnp_*``: dscp, priority, queue."""
    ports = scoped(plan, "roce_ports")
    if not plan.has("roce_classes"):
        return ports
    for traffic in ("roce", "cnp"):
        chosen = plan.table("roce_classes").filter(pl.col("traffic") == traffic)
        named = {f"{traffic}_{c}": c for c in ("dscp", "priority")} | {f"{traffic}_queue": "traffic_class"}
        kept = [pl.col(c).alias(n) for n, c in named.items()]
        if traffic == "roce":
            kept.append(pl.col("ecn_probability"))
        ports = ports.join(chosen.select("plane", *kept), on="plane", how="left", maintain_order="left")
    return ports


def scoped(plan: Plan, table: str) -> pl.DataFrame:
    """Rows of `roce_ports` or `ethernet_ports` whose link is in scope, with ``subject``: the end port's key."""
    ports = plan.table(table)
    if plan.has("links"):
        ports = ports.join(plan.table("links").select("link"), on="link", how="semi", maintain_order="left")
    nic = pl.format("{}/{}", "device", "interface")
    subject = pl.when(pl.col("role") == "host").then(nic).otherwise(pl.format("{}#0/{}", "device", "port"))
    return ports.with_columns(subject.alias("subject"))


def resolved(plan: Plan, frame: pl.DataFrame) -> pl.DataFrame:
    """``frame`` (fact rows with ``device``) with the plan's device keys; rows of other devices are left out."""
    known = plan.table("ethernet_ports" if plan.has("ethernet_ports") else "roce_ports")
    ports = known.select("device", "name").unique(maintain_order=True)
    names = pl.concat([ports.select("device", said="name"), ports.select("device", said="device")])
    names = names.unique("said", keep="first", maintain_order=True)
    return frame.rename({"device": "said"}).join(names, on="said", how="inner", maintain_order="left")


def settings(plan: Plan, facts: Facts, setting: str) -> pl.DataFrame:
    """Rows of one setting: device, interface (null: the whole device), index, value, text, capture_id, line. The last row
    of a port stands."""
    rows = resolved(plan, facts.tables["roce_facts"].filter(pl.col("setting") == setting))
    rows = rows.unique(["device", "interface", "index"], keep="last", maintain_order=True)
    return rows.select("device", "interface", "index", *READ)


def interfaces(plan: Plan, facts: Facts) -> pl.DataFrame:
    """State of every interface that was read: device, interface, oper, admin, speed_gbps, mtu_bytes, capture_id, line.

    What is in use stands before what is only configured; an interface is known by its name or by its alias.
    """
    rows = resolved(plan, facts.tables["interface_facts"])
    kept = ("oper", "admin", "speed_gbps", "mtu_bytes", "capture_id", "line")
    named = pl.concat(
        [
            rows.select("device", "interface", "configured", *kept),
            rows.filter(pl.col("alias").is_not_null()).select("device", "configured", *kept, interface="alias"),
        ],
        how="diagonal",
    )
    first = named.sort("configured", maintain_order=True)
    known = [pl.col(c).drop_nulls().first() for c in kept[: kept.index("capture_id")]]
    return (
        first.group_by("device", "interface", maintain_order=True)
        .agg(*known, pl.col("capture_id").first(), pl.col("line").first())
        .rename({"speed_gbps": "speed_found", "mtu_bytes": "mtu_found"})
    )


def beside(ports: pl.DataFrame, rows: pl.DataFrame, at: str | None = None) -> pl.DataFrame:
    """``ports`` with all further columns of their row in ``rows``: the port's own, else that of its device as a whole.

    ``at`` is the column of ``ports`` that the row's index must equal; None takes any index.
    """
    left = ["device", *([at] if at is not None else [])]
    right = ["device", *(["index"] if at is not None else [])]
    told = [c for c in rows.columns if c not in ("device", "interface", "index")]
    own = rows.filter(pl.col("interface").is_not_null()).select(*right, "interface", *told)
    own = own.unique([*right, "interface"], keep="last", maintain_order=True)
    out = ports.join(own, left_on=[*left, "interface"], right_on=[*right, "interface"], how="left", maintain_order="left")
    whole = rows.filter(pl.col("interface").is_null()).select(*right, *(pl.col(c).alias(f"{c}_all") for c in told))
    out = out.join(
        whole.unique(right, keep="last", maintain_order=True), left_on=left, right_on=right, how="left", maintain_order="left"
    )
    silent = pl.col("capture_id").is_null()
    picked = [pl.when(silent).then(pl.col(f"{c}_all")).otherwise(pl.col(c)).alias(c) for c in told]
    return out.with_columns(picked).drop([f"{c}_all" for c in told])


def with_peer(frame: pl.DataFrame, said: str) -> pl.DataFrame:
    """``frame`` with ``peer_said``: column ``said`` of the far end of each hop's link."""
    far = frame.select(pl.col("device").alias("peer"), pl.col("interface").alias("peer_interface"), peer_said=said)
    return frame.join(far, on=["peer", "peer_interface"], how="left", maintain_order="left")


def and_far_end(said: pl.Expr) -> pl.Expr:
    """What was found at a hop and, where it was read too, at the far end of its link."""
    far = pl.when(pl.col("peer_said").is_null()).then(pl.lit("")).otherwise(pl.format(" (far end: {})", "peer_said"))
    return pl.format("{}{}", said, far)
