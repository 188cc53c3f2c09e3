"""Faults of RDMA over Ethernet: put in by their words, found at their hop by the embedded rehearsal, and nowhere else."""

from __future__ import annotations

import functools

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.requirement import Roce
from asbuilt.model.verdict import Verdict
from asbuilt.rehearse.engines import PROVEN_AGAINST
from asbuilt.workflow import rehearse as use_case
from asbuilt.workflow.rehearse import Rehearsal, rehearse
from little_fabric import little_plan
from roce_clusters import roce_cluster

HOPS = {"node-0000/mlx5_0": "node:0000/mlx5_0", "leaf-00-00/swp1s0": "sw:compute/leaf-b000-r0#0/1"}
HOPS |= {"spine-00/1": "sw:compute/spine-p00-00#0/1", "link:sw:compute/leaf-b000-r0/2": "node:0001/mlx5_0"}
CHECKS = {"pfc": "NET-001", "ecn": "NET-002", "dscp": "NET-004", "mtu": "NET-005"}


@functools.cache
def rehearsed(*faults: str) -> Rehearsal:
    return rehearse(roce_cluster(), faults)


def told(seen: Rehearsal) -> list[tuple[str, Verdict, tuple[str, ...]]]:
    return [(f.id, f.verdict, f.subjects) for f in seen.verification.findings]


def test_the_cluster_as_planned_is_clean_and_its_settings_are_judged() -> None:
    seen = rehearsed()
    assert told(seen) == [] and seen.exit_code == 0
    counted = {c.id: c.passed for c in seen.verification.coverage}
    assert counted["NET-001"] == counted["NET-005"] == roce_cluster().table("roce_ports").height > 0


@pytest.mark.parametrize("place", HOPS)
@pytest.mark.parametrize("kind", CHECKS)
def test_a_setting_is_found_at_its_hop(kind: str, place: str) -> None:
    seen = rehearsed(f"{kind}:{place}")
    assert told(seen) == [(CHECKS[kind], Verdict.FAIL, (HOPS[place],))]
    assert seen.exact and seen.exit_code == 0 and seen.verification.exit_code == 1


def test_an_unread_hop_is_undecided_and_one_finding() -> None:
    seen = rehearsed("unread:spine-00/swp1s0")
    assert told(seen) == [("NET-001", Verdict.NOT_MEASURED, ("sw:compute/spine-p00-00#0/1",))]
    # What else was not read of it is said there.
    assert all(id in seen.verification.findings[0].cause for id in ("NET-002", "NET-003", "NET-005", "NET-007", "NET-020"))
    assert seen.exact and seen.exit_code == 3


def test_an_unread_host_is_one_finding_too_though_its_link_could_not_be_judged() -> None:
    seen = rehearsed("unread:node-0003/mlx5_0")
    assert [(id, verdict) for id, verdict, _ in told(seen)] == [("NET-001", Verdict.NOT_MEASURED)]
    assert next(c for c in seen.verification.coverage if c.id == "NET-006").not_measured > 0
    assert seen.exact and seen.exit_code == 3


@pytest.mark.parametrize(
    "fault", ["unplug:leaf-00-00/1", "absent:leaf-00-00", "swap:leaf-00-00/1,leaf-00-01/2", "unplug:spine-00/1"]
)
def test_a_cable_is_one_finding_though_its_ports_are_down(fault: str) -> None:
    seen = rehearsed(fault)
    assert [f.id[:3] for f in seen.verification.findings] == ["FAB"]
    assert seen.exact and seen.exit_code == 0


def test_a_fault_of_cables_and_one_of_settings_are_two_findings() -> None:
    seen = rehearsed("unplug:leaf-00-00/1", "mtu:leaf-00-00/2")
    assert [f.id for f in seen.verification.findings] == ["FAB-002", "NET-005"] and seen.exit_code == 0


def test_the_answer_as_json_says_what_each_format_was_held_against() -> None:
    answer = rehearsed().as_json()
    assert set(answer["formats"]) == {c.tool for c in rehearsed().captures} <= set(PROVEN_AGAINST)
    assert answer["formats"]["mlnx_qos"].startswith("unproven")


def test_the_answer_of_an_infiniband_plan_as_json() -> None:
    seen = rehearse(little_plan())
    assert set(seen.as_json()["formats"]) == {c.tool for c in seen.captures}


@pytest.mark.parametrize(
    ("fault", "code", "says"),
    [
        ("mtu:leaf-00-00/swp99", "CLI-022", "mtu:leaf-00-00/swp99: no hop of RDMA over Ethernet is there"),
        ("mtu:leaf-00-00/swp1s9", "CLI-022", "did you mean leaf-00-00/swp1s"),
        ("pfc:nowhere", "CLI-022", "`asbuilt show roce_ports` lists every hop"),
        ("pfc", "CLI-021", "write pfc:node:0003/mlx5_0"),
    ],
)
def test_a_place_that_is_no_hop_is_refused(fault: str, code: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        rehearse(roce_cluster(), [fault])
    assert code in str(caught.value) and says in caught.value.problems.render()


def test_a_plan_without_rdma_over_ethernet_refuses_them() -> None:
    plan = roce_cluster(roce=Roce(enabled=False))
    with pytest.raises(ProblemError, match="CLI-023") as caught:
        rehearse(plan, ["ecn:leaf-00-00/1"])
    assert "ecn:leaf-00-00/1: no plane of the plan carries RDMA over Ethernet" in caught.value.problems.render()


def test_a_fault_that_no_capture_would_show_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_case, "MOST_ROCE_PORTS", 10)
    with pytest.raises(ProblemError, match="CLI-023") as caught:
        rehearse(roce_cluster(), ["ecn:leaf-00-00/1"])
    assert "past 10 the twin answers for none" in caught.value.problems.render()
    assert rehearse(roce_cluster()).exit_code == 0
