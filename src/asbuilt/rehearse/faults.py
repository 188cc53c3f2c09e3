"""The fault grammar: what can be done to a built fabric, as text, and what doing it means.

``swap:A,B``     the cable ends at A and B are exchanged (A, B: a link id, or DEVICE/PORT, or NODE/NIC)
``unplug:A``     the cable at A is pulled out
``rail:NODE``    the compute cables of a node are rotated by one rail
``absent:SWITCH`` the switch is powered off
``eth:NODE/NIC`` the port runs Ethernet: nothing discovers it
``clone:A,B``    the NIC port at B answers with the GUID and name of the one at A
``noname``       every device answers with its factory description
``random:K@SEED`` K faults on separate cables, drawn from the seed
``nodes:K@SEED`` K faults inside as many nodes, drawn from the seed

Faults of whole panels and planes (``mirror shift crossed exchange``): `panel_faults`. Faults that only the subnet shows
(``init limited lids slow idle``): `subnet_faults`. Settings of RDMA over Ethernet (``pfc ecn dscp mtu unread``): `roce_faults`.
Faults inside nodes, which their own archives show (``gpu width ethmode driver hang ...``): `node_faults`.
NVLink switch trays of NVL72 racks (``nvtray nvswitch``), which their own captures and the GPUs' links show: `nvlink_trays`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Callable

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import Built, end_of, infiniband_cables, place_ends
from asbuilt.rehearse.fault import Fault, Injected
from asbuilt.rehearse.node_draw import drawn
from asbuilt.rehearse.node_expected import EXPECTED
from asbuilt.rehearse.node_faults import NODE_ARITY, NODE_DO, NODE_EXAMPLES
from asbuilt.rehearse.nvlink_trays import TRAY_ARITY, TRAY_DO, TRAY_EXAMPLES
from asbuilt.rehearse.panel_faults import PANEL_ARITY, PANEL_DO, PANEL_EXAMPLES, well_formed
from asbuilt.rehearse.places import Places
from asbuilt.rehearse.roce_faults import ROCE_ARITY, ROCE_DO, ROCE_EXAMPLES
from asbuilt.rehearse.subnet_faults import SUBNET_ARITY, SUBNET_DO

ARITY = {"swap": 2, "unplug": 1, "rail": 1, "absent": 1, "eth": 1, "clone": 2, "noname": 0, "random": 1, "nodes": 1}
ARITY |= PANEL_ARITY | SUBNET_ARITY | ROCE_ARITY | NODE_ARITY | TRAY_ARITY
_RANDOM = re.compile(r"^(\d{1,4})@(\d{1,9})$")


def parse(text: str) -> Fault:
    """A fault from its text. Raises `ProblemError` (CLI-020, CLI-021) that names the grammar and the nearest kind."""
    kind, _, rest = text.strip().partition(":")
    if kind not in ARITY:
        raise ProblemError(
            Problem("CLI-020", f"unknown fault {kind!r}{nearest(kind, ARITY)}", fix=f"use one of: {', '.join(ARITY)}")
        )
    arguments = tuple(a.strip() for a in rest.split(",")) if rest else ()
    if len(arguments) != ARITY[kind] or not all(arguments):
        wanted = {0: "no argument", 1: "one argument", 2: "two arguments, joined by a comma"}[ARITY[kind]]
        raise ProblemError(
            Problem("CLI-021", f"fault {text!r}: {kind} takes {wanted}, not {len(arguments)}", fix=f"write {_example(kind)}")
        )
    if kind in _DRAWN and not _RANDOM.match(arguments[0]):
        raise ProblemError(Problem("CLI-021", f"fault {text!r}: {kind} takes K@SEED", fix=f"write {_example(kind)}"))
    if not well_formed(kind, arguments):
        what = f"fault {text!r}: {kind} takes SWITCH/FIRST-LAST" + (",BY" if ARITY[kind] > 1 else "")
        raise ProblemError(Problem("CLI-021", what, fix=f"write {_example(kind)}"))
    return Fault(kind, arguments)


def _example(kind: str) -> str:
    return (
        PANEL_EXAMPLES.get(kind)
        or ROCE_EXAMPLES.get(kind)
        or NODE_EXAMPLES.get(kind)
        or TRAY_EXAMPLES.get(kind)
        or {
            "swap": "swap:leaf-1/1,leaf-2/1",
            "unplug": "unplug:leaf-1/1",
            "rail": "rail:node:0003",
            "absent": "absent:spine-1",
            "eth": "eth:node:0003/mlx5_0",
            "clone": "clone:node:0003/mlx5_0,node:0004/mlx5_0",
            "noname": "noname",
            "random": "random:3@7",
            "nodes": "nodes:3@7",
            "init": "init:node:0003/mlx5_0",
            "limited": "limited:node:0003/mlx5_0",
            "lids": "lids:node:0003/mlx5_0,node:0004/mlx5_0",
            "slow": "slow:leaf-1/1",
            "idle": "idle:svc:compute-1",
        }[kind]
    )


def apply(plan: Plan, built: Built, faults: tuple[Fault, ...]) -> tuple[Built, tuple[Injected, ...]]:
    """``built`` after the faults, in the order given, and the record of what each one touched.

    Raises `ProblemError` with every argument that names nothing in the plan (CLI-022), or that cannot take this fault
    (CLI-023).
    """
    places = Places(plan)
    done: list[Injected] = []
    problems: list[Problem] = []
    for fault in faults:
        for single in _DRAWN[fault.kind](plan, built, fault, done) if fault.kind in _DRAWN else (fault,):
            try:
                built, record = _DO[single.kind](places, built, single)
            except ProblemError as error:
                problems.extend(error.problems.items)
                continue
            done.append(record)
    if problems:
        raise ProblemError(problems)
    return built, tuple(done)


def _swap(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    one, two = (places.end(built, a) for a in fault.arguments)
    if one.cable == two.cable:
        raise ProblemError(Problem("CLI-023", f"{fault}: both name the same cable, {one.cable}", fix="name two cables"))
    swapped = place_ends(built, {(one.cable, one.side): two, (two.cable, two.side): one})
    return swapped, Injected(fault, tuple(sorted((one.cable, two.cable))), 1)


def _unplug(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    import polars as pl

    end = places.end(built, fault.arguments[0])
    return built.with_cables(built.cables.filter(pl.col("cable") != end.cable)), Injected(fault, (end.cable,), 1)


def _rail(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    import polars as pl

    node = places.node(fault.arguments[0])
    mine = built.cables.filter(
        (pl.col("b_device") == node) & (pl.col("plane") == "compute") & pl.col("b_nic").is_not_null()
    ).sort("cable")
    if mine.height < 2:
        raise ProblemError(
            Problem("CLI-023", f"{fault}: {node} has {mine.height} compute cables", fix="name a node with two or more rails")
        )
    ends = [end_of(built, cable, "b") for cable in mine["cable"]]
    moved = {(ends[i].cable, "b"): ends[(i + 1) % len(ends)] for i in range(len(ends))}
    return place_ends(built, moved), Injected(fault, tuple(mine["cable"].to_list()), len(ends) - 1)


def _absent(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    import polars as pl

    switch = places.switch(fault.arguments[0])
    touched = built.cables.filter((pl.col("a_device") == switch) | (pl.col("b_device") == switch))["cable"]
    return replace(built, absent=built.absent | {switch}), Injected(fault, tuple(sorted(touched.to_list())), None)


def eth_fault(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    """The port runs Ethernet. The node's own archive says so too, where one is rendered."""
    end = places.nic(built, fault.arguments[0])
    assert end.nic is not None
    if end.cable not in infiniband_cables(places.plan, built):
        raise ProblemError(Problem("CLI-023", f"{fault}: that port is planned as Ethernet", fix="name an InfiniBand NIC port"))
    named, besides = EXPECTED["ethmode"]
    follows = (*named, *besides)
    return replace(built, ethernet=built.ethernet | {(end.device, end.nic)}), Injected(fault, (end.cable,), None, (), follows)


def _clone(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    one, two = (places.nic(built, a) for a in fault.arguments)
    if one.place == two.place:
        raise ProblemError(Problem("CLI-023", f"{fault}: a port cannot be its own copy", fix="name two NIC ports"))
    assert one.nic is not None and two.nic is not None
    infiniband = infiniband_cables(places.plan, built)
    if (one.cable in infiniband) != (two.cable in infiniband):
        what = f"{fault}: one port is InfiniBand, the other Ethernet: a GUID and a MAC address are no copies of each other"
        raise ProblemError(Problem("CLI-023", what, fix="name two NIC ports of one technology"))
    clones = {**built.clones, (two.device, two.nic): (one.device, one.nic)}
    follows = ("FAB-010", "FAB-012", "FAB-013", "FAB-014")
    return replace(built, clones=clones), Injected(fault, (two.cable,), None, (), follows)


def _noname(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    return replace(built, noname=True), Injected(fault, (), None, (), ("FAB-014",))


_DO: dict[str, Callable[[Places, Built, Fault], tuple[Built, Injected]]] = {
    "swap": _swap,
    "unplug": _unplug,
    "rail": _rail,
    "absent": _absent,
    "eth": eth_fault,
    "clone": _clone,
    "noname": _noname,
    **PANEL_DO,
    **SUBNET_DO,
    **ROCE_DO,
    **NODE_DO,
    **TRAY_DO,
}


def _drawn(plan: Plan, built: Built, fault: Fault, done: list[Injected]) -> tuple[Fault, ...]:
    """K faults on separate cables, equal for an equal plan and seed: three swaps to one pull to one Ethernet port.

    Swaps exchange ends of the same kind (two node ends of one plane, or two far switch ends), as a crew would. No device
    loses its last cable: one that nobody sees any more is one cause of its own (`absent`), not K pulled cables.
    """
    import random

    match = _RANDOM.match(fault.arguments[0])
    assert match is not None
    wanted, draw = int(match[1]), random.Random(int(match[2]))  # noqa: S311 (a reproducible draw, not a secret)
    used = {link for record in done for link in record.links}
    pools = _pools(built, used)
    infiniband = infiniband_cables(plan, built)
    lit = Counter(device for pool in pools for _, device, _ in pool)
    found: list[Fault] = []
    while len(found) < wanted:
        open_pools = [p for p in pools if len(p) >= 2]
        if not open_pools:
            raise ProblemError(
                Problem("CLI-023", f"{fault}: only {len(found)} separate faults fit this plan", fix=f"ask for {len(found)}")
            )
        pool = open_pools[_weighted(draw, [len(p) for p in open_pools])]
        kind = draw.choice(("swap", "swap", "swap", "unplug", "eth"))
        first = _take(draw, pool)
        if kind == "swap" or lit[first[1]] < 2:
            found.append(Fault("swap", (first[0], _take(draw, pool)[0])))
            continue
        lit[first[1]] -= 1
        if kind == "eth" and first[2] is not None and first[0] in infiniband:
            found.append(Fault("eth", (f"{first[1]}/{first[2]}",)))
        else:
            found.append(Fault("unplug", (first[0],)))
    return tuple(found)


def _of_nodes(plan: Plan, built: Built, fault: Fault, done: list[Injected]) -> tuple[Fault, ...]:
    """K faults inside as many nodes."""
    match = _RANDOM.match(fault.arguments[0])
    assert match is not None
    return drawn(plan, built.nodes, fault, int(match[1]), int(match[2]))


_DRAWN = {"random": _drawn, "nodes": _of_nodes}


def _weighted(draw: object, sizes: list[int]) -> int:
    mark = draw.randrange(sum(sizes))  # type: ignore[attr-defined]
    for index, size in enumerate(sizes):
        if mark < size:
            return index
        mark -= size
    raise AssertionError("the mark lies below the sum")


def _take(draw: object, pool: list[tuple[str, str, str | None]]) -> tuple[str, str, str | None]:
    index = draw.randrange(len(pool))  # type: ignore[attr-defined]
    pool[index], pool[-1] = pool[-1], pool[index]
    return pool.pop()


def _pools(built: Built, used: set[str]) -> list[list[tuple[str, str, str | None]]]:
    """Cables by plane and by what their far end is: (cable, far device, its NIC or None for a switch)."""
    import polars as pl

    frame = built.live().filter(~pl.col("cable").is_in(list(used))).sort("cable")
    groups = frame.with_columns(pl.col("b_nic").is_not_null().alias("host")).partition_by(
        ["plane", "host"], maintain_order=True
    )
    pools: list[list[tuple[str, str, str | None]]] = []
    for group in groups:
        pools.append(list(zip(group["cable"], group["b_device"], group["b_nic"], strict=True)))
    return pools
