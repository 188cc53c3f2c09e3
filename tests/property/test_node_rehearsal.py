"""Faults inside nodes as they are drawn: as many nodes as asked for, each touched, no other."""

from __future__ import annotations

import functools

from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement
from asbuilt.rehearse import faults
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.node_twin import Fleet
from asbuilt.workflow.plan import make_plan

SYSTEMS = {"l40s-8gpu": 96, "dgx-h100": 96, "gb300-nvl72": 72}


@functools.cache
def small(system: str) -> Plan:
    """A plan of a dozen nodes or so."""
    return make_plan(Requirement(name="small", system=system, gpus=SYSTEMS[system]))


@settings(max_examples=30)
@given(count=st.integers(1, 9), seed=st.integers(0, 10**9))
def test_a_draw_touches_as_many_nodes_as_it_says_and_no_other(count: int, seed: int) -> None:
    plan = small("l40s-8gpu")
    built, records = faults.apply(plan, as_planned(plan), (faults.parse(f"nodes:{count}@{seed}"),))
    before, after = Fleet(plan, as_planned(plan)), Fleet(plan, built)
    changed = {n for n in before.nodes if n not in after.nodes or before.answers(n) != after.answers(n)}
    assert len(records) == count == len(changed)
    assert {change.node for change in built.nodes} == changed
