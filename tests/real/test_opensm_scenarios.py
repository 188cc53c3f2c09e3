"""Scenarios on the real OpenSM: failover, growth by a pod, the spare leaf, faults at run time, repairs."""

from __future__ import annotations

import pytest

from asbuilt.model.plan import Plan
from asbuilt.rehearse import faults as grammar
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.growth import growth
from asbuilt.rehearse.scenarios import failover
from asbuilt.workflow.rehearse import infiniband_only, parsed, weigh
from asbuilt.workflow.rehearse_opensm import Wish, rehearse_opensm
from asbuilt.workflow.repair import apply_moves
from opensm_plans import PROGRAMS, l40s, pods
from requirements_of_tests import need_program

pytestmark = pytest.mark.real


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    for name in PROGRAMS:
        need_program(name)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return l40s()


def test_the_standby_takes_over_and_changes_nothing(plan: Plan) -> None:
    proof = failover(plan, "ib0", as_planned(plan)).proof
    assert not proof.failed and not proof.open, proof
    assert [s.what.split(" within")[0] for s in proof.steps if s.holds is not None][-3:] == [
        "standby is master",
        "restarted primary is master again",
        "the returned master sweeps",
    ]
    tables = {e.table: e for e in proof.equality}
    for when in ("after the takeover", "after the return"):
        assert tables[f"lids {when}"].compared == 310
        assert tables[f"forwarding tables {when}"].compared == 3_100
    assert all(e.holds for e in proof.equality)


def test_a_pod_is_plugged_in_and_what_stood_stays(capsys: pytest.CaptureFixture[str]) -> None:
    small, large = pods(128), pods(256)
    proof = growth(small, large, "ib0").proof
    assert not proof.failed and not proof.open, proof
    told = {s.what: s.found for s in proof.steps}
    assert told["what is built later is plugged in"].endswith("4 leaf switches and 64 NIC ports")
    tables = {e.table: e for e in proof.equality}
    assert tables["lids of what stood"].compared == 80
    assert tables["same-leaf paths of what stood"].compared == 64
    assert tables["forwarding rows of what stood, as predicted"].holds
    assert tables["forwarding tables"].compared == 12 * 152
    changed = int(told["forwarding rows of old switches to old ports that change"].replace(",", ""))
    assert 0 < changed < tables["forwarding rows of what stood, as predicted"].compared
    with capsys.disabled():
        print(f"\nreal: a pod of four leaves joins: {changed} of 640 old forwarding rows change, all as the plan predicts")


def test_the_spare_leaf_takes_the_dead_ones_place(plan: Plan) -> None:
    rehearsal = rehearse_opensm(plan, Wish("spare-leaf"))
    (proof,) = rehearsal.proofs
    assert rehearsal.exit_code == 0, (proof, rehearsal.verification.findings)
    edits = {s.what.removeprefix("edit of ") for s in proof.steps if s.what.startswith("edit of")}
    assert {"guid2lid", "node-name-map"} <= edits
    tables = {e.table: e for e in proof.equality}
    assert tables["lids"].compared == tables["lids"].equal == 310, "the spare has the dead leaf's LID"
    assert tables["forwarding tables"].holds


@pytest.mark.parametrize(
    ("faults", "changed"),
    [
        (("unplug:IBSTOR-00-07/3", "swap:node0001/mlx5_0,node0002/mlx5_1", "rail:node0007", "eth:node0003/mlx5_4"), 8),
        (("absent:IBLEAF-02-07",), 72),
    ],
)
def test_faults_put_into_the_running_subnet_are_found(plan: Plan, faults: tuple[str, ...], changed: int) -> None:
    rehearsal = rehearse_opensm(plan, Wish(faults=faults))
    assert rehearsal.exact, (rehearsal.missed, rehearsal.extra)
    assert rehearsal.verification.summary.wrong + rehearsal.verification.summary.missing == changed
    assert not rehearsal.proofs[0].failed


@pytest.mark.parametrize("seed", [3, 29])
def test_repairs_of_random_faults_give_a_clean_verify(plan: Plan, seed: int) -> None:
    """The moves that verification names, carried out on the twin and rehearsed again on OpenSM, leave nothing to find."""
    faults = (f"random:4@{seed}",)
    rehearsal = rehearse_opensm(plan, Wish(faults=faults))
    assert rehearsal.exact and not rehearsal.proofs[0].failed
    assert rehearsal.verification.details["exchanges"] <= len(rehearsal.injected) == 4
    built, injected = grammar.apply(plan, as_planned(plan), parsed(faults))
    mended = apply_moves(plan, built, rehearsal.verification.repairs)
    dark = [i for i in injected if i.moves is None]
    from asbuilt.rehearse.scenarios import faults as rewired

    seen = rewired(plan, "ib0", as_planned(plan), mended).seen
    again = weigh(infiniband_only(plan), mended, (), "opensm", seen.captures())
    left = {s for f in again.verification.findings if f.id in ("FAB-001", "FAB-002", "FAB-003") for s in f.subjects}
    assert left == {link for i in dark for link in i.links}, "only ports in Ethernet mode, which no cable move mends"
