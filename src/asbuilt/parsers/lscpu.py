"""``lscpu``: processors and NUMA nodes, in the layouts of all util-linux: one column, grouped and indented (2.37 on), JSON.

On Arm a kernel that does not know its sockets prints ``Cluster(s)`` and ``Core(s) per cluster``; a NUMA node of memory alone
(GPU memory of Grace Hopper) has an empty list. The table of ``lscpu -p`` has no end: nobody can tell whether all processors are
in it, so it gives nothing beside a note.
"""

from __future__ import annotations

import re
from typing import Any, Iterator

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NUMA_FACTS, PROCESSOR_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Said, as_utf8
from asbuilt.parsers.json_documents import documents
from asbuilt.parsers.told_rows import Told, plain

TOOL = "lscpu"
_LABELS = (
    r"Architecture|CPU op-mode\(s\)|Address sizes|Byte Order|CPU\(s\)(?: scaling MHz)?|O(?:n|ff)-line CPU\(s\) (?:list|mask)"
    r"|(?:BIOS )?(?:Model(?: name)?|CPU family|Vendor ID)|Machine type|Thread\(s\) per core|Core\(s\) per (?:socket|cluster)"
    r"|Socket\(s\)(?: per book)?|Cluster\(s\)|Book\(s\)(?: per drawer)?|Drawer\(s\)|Stepping|Microcode version"
    r"|CPU (?:(?:max|min|static|dynamic) )?MHz|BogoMIPS|Flags|Virtualization(?: features| type)?|Hypervisor(?: vendor)?"
    r"|Frequency boost|Dispatching mode|Caches \(sum of all\)|L[1-5][di]?(?: cache)?|NUMA(?: node\(s\)| node\d{1,5} CPU\(s\))?"
    r"|Vulnerabilit(?:y [\w ]{1,60}|ies)|Physical (?:sockets|chips|cores/chip)|Extended \w+ \w+"
)
_LABEL = re.compile(rf"^\s*({_LABELS}):(?:\s+(.*))?$")
_INNER = re.compile(r"^\s{2,}[A-Z][^:]{0,60}:(?:\s|$)")
_TABLE = re.compile(r"^\d{1,5}(?:,[\w:-]{0,20}){1,20}$")
_OWN = re.compile(rf"^(?:\s*(?:{_LABELS}):(?:\s|$)|\s{{2,}}[A-Z][^:]{{0,60}}:(?:\s|$)|#|\d{{1,5}}(?:,[\w:-]{{0,20}}){{1,20}}$)")
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?\s*(?:On-line CPU\(s\) list|Thread\(s\) per core|Core\(s\) per socket): |\A\s*\{\s*\"lscpu\"\s*:", re.M
)
_NODE = re.compile(r"^NUMA node(\d{1,5}) CPU\(s\)$")
_LIST = re.compile(r"^(?:\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*)?$")
_COUNTS = {
    "Socket(s)": "sockets",
    "Core(s) per socket": "cores",
    "Thread(s) per core": "threads",
    "CPU(s)": "cpus",
    "NUMA node(s)": "numa_nodes",
}
_DEEPEST = 8


def sniff(data: bytes) -> bool:
    """True for a text with labels that only ``lscpu`` writes, or its JSON."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``processor_facts``, one row per report, and ``numa_facts``. Never raises."""
    text = as_utf8(data)
    if text.lstrip()[:1] == b"{":
        return _json(text, capture_id, subject)
    told = Told(text, capture_id, subject, _OWN, TOOL)
    reports: dict[tuple[str | None, ...], _Report] = {}
    every: list[_Report] = []
    for said in told:
        if said.text[0] == "#" or _TABLE.match(said.text):
            if said.closed:
                told.ignore(said)
                told.note("lscpu -p has no end that could be seen: its table gives nothing")
            continue
        found = _LABEL.match(said.text)
        if found is None:
            if _INNER.match(said.text):
                told.ignore(said)
            continue
        if not said.closed:
            continue
        report = reports.get(said.speaker.hosts)
        if report is None or report.turn != said.speaker.turn or found[1] in report.seen:
            report = reports[said.speaker.hosts] = _Report(said)
            every.append(report)
        report.hear(told, said, found[1], (found[2] or "").strip())
    for report in every:
        if report.row:
            told.add(PROCESSOR_FACTS, report.at or report.said, report.row)
    return told.facts()


class _Report:
    """One report: what it said so far, and the line that its row rests on."""

    def __init__(self, said: Said) -> None:
        self.said, self.turn = said, said.speaker.turn
        self.at: Said | None = None
        self.row: dict[str, Any] = {}
        self.seen: set[str] = set()

    def hear(self, told: Told, said: Said, label: str, value: str) -> None:
        self.seen.add(label)
        if node := _NODE.match(label):
            if _LIST.match(value):
                told.add(NUMA_FACTS, said, {"numa": int(node[1]), "cpus": value})
            return
        columns = _columns(label, value)
        if columns:
            self.row |= columns
            self.at = self.at or said
            told.account.fact(said.number)
        else:
            told.ignore(said)


def _columns(label: str, value: str) -> dict[str, Any]:
    """Columns of ``processor_facts`` that one label tells; none for what the table does not hold, or for ``-``."""
    if label in _COUNTS:
        number = fact_rows.whole(value, 1 << 20)
        return {} if number is None else {_COUNTS[label]: number}
    if label == "Model name" and value not in ("", "-"):
        return {"model": value}
    if label == "Architecture" and value:
        return {"architecture": value}
    if label == "On-line CPU(s) list" and value and _LIST.match(value):
        return {"online": value}
    return {}


def _json(data: bytes, capture_id: str, subject: str) -> Facts:
    """``lscpu -J``: fields with data, and fields below them."""
    account, found = documents(data, subject)
    processors: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    for document in found:
        value = document.value
        fields = value.get("lscpu") if isinstance(value, dict) else None
        if not isinstance(fields, list):
            continue
        row: dict[str, Any] = {}
        for label, said in _fields(fields, 0):
            if node := _NODE.match(label):
                if _LIST.match(said):
                    one = {"numa": int(node[1]), "cpus": said, "line": document.first}
                    nodes += [{**one, "host": host} for host in document.speaker.hosts]
            else:
                row = {**_columns(label, said), **row}
        if row:
            processors += [{**row, "host": host, "line": document.first} for host in document.speaker.hosts]
        account.fact(*document.lines)
    tables = fact_rows.table(PROCESSOR_FACTS, processors, capture_id) | fact_rows.table(NUMA_FACTS, nodes, capture_id)
    return Facts(tables, {capture_id: account.result()}, (), TOOL)


def _fields(fields: list[Any], depth: int) -> Iterator[tuple[str, str]]:
    for one in fields:
        if not isinstance(one, dict) or depth > _DEEPEST:
            continue
        label = plain(one.get("field"))
        if label:
            yield label.rstrip(":"), plain(one.get("data")) or ""
        below = one.get("children")
        if isinstance(below, list):
            yield from _fields(below, depth + 1)
