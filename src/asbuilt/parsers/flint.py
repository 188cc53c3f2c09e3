"""``flint -d DEVICE query``: what firmware is in the flash of a card, and which runs.

A card's block begins with ``Image type:``; its facts stand when its ``PSID:`` has been read (all generations of image, FS2 to
FS5, print it behind the versions). ``FW Version`` is the image in the flash; ``FW Version(Running)`` is printed where the
card still runs another. The device is that of the command line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NIC_FUNCTION_FACTS, SETTING_FACTS, VERSION_FACTS
from asbuilt.parsers.host_lines import Said, host_of_subject
from asbuilt.parsers.told_interface import valued
from asbuilt.parsers.told_rows import Told, no_word, pci_address

TOOL = "flint"
_MARK = re.compile(r"^\s*[#+]*\s*(?:sudo\s+)?(?:\S*/)?(?:ms)?flint(?:_ext)?\s(?=.*-)(.*)$")
_FIELD = re.compile(
    r"^\s*(Image type|FW Version(?:\(Running\))?|FW Release Date(?:\(Running\))?|Product Version(?:\(Running\))?"
    r"|MIC Version|Config Sectors|Min FW Version|PRS Name|Part Number|Branch(?:\(Running\))?"
    r"|Rom Info|Device ID|Description|Base GUID|Base MAC|GUIDs|MACs|Orig Base GUID|Orig Base MAC|Image VSD|Device VSD|VSD"
    r"|Board ID|PSID|Orig PSID|Security Attributes|Security Ver|Default Update Method|Life cycle|Secure boot|Encrypted"
    r"|Image security-version|Device security-version|Min security-version|Chip Revision|HW Version|ISFU Major)\s*:(.*)$"
)
_MORE = re.compile(r"^\s{4,}\S.*$|^-[EWI]- .*$")
_ROM = re.compile(r"\btype=(\w+)\s+version=(\S+)")
_OWN = re.compile(f"{_FIELD.pattern}|{_MORE.pattern}|{_MARK.pattern}")
_SIGN = re.compile(rb"^(?:[\w.-]+: )?Image type:\s+\w+", re.M)
_STATES = {"Security Attributes", "Life cycle", "Secure boot"}


def sniff(data: bytes) -> bool:
    """True for a text with the line that opens a card."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Card:
    first: Said | None = None
    values: dict[str, str] = field(default_factory=dict)
    roms: list[tuple[int, str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    settings: list[tuple[Said, str, str]] = field(default_factory=list)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``version_facts``, ``nic_function_facts``, ``setting_facts``. Never raises. ``subject``: ``HOST`` or ``HOST/DEVICE``."""
    _, slash, default = (host_of_subject(subject)[0] or "").partition("/")
    told = Told(data, capture_id, subject.replace(slash + default, "", 1) if slash else subject, _OWN, TOOL)
    cards: dict[Any, _Card] = {}
    marks: dict[Any, str | None] = {}
    speaker, asked, key = None, None, None
    for said in told:
        if said.speaker is not speaker:
            speaker, asked = said.speaker, _asked(said)
            key = speaker.hosts, speaker.turn
        if not said.closed:
            continue
        line = _FIELD.match(said.text)
        if line is None and (mark := _MARK.match(said.text)):
            marks[key] = valued(mark[1].split(), ("-d", "--device"))
            told.ignore(said)
            continue
        if line and line[1] == "Image type":
            cards[key] = _Card(said)
        card = cards.get(key) or cards.setdefault(key, _Card())
        if line is None and _MORE.match(said.text):
            told.ignore(said)
        if (line is None and not _MORE.match(said.text)) or (card.first is None and line):
            continue
        _take(told, said, card, line, marks.get(key) or asked or default or None)
    return told.facts()


def _asked(said: Said) -> str | None:
    words = said.speaker.command
    return valued(words, ("-d", "--device")) if any("flint" in w.rpartition("/")[2] for w in words[:3]) else None


def _take(told: Told, said: Said, card: _Card, line: re.Match[str] | None, device: str | None) -> None:
    """One line of a card: kept until the PSID is read, then told."""
    if card.first is not None and (line is None or line[1] == "Rom Info"):
        card.roms += [(said.number, kind.lower(), version) for kind, version in _ROM.findall(said.text)]
    if line is None:
        return
    label, value = line[1], line[2].strip()
    card.lines.append(said.number)
    if label in _STATES and no_word(value) is not None and "PSID" in card.values:
        told.add(SETTING_FACTS, said, {"domain": "nic", "device": device, "name": label, "value": value})
        return
    if label in card.values:
        return
    card.values[label] = value
    if label == "PSID" and no_word(value):
        _card(told, said, card, device)
    elif "PSID" in card.values:
        told.ignore(said)


def _card(told: Told, said: Said, card: _Card, device: str | None) -> None:
    values, psid = card.values, card.values["PSID"].strip("()")
    flash, runs = values.get("FW Version", ""), values.get("FW Version(Running)", "")
    versions = [(card.lines[0], "nic_firmware", flash), (card.lines[0], "nic_firmware_running", runs)]
    versions += [(at, f"nic_rom_{kind}", version) for at, kind, version in card.roms]
    for at, component, version in versions:
        if no_word(version):
            row = {"component": component, "device": device, "part": psid, "version": version, "line": at}
            told.add(VERSION_FACTS, said, row, *card.lines, at)
    address = pci_address(device or "")
    row = {"address": address, "mst": device if device and device.startswith("/dev/mst/") else None}
    row |= {"psid": psid, "part_number": no_word(values.get("Part Number", "")), "firmware": no_word(runs or flash)}
    told.add(NIC_FUNCTION_FACTS, said, {**row, "line": card.lines[0]}, *card.lines)
