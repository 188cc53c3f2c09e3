"""The report as data: what the HTML, the text and the JSON all show. Pure: documents in, a plain object out."""

from __future__ import annotations

from typing import Any, Sequence

from asbuilt.model.design import Sizing
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, LinkSummary, Verdict, Verification

SEVERITIES = ("blocker", "major", "minor", "info")
VERDICT_WORDS = {
    "fail": "fails",
    "error": "could not be judged",
    "not_measured": "not measured",
    "pass": "passes",
    "not_applicable": "not applicable",
}


def measured_links(summary: LinkSummary) -> int:
    """Planned links about which something is known: ok, wrong or missing."""
    return summary.ok + summary.wrong + summary.missing


def judged(verification: Verification) -> int:
    """Subjects that got a verdict of pass or fail, over all checks."""
    return sum(c.passed + c.failed for c in verification.coverage)


def outcome(verification: Verification) -> tuple[str, str]:
    """``(word, sentence)`` for the head of a report. The word is pass, fail, undecided or nothing, as the exit codes are.

    Nothing measured and nothing judged is said so, whatever the findings are: no data is never a pass.
    """
    summary = verification.summary
    fails = sum(f.verdict is Verdict.FAIL for f in verification.findings)
    others = len(verification.findings) - fails
    known = judged(verification) or (measured_links(summary) if verification.kind != "check" else 0)
    if fails:
        tail = f" and {others} undecided" if others else ""
        words = f"{fails} {'cause fails' if fails == 1 else 'causes fail'}{tail}."
        design = verification.kind == "check"
        what = "The plan does not hold what it promises." if design else "What is there is not what was planned."
        return "fail", f"{words} {what}"
    if not known:
        return "nothing", "Nothing was judged. No data is never a pass: measure, then ask again."
    # Design checks measure nothing: their links are counted as not measured and say nothing about the design.
    unmeasured = 0 if verification.kind == "check" else summary.not_measured
    if others or unmeasured or any(c.error for c in verification.coverage):
        return "undecided", "Nothing that was judged fails, but not everything could be judged."
    gaps = sum(c.not_measured for c in verification.coverage)
    if gaps:
        asked = f"{gaps:,} {'claim' if gaps == 1 else 'claims'}"
        return "pass", f"Everything that was judged is as the plan says. {asked} had no data; the coverage names them."
    if summary.unplanned and verification.kind != "check":
        word = "link" if summary.unplanned == 1 else "links"
        return "pass", f"Everything that the plan names is as planned. {summary.unplanned:,} {word} beside the plan."
    if verification.kind == "check":
        return "pass", "Every design check that applies to this plan passes. Nothing was measured for them."
    return "pass", "Everything that was judged is as the plan says."


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Findings for reading: failures first, then by severity, then by check and subject."""
    verdicts = {"fail": 0, "error": 1, "not_measured": 2}
    return sorted(
        findings,
        key=lambda f: (verdicts.get(str(f.verdict), 9), SEVERITIES.index(str(f.severity)), f.id, f.subject),
    )


def report_json(
    plan: Plan | None,
    sizing: Sizing | None,
    verifications: Sequence[Verification],
    versions: dict[str, str],
    written: str = "",
) -> dict[str, Any]:
    """The whole report, schema ``report/v1``: plan, sizing, every verification, sources, assumptions, versions.

    ``written`` is the time to print (ISO 8601), given by the caller; empty leaves it out, so that equal input gives
    equal bytes.
    """
    return {
        "schema": "report/v1",
        "written": written,
        "name": plan.name if plan else "",
        "plan_hash": plan.plan_hash if plan else (verifications[0].plan_hash if verifications else ""),
        "sizing": sizing.as_json() if sizing else None,
        "tables": {name: frame.height for name, frame in sorted(plan.tables.items())} if plan else {},
        "plan_warnings": list(plan.warnings) if plan else [],
        "verifications": [v.as_json() for v in verifications],
        "assumptions": assumptions(plan, sizing),
        "sources": sources(plan, sizing),
        "not_proven": list(dict.fromkeys(line for v in verifications for line in v.unproven)),
        "versions": dict(sorted(versions.items())),
    }


def assumptions(plan: Plan | None, sizing: Sizing | None) -> list[dict[str, Any]]:
    """Values that nobody stated: from the plan's design, else from the sizing."""
    if plan is not None and plan.design is not None:
        return [{"path": a.path, "value": a.value, "why": a.why, "origin": str(a.origin)} for a in plan.design.assumptions]
    return [dict(a) for a in sizing.assumptions] if sizing else []


def sources(plan: Plan | None, sizing: Sizing | None) -> list[dict[str, Any]]:
    """Catalogue figures that results hang on: what, value, unit, source, confidence, origin, note."""
    if sizing is not None and sizing.sources:
        return [dict(s) for s in sizing.sources]
    if plan is None or plan.design is None:
        return []
    return [
        {
            "what": c.what,
            "value": c.figure.value,
            "unit": c.figure.unit,
            "source": c.figure.source,
            "confidence": str(c.figure.confidence),
            "origin": str(c.figure.origin),
            "note": c.figure.note,
        }
        for c in plan.design.citations
    ]
