"""Reference fabric profiles: which one a requirement gets, and a plane's wishes merged with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from asbuilt.design.ledger import Ledger
from asbuilt.model.requirement import PLANE_NAMES, Plane, Requirement, Tier

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part

_TIERS = ("leaf", "spine", "core")


def choose(ledger: Ledger, requirement: Requirement, system: Part) -> Part | None:
    """The fabric profile: the one asked for, or the system's first. None after noting why there is none.

    A profile may name ``variants`` for some systems (``ndr`` means leaf groups on NVL72 racks): the variant is taken.
    """
    offered = [str(f) for f in ledger.figure(system, "fabrics") or ()]
    asked = requirement.fabric
    if asked is None:
        if not offered:
            ledger.problem(
                "REQ-403",
                f"system: {system.id} names no fabric profile in the catalogue",
                "without one there is nothing to size",
                "state fabric, or add fabrics to your own catalogue entry",
            )
            return None
        asked = ledger.assume("fabric", offered[0], f"the first reference fabric that the catalogue lists for {system.id}")
    part = ledger.part("fabric", asked, "fabric")
    if part is None:
        return None
    variant = (part.detail.get("variants") or {}).get(system.id)
    if variant and variant != asked:
        ledger.assume("fabric.variant", str(variant), f"what {asked} means on {system.id}")
        part = ledger.part("fabric", str(variant), "fabric")
        if part is None:
            return None
    if part.id not in offered and asked not in offered:
        hurdle = _hurdle(ledger, requirement, system, part)
        if hurdle:
            ledger.problem(
                "REQ-403",
                f"fabric: {asked} cannot be built with {system.id}: {hurdle}",
                "a link comes up only at a rate and link layer that both ends run",
                f"take one of {', '.join(offered) or '(none in the catalogue)'}, or a system with other cards",
            )
            return None
        ledger.warn(
            f"no reference architecture joins {system.id} with {part.id}: the rules are applied, nobody published the result"
        )
    return part


def _hurdle(ledger: Ledger, requirement: Requirement, system: Part, profile: Part) -> str:
    """Why the system's compute cards cannot run the profile's compute links; empty when they can."""
    plane = (profile.detail.get("planes") or {}).get("compute") or {}
    asked = requirement.planes.compute or Plane()
    cards = [nic.part for nic in requirement.node.nics or () if nic.plane == "compute"]
    cards += [asked.nic] if asked.nic else []
    cards += [str(n["part"]) for n in system.value("nics") or () if n.get("plane") == "compute"]
    if not cards or not ledger.catalogue.has("nic", cards[0]):
        return "the catalogue names no compute card of it"
    card = ledger.catalogue.get("nic", cards[0])
    technology = str(asked.technology or plane.get("technology"))
    rate = float(asked.link_gbps or plane.get("link_gbps") or 0.0)
    if technology not in card.value("link_types", ()):
        return f"its {card.name} does not run {technology}"
    ethernet = technology == "ethernet"
    rates = (card.value("rates_ethernet_gbps") if ethernet else None) or card.value("rates_gbps", ())
    slower = ethernet and asked.link_gbps is None  # then the fabric runs at the rate of the cards: Ethernet switches do
    if rate > max((float(r) for r in rates), default=0.0) and not slower:
        return f"its {card.name} reaches {max(float(r) for r in rates):g} Gb/s, the fabric runs {rate:g} Gb/s"
    ports = int((card.value("ports_ethernet") if ethernet else None) or card.value("ports", 1))
    planes = int(asked.subplanes or plane.get("subplanes") or 1)
    if planes > ports:
        return f"its {card.name} has {ports} port, the fabric has {planes} planes"
    return ""


def wishes(requirement: Requirement, profile: Part) -> dict[str, tuple[Plane | None, Plane | None]]:
    """Plane name -> (as required, as in the profile), for every plane that either names, in the order of the planes."""
    found: dict[str, tuple[Plane | None, Plane | None]] = {}
    given: Mapping[str, Any] = profile.detail.get("planes") or {}
    for name in PLANE_NAMES:
        asked: Plane | None = getattr(requirement.planes, name)
        fragment = _plane(given[name]) if name in given else None
        if asked is not None and fragment is not None and _foreign(asked, fragment):
            fragment = replace(fragment, leaf=Tier(), spine=Tier(), core=Tier(), nic=None, link_gbps=None, uplink_gbps=None)
        if asked is not None or fragment is not None:
            found[name] = (asked, fragment)
    return found


def _foreign(asked: Plane, fragment: Plane) -> bool:
    """True when the requirement changes the link layer, so that the profile's parts no longer fit."""
    return asked.technology is not None and asked.technology != fragment.technology


def _plane(given: Mapping[str, Any]) -> Plane:
    """A profile's plane as the requirement's own dataclass; a key that it does not know raises ``TypeError``."""
    values: dict[str, Any] = {k: Tier(**v) if k in _TIERS else v for k, v in given.items()}
    return Plane(**values)


def merge(ledger: Ledger, path: str, asked: Plane | None, fragment: Plane | None, source: str) -> Plane:
    """``asked`` with every unstated field taken from the profile, each of those recorded as assumed."""
    asked, fragment = asked or Plane(), fragment or Plane()
    if asked.share and not fragment.share:
        # A guest uses its host's upper tiers and services: those of the profile's own plane do not apply.
        fragment = replace(fragment, spine=Tier(), core=Tier(), uplink_gbps=None, oversubscription=None, service_ports=None)
    chosen: dict[str, Any] = {}
    for field in fields(Plane):
        mine, theirs = getattr(asked, field.name), getattr(fragment, field.name)
        if field.name in _TIERS:
            chosen[field.name] = _merge_tier(ledger, f"{path}.{field.name}", mine, theirs, source)
        elif mine is not None or theirs is None:
            chosen[field.name] = mine
        else:
            chosen[field.name] = ledger.assume(f"{path}.{field.name}", theirs, f"reference fabric {source}")
    return Plane(**chosen)


def _merge_tier(ledger: Ledger, path: str, mine: Tier, theirs: Tier, source: str) -> Tier:
    if mine.switch is not None and theirs.switch is not None and mine.switch != theirs.switch:
        # Another switch has other ports: only what was asked of it counts.
        return mine
    chosen = {}
    for field in fields(Tier):
        own, other = getattr(mine, field.name), getattr(theirs, field.name)
        chosen[field.name] = (
            own
            if own is not None or other is None
            else ledger.assume(f"{path}.{field.name}", other, f"reference fabric {source}")
        )
    return Tier(**chosen)
