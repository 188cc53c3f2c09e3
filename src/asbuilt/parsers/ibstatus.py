"""``ibstatus``: every NIC port as its own host sees it, in blocks of ``Infiniband device 'mlx5_0' port 1 status:``.

The grammar is that of the shell script ``ibstatus`` in infiniband-diags, which prints what the kernel's sysfs says: states
as ``4: ACTIVE``, LIDs in hexadecimal, the rate with lanes and speed word (``400 Gb/sec (4X NDR)``). A block ends with
``link_layer:``, with the next block, or with a prompt; one that the end of the capture cuts gives no fact.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import HCA_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Account, Listener, Said, as_utf8

TOOL = "ibstatus"
_HEAD = re.compile(r"^\s*Infiniband device '([^']{1,64})' port (\d{1,3}) status:$")
_FIELD = re.compile(r"^\s*(default gid|base lid|sm lid|state|phys state|rate|link_layer):(.*)$")
_OWN = re.compile(rf"{_HEAD.pattern}|{_FIELD.pattern}")
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\s*Infiniband device '[^'\n]+' port \d+ status:", re.M)
_RATE = re.compile(r"^(\d{1,5}(?:\.\d{1,3})?) Gb/sec(?: \((\d{1,2})X(?: ([A-Z]{1,3}DR(?:10)?))?\))?$")
_STATE = re.compile(r"^\d+: ?(\S.*)$")
_GID = re.compile(r"^(?:[0-9a-f]{4}:){4}([0-9a-f]{4}):([0-9a-f]{4}):([0-9a-f]{4}):([0-9a-f]{4})$")
_LAYERS = {"infiniband": "infiniband", "ethernet": "ethernet"}
_LAST = "link_layer"


def sniff(data: bytes) -> bool:
    """True for a text with the line that opens a device."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``hca_facts`` of every whole block. Never raises. ``subject``: the host, where the text names none.

    The port GUID is the interface part of the default GID (IBTA vol. 1, section 4.1.1) on an InfiniBand port.
    """
    listener = Listener(as_utf8(data), subject, _OWN)
    reader = _Reader(listener.account)
    for said in listener:
        reader.hear(said)
    cut = bool(reader.open)
    notes = (f"{capture_id}: the last port is cut: its lines are unread",) if cut else ()
    return Facts(fact_rows.table(HCA_FACTS, reader.rows, capture_id), {capture_id: listener.account.result()}, notes, TOOL)


class _Reader:
    """The block that each speaker is at: turn, device, port, values by label, lines."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.rows: list[dict[str, Any]] = []
        self.open: dict[tuple[str | None, ...], tuple[int, str, int, dict[str, str], list[int]]] = {}

    def hear(self, said: Said) -> None:
        hosts = said.speaker.hosts
        if hosts in self.open and self.open[hosts][0] != said.speaker.turn:
            self._close(hosts)
        if head := _HEAD.match(said.text):
            self._close(hosts)
            if int(head[2]) <= 255 and head[1].isprintable():
                self.open[hosts] = (said.speaker.turn, head[1], int(head[2]), {}, [said.number])
            return
        line = _FIELD.match(said.text)
        if line is None or hosts not in self.open:
            return
        *_, values, lines = self.open[hosts]
        label, value = line[1], line[2].strip()
        if label in values or not (said.closed or (label == _LAST and value.lower() in _LAYERS)):
            return
        values[label] = value
        lines.append(said.number)
        if label == _LAST:
            self._close(hosts)

    def _close(self, hosts: tuple[str | None, ...]) -> None:
        block = self.open.pop(hosts, None)
        if block is None or "state" not in block[3]:
            return
        _, device, port, said, lines = block
        rate = _RATE.match(said.get("rate", ""))
        layer = _LAYERS.get(said.get(_LAST, "").lower())
        gid = _GID.match(said.get("default gid", "").lower())
        row = {
            "device": device,
            "port": port,
            "port_guid": fact_rows.guid("".join(gid.groups())) if gid and layer != "ethernet" else None,
            "link_layer": layer,
            "state": fact_rows.state(_word(said["state"])),
            "phys_state": fact_rows.physical(_word(said.get("phys state", ""))),
            "rate_gbps": float(rate[1]) if rate else None,
            "width": int(rate[2]) if rate and rate[2] else None,
            "speed": rate[3] if rate else None,
            "lid": fact_rows.whole(said.get("base lid", ""), 0xFFFF),
            "sm_lid": fact_rows.whole(said.get("sm lid", ""), 0xFFFF),
            "line": lines[0],
        }
        self.rows += [{**row, "host": host} for host in hosts]
        self.account.fact(*lines)


def _word(text: str) -> str:
    """``ACTIVE`` of ``4: ACTIVE``."""
    found = _STATE.match(text)
    return found[1] if found else text
