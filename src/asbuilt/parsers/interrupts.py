"""``/proc/interrupts``: a column per processor that is online, a line per interrupt, then those of the architecture.

A line ends with chip, number within it and trigger, and the names of who asked for it. Drivers of Mellanox cards name theirs
``mlx5_comp3@pci:0000:13:00.0``; newer kernels write the device into the name of the chip (``IR-PCI-MSIX-0000:13:00.0``).
Counts are printed in ten places (kernel/irq/proc.c: ``%10u ``) and nearly all are 0, so that a line of 512 processors is mostly
the same eleven characters: they are taken out before the rest is added up.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import IRQ_FACTS
from asbuilt.parsers.told_rows import Told, pci_address

TOOL = "interrupts"
_HEADER = re.compile(r"^\s*CPU\d{1,5}(?:\s+CPU\d{1,5})*$")
_OWN = re.compile(r"^\s*(?:CPU\d{1,5}(?:\s|$)|(?:\d{1,7}|[A-Z]{3}|IPI\d{1,2}|Err):(?:\s|$))")
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?\s*CPU0(?:\s+CPU\d{1,5})*[ \t]*\r?\n(?:[\w.-]+: )?\s*(?:\d{1,7}|[A-Z]{3}|IPI\d):\s+\d", re.M
)
_PCI = r"([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])"
_OF_CHIP = re.compile(rf"-{_PCI}$")
_TRIGGERS = ("Edge", "Level", "None")
_PLACES = 11
#: A count of 0 as it is printed, with the blank before it.
_NONE = "          0"


def sniff(data: bytes) -> bool:
    """True for a text whose header counts processors and whose next line counts interrupts."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``irq_facts`` of every numbered interrupt: name, count, address. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    columns: dict[tuple[str | None, ...], int] = {}
    for said in told:
        text = said.text
        if "CPU" in text[:40] and _HEADER.match(text):
            if said.closed:
                columns[said.speaker.hosts] = text.count("CPU")
                told.ignore(said)
            continue
        label, colon, rest = text.partition(":")
        label = label.strip()
        if not colon or not said.closed or rest[:1] not in (" ", ""):
            continue
        if not label.isdigit():
            if _OWN.match(text):
                told.ignore(said)  # interrupts of the architecture have no number that a card could have
            continue
        counted = _counted(rest, columns.get(said.speaker.hosts, 0))
        if counted is None or len(label) > 7:
            continue
        count, what = counted
        name, address = _named(what)
        row = {"irq": int(label), "count": float(count), "name": name, "address": address}
        told.add(IRQ_FACTS, said, row)
    return told.facts()


def _named(what: str) -> tuple[str | None, str | None]:
    """Names and PCI address from what stands behind the counts.

    That is the chip, the number within it, the trigger (``edge`` behind a dash on x86, a word of its own on Arm) and the names.
    """
    parts = what.split(None, 2)
    if len(parts) < 2 or not parts[1][0].isdigit():
        return what or None, None
    name = parts[2] if len(parts) == 3 else ""
    if "-" not in parts[1] and name.startswith(_TRIGGERS):
        name = name.partition(" ")[2].strip()
    address = pci_address(name.rpartition("@pci:")[2].partition(",")[0]) if "@pci:" in name else None
    if address is None and (found := _OF_CHIP.search(parts[0])):
        address = pci_address(found[1])
    return name or None, address


def _counted(rest: str, columns: int) -> tuple[int, str] | None:
    """The sum of a line's counts, and what stands behind them; None for a line without a count."""
    wide = columns * _PLACES
    if columns and rest[_PLACES - 1 : wide : _PLACES].isdecimal() and rest[wide : wide + 1] in ("", " "):
        few = rest[:wide].replace(_NONE, "")
        cells = few.split()
        if len(cells) + (wide - len(few)) // _PLACES == columns and all(map(str.isdecimal, cells)):
            return sum(map(int, cells)), rest[wide:].strip()
    cells = rest.split()
    end = 0
    while end < len(cells) and end < (columns or len(cells)) and cells[end].isdecimal() and cells[end].isascii():
        end += 1
    if not end:
        return None
    behind = rest.split(None, end)
    if any(len(c) > 20 for c in cells[:end]):
        return None
    return sum(map(int, cells[:end])), behind[end].strip() if len(behind) > end else ""
