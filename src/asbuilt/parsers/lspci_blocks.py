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
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import EVENT_FACTS, IDENTITY_FACTS, PCI_FACTS
from asbuilt.parsers.host_lines import Said
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

    def hear(self, said: Said) -> None:
        text = said.text
        if text[0] in " \t":
            turn, function = self._at.get(said.speaker.hosts, (-1, None))
            if function is None or turn != said.speaker.turn:
                return
            self.told.account.ignore(said.number)
            words = text.lstrip()
            read = _LINES.get(words[:6])
            if read is not None:
                if said.closed:
                    read(self, said, function, words)
                else:
                    self.told.account.unread(said.number)
        elif (found := HEADER.match(text)) is not None:
            if said.closed or found["rev"]:
                function = _Function(said, _headed(found))
                self._at[said.speaker.hosts] = (said.speaker.turn, function)
                self._all.setdefault(said.speaker.hosts, []).append(function)
        elif _BESIDE.match(text):
            self.told.ignore(said)

    def _fact(self, said: Said, function: _Function, **columns: Any) -> None:
        for column, value in columns.items():
            function.row.setdefault(column, value)
        self.told.account.fact(said.number)

    def capable(self, said: Said, function: _Function, words: str) -> None:
        if found := _LINK.search(words):
            self._fact(said, function, cap_gts=float(found[1]) if _number(found[1]) else None, cap_width=int(found[2]))

    def running(self, said: Said, function: _Function, words: str) -> None:
        if found := _LINK.search(words):
            self._fact(said, function, now_gts=float(found[1]) if _number(found[1]) else None, now_width=int(found[2]))

    def control(self, said: Said, function: _Function, words: str) -> None:
        for word in words.replace(",", " ").split():
            if word[:-1] in ("Disabled", "LnkDisable") and word[-1] in "+-":
                self._fact(said, function, link_disabled=word[-1] == "+")

    def access(self, said: Said, function: _Function, words: str) -> None:
        flags = words.partition(":")[2].split()
        if flags and all(f[-1] in "+-" for f in flags):
            self._fact(said, function, acs="+".join(f[:-1] for f in flags if f[-1] == "+") or "none")

    def sizes(self, said: Said, function: _Function, words: str) -> None:
        if found := _SIZES.match(words):
            self._fact(said, function, payload_bytes=int(found[1]), read_request_bytes=int(found[2]))

    def numa(self, said: Said, function: _Function, words: str) -> None:
        number = words.partition(":")[2].strip()
        if re.match(r"^-?\d{1,5}$", number):
            self._fact(said, function, numa_node=int(number))

    def slot(self, said: Said, function: _Function, words: str) -> None:
        if slot := words.partition(":")[2].strip():
            self._fact(said, function, slot=slot)

    def buses(self, said: Said, function: _Function, words: str) -> None:
        if found := _BUS.match(words):
            function.secondary = function.bus[:5] + found[2]
            self.told.account.fact(said.number)

    def kernel(self, said: Said, function: _Function, words: str) -> None:
        if words.startswith("Kernel driver in use:") and (driver := words.partition(":")[2].strip()):
            self._fact(said, function, driver=driver)

    def capability(self, said: Said, function: _Function, words: str) -> None:
        if "<access denied>" in words:
            self.told.note("lspci was not asked by root: links, payloads and access control are not told")
        elif (found := _KIND.match(words)) and found[1].strip() in _KINDS:
            self._fact(said, function, port_type=_KINDS[found[1].strip()])

    def serial(self, said: Said, function: _Function, words: str) -> None:
        number = words.partition(":")[2].strip()
        name = f"{function.row.get('name') or ''} {function.row.get('vendor_id') or ''}"
        if number and number.isprintable() and (_MELLANOX in name or "Mellanox" in name):
            self.told.add(IDENTITY_FACTS, said, {"kind": "nic_serial", "value": number})

    def fallen(self, said: Said, function: _Function, words: str) -> None:
        event = {"source": "pcie", "code": "unknown_header", "device": function.row["address"], "severity": "fatal"}
        self.told.add(EVENT_FACTS, said, {**event, "message": words[:500]})

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


def _number(text: str | None) -> bool:
    return bool(text) and re.match(r"^\d{1,3}(?:\.\d{1,2})?$", text or "") is not None


def _headed(found: re.Match[str]) -> dict[str, Any]:
    """Columns of the line that opens a function."""
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


#: The first six characters of an indented line -> who reads it.
_LINES = {
    "LnkCap": _Reader.capable,
    "LnkSta": _Reader.running,
    "LnkCtl": _Reader.control,
    "ACSCtl": _Reader.access,
    "MaxPay": _Reader.sizes,
    "NUMA n": _Reader.numa,
    "Physic": _Reader.slot,
    "Bus: p": _Reader.buses,
    "Kernel": _Reader.kernel,
    "Capabi": _Reader.capability,
    "[SN] S": _Reader.serial,
    "!!! Un": _Reader.fallen,
}
#: Details below a function that no fact table holds: four lines of five.
_QUIET = re.compile(rf"\t+(?!\t|{'|'.join(map(re.escape, _LINES))})[^\r\n]".encode())
