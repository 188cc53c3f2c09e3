"""The register of checks: complete docstrings, a rule for every design finding, and texts that can be looked up."""

from __future__ import annotations

import inspect
import string

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.checks.registry import Check, check, checks
from asbuilt.diagnose.design_rules import RULES
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.model.verdict import Layer, Verdict
from asbuilt.workflow.explain import everything, explain

CHECKS = checks()
DESIGN = {id: c for id, c in CHECKS.items() if c.layer in (Layer.DESIGN, Layer.FACILITY) and not c.facts}


@pytest.mark.parametrize("found", CHECKS.values(), ids=CHECKS)
def test_a_check_says_what_it_claims_and_why(found: Check) -> None:
    said = explain(found.id)
    assert said.claim.endswith(".") and len(said.claim) < 200
    assert set(said.parts) == {"Why", "Measured by", "Repair", "Source"}
    for label, text in said.parts.items():
        assert len(text) > 15, f"{found.id}: {label} says nothing"
    assert set(found.needs) <= set(PLAN_TABLES), "a check needs tables that exist"
    assert tuple(inspect.signature(found.function).parameters) == ("plan", "facts")


@pytest.mark.parametrize("found", CHECKS.values(), ids=CHECKS)
def test_without_its_tables_a_check_never_passes(found: Check) -> None:
    rows = found.run(Plan("empty", {}), Facts({}))
    assert rows.height == 1
    assert rows["verdict"][0] in (Verdict.NOT_APPLICABLE.value, Verdict.NOT_MEASURED.value)


@pytest.mark.parametrize("found", DESIGN.values(), ids=DESIGN)
def test_empty_tables_are_not_a_pass(found: Check) -> None:
    rows = found.run(Plan("empty", {name: schema.empty() for name, schema in PLAN_TABLES.items()}), Facts({}))
    assert rows.height and set(rows["verdict"]) == {Verdict.NOT_APPLICABLE.value}
    assert rows["found"].null_count() == 0, "the reason is told"


def test_every_design_check_has_a_rule_for_its_findings() -> None:
    assert set(RULES) == set(DESIGN)


@pytest.mark.parametrize(("id", "rule"), RULES.items(), ids=RULES)
def test_every_finding_names_a_way_out_and_how_it_is_taken_back(id: str, rule: object) -> None:
    assert rule.ways and rule.revert  # type: ignore[attr-defined]
    for template in (rule.subject, rule.revert, *(t for t in (rule.cause, *rule.ways) if isinstance(t, str))):  # type: ignore[attr-defined]
        assert all(name is None or name.isidentifier() for _, name, _, _ in string.Formatter().parse(template))


@pytest.mark.parametrize(
    ("id", "doc", "text"),
    [
        ("DES-1", "Claim.", "does not follow"),
        ("DES-001", "Claim.\n\nWhy: x\nMeasured by: x\nRepair: x\nSource: x", "is used twice"),
        ("DES-999", "Claim.\n\nWhy: x", "lacks Measured by:, Repair:, Source:"),
    ],
)
def test_a_check_that_is_not_well_formed_is_refused(id: str, doc: str, text: str) -> None:
    def holds(plan: Plan, facts: Facts) -> pl.DataFrame:
        return pl.DataFrame()

    holds.__doc__ = doc
    with pytest.raises(ValueError, match=text):
        check(id, layer=Layer.DESIGN, since="0.1")(holds)


def test_everything_can_be_explained() -> None:
    for entry in everything():
        assert explain(entry.id.lower()) == entry


def test_an_unknown_id_is_told_with_the_nearest() -> None:
    with pytest.raises(
        ProblemError, match=r"CLI-050 no check or problem code is called 'DES-0121'\n  fix: did you mean .*DES-012"
    ):
        explain("DES-0121")
