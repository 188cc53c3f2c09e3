"""Checks of peers that can never fire (missing threshold, unreachable branch, floor too low, empty capture): none is here.

The list is that of published health checks; each test shows for this product's checks of machines that the same gap is closed.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl
import pytest

from asbuilt.checks.registry import checks
from asbuilt.diagnose.node_tables import node_tables
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer
from asbuilt.workflow import templates
from controls.control_file import HERE, measured_facts, plan_of, read
from template_plans import expanded

LITTLE = read(HERE / "little-nodes.yaml")
MACHINES = sorted(
    id for id, check in checks().items() if check.function.__module__.rpartition(".")[2].startswith("node_") and id < "NOD-07"
)
MINE = [id for id in MACHINES if not id.startswith("NOD-04")]


def told(changes: dict[str, list[dict[str, Any]]] | None = None) -> tuple[Plan, Facts]:
    """The little plan, and what its machines tell, with some tables replaced."""
    plan = plan_of(LITTLE, HERE)
    facts = measured_facts(LITTLE["facts"] | (changes or {}))
    return plan, dataclasses.replace(facts, tables={**facts.tables, **node_tables(plan, facts).tables})


def verdicts(id: str, plan: Plan, facts: Facts) -> list[str]:
    return checks()[id].answer(plan, facts)["verdict"].to_list()


@pytest.mark.parametrize("id", MINE)
def test_nothing_measured_is_no_pass(id: str) -> None:
    assert set(verdicts(id, plan_of(LITTLE, HERE), Facts({}))) <= {"not_measured", "not_applicable"}


@pytest.mark.parametrize("id", MINE)
def test_an_empty_answer_is_no_pass(id: str) -> None:
    """A tool that ran and printed nothing: the tables are there, without rows, and no log was captured."""
    plan, facts = told()
    empty = dataclasses.replace(facts, tables={name: frame.clear() for name, frame in facts.tables.items()})
    assert "pass" not in verdicts(id, plan, empty) and "error" not in verdicts(id, plan, empty)


@pytest.mark.parametrize("id", [i for i in MINE if "expectations" in checks()[i].needs])
def test_a_threshold_that_nobody_stated_is_not_zero(id: str) -> None:
    """Without its expectation a check does not fall back on a floor that everything passes."""
    plan, facts = told()
    bare = dataclasses.replace(plan, tables=plan.tables | {"expectations": plan.table("expectations").clear()})
    seen = set(verdicts(id, bare, facts))
    # Judged by plan tables or by most nodes besides; of the BMC's log every entry counts where no window is stated.
    by_the_plan = {"NOD-013", "NOD-020", "NOD-022", "NOD-053", "NOD-062"}
    assert "error" not in seen and (id in by_the_plan or "pass" not in seen)


@pytest.mark.parametrize("template", templates.names())
def test_every_planned_card_and_gpu_is_reached_on_every_system(template: str) -> None:
    """No system's branch is unreachable: with one function too few of any kind, that kind fails by name."""
    plan = expanded(template)
    node = plan.table("nodes").filter(pl.col("role") == "compute").row(0, named=True)
    kinds = plan.table("hardware").filter((pl.col("kind") == "nic") & pl.col("pci_ids").is_not_null())
    cards = plan.table("nics").filter(pl.col("node") == node["node"]).join(kinds.select("part", "pci_ids"), on="part")
    assert cards.height, "a system whose cards nobody can tell"
    for kind in cards["pci_ids"].unique().sort():
        rows, lost = [], False
        for i, pci in enumerate(cards["pci_ids"]):
            if pci == kind and not lost:
                lost = True
                continue
            vendor, device = pci.split(":")
            rows.append({"host": node["name"], "address": f"0000:{i:02x}:00.0", "vendor_id": vendor, "device_id": device})
        rows.append({"host": node["name"], "address": "0000:ff:00.0", "vendor_id": "8086", "device_id": "0001"})
        facts = measured_facts({"pci_facts": rows})
        facts = dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)
        frame = checks()["NOD-030"].answer(plan, facts)
        failed = frame.filter(pl.col("verdict") == "fail")
        assert failed.height == 1 and kind in str(failed["expected"][0])


@pytest.mark.parametrize("lower", [2.5, 5.0, 8.0, 16.0])
def test_a_gen5_card_at_any_lower_speed_fails(lower: float) -> None:
    """A floor of gen 3 for a Gen5 card lets it pass at a quarter of its rate."""
    card, bridge = "0000:14:00.0", "0000:12:01.0"
    rows = [r | ({"now_gts": lower} if r["address"] in (card, bridge) else {}) for r in LITTLE["facts"]["pci_facts"]]
    assert "fail" in verdicts("NOD-021", *told({"pci_facts": rows}))


def test_a_part_that_nobody_can_recognise_is_not_measured() -> None:
    """An unsupported platform is no pass: without PCI ids nothing is found, and that is said."""
    plan, facts = told()
    unknown = plan.table("hardware").with_columns(pl.lit(None, dtype=pl.String).alias("pci_ids"))
    plan = dataclasses.replace(plan, tables=plan.tables | {"hardware": unknown})
    for id in ("NOD-020", "NOD-021", "NOD-022", "NOD-024"):
        assert verdicts(id, plan, facts) == ["not_measured"]
    assert "pass" not in verdicts("NOD-030", plan, facts)


def test_path_without_capabilities_is_not_normal() -> None:
    """Bridges whose capability cannot be read are no proof that the path is wide enough."""
    rows = [r | {"cap_gts": None, "cap_width": None} for r in LITTLE["facts"]["pci_facts"]]
    assert set(verdicts("NOD-022", *told({"pci_facts": rows}))) == {"not_measured"}


def test_a_uniform_fault_is_seen_by_the_plan() -> None:
    """Every node lacks the same module: no node is an outlier, and all fail."""
    rows = [r | ({"size_gib": 0.0} if r["locator"] == "P1-DIMMA1" else {}) for r in LITTLE["facts"]["dimm_facts"]]
    assert verdicts("NOD-010", *told({"dimm_facts": rows})) == ["fail", "fail"]


def test_the_socket_that_lost_its_module_is_named() -> None:
    """Full on most nodes, empty here: the finding is about that socket."""
    plan, _ = told()
    third = plan.table("nodes").tail(1).with_columns(pl.lit("node:0002").alias("node"), pl.lit("gpu002").alias("name"))
    plan = dataclasses.replace(plan, tables=plan.tables | {"nodes": pl.concat([plan.table("nodes"), third])})
    dimms, lost = LITTLE["facts"]["dimm_facts"], ("gpu000", "P2-DIMMA1")
    rows = [r | ({"size_gib": 0.0} if (r["host"], r["locator"]) == lost else {}) for r in dimms]
    rows += [r | {"host": "gpu002"} for r in dimms if r["host"] == "gpu001"]
    facts = measured_facts({"dimm_facts": rows})
    facts = dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)
    failed = checks()["NOD-010"].answer(plan, facts).filter(pl.col("verdict") == "fail")
    assert failed.select("subject", "found").rows() == [("node:0000", "3 modules of 64 GiB, none in P2-DIMMA1")]


def test_all_checks_of_machines_run_by_default() -> None:
    """None is off until somebody switches it on: they are of the layers that every comparison judges."""
    from asbuilt.workflow.compare_nodes import LAYERS

    assert MINE and all(checks()[id].layer in LAYERS and checks()[id].layer is Layer.NODE for id in MINE)


GPUS = sorted(id for id, check in checks().items() if id.startswith("GPU-"))
SWITCH = read(HERE / "little-switch.yaml")


def told_of_gpus(changes: dict[str, list[dict[str, Any]]] | None = None) -> tuple[Plan, Facts]:
    """Two nodes with NVSwitches, with some tables replaced."""
    plan = plan_of(SWITCH, HERE)
    facts = measured_facts(SWITCH["facts"] | (changes or {}))
    return plan, dataclasses.replace(facts, tables={**facts.tables, **node_tables(plan, facts).tables})


@pytest.mark.parametrize("id", GPUS)
def test_gpus_of_which_nothing_is_told_do_not_pass(id: str) -> None:
    """No capture, and captures that printed nothing: neither is a pass, and no check stops."""
    plan, facts = told_of_gpus()
    assert set(verdicts(id, plan, Facts({}))) <= {"not_measured", "not_applicable"}
    empty = dataclasses.replace(facts, tables={name: frame.clear() for name, frame in facts.tables.items()})
    assert not {"pass", "error"} & set(verdicts(id, plan, empty))


@pytest.mark.parametrize("id", [i for i in GPUS if "expectations" in checks()[i].needs])
def test_a_limit_of_gpus_that_nobody_stated_passes_nothing(id: str) -> None:
    """A missing threshold is not zero, and not infinite."""
    plan, facts = told_of_gpus()
    bare = dataclasses.replace(plan, tables=plan.tables | {"expectations": plan.table("expectations").clear()})
    assert not {"pass", "error"} & set(verdicts(id, bare, facts))


def test_remapped_rows_are_read_by_name() -> None:
    """A published check reads the fourth of three columns and never fires: each column fails by itself here."""
    rows = [r | {"remap_pending": False, "remap_failed": False} for r in SWITCH["facts"]["gpu_facts"]]
    whole = [r | {"remapped_uncorrected": 0.0} for r in rows]
    assert set(verdicts("GPU-011", *told_of_gpus({"gpu_facts": whole}))) == {"pass"}
    for bad in ({"remap_pending": True}, {"remap_failed": True}, {"remapped_uncorrected": 513.0}):
        seen = verdicts("GPU-011", *told_of_gpus({"gpu_facts": [whole[0] | bad, *whole[1:]]}))
        assert sorted(seen) == ["fail", "pass", "pass", "pass"], bad
    assert set(verdicts("GPU-011", *told_of_gpus({"gpu_facts": rows}))) == {"not_measured"}, "one of three columns is no pass"


@pytest.mark.parametrize("template", templates.names())
def test_a_gpu_too_few_fails_on_every_system(template: str) -> None:
    """A published count has branches that no machine reaches: here every system's does, by the bus alone."""
    plan = expanded(template)
    node = plan.table("nodes").filter(pl.col("role") == "compute").row(0, named=True)
    gpus = plan.table("gpus").filter(pl.col("node") == node["node"])
    ids = dict(plan.table("hardware").filter(pl.col("kind") == "gpu").select("part", "pci_ids").iter_rows())
    vendor, device = str(ids[gpus["model"][0]]).split("+")[0].split(":")
    bridge = {"host": node["name"], "address": "0000:ff:00.0", "class_id": "0604", "vendor_id": "8086", "device_id": "0001"}
    for lost in (0, 1, gpus.height):
        rows = [
            {
                "host": node["name"],
                "address": f"0000:{i:02x}:00.0",
                "class_id": "0302",
                "vendor_id": vendor,
                "device_id": device,
            }
            for i in range(gpus.height - lost)
        ]
        facts = measured_facts({"pci_facts": [*rows, bridge]})
        facts = dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)
        assert set(verdicts("GPU-001", plan, facts)) == ({"fail"} if lost else {"pass"}), lost


def test_a_diagnostic_of_fewer_gpus_is_no_pass() -> None:
    """Seven of eight GPUs passed: the eighth is named, and not measured."""
    rows = [r for r in SWITCH["facts"]["diagnostic_facts"] if (r["host"], r["gpu"]) != ("gpu000", 1)]
    plan, facts = told_of_gpus({"diagnostic_facts": rows})
    answer = checks()["GPU-017"].answer(plan, facts).filter(pl.col("verdict") != "pass")
    assert answer.select("subject", "verdict").rows() == [("gpu:0000/1", "not_measured")]
    skipped = [r | {"result": "skip"} for r in SWITCH["facts"]["diagnostic_facts"]]
    assert set(verdicts("GPU-017", *told_of_gpus({"diagnostic_facts": skipped}))) == {"not_measured"}


VERSIONED = read(HERE / "little-versions.yaml")
SOFTWARE_IDS = [id for id in checks() if id.startswith("SW-")]


def told_versions(changed: dict[str, str], lock: dict[str, str] | None = None) -> tuple[Plan, Facts]:
    """The little versions with every node's ``changed`` components, and a lock."""
    edits = [
        {"table": "software", "add": {"component": c, "version": v, "origin": "declared", "source": f"software.{c}"}}
        for c, v in (lock or {}).items()
    ]
    plan = plan_of({**VERSIONED, "edit": edits}, HERE)
    rows = [
        r | ({"version": changed[r["component"]]} if r["component"] in changed else {})
        for r in VERSIONED["facts"]["version_facts"]
    ]
    facts = measured_facts({**VERSIONED["facts"], "version_facts": rows})
    return plan, dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)


def test_a_uniform_wrong_version_is_found_with_a_lock_and_has_no_odd_one_out_without() -> None:
    wrong = {"driver": "565.57.01", "module:nvidia": "565.57.01", "fabric_manager": "565.57.01"}
    alike, locked = told_versions(wrong), told_versions(wrong, {"driver": "570.86.15"})
    assert verdicts("SW-001", *alike) == ["not_applicable"] and set(verdicts("SW-002", *alike)) == {"pass"}
    assert verdicts("SW-001", *locked) == ["fail", "fail", "fail"]


@pytest.mark.parametrize("id", SOFTWARE_IDS)
def test_versions_that_nobody_captured_are_no_pass(id: str) -> None:
    """Machines that told other things and no version: every check of versions is open, none passes."""
    plan, facts = told_versions({}, {"driver": "570.86.15"})
    none = facts.tables["version_measured"].clear()
    rest = dataclasses.replace(facts, tables=facts.tables | {"version_measured": none})
    assert set(verdicts(id, plan, rest)) == {"not_measured"}


def test_a_lock_of_what_nobody_prints_is_not_measured() -> None:
    assert set(verdicts("SW-001", *told_versions({}, {"image": "2026.11"}))) == {"not_measured"}


def test_half_and_half_is_said_of_all() -> None:
    """Without a majority nobody is right: no node passes because it is in the larger half of nothing."""
    plan, facts = told_versions({})
    rows = facts.tables["version_measured"].filter(pl.col("node") != "node:0002")
    odd = (pl.col("node") == "node:0001") & (pl.col("component") == "ofed")
    rows = rows.with_columns(version=pl.when(odd).then(pl.lit("MLNX_OFED_LINUX-5.8-1")).otherwise("version"))
    two = dataclasses.replace(facts, tables=facts.tables | {"version_measured": rows})
    frame = checks()["SW-002"].answer(plan, two).filter(pl.col("verdict") == "fail")
    assert frame["subject"].to_list() == ["node:0000", "node:0001"]
    assert set(frame["found"]) == {"ofed MLNX_OFED_LINUX-24.10-1.1.4.0 on 1 node, MLNX_OFED_LINUX-5.8-1 on 1 node"}
