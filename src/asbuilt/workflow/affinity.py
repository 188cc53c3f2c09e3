"""Use case: affinity of interrupts, ranks and ports from the measured topology, held beside the plan, with scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asbuilt.artefacts.affinity_scripts import affinity_files
from asbuilt.diagnose.affinity import affinities
from asbuilt.diagnose.node_tables import has_node_facts, node_tables
from asbuilt.model.affinity import NodeAffinity
from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.workflow.captures import facts_of

SCHEMA = "affinity/v1"


def affinity(plan: Plan, captures: Sequence[Capture]) -> tuple[NodeAffinity, ...]:
    """The affinity of every node whose topology the captures tell. Raises `ProblemError` as `facts_of` does."""
    facts = facts_of(captures)
    return affinities(plan, node_tables(plan, facts).tables) if has_node_facts(facts) else ()


def write_affinity(found: Sequence[NodeAffinity], plan: Plan, folder: Path) -> tuple[Path, ...]:
    """``<node>/apply.sh revert.sh ranks.tsv`` below ``folder`` (new or empty) for every node; returns what was written."""
    written = []
    for node in found:
        place = folder / "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else f"_{ord(c):x}" for c in node.name).strip(
            "."
        )
        place.mkdir(parents=True, exist_ok=True)
        for name, data in affinity_files(node, plan.plan_hash or "").items():
            (place / name).write_bytes(data)
            if name.endswith(".sh"):
                (place / name).chmod(0o755)
            written.append(place / name)
    return tuple(written)


def as_json(found: Sequence[NodeAffinity]) -> dict[str, Any]:
    """The documented object, schema ``affinity/v1``."""
    return {
        "schema": SCHEMA,
        "exit": exit_code(found),
        "nodes": [
            {
                "node": n.node,
                "name": n.name,
                "differs": n.differs,
                "nccl_ib_hca": n.hca_list,
                "ports": [{f: getattr(p, f) for f in p.__slots__} for p in n.ports],
                "gpus": [{f: getattr(g, f) for f in g.__slots__} for g in n.gpus],
                "source": n.source,
                "unknown": list(n.unknown),
            }
            for n in found
        ],
    }


def exit_code(found: Sequence[NodeAffinity]) -> int:
    """0 everything is as measured and planned; 1 something differs; 3 nothing, or not everything, was measured."""
    if any(n.differs for n in found):
        return 1
    return 3 if not found or any(n.unknown or any(p.away is None for p in n.ports) for n in found) else 0
