"""``lspci``, ``lspci -nn``, ``lspci -D``, ``lspci -n``: one line per PCI function, in words, numbers or both."""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.parsers import lspci_blocks

TOOL = "lspci"
_SLOT = rb"^(?:[\w.-]+: )?(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] "
_SIGN = re.compile(_SLOT + rb"(?:[A-Z0-9][^:\n]{1,80}: [^\n]|[0-9a-f]{4}: [0-9a-f]{4}:[0-9a-f]{4})", re.M)
#: A function with lines of its own below it.
LONG = re.compile(_SLOT + rb"(?:[A-Z0-9][^:\n]{1,80}|[0-9a-f]{4}): [^\n]+\n(?:[\w.-]+: )?[ \t]+\S", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with a PCI function and none that has lines below it."""
    head = data[: 1 << 16]
    return bool(_SIGN.search(head)) and not LONG.search(head)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``pci_facts``, one row per function. Never raises."""
    return lspci_blocks.parse(data, capture_id, subject, TOOL)
