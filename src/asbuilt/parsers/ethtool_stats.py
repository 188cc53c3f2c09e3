"""``ethtool -S INTERFACE``: pause frames, discards and errors of an Ethernet port, host or switch.

A driver prints hundreds of counters under its own names; those that tell of flow control, congestion, loss or the physical
link become `COUNTER_FACTS` under the name as printed (`TELLING`), the others are ignorable. The interface is that of the
command before the output (prompt, trace, or a script's ``# ethtool -S eth2``), else the part of the subject behind a slash.
Format: ethtool prints it, see its manual page; names are those of mlx5 (Documentation/networking of the kernel, "ethtool
counters"). See `asbuilt.parsers.unproven`.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import COUNTER_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, as_utf8
from asbuilt.parsers.told_interface import Interfaces

TOOL = "ethtool"
#: Names of counters that are kept.
TELLING = re.compile(
    r"pause|pfc|discard|drop|ecn|cnp|out_of_buffer|out_of_sequence|prio\d|link_down|symbol|crc|fec|corrected|_err|error|storm"
    r"|stall|congest|(?:rx|tx)_(?:bytes|packets)(?:_phy)?$"
)
_COUNTER = re.compile(r"^\s*((?:\[\d{1,4}\]: ?)?\S[^:\n]{0,100}?):\s+(\d{1,20})$")
_TITLE = re.compile(r"^\s*NIC statistics:$")
_MARK = re.compile(r"^\s*[#+]*\s*(?:sudo\s+)?(?:\S*/)?ethtool\b(?=.*(?:-S|--statistics)\b)(.*)$")
_OWN = re.compile(rf"{_TITLE.pattern}|{_COUNTER.pattern}|{_MARK.pattern}")
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\s*NIC statistics:\r?$", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with ethtool's title of statistics."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``counter_facts`` with host and interface. Never raises; a counter before any title is unread."""
    interfaces = Interfaces("ethtool", ("-S", "--statistics"), subject)
    listener = Listener(as_utf8(data), interfaces.subject, _OWN)
    rows: list[dict[str, Any]] = []
    titled: set[tuple[tuple[str | None, ...], int]] = set()
    for said in listener:
        key = said.speaker.hosts, said.speaker.turn
        if mark := _MARK.match(said.text):
            interfaces.told(said, mark[1])
            titled.discard(key)
            listener.account.ignore(said.number)
        elif _TITLE.match(said.text):
            titled.add(key)
            listener.account.ignore(said.number)
        elif (found := _COUNTER.match(said.text)) and said.closed and key in titled:
            if not TELLING.search(found[1]):
                listener.account.ignore(said.number)
                continue
            row = {"device": interfaces.of(said), "counter": found[1], "value": float(found[2]), "time": said.speaker.time}
            rows += [{**row, "host": host, "line": said.number} for host in said.speaker.hosts]
            listener.account.fact(said.number)
    return Facts(fact_rows.table(COUNTER_FACTS, rows, capture_id), {capture_id: listener.account.result()}, (), TOOL)
