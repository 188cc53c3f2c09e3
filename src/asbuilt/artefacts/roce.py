"""Settings of RDMA over Ethernet for every switch and host, from the plan's `roce_classes` and `roce_ports`.

Switches: NVUE commands (Cumulus Linux) or a fragment of ``config_db.json`` (SONiC), one file each. Hosts: one script for all of
them and a table that says what each port is set to; and a script that reads back what the checks compare.
"""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from asbuilt.artefacts.names import refuse_texts
from asbuilt.artefacts.roce_host import CAPTURE, SCRIPT, TABLE_HEAD
from asbuilt.artefacts.roce_sonic import fragment
from asbuilt.model.plan import Plan

TARGET = "roce"
WRITES = "RDMA over Ethernet: NVUE commands or config_db.json of each switch, script and table for hosts (roce/)"
LOST = (
    "routing between leaves and spines, host interfaces' own addresses: other tools configure them",
    "headroom in bytes: switches make it from the cable length that they are given",
)
WHY = "no switch and no NIC was asked; commands follow the makers' manuals"
NOT_REHEARSED = f"# not rehearsed: {WHY}"
#: What a shell, a file name or a table of tabs would take for something else.
_LETTERS = " \t/\\:;|&<>()[]{}$`\"'*?!#~%"


def roce(plan: Plan) -> dict[str, bytes]:
    """The files; none where no plane carries RDMA over Ethernet. Raises `ProblemError` ART-001 for names that a shell or a
    file name cannot carry."""
    if not plan.has("roce_ports") or plan.table("roce_ports").is_empty():
        return {}
    ports = plan.table("roce_ports")
    refuse_texts(pl.concat([ports["name"], ports["interface"]]), _LETTERS, "a shell", 64, "-.")
    files: dict[str, bytes] = {}
    for plane in ports["plane"].unique().sort():
        classes = {r["traffic"]: r for r in plan.table("roce_classes").filter(pl.col("plane") == plane).iter_rows(named=True)}
        mine = ports.filter(pl.col("plane") == plane)
        for (name, dialect), rows in (
            mine.filter(pl.col("role") != "host").partition_by(["name", "dialect"], as_dict=True, maintain_order=True).items()
        ):
            if dialect == "sonic":
                text = json.dumps(fragment(str(name), rows, classes), indent=1)
                files[f"roce/{plane}/switches/{name}.config_db.json"] = f"{text}\n".encode()
            else:
                files[f"roce/{plane}/switches/{name}.nvue.txt"] = nvue(rows, classes).encode()
        hosts = mine.filter(pl.col("role") == "host")
        files[f"roce/{plane}/hosts.tsv"] = _table(hosts, classes)
        files[f"roce/{plane}/host.sh"] = SCRIPT.encode()
        files[f"roce/{plane}/capture.sh"] = CAPTURE.encode()
    return files


def nvue(ports: pl.DataFrame, classes: dict[str, dict[str, Any]]) -> str:
    """Commands of one switch. Ports that differ in cable length or thresholds get profiles of their own."""
    roce, cnp, other = classes["roce"], classes["cnp"], classes["default"]
    lines = [
        NOT_REHEARSED,
        "# tables roce_classes and roce_ports of the plan; NVIDIA NVUE reference, QoS",
        "nv set qos roce mode lossless",
        "nv set qos mapping default-global trust l3",
    ]
    for c in (roce, cnp):
        lines.append(f"nv set qos mapping default-global dscp {c['dscp']} switch-priority {c['priority']}")
        to = f"switch-priority {c['priority']} traffic-class {c['traffic_class']}"
        lines.append(f"nv set qos egress-queue-mapping default-global {to}")
    scheduler = "nv set qos egress-scheduler default-global traffic-class"
    lines.append(f"{scheduler} {roce['traffic_class']} mode dwrr")
    lines.append(f"{scheduler} {roce['traffic_class']} bw-percent {roce['weight']}")
    lines.append(f"{scheduler} {other['traffic_class']} mode dwrr")
    lines.append(f"{scheduler} {other['traffic_class']} bw-percent {other['weight']}")
    lines.append(f"{scheduler} {cnp['traffic_class']} mode strict")
    for (low, high), rows in _groups(ports, "ecn_min_bytes", "ecn_max_bytes"):
        profile = f"roce-{low}-{high}"
        base = f"nv set qos congestion-control {profile} traffic-class {roce['traffic_class']}"
        lines += [f"{base} ecn enable", f"{base} red disable", f"{base} min-threshold {low}", f"{base} max-threshold {high}"]
        lines.append(f"{base} probability {roce['ecn_probability']}")
        lines.append(f"nv set interface {_listed(rows)} qos congestion-control profile {profile}")
    for (metres,), rows in _groups(ports, "cable_m"):
        length = "" if metres is None else f"{-(-metres // 1):.0f}"
        profile = f"roce-{length}m" if length else "roce"
        base = f"nv set qos pfc {profile}"
        lines += [f"{base} switch-priority {roce['priority']}", f"{base} rx enable", f"{base} tx enable"]
        lines += [f"{base} cable-length {length}"] if length else []
        lines.append(f"nv set interface {_listed(rows)} qos pfc profile {profile}")
    for (mtu,), rows in _groups(ports, "mtu_bytes"):
        lines.append(f"nv set interface {_listed(rows)} link mtu {mtu}")
    return "\n".join([*lines, "nv config apply", ""])


def _groups(ports: pl.DataFrame, *columns: str) -> list[tuple[tuple[Any, ...], pl.DataFrame]]:
    return list(ports.sort(*columns, "port").partition_by(list(columns), as_dict=True, maintain_order=True).items())


def _listed(ports: pl.DataFrame) -> str:
    return ",".join(ports["interface"])


def _table(hosts: pl.DataFrame, classes: dict[str, dict[str, Any]]) -> bytes:
    """One row per host port: what `host.sh` sets."""
    roce, cnp = classes["roce"], classes["cnp"]
    fixed = [roce["priority"], roce["dscp"], roce["traffic_class"], cnp["priority"], cnp["dscp"], cnp["traffic_class"]]
    rows = hosts.sort("name", "interface").select(
        pl.concat_str(
            [
                "name",
                "interface",
                "mtu_bytes",
                pl.col("cable_m").ceil().cast(pl.Int64).cast(pl.String).fill_null("-"),
                *(pl.lit(str(n)) for n in fixed),
            ],
            separator="\t",
        ).alias("row")
    )
    text = rows["row"].str.join("\n").item()
    return f"{NOT_REHEARSED}\n{TABLE_HEAD}\n{text}\n".encode()
