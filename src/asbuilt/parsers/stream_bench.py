"""STREAM (McCalpin) and BabelStream: memory bandwidth of a machine or GPU. MB/s of both is 10^6 bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS
from asbuilt.parsers import bench_lines
from asbuilt.parsers.bench_runs import Run, Runs
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "stream"
_START = re.compile(r"^(?:STREAM version \$?Revision: (\S+) \$?|BabelStream|Version: (\S+))$")
_HEAD = re.compile(r"^Function\s+(?:(?:Best )?Rate \(?(MB|GB)/s\)?|(M)Bytes/sec|(GB)ytes/sec)\s+.*$")
_ROW = re.compile(r"^(Copy|Scale|Mul|Add|Triad|Dot|Nstream):?\s+([\d.]+)\s+[\d.e+-]+\s+[\d.e+-]+\s+[\d.e+-]+$")
_DEVICE = re.compile(r"^Using (?:CUDA|HIP|OpenCL|SYCL)? ?device:? (.+)$")
_SIZE = re.compile(r"^(?:Array size = (\d{1,18}) \(elements\).*|Array size: ([\d.]+) (MB|GB) .*)$")
_TIMES = re.compile(r"^(?:Each kernel will be executed (\d+) times\.|Running kernels (\d+) times)$")
_VALID = re.compile(r"^(?:Solution Validates: .*|Validation passed.*)$")
_INVALID = re.compile(r"^\s*(?:Failed Validation on array .*|Validation failed on .*|WEIRD: .*)$")
_ABOUT = re.compile(
    r"^\s*(?:-{20,}|This system uses \d+ bytes per array element\.|Memory per array = .*|Total memory required = .*"
    r"|The \*best\* time for each kernel.*|will be used to compute the reported bandwidth\.|\(= \d+ clock ticks\)"
    r"|Number of Threads (?:requested|counted) = \d+|Your clock granularity.*|Each test below will take on the order.*"
    r"|Increase the size of the arrays.*|you are not getting at least 20 clock ticks.*|For best results, .*"
    r"|WARNING -- The above is only a rough guideline.*|precision of your system timer.*|Implementation: .*|Precision: .*"
    r"|Total size: .*|Driver: .*|Reduction kernel config: .*|Expected .*|.*AvgErr.*|.*errors? (?:was|were) found.*"
    r"|Printing one line per active thread\.+)$"
)
_OWN = re.compile("|".join(p.pattern for p in (_START, _HEAD, _ROW, _DEVICE, _SIZE, _TIMES, _VALID, _INVALID, _ABOUT)))
_SIGN = re.compile(rb"^(?:[\w.-]+: )?Function\s+(?:(?:Best )?Rate \(?[MG]B/s|MBytes/sec)", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with the head of the table."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Run(Run):
    scale: float = 0.0
    each: int = 8
    rows: set[str] = field(default_factory=set)
    wrong: bool = False


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts`` and ``result_facts``. Never raises.

    STREAM is complete when it validated its results (``wrong`` is 1 when that failed), BabelStream when it printed its last
    row: it says only of wrong results that they are.
    """
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    runs = Runs(_Run)
    for said in told:
        if not said.closed:
            continue
        run, start, head = runs.at(said), _START.match(said.text), _HEAD.match(said.text)
        if (start and (run is None or run.rows)) or (head and (run is None or run.scale)):
            run = runs.open(said)
        if run is None:
            if _ABOUT.match(said.text):
                told.ignore(said)
        elif start:
            if start[1] or start[2]:
                run.values["version"] = start[1] or start[2]
            told.account.fact(said.number)
        elif head:
            run.scale = 1.0 if "GB" in (head[1], head[3]) else 1e-3
            told.account.fact(said.number)
        else:
            _hear(told, said, run, run.key(told))
    for run in runs:
        run.tell(told, "stream", complete=bool(run.values.get("checked")) or "Dot" in run.rows)
    return told.facts()


def _hear(told: Told, said: Said, run: _Run, name: str) -> None:
    """One line of a run."""
    text = said.text
    if (row := _ROW.match(text)) and run.scale:
        value = real(row[2])
        if value is not None and row[1] not in run.rows:
            told.add(RESULT_FACTS, said, {"run": name, "quantity": row[1].lower(), "value": value * run.scale, "unit": "GB/s"})
            run.rows.add(row[1])
    elif device := _DEVICE.match(text):
        run.values["device_name"] = device[1]
        told.account.fact(said.number)
    elif size := _SIZE.match(text):
        amount = float(size[1]) * run.each if size[1] else (real(size[2]) or 0) * (1e6 if size[3] == "MB" else 1e9)
        run.values["reached_bytes"] = amount
        told.account.fact(said.number)
    elif times := _TIMES.match(text):
        run.values["iterations"] = int((times[1] or times[2])[:9])
        told.account.fact(said.number)
    elif _VALID.match(text):
        run.values |= {"checked": True, "wrong": run.values.get("wrong", 0.0)}
        told.account.fact(said.number)
    elif _INVALID.match(text):
        run.values |= {"checked": True, "wrong": 1.0}
        told.account.fact(said.number)
    elif _ABOUT.match(text):
        told.ignore(said)
