"""``readlink -f`` of PCI devices and ``ls -l`` of folders of links into them: what is plugged into what, and names of cards.

The real path of a PCI function goes through every bridge above it (``/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0``), from
the bus at the top. The link of an RDMA device or network interface leads into the folder of its function. Links of devices that
are no PCI function (loopback, bonds, tunnels) are known and give nothing.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NIC_FUNCTION_FACTS, PCI_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told, pci_address

TOOL = "sysfs-paths"
#: A path, a line of ``ls -l`` (a link or a file), its heads, and what the two say of something that is not there.
_OWN = re.compile(r"^(?:/sys/|[lbcdps-][rwxsStT-]{9}|(?:total|insgesamt) \d|ls: |readlink: |\.\./)")
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?(?:/sys/devices/\S{0,400}/[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\r?$"
    rb"|l[rwx-]{9}\S? [^\n]{1,120} -> (?:\.\./)+devices/)",
    re.M,
)
_FUNCTION = re.compile(r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")
_ROOT = re.compile(r"^pci([0-9a-f]{4,8}:[0-9a-f]{2})$")
_NAME = re.compile(r"^[\w.@:-]{1,64}$")
_KINDS = {"infiniband": "rdma", "net": "netdev"}


def sniff(data: bytes) -> bool:
    """True for a text with the real path of a PCI function, or a link into the tree of devices."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``pci_facts`` with the parent of each function, ``nic_function_facts`` with the address of each name. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    for said in told:
        if said.closed or not said.text.startswith(("/sys/devices/", "l")):
            _line(told, said)
    return told.facts()


def _line(told: Told, said: Said) -> None:
    text = said.text
    if text[0] == "/":
        if text.endswith(":") or not text.startswith("/sys/devices/"):
            # The head of a folder; a name that readlink could not follow (nothing matched its pattern).
            told.ignore(said)
        else:
            _function(told, said, text.split("/"))
    elif text[0] == "l" and " -> " in text:
        head, _, target = text.rpartition(" -> ")
        name, parts = head.rpartition(" ")[2], target.split("/")
        if parts[-1] != name or "devices" not in parts:
            return
        if _FUNCTION.match(name):
            _function(told, said, parts)
        else:
            _named(told, said, name, parts)
    else:
        told.ignore(said)  # a file of the folder, its total, or something that is not there


def _function(told: Told, said: Said, parts: list[str]) -> None:
    """The function at the end of the path, with what is above it."""
    if len(parts) < 3 or not _FUNCTION.match(parts[-1]):
        return
    root = _ROOT.match(parts[-2])
    parent = f"root:{root[1]}" if root else pci_address(parts[-2]) if _FUNCTION.match(parts[-2]) else None
    told.add(PCI_FACTS, said, {"address": pci_address(parts[-1]), "parent": parent})


def _named(told: Told, said: Said, name: str, parts: list[str]) -> None:
    """A name in the folder of a function: ``…/0000:13:00.0/infiniband/mlx5_0``."""
    column = _KINDS.get(parts[-2])
    if column is None or not _NAME.match(name):
        return
    function = next((p for p in reversed(parts[:-2]) if _FUNCTION.match(p)), None)
    if function is None:
        told.ignore(said)
    else:
        told.add(NIC_FUNCTION_FACTS, said, {"address": pci_address(function), column: name})
