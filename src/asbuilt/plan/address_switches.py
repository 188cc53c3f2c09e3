"""Addresses of management ports (switches and service hosts) and of the loopbacks that routed leaves and spines announce.

A switch's place in its network hangs on island, subplane, tier and its number in the tier, so that no count moves it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from asbuilt.model.design import Design
from asbuilt.model.tables_address import ADDRESSES
from asbuilt.plan.address_families import is_routed
from asbuilt.plan.address_names import label
from asbuilt.plan.address_ranges import FIRST_SERVICE, HEADROOM, ORDER, PARTS, RESERVED, SMALLEST, Range, dotted, power
from asbuilt.plan.address_rows import address_rows, service_numbers

TIERS = ("leaf", "spine", "core")


def management(tables: dict[str, pl.DataFrame], held: Range) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """Networks ``switches-<plane>`` and the addresses of the management ports of the plane's switches and service hosts.

    Service hosts take the reserved addresses from 16. Cold spares have none: a spare takes that of the switch it replaces.
    """
    return _tables(tables["switches"].filter(~pl.col("spare")), tables["nodes"], held, "switch-management")


def loopbacks(design: Design, switches: pl.DataFrame, held: Range) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """Networks ``loopback-<plane>`` and an address of prefix 32 for every switch of a routed Ethernet plane."""
    routed = [p.name for p in design.planes if p.share is None and is_routed(design, p)]
    live = switches.filter(~pl.col("spare") & pl.col("plane").is_in(routed))
    return _tables(live, None, held, "loopback")


def _tables(
    switches: pl.DataFrame, nodes: pl.DataFrame | None, held: Range, kind: str
) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    pools: list[dict[str, Any]] = []
    frames = [ADDRESSES.empty()]
    part = held.size // PARTS
    for number, plane in enumerate(ORDER):
        mine = switches.filter(pl.col("plane") == plane)
        if mine.is_empty():
            continue
        base = held.base + number * part
        place, most = _places(mine)
        size = min(max(SMALLEST, power(RESERVED + int(most * HEADROOM) + 1)), part)
        fits = place < size - 1 - RESERVED
        network = f"{'loopback' if kind == 'loopback' else 'switches'}-{plane}"
        prefix = 32 - (size.bit_length() - 1)
        frames.append(_switch_rows(mine, network, np.where(fits, base + RESERVED + place, -1), prefix, kind))
        hosts = _host_rows(nodes, plane, network, base, prefix) if nodes is not None else ADDRESSES.empty()
        frames.append(hosts)
        used, services = int(fits.sum()), hosts["address"].count()
        row = {"network": network, "plane": "loopback" if kind == "loopback" else "switches", "kind": kind}
        pools.append(
            row
            | dict.fromkeys(("rail", "subplane", "island", "block"), -1)
            | {
                "supernet": held.cidr,
                "cidr": f"{dotted(base)}/{prefix}",
                "gateway": None if kind == "loopback" else dotted(base + 1),
                "vlan": None if kind == "loopback" or held.vlan is None else held.vlan + number,
                "first": dotted(base + RESERVED),
                "last": dotted(base + size - 2),
                "used": used + services,
                "target": mine.height,
                "reserved": RESERVED,
                "room": size - 1 - RESERVED - used,
                "without": mine.height - used + hosts.height - services,
                "origin": held.origin,
                "source": held.source,
            }
        )
    return pools, pl.concat(frames)


def _places(switches: pl.DataFrame) -> tuple[np.ndarray[Any, Any], int]:
    """Place of each switch: tiers and subplanes interleaved, islands one behind another; and places in all, rounded up."""
    tier = switches["role"].replace_strict({t: i for i, t in enumerate(TIERS)}, return_dtype=pl.Int64)
    first = pl.col("index").min().over("role", "subplane", "island")
    number = switches.select(pl.col("index") - first)["index"].to_numpy()
    subplanes = int(switches["subplane"].max() or 0) + 1  # type: ignore[arg-type]
    within = (number * len(TIERS) + tier.to_numpy()) * subplanes + switches["subplane"].to_numpy()
    island = switches["island"].to_numpy()
    each = power(int(within.max(initial=0)) + 1)
    place = within + island * each
    return place, int(place.max(initial=0)) + 1


def _switch_rows(switches: pl.DataFrame, network: str, address: np.ndarray[Any, Any], prefix: int, kind: str) -> pl.DataFrame:
    loop = kind == "loopback"
    return address_rows(
        device=switches["switch"],
        interface="lo" if loop else "mgmt",
        plane="loopback" if loop else "switches",
        network=pl.Series([network], dtype=pl.String).new_from_index(0, switches.height),
        address=address,
        prefix=32 if loop else prefix,
        name=label(switches["name"]) + ("-lo" if loop else ""),
        kind=kind,
        phase=switches["phase"],
    )


def _host_rows(nodes: pl.DataFrame, plane: str, network: str, base: int, prefix: int) -> pl.DataFrame:
    """Management ports of the service hosts of a plane."""
    hosts = nodes.filter((pl.col("role") == "service") & pl.col("node").str.starts_with(f"svc:{plane}-"))
    number = service_numbers(hosts)
    return address_rows(
        device=hosts["node"],
        interface="mgmt",
        plane="switches",
        network=pl.Series([network], dtype=pl.String).new_from_index(0, hosts.height),
        address=np.where(number < RESERVED - FIRST_SERVICE, base + FIRST_SERVICE + number, -1),
        prefix=prefix,
        name=label(hosts["name"]),
        kind="switch-management",
        phase=hosts["phase"],
    )
