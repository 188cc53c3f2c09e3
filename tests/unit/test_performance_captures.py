"""From the text of a benchmark to the verdict on the machine that it is of: parser, fact table and check together."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "controls"))

import control_file as cf

from asbuilt.checks.registry import checks
from asbuilt.diagnose.node_tables import node_tables
from asbuilt.model.capture import Capture
from asbuilt.parsers import nccl_tests
from asbuilt.workflow.captures import facts_of
from bench_transcripts import NCCL, STREAM
from gemm_transcripts import BURN, MAMF_FOUR, MAMF_TWO, MATMUL, PROFTESTER, STRESS

PLAN = cf.plan_of(cf.read(cf.HERE / "little-bench.yaml"), cf.HERE)
CUT = BURN.partition("Killing")[0]
SIZE, TYPE = "not a measurement: the size of its matrices is not stated", "not a measurement: its data type is not stated: "


@pytest.mark.parametrize(
    ("tool", "text", "id", "answers"),
    [
        ("mamf-finder", MAMF_TWO, "PERF-015", {"node:0000#bf16": ("pass", None)}),
        ("mamf-finder", MAMF_TWO.replace("772.9", "672.9"), "PERF-015", {"node:0000#bf16": ("fail", "672.9 TFLOPS")}),
        (
            "mamf-finder",
            MAMF_FOUR,
            "PERF-015",
            {"node:0000#fp8": ("not_applicable", "made for bf16, run in fp8"), "plan": ("not_measured", None)},
        ),
        ("cublasMatmulBench", MATMUL, "PERF-015", {"node:0000#bf16": ("pass", None)}),
        (
            "cublasMatmulBench",
            MATMUL.partition("\n")[2],
            "PERF-015",
            {"node:0000#unknown": ("not_measured", f"{TYPE}keep the launch line")},
        ),
        (
            "cublasMatmulBench",
            MATMUL.replace("766918", "986918"),
            "PERF-015",
            {"node:0000#bf16": ("not_measured", "not a measurement: 987 TFLOPS, but size and time give 767")},
        ),
        (
            "cublasMatmulBench",
            STRESS,
            "PERF-015",
            {"node:0000#fp16": ("not_applicable", "made for bf16, run in fp16"), "plan": ("not_measured", None)},
        ),
        ("dcgmproftester", PROFTESTER, "PERF-015", {"node:0000#fp16": ("not_measured", SIZE)}),
        (
            "gpu-burn",
            BURN,
            "PERF-015",
            {"node:0000#tf32": ("not_measured", "not a measurement: its results are wrong")},
        ),
        ("gpu-burn", BURN, "PERF-016", {"node:0000": ("fail", "3 wrong results on GPU1")}),
        (
            "gpu-burn",
            BURN.replace("0 - 3  (WARNING!)", "0 - 0").replace("FAULTY", "OK"),
            "PERF-016",
            {"node:0000": ("pass", None)},
        ),
        ("gpu-burn", BURN.replace("0 - 3  (WARNING!)", "0 - 0"), "PERF-016", {"node:0000": ("fail", "1 wrong result")}),
        (
            "gpu-burn",
            CUT.replace("0 - 3  (WARNING!)", "0 - 0"),
            "PERF-016",
            {"node:0000": ("not_measured", "none so far: the text ends before the run does")},
        ),
        ("stream", STREAM, "PERF-017", {"node:0000": ("pass", None)}),
        ("stream", STREAM, "PERF-016", {"node:0000": ("pass", None)}),
        ("stream", STREAM.replace("412000", "312000"), "PERF-017", {"node:0000": ("fail", "312.0 GB/s")}),
        (
            "stream",
            STREAM.replace("size = 400000000", "size = 10000000"),
            "PERF-017",
            {"node:0000": ("not_measured", "not a measurement: arrays of 80000000 bytes lie in the caches")},
        ),
    ],
    ids=lambda value: str(value)[:24] if isinstance(value, str) and "\n" not in value else "",
)
def test_a_text_becomes_a_verdict(tool: str, text: str, id: str, answers: dict[str, tuple[str, str | None]]) -> None:
    facts = facts_of([Capture("c", text.encode(), tool, "gpu000")])
    facts = dataclasses.replace(facts, tables={**facts.tables, **node_tables(PLAN, facts).tables})
    rows = checks()[id].answer(PLAN, facts).select("subject", "verdict", "found").rows()
    seen = {subject: (verdict, None if subject == "plan" else found) for subject, verdict, found in rows}
    assert seen == answers


def test_nodes_of_a_run_come_from_nccl_where_no_rank_line_names_a_host() -> None:
    lines = [line for line in NCCL.splitlines(keepends=True) if "Rank" not in line]
    said = "node0001:7:9 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nRanks 4 nNodes 2 localRanks 2 - Init START\n"
    facts = nccl_tests.parse("".join([lines[0], said, *lines[1:]]).encode(), "c")
    assert facts.tables["run_facts"]["hosts"].to_list() == [2]
