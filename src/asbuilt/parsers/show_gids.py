"""``show_gids``: the GIDs of every port, and for RDMA over Ethernet their version and interface.

Copies stand in comments (``# ``, `` * `` before each line). A row without an interface is one of an InfiniBand port: the
version that is printed for it means nothing.
"""

from __future__ import annotations

import ipaddress
import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NIC_FUNCTION_FACTS
from asbuilt.parsers.told_rows import Told

TOOL = "show_gids"
_LEAD = r"^[\s#*]*"
_HEAD = re.compile(_LEAD + r"(?:DEV\s+PORT\s+INDEX\s+GID\b.*|---[\s-]+|n_gids_found=\d+)$")
_ROW = re.compile(
    _LEAD + r"([A-Za-z]\w{0,63})\s+(\d{1,3})\s+(\d{1,4})\s+((?:[0-9a-fA-F]{4}:){7}[0-9a-fA-F]{4})"
    r"(?:\s+(\d{1,3}(?:\.\d{1,3}){3}))?(?:\s+(v[12]))?(?:\s+([A-Za-z][\w.@-]{0,63}))?$"
)
_OWN = re.compile(f"{_HEAD.pattern}|{_ROW.pattern}")
_SIGN = re.compile(rb"^(?:[\w.-]+: )?[ \t#*]*DEV\s+PORT\s+INDEX\s+GID\s", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with the head of the table."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``nic_function_facts``, one row per GID. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    for said in told:
        if not said.closed:
            continue
        if _HEAD.match(said.text):
            told.ignore(said)
        elif (row := _ROW.match(said.text)) and int(row[2]) <= 255:
            netdev = row[7]
            told.add(
                NIC_FUNCTION_FACTS,
                said,
                {
                    "rdma": row[1],
                    "port": int(row[2]),
                    "netdev": netdev,
                    "link_layer": "ethernet" if netdev else "infiniband",
                    "gid_index": int(row[3]),
                    "gid": ipaddress.IPv6Address(row[4].lower()).exploded,
                    "gid_version": row[6] if netdev else None,
                },
            )
    return told.facts()
