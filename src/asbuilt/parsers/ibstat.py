"""``ibstat``: every NIC port as its own host sees it, one host or a fleet in one capture (`host_lines` says who speaks).

A port's block ends with ``Link layer:``, with the next port or CA, or with a prompt; a block that the end of the capture
cuts gives no fact. A rate is kept as printed: on a port that is down it means nothing (drivers print 10 or 40). GUIDs of 0,
which Ethernet ports have, are unknown GUIDs. What stands behind `` #`` on a line is a remark that somebody added.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import HCA_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Account, Listener, Said, as_utf8

TOOL = "ibstat"
CA = re.compile(r"^\s*CA:?\s+'([^']{1,64})'(?:\s+#.*)?$")
PORT = re.compile(r"^\s*Port\s+(\d{1,3}):(?:\s+#.*)?$")
FIELD = re.compile(
    r"^\s*(CA\s+type|Number\s+of\s+ports|Firmware\s+version|Hardware\s+version|Node\s+GUID|System\s+image\s+GUID"
    r"|State|Physical\s+state|Rate|Base\s+lid|LMC|SM\s+lid|Capability\s+mask|Port\s+GUID|Link\s+layer):(.*)$"
)
OWN = re.compile(rf"{CA.pattern}|{PORT.pattern}|{FIELD.pattern}")
#: Texts of this size are read by whole columns where they can be: a smaller one is done before numpy has begun.
LARGE = 1 << 18
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\s*CA:? '[^'\n]+'\r?$", re.M)
_LAST = "Link layer"
_OF_CA = {"CA type", "Number of ports", "Firmware version", "Hardware version", "Node GUID", "System image GUID"}
RATE = re.compile(r"^(\d{1,5}(?:\.\d{1,3})?)(?:\s+\((FDR10|[SDQFEHNX]DR)\))?$")
LAYERS = {"infiniband": "infiniband", "ib": "infiniband", "ethernet": "ethernet"}


@dataclass(slots=True)
class _Block:
    """The CA and the port that one speaker is at: values by label, and the lines that said them."""

    device: str = ""
    card: dict[str, str] = field(default_factory=dict)
    card_lines: list[int] = field(default_factory=list)
    port: int | None = None
    values: dict[str, str] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)


def sniff(data: bytes) -> bool:
    """True for a text with the line that opens a CA."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``hca_facts`` of every port whose block is whole. Never raises. ``subject``: the host, where the text names none."""
    text = as_utf8(data)
    if len(text) >= LARGE:
        from asbuilt.parsers import ibstat_fast

        fast = ibstat_fast.parse(text, capture_id)
        if fast is not None:
            return fast
    listener = Listener(text, subject, OWN)
    reader = _Reader(listener.account)
    for said in listener:
        reader.hear(said)
    cut = reader.end()
    notes = (f"{capture_id}: the last port is cut: its lines are unread",) if cut else ()
    tables = fact_rows.RowTables({HCA_FACTS.name: (HCA_FACTS, reader.rows)}, capture_id) if reader.rows else {}
    return Facts(tables, {capture_id: listener.account.result()}, notes, TOOL)


class _Reader:
    """Blocks by speaker: the lines of a fleet may come mixed."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.rows: list[dict[str, Any]] = []
        self._blocks: dict[tuple[str | None, ...], tuple[int, _Block]] = {}

    def hear(self, said: Said) -> None:
        turn, block = self._blocks.get(said.speaker.hosts, (said.speaker.turn, _Block()))
        if turn != said.speaker.turn:
            self._close(said.speaker.hosts, block)
            block = _Block()
        self._blocks[said.speaker.hosts] = (said.speaker.turn, block)
        if card := CA.match(said.text):
            self._close(said.speaker.hosts, block)
            fresh = _Block(card[1], card_lines=[said.number])
            self._blocks[said.speaker.hosts] = (said.speaker.turn, fresh if card[1].isprintable() else _Block())
        elif port := PORT.match(said.text):
            self._close(said.speaker.hosts, block)
            if block.device and int(port[1]) <= 255:
                block.port, block.lines = int(port[1]), [said.number]
        elif line := FIELD.match(said.text):
            self._field(said, block, " ".join(line[1].split()), line[2].partition(" #")[0].strip())

    def _field(self, said: Said, block: _Block, label: str, value: str) -> None:
        if label in _OF_CA:
            if block.device and block.port is None and label not in block.card and said.closed:
                block.card[label] = value
                block.card_lines.append(said.number)
            return
        if block.port is None or label in block.values or not (said.closed or (label == _LAST and value.lower() in LAYERS)):
            return
        block.values[label] = value
        block.lines.append(said.number)
        if label == _LAST:
            self._close(said.speaker.hosts, block)

    def _close(self, hosts: tuple[str | None, ...], block: _Block) -> None:
        """The port's block is whole: its rows, one for each host that said it."""
        if block.port is None:
            return
        if "State" in block.values:
            said, card = block.values, block.card
            rate = RATE.match(said.get("Rate", ""))
            row = {
                "device": block.device,
                "port": block.port,
                "node_guid": fact_rows.guid(card.get("Node GUID", "")),
                "port_guid": fact_rows.guid(said.get("Port GUID", "")),
                "system_guid": fact_rows.guid(card.get("System image GUID", "")),
                "type": card.get("CA type") or None,
                "firmware": card.get("Firmware version") or None,
                "link_layer": LAYERS.get(said.get(_LAST, "").lower()),
                "state": fact_rows.state(said["State"]),
                "phys_state": fact_rows.physical(said.get("Physical state", "")),
                "rate_gbps": float(rate[1]) if rate else None,
                "speed": rate[2] if rate else None,
                "lid": fact_rows.whole(said.get("Base lid", ""), 0xFFFF),
                "lmc": fact_rows.whole(said.get("LMC", ""), 7),
                "sm_lid": fact_rows.whole(said.get("SM lid", ""), 0xFFFF),
                "line": block.lines[0],
            }
            self.rows += [{**row, "host": host} for host in hosts]
            self.account.fact(*block.card_lines, *block.lines)
        block.port, block.values, block.lines = None, {}, []

    def end(self) -> bool:
        """True when the capture ends inside a port's block."""
        return any(block.port is not None for _, block in self._blocks.values())
