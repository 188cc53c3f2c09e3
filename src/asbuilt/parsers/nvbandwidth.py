"""``nvbandwidth`` as text and as JSON (``-j``): copies between the GPUs and the host, one test after another.

A row per pair, and one per test for its sum (no devices). ``CPU(row) -> GPU(column)`` copies from the row to the column, ``<-``
from the column to the row. Latencies are printed in ns and given in us. ``Waived`` tests did not run on this machine.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS
from asbuilt.model.facts_node import VERSION_FACTS
from asbuilt.parsers import bench_lines, matrices
from asbuilt.parsers.bench_runs import Run, Runs
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.host_lines import Said, Speaker, host_of_subject
from asbuilt.parsers.told_rows import Told, plain

TOOL = "nvbandwidth"
_START = re.compile(r"^nvbandwidth Version: (\S+)$")
_VERSIONS = re.compile(r"^(?:CUDA Runtime Version|CUDA Driver Version|Driver Version|Built from Git version): *(\S*)$")
_DEVICE = re.compile(r"^(?:Process \d+ \([\w.-]+\): )?[Dd]evice \d+: (.+?) \(([0-9a-fA-F:.]+)\)(?::.*)?$")
_TEST = re.compile(r"^Running (\w+)\.?$")
_WHAT = re.compile(r"^\s*\S.*\b(CPU|GPU)\(row\) (->|<-|<->) (CPU|GPU)\(column\) .*\((GB/s|ns)\)$")
_ALONE = re.compile(r"^\s*\S.*\b(?:bandwidth|latency)\b.*\((GB/s|ns)\)$")
_SUM = re.compile(r"^SUM (\w+) ([\d.]+)$")
_ABOUT = re.compile(
    r"^(?:Waived:?.*|NOTE: .*|Performance can vary .*|(?:MIN|MAX|AVG|AVERAGE|MEDIAN|STDEV|Minimum|Maximum|Average)\b.*"
    r"|\[?ERROR\]?.*|MPI version: .*|World size: .*|Process \d+ .*|.*\bnot supported\b.*)$"
)
_END = re.compile(r"^NOTE: The reported results may not reflect ")
_OWN = re.compile(
    "|".join(
        p.pattern for p in (_START, _VERSIONS, _DEVICE, _TEST, _WHAT, _ALONE, _SUM, _ABOUT, matrices.INDEXES, matrices.ROW)
    )
)
_SIGN = re.compile(
    rb'^(?:[\w.-]+: )?nvbandwidth Version: |^(?:[\w.-]+: )?Running \w+_(?:ce|sm)\.|\A\s*\{\s*"nvbandwidth"\s*:', re.M
)


def sniff(data: bytes) -> bool:
    """True for the text with its version or a test, and for its JSON."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Run(Run):
    test: str = ""
    sides: tuple[str, str, str] | None = None
    unit: str = ""
    columns: list[int] = field(default_factory=list)
    results: int = 0
    ended: bool = False
    failure: str | None = None


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts``, ``result_facts``, ``version_facts``. Never raises."""
    text = bench_lines.unlabelled(data)
    told = Told(text, capture_id, subject, _OWN, TOOL)
    if text.lstrip()[:1] == b"{":
        _whole(told, text, subject)
        return told.facts()
    runs = Runs(_Run)
    for said in told:
        if not said.closed:
            continue
        run = runs.at(said)
        if found := _START.match(said.text):
            run = runs.open(said)
            run.values["version"] = found[1].removeprefix("v")
            told.account.fact(said.number)
        elif run is None and _TEST.match(said.text):
            run = runs.open(said)
        if run is not None and found is None:
            _hear(told, said, run, run.key(told))
    for run in runs:
        run.tell(told, TOOL, complete=run.ended, failure=run.failure)
    return told.facts()


def _hear(told: Told, said: Said, run: _Run, name: str) -> None:
    """One line of a run."""
    text = said.text
    if device := _DEVICE.match(text):
        run.values.setdefault("device_name", device[1])
        told.account.fact(said.number)
    elif test := _TEST.match(text):
        run.test, run.sides, run.columns = test[1], None, []
        told.ignore(said)
    elif what := _WHAT.match(text):
        run.sides, run.unit, run.columns = (what[1], what[2], what[3]), what[4], []
        told.ignore(said)
    elif alone := _ALONE.match(text):
        run.sides, run.unit, run.columns = ("GPU", "->", "GPU"), alone[1], []
        told.ignore(said)
    elif total := _SUM.match(text):
        _result(told, said, run, name, None, None, real(total[2]))
    elif run.sides and not run.columns and matrices.INDEXES.match(text):
        run.columns = matrices.indexes(text)
        told.ignore(said)
    elif run.sides and run.columns and (cells := matrices.cells(run.columns, text)) is not None:
        for row, column, value in cells:
            source, target = _pair(run.sides, row, column)
            _result(told, said, run, name, source, target, value)
        if not cells:
            told.ignore(said)
    elif _ABOUT.match(text) or _VERSIONS.match(text):
        run.ended = run.ended or bool(_END.match(text))
        if text.startswith(("ERROR", "[ERROR")):
            run.failure = run.failure or text[:200]
        told.ignore(said)


def _pair(sides: tuple[str, str, str], row: int, column: int) -> tuple[str, str]:
    first, second = f"{sides[0]}{row}", f"{sides[2]}{column}"
    return (second, first) if sides[1] == "<-" else (first, second)


def _result(told: Told, said: Said, run: _Run, name: str, source: str | None, target: str | None, value: float | None) -> None:
    """A value of the test that runs, in GB/s or us."""
    if value is None or not run.test:
        return
    unit, value = ("us", value / 1000) if run.unit == "ns" else ("GB/s", value)
    row = {"run": name, "quantity": run.test if source else f"{run.test}_sum", "from_device": source, "to_device": target}
    told.add(RESULT_FACTS, said, {**row, "value": value, "unit": unit})
    run.results += 1


def _whole(told: Told, text: bytes, subject: str) -> None:
    """The JSON document: one run; nothing of it where it is cut."""
    try:
        document = json.loads(text)
        body = document["nvbandwidth"]
        tests = body.get("testcases", [])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        told.note("JSON that is cut, or not of nvbandwidth: nothing of it is read")
        return
    said = Said(1, "", Speaker((host_of_subject(subject)[0],), (), None, 0), True)
    run = _Run(said, 1, {"version": (plain(body.get("git_version")) or "").removeprefix("v") or None}, ended=True)
    for at, test in enumerate(tests if isinstance(tests, list) else [], start=1):
        if not isinstance(test, dict) or not re.match(r"^\w{1,80}$", str(test.get("name"))):
            continue
        if test.get("status") not in ("Passed", "Waived", None):
            run.failure = run.failure or f"{test['name']}: {plain(test.get('status')) or 'no status'}"[:200]
        _case(told, Said(at, "", said.speaker, True), run, run.key(told), test)
    run.tell(told, TOOL, complete=run.ended, failure=run.failure)
    driver = plain(body.get("Driver Version"))
    if driver:
        told.add(VERSION_FACTS, said, {"component": "driver", "version": driver})
    told.account.fact(*range(1, len(told.account.lines) + 1))


def _case(told: Told, said: Said, run: _Run, name: str, test: dict[str, Any]) -> None:
    """One test case of the document. Its rows carry its number for a line."""
    described = str(test.get("bandwidth_description") or "")
    what = _WHAT.match(described)
    run.test, run.unit = str(test["name"]), "ns" if "(ns)" in described else "GB/s"
    sides = (what[1], what[2], what[3]) if what else ("GPU", "->", "GPU")
    matrix = test.get("bandwidth_matrix")
    for row, values in enumerate(matrix if isinstance(matrix, list) else []):
        for column, value in enumerate(values if isinstance(values, list) else []):
            source, target = _pair(sides, row, column)
            _result(told, said, run, name, source, target, real(str(value)))
    if "sum" in test:
        _result(told, said, run, name, None, None, real(str(test["sum"])))
