"""Neighbour tables of lldpd: ``lldpcli -f json`` and ``-f json0 show neighbors`` (also written ``lldpctl -f json``).

The table does not name the switch that it was taken on: that is the capture's subject. LLDP knows no GUIDs, so devices
get a made key: ``fe`` and 14 hex digits of a hash of the system name (of name and interface for a NIC port). A system
that answers with its installer's name (``localhost``) is keyed by its chassis id instead, which no two devices share.
Every record (one neighbour of one interface) is accounted for: a fact, ignorable (another protocol), or unread.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Iterator

from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS, MADE_GUID, UNNAMED_SYSTEM, Facts, LineAccount
from asbuilt.parsers.json_documents import text_of

if TYPE_CHECKING:
    import polars as pl

TOOL = "lldpctl"
_PORT = re.compile(r"^(?:swp|Ethernet|Eth|etp)(?:1/)?(\d{1,4})$")
_UNNAMED = re.compile(rf"(?i)(?:{UNNAMED_SYSTEM})$")
_UNREAD_KEPT = 50


def sniff(data: bytes) -> bool:
    """True for a text that opens as lldpd's JSON does."""
    head = data[:4096].lstrip()
    return head.startswith(b"{") and b'"lldp"' in head[:200]


def made_guid(*words: str) -> str:
    """The stand-in for a GUID of a device that LLDP names: 16 hex digits, equal for equal words."""
    return MADE_GUID + hashlib.blake2b("\0".join(words).encode(), digest_size=7).hexdigest()


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of one switch's neighbour table. ``subject`` is the system name of the switch that it was taken on.

    Never raises: text that is not JSON, or a table without a subject, is one unread record and a note.
    """
    subject = text_of(subject)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        return _unreadable(f"not JSON: {str(error)[:120]}", data, capture_id)
    if not isinstance(document, dict) or "lldp" not in document:
        return _unreadable("JSON, but no neighbour table of lldpd: it has no `lldp` at the top", data, capture_id)
    if not subject:
        return _unreadable("the table does not name its switch: give the switch as subject in capture.json", data, capture_id)
    rows: list[dict[str, Any]] = []
    unread: list[tuple[int, str]] = []
    total = ignorable = 0
    taken: set[int] = set()
    for total, (interface, record) in enumerate(_records(document), start=1):
        if isinstance(record, dict) and record.get("via", "LLDP") != "LLDP":
            ignorable += 1
            continue
        row = _row(interface, record)
        if isinstance(row, str):
            unread.append((total, row))
        elif row["port"] in taken:
            unread.append((total, f"a second neighbour on {interface}"))
        else:
            taken.add(row["port"])
            rows.append({**row, "guid": made_guid(subject), "line": total, "capture_id": capture_id})
    account = LineAccount(total, len(rows), ignorable, len(unread), tuple(unread[:_UNREAD_KEPT]))
    notes = () if total else (f"{subject}: no neighbour at all",)
    return Facts(_frames(rows, subject, capture_id), {capture_id: account}, notes, TOOL)


def _unreadable(why: str, data: bytes, capture_id: str) -> Facts:
    record = () if not data else ((1, why),)
    return Facts({}, {capture_id: LineAccount(len(record), 0, 0, len(record), record)}, (why,), TOOL)


def _records(document: Any) -> Iterator[tuple[str, Any]]:
    """(interface name, record) of both forms; one interface may stand without its list in the plain form."""
    root = document.get("lldp") if isinstance(document, dict) else None
    for block in root if isinstance(root, list) else [root]:
        interfaces = block.get("interface", []) if isinstance(block, dict) else []
        for item in interfaces if isinstance(interfaces, list) else [interfaces]:
            if isinstance(item, dict) and isinstance(item.get("name"), str):
                yield item["name"], item
            elif isinstance(item, dict):
                yield from ((str(name), record) for name, record in item.items())
            else:
                yield "?", item


def _row(interface: str, record: Any) -> dict[str, Any] | str:
    """A link row, or the reason why the record gives none."""
    match = _PORT.match(interface)
    if match is None:
        return f"interface {interface[:40]!a} has no port number that we can read"
    if not isinstance(record, dict):
        return "not a record"
    name, own, capabilities = _chassis(record.get("chassis"))
    port = _first(_first(record.get("port")).get("id"))
    far = text_of(port.get("value"))
    if not name or not far:
        return f"{interface}: the neighbour gives no name or no port"
    number = _PORT.match(far)
    bridge = any(c.get("enabled") is True and c.get("type") in ("Bridge", "Router") for c in capabilities)
    if bridge or number is not None:
        if number is None:
            return f"{interface}: neighbour {name[:40]} is a switch, its port {far[:40]!r} has no number that we can read"
        peer = {"peer_guid": made_guid(own), "peer_port": int(number[1]), "peer_description": name, "peer_kind": "switch"}
    else:
        peer = {"peer_guid": made_guid(own, far), "peer_port": 1, "peer_description": f"{name} {far}", "peer_kind": "ca"}
    return {"port": int(match[1]), **peer}


def _first(value: Any) -> dict[str, Any]:
    """The object itself, or the first of a list of objects; an empty one when there is none."""
    item = value[0] if isinstance(value, list) and value else value
    return item if isinstance(item, dict) else {}


def _chassis(value: Any) -> tuple[str, str, list[dict[str, Any]]]:
    """System name, the word to key it by, and capabilities of a neighbour, in either form of the table.

    Without a name its chassis id stands for it; a name that an installer gave is kept, but keyed by the chassis id.
    """
    chassis = _first(value)
    said = _first(chassis.get("name")).get("value")
    if said is None and "id" not in chassis and len(chassis) == 1:
        said, inner = next(iter(chassis.items()))
        chassis = inner if isinstance(inner, dict) else {}
    id = text_of(_first(chassis.get("id")).get("value"))
    name = text_of(said) if isinstance(said, str) else id
    listed = chassis.get("capability", [])
    capabilities = [c for c in (listed if isinstance(listed, list) else [listed]) if isinstance(c, dict)]
    return name, id if id and _UNNAMED.match(name.strip()) else name, capabilities


def _frames(rows: list[dict[str, Any]], subject: str, capture_id: str) -> dict[str, pl.DataFrame]:
    """`LINK_FACTS` of the switch's side, `DEVICE_FACTS` of the switch and of every neighbour.

    A large fabric has thousands of these small tables: each is built in one step, without a query.
    """
    import polars as pl

    if not rows:
        return {}
    devices = {rows[0]["guid"]: _device(rows[0]["guid"], "switch", subject, max(r["port"] for r in rows), 1)}
    for row in rows:
        known = devices.get(row["peer_guid"])
        if known is None:
            words = (row["peer_guid"], row["peer_kind"], row["peer_description"], row["peer_port"], row["line"])
            devices[row["peer_guid"]] = _device(*words)
        else:
            known["ports"] = max(known["ports"], row["peer_port"])
    listed = [{**devices[guid], "capture_id": capture_id} for guid in sorted(devices)]
    links = [{name: row.get(name) for name in LINK_FACTS.names} for row in rows]
    return {
        "device_facts": pl.DataFrame(listed, schema=DEVICE_FACTS.polars(), orient="row"),
        "link_facts": pl.DataFrame(links, schema=LINK_FACTS.polars(), orient="row"),
    }


def _device(guid: str, kind: str, description: str, ports: int, line: int) -> dict[str, Any]:
    blank = dict.fromkeys(DEVICE_FACTS.names)
    return {**blank, "guid": guid, "kind": kind, "description": description, "ports": ports, "line": line}
