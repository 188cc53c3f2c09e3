"""SONiC's ``config_db.json``: what a switch is told about priorities, buffers, marking and ports.

The switch is ``DEVICE_METADATA|localhost`` ``hostname``, else the capture's subject. Everything here is configuration: what is
in use may differ. A record is one entry of a table; entries of tables that say nothing of RDMA are ignorable. Maps are spread
out to the ports that are bound to them; where every port of the ``PORT`` table is bound to one map, it is written once, with
``interface`` null. PFC is on for the priorities in ``pfc_enable`` and off for the others. A queue in ``QUEUE`` without a
``wred_profile``, or with one whose ``ecn`` is ``ecn_none``, does not mark. References are read plain (``AZURE``) and in the
older bracketed form (``[DSCP_TO_TC_MAP|AZURE]``). Format: the project's own schema; see `asbuilt.parsers.unproven`.
"""

from __future__ import annotations

import json
import re
from typing import Any, Iterator

from asbuilt.model.facts import Facts, LineAccount
from asbuilt.model.facts_roce import INTERFACE_FACTS, ROCE_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import UNREAD_KEPT, as_utf8, host_of_subject
from asbuilt.parsers.json_documents import mapping, text_of

TOOL = "sonic-config"
#: Rows that one configuration may spread out to; a small text must not fill the memory.
MOST_ROWS = 2_000_000
_SNIFFED = 4 << 20
_SIGN = re.compile(rb'"(?:DEVICE_METADATA|PORT_QOS_MAP|DSCP_TO_TC_MAP|WRED_PROFILE|BUFFER_PG|BUFFER_PROFILE)"\s*:')
_REFERENCE = re.compile(r"^\[?(?:[A-Z0-9_]+\|)?([^\]|]+)\]?$")
_SPAN = re.compile(r"^(\d{1,3})(?:-(\d{1,3}))?$")
_LENGTH = re.compile(r"^(\d{1,6})m?$")
#: Reference in PORT_QOS_MAP -> (table of the map, setting, largest index).
_MAPS = {
    "dscp_to_tc_map": ("DSCP_TO_TC_MAP", "dscp_to_priority", 63),
    "dot1p_to_tc_map": ("DOT1P_TO_TC_MAP", "pcp_to_priority", 7),
    "tc_to_queue_map": ("TC_TO_QUEUE_MAP", "priority_to_tc", 15),
    "tc_to_pg_map": ("TC_TO_PRIORITY_GROUP_MAP", "priority_to_buffer", 15),
}
_BUFFERS = (("size", "buffer_bytes"), ("xoff", "xoff_bytes"), ("xon", "xon_bytes"))
_WRED = (("green_min_threshold", "ecn_min_bytes", "bytes"), ("green_max_threshold", "ecn_max_bytes", "bytes"),
         ("green_drop_probability", "ecn_probability_percent", "%"))  # fmt: skip
Row = dict[str, Any]
Made = Iterator[tuple[str, str, Row]]


def sniff(data: bytes) -> bool:
    """True for JSON with a table that only this file has."""
    return data[:4096].lstrip()[:1] == b"{" and bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``roce_facts`` and ``interface_facts`` of one switch. Never raises: text that is no whole JSON is one unread record."""
    try:
        document = json.loads(as_utf8(data).decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        return _unreadable(f"not whole JSON: {str(error)[:120]!a}", data, capture_id)
    if not isinstance(document, dict):
        return _unreadable("JSON, but no tables", data, capture_id)
    records = [(t, k) for t, held in document.items() for k in (held if isinstance(held, dict) else [""])]
    number = {record: i for i, record in enumerate(records, start=1)}
    named = text_of(mapping(mapping(document.get("DEVICE_METADATA")).get("localhost")).get("hostname"))
    device = named or host_of_subject(subject)[0]
    tables = {t: mapping(held) for t, held in document.items()}
    roce: list[Row] = []
    told: set[tuple[str, str]] = set()
    full = False
    for table, key, row in _rows(tables):
        if len(roce) >= MOST_ROWS:
            full = True
            break
        told.add((table, key))
        roce.append({**row, "device": device, "side": "switch", "line": number[table, key]})
    ports = [{**row, "device": device, "side": "switch", "line": number["PORT", row["interface"]]} for row in _ports(tables)]
    told |= {("PORT", row["interface"]) for row in ports}
    unread = [
        (number[r], f"{r[0][:60]!a}|{r[1][:60]!a}: nothing in it that can be read") for r in records if _odd(tables, r, told)
    ]
    account = LineAccount(
        len(records), len(told), len(records) - len(told) - len(unread), len(unread), tuple(unread[:UNREAD_KEPT])
    )
    frames = fact_rows.table(ROCE_FACTS, roce, capture_id) | fact_rows.table(INTERFACE_FACTS, ports, capture_id)
    notes = (f"{capture_id}: more than {MOST_ROWS} settings: the rest is not read",) if full else ()
    return Facts(frames, {capture_id: account}, notes, TOOL)


def _unreadable(why: str, data: bytes, capture_id: str) -> Facts:
    record = ((1, why),) if data.strip() else ()
    return Facts({}, {capture_id: LineAccount(len(record), 0, 0, len(record), record)}, (why,) if record else (), TOOL)


def _odd(tables: dict[str, dict[str, Any]], record: tuple[str, str], told: set[tuple[str, str]]) -> bool:
    """True for an entry that should tell a port's setting and does not. Maps and profiles tell through who is bound to them."""
    table, key = record
    return table in ("PORT", "PORT_QOS_MAP", "CABLE_LENGTH") and record not in told and bool(tables[table].get(key))


def _rows(tables: dict[str, dict[str, Any]]) -> Made:
    """(table, key, row) of every setting."""
    yield from _bindings(tables)
    yield from _queues(tables)
    yield from _groups(tables)
    for key, held in tables.get("CABLE_LENGTH", {}).items():
        for port, length in mapping(held).items():
            found = _LENGTH.match(text_of(length))
            if found and port.isprintable():
                yield (
                    "CABLE_LENGTH",
                    key,
                    {"interface": port, "setting": "cable_length_m", "value": float(found[1]), "unit": "m"},
                )


def _ports(tables: dict[str, dict[str, Any]]) -> Iterator[Row]:
    for name, held in tables.get("PORT", {}).items():
        if not isinstance(held, dict) or not name.isprintable():
            continue
        speed = fact_rows.whole(text_of(held.get("speed")), 100_000_000)
        lanes = text_of(held.get("lanes"))
        yield {
            "interface": name,
            "alias": text_of(held.get("alias")) or None,
            "admin": text_of(held.get("admin_status")).lower() or None,
            "speed_gbps": speed / 1000 if speed is not None else None,
            "mtu_bytes": fact_rows.whole(text_of(held.get("mtu")), 65_575),
            "lanes": lanes.count(",") + 1 if lanes else None,
            "fec": text_of(held.get("fec")) or None,
            "configured": True,
        }


def _reference(value: Any) -> str:
    """The name in ``AZURE`` or ``[DSCP_TO_TC_MAP|AZURE]``."""
    found = _REFERENCE.match(text_of(value))
    return found[1] if found else ""


def _span(text: str) -> range:
    """The numbers of ``3-4`` or ``3``; none for anything else."""
    found = _SPAN.match(text)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)


def _bindings(tables: dict[str, dict[str, Any]]) -> Made:
    """PORT_QOS_MAP: trust, PFC and the maps that ports are bound to."""
    bound = tables.get("PORT_QOS_MAP", {})
    ports = set(tables.get("PORT", {}))
    shared = {}
    for reference in _MAPS:
        names = {p: _reference(mapping(held).get(reference)) for key, held in bound.items() for p in key.split(",")}
        alike = set(names.values())
        shared[reference] = bool(ports) and ports <= set(names) and len(alike) == 1
    written: set[str] = set()
    for key, held in bound.items():
        entry = mapping(held)
        for port in key.split(",")[:4096]:
            interface = None if port == "global" else port
            if not port.isprintable():
                continue
            for row in _port_settings(entry):
                yield "PORT_QOS_MAP", key, {"interface": interface, **row}
            for reference, (table, setting, most) in _MAPS.items():
                name = _reference(entry.get(reference))
                if not name or (shared[reference] and reference in written):
                    continue
                written.add(reference)
                held_by = None if shared[reference] else interface
                for row in _mapped(mapping(tables.get(table, {}).get(name)), setting, most):
                    yield table, name, {"interface": held_by, "profile": name, **row}


def _port_settings(entry: dict[str, Any]) -> Iterator[Row]:
    kinds = [word for word, key in (("dscp", "dscp_to_tc_map"), ("pcp", "dot1p_to_tc_map")) if _reference(entry.get(key))]
    if kinds:
        yield {"setting": "trust", "text": "both" if len(kinds) > 1 else kinds[0], "unit": ""}
    if "pfc_enable" in entry:
        on = {n for part in text_of(entry["pfc_enable"]).split(",") for n in _span(part.strip())}
        yield from ({"setting": "pfc", "index": n, "value": float(n in on), "unit": ""} for n in range(8))


def _mapped(entry: dict[str, Any], setting: str, most: int) -> Iterator[Row]:
    for point, priority in entry.items():
        index, value = fact_rows.whole(point, most), fact_rows.whole(text_of(priority), 15)
        if index is not None and value is not None:
            yield {"setting": setting, "index": index, "value": float(value), "unit": ""}


def _places(table: str, tables: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, range, dict[str, Any]]]:
    """(key, port, numbers, entry) of a table whose keys are ``Ethernet0,Ethernet4|3-4``."""
    for key, held in tables.get(table, {}).items():
        names, _, span = key.rpartition("|")
        for port in names.rpartition("|")[2].split(",")[:4096]:
            if port and port.isprintable():
                yield key, port, _span(span), mapping(held)


def _queues(tables: dict[str, dict[str, Any]]) -> Made:
    """QUEUE: marking and scheduling of egress queues, through WRED_PROFILE and SCHEDULER."""
    for key, port, queues, entry in _places("QUEUE", tables):
        profile, scheduler = _reference(entry.get("wred_profile")), _reference(entry.get("scheduler"))
        wred = mapping(tables.get("WRED_PROFILE", {}).get(profile))
        served = mapping(tables.get("SCHEDULER", {}).get(scheduler))
        marks = bool(wred) and text_of(wred.get("ecn")).lower() not in ("", "ecn_none")
        if profile and not wred:
            continue  # a profile that is not there says nothing about marking
        for queue in queues:
            row = {"interface": port, "index": queue, "profile": profile or None}
            yield "QUEUE", key, {**row, "setting": "ecn", "value": float(marks), "unit": ""}
            for name, setting, unit in _WRED:
                value = fact_rows.whole(text_of(wred.get(name)), 1 << 40)
                if marks and value is not None:
                    yield "QUEUE", key, {**row, "setting": setting, "value": float(value), "unit": unit}
            kind, weight = text_of(served.get("type")).lower(), fact_rows.whole(text_of(served.get("weight")), 100)
            if kind:
                word = "ets" if kind == "dwrr" else kind[:40]
                yield "QUEUE", key, {**row, "profile": scheduler, "setting": "tc_algorithm", "text": word, "unit": ""}
            if weight is not None:
                row = {**row, "profile": scheduler, "setting": "tc_bandwidth_percent"}
                yield "QUEUE", key, {**row, "value": float(weight), "unit": "weight"}


def _groups(tables: dict[str, dict[str, Any]]) -> Made:
    """BUFFER_PG: size, headroom and resume level of ingress priority groups, through BUFFER_PROFILE."""
    for key, port, groups, entry in _places("BUFFER_PG", tables):
        profile = _reference(entry.get("profile"))
        held = mapping(tables.get("BUFFER_PROFILE", {}).get(profile))
        for group in groups:
            for name, setting in _BUFFERS:
                value = fact_rows.whole(text_of(held.get(name)), 1 << 40)
                if value is not None:
                    row = {"interface": port, "index": group, "profile": profile, "setting": setting}
                    yield "BUFFER_PG", key, {**row, "value": float(value), "unit": "bytes"}
