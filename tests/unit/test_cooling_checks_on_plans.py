"""Checks of cooling on whole plans: the pilot that hides its row, and single faults put into a plan, each told once."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verdict
from cooling_plans import SOUND, plan_of, told, with_change


def header(plan: Plan) -> Finding | None:
    return next((f for key, f in told(plan).items() if key.startswith("COO-001")), None)


PILOT = {"header": "DN80", "racks_per_loop": 10}


def test_two_racks_on_dn80_pass_where_two_are_all() -> None:
    plan = plan_of(2, {"header": "DN80", "racks_per_loop": 2}, racks_per_row=4)
    assert plan.table("loops")["racks_full"].to_list() == [2]
    assert header(plan) is None


def test_the_pilot_of_two_racks_is_told_that_its_header_does_not_carry_the_row() -> None:
    plan = plan_of(2, PILOT)
    loop = plan.table("loops").row(0, named=True)
    assert (loop["racks"], loop["racks_full"]) == (2, 10), "two of twelve positions hold network racks"
    found = header(plan)
    assert found is not None and found.verdict is Verdict.FAIL
    assert found.cause == (
        "the DN80 header carries the 2 racks of now (1.1 m/s), 4 at most, and not the 10 of the finished row: 5.69 m/s in "
        "segment:A/s1, allowed are 2.3 m/s"
    )
    assert found.ways[0].startswith("the smallest change that passes: DN125 for the header up to the 6th rack")
    assert "`cooling.header_first: DN125`, `cooling.header_first_racks: 6`" in found.ways[0]


def test_ten_racks_are_too_many_for_dn80_now() -> None:
    found = header(plan_of(10, PILOT, racks_per_row=15))
    assert found is not None
    assert found.cause.startswith("the DN80 header is too small for the 10 racks of now on a loop: 5.72 m/s in segment:A/s1")


def failed(plan: Plan) -> set[str]:
    """Ids of what fails of header (COO-001) and CDU (COO-010, COO-014)."""
    return {f.id for f in told(plan).values() if f.verdict is Verdict.FAIL and f.id in ("COO-001", "COO-010", "COO-014")}


def test_header_and_cdu_are_judged_apart() -> None:
    assert failed(plan_of(2, PILOT)) == {"COO-001", "COO-014"}, "the row asks for more flow than the CDU is published for"
    assert failed(plan_of(2, PILOT, racks_per_row=10)) == {"COO-001", "COO-010"}, "eight racks: too little head is left"
    assert failed(plan_of(2, SOUND)) == set()
    assert failed(plan_of(2, SOUND | {"margin_percent": 60.0})) == {"COO-010"}


def test_the_smallest_change_passes_and_the_next_smaller_does_not() -> None:
    found = header(plan_of(2, PILOT))
    assert found is not None
    stated = dict(re.findall(r"`cooling\.(header_first|header_first_racks): (\w+)`", found.ways[0]))
    count = int(stated["header_first_racks"])
    change = PILOT | {"header_first": stated["header_first"], "header_first_racks": count}
    assert header(plan_of(2, change)) is None
    assert header(plan_of(2, change | {"header_first_racks": count - 1})) is not None
    assert header(plan_of(2, change | {"header_first": "DN100"})) is not None


@pytest.mark.parametrize(
    ("name", "key", "values", "comes"),
    [
        ("manifolds", "manifold:A-02", {"underside_mm": 2270.0, "clearance_mm": 34.0}, "COO-031 manifold:A-02"),
        ("manifolds", "manifold:A-01", {"wrench_mm": 20.0}, "COO-032 manifold:A-01"),
        ("branches", "branch:A-02", {"valves": "supply"}, "COO-030 branch:A-02"),
        ("branches", "branch:A-01", {"valves": "none"}, "COO-030 branch:A-01"),
        ("branches", "branch:A-02", {"coupling": "uqd-08", "coupling_l_min": 17.8}, "COO-005 branch:A-02"),
        ("branches", "branch:A-03", {"full_l_min": 120.0}, "COO-003 branch:A-03"),
        ("loops", "loop:A", {"supply_c": 48.0}, "COO-022 loop:A"),
        ("loops", "loop:A", {"dew_point_c": 44.0}, "COO-021 loop:A"),
        ("loops", "loop:A", {"weakest_kpa": 100.0, "weakest": "a hose"}, "COO-020 loop:A"),
        ("cdus", "cdu:A/1", {"capacity_kw": 500.0}, "COO-015 loop:A"),
    ],
)
def test_one_fault_is_one_finding(name: str, key: str, values: dict[str, Any], comes: str) -> None:
    plan = plan_of(2, SOUND | {"hose_id_mm": 50.0})
    before = set(told(plan))
    assert comes not in before
    after = set(told(with_change(plan, name, pl.col(plan.table(name).columns[0]) == key, **values)))
    same = {k for k in before if not k.startswith(comes[:7])}
    assert same <= after
    assert after - before == {comes}


@pytest.mark.parametrize(
    ("stated", "comes"),
    [
        ({"valves": "none"}, "COO-030 branches:valves-none"),
        ({"header_underside_mm": 2270.0}, "COO-031 manifolds:low"),
        ({"coupling": "uqd-08"}, "COO-005 couplings:uqd-08"),
        ({"connection_mm": 550.0}, "COO-032 manifolds:reach"),
        ({"hose_id_mm": 32.0}, "COO-004 branches:hose-32"),
        ({"room_kw_per_rack": 9.0}, "COO-041 row:A"),
        ({"materials": ["316l", "zinc"]}, "COO-023 loop:A"),
        ({"humidity_percent": 100.0, "fill_kpa": 400.0}, "COO-020 loop:A"),
    ],
)
def test_one_wrong_choice_for_all_racks_is_one_finding(stated: dict[str, Any], comes: str) -> None:
    before = {"coupling": "lqc-v2", "hose_id_mm": 50.0}
    sound = told(plan_of(2, SOUND | before, coolant_supply_c=35))
    wrong = told(plan_of(2, SOUND | before | stated, coolant_supply_c=35))
    assert sound.get(comes) is None or sound[comes].verdict is not Verdict.FAIL
    assert wrong[comes].verdict is Verdict.FAIL
    assert {k for k, f in wrong.items() if f.verdict is Verdict.FAIL} - {comes} == {
        k for k, f in sound.items() if f.verdict is Verdict.FAIL
    }
