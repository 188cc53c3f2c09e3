"""``cublasMatmulBench`` of NVIDIA, and the stress test that was made of it: multiplications of one size by cuBLAS.

The output tells size, loops, time and rate; the data type stands in the launch line alone (``-P=tst``), or in the name of a
test of the stress test. Headings that people's scripts print tell nothing: a public script calls ``-P=hsh`` BF16. ``-p=0``
fills the matrices with zeros, which draw less power than numbers do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Sequence

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS
from asbuilt.parsers import bench_lines
from asbuilt.parsers.bench_runs import Run, Runs
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.gemm_words import WORDS, result, shape
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "cublasMatmulBench"
_LAUNCH = re.compile(r"^(?:\+ )?\S*cublas\w*(?:Matmul|Bench)\w*\s.*-P=\S+.*$")
_SIZES = re.compile(r"^#### args: ta=\w tb=\w m=(\d{1,9}) n=(\d{1,9}) k=(\d{1,9})\b.*$")
_LOOP = re.compile(r"^#### args: .*\bloop=(\d{1,9})$")
_STATISTICS = re.compile(r"^\^\^\^\^ gpu time statistics: runs (\d{1,9}), mean \S+ ms, .*$")
_RATE = re.compile(r"^\^\^\^\^ ?CUDA : elapsed = (\S+) sec,\s+Gflops = (\S+)(?:\s+Bandwidth = \S+)?$")
_DEVICE = re.compile(r'^Device (\d{1,4}): "([^"]+)".*$')
_TEST = re.compile(r"^\*{5} STARTING TEST \d+: (\S+).* On Device (\d{1,4}) (.+)$")
_PASSED = re.compile(r"^(?:testing cublasLt pass|\*{5} TEST PASSED \*+)$")
_FAILED = re.compile(
    r"^(?:testing cublasLt fail|\*{5} TEST FAILED \*+|\*{5} TEST DID NOT EXECUTE \*+|TEST \S+ appears to be hung"
    r"|mode not supported|not supported for the .*|CUDA error .*|.*\bfailed\b.*)$"
)
_ABOUT = re.compile(
    rf"^(?:testing cublas\w*|#### .*|\^\^\^\^.*|&&&& .*|!!!! .*|matrixSize Total: \d+|DEBUG: .*|WATCHDOG .*"
    rf"|Detected \d+ CUDA .*|\S+ capturing GPU information\.\.\.|Device #?\d+.*|Initilizing .*|GPU Memory: .*|TEST TIME: .*"
    rf"|\*{{5}} .*|GPU:? .*|Driver: .*|===.*|(?:{'|'.join(w.upper() for w in WORDS)})\b.*)$"
)
_OWN = re.compile("|".join(p.pattern for p in (_LAUNCH, _PASSED, _ABOUT, _FAILED)))
_SIGN = re.compile(rb"^(?:[\w.-]+: )?(?:\^\^\^\^ ?CUDA : elapsed = \S+ sec,\s+Gflops = |testing cublasLt)", re.M)
#: Beginning of ``-P`` -> data type of the factors: the first that fits.
_CODES = (
    ("nvoo", "fp4"), ("qq", "fp8"), ("bii", "int8"), ("bis", "int8"), ("tst", "bf16"), ("tss", "bf16"), ("bfs", "bf16"),
    ("hsh", "fp16"), ("hss", "fp16"), ("hhh", "fp16"), ("sss_fast_tf32", "tf32"), ("ddd", "fp64"),
)  # fmt: skip


def sniff(data: bytes) -> bool:
    """True for a rate of cuBLAS, or the line before its test."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Run(Run):
    datatype: str | None = None
    fill: str | None = None
    shape: str | None = None
    loops: int | None = None
    results: int = 0


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts`` (one per launch, or test of the stress test) and ``result_facts``. Never raises."""
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    runs = Runs(_Run)
    for said in told:
        if not said.closed or not _OWN.match(said.text):
            continue
        run = runs.at(said)
        if run is None or _LAUNCH.match(said.text) or _TEST.match(said.text):
            known = run.values.get("device_name") if run else None
            if run is None or run.results or run.shape or run.datatype:
                run = runs.open(said)
                run.values["device_name"] = known
            _launched(run, said.speaker.command)
        _hear(told, said, run, run.key(told))
    for run in runs:
        run.tell(told, "gemm")
    return told.facts()


def _launched(run: _Run, words: Sequence[str]) -> None:
    """Take data type and filling from a launch line."""
    options = dict(word.lstrip("-").split("=", 1) for word in words if word.startswith("-") and "=" in word)
    if "P" not in options:
        return
    code = options["P"]
    run.datatype = "fp32" if code == "sss" else next((kind for lead, kind in _CODES if code.startswith(lead)), None)
    run.fill = None if "p" not in options else "zeros" if options["p"] == "0" else "random"


def _hear(told: Told, said: Said, run: _Run, name: str) -> None:
    """One line of a run."""
    text = said.text
    if rate := _RATE.match(text):
        seconds, value = real(rate[1]), real(rate[2])
        if value is not None:
            each = None if seconds is None or not run.loops else seconds * 1e6 / run.loops
            row = result(name, run.datatype, value / 1000, shape=run.shape, fill=run.fill, time_us=each)
            told.add(RESULT_FACTS, said, row | {"from_device": run.values.get("device")})
            run.results += 1
            run.values["complete"] = True
            return
    elif sizes := _SIZES.match(text):
        run.shape, run.loops = shape(sizes[1], sizes[2], sizes[3]), None
        if loop := _LOOP.match(text):
            run.loops = int(loop[1])
        told.account.fact(said.number)
        return
    elif loop := _LOOP.match(text) or _STATISTICS.match(text):
        run.loops = int(loop[1])
        told.account.fact(said.number)
        return
    elif test := _TEST.match(text):
        word = test[1].lower().replace("-", "")
        run.datatype = word if word in WORDS else None
        run.values |= {"device": f"GPU{int(test[2])}", "device_name": test[3]}
        told.account.fact(said.number)
        return
    elif device := _DEVICE.match(text):
        run.values["device_name"] = run.values.get("device_name") or device[2]
        told.account.fact(said.number)
        return
    elif _LAUNCH.match(text):
        _launched(run, bench_lines.words_of(text))
        told.account.fact(said.number)
        return
    elif _FAILED.match(text) and not _PASSED.match(text):
        run.values.setdefault("failure", text.strip()[:200])
    told.ignore(said)
