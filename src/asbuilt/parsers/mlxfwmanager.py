"""``mlxfwmanager --query`` and ``mlxup``: firmware of every card that it finds, and what it has to offer; as text or XML.

A card's facts stand when its ``Status:`` has been read. What an update prints afterwards (prompts, progress) is ignorable: it
says what was written to the flash, not what runs. The numbering of the devices follows no other tool's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NIC_FUNCTION_FACTS, VERSION_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told, no_word, pci_address

TOOL = "mlxfwmanager"
_OPEN = re.compile(r"^\s*Device #\d{1,4}:$")
_FIELD = re.compile(
    r"^\s*(Device Type|Part Number|Description|PSID|PCI Device Name|Base GUID|Base MAC|Port\d? GUID|Port\d? MAC|Versions|Status"
    r"|Device GUID|Branch|Release Note)\s*:(.*)$"
)
_VERSION = re.compile(r"^\s+(FW(?: \(Running\))?|PXE|UEFI|CLP|NVMe|FCODE|UEFI Virtio \w+)\s{2,}(\S+)(?:\s+(\S.*))?$")
_ABOUT = re.compile(
    r"^(?:Querying (?:Mellanox|NVIDIA) devices firmware.*|-{3,}|Found \d+ device\(s\).*|Perform FW update\?.*"
    r"|Device #\d+:.*\S.*|\w[\w ]+-\s+\S+(?: .*)?|Done\.?|Restart needed.*|Log File:.*|\s*Release notes.*"
    r"|No devices found.*|-[EWI]- .*|\s*\(.*\)"
    r"|Please note.*|Failed to .*)$"
)
_XML = re.compile(r"^\s*(?:<\?xml.*\?>|</?(?:Devices|Device|Versions|FW|PXE|UEFI|ROM|MACs|GUIDs|Status|Description)\b.*)$")
_DEVICE = re.compile(r"^\s*<Device\s([^<>]*)>$")
_IMAGE = re.compile(r"^\s*<(FW|PXE|UEFI)\s([^<>]*)/>$")
_ATTRIBUTE = re.compile(r'([A-Za-z]+)="([^"]*)"')
_OWN = re.compile("|".join(p.pattern for p in (_OPEN, _FIELD, _VERSION, _ABOUT, _XML)))
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?(?:Querying (?:Mellanox|NVIDIA) devices firmware|\s*PCI Device Name:|\s*<Device pciName=)", re.M
)
_COMPONENTS = {"FW": "nic_firmware", "FW (Running)": "nic_firmware_running", "PXE": "nic_rom_pxe", "UEFI": "nic_rom_uefi"}


def sniff(data: bytes) -> bool:
    """True for a text with a line that only this tool writes."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Card:
    first: int
    values: dict[str, str] = field(default_factory=dict)
    versions: list[tuple[int, str, str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``version_facts`` (what is there; ``nic_firmware_offered`` for another that is at hand), ``nic_function_facts``."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    cards: dict[Any, _Card | None] = {}
    for said in told:
        if not said.closed:
            continue
        key = said.speaker.hosts, said.speaker.turn
        if _OPEN.match(said.text):
            cards[key] = _Card(said.number, lines=[said.number])
            told.ignore(said)
        elif device := _DEVICE.match(said.text):
            found = dict(_ATTRIBUTE.findall(device[1]))
            names = {"pciName": "PCI Device Name", "type": "Device Type", "psid": "PSID", "partNumber": "Part Number"}
            cards[key] = _Card(said.number, {names[n]: v for n, v in found.items() if n in names}, lines=[said.number])
            told.ignore(said)
        elif not _hear(told, said, cards, key) and (_ABOUT.match(said.text) or _XML.match(said.text)):
            told.ignore(said)
    return told.facts()


def _hear(told: Told, said: Said, cards: dict[Any, _Card | None], key: Any) -> bool:
    """True when the line belongs to a card that is being read."""
    card = cards.get(key)
    if card is None:
        return False
    if version := _VERSION.match(said.text):
        card.versions.append((said.number, version[1], version[2], (version[3] or "").strip()))
    elif image := _IMAGE.match(said.text):
        found = dict(_ATTRIBUTE.findall(image[2]))
        card.versions.append((said.number, image[1], found.get("current", ""), found.get("available", "")))
    elif line := _FIELD.match(said.text):
        card.values.setdefault(line[1], line[2].strip())
        if line[1] == "Status":
            _tell(told, said, card)
            cards[key] = None
            return True
    elif said.text.strip() == "</Device>":
        _tell(told, said, card)
        cards[key] = None
        return True
    else:
        return False
    card.lines.append(said.number)
    told.ignore(said)
    return True


def _tell(told: Told, said: Said, card: _Card) -> None:
    where, psid = card.values.get("PCI Device Name", ""), no_word(card.values.get("PSID", ""))
    address = pci_address(where)
    firmware = running = None
    told.account.fact(said.number)
    for line, name, now, offered in card.versions:
        told.account.fact(line)
        row = {"device": address or no_word(where), "part": psid, "line": line}
        component = _COMPONENTS.get(name, f"nic_rom_{name.lower().replace(' ', '_')}")
        if no_word(now):
            told.add(VERSION_FACTS, said, {**row, "component": component, "version": now})
            firmware = now if name == "FW" else firmware
            running = now if name == "FW (Running)" else running
        if name == "FW" and no_word(offered):
            told.add(VERSION_FACTS, said, {**row, "component": "nic_firmware_offered", "version": offered})
    row = {
        "address": address,
        "mst": where if where.startswith("/dev/mst/") else None,
        "type": no_word(card.values.get("Device Type", "")),
        "psid": psid,
        "part_number": no_word(card.values.get("Part Number", "")),
        "firmware": running or firmware,
        "line": card.first,
    }
    told.add(NIC_FUNCTION_FACTS, said, row, *card.lines)
