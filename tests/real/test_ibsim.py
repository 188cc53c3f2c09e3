"""Real programs as witness: the twin's dump and the exported netlist in Debian's ibsim, read by the real ibnetdiscover."""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.artefacts.netlist import netlist
from asbuilt.base.problem import ProblemError
from asbuilt.model.decode_requirement import decode
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.parsers import ibnetdiscover
from asbuilt.rehearse import faults, ibsim, twin
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan
from little_fabric import little_plan
from requirements_of_tests import need_program

pytestmark = pytest.mark.real


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    need_program("ibsim")
    need_program("ibnetdiscover")


def facts(data: bytes) -> Facts:
    found = ibnetdiscover.parse(data, "c")
    assert found.accounts["c"].unread == 0
    return found


def same(one: Facts, two: Facts, *, without: tuple[str, ...] = ()) -> None:
    """Equal tables, lines aside; ``without`` are the columns that the engine's table declares as lost."""
    for table, keys in (("device_facts", ["guid"]), ("link_facts", ["guid", "port"])):
        gone = [c for c in ("line", *without) if c in one.tables[table].columns]
        a, b = (f.tables[table].drop(gone).sort(keys) for f in (one, two))
        assert a.height == b.height, table
        for column in a.columns:
            assert a[column].equals(b[column], null_equal=True), (table, column)


def hdr_plan() -> Plan:
    return little_plan(nodes=8, rails=4, spines=2, switch="qm8700", nic="connectx-6-vpi", rate=200.0)


def test_real_ibnetdiscover_prints_what_the_twin_prints() -> None:
    dump = twin.render(hdr_plan())[0].data
    reading = ibsim.read_back(dump)
    assert reading.complaints == ()
    same(facts(dump), facts(reading.text))
    assert len(reading.text) == len(dump)


def test_newer_speeds_are_the_only_thing_lost() -> None:
    dump = twin.render(little_plan(oob=True))[0].data
    reading = ibsim.read_back(dump)
    same(facts(dump), facts(reading.text), without=("speed",))
    assert set(facts(reading.text).tables["link_facts"]["speed"]) == {"HDR"}


@pytest.mark.parametrize("fault", ["unplug:LEAF-01/1", "swap:LEAF-01/1,LEAF-02/2", "rail:gpu001", "absent:SPINE-01", "noname"])
def test_faults_reach_the_real_tool(fault: str) -> None:
    dump = twin.render(hdr_plan(), (faults.parse(fault),))[0].data
    same(facts(dump), facts(ibsim.read_back(dump).text))


def test_the_exported_netlist_is_the_planned_fabric() -> None:
    plan = little_plan()
    reading = ibsim.read_back(netlist(plan)["netlist/ib0.net"])
    assert reading.complaints == ()
    links = facts(reading.text).tables["link_facts"]
    names = facts(reading.text).tables["device_facts"].select("guid", "description")
    seen = links.join(names, on="guid").select("description", "port", "peer_description", "peer_port")
    wanted = plan.links.select("a_name", "a_port", "b_name", "b_port")
    assert set(wanted.rows()) <= set(seen.rows())
    assert seen.height == 2 * wanted.height
    assert links["width"].unique().to_list() == [4]


def test_a_file_that_ibsim_refuses_is_a_problem_not_a_hang() -> None:
    with pytest.raises(ProblemError) as caught:
        ibsim.read_back(b'Switch 4 "S-1" # "x"\n[1] "S-2"[1] # broken\n[999] "S-2"[1]\n', timeout_s=20)
    assert "CLI-025" in str(caught.value)


def test_dumps_past_the_built_in_limits_load() -> None:
    plan = little_plan(nodes=64, rails=8, spines=4)
    dump = twin.render(plan)[0].data
    again = facts(ibsim.read_back(dump).text)
    assert again.tables["device_facts"].filter(pl.col("kind") == "switch").height == 12
    same(facts(dump), again, without=("speed",))


ONE_SU = """schema: requirement/v1
name: one-su
system: dgx-h100
gpus: 256
fabric: ndr
"""


@pytest.mark.parametrize("name", ["l40s-384", "one-su"])
def test_planned_fabrics_in_the_real_tools(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = ONE_SU if name == "one-su" else templates.text(name)
    plan = make_plan(decode(text.encode(), name))
    dumps = [c for c in twin.render(plan) if c.tool == "ibnetdiscover"]
    assert dumps
    for capture in dumps:
        reading = ibsim.read_back(capture.data)
        same(facts(capture.data), facts(reading.text), without=("speed",))
        with capsys.disabled():
            size = f"{len(capture.data):,} bytes, loaded in {reading.load_s:.2f} s, discovered in {reading.discover_s:.2f} s"
            print(f"\nreal: {name} subnet {capture.subject}: equal facts; {size}")
