"""Checks of measured speed beside their controls: what a log does not say is open, a wrong launch is no measurement."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "controls"))

import control_file as cf

from asbuilt.checks.registry import checks
from asbuilt.diagnose.node_tables import node_tables
from asbuilt.diagnose.outside import outside_notes

BASE = cf.HERE / "PERF-010" / "good.yaml"


def outcome(change: dict[str, Any], bus: float = 470.0) -> dict[str, tuple[str, str]]:
    """Verdict and words of every PERF finding of one run with ``change``."""
    control = cf.read(BASE)
    run = {k: v for k, v in {**control["facts"]["run_facts"][0], **change}.items() if v is not None}
    results = [{**r, "value": bus if r["quantity"] == "busbw" else bus / 1.875} for r in control["facts"]["result_facts"]]
    control["facts"] = {"run_facts": [run], "result_facts": results}
    seen = cf.outcome(control, BASE.parent)
    return {f.id: (f.verdict.value, f.found) for f in seen.findings if f.id.startswith("PERF")}


@pytest.mark.parametrize(
    ("change", "id", "verdict", "found"),
    [
        ({"ranks": None}, "PERF-001", "not_measured", "the log does not say how many ranks took part"),
        ({"ranks_wanted": 32}, "PERF-001", "fail", "16 ranks of 32 asked for"),
        ({"ranks": 1}, "PERF-001", "fail", "one GPU alone: nothing was sent"),
        ({"average_gbytes_s": 0.0}, "PERF-001", "fail", "average bus bandwidth 0: no rank had a partner"),
        ({"complete": False}, "PERF-001", "fail", "the log ends before the run does"),
        ({"failure": "connection refused"}, "PERF-001", "fail", "it failed: connection refused"),
        ({"ranks": 8}, "PERF-001", "fail", "bus over algorithm bandwidth is 1.88, of 8 ranks it must be 1.75"),
        ({"checked": False, "wrong": None}, "PERF-003", "not_measured", "validation was off"),
        ({"transports": None, "gpudirect": None}, "PERF-004", "not_measured", "the log does not say: run with NCCL_DEBUG=INFO"),
        ({"gpudirect": None}, "PERF-004", "not_measured", "NET/IB+P2P, no GPUDirect"),
        ({"gpudirect": False}, "PERF-004", "fail", "NET/IB+P2P, no GPUDirect"),
        ({"devices_used": None}, "PERF-005", "not_measured", "the log does not say: run with NCCL_DEBUG=INFO"),
        ({"devices_used": "mlx5_0"}, "PERF-005", "fail", "not mlx5_1"),
        ({"ranks": 24, "hosts": 3}, "PERF-001", "fail", "bus over algorithm bandwidth is 1.88, of 24 ranks it must be 1.92"),
    ],
)  # fmt: skip
def test_what_a_run_says_of_itself(change: dict[str, Any], id: str, verdict: str, found: str) -> None:
    assert outcome(change)[id] == (verdict, found)


def test_a_run_that_is_no_measurement_is_neither_fast_nor_slow() -> None:
    slow = outcome({"ranks_wanted": 32}, bus=235.0)
    assert slow["PERF-010"][0] == "not_measured" and slow["PERF-010"][1].startswith("not a measurement: launched wrong")


def test_no_criterion_is_no_pass() -> None:
    told = outcome({"benchmark": "reduce_scatter"}, bus=470.0)
    assert told["PERF-010"][0] == "not_measured"


def test_the_tolerance_of_the_plan_is_the_limit() -> None:
    limit = 470 * (1 - 0.08)
    assert "PERF-010" not in outcome({}, bus=limit + 0.1)
    assert outcome({}, bus=limit - 0.1)["PERF-010"][0] == "fail"


def verdicts(control: dict[str, Any], id: str) -> dict[str, tuple[str, str | None]]:
    """Verdict and words of every subject of a check, passes and what does not apply among them."""
    plan = cf.plan_of(control, cf.HERE / id)
    facts = cf.measured_facts(control["facts"])
    facts = dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)
    rows = checks()[id].answer(plan, facts).select("subject", "verdict", "found").rows()
    return {subject: (verdict, found) for subject, verdict, found in rows}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("good-nodes", "made for 2 nodes, run over 4 nodes"),
        ("good-nccl", "made for NCCL 2.18 and later, run with 2.16.2+cuda12.0"),
        ("good-gpu", "made for NVIDIA H100 80GB HBM3, run on NVIDIA H100 PCIe"),
    ],
)
def test_a_run_outside_of_what_a_number_was_made_for_is_not_judged(name: str, reason: str) -> None:
    """With a run inside that passes; alone it leaves the check open, never passed."""
    control = cf.read(cf.HERE / "PERF-010" / f"{name}.yaml")
    assert verdicts(control, "PERF-010") == {"run:c#1": ("pass", None), "run:d#1": ("not_applicable", reason)}
    control["facts"] = {table: [r for r in rows if r["run"] == "d#1"] for table, rows in control["facts"].items()}
    open_ = ("not_measured", "no capture tells a result inside of what a criterion was made for")
    assert verdicts(control, "PERF-010") == {"run:d#1": ("not_applicable", reason), "plan": open_}


def test_what_is_not_judged_is_told_in_a_note() -> None:
    control = cf.read(cf.HERE / "PERF-010" / "good-nodes.yaml")
    seen = cf.outcome(control, cf.HERE / "PERF-010")
    assert "PERF-010: run:d#1 is not judged: made for 2 nodes, run over 4 nodes" in seen.notes
    rows = {"PERF-010": pl.DataFrame({"subject": list("dcba"), "verdict": ["not_applicable"] * 4, "found": ["made for x"] * 4})}
    assert outside_notes(rows) == ("PERF-010: a, b, c and 1 more are not judged: made for x",)
    assert outside_notes({"NOD-001": rows["PERF-010"]}) == ()


def test_sizes_that_no_number_was_made_for_are_not_judged() -> None:
    control = cf.read(BASE)
    for row in control["facts"]["result_facts"]:
        row["bytes"] = 3221225472.0
    reason = "made for messages of 8589934592 to 8589934592 bytes, run with up to 3221225472 bytes"
    assert verdicts(control, "PERF-010")["run:c#1"] == ("not_applicable", reason)


def test_a_rail_has_no_criterion_whatever_its_number_of_gpus() -> None:
    control = cf.read(BASE)
    control["plan"]["gpus"] = [{"gpu": f"gpu:0000/{i}", "node": "node:0000", "slot": i} for i in range(8)]
    control["facts"]["run_facts"][0] |= {"hosts": 16, "host_set": "gpu[000-015]"}
    assert verdicts(control, "PERF-010")["run:c#1"] == (
        "not_measured",
        "no criterion for all_reduce of 16 GPUs at these sizes",
    )


def test_small_rdma_messages_are_not_held_against_the_rate() -> None:
    control = cf.read(cf.HERE / "PERF-011" / "bad.yaml")
    (row,) = control["plan"]["expectations"] = [e for e in control["plan"]["expectations"] if e["check_id"] == "PERF-011"]
    row["valid_if"] = "rate_gbps=400,bytes>=65536"
    for result in control["facts"]["result_facts"]:
        result["bytes"] = 4096.0
    (answer,) = (v for s, v in verdicts(control, "PERF-011").items() if s != "plan")
    assert answer == ("not_applicable", "made for messages of 65536 bytes and more, run with up to 4096 bytes")


def test_copies_and_memory_of_another_gpu_are_not_judged() -> None:
    for id in ("PERF-012", "PERF-013", "PERF-014"):
        control = cf.read(cf.HERE / id / "bad.yaml")
        for row in control["plan"]["expectations"]:
            if row["check_id"] == id:
                row["valid_if"] = "gpu=h100-sxm5"
        control["facts"]["run_facts"][0]["device_name"] = "NVIDIA H200 (00000000:1b:00)"
        (answer,) = (v for s, v in verdicts(control, id).items() if s != "plan")
        assert answer == ("not_applicable", "made for NVIDIA H100 80GB HBM3, run on NVIDIA H200")
        control["facts"]["run_facts"][0]["device_name"] = "NVIDIA H100 80GB HBM3 (00000000:1b:00)"
        assert [v for v, _ in verdicts(control, id).values()] == ["fail"]


def test_babelstream_on_a_gpu_is_its_memory_and_on_processors_the_hosts() -> None:
    control = cf.read(cf.HERE / "PERF-017" / "bad.yaml")
    assert verdicts(control, "PERF-017")["node:0000"][0] == "fail"
    assert verdicts(control, "PERF-014")["plan"][0] == "not_measured"
    control["facts"]["run_facts"][0]["device_name"] = "NVIDIA H100 80GB HBM3"
    assert verdicts(control, "PERF-014") == {"node:0000#hbm": ("fail", "240.0 GB/s")}
    assert verdicts(control, "PERF-017")["plan"][0] == "not_measured"


@pytest.mark.parametrize(
    ("traits", "reason"),
    [
        ({"dimm_mts": None}, "nobody says how fast its memory modules run: capture dmidecode -t memory"),
        ({"channels": None}, "nobody says how many memory channels it has"),
        ({"sockets": None}, "nobody says how many memory channels it has"),
        ({"dimms": None}, "nobody says how many memory channels it has"),
    ],
)
def test_memory_that_nobody_knows_is_unknown_and_not_zero(traits: dict[str, Any], reason: str) -> None:
    control = cf.read(cf.HERE / "PERF-017" / "bad.yaml")
    control["plan"]["node_traits"][0] |= traits
    assert verdicts(control, "PERF-017")["node:0000"] == ("not_applicable", reason)


def test_fewer_modules_than_channels_carry_less() -> None:
    control = cf.read(cf.HERE / "PERF-017" / "bad.yaml")
    control["plan"]["node_traits"][0]["dimms"] = 8
    assert verdicts(control, "PERF-017")["node:0000"] == ("pass", None), "8 of 16 channels: 281.6 GB/s, of which 0.72"


def test_a_stream_that_is_a_measurement_goes_before_a_faster_one_that_is_none() -> None:
    control = cf.read(cf.HERE / "PERF-017" / "bad.yaml")
    (run,), result = control["facts"]["run_facts"], control["facts"]["result_facts"][1]
    control["facts"]["run_facts"].append(run | {"run": "gpu000/small#1", "reached_bytes": 8e7})
    control["facts"]["result_facts"].append(result | {"run": "gpu000/small#1", "value": 900.0})
    assert verdicts(control, "PERF-017")["node:0000"] == ("fail", "240.0 GB/s")


def test_types_without_a_criterion_are_not_judged_and_ignored_rates_neither() -> None:
    control = cf.read(cf.HERE / "PERF-015" / "good-sizes.yaml")
    assert verdicts(control, "PERF-015") == {
        "node:0000#bf16": ("pass", None),
        "node:0000#fp32": ("not_applicable", "made for bf16, run in fp32"),
    }
    control["plan"]["expectations"] = [e for e in control["plan"]["expectations"] if e["id"] != "PERF-015/bf16"]
    assert verdicts(control, "PERF-015")["node:0000#bf16"] == ("not_measured", "no criterion for bf16 of this system")


def test_the_slowest_gpu_of_a_node_counts() -> None:
    control = cf.read(cf.HERE / "PERF-015" / "good.yaml")
    (row,) = control["facts"]["result_facts"]
    control["facts"]["result_facts"] = [row | {"from_device": f"GPU{i}", "value": v} for i, v in enumerate((790.0, 700.0))]
    assert verdicts(control, "PERF-015")["node:0000#bf16"] == ("fail", "700.0 TFLOPS (GPU1)")


def test_of_a_node_a_slow_gpu_is_told_before_an_unmeasured_one_and_that_before_a_fast_one() -> None:
    control = cf.read(cf.HERE / "PERF-015" / "good.yaml")
    (run,), (row,) = control["facts"]["run_facts"], control["facts"]["result_facts"]
    bare = row | {"run": "gpu000/prof#1", "shape": None, "value": 100.0}
    fast, slow = row | {"from_device": "GPU0"}, row | {"from_device": "GPU1", "value": 700.0}
    control["facts"]["run_facts"].append(run | {"run": "gpu000/prof#1"})
    for results, verdict in (
        ([fast, slow, bare | {"from_device": "GPU2"}], "fail"),
        ([fast, bare | {"from_device": "GPU2"}], "not_measured"),
        ([fast, bare | {"from_device": "GPU0"}], "pass"),
    ):
        control["facts"]["result_facts"] = results
        assert verdicts(control, "PERF-015")["node:0000#bf16"][0] == verdict
