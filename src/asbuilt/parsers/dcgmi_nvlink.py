"""``dcgmi nvlink``, table or JSON: errors of the links of a GPU (``-e``), states of links of GPUs and NVSwitches (``-s``)."""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import NVLINK_FABRIC_FACTS, NVLINK_FACTS
from asbuilt.model.facts_node import EVENT_FACTS
from asbuilt.parsers.dcgmi_words import BORDER, FAILED, LINE, cells
from asbuilt.parsers.gpu_words import Gathered, number, of_documents
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.json_documents import Document

TOOL = "dcgmi-nvlink"
_GPU = re.compile(r"^GPU (\d{1,3})$")
_LINK = re.compile(r"^Link (\d{1,3})$")
_SIDE = re.compile(r"^\s*(gpuId|physicalId) (\d{1,3}):\s*((?:[UDX_] ?)*)$")
_LETTERS = re.compile(r"^\s*[UDX_](?: [UDX_])*$")
_TITLE = re.compile(
    r"^\s*(?:GPUs:|NvSwitches:|\|\s*NvLink Link Status\s*\||\|\s*NVLINK Error Counts\s*\|?.*\||Key:.*|\s*\w+\s*=\s*[UDX_])\s*$",
    re.I,
)
_OWN = re.compile(
    rf"{BORDER.pattern}|{LINE.pattern}|{_SIDE.pattern}|{_LETTERS.pattern}|{_TITLE.pattern}|{FAILED.pattern}", re.I
)
_SIGN = re.compile(rb"NVLINK Error Counts|NvLink Link Status", re.I)
_STATES = {"U": True, "D": False, "X": False}


def sniff(data: bytes) -> bool:
    """True for the titles of the tool."""
    return bool(_SIGN.search(data[: 1 << 14]))


def _column(name: str) -> str | None:
    """Column of a counter; both sorts of CRC errors are added up."""
    word = name.lower()
    return next((f"{sort}_errors" for sort in ("replay", "recovery", "crc") if sort in word), None)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``nvlink_facts`` of every link, ``nvlink_fabric_facts`` of the NVSwitches. Never raises."""
    text = as_utf8(data)
    if text.lstrip()[:1] == b"{":
        return of_documents(text, subject, capture_id, TOOL, _document)
    listener = Listener(text, subject, _OWN)
    reader = _Reader(Gathered(listener.account))
    for said in listener:
        reader.hear(said)
    if any(state.lines for state in reader.states.values()):
        reader.out.note("the last link is cut: it is unread")
    return reader.out.facts(capture_id, TOOL)


class _State:
    """The GPU and link that a speaker is at."""

    def __init__(self, turn: int) -> None:
        self.turn = turn
        self.gpu: int | None = None
        self.side = ("", 0)
        self.row: dict[str, Any] = {}
        self.lines: list[int] = []


class _Reader:
    """Tables by speaker."""

    def __init__(self, out: Gathered) -> None:
        self.out = out
        self.states: dict[tuple[str | None, ...], _State] = {}

    def hear(self, said: Said) -> None:
        hosts, text = said.speaker.hosts, said.text
        state = self.states.get(hosts)
        if state is None or state.turn != said.speaker.turn:
            state = self.states[hosts] = _State(said.speaker.turn)
        if not said.closed and not text.endswith("|"):
            return
        if BORDER.match(text):
            self._close(hosts, state)
            self.out.account.ignore(said.number)
        elif side := _SIDE.match(text):
            state.side = (side[1], int(side[2]))
            self.out.account.ignore(said.number)
            if side[3].strip():
                self._letters(said, state, side[3])
        elif _LETTERS.match(text) and state.side[0]:
            self._letters(said, state, text)
        elif _TITLE.match(text):
            self.out.account.ignore(said.number)
        elif LINE.match(text):
            self._line(said, state, cells(text))
        elif FAILED.match(text):
            self.out.add(EVENT_FACTS, said, source="dcgm", code="failed", severity="fatal", message=text.strip()[:500])

    def _letters(self, said: Said, state: _State, text: str) -> None:
        kind, which = state.side
        hosts, words = said.speaker.hosts, text.split()
        if kind == "physicalId":
            self.out.add(NVLINK_FABRIC_FACTS, said, kind="switch_chip", name=str(which), state=" ".join(words).lower())
        else:
            _links(self.out, hosts, said.number, which, words)
            self.out.account.fact(said.number)
        state.side = ("", 0)

    def _line(self, said: Said, state: _State, row: list[str]) -> None:
        if found := _GPU.match(row[0]):
            self._close(said.speaker.hosts, state)
            state.gpu = int(found[1])
            self.out.account.ignore(said.number)
        elif (found := _LINK.match(row[0])) and state.gpu is not None:
            self._close(said.speaker.hosts, state)
            state.row = {"gpu": state.gpu, "link": int(found[1]), "line": said.number}
            state.lines = [said.number]
        elif state.row and len(row) == 2 and (column := _column(row[0])):
            value = number(row[1])
            if value is not None:
                state.row[column] = state.row.get(column, 0.0) + value
            state.lines.append(said.number)

    def _close(self, hosts: tuple[str | None, ...], state: _State) -> None:
        if state.row:
            self.out.put(NVLINK_FACTS, hosts, state.row["line"], state.row)
            self.out.account.fact(*state.lines)
        state.row, state.lines = {}, []


def _links(out: Gathered, hosts: tuple[str | None, ...], line: int, gpu: int, words: list[str]) -> None:
    """One row per link that exists; they share a line, so the link's number is added to keep the rows apart."""
    for link, word in enumerate(words):
        if word in _STATES:
            out.put(NVLINK_FACTS, hosts, line, {"gpu": gpu, "link": link, "active": _STATES[word]})


def _document(out: Gathered, document: Document) -> None:
    """One JSON document: the counters of one GPU, or the states of all."""
    value = document.value
    if not isinstance(value, dict) or not isinstance(value.get("body"), dict):
        return
    header = value.get("header")
    named = [m for h in (header if isinstance(header, list) else []) if isinstance(h, str) and (m := _GPU.match(h))]
    hosts, line, found = document.speaker.hosts, document.first, False
    for name, part in value["body"].items():
        children = part.get("children") if isinstance(part, dict) else None
        if not isinstance(children, dict):
            continue
        link = _LINK.match(name)
        if link and named:
            row: dict[str, Any] = {"gpu": int(named[0][1]), "link": int(link[1])}
            for counter, inner in children.items():
                told = number(str(inner.get("value"))) if isinstance(inner, dict) else None
                if told is not None and (column := _column(counter)):
                    row[column] = row.get(column, 0.0) + told
            out.put(NVLINK_FACTS, hosts, line, row)
            found = True
            continue
        for side, inner in children.items():
            letters = str(inner.get("value", "")) if isinstance(inner, dict) else ""
            if (which := re.match(r"^gpuId (\d{1,3})$", side)) and _LETTERS.match(letters):
                _links(out, hosts, line, int(which[1]), letters.split())
                found = True
    if found:
        out.account.fact(*document.lines)
