"""The link list of ibdiagnet 1 and of OpenSM (``ibdiagnet.lst``, ``opensm-subnet.lst``): one line per end of a link.

A line is two ends in braces and the link: ``{ SW Ports:08 SystemGUID:… NodeGUID:… PortGUID:… VenID:… DevID:… Rev:…
{description} LID:0002 PN:05 } { … } PHY=4x LOG=ACT SPD=5``. LIDs and port numbers are hexadecimal (ibdm's writer prints
``%04X`` and ``%02X``); ``SPD`` is Gb/s of one lane, ``??`` where the writer did not know it. Ports that
are down are not listed.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import NAME_FACTS, PORT_FACTS
from asbuilt.model.link_speeds import LANE_GBPS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, as_utf8

TOOL = "ibdiagnet-lst"
_END = (
    r"\{ (?P<kind{n}>SW|CA|CA-SM|SW-SM|RT) Ports:(?P<ports{n}>[0-9a-fA-F]{{1,2}}) SystemGUID:(?P<system{n}>[0-9a-fA-F]{{1,16}})"
    r" NodeGUID:(?P<node{n}>[0-9a-fA-F]{{1,16}}) PortGUID:(?P<port_guid{n}>[0-9a-fA-F]{{1,16}})"
    r" VenID:[0-9a-fA-F]{{1,8}} DevID:[0-9a-fA-F]{{1,8}} Rev:[0-9a-fA-F]{{1,8}} \{{(?P<name{n}>.{{0,200}}?)\}}"
    r" LID:(?P<lid{n}>[0-9a-fA-F]{{1,4}}) PN:(?P<pn{n}>[0-9a-fA-F]{{1,2}}) \}}"
)
_LINE = re.compile(
    "^" + _END.replace(r"\{ (?P", r"\{{ (?P").format(n=1) + " " + _END.replace(r"\{ (?P", r"\{{ (?P").format(n=2)
    + r" PHY=(\d{1,2})x LOG=([A-Z]{3})(?: SPD=([\d.]{1,6}|\?\?))?$"
)  # fmt: skip
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^\{ (?:SW|CA|CA-SM|SW-SM|RT) Ports:[0-9a-fA-F]+ SystemGUID:", re.M)
_STATES = {"ACT": "active", "INI": "init", "ARM": "armed", "DWN": "down"}
#: Gb/s of one lane, as printed -> speed word; 10 is QDR (FDR10 has its rate too, and this list can't tell them apart).
_SPEEDS = {f"{gbps:g}": word for word, gbps in LANE_GBPS.items() if word != "FDR10"}


def sniff(data: bytes) -> bool:
    """True for a text that opens a line as this list does."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``port_facts``, a row per line, and ``name_facts`` of each node where it is first told. Never raises."""
    listener = Listener(as_utf8(data), "", _LINE)
    ports: list[dict[str, Any]] = []
    names: dict[str, dict[str, Any]] = {}
    for said in listener:
        found = _LINE.match(said.text)
        if found is None or not said.closed:
            continue
        guid, peer = fact_rows.guid(found["node1"]), fact_rows.guid(found["node2"])
        if guid is None or peer is None:
            listener.account.unread(said.number, "a node without a GUID")
            continue
        *_, width, state, speed = found.groups()
        ports.append(
            {
                "guid": guid,
                "lid": int(found["lid1"], 16) or None,
                "port": int(found["pn1"], 16),
                "port_guid": fact_rows.guid(found["port_guid1"]),
                "kind": _kind(found["kind1"]),
                "description": found["name1"],
                "state": _STATES.get(state),
                "width": int(width),
                "speed": _SPEEDS.get(speed or ""),
                "peer_guid": peer,
                "peer_lid": int(found["lid2"], 16) or None,
                "peer_port": int(found["pn2"], 16),
                "peer_description": found["name2"],
                "line": said.number,
            }
        )
        if guid not in names:
            names[guid] = _name(found, guid, said.number)
        listener.account.fact(said.number)
    tables = fact_rows.table(PORT_FACTS, ports, capture_id) | fact_rows.table(NAME_FACTS, [*names.values()], capture_id)
    return Facts(tables, {capture_id: listener.account.result()}, (), TOOL)


def _kind(word: str) -> str:
    return {"SW": "switch", "CA": "ca", "RT": "router"}[word[:2]]


def _name(found: re.Match[str], guid: str, line: int) -> dict[str, Any]:
    """The node of a line's first end."""
    return {
        "guid": guid,
        "lid": int(found["lid1"], 16) or None,
        "kind": _kind(found["kind1"]),
        "description": found["name1"],
        "ports": int(found["ports1"], 16),
        "port_guid": fact_rows.guid(found["port_guid1"]),
        "system_guid": fact_rows.guid(found["system1"]),
        "line": line,
    }
