"""Every open sample that a parser takes, held against a plan that it is not of: nothing stops, nothing passes as measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict
from asbuilt.parsers.tools import TOOLS
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from template_plans import made

pytestmark = pytest.mark.field
LARGEST = 2_000_000


def samples(field: Path) -> list[Capture]:
    """Samples of which one parser alone says that they are its tool's."""
    found = []
    for path in sorted(p for p in (field / "samples").rglob("*") if p.is_file() and p.stat().st_size <= LARGEST):
        data = path.read_bytes()
        tools = [name for name, tool in TOOLS.items() if tool.sniff(data)]
        if len(tools) == 1:
            found.append(Capture(str(path.relative_to(field / "samples")), data, tools[0]))
    return found


@pytest.fixture(scope="module")
def plan() -> Plan:
    return made("l40s-384")


def test_samples_of_strangers_measure_nothing_and_stop_nothing(field: Path, plan: Plan) -> None:
    given = samples(field)
    print(f"\nfield: {len(given)} samples of {len({c.tool for c in given})} tools")
    assert len({c.tool for c in given}) >= 8
    for capture in given:
        seen = compare(plan, facts_of([capture]))
        stopped = [f.cause for f in seen.findings if f.verdict is Verdict.ERROR]
        assert not stopped, f"{capture.id}: {stopped}"
        assert seen.exit_code != 0, f"{capture.id}: a fabric that is not the plan's cannot hold"
        of_ports = [c for c in seen.coverage if c.id in ("FAB-005", "FAB-006", "FAB-010", "FAB-016", "FAB-031")]
        assert not any(c.passed for c in of_ports), f"{capture.id}: {[c for c in of_ports if c.passed]}"


def test_all_of_them_together(field: Path, plan: Plan) -> None:
    seen = compare(plan, facts_of(samples(field)))
    assert not [f for f in seen.findings if f.verdict is Verdict.ERROR]
    strangers = [n for n in seen.notes if "could not be matched to the plan" in n]
    assert len(strangers) >= 5, strangers


def test_no_report_of_healthy_ports_accuses_a_guid(field: Path, plan: Plan) -> None:
    """Switches and adapters of these reports have GUIDs of their own: no device stands for another."""
    reports = [c for c in samples(field) if c.tool == "ibnetdiscover" and c.id.startswith("ibnetdiscover-p/")]
    assert len(reports) >= 3
    for capture in reports:
        assert not [f for f in compare(plan, facts_of([capture])).findings if f.id == "FAB-013"], capture.id
