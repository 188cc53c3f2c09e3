"""Faults of whole panels and planes: what a drawing read the wrong way round does to many cables at once.

``mirror:SWITCH/FIRST-LAST``    the cables in that run of ports sit in reverse order
``shift:SWITCH/FIRST-LAST,BY``  that run of cables sits BY ports higher; cables in its way sit in the ports it left
``crossed:NIC,NIC``             every node has the cables of these two NICs exchanged
``exchange:A,B``                two switches, or two nodes, have all their cables exchanged, port for port
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Callable

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.rehearse.built import Built, End, place_ends
from asbuilt.rehearse.fault import Fault, Injected
from asbuilt.rehearse.places import Places

if TYPE_CHECKING:
    import polars as pl

Done = tuple[Built, Injected]
_RUN = re.compile(r"^(?P<switch>.+)/(?P<first>\d{1,4})-(?P<last>\d{1,4})$")
_BY = re.compile(r"^[1-9]\d{0,3}$")


def well_formed(kind: str, arguments: tuple[str, ...]) -> bool:
    """True when the arguments of a fault on a run of ports have the form that it takes; True for any other fault."""
    if kind not in ("mirror", "shift"):
        return True
    match = _RUN.match(arguments[0])
    return bool(match and int(match["first"]) < int(match["last"]) and (kind == "mirror" or _BY.match(arguments[1])))


def _run(places: Places, fault: Fault) -> tuple[str, int, int]:
    match = _RUN.match(fault.arguments[0])
    assert match is not None, "checked when the fault was parsed"
    return places.switch(match["switch"]), int(match["first"]), int(match["last"])


def _mirror(places: Places, built: Built, fault: Fault) -> Done:
    switch, first, last = _run(places, fault)
    return _sent(places, built, fault, switch, {port: first + last - port for port in range(first, last + 1)})


def _shift(places: Places, built: Built, fault: Fault) -> Done:
    switch, first, last = _run(places, fault)
    by = int(fault.arguments[1])
    goals = {port: port + by for port in range(first, last + 1)}
    # What sat in the way goes, in its order, where the run was: ports last+1 .. last+by to first .. first+by-1.
    goals |= {port: port - (last - first + 1) for port in range(last + 1, last + by + 1)}
    return _sent(places, built, fault, switch, goals)


def _sent(places: Places, built: Built, fault: Fault, switch: str, goals: dict[int, int]) -> Done:
    """The cables at ``switch`` moved to other ports of it. Raises `ProblemError` CLI-023 for ports that it does not have."""
    import polars as pl

    row = places.plan.table("switches").filter(pl.col("switch") == switch).row(0, named=True)
    most = max([int(row["ports"]), *(port for port in _ends(built, switch))])
    if min(goals) < 1 or max(goals.values()) > most:
        what = f"{fault}: {row['name']} has ports 1 to {most}"
        raise ProblemError(Problem("CLI-023", what, fix="name ports that it has"))
    ends = {port: end for port, end in _ends(built, switch).items() if goals.get(port, port) != port}
    if not ends:
        raise ProblemError(Problem("CLI-023", f"{fault}: no cable sits there", fix="name ports that hold cables"))
    moved = {(e.cable, e.side): End(e.cable, e.side, switch, goals[port], None) for port, e in ends.items()}
    links = tuple(sorted({end.cable for end in ends.values()}))
    return place_ends(built, moved), Injected(fault, links, _exchanges({port: goals[port] for port in ends}))


def _ends(built: Built, switch: str) -> dict[int, End]:
    """The cable ends at a switch by port."""
    import polars as pl

    found = {}
    for side in "ab":
        rows = built.cables.filter((pl.col(f"{side}_device") == switch) & pl.col(f"{side}_nic").is_null())
        found.update({p: End(c, side, switch, p, None) for c, p in rows.select("cable", f"{side}_port").rows()})
    return found


def _exchanges(goals: dict[int, int]) -> int:
    """How many single acts mend it: one less than its ends for a ring, one for each end that found a free port."""
    left, rings = set(goals), 0
    while left:
        start = at = min(left)
        while at in left:
            left.remove(at)
            at = goals[at]
        rings += at == start
    return len(goals) - rings


def _crossed(places: Places, built: Built, fault: Fault) -> Done:
    import polars as pl

    if fault.arguments[0] == fault.arguments[1]:
        raise ProblemError(Problem("CLI-023", f"{fault}: both are the same NIC", fix="name two NICs"))
    one, two = (_hosts(built, nic) for nic in fault.arguments)
    pairs = one.join(two, on=["b_device", "plane"], how="inner", suffix="_two").sort("cable")
    if not pairs.height:
        what = f"{fault}: no node has cables of one plane in both"
        raise ProblemError(Problem("CLI-023", what, fix="`asbuilt show links` lists the NICs of every node"))
    moved = {}
    for cable, port, node, other, other_port in pairs.select("cable", "b_port", "b_device", "cable_two", "b_port_two").rows():
        moved[cable, "b"] = End(cable, "b", node, other_port, fault.arguments[1])
        moved[other, "b"] = End(other, "b", node, port, fault.arguments[0])
    links = pl.concat([pairs["cable"], pairs["cable_two"]]).unique().sort().to_list()
    return place_ends(built, moved), Injected(fault, tuple(links), pairs.height)


def _hosts(built: Built, nic: str) -> pl.DataFrame:
    import polars as pl

    return built.cables.filter(pl.col("b_nic") == nic).select("cable", "plane", "b_device", "b_port")


def _exchange(places: Places, built: Built, fault: Fault) -> Done:
    one, two = (places.names.get(word, "") for word in fault.arguments)
    mine, theirs = _all_ends(built, one), _all_ends(built, two)
    # A switch has the ports of its like, in use or not; a node has no other sockets than those of its NICs.
    nodes = any(nic for nic, _ in (*mine, *theirs))
    if one == two or not mine or not theirs or (nodes and mine.keys() != theirs.keys()):
        what = f"{fault}: these are not two switches, or two nodes with cables in the same ports"
        raise ProblemError(Problem("CLI-023", what, fix="name two devices of one kind"))
    moved, acts = {}, 0
    for nic, port in sorted({*mine, *theirs}):
        ends = mine.get((nic, port)), theirs.get((nic, port))
        if ends[0] is not None and ends[1] is not None and ends[0].cable == ends[1].cable:
            continue  # a cable between the two: turned round it is the same
        acts += 1
        for end, goal in zip(ends, (two, one), strict=True):
            if end is not None:
                moved[end.cable, end.side] = End(end.cable, end.side, goal, port, end.nic)
    return place_ends(built, moved), Injected(fault, tuple(sorted({cable for cable, _ in moved})), acts)


def _all_ends(built: Built, device: str) -> dict[tuple[str, int], End]:
    """The cable ends at a device by (NIC, port)."""
    import polars as pl

    found = {}
    for side in "ab":
        rows = built.cables.filter(pl.col(f"{side}_device") == device).select("cable", f"{side}_port", f"{side}_nic")
        found.update({(nic or "", port): End(cable, side, device, port, nic) for cable, port, nic in rows.rows()})
    return found


PANEL_ARITY = {"mirror": 1, "shift": 2, "crossed": 2, "exchange": 2}
PANEL_EXAMPLES = {
    "mirror": "mirror:leaf-1/1-32",
    "shift": "shift:leaf-1/1-31,1",
    "crossed": "crossed:mlx5_0,mlx5_1",
    "exchange": "exchange:node:0003,node:0004",
}
PANEL_DO: dict[str, Callable[[Places, Built, Fault], Done]] = {
    "mirror": _mirror,
    "shift": _shift,
    "crossed": _crossed,
    "exchange": _exchange,
}
