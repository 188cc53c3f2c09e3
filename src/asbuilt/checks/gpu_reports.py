"""What reports say of each planned GPU: which GPU a row of a tool is about, and which row of several counts.

The plan holds no PCI addresses: the GPUs of a node are its slots in the order of their addresses. Where a node shows fewer than
planned, a slot is told by the address that it has on most nodes of the system.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, kept, plan_and
from asbuilt.checks.node_devices import functions, kinds
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

#: How a GPU is told before its slot is: by PCI address, else by the index of the driver.
KEY = ["node", "key"]
_ADDRESS = r"^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$"
#: PCI base classes of GPUs (display, processing accelerator), and of bridges.
_CLASSES, _BRIDGE = ["03", "12"], "06"


@kept(plan_and("gpu_measured"))
def rows_by_key(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`gpu_measured` of planned nodes with ``key``: the PCI address, where any report of the node ties the row to one.

    Rows that tell neither address nor index nor UUID are of no GPU in particular, and are left out.
    """
    import polars as pl

    rows = facts.tables["gpu_measured"].join(plan.table("nodes").select("node"), on="node", how="semi", maintain_order="left")
    for told in ("uuid", "index"):
        pairs = (
            rows.select("node", told, pl.col("address").alias("by"))
            .drop_nulls()
            .unique(["node", told], keep="last", maintain_order=True)
        )
        rows = rows.join(pairs, on=["node", told], how="left", maintain_order="left")
        rows = rows.with_columns(pl.coalesce("address", "by").alias("address")).drop("by")
    key = pl.coalesce("address", pl.format("GPU {}", "index"), "uuid")
    return rows.with_columns(key.alias("key")).filter(pl.col("key").is_not_null())


@kept(plan_and("gpu_measured", "pci_measured"))
def shown(plan: Plan, facts: Facts) -> pl.DataFrame:
    """One row per node and GPU that driver or bus shows: key, index, driver, bus (each shows it), subject, evidence.

    ``subject`` is the planned GPU, or ``node:…#<key>`` where the slot cannot be told.
    """
    import polars as pl

    parts = []
    if facts.has("gpu_measured"):
        rows = rows_by_key(plan, facts).with_columns(pl.lit(True).alias("driver"), pl.lit(False).alias("bus"))
        parts.append(rows.select(*KEY, "index", "driver", "bus", *EVIDENCE))
    if facts.has("pci_measured"):
        bus = _on_bus(plan, facts).select(*KEY, "index", "driver", "bus", *EVIDENCE)
        # A driver's list without addresses (nvidia-smi -L) cannot be held against the bus one by one.
        bare = [p.filter(~pl.col("key").str.contains(_ADDRESS))["node"] for p in parts]
        parts.append(bus.filter(~pl.col("node").is_in(pl.concat(bare).implode())) if bare else bus)
    if not parts:
        none = {"node": pl.String, "key": pl.String, "index": pl.Int64, "driver": pl.Boolean, "bus": pl.Boolean}
        empty = pl.DataFrame(schema=none | {"capture_id": pl.String, "line": pl.Int64})
        return _slots(plan, empty)
    seen = pl.concat(parts).group_by(*KEY, maintain_order=True).agg(
        pl.col("index").drop_nulls().first(), pl.col("driver").any(), pl.col("bus").any(),
        *(pl.col(c).first() for c in EVIDENCE),
    )  # fmt: skip
    return _slots(plan, seen)


def gpu_ids(plan: Plan) -> list[str]:
    """PCI ids (vendor:device) of the planned GPUs."""
    import polars as pl

    return kinds(plan).filter(pl.col("kind") == "gpu")["id"].to_list()


def _on_bus(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Display and accelerator functions of the makers of the planned GPUs, whatever their model."""
    import polars as pl

    ids = gpu_ids(plan)
    made = pl.col("vendor_id").str.to_lowercase().is_in(sorted({i.partition(":")[0] for i in ids}))
    kind = pl.col("class_id").str.slice(0, 2).is_in(_CLASSES)
    id = pl.format("{}:{}", "vendor_id", "device_id").str.to_lowercase()
    rows = functions(plan, facts).with_columns(id.alias("id"))
    rows = rows.filter((made & kind).fill_null(False) | pl.col("id").is_in(ids).fill_null(False))
    rows = rows.join(plan.table("nodes").select("node"), on="node", how="semi", maintain_order="left")
    none = pl.lit(None, dtype=pl.Int64).alias("index")
    return rows.with_columns(pl.col("address").alias("key"), none, pl.lit(False).alias("driver"), pl.lit(True).alias("bus"))


def tellers(plan: Plan, facts: Facts) -> pl.DataFrame:
    """node, by_driver, by_bus: what told the GPUs of a node. A list of PCI functions tells them if it holds bridges too."""
    import polars as pl

    seen = (
        shown(plan, facts).group_by("node").agg(pl.col("driver").any().alias("by_driver"), pl.col("bus").any().alias("by_bus"))
    )
    bare = shown(plan, facts).filter(~pl.col("key").str.contains(_ADDRESS))["node"].unique()
    whole = pl.Series("node", [], dtype=pl.String)
    if facts.has("pci_measured") and gpu_ids(plan):
        whole = facts.tables["pci_measured"].filter(pl.col("class_id").str.starts_with(_BRIDGE))["node"].unique()
    rows = plan.table("nodes").select("node").join(seen, on="node", how="left", maintain_order="left")
    rows = rows.with_columns(
        pl.col("by_driver").fill_null(False),
        (pl.col("by_bus").fill_null(False) | pl.col("node").is_in(whole.implode())) & ~pl.col("node").is_in(bare.implode()),
    )
    return rows.filter(pl.col("by_driver") | pl.col("by_bus"))


def _slots(plan: Plan, seen: pl.DataFrame) -> pl.DataFrame:
    """``seen`` with the slot of every GPU: its place among the node's addresses, else the slot that most nodes have there."""
    import polars as pl

    address = pl.when(pl.col("key").str.contains(_ADDRESS)).then("key")
    seen = seen.sort("node", address, "index", "key", nulls_last=True, maintain_order=True)
    planned = plan.table("gpus").select("node", "slot", "gpu", pl.len().over("node").alias("planned"))
    place = pl.int_range(pl.len()).over("node").alias("place")
    seen = seen.with_columns(place, pl.len().over("node").alias("count"))
    whole = planned.select("node", "planned").unique()
    seen = seen.join(whole, on="node", how="left", maintain_order="left")
    ordered = planned.sort("node", "slot").with_columns(pl.int_range(pl.len()).over("node").alias("place"))
    at = addresses(plan, seen.filter(pl.col("count") == pl.col("planned")))
    system = plan.table("nodes").select("node", "system")
    seen = seen.join(system, on="node", how="left", maintain_order="left").join(
        at, on=["system", "key"], how="left", maintain_order="left"
    )
    right = pl.when(pl.col("count") == pl.col("planned")).then("place").otherwise("usual_place")
    seen = seen.with_columns(right.alias("place"))
    seen = seen.join(ordered.select("node", "place", "gpu"), on=["node", "place"], how="left", maintain_order="left")
    subject = pl.coalesce("gpu", pl.format("{}#{}", "node", "key"))
    names = ("index", "driver", "bus", *EVIDENCE)
    return seen.select(*KEY, *names, subject.alias("subject"), "gpu", "place", "count", "planned", "system")


def addresses(plan: Plan, whole: pl.DataFrame) -> pl.DataFrame:
    """system, key, usual_place: the address of each place on most of the nodes that show all their GPUs (``whole``)."""
    import polars as pl

    rows = whole.join(plan.table("nodes").select("node", "system"), on="node", how="left").select("system", "place", "key")
    counted = rows.group_by("system", "place", "key").agg(pl.len().alias("n")).sort("n", "key", descending=[True, False])
    counted = counted.filter(pl.col("n") * 2 > pl.col("n").sum().over("system", "place"))
    return counted.unique(["system", "key"], keep="first", maintain_order=True).select(
        "system", "key", pl.col("place").alias("usual_place")
    )


@kept(plan_and("gpu_measured", "pci_measured"))
def reports(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`gpu_measured` with ``subject`` in front: which planned GPU each row is about."""
    import polars as pl

    rows = rows_by_key(plan, facts)
    called = shown(plan, facts).select(*KEY, "subject", "gpu")
    return rows.join(called, on=KEY, how="left", maintain_order="left").with_columns(pl.col("subject"))


def told(plan: Plan, facts: Facts, columns: tuple[str, ...], bad: pl.Expr) -> pl.DataFrame | None:
    """One row per GPU that the driver shows: of its reports that tell any of ``columns`` a bad one, else the fullest.

    A GPU with no such report has nulls. None when no report of any GPU tells any of them: then nobody gave such a capture.
    """
    import polars as pl

    rows = reports(plan, facts)
    known = pl.sum_horizontal(pl.col(c).is_not_null() for c in columns)
    rows = rows.with_columns(known.alias("_known"), bad.fill_null(False).alias("bad"))
    if not (rows["_known"] > 0).any():
        return None
    rows = rows.sort("bad", "_known", descending=True, maintain_order=True)
    return rows.unique(KEY, keep="first", maintain_order=True).drop("_known")


def of_model(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` (with `gpu`) with what the plan says of the GPU's part: model, shown_as, pci_ids, memory_mib, nvlinks, …"""
    import polars as pl

    parts = plan.table("hardware").filter(pl.col("kind") == "gpu").select(
        pl.col("part").alias("model"), pl.col("name").alias("part_name"), "shown_as", "pci_ids",
        pl.col("memory_mib").alias("part_mib"), "nvlinks", "nvlink_gbytes_s",
    )  # fmt: skip
    models = plan.table("gpus").select("gpu", "model", "slot")
    rows = rows.join(models, on="gpu", how="left", maintain_order="left")
    return rows.join(parts, on="model", how="left", maintain_order="left")


def joined(parts: Sequence[pl.Expr], between: str = ", ") -> pl.Expr:
    """The parts that are not null, as one text; null when all are."""
    import polars as pl

    text = pl.concat_str(*parts, separator=between, ignore_nulls=True)
    return pl.when(text != "").then(text)
