"""RDMA over Ethernet for a SONiC switch: a fragment of ``config_db.json`` (``config load`` merges it).

Buffers follow SONiC's dynamic model: the lossless priority group names no profile, and the buffer manager makes its headroom
from cable length, rate and MTU of the port.
"""

from __future__ import annotations

from typing import Any

import polars as pl

CODE_POINTS, PRIORITIES = 64, 8
_MAP = "ROCE"


def fragment(name: str, ports: pl.DataFrame, classes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The tables of one switch, by name. JSON has no comments: that it is not rehearsed stands in the export's list."""
    roce, cnp, other = classes["roce"], classes["cnp"], classes["default"]
    points = {d: d // PRIORITIES for d in range(CODE_POINTS)} | {c["dscp"]: c["priority"] for c in (roce, cnp)}
    queues = dict.fromkeys(range(PRIORITIES), other["traffic_class"])
    queues |= {c["priority"]: c["traffic_class"] for c in (roce, cnp)}
    groups = {p: p if p == roce["priority"] else 0 for p in range(PRIORITIES)}
    bound = {
        "dscp_to_tc_map": _MAP,
        "tc_to_queue_map": _MAP,
        "tc_to_pg_map": _MAP,
        "pfc_to_queue_map": _MAP,
        "pfc_enable": str(roce["priority"]),
    }
    tables: dict[str, Any] = {
        "DEVICE_METADATA": {"localhost": {"hostname": name}},
        "DSCP_TO_TC_MAP": {_MAP: _text(points)},
        "TC_TO_QUEUE_MAP": {_MAP: _text(queues)},
        "TC_TO_PRIORITY_GROUP_MAP": {_MAP: _text(groups)},
        "MAP_PFC_PRIORITY_TO_QUEUE": {_MAP: _text(queues)},
        "SCHEDULER": {
            "ROCE": {"type": "DWRR", "weight": str(roce["weight"])},
            "OTHER": {"type": "DWRR", "weight": str(other["weight"])},
            "CNP": {"type": "STRICT"},
        },
        **{t: {} for t in ("WRED_PROFILE", "PORT", "PORT_QOS_MAP", "QUEUE", "BUFFER_PG")},
        "CABLE_LENGTH": {"AZURE": {}},
    }
    for port in ports.sort("port").iter_rows(named=True):
        interface, low, high = port["interface"], port["ecn_min_bytes"], port["ecn_max_bytes"]
        profile = f"ROCE_{low}_{high}"
        tables["WRED_PROFILE"][profile] = {
            "ecn": "ecn_all",
            "wred_green_enable": "true",
            "green_min_threshold": str(low),
            "green_max_threshold": str(high),
            "green_drop_probability": str(roce["ecn_probability"]),
        }
        tables["PORT"][interface] = {"mtu": str(port["mtu_bytes"])}
        tables["PORT_QOS_MAP"][interface] = dict(bound)
        tables["QUEUE"][f"{interface}|{roce['traffic_class']}"] = {"scheduler": "ROCE", "wred_profile": profile}
        tables["QUEUE"][f"{interface}|{cnp['traffic_class']}"] = {"scheduler": "CNP"}
        tables["QUEUE"][f"{interface}|{other['traffic_class']}"] = {"scheduler": "OTHER"}
        tables["BUFFER_PG"][f"{interface}|{roce['priority']}"] = {"profile": "NULL"}
        if port["cable_m"] is not None:
            tables["CABLE_LENGTH"]["AZURE"][interface] = f"{-(-port['cable_m'] // 1):.0f}m"
    return tables


def _text(numbers: dict[int, int]) -> dict[str, str]:
    return {str(k): str(v) for k, v in sorted(numbers.items())}
