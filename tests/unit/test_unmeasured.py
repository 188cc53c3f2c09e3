"""Switches whose neighbour table nobody captured: their links are not measured, unless their neighbours show them dark."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.verdict import Verdict
from asbuilt.rehearse import faults, twin
from asbuilt.workflow.verify import verify
from little_fabric import little_plan

PLAN = little_plan(nodes=6, technology="ethernet", oob=True)


def without(*subjects: str) -> list[Capture]:
    return [c for c in twin.render(PLAN) if c.subject not in subjects]


def test_a_leaf_without_a_table_that_its_spines_see_is_not_measured() -> None:
    seen = verify(PLAN, without("LEAF-02"))
    assert (seen.summary.not_measured, seen.summary.missing, seen.exit_code) == (6, 0, 3)
    assert "no capture shows a neighbour of LEAF-02" in seen.findings[0].cause
    assert seen.repairs == ()


def test_a_lone_switch_without_a_table_is_not_measured() -> None:
    seen = verify(PLAN, without("OOB-01"))
    assert (seen.summary.not_measured, seen.summary.missing) == (6, 0)
    assert {f.verdict for f in seen.findings} == {Verdict.NOT_MEASURED}


def test_neither_side_captured_is_not_measured_and_one_side_is_enough() -> None:
    both = verify(PLAN, without("LEAF-02", "SPINE-01"))
    assert both.summary.not_measured == 6 + 2, "the node links of the leaf, and its two cables to the spine"
    assert verify(PLAN, without("SPINE-01")).summary.ok == PLAN.links.height


def test_a_leaf_that_its_spines_do_not_see_is_off_and_its_links_are_missing() -> None:
    captures = twin.render(PLAN, (faults.parse("absent:LEAF-02"),))
    seen = verify(PLAN, list(captures))
    assert (seen.summary.missing, seen.summary.not_measured) == (6 + 4, 0)
    assert len(seen.findings) == 1 and seen.exit_code == 1


@pytest.mark.parametrize("technology", ["infiniband"])
def test_one_dump_speaks_for_a_whole_infiniband_subnet(technology: str) -> None:
    plan = little_plan(nodes=6, technology=technology)
    seen = verify(plan, list(twin.render(plan, (faults.parse("absent:LEAF-02"),))))
    assert (seen.summary.missing, seen.summary.not_measured) == (6 + 4, 0)


def test_aggregation_nodes_of_a_cut_dump_are_no_links_beside_the_plan() -> None:
    """Their own records stand at the end of the dump; their switches name them before it is cut."""
    plan = little_plan(nodes=6)
    (dump,) = twin.render(plan)
    assert b"Aggregation Node" in dump.data
    for share in (0.4, 0.6, 0.8):
        seen = verify(plan, [replace(dump, data=dump.data[: int(len(dump.data) * share)])])
        assert seen.summary.unplanned == 0 and seen.exit_code == 3
