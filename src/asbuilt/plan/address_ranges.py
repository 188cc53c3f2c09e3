"""The IPv4 range of each plane, and where in it a network begins: places that depend on coordinates, never on counts.

Defaults lie in 10.0.0.0/8 (RFC 1918) and leave 10.96.0.0/12 free, the default service range of Kubernetes (kubeadm).
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from asbuilt.base.ipv4 import span
from asbuilt.model.design import Design

#: Lowest addresses of a network: 0 the network itself, 1 the gateway, 2-15 network equipment, 16-31 service hosts.
RESERVED = 32
FIRST_SERVICE = 16
#: Sized for a quarter more nodes than the growth target.
HEADROOM = 1.25
#: No network is smaller: a /24 can be written on a label.
SMALLEST = 256
#: Planes that own switches, in the order of their part of the ranges ``switches`` and ``loopback``.
ORDER = ("compute", "storage", "frontend", "management", "oob")
PARTS = 8

DEFAULTS = {
    "compute": ("10.0.0.0/10", 100),
    "storage": ("10.64.0.0/11", 200),
    "frontend": ("10.112.0.0/12", 300),
    "management": ("10.128.0.0/12", 400),
    "oob": ("10.160.0.0/11", 500),
    "switches": ("10.192.0.0/12", 510),
    "loopback": ("10.208.0.0/14", None),
}
_WHY = "default of the plan: private range (RFC 1918), sized for the largest cluster"


@dataclass(frozen=True, slots=True)
class Range:
    """The addresses of a plane: first address and count as numbers, first VLAN, and who said so."""

    plane: str
    cidr: str
    base: int
    size: int
    vlan: int | None
    origin: str
    source: str


def ranges(design: Design) -> dict[str, Range]:
    """The range of every plane, and those of ``switches`` (management ports) and ``loopback``; stated ones go first."""
    made = {name: _range(name, cidr, vlan, "assumed", _WHY) for name, (cidr, vlan) in DEFAULTS.items()}
    for pool in design.requirement.addresses.pools:
        vlan = pool.vlan if pool.vlan is not None else DEFAULTS[pool.plane][1]
        made[pool.plane] = _range(pool.plane, pool.cidr, vlan, "declared", f"addresses.pools, {pool.plane}")
    return made


def _range(plane: str, cidr: str, vlan: int | None, origin: str, source: str) -> Range:
    low, high = span(cidr)
    return Range(plane, f"{dotted(low)}/{cidr.rpartition('/')[2]}", low, high - low + 1, vlan, origin, source)


def power(count: int) -> int:
    """The smallest power of two that is at least ``count`` (1 for 0)."""
    return 1 << max(0, count - 1).bit_length()


def size_for(count: int, most: int) -> int:
    """Addresses of a network for ``count`` nodes with headroom: a power of two, at most ``most``."""
    asked = RESERVED + int(-(-count * HEADROOM // 1)) + 1
    return min(max(SMALLEST, power(asked)), most)


def dotted(address: int) -> str:
    """``10.0.0.1``; addresses past the end of IPv4 read as the last one."""
    return str(ipaddress.IPv4Address(min(max(address, 0), 0xFFFFFFFF)))
