"""``ibnetdiscover -p``: the ports report, one line per port, with LIDs, port GUIDs and names.

It names a channel adapter by its port GUID and has no system GUIDs; ports that are down are listed without a peer. A port
with a peer is linked up; of one without, the report does not say why, and the width and speed it prints mean nothing.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS, Facts, LineAccount
from asbuilt.model.facts_subnet import PORT_FACTS

TOOL = "ibnetdiscover-p"
_SIDE = r"(CA|SW|RT)\s+(\d{1,6})\s+(\d{1,3})\s+0x([0-9a-fA-F]{1,16})"
_LINE = re.compile(_SIDE + r"\s+(\d+x|\?\?)\s*(\S+)(?:\s+-\s+" + _SIDE + r"\s+\(\s(.*)\s\)\s*|\s+(.*))$")
_START = re.compile(rb"\s*(?:CA|SW|RT)\s+\d{1,6}\s+\d{1,3}\s+0x[0-9a-fA-F]{1,16}\s+(?:\d+x|\?\?)")
_KINDS = {"CA": "ca", "SW": "switch", "RT": "router"}
_LONGEST = 1 << 20
_SHOWN, _KEPT = 200, 1000
_REPORTED = (
    *("guid", "lid", "port", "port_guid", "kind", "description", "phys_state", "width", "speed"),
    *("peer_guid", "peer_lid", "peer_port", "peer_description", "line"),
)


def looks_like(data: bytes) -> bool:
    """True when the first line with text is a line of the ports report."""
    return bool(_START.match(data[:4096]))


def parse(data: bytes, capture_id: str) -> Facts:
    """Facts of one ports report (UTF-8 bytes). A port that is down gives no link; its line is still a fact of its device."""
    import polars as pl

    devices: dict[str, dict[str, object]] = {}
    links: dict[tuple[str, int], dict[str, object]] = {}
    ports: dict[tuple[str, int], tuple[object, ...]] = {}
    unread: list[tuple[int, str]] = []
    facts = ignorable = down = 0
    lines = data.split(b"\n")
    cut = bool(lines[-1])
    if not cut:
        lines.pop()
    for number, raw in enumerate(lines, start=1):
        text = raw.decode("utf-8", "replace").rstrip("\r") if len(raw) <= _LONGEST else ""
        if len(raw) <= _LONGEST and (not text.strip() or text.lstrip().startswith("#")):
            ignorable += 1
            continue
        match = _LINE.match(text.strip()) if text else None
        if match is None or (cut and number == len(lines)) or not _take(match, number, devices, links, ports):
            unread.append((number, raw[: 4 * _SHOWN].decode("utf-8", "replace").strip()[:_SHOWN]))
            continue
        facts += 1
        down += match.group(7) is None
    tables = {}
    if devices:
        known = pl.DataFrame(list(devices.values()), schema_overrides={"system_guid": pl.String}, infer_schema_length=None)
        tables[DEVICE_FACTS.name] = DEVICE_FACTS.conform(
            known.with_columns(pl.lit(capture_id).alias("capture_id")).sort("guid")
        )
    if links:
        seen = pl.DataFrame(list(links.values()), infer_schema_length=None)
        tables[LINK_FACTS.name] = LINK_FACTS.conform(seen.with_columns(pl.lit(capture_id).alias("capture_id")).sort("line"))
    if ports:
        told = pl.DataFrame(list(ports.values()), schema=_reported(), orient="row")
        tables[PORT_FACTS.name] = PORT_FACTS.conform(told.with_columns(pl.lit(capture_id).alias("capture_id")).sort("line"))
    orphans = len({str(row["peer_guid"]) for row in links.values()} - set(devices))
    notes = [f"{capture_id}: ports report: channel adapters are known by port GUID, chassis are unknown"]
    if down:
        notes.append(f"{capture_id}: {down} ports are listed as down")
    if orphans:
        notes.append(f"{capture_id}: {orphans} devices are named as peers but have no line of their own")
    account = LineAccount(len(lines), facts, ignorable, len(unread), tuple(unread[:_KEPT]))
    details = {"incomplete": bool(cut or orphans), f"incomplete:{capture_id}": bool(cut or orphans)}
    return Facts(tables, {capture_id: account}, tuple(notes), TOOL, details)


def _reported() -> dict[str, Any]:
    """The columns of ``port_facts`` that a line of the report gives."""
    types = PORT_FACTS.polars()
    return {name: types[name] for name in _REPORTED}


def _take(
    match: re.Match[str],
    line: int,
    devices: dict[str, dict[str, object]],
    links: dict[tuple[str, int], dict[str, object]],
    ports: dict[tuple[str, int], tuple[object, ...]],
) -> bool:
    """Record the device, the port and, when it is up, the link of one line; False when the names can't be told apart."""
    kind, lid, port, guid, width, speed = match.group(1, 2, 3, 4, 5, 6)
    guid = guid.lower().zfill(16)
    names = _two_names(match.group(11)) if match.group(7) else (_unquoted(match.group(12)), "")
    if names is None or (guid, int(port)) in links:
        return False
    aggregation = kind == "CA" and "Aggregation Node" in names[0]
    device = devices.setdefault(
        guid,
        {
            "guid": guid,
            "kind": "aggregation" if aggregation else _KINDS[kind],
            "description": names[0],
            "ports": 0,
            "lid": int(lid) if kind == "SW" else None,
            "line": line,
        },
    )
    device["ports"] = max(int(str(device["ports"])), int(port))
    up = match.group(7) is not None
    far_guid = match.group(10).lower().zfill(16) if up else None
    row = (
        *(guid, int(lid), int(port), guid if kind == "CA" else None, _KINDS[kind], names[0], "linkup" if up else None),
        int(width[:-1]) if up and width[:-1].isdigit() else None,
        speed if up and speed.isalnum() else None,
        *((far_guid, int(match.group(8)), int(match.group(9)), names[1]) if up else (None, None, None, None)),
        line,
    )
    if up or (guid, int(port)) not in ports:
        ports[(guid, int(port))] = row
    if up:
        links[(guid, int(port))] = {
            "guid": guid,
            "port": int(port),
            "peer_guid": far_guid,
            "peer_port": int(match.group(9)),
            "peer_description": names[1],
            "peer_kind": _KINDS[match.group(7)],
            # As in a discovery dump: that of the NIC, on its own line and on that of the switch beside it.
            "port_guid": guid if kind == "CA" else far_guid if match.group(7) == "CA" else None,
            "lid": int(lid),
            "width": int(width[:-1]) if width[:-1].isdigit() else None,
            "speed": speed,
            "line": line,
        }
    return True


def _two_names(text: str) -> tuple[str, str] | None:
    """``'a' - 'b'`` as (a, b); names may lack quotes when a name map was used; None when there is no one way to split."""
    parts = re.split(r"(?<=')\s-\s(?=')", text)
    if len(parts) != 2:
        parts = text.split(" - ")
    return (_unquoted(parts[0]), _unquoted(parts[1])) if len(parts) == 2 else None


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] == "'" else text
