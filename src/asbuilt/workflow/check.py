"""Use case: the design checks on a plan, findings by cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.registry import DOC_PARTS, Check, checks
from asbuilt.diagnose.design import findings
from asbuilt.diagnose.tally import coverage, told
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, LinkSummary, Verification

if TYPE_CHECKING:
    import polars as pl


#: What the plan alone can answer; a check of these layers that asks for facts waits for them.
PLANNED = (Layer.DESIGN, Layer.FACILITY)


def check(plan: Plan) -> Verification:
    """Every check of the design and of the physical plan on ``plan`` alone: findings worst first, coverage by check id.

    A check that stops with an exception answers ``error``: it never passes and never hides what the others found. Nothing is
    measured here, so the plan's links are counted as not measured.
    """
    chosen = {id: c for id, c in checks().items() if c.layer in PLANNED and not c.facts}
    frames = verdicts(plan, chosen)
    about = {id: (c.layer, c.severity, section(c.doc, "Why")) for id, c in chosen.items()}
    planned = plan.table("links").height if plan.has("links") else 0
    return Verification(
        kind="check",
        summary=LinkSummary(planned=planned, not_measured=planned),
        findings=findings(plan, told(frames), about),
        repairs=(),
        coverage=coverage(frames),
        plan_hash=plan.plan_hash,
        notes=plan.warnings,
    )


def verdicts(plan: Plan, chosen: dict[str, Check]) -> dict[str, pl.DataFrame]:
    """The verdict rows (schema `VERDICTS`) of each of the ``chosen`` checks on ``plan`` alone, by id."""
    return {id: c.answer(plan, Facts(tables={})) for id, c in sorted(chosen.items())}


def section(doc: str, name: str) -> str:
    """The text behind ``name:`` in a check's docstring, on one line."""
    kept: list[str] = []
    inside = False
    for line in doc.splitlines():
        if line.startswith(f"{name}:"):
            inside, line = True, line.removeprefix(f"{name}:")
        elif inside and (not line.strip() or line.startswith(DOC_PARTS)):
            break
        if inside:
            kept.append(line.strip())
    return " ".join(k for k in kept if k)
