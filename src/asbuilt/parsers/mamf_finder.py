"""``mamf-finder.py`` (Stas Bekman): the fastest multiplication over many sizes, by PyTorch, of one accelerator.

Versions 1 and 2 print mean, median and most of the fastest size: the median is the result. Versions 3 and 4 print two: what is
achieved in a burst at the boost clock (MAMF, the result) and what is held under full load (MSMF, ``sustained_``). The rates of
single sizes on the way, which a terminal overwrites, tell nothing. A run that ends before its results gives none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS
from asbuilt.parsers import bench_lines
from asbuilt.parsers.bench_runs import Run, Runs
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.gemm_words import TORCH, result, shape
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "mamf-finder"
_START = re.compile(r"^(?:Benchmark started on .*|\*\* Command line:)$")
_COMMAND = re.compile(r"^\S.*mamf-finder\S*\.py.*$")
_GPU = re.compile(r"--cuda_device[ =](\d{1,4})\b")
_TYPE = re.compile(r"^\*\* Dtype: (?:torch\.)?(\w+)$")
_NAME = re.compile(r"^(?:- )?_Cuda\w*Properties\(name='([^']+)'.*$")
_VERSION = re.compile(r"^(?:- )?benchmark version: (\d{1,4})$")
_FASTEST = re.compile(
    r"^(mean|median|max|MAMF|MSMF)(?: \([^)]*\))?: +([\d.]+) TFLOPS @ (\d{1,7})x(\d{1,7})x(\d{1,7})(?: \(MxNxK\))?(?:\s.*)?$"
)
_TRIED = re.compile(r"^Tried +(\d{1,9}) shapes => the best outcomes? w(?:ere|as):.*$")
_ELAPSED = re.compile(r"^Elapsed time: .*$")
_FAILED = re.compile(r"^(?:\w*Error: .*|RuntimeError.*|Traceback .*)$")
_ABOUT = re.compile(
    r"^(?:\*\* .*|- .*|-{20,}|Linux \S.*|_\w+Properties\(.*|torch=.*|(?:cuda|hip)=.*|\w+=\S*|benchmark version: .*"
    r"|Warming up .*|.*accelerator warmup finished|\s*\d+ \|.*TFLOPS|\s{2,}\S.*"
    r"|(?:MAMF|MSMF|Auto|Grid|Legend|Across|TunableOp)\b.*"
    r"|(?:arithmetic mean|geometric mean|geomean): .*|(?:WARNING|note): .*|Confirming .*|Same-shape .*)$"
)
_OWN = re.compile(
    "|".join(p.pattern for p in (_START, _COMMAND, _TYPE, _NAME, _VERSION, _FASTEST, _TRIED, _ELAPSED, _FAILED, _ABOUT))
)
_SIGN = re.compile(rb"^(?:[\w.-]+: )?(?:Tried +\d+ shapes => the best outcome|\*\* Dtype: |\S.*mamf-finder\S*\.py\s.*--)", re.M)
#: Word before a rate -> what sets its quantity apart.
_LEADS = {"median": "", "MAMF": "", "MSMF": "sustained_", "mean": "mean_", "max": "max_"}


def sniff(data: bytes) -> bool:
    """True for its results, or the lines with which it begins."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Run(Run):
    datatype: str | None = None
    tried: bool = False


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts`` and ``result_facts``. Never raises."""
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    runs = Runs(_Run)
    for said in told:
        # A terminal shows what stands behind the last carriage return.
        text = said.text.rpartition("\r")[2] or said.text
        if not said.closed or not _OWN.match(text):
            continue
        run = runs.at(said)
        if run is None or (_START.match(text) and run.tried):
            run = runs.open(said)
        _hear(told, said, text, run, run.key(told))
    for run in runs:
        run.tell(told, "gemm")
    return told.facts()


def _hear(told: Told, said: Said, text: str, run: _Run, name: str) -> None:
    """One line of a run."""
    if run.tried and (found := _FASTEST.match(text)) and (value := real(found[2])) is not None:
        lead = _LEADS[found[1]]
        # PyTorch fills them with random numbers; every version does.
        row = result(name, run.datatype, value, lead, shape=shape(found[3], found[4], found[5]), fill="random")
        told.add(RESULT_FACTS, said, row | {"from_device": run.values.get("device")})
        return
    if _COMMAND.match(text) and (gpu := _GPU.search(text)):
        run.values["device"] = f"GPU{int(gpu[1])}"
    elif kind := _TYPE.match(text):
        run.datatype = TORCH.get(kind[1])
    elif device := _NAME.match(text):
        run.values.setdefault("device_name", device[1])
    elif version := _VERSION.match(text):
        run.values["version"] = version[1]
    elif _TRIED.match(text):
        run.tried = True
    elif _ELAPSED.match(text):
        run.values["complete"] = run.tried
    else:
        if _FAILED.match(text):
            run.values.setdefault("failure", text[:200])
        told.ignore(said)
        return
    told.account.fact(said.number)
