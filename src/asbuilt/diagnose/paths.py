"""What a measurement between hosts went through: the components that a pair or a collective over ports uses, by the plan.

A component is a thing that can be at fault and be told from the others by measurements between hosts: a node, a port of a
node (its card, its cable and the switch port: no traffic uses one of the three alone), a switch, a cable between switches.
Where the plan fixes the route (InfiniBand with predicted tables) a weight is 1; where switches choose (hashing, adaptive
routing) it is the share of equal shortest ways that use the component.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from asbuilt.model.plan import Plan
from asbuilt.plan.forwarding import Forwarding, forwarding
from asbuilt.plan.routing_fabric import HOST

if TYPE_CHECKING:
    import polars as pl

NODE, PORT, SWITCH, CABLE = "node", "port", "switch", "cable"
Weights = NDArray[np.float32]
#: A way has fewer switches than this: five tiers up and down.
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class End:
    """A port of a node: ``node``, ``device``, the switch that it hangs on, and its row among the ports."""

    node: str
    device: str
    leaf: str
    rail: int


class Paths:
    """Components and ways of one plane. ``names`` and ``kinds`` [C]; ``ends`` [E] in natural order."""

    def __init__(self, plan: Plan, plane: str = "compute") -> None:
        """Raises ``ValueError`` when the plan has no link from a node on ``plane``."""
        import polars as pl

        links = plan.links.filter(pl.col("plane") == plane)
        hosts = links.filter(pl.col("b_nic").is_not_null()).sort("b_device", "b_nic", "a_device")
        hosts = hosts.unique(["b_device", "b_nic"], keep="first", maintain_order=True)
        if hosts.is_empty():
            raise ValueError(f"the plan has no link from a node on plane {plane!r}")
        between = links.filter(pl.col("b_nic").is_null())
        rails = hosts["rail"] if "rail" in hosts.columns else pl.Series([-1] * hosts.height)
        columns = (hosts["b_device"], hosts["b_nic"], hosts["a_device"], rails.fill_null(-1))
        self.plane = plane
        self.ends = tuple(End(str(n), str(d), str(s), int(r)) for n, d, s, r in zip(*columns, strict=True))
        self.row = {(e.node, e.device): i for i, e in enumerate(self.ends)}
        nodes = list(dict.fromkeys(e.node for e in self.ends))
        switches = pl.concat([links["a_device"], between["b_device"]]).unique().sort().to_list()
        ports = [f"nic:{e.node.removeprefix('node:')}/{e.device}" for e in self.ends]
        cables = between["link"].to_list()
        self.names = (*nodes, *ports, *switches, *cables)
        self.kinds = (NODE,) * len(nodes) + (PORT,) * len(ports) + (SWITCH,) * len(switches) + (CABLE,) * len(cables)
        self.at = {name: i for i, name in enumerate(self.names)}
        self._first_port = len(nodes)
        self._between = between
        self._wires: dict[str, list[tuple[str, int]]] = _wires(between, self.at)
        self._tables = _tables(plan, self.ends)
        self._cable_at: dict[tuple[str, int], int] = _cable_ports(between, self.at)
        self._shares: dict[tuple[str, str], dict[int, float]] = {}
        self._distances: dict[str, dict[str, int]] = {}

    def __len__(self) -> int:
        return len(self.names)

    def used(self, rows: Sequence[int]) -> Weights:
        """Weights [C] of what a collective over the ends ``rows`` uses: one ring for each rail, both directions, in the order
        given. Two ends are a pair, whatever their rails."""
        weights = np.zeros(len(self), np.float32)
        rings: dict[int, list[int]] = {}
        for row in rows:
            weights[self.at[self.ends[row].node]] = 1
            weights[self._first_port + row] = 1
            rings.setdefault(self.ends[row].rail if len(rows) > 2 else 0, []).append(row)
        for ring in rings.values():
            around = [*ring, ring[0]] if len(ring) > 2 else ring
            for one, two in pairwise(around):
                self._walk(one, two, weights)
                self._walk(two, one, weights)
        return weights

    def _walk(self, start: int, end: int, weights: Weights) -> None:
        """Add the switches and cables on the way from one end to another."""
        a, b = self.ends[start], self.ends[end]
        if a.node == b.node and a.leaf == b.leaf:
            weights[self.at[a.leaf]] = 1
            return
        told = self._told(a, b)
        for component, share in (told if told is not None else self._spread(a.leaf, b.leaf)).items():
            weights[component] = 1 - (1 - weights[component]) * (1 - share)

    def _told(self, a: End, b: End) -> dict[int, float] | None:
        """The way that the predicted tables fix, or None where they do not."""
        room = self._tables.get(b.leaf)
        if room is None or self._tables.get(a.leaf) is not room:
            return None
        return room.way(a, b, self.at, self._cable_at)

    def _spread(self, start: str, goal: str) -> dict[int, float]:
        """Components between two switches with the share of the shortest ways that use each."""
        if (start, goal) in self._shares:
            return self._shares[start, goal]
        if goal not in self._distances:
            self._distances[goal] = _distances(goal, self._wires)
        far = self._distances[goal]
        shares: dict[int, float] = {}
        here = {start: 1.0} if start in far else {}
        while here:
            following: dict[str, float] = {}
            for switch, share in here.items():
                at = self.at[switch]
                shares[at] = shares.get(at, 0.0) + share
                onward = [(peer, cable) for peer, cable in self._wires.get(switch, ()) if far.get(peer, -1) == far[switch] - 1]
                for peer, cable in onward:
                    part = share / len(onward)
                    shares[cable] = shares.get(cable, 0.0) + part
                    following[peer] = following.get(peer, 0.0) + part
            here = following
        self._shares[start, goal] = shares
        return shares


@dataclass(frozen=True, slots=True)
class _Room:
    """The predicted tables of one subnet."""

    tables: Forwarding
    hosts: dict[str, int]

    def way(self, a: End, b: End, at: dict[str, int], cables: dict[tuple[str, int], int]) -> dict[int, float] | None:
        fabric, out = self.tables.fabric, self.tables.out
        one, two = self.hosts.get(f"{a.node}/{a.device}"), self.hosts.get(f"{b.node}/{b.device}")
        if one is None or two is None:
            return None
        switch, lid = int(fabric.host_switch[one]), int(fabric.host_lid[two])
        found: dict[int, float] = {}
        for _ in range(_LONGEST):
            if switch < 0 or not self.tables.fixed[switch, lid]:
                return None
            name = fabric.switch_keys[switch].partition("#")[0]
            found[at[name]] = 1.0
            port = int(out[switch, lid])
            onward = int(fabric.peer[switch, port]) if port < fabric.peer.shape[1] else -1
            if onward <= HOST:
                return found if HOST - onward == two else None
            if onward < 0:
                return None
            cable = cables.get((name, port))
            if cable is None:
                return None
            found[cable] = 1.0
            switch = onward
        return None


def _wires(between: pl.DataFrame, at: dict[str, int]) -> dict[str, list[tuple[str, int]]]:
    wires: dict[str, list[tuple[str, int]]] = {}
    for link, a, b in between.select("link", "a_device", "b_device").rows():
        wires.setdefault(a, []).append((b, at[link]))
        wires.setdefault(b, []).append((a, at[link]))
    return wires


def _cable_ports(between: pl.DataFrame, at: dict[str, int]) -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = {}
    for link, a, a_port, b, b_port in between.select("link", "a_device", "a_port", "b_device", "b_port").rows():
        found[a, int(a_port)] = found[b, int(b_port)] = at[link]
    return found


def _distances(goal: str, wires: dict[str, list[tuple[str, int]]]) -> dict[str, int]:
    far = {goal: 0}
    edge = [goal]
    while edge:
        following = []
        for switch in edge:
            for peer, _ in wires.get(switch, ()):
                if peer not in far:
                    far[peer] = far[switch] + 1
                    following.append(peer)
        edge = following
    return far


def _tables(plan: Plan, ends: tuple[End, ...]) -> dict[str, _Room]:
    """Switch -> the predicted tables of its subnet; nothing for subnets whose routes the plan does not predict."""
    import polars as pl

    if not plan.has("lids") or not plan.has("switches"):
        return {}
    leaves = {e.leaf for e in ends}
    boxes = plan.table("lids").filter(pl.col("nic").is_null() & pl.col("device").is_in(list(leaves)))
    found: dict[str, _Room] = {}
    asics = dict(plan.table("switches").select("switch", "asics").rows())
    for (subnet,), part in boxes.partition_by(["subnet"], as_dict=True).items():
        devices = part["device"].to_list()
        if any((asics.get(d) or 1) > 1 for d in devices):  # planes inside a chassis: which one a flow takes nobody fixes
            continue
        tables = forwarding(plan, str(subnet))
        hosts = {str(key): i for i, key in enumerate(tables.fabric.host_keys)}
        found |= dict.fromkeys(devices, _Room(tables, hosts))
    return found
