"""``mst status`` and ``mst status -v``: MST devices, the PCI functions behind them, and whether the MST modules are loaded.

The plain form has three lines per device; one card can stand there twice (``_pciconf0`` and ``_pci_cr0``). In the table of
``-v`` any cell but the first three may be empty, and the text is known by what it is: interfaces begin with ``net-``, the
NUMA node is the last number. ``NA`` is nothing.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import KERNEL_MODULE_FACTS, NIC_FUNCTION_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told, no_word, pci_address

TOOL = "mst-status"
_MODULE = re.compile(r"^\s+MST (PCI|PCI configuration) module (is not )?loaded$")
_DEVICE = re.compile(r"^(/dev/mst/(mt\d+)\S*)\s+- \S.*$")
_PLACE = re.compile(r"^\s+domain:bus:dev\.fn=([0-9a-fA-F:.]+)\s.*$")
_CELLS = re.compile(r"^\s*(\S+)\s+(NA|/dev/mst/\S+)\s+((?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])(?:\s+(.*))?$")
_ABOUT = re.compile(
    r"^(?:MST (?:modules|devices):|PCI [Dd]evices:|-{4,}|\s+Chip revision is:.*|DEVICE_TYPE\s+MST\s+PCI\s.*"
    r"|Starting MST .*|Stopping MST .*|Unloading MST .*|Loading MST .*|Create devices|\s*(?:No (?:MST|Mellanox) devices.*)"
    r"|Cables?:|I2C [Dd]evices:|GPU [Dd]evices:|\s+/dev/mst/\S+|(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])$"
)
_OWN = re.compile("|".join(p.pattern for p in (_MODULE, _DEVICE, _PLACE, _CELLS, _ABOUT)))
_SIGN = re.compile(rb"^(?:[\w.-]+: )?(?:MST (?:modules|devices):|DEVICE_TYPE\s+MST\s+PCI\s)", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with one of the heads."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``nic_function_facts`` and ``kernel_module_facts`` (mst_pci, mst_pciconf). Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    open_: dict[Any, tuple[Said, re.Match[str]]] = {}
    for said in told:
        if not said.closed:
            continue
        key = said.speaker.hosts, said.speaker.turn
        if module := _MODULE.match(said.text):
            name = "mst_pci" if module[1] == "PCI" else "mst_pciconf"
            told.add(KERNEL_MODULE_FACTS, said, {"module": name, "loaded": module[2] is None})
        elif device := _DEVICE.match(said.text):
            open_[key] = said, device
        elif place := _PLACE.match(said.text):
            address, before = pci_address(place[1]), open_.pop(key, None)
            if before and address:
                row = {"address": address, "mst": before[1][1], "type": before[1][2].upper(), "line": before[0].number}
                told.add(NIC_FUNCTION_FACTS, said, row, before[0].number)
        elif cells := _CELLS.match(said.text):
            told.add(NIC_FUNCTION_FACTS, said, _row(cells))
        elif _ABOUT.match(said.text):
            told.ignore(said)
    return told.facts()


def _row(cells: re.Match[str]) -> dict[str, Any]:
    """A row of the ``-v`` table."""
    rest = (cells[4] or "").split()
    numa = rest.pop() if rest and re.match(r"^-?\d{1,4}$|^NA$", rest[-1]) else ""
    nets = [word[4:] for word in rest if word.startswith("net-")]
    names = [word for word in rest if not word.startswith("net-")]
    return {
        "address": pci_address(cells[3]),
        "mst": no_word(cells[2]),
        "type": no_word(cells[1]),
        "rdma": names[0] if len(names) == 1 else None,
        "netdev": ",".join(nets) or None,
        "numa_node": int(numa) if numa.lstrip("-").isdigit() else None,
    }
