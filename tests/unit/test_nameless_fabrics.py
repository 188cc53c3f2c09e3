"""Fabrics whose devices answer with factory names: places tell them apart, over chassis of several ASICs and over LLDP."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.parsers import lldp
from asbuilt.workflow import templates
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import rehearse
from little_fabric import little_plan


@pytest.mark.parametrize("asics", [1, 4])
@pytest.mark.parametrize("technology", ["infiniband", "ethernet"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_nameless_fabric_reads_as_planned(technology: str, asics: int, seed: int) -> None:
    plan = little_plan(nodes=9, technology=technology, asics=asics, oob=True)
    rehearsal = rehearse(plan, ["noname"], seed=seed)
    assert rehearsal.verification.summary.ok == plan.links.height
    assert rehearsal.exact and rehearsal.exit_code == 0


@pytest.mark.parametrize("technology", ["infiniband", "ethernet"])
def test_a_swap_between_nameless_switches_is_still_found(technology: str) -> None:
    plan = little_plan(nodes=9, technology=technology)
    swap = "swap:link:sw:compute/leaf-000-0/10,link:sw:compute/leaf-000-2/12"
    rehearsal = rehearse(plan, ["noname", swap])
    assert rehearsal.exact and rehearsal.verification.summary.wrong == 2


def neighbour(interface: str, mac: str | None, name: str, far: str, *, switch: bool) -> dict[str, Any]:
    chassis: dict[str, Any] = {"name": [{"value": name}], "capability": [{"type": "Bridge", "enabled": switch}]}
    if mac:
        chassis["id"] = [{"type": "mac", "value": mac}]
    return {"name": interface, "via": "LLDP", "chassis": [chassis], "port": [{"id": [{"type": "ifname", "value": far}]}]}


def table(*records: dict[str, Any]) -> bytes:
    return json.dumps({"lldp": [{"interface": list(records)}]}).encode()


def test_an_installers_name_is_keyed_by_chassis_id_and_an_own_name_by_itself() -> None:
    data = table(
        neighbour("swp1", "02:00:00:00:00:01", "localhost", "eth0", switch=False),
        neighbour("swp2", "02:00:00:00:00:02", "localhost", "eth0", switch=False),
        neighbour("swp3", "02:00:00:00:00:03", "gpu003", "eth0", switch=False),
        neighbour("swp4", None, "LocalHost.localdomain", "eth0", switch=False),
    )
    links = lldp.parse(data, "c", "LEAF-01").tables["link_facts"]
    assert links["peer_guid"].n_unique() == 4
    assert links["peer_guid"][2] == lldp.made_guid("gpu003", "eth0")
    assert links["peer_description"].to_list()[:2] == ["localhost eth0", "localhost eth0"]


def plan_of(*rows: tuple[str, int, str, int]) -> Plan:
    """A bare plan of switch links."""
    columns = ("a_device", "a_port", "b_device", "b_port")
    frame = pl.DataFrame(rows, schema=list(columns), orient="row").with_columns(
        pl.format("link:{}/{}", "a_device", "a_port").alias("link"),
        pl.col("a_device").alias("a_name"),
        pl.col("b_device").alias("b_name"),
        pl.lit(None, dtype=pl.String).alias("b_nic"),
    )
    from asbuilt.model.tables import PLAN_TABLES

    missing = [c.name for c in PLAN_TABLES["links"].columns if c.name not in frame.columns]
    blank = {"plane": "fabric", "kind": "leaf_spine", "rate_gbps": 400.0, "phase": "1"}
    frame = frame.with_columns(*(pl.lit(blank.get(n)).alias(n) for n in missing))
    return Plan("hand", {"links": frame})


def test_rumour_and_record_of_one_nameless_switch_are_one_device() -> None:
    """Each switch's own table names it; its neighbours only call it ``sonic``: one cable told twice stays one cable."""
    plan = plan_of(("L1", 1, "S1", 1), ("L2", 1, "S1", 2), ("L3", 1, "S1", 3))
    leaf = [table(neighbour("swp1", "02:00:00:00:00:aa", "sonic", f"swp{n}", switch=True)) for n in (1, 2, 3)]
    spine = table(*(neighbour(f"swp{n}", f"02:00:00:00:00:0{n}", "sonic", "swp1", switch=True) for n in (1, 2, 3)))
    captures = [Capture(f"l{n}", data, "lldpctl", f"L{n}") for n, data in enumerate(leaf, 1)]
    seen = compare(plan, facts_of([*captures, Capture("s", spine, "lldpctl", "S1")]))
    assert (seen.summary.ok, seen.summary.unplanned) == (3, 0)


@pytest.mark.parametrize(
    "fault", ["unplug:link:sw:compute/leaf-000-0/10", "absent:SPINE-01", "absent:SPINE-03", "unplug:LEAF-02/3"]
)
@pytest.mark.parametrize("technology", ["infiniband", "ethernet"])
@pytest.mark.parametrize("asics", [1, 4])
def test_one_fault_does_not_make_a_nameless_fabric_read_wrong(fault: str, technology: str, asics: int) -> None:
    """A place next to a dark cable looks like no place of the plan: the reading must start elsewhere."""
    plan = little_plan(nodes=9, rails=8, spines=4, technology=technology, asics=asics)
    rehearsal = rehearse(plan, ["noname", fault])
    assert rehearsal.exact, (rehearsal.missed[:3], rehearsal.extra[:3])
    assert rehearsal.verification.summary.wrong == 0


def test_a_dark_spine_of_the_l40s_fabric_accuses_nobody_else() -> None:
    plan = make_plan(decode(templates.text("l40s-384").encode(), "l40s-384"))
    for fault in ("absent:sw:compute/spine-p00-00", "unplug:link:sw:compute/leaf-b000-r0/111"):
        rehearsal = rehearse(plan, ["noname", fault])
        assert rehearsal.exact and rehearsal.verification.summary.wrong == 0
