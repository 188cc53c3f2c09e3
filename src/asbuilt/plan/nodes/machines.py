"""Which machine each node is, as the project declares it: plan table `machines`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.model.tables_nodes import MACHINES

_SHOWN = 20
#: Kinds of which one machine has several; of all others it has one.
SEVERAL = frozenset({"gpu_uuid", "gpu_serial", "nic_serial", "port_guid"})


@dataclass(frozen=True, slots=True)
class DeclaredMachines:
    """The list of machines of a project: (node as written, kind, value, line number) of each line."""

    file: str
    rows: Sequence[tuple[str, str, str, int]]


def with_machines(plan: Plan, declared: DeclaredMachines | None) -> Plan:
    """``plan`` with the table `machines`; without a list ``plan`` itself. A node is named by its name or its key.

    Raises ``ProblemError`` PRJ-014 with every line that names no node of the plan, or contradicts another line.
    """
    import polars as pl

    if declared is None:
        return plan
    nodes = plan.table("nodes")
    by_name = dict(zip(nodes["name"].str.to_lowercase(), nodes["node"], strict=True)) | {n: n for n in nodes["node"]}
    found: dict[tuple[str, str, str], int] = {}
    owner: dict[tuple[str, str], tuple[str, int]] = {}
    single: dict[tuple[str, str], tuple[str, int]] = {}
    problems = []
    for name, kind, value, line in declared.rows:
        node = by_name.get(name.lower())
        told = ""
        if node is None:
            told = f"the plan has no node {name[:80]!r}{nearest(name.lower(), list(by_name)[:20_000])}"
        elif owner.setdefault((kind, value.lower()), (node, line))[0] != node:
            told = f"{kind} {value[:80]} is also that of another node (line {owner[kind, value.lower()][1]})"
        elif kind not in SEVERAL and single.setdefault((node, kind), (value, line))[0] != value:
            told = f"{name[:80]} is given two values of {kind} (line {single[node, kind][1]})"
        if told or node is None:
            problems.append(Problem("PRJ-014", told, Place(declared.file, line, 1), fix="a name belongs to one machine"))
        else:
            found[node, kind, value] = line
    if problems:
        more = len(problems) - _SHOWN
        tail = [Problem("PRJ-014", f"and {more} lines more", Place(declared.file))] if more > 0 else []
        raise ProblemError([*problems[:_SHOWN], *tail])
    rows = [(*key, "declared") for key in found]
    frame = pl.DataFrame(rows, schema=MACHINES.polars(), orient="row")
    return replace(plan, tables={**plan.tables, "machines": MACHINES.conform(frame.sort(MACHINES.order))})
