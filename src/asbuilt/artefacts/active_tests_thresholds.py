"""Thresholds of the active tests, and the number to expect of every stage: the plan's expectations, not a second opinion."""

from __future__ import annotations

import re
from typing import Mapping

from asbuilt.model.plan import Plan

PERFORMANCE = "PERF-"
_ESCAPED = re.compile(r"[\t\r\n]+")
#: Tests of one node by their check and selector.
_SINGLE = {
    ("PERF-012", "h2d"): "nvbandwidth host_to_device_memcpy_ce",
    ("PERF-012", "d2h"): "nvbandwidth device_to_host_memcpy_ce",
    ("PERF-013", "p2p"): "nvbandwidth device_to_device_memcpy",
    ("PERF-014", "hbm"): "nvbandwidth device_local_copy",
    ("PERF-015", "bf16"): "mamf-finder.py bfloat16",
}
_LARGEST = 8 << 30
_COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter")


def thresholds(plan: Plan) -> str:
    """Every expectation of a PERF check: check, selector, op, value, unit, relative tolerance, what still passes, validity,
    origin and source. A plan without expectations gives the head alone: there is no criterion."""
    columns = ("check_id", "selector", "op", "value", "unit", "tol_rel", "valid_if", "origin", "source")
    lines = ["\t".join(("check", *columns[1:6], "passes_from", *columns[6:]))]
    for row in _rows(plan):
        words = [row[c] for c in columns]
        lines.append("\t".join(_word(w) for w in (*words[:6], _floor(row), *words[6:])))
    return "\n".join(lines) + "\n"


def expected(plan: Plan, rows: Mapping[str, int]) -> str:
    """A line per stage and number: GPUs, what is measured, expected, what still passes. ``rows``: nodes by row of racks.

    Where the plan has no expectation the line says so: such a number is told, and judges nothing.
    """
    found = {(str(r["check_id"]), str(r["selector"])): r for r in _rows(plan)}
    per_node = max(plan.table("gpus").group_by("node").len()["len"].to_list(), default=0)
    lines = ["stage\tgpus\tmeasured\texpected\tpasses_from\tunit\tcheck\tsource"]
    for key, words in _SINGLE.items():
        if key in found:
            lines.append(_line("node", 1, words, found[key]))
    for key in sorted(k for k in found if k[0] == "PERF-011"):
        lines.append(_line("pair", 2, f"ib_write_bw {key[1]} Gb/s", found[key]))
    total = sum(rows.values()) * per_node
    stages = [("node", per_node), ("pair", 2 * per_node)]
    traits = plan.table("node_traits") if plan.has("node_traits") else None
    if traits is not None and "domain" in traits["nvlink"].to_list():
        stages.append(("domain", max(traits["domain_gpus"].to_list())))
    stages += [(f"row {row}", nodes * per_node) for row, nodes in rows.items()] + [("full", total)]
    for stage, gpus in stages:
        for name in _COLLECTIVES[: 1 if stage == "pair" else None]:
            lines.append(_line(stage, gpus, f"{name} 8 GiB", found.get(("PERF-010", f"{name}/{gpus}/{_LARGEST}"))))
    lines.append(_line("rail", sum(rows.values()), "all_reduce 8 GiB, one GPU of a node", None))
    return "\n".join(lines) + "\n"


def _rows(plan: Plan) -> list[dict[str, object]]:
    if not plan.has("expectations"):
        return []
    rows = plan.table("expectations").filter(plan.table("expectations")["check_id"].str.starts_with(PERFORMANCE))
    return rows.sort("check_id", maintain_order=True).to_dicts()


def _line(stage: str, gpus: int, measured: str, row: dict[str, object] | None) -> str:
    words: tuple[object, ...] = (stage, gpus, measured)
    if row is None:
        return "\t".join(_word(w) for w in (*words, "no criterion", "", "", "PERF-020", "runs like it are compared"))
    return "\t".join(_word(w) for w in (*words, row["value"], _floor(row), row["unit"], row["check_id"], row["source"]))


def _floor(row: dict[str, object]) -> str:
    """The least that passes: value x (1 - tolerance) of a ``ge``; empty for other operators and for what is no number."""
    try:
        return f"{float(str(row['value'])) * (1 - float(str(row['tol_rel'] or 0))):.10g}" if row["op"] == "ge" else ""
    except ValueError:
        return ""


def _word(value: object) -> str:
    return "" if value is None else _ESCAPED.sub(" ", str(value))
