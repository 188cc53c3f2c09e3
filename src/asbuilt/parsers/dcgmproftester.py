"""``dcgmproftester`` of NVIDIA DCGM: the load that it makes, and the rate of multiplications that it tells every second.

``-t 1004`` multiplies FP16 matrices on Tensor Cores (NVIDIA's guide of DCGM). The tool does not say how large they are: a rate
of it shows that GPUs are under load and alike, and is no measurement of the peak. Lines of other fields tell nothing here.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS
from asbuilt.parsers import bench_lines
from asbuilt.parsers.bench_runs import Run, Runs
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.gemm_words import result
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "dcgmproftester"
_WORKER = r"(?:Worker (\d{1,4}):\d{1,4} ?\[(\d{1,5})\]: )?"
_RATE = re.compile(rf"^{_WORKER}(\w+): generated \S+, dcgm \S+ \((\S+) gflops\)\.?$")
_OTHER = re.compile(rf"^{_WORKER}\w+: generated .*$")
_END = re.compile(rf"^{_WORKER}Skipping UnwatchFields\(\) since DCGM validation is disabled$")
_FAILED = re.compile(r"^.*(?:\bfailed\b|\bError\b|\berror\b|Unable to ).*$")
_ABOUT = re.compile(
    rf"^{_WORKER}(?:Skipping \w+\(\) since DCGM validation is disabled|CU_DEVICE_ATTRIBUTE_\w+: \d+|Max Memory bandwidth: .*"
    r"|(?:DCGM )?Cuda\w* ?Init completed successfully\.|CUDA_VISIBLE_DEVICES: .*"
    r"|Message: .*|Bus ID \S+ mapped to cuda device.*)$"
)
_OWN = re.compile(
    "|".join(p.pattern for p in (_OTHER, _ABOUT)) + r"|^Worker \d+:\d+ ?\[\d+\]: .*$|^(?:Error|error|Unable to ).*$"
)
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?(?:Worker \d+:\d+ ?\[\d+\]: |Skipping \w+\(\) since DCGM validation is disabled"
    rb"|TensorEngineActive: generated )",
    re.M,
)
#: Field -> data type of the factors.
_TYPES = {"1004": "fp16"}
#: The name of field 1004, in versions that do not print its number.
_TENSOR = "TensorEngineActive"


def sniff(data: bytes) -> bool:
    """True for a line of a worker, or of the validation that is off."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts`` (one per host and launch) and ``result_facts`` (a rate per GPU and second). Never raises."""
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    runs = Runs(Run)
    for said in told:
        if not said.closed or not _OWN.match(said.text):
            continue
        run = runs.at(said) or runs.open(said)
        _hear(told, said, run, run.key(told))
    for run in runs:
        run.tell(told, "gemm")
    return told.facts()


def _hear(told: Told, said: Said, run: Run, name: str) -> None:
    """One line of a run."""
    rate = _RATE.match(said.text)
    value = real(rate[4]) if rate else None
    if rate and value is not None and rate[3].startswith("Tensor"):
        known = _TYPES.get(rate[2]) if rate[2] else "fp16" if rate[3] == _TENSOR else None
        device = f"GPU{rate[1]}" if rate[1] else None
        told.add(RESULT_FACTS, said, result(name, known, value / 1000, from_device=device))
        return
    if _END.match(said.text):
        run.values["complete"] = True
    elif _FAILED.match(said.text) and not _OTHER.match(said.text):
        run.values.setdefault("failure", said.text.strip()[:200])
    told.ignore(said)
