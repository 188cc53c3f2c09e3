"""A port that is not where it should be, told apart by both of its sides; nodes that are all crossed the same way."""

from __future__ import annotations

import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict, Verification
from asbuilt.rehearse import faults as grammar
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.subnet_captures import subnet_captures
from asbuilt.rehearse.twin import captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from template_plans import made

TOOLS = ("ibnetdiscover", "iblinkinfo", "ibstat")


def l40s() -> Plan:
    return made("l40s-384")


def seen(*faults: str, tools: tuple[str, ...] = TOOLS) -> Verification:
    """What compare says of the twin with ``faults``, captured by ``tools`` alone."""
    built, _ = grammar.apply(l40s(), as_planned(l40s()), tuple(grammar.parse(f) for f in faults))
    found: dict[str, Capture] = {c.id: c for c in (*captures(l40s(), built, 0), *subnet_captures(l40s(), built))}
    return compare(l40s(), facts_of([c for c in found.values() if c.tool in (*tools, "lldpctl")]))


def told(verification: Verification) -> tuple[tuple[str, str], ...]:
    return tuple((f.id, f.cause) for f in verification.findings)


PORT = "IBLEAF-02-07 port 34 (9/1/2) – node0033 mlx5_2"


def test_three_faults_that_look_alike_from_the_fabric_are_told_apart() -> None:
    ethernet, pulled, unmanaged = (seen(f"{kind}:node0033/mlx5_2") for kind in ("eth", "unplug", "init"))
    assert told(ethernet) == (
        (
            "FAB-006",
            f"{PORT}: the NIC port is in Ethernet mode: the host says Link layer: Ethernet, the switch port is Down/Polling, "
            "and no InfiniBand discovery sees the port",
        ),
    )
    assert told(pulled) == (
        (
            "FAB-002",
            f"no light between {PORT}: the host says InfiniBand and Polling, the switch port is Down/Polling: the cable is "
            "out, dead, or not seated",
        ),
    )
    ((check_id, cause),) = told(unmanaged)
    assert check_id == "FAB-011"
    assert cause == (
        "node0033 mlx5_2 (at IBLEAF-02-07 port 34 (9/1/2)) is up and has no LID (LID 0, state init): "
        "no subnet manager has set it up"
    )
    assert [v.exit_code for v in (ethernet, pulled, unmanaged)] == [1, 1, 1]


@pytest.mark.parametrize("kind", ["eth", "unplug"])
def test_without_the_hosts_side_the_cause_is_undecided_and_the_link_fails_all_the_same(kind: str) -> None:
    verification = seen(f"{kind}:node0033/mlx5_2", tools=("ibnetdiscover", "iblinkinfo"))
    (finding,) = verification.findings
    assert (finding.id, finding.verdict) == ("FAB-002", Verdict.FAIL)
    assert finding.cause == (
        f"no link between {PORT}, the switch port is Down/Polling: undecided without the host's side "
        "(unplugged, a dead end, or Ethernet mode)"
    )
    assert finding.next.startswith("run ibstat on the host")
    coverage = {c.id: c for c in verification.coverage}
    assert coverage["FAB-006"].not_measured == 1 and coverage["FAB-006"].failed == 0


def test_a_discovery_alone_says_what_it_always_said() -> None:
    (finding,) = seen("eth:node0033/mlx5_2", tools=("ibnetdiscover",)).findings
    assert finding.cause == f"no link between {PORT}: unplugged, a dead end, or a port of another link layer"


def test_a_cable_between_switches_has_no_host_that_could_tell() -> None:
    (finding,) = seen("unplug:link:sw:compute/leaf-b000-r2/101").findings
    assert finding.id == "FAB-002"
    assert finding.cause.endswith(
        "the switch port is Down/Polling; the cable is out, dead, or not seated, or the far port is disabled"
    )


def test_a_switch_that_is_off_is_one_finding_though_none_of_its_ports_answers() -> None:
    (finding,) = seen("absent:IBLEAF-01-07").findings
    assert finding.id == "FAB-002" and len(finding.subjects) == 72


def test_both_sides_are_the_evidence() -> None:
    (finding,) = seen("eth:node0033/mlx5_2").findings
    assert [e.partition(":")[0] for e in finding.evidence] == ["ibstat-ib0", "iblinkinfo-ib0"]
    assert finding.revert == "set LINK_TYPE_P1 back to 2 and restart the host"


def test_the_twin_as_planned_is_clean_in_every_kind_of_capture() -> None:
    verification = seen(tools=(*TOOLS, "smpquery", "sminfo"))
    assert verification.findings == () and verification.exit_code == 0


@pytest.mark.parametrize(
    ("fault", "check_id"),
    [
        ("limited:node0003/mlx5_1", "FAB-017"),
        ("lids:node0003/mlx5_0,node0004/mlx5_0", "FAB-010"),
        ("slow:node0003/mlx5_0", "FAB-007"),
        ("idle:ufm-compute-0", "FAB-025"),
    ],
)
def test_each_fault_of_the_subnet_is_one_finding(fault: str, check_id: str) -> None:
    verification = seen(fault, tools=(*TOOLS, "smpquery", "sminfo"))
    assert [f.id for f in verification.findings] == [check_id]


def test_nodes_that_are_all_crossed_the_same_way_are_one_finding() -> None:
    swaps = [f"swap:node{n:04d}/mlx5_0,node{n:04d}/mlx5_1" for n in range(48)]
    (finding,) = seen(*swaps, tools=("ibnetdiscover",)).findings
    assert finding.id == "FAB-001" and len(finding.subjects) == 96
    assert finding.cause == (
        "all 48 nodes are crossed the same way: mlx5_0 and mlx5_1 are exchanged at each; "
        "the cables, or the plan's idea of which NIC is which"
    )
    (finding,) = seen(*swaps[:5], tools=("ibnetdiscover",)).findings
    assert finding.cause.startswith("5 nodes are crossed the same way")
    assert len(seen(*swaps[:2], tools=("ibnetdiscover",)).findings) == 2


def test_rails_rotated_alike_in_several_nodes_are_one_finding() -> None:
    (finding,) = seen(*(f"rail:node{n:04d}" for n in range(3)), tools=("ibnetdiscover",)).findings
    assert finding.cause.startswith("3 nodes are crossed the same way: at each mlx5_0 is in the place of mlx5_3, ")
