"""The text of ``lspci`` in all its lengths: a line per PCI function, and with ``-v`` … ``-vvv`` its indented lines below it.

Forms of pciutils (ls-caps.c, lspci.c): classes and ids in numbers with ``-n`` and ``-nn``, the domain with ``-D`` or where
there are several. Links are told since 3.6 with ``(ok)`` or ``(downgraded)`` behind what runs. The capabilities of a
function are ``<access denied>`` to a user who is not root: then nothing is known of its link, payload and access control,
and a note says so. A function that has fallen off the bus reads as all ones: revision ff and
``!!! Unknown header type 7f``.

The function above another one is the bridge whose secondary bus it sits on; of a selection (``-s``) nobody can tell the root.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import EVENT_FACTS, IDENTITY_FACTS, PCI_FACTS
from asbuilt.parsers.host_lines import FACT, IGNORABLE, Said
from asbuilt.parsers.told_rows import Told, pci_address

_SLOT = r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]"
HEADER = re.compile(
    rf"^(?P<address>{_SLOT}) (?:(?P<bare>[0-9a-f]{{4}}): (?P<ids>[0-9a-f]{{4}}:[0-9a-f]{{4}})"
    r"|(?P<words>[A-Z0-9][^:\n]{1,80}): (?P<name>.*?))"
    r"(?: \(rev (?P<rev>[0-9a-f]{2})\))?(?: \(prog-if .{0,60}\))?(?:\s+# .*)?$"
)
#: Hex dumps of the configuration space (``-x``), and what the program and its library complain of.
_BESIDE = re.compile(r"^(?:[0-9a-f]{2,3}: [0-9a-f]{2}(?: [0-9a-f]{2}){0,15}$|(?:lspci|pcilib): )")
_OWN = re.compile(rf"^(?:[ \t]+\S|{_SLOT} |{_BESIDE.pattern})")
IDS = re.compile(r"^(.*?) ?\[([0-9a-f]{4}):([0-9a-f]{4})\]$")
_CLASS = re.compile(r"^(.*?) ?\[([0-9a-f]{4})\]$")
_LINK = re.compile(r"Speed (?:([\d.]{1,6})GT/s|unknown)(?: \([a-z]+\))?, Width x(\d{1,3})")
_SIZES = re.compile(r"^MaxPayload (\d{2,5}) bytes, MaxReadReq (\d{2,5}) bytes")
_BUS = re.compile(r"^Bus: primary=([0-9a-f]{2}), secondary=([0-9a-f]{2}),")
_KIND = re.compile(r"^Capabilities: \[[0-9a-f]{2,3}\] Express (?:\(v\d\) )?([A-Za-z/ -]+?)(?: \(|,|$)")
_KINDS = {
    "Endpoint": "endpoint",
    "Root Complex Integrated Endpoint": "endpoint",
    "Legacy Endpoint": "legacy",
    "Root Port": "root_port",
    "Upstream Port": "upstream",
    "Downstream Port": "downstream",
    "PCI-Express to PCI/PCI-X Bridge": "bridge",
    "PCI/PCI-X to PCI-Express Bridge": "bridge",
}
_MELLANOX = "15b3"


def parse(data: bytes, capture_id: str, subject: str, tool: str) -> Facts:
    """``pci_facts`` of every function, serial numbers of network cards, and what fell off the bus. Never raises."""
    told = Told(data, capture_id, subject, _OWN, tool, _QUIET)
    lines = told.listener.plain()
    reader = _Reader(told)
    if lines is None or not reader.whole(lines):
        reader = _Reader(Told(data, capture_id, subject, _OWN, tool, _QUIET))
        for said in reader.told:
            reader.hear(said)
    reader.end()
    return reader.told.facts()


class _Function:
    """One function as far as it is told."""

    __slots__ = ("bus", "row", "said", "secondary")

    def __init__(self, said: Said, row: dict[str, Any]) -> None:
        self.said, self.row = said, row
        self.bus: str = row["address"][:7]
        self.secondary = ""


class _Reader:
    """The function that each speaker is at, and all functions of every host."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self._at: dict[tuple[str | None, ...], tuple[int, _Function]] = {}
        self._all: dict[tuple[str | None, ...], list[_Function]] = {}

    def whole(self, lines: list[str]) -> bool:
        """Read a text of nothing but functions and what stands indented below them; False where another line is in it."""
        speaker = self.told.listener.speaker
        functions = self._all.setdefault(speaker.hosts, [])
        classes = self.told.account.classes
        classes[:] = bytes([IGNORABLE]) * len(lines)
        function: _Function | None = None
        for at, line in enumerate(lines):
            if line[:1] == "\t":
                words = line.lstrip("\t")
                if words[:6] not in _LINES:
                    continue
                if function is None:
                    return False
                words = words.rstrip()
                columns = _columns(words)
                if not columns:
                    self._line(Said(at + 1, line, speaker, True), function, words)
                    continue
                for column, value in columns.items():
                    function.row.setdefault(column, value)
                classes[at] = FACT
            elif line and not line.isspace():
                row = _headed(line.rstrip())
                if row is None:
                    return False
                function = _Function(Said(at + 1, line, speaker, True), dict(row))
                functions.append(function)
        return True

    def hear(self, said: Said) -> None:
        text = said.text
        if text[0] in " \t":
            turn, function = self._at.get(said.speaker.hosts, (-1, None))
            if function is None or turn != said.speaker.turn:
                return
            self.told.account.ignore(said.number)
            words = text.lstrip()
            if words[:6] in _LINES:
                if said.closed:
                    self._line(said, function, words)
                else:
                    self.told.account.unread(said.number)
        elif (found := HEADER.match(text)) is not None:
            if (said.closed or found["rev"]) and (row := _headed(text)) is not None:
                function = _Function(said, dict(row))
                self._at[said.speaker.hosts] = (said.speaker.turn, function)
                self._all.setdefault(said.speaker.hosts, []).append(function)
        elif _BESIDE.match(text):
            self.told.ignore(said)

    def _line(self, said: Said, function: _Function, words: str) -> None:
        """A line below a function that begins as one of `_LINES`."""
        columns = _columns(words)
        if columns:
            row = function.row
            for column, value in columns.items():
                row.setdefault(column, value)
            self.told.account.fact(said.number)
            return
        start = words[:6]
        if start == "Bus: p" and (found := _BUS.match(words)):
            function.secondary = function.bus[:5] + found[2]
            self.told.account.fact(said.number)
        elif start == "Capabi" and "<access denied>" in words:
            self.told.note("lspci was not asked by root: links, payloads and access control are not told")
        elif start == "[SN] S":
            self._serial(said, function, words)
        elif start == "!!! Un":
            event = {"source": "pcie", "code": "unknown_header", "device": function.row["address"], "severity": "fatal"}
            self.told.add(EVENT_FACTS, said, {**event, "message": words[:500]})

    def _serial(self, said: Said, function: _Function, words: str) -> None:
        number = words.partition(":")[2].strip()
        name = f"{function.row.get('name') or ''} {function.row.get('vendor_id') or ''}"
        if number and number.isprintable() and (_MELLANOX in name or "Mellanox" in name):
            self.told.add(IDENTITY_FACTS, said, {"kind": "nic_serial", "value": number})

    def end(self) -> None:
        """Rows, each with the bridge whose secondary bus it sits on."""
        for functions in self._all.values():
            above = {f.secondary: f.row["address"] for f in functions if f.secondary and f.secondary[5:] != "00"}
            for function in functions:
                row = function.row
                if not row.get("cap_width"):  # a function without lanes has no link that could be up or down
                    row = {k: v for k, v in row.items() if k != "cap_width" and (k != "now_width" or v)}
                parent = above.get(function.bus)
                if parent != row["address"]:
                    row = {"parent": parent, **row}
                self.told.add(PCI_FACTS, function.said, row)


def _capable(words: str) -> dict[str, Any]:
    found = _LINK.search(words)
    return {"cap_gts": _gts(found[1]), "cap_width": int(found[2])} if found else {}


def _running(words: str) -> dict[str, Any]:
    found = _LINK.search(words)
    return {"now_gts": _gts(found[1]), "now_width": int(found[2])} if found else {}


def _control(words: str) -> dict[str, Any]:
    said = [w for w in words.replace(",", " ").split() if w[:-1] in ("Disabled", "LnkDisable") and w[-1] in "+-"]
    return {"link_disabled": said[0][-1] == "+"} if said else {}


def _access(words: str) -> dict[str, Any]:
    flags = words.partition(":")[2].split()
    if not flags or not all(f[-1] in "+-" for f in flags):
        return {}
    return {"acs": "+".join(f[:-1] for f in flags if f[-1] == "+") or "none"}


def _sizes(words: str) -> dict[str, Any]:
    found = _SIZES.match(words)
    return {"payload_bytes": int(found[1]), "read_request_bytes": int(found[2])} if found else {}


def _numa(words: str) -> dict[str, Any]:
    number = words.partition(":")[2].strip()
    return {"numa_node": int(number)} if re.match(r"^-?\d{1,5}$", number) else {}


def _slot(words: str) -> dict[str, Any]:
    slot = words.partition(":")[2].strip()
    return {"slot": slot} if slot else {}


def _kernel(words: str) -> dict[str, Any]:
    driver = words.partition(":")[2].strip()
    return {"driver": driver} if words.startswith("Kernel driver in use:") and driver else {}


def _capability(words: str) -> dict[str, Any]:
    found = None if "<access denied>" in words else _KIND.match(words)
    return {"port_type": _KINDS[found[1].strip()]} if found and found[1].strip() in _KINDS else {}


def _nothing(words: str) -> dict[str, Any]:
    """Lines that need more than themselves: `_Reader._line` reads them."""
    return {}


@lru_cache(maxsize=1 << 13)
def _columns(words: str) -> dict[str, Any]:
    """Columns of ``pci_facts`` that an indented line tells by itself. Machines of a kind print the same few hundred lines."""
    return _LINES[words[:6]](words)


def _gts(text: str | None) -> float | None:
    return float(text) if text and re.match(r"^\d{1,3}(?:\.\d{1,2})?$", text) else None


@lru_cache(maxsize=1 << 13)
def _headed(text: str) -> dict[str, Any] | None:
    """Columns of the line that opens a function; None for any other line."""
    found = HEADER.match(text)
    if found is None:
        return None
    revision = found["rev"] if found["rev"] != "ff" else None  # all ones: nobody answers there
    row: dict[str, Any] = {"address": pci_address(found["address"]), "revision": revision}
    if found["bare"]:
        vendor, _, device = found["ids"].partition(":")
        return {**row, "class_id": found["bare"], "vendor_id": vendor, "device_id": device}
    words, name = found["words"], found["name"].strip()
    if of_class := _CLASS.match(words):
        row |= {"class_name": of_class[1] or None, "class_id": of_class[2]}
    else:
        row["class_name"] = words
    if ids := IDS.match(name):
        row |= {"name": ids[1] or None, "vendor_id": ids[2], "device_id": ids[3]}
    else:
        row["name"] = name or None
    return row


#: The first six characters of an indented line -> what it tells by itself.
_LINES: dict[str, Callable[[str], dict[str, Any]]] = {
    "LnkCap": _capable,
    "LnkSta": _running,
    "LnkCtl": _control,
    "ACSCtl": _access,
    "MaxPay": _sizes,
    "NUMA n": _numa,
    "Physic": _slot,
    "Bus: p": _nothing,
    "Kernel": _kernel,
    "Capabi": _capability,
    "[SN] S": _nothing,
    "!!! Un": _nothing,
}
#: Details below a function that no fact table holds: four lines of five.
_QUIET = re.compile(rf"\t+(?!\t|{'|'.join(map(re.escape, _LINES))})[^\r\n]".encode())
