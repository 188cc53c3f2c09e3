"""Benchmarks of multiplication: data type, size and rate as each tool says them, and what it leaves unsaid."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from asbuilt.model.facts import Facts
from asbuilt.parsers import cublas_bench, dcgmi_diag, dcgmproftester, gpu_burn, mamf_finder, nvidia_smi_list
from gemm_transcripts import BURN, MAMF_FOUR, MAMF_TWO, MATMUL, PROFTESTER, STRESS

COLUMNS = ("quantity", "datatype", "shape", "value", "unit")


def runs(facts: Facts) -> list[dict[str, Any]]:
    return facts.tables["run_facts"].to_dicts()


def rows(facts: Facts, *columns: str) -> list[tuple[object, ...]]:
    return facts.tables["result_facts"].select(columns or COLUMNS).rows()


def test_dcgmproftester_says_no_size() -> None:
    facts = dcgmproftester.parse(PROFTESTER.encode(), "c")
    assert rows(facts, *COLUMNS, "from_device") == [
        ("gemm_fp16", "fp16", None, 601.2345, "TFLOPS", "GPU0"),
        ("gemm_fp16", "fp16", None, 602.0, "TFLOPS", "GPU1"),
        ("gemm_fp16", "fp16", None, 603.0, "TFLOPS", "GPU0"),
    ]
    assert [(r["benchmark"], r["complete"]) for r in runs(facts)] == [("gemm", True)]


def test_dcgmproftester_of_old_versions_and_other_fields() -> None:
    facts = dcgmproftester.parse(b"TensorEngineActive: generated ???, dcgm 0.000 (26723.0 gflops)\n", "c")
    assert rows(facts, "quantity", "value", "from_device") == [("gemm_fp16", 26.723, None)]
    other = PROFTESTER.replace("[1004]", "[1013]").encode()
    assert {q for (q,) in rows(dcgmproftester.parse(other, "c"), "quantity")} == {"gemm_unknown"}, "nobody says its type"


def test_cublas_has_its_type_from_the_launch_line_alone() -> None:
    facts = cublas_bench.parse(MATMUL.encode(), "c")
    ((quantity, datatype, shape, value, unit, fill, time_us),) = rows(facts, *COLUMNS, "fill", "time_us")
    assert (quantity, datatype, shape, unit, fill) == ("gemm_bf16", "bf16", "8192x9728x16384", "TFLOPS", "random")
    assert value == pytest.approx(766.918302) and time_us == pytest.approx(3405.0)
    assert value == pytest.approx(2 * 8192 * 9728 * 16384 / float(str(time_us)) / 1e6, rel=1e-3), "the sample fits together"
    bare = "BF16\n" + MATMUL.partition("\n")[2]
    assert rows(cublas_bench.parse(bare.encode(), "c"), "quantity") == [("gemm_unknown",)], "a heading is a claim of its script"


@pytest.mark.parametrize(
    ("words", "datatype", "fill"),
    [
        ("-P=qqssq -p=0", "fp8", "zeros"),
        ("-P=hsh", "fp16", None),
        ("-P=bisb_imma -p=t", "int8", "random"),
        ("-P=sss_fast_tf32", "tf32", None),
        ("-P=sss", "fp32", None),
        ("-P=nvoohso", "fp4", None),
        ("-P=xyz", None, None),
    ],
)
def test_what_a_launch_line_says(words: str, datatype: str | None, fill: str | None) -> None:
    text = MATMUL.replace("-P=tst", words).replace("-p=t\n", "\n")
    ((kind, filled, unit),) = rows(cublas_bench.parse(text.encode(), "c"), "datatype", "fill", "unit")
    assert (kind, filled) == (datatype, fill)
    assert unit == ("TOPS" if datatype == "int8" else "TFLOPS")
    shown = "+ " + text.removeprefix("$ ")
    assert rows(cublas_bench.parse(shown.encode(), "c"), "datatype", "fill") == [(datatype, fill)], "as `set -x` shows it"


def test_the_stress_test_names_type_and_device() -> None:
    facts = cublas_bench.parse(STRESS.encode(), "c")
    assert rows(facts, *COLUMNS[:3], "from_device") == [("gemm_fp16", "fp16", "12288x9216x32768", "GPU0")]
    assert [(r["device"], r["complete"], r["failure"]) for r in runs(facts)] == [
        ("GPU0", True, None),
        ("GPU1", False, "testing cublasLt fail"),
    ]


def test_mamf_finder_of_two_generations() -> None:
    two = mamf_finder.parse(MAMF_TWO.encode(), "c")
    assert rows(two) == [
        ("mean_gemm_bf16", "bf16", "8192x4096x4096", 771.2, "TFLOPS"),
        ("gemm_bf16", "bf16", "8192x4096x4096", 772.9, "TFLOPS"),
        ("max_gemm_bf16", "bf16", "7936x4096x4096", 801.0, "TFLOPS"),
    ]
    (run,) = runs(two)
    assert (run["version"], run["device_name"], run["complete"]) == ("2", "NVIDIA H100 80GB HBM3", True)
    four = mamf_finder.parse(MAMF_FOUR.encode(), "c")
    assert rows(four) == [
        ("gemm_fp8", "fp8", "3072x2816x4096", 1442.0, "TFLOPS"),
        ("sustained_gemm_fp8", "fp8", "3072x2816x4096", 1222.0, "TFLOPS"),
    ]
    (run,) = runs(four)
    assert (run["version"], run["device_name"], run["complete"]) == ("4", "NVIDIA H200", True)


def test_mamf_finder_on_a_terminal_is_what_stands_behind_the_last_return() -> None:
    text = MAMF_TWO.replace("accelerator warmup finished\n", "accelerator warmup finished\n     1 |  500.0(mean)\r")
    facts = mamf_finder.parse(text.encode(), "c")
    assert len(rows(facts)) == 3 and facts.accounts["c"].unread == 0
    cut = mamf_finder.parse(MAMF_TWO.partition("Tried")[0].encode(), "c")
    assert not cut.has("result_facts") and [r["complete"] for r in runs(cut)] == [False]


def test_gpu_burn_counts_errors_over_summaries() -> None:
    facts = gpu_burn.parse(BURN.encode(), "c")
    assert rows(facts, "from_device", "quantity", "shape", "value", "wrong") == [
        ("GPU0", "gemm_tf32", "8192x8192x8192", 401.402, 0.0),
        ("GPU1", "gemm_tf32", "8192x8192x8192", 402.0, 3.0),
        ("GPU0", "gemm_tf32", "8192x8192x8192", 400.402, 0.0),
        ("GPU1", "gemm_tf32", "8192x8192x8192", 401.0, 0.0),
    ]
    (run,) = runs(facts)
    assert (run["wrong"], run["checked"], run["complete"], run["device_name"]) == (3.0, True, True, "NVIDIA H100 80GB HBM3")
    assert nvidia_smi_list.sniff(BURN.encode()) is False, "the list of GPUs in front of it is no listing of its own"


def test_gpu_burn_says_its_type_when_it_ends_or_not_at_all() -> None:
    lines = BURN.splitlines(keepends=True)
    late = "".join([*lines[:4], *lines[8:-3], *lines[4:8], *lines[-3:]])
    assert rows(gpu_burn.parse(late.encode(), "c"), "quantity", "value") == rows(
        gpu_burn.parse(BURN.encode(), "c"), "quantity", "value"
    )
    untold = "".join(line for line in lines if not line.startswith(("Initialized", "Results")))
    assert {q for (q,) in rows(gpu_burn.parse(untold.encode(), "c"), "quantity")} == {"gemm_unknown"}
    cut = gpu_burn.parse(untold.partition("Killing")[0].encode(), "c")
    assert not cut.has("result_facts") and cut.notes == ("c: gpu-burn: the text ends before the run does",)


def test_gpu_burn_of_a_gpu_that_dies() -> None:
    text = BURN.replace("errors: 0 - 3  (WARNING!)", "errors: 0 - 0  (DIED!)").replace("FAULTY", "OK")
    (run,) = runs(gpu_burn.parse(text.encode(), "c"))
    assert (run["failure"], run["wrong"]) == ("GPU 1 died", 0.0)
    doubles = gpu_burn.parse(BURN.replace("FLOATS, using Tensor Cores", "DOUBLES").encode(), "c")
    assert rows(doubles, "quantity", "shape")[0] == ("gemm_fp64", "5792x5792x5792")


def test_the_diagnostic_of_dcgm_tells_a_rate_of_mixed_types() -> None:
    said = "GPU 0 calculated at approximately 1000.00 gigaflops during this test"
    text = (
        '{"DCGM Diagnostic": {"version": "4.2.0", "test_categories": [{"category": "Hardware", "tests": [{"name": '
        f'"diagnostic", "results": [{{"gpu_id": "0", "status": "Pass", "info": ["Running with precisions: FP64 1", "{said}"'
        "]}]}]}]}}\n"
    )
    facts = dcgmi_diag.parse(text.encode(), "c")
    assert facts.tables["diagnostic_facts"].height == 1 and facts.accounts["c"].unread == 0
    assert rows(facts, "quantity", "datatype", "unit", "from_device") == [("gemm_mixed", None, "TFLOPS", "GPU0")]
    assert facts.tables["result_facts"]["value"][0] == pytest.approx(1.073741824), "it divides by 2^30"
    assert facts.tables["run_facts"].select("benchmark", "version", "complete").rows() == [("gemm", "4.2.0", True)]
    assert pl.Series(["c#1"]).equals(facts.tables["result_facts"]["run"].rename(""))
