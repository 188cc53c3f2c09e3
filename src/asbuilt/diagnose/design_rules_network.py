"""Findings of the design checks on addresses and on RDMA over Ethernet: see `design_rule.Rule`."""

from __future__ import annotations

import polars as pl

from asbuilt.diagnose import design_context as context
from asbuilt.diagnose.design_rule import Rule
from asbuilt.model.plan import Plan

_AGAIN = "put the old value back in cluster.yaml and run `asbuilt plan`"


def of_network(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """Subject is a network, or a stem of several: adds ``plane supernet``."""
    pools = plan.table("address_pools").select("plane", "supernet", whole="network")
    stems = pools.with_columns(pl.col("whole").str.replace(r"-b\d+$", ""))
    every = pl.concat([pools, stems]).unique("whole", keep="first", maintain_order=True)
    named = rows.with_columns(pl.col("subject").str.replace(r"^network:", "").alias("whole"))
    return named.join(every, on="whole", how="left", maintain_order="left")


def of_address(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """Subject is ``address:<device>/<interface>``: adds ``plane network name``."""
    table = plan.table("addresses").select(
        "plane", "network", "name", subject=pl.format("address:{}/{}", "device", "interface")
    )
    return rows.join(table, on="subject", how="left", maintain_order="left")


def of_traffic(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """Subject is ``roce:<plane>`` or ``roce:<plane>/<traffic>``: adds ``plane``."""
    return rows.with_columns(pl.col("subject").str.extract(r"^roce:([a-z]+)").alias("plane"))


NETWORK_RULES: dict[str, Rule] = {
    "DES-100": Rule(
        of_network,
        ("plane",),
        "networks:{plane}",
        "networks of {plane} are cut from a range that another plane has as well: {found}",
        ("give {plane} a range of its own under `addresses.pools`", "give the other plane one"),
        _AGAIN,
    ),
    "DES-101": Rule(
        of_network,
        ("plane",),
        "networks:{plane}",
        "the range {supernet} of {plane} is too small: {found}",
        ("a larger range for {plane} under `addresses.pools`",),
        _AGAIN,
    ),
    "DES-102": Rule(
        of_network,
        ("plane",),
        "networks:{plane}",
        "the range {supernet} of {plane} does not hold the growth target: {expected} is asked for, there is {found}",
        ("a larger range for {plane} under `addresses.pools`", "a lower target under `growth.gpus`"),
        _AGAIN,
    ),
    "DES-103": Rule(
        of_network,
        ("plane", "supernet"),
        "networks:{plane}",
        "{plane} has the range {supernet}, which is not for private use: somebody else may announce it",
        ("a private range for {plane} under `addresses.pools`",),
        _AGAIN,
    ),
    "DES-104": Rule(
        of_address,
        ("plane",),
        "addresses:{plane}",
        "names of {plane} cannot stand in DNS ({count}): {found}",
        ("change `node_names` or the switches' `names` to letters, digits and hyphens that tell every device apart",),
        _AGAIN,
    ),
    "DES-105": Rule(
        of_network,
        ("found",),
        "networks:vlan",
        "{found}: they would be one broadcast domain, or no VLAN at all",
        ("other VLANs under `addresses.pools`; the networks of a plane count up from the one stated",),
        _AGAIN,
    ),
    "DES-106": Rule(
        of_address,
        ("plane",),
        "addresses:{plane}",
        "addresses of {plane} are given twice or stand where no host may be ({count}): {found}",
        ("give each interface an address of its own within its network",),
        "restore the plan: `asbuilt plan`",
    ),
    "DES-110": Rule(
        of_traffic,
        ("subject",),
        "{subject}",
        "traffic classes of the {plane} plane cannot be told apart: {found}",
        ("different `dscp` and `priority` for RDMA and for notifications under `planes.{plane}.roce`",),
        _AGAIN,
    ),
    "DES-111": Rule(
        of_traffic,
        ("subject",),
        "{subject}",
        "a full RDMA message does not fit a frame of the {plane} plane: {found}",
        ("a larger `mtu_bytes` under `planes.{plane}.roce`", "a smaller `rdma_mtu_bytes`"),
        _AGAIN,
    ),
    "DES-112": Rule(
        context.of_switch,
        ("plane", "role", "model"),
        "switches:{plane}/{role}",
        "the lossless ports of a {plane} {role} switch ({model}) need more headroom than its buffer may give: {found}",
        ("shorter cables between these switches", "a switch with a larger buffer", "fewer lossless ports on a switch"),
        _AGAIN,
    ),
    "DES-113": Rule(
        of_traffic,
        ("subject",),
        "{subject}",
        "notifications of the {plane} plane wait behind the traffic that they are to slow: {found}",
        ("another `cnp_priority` than `priority` under `planes.{plane}.roce`",),
        _AGAIN,
    ),
    "DES-114": Rule(
        of_traffic,
        ("subject",),
        "{subject}",
        "the marking thresholds of the {plane} plane make no slope: {found}",
        ("`ecn_min_kb` below `ecn_max_kb` under `planes.{plane}.roce`",),
        _AGAIN,
    ),
    "DES-115": Rule(
        context.of_switch,
        ("plane", "role", "model"),
        "switches:{plane}/{role}",
        "a {plane} {role} switch ({model}) carries planes with different settings for RDMA: {found}",
        ("the same `roce` settings for these planes", "switches of their own for one of them (no `share`)"),
        _AGAIN,
    ),
}
