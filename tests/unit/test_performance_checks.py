"""Checks of measured speed beside their controls: what a log does not say is open, a wrong launch is no measurement."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "controls"))

import control_file as cf

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
