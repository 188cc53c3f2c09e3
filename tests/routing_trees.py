"""Fabrics made by hand for routing tests, port by port: they share no code with the expansion of plans."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from asbuilt.plan.guids import guids
from asbuilt.plan.routing_analysis import shift_loads
from asbuilt.plan.routing_fabric import COMPUTE, HOST, IO, NOTHING, OTHER, Fabric

LEAF_FIRST, HOST_FIRST = 1, 1_001


class Loom:
    """Switches, hosts and cables, one call each; `fabric` turns them into arrays."""

    def __init__(self, seed: int = 0, ports: int = 64) -> None:
        self.seed, self.ports = seed, ports
        self.switches: list[tuple[str, bool]] = []
        self.hosts: list[tuple[str, int, int, int]] = []
        self.cables: list[tuple[int, int, int, int]] = []
        self.used: dict[int, int] = {}

    def switch(self, key: str, root: bool = False) -> int:
        self.switches.append((key, root))
        return len(self.switches) - 1

    def port(self, switch: int) -> int:
        self.used[switch] = self.used.get(switch, 0) + 1
        return self.used[switch]

    def host(self, key: str, switch: int, role: int = COMPUTE) -> None:
        self.hosts.append((key, switch, self.port(switch), role))

    def cable(self, one: int, two: int, count: int = 1) -> None:
        for _ in range(count):
            self.cables.append((one, self.port(one), two, self.port(two)))

    def fabric(self, lmc: int = 0, **more: Any) -> Fabric:
        """LIDs: switches from 1, hosts from 1,001 in order, aligned to the LMC; GUIDs from the keys and the seed."""
        count = len(self.switches)
        wide = max([self.ports, *self.used.values()])
        peer = np.full((count, wide + 1), NOTHING, np.int32)
        far = np.zeros((count, wide + 1), np.int32)
        for a, pa, b, pb in self.cables:
            peer[a, pa], far[a, pa], peer[b, pb], far[b, pb] = b, pb, a, pa
        for number, (_, at, port, _) in enumerate(self.hosts):
            peer[at, port], far[at, port] = HOST - number, 1
        keys = pl.Series([h[0] for h in self.hosts], dtype=pl.String)
        box = guids(pl.Series([s[0] for s in self.switches], dtype=pl.String), self.seed)
        node = guids(keys, self.seed) if len(keys) else np.zeros(0, np.uint64)
        step = 1 << lmc
        base = (max(HOST_FIRST, count + 1) + step - 1) // step * step
        return Fabric(
            tuple(s[0] for s in self.switches), box, np.arange(1, count + 1, dtype=np.int32),
            np.array([s[1] for s in self.switches], bool), peer, far, keys, node, node + np.uint64(1),
            (base + step * np.arange(len(keys))).astype(np.int32), np.full(len(keys), lmc, np.int32),
            np.array([h[1] for h in self.hosts], np.int32), np.array([h[2] for h in self.hosts], np.int32),
            np.array([h[3] for h in self.hosts], np.uint8), **more,
        )  # fmt: skip


def two_tier(leaves: int, spines: int, hosts: int, links: int = 1, seed: int = 0, odd: int = 0, **more: Any) -> Fabric:
    """A two-tier tree; the last leaf has ``odd`` hosts fewer."""
    loom = Loom(seed)
    low = [loom.switch(f"leaf-{n:03d}#0") for n in range(leaves)]
    top = [loom.switch(f"spine-{n:03d}#0", root=True) for n in range(spines)]
    for n, leaf in enumerate(low):
        for h in range(hosts - (odd if n == leaves - 1 else 0)):
            loom.host(f"node-{n:03d}-{h:03d}/mlx5_0", leaf)
        for spine in top:
            loom.cable(leaf, spine, links)
    return loom.fabric(**more)


def rail_and_storage(seed: int = 0, nodes: int = 12, managers: bool = True) -> Fabric:
    """Rails with six parallel links, storage leaves with one, two managers on spines: a tree that is not uniform."""
    loom = Loom(seed)
    rails = [loom.switch(f"leaf-r{r}#0") for r in range(4)]
    stores = [loom.switch(f"store-{r}#0") for r in range(2)]
    top = [loom.switch(f"spine-{n}#0", root=True) for n in range(4)]
    for n in range(nodes):
        for r, leaf in enumerate(rails):
            loom.host(f"node-{n:03d}/mlx5_{r}", leaf)
        for r, leaf in enumerate(stores):
            loom.host(f"node-{n:03d}/mlx5_{4 + r}", leaf, IO)
    for leaf in rails:
        for spine in top:
            loom.cable(leaf, spine, 6)
    for leaf in stores:
        for spine in top:
            loom.cable(leaf, spine)
    if managers:
        loom.host("manager-0/mlx5_0", top[0], OTHER)
        loom.host("manager-1/mlx5_0", top[1], OTHER)
    return loom.fabric()


def three_tier(
    pods: int, leaves: int, spines: int, cores: int, hosts: int, down: int = 1, up: int = 1, seed: int = 0, odd: int = 0
) -> Fabric:
    """``pods`` pods of ``leaves`` x ``spines``; spine i of each has ``up`` links to every core of group i of ``cores``."""
    loom = Loom(seed)
    low = [[loom.switch(f"leaf-{p:02d}-{n:02d}#0") for n in range(leaves)] for p in range(pods)]
    mid = [[loom.switch(f"spine-{p:02d}-{n:02d}#0") for n in range(spines)] for p in range(pods)]
    top = [[loom.switch(f"core-{g:02d}-{n:02d}#0", root=True) for n in range(cores)] for g in range(spines)]
    for p in range(pods):
        for n, leaf in enumerate(low[p]):
            for h in range(hosts - (odd if p == pods - 1 and n == leaves - 1 else 0)):
                loom.host(f"node-{p:02d}-{n:02d}-{h:02d}/mlx5_0", leaf)
            for spine in mid[p]:
                loom.cable(leaf, spine, down)
        for g, spine in enumerate(mid[p]):
            for core in top[g]:
                loom.cable(spine, core, up)
    return loom.fabric()


def degraded(fabric: Fabric, seed: int, share: float = 0.01) -> Fabric:
    """``fabric`` with a share of the cables between its switches down, at least one."""
    rows, ports = np.nonzero(fabric.peer > np.arange(fabric.switches)[:, None])
    pick = np.random.default_rng(seed).permutation(len(rows))[: max(1, int(len(rows) * share))]
    return fabric.without(np.stack([rows[pick], ports[pick]], axis=1).astype(np.int32))


def fullest(fabric: Fabric, out: Any, most: int = 256) -> Any:
    """Flows on the fullest link for each of up to ``most`` shifts of all hosts, leaf by leaf in the order of their ports."""
    order = np.lexsort((fabric.host_port, fabric.host_switch)).astype(np.int32)
    shifts = np.random.default_rng(99).permutation(fabric.hosts - 1)[:most] + 1
    return shift_loads(fabric, out, shifts.astype(np.int32), order)
