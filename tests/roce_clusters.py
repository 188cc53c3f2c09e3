"""Small Ethernet clusters with RDMA for tests: two blocks of servers, leaves per rail, spines above."""

from __future__ import annotations

import dataclasses
import functools

from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Plane, Planes, Requirement, Roce, Tier
from asbuilt.plan.canonical import named
from asbuilt.plan.expand import expand

CATALOGUE = load()


@functools.cache
def roce_cluster(gpus: int = 48, roce: Roce | None = None) -> Plan:
    """HGX servers on leaves of four node slots: with 48 GPUs 6 servers, 16 leaves, one or more spines."""
    leaf = Tier(switch="sn5600", split=True, names="leaf-{block:02d}-{rail:02d}")
    spine = Tier(switch="sn5600", split=True, names="spine-{index:02d}")
    compute = Plane(
        technology="ethernet",
        layout="rail-optimised",
        rails=8,
        link_gbps=400,
        uplink_gbps=400,
        nodes_per_leaf=4,
        leaf=leaf,
        spine=spine,
        roce=roce,
    )
    asked = Requirement(name="small-roce", system="hgx-b200", gpus=gpus, fabric="roce", planes=Planes(compute=compute))
    return named(expand(resolve(asked, CATALOGUE), CATALOGUE), CATALOGUE)


@functools.cache
def few_leaves(roce: Roce | None = None) -> Plan:
    """The cluster with the links of three leaves only, two of one rail: quick to render and to read."""
    import polars as pl

    plan = roce_cluster(roce=roce)
    keep = pl.col("a_device").is_in([f"sw:compute/leaf-b{b:03d}-r{r}" for b, r in ((0, 0), (1, 0), (0, 1))])
    links = plan.links.filter(keep)
    ports = {
        name: plan.table(name).join(links.select("link"), on="link", how="semi") for name in ("roce_ports", "ethernet_ports")
    }
    return dataclasses.replace(plan, tables={**plan.tables, "links": links, **ports})
