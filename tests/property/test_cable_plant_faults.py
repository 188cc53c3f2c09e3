"""Any one fault at any place of the cable plant is one finding of its kind, and names the place."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.checks.registry import checks
from asbuilt.diagnose.design import findings
from asbuilt.diagnose.tally import told
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding
from asbuilt.workflow.check import section, verdicts
from template_plans import made

PLAN = "gb300-nvl72"
CABLES = {id: c for id, c in checks().items() if id.startswith("CAB-")}


def found_in(plan: Plan) -> dict[tuple[str, str], Finding]:
    about = {id: (c.layer, c.severity, section(c.doc, "Why")) for id, c in CABLES.items()}
    return {(f.id, f.cause): f for f in findings(plan, told(verdicts(plan, CABLES)), about)}


@cache
def before() -> set[tuple[str, str]]:
    return set(found_in(made(PLAN)))


def changed(table: str, at: int, **new: Any) -> tuple[Plan, dict[str, Any]]:
    """The plan with columns of row ``at`` changed, and that row as it was."""
    frame = made(PLAN).table(table)
    at %= frame.height
    hit = pl.int_range(pl.len()) == at
    values = [pl.when(hit).then(pl.lit(v)).otherwise(pl.col(c)).alias(c) for c, v in new.items()]
    return replace(made(PLAN), tables={**made(PLAN).tables, table: frame.with_columns(values)}), frame.row(at, named=True)


#: Check, table, what is changed in any row of it, and the column whose value the finding names.
FAULTS = (
    ("CAB-005", "panels", {"u": None}, "rack"),
    ("CAB-006", "trunks", {"length_m": 0.5}, "trunk"),
    ("CAB-011", "trunks", {"b_gender": "female"}, "trunk"),
    ("CAB-012", "trunks", {"polish": "upc"}, "trunk"),
    ("CAB-013", "channels", {"loss_db": 99.0}, "jumper"),
    ("CAB-023", "routes", {"bend_mm": 5.0, "turns": 3}, "route"),
    ("CAB-024", "routes", {"tension_n": 9_999.0}, "route"),
)


@settings(max_examples=25, deadline=None)
@given(fault=st.sampled_from(FAULTS), at=st.integers(min_value=0, max_value=10_000))
def test_a_fault_anywhere_is_one_finding(fault: tuple[str, str, dict[str, Any], str], at: int) -> None:
    id, table, new, column = fault
    plan, row = changed(table, at, **new)
    fresh = {k: f for k, f in found_in(plan).items() if k not in before()}
    assert [f.id for f in fresh.values()] == [id], list(fresh)
    (finding,) = fresh.values()
    assert row[column] in f"{finding.subject} {finding.cause} {finding.subjects}"


@settings(max_examples=12, deadline=None)
@given(at=st.integers(min_value=0, max_value=10_000), kind=st.sampled_from(("A", "C")))
def test_any_trunk_of_the_wrong_type_is_one_finding(at: int, kind: str) -> None:
    """A spare is found as well, though nothing is dark yet: every channel moved over to it would be."""
    plan, row = changed("trunks", at, polarity=kind)
    fresh = {k: f for k, f in found_in(plan).items() if k not in before()}
    (finding,) = fresh.values()
    assert finding.id == "CAB-010" and row["trunk"] in finding.cause and len(finding.subjects) == max(1, row["ports"])
