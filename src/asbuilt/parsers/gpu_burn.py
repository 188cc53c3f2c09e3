"""``gpu_burn`` (wilicc/gpu-burn): every GPU multiplies for a while and compares its results with the first one.

Rates are of the seconds before a line; of what a terminal overwrites the last counts. Errors are counted since the last summary
and added up here. Which type a GPU multiplies, and how large, stands in lines that its process may print only at its end: a
rate whose type nobody said by then is ``gemm_unknown``, and of a cut text no result.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS
from asbuilt.parsers import bench_lines
from asbuilt.parsers.bench_runs import Run, Runs
from asbuilt.parsers.gemm_words import result, shape
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "gpu-burn"
_START = re.compile(r"^(?:Using compare file: .*|Burning for (\d{1,9}) seconds\.)$")
_DEVICE = re.compile(r"^GPU (\d{1,4}): (.+) \(UUID: \S+\)$")
_INIT = re.compile(r"^Initialized device (\d{1,4}) with .*, using (FLOATS|DOUBLES)\b(.*)$")
_SIZE = re.compile(r"^Results are (\d{1,18}) bytes each, thus performing (\d{1,9}) iterations$")
_PROGRESS = re.compile(r"^\s*([\d.]{1,6})%\s+proc'd: (.*?)\s+errors: (.*?)\s+temps: (.*)$")
_RATE = re.compile(r"(-?\d{1,18}) \(([\d.]{1,18}) Gflop/s\)")
_ERRORS = re.compile(r"(-?\d{1,18})\s*(?:\((WARNING|DIED)!\))?")
_TESTED = re.compile(r"^Tested (\d{1,4}) GPUs:$")
_STATE = re.compile(r"^\s+GPU (\d{1,4}): (OK|FAULTY)$")
_FAILED = re.compile(
    r"^(?:Couldn't init .*|Failure during compute: .*|No clients are alive!.*|No CUDA devices.*|Error .*|Could not .*)$"
)
_ABOUT = re.compile(
    r"^\s*(?:Summary at: .*|Killing processes.*|Freed memory for dev \d+|Uninitted cublas|done|Run length not specified .*"
    r"|GPU Burn.*|.*Freed memory for dev \d+)$"
)
_OWN = re.compile("|".join(p.pattern for p in (_START, _DEVICE, _INIT, _SIZE, _PROGRESS, _TESTED, _STATE, _FAILED, _ABOUT)))
_SIGN = re.compile(rb"^(?:[\w.-]+: )?(?:Burning for \d+ seconds|\s*[\d.]+%\s+proc'd: )", re.M)


def sniff(data: bytes) -> bool:
    """True for the line with which it begins to burn, or a line of its progress."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Run(Run):
    names: list[str] = field(default_factory=list)
    types: dict[int, str] = field(default_factory=dict)
    bytes_each: dict[int, int] = field(default_factory=dict)
    last: int | None = None
    #: line, GPU, Gflop/s, errors
    rates: list[tuple[Said, int, float, int]] = field(default_factory=list)
    wrong: float | None = None
    tested: int | None = None
    states: dict[int, str] = field(default_factory=dict)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts`` and ``result_facts`` (a rate and its errors per GPU and line of progress). Never raises."""
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    runs = Runs(_Run)
    for said in told:
        text = said.text.rpartition("\r")[2] or said.text
        if not said.closed or not _OWN.match(text):
            continue
        run = runs.at(said)
        if run is None or (run.states and not _STATE.match(text)):
            run = runs.open(said)
        _hear(told, said, text, run)
    for run in runs:
        _tell(told, run)
    return told.facts()


def _hear(told: Told, said: Said, text: str, run: _Run) -> None:
    """One line of a run."""
    if progress := _PROGRESS.match(text):
        _progress(said, run, progress)
    elif device := _DEVICE.match(text):
        run.names.append(device[2])
    elif init := _INIT.match(text):
        run.last = int(init[1])
        plain = "fp64" if init[2] == "DOUBLES" else "fp32"
        run.types[run.last] = "tf32" if "Tensor Cores" in init[3] and plain == "fp32" else plain
    elif (size := _SIZE.match(text)) and run.last is not None:
        run.bytes_each[run.last] = int(size[1])
    elif tested := _TESTED.match(text):
        run.tested = int(tested[1])
    elif run.tested is not None and (state := _STATE.match(text)):
        run.states[int(state[1])] = state[2]
    else:
        if _FAILED.match(text):
            run.values.setdefault("failure", text.strip()[:200])
        told.ignore(said)
        return
    told.account.fact(said.number)


def _progress(said: Said, run: _Run, found: re.Match[str]) -> None:
    """Rates and errors of every GPU."""
    rates, errors = _RATE.findall(found[2]), _ERRORS.findall(found[3])
    for gpu, (_, rate) in enumerate(rates):
        count, word = errors[gpu] if gpu < len(errors) else ("0", "")
        if word == "DIED":
            run.values.setdefault("failure", f"GPU {gpu} died")
            continue
        if rate.count(".") > 1:
            continue
        wrong = max(int(count), 0)
        run.wrong = (run.wrong or 0.0) + wrong
        run.rates.append((said, gpu, float(rate), wrong))


def _tell(told: Told, run: _Run) -> None:
    """The rows of a run: rates of GPUs whose type was said, of others only once the run is over."""
    over = run.tested is not None and len(run.states) >= run.tested
    faulty = sorted(gpu for gpu, state in run.states.items() if state == "FAULTY")
    for said, gpu, rate, wrong in run.rates:
        kind = run.types.get(gpu)
        if (kind is None or gpu not in run.bytes_each) and not over:
            continue
        each = run.bytes_each.get(gpu)
        side = math.isqrt(each // (8 if kind == "fp64" else 4)) if each and kind else None
        size = shape(side, side, side) if side else None
        row = result(run.key(told), kind, rate / 1000, shape=size, fill="random", from_device=f"GPU{gpu}", wrong=float(wrong))
        told.add(RESULT_FACTS, said, row)
    if run.rates and not over:
        told.note("gpu-burn: the text ends before the run does")
    wrong_all = max(run.wrong or 0.0, float(len(faulty))) if run.wrong is not None or over else None
    run.tell(
        told,
        "gemm",
        device_name=run.names[0] if len(set(run.names)) == 1 else None,
        checked=True if run.rates or over else None,
        wrong=wrong_all,
        complete=over,
    )
