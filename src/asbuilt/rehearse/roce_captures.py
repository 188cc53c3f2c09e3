"""What hosts and switches of the twin answer about RDMA over Ethernet, as captures, with changes at single hops.

Hosts answer as one fleet, each line behind its host's name: ``mlnx_qos``, ``cma_roce_tos``, the kernel's ECN settings, ``ip
link``. A switch answers by its own system: NVUE JSON (Cumulus Linux) or ``config_db.json`` and ``show interfaces status``
(SONiC). Text is made port by port: meant for fabrics of some thousand ports, or for the ``devices`` that are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.roce_hosts import host_captures
from asbuilt.rehearse.roce_port import OTHER_DSCP, PRIORITIES, Change, Port
from asbuilt.rehearse.roce_switches import cumulus_captures, sonic_captures

if TYPE_CHECKING:
    import polars as pl


#: Settings that a `Change` may name, with what they are. ``other_dscp_priority``: priority of DSCP 10, which no class uses.
SETTINGS = {
    "pfc": "priorities with flow control, as a tuple",
    "trust": "dscp or pcp",
    "dscp_priority": "priority that the code point of RDMA is taken for",
    "cnp_priority": "priority that the code point of notifications is taken for",
    "other_dscp_priority": "priority that DSCP 10 is taken for",
    "mark": "code point that connections of a host are given by default",
    "queue": "queue of the RDMA priority",
    "ecn": "congestion is marked (switch) or answered (host)",
    "ecn_min_bytes": "marking begins",
    "ecn_max_bytes": "marking has its full probability",
    "mtu_bytes": "MTU",
    "speed_gbps": "rate in use",
    "cable_m": "cable length that headroom is made for",
    "up": "the port is up",
    "unread": "True: the hop is in no capture",
}


def roce_captures(
    plan: Plan, changes: Sequence[Change] = (), devices: Iterable[str] | None = None, built: Built | None = None
) -> tuple[Capture, ...]:
    """Captures of every hop of `roce_ports` (or of the ``devices`` named), as planned but for ``changes``.

    With ``built`` its cables decide which ports are up and at which rate, a switch without power answers nothing, and its own
    changes hold too. Raises ``ValueError`` for a change whose hop or setting does not exist.
    """
    import polars as pl

    ports = _planned(plan)
    if devices is not None:
        ports = ports.filter(pl.col("name").is_in(list(devices)) | pl.col("device").is_in(list(devices)))
    keys = dict(zip(ports["device"], ports["name"], strict=True))
    made = {(row["name"], row["interface"]): _port(row) for row in ports.iter_rows(named=True)}
    for change in (*changes, *(built.settings if built else ())):
        at = (keys.get(change.device, change.device), change.interface)
        if at not in made or change.setting not in SETTINGS:
            raise ValueError(f"no hop {at[0]} {at[1]} with a setting {change.setting!r}")
        made[at] = replace(made[at], **{change.setting: change.value})
    if built is not None:
        _cabled(ports, built, made)
    by_dialect: dict[str, dict[str, list[Port]]] = {}
    for port in made.values():
        if not port.unread:
            by_dialect.setdefault(port.dialect, {}).setdefault(port.name, []).append(port)
    return (
        *host_captures(by_dialect.get("linux", {})),
        *cumulus_captures(by_dialect.get("cumulus", {})),
        *sonic_captures(by_dialect.get("sonic", {})),
    )


def _cabled(ports: pl.DataFrame, built: Built, made: dict[tuple[str, str], Port]) -> None:
    """Ports as their cables let them be: dark without a live one, at the rate that both its ends run."""
    import polars as pl

    live = built.live()
    ends = []
    for side in "ab":
        end = pl.coalesce(f"{side}_nic", pl.col(f"{side}_port").cast(pl.String))
        ends.append(live.select(pl.col(f"{side}_device").alias("device"), end.alias("at"), "rate_gbps"))
    at = pl.when(pl.col("role") == "host").then("interface").otherwise(pl.col("port").cast(pl.String))
    found = ports.select("device", "name", "interface", at.alias("at")).join(
        pl.concat(ends), on=["device", "at"], how="left", maintain_order="left"
    )
    for device, name, interface, _, rate in found.iter_rows():
        port = made[name, interface]
        if device in built.absent:
            made[name, interface] = replace(port, unread=True)
        elif rate is None:
            made[name, interface] = replace(port, up=False)
        elif rate != port.speed_gbps:
            made[name, interface] = replace(port, speed_gbps=min(rate, port.speed_gbps))


def _planned(plan: Plan) -> pl.DataFrame:
    """`roce_ports` with the classes of their plane beside."""
    import polars as pl

    ports = plan.table("roce_ports")
    for traffic in ("roce", "cnp"):
        chosen = plan.table("roce_classes").filter(pl.col("traffic") == traffic)
        named = [pl.col(c).alias(f"{traffic}_{c}") for c in ("dscp", "priority", "traffic_class", "ecn_probability")]
        ports = ports.join(chosen.select("plane", *named), on="plane", how="left", maintain_order="left")
    return ports


def _port(row: dict[str, Any]) -> Port:
    return Port(
        name=row["name"],
        interface=row["interface"],
        dialect=row["dialect"],
        label=row["label"],
        pfc=tuple(int(p) for p in row["pfc"].split("+")),
        trust=row["trust"],
        mark=row["roce_dscp"],
        dscp=row["roce_dscp"],
        dscp_priority=row["roce_priority"],
        cnp_dscp=row["cnp_dscp"],
        cnp_priority=row["cnp_priority"],
        other_dscp_priority=OTHER_DSCP // PRIORITIES,
        priority=row["roce_priority"],
        queue=row["roce_traffic_class"],
        marked=row["roce_traffic_class"],
        notify=row["cnp_priority"],
        cnp_queue=row["cnp_traffic_class"],
        ecn=True,
        ecn_min_bytes=row["ecn_min_bytes"] or 0,
        ecn_max_bytes=row["ecn_max_bytes"] or 0,
        ecn_probability=row["roce_ecn_probability"] or 0,
        mtu_bytes=row["mtu_bytes"],
        speed_gbps=row["speed_gbps"],
        cable_m=row["cable_m"] or 0.0,
        headroom_bytes=row["headroom_bytes"] or 0,
    )
