"""PCI functions of a node that are planned GPUs and NICs, and the bridges above them.

The plan holds no PCI addresses: GPUs are the functions with a PCI id of the planned part, in the order of their addresses, and
a NIC is the function that a capture names as its RDMA device. A function that cannot be told is named by its address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, kept, plan_and
from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import GPU_FACT_TABLES
from asbuilt.model.facts_node import NODE_FACTS
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

NODE_KEY = ["node", "address"]
#: Tables of what machines tell of themselves.
_TOLD = tuple(s.name.removesuffix("_facts") + "_measured" for s in (*NODE_FACTS, *GPU_FACT_TABLES))


@kept(plan_and("pci_measured"))
def functions(plan: Plan, facts: Facts) -> pl.DataFrame:
    """One row per PCI function: what several reports say of it together.

    A link that several reports saw at different speeds has the highest: one of them was under load. Its width is the least.
    """
    import polars as pl

    rows = facts.tables["pci_measured"]
    first = ("parent", "class_id", "vendor_id", "device_id", "port_type", "payload_bytes", "read_request_bytes", "acs")
    return rows.group_by(NODE_KEY, maintain_order=True).agg(
        *(pl.col(c).drop_nulls().first() for c in first),
        *(pl.col(c).filter(pl.col(c) > 0).max().alias(c) for c in ("cap_gts", "cap_width", "now_gts")),
        pl.col("now_width").filter(pl.col("now_width") > 0).min(),
        *(pl.col(c).filter(pl.col("now_width").is_not_null()).first().fill_null(pl.col(c).first()) for c in EVIDENCE),
    )


def kinds(plan: Plan) -> pl.DataFrame:
    """id (vendor:device), kind, parts, gen, width of the planned GPUs and NICs; parts that share an id are one kind."""
    import polars as pl

    rows = plan.table("hardware").filter(pl.col("pci_ids").is_not_null())
    rows = rows.with_columns(pl.col("pci_ids").str.to_lowercase().str.split("+").alias("id")).explode("id")
    return rows.group_by("id", maintain_order=True).agg(
        pl.col("kind").first(), pl.col("part").alias("parts"), pl.col("pcie_gen").max().alias("gen"),
        pl.col("pcie_width").max().alias("width"),
    )  # fmt: skip


@kept(plan_and("pci_measured", "nic_function_measured"))
def devices(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`functions` that are of a planned kind, with id, kind, gen, width and ``subject`` (gpu:, nic: or node:…#address).

    Where a capture names the cards of a node, those that it does not name as planned are strangers, and left out.
    """
    import polars as pl

    rows = functions(plan, facts).with_columns(pl.format("{}:{}", "vendor_id", "device_id").str.to_lowercase().alias("id"))
    rows = rows.join(kinds(plan), on="id", how="inner", maintain_order="left")
    rows = rows.join(plan.table("nodes").select("node"), on="node", how="semi").sort("node", "kind", "address")
    slot = pl.int_range(pl.len()).over("node", "kind")
    rows = rows.with_columns(slot.alias("slot"), pl.len().over("node", "kind").alias("seen"))
    planned = plan.table("gpus").select(
        "gpu", "node", "slot", pl.len().over("node").alias("planned"), pl.lit("gpu").alias("kind")
    )
    rows = rows.join(planned, on=["node", "kind", "slot"], how="left", maintain_order="left")
    gpu = pl.when(pl.col("seen") == pl.col("planned")).then("gpu")
    rows = rows.join(_named(plan, facts), on=NODE_KEY, how="left", maintain_order="left")
    told = pl.col("nic").is_not_null().any().over("node")
    rows = rows.filter((pl.col("kind") != "nic") | pl.col("nic").is_not_null() | ~told)
    subject = pl.coalesce(gpu, "nic", pl.format("{}#{}", "node", "address"))
    return rows.with_columns(subject.alias("subject")).drop("gpu", "planned", "slot", "seen")


def _named(plan: Plan, facts: Facts) -> pl.DataFrame:
    """node, address, nic: planned NIC ports whose PCI address a capture tells; one of each address."""
    import polars as pl

    nics = plan.table("nics").select("nic", "node", "device")
    if not facts.has("nic_function_measured"):
        return nics.select("node", pl.col("device").alias("address"), "nic").clear()
    seen = facts.tables["nic_function_measured"].select("node", "address", pl.col("rdma").alias("device")).drop_nulls()
    return (
        seen.unique()
        .join(nics, on=["node", "device"], how="inner")
        .unique(NODE_KEY, keep="first", maintain_order=True)
        .select(*NODE_KEY, "nic")
    )


@kept(plan_and("pci_measured", "nic_function_measured"))
def paths(plan: Plan, facts: Facts) -> pl.DataFrame:
    """node, address, subject of every device, with each function of its path: ``at``, ``step`` (0 for itself), its link."""
    import polars as pl

    every = functions(plan, facts)
    like = every.select(
        "node", pl.col("address").alias("at"), "parent", "cap_gts", "cap_width", "now_gts", "now_width", "acs", "port_type"
    )
    here = devices(plan, facts).select(*NODE_KEY, "subject", pl.col("address").alias("at"))
    found, step = [], 0
    while not here.is_empty():
        here = here.join(like, on=["node", "at"], how="inner", maintain_order="left")
        found.append(here.with_columns(pl.lit(step).alias("step")))
        step += 1
        above = here.select(*NODE_KEY, "subject", pl.col("parent").alias("at")).filter(pl.col("at").is_not_null())
        done = pl.concat([f.select(*NODE_KEY, "at") for f in found])
        here = above.join(done, on=[*NODE_KEY, "at"], how="anti", maintain_order="left")
    return pl.concat(found) if found else here.join(like, on=["node", "at"], how="inner").with_columns(pl.lit(0).alias("step"))


def machines(plan: Plan, facts: Facts) -> pl.DataFrame:
    """node, system and the traits of every planned compute node that told anything of itself; the rest gave no archive."""
    import polars as pl

    nodes = plan.table("nodes").filter(pl.col("role") == "compute").select("node", "system")
    left = nodes["node"].unique(maintain_order=True)
    for frame in sorted((facts.tables[t] for t in _TOLD if facts.has(t)), key=lambda f: f.height):
        if left.is_empty():
            break  # a row for each machine: the tables of a thousand rows each need not be looked through
        told = frame["node"].filter(frame["node"].is_in(left.implode())).unique()
        left = left.filter(~left.is_in(told.implode()))
    nodes = nodes.filter(~pl.col("node").is_in(left.implode()))
    return nodes.join(plan.table("node_traits"), on="system", how="left", maintain_order="left")


def usual(rows: pl.DataFrame, *values: str) -> pl.DataFrame:
    """``rows`` (with `system`) with ``most_<value>``: what most nodes of the system show: more than half of several."""
    import polars as pl

    for value in values:
        known = rows.filter(pl.col(value).is_not_null())
        counted = known.group_by("system", value).agg(pl.len().alias("_n")).sort("_n", value, descending=[True, False])
        counted = counted.with_columns(pl.col("_n").sum().over("system").alias("_all")).filter(pl.col("_all") > 1)
        counted = counted.filter(pl.col("_n") * 2 > pl.col("_all"))
        first = counted.unique("system", keep="first", maintain_order=True).select(
            "system", pl.col(value).alias(f"most_{value}")
        )
        rows = rows.join(first, on="system", how="left", maintain_order="left")
    return rows


def counted(number: pl.Expr, one: str, many: str) -> pl.Expr:
    """``1 socket``, ``2 sockets``; null stays null."""
    import polars as pl

    return (
        pl.when(number == 1).then(pl.format("{} {}", number, pl.lit(one))).otherwise(pl.format("{} {}", number, pl.lit(many)))
    )
