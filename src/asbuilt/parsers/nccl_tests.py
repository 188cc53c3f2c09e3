"""nccl-tests (``all_reduce_perf`` and the others): a run as it was launched, and what it measured per size.

All forms of the table since version 2.0 are read by the names in its head: with and without ``redop`` and ``root``, ``error``
(largest relative error) of old versions, ``#wrong`` (a count) of new ones, one half or both. A run begins with the line of its
parameters (``# nThread``), or with the head of its table where a copy begins there, and ends with ``# Avg bus bandwidth``.

Started without its MPI build a test runs once per process, each as rank 0 of 1. Its tables come mixed in one text: that is
one run here, with ``copies`` more than 1, for a number of it says nothing about many ranks. A cut run has no end, so it is not
``complete``: a row of `RUN_FACTS` says what the text says of the run so far. A launcher's error is a run without results.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS, RUN_FACTS
from asbuilt.model.facts_node import SETTING_FACTS, VERSION_FACTS
from asbuilt.parsers import bench_lines, nccl_log
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.nccl_collective import collective
from asbuilt.parsers.told_rows import Told

TOOL = "nccl-tests"
_PARAMETERS = re.compile(
    r"^# nThreads? (\d{1,6}) nGpus (\d{1,6}) min[bB]ytes (\d{1,18}) max[bB]ytes (\d{1,18}) step: (\S+)(.*)$"
)
_COUNT = re.compile(r"(?:(warmup|agg) )?(iters|validation|graph): (\d{1,9})")
_VERSION = re.compile(r"^# nccl-tests version (\S+)(?:\s+nccl-headers=(\d+) nccl-library=(\d+))?")
_STARTING = re.compile(r"^# Collective test starting: (\w+)$")
_RANK = re.compile(
    r"^#\s+Rank\s+(\d{1,7})(?:\s+Group\s+\d+)?\s+Pid\s+\d+\s+on\s+(\S+)\s+device\s+(\d{1,4})\s+\[([^\]]*)\](?:\s+(.*))?$"
)
_HEAD = re.compile(r"^#\s+size\s+count\s+type\b.*\btime\b.*$")
_REDUCED = re.compile(r"^# Reducing maxBytes to (\d{1,18}) due to memory limitation")
_BOUNDS = re.compile(r"^# Out of bounds values\s*: (\d{1,15}) (OK|FAILED)$")
_AVERAGE = re.compile(r"^# Avg bus bandwidth\s*: (\S+)(?:\s.*)?$")
_ROW = re.compile(r"^\s*\d{1,18}\s+\d{1,18}\s+[a-z]\w*\s+\S.*$")
_FAILED = re.compile(
    r"^(?:\S+: Test (?:CUDA|NCCL) failure .*|\s*\.\. \S+ pid \d+: Test failure .*|\S+ pid \d+: Test .*failure.*)$"
)
_PROGRAM = re.compile(r"(?:^|/)([a-z_]+)_perf(?:_mpi)?$")
_LAUNCH = re.compile(r"^(?!#).*\b[a-z_]+_perf(?:_mpi)?(?:\s|$)")
_ROOT = re.compile(r"^#+\s+(?:\S*/)?(?:mpirun|mpiexec|srun|\w+_perf(?:_mpi)?)\s.*$")
_SLOTS = re.compile(r"\bto satisfy the (\d{1,7})\b")
_OWN = re.compile(rf"^#|{_ROW.pattern}|{nccl_log.LINE.pattern}|{nccl_log.BARE.pattern}|{_FAILED.pattern}|^=+$")
_SIGN = re.compile(
    rb"^(?:\S{1,60}: ?|\[\d+,\d+\]<stdout>: ?)?(?:# nThreads? \d+ nGpus|#\s+out-of-place\s+in-place"
    rb"|#\s+size\s+count\s+type\s.*algbw|# Collective test starting:|# nccl-tests version)",
    re.M,
)
#: An Open MPI that could not place the test, and wrote nothing else.
_UNPLACED = re.compile(rb"not enough slots available[^#]{0,400}\w_perf(?:_mpi)?\s")
_LABELS = {"time", "algbw", "busbw", "error", "#wrong"}


def sniff(data: bytes) -> bool:
    """True for a text with the parameters of a test, or the head of its table, or the launcher's word that it has no place."""
    head = data[: 1 << 18]
    return bool(_SIGN.search(head) or _UNPLACED.search(head))


@dataclass(slots=True)
class _Run:
    """One run of one stream."""

    name: str
    opened: Said
    number: int
    values: dict[str, Any] = field(default_factory=dict)
    ranks: set[int] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    zeros: int = 0
    columns: list[str] = field(default_factory=list)
    results: int = 0
    collectives: set[str] = field(default_factory=set)
    wrong: float | None = None
    bounds: float | None = None
    averages: int = 0
    log: nccl_log.Log = field(default_factory=nccl_log.Log)

    @property
    def open(self) -> bool:
        return self.averages < max(self.zeros, 1)


@dataclass(slots=True)
class _Stream:
    """What one speaker said before and of its run."""

    turn: int = -1
    run: _Run | None = None
    pending: dict[str, Any] = field(default_factory=dict)
    program: str = ""
    wanted: int | None = None
    log: nccl_log.Log = field(default_factory=nccl_log.Log)
    help: bool = False
    failed: Said | None = None


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts``, ``result_facts``, ``version_facts`` (NCCL), ``setting_facts`` (its variables). Never raises."""
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    reader = _Reader(told)
    for said in told:
        reader.hear(said)
    reader.end()
    return told.facts()


class _Reader:
    """Runs by speaker."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self.runs: list[_Run] = []
        self._streams: dict[Any, _Stream] = {}

    def hear(self, said: Said) -> None:
        stream = self._streams.setdefault(said.speaker.hosts, _Stream())
        if stream.turn != said.speaker.turn:
            self._launch(stream, said.speaker.command)
            stream.turn, stream.run = said.speaker.turn, None
        log = stream.run.log if stream.run else stream.log
        known = log.take(said.text, said.number, said.closed)
        if known is not None:
            (self.told.account.fact if known else self.told.account.ignore)(said.number)
        elif said.text.startswith("#"):
            self._comment(said, stream)
        elif stream.run and stream.run.columns and _ROW.match(said.text):
            self._row(said, stream.run)
        else:
            self._other(said, stream)

    def _launch(self, stream: _Stream, words: tuple[str, ...]) -> bool:
        """Take name and ranks from a launch line."""
        program = next((m[1] for w in words if (m := _PROGRAM.search(w))), None)
        if program is None:
            return False
        stream.program, stream.wanted = program, bench_lines.ranks_wanted(words)
        return True

    def _comment(self, said: Said, stream: _Stream) -> None:
        """A line of the test that begins with ``#``."""
        text, run = said.text, stream.run
        if not said.closed:
            return
        if found := _PARAMETERS.match(text):
            run = self._begin(said, stream)
            counts = {f"{lead or ''}{name}": int(number) for lead, name, number in _COUNT.findall(found[6])}
            run.values |= {"gpus_per_rank": int(found[2]), "least_bytes": float(found[3]), "most_bytes": float(found[4])}
            run.values |= {"warmup": counts.get("warmupiters"), "iterations": counts.get("iters")}
            run.values["checked"] = bool(counts["validation"]) if "validation" in counts else None
        elif found := _VERSION.match(text):
            stream.pending["version"] = found[1]
            if found[3]:
                number = int(found[3][:9])
                stream.pending["library"] = f"NCCL {number // 10000}.{number // 100 % 100}.{number % 100}"
        elif found := _STARTING.match(text):
            stream.program = re.sub(r"_perf(?:_mpi)?$", "", found[1])
        elif found := _RANK.match(text):
            self._rank(said, stream, found)
        elif _HEAD.match(text):
            run = run if run and run.open else self._begin(said, stream)
            columns = text[1:].split()
            lead = columns[: columns.index("time")] if "time" in columns else []
            run.columns = columns if lead[:3] == ["size", "count", "type"] and len(set(lead)) == len(lead) else []
        elif run and (found := _REDUCED.match(text)):
            run.values["most_bytes"] = float(found[1])
        elif run and (found := _BOUNDS.match(text)):
            run.bounds = (run.bounds or 0) + float(found[1])
        elif run and (found := _AVERAGE.match(text)) and (average := real(found[1])) is not None:
            run.values.setdefault("average_gbytes_s", average)
            run.averages += 1
        else:
            if _ROOT.match(text) and self._launch(stream, bench_lines.words_of(text.lstrip("#"))) and run and not run.open:
                stream.run = None
            self.told.ignore(said)
            return
        self.told.account.fact(said.number)

    def _begin(self, said: Said, stream: _Stream) -> _Run:
        """A new run; or the same one, where a copy of a rank-0-of-1 test begins."""
        run = stream.run
        if run and run.open and len(run.ranks) <= 1 and run.values.get("gpus_per_rank") == 1 and run.name == stream.program:
            return run
        run = _Run(stream.program, said, len(self.runs) + 1, {**stream.pending, "ranks_wanted": stream.wanted}, log=stream.log)
        stream.log, stream.pending, stream.run = nccl_log.Log(), {}, run
        self.runs.append(run)
        return run

    def _rank(self, said: Said, stream: _Stream, found: re.Match[str]) -> None:
        run = stream.run
        if run is None or not run.open:
            run = self._begin(said, stream)
        run.ranks.add(int(found[1]))
        run.zeros += int(found[1]) == 0
        run.hosts.add(found[2])
        run.values.setdefault("device_name", (found[5] or "").strip() or None)

    def _row(self, said: Said, run: _Run) -> None:
        """A size's row: as many words as the head has names."""
        words = said.text.split()
        if len(words) != len(run.columns) or not said.closed:
            return
        first = run.columns.index("time")
        head = dict(zip(run.columns[:first], words[:first], strict=True))
        halves: list[dict[str, str]] = []
        for name, word in zip(run.columns[first:], words[first:], strict=True):
            if name == "time":
                halves.append({})
            if name in _LABELS:
                halves[-1][name] = word
        for in_place, half in enumerate(halves[:2]):
            self._half(said, run, head, half, bool(in_place))
        run.results += 1
        size = float(head["size"])
        if size > run.values.get("reached_bytes", -1):
            run.values["reached_bytes"] = size
        checks = [real(half.get("#wrong", "")) is not None for half in halves]
        named = collective(head, len(run.ranks), checks[0] and not checks[-1], all(checks))
        if named:
            run.collectives.add(named)
        self.told.account.fact(said.number)

    def _half(self, said: Said, run: _Run, head: dict[str, str], half: dict[str, str], in_place: bool) -> None:
        wrong = real(half.get("#wrong", ""))
        if wrong is not None:
            run.wrong = (run.wrong or 0) + wrong
        row = {
            "run": f"{self.told.capture_id}#{run.number}",
            "bytes": float(head["size"]),
            "in_place": in_place,
            "datatype": head.get("type"),
            "operation": head["redop"] if head.get("redop") not in (None, "none") else None,
            "unit": "GB/s",
            "time_us": real(half.get("time", "")),
            "wrong": wrong,
            "error": real(half.get("error", "")),
        }
        for quantity in ("busbw", "algbw"):
            value = real(half.get(quantity, ""))
            if value is not None:
                self.told.add(RESULT_FACTS, said, {**row, "quantity": quantity, "value": value})

    def _other(self, said: Said, stream: _Stream) -> None:
        """Launch lines, the launcher's own words, and failures."""
        text = said.text
        if bench_lines.HELP_RULE.match(text):
            stream.help = not stream.help
        elif _FAILED.match(text):
            log = stream.run.log if stream.run else stream.log
            log.failure = log.failure or text.strip()[:200]
            self.told.account.fact(said.number)
            return
        elif stream.help:
            words = bench_lines.words_of(text)
            if stream.log.failure is None and stream.run is None:
                stream.log.failure, stream.failed = f"launcher: {text.strip()}"[:200], said
            slots = _SLOTS.search(text)
            wanted = int(slots[1]) if slots else stream.wanted
            self._launch(stream, words[:1])
            stream.wanted = wanted
        elif _LAUNCH.match(text) and self._launch(stream, bench_lines.words_of(text)):
            if stream.run and not stream.run.open:
                stream.run = None
        elif bench_lines.LAUNCHER.match(text):
            log = stream.run.log if stream.run else stream.log
            if bench_lines.FAILED.search(text):
                log.failure = log.failure or f"launcher: {text.strip()}"[:200]
                stream.failed = stream.failed or said
        else:
            return
        self.told.ignore(said)

    def end(self) -> None:
        """The rows of all runs, and of launches that came to nothing."""
        for stream in self._streams.values():
            if stream.run is None and stream.failed is not None and stream.program:
                values = {"ranks_wanted": stream.wanted}
                self.runs.append(_Run(stream.program, stream.failed, len(self.runs) + 1, values, log=stream.log))
                self.told.note("the launcher failed: no result")
        for run in self.runs:
            self._tell(f"{self.told.capture_id}#{run.number}", run)

    def _tell(self, name: str, run: _Run) -> None:
        counts = [
            n for n in (run.wrong, run.bounds if run.values.get("checked") or run.wrong is not None else None) if n is not None
        ]
        checked = run.values.get("checked")
        bench = run.name or (next(iter(run.collectives)) if len(run.collectives) == 1 else "unknown")
        told = {
            **run.log.row(),
            **{column: value for column, value in run.values.items() if value is not None},
            "run": name,
            "benchmark": bench,
            "ranks": len(run.ranks) or run.log.ranks,
            "copies": run.zeros or None,
            "hosts": len(run.hosts) or run.log.nodes,
            "host_set": bench_lines.host_set(sorted(run.hosts)),
            "checked": run.wrong is not None if checked is None and run.results else checked,
            "wrong": max(counts) if counts else None,
            "complete": run.averages > 0 and not run.open,
            "failure": run.log.failure,
            "line": run.opened.number,
        }
        self.told.add(RUN_FACTS, run.opened, told)
        library = run.log.version or str(run.values.get("library") or "").removeprefix("NCCL ")
        if library:
            self.told.add(VERSION_FACTS, run.opened, {"component": "nccl", "version": library})
        for number, variable, value in run.log.settings:
            row = {"domain": "nccl", "name": variable, "value": value, "line": number}
            self.told.add(SETTING_FACTS, run.opened, row, number)
