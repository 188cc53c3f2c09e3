"""Modes of GPUs, and what their driver alone tells of their PCIe link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge, nothing, threshold, untold
from asbuilt.checks.gpu_reports import joined, of_model, told
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "gpus", "node_traits", "hardware", "expectations")
GPUS = ("gpu_measured",)
_MODES = {"ecc": "ECC", "mig": "multi-instance mode"}


@check("GPU-014", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS, facts=GPUS, since="0.1")
def links_do_not_replay(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The driver has counted no more PCIe replays than it may, and without a list of PCI functions shows the planned link.

    Why: replays are packets sent twice over a marginal contact. Width and generation are judged by lspci (NOD-020 to NOD-022);
    only for a node that gave no such list the driver's word counts: the most that GPU and slot can do, and lanes in use.
    Measured by: nvidia-smi -q (Replays Since Reset, GPU Link Info).
    Repair: reseat GPU and riser, run the load, read the counter again; then swap the GPU with another slot's.
    Source: the plan's expectation GPU-014; plan columns `hardware.pcie_gen`, `hardware.pcie_width`.
    """
    import polars as pl

    limit = threshold(plan, "GPU-014", "replays")
    if limit is None:
        return nothing("the plan states no limit of PCIe replays")
    many = pl.col("replays") > pl.lit(limit["limit"])
    rows = told(plan, facts, ("replays", "gen_max", "width_now"), many)
    if rows is None:
        return untold("the PCIe replays of a GPU")
    listed = facts.tables["pci_measured"]["node"].unique() if facts.has("pci_measured") else pl.Series("node", [], pl.String)
    alone = ~pl.col("node").is_in(listed.implode())
    parts = plan.table("hardware").select(pl.col("part").alias("model"), "pcie_gen", "pcie_width")
    rows = of_model(plan, rows).join(parts, on="model", how="left", maintain_order="left")
    narrow = (alone & (pl.col("width_now") < pl.col("pcie_width"))).fill_null(False)
    old = (alone & (pl.col("gen_max") < pl.col("pcie_gen"))).fill_null(False)
    bad = many.fill_null(False) | narrow | old
    known = pl.col("replays").is_not_null()
    whole = pl.col("width_now").is_not_null() & pl.col("gen_max").is_not_null() & pl.col("pcie_gen").is_not_null()
    words = [
        pl.when(many).then(pl.format("{} PCIe replays", amount(pl.col("replays")))),
        pl.when(narrow).then(pl.format("x{}, not x{}", "width_now", "pcie_width")),
        pl.when(old).then(pl.format("generation {} at most, not {}", "gen_max", "pcie_gen")),
    ]
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when(bad).then(False).when(known | (alone & whole)).then(True),
        applies=known | alone,
        expected=pl.lit(f"at most {limit['value']} PCIe replays, the planned link"),
        found=joined(words).fill_null("no replays and no link in the report"),
        evidence=EVIDENCE,
    )


@check("GPU-015", layer=Layer.NODE, needs=NEEDS, facts=GPUS, since="0.1")
def modes_are_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """ECC and multi-instance mode (MIG) of every GPU are as planned.

    Why: without ECC a flipped bit becomes a wrong result; a GPU left in MIG mode gives a job a seventh of itself.
    Measured by: nvidia-smi --query-gpu=ecc.mode.current,mig.mode.current --format=csv.
    Repair: nvidia-smi -e 1, nvidia-smi -mig 0, then reset the GPU; capture again.
    Source: the plan's expectations GPU-015 (ecc, mig).
    """
    import polars as pl

    wanted = {mode: threshold(plan, "GPU-015", mode) for mode in _MODES}
    stated = {mode: row["value"] for mode, row in wanted.items() if row is not None}
    if not stated:
        return nothing("the plan states no mode of its GPUs")
    off = {mode: pl.col(mode) != pl.lit(value == "enabled") for mode, value in stated.items()}
    rows = told(plan, facts, tuple(stated), pl.any_horizontal(o.fill_null(False) for o in off.values()))
    if rows is None:
        return untold("ECC and multi-instance mode of a GPU")
    said = [
        pl.when(off[mode]).then(pl.lit(f"{_MODES[mode]} {'disabled' if value == 'enabled' else 'enabled'}"))
        for mode, value in stated.items()
    ]
    known = pl.any_horizontal(pl.col(mode).is_not_null() for mode in stated)
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when("bad").then(False).when(known).then(True),
        expected=pl.lit(", ".join(f"{_MODES[mode]} {value}" for mode, value in stated.items())),
        found=joined(said).fill_null("the report tells neither mode"),
        evidence=EVIDENCE,
    )
