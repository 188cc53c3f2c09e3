"""How verdicts of the design become findings: what is undecided is no blocker, and a place is told once."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from asbuilt.diagnose.design import findings
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import VERDICTS, Finding, Layer, Severity, Verdict
from template_plans import made


def told(plan: Plan, severity: Severity, *rows: tuple[str, Verdict], id: str = "PWR-025") -> tuple[Finding, ...]:
    """Findings of ``rows`` (subject and verdict) of one check of ``severity``."""
    frame = pl.DataFrame([{"check_id": id, "subject": s, "verdict": v.value, "expected": "e", "found": "f"} for s, v in rows])
    return findings(plan, VERDICTS.conform(frame), {id: (Layer.FACILITY, severity, "why")})


@pytest.mark.parametrize(
    ("severity", "undecided"),
    [
        (Severity.BLOCKER, Severity.MAJOR),
        (Severity.MAJOR, Severity.MAJOR),
        (Severity.MINOR, Severity.MINOR),
        (Severity.INFO, Severity.INFO),
    ],
)
def test_what_is_undecided_is_major_at_most(severity: Severity, undecided: Severity) -> None:
    plan = made("l40s-384")
    first, second = plan.table("circuits")["circuit"].to_list()[:2]
    broken, unknown = told(plan, severity, (second, Verdict.NOT_MEASURED), (first, Verdict.FAIL))
    assert (broken.subject, broken.verdict, broken.severity) == (first, Verdict.FAIL, severity)
    assert (unknown.subject, unknown.verdict, unknown.severity) == (second, Verdict.NOT_MEASURED, undecided)


def test_a_check_that_stopped_keeps_its_severity() -> None:
    (stopped,) = told(made("l40s-384"), Severity.BLOCKER, ("plan", Verdict.ERROR))
    assert stopped.severity is Severity.BLOCKER


def test_what_fails_comes_before_what_is_undecided() -> None:
    plan = made("l40s-384")
    (row,) = told(plan, Severity.MAJOR, ("pdu:A-01/A1", Verdict.FAIL), id="PWR-029")
    (unknown,) = told(plan, Severity.BLOCKER, ("circuit:A-01/A1", Verdict.NOT_MEASURED))
    about = {id: (Layer.FACILITY, s, "why") for id, s in (("PWR-025", Severity.BLOCKER), ("PWR-029", Severity.MAJOR))}
    both = pl.DataFrame(
        [
            {"check_id": f.id, "subject": f.subject, "verdict": f.verdict.value, "expected": "e", "found": "f"}
            for f in (unknown, row)
        ]
    )
    assert [f.id for f in findings(plan, VERDICTS.conform(both), about)] == ["PWR-029", "PWR-025"]


def test_no_undecided_finding_of_a_template_is_a_blocker(monkeypatch: pytest.MonkeyPatch) -> None:
    from asbuilt.workflow.check import check

    plan = made("l40s-384")
    tables = {**plan.tables, "protections": plan.table("protections").with_columns(pl.lit(None, pl.Float64).alias("icu_ka"))}
    found = [f for f in check(replace(plan, tables=tables)).findings if f.id == "PWR-025"]
    assert found and {(f.severity, f.verdict) for f in found} == {(Severity.MAJOR, Verdict.NOT_MEASURED)}


@pytest.mark.parametrize(
    ("subjects", "where"),
    [
        (["A1", "B1"], "A-01 (row A, position 1)"),
        (["A1", "B1", "A1", "B1"], "A-01 (row A, position 1)"),
    ],
)
def test_a_place_is_told_once(subjects: list[str], where: str) -> None:
    plan = made("l40s-384")
    (finding,) = told(plan, Severity.MAJOR, *((f"pdu:A-01/{s}", Verdict.FAIL) for s in subjects), id="PWR-029")
    assert finding.where == where


def test_no_more_than_three_places_are_told() -> None:
    plan = made("l40s-384")
    every = [f"pdu:A-{rack:02d}/{s}" for rack in range(1, 7) for s in ("A1", "B1")]
    (finding,) = told(plan, Severity.MAJOR, *((s, Verdict.FAIL) for s in every), id="PWR-029")
    assert finding.where == "A-01 (row A, position 1); A-02 (row A, position 2); A-03 (row A, position 3) and 6 more"
