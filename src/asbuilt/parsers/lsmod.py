"""``lsmod`` (and ``/proc/modules``): the kernel modules that are loaded, and how many use each."""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import KERNEL_MODULE_FACTS
from asbuilt.parsers.told_rows import Told

TOOL = "lsmod"
_HEADER = re.compile(r"^Module\s+Size\s+Used by$")
#: Name, size, users, who they are; /proc/modules adds state, address and taints.
_LINE = re.compile(
    r"^([A-Za-z0-9_-]{1,64})\s+(\d{1,12})\s+(-?\d{1,6})(?:\s+[\w,\[\]-]+)?(?:\s+(?:Live|Loading|Unloading)\s+0x\w+.*)?$"
)
_OWN = re.compile(rf"^(?:Module\s+Size\s+Used by$|{_LINE.pattern[1:]})")
_SIGN = re.compile(rb"^(?:[\w.-]+: )?Module +Size +Used by", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with the header of the list."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``kernel_module_facts``, one row per loaded module. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    for said in told:
        if not said.closed:
            continue
        if _HEADER.match(said.text):
            told.ignore(said)
        elif line := _LINE.match(said.text):
            users = int(line[3])
            row = {"module": line[1].replace("-", "_"), "loaded": True, "users": users if users >= 0 else None}
            told.add(KERNEL_MODULE_FACTS, said, row)
    return told.facts()
