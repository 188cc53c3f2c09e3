"""``ibdev2netdev`` and ``ibdev2netdev -v``: which network interface belongs to which RDMA device.

A line is whole when its closing ``(Up)`` or ``(Down)`` stands. The ``-v`` form adds PCI address, card and firmware.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NIC_FUNCTION_FACTS
from asbuilt.parsers.told_rows import Told, pci_address

TOOL = "ibdev2netdev"
_LINE = re.compile(
    r"^\s*(?:(?P<pci>[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\s+)?(?P<rdma>[A-Za-z]\w{0,63})\s+"
    r"(?:\((?P<type>\w+)\s+-\s+(?P<part>[^()\s]*)\s*\)\s.{0,300}?\bfw\s+(?P<fw>\S+)\s+)?"
    r"port\s+(?P<port>\d{1,3})\s+(?:\((?P<state>\w+)\s*\)\s+)?==>\s+(?P<net>\S{1,64})?\s*\((?P<up>Up|Down)\)$"
)
_SIGN = re.compile(rb"^[^\n]{0,400}\bport \d{1,3} (?:\(\w+ *\) )?==> \S* ?\((?:Up|Down)\)", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with a line that ties a port to an interface."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``nic_function_facts``, one row per line. Never raises."""
    told = Told(data, capture_id, subject, _LINE, TOOL)
    for said in told:
        line = _LINE.match(said.text)
        if line is None or int(line["port"]) > 255:
            continue
        row = {
            "address": pci_address(line["pci"] or ""),
            "rdma": line["rdma"],
            "port": int(line["port"]),
            "netdev": line["net"],
            "type": line["type"],
            "part_number": line["part"] or None,
            "firmware": line["fw"],
            "up": line["up"] == "Up",
        }
        told.add(NIC_FUNCTION_FACTS, said, row)
    return told.facts()
