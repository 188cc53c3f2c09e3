"""Unicast LIDs of a subnet: declared ranges per role and scalable unit, and the LID of every end port in them.

A LID is the first of its range plus a place that follows from coordinates; it never depends on a running count. Layout, where
the requirement declares no ranges: leaf, spine, core, service, aggregation, then one range per scalable unit of nodes, which
stand last so that further units follow without moving anything. LIDs below the first range are left to devices that nobody
planned: OpenSM gives an unknown GUID the lowest free LID.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.design.reach import UNICAST_LIDS
from asbuilt.model.requirement import LidRange
from asbuilt.plan.ports import SERVICE
from asbuilt.plan.subnet_scene import Longs, Scene
from asbuilt.plan.wiring import ROLES

#: Ranges start at multiples of this, and their room is rounded up to it, where the LID space allows.
ROUND = 16
AGGREGATION, SERVICE_ROLE, NODE_ROLE = "aggregation", "service", "node"


@dataclass(frozen=True, slots=True)
class Range:
    """One range. ``first`` and ``last`` are LIDs, both inside."""

    name: str
    role: str
    su: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The ranges of a subnet, and where the places of each plane's switches start within leaf, spine and core.

    ``rounded`` says that ranges have room beyond the target.
    """

    ranges: tuple[Range, ...]
    starts: dict[tuple[str, int], int]
    rounded: bool

    def first(self, role: str) -> int:
        """The first LID of a role (of nodes: of their first range); 0 where nothing has the role."""
        return next((r.first for r in self.ranges if r.role == role), 0)


def lay_out(scene: Scene) -> Layout:
    """The ranges of a subnet.

    With room (a multiple of `ROUND` in each range, 16 service hosts or twice the planned ones) where that fits 1 to 0xBFFF,
    else without. Raises ``ProblemError`` PLN-010 where even that does not fit, and for declared ranges that are too small.
    """
    sizes, starts = _rooms(scene)
    for rounded in (True, False):
        found = _placed(scene, sizes, starts, rounded)
        if found.ranges[-1].last <= UNICAST_LIDS and max(r.last for r in found.ranges) <= UNICAST_LIDS:
            return found
    need = max(r.last for r in found.ranges)
    raise ProblemError(
        Problem(
            "PLN-010",
            f"subnet {scene.name} needs LIDs up to {need:,}",
            why=f"a subnet has {UNICAST_LIDS:,} unicast LIDs (1 to 0xBFFF)",
            fix="lower the LMC, make islands smaller, or declare tighter ranges (subnets.<name>.lid_ranges)",
        )
    )


def _rooms(scene: Scene) -> tuple[dict[str, int], dict[tuple[str, int], int]]:
    """Places that each role needs (in units of one LID for switches, of 2^LMC LIDs for all else), and plane offsets."""
    sizes = dict.fromkeys((*ROLES, SERVICE_ROLE, AGGREGATION), 0)
    starts: dict[tuple[str, int], int] = {}
    for crew in scene.crews:
        for role, name in enumerate(ROLES):
            starts[crew.plane.name, role] = sizes[name]
            if crew.room[role]:
                sizes[name] += crew.room[role] * crew.tier(role).asics
                sizes[AGGREGATION] += crew.room[role] * crew.tier(role).aggregation
    sizes[SERVICE_ROLE] = sum(len(p.host) for p in scene.ports if p.far == SERVICE)
    return sizes, starts


def _placed(scene: Scene, sizes: dict[str, int], starts: dict[tuple[str, int], int], rounded: bool) -> Layout:
    step = 1 << scene.lmc
    grain = ROUND if rounded else 1
    kept = [(r.first or 1, r.last or UNICAST_LIDS) for r in _asked(scene)]
    taken: list[Range] = []
    at = grain
    for role in (*ROLES, SERVICE_ROLE, AGGREGATION):
        unit = 1 if role in ROLES else step
        count = sizes[role]
        if rounded and role == SERVICE_ROLE:
            count = max(ROUND, 2 * count)
        elif rounded and count:
            count = -(-count // ROUND) * ROUND
        declared: LidRange | None = getattr(scene.wish.lid_ranges, role)
        if declared is not None:
            taken.append(_declared(scene, role, declared, sizes[role] * unit, unit))
            continue
        if not count:
            continue
        first = _clear(at, count * unit, max(unit, grain), kept)
        taken.append(Range(role, role, -1, first, first + count * unit - 1))
        at = first + count * unit
    whole = (scene.room_nodes + 2 * scene.su_nodes) * scene.width << scene.lmc if kept else 0
    nodes = _node_ranges(scene, _clear(at, whole, max(step, grain), kept), rounded)
    return Layout((*taken, *nodes), starts, rounded)


def _declared(scene: Scene, role: str, asked: LidRange, need: int, unit: int) -> Range:
    """A range that the requirement dictates. It must hold what the plan gives out, from its first aligned LID on."""
    first, last = _up(asked.first or 1, unit), asked.last or UNICAST_LIDS
    if last - first + 1 < need:
        raise ProblemError(
            Problem(
                "PLN-010",
                f"subnets.{scene.base}.lid_ranges.{role}: {asked.first} to {asked.last} holds {max(0, last - first + 1)} LIDs",
                why=f"{need} are needed, room for the growth target included",
                fix=f"end it at {first + need - 1} or later, or delete it",
            )
        )
    return Range(role, role, -1, first, last)


def _of_node(scene: Scene, at: int, node: int) -> int:
    """The first LID of a node, where the first node of the island has ``at``."""
    return at + ((node - scene.first_node) * scene.width << scene.lmc)


def _node_ranges(scene: Scene, at: int, rounded: bool) -> list[Range]:
    """One range per scalable unit of the island."""
    per_unit = scene.su_nodes
    declared = scene.wish.lid_ranges.node
    if declared is not None:
        at = _up(declared.first or 1, 1 << scene.lmc)
    first_su, end = scene.first_node // per_unit, scene.first_node + scene.room_nodes
    units = range(first_su, max(first_su + 1, -(-end // per_unit)))
    out = []
    for unit in units:
        stop = (unit + 1) * per_unit if rounded else min((unit + 1) * per_unit, end)
        first = _of_node(scene, at, max(unit * per_unit, scene.first_node))
        out.append(Range(f"node/su-{unit:03d}", NODE_ROLE, unit, first, _of_node(scene, at, stop) - 1))
    if declared is not None and out and declared.last is not None and out[-1].last > declared.last:
        need = out[-1].last - at + 1
        what = f"{declared.first} to {declared.last} holds {max(0, declared.last - at + 1)} LIDs"
        fix = f"end it at {at + need - 1} or later, or delete it"
        why = f"{need} are needed, room for the growth target included"
        raise ProblemError(Problem("PLN-010", f"subnets.{scene.base}.lid_ranges.node: {what}", why=why, fix=fix))
    return out


def _asked(scene: Scene) -> list[LidRange]:
    """The ranges that the requirement dictates."""
    asked = scene.wish.lid_ranges
    named = (getattr(asked, role) for role in (*ROLES, SERVICE_ROLE, AGGREGATION, NODE_ROLE))
    return [r for r in named if r is not None]


def _clear(at: int, count: int, unit: int, kept: list[tuple[int, int]]) -> int:
    """The first multiple of ``unit`` from ``at`` on where ``count`` LIDs touch no dictated range."""
    at = _up(at, unit)
    for first, last in sorted(kept):
        if at <= last and at + max(1, count) - 1 >= first:
            at = _up(last + 1, unit)
    return at


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def switch_lids(scene: Scene, layout: Layout, at: int) -> tuple[Longs, Longs]:
    """Of the switches of crew ``at``: the LID of ASIC 0, and that of the aggregation node (0 where it has none).

    Aggregation nodes follow the order of leaf, spine and core places, those of one plane behind those of the one before.
    """
    crew = scene.crews[at]
    asics = np.array([crew.tier(r).asics for r in range(3)], np.int64)
    has = np.array([crew.tier(r).aggregation for r in range(3)], np.int64)
    first = np.array([layout.first(name) for name in ROLES], np.int64)
    start = np.array([layout.starts[crew.plane.name, r] for r in range(3)], np.int64)
    lid = first[crew.role] + start[crew.role] + crew.place * asics[crew.role]
    before = np.array([_aggregations(scene, at, role) for role in range(3)], np.int64)
    node = layout.first(AGGREGATION) + ((before[crew.role] + crew.place) << scene.lmc)
    return lid, np.where(has[crew.role] > 0, node, 0)


def _aggregations(scene: Scene, at: int, role: int) -> int:
    """Aggregation nodes that there is room for before those of a role of crew ``at``: role by role, then crew by crew."""
    order = [(r, c) for r in range(3) for c in range(len(scene.crews))]
    before = order[: order.index((role, at))]
    return sum(scene.crews[c].room[r] * scene.crews[c].tier(r).aggregation for r, c in before)


def node_lids(scene: Scene, layout: Layout, host: Longs, ordinal: Longs) -> Longs:
    """LID of NIC ports of nodes: unit, node within it, port of the node; each a run of 2^LMC."""
    slot = host - scene.first_node
    return layout.first(NODE_ROLE) + ((slot * scene.width + ordinal) << scene.lmc)
