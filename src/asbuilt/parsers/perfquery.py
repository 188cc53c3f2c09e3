"""``perfquery``: the counters of ports, one or many blocks ``# Port extended counters: Lid 133 port 1`` in one capture.

Every block kind of infiniband-diags is read (``# Port counters``, ``# Port extended counters``, ``# PortRcvErrorDetails
counters`` and the other details): its lines are ``Name:....value`` with dots between. Names that older versions shorten are
written as the standard does (IBTA vol. 1, chapter 16, PortCounters). PortXmitData and PortRcvData count units of 4 bytes.

Whose counters they are: the header's LID and port; the GUID that the command before it asked for (``perfquery -x -G 0x… 1``;
``-G`` takes a port GUID, which is the node's own on switches and most one-port cards), or a capture's subject that is a GUID
(``0x0002c903000d7aac``). A host only where it asked for its own port: a prefix, or a command without a target. An empty
answer is a timeout and says nothing; no counter is taken as zero because it is absent. Times: see `host_lines`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Sequence

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import COUNTER_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, Said, Speaker, as_utf8, host_of_subject

TOOL = "perfquery"
HEAD = re.compile(
    r"^#\s*Port[A-Za-z\s]{0,60}counters:\s+(?:Lid\s+(\d{1,5})|DR\s+path\s+[^\n]{1,300}?)\s+port\s+(\d{1,3})(?:\s+\(.*\))?$"
)
COUNTER = re.compile(r"^([A-Za-z][A-Za-z0-9_]{0,60}):\.*\s*(0x[0-9a-fA-F]{1,16}|[0-9]{1,20})$")
OWN = re.compile(rf"{HEAD.pattern}|^[A-Za-z][A-Za-z0-9_]{{0,60}}:\.+\s*\S*$")
#: Texts of this size are read by whole columns where they can be: a smaller one is done before numpy has begun.
LARGE = 1 << 18
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^(?:[\w.-]+: )?# Port[A-Za-z ]*counters: (?:Lid \d|DR path)", re.M)
#: Lines that say what was asked, not what was counted.
SELECTORS = {"PortSelect", "CounterSelect", "CounterSelect2"}
#: Names in infiniband-diags before 1.4 (libibmad's dump of PortCounters) -> names in the standard.
OLD_NAMES = {
    "SymbolErrors": "SymbolErrorCounter",
    "LinkRecovers": "LinkErrorRecoveryCounter",
    "LinkDowned": "LinkDownedCounter",
    "RcvErrors": "PortRcvErrors",
    "RcvRemotePhysErrors": "PortRcvRemotePhysicalErrors",
    "RcvSwRelayErrors": "PortRcvSwitchRelayErrors",
    "XmtDiscards": "PortXmitDiscards",
    "XmtConstraintErrors": "PortXmitConstraintErrors",
    "RcvConstraintErrors": "PortRcvConstraintErrors",
    "LinkIntegrityErrors": "LocalLinkIntegrityErrors",
    "ExcBufOverrunErrors": "ExcessiveBufferOverrunErrors",
    "XmtData": "PortXmitData",
    "RcvData": "PortRcvData",
    "XmtBytes": "PortXmitData",
    "RcvBytes": "PortRcvData",
    "XmtPkts": "PortXmitPkts",
    "RcvPkts": "PortRcvPkts",
    "XmtWait": "PortXmitWait",
}
#: Options of perfquery that take a value.
_VALUED = set("CPtyszGKLDmo") | {"--Ca", "--Port", "--timeout", "--node-name-map", "--config", "--smlid", "--m_key"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asked: the GUID or LID of the port, or nothing (its own), and the device it went out by."""

    guid: str | None = None
    target: bool = False
    device: str | None = None
    by_guid: bool = False


def sniff(data: bytes) -> bool:
    """True for a text with the header of a block."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def asked(words: Sequence[str]) -> Asked:
    """What ``perfquery`` with these words asks; of another command nothing is known."""
    if not words or words[0].rpartition("/")[2] != "perfquery":
        return Asked()
    by_guid, device, rest = False, None, []
    skip = ""
    for word in words[1:]:
        if skip:
            device = word if skip in ("C", "--Ca") else device
            skip = ""
        elif word.startswith("--"):
            name = word.partition("=")[0]
            by_guid = by_guid or name == "--Guid"
            skip = name if name in _VALUED and "=" not in word else ""
        elif word.startswith("-") and len(word) > 1:
            by_guid = by_guid or "G" in word
            skip = word[-1] if word[-1] in _VALUED - set("GLD") else ""
        else:
            rest.append(word)
    return Asked(fact_rows.guid(rest[0]) if rest and by_guid else None, bool(rest), device if not rest else None, by_guid)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``counter_facts``, a row per counter. Never raises; lines that are no counter of a block are unread."""
    name, time = host_of_subject(subject)
    guid = fact_rows.guid(name) if name and name.lower().startswith("0x") else None
    text = as_utf8(data)
    if len(text) >= LARGE:
        from asbuilt.parsers import perfquery_fast

        fast = perfquery_fast.parse(text, capture_id, None if guid else name, guid, time)
        if fast is not None:
            return fast
    listener = Listener(text, f"@{time}" if guid and time else "" if guid else subject, OWN)
    rows: list[dict[str, Any]] = []
    blocks: dict[tuple[str | None, ...], tuple[int, list[dict[str, Any]]]] = {}
    for said in listener:
        if head := HEAD.match(said.text):
            if said.closed and int(head[2]) <= 255:
                blocks[said.speaker.hosts] = (said.speaker.turn, _whose(head, said.speaker, guid))
                listener.account.ignore(said.number)
            else:
                blocks.pop(said.speaker.hosts, None)
            continue
        turn, whose = blocks.get(said.speaker.hosts, (-1, []))
        found = COUNTER.match(said.text)
        if found is None or turn != said.speaker.turn or not said.closed:
            continue
        if found[1] in SELECTORS:
            listener.account.ignore(said.number)
            continue
        rows += _row(whose, found, said)
        listener.account.fact(said.number)
    tables = fact_rows.table(COUNTER_FACTS, rows, capture_id)
    return Facts(tables, {capture_id: listener.account.result()}, (), TOOL)


def _whose(head: re.Match[str], speaker: Speaker, guid: str | None) -> list[dict[str, Any]]:
    """Whose counters a block holds, once for each host that gave the same answer."""
    words = asked(speaker.command)
    lid = fact_rows.whole(head[1] or "", 0xFFFF)
    whose = {"guid": words.guid or guid, "lid": lid, "port": int(head[2]), "device": words.device}
    return [{**whose, "host": None if words.target else host} for host in speaker.hosts]


def _row(whose: list[dict[str, Any]], found: re.Match[str], said: Said) -> list[dict[str, Any]]:
    value = int(found[2], 16) if found[2].startswith("0x") else int(found[2])
    row = {"counter": OLD_NAMES.get(found[1], found[1]), "value": float(value), "time": said.speaker.time, "line": said.number}
    return [{**one, **row} for one in whose]
