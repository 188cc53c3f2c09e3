"""``ib_write_bw``, ``ib_write_lat`` and their kin (perftest): one RDMA run, its parameters and its rate or latency per size.

Bandwidth is given in Gb/s (10^9). ``MB/sec`` of perftest is 2^20 bytes in every version that we know, but no output says so;
the message rate in the same row does: messages times their size is the rate in bytes. A row whose two numbers do not prove the
unit gives no fact and a note. ``MiB/sec`` and ``Gb/sec`` say it themselves.

Client and server print the same table (the server of a sweep its last size alone); a loopback test may mix both in one text,
which is one run with ``copies`` 2. The launch line, where it is there, tells which side it is and the far side's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Sequence

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS, RUN_FACTS
from asbuilt.parsers import bench_lines
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "perftest"
_TITLE = re.compile(
    r"^\s*(RDMA_Write|RDMA_Read|Send|RDMA_Atomic|Raw Ethernet|\w+)\s+(Bidirectional )?(Post List )?(BW|Latency) Test.*$"
)
_HEAD = re.compile(r"^\s*#bytes\s+#?iterations\s+\S.*$")
_COLUMN = re.compile(
    r"BW peak ?\[([\w/]+)\]|BW average ?\[([\w/]+)\]|MsgRate ?\[Mpps\]|(t_\w+) ?\[usec\]|(99(?:\.9)?%) percentile ?\[usec\]"
    r"|tps average|CPU_Util ?\[%\]"
)
_ROW = re.compile(r"^\s*\d{1,18}\s+\d{1,18}(?:\s+-?[\d.]+(?:e[+-]?\d+)?)+$")
_PARAMETER = re.compile(
    r"^\s*(Dual-port|Number of qps|Connection type|PCIe relax order|ibv_wr\* API|TX depth|RX depth|CQ Moderation|CQE Poll Batch"
    r"|Mtu|Link type|GID index|Max inline data|rdma_cm QPs|Data ex\. method|Use ROCm memory|Memory type|Lock-free|Using DDP"
    r"|Outstand reads|TOS|Post List|Inline data)\s*:\s*(.*)$"
)
_SECOND = re.compile(r"(Device|Transport type|Using SRQ|Using DDP|TX depth|RX depth|Lock-free)\s+:\s*(\S+)")
_PLACES = re.compile(r"^\s*(?:local address|remote address|GID|Remote GID):\s.*$")
_ABOUT = re.compile(
    r"^\s*(?:-{20,}|\*{20,}|\* Waiting for client to connect\.\.\. \*|\.{3}|Starting RDMA .*|Requested .*|Test is waiting.*"
    r"|Conflicting CPU frequency values detected.*|Test integrate frequency is:.*|WARNING: .*|Max msg size in UD is MTU.*"
    r"|Changing to this MTU|Server is listening.*|Port number .*|Perftest doesn't supports? .*|.*inline size set to.*)$"
)
_GPU = re.compile(
    r"^\s*(?:[Ii]nitializing CUDA|Listing all CUDA devices in system:|CUDA device \d+: .*|Picking device No\. \d+"
    r"|\[pid = \d+, dev = \d+\] .*|creating CUDA Ctx|making it the current CUDA Ctx|cuMemAlloc\(\) of a .*"
    r"|allocated GPU buffer .*|deallocating .*GPU buffer.*|destroying current CUDA Ctx|Using DMA-BUF for GPU buffer .*"
    r"|CUDA_VERSION.*|allocated \d+ bytes of GPU buffer.*|allocated GPU .*)$"
)
_TIMED = re.compile(r"^\s+(?:[A-Z][\w ()/':-]{3,60}:\s+\S.*|Command being timed: .*)$")
_FAILED = re.compile(
    r"^\s*(?:Couldn't \w.*|Unable to .*|Failed to .*|Failed status .*|Completion with error .*|scnt=.*"
    r"|.*: (?:Connection refused|No route to host|Cannot assign .*)|IB device .* not found|.*\bfailed\b.*|Segmentation fault.*"
    r"|Did not detect devices.*)$"
)
_LAUNCH = re.compile(r"^\s*[#+]*\s*(?:sudo\s+)?(?:\S*/)?(?:numactl|taskset|time|ib_\w+_(?:bw|lat)|raw_ethernet_\w+)(?:\s+.*)?$")
_CALLED = re.compile(r"^\s*[#+]*\s*(?:sudo\s+)?(?:\S*/)?(?:ib_\w+_(?:bw|lat)|raw_ethernet_\w+)(?:\s+.*)?$")
_PROGRAM = re.compile(r"(?:^|/)(ib_\w+_(?:bw|lat)|raw_ethernet_(?:bw|lat))$")
_STARTED = re.compile(r"^\s*Starting RDMA (client|server) '(\w+)' for (\w+)")
_OWN = re.compile(
    "|".join(p.pattern for p in (_TITLE, _HEAD, _ROW, _PARAMETER, _PLACES, _ABOUT, _GPU, _FAILED, _CALLED)), re.S
)  # fmt: skip
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?\s*(?:(?:RDMA_Write|RDMA_Read|Send|RDMA_Atomic) (?:Bidirectional |Post List )*(?:BW|Latency) Test"
    rb"|#bytes\s+#?iterations\s+(?:BW peak|t_))",
    re.M,
)
_PROGRAMS = {"RDMA_Write": "ib_write", "RDMA_Read": "ib_read", "Send": "ib_send", "RDMA_Atomic": "ib_atomic"}
_LATENCIES = {
    "t_min": "latency_min", "t_max": "latency_max", "t_typical": "latency_typical", "t_avg": "latency_average",
    "t_stdev": "latency_stdev", "99%": "latency_p99", "99.9%": "latency_p999",
}  # fmt: skip
#: Bytes of one unit as printed, where the unit says it itself; Gb/s is bits.
_BITS = {"Gb/sec": 1e9, "MiB/sec": 8.0 * (1 << 20)}
#: How far the two numbers of a row may be apart: the message rate is printed with six decimals, 2^20 and 10^6 differ by 4.9 %.
_NEAR = 0.01
#: Short options without a value, and long ones with one: what follows the others is the far side.
_FLAGS = frozenset(["-a", "-F", "-b", "-R", "-z", "-N", "-e", "-U", "-V", "-h", "-H", "-C", "-O", "-A"])
_VALUED = frozenset(
    [
        "--ib-dev",
        "--ib-port",
        "--port",
        "--size",
        "--iters",
        "--gid-index",
        "--qp",
        "--tx-depth",
        "--rx-depth",
        "--mtu",
        "--connection",
        "--duration",
        "--sl",
        "--tclass",
        "--tos",
        "--use_cuda",
        "--use_rocm",
        "--use_cuda_bus_id",
        "--out_json_file",
        "--post_list",
        "--cq-mod",
        "--inline_size",
        "--qp-timeout",
        "--margin",
    ]
)


def sniff(data: bytes) -> bool:
    """True for a text with a title or the head of a table."""
    return bool(_SIGN.search(data[: 1 << 18]))


@dataclass(slots=True)
class _Run:
    name: str
    opened: Said
    bidirectional: bool | None
    number: int
    values: dict[str, Any] = field(default_factory=dict)
    copies: int = 1
    columns: list[tuple[str, str]] = field(default_factory=list)
    results: int = 0
    ended: bool = False
    failure: str | None = None


@dataclass(slots=True)
class _Stream:
    turn: int = -1
    run: _Run | None = None
    words: tuple[str, ...] = ()
    gpu: bool = False
    name: str = ""
    started: dict[str, Any] = field(default_factory=dict)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts`` and ``result_facts``. Never raises."""
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
            stream.turn, stream.run = said.speaker.turn, None
            self._launched(stream, said.speaker.command)
        if not said.closed:
            return
        text, run = said.text, stream.run
        if title := _TITLE.match(text):
            self._begin(said, stream, title)
        elif _HEAD.match(text):
            run = run or self._open(said, stream, stream.name or "unknown", None)
            run.columns = [("peak", m[1]) if m[1] else ("average", m[2]) if m[2] else (m[3] or m[4] or m[0], "us")
                           for m in _COLUMN.finditer(text)]  # fmt: skip
            self.told.account.fact(said.number)
        elif run and run.columns and _ROW.match(text):
            self._row(said, run)
        elif found := _PARAMETER.match(text):
            self._parameter(said, run, found)
        elif _GPU.match(text):
            stream.gpu = True
            if run:
                run.values["gpu_memory"] = True
            self.told.ignore(said)
        elif _LAUNCH.match(text) and self._launched(stream, bench_lines.words_of(text)):
            stream.run = None
            self.told.ignore(said)
        elif _FAILED.match(text):
            if run is None and stream.name:
                run = self._open(said, stream, stream.name, None)  # it failed before it printed its title
            if run:
                run.failure = run.failure or text.strip()[:200]
            self.told.ignore(said)
        elif _PLACES.match(text) or _ABOUT.match(text) or (run and _TIMED.match(text)):
            self._rule(text, run, stream)
            self.told.ignore(said)

    def _rule(self, text: str, run: _Run | None, stream: _Stream) -> None:
        """The rule below the rows ends a run; the line of a wrapper names one."""
        if started := _STARTED.match(text):
            stream.run, stream.name, stream.words, stream.gpu = None, started[2], (), False
            stream.started = {"role": started[1], "device": started[3], "peer": None, "gpu_memory": None}
        if run and run.results and text.strip().startswith("-----"):
            run.ended = True

    def _launched(self, stream: _Stream, words: Sequence[str]) -> bool:
        at = next((i for i, w in enumerate(words) if _PROGRAM.search(w)), None)
        if at is None:
            return False
        found = _PROGRAM.search(words[at])
        stream.words, stream.name, stream.gpu = tuple(words[at + 1 :]), found[1] if found else "", False
        return True

    def _begin(self, said: Said, stream: _Stream, title: re.Match[str]) -> None:
        name = _PROGRAMS.get(title[1])
        if name is None:
            return
        name += "_bw" if title[4] == "BW" else "_lat"
        run = stream.run
        if run and run.name == name and not run.columns and run.failure is None:
            run.copies += 1  # both ends of a loopback test speak at once
        else:
            run = self._open(said, stream, name, bool(title[2]))
        self.told.account.fact(said.number)

    def _open(self, said: Said, stream: _Stream, name: str, both_ways: bool | None) -> _Run:
        run = _Run(name, said, both_ways, len(self.runs) + 1)
        words = stream.words
        if stream.name:
            peer = _peer(words)
            run.values |= {"role": "client" if peer else "server", "peer": peer}
            run.values["gpu_memory"] = any(w.startswith(("--use_cuda", "--use_rocm", "--use_hl")) for w in words)
            if run.bidirectional is False and {"-b", "--bidirectional"} & set(words):
                run.bidirectional = True
        run.values |= stream.started
        stream.started = {}
        if stream.gpu:
            run.values["gpu_memory"] = True
        stream.run, stream.words, stream.name, stream.gpu = run, (), "", False
        self.runs.append(run)
        return run

    def _parameter(self, said: Said, run: _Run | None, found: re.Match[str]) -> None:
        if run is None:
            return
        pairs = [(found[1], re.split(r"\s{2,}|\t", found[2])[0].strip()), *_SECOND.findall(found[2])]
        told = {}
        for label, value in pairs:
            number = int(value.partition("[")[0]) if re.match(r"^\d{1,9}(?:\[B\])?$", value) else None
            if label == "Device" and value:
                told["device"] = value
            elif label == "Link type" and value in ("IB", "Ethernet"):
                told["link_type"] = value
            elif label == "Mtu" and number:
                told["mtu_bytes"] = number
            elif label == "Number of qps" and number:
                told["queue_pairs"] = number
        for column, value in told.items():
            run.values.setdefault(column, value)
        (self.told.account.fact if told else self.told.account.ignore)(said.number)

    def _row(self, said: Said, run: _Run) -> None:
        """One size: the numbers that the head has names for."""
        words = said.text.split()
        if len(words) != len(run.columns) + 2:
            return
        size, numbers = float(words[0]), [real(word) for word in words[2:]]
        row = {"run": f"{self.told.capture_id}#{run.number}", "bytes": size, "to_device": run.values.get("peer")}
        by_name = {name: value for (name, _), value in zip(run.columns, numbers, strict=True)}
        messages = next((value for name, value in by_name.items() if name.startswith("MsgRate")), None)
        made = 0
        for (name, unit), value in zip(run.columns, numbers, strict=True):
            if value is None:
                continue
            if name in ("peak", "average"):
                bits = _bits(unit, by_name.get("average"), size, messages)
                if bits is None:
                    self.told.note(f"{unit} is not said to be 10^6 or 2^20 bytes, and the message rate does not prove it")
                    continue
                told = {**row, "quantity": f"bandwidth_{name}", "value": value * bits / 1e9, "unit": "Gb/s"}
            elif name in _LATENCIES:
                told = {**row, "quantity": _LATENCIES[name], "value": value, "unit": "us"}
            else:
                continue
            self.told.add(RESULT_FACTS, said, told)
            made += 1
        if not made:
            self.told.ignore(said)
        run.results += 1
        run.values["iterations"] = int(words[1])
        run.values["reached_bytes"] = max(size, run.values.get("reached_bytes", size))

    def end(self) -> None:
        """A row per run."""
        for number, run in enumerate(self.runs, start=1):
            row = {
                **run.values,
                "run": f"{self.told.capture_id}#{number}",
                "benchmark": run.name,
                "copies": run.copies,
                "bidirectional": run.bidirectional,
                "complete": run.ended and run.failure is None,
                "failure": run.failure,
                "line": run.opened.number,
            }
            self.told.add(RUN_FACTS, run.opened, row)


def _bits(unit: str, average: float | None, size: float, messages: float | None) -> float | None:
    """Bits of one printed unit; None where neither the unit nor the row's message rate tells them."""
    if unit in _BITS:
        return _BITS[unit]
    if unit != "MB/sec" or not messages or not average:
        return None
    moved = messages * 1e6 * size
    return next((8 * each for each in (float(1 << 20), 1e6) if abs(moved / (average * each) - 1) < _NEAR), None)


def _peer(words: Sequence[str]) -> str | None:
    """The host that a client's launch line names: the word that no option takes."""
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ("|", ">", ">>", "2>&1", "&", ";"):
            return None
        elif word.startswith("--"):
            skip = word in _VALUED
        elif word.startswith("-"):
            skip = len(word) == 2 and word not in _FLAGS
        elif re.match(r"^[A-Za-z0-9][\w.:-]*$", word):
            return word
    return None
