"""Faults that only the subnet shows, not its cables: what doing each of them means.

``init:NODE/NIC``      no subnet manager configures the port: it stays in INIT, with LID 0
``limited:NODE/NIC``   the port is a limited member of every partition
``lids:A,B``           two NIC ports carry each other's LID
``slow:A``             the cable at A runs one lane
``idle:HOST``          the subnet manager planned on the host does not run
"""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

import polars as pl

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.rehearse.built import Built, infiniband_cables
from asbuilt.rehearse.fault import Fault, Injected
from asbuilt.rehearse.places import Places

Done = tuple[Built, Injected]


def _port(places: Places, built: Built, fault: Fault, word: str) -> tuple[tuple[str, str], str]:
    """The NIC end and end-port key that a word names. Raises `ProblemError` CLI-023 for a port without a planned LID."""
    end = places.nic(built, word)
    assert end.nic is not None
    if end.cable not in infiniband_cables(places.plan, built) or not places.plan.has("lids"):
        raise ProblemError(Problem("CLI-023", f"{fault}: that port has no LID in the plan", fix="name an InfiniBand NIC port"))
    return (end.device, end.nic), f"{end.device}/{end.nic}"


def _init(places: Places, built: Built, fault: Fault) -> Done:
    end, port = _port(places, built, fault, fault.arguments[0])
    return replace(built, unmanaged=built.unmanaged | {end}), Injected(fault, (), None, ((("FAB-011",), port),))


def _limited(places: Places, built: Built, fault: Fault) -> Done:
    end, port = _port(places, built, fault, fault.arguments[0])
    members = places.plan.table("partition_members").filter(
        (pl.col("port") == port) & (pl.col("membership") == "full") & (pl.col("partition") != "default")
    )
    if not members.height:
        raise ProblemError(Problem("CLI-023", f"{fault}: that port is no full member of any partition", fix="name another"))
    return replace(built, limited=built.limited | {end}), Injected(fault, (), None, ((("FAB-017",), port),))


def _lids(places: Places, built: Built, fault: Fault) -> Done:
    one, two = (_port(places, built, fault, word)[1] for word in fault.arguments)
    if one == two:
        raise ProblemError(Problem("CLI-023", f"{fault}: a port has one LID", fix="name two NIC ports"))
    found = tuple((("FAB-010",), port) for port in sorted((one, two)))
    return replace(built, lids={**built.lids, one: two, two: one}), Injected(fault, (), None, found)


def _slow(places: Places, built: Built, fault: Fault) -> Done:
    end = places.end(built, fault.arguments[0])
    return replace(built, slow=built.slow | {end.cable}), Injected(fault, (), None, ((("FAB-004", "FAB-007"), end.cable),))


def _idle(places: Places, built: Built, fault: Fault) -> Done:
    node = places.node(fault.arguments[0])
    managers = places.plan.table("subnet_managers") if places.plan.has("subnet_managers") else None
    row = None if managers is None else next(managers.filter(pl.col("node") == node).iter_rows(named=True), None)
    if row is None:
        what = f"{fault}: no subnet manager is planned there"
        raise ProblemError(Problem("CLI-023", what, fix="`asbuilt show subnet_managers` lists the hosts"))
    found = (("FAB-025",), str(row["subnet"])) if row["role"] == "master" else (("FAB-027",), str(row["port"]))
    return replace(built, idle_managers=built.idle_managers | {node}), Injected(fault, (), None, (found,))


SUBNET_ARITY = {"init": 1, "limited": 1, "lids": 2, "slow": 1, "idle": 1}
SUBNET_DO: dict[str, Callable[[Places, Built, Fault], Done]] = {
    "init": _init,
    "limited": _limited,
    "lids": _lids,
    "slow": _slow,
    "idle": _idle,
}
