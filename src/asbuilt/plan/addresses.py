"""Tables `ADDRESS_POOLS` and `ADDRESSES`: networks, and the address and DNS name of every interface.

The address of a node is base of its network + 32 + its index within the network (times the ports that it has there, plus the
port's number): it hangs on coordinates only, so that growth and further planes move no address. Which interfaces share
networks: `plan.address_families`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from asbuilt.model.design import Design
from asbuilt.model.tables_address import ADDRESS_POOLS, ADDRESSES
from asbuilt.plan.address_families import Family, families, target_nodes
from asbuilt.plan.address_names import label, plain, primary_plane
from asbuilt.plan.address_ranges import FIRST_SERVICE, RESERVED, dotted, ranges
from asbuilt.plan.address_rows import address_rows, service_numbers
from asbuilt.plan.address_switches import loopbacks, management


def address_tables(design: Design, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Both tables of a plan whose ``nodes``, ``switches`` and ``management_ports`` are there already."""
    held = ranges(design)
    every = families(design, held)
    first = primary_plane([f.plane for f in every])
    nodes = tables["nodes"].filter(pl.col("role") == "compute").sort("index")
    services = tables["nodes"].filter(pl.col("role") == "service").sort("node")
    pools: list[dict[str, Any]] = []
    frames: list[pl.DataFrame] = []
    for family in every:
        hosts, counts = _services(family, services)
        frames.append(hosts)
        pools += _pools(design, family, counts)
        frames += [_nodes(family, nodes, number, first) for number in range(len(family.ports))]
    made_pools, made_rows = management(tables, held["switches"])
    router_pools, router_rows = loopbacks(design, tables["switches"], held["loopback"])
    pool_table = pl.DataFrame([*pools, *made_pools, *router_pools], schema=ADDRESS_POOLS.polars())
    rows = pl.concat([*frames, made_rows, router_rows])
    return {
        "address_pools": ADDRESS_POOLS.conform(pool_table.sort("network")),
        "addresses": ADDRESSES.conform(rows.sort("device", "interface")),
    }


def _pools(design: Design, family: Family, services: list[int]) -> list[dict[str, Any]]:
    """A row for each network up to the one that the growth target reaches."""
    target, each = target_nodes(design), len(family.ports)
    rows = []
    for block in range(family.blocks):
        base = family.base + block * family.size
        before = block * family.block_nodes
        now = each * min(max(0, design.nodes - before), family.block_nodes)
        capacity = family.capacity if base + family.size <= family.end else 0
        fit = min(now, capacity)
        rows.append(
            {
                "network": family.network(block),
                "plane": family.plane,
                "kind": family.kind,
                "rail": family.rail,
                "subplane": family.subplane,
                "island": block if family.split == "island" else -1,
                "block": block if family.split == "leaf" else -1,
                "supernet": family.range.cidr,
                "cidr": f"{dotted(base)}/{family.prefix}",
                "gateway": dotted(base + 1) if family.routed else None,
                "vlan": family.vlan,
                "first": dotted(base + RESERVED),
                "last": dotted(base + max(RESERVED, family.size - 2)),
                "used": fit + services[block],
                "target": each * min(max(0, target - before), family.block_nodes),
                "reserved": RESERVED,
                "room": capacity - fit,
                "without": now - fit,
                "origin": family.range.origin,
                "source": family.range.source,
            }
        )
    return rows


def _nodes(family: Family, nodes: pl.DataFrame, number: int, first: str | None) -> pl.DataFrame:
    """One address for each node on its port ``number`` of the family."""
    index = nodes["index"].to_numpy()
    block = index // family.block_nodes if family.split else np.zeros_like(index)
    place = (index - block * family.block_nodes) * len(family.ports) + number
    base = family.base + block * family.size
    fits = (place < family.capacity) & (base + family.size <= family.end)
    port = family.ports[number]
    if family.kind == "bmc":
        tail = f"-{plain(port)}"
    elif family.plane == first and family.rail <= 0 and family.subplane <= 0:
        tail = ""
    else:
        tail = f"-{family.stem}"
    return address_rows(
        device=nodes["node"],
        interface=port,
        plane=family.plane,
        network=_networks(family, block),
        address=np.where(fits, base + RESERVED + place, -1),
        prefix=family.prefix,
        name=label(nodes["name"]) + tail,
        kind=family.kind,
        phase=nodes["phase"],
    )


def _networks(family: Family, block: np.ndarray[Any, Any]) -> pl.Series:
    names = [family.network(b) for b in range(int(block.max(initial=0)) + 1)]
    return pl.Series("network", names, dtype=pl.String).gather(pl.Series(block))


def _services(family: Family, services: pl.DataFrame) -> tuple[pl.DataFrame, list[int]]:
    """Hosts that serve an InfiniBand plane (they plug in on rail 0): the reserved addresses from 16 of its networks.

    Returns their rows and how many of them each network has. Islands have the same number each, in island order.
    """
    mine = services.filter(pl.col("node").str.starts_with(f"svc:{family.plane}-"))
    if family.kind != "ipoib" or family.rail != 0 or family.subplane != 0 or mine.is_empty():
        return ADDRESSES.empty(), [0] * family.blocks
    number = service_numbers(mine)
    each = -(-mine.height // family.blocks)
    block, place = number // each, number % each
    fits = place < RESERVED - FIRST_SERVICE
    rows = address_rows(
        device=mine["node"],
        interface="mlx5_0",
        plane=family.plane,
        network=_networks(family, block),
        address=np.where(fits, family.base + block * family.size + FIRST_SERVICE + place, -1),
        prefix=family.prefix,
        name=label(mine["name"]) + f"-{family.stem}",
        kind=family.kind,
        phase=mine["phase"],
    )
    return rows, np.bincount(block[fits], minlength=family.blocks).tolist()
