"""Kinds of nodes: which nodes of a plan are made alike, and how such a node stands when nothing is wrong."""

from __future__ import annotations

from typing import Any

from asbuilt.model.plan import Plan
from asbuilt.rehearse.node_layout import board_of
from asbuilt.rehearse.node_parts import traits
from asbuilt.rehearse.node_state import State, as_planned, locked_firmware

Rows = list[dict[str, Any]]


def kinds(plan: Plan, only: str = "") -> dict[str, tuple[str, Rows, Rows]]:
    """node -> (system, rows of `gpus`, rows of `nics`) of every compute node (or of one), in the order of the plan."""
    import polars as pl

    nodes = plan.table("nodes").filter(pl.col("role") == "compute")
    wanted = pl.col("node") == only if only else pl.lit(True)
    found: list[dict[str, Rows]] = []
    for table in ("gpus", "nics"):
        rows: dict[str, Rows] = {}
        for row in plan.table(table).filter(wanted).iter_rows(named=True):
            rows.setdefault(row["node"], []).append(row)
        found.append(rows)
    pairs = nodes.filter(wanted).select("node", "system").rows()
    return {node: (system, found[0].get(node, []), found[1].get(node, [])) for node, system in pairs}


def plain(plan: Plan, system: str, gpus: Rows, nics: Rows) -> State:
    """How a node with these rows stands when nothing is wrong."""
    board = locked_firmware(plan, board_of(plan, system, gpus, nics), {n["device"]: n["part"] for n in nics})
    return as_planned(plan, board, traits(plan, system))


def state_of(plan: Plan, node: str) -> State:
    """How one node stands when nothing is wrong. Raises ``KeyError`` for what is no compute node."""
    return plain(plan, *kinds(plan, node)[node])
