"""How many ports a switch offers at a rate, and how a leaf's ports split into downlinks and uplinks."""

from __future__ import annotations

import math

from asbuilt.base.problem import Problem
from asbuilt.design.ledger import Ledger
from asbuilt.model.design import TierDesign
from asbuilt.model.requirement import Tier


def tier(
    ledger: Ledger, path: str, switch: str, technology: str, rate_gbps: float, asked: Tier, reserved_default: int = 0
) -> TierDesign | None:
    """The tier of ``switch`` with its ports at ``rate_gbps``; None after noting why it cannot be.

    A port runs at its own rate, at a rate that the catalogue lists as a split, or (``split: false``, or where no split
    exists) slower than it could, one link a port.
    """
    part = ledger.part("switch", switch, f"{path}.switch")
    if part is None:
        return None
    made_for = ledger.figure(part, "technology")
    if made_for != technology:
        _other_technology(ledger, path, switch, str(made_for), technology)
        return None
    native = float(ledger.figure(part, "rate_gbps"))
    ports = int(ledger.figure(part, "ports"))
    splits = {float(rate): int(count) for rate, count in (ledger.figure(part, "splits") or {}).items()}
    if rate_gbps > native:
        ledger.problem(
            "REQ-405",
            f"{path}: {switch} reaches {native:g} Gb/s a port, the plane asks for {rate_gbps:g} Gb/s",
            "no port of this switch can carry the link",
            "take a faster switch or a slower link rate",
        )
        return None
    if rate_gbps < native and asked.split is not False and rate_gbps in splits:
        ports = splits[rate_gbps]
    elif asked.split and rate_gbps < native:
        ledger.problems.append(_no_split(path, switch, rate_gbps, native, splits))
        return None
    cages = int(ledger.figure(part, "cages"))
    reserved = asked.reserved_ports if asked.reserved_ports is not None else reserved_default
    if min(ports, cages) < 1:
        what = f"{path}.switch: {switch} has {ports} ports in {cages} cages at {rate_gbps:g} Gb/s"
        ledger.problem("REQ-406", what, "no link ends on it", "take a switch with ports, or correct your catalogue entry")
        return None
    if reserved >= ports:
        ledger.problem(
            "REQ-406",
            f"{path}.reserved_ports: {reserved} of the {ports} ports of {switch} at {rate_gbps:g} Gb/s",
            "no port is left for a link",
            f"keep fewer than {ports} free, or take a larger switch",
        )
        return None
    asics = int(ledger.figure(part, "asics") or 1)
    return TierDesign(
        switch=switch,
        ports=max(0, ports - reserved),
        cages=cages,
        ports_per_cage=max(1, ports // cages),
        rate_gbps=rate_gbps,
        reserved_ports=min(reserved, ports),
        asics=asics,
        aggregation=int(asics == 1 and technology == "infiniband" and ledger.figure(part, "sharp") is not None),
        spares=asked.spares or 0,
        fixed_count=asked.count,
        names=asked.names or "",
    )


def _other_technology(ledger: Ledger, path: str, switch: str, made_for: str, technology: str) -> None:
    """Note that the switch speaks another link layer than its plane."""
    ids = ledger.catalogue.ids("switch")
    others = [i for i in ids if ledger.catalogue.get("switch", i).value("technology") == technology]
    ledger.problem(
        "REQ-404",
        f"{path}.switch: {switch} is an {made_for} switch, the plane is {technology}",
        "a switch speaks one link layer; the ports would never come up",
        f"take one of {', '.join(others)}, or change the plane's technology",
    )


def _no_split(path: str, switch: str, rate: float, native: float, splits: dict[float, int]) -> Problem:
    offered = ", ".join(f"{r:g} Gb/s" for r in splits) or "none"
    return Problem(
        "REQ-405",
        f"{path}.split: {switch} cannot split its {native:g} Gb/s ports to {rate:g} Gb/s",
        why=f"splits in the catalogue: {offered}",
        fix="leave split out or set it to false, or take a rate that it splits to",
    )


def uplink_units(leaf: TierDesign, native_ports: int, link_gbps: float, uplink_gbps: float) -> int:
    """Port numbers that one uplink takes on a leaf: 1, or uplink over link rate where the leaf is split to the link rate."""
    split = leaf.ports + leaf.reserved_ports > native_ports
    return max(1, round(uplink_gbps / link_gbps)) if split and uplink_gbps > link_gbps else 1


def balance(ports: int, units: int, link_gbps: float, uplink_gbps: float, oversubscription: float) -> tuple[int, int]:
    """(downlinks, uplinks) of a leaf of ``ports`` ports: as many downlinks as ``oversubscription`` allows.

    down x link <= oversubscription x up x uplink and down + up x units <= ports. From eight uplinks on, their number is a
    multiple of four: the spine count must divide it, and 23 uplinks would leave a choice of 1 or 23 spines.
    """
    ratio = oversubscription * uplink_gbps / link_gbps
    start = math.floor(ports / (units + ratio))
    step = 4 if start >= 8 else 1
    best = (0, 0)
    for up in (start // step * step, start // step * step + step):
        down = min(ports - up * units, math.floor(up * ratio + 1e-9))
        if down > best[0]:
            best = (down, up)
    return best


def divisor_at_least(number: int, least: float) -> int | None:
    """The smallest divisor of ``number`` that is not below ``least``; None when none is."""
    for candidate in range(1, number + 1):
        if number % candidate == 0 and candidate >= least:
            return candidate
    return None


def largest_divisor(number: int, most: float) -> int:
    """The largest divisor of ``number`` that is not above ``most``; 1 at least."""
    return max((d for d in range(1, number + 1) if number % d == 0 and d <= most), default=1)
