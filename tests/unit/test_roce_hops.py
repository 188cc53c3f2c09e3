"""RDMA over Ethernet hop by hop: the clean twin is clean, each change at each kind of hop is found there and nowhere else."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Roce
from asbuilt.model.verdict import Finding, Verdict, Verification
from asbuilt.rehearse.roce_captures import SETTINGS, Change, roce_captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from roce_clusters import few_leaves, roce_cluster

HOST, LEAF, SPINE = ("node-0000", "mlx5_0"), ("leaf-00-00", "swp1s0"), ("spine-00", "swp1s0")
HOPS = {"host": HOST, "leaf": LEAF, "spine": SPINE}
SONIC = {"host": HOST, "leaf": ("leaf-00-00", "Ethernet0"), "spine": ("spine-00", "Ethernet0")}
CLEAN = ("NET-001", "NET-002", "NET-003", "NET-004", "NET-005", "NET-006", "NET-007", "NET-008", "NET-012")
FAULTS: list[tuple[str, str, Any, str]] = [
    ("NET-001", "pfc", (4,), "flow control on priority 4"),
    ("NET-001", "pfc", (3, 5), "flow control on priority 3+5"),
    ("NET-002", "ecn", False, "off"),
    ("NET-004", "dscp_priority", 0, "DSCP 26 is priority 0"),
    ("NET-004", "cnp_priority", 0, "DSCP 48 is priority 0"),
    ("NET-005", "mtu_bytes", 1500, "MTU 1500"),
    ("NET-007", "queue", 0, "priority 3 in queue 0"),
]


def found(plan: Plan, captures: tuple[Capture, ...]) -> Verification:
    return compare(plan, facts_of(captures))


def net(seen: Verification) -> list[Finding]:
    """Findings of this topic; that no capture shows a link is another's."""
    return [f for f in seen.findings if f.id.startswith("NET-")]


def of(plan: Plan, hop: tuple[str, str]) -> str:
    """The subject of a hop."""
    row = plan.table("roce_ports").filter(name=hop[0], interface=hop[1]).row(0, named=True)
    return f"{row['device']}/{row['interface']}" if row["role"] == "host" else f"{row['device']}#0/{row['port']}"


@pytest.mark.parametrize("system", ["cumulus", "sonic"])
def test_the_fabric_as_planned_is_clean_and_every_hop_is_read(system: str) -> None:
    plan = few_leaves(roce=Roce(switch_os=system))
    seen = found(plan, roce_captures(plan))
    assert net(seen) == []
    counted = {c.id: c for c in seen.coverage}
    hops = plan.table("roce_ports").height
    assert {counted[i].passed for i in ("NET-001", "NET-002", "NET-004", "NET-005", "NET-007")} == {hops}
    switches = plan.table("roce_ports").filter(plan.table("roce_ports")["role"] != "host").height
    assert counted["NET-003"].passed == counted["NET-020"].passed == counted["NET-021"].passed == switches
    assert counted["NET-006"].passed == plan.links.filter(plan.links["plane"] == "compute").height
    assert sum(counted[i].failed + counted[i].not_measured + counted[i].error for i in CLEAN) == 0


@pytest.mark.parametrize("system", ["cumulus", "sonic"])
@pytest.mark.parametrize("role", ["host", "leaf", "spine"])
@pytest.mark.parametrize(("check", "setting", "value", "told"), FAULTS, ids=[f"{c}-{s}" for c, s, _, _ in FAULTS])
def test_a_mismatch_at_one_hop_is_found_at_that_hop(
    system: str, role: str, check: str, setting: str, value: object, told: str
) -> None:
    plan = few_leaves(roce=Roce(switch_os=system))
    hop = (HOPS if system == "cumulus" else SONIC)[role]
    findings = net(found(plan, roce_captures(plan, [Change(*hop, setting, value)])))
    assert [(f.id, f.verdict, f.subjects) for f in findings] == [(check, Verdict.FAIL, (of(plan, hop),))]
    assert told in findings[0].found
    assert hop[0] in findings[0].cause and "rack:" in findings[0].where and " U" in findings[0].where
    assert findings[0].evidence and findings[0].next and findings[0].revert


@pytest.mark.parametrize("role", ["host", "leaf", "spine"])
@pytest.mark.parametrize(
    ("check", "setting", "value"),
    [("NET-004", "trust", "pcp"), ("NET-008", "cable_m", 1.0), ("NET-006", "other_dscp_priority", 3)],
)
def test_trust_headroom_and_the_map_of_other_traffic(role: str, check: str, setting: str, value: object) -> None:
    plan = few_leaves()
    findings = net(found(plan, roce_captures(plan, [Change(*HOPS[role], setting, value)])))
    assert [(f.id, f.verdict) for f in findings] == [(check, Verdict.FAIL)]
    where = of(plan, HOPS[role])
    link = plan.table("roce_ports").filter(name=HOPS[role][0], interface=HOPS[role][1])["link"][0]
    assert findings[0].subjects == ((link,) if check == "NET-006" else (where,))


@pytest.mark.parametrize("role", ["leaf", "spine"])
@pytest.mark.parametrize(
    ("check", "setting", "value"),
    [
        ("NET-003", "ecn_min_bytes", 1_400_000),
        ("NET-003", "ecn_max_bytes", 3_000_000),
        ("NET-020", "up", False),
        ("NET-021", "speed_gbps", 200.0),
    ],
)
def test_what_only_a_switch_port_has(role: str, check: str, setting: str, value: object) -> None:
    plan = few_leaves()
    findings = net(found(plan, roce_captures(plan, [Change(*HOPS[role], setting, value)])))
    assert [(f.id, f.verdict, f.subjects) for f in findings] == [(check, Verdict.FAIL, (of(plan, HOPS[role]),))]


def test_a_default_mark_of_another_code_point() -> None:
    plan = few_leaves()
    findings = net(found(plan, roce_captures(plan, [Change(*HOST, "mark", 0)])))
    assert [(f.id, f.found) for f in findings] == [("NET-012", "DSCP 0")]


@pytest.mark.parametrize("role", ["host", "leaf", "spine"])
def test_an_unread_hop_is_not_measured_and_never_passes(role: str) -> None:
    plan = few_leaves()
    seen = found(plan, roce_captures(plan, [Change(*HOPS[role], "unread", True)]))
    told = net(seen)
    assert {f.verdict for f in told} == {Verdict.NOT_MEASURED}
    hop = next(f for f in told if f.subjects == (of(plan, HOPS[role]),))
    expected = {"NET-001", "NET-002", "NET-005", "NET-007"} | (set() if role == "host" else {"NET-003", "NET-020"})
    # The map of the switch as a whole was read; a host's only with its port.
    assert hop.id == "NET-001" and all(id == hop.id or id in hop.cause for id in expected)
    # The same hop, and the link whose two ends cannot be compared.
    assert len(told) <= 2
    counted = {c.id: c for c in seen.coverage}
    assert counted["NET-001"].passed == plan.table("roce_ports").height - 1
    assert seen.exit_code == 3


def test_mismatches_at_several_hops_are_one_finding_for_each_cause() -> None:
    plan = few_leaves()
    leaf = plan.table("roce_ports").filter(name="leaf-00-01")["interface"].to_list()
    changes = [Change("leaf-00-01", i, "pfc", ()) for i in leaf] + [Change(*SPINE, "mtu_bytes", 4200)]
    findings = net(found(plan, roce_captures(plan, changes)))
    assert sorted((f.id, len(f.subjects)) for f in findings) == [("NET-001", len(leaf)), ("NET-005", 1)]
    assert f"{len(leaf)} hops of leaf-00-01" in next(f.cause for f in findings if f.id == "NET-001")
    assert "(far end: MTU 9216)" in next(f.found for f in findings if f.id == "NET-005")


def test_a_host_alone_leaves_the_switches_unmeasured() -> None:
    plan = few_leaves()
    seen = found(plan, roce_captures(plan, devices=["node-0000"]))
    assert {f.verdict for f in net(seen)} == {Verdict.NOT_MEASURED}
    counted = {c.id: c for c in seen.coverage}
    assert counted["NET-001"].passed == 2
    assert counted["NET-001"].not_measured == plan.table("roce_ports").height - 2
    assert seen.exit_code == 3


def test_without_captures_nothing_is_judged_and_nothing_passes() -> None:
    plan = few_leaves()
    seen = compare(plan, Facts({}))
    counted = {c.id: c for c in seen.coverage}
    assert all(counted[i].passed == 0 and counted[i].not_measured == 1 for i in CLEAN)
    assert net(seen) == []


def test_a_cluster_without_rdma_over_ethernet_has_nothing_to_judge() -> None:
    plan = few_leaves(roce=Roce(enabled=False))
    assert plan.table("roce_ports").is_empty()
    counted = {c.id: c for c in compare(plan, Facts({})).coverage}
    assert all(counted[i].not_applicable == 1 for i in CLEAN)


def test_scope_leaves_out_what_is_not_built() -> None:
    plan = roce_cluster()
    captures = roce_captures(plan, [Change(*HOST, "mtu_bytes", 1500)], devices=["node-0000"])
    assert [f.id for f in net(compare(plan, facts_of(captures), scope="plane=compute")) if f.verdict is Verdict.FAIL] == [
        "NET-005"
    ]
    seen = compare(plan, facts_of(captures), scope="plane=storage")
    assert net(seen) == []


def test_a_change_that_meets_no_hop_is_refused() -> None:
    plan = few_leaves()
    with pytest.raises(ValueError, match="no hop nowhere swp1 with a setting 'pfc'"):
        roce_captures(plan, [Change("nowhere", "swp1", "pfc", ())])
    with pytest.raises(ValueError, match="with a setting 'colour'"):
        roce_captures(plan, [Change(*HOST, "colour", "red")])


def test_every_setting_that_may_change_is_a_field() -> None:
    from asbuilt.rehearse.roce_port import Port

    assert set(SETTINGS) - {"unread"} <= {f.name for f in dataclasses.fields(Port)}


def test_every_line_of_the_twin_is_read() -> None:
    for system in ("cumulus", "sonic"):
        plan = few_leaves(roce=Roce(switch_os=system))
        facts = facts_of(roce_captures(plan, devices=["node-0000", "leaf-00-00"]))
        assert all(a.balanced and a.unread == 0 for a in facts.accounts.values())


def test_neighbours_and_settings_of_one_fabric_agree() -> None:
    """LLDP tables say who is where, settings say what is set: together the whole Ethernet cluster passes."""
    from asbuilt.rehearse.built import as_planned
    from asbuilt.rehearse.neighbours import neighbour_captures

    plan = few_leaves()
    whole = roce_cluster()
    captures = (*neighbour_captures(whole, as_planned(whole)), *roce_captures(plan))
    seen = compare(plan, facts_of(captures))
    assert net(seen) == [] and seen.summary.ok == seen.summary.planned > 0
    assert seen.exit_code == 0
