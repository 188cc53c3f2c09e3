"""``ibqueryerrors``: the counters of ports that are past a threshold.

Only bad ports are listed: a port that is absent is within the thresholds of that run, not at zero. The line ``port ALL`` sums
up its node and is ignorable, as are thresholds, suppressed counters, ``Link info`` and the summary. Each counter stands in
brackets of its own (``[SymbolErrorCounter == 300]``, ``[PortXmitData == 26254 (105.016KB)]``) and is read when its bracket is
closed. GUIDs are printed without leading zeros. PortXmitData and PortRcvData count units of 4 bytes.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import COUNTER_FACTS, NAME_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.perfquery import OLD_NAMES

TOOL = "ibqueryerrors"
_NODE = re.compile(r'^Errors for (?:(0x[0-9a-fA-F]{1,16}) )?"([^"]{0,128})"$')
_PORT = re.compile(r"^\s*GUID (0x[0-9a-fA-F]{1,16}) port (\d{1,3}|ALL):(.*)$")
_COUNTER = re.compile(r"\[(\w{1,64}) == (\d{1,20})(?: \([\d.]{1,24}\s?[KMGTPE]?i?B\))?\]")
_REST = re.compile(r"^\s*(?:##.*|Link info:.*|\(Could be.*|\d+ nodes checked.*)$")
_OWN = re.compile(rf"{_NODE.pattern}|{_PORT.pattern}|{_REST.pattern}")
_SNIFFED = 1 << 16
_SIGN = re.compile(
    rb'^(?:[\w.-]+: )?(?:Errors for (?:0x[0-9a-fA-F]+ )?"|\s*GUID 0x[0-9a-fA-F]+ port (?:\d+|ALL): \['
    rb"|## Summary: \d+ nodes checked, \d+ bad nodes found)",
    re.M,
)


def sniff(data: bytes) -> bool:
    """True for a text with a bad node, a bad port, or the summary."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``counter_facts`` of the bad ports, ``name_facts`` of the bad nodes. Never raises."""
    listener = Listener(as_utf8(data), subject, _OWN)
    counters: list[dict[str, Any]] = []
    names: list[dict[str, Any]] = []
    for said in listener:
        if node := _NODE.match(said.text):
            names.append({"guid": fact_rows.guid(node[1] or ""), "description": node[2], "line": said.number})
            listener.account.fact(said.number)
        elif port := _PORT.match(said.text):
            found = [] if port[2] == "ALL" else _counters(said, port)
            counters += found
            if found:
                listener.account.fact(said.number)
            elif port[2] == "ALL" and said.closed:
                listener.account.ignore(said.number)
        elif _REST.match(said.text):
            listener.account.ignore(said.number)
    tables = fact_rows.table(COUNTER_FACTS, counters, capture_id) | fact_rows.table(NAME_FACTS, names, capture_id)
    return Facts(tables, {capture_id: listener.account.result()}, (), TOOL)


def _counters(said: Said, port: re.Match[str]) -> list[dict[str, Any]]:
    guid, number = fact_rows.guid(port[1]), int(port[2])
    if number > 255:
        return []
    whose = {"guid": guid, "port": number, "time": said.speaker.time, "line": said.number}
    pairs = _COUNTER.findall(port[3])
    return [{**whose, "counter": OLD_NAMES.get(name, name), "value": float(value)} for name, value in pairs]
