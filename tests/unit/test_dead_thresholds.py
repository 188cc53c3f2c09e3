"""Thresholds that no measurement reaches, floors that pass anything, averages, units, checks that break: none is here.

With `test_checks_can_fail.py` this shows for every peer's check that cannot fail how the same gap is closed in this product.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import polars as pl
import pytest

from asbuilt.checks import registry
from asbuilt.checks.registry import checks
from asbuilt.diagnose.node_tables import node_tables
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.workflow import templates
from controls.control_file import HERE, measured_facts, outcome, plan_of, read
from template_plans import CATALOGUE, expanded

LITTLE = read(HERE / "little-nodes.yaml")
#: What a benchmark calls the result that a threshold of one GPU is for, by selector.
QUANTITIES = {
    "h2d": "host_to_device_memcpy_ce",
    "d2h": "device_to_host_memcpy_ce",
    "p2p": "device_to_device_memcpy_read_ce",
    "hbm": "device_local_copy",
    "bf16": "gemm_bf16",
    "fp16": "gemm_fp16",
    "fp8": "gemm_fp8",
}
#: Figures of the catalogue that no measured value of one GPU can exceed, and what turns them into the threshold's unit.
PEAKS = {
    "p2p": ("scale_up_gbytes_s", 0.5),
    "hbm": ("memory_bandwidth_tbytes_s", 1000.0),
    "bf16": ("bf16_dense_tflops", 1.0),
    "fp16": ("bf16_dense_tflops", 1.0),
    "fp8": ("fp8_dense_tflops", 1.0),
}
#: Expectations of speed that are no floor of a measured rate: they say what counts as a measurement, or a share of others.
NO_FLOORS = ("operations", "array", "share")
Measured = tuple[dict[str, Any], list[dict[str, Any]]]


def limits(plan: Plan, check_id: str = "PERF-01") -> list[dict[str, Any]]:
    """The plan's floors of measured speed."""
    rows = plan.table("expectations").filter(pl.col("check_id").str.starts_with(check_id) & (pl.col("op") == "ge"))
    return rows.filter(~pl.col("selector").is_in(NO_FLOORS)).to_dicts()


def measured(plan: Plan, floor: dict[str, Any], share: float, unit: str | None = None) -> Measured:
    """A run whose one result is ``share`` of what ``floor`` expects, in the words of a benchmark's log."""
    value, unit = float(floor["value"]) * share, unit or floor["unit"]
    node = plan.table("nodes").filter(pl.col("role") == "compute").row(0, named=True)
    run: dict[str, Any] = {"run": "r", "gpus_per_rank": 1, "complete": True, "host": node["name"]}
    result: dict[str, Any] = {"run": "r", "value": value, "unit": unit, "host": node["name"]}
    if floor["check_id"] == "PERF-010":
        name, gpus, size = floor["selector"].split("/")
        n = int(gpus)
        factor = 2 * (n - 1) / n if name == "all_reduce" else (n - 1) / n
        (nodes,) = re.findall(r",nodes=(\d+),", floor["valid_if"])
        run |= {"benchmark": name, "ranks": n, "hosts": int(nodes), "library": "NCCL 2.28.3+cuda12.9"}
        run |= {"checked": True, "wrong": 0.0, "reached_bytes": float(size)}
        result |= {"quantity": "busbw", "bytes": float(size)}
        return run | {"transports": "NET/IB"}, [result, result | {"quantity": "algbw", "value": value / factor}]
    if floor["check_id"] == "PERF-011":
        rate = float(floor["selector"].removeprefix("rate="))
        port = plan.table("nics").filter((pl.col("node") == node["node"]) & (pl.col("rate_gbps") == rate))
        run |= {"benchmark": "ib_write_bw", "device": port.filter(pl.col("plane") == "compute")["device"][0]}
        return run | {"bidirectional": False}, [result | {"quantity": "bandwidth_average", "bytes": 8388608.0}]
    shape = "8192x8192x8192" if floor["check_id"] == "PERF-015" else None
    return run | {"benchmark": "bench"}, [result | {"quantity": QUANTITIES[floor["selector"]], "shape": shape}]


def verdict(plan: Plan, floor: dict[str, Any], run: Measured) -> str:
    facts = measured_facts({"run_facts": [run[0]], "result_facts": run[1]})
    facts = dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)
    (seen,) = set(checks()[floor["check_id"]].answer(plan, facts)["verdict"])
    return str(seen)


@pytest.mark.parametrize("template", templates.names())
def test_every_floor_of_speed_is_reached_by_a_measurement(template: str) -> None:
    """None is dead (its key of another type than what is measured), and each fails half of what it expects."""
    plan = expanded(template)
    floors = limits(plan)
    # One of each kind: sizes and counts of a collective have one key.
    one = {(f["check_id"], f["selector"].split("/")[0], f["selector"].count("/")): f for f in floors}
    assert len(one) >= 3, "copies and RDMA at least have a floor on every system"
    for floor in one.values():
        assert verdict(plan, floor, measured(plan, floor, 1.0)) == "pass", floor["id"]
        assert verdict(plan, floor, measured(plan, floor, 0.5)) == "fail", floor["id"]


def test_a_value_a_thousand_times_off_fails_and_another_unit_is_no_pass() -> None:
    plan = expanded("dgx-h100-superpod")
    for floor in limits(plan):
        if floor["check_id"] in ("PERF-012", "PERF-013", "PERF-014", "PERF-015"):
            assert verdict(plan, floor, measured(plan, floor, 0.001)) == "fail", floor["id"]
            thousand = measured(plan, floor, 1000.0, unit="MB/s")
            assert verdict(plan, floor, thousand) == "not_measured", floor["id"]


@pytest.mark.parametrize("template", templates.names())
def test_no_floor_passes_anything_and_none_asks_the_impossible(template: str) -> None:
    """A floor a digit short passes a dead GPU; one above the peak of the part can never pass."""
    plan = expanded(template)
    gpu = CATALOGUE.get("gpu", plan.table("gpus")["model"][0])
    seen = 0
    for floor in limits(plan):
        least = float(floor["value"]) * (1 - (floor["tol_rel"] or 0.0))
        if floor["selector"] in PEAKS and floor["check_id"] != "PERF-010":
            name, scale = PEAKS[floor["selector"]]
            peak = float(gpu.figure(name).value) * scale
        elif floor["check_id"] == "PERF-011":
            peak = float(floor["selector"].removeprefix("rate="))
        else:
            continue
        seen += 1
        assert peak / 2 < least < peak, floor["id"]
    assert seen


def test_the_average_over_all_sizes_decides_nothing() -> None:
    """A sweep from 8 bytes on has a low average on a fine cluster, and a slow largest size is not saved by a good average."""
    good = read(HERE / "PERF-010" / "good.yaml")
    small = {"run": "c#1", "quantity": "busbw", "unit": "GB/s"}
    sweep = [small | {"bytes": float(8 << k), "value": 0.1} for k in range(20)]
    (run,) = good["facts"]["run_facts"]
    fine = good | {
        "facts": {
            "run_facts": [run | {"average_gbytes_s": 40.0}],
            "result_facts": [*sweep, *good["facts"]["result_facts"]],
        }
    }
    assert "PERF-010" not in {f.id for f in outcome(fine, HERE).findings}
    slow = [r | {"value": r["value"] / 2} for r in good["facts"]["result_facts"]]
    quick = [r | {"value": 900.0} for r in sweep]
    bad = good | {"facts": {"run_facts": [run | {"average_gbytes_s": 800.0}], "result_facts": [*quick, *slow]}}
    (found,) = [f for f in outcome(bad, HERE).findings if f.id == "PERF-010"]
    assert found.verdict == "fail"


@pytest.mark.parametrize(
    "name", ["NOD-014/*", "NOD-015/iommu", "NOD-021/gen=5", "NOD-023/*", "NOD-024/read_request", "NOD-063/*"]
)
def test_a_threshold_of_machines_is_not_dead(name: str) -> None:
    """Take it away, and its check no longer passes what it passed: something reads it."""
    plan = plan_of(LITTLE, HERE)
    facts = measured_facts(LITTLE["facts"])
    facts = dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)
    held = plan.table("expectations")
    without = dataclasses.replace(plan, tables=plan.tables | {"expectations": held.filter(pl.col("id") != name)})
    found = checks()[name.partition("/")[0]]
    before, after = found.answer(plan, facts)["verdict"], found.answer(without, facts)["verdict"]
    assert before.to_list().count("pass") > after.to_list().count("pass")


@pytest.mark.parametrize("template", templates.names())
def test_every_threshold_is_of_a_check_that_lives(template: str) -> None:
    assert set(expanded(template).table("expectations")["check_id"]) - set(checks()) == set()


@pytest.mark.parametrize("id", ["NOD-020", "PERF-010"])
def test_a_check_that_breaks_is_told_and_never_exit_0(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside a check is a finding of its own, and the exit code is not that of a clean run."""

    def breaks(plan: Plan, facts: Facts) -> pl.DataFrame:
        raise KeyError("a column that is not there")

    monkeypatch.setitem(registry._CHECKS, id, dataclasses.replace(checks()[id], function=breaks))
    path = HERE / id / "good.yaml"
    seen = outcome(read(path), path.parent)
    (found,) = [f for f in seen.findings if f.id == id]
    assert found.verdict == "error" and "a column that is not there" in found.found
    assert seen.exit_code != 0


@pytest.mark.parametrize("id", ["GPU-010", "GPU-011", "NOD-020", "NOD-063", "PERF-010", "PERF-021"])
def test_what_fails_is_a_finding(id: str) -> None:
    """A verdict that only sets an action somewhere, and tells nobody, is a pass to whoever reads the answer."""
    path = HERE / id / "bad.yaml"
    seen = outcome(read(path), path.parent)
    failed = sum(c.failed for c in seen.coverage if c.id == id)
    told = {s for f in seen.findings if f.id == id and f.verdict == "fail" for s in f.subjects}
    assert (failed > 0) == bool(told) and len(told) <= failed
    assert seen.exit_code == (1 if failed else 3)


@pytest.mark.parametrize("template", templates.names())
def test_a_gpu_too_few_fails_on_every_system_and_a_full_node_passes(template: str) -> None:
    """No system's number of GPUs is left to a branch that nothing reaches."""
    plan = expanded(template)
    node = plan.table("nodes").filter(pl.col("role") == "compute").row(0, named=True)
    (shown,) = plan.table("hardware").filter(pl.col("kind") == "gpu")["shown_as"].unique().to_list()
    count = plan.table("gpus").filter(pl.col("node") == node["node"]).height
    name = str(shown).split("|")[0]
    whole = [{"host": node["name"], "index": i, "address": f"0000:{i + 1:02x}:00.0", "name": name} for i in range(count)]
    assert count > 1
    for rows, verdict_of_all in ((whole, "pass"), (whole[:-1], "fail")):
        facts = measured_facts({"gpu_facts": rows})
        facts = dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)
        seen = set(checks()["GPU-001"].answer(plan, facts)["verdict"])
        assert verdict_of_all in seen and ("fail" in seen) == (len(rows) < count), seen
