"""Faults inside nodes: every kind is found exactly, whatever else is wrong; a draw touches the nodes that it says."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement
from asbuilt.rehearse import faults
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.node_draw import OF_DEVICE, OF_NODE, OF_SLOT, fits, judged
from asbuilt.rehearse.node_expected import EXPECTED
from asbuilt.rehearse.node_kinds import kinds, state_of
from asbuilt.rehearse.node_twin import Fleet
from asbuilt.rehearse.nvlink_trays import TRAY_DO
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import rehearse

SYSTEMS = {"l40s-8gpu": 96, "dgx-h100": 96, "gb300-nvl72": 72}


@functools.cache
def small(system: str, gpus: int = 0) -> Plan:
    """A plan of a dozen nodes or so."""
    return make_plan(Requirement(name="small", system=system, gpus=gpus or SYSTEMS[system]))


@settings(max_examples=30)
@given(count=st.integers(1, 9), seed=st.integers(0, 10**9))
def test_a_draw_touches_as_many_nodes_as_it_says_and_no_other(count: int, seed: int) -> None:
    plan = small("l40s-8gpu")
    built, records = faults.apply(plan, as_planned(plan), (faults.parse(f"nodes:{count}@{seed}"),))
    before, after = Fleet(plan, as_planned(plan)), Fleet(plan, built)
    changed = {n for n in before.nodes if n not in after.nodes or before.answers(n) != after.answers(n)}
    assert len(records) == count == len(changed)
    assert {change.node for change in built.nodes} == changed


#: GPUs of plans with a node for each kind of fault.
WHOLE = {"l40s-8gpu": 384, "dgx-h100": 320, "gb300-nvl72": 144}
#: What `nodes:K@SEED` does not draw.
NOT_DRAWN = ("sameas", "asleep", "ethmode")


def every_kind(plan: Plan) -> list[str]:
    """One fault of every kind that nodes of the plan can have, each in a node of its own."""
    nodes = iter(sorted(kinds(plan)))
    state = state_of(plan, sorted(kinds(plan))[0])
    device = next(n.device for n in state.board.nics if n.plane == "compute")
    found = []
    for kind in (*OF_SLOT, *OF_DEVICE, *OF_NODE, *NOT_DRAWN):
        if not fits(state, kind):
            continue
        node = next(nodes)
        if kind in (*OF_DEVICE, "ethmode"):
            found += [f"{kind}:{node}/{device}"] if judged(plan, node, kind, device) else []
        elif kind in (*OF_SLOT, "asleep"):
            found.append(f"{kind}:{node}/1" + (",79" if kind == "xid" else ""))
        elif kind == "sameas":
            found.append(f"{kind}:{node},{next(nodes)}")
        else:
            found.append(f"{kind}:{node}")
    trays = plan.table("nvlink_trays")["nvlink_tray"].to_list()
    return found + ([f"nvtray:{trays[0]}", f"nvswitch:{trays[-2]},1"] if trays else [])


@pytest.mark.parametrize("system", WHOLE)
def test_every_kind_of_fault_is_found_exactly(system: str) -> None:
    plan = make_plan(Requirement(name="whole", system=system, gpus=WHOLE[system]))
    asked = every_kind(plan)
    assert len(asked) >= 25
    found = rehearse(plan, asked, nodes=True)
    assert (found.missed, found.extra) == ((), ())
    assert found.exit_code == 3, "a silent node leaves it undecided"


def test_no_kind_of_fault_is_left_out() -> None:
    assert {*OF_SLOT, *OF_DEVICE, *OF_NODE, *NOT_DRAWN} == set(EXPECTED)
    assert {text.partition(":")[0] for text in every_kind(small("gb300-nvl72", 144))} >= set(TRAY_DO)


@settings(max_examples=6, deadline=None)
@given(st.data())
def test_dark_chips_are_found_exactly_beside_single_links(data: st.DataObject) -> None:
    """Chips and trays of either rack, and single links of GPUs that are none of theirs: each is one finding."""
    plan = small("gb300-nvl72", 144)
    trays = plan.table("nvlink_trays")["nvlink_tray"].to_list()
    dark = data.draw(st.lists(st.sampled_from(trays[:-1]), max_size=3, unique=True))
    chips = [tray for tray in dark if data.draw(st.booleans())]
    nodes = data.draw(st.lists(st.sampled_from(sorted(kinds(plan))), max_size=3, unique=True))
    # The single link of `nvlink:` is one of the rack's last tray: where that is dark, nobody can tell it apart.
    nodes = [n for n in nodes if trays[8] not in dark or int(n[5:]) >= 18]
    faults = [f"nvswitch:{tray},{data.draw(st.integers(0, 1))}" if tray in chips else f"nvtray:{tray}" for tray in dark]
    faults += [f"nvlink:{node}/{data.draw(st.integers(0, 3))}" for node in nodes]
    found = rehearse(plan, faults, nodes=True)
    assert (found.missed, found.extra) == ((), ()), faults
    told = [f for f in found.verification.findings if f.id.startswith("GPU-")]
    assert sum(len(f.subjects) for f in told) == len(faults), faults


@pytest.mark.parametrize("system", SYSTEMS)
def test_nodes_as_planned_are_accused_of_nothing(system: str) -> None:
    found = rehearse(small(system), nodes=True)
    assert (found.missed, found.extra, found.exit_code) == ((), (), 0)


@settings(max_examples=3)
@given(count=st.integers(2, 8), seed=st.integers(0, 10**6))
def test_random_faults_are_found_exactly(count: int, seed: int) -> None:
    found = rehearse(small("dgx-h100"), [f"nodes:{count}@{seed}"], nodes=True)
    assert (found.missed, found.extra) == ((), ()), [str(i.fault) for i in found.injected]
