"""What the plan says its numbers of speed were made for, and what host memory is expected to carry."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "controls"))

import control_file as cf

from asbuilt.physics.rates import memory_gbytes_s, tera_per_s
from template_plans import expanded


def rows(template: str, check_id: str) -> dict[str, dict[str, object]]:
    frame = expanded(template).table("expectations").filter(pl.col("check_id") == check_id)
    return {str(row["selector"]): row for row in frame.to_dicts()}


@pytest.mark.parametrize(
    ("template", "selector", "valid"),
    [
        ("dgx-h100-superpod", "all_reduce/16/1073741824", "gpu=h100-sxm5,gpus=16,nodes=2,bytes=1073741824,nccl>=2.18"),
        ("dgx-b200", "all_gather/8/8589934592", "gpu=b200-sxm,gpus=8,nodes=1,bytes=8589934592,nccl>=2.26"),
        ("gb200-nvl72", "all_reduce/72/8589934592", "gpu=gb200-b200,gpus=72,nodes=18,bytes=8589934592,nccl>=2.26"),
    ],
)
def test_a_number_of_a_collective_says_its_gpu_nodes_size_and_nccl(template: str, selector: str, valid: str) -> None:
    assert rows(template, "PERF-010")[selector]["valid_if"] == valid


def test_every_number_of_a_collective_says_what_it_holds_for() -> None:
    for template in ("dgx-h100-superpod", "dgx-b200", "gb300-nvl72"):
        told = [str(row["valid_if"]) for row in rows(template, "PERF-010").values()]
        assert told and all(all(f"{key}" in v for key in ("gpu=", "gpus=", "nodes=", "bytes=", "nccl>=")) for v in told)


def test_memory_of_hosts_from_channels_and_speed() -> None:
    """Two sockets of eight channels at 4,400 MT/s: 563.2 GB/s, of which STREAM reaches four fifths."""
    assert memory_gbytes_s(16, 4400) == pytest.approx(563.2)
    plan = cf.compiled("dgx-h100-superpod", "{nodes: {memory: {speed_mts: 4400}}}")
    told = {r["selector"]: r for r in plan.table("expectations").filter(pl.col("check_id") == "PERF-017").to_dicts()}
    assert (told["triad"]["value"], told["triad"]["unit"], told["triad"]["origin"]) == ("450.6", "GB/s", "derived")
    assert told["triad"]["valid_if"] == "system=dgx-h100,channels=16,mts=4400" and told["triad"]["tol_rel"] == 0.1


@pytest.mark.parametrize("template", ["dgx-h100-superpod", "l40s-384", "gb200-nvl72"])
def test_unknown_memory_has_no_number(template: str) -> None:
    assert set(rows(template, "PERF-017")) == {"share", "array"}


def test_the_published_streams_are_within_the_tolerance() -> None:
    """Azure HBv4, 24 channels of DDR5-4800: 780 GB/s published, 665.5 the least that AzNHC lets pass."""
    (share,) = (r for s, r in rows("dgx-h100-superpod", "PERF-017").items() if s == "share")
    expected = memory_gbytes_s(24, 4800) * float(str(share["value"]))
    low, high = (expected * (1 + sign * float(str(share["tol_rel"]))) for sign in (-1, 1))
    assert low == pytest.approx(663.6, abs=0.1) and low < 665.5 < 780 < high


def test_a_product_in_a_time_is_a_rate() -> None:
    assert tera_per_s(2 * 8192 * 9728 * 16384, 3405.0) == pytest.approx(766.9, abs=0.1)
