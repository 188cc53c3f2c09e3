"""A circle of waiting links that wrong cables close is told with them; one that the plan itself closes stays a finding."""

from __future__ import annotations

import pytest

from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import Rehearsal, rehearse


def plan(text: str = "") -> Plan:
    return make_plan(decode((templates.text("l40s-384") + text).encode(), "l40s-384"))


def circle(found: Rehearsal) -> tuple[int, list[str], list[str]]:
    """(subnets that fail in the coverage, findings, remarks) of FAB-043."""
    (count,) = (c.failed for c in found.verification.coverage if c.id == "FAB-043")
    told = [f.verdict.value for f in found.verification.findings if f.id == "FAB-043"]
    return count, told, [w["cause"] for w in found.verification.details.get("warnings", ()) if w["id"] == "FAB-043"]


@pytest.mark.parametrize("spec", ["random:7@12", "random:8@9"])
def test_a_circle_that_wrong_cables_close_is_a_remark_beside_them(spec: str) -> None:
    found = rehearse(plan(), [spec])
    assert found.exact and found.exit_code == 0
    failed, told, remarks = circle(found)
    assert failed == 1 and told == [] and len(remarks) == 1
    assert remarks[0].startswith("with the cables as they are, links can wait for each other for good (on lane 0 ")
    assert remarks[0].endswith("; as planned they cannot")


def test_a_circle_that_the_planned_tables_close_stays_a_finding_beside_a_wrong_cable() -> None:
    found = rehearse(plan("\nsubnets:\n  ib0:\n    qos: false\n"), ["unplug:node0003/mlx5_0"])
    assert circle(found) == (1, [Verdict.FAIL.value], [])
    assert [f.id for f in found.verification.findings if f.verdict is Verdict.FAIL] == ["FAB-002", "FAB-043"]
