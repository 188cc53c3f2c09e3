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
        ledger.warn(f"fabric {asked} on {system.id} is built as {variant}")
        part = ledger.part("fabric", str(variant), "fabric")
        if part is None:
            return None
    if part.id not in offered and asked not in offered:
        ledger.problem(
            "REQ-403",
            f"fabric: {asked} is not offered for {system.id}",
            "the profile's NICs, rails and rates are not those of this system",
            f"take one of {', '.join(offered) or '(none in the catalogue)'}, or state the planes without a profile",
        )
        return None
    return part


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
