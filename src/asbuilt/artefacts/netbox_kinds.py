"""What NetBox calls things: its choices for interfaces, cables, connectors and power, by the traits of the plan's parts.

The values are those of NetBox 4.4 (its OpenAPI schema). What has no choice of its own becomes ``other``, never a near miss.
"""

from __future__ import annotations

import re

OTHER = "other"
#: InfiniBand: NetBox names the generation, which is the rate of one lane in Gb/s.
_INFINIBAND_BY_LANE = {200: "infiniband-xdr", 100: "infiniband-ndr", 50: "infiniband-hdr", 25: "infiniband-edr"}
#: Where the lane is not known: the rate of a port of four lanes, Gb/s.
_INFINIBAND_BY_RATE = {800: "infiniband-xdr", 400: "infiniband-ndr", 200: "infiniband-hdr", 100: "infiniband-edr"}
#: Ethernet: form factor of the cage -> the rates that NetBox knows for it, Gb/s, rising.
_ETHERNET: dict[str, tuple[tuple[float, str], ...]] = {
    "rj45": ((1, "1000base-t"), (2.5, "2.5gbase-t"), (5, "5gbase-t"), (10, "10gbase-t"), (25, "25gbase-t")),
    "sfp28": ((10, "10gbase-x-sfpp"), (25, "25gbase-x-sfp28"), (50, "50gbase-x-sfp28")),
    "sfp56": ((50, "50gbase-x-sfp56"),),
    "qsfp28": ((40, "40gbase-x-qsfpp"), (100, "100gbase-x-qsfp28")),
    "qsfp56": ((100, "100gbase-x-qsfp28"), (200, "200gbase-x-qsfp56")),
    "qsfp112": ((400, "400gbase-x-qsfp112"),),
    "qsfp-dd": ((100, "100gbase-x-qsfpdd"), (200, "200gbase-x-qsfpdd"), (400, "400gbase-x-qsfpdd"), (800, "800gbase-x-qsfpdd")),
    "osfp": ((400, "400gbase-x-osfp"), (800, "800gbase-x-osfp")),
    "osfp-rhs": ((400, "400gbase-x-osfp-rhs"),),
}
_MEDIA = {"active-copper": "dac-active", "copper": "dac-passive", "multimode": "mmf", "single-mode": "smf", "aoc": "aoc"}
_TWISTED = ("cat3", "cat5", "cat5e", "cat6", "cat6a", "cat7", "cat7a", "cat8")
#: Part of the id of a trunk -> NetBox's cable type.
_GRADES = {
    "om1": "mmf-om1",
    "om2": "mmf-om2",
    "om3": "mmf-om3",
    "om4": "mmf-om4",
    "om5": "mmf-om5",
    "os1": "smf-os1",
    "os2": "smf-os2",
}
_POLES = {"P+N+E": "p-n-e", "2P+E": "2p-e", "3P+E": "3p-e", "3P+N+E": "3p-n-e"}
#: Colours of cables by plane and of power cords by feed: hexadecimal, out of NetBox's own palette.
PLANE_COLOURS = {"compute": "4caf50", "storage": "2196f3", "frontend": "ff9800", "management": "9c27b0", "oob": "9e9e9e"}
OTHER_COLOUR = "607d8b"
FEED_COLOURS = {"A": "f44336", "B": "3f51b5", "C": "ffeb3b", "D": "795548"}
LEGS = {"L1": "A", "L2": "B", "L3": "C", "L1-L2": "A", "L2-L3": "B", "L3-L1": "C"}


def interface_type(technology: str | None, rate_gbps: float | None, cage: str | None, lane_gbps: float | None = None) -> str:
    """NetBox's interface type of a port at ``rate_gbps`` in a ``cage``; Ethernet takes the least that the cage has for it."""
    if technology == "infiniband":
        by_lane = _INFINIBAND_BY_LANE.get(round(lane_gbps)) if lane_gbps else None
        return by_lane or _INFINIBAND_BY_RATE.get(round(rate_gbps or 0), OTHER)
    if technology != "ethernet" or rate_gbps is None:
        return OTHER
    return next((name for most, name in _ETHERNET.get(cage or "", ()) if most >= rate_gbps), OTHER)


def cable_type(part: str | None, medium: str | None) -> str:
    """NetBox's cable type: the grade where the part names it, else what the medium alone tells; empty when nothing does."""
    words = re.split(r"[^a-z0-9]+", (part or "").lower())
    named = next((w for w in words if w in _TWISTED), None) or next((_GRADES[w] for w in words if w in _GRADES), None)
    return named or _MEDIA.get(medium or "", "")


def coupler_inlet(name: str | None) -> str:
    """``C20`` as ``iec-60320-c20``: the inlet of a device. NetBox knows C6 to C22, the even ones."""
    word = (name or "").lower()
    return f"iec-60320-{word}" if word in ("c6", "c8", "c14", "c16", "c18", "c20", "c22") else OTHER


def coupler_outlet(name: str | None) -> str:
    """``C19`` as ``iec-60320-c19``: the outlet of a PDU. NetBox knows C5 to C21, the odd ones."""
    word = (name or "").lower()
    return f"iec-60320-{word}" if word in ("c5", "c7", "c13", "c15", "c17", "c19", "c21") else OTHER


def plug_type(name: str | None, voltage_v: float | None) -> str:
    """``60309-60A-3P+N+E`` at 415 V as ``iec-60309-3p-n-e-6h``; anything else is ``other``.

    The earth contact stands at 4 h for 100-130 V, 9 h for 200-250 V between phases of a three-phase plug, 6 h for 200-250 V of
    one phase and for 380-415 V of three (IEC 60309-2).
    """
    found = re.fullmatch(r"60309-\d+A-(P\+N\+E|2P\+E|3P\+E|3P\+N\+E)", name or "")
    if not found or voltage_v is None:
        return OTHER
    poles = _POLES[found[1]]
    three = poles.startswith("3p")
    if 100 <= voltage_v <= 130 and not three:
        return f"iec-60309-{poles}-4h"
    if 200 <= voltage_v <= 250:
        return f"iec-60309-{poles}-{'9h' if three else '6h'}"
    return f"iec-60309-{poles}-6h" if three and 380 <= voltage_v <= 415 else OTHER


def slug(text: str) -> str:
    """``text`` as NetBox's short name: small letters, digits, hyphens; every other letter by its number, so none collide."""
    plain = (c if c.isascii() and (c.isalnum() or c == "-") else "-" if c == " " else f"_{ord(c):x}" for c in text.lower())
    return "".join(plain) or "_"
