"""Build a declared 400G Ethernet, radix-128, three-tier rail fabric: ours from nothing, the peers from ready end points.

The peers get integer end points and port numbers for free and only build their graph with node names and port numbers,
as a planner that keeps its fabric in a graph library does.
"""

from __future__ import annotations

import sys
from typing import Any

from fabric import plane
from measure import report

from asbuilt.plan.wiring import WiredFabric, prove, wire


def edges(wired: WiredFabric) -> list[tuple[int, int, int, int]]:
    """(switch, port, far end, far port) of every link, switches first, nodes after them."""
    base = len(wired.switches)
    out: list[tuple[int, int, int, int]] = []
    for kind, shift in ((wired.node_leaf, base), (wired.leaf_spine, 0), (wired.spine_core, 0)):
        columns = (kind.a_switch, kind.a_port, kind.b_device + shift, kind.b_port)
        out += zip(*(c.tolist() for c in columns), strict=True)
    return out


def with_networkx(links: list[tuple[int, int, int, int]], names: list[str]) -> Any:
    import networkx

    graph = networkx.MultiGraph()
    graph.add_nodes_from((i, {"name": name}) for i, name in enumerate(names))
    graph.add_edges_from((a, b, {"a_port": p, "b_port": q}) for a, p, b, q in links)
    return graph


def with_igraph(links: list[tuple[int, int, int, int]], names: list[str]) -> Any:
    import igraph

    graph = igraph.Graph(n=len(names), edges=[(a, b) for a, _, b, _ in links])
    graph.vs["name"] = names
    graph.es["a_port"] = [p for _, p, _, _ in links]
    graph.es["b_port"] = [q for _, _, _, q in links]
    return graph


def main() -> None:
    side, gpus = sys.argv[1], int(sys.argv[2])
    if side == "product":
        wired = wire(plane(gpus))
        report(lambda: wire(plane(gpus)), repeat=5, rows=wired.cables, note=f"{wired.nbytes / wired.cables:.0f} B a cable")
    elif side == "prove":
        wired = wire(plane(gpus))
        report(lambda: prove(wired), repeat=3, note=f"{prove(wired)['links']} links, every port used once")
    else:
        wired = wire(plane(gpus))
        links = edges(wired)
        names = [f"sw-{i}" for i in range(len(wired.switches))] + [f"node-{i}" for i in range(gpus // 8)]
        build = {"networkx": with_networkx, "igraph": with_igraph}[side]
        report(lambda: build(links, names), rows=build(links, names).number_of_edges() if side == "networkx" else len(links))


main()
