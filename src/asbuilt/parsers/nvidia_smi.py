"""``nvidia-smi``: the table of the GPUs, old and new widths. A GPU's row stands when the border below it comes.

Names that do not fit are cut by the tool itself (``Tesla V100-SXM2...``) and are kept as printed. ``ERR!`` in place of a value
is what a GPU prints that no longer answers: it is an event. MIG devices and processes are known and give no fact.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import EVENT_FACTS
from asbuilt.parsers.gpu_words import FAILED, Gathered, flag, number, told
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.told_rows import pci_address

TOOL = "nvidia-smi"
_HEAD = re.compile(
    r"^\|\s*NVIDIA-SMI\s+(\S+)\s+(?:Driver Version:\s*(\S+)\s+|KMD Version:\s*(\S+)\s+)"
    r"(?:CUDA(?: UMD)? Version:\s*(\S+)\s*)?\|$"
)
_BORDER = re.compile(r"^[+|][-=+]{10,}[+|]$")
_LINE = re.compile(r"^\|.*\|$")
_DATE = re.compile(r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d (?:[A-Z]{3,5} )?\d{4}$")
_GPU = re.compile(r"^\s*(\d{1,3})\s+(\S.{0,60}?)\s+(On|Off|N/A)$")
_BUS = re.compile(r"^([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s+(?:On|Off|N/A)$")
_STATE = re.compile(r"^(\S+)\s+(\S+)\s+(P\d{1,2}|N/A|Unknown|ERR!)\s+(\S+)\s*/\s*(\S+)$")
_MEMORY = re.compile(r"^(\S+)\s*/\s*(\S+)$")
_OWN = re.compile(rf"{_BORDER.pattern}|^\|.*\|$|{_DATE.pattern}|{FAILED.pattern}", re.I)
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\| NVIDIA-SMI [\w.]+ ", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with the table's title."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``gpu_facts`` of every GPU and the versions of driver and CUDA. Never raises."""
    listener = Listener(as_utf8(data), subject, _OWN)
    reader = _Reader(Gathered(listener.account))
    for said in listener:
        reader.hear(said)
    if any(table.rows for table in reader.tables.values()):
        reader.out.note("the last GPU is cut: its lines are unread")
    return reader.out.facts(capture_id, TOOL)


class _Table:
    """The table that a speaker is at: its section, and the lines since the last border."""

    def __init__(self, turn: int) -> None:
        self.turn, self.section = turn, ""
        self.rows: list[Said] = []


class _Reader:
    """Tables by speaker."""

    def __init__(self, out: Gathered) -> None:
        self.out = out
        self.tables: dict[tuple[str | None, ...], _Table] = {}

    def hear(self, said: Said) -> None:
        hosts, text = said.speaker.hosts, said.text
        table = self.tables.get(hosts)
        if table is None or table.turn != said.speaker.turn:
            table = self.tables[hosts] = _Table(said.speaker.turn)
        if _BORDER.match(text):
            self._border(said, table)
        elif found := _HEAD.match(text):
            table.section, table.rows = "head", []
            for component, version in (("driver", found[2] or found[3]), ("cuda", found[4])):
                if told(version):
                    self.out.version(hosts, said.number, component, version)
            self.out.account.fact(said.number)
        elif _LINE.match(text):
            self._line(said, table)
        elif _DATE.match(text):
            self.out.account.ignore(said.number)
        else:
            self.out.gave_up(said)

    def _line(self, said: Said, table: _Table) -> None:
        word = said.text.strip("| ")
        if word.startswith(("Processes", "MIG devices")):
            table.section = "other"
        if table.section == "gpus":
            table.rows.append(said)
        elif table.section:
            self.out.account.ignore(said.number)

    def _border(self, said: Said, table: _Table) -> None:
        self.out.account.ignore(said.number)
        if table.section == "head" and "=" in said.text:
            table.section = "gpus"
        elif table.section == "gpus" and table.rows:
            self._gpu(table.rows)
            table.rows = []
        elif table.section == "gpus" and not table.rows:
            table.section = "other"

    def _gpu(self, lines: list[Said]) -> None:
        cells = [[cell.strip() for cell in said.text.strip("|").split("|")] for said in lines]
        if any(len(row) != 3 for row in cells):
            return
        name, bus = _GPU.match(cells[0][0]), _BUS.match(cells[0][1])
        if name is None or bus is None:
            return
        place = pci_address(bus[1])
        row: dict[str, Any] = {"index": int(name[1]), "name": name[2], "persistence": flag(name[3]), "address": place}
        ecc = cells[0][2]
        row["uncorrected_volatile"] = number(ecc)
        row["ecc"] = False if ecc == "Off" else True if number(ecc) is not None else None
        if len(cells) > 1:
            row |= _second(cells[1])
        if len(cells) > 2:
            row["mig"] = {"Enabled": True, "Disabled": False}.get(cells[2][2].rstrip("*"))
        first = lines[0]
        self.out.gpu(first.speaker.hosts, first.number, row)
        self.out.account.fact(*(said.number for said in lines[:2]))
        self.out.account.ignore(*(said.number for said in lines[3:]))
        if len(lines) > 2:
            self.out.account.fact(lines[2].number)
        if any("ERR!" in cell for line in cells for cell in line):
            self.out.put(EVENT_FACTS, first.speaker.hosts, first.number, {
                "source": "nvidia-smi", "code": "ERR!", "device": place, "severity": "fatal", "message": first.text.strip(),
            })  # fmt: skip


def _second(cells: list[str]) -> dict[str, Any]:
    """Temperature, state, power, memory and load: the second line of a GPU."""
    row: dict[str, Any] = {}
    if state := _STATE.match(cells[0]):
        row = {
            "temperature_c": number(state[2]),
            "performance_state": state[3] if state[3].startswith("P") else None,
            "power_w": number(state[4]),
            "power_limit_w": number(state[5]),
        }
    if memory := _MEMORY.match(cells[1]):
        row |= {"memory_used_mib": number(memory[1]), "memory_mib": number(memory[2])}
    load = cells[2].split()
    return row | {"utilisation_percent": number(load[0]) if load else None}
