"""``nvidia-smi topo -m``: how GPUs and NICs are joined, and which processors the driver calls near each GPU.

Matrices reach us with tabs or blanks, colours, condensed columns, a header whose blanks were lost (it then begins like the row
of GPU0), labels run together (``NIC28NIC29``: their one cell tells nothing), an empty cell before the NUMA id of the GPU, rows
of GPUs alone, or cut. A header names ``CPU Affinity``; one that does not heads another matrix (``-p2p``), which is known and
gives no fact. Names of devices behind ``NIC3`` come from the legend at the end: a text cut before it leaves them null.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import AFFINITY_FACTS, TOPOLOGY_FACTS
from asbuilt.parsers.gpu_words import FAILED, Gathered, count, told
from asbuilt.parsers.host_lines import Listener, Said, as_utf8

TOOL = "nvidia-smi-topo"
_NAME = r"(?:GPU\d{1,3}|NIC\d{1,3}|[a-z][a-z_]{1,15}\d{1,3}(?:_\d{1,3})?)"
_ROW = re.compile(rf"^\s*({_NAME})\s+(\S.*)$")
_HEADER = re.compile(rf"^\s*GPU\d{{1,3}}(?:\s+(?:{_NAME})+)*(?:\s+(?:CPU Affinity|NUMA Affinity|GPU NUMA ID))*$")
_LABEL = re.compile(_NAME)
_RELATION = re.compile(r"^(?:X|NV\d{1,2}|PIX|PXB|PHB|NODE|SYS)$")
_SURE = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"}
_PEER = re.compile(r"^(?:X|OK|CNS|GNS|TNS|NS|U|DR|NV\d{1,2})$")
_NIC = re.compile(r"^\s+(NIC\d{1,3}): (\S{1,64})$")
_LEGEND = re.compile(r"^\s*(?:(?:NIC )?Legend:|(?:X|SYS|NODE|PHB|PXB|PIX|NV#|OK|CNS|GNS|TNS|NS|U|DR)\s+= .*|[=-]{4,})$")
_AFFINITIES = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
_OWN = re.compile(rf"{_HEADER.pattern}|^\s*{_NAME}\s+\S.*$|{_NIC.pattern}|{_LEGEND.pattern}|{FAILED.pattern}")
_CPUS = re.compile(r"^(?:\d[\d,-]*|N/A)$")
_SIGN = re.compile(rb"^[^\n]{0,80}?(?:\x1b\[[0-9;]*m)?\s*GPU\d+\b[^\n]*CPU Affinity", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with the header of such a matrix."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Matrix:
    """The matrix that a speaker is telling: labels, headings of affinities, its rows, and what the legend says."""

    turn: int
    labels: list[str]
    affinities: list[str]
    own: bool
    header: int
    rows: list[tuple[int, str, list[tuple[str, str]]]] = field(default_factory=list)
    devices: dict[str, str] = field(default_factory=dict)

    def device(self, label: str) -> str | None:
        """The device behind a label: what the legend says, or the label itself where it is a device's name."""
        return self.devices.get(label) or (None if label.startswith(("GPU", "NIC")) else label)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``topology_facts`` of every whole row and ``affinity_facts`` of every GPU. Never raises."""
    listener = Listener(as_utf8(data), subject, _OWN)
    reader = _Reader(Gathered(listener.account))
    for said in listener:
        reader.hear(said)
    reader.end()
    return reader.out.facts(capture_id, TOOL)


class _Reader:
    """Matrices by speaker."""

    def __init__(self, out: Gathered) -> None:
        self.out = out
        self._open: dict[tuple[str | None, ...], _Matrix] = {}

    def hear(self, said: Said) -> None:
        text, hosts = said.text, said.speaker.hosts
        matrix = self._open.get(hosts)
        if matrix is not None and matrix.turn != said.speaker.turn:
            self._close(hosts)
            matrix = None
        if _HEADER.match(text) and said.closed:
            self._close(hosts)
            self._header(said)
        elif found := _NIC.match(text):
            if matrix is not None and matrix.own and said.closed:
                matrix.devices[found[1]] = found[2]
                self.out.account.fact(said.number)
        elif matrix is not None and (row := _ROW.match(text)) and not _LEGEND.match(text):
            self._row(said, matrix, row[1])
        elif _LEGEND.match(text) and said.closed:
            self.out.account.ignore(said.number)
        else:
            self.out.gave_up(said)

    def _header(self, said: Said) -> None:
        text = said.text
        affinities = [name for name in _AFFINITIES if name in text]
        labels = text
        for name in affinities:
            labels = labels.replace(name, "")
        matrix = _Matrix(said.speaker.turn, labels.split(), affinities, "CPU Affinity" in affinities, said.number)
        self._open[said.speaker.hosts] = matrix
        self.out.account.ignore(said.number)
        if not matrix.own:
            self.out.note("a matrix without processors is none of `topo -m` (-p2p): it is known and gives no fact")

    def _row(self, said: Said, matrix: _Matrix, name: str) -> None:
        tokens = said.text.split()[1:]
        if not matrix.own:
            if all(_PEER.match(token) for token in tokens):
                self.out.account.ignore(said.number)
            return
        size = next((n for n, token in enumerate(tokens) if not _RELATION.match(token)), len(tokens))
        columns = _columns(matrix.labels, size)
        if columns is None:
            return
        rest = tokens[size:]
        near = _near(said.text, matrix.affinities, rest) if name.startswith("GPU") else None
        if not said.closed and not (
            (near is not None and rest and rest[-1] == "N/A")
            or (not rest and not name.startswith("GPU") and tokens[-1] in _SURE)
        ):
            return
        cells = [(b, cell) for b, cell in zip(columns, tokens, strict=False) if b and cell != "X" and b != name]
        matrix.rows.append((said.number, name, cells))
        self.out.account.fact(said.number)
        if near is not None:
            self.out.put(AFFINITY_FACTS, said.speaker.hosts, said.number, {"device": name, **near})
        elif rest or (name.startswith("GPU") and matrix.affinities):
            self.out.note(f"the row of {name} is cut: its processors are not told")

    def _close(self, hosts: tuple[str | None, ...]) -> None:
        matrix = self._open.pop(hosts, None)
        if matrix is None:
            return
        for line, a, cells in matrix.rows:
            for b, relation in cells:
                row = {"a": a, "b": b, "a_device": matrix.device(a), "b_device": matrix.device(b), "relation": relation}
                self.out.put(TOPOLOGY_FACTS, hosts, line, row)
        if matrix.own and matrix.rows:
            told_rows = {name for _, name, _ in matrix.rows}
            missing = [label for label in matrix.labels if label not in told_rows]
            if missing:
                self.out.note(f"{len(missing)} of {len(matrix.labels)} columns have no row")
        elif matrix.own:
            self.out.note("a matrix without a row")

    def end(self) -> None:
        for hosts in list(self._open):
            self._close(hosts)


def _columns(labels: list[str], size: int) -> list[str] | None:
    """The label of each cell; "" for a cell under labels that ran together. None when cells and labels do not agree."""
    if len(labels) == size:
        return [label if _LABEL.fullmatch(label) else "" for label in labels]
    split = [one for label in labels for one in _LABEL.findall(label)]
    return split if len(split) == size else None


def _near(text: str, affinities: list[str], rest: list[str]) -> dict[str, Any] | None:
    """Processors and NUMA nodes of a row; None when the row does not tell all that the header announces."""
    if "\t" in text and len(rest) != len(affinities):
        # An empty cell: places count. The id of the GPU's memory stands behind an empty cell of its own.
        cells = [cell.strip() for cell in text.split("\t")]
        cells = cells[len(cells) - len(affinities) - (1 if len(affinities) == 3 else 0) :]
        if len(affinities) == 3 and len(cells) == 4 and not cells[2] and cells[3]:
            rest = [cells[0] or "N/A", cells[1] or "N/A", cells[3]]
    if len(rest) != len(affinities) or not rest or not _CPUS.match(rest[0]):
        return None
    by = dict(zip(affinities, rest, strict=True))
    return {
        "cpus": told(by.get("CPU Affinity")),
        "numa": told(by.get("NUMA Affinity")),
        "gpu_numa": count(by.get("GPU NUMA ID")),
    }
