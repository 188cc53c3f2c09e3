"""A circle of waiting links that wrong cables close: the planned manager's tables on another cabling than the planned one."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Severity
from asbuilt.plan.forwarding import forwarding
from asbuilt.plan.routing_analysis import credit_loops

CIRCLE = "FAB-043"
#: Tables that are not those which the planned manager programs on the cabling as it is.
OTHER_TABLES = ("FAB-040", "FAB-041")


def closed_by_cabling(plan: Plan, failing: pl.DataFrame, told: frozenset[str]) -> list[str]:
    """Subnets of `CIRCLE` rows in ``failing`` whose circle comes of the cables: ``told`` (links that the cabling's findings
    explain) has some of theirs, the tables are as predicted for the cabling as it is, and on the planned one none closes."""
    circles = failing.filter(pl.col("check_id") == CIRCLE)["subject"].to_list()
    if not circles or not told:
        return []
    of = plan.table("switches").select("switch", "subnet")
    wrong = plan.links.filter(pl.col("link").is_in(list(told))).join(of, left_on="a_device", right_on="switch")["subnet"]
    tables = failing.filter(pl.col("check_id").is_in(OTHER_TABLES))["subject"]
    other = plan.table("lids").filter(pl.col("port").is_in(tables.implode()))["subnet"]
    return [s for s in circles if s in wrong and s not in other and not _closes(plan, s)]


def _closes(plan: Plan, subnet: str) -> bool:
    planned = forwarding(plan, subnet)
    return bool(credit_loops(plan, subnet, planned.fabric, planned.out))


def while_unrepaired(finding: Finding) -> Finding:
    """The finding of such a circle as a remark: the cables are the cause, and they are told."""
    return replace(
        finding,
        severity=Severity.INFO,
        cause=f"with the cables as they are, links can wait for each other for good ({finding.found}); as planned they cannot",
        next="put no load on the subnet before the cables are repaired, then capture again",
        revert="nothing is changed",
    )
