"""What the embedded twin answers beyond cables, held against what the checks make of it: clean is clean, each fault is told."""

from __future__ import annotations

import dataclasses
import functools

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.checks.lanes import planned_ports
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verdict
from asbuilt.plan.subnet_guids import DeclaredGuids
from asbuilt.rehearse import faults
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.subnet_captures import subnet_captures
from asbuilt.rehearse.twin import captures
from asbuilt.workflow import templates
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.plan import make_plan
from template_plans import made


def plan() -> Plan:
    return made("l40s-384")


@functools.cache
def findings(*specs: str) -> tuple[Finding, ...]:
    built, _ = faults.apply(plan(), as_planned(plan()), tuple(faults.parse(s) for s in specs))
    return compare(plan(), facts_of([*captures(plan(), built), *subnet_captures(plan(), built)])).findings


def failed(*specs: str) -> dict[str, list[str]]:
    return {f.id: sorted(f.subjects or (f.subject,)) for f in findings(*specs) if f.verdict is Verdict.FAIL}


def test_every_line_is_read_and_the_clean_twin_is_clean() -> None:
    found = facts_of(subnet_captures(plan(), as_planned(plan())))
    assert {a.unread for a in found.accounts.values()} == {0}
    assert found.tables["pkey_facts"].height > 0 and found.tables["sl2vl_facts"].height > 0
    assert findings() == ()


@pytest.mark.parametrize(
    ("spec", "ids"),
    [
        ("init:node0003/mlx5_0", {"FAB-011": ["node:0003/mlx5_0"]}),
        ("limited:node0003/mlx5_0", {"FAB-017": ["node:0003/mlx5_0"]}),
        ("lids:node0003/mlx5_0,node0004/mlx5_0", {"FAB-010": ["node:0003/mlx5_0", "node:0004/mlx5_0"]}),
        ("idle:ufm-compute-0", {"FAB-025": ["ib0"]}),
    ],
)
def test_a_fault_that_no_cable_shows_is_the_only_failure(spec: str, ids: dict[str, list[str]]) -> None:
    assert failed(spec) == ids


@pytest.mark.parametrize(
    "spec",
    [
        "init:node0003/mlx5_0",
        "eth:node0003/mlx5_0",
        "unplug:node0003/mlx5_0",
        "lids:node0003/mlx5_0,node0004/mlx5_0",
        "absent:IBLEAF-00-07",
        "absent:IBSPINE-00",
    ],
)
def test_what_follows_from_a_cause_is_no_finding(spec: str) -> None:
    """Nothing is left open, and no forwarding table is called wrong, because of a port or switch that cannot answer."""
    (only,) = findings(spec)
    assert only.verdict is Verdict.FAIL


def test_a_dark_port_is_told_apart_by_both_sides() -> None:
    link = ["link:sw:compute/leaf-b000-r0/4"]
    assert failed("eth:node0003/mlx5_0") == {"FAB-006": link}
    assert failed("unplug:node0003/mlx5_0") == {"FAB-002": link}
    causes = {spec: next(f.cause for f in findings(f"{spec}:node0003/mlx5_0")) for spec in ("eth", "unplug", "init")}
    assert "Ethernet mode" in causes["eth"] and "InfiniBand and Polling" in causes["unplug"] and "no LID" in causes["init"]


def test_one_lane_is_one_finding() -> None:
    found = [f for f in findings("slow:node0003/mlx5_0") if f.verdict is Verdict.FAIL]
    assert len(found) == 1 and found[0].subjects == ("link:sw:compute/leaf-b000-r0/4",) and "1xNDR" in found[0].found


@functools.cache
def declared() -> Plan:
    given = {
        "node0001 mlx5_0": ("0c42a10300aa0010", 2),
        "node0001 mlx5_1": ("0c42a10300aa0020", 3),
        "sw:compute/leaf-b000-r0": ("0c42a10300bb0000", 4),
    }
    asked = decode(templates.text("l40s-384").encode(), "l40s-384")
    return make_plan(asked, guids=DeclaredGuids("guids.csv", given))


def seen(of: Plan, seed: int) -> tuple[Finding, ...]:
    built = as_planned(of)
    return compare(of, facts_of([*captures(of, built, seed), *subnet_captures(of, built, seed)])).findings


def test_the_twin_answers_with_declared_guids() -> None:
    assert seen(declared(), 0) == ()
    text = captures(declared(), as_planned(declared()))[0].data.decode()
    assert "switchguid=0xc42a10300bb0000" in text and "caguid=0xc42a10300aa0010" in text and "(c42a10300aa0010)" in text


def test_other_hardware_under_a_list_of_guids_is_exchanged_hardware_and_nothing_else() -> None:
    found = seen(declared(), 1)
    assert {f.id for f in found} == {"FAB-015"}
    assert {s for f in found for s in f.subjects} == {"node:0001/mlx5_0", "node:0001/mlx5_1", "sw:compute/leaf-b000-r0#0"}


def test_other_hardware_under_made_guids_is_as_planned() -> None:
    """Routes too: the engine takes switches and hosts in the order of the GUIDs that they really have."""
    assert seen(plan(), 5) == ()


def test_equal_faults_give_equal_bytes() -> None:
    assert subnet_captures(plan(), as_planned(plan())) == subnet_captures(plan(), as_planned(plan()))


@pytest.mark.parametrize("spec", ["limited:svc:compute-0/mlx5_0", "lids:node0003/mlx5_0,node0003/mlx5_0", "idle:node0003"])
def test_a_fault_that_cannot_be_is_refused(spec: str) -> None:
    with pytest.raises(ProblemError):
        faults.apply(plan(), as_planned(plan()), (faults.parse(spec),))


def test_ports_of_chassis_with_several_asics_are_judged_one_by_one() -> None:
    xdr = make_plan(decode(templates.text("dgx-b300-xdr").encode(), "dgx-b300-xdr"))
    built = as_planned(xdr)
    facts = facts_of([*captures(xdr, built), *subnet_captures(xdr, built)])
    clean = compare(xdr, facts)
    assert clean.findings == ()
    passed = {c.id: c.passed for c in clean.coverage}
    ends = 2 * xdr.links.filter(pl.col("plane") == "compute").height  # two of every cable: the whole plane is InfiniBand
    assert {passed[f"FAB-0{n}"] for n in (21, 22, 23, 24)} == {planned_ports(xdr).height} == {ends}
    port = "sw:compute/leaf-b000-r0#2"
    lid = xdr.table("lids").filter(pl.col("port") == port)["lid"][0]
    rows = facts.tables["sl2vl_facts"]
    mine = (pl.col("lid") == lid) & (pl.col("port") == 73)
    wrong = rows.with_columns(pl.when(mine).then(pl.lit("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0")).otherwise("lanes").alias("lanes"))
    assert not wrong.equals(rows)
    (told,) = compare(xdr, dataclasses.replace(facts, tables={**facts.tables, "sl2vl_facts": wrong})).findings
    assert told.id == "FAB-021" and told.subjects == (f"{port}/73",)
