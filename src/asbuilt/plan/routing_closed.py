"""The tables of a regular fat tree by index arithmetic: what the walk of `routing_descent` would set, without a search.

In a regular tree every choice of the engine is a counter taken round robin: host k of a leaf climbs by spine k mod C, the
m-th host of a pod on a spine by core m mod G, and each bundle of W links is dealt out in turn. So one destination's column
is two rows of ready bytes laid over each other (what leaves do, what the tiers above do), and after it only the counters
that it moved are touched: O(switches) bytes written and O(pods^2) steps for each destination.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.base.kernel import kernel
from asbuilt.plan.routing_fabric import COMPUTE, Fabric, network_order
from asbuilt.plan.routing_regular import Regular, regular

FREE = 255


def closed_form(fabric: Fabric) -> NDArray[np.uint8] | None:
    """Tables out[S, top_lid + 1] of a regular fabric as OpenSM's fat-tree engine programs them; None when it is not regular."""
    tree = regular(fabric)
    return None if tree is None else fill(fabric, tree, targets(fabric, tree))


def targets(fabric: Fabric, tree: Regular) -> NDArray[np.int64]:
    """Destinations in the engine's order, int64 [n, 6]: LID (0: nobody there), switch row, port, tier below the top of leaves
    (0 leaf, 1 spine, 2 core), place in `Regular` (leaf number, pod * C + class, class * G + core), 1 when it is counted.
    """
    place = np.full(fabric.switches, -1)
    place[tree.leaves] = np.arange(len(tree.leaves))
    home = place[fabric.host_switch]
    compute = fabric.host_role == COMPUTE
    compute = compute if compute.any() else ~compute
    on = np.bincount(home[compute], minlength=len(tree.leaves))
    used = np.flatnonzero(on)
    span = np.arange(used[0], used[-1] + 1)
    missing = np.repeat(span, on.max() - on[span])
    hosts, others = np.flatnonzero(compute), np.flatnonzero(~compute)
    leaf = np.concatenate([home[hosts], missing])
    port = np.concatenate([fabric.host_port[hosts], np.full(len(missing), 1 << 16)])
    order = np.lexsort((port, leaf))
    leaf, port = leaf[order], port[order]
    lid = np.concatenate([fabric.host_lid[hosts], np.zeros(len(missing), np.int64)])[order]
    others = others[np.argsort(network_order(fabric.host_node_guid[others]))]
    count = len(leaf) + len(others)
    made = np.zeros((count + fabric.switches, 6), np.int64)
    made[:count, 0] = np.concatenate([lid, fabric.host_lid[others]])
    made[:count, 4] = np.concatenate([leaf, home[others]])
    made[:count, 1] = tree.leaves[made[:count, 4]]
    made[:count, 2] = np.concatenate([np.where(port == 1 << 16, 0, port), fabric.host_port[others]])
    made[:count, 5] = 1
    boxes = np.argsort(network_order(fabric.guid))
    tier, spot = np.zeros(fabric.switches, np.int64), place.copy()
    for level, rows in ((1, tree.spines.reshape(-1)), (2, tree.cores.reshape(-1))):
        tier[rows], spot[rows] = level, np.arange(len(rows))
    made[count:, 0], made[count:, 1], made[count:, 3], made[count:, 4] = fabric.lid[boxes], boxes, tier[boxes], spot[boxes]
    return made


def fill(fabric: Fabric, tree: Regular, order: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The tables, from coordinates and destinations. The array is laid out by LID: its columns are contiguous."""
    pods, classes = tree.spines.shape
    cores, leaves = tree.cores.shape[1], len(tree.leaves)
    out = np.full((fabric.top_lid + 1, fabric.switches), FREE, np.uint8)
    low = np.zeros((classes, fabric.switches), np.uint8)
    low[:, tree.leaves] = tree.down[:, :, 0].T
    high = np.zeros((pods, fabric.switches), np.uint8)
    ports = np.zeros((classes, max(cores, 1), pods), np.uint8)
    if cores:
        ports[:] = tree.core_down[:, :, :, 0].transpose(1, 2, 0)
        for pod in range(pods):
            high[:, tree.spines[pod]] = ports[:, 0, pod]
        for pod in range(pods):
            high[pod, tree.cores.reshape(-1)] = tree.core_far[pod, :, :, 0].reshape(-1)
    state = (
        np.zeros(leaves, np.int64), np.full(pods, -1, np.int64), np.zeros((pods, classes), np.int64),
        np.zeros((leaves, classes), np.int64), np.zeros((classes, max(cores, 1), pods), np.int64),
    )  # fmt: skip
    deal(
        order,
        out,
        low,
        high,
        ports,
        tree.leaves,
        tree.spines,
        tree.cores,
        tree.up_far,
        tree.down,
        tree.core_far,
        tree.core_down,
        *state,
    )
    made = out.T
    made[:, 0] = FREE
    if fabric.connect_roots:
        _join(fabric, tree, made)
    return made


def _join(fabric: Fabric, tree: Regular, out: NDArray[np.uint8]) -> None:
    """``connect_roots``: switches above the leaves reach those that they have no way to through the last leaf."""
    on = np.bincount(fabric.host_switch[fabric.host_role == COMPUTE], minlength=fabric.switches)[tree.leaves]
    last = int(tree.leaves[np.flatnonzero(on)[-1]]) if on.any() else int(tree.leaves[-1])
    above = np.concatenate([tree.spines.reshape(-1), tree.cores.reshape(-1)])
    part = out[np.ix_(above, fabric.lid)]
    reach = out[last, fabric.lid] != FREE
    through = out[above, fabric.lid[last]]
    out[np.ix_(above, fabric.lid)] = np.where((part == FREE) & reach, through[:, None], part)


def _lay(out: Any, lid: int, low: Any, high: Any) -> None:
    for i in range(low.shape[0]):
        out[lid, i] = low[i] | high[i]


def _passed(leaf: int, kind: int, low: Any, down: Any, leaves: Any, used: Any) -> None:
    """One more destination reached all leaves but ``leaf`` through class ``kind``: each deals its next link."""
    width = down.shape[2]
    for t in range(leaves.shape[0]):
        if t != leaf:
            used[t, kind] += 1
            low[kind, leaves[t]] = down[t, kind, used[t, kind] % width]


def _crossed(
    pod: int, kind: int, core: int, ports: Any, high: Any, spines: Any, core_down: Any, crossed: Any, climbed: Any
) -> None:
    """One more destination crossed ``core`` of class ``kind`` to every pod but ``pod``: each deals its next link."""
    width, cores = core_down.shape[3], core_down.shape[2]
    for q in range(spines.shape[0]):
        if q != pod:
            crossed[kind, core, q] += 1
            ports[kind, core, q] = core_down[q, kind, core, crossed[kind, core, q] % width]
    for p in range(spines.shape[0]):
        if climbed[p, kind] % cores == core:
            for q in range(spines.shape[0]):
                if q != p:
                    high[p, spines[q, kind]] = ports[kind, core, q]


def _climb_on(pod: int, kind: int, ports: Any, high: Any, spines: Any, cores: Any, core_far: Any, climbed: Any) -> None:
    """One more destination of ``pod`` took its spine of class ``kind``: its next core is due."""
    many, width = core_far.shape[2], core_far.shape[3]
    core = climbed[pod, kind] % many
    climbed[pod, kind] += 1
    high[pod, cores[kind, core]] = core_far[pod, kind, core, (climbed[pod, kind] + many - 1 - core) // many % width]
    following = climbed[pod, kind] % many
    for q in range(spines.shape[0]):
        if q != pod:
            high[pod, spines[q, kind]] = ports[kind, following, q]


def _box(
    out: Any, lid: int, tier: int, pod: int, kind: int, core: int, low: Any, high: Any, ports: Any, leaves: Any, spines: Any,
    cores: Any,
) -> None:  # fmt: skip
    """The column of a switch above the leaves: only its own class leads to it."""
    for t in range(leaves.shape[0]):
        out[lid, leaves[t]] = low[kind, leaves[t]]
    for q in range(spines.shape[0]):
        if tier == 2:
            out[lid, spines[q, kind]] = ports[kind, core, q]
        elif q != pod and cores.shape[1] > 0:
            out[lid, spines[q, kind]] = high[pod, spines[q, kind]]
    if tier == 1:
        for c in range(cores.shape[1]):
            out[lid, cores[kind, c]] = high[pod, cores[kind, c]]


def _deal(
    order: Any, out: Any, low: Any, high: Any, ports: Any, leaves: Any, spines: Any, cores: Any, up_far: Any, down: Any,
    core_far: Any, core_down: Any, hosts: Any, shown: Any, climbed: Any, used: Any, crossed: Any,
) -> None:  # fmt: skip
    """All destinations in order. ``low`` [C, S] and ``high`` [P, S]: the bytes that leaves and upper tiers lay down next."""
    classes, many = spines.shape[1], cores.shape[1]
    per_pod, width = leaves.shape[0] // spines.shape[0], up_far.shape[2]
    for i in range(order.shape[0]):
        lid, row, tier, spot = order[i, 0], order[i, 1], order[i, 3], order[i, 4]
        pod, kind, core, leaf = -1, 0, 0, -1
        if tier == 0:
            leaf, pod = spot, spot // per_pod
            kind = hosts[leaf] % classes
            if shown[pod] != leaf:
                shown[pod] = leaf
                for c in range(classes):
                    count = (hosts[leaf] + classes - 1 - c) // classes
                    high[pod, spines[pod, c]] = up_far[leaf, c, count % width]
            _lay(out, lid, low[kind], high[pod])
        elif tier == 1:
            pod, kind = spot // classes, spot % classes
            _box(out, lid, tier, pod, kind, 0, low, high, ports, leaves, spines, cores)
        else:
            kind, core = spot // many, spot % many
            _box(out, lid, tier, -1, kind, core, low, high, ports, leaves, spines, cores)
        out[lid, row] = order[i, 2]
        if width > 1:
            _passed(leaf, kind, low, down, leaves, used)
        if many > 0:
            core = core if tier == 2 else climbed[pod, kind] % many
            if core_down.shape[3] > 1:
                _crossed(pod, kind, core, ports, high, spines, core_down, crossed, climbed)
            if order[i, 5]:
                _climb_on(pod, kind, ports, high, spines, cores, core_far, climbed)
        if order[i, 5]:
            hosts[leaf] += 1
            high[pod, spines[pod, kind]] = up_far[leaf, kind, (hosts[leaf] + classes - 1 - kind) // classes % width]


_PARTS = (_lay, _passed, _crossed, _climb_on, _box)
deal = kernel(_deal, threshold=2_000, parts=_PARTS)(_deal)
