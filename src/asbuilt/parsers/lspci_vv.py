"""``lspci -v``, ``-vv``, ``-vvv``: every PCI function with its link, payload, access control, NUMA node, slot and driver."""

from __future__ import annotations

from asbuilt.model.facts import Facts
from asbuilt.parsers import lspci_blocks
from asbuilt.parsers.lspci import LONG

TOOL = "lspci-vv"


def sniff(data: bytes) -> bool:
    """True for a text with a PCI function that has lines below it."""
    return bool(LONG.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``pci_facts``, ``identity_facts`` of network cards, ``event_facts`` of what fell off the bus. Never raises."""
    return lspci_blocks.parse(data, capture_id, subject, TOOL)
