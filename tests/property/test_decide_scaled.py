"""The same kind of site with another number of racks."""

from __future__ import annotations

import math
import re
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.decide.scaled import scaled
from asbuilt.decide.tasks import Tasks, arranged, tasks
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.deployment import OPERATIONS
from asbuilt.model.plan import Plan
from asbuilt.plan.canonical import named
from asbuilt.plan.expand import expand
from asbuilt.workflow import templates
from template_plans import CATALOGUE, made

TEMPLATES = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72")
COLUMN = {o.id: n for n, o in enumerate(OPERATIONS)}
PLANS = {template: tasks(made(template)) for template in TEMPLATES}


def _computing(site: Tasks) -> int:
    return site.racks.get("air", 0) + site.racks.get("liquid", 0)


def _total(site: Tasks, operation: str) -> float:
    return float(site.operations[:, COLUMN[operation]].sum())


def _kind(site: Tasks, index: int) -> str:
    return site.work.kinds[site.work.racks.index(site.rack[index])]


def _computing_packages(site: Tasks) -> list[int]:
    return [n for n, p in enumerate(site.package) if p == "bringup/rack" and _kind(site, n) in ("air", "liquid")]


def _by_row(site: Tasks) -> dict[int, int]:
    """Compute racks of each row."""
    found: dict[int, int] = {}
    for kind, row in zip(site.work.kinds, site.work.rack_row.tolist(), strict=True):
        if kind in ("air", "liquid"):
            found[row] = found.get(row, 0) + 1
    return found


@pytest.mark.parametrize("template", TEMPLATES)
def test_at_its_own_size_it_is_the_plan(template: str) -> None:
    plan = PLANS[template]
    again = scaled(plan, _computing(plan))
    for name in ("package", "rack", "rows", "racks", "gpus"):
        assert getattr(again, name) == getattr(plan, name)
    for name in ("scope", "row", "pred_start", "pred", "repeat", "operations", "row_gpus"):
        assert np.array_equal(getattr(again, name), getattr(plan, name)), name


@settings(max_examples=40, deadline=None)
@given(template=st.sampled_from(TEMPLATES), racks=st.integers(1, 150))
def test_racks_and_their_pieces_are_as_asked(template: str, racks: int) -> None:
    plan = PLANS[template]
    site = scaled(plan, racks)
    own = _computing(plan)
    assert _computing(site) == racks
    for kind, count in plan.racks.items():
        if kind not in ("air", "liquid"):
            assert site.racks[kind] == max(1, math.floor(count * racks / own + 0.5))
    placed = _total(site, "rack_place") + _total(site, "rack_place_liquid")
    assert placed == sum(site.racks.values())
    assert _total(site, "site_soak") == _total(site, "site_fabric") == 1
    assert site.row_gpus.sum() == site.gpus > 0
    assert _total(site, "row_collectives") == len(_by_row(site)) == (site.row_gpus > 0).sum()
    assert all(p < i for i in range(len(site.package)) for p in site.pred[site.pred_start[i] : site.pred_start[i + 1]])
    assert (site.operations.sum(axis=1) > 0).all()
    assert (site.operations == np.round(site.operations)).all()


@settings(max_examples=15, deadline=None)
@given(template=st.sampled_from(TEMPLATES), rounds=st.integers(1, 6))
def test_each_round_of_full_rows_is_one_more_of_each_of_their_pieces(template: str, rounds: int) -> None:
    plan = PLANS[template]
    own, most = _computing(plan), max(_by_row(plan).values())
    full = [row for row, count in _by_row(plan).items() if count == most]
    site = scaled(plan, own + rounds * most * len(full))
    for row in full:
        for again in range(2, rounds + 2):
            name = f"{plan.rows[row]}.{again}"
            assert _by_row(site)[site.rows.index(name)] == most
    nodes = site.operations[_computing_packages(site), COLUMN["node_bring_up"]].sum()
    of_full = plan.operations[[n for n in _computing_packages(plan) if plan.row[n] in full], COLUMN["node_bring_up"]].sum()
    of_all = plan.operations[_computing_packages(plan), COLUMN["node_bring_up"]].sum()
    assert nodes == of_all + rounds * of_full


@settings(max_examples=30, deadline=None)
@given(template=st.sampled_from(TEMPLATES), racks=st.integers(1, 80))
def test_one_more_rack_is_never_less_work(template: str, racks: int) -> None:
    less, more = scaled(PLANS[template], racks), scaled(PLANS[template], racks + 1)
    assert more.gpus > less.gpus
    rack_work = [COLUMN[o.id] for o in OPERATIONS if o.each == "rack" and o.id != "fitting_torque"]
    assert (more.operations[:, rack_work].sum(axis=0) >= less.operations[:, rack_work].sum(axis=0)).all()


def test_twice_the_size_is_near_the_plan_of_that_size() -> None:
    """The bounds are what docs/decide-model.md says of 32 racks made from 16."""
    plan = tasks(_plan_of(2304))
    site = scaled(tasks(_plan_of(1152)), 32)
    assert _computing(plan) == 32
    for operation, least, most in (
        ("rack_place_liquid", 1.0, 1.0), ("node_bring_up", 1.0, 1.0), ("shelf_feed", 1.0, 1.0), ("cord_plug", 0.95, 1.0),
        ("hose_connect", 1.0, 1.0), ("fitting_torque", 1.0, 1.05), ("link_verify", 0.97, 1.0), ("connector_mate", 0.86, 0.9),
        ("trunk_pull", 0.82, 0.86), ("row_collectives", 1.2, 1.2),
    ):  # fmt: skip
        assert least <= _total(site, operation) / _total(plan, operation) <= most, operation


def _plan_of(gpus: int) -> Plan:
    text = re.sub(r"^gpus: \d+", f"gpus: {gpus}", templates.text("gb300-nvl72"), flags=re.M)
    text = re.sub(r"^phases:\n(  .*\n)+", "", text, flags=re.M)
    return named(expand(resolve(decode(text.encode(), "sized"), CATALOGUE), CATALOGUE), CATALOGUE)


def test_spines_serve_every_row_and_leaves_those_of_their_round() -> None:
    plan = PLANS["gb300-nvl72"]
    site = scaled(plan, 32)
    names = list(site.rows)
    judged = {names[site.row[i]]: i for i, p in enumerate(site.package) if p == "acceptance/fabric"}
    waits = {
        row: {site.rack[p] for p in site.pred[site.pred_start[i] : site.pred_start[i + 1]] if site.package[p] == "bringup/rack"}
        for row, i in judged.items()
    }
    assert {"rack:B-06", "rack:B-06.2"} <= waits["A"] & waits["A.2"]
    assert "rack:A-05" in waits["A"] - waits["A.2"]
    assert "rack:A-05.2" in waits["A.2"] - waits["A"]


def test_no_racks_and_a_site_without_compute_racks_are_errors() -> None:
    with pytest.raises(ValueError) as raised:
        scaled(PLANS["l40s-384"], 0)
    assert str(raised.value) == "a site of 0 compute racks was asked for; the smallest has 1"
    work = PLANS["l40s-384"].work
    bare = arranged(replace(work, kinds=("network",) * len(work.racks)))
    with pytest.raises(ValueError) as raised:
        scaled(bare, 8)
    assert str(raised.value) == "the plan has no compute racks, so there is nothing to make more of"


@pytest.mark.parametrize(("template", "racks"), [("gb300-nvl72", 140), ("dgx-h100-superpod", 320)])
def test_large_sites_are_put_in_order_within_seconds(template: str, racks: int) -> None:
    started = time.process_time()
    site = scaled(PLANS[template], racks)
    assert time.process_time() - started < 5.0
    assert len(site.package) < 10 * sum(site.racks.values())
