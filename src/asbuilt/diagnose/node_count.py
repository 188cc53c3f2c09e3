"""The planned machines counted: how many told anything, on how many everything that was judged holds, how many nobody knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from asbuilt.diagnose.node_places import places
from asbuilt.model.verdict import Finding, NodeSummary, Verdict

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.model.plan import Plan

_DECIDED = (Verdict.PASS.value, Verdict.FAIL.value)


def node_summary(
    plan: Plan, asked: Mapping[str, pl.DataFrame], tables: Mapping[str, pl.DataFrame], findings: Sequence[Finding]
) -> NodeSummary:
    """The compute nodes of ``plan`` by what is known of them. ``asked`` are the verdicts of checks of machines, ``tables`` what
    machines told (`node_tables`), ``findings`` what is shown.

    A node is measured when it told something and at least one check passed or failed on it, or on a part of it. One with a
    finding, failing or undecided, is not ok; one that gave nothing stays not measured, whatever finding says so.
    """
    import polars as pl

    nodes = plan.table("nodes").filter(pl.col("role") == "compute") if plan.has("nodes") else None
    planned = set(nodes["node"].to_list()) if nodes is not None else set()
    told = {n for f in tables.values() if "node" in f.columns for n in f["node"].unique().to_list()} & planned
    measured = told - _undecided(plan, asked, told)
    named = _nodes(plan, [s for f in findings for s in f.subjects]) & measured
    return NodeSummary(len(planned), len(measured), len(measured - named), len(named), len(planned - measured))


def _undecided(plan: Plan, asked: Mapping[str, pl.DataFrame], nodes: set[str]) -> set[str]:
    """Those of ``nodes`` on which no check passed or failed. Small frames come first: they judge whole machines."""
    import polars as pl

    left = set(nodes)
    for frame in sorted(asked.values(), key=lambda f: f.height):
        if not left:
            break
        left -= _nodes(plan, frame.filter(pl.col("verdict").is_in(_DECIDED))["subject"].unique().to_list())
    return left


def _nodes(plan: Plan, subjects: list[str]) -> set[str]:
    """The nodes that ``subjects`` are, or are parts of."""
    import polars as pl

    return set(places(plan, pl.Series("subject", subjects, pl.String))["node"].drop_nulls().to_list())
