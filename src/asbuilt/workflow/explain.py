"""Use case: what a check or a problem code means."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.checks.registry import Check, checks
from asbuilt.workflow.check import section
from asbuilt.workflow.problem_texts import PROBLEMS


@dataclass(frozen=True, slots=True)
class Explanation:
    """``kind`` check or problem; ``claim`` its first sentence; ``parts`` label -> text, in the order to show them."""

    id: str
    kind: str
    claim: str
    parts: dict[str, str] = field(default_factory=dict)
    layer: str = ""
    severity: str = ""
    since: str = ""
    needs: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


def explain(id: str) -> Explanation:
    """The explanation of a check or problem code, upper or lower case. ``ProblemError`` CLI-050 names the nearest ids."""
    wanted = id.strip().upper()
    found = checks().get(wanted)
    if found:
        return _of_check(found)
    if wanted in PROBLEMS:
        return Explanation(wanted, "problem", PROBLEMS[wanted])
    near = difflib.get_close_matches(wanted, [*checks(), *PROBLEMS], n=3, cutoff=0.7)
    raise ProblemError(
        Problem(
            "CLI-050",
            f"no check or problem code is called {id!r}",
            fix=f"did you mean {', '.join(near)}?" if near else "`asbuilt explain` lists all",
        )
    )


def everything() -> tuple[Explanation, ...]:
    """Every check, then every problem code, by id."""
    return tuple(_of_check(c) for c in checks().values()) + tuple(
        Explanation(code, "problem", text) for code, text in sorted(PROBLEMS.items())
    )


def _of_check(check: Check) -> Explanation:
    labels = ("Why", "Measured by", "Repair", "Source")
    return Explanation(
        id=check.id,
        kind="check",
        claim=" ".join(check.doc.split("\n\n")[0].split()),
        parts={label: section(check.doc, label) for label in labels},
        layer=check.layer.value,
        severity=check.severity.value,
        since=check.since,
        needs=check.needs,
        facts=check.facts,
    )
