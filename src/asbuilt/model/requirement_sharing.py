"""Rules on planes that share switches or a subnet: who may name whom, and what must then differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from asbuilt.base.decode import Path
from asbuilt.base.problem import Problem
from asbuilt.model.requirement import Plane

if TYPE_CHECKING:
    from asbuilt.model.requirement_rules import Stated

#: The partition that every port belongs to (IBTA vol. 1, 10.9.1.2): being in it separates nothing.
DEFAULT_PKEY = 0x7FFF


def sharing_rules(stated: Stated) -> Iterable[Problem]:
    """Problems REQ-050 … REQ-058."""
    for name, plane in stated.planes():
        yield from _share(stated, name, plane)
        yield from _ethernet(stated, name, plane)
        if plane.pkey == DEFAULT_PKEY and plane.separation == "partition" and stated.has("planes", name, "pkey"):
            what = "0x7FFF is the default partition, to which every port belongs"
            why = f"planes.{name}.separation is `partition`; the default partition separates nothing"
            yield stated.problem("REQ-057", ("planes", name, "pkey"), what, why, "choose another key, for example 0x200")
    yield from _same_pkey(stated)


def _share(stated: Stated, name: str, plane: Plane) -> Iterable[Problem]:
    path: Path = ("planes", name, "share")
    if plane.share is None or not stated.has(*path):
        if plane.share_tier is not None and not stated.has(*path) and stated.has("planes", name, "share_tier"):
            what = "`share_tier` is given, but not with whom"
            why = "it says from which tier on the switches of another plane are used"
            yield stated.problem(
                "REQ-053", ("planes", name, "share_tier"), what, why, "add `share: <plane>`, or delete this line"
            )
        return
    host = getattr(stated.value.planes, plane.share)
    if plane.share == name:
        what, why = f"the {name} plane shares with itself", "`share` names the other plane, whose switches are used"
        yield stated.problem("REQ-050", path, what, why, "name another plane, or delete the line")
    elif host is None and plane.share != "compute":
        what = f"the {plane.share} plane, whose switches are to be used, is not stated"
        why = "only the compute plane exists without being stated"
        yield stated.problem("REQ-051", path, what, why, f"add `planes.{plane.share}`, or share with a plane that is there")
    elif host is not None and host.share is not None:
        around = f"{plane.share} shares with {host.share}{stated.line(('planes', plane.share, 'share'))}"
        what = f"the {plane.share} plane has no switches of its own to share: {around}"
        fix = f"write `share: {host.share}` here" if host.share != name else "let one of the two own the switches"
        yield stated.problem("REQ-052", path, what, "`share` names the plane that owns the switches", fix)
    own = ("spine", "core") if plane.share_tier == "spine" else ("leaf", "spine", "core")
    for tier in own:
        if stated.has("planes", name, tier):
            what = f"the {name} plane uses the {tier} switches of {plane.share}{stated.line(path)}, and states its own"
            why = "one switch cannot be both; with share_tier `spine` a plane has leaves of its own, else none"
            fix = f"delete `{tier}` here, or delete `share`"
            if tier == "leaf":
                fix += ", or add `share_tier: spine` to keep own leaves"
            yield stated.problem("REQ-054", ("planes", name, tier), what, why, fix)


def _ethernet(stated: Stated, name: str, plane: Plane) -> Iterable[Problem]:
    if plane.technology != "ethernet" or not stated.has("planes", name, "technology"):
        return
    where = stated.line(("planes", name, "technology"))
    for key, code, told in (("pkey", "REQ-055", "partition keys"), ("lmc", "REQ-058", "LID mask control")):
        if stated.has("planes", name, key):
            what = f"the {name} plane is Ethernet{where}, which has no {told}"
            why = f"`{key}` belongs to InfiniBand; on Ethernet it would be ignored"
            fix = "delete the line" + ("; on Ethernet, VLANs or VXLANs separate" if key == "pkey" else "")
            yield stated.problem(code, ("planes", name, key), what, why, fix)


def _same_pkey(stated: Stated) -> Iterable[Problem]:
    seen: dict[tuple[str, int], str] = {}
    for name, plane in stated.planes():
        if plane.pkey is None or not stated.has("planes", name, "pkey"):
            continue
        key = (_subnet(stated, name, plane), plane.pkey)
        if key in seen:
            first = seen[key]
            what = f"the {name} plane has partition key 0x{plane.pkey:X}, as the {first} plane"
            why = f"both are in one subnet{stated.line(('planes', first, 'pkey'))}; with one key they can reach each other"
            yield stated.problem("REQ-056", ("planes", name, "pkey"), what, why, "give each plane of a subnet its own key")
        seen.setdefault(key, name)


def _subnet(stated: Stated, name: str, plane: Plane) -> str:
    """The subnet of a plane: as stated, else that of the plane it shares with, else its own."""
    if plane.subnet is not None:
        return plane.subnet
    host = getattr(stated.value.planes, plane.share) if plane.share and plane.share != name else None
    if host is not None and host.subnet is not None:
        return str(host.subnet)
    return f"of {plane.share or name}"
