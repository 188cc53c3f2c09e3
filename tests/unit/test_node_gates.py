"""What a gate demands of nodes: a kind of evidence that nobody gave is a finding, and its exit code is not 0."""

from __future__ import annotations

import pytest

from asbuilt.checks.registry import checks
from asbuilt.model.facts import Facts
from asbuilt.model.verdict import Verdict
from asbuilt.workflow.compare import compare
from controls.control_file import HERE, measured_facts, plan_of, read
from template_plans import expanded

LITTLE = read(HERE / "little-nodes.yaml")


@pytest.mark.parametrize("demanded", ["NOD-061", "node"])
def test_what_is_demanded_and_was_not_captured_is_open(demanded: str) -> None:
    told = {name: rows for name, rows in LITTLE["facts"].items() if name != "sensor_facts"}
    assert len(told) < len(LITTLE["facts"])
    plan, facts = plan_of(LITTLE, HERE), measured_facts(told)
    free = compare(plan, facts)
    assert not [f for f in free.findings if "was asked for" in f.cause or "were asked for" in f.cause]
    seen = compare(plan, facts, required=(demanded,))
    asked = [f for f in seen.findings if "NOD-061" in f.cause]
    assert len(asked) == 1 and asked[0].verdict is Verdict.NOT_MEASURED and seen.exit_code == 3
    assert (asked[0].expected, asked[0].revert) == ("a capture of that kind", "nothing is changed")
    assert asked[0].next.startswith("capture ") and asked[0].layer == "node"


def test_a_demand_that_is_met_is_no_finding() -> None:
    seen = compare(plan_of(LITTLE, HERE), measured_facts(LITTLE["facts"]), required=("NOD-020", "NOD-061"))
    assert not [f for f in seen.findings if "asked for" in f.cause]


@pytest.mark.parametrize(
    ("template", "id", "verdict"),
    [
        ("l40s-384", "GPU-005", "not_applicable"),
        ("l40s-384", "GPU-006", "not_applicable"),
        ("l40s-384", "GPU-009", "not_applicable"),
        ("dgx-h100-superpod", "GPU-006", "not_measured"),
        ("dgx-h100-superpod", "GPU-009", "not_applicable"),
        ("gb300-nvl72", "GPU-006", "not_measured"),
        ("gb300-nvl72", "GPU-009", "not_measured"),
    ],
)
def test_what_a_system_does_not_have_is_demanded_of_none(template: str, id: str, verdict: str) -> None:
    """Without any capture: what the plan says is not there holds no gate shut, what is there does."""
    assert set(checks()[id].answer(expanded(template), Facts({}))["verdict"]) == {verdict}
