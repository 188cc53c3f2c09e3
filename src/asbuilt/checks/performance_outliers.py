"""Runs and nodes that are slower than those like them, by robust statistics. What all share is the plan's to find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.hosts import HostNameError, Hosts
from asbuilt.checks.answers import EVIDENCE, judge, threshold, untold
from asbuilt.checks.performance_runs import valid_runs
from asbuilt.checks.performance_speed import RDMA
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

if TYPE_CHECKING:
    import polars as pl

NEEDS, FACTS = ("expectations", "nodes"), ("run_measured", "result_measured")


def _speeds(plan: Plan, facts: Facts) -> pl.DataFrame:
    """run, node, host_set, hosts, kind (what makes runs alike), value of every run that is a measurement: its largest size."""
    import polars as pl

    valid = valid_runs(plan, facts).filter(pl.col("invalid").is_null())
    collectives = valid.select("run", "node", "host_set", "hosts", "benchmark", pl.col("ranks").alias("gpus"), *EVIDENCE)
    rdma = facts.tables["run_measured"].filter(pl.col("benchmark").is_in(list(RDMA)))
    rdma = rdma.select("run", "node", "host_set", "hosts", "benchmark", pl.lit(None, dtype=pl.Int64).alias("gpus"), *EVIDENCE)
    results = facts.tables["result_measured"].filter(pl.col("quantity").is_in(["busbw", "bandwidth_average"]))
    best = (
        results.group_by("run", "bytes", "unit")
        .agg(pl.col("value").max())
        .sort("bytes")
        .unique("run", keep="last", maintain_order=True)
    )
    rows = pl.concat([collectives, rdma]).join(best, on="run", how="inner")
    # GPUs of a node and as many over a rail are not alike.
    several = pl.when(pl.col("hosts") > 1).then(pl.format("{} GPUs of {} hosts", "gpus", "hosts"))
    of = pl.coalesce(several, pl.format("{} GPUs", "gpus"), pl.lit("a port"))
    kind = pl.format("{}, {}, {}", "benchmark", of, pl.col("bytes").cast(pl.Int64))
    return rows.with_columns(kind.alias("kind"))


def _number(plan: Plan, selector: str) -> pl.Expr:
    import polars as pl

    limit = threshold(plan, "PERF-020", selector)
    return pl.lit(limit["limit"] if limit else None, dtype=pl.Float64)


def _low(plan: Plan, over: str) -> tuple[pl.Expr, pl.Expr]:
    """(low, enough): a value far below the median of its kind, and whether there are enough to say so."""
    import polars as pl

    median = pl.col("value").median().over(over)
    spread = (pl.col("value") - median).abs().median().over(over)
    z = _number(plan, "consistency") * (median - pl.col("value")) / spread
    far = pl.when(spread > 0).then(z > _number(plan, "z")).otherwise(pl.col("value") < median)
    low = far & (pl.col("value") < median * (1 - _number(plan, "spread")))
    return low, pl.len().over(over) >= _number(plan, "least")


@check("PERF-020", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def no_run_is_far_below_those_like_it(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No run is far slower than the runs of the same kind: same benchmark, same number of GPUs, same size.

    Why: one node of an otherwise equal fleet decides the speed of every job that it is part of.
    Measured by: the same benchmark on every node, pair or rail.
    Repair: take the node or pair out, measure it against a good partner; climb the ladder there.
    Source: modified z-score of Iglewicz and Hoaglin (median and MAD), and a least difference; plan's expectations PERF-020.
    """
    import polars as pl

    rows = _speeds(plan, facts)
    if rows.is_empty():
        return untold("a run that is a measurement")
    low, enough = _low(plan, "kind")
    rows = rows.with_columns(low.alias("low"), enough.alias("enough"), pl.col("value").median().over("kind").alias("median"))
    who = pl.coalesce(pl.col("node"), pl.format("run:{}", "run"))
    rows = (
        rows.with_columns(who.alias("subject"))
        .sort("low", descending=True, maintain_order=True)
        .unique("subject", keep="first", maintain_order=True)
    )
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=~pl.col("low"),
        applies=pl.col("enough"),
        expected=pl.format("about {} {}, the median of its kind", pl.col("median").round(1), "unit"),
        found=pl.format("{} {} ({})", pl.col("value").round(1), "unit", "kind"),
        evidence=EVIDENCE,
    )


@check("PERF-021", layer=Layer.COLLECTIVE, needs=NEEDS, facts=FACTS, since="0.1")
def no_node_is_slow_with_every_partner(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No node is slow with every partner: its row and column of the matrix of pairs are not low.

    Why: a slow pair says that one of two is slow; a node that is slow with all says which, and no average of a fleet does.
    Measured by: a pairwise tournament of nccl-tests or ib_write_bw over the nodes.
    Repair: take the node out; climb the ladder there; measure it again with a good partner before it comes back.
    Source: NVIDIA/nccl-tests issue 106 (one of many equal nodes); plan's expectations PERF-020.
    """
    import polars as pl

    pairs = _speeds(plan, facts).filter((pl.col("hosts") == 2) & pl.col("host_set").is_not_null())
    if pairs.is_empty():
        return untold("a run between a pair of hosts")
    names = {str(n).lower(): node for node, n in plan.table("nodes").select("node", "name").rows()}
    told = {text: _members(text, names) for text in pairs["host_set"].unique()}
    members = pl.col("host_set").replace_strict(told, return_dtype=pl.List(pl.String))
    rows = pairs.with_columns(members.alias("members")).explode("members").filter(pl.col("members").is_not_null())
    if rows.is_empty():
        return untold("a pair of planned nodes")
    by_node = rows.group_by("members", "kind", "unit", maintain_order=True).agg(
        pl.col("value").median(),
        pl.col("value").max().alias("best"),
        pl.len().alias("partners"),
        *(pl.col(c).first() for c in EVIDENCE),
    )
    low, enough = _low(plan, "kind")
    by_node = by_node.with_columns(
        low.alias("low"), enough.alias("enough"), pl.col("value").median().over("kind").alias("median")
    )
    by_node = by_node.sort("low", descending=True, maintain_order=True).unique("members", keep="first", maintain_order=True)
    return judge(
        by_node,
        subject=pl.col("members"),
        ok=~pl.col("low"),
        applies=pl.col("enough") & (pl.col("partners") > 1),
        expected=pl.format("about {} {} with its partners", pl.col("median").round(1), "unit"),
        found=pl.format(
            "{} {} in the median of {} pairs, {} in the best",
            pl.col("value").round(1),
            "unit",
            "partners",
            pl.col("best").round(1),
        ),
        evidence=EVIDENCE,
    )


def _members(text: str, names: dict[str, str]) -> list[str]:
    """The planned nodes of a host set."""
    try:
        hosts = Hosts.parse(text).names
    except HostNameError:
        return []
    found = (names.get(h.lower()) or names.get(h.lower().partition(".")[0]) for h in hosts)
    return [node for node in found if node]
