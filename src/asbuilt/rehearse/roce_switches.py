"""Ethernet switches of the twin about RDMA over Ethernet: NVUE JSON of Cumulus Linux, and SONiC's own files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from asbuilt.model.capture import Capture
from asbuilt.rehearse.roce_port import CODE_POINTS, PRIORITIES, Port

_KB, _MB = 1 << 10, 1 << 20


def cumulus_captures(switches: Mapping[str, Sequence[Port]]) -> tuple[Capture, ...]:
    """One capture per switch: the map of the whole switch, its interfaces, and what each port says of RoCE."""
    return tuple(Capture(f"nvue-{name}", _nvue(name, ports).encode(), "nvue-qos", name) for name, ports in switches.items())


def _nvue(name: str, ports: Sequence[Port]) -> str:
    first = ports[0]
    out = [_shown(name, "qos roce", {"enable": "on", "mode": "lossless", "prio-map": _map(first)})]
    links = {p.interface: {"link": _link(p), "type": "swp"} for p in ports}
    out.append(_shown(name, "interface", links))
    out += [_shown(name, f"interface {p.interface} qos roce status", _status(p)) for p in ports]
    return "".join(out)


def _shown(switch: str, what: str, document: Any) -> str:
    return f"cumulus@{switch}:mgmt:~$ nv show {what} -o json\n{json.dumps(document, indent=1)}\n"


def _map(port: Port) -> dict[str, Any]:
    """Code points by priority. Those of a port that differ are told by the port."""
    return {
        str(p): {
            "dscp": ",".join(str(d) for d in range(CODE_POINTS) if d // PRIORITIES == p),
            "pcp": str(p),
            "switch-prio": str(p),
        }
        for p in range(PRIORITIES)
    }


def _link(port: Port) -> dict[str, Any]:
    return {
        "admin-status": "up",
        "oper-status": "up" if port.up else "down",
        "mtu": port.mtu_bytes,
        "speed": f"{port.speed_gbps:g}G",
    }


def _size(size: int) -> str:
    """Bytes as the system prints them: rounded to two decimals of units of 1,024."""
    return f"{size / _MB:.2f} MB" if size >= _MB else f"{size / _KB:.2f} KB"


def _status(port: Port) -> dict[str, Any]:
    """`nv show interface swp1 qos roce status`. Code points of their own stand beside those of the two classes."""
    points = {
        "cnp": {"pcp": port.cnp_priority, "dscp": port.cnp_dscp, "switch-prio": port.cnp_priority},
        "roce": {"pcp": port.dscp_priority, "dscp": port.dscp, "switch-prio": port.dscp_priority},
    }
    told = {d: port.priority_of(d) for d in range(CODE_POINTS) if port.priority_of(d) != d // PRIORITIES}
    points |= {str(d): {"dscp": d, "pcp": p, "switch-prio": p} for d, p in told.items() if d not in (port.dscp, port.cnp_dscp)}
    marking: dict[str, Any] = {"congestion-mode": "ecn, absolute", "enabled-tc": f"0,{port.marked}" if port.ecn else "0"}
    marking |= {"max-threshold": _size(port.ecn_max_bytes), "min-threshold": _size(port.ecn_min_bytes)}
    return {
        "mode": "lossless",
        "congestion-control": marking,
        "pfc": {
            "pfc-priority": ",".join(map(str, port.pfc)),
            "rx-enabled": "yes",
            "tx-enabled": "yes",
            "cable-length": round(port.cable_m),
        },
        "trust": {"trust-mode": port.trust},
        "prio-map": points,
        "tc-map": {
            "cnp": {"switch-prio": port.notify, "traffic-class": port.cnp_queue, "scheduler-weight": "strict priority"},
            "roce": {"switch-prio": port.priority, "traffic-class": port.queue, "scheduler-weight": "dwrr-50%"},
        },
    }


def sonic_captures(switches: Mapping[str, Sequence[Port]]) -> tuple[Capture, ...]:
    """Two captures per switch: its configuration, and the state of its interfaces."""
    made = []
    for name, ports in switches.items():
        text = json.dumps(_config(name, ports), indent=1) + "\n"
        made.append(Capture(f"sonic-{name}", text.encode(), "sonic-config", name))
        made.append(Capture(f"sonic-status-{name}", _table(ports).encode(), "interface-status", name))
    return tuple(made)


def _config(name: str, ports: Sequence[Port]) -> dict[str, Any]:
    """`config_db.json`: maps and profiles by port where a port differs, so that every port says what holds for it."""
    tables: dict[str, dict[str, Any]] = {
        "DEVICE_METADATA": {"localhost": {"hostname": name}},
        **{t: {} for t in ("PORT", "PORT_QOS_MAP", "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "QUEUE", "WRED_PROFILE")},
        **{t: {} for t in ("BUFFER_PG", "BUFFER_PROFILE")},
        "CABLE_LENGTH": {"AZURE": {p.interface: f"{p.cable_m:.0f}m" for p in ports}},
    }
    for port in ports:
        points = {str(d): str(port.priority_of(d)) for d in range(CODE_POINTS)}
        queues = {str(p): str(port.queue_of(p)) for p in range(PRIORITIES)}
        bound = {"pfc_enable": ",".join(map(str, port.pfc)), "tc_to_queue_map": _named(tables["TC_TO_QUEUE_MAP"], queues)}
        maps = {"dscp": "dscp_to_tc_map", "pcp": "dot1p_to_tc_map"}
        bound[maps[port.trust]] = _named(tables["DSCP_TO_TC_MAP"], points)
        tables["PORT_QOS_MAP"][port.interface] = bound
        tables["PORT"][port.interface] = {
            "admin_status": "up",
            "alias": port.label,
            "mtu": str(port.mtu_bytes),
            "speed": f"{port.speed_gbps * 1000:.0f}",
        }
        wred = {
            "ecn": "ecn_all" if port.ecn else "ecn_none",
            "green_min_threshold": str(port.ecn_min_bytes),
            "green_max_threshold": str(port.ecn_max_bytes),
            "green_drop_probability": str(port.ecn_probability),
        }
        profile = _named(tables["WRED_PROFILE"], wred)
        tables["QUEUE"][f"{port.interface}|{port.marked}"] = {"wred_profile": profile}
        room = _named(tables["BUFFER_PROFILE"], {"size": "0", "xoff": str(port.headroom_bytes), "xon": "0"})
        tables["BUFFER_PG"][f"{port.interface}|{port.priority}"] = {"profile": room}
    return tables


def _named(table: dict[str, Any], entry: dict[str, str]) -> str:
    """The name of ``entry`` in ``table``, put there where it is new."""
    for name, held in table.items():
        if held == entry:
            return name
    name = "AZURE" if not table else f"AZURE_{len(table)}"
    table[name] = entry
    return name


def _table(ports: Sequence[Port]) -> str:
    """`show interfaces status`."""
    head = ("Interface", "Lanes", "Speed", "MTU", "FEC", "Alias", "Vlan", "Oper", "Admin", "Type", "Asym PFC")
    rows = [
        (p.interface, "1,2,3,4", f"{p.speed_gbps:g}G", str(p.mtu_bytes), "rs", p.label, "routed", "up" if p.up else "down",
         "up", "N/A", "N/A")
        for p in ports
    ]  # fmt: skip
    widths = [max(len(r[i]) for r in (head, *rows)) for i in range(len(head))]
    lines = ["  ".join(c.rjust(w) for c, w in zip(r, widths, strict=True)) for r in (head, *rows)]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]]) + "\n"
