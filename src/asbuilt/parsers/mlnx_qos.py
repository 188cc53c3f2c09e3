"""``mlnx_qos -i INTERFACE``: what a NIC port does with priorities, as its own host sees it.

The interface is the ``-i`` of the command before the output: a prompt, a trace (``+ mlnx_qos -i eth2 …``) or a line that a
script writes (``# mlnx_qos -i eth2``, also behind a pdsh prefix); else the part of the subject behind a slash
(``node0003/eth2``). Where one interface is told several times, as by scripts that set it step by step, the last one stands.
Format: seen in public transcripts of MLNX_OFED 4.2 to 5.x and in NVIDIA's manual; see `asbuilt.parsers.unproven`.
"""

from __future__ import annotations

import re
from typing import Any, Iterator

from asbuilt.model.facts import Facts
from asbuilt.model.facts_roce import ROCE_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, as_utf8
from asbuilt.parsers.told_interface import Interfaces

TOOL = "mlnx_qos"
_TRUST = re.compile(r"^\s*Priority trust state:\s*(\S+)$")
_DSCP = re.compile(r"^\s*prio:([0-7])\s+dscp:([0-9, ]{1,300})$")
_BUFFERS = re.compile(r"^\s*Receive buffer size \(bytes\):\s*([0-9, ]{1,300}?)(?:,?\s*(?:max_buffer_size|total_size)=\d+,?)?$")
_CABLE = re.compile(r"^\s*Cable len:\s*(\d{1,6})(?:\.0+)?\s*m?$")
_PER_PRIORITY = re.compile(r"^\s*(enabled|buffer)\s+((?:\d{1,3}\s+){7}\d{1,3})$")
_CLASS = re.compile(
    r"^\s*tc:\s*([0-7])\s+ratelimit:\s*(unlimited|[\d.]{1,12}\s*(?:Gbps|Mbps|Kbps))\s*,\s*tsa:\s*(\w+)(?:\s*,\s*bw:\s*(\d{1,3})%)?$"
)
_PRIORITY = re.compile(r"^\s*priority:\s*([0-7])$")
_REST = re.compile(
    r"^\s*(?:DCBX mode:.*|default priority:.*|dscp2prio mapping:|PFC configuration:|priority\s+0\s+1\s+2\s+3\s+4\s+5\s+6\s+7"
    r"|(?:up|skprio|skprio2up mapping|tos):.*)$"
)
_LINES = (_TRUST, _DSCP, _BUFFERS, _CABLE, _PER_PRIORITY, _CLASS, _PRIORITY, _REST)
_MARK = re.compile(r"^\s*[#+]*\s*(?:sudo\s+)?(?:\S*/)?mlnx_qos\b(.*)$")
_OWN = re.compile("|".join(p.pattern for p in (*_LINES, _MARK)))
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\s*(?:Priority trust state:|dscp2prio mapping:|PFC configuration:)", re.M)
_GBPS = {"Gbps": 1.0, "Mbps": 1e-3, "Kbps": 1e-6}
_SETTINGS = {"enabled": "pfc", "buffer": "priority_to_buffer"}
_TRUSTED = {"dscp": "dscp", "pcp": "pcp", "both": "both"}
Row = dict[str, Any]


def sniff(data: bytes) -> bool:
    """True for a text with a title that only mlnx_qos prints."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``roce_facts`` of every interface in the capture. Never raises. ``subject``: ``HOST`` or ``HOST/INTERFACE``."""
    interfaces = Interfaces("mlnx_qos", ("-i", "--interface"), subject)
    listener = Listener(as_utf8(data), interfaces.subject, _OWN)
    rows: list[Row] = []
    classes: dict[tuple[str | None, ...], tuple[str | None, int]] = {}
    for said in listener:
        hosts = said.speaker.hosts
        if mark := _MARK.match(said.text):
            interfaces.told(said, mark[1])
            classes.pop(hosts, None)
            listener.account.ignore(said.number)
            continue
        if not said.closed:
            continue
        interface = interfaces.of(said)
        if opened := _CLASS.match(said.text):
            classes[hosts] = (interface, int(opened[1]))
        elif not _PRIORITY.match(said.text):
            classes.pop(hosts, None)
        held, tc = classes.get(hosts, (None, -1))
        made = list(_rows(said.text, tc if held == interface else -1))
        for host in hosts:
            rows += [{"device": host, "side": "host", "interface": interface, "line": said.number, **row} for row in made]
        if made:
            listener.account.fact(said.number)
        elif _REST.match(said.text):
            listener.account.ignore(said.number)
    return Facts(fact_rows.table(ROCE_FACTS, rows, capture_id), {capture_id: listener.account.result()}, (), TOOL)


def _rows(text: str, tc: int) -> Iterator[Row]:
    """The settings that one line tells; ``tc`` is the class whose priorities are being listed, -1 for none."""
    if trust := _TRUST.match(text):
        yield {"setting": "trust", "text": _TRUSTED.get(trust[1].lower(), trust[1].lower()[:40]), "unit": ""}
    elif points := _DSCP.match(text):
        numbers = [int(n) for n in re.findall(r"\d+", points[2])]
        if all(n < 64 for n in numbers):
            yield from ({"setting": "dscp_to_priority", "index": n, "value": float(points[1]), "unit": ""} for n in numbers)
    elif sizes := _BUFFERS.match(text):
        bytes_ = enumerate(re.findall(r"\d{1,12}", sizes[1])[:8])
        yield from ({"setting": "buffer_bytes", "index": i, "value": float(n), "unit": "bytes"} for i, n in bytes_)
    elif cable := _CABLE.match(text):
        yield {"setting": "cable_length_m", "value": float(cable[1]), "unit": "m"}
    elif each := _PER_PRIORITY.match(text):
        setting, values = _SETTINGS[each[1]], enumerate(each[2].split())
        yield from ({"setting": setting, "index": i, "value": float(n), "unit": ""} for i, n in values)
    elif found := _CLASS.match(text):
        yield from _class(found)
    elif (priority := _PRIORITY.match(text)) and tc >= 0:
        yield {"setting": "priority_to_tc", "index": int(priority[1]), "value": float(tc), "unit": ""}


def _class(found: re.Match[str]) -> Iterator[Row]:
    number = int(found[1])
    yield {"setting": "tc_algorithm", "index": number, "text": found[3].lower()[:40], "unit": ""}
    if found[4]:
        yield {"setting": "tc_bandwidth_percent", "index": number, "value": float(found[4]), "unit": "%"}
    limit = re.match(r"^([\d.]+)\s*([GMK]bps)$", found[2])
    value = fact_rows.real(limit[1]) if limit else None
    if limit and value is not None:
        yield {"setting": "tc_limit_gbps", "index": number, "value": value * _GBPS[limit[2]], "unit": "Gb/s"}
