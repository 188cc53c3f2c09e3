"""Rules on address ranges and on RDMA over Ethernet."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Iterable

from asbuilt.base.decode import Path
from asbuilt.base.problem import Problem

if TYPE_CHECKING:
    from asbuilt.model.requirement_rules import Stated

#: MTUs that RDMA messages can have (InfiniBand architecture specification vol. 1, 9.3).
RDMA_MTUS = (256, 512, 1024, 2048, 4096)


def ethernet_rules(stated: Stated) -> Iterable[Problem]:
    """Problems REQ-090 … REQ-093."""
    yield from _pools(stated)
    for name, plane in stated.planes():
        if plane.roce is None:
            continue
        path: Path = ("planes", name, "roce")
        if plane.technology == "infiniband" and stated.has("planes", name, "technology"):
            what = f"the {name} plane is InfiniBand{stated.line(('planes', name, 'technology'))}, and states `roce`"
            why = "RoCE is RDMA over Ethernet; InfiniBand has service levels and virtual lanes instead, under `subnets`"
            yield stated.problem("REQ-092", path, what, why, "delete `roce`, or make the plane ethernet")
        size = plane.roce.rdma_mtu_bytes
        if size is not None and stated.has(*path, "rdma_mtu_bytes") and size not in RDMA_MTUS:
            what = f"RDMA messages cannot have an MTU of {size} bytes"
            fix = f"write one of {', '.join(map(str, RDMA_MTUS))}; the MTU of the interfaces is `mtu_bytes`"
            yield stated.problem("REQ-093", (*path, "rdma_mtu_bytes"), what, "NICs know five sizes", fix)


def _pools(stated: Stated) -> Iterable[Problem]:
    seen: dict[str, int] = {}
    for i, pool in enumerate(stated.value.addresses.pools):
        path: Path = ("addresses", "pools", i)
        if stated.has(*path, "plane"):
            if pool.plane in seen:
                what = f"two address ranges are given for {pool.plane}"
                why = f"its networks are cut from one range; the other one is addresses.pools[{seen[pool.plane]}]"
                yield stated.problem("REQ-090", (*path, "plane"), what, why, "keep one, wide enough for both")
            seen.setdefault(pool.plane, i)
        if not stated.has(*path, "cidr"):
            continue
        net = ipaddress.IPv4Network(pool.cidr, strict=False)
        if str(net) != pool.cidr:
            what = f"{pool.cidr} is an address within a range, not a range"
            why = "the part behind the prefix must be 0, or it is unclear which range is meant"
            yield stated.problem("REQ-091", (*path, "cidr"), what, why, f"write {net}, if that is the range")
