"""NVLink switch trays of NVL72 racks: their rows in the plan, whose captures are whose, what the twin's faults refuse."""

from __future__ import annotations

import re

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.diagnose.node_tables import node_tables
from asbuilt.model.requirement import Requirement
from asbuilt.rehearse import faults
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.node_twin import Fleet
from asbuilt.rehearse.nvlink_trays import TRAY_ARITY, TRAY_DO, TRAY_EXAMPLES, TRAY_EXPECTED, tray_captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import rehearse
from controls.control_file import measured_facts
from template_plans import expanded

RACK = make_plan(Requirement(name="rack", system="gb300-nvl72", gpus=72))


@pytest.mark.parametrize("template", ["gb200-nvl72", "gb300-nvl72"])
def test_a_rack_has_nine_trays_of_two_chips_between_its_compute_trays(template: str) -> None:
    plan = expanded(template)
    trays = plan.table("nvlink_trays")
    racks = plan.table("nodes").filter(pl.col("role") == "compute")["rack"].n_unique()
    assert trays.height == 9 * racks and set(trays["chips"]) == {2} and set(trays["ports"]) == {144}
    first = trays.filter(pl.col("rack") == "rack:A-01").sort("u")
    assert first["nvlink_tray"].to_list() == [f"nvtray:A-01/{n}" for n in range(1, 10)]
    assert first["name"].to_list() == [f"nvlink-a-01-{n}" for n in range(1, 10)]
    nodes = set(plan.table("nodes").filter(pl.col("rack") == "rack:A-01")["u"])
    assert not nodes & set(first["u"]) and min(nodes) < first["u"].min() < first["u"].max() < max(nodes)  # type: ignore[operator]
    known = trays.join(plan.table("rack_slots"), on=["slot", "rack", "u"], how="semi")
    assert known.height == trays.height
    units = plan.table("nodes").filter(pl.col("role") == "compute").select("rack", "unit").unique()
    assert trays.join(units, on=["rack", "unit"], how="semi").height == trays.height
    ports = trays.filter(pl.col("unit") == 0)["ports"].sum()
    assert ports == 72 * 18, "each GPU has one link to each chip"


def test_a_plan_without_such_racks_has_no_tray() -> None:
    assert expanded("dgx-h100-superpod").table("nvlink_trays").is_empty()


def test_captures_of_trays_are_known_by_their_names_and_no_strangers() -> None:
    said = measured_facts(
        {
            "nvlink_fabric_facts": [
                {"host": "NVLINK-A-01-1.oob.site", "kind": "switch_chip", "name": "NVSwitch_0", "state": "ok"},
                {"host": "nvlink-a-01-2", "kind": "imex_domain", "name": "domain", "state": "up"},
                {"host": "other", "kind": "switch_chip", "name": "NVSwitch_0", "state": "ok"},
            ],
            "sensor_facts": [
                {"host": "nvlink-a-01-2", "sensor": "Leak_0", "kind": "leak", "state": "leak"},
                {"host": "nvlink-a-01-2", "sensor": "Temp_0", "kind": "temperature", "value": 31.0},
            ],
        }
    )
    resolved = node_tables(RACK, said)
    rows = resolved.tables["nvlink_tray_measured"].select("nvlink_tray", "kind", "name", "state").rows()
    assert sorted(rows) == [("nvtray:A-01/1", "switch_chip", "NVSwitch_0", "ok"), ("nvtray:A-01/2", "sensor", "Leak_0", "leak")]
    assert resolved.notes == ("nodes: one machine could not be matched to the plan and were not judged: other",)


def test_the_twin_wires_every_gpu_once_to_every_chip() -> None:
    built, _ = faults.apply(RACK, as_planned(RACK), (faults.parse("nvswitch:nvlink-a-01-9,1"),))
    text = Fleet(RACK, built).answers("node:0011")["nvlink-status"].data.decode()
    assert len(re.findall(r"^\t Link 17: <inactive>$", text, re.M)) == 4 == text.count("<inactive>")
    built, _ = faults.apply(RACK, as_planned(RACK), (faults.parse("nvtray:nvtray:A-01/1"),))
    text = Fleet(RACK, built).answers("node:0000")["nvlink-status"].data.decode()
    assert re.findall(r"^\t Link (\d+): <inactive>$", text, re.M) == ["0", "1"] * 4


def test_a_dark_tray_leaves_no_capture_and_a_dead_chip_is_told_by_both_of_its_trays_answers() -> None:
    whole = {c.id: c.data.decode() for c in tray_captures(RACK, as_planned(RACK))}
    assert len(whole) == 10
    built, _ = faults.apply(RACK, as_planned(RACK), (faults.parse("nvtray:nvtray:A-01/3"),))
    dark = {c.id: c.data.decode() for c in tray_captures(RACK, built)}
    assert set(whole) - set(dark) == {"nvlink-a-01-3.redfish"} and "nvlink-a-01-3:" not in dark["rack-A-01.nvos"]
    built, _ = faults.apply(RACK, as_planned(RACK), (faults.parse("nvswitch:nvtray:A-01/3,1"),))
    dead = {c.id: c.data.decode() for c in tray_captures(RACK, built)}
    assert {id for id in dead if dead[id] != whole[id]} == {"nvlink-a-01-3.redfish", "rack-A-01.nvos"}


def test_every_line_of_the_twins_trays_is_read() -> None:
    found = facts_of(tray_captures(RACK, as_planned(RACK)))
    assert all(account.unread == 0 for account in found.accounts.values())
    chips = found.tables["nvlink_fabric_facts"].filter(pl.col("kind") == "switch_chip")
    assert chips.filter(pl.col("capture_id") == "rack-A-01.nvos").height == 18


def test_without_captures_of_trays_a_dark_tray_is_a_finding_of_the_rack() -> None:
    """No GPU is accused, and no tray is named that nobody asked."""
    seen = rehearse(RACK, ["nvtray:nvtray:A-01/3"], nodes=True)
    found = compare(RACK, facts_of([c for c in seen.captures if c.tool not in ("redfish", "nvos")])).findings
    (one,) = [f for f in found if f.id.startswith("GPU-")]
    assert (one.id, one.subject, one.found) == (
        "GPU-020", "rack:A-01#NVLink switch chips", "links 4, 5 inactive on all 72 GPUs: 2 chips carry none",
    )  # fmt: skip


def test_chips_are_not_proven_before_every_gpu_told_its_links() -> None:
    seen = rehearse(RACK, ["silent:node:0003"], nodes=True)
    (row,) = [c for c in seen.verification.coverage if c.id == "GPU-020"]
    assert (row.passed, row.failed, row.not_measured) == (0, 0, 1)
    assert "68 of 72 GPUs told all their NVLinks" in [f.found for f in seen.verification.findings]


def test_of_half_the_trays_a_fault_of_one_is_not_laid_to_a_chip() -> None:
    """Eight of 18 nodes told their links, and link 4 is inactive at all of them: too few to accuse a chip."""
    seen = rehearse(RACK, ["nvswitch:nvtray:A-01/3,0"], nodes=True)
    few = [c for c in seen.captures if c.tool == "node-archive" and c.id < "node-0008"]
    assert len(few) == 8
    found = compare(RACK, facts_of(few)).findings
    assert {f.id for f in found if f.id.startswith("GPU-") and f.verdict.value == "fail"} == {"GPU-005"}


def test_every_kind_has_an_example_and_an_expectation() -> None:
    assert set(TRAY_ARITY) == set(TRAY_DO) == set(TRAY_EXAMPLES) == set(TRAY_EXPECTED)
    for kind, text in TRAY_EXAMPLES.items():
        assert faults.parse(text).kind == kind


@pytest.mark.parametrize(
    ("system", "fault", "told"),
    [
        (
            "l40s-8gpu",
            "nvtray:nvtray:A-01/3",
            "CLI-023 nvtray:nvtray:A-01/3: the plan has no NVLink switch tray\n  fix: rehearse it on a plan of NVL72 racks",
        ),
        (
            "gb300-nvl72",
            "nvswitch:nvlink-a-01-3,2",
            "CLI-022 nvswitch:nvlink-a-01-3,2: nvlink-a-01-3 has no chip '2'\n  fix: its chips are 0, 1",
        ),
        (
            "gb300-nvl72",
            "nvtray:nvtray:A-01/99",
            "CLI-022 no NVLink switch tray is called 'nvtray:A-01/99'\n"
            "  fix: did you mean nvtray:A-01/9, nvtray:A-01/8, nvtray:A-01/7?",
        ),
        (
            "gb300-nvl72",
            "nvswitch:nvtray:A-01/3",
            "CLI-021 fault 'nvswitch:nvtray:A-01/3': nvswitch takes two arguments, joined by a comma, not 1\n"
            "  fix: write nvswitch:nvtray:A-01/3,1",
        ),
    ],
    ids=["no-tray", "no-chip", "no-such-tray", "no-argument"],
)
def test_what_a_tray_cannot_have_is_refused(system: str, fault: str, told: str) -> None:
    plan = RACK if system == "gb300-nvl72" else make_plan(Requirement(name="other", system=system, gpus=8))
    with pytest.raises(ProblemError) as error:
        faults.apply(plan, as_planned(plan), (faults.parse(fault),))
    assert str(error.value) == f"{told}\n1 problem"
