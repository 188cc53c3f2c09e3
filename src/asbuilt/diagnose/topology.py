"""How near a machine's GPUs and network ports are, as its firmware and as its driver say, and which port serves which GPU.

Two views of the same thing. *Before the driver*: PCI parents (`lspci -tv`, sysfs) and ``numa_node``. *After it*: the matrix of
``nvidia-smi topo -m``. Relations, nearest first, with the driver's own words (nvidia-smi legend): PIX at most one PCIe bridge,
PXB several, PHB a host bridge, NODE host bridges of one NUMA node, SYS between NUMA nodes. On Grace systems every GPU hangs on
its own host bridge and domain, and the driver says SYS in every cell: there sysfs decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: Relations from near to far. NVLink (NV<n>) is nearer than any.
NEARNESS = {"PIX": 0, "PXB": 1, "PHB": 2, "NODE": 3, "SYS": 4}
RELATIONS = tuple(NEARNESS)
#: Longest chain of bridges above a function that is followed.
_LONGEST = 12
GPU_CLASSES = ("0302", "0300")
NVIDIA = "10de"


def gpu_functions(pci: pl.DataFrame) -> pl.DataFrame:
    """node, address, gpu (0, 1, … in the order of the addresses), numa_node: GPUs as the firmware of each node sees them."""
    import polars as pl

    rows = once(pci).filter((pl.col("vendor_id") == NVIDIA) & pl.col("class_id").str.slice(0, 4).is_in(list(GPU_CLASSES)))
    rows = rows.sort("node", "address")
    return rows.with_columns((pl.int_range(pl.len()).over("node")).alias("gpu")).select("node", "address", "gpu", "numa_node")


def once(pci: pl.DataFrame) -> pl.DataFrame:
    """One row per function: what several reports say of it, put together; the first that says a thing stands."""
    import polars as pl

    columns = [c for c in pci.columns if c not in ("node", "address", "host", "line", "capture_id")]
    return pci.group_by("node", "address", maintain_order=True).agg(
        *(pl.col(c).drop_nulls().first() for c in columns), pl.col("capture_id").first(), pl.col("line").first()
    )


def network_functions(pci: pl.DataFrame, functions: pl.DataFrame) -> pl.DataFrame:
    """node, device (mlx5_0), address, numa_node of every RDMA device whose PCI address a capture tells."""
    import polars as pl

    names = functions.filter(pl.col("rdma").is_not_null() & pl.col("address").is_not_null())
    names = names.select("node", pl.col("rdma").alias("device"), "address").unique(
        ["node", "device"], keep="first", maintain_order=True
    )
    numa = once(pci).select("node", "address", "numa_node")
    return names.join(numa, on=["node", "address"], how="left").sort("node", "device")


def ancestors(pci: pl.DataFrame) -> pl.DataFrame:
    """node, address, above (a bridge or root over it), steps (1 for the parent): every function with all that is above it."""
    import polars as pl

    parents = once(pci).filter(pl.col("parent").is_not_null()).select("node", "address", "parent")
    found = [parents.select("node", "address", pl.col("parent").alias("above"), pl.lit(1).alias("steps"))]
    for step in range(2, _LONGEST):
        edge = found[-1].join(parents.rename({"address": "above", "parent": "higher"}), on=["node", "above"], how="inner")
        if edge.is_empty():
            break
        found.append(edge.select("node", "address", pl.col("higher").alias("above"), pl.lit(step).alias("steps")))
    return pl.concat(found)


def relations(pci: pl.DataFrame, gpus: pl.DataFrame, ports: pl.DataFrame) -> pl.DataFrame:
    """node, gpu, device, relation, same_numa of every pair of GPU and port, from PCI parents and NUMA nodes.

    ``gpus`` as of `gpu_functions`, ``ports`` as of `network_functions`. Without parents a relation is NODE or SYS by the NUMA
    nodes; where these are unknown too (-1 or null) it is null.
    """
    import polars as pl

    above = ancestors(pci)
    pairs = gpus.rename({"address": "gpu_address", "numa_node": "gpu_numa"}).join(
        ports.rename({"address": "port_address", "numa_node": "port_numa"}), on="node", how="inner"
    )
    near = pairs.join(above.rename({"address": "gpu_address", "steps": "gpu_steps"}), on=["node", "gpu_address"], how="inner")
    near = near.join(
        above.rename({"address": "port_address", "steps": "port_steps"}), on=["node", "port_address", "above"], how="inner"
    )
    near = near.with_columns((pl.col("gpu_steps") + pl.col("port_steps")).alias("both")).sort("both")
    near = near.unique(["node", "gpu", "device"], keep="first", maintain_order=True)
    near = near.select("node", "gpu", "device", "above", "gpu_steps", "port_steps")
    pairs = pairs.join(near, on=["node", "gpu", "device"], how="left")
    known = (pl.col("gpu_numa") >= 0) & (pl.col("port_numa") >= 0)
    same = pl.when(known).then(pl.col("gpu_numa") == pl.col("port_numa"))
    # Two ports of one switch meet at its upstream port: each is two steps below it (port, then upstream).
    root = pl.col("above").str.starts_with("root:")
    by_bridge = (
        pl.when(root)
        .then(pl.lit("PHB"))
        .when(pl.max_horizontal("gpu_steps", "port_steps") <= 2)
        .then(pl.lit("PIX"))
        .when(pl.col("above").is_not_null())
        .then(pl.lit("PXB"))
    )
    by_numa = pl.when(same).then(pl.lit("NODE")).when(~same).then(pl.lit("SYS"))
    return pairs.select(
        "node",
        "gpu",
        "device",
        pl.coalesce(by_bridge, by_numa).alias("relation"),
        same.alias("same_numa"),
        "gpu_numa",
        "port_numa",
    )


def matrix(cells: pl.DataFrame) -> pl.DataFrame:
    """node, gpu, device, relation of every cell of GPU and named port in topology matrices; ports without a legend keep their
    column's name (NIC3)."""
    import polars as pl

    rows = cells.with_columns(
        pl.col("a").str.extract(r"^GPU(\d+)$", 1).cast(pl.Int64).alias("gpu"),
        pl.coalesce(pl.col("b_device"), pl.when(~pl.col("b").str.starts_with("GPU")).then("b")).alias("device"),
    )
    rows = rows.filter(pl.col("gpu").is_not_null() & pl.col("device").is_not_null())
    return rows.select("node", "gpu", "device", "relation", "capture_id", "line")


def serving(pairs: pl.DataFrame, planned: Mapping[int, str] | None = None) -> pl.DataFrame:
    """node, gpu, device, relation: the port that serves each GPU, nearest first, the load spread evenly over equal ports.

    Each port serves at most ceil(GPUs / ports) GPUs. Of all such choices the one with the smallest sum of distances is made,
    by augmenting ways (a minimum-cost assignment); of equal ones that with most GPUs at their ``planned`` port, then the first
    in the order of GPU and device.
    """
    import polars as pl

    out: list[dict[str, object]] = []
    known = pairs.filter(pl.col("relation").is_in(RELATIONS))
    for (node,), part in known.partition_by(["node"], as_dict=True, maintain_order=True).items():
        gpus = part["gpu"].unique().sort().to_list()
        devices = sorted(part["device"].unique().to_list(), key=natural)
        cell = {(g, d): r for g, d, r in part.select("gpu", "device", "relation").rows()}
        wanted = planned or {}
        # A step of distance outweighs every preference for the planned port together.
        step = len(gpus) + 1
        far = [[NEARNESS[cell[g, d]] if (g, d) in cell else _LONGEST for d in devices] for g in gpus]
        cost = [[step * far[i][j] + (wanted.get(g, d) != d) for j, d in enumerate(devices)] for i, g in enumerate(gpus)]
        for row, column in assigned(cost).items():
            gpu, device = gpus[row], devices[column]
            out.append({"node": node, "gpu": gpu, "device": device, "relation": cell.get((gpu, device))})
    schema = {"node": pl.String, "gpu": pl.Int64, "device": pl.String, "relation": pl.String}
    return pl.DataFrame(out, schema=schema)


def natural(name: str) -> tuple[object, ...]:
    """mlx5_2 before mlx5_10."""
    import re

    return tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in re.split(r"(\d+)", name) if p)


def assigned(cost: list[list[int]]) -> dict[int, int]:
    """Row -> column of a cheapest assignment in which no column serves more than ceil(rows / columns) rows.

    Successive shortest augmenting ways on the bipartite graph (Bellman-Ford: costs of ways back are negative).
    """
    rows, columns = len(cost), len(cost[0]) if cost else 0
    if not rows or not columns:
        return {}
    room = -(-rows // columns)
    held: dict[int, int] = {}
    load = [0] * columns
    for start in range(rows):
        best: list[float] = [cost[start][c] for c in range(columns)]
        via: list[int] = [start] * columns
        for _ in range(columns):
            changed = False
            for row, column in held.items():
                for other in range(columns):
                    price = best[column] - cost[row][column] + cost[row][other]
                    if other != column and price < best[other]:
                        best[other], via[other], changed = price, row, True
            if not changed:
                break
        free = [c for c in range(columns) if load[c] < room]
        end = min(free, key=lambda c: (best[c], load[c], c))
        load[end] += 1
        while True:
            row = via[end]
            before = held.get(row)
            held[row] = end
            if row == start or before is None:
                break
            end = before
    return held
