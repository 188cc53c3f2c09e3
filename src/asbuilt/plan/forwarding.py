"""Forwarding tables of a planned subnet: what its subnet manager will program, before any hardware exists.

For ``ftree`` the tables are those of OpenSM 3.3.23, row for row. Where the engine is another one, or ``ftree`` falls back
to it, only the rows that leave no choice are fixed by the plan; the rest is a valid table, not a prediction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.model.plan import Plan
from asbuilt.plan.routing_closed import closed_form
from asbuilt.plan.routing_fabric import NOTHING, Fabric, contradiction, fabric_of
from asbuilt.plan.routing_ftree import NotAFatTreeError, ftree, ranks, seen
from asbuilt.plan.routing_hops import FREE, only_ways

Table = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Forwarding:
    """Tables of all switches of a subnet.

    ``out`` [S, top_lid + 1]: the port that a LID leaves by, 0 the switch itself, 255 none. ``fixed`` of the same shape: the
    rows that the plan fixes, among them those that must stay without a port; false for LIDs that nothing answers to.
    ``engine`` is what routes in truth, ``reason`` why less than everything is fixed (empty when all is).
    """

    fabric: Fabric
    out: Table
    fixed: Mask
    engine: str
    reason: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """Natural keys of the switches, ``<switch>#<asic>``, in row order."""
        return self.fabric.switch_keys

    @property
    def guid(self) -> NDArray[np.uint64]:
        return self.fabric.guid

    @property
    def lid(self) -> NDArray[np.int32]:
        return self.fabric.lid

    @property
    def rows(self) -> int:
        """Rows (switch, LID) that the plan fixes."""
        return int(self.fixed.sum())


@dataclass(frozen=True, slots=True)
class Compared:
    """Measured rows beside the planned ones, per switch [S]: compared, equal, without a port that is planned; which differ."""

    compared: NDArray[np.int64]
    equal: NDArray[np.int64]
    holes: NDArray[np.int64]
    differs: Mask


def forwarding(plan: Plan, subnet: str, *, aggregation: bool = True) -> Forwarding:
    """The tables that the planned subnet manager programs. ``aggregation``: as in `fabric_of`.

    Raises ``KeyError`` when the plan lacks `lids`, `links` or `switches`.
    """
    return forwarding_of(fabric_of(plan, subnet, aggregation=aggregation))


def forwarding_of(fabric: Fabric) -> Forwarding:
    """As `forwarding`, of any fabric: a degraded one, or one that was measured. What no manager sees has no table.

    Raises ``ValueError`` for a fabric that contradicts itself.
    """
    wrong = contradiction(fabric)
    if wrong:
        raise ValueError(f"subnet {fabric.name or 'without a name'}: {wrong}")
    made = _routed(fabric)
    live = (seen(fabric).peer != NOTHING).any(axis=1) | (fabric.switches == 1)
    if live.all():
        return made
    out, fixed = made.out.copy(), made.fixed & live[:, None]
    out[~live] = FREE
    return replace(made, out=out, fixed=fixed)


def _routed(fabric: Fabric) -> Forwarding:
    if fabric.switches == 1:
        return Forwarding(fabric, *only_ways(fabric), "minhop")
    engine, reason = fabric.engine.split(",")[0].strip(), ""
    if engine == "ftree":
        beside = _beside(fabric)
        try:
            out = closed_form(fabric)
            out = ftree(fabric) if out is None else out
        except NotAFatTreeError as error:
            engine, reason = "minhop", f"ftree falls back to minhop: {error}"
        else:
            fixed = np.broadcast_to(fabric.row_of_lid() != NOTHING, out.shape).copy()
            if beside:
                fixed[:] = False
                reason = f"{beside} cable{'s' if beside > 1 else ''} between switches of one tier: such a tree is not predicted"
            return Forwarding(fabric, out, fixed, "ftree", reason)
    rank = ranks(fabric) if engine == "updn" else None
    out, fixed = only_ways(fabric, rank)
    reason = reason or f"{engine} balances in its own order: fixed where only one port lies on a shortest way"
    return Forwarding(fabric, out, fixed, engine, reason)


def _beside(fabric: Fabric) -> int:
    """Cables between two different switches of one rank."""
    rank = ranks(fabric)
    rows, ports = np.nonzero(fabric.peer >= 0)
    to = fabric.peer[rows, ports]
    return int(((rank[to] == rank[rows]) & (to > rows)).sum())


def compare_tables(planned: Forwarding, measured: Table, known: Mask | None = None) -> Compared:
    """Measured tables beside the planned ones, row by row where the plan fixes them.

    ``measured`` [S, any length], 255 for no port; ``known`` [S]: switches whose table was read (default all).
    """
    width = planned.out.shape[1]
    found = np.full(planned.out.shape, FREE, np.uint8)
    found[:, : min(width, measured.shape[1])] = measured[:, :width]
    judged: Any = planned.fixed if known is None else planned.fixed & known[:, None]
    same = found == planned.out
    holes = judged & (found == FREE) & (planned.out != FREE)
    return Compared(judged.sum(axis=1), (judged & same).sum(axis=1), holes.sum(axis=1), judged & ~same)


def changed_rows(old: Forwarding, new: Forwarding) -> tuple[NDArray[np.int64], int, int]:
    """Rows that change on switches of both tables, for LIDs of both: count per row of ``old``, their sum, rows compared.

    Switches are matched by key and hosts by LID, which a plan that grows keeps. New LIDs of old switches are not among
    them: they are additions.
    """
    place = {key: row for row, key in enumerate(new.keys)}
    pairs = [(row, place[key]) for row, key in enumerate(old.keys) if key in place]
    one, two = np.array(pairs, np.int64).reshape(-1, 2).T
    lids = np.flatnonzero(old.fabric.row_of_lid() != NOTHING)
    lids = lids[lids < new.out.shape[1]]
    lids = lids[new.fabric.row_of_lid()[lids] != NOTHING]
    differs = old.out[np.ix_(one, lids)] != new.out[np.ix_(two, lids)]
    count = np.zeros(len(old.keys), np.int64)
    count[one] = differs.sum(axis=1)
    return count, int(differs.sum()), differs.size
