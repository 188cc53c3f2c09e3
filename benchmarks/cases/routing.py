"""Forwarding tables: by index arithmetic beside OpenSM's own ftree, and a re-route with 1 % of the cables down.

``product``: `closed_form.fill` from coordinates and destinations, which is what the peer's time spans: OpenSM's log stamps the
line before its first destination and the line after its last, ranking and indexing excluded on both sides. ``whole`` includes
ranking and indexing. ``opensm``: that time of a real OpenSM 3.3.23 over ibsim in the same run; both must program equal rows.
``reroute``: tables of a degraded tree (1 % of all cables between switches down, seeded).
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from measure import peak_mib, report

from asbuilt.base.kernel import Engine
from asbuilt.plan.routing_closed import closed_form, fill, targets
from asbuilt.plan.routing_fabric import Fabric
from asbuilt.plan.routing_regular import regular
from asbuilt.plan.routing_reroute import reroute, ways
from opensm_oracle import ask
from routing_trees import three_tier

POD, RADIX_DOWN = 1024, 32


def tree(hosts: int) -> Fabric:
    """A three-tier tree of 64-port switches, 1:1: pods of 32 leaves and 32 spines, spine j of every pod on core group j."""
    pods = hosts // POD
    cores = max(1, pods // 2)
    return three_tier(pods, RADIX_DOWN, RADIX_DOWN, cores, RADIX_DOWN, 1, RADIX_DOWN // cores)


def digest(out: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(out).tobytes()).hexdigest()[:16]


def degraded(fabric: Fabric) -> Fabric:
    rows, ports = np.nonzero(fabric.peer > np.arange(fabric.switches)[:, None])
    pick = np.random.default_rng(0).permutation(len(rows))[: len(rows) // 100]
    return fabric.without(np.stack([rows[pick], ports[pick]], axis=1).astype(np.int32))


def main() -> None:
    side, hosts = sys.argv[1], int(sys.argv[2])
    Engine.mode = "numba"
    fabric = tree(hosts)
    size = f"{fabric.switches} switches, {fabric.switches * (fabric.switches + fabric.hosts)} rows"
    if side == "opensm":
        told = ask(fabric, timeout_s=900, extra="qos FALSE\n")
        assert told.routing_s is not None and not told.fell_back
        print(json.dumps({"seconds": told.routing_s, "peak_mib": peak_mib(), "digest": digest(told.out)}))
    elif side == "reroute":
        preferred, broken = ways(fabric), degraded(fabric)
        found = reroute(preferred, broken)
        note = f"{size}; {found.kept} kept, {found.moved} moved, {found.lost} without a way"
        report(lambda: reroute(preferred, broken), note=note)
    elif side == "whole":
        report(lambda: closed_form(fabric), note=f"{size}; with ranking and indexing")
    else:
        shape = regular(fabric)
        assert shape is not None
        order = targets(fabric, shape)
        report(lambda: fill(fabric, shape, order), repeat=5, digest=digest(fill(fabric, shape, order)), note=size)


main()
