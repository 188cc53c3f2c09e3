"""Random faults in the physical plan give exactly their findings: one fault, several at once, and what a site says it has."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.verdict import Verdict
from physical_fault_kinds import FAULTS
from physical_faults import LIQUID, PLANS, SMOOTH, Fault, added, before, gone, names, plan, stated

#: A fault and the plans that have such a thing.
POSSIBLE = [(f, name) for f in FAULTS for name in PLANS if f.put(plan(name), random.Random(0)) is not None]


def test_every_fault_can_be_put_somewhere() -> None:
    assert {f.name for f, _ in POSSIBLE} == {f.name for f in FAULTS}
    assert {name for _, name in POSSIBLE} == set(PLANS)


def test_nothing_is_wrong_with_the_plans_that_faults_are_put_into() -> None:
    for name in PLANS:
        assert [k for k, f in before(name).items() if f.verdict is Verdict.FAIL] == []


def batches() -> list[tuple[str, tuple[Fault, ...]]]:
    """Every fault once, on the last plan that has such a thing, together with others that other checks tell."""
    last = dict(POSSIBLE)
    made: list[tuple[str, list[Fault]]] = []
    for fault, name in last.items():
        open_to = (b for n, b in made if n == name and len(b) < 8 and fault.check not in {f.check for f in b})
        batch = next(open_to, None)
        if batch is None:
            made.append((name, [fault]))
        else:
            batch.append(fault)
    return [(name, tuple(batch)) for name, batch in made]


@pytest.mark.parametrize(("name", "faults"), batches(), ids=lambda b: None if isinstance(b, str) else f"{b[0].name} and others")
def test_every_fault_gives_its_finding_beside_others(name: str, faults: tuple[Fault, ...]) -> None:
    exactly(name, faults, random.Random(faults[0].name))


def exactly(name: str, faults: Sequence[Fault], draw: random.Random) -> None:
    """The plan with these faults has one finding more for each, which names the part, and none less."""
    changed, put = plan(name), []
    for fault in faults:
        broken = fault.put(changed, draw)
        if broken is not None:
            changed = broken.plan
            put.append((fault, broken.part))
    new = added(name, changed)
    assert sorted(f.id for f in new) == sorted(f.check for f, _ in put), [(f.id, f.subject, f.cause) for f in new]
    assert all(f.verdict is Verdict.FAIL for f in new)
    for fault, part in put:
        assert any(f.id == fault.check and names(f, part) for f in new), (fault.name, part)
    assert gone(name, changed) == []


@settings(max_examples=12)
@given(st.data())
def test_faults_anywhere_give_each_its_finding(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(PLANS))
    here = [f for f, n in POSSIBLE if n == name]
    chosen = data.draw(st.lists(st.sampled_from(here), min_size=1, max_size=3, unique_by=lambda f: f.check))
    exactly(name, chosen, random.Random(data.draw(st.integers(0, 10_000))))


LIQUID_10 = {"gpus": 720, "phases": None}

#: What a site says of itself in cluster.yaml, and the one check that answers, with what its finding names.
SAID = (
    (
        "l40s-384",
        {},
        {"power": {"circuits_as_built": [{"rack": "A-02", "feed": "A", "feed_as_built": "B"}]}},
        "PWR-011",
        "A-02/A1",
    ),
    (
        "l40s-384",
        {},
        {"power": {"cords_as_built": [{"device": "node:0003", "supply": 0, "feed": "B"}]}},
        "PWR-011",
        "node:0003/0",
    ),
    ("l40s-384", {}, {"power": {"circuits_as_built": [{"rack": "A-03", "feed": "B", "length_m": 9}]}}, "PWR-019", "A-03/B1"),
    (PLANS[2], LIQUID_10, {"power": {"shelf_feeds": list("BBBBAAAA")}}, "PWR-007", "2448.98 A"),
    (PLANS[2], LIQUID_10, {"power": {"shelf_feeds": list("AAAAAAAA")}}, "DES-060", "0 of 8 shelves"),
    (PLANS[2], LIQUID_10, {"cooling": {"header_underside_mm": 2270.0}}, "COO-031", "34 mm"),
    (PLANS[2], LIQUID_10, {"cooling": {"valves": "supply"}}, "COO-030", "supply"),
    (PLANS[2], LIQUID_10, {"fibre": {"turn_radius_mm": 60}}, "CAB-023", "60 mm"),
    (PLANS[2], LIQUID_10, {"fibre": {"tray_width_mm": 100}}, "CAB-021", "tray_width_mm"),
)


@pytest.mark.parametrize(("name", "top", "sections", "id", "told"), SAID, ids=lambda v: v if isinstance(v, str) else "")
def test_what_a_site_says_it_has_is_the_same_finding(name: str, top: Any, sections: Any, id: str, told: str) -> None:
    whole = {"cooling": LIQUID, "power": SMOOTH} if top else {}
    said = {k: whole.get(k, {}) | sections.get(k, {}) for k in {*whole, *sections}}
    new = [f for f in added(name, stated(name.split()[0], top, **said)) if f.verdict is Verdict.FAIL]
    assert [f.id for f in new] == [id], [(f.id, f.subject, f.cause) for f in new]
    assert told in f"{new[0].subject} {new[0].cause} {new[0].subjects} {new[0].ways}"
