"""``dcgmproftester`` of NVIDIA DCGM: the load that it makes, and the rate of multiplications that it tells every second.

``-t 1004`` multiplies FP16 matrices on Tensor Cores (NVIDIA's guide of DCGM). The tool does not say how large they are: a rate
of it shows that GPUs are under load and alike, and is no measurement of the peak. Lines of other fields tell nothing here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS, RUN_FACTS
from asbuilt.parsers import bench_lines
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


@dataclass(slots=True)
class _Run:
    opened: Said
    number: int
    values: dict[str, Any] = field(default_factory=dict)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts`` (one per host and launch) and ``result_facts`` (a rate per GPU and second). Never raises."""
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    runs: list[_Run] = []
    current: dict[Any, _Run] = {}
    for said in told:
        key = said.speaker.hosts, said.speaker.turn
        if not said.closed or not _OWN.match(said.text):
            continue
        run = current.get(key)
        if run is None:
            run = current[key] = _Run(said, len(runs) + 1)
            runs.append(run)
        _hear(told, said, run, f"{capture_id}#{run.number}")
    for number, run in enumerate(runs, start=1):
        row = {"complete": False, **run.values, "run": f"{capture_id}#{number}", "benchmark": "gemm", "line": run.opened.number}
        told.add(RUN_FACTS, run.opened, row)
    return told.facts()


def _hear(told: Told, said: Said, run: _Run, name: str) -> None:
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
