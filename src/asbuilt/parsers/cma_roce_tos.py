"""``cma_roce_tos -d DEVICE [-p PORT]``: the type of service that the RDMA connection manager gives its connections.

The output is one number and nothing else, so the command line before it (prompt, trace, or a script's ``# cma_roce_tos -d
mlx5_0``) or the subject (``node0003/mlx5_0``) names the device. 0 is the kernel's word for *not set*; then no DSCP is told.
The DSCP is the upper six bits of the octet (RFC 2474, section 3). Format: seen in public transcripts; see
`asbuilt.parsers.unproven`.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_roce import ROCE_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, as_utf8
from asbuilt.parsers.told_interface import Interfaces

TOOL = "cma_roce_tos"
_VALUE = re.compile(r"^\s*(\d{1,3})$")
_MARK = re.compile(r"^\s*[#+]*\s*(?:sudo\s+)?(?:\S*/)?cma_roce_tos\b(.*)$")
_OWN = re.compile(rf"{_VALUE.pattern}|{_MARK.pattern}")
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^[^\n]{0,120}\bcma_roce_tos\b[^\n]*\n(?:[\w.-]+: )?\s*\d{1,3}\r?$", re.M)
_PORT = re.compile(r"(?:^|\s)(?:-p|--port)[\s=](\d{1,3})\b")


def sniff(data: bytes) -> bool:
    """True where a number follows this command."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``roce_facts``: ``cma_tos`` and ``cma_dscp`` per device and port (1 where none is named). Never raises."""
    devices = Interfaces("cma_roce_tos", ("-d", "--dev"), subject)
    listener = Listener(as_utf8(data), devices.subject, _OWN)
    rows: list[dict[str, Any]] = []
    ports: dict[tuple[tuple[str | None, ...], int], int] = {}
    for said in listener:
        key = said.speaker.hosts, said.speaker.turn
        if mark := _MARK.match(said.text):
            devices.told(said, mark[1])
            ports[key] = _port(mark[1])
            listener.account.ignore(said.number)
            continue
        found = _VALUE.match(said.text)
        if found is None or int(found[1]) > 255 or not said.closed:
            continue
        port = ports.get(key) or _port(" ".join(said.speaker.command))
        tos = int(found[1])
        for host in said.speaker.hosts:
            who = {
                "device": host,
                "side": "host",
                "interface": devices.of(said),
                "index": port,
                "line": said.number,
                "unit": "",
            }
            rows.append({**who, "setting": "cma_tos", "value": float(tos)})
            if tos:
                rows.append({**who, "setting": "cma_dscp", "value": float(tos >> 2)})
        listener.account.fact(said.number)
    return Facts(fact_rows.table(ROCE_FACTS, rows, capture_id), {capture_id: listener.account.result()}, (), TOOL)


def _port(words: str) -> int:
    found = _PORT.search(words)
    return int(found[1]) if found and 0 < int(found[1]) < 256 else 1
