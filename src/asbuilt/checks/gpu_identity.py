"""Which GPUs a node has: how many, of which model, at which addresses, with how much memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, holds, judge, threshold, untold
from asbuilt.checks.gpu_reports import KEY, of_model, shown, tellers, told
from asbuilt.checks.node_devices import counted, functions, machines, usual
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "gpus", "node_traits", "hardware")


@check("GPU-001", layer=Layer.NODE, needs=NEEDS, facts=(), since="0.1")
def gpus_are_all_there(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned GPU is seen by its driver and on the PCI bus, and no other.

    Why: a job of eight ranks does not start on seven GPUs. A GPU that the bus shows and the driver does not has failed to start
    or has fallen off; one that neither shows has no link, no power, or is not seated.
    Measured by: nvidia-smi --query-gpu=index,pci.bus_id --format=csv, and lspci -vv.
    Repair: read dmesg for XID 79 and RmInitAdapter, power the node off and on (no warm reboot), reseat, then swap the GPU.
    Source: plan table `gpus`.
    """
    import polars as pl

    by = tellers(plan, facts).join(
        machines(plan, facts).select("node", "system"), on="node", how="inner", maintain_order="left"
    )
    planned = plan.table("gpus").select("node", "gpu", pl.len().over("node").alias("want"))
    by = by.join(planned.select("node", "want").unique(), on="node", how="inner", maintain_order="left")
    if by.is_empty():
        return untold("the GPUs of a planned node")
    seen = shown(plan, facts)
    strange = seen.group_by("node").agg(
        pl.col("gpu").is_null().any().alias("strange"), pl.col("driver").sum().alias("in_driver"),
        pl.col("bus").sum().alias("on_bus"), *(pl.col(c).first().alias(f"first_{c}") for c in EVIDENCE),
    )  # fmt: skip
    by = by.join(strange, on="node", how="left", maintain_order="left").with_columns(
        pl.col("strange").fill_null(True), pl.col("in_driver", "on_bus").fill_null(0)
    )
    each = by.filter(~pl.col("strange")).join(planned.select("node", "gpu"), on="node", how="left", maintain_order="left")
    there = seen.filter(pl.col("gpu").is_not_null()).select("gpu", "driver", "bus", *EVIDENCE)
    each = each.join(there, on="gpu", how="left", maintain_order="left")
    rows = pl.concat([each, by.filter("strange")], how="diagonal")
    rows = rows.with_columns(pl.col("driver", "bus").fill_null(False))
    driver, bus = pl.col("driver") | ~pl.col("by_driver"), pl.col("bus") | ~pl.col("by_bus")
    rows = rows.with_columns(
        *(pl.coalesce(c, f"first_{c}").alias(c) for c in EVIDENCE),
        pl.when("by_driver").then(pl.format("{} in the driver", "in_driver")).alias("said_driver"),
        pl.when("by_bus").then(pl.format("{} on the PCI bus", "on_bus")).alias("said_bus"),
    )
    numbers = pl.concat_str("said_driver", "said_bus", separator=", ", ignore_nulls=True)
    lacking = (
        pl.when(pl.col("gpu").is_null())
        .then(numbers)
        .when("bus")
        .then(pl.lit("on the PCI bus, not in the driver"))
        .when("driver")
        .then(pl.lit("in the driver, not on the PCI bus"))
        .otherwise(pl.format("not there: {}", numbers))
    )
    return judge(
        rows,
        subject=pl.coalesce("gpu", "node"),
        ok=pl.col("gpu").is_not_null() & driver & bus,
        expected=counted(pl.col("want"), "GPU", "GPUs"),
        found=lacking,
        evidence=EVIDENCE,
    )


@check("GPU-002", layer=Layer.NODE, needs=NEEDS, facts=(), since="0.1")
def gpus_are_of_the_model(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every GPU is of the planned model, by its PCI id where the bus tells it, else by the name that the driver prints.

    Why: one GPU of a slower model, or of one with less memory, sets the pace and the batch size of the whole job.
    Measured by: lspci -nn or -vv (vendor:device), nvidia-smi --query-gpu=name --format=csv.
    Repair: compare with the delivery note; have the GPU or the node exchanged.
    Source: plan columns `hardware.pci_ids`, `hardware.shown_as`.
    """
    import polars as pl

    rows = of_model(plan, shown(plan, facts))
    names = told(plan, facts, ("name",), pl.lit(False)) if facts.has("gpu_measured") else None
    none = pl.lit(None, dtype=pl.String)
    rows = (
        rows.join(names.select(*KEY, "name"), on=KEY, how="left", maintain_order="left")
        if names is not None
        else rows.with_columns(none.alias("name"))
    )
    if facts.has("pci_measured"):
        id = pl.format("{}:{}", "vendor_id", "device_id").str.to_lowercase().alias("id")
        ids = functions(plan, facts).select("node", pl.col("address").alias("key"), id)
        rows = rows.join(ids, on=KEY, how="left", maintain_order="left")
    else:
        rows = rows.with_columns(none.alias("id"))
    rows = rows.filter(pl.col("gpu").is_not_null() & (pl.col("name").is_not_null() | pl.col("id").is_not_null()))
    if rows.is_empty():
        return untold("the model of a planned GPU")
    by_id = holds(pl.col("pci_ids").str.to_lowercase(), pl.col("id"))
    by_name = holds(pl.col("shown_as").str.replace_all("|", "+", literal=True), pl.col("name"))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.coalesce(by_id, by_name),
        expected=pl.coalesce("part_name", "model"),
        found=pl.concat_str("name", "id", separator=", PCI id ", ignore_nulls=True),
        evidence=EVIDENCE,
    )


@check("GPU-003", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS, facts=(), since="0.1")
def addresses_are_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every GPU has the PCI address that the same slot has on most nodes of its system.

    Why: affinity files, rail order and topology files are made once for all nodes; a node whose buses are numbered otherwise
    runs them against the wrong GPUs, with no error. Usually a riser, a BIOS option or an added card differs.
    Measured by: nvidia-smi --query-gpu=index,pci.bus_id --format=csv, or lspci.
    Repair: compare BIOS version, BIOS settings and slot population with a good node; capture again.
    Source: most nodes of the system.
    """
    import polars as pl

    rows = shown(plan, facts).filter(pl.col("gpu").is_not_null() & ~pl.col("key").str.starts_with("GPU "))
    if rows.is_empty():
        return untold("the PCI address of a planned GPU")
    system = pl.format("{}/{}", "system", "place").alias("system")
    rows = usual(rows.with_columns(system), "key")
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("key") == pl.col("most_key"),
        applies=pl.col("most_key").is_not_null(),
        expected=pl.format("{} as on most nodes of the system", "most_key"),
        found=pl.col("key"),
        evidence=EVIDENCE,
    )


@check("GPU-004", layer=Layer.NODE, needs=(*NEEDS, "expectations"), facts=("gpu_measured",), since="0.1")
def memory_has_its_size(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every GPU shows the memory that its model has.

    Why: a GPU with less memory than its peers ends a job that fits everywhere else; it is another model, or has lost banks.
    Measured by: nvidia-smi --query-gpu=memory.total --format=csv.
    Repair: compare model and part number; reset the GPU; if memory is still missing, have it exchanged.
    Source: plan column `hardware.memory_mib` less the tolerance of GPU-004; where the plan is silent, most GPUs of the model.
    """
    import polars as pl

    limit = threshold(plan, "GPU-004", "share")
    rows = told(plan, facts, ("memory_mib",), pl.lit(False))
    if rows is None:
        return untold("the memory of a GPU")
    rows = of_model(plan, rows).with_columns(pl.col("model").alias("system"))
    rows = usual(rows, "memory_mib")
    want = pl.coalesce("part_mib", "most_memory_mib")
    share = pl.lit(limit["limit"] if limit else None, dtype=pl.Float64)
    alike = pl.when(pl.col("part_mib").is_null()).then(pl.lit(" as most GPUs of the model")).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("memory_mib") >= want * share,
        applies=want.is_not_null() & pl.col("gpu").is_not_null(),
        expected=pl.format("{}{}", amount(want, "MiB"), alike),
        found=pl.when(pl.col("memory_mib").is_not_null())
        .then(amount(pl.col("memory_mib"), "MiB"))
        .otherwise(pl.lit("the driver prints no size of its memory")),
        evidence=EVIDENCE,
    )
