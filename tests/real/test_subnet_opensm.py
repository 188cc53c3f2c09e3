"""What the plan says of partition tables, lanes and engines, held against the real OpenSM: tenants, and an LMC."""

from __future__ import annotations

import pytest
import yaml

from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.scenarios import bring_up
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan
from requirements_of_tests import need_program

pytestmark = pytest.mark.real

#: Keys whose order by value is not that of their swapped bytes: 0x0200, 0x0011, 0x2001, 0x0150.
TENANTS = [
    {"name": "physics", "pkey": 0x0011, "nodes": "node[0000-0002]"},
    {"name": "biology", "pkey": 0x2001, "nodes": "node[0002-0005]", "planes": ["compute"]},
]


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    for program in ("ibsim", "opensm", "smpquery", "ibnetdiscover"):
        need_program(program)


def small(lmc: int) -> Plan:
    """Eight servers of the 384-GPU example, with tenants."""
    document = yaml.safe_load(templates.text("l40s-384"))
    document |= {"gpus": 64, "growth": {"gpus": 128}, "tenants": TENANTS, "subnets": {"ib0": {"lmc": lmc}}}
    return make_plan(decode(yaml.safe_dump(document, sort_keys=False).encode(), "cluster.yaml"))


@pytest.mark.parametrize(("lmc", "engine"), [(0, "ftree"), (1, "minhop")])
def test_opensm_sets_what_the_plan_says(lmc: int, engine: str) -> None:
    plan = small(lmc)
    settings = dict(plan.table("subnet_settings").select("setting", "value").rows())
    assert settings["routing_engine"] == engine
    proof = bring_up(plan, "ib0", as_planned(plan)).proof
    assert not proof.failed, proof.as_json()
    rows = {table.table: (table.compared, table.equal) for table in proof.equality}
    assert rows["partition_members"][0] == plan.table("partition_members").height
    for table in ("lids", "partition_members", "service_levels", "vl_arbitration"):
        compared, equal = rows[table]
        assert compared == equal and compared
