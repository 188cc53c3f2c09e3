"""Topology of a fleet is put together some nodes after others: the same rows as all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.diagnose import node_tables
from asbuilt.diagnose.measured_topology import TOPOLOGY_OF
from asbuilt.model.measured_nodes import GPU_PLACES, NEAR, PORT_PLACES
from asbuilt.model.requirement import Requirement
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.node_twin import write_fleet
from asbuilt.workflow.captures import facts_of, read_captures
from asbuilt.workflow.plan import make_plan


def test_slices_of_nodes_give_the_tables_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan(Requirement(name="small", system="dgx-h100", gpus=40))
    write_fleet(plan, as_planned(plan), tmp_path)
    facts = facts_of(read_captures([tmp_path]))
    whole = node_tables.node_tables(plan, facts).tables
    assert set(TOPOLOGY_OF) <= whole.keys() and whole[NEAR.name]["node"].n_unique() == 5
    monkeypatch.setattr(node_tables, "_AT_ONCE", 2)
    sliced = node_tables.node_tables(plan, facts).tables
    assert sliced.keys() == whole.keys()
    for schema in (GPU_PLACES, PORT_PLACES, NEAR):
        order = list(schema.names)
        assert sliced[schema.name].sort(order).equals(whole[schema.name].sort(order)), schema.name
