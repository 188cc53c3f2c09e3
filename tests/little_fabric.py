"""Small plans made by hand, for tests of what comes after the plan: they share no code with the expansion."""

from __future__ import annotations

import polars as pl

from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES


def little_plan(
    nodes: int = 4,
    rails: int = 4,
    spines: int = 2,
    *,
    technology: str = "infiniband",
    switch: str = "qm9700",
    nic: str = "connectx-7",
    rate: float = 400.0,
    asics: int = 1,
    oob: bool = False,
) -> Plan:
    """One leaf per rail, ``spines`` spines with two cables to every leaf; an Ethernet oob switch when asked."""
    leaves = [f"sw:compute/leaf-000-{r}" for r in range(rails)]
    tops = [f"sw:compute/spine-{s}" for s in range(spines)]
    names = {key: f"LEAF-{r + 1:02d}" for r, key in enumerate(leaves)} | {k: f"SPINE-{s + 1:02d}" for s, k in enumerate(tops)}
    node_names = {f"node:{n:04d}": f"gpu{n:03d}" for n in range(nodes)}
    ports = nodes + 2 * max(spines, 1)
    switches = [
        _switch(key, names[key], role, switch, max(ports, 2 * rails), asics, rail, "compute", "ib0")
        for role, keys in (("leaf", leaves), ("spine", tops))
        for rail, key in enumerate(keys)
    ]
    links = []
    for r, leaf in enumerate(leaves):
        for n, (node, name) in enumerate(node_names.items()):
            links.append(_link(leaf, n + 1, node, 1, f"mlx5_{r}", names[leaf], f"{name} mlx5_{r}", rate, r, "compute"))
        for s, spine in enumerate(tops):
            for k in range(2):
                port, far = nodes + 2 * s + k + 1, 2 * r + k + 1
                links.append(_link(leaf, port, spine, far, None, names[leaf], names[spine], rate, r, "compute"))
    nics = [
        (f"nic:{n:04d}/mlx5_{r}", f"node:{n:04d}", f"mlx5_{r}", nic, "compute", r, rate)
        for n in range(nodes)
        for r in range(rails)
    ]
    subnets = [("ib0", technology, "compute", 0, 0, nodes * rails, rails + spines)]
    if oob:
        switches.append(_switch("sw:oob/leaf-000", "OOB-01", "leaf", "sn2201", 48, 1, -1, "oob", "oob0"))
        for n, (node, name) in enumerate(node_names.items()):
            links.append(_link("sw:oob/leaf-000", n + 1, node, 1, "bmc", "OOB-01", f"{name} bmc", 1.0, -1, "oob"))
        nics += [(f"nic:{n:04d}/bmc", f"node:{n:04d}", "bmc", "bmc", "oob", -1, 1.0) for n in range(nodes)]
        subnets.append(("oob0", "ethernet", "oob", 0, 0, nodes, 1))
    tables = {
        "switches": pl.DataFrame(switches),
        "nodes": pl.DataFrame([_node(i, key, name) for i, (key, name) in enumerate(node_names.items())]),
        "nics": _nics(nics, technology),
        "links": pl.DataFrame(links, infer_schema_length=None),
        "subnets": pl.DataFrame(
            subnets, schema=["subnet", "technology", "planes", "island", "subplane", "endpoints", "switches"], orient="row"
        ),
    }
    shaped = {name: PLAN_TABLES[name].conform(frame).sort(PLAN_TABLES[name].order) for name, frame in tables.items()}
    return Plan("little", shaped, plan_hash="0" * 64)


def _switch(
    key: str, name: str, role: str, model: str, ports: int, asics: int, rail: int, plane: str, subnet: str
) -> dict[str, object]:
    return {
        "switch": key, "name": name, "plane": plane, "role": role, "model": model, "island": 0, "subplane": 0, "rail": rail,
        "block": 0, "pod": -1, "index": rail, "ports": ports, "asics": asics, "subnet": subnet, "rack": "rack:A-01", "u": 40.0,
        "height_u": 1.0, "phase": "1", "spare": False,
    }  # fmt: skip


def _link(
    a: str, a_port: int, b: str, b_port: int, nic: str | None, a_name: str, b_name: str, rate: float, rail: int, plane: str
) -> dict[str, object]:
    return {
        "link": f"link:{a}/{a_port}", "plane": plane, "kind": "node_leaf" if nic else "leaf_spine",
        "a_device": a, "a_port": a_port, "a_label": str(a_port), "a_name": a_name,
        "b_device": b, "b_port": b_port, "b_nic": nic, "b_label": nic or str(b_port), "b_name": b_name,
        "rate_gbps": rate, "rail": rail, "subplane": 0, "island": 0, "phase": "1", "jumper": None,
    }  # fmt: skip


def _node(index: int, key: str, name: str) -> dict[str, object]:
    return {
        "node": key, "name": name, "role": "compute", "index": index, "system": "hgx-h100", "unit": index, "su": 0, "island": 0,
        "rack": "rack:A-01", "u": 1.0 + 4 * index, "height_u": 4.0, "phase": "1",
    }  # fmt: skip


def _nics(rows: list[tuple[object, ...]], technology: str) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=["nic", "node", "device", "part", "plane", "rail", "rate_gbps"], orient="row")
    return frame.with_columns(pl.lit(0).alias("socket"), pl.lit(technology).alias("link_type"), pl.lit("1").alias("cage"))
