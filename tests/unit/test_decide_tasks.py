"""Packages of work and their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asbuilt.decide.quantities import quantities
from asbuilt.decide.site_work import site_work
from asbuilt.decide.tasks import PACKAGES, Tasks, arranged, tasks
from asbuilt.model.deployment import OPERATIONS, SCOPES
from template_plans import made

TEMPLATES = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72", "gb200-nvl72")


def _preds(made_of: Tasks, index: int) -> list[int]:
    return [int(p) for p in made_of.pred[made_of.pred_start[index] : made_of.pred_start[index + 1]]]


def _before(made_of: Tasks) -> list[set[int]]:
    """All packages that end before each one starts."""
    found: list[set[int]] = []
    for index in range(len(made_of.package)):
        near = _preds(made_of, index)
        found.append(set(near).union(*(found[p] for p in near)))
    return found


def _where(made_of: Tasks, package: str, row: int | None = None, rack: str | None = None) -> set[int]:
    return {
        i
        for i, name in enumerate(made_of.package)
        if name == package and row in (None, made_of.row[i]) and rack in (None, made_of.rack[i])
    }


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_piece_is_in_one_package(template: str) -> None:
    found = tasks(made(template))
    frame = quantities(made(template))
    totals = dict(frame.group_by("operation").agg(frame["count"].sum() * 0).iter_rows())
    for operation, count in frame.select("operation", "count").iter_rows():
        totals[operation] += count
    sums = dict(zip([o.id for o in OPERATIONS], found.operations.sum(axis=0).tolist(), strict=True))
    assert {operation: count for operation, count in sums.items() if count} == totals
    assert (found.operations.sum(axis=1) > 0).all()
    assert len(set(zip(found.package, found.row.tolist(), found.rack, strict=True))) == len(found.package)


@pytest.mark.parametrize("template", TEMPLATES)
def test_predecessors_come_first_and_none_is_implied_by_another(template: str) -> None:
    found = tasks(made(template))
    before = _before(found)
    assert found.pred_start[0] == 0
    assert found.pred_start[-1] == len(found.pred)
    for index in range(len(found.package)):
        near = _preds(found, index)
        assert all(p < index for p in near)
        assert not any(p in before[q] for p in near for q in near)


@pytest.mark.parametrize("template", TEMPLATES)
def test_scopes_rows_and_racks_are_those_of_the_plan(template: str) -> None:
    found, plan = tasks(made(template)), made(template)
    assert [SCOPES[s] for s in found.scope] == [PACKAGES[p][0] for p in found.package]
    home = dict(plan.table("racks").select("rack", "row").iter_rows())
    for rack, row in zip(found.rack, found.row.tolist(), strict=True):
        assert not rack or found.rows[row] == home[rack]
    assert sum(found.racks.values()) == len(home)
    assert found.gpus == plan.table("gpus").height == found.row_gpus.sum()


@pytest.mark.parametrize("template", TEMPLATES)
def test_gates_wait_for_every_rack_of_their_row_and_nothing_is_switched_on_before(template: str) -> None:
    found = tasks(made(template))
    before = _before(found)
    for row in range(len(found.rows)):
        power = _where(found, "power/gate", row)
        liquid = _where(found, "liquid/gate", row)
        for gate in power:
            assert _where(found, "power/rack", row) | _where(found, "staging/rack", row) <= before[gate]
        for gate in liquid:
            assert _where(found, "liquid/rack", row) | _where(found, "liquid/header", row) <= before[gate]
        for switched_on in _where(found, "bringup/rack", row):
            assert power | liquid <= before[switched_on]
        for judged in _where(found, "acceptance/fabric", row):
            assert _where(found, "fibre/rack", row) | _where(found, "bringup/rack", row) <= before[judged]
    last = _where(found, "acceptance/soak") | _where(found, "acceptance/audit")
    assert len(last) == 2
    for package in last:
        assert before[package] == set(range(len(found.package))) - last


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_rack_is_staged_first(template: str) -> None:
    found = tasks(made(template))
    before = _before(found)
    for index, (package, rack) in enumerate(zip(found.package, found.rack, strict=True)):
        if rack and package != "staging/rack":
            assert _where(found, "staging/rack", None, rack) <= before[index]


def test_the_fabric_of_a_row_waits_for_the_racks_of_its_leaves_and_spines() -> None:
    plan = made("gb300-nvl72")
    found = tasks(plan)
    before = _before(found)
    switches = {s["switch"]: s for s in plan.table("switches").iter_rows(named=True)}
    spines = {s["rack"] for s in switches.values() if s["role"] == "spine"}
    home = dict(plan.table("racks").select("rack", "row").iter_rows())
    stands = dict(plan.table("nodes").select("node", "rack").iter_rows())
    for row, name in enumerate(found.rows[:3]):
        leaves = {
            switches[a]["rack"]
            for a, b in plan.links.select("a_device", "b_device").iter_rows()
            if b in stands and home[stands[b]] == name
        }
        assert leaves
        (judged,) = _where(found, "acceptance/fabric", row)
        for rack in leaves | spines:
            assert _where(found, "bringup/rack", None, rack) | _where(found, "fibre/rack", None, rack) <= before[judged], rack
        others = {found.rack[i] for i in before[judged] if found.package[i] == "bringup/rack" and found.row[i] != row}
        assert others == {rack for rack in leaves | spines if home[rack] != name}  # none that does not serve this row


def test_cords_wait_for_the_trunks_that_end_in_their_rack() -> None:
    plan = made("gb300-nvl72")
    found = tasks(plan)
    before = _before(found)
    home = dict(plan.table("racks").select("rack", "row").iter_rows())
    panels = dict(plan.table("panels").select("panel", "rack").iter_rows())
    for a, b in plan.table("trunks").select("a_panel", "b_panel").unique().iter_rows():
        first = min(home[panels[a]], home[panels[b]])
        pulled = _where(found, "fibre/trunks", found.rows.index(first))
        for panel in (a, b):
            (cords,) = _where(found, "fibre/rack", None, panels[panel])
            assert pulled
            assert pulled <= before[cords]


def test_an_air_cooled_site_has_no_liquid_packages() -> None:
    found = tasks(made("dgx-h100-superpod"))
    assert not [p for p in found.package if p.startswith("liquid/")]
    assert SCOPES.index("liquid") not in found.scope


def test_racks_outside_the_loop_do_not_hold_up_its_gate() -> None:
    found = tasks(made("gb300-nvl72"))
    gate = min(_where(found, "liquid/gate"))
    assert {found.package[p] for p in _preds(found, gate)} == {"liquid/rack"}


def test_a_package_without_pieces_passes_its_order_on() -> None:
    work = site_work(made("l40s-384"))
    power = [column for column, operation in enumerate(OPERATIONS) if operation.scope == "power"]
    bare, rows = work.rack_pieces.copy(), work.row_pieces.copy()
    bare[:, power] = 0
    rows[:, power] = 0
    found = arranged(replace(work, rack_pieces=bare, row_pieces=rows))
    assert not [p for p in found.package if p.startswith("power/")]
    switched_on = min(_where(found, "bringup/rack", 0))
    assert set(_preds(found, switched_on)) == _where(found, "staging/rack", 0)


def test_repeat_counts_the_racks_of_the_scope_before() -> None:
    found = tasks(made("gb300-nvl72"))
    liquid = [i for i, p in enumerate(found.package) if p == "liquid/rack"]
    assert found.repeat[liquid].tolist() == list(range(16))
    fabric = [found.repeat[i] for i, p in enumerate(found.package) if p == "acceptance/fabric"]
    assert fabric == [0, 9, 19, 22][: len(fabric)]
    (soak,) = _where(found, "acceptance/soak")
    assert found.repeat[soak] == sum(found.racks.values())


def test_network_racks_are_first_in_their_row() -> None:
    found = tasks(made("gb300-nvl72"))
    staged = [found.rack[i] for i, p in enumerate(found.package) if p == "staging/rack" and found.row[i] == 0]
    assert staged[:3] == ["rack:A-05", "rack:A-06", "rack:A-01"]


def test_a_share_of_the_records_is_audited_rounded_up() -> None:
    column = [o.id for o in OPERATIONS].index("audit")
    whole = tasks(made("l40s-384")).operations[:, column].sum()
    assert whole == 606
    assert tasks(made("l40s-384"), audit_share=0.05).operations[:, column].sum() == 31
    assert "acceptance/audit" not in tasks(made("l40s-384"), audit_share=0.0).package
    with pytest.raises(ValueError) as raised:
        tasks(made("l40s-384"), audit_share=5.0)
    assert str(raised.value) == "audit_share is 5; a share of the records lies between 0 (none) and 1 (all of them)"


def test_types_are_those_of_the_schedule() -> None:
    found = tasks(made("l40s-384"))
    assert [a.dtype for a in (found.scope, found.row, found.pred_start, found.pred)] == [np.int64] * 4
    assert found.operations.shape == (len(found.package), len(OPERATIONS))
    assert found.pred_start.shape == (len(found.package) + 1,)
