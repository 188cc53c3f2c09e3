"""Faults of RDMA over Ethernet at one hop, which no cable shows: what doing each of them means.

``pfc:PLACE``      the hop pauses another priority than the planned one
``ecn:PLACE``      a switch port does not mark congestion, a host does not answer marks
``dscp:PLACE``     the code point of RDMA is taken for traffic of another priority
``mtu:PLACE``      frames of 1,500 bytes at most (1,280 where 1,500 are planned)
``unread:PLACE``   no capture tells of the hop: nothing about it may pass

PLACE is ``NODE/NIC``, ``SWITCH/PORT`` with a port number or an interface, or a link id for its far end.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Callable

import polars as pl

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.fault import Fault, Injected
from asbuilt.rehearse.places import Places
from asbuilt.rehearse.roce_port import PRIORITIES, Change

Done = tuple[Built, Injected]
#: Of RFC 894: what Ethernet carries unless told otherwise; of RFC 8200: what IPv6 asks of every link.
_USUAL_MTU, _LEAST_MTU = 1500, 1280


def _hop(places: Places, fault: Fault) -> Mapping[str, Any]:
    """The row of `roce_ports` that a fault names. Raises `ProblemError` CLI-023 without RDMA over Ethernet, CLI-022 for a
    place that is none of its hops."""
    plan, word = places.plan, fault.arguments[0]
    if not plan.has("roce_ports") or plan.table("roce_ports").is_empty():
        what = f"{fault}: no plane of the plan carries RDMA over Ethernet"
        raise ProblemError(Problem("CLI-023", what, fix="rehearse it on a plan with `show roce_ports`"))
    ports = plan.table("roce_ports")
    if word.startswith("link:"):
        rows = ports.join(plan.links.select("link", "b_device"), on="link", how="left", maintain_order="left")
        found = rows.filter((pl.col("link") == word) & (pl.col("device") == pl.col("b_device")))
        near: list[str] = ports["link"].unique(maintain_order=True).to_list()
    else:
        device, _, at = word.rpartition("/")
        rows = ports.filter(pl.col("device") == places.names.get(device, device))
        number = (pl.col("role") != "host") & (pl.col("port").cast(pl.String) == at)
        found = rows.filter((pl.col("interface") == at) | number)
        named = pl.format("{}/{}", "name", "interface")
        near = (rows if rows.height else ports.unique("device", maintain_order=True)).select(named.alias("at"))["at"].to_list()
    if not found.height:
        close = difflib.get_close_matches(word, near, n=3, cutoff=0.5)
        fix = f"did you mean {', '.join(close)}?" if close else "`asbuilt show roce_ports` lists every hop"
        raise ProblemError(Problem("CLI-022", f"{fault}: no hop of RDMA over Ethernet is there", fix=fix))
    return found.row(0, named=True)


def _done(built: Built, fault: Fault, hop: Mapping[str, Any], setting: str, value: object, ids: tuple[str, ...]) -> Done:
    end = hop["interface"] if hop["role"] == "host" else hop["port"]
    subject = f"{hop['device']}/{end}" if hop["role"] == "host" else f"{hop['device']}#0/{end}"
    change = Change(hop["device"], hop["interface"], setting, value)
    return replace(built, settings=(*built.settings, change)), Injected(fault, (), None, ((ids, subject),))


def _pfc(places: Places, built: Built, fault: Fault) -> Done:
    hop = _hop(places, fault)
    other = (max(int(p) for p in hop["pfc"].split("+")) + 1) % PRIORITIES
    return _done(built, fault, hop, "pfc", (other,), ("NET-001",))


def _ecn(places: Places, built: Built, fault: Fault) -> Done:
    return _done(built, fault, _hop(places, fault), "ecn", False, ("NET-002",))


def _dscp(places: Places, built: Built, fault: Fault) -> Done:
    hop = _hop(places, fault)
    classes = places.plan.table("roce_classes").filter(plane=hop["plane"], traffic="roce")
    other = 0 if classes["priority"][0] else 1
    return _done(built, fault, hop, "dscp_priority", other, ("NET-004",))


def _mtu(places: Places, built: Built, fault: Fault) -> Done:
    hop = _hop(places, fault)
    small = _LEAST_MTU if hop["mtu_bytes"] <= _USUAL_MTU else _USUAL_MTU
    return _done(built, fault, hop, "mtu_bytes", small, ("NET-005",))


def _unread(places: Places, built: Built, fault: Fault) -> Done:
    return _done(built, fault, _hop(places, fault), "unread", True, ("NET-001",))


ROCE_DO: dict[str, Callable[[Places, Built, Fault], Done]] = {
    "pfc": _pfc,
    "ecn": _ecn,
    "dscp": _dscp,
    "mtu": _mtu,
    "unread": _unread,
}
ROCE_ARITY = dict.fromkeys(ROCE_DO, 1)
ROCE_EXAMPLES = {kind: f"{kind}:node:0003/mlx5_0" for kind in ROCE_DO}
