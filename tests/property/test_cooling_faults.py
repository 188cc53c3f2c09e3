"""Any one fault at any rack of a loop is one finding more, of its kind and at its place."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.plan import Plan
from cooling_plans import SOUND, plan_of, told, with_change


@cache
def plan() -> Plan:
    return plan_of(10, SOUND | {"hose_id_mm": 50.0, "coupling": "lqc-v2"}, racks_per_row=15, coolant_supply_c=35)


@cache
def before() -> frozenset[str]:
    return frozenset(told(plan()))


def manifold(mm: float) -> dict[str, Any]:
    return {"underside_mm": 2236.0 + mm, "clearance_mm": mm}


#: Check, table, what is changed in any row of it.
FAULTS = st.one_of(
    st.floats(-2000.0, 59.0).map(lambda mm: ("COO-031", "manifolds", manifold(mm))),
    st.floats(0.0, 99.0).map(lambda mm: ("COO-032", "manifolds", {"wrench_mm": mm})),
    st.floats(0.0, 44.0).map(lambda mm: ("COO-034", "manifolds", {"above_mm": mm})),
    st.sampled_from(["supply", "return", "none"]).map(lambda v: ("COO-030", "branches", {"valves": v})),
    st.floats(0.1, 88.0).map(lambda q: ("COO-005", "branches", {"coupling": "other", "coupling_l_min": q})),
    st.floats(0.0, 88.0).map(lambda q: ("COO-003", "branches", {"full_l_min": q})),
    st.floats(1.9, 20.0).map(lambda v: ("COO-004", "branches", {"hose_id_mm": 20.0, "hose_m_s": v})),
)


@settings(max_examples=25, deadline=None)
@given(fault=FAULTS, at=st.integers(0, 9))
def test_a_fault_at_any_rack_is_one_finding(fault: tuple[str, str, dict[str, Any]], at: int) -> None:
    id, table, values = fault
    key = plan().table(table).columns[0]
    name = plan().table(table)[key][at]
    after = told(with_change(plan(), table, pl.col(key) == name, **values))
    assert set(after) - before() == {f"{id} {name}"}
    assert after[f"{id} {name}"].subjects == (name,)
    assert after[f"{id} {name}"].where.startswith(str(name).partition(":")[2])
