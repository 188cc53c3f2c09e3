"""The embedded twin and the real OpenSM hold the same subnet: what both answer is equal, fact by fact.

The twin answers by the plan's rules; the real manager programs simulated hardware that the real tools then ask. Left out is
what ibsim does not keep (`rehearse.engines`), and SHARP aggregation nodes, which it does not have.
"""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.subnet_captures import subnet_captures
from asbuilt.rehearse.twin import captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.rehearse_opensm import rehearse_opensm
from opensm_plans import PROGRAMS, l40s
from requirements_of_tests import need_program

pytestmark = pytest.mark.real
TABLES = {
    "pkey_facts": ["lid", "port", "index", "entry"],
    "sl2vl_facts": ["lid", "port", "in_port", "lanes"],
    "vlarb_facts": ["lid", "port", "priority", "index", "vl", "weight"],
    "lft_facts": ["lid", "target", "out_port"],
    "sm_facts": ["lid", "guid", "priority", "state"],
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    for name in PROGRAMS:
        need_program(name)
    return l40s()


@pytest.fixture(scope="module")
def both(plan: Plan) -> tuple[Facts, Facts]:
    """(facts of the twin's text, facts of the real tools' text)."""
    built = as_planned(plan)
    real = rehearse_opensm(plan)
    return facts_of([*captures(plan, built), *subnet_captures(plan, built)]), facts_of(real.captures)


@pytest.mark.parametrize("table", TABLES)
def test_both_answer_the_same(both: tuple[Facts, Facts], plan: Plan, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    lids = plan.table("lids")
    inner = lids.filter(pl.col("role") == "aggregation")["lid"].implode()
    twin, real = (f.tables[table].select(TABLES[table]).unique() for f in both)
    if table == "lft_facts":
        twin, real = (f.filter(~pl.col("target").is_in(inner)) for f in (twin, real))
    if table == "vlarb_facts":  # rows without weight are filling, and tools differ in how much of it they show
        twin, real = (f.filter(pl.col("weight") > 0) for f in (twin, real))
    columns = TABLES[table]
    common = (
        twin.select("lid", *_port(table)).unique().join(real.select("lid", *_port(table)).unique(), on=["lid", *_port(table)])
    )
    twin, real = (f.join(common, on=common.columns, how="semi").sort(columns) for f in (twin, real))
    with capsys.disabled():
        print(f"\n  {table}: {twin.height:,} rows of {common.height:,} ports or switches, both engines", end="")
    assert twin.height > (1 if table == "sm_facts" else 300)
    assert twin.equals(real), twin.join(real, on=columns, how="anti").head(5)


def _port(table: str) -> list[str]:
    return ["port"] if table in ("pkey_facts", "sl2vl_facts", "vlarb_facts") else []


def test_both_give_every_end_port_its_planned_lid(both: tuple[Facts, Facts], plan: Plan) -> None:
    planned = plan.table("lids").filter(pl.col("role") != "aggregation").select(guid="node_guid", lid="lid").sort("guid")
    for facts in both:
        links = facts.tables["link_facts"].filter(pl.col("lid") > 0).select("guid", "lid")
        told = pl.concat([facts.tables["device_facts"].drop_nulls("lid").select("guid", "lid"), links]).unique()
        held = told.join(planned.select("guid"), on="guid", how="semi").sort("guid")
        assert held.equals(planned)
