"""State, speed and MTU of Ethernet interfaces: SONiC's ``show interfaces status``, ``ip link`` of a host, NVUE's JSON.

* SONiC: a table whose head names its columns (they differ by version); cells are two or more blanks apart. ``N/A`` is unknown.
* ``ip link show`` (``ip -d``, ``ip -s`` too): the first line of each interface; its other lines are ignorable. The machine is a
  host unless the interface is a switch port by name (``swp1``, ``Ethernet0``).
* JSON: ``ip -j link show``; or ``nv show interface -o json``, which `nvue_qos` reads.

Formats: see `asbuilt.parsers.unproven`.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_roce import INTERFACE_FACTS
from asbuilt.parsers import fact_rows, nvue_qos
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.json_documents import documents, mapping, text_of

TOOL = "interface-status"
_HEAD = re.compile(r"^\s*Interface\s{2,}Lanes\s{2,}Speed\s{2,}MTU\s{2,}\S.*$")
_RULE = re.compile(r"^\s*-{4,}(?:\s+-{2,})+$")
_ROW = re.compile(r"^\s*(Ethernet\d[\w/.]*|PortChannel\d+|Eth\d[\w/]*)\s{2,}\S.*$")
_LINK = re.compile(r"^\d{1,6}: ([^:@\s]{1,64})(?:@[^:\s]{1,64})?: <([A-Z0-9_,-]*)> mtu (\d{1,6})\b(?:.*\bstate (\w+))?.*$")
_MORE = re.compile(r"^\s{4}\s*\S.*$")
_OWN = re.compile("|".join(p.pattern for p in (_HEAD, _RULE, _ROW, _LINK, _MORE)))
_SNIFFED = 1 << 16
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?\s*Interface\s+Lanes\s+Speed\s+MTU\s|^(?:[\w.-]+: )?\d+: [^:\s]+: <[A-Z0-9_,-]*> mtu \d+", re.M
)
_JSON = re.compile(rb'\A\s*\[\s*\{\s*(?:"[^"]*"\s*:\s*[^,]*,\s*)?"ifname"\s*:')
_SPEED = re.compile(r"^(\d{1,7}(?:\.\d{1,3})?)([MGT])$")
_GBPS = {"M": 1e-3, "G": 1.0, "T": 1e3}
_SWITCH_PORT = re.compile(r"^(?:swp\d|Ethernet\d|sw\d+p\d)")
#: ``state`` of ip link (operational states of RFC 2863) -> up or down; ``UNKNOWN`` is neither.
_OPER = {"UP": "up", "DOWN": "down", "LOWERLAYERDOWN": "down", "DORMANT": "down", "NOTPRESENT": "down"}


def sniff(data: bytes) -> bool:
    """True for a table of SONiC, or lines or JSON of ip link."""
    return bool(_SIGN.search(data[:_SNIFFED])) or bool(_JSON.match(data[:4096]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``interface_facts`` of every interface. Never raises. ``subject``: the device, where the text names none."""
    data = as_utf8(data)
    if not _SIGN.search(data[:_SNIFFED]):
        return _json(data, capture_id, subject)
    listener = Listener(data, subject, _OWN)
    rows: list[dict[str, Any]] = []
    heads: dict[tuple[tuple[str | None, ...], int], list[str]] = {}
    within: set[tuple[str | None, ...]] = set()
    for said in listener:
        hosts = said.speaker.hosts
        key = hosts, said.speaker.turn
        row: dict[str, Any] | None = None
        if _HEAD.match(said.text):
            heads[key] = [c.strip().lower() for c in re.split(r"\s{2,}", said.text.strip())]
            listener.account.ignore(said.number)
        elif _RULE.match(said.text):
            listener.account.ignore(said.number)
        elif link := _LINK.match(said.text):
            within.add(hosts)
            row = _ip_row(link[1], link[2].split(","), int(link[3]), link[4]) if said.closed else None
        elif key in heads and _ROW.match(said.text):
            row = _sonic_row(said, heads[key])
        elif hosts in within and _MORE.match(said.text):
            listener.account.ignore(said.number)
        if row is not None:
            rows += [{**row, "device": host, "line": said.number} for host in hosts]
            listener.account.fact(said.number)
    return Facts(fact_rows.table(INTERFACE_FACTS, rows, capture_id), {capture_id: listener.account.result()}, (), TOOL)


def _ip_row(name: str, flags: list[str], mtu: int, state: str | None) -> dict[str, Any]:
    return {
        "side": "switch" if _SWITCH_PORT.match(name) else "host",
        "interface": name,
        "admin": "up" if "UP" in flags else "down",
        "oper": _OPER.get((state or "").upper()),
        "mtu_bytes": mtu,
        "configured": False,
    }


def _sonic_row(said: Said, head: list[str]) -> dict[str, Any] | None:
    """A row of SONiC's table; None when it has not as many cells as the head, or is cut."""
    cells = re.split(r"\s{2,}", said.text.strip())
    if len(cells) != len(head) or not said.closed:
        return None
    told = {name: cell for name, cell in zip(head, cells, strict=True) if cell not in ("N/A", "")}
    speed = _SPEED.match(
        told.get("oper speed", "") if told.get("oper") == "up" and "oper speed" in told else told.get("speed", "")
    )
    lanes = told.get("lanes")
    return {
        "side": "switch",
        "interface": cells[0],
        "alias": told.get("alias"),
        "admin": told.get("admin", "").lower() or None,
        "oper": told.get("oper", "").lower() or None,
        "speed_gbps": float(speed[1]) * _GBPS[speed[2]] if speed else None,
        "mtu_bytes": fact_rows.whole(told.get("mtu", ""), 65_575),
        "lanes": lanes.count(",") + 1 if lanes else None,
        "fec": told.get("fec"),
        "configured": False,
    }


def _json(data: bytes, capture_id: str, subject: str) -> Facts:
    """``ip -j link show``, or what `nvue_qos` reads."""
    account, found = documents(data, subject)
    rows: list[dict[str, Any]] = []
    for document in found:
        listed = document.value if isinstance(document.value, list) else []
        made = [row for item in listed if (row := _ip_json(mapping(item))) is not None]
        rows += [{**row, "device": document.speaker.hosts[0], "line": document.first} for row in made]
        if made:
            account.fact(*document.lines)
    if not rows:
        return nvue_qos.parse(data, capture_id, subject)
    return Facts(fact_rows.table(INTERFACE_FACTS, rows, capture_id), {capture_id: account.result()}, (), TOOL)


def _ip_json(item: dict[str, Any]) -> dict[str, Any] | None:
    name, flags, mtu = text_of(item.get("ifname")), item.get("flags"), item.get("mtu")
    if not name or not isinstance(mtu, int) or isinstance(mtu, bool) or not 0 <= mtu < 1_000_000:
        return None
    words = [text_of(f) for f in flags] if isinstance(flags, list) else []
    return _ip_row(name, words, mtu, text_of(item.get("operstate")))
