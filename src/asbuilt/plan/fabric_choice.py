"""Table `FABRIC_CHOICE`: InfiniBand against Ethernet with RoCE for the compute plane of this cluster, in numbers.

Both columns are counted from the same links: the fabric is the same tree of the same ports, whichever technology it runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.tables_roce import FABRIC_CHOICE
from asbuilt.plan.roce_headroom import SOURCE, headroom_bytes

#: What is set on every switch port, and what the checks then read back.
SWITCH_SETTINGS = (
    "MTU", "PFC priority", "trust", "DSCP of RoCE", "DSCP of CNP", "queue of RoCE", "queue of CNP", "ECN minimum",
    "ECN maximum", "ECN probability", "scheduling of RoCE", "scheduling of CNP", "cable length or headroom",
)  # fmt: skip
#: What is set on every NIC port of a host.
HOST_SETTINGS = (
    "MTU", "PFC priority", "trust", "DSCP of RoCE", "DSCP of CNP", "default type of service", "ECN notification point",
    "ECN reaction point", "cable length",
)  # fmt: skip
#: Files of an OpenSM: opensm.conf, partitions, QoS policy, guid2lid, three GUID lists, node name map.
OPENSM_FILES = 8
_MANAGERS = 2
_MTU = 9216


def choice_table(design: Design, links: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """The table of a plan whose ``links`` have ``cable_m`` beside; empty where it has no compute plane with links."""
    plane = design.plane("compute")
    links = links.filter(pl.col("plane") == "compute")
    if plane is None or links.is_empty():
        return FABRIC_CHOICE.empty()
    rows = [*_counts(plane, links, tables), *_state(links), *_modes()]
    numbered = [{"order": n, **row} for n, row in enumerate(rows, start=1)]
    return FABRIC_CHOICE.conform(pl.DataFrame(numbered, schema=FABRIC_CHOICE.polars()))


def _row(question: str, infiniband: object, ethernet: object, unit: str, origin: str, source: str) -> dict[str, Any]:
    return {
        "question": question,
        "infiniband": str(infiniband),
        "ethernet": str(ethernet),
        "unit": unit,
        "origin": origin,
        "source": source,
    }


def _counts(plane: PlaneDesign, links: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> list[dict[str, Any]]:
    hosts = links.filter(pl.col("kind") == "node_leaf").height
    trunks = links.filter(pl.col("kind").is_in(["leaf_spine", "spine_core"])).height
    switches = tables["switches"].filter((pl.col("plane") == plane.name) & ~pl.col("spare"))
    nodes = tables["nodes"].filter(pl.col("role") == "compute").height
    ends = hosts + 2 * trunks
    each, at_host = len(SWITCH_SETTINGS), len(HOST_SETTINGS)
    subnets = switches["subnet"].n_unique()
    from_links = "plan table links, both ends"
    named = f"per switch port: {', '.join(SWITCH_SETTINGS)}; per host port: {', '.join(HOST_SETTINGS)}"
    return [
        _row("switch ports to configure", 0, ends, "ports", "derived", f"{from_links}; InfiniBand ports are set by the SM"),
        _row("host ports to configure", 0, hosts, "ports", "derived", f"{from_links}; the link type is burnt once on either"),
        _row("settings on each switch port", 0, each, "settings", "derived", named),
        _row("settings on each host port", 0, at_host, "settings", "derived", named),
        _row("settings in all", 0, ends * each + hosts * at_host, "settings", "derived", "ports times settings on each"),
        _row(
            "settings in one place",
            _manager_settings(tables, switches),
            0,
            "settings",
            "derived",
            "plan table subnet_settings: what the subnet manager is told; Ethernet has no such place",
        ),
        _row(
            "files to keep equal",
            OPENSM_FILES * _MANAGERS * subnets,
            f"{switches.height + 2}, two of them on each of {nodes} hosts",
            "files",
            "derived",
            "files of OpenSM on two managers of each subnet; one file for each switch, a script and a table for hosts",
        ),
        _row(
            "addresses that forwarding needs",
            f"{hosts + int(switches['asics'].sum())} LIDs, given by the SM",
            f"{hosts + switches.height} IPv4 addresses, configured",
            "",
            "derived",
            "end ports and switches; IPv4 of hosts and router loopbacks, links between switches unnumbered",
        ),
    ]


def _manager_settings(tables: dict[str, pl.DataFrame], switches: pl.DataFrame) -> str:
    """How many settings the managers of these subnets are given, where the plan has them."""
    known = tables.get("subnet_settings")
    count = known.join(switches.select("subnet").unique(), on="subnet", how="semi").height if known is not None else 0
    return str(count) if count else "not planned for this cluster"


def _state(links: pl.DataFrame) -> list[dict[str, Any]]:
    trunks = links.filter(pl.col("kind").is_in(["leaf_spine", "spine_core"]))
    room = _headroom(links)
    return [
        _row(
            "protocols with state",
            "subnet manager and its standby (one sweep sets every switch)",
            f"BGP on {trunks.height} links, ARP/ND, LLDP, DCQCN in every NIC, PFC on every port",
            "",
            "derived",
            "plan table links; DCQCN: NVIDIA RoCE documentation",
        ),
        _row(
            "what keeps it lossless",
            "credits of each virtual lane, in hardware, always on",
            f"PFC; headroom of {room} on the fullest switch",
            "",
            "derived" if room != "an unknown size" else "assumed",
            SOURCE,
        ),
        _row(
            "rehearsed here before hardware exists",
            "real OpenSM on a simulated fabric, and the embedded twin",
            "the embedded twin only: its captures, no switch software",
            "",
            "derived",
            "asbuilt rehearse",
        ),
    ]


def _headroom(links: pl.DataFrame) -> str:
    """Headroom of all ports of the switch that needs most, as MB, with the cables that are planned."""
    bytes_each = headroom_bytes(
        links["rate_gbps"].cast(pl.Float64).to_numpy(),
        links["cable_m"].cast(pl.Float64).to_numpy(),
        np.full(links.height, _MTU, np.int64),
    )
    held = links.with_columns(pl.Series("room", bytes_each))
    ends = pl.concat([held.select(d="a_device", room="room"), held.select(d="b_device", room="room")])
    ends = ends.filter(pl.col("d").str.starts_with("sw:")).group_by("d").agg(pl.col("room").sum())
    most = ends["room"].fill_nan(None).max()
    return f"{float(most) / 1e6:.1f} MB" if most is not None else "an unknown size"  # type: ignore[arg-type]


def _modes() -> list[dict[str, Any]]:
    return [
        _row(
            "failure modes of this technology only",
            "no or two subnet managers; LIDs, partitions, lanes or forwarding off the plan; credit loops (FAB-005 to FAB-049)",
            "PFC, ECN, DSCP, queue or MTU that differ at one hop; pause storms; discards on lossless (NET-001 to NET-012)",
            "",
            "derived",
            "register of checks",
        ),
        _row(
            "a wrong setting shows as",
            "a port that stays in INIT, or a partition without members: nothing runs",
            "slow collectives under load: everything runs, and pings",
            "",
            "published",
            "IBTA vol. 1 (port states); RoCE v2 annex A17, IEEE 802.1Qbb",
        ),
        _row(
            "who can set it back",
            "one file on one host",
            "every switch and every host",
            "",
            "derived",
            "rows above",
        ),
    ]
