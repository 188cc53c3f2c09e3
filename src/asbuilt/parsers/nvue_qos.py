"""Cumulus Linux and NVOS by NVUE as JSON: ``nv show interface [swp1] [qos …] -o json``, ``nv show qos roce -o json``.

A document is one interface's object, an object of interfaces by name, a whole configuration (``nv config show -o json``), or
the switch's ``qos roce``; several documents may stand in one capture behind their prompts. The switch is the prompt's host or
the subject; an interface that the document does not name is the one in the command (``nv show interface swp1 qos``) or behind
a slash in the subject (``leaf-01/swp1``). What ``qos roce`` says holds for the whole switch: ``interface`` is null.

Sizes are printed rounded in units of 1,024 bytes (150,000 bytes as ``146.48 KB``): the value is what the text says, no more.
PFC counts as on for a priority when it is on in both directions, or no direction is told.
Format: keys follow the object paths of NVUE's commands; see `asbuilt.parsers.unproven`.
"""

from __future__ import annotations

import re
from typing import Any, Iterator

from asbuilt.model.facts import Facts
from asbuilt.model.facts_roce import INTERFACE_FACTS, ROCE_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import as_utf8, host_of_subject
from asbuilt.parsers.json_documents import Document, documents, mapping, text_of

TOOL = "nvue-qos"
PRIORITIES = range(8)
_SNIFFED = 1 << 20
_SIGN = re.compile(
    rb'"(?:oper-status|admin-status|congestion-control|egress-queue-mapping|egress-scheduler|pfc-priority|switch-priority'
    rb'|trust-mode)"\s*:'
)
_INTERFACE = re.compile(r"^(?:swp\d+(?:s\d+)?|eth\d+|lo|bond\w*|peerlink\S*|vlan\d+|br\w*|sw\d+p\d+(?:s\d+)?|mgmt|fnm\d*)$")
_SIZE = re.compile(r"^([\d.]{1,20})\s*(Bytes|B|[KMG]i?B)?$")
_UNITS = {"": 1, "bytes": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SPEED = re.compile(r"^([\d.]{1,8})\s*([GMT])(?:b/?s|bps)?$")
_GBPS = {"M": 1e-3, "G": 1.0, "T": 1e3}
_TRUST = {"l2": "pcp", "l3": "dscp", "both": "both", "port": "port", "pcp": "pcp", "dscp": "dscp", "pcp,dscp": "both"}
_ON = {"on", "yes", "enable", "enabled", "true", "up"}
_OFF = {"off", "no", "disable", "disabled", "false", "down"}
Row = dict[str, Any]


def sniff(data: bytes) -> bool:
    """True for JSON with keys that only NVUE writes."""
    return b"{" in data[:_SNIFFED] and bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``roce_facts`` and ``interface_facts``. Never raises. ``subject``: ``SWITCH`` or ``SWITCH/INTERFACE``."""
    host, time = host_of_subject(subject)
    name, _, interface = (host or "").partition("/")
    account, found = documents(as_utf8(data), f"{name}@{time}" if time else name)
    roce: list[Row] = []
    interfaces: list[Row] = []
    for document in found:
        settings, ports = read(document, interface or None)
        who = {"device": document.speaker.hosts[0], "side": "switch", "line": document.first}
        roce += [{**row, **who} for row in settings]
        interfaces += [{**row, **who} for row in ports]
        (account.fact if settings or ports else account.ignore)(*document.lines)
    tables = fact_rows.table(ROCE_FACTS, roce, capture_id) | fact_rows.table(INTERFACE_FACTS, interfaces, capture_id)
    return Facts(tables, {capture_id: account.result()}, (), TOOL)


def read(document: Document, default: str | None) -> tuple[list[Row], list[Row]]:
    """The settings and the interfaces of one document."""
    settings: list[Row] = []
    ports: list[Row] = []
    asked = _asked(document.speaker.command) or default
    for interface, node in _objects(document.value, asked):
        link = mapping(node.get("link"))
        if link and interface:
            ports.append(_link(interface, link))
        qos = mapping(node.get("qos")) or node
        settings += [{"interface": interface, **row} for row in _qos(qos)]
    return settings, ports


def _asked(words: tuple[str, ...]) -> str | None:
    """The interface in ``nv show interface swp1 …``."""
    if "interface" not in words:
        return None
    after = words[words.index("interface") + 1 :]
    return after[0] if after and not after[0].startswith("-") else None


def _objects(value: Any, asked: str | None) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """(interface or None for the switch, its object): every one in a document."""
    for part in value if isinstance(value, list) else [value]:
        node = mapping(part)
        node = mapping(node.get("set")) or node
        inner = mapping(node.get("interface"))
        named = inner or {k: v for k, v in node.items() if _INTERFACE.match(k) and isinstance(v, dict)}
        for name, held in named.items():
            if name.isprintable() and isinstance(held, dict):
                yield name, held
        if inner or not named:
            rest = {k: v for k, v in node.items() if k != "interface"}
            if rest:
                yield (None if inner else asked), rest


def _link(interface: str, link: dict[str, Any]) -> Row:
    """``nv show interface``: state, speed and MTU in use."""
    state = mapping(link.get("state"))
    oper = text_of(link.get("oper-status")) or next((s for s in ("up", "down") if s in state), "") or text_of(link.get("state"))
    speed = _SPEED.match(text_of(link.get("speed")).strip())
    value = fact_rows.real(speed[1]) if speed else None
    return {
        "interface": interface,
        "admin": text_of(link.get("admin-status")).lower() or None,
        "oper": oper.lower() or None,
        "speed_gbps": value * _GBPS[speed[2]] if speed and value is not None else None,
        "mtu_bytes": _number(link.get("mtu"), 65_575),
        "lanes": _number(link.get("lanes"), 16),
        "fec": text_of(link.get("fec")) or None,
        "configured": False,
    }


def _number(value: Any, most: int = 255) -> int | None:
    """A whole number from 0 to ``most``, printed or not."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if 0 <= value <= most else None
    return fact_rows.whole(value, most) if isinstance(value, str) else None


def _flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = text_of(value).strip().lower()
    return True if word in _ON else False if word in _OFF else None


def _size(value: Any) -> float | None:
    """Bytes of ``153.00 KB``, ``150000 B`` or a plain number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 <= value < 1 << 53 else None
    found = _SIZE.match(text_of(value).strip())
    number = fact_rows.real(found[1]) if found else None
    if found is None or number is None:
        return None
    unit = (found[2] or "").lower()
    return number * _UNITS[unit if unit in _UNITS else unit[:1]]


def _listed(value: Any) -> list[int]:
    """The numbers of ``0,3``, of a list, or of an object's keys."""
    items = list(value) if isinstance(value, dict | list) else text_of(value).split(",") if isinstance(value, str) else [value]
    numbers = (_number(item) for item in items[:256])
    return [n for n in numbers if n is not None]


def _qos(node: dict[str, Any]) -> Iterator[Row]:
    """The settings of one ``qos`` object, or of ``qos roce``, or of a part of it that was shown alone."""
    roce = mapping(node.get("roce"))
    if roce:
        yield from _qos(mapping(roce.get("status")) or roce)
    enabled = _flag(node.get("enable", node.get("state") if "mode" in node else None))
    mode = text_of(node.get("mode"))
    if enabled is False and "mode" in node:
        yield {"setting": "roce_mode", "text": "off", "unit": ""}
    elif mode.lower().startswith("loss"):
        yield {"setting": "roce_mode", "text": mode.lower()[:60], "unit": ""}
    mapped = mapping(node.get("mapping")) or node
    trust = text_of(mapped.get("trust")) or text_of(mapping(node.get("trust")).get("trust-mode"))
    if trust:
        yield {"setting": "trust", "text": _TRUST.get(trust.lower().replace(" ", ""), trust.lower()[:40]), "unit": ""}
    yield from _points(mapped)
    yield from _pfc(mapping(node.get("pfc")))
    yield from _congestion(mapping(node.get("congestion-control")))
    yield from _classes(node)


def _points(node: dict[str, Any]) -> Iterator[Row]:
    """Code points to priorities: ``mapping dscp 26 switch-priority 3``, or rows of ``prio-map``."""
    for key, setting, most in (("dscp", "dscp_to_priority", 63), ("pcp", "pcp_to_priority", 7)):
        for point, held in mapping(node.get(key)).items():
            priority = _number(held.get("switch-priority") if isinstance(held, dict) else held, 7)
            index = _number(point, most)
            if index is not None and priority is not None:
                yield {"setting": setting, "index": index, "value": float(priority), "unit": ""}
        for held in mapping(node.get("prio-map")).values():
            row = mapping(held)
            priority = _number(row.get("switch-prio", row.get("switch-priority")), 7)
            if priority is not None and key in row:
                points = (n for n in _listed(row[key]) if n <= most)
                yield from ({"setting": setting, "index": n, "value": float(priority), "unit": ""} for n in points)


def _pfc(node: dict[str, Any]) -> Iterator[Row]:
    """``pfc``: on for the priorities it names, off for the others; nothing where it is on and names none."""
    ways = [_flag(node.get(k)) for k in ("rx", "tx", "rx-enabled", "tx-enabled") if k in node]
    off = any(way is False for way in ways)
    key = next((k for k in ("switch-priority", "pfc-priority") if k in node), None)
    if key is not None or off:
        on = [] if off or key is None else _listed(node[key])
        told = ",".join(f"{k} {text_of(node[k])}" for k in ("rx", "tx", "rx-enabled", "tx-enabled") if k in node)
        for priority in PRIORITIES:
            row = {"setting": "pfc", "index": priority, "value": float(priority in on), "unit": ""}
            yield {**row, "text": told[:80] or None}
    length = _number(node.get("cable-length"), 100_000)
    if length is not None:
        yield {"setting": "cable_length_m", "value": float(length), "unit": "m"}
    for name, setting in (("xoff-threshold", "xoff_bytes"), ("xon-threshold", "xon_bytes"), ("port-buffer", "buffer_bytes")):
        size = _size(node.get(name))
        if size is not None:
            yield {"setting": setting, "value": size, "unit": "bytes", "text": text_of(node.get(name)) or None}


def _congestion(node: dict[str, Any]) -> Iterator[Row]:
    """``congestion-control``: per traffic class, or one set of thresholds for the classes that it lists."""
    for key, held in mapping(node.get("traffic-class")).items():
        number, row = _number(key, 15), mapping(held)
        enabled = _flag(row.get("ecn"))
        if number is not None and enabled is not None:
            yield {"setting": "ecn", "index": number, "value": float(enabled), "unit": ""}
            yield from _thresholds(row, number)
    if "enabled-tc" in node and "ecn" in text_of(node.get("congestion-mode", "ecn")).lower():
        on = _listed(node["enabled-tc"])
        yield from ({"setting": "ecn", "index": tc, "value": float(tc in on), "unit": ""} for tc in PRIORITIES)
        for tc in on:
            yield from _thresholds(node, tc)


def _thresholds(node: dict[str, Any], tc: int) -> Iterator[Row]:
    for key, setting in (("min-threshold", "ecn_min_bytes"), ("max-threshold", "ecn_max_bytes")):
        printed = node.get(key, node.get(f"{key}-bytes"))
        size = _size(printed)
        if size is not None:
            yield {"setting": setting, "index": tc, "value": size, "unit": "bytes", "text": text_of(printed) or None}
    probability = _number(node.get("probability"), 100)
    if probability is not None:
        yield {"setting": "ecn_probability_percent", "index": tc, "value": float(probability), "unit": "%"}


def _classes(node: dict[str, Any]) -> Iterator[Row]:
    """Priorities to traffic classes, and how these are served."""
    for priority, held in mapping(mapping(node.get("egress-queue-mapping")).get("switch-priority")).items():
        index, tc = _number(priority, 7), _number(mapping(held).get("traffic-class"), 15)
        if index is not None and tc is not None:
            yield {"setting": "priority_to_tc", "index": index, "value": float(tc), "unit": ""}
    for held in mapping(node.get("tc-map")).values():
        row = mapping(held)
        tc = _number(row.get("traffic-class"), 15)
        if tc is not None:
            for number in _listed(row.get("switch-prio", row.get("switch-priority"))):
                yield {"setting": "priority_to_tc", "index": number, "value": float(tc), "unit": ""}
    for key, held in mapping(mapping(node.get("egress-scheduler")).get("traffic-class")).items():
        index, mode, share = _number(key, 15), text_of(mapping(held).get("mode")), _number(mapping(held).get("bw-percent"), 100)
        if index is not None and mode:
            yield {
                "setting": "tc_algorithm",
                "index": index,
                "text": "ets" if mode.lower() == "dwrr" else mode.lower(),
                "unit": "",
            }
        if index is not None and share is not None:
            yield {"setting": "tc_bandwidth_percent", "index": index, "value": float(share), "unit": "%"}
