"""The line of `verify` that counts machines, and `summary.nodes` in its JSON: what is ok, what is open, what nobody knows."""

from __future__ import annotations

import functools

import pytest

from asbuilt.cli.verified import counted_lines
from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement
from asbuilt.model.verdict import Layer, NodeSummary, Verification
from asbuilt.report.html import verification_html
from asbuilt.workflow.node_archives import NODE_ARCHIVE
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import rehearse
from asbuilt.workflow.verify import verify


@functools.cache
def small() -> Plan:
    return make_plan(Requirement(name="small", system="l40s-8gpu", gpus=48))


@functools.cache
def captures(*faults: str) -> tuple[Capture, ...]:
    return tuple(rehearse(small(), list(faults), nodes=True).captures)


def nodes_alone(*faults: str) -> Verification:
    archives = [c for c in captures(*faults) if c.tool == NODE_ARCHIVE]
    return verify(small(), archives, layers=(Layer.NODE,))


def test_a_healthy_fleet_is_counted_by_nodes_and_not_by_links() -> None:
    assert counted_lines(nodes_alone()) == ["6 nodes planned, 6 measured: 6 ok"]


def test_faults_silence_and_health_are_told_apart() -> None:
    found = nodes_alone("silent:node:0003", "hang:node:0004", "width:node-0001/mlx5_0")
    assert counted_lines(found) == ["6 nodes planned, 5 measured: 3 ok, 2 with findings · 1 not measured"]
    counts = {"planned": 6, "measured": 5, "ok": 3, "with_findings": 2, "not_measured": 1}
    assert found.as_json()["summary"]["nodes"] == counts
    assert found.as_json()["summary"]["out_of_scope"] == small().links.height  # the count of links stays as it was


def test_a_finding_on_a_part_of_a_node_counts_its_node_once() -> None:
    found = nodes_alone("hang:node:0004")  # eight GPUs are not measured, and the node's commands hang
    assert sum(len(f.subjects) for f in found.findings) > 1
    assert found.nodes == NodeSummary(6, 6, 5, 1, 0)


def test_no_capture_at_all_is_no_node_ok() -> None:
    assert counted_lines(verify(small(), [], layers=(Layer.NODE,))) == ["6 nodes planned, 0 measured: 0 ok · 6 not measured"]


def test_a_capture_that_decides_nothing_leaves_its_node_not_measured() -> None:
    lone = Capture("a", b"Wed Jan  1 nothing that anybody knows\n", "ibstat", "node-0002")
    found = verify(small(), [lone], layers=(Layer.NODE,))
    assert found.nodes is not None and (found.nodes.measured, found.nodes.not_measured) == (0, 6)


def test_nodes_outside_the_scope_are_not_planned() -> None:
    archives = [c for c in captures() if c.tool == NODE_ARCHIVE]
    rack = small().table("nodes")["rack"][0]
    inside = small().table("nodes").filter(rack=rack, role="compute").height
    found = verify(small(), archives, scope=f"rack={rack}", layers=(Layer.NODE,))
    assert found.nodes is not None and found.nodes.planned == found.nodes.ok == inside < 6


@pytest.mark.parametrize("faults", [(), ("silent:node:0003",)])
def test_links_and_nodes_have_a_line_each_where_both_were_asked_about(faults: tuple[str, ...]) -> None:
    lines = counted_lines(verify(small(), captures(*faults)))
    assert len(lines) == 2 and " links planned: " in lines[0]
    gone = " · 1 not measured" if faults else ""
    assert lines[1] == f"6 nodes planned, {6 - len(faults)} measured: {6 - len(faults)} ok{gone}"


def test_links_alone_have_no_line_of_nodes() -> None:
    found = verify(small(), [c for c in captures() if c.tool != NODE_ARCHIVE])
    assert "nodes" not in found.as_json()["summary"]
    assert len(counted_lines(found)) == 1
    assert verify(small(), captures(), layers=(Layer.FABRIC,)).nodes is None


def test_the_page_counts_nodes() -> None:
    page = verification_html(nodes_alone("silent:node:0003"), small())
    assert "<h3>Nodes</h3>" in page and "<b>5</b><span>ok" in page and "<h3>Links</h3>" not in page
