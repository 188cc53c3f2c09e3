"""Requirement and catalogue to `Design`: every default chosen as a good architect would, every choice and figure recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from asbuilt.base.origin import Confidence
from asbuilt.design.cooling import resolve_cooling
from asbuilt.design.ends import with_ends
from asbuilt.design.fabric import spines_of
from asbuilt.design.fibre import resolve_fibre
from asbuilt.design.leaves import Ends
from asbuilt.design.ledger import Ledger
from asbuilt.design.node import node_ports, oob_ports, ports_of, rate_of, resolve_node
from asbuilt.design.oob import oob_wish
from asbuilt.design.plane import Scene, resolve_plane
from asbuilt.design.power import resolve_power
from asbuilt.design.profile import choose, merge, wishes
from asbuilt.design.reach import GPUS_MOST
from asbuilt.design.services import stated, with_default_services
from asbuilt.design.site import resolve_site
from asbuilt.model.design import Design, NodeDesign, PlaneDesign, SiteDesign
from asbuilt.model.requirement import Plane, Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Catalogue, Part

GPUS_FEWEST = 8


def resolve(requirement: Requirement, catalogue: Catalogue) -> Design:
    """The resolved design of ``requirement`` with the hardware of ``catalogue``.

    What the requirement states stands; what it leaves open comes from the fabric profile, then from defaults, and is
    listed in ``assumptions``. Catalogue figures that were read are listed in ``citations``. GPUs are rounded up to whole
    nodes (rack-scale systems: whole racks).

    Raises ``ProblemError`` with everything that is wrong: REQ-401 to REQ-410 and the catalogue's CAT codes.
    """
    ledger = Ledger(catalogue)
    if not GPUS_FEWEST <= requirement.gpus <= GPUS_MOST:
        ledger.problem(
            "REQ-401",
            f"gpus: {requirement.gpus} is outside {GPUS_FEWEST} to {GPUS_MOST:,}",
            f"below {GPUS_FEWEST} there is no fabric to design; {GPUS_MOST:,} is the largest cluster that was ever checked",
            f"ask for {GPUS_FEWEST} to {GPUS_MOST:,} GPUs",
        )
    system = ledger.part("system", requirement.system, "system")
    ledger.settle()
    assert system is not None
    profile = choose(ledger, requirement, system)
    ledger.settle()
    assert profile is not None
    node = resolve_node(ledger, requirement, system)
    nodes, gpus = _whole(ledger, requirement.gpus, node)
    site = resolve_site(ledger, requirement, system, node)
    planes = _planes(ledger, requirement, system, profile, node, nodes, site)
    ledger.settle()
    node = replace(node, nics=node_ports(ledger, requirement, system, planes))
    planes = with_ends(ledger, planes, node)
    ledger.settle()
    power = resolve_power(ledger, requirement, system, node, site)
    cooling = resolve_cooling(ledger, requirement, system, node, site)
    fibre = resolve_fibre(ledger, requirement, system, node, site)
    ledger.settle()
    _weak(ledger)
    return Design(
        requirement=requirement,
        gpus=gpus,
        nodes=nodes,
        node=node,
        planes=planes,
        site=site,
        power=power,
        cooling=cooling,
        fibre=fibre,
        assumptions=tuple(ledger.assumptions),
        citations=tuple(ledger.citations.values()),
        warnings=tuple(ledger.warnings),
        profile=profile.id,
        extra={"su_nodes": _su_nodes(ledger, profile)},
    )


def _whole(ledger: Ledger, gpus: int, node: NodeDesign) -> tuple[int, int]:
    """(nodes, GPUs) rounded up to whole servers or racks, with a warning when that adds any."""
    unit = node.gpus_per_node * node.nodes_per_unit
    units = -(-gpus // unit)
    if units * unit != gpus:
        what = f"{units} racks of {unit}" if node.units_are_racks else f"{units} nodes of {unit}"
        ledger.warn(f"{gpus:,} GPUs rounded up to {units * unit:,}: {what}")
    return units * node.nodes_per_unit, units * unit


def _lmc(requirement: Requirement, name: str, wish: Plane) -> Plane:
    """``wish`` with the LID mask control that its subnet states: it holds for every NIC port of the subnet."""
    asked = requirement.subnets.get(wish.subnet or wish.share or name)
    return wish if asked is None or asked.lmc is None else replace(wish, lmc=asked.lmc)


def _su_nodes(ledger: Ledger, profile: Part) -> int:
    return int(ledger.figure(profile, "su_nodes", 32))


def _planes(
    ledger: Ledger, requirement: Requirement, system: Part, profile: Part, node: NodeDesign, nodes: int, site: SiteDesign
) -> tuple[PlaneDesign, ...]:
    """Every plane, the guests of others before their hosts (whose leaves must have room for them), in plane order."""
    source = profile.id
    su_nodes = _su_nodes(ledger, profile)
    asked_of = wishes(requirement, profile)
    merged = {name: merge(ledger, f"planes.{name}", a, f, source) for name, (a, f) in asked_of.items()}
    said = {name: a is not None and a.link_gbps is not None for name, (a, _) in asked_of.items()}
    merged = {name: _lmc(requirement, name, wish) for name, wish in merged.items()}
    merged = {name: _rate(ledger, name, wish, system, said[name]) for name, wish in merged.items()}
    rails = {name: _rails(ledger, requirement, name, wish, system) for name, wish in merged.items()}
    for name in merged:
        ledger.figure(profile, f"{name}_reference")
    _check_shares(ledger, merged)
    done: dict[str, PlaneDesign] = {}
    room = _room(requirement, node, nodes)
    hosts = sorted(merged, key=lambda name: (merged[name].share is None, name == "oob"))
    for name in hosts:
        wish = merged[name]
        if name == "oob":
            wish = oob_wish(ledger, wish, rails[name], system, node, site, su_nodes, list(done.values()))
        guests = [n for n, w in merged.items() if w.share == name and (w.share_tier or "leaf") == "leaf"]
        at_spine = [done[n] for n, w in merged.items() if w.share == name and w.share_tier == "spine" and n in done]
        ends = Ends(
            nodes=room,
            rails=rails[name],
            guest_rails=sum(rails[g] for g in guests),
            service=(wish.service_ports or 0) if stated(asked_of[name][0]) and (wish.service_at or "leaf") == "leaf" else 0,
            unit_nodes=node.nodes_per_unit if node.units_are_racks else su_nodes,
        )
        asked = asked_of[name][0] or Plane()
        dictated = any(v is not None for v in (asked.nodes_per_leaf, asked.leaf.count, asked.leaf.uplinks, asked.spine.count))
        scene = Scene(ledger, nodes, ends, su_nodes, dictated or bool(at_spine), sum(_uplinks_of(p) for p in at_spine))
        plane = resolve_plane(scene, name, wish)
        if plane is not None:
            plane = with_default_services(ledger, asked_of[name][0], plane, tuple(done.values()))
            _check_services(ledger, plane)
            done[name] = plane
    _check_hosts(ledger, done)
    return tuple(_at_host(done[name], done) for name in merged if name in done)


def _check_hosts(ledger: Ledger, done: dict[str, PlaneDesign]) -> None:
    """A guest of the spines needs a host that has spines."""
    for plane in done.values():
        host = done.get(plane.share) if plane.share else None
        if host is not None and plane.share_tier == "spine" and host.spine is None:
            ledger.problem(
                "REQ-410",
                f"planes.{plane.name}.share_tier: {host.name} has no spines",
                "one switch is its whole fabric, or it has no uplinks",
                f"share the leaves (share_tier: leaf), or give planes.{host.name} uplinks and a spine switch",
            )


def _at_host(plane: PlaneDesign, done: dict[str, PlaneDesign]) -> PlaneDesign:
    """A plane that shares leaves takes its host's leaf, node slots and blocks: it has none of its own."""
    host = done.get(plane.share) if plane.share else None
    if host is None or plane.share_tier == "spine":
        return plane
    return replace(
        plane,
        leaf=host.leaf,
        nodes_per_leaf=host.nodes_per_leaf,
        rails_per_leaf=-(-plane.rails // host.leaves_per_block),
        uplinks=0,
        uplink_units=host.uplink_units,
        service_ports=0,
    )


def _room(requirement: Requirement, node: NodeDesign, nodes: int) -> int:
    """Nodes that small-fabric choices must leave room for: those of the growth target, or a number of further slots."""
    target = -(-(requirement.growth.gpus or 0) // node.gpus_per_node)
    return max(nodes + (requirement.growth.node_slots or 0), target)


def _rails(ledger: Ledger, requirement: Requirement, name: str, wish: Plane, system: Part) -> int:
    """Ports of one node in one subplane: as wished, else counted from the ordered NICs, else from the catalogue's."""
    if wish.rails is not None:
        return wish.rails
    ordered = {nic.rail for nic in requirement.node.nics or () if nic.plane == name}
    if ordered:
        return int(ledger.assume(f"planes.{name}.rails", len(ordered), "rails of the ordered NIC ports"))
    if name == "oob":
        return int(ledger.assume("planes.oob.rails", oob_ports(system), "the BMC of the node and of every DPU card in it"))
    listed = {int(n["rail"]) for n in ports_of(system, name)}
    return int(ledger.assume(f"planes.{name}.rails", max(1, len(listed)), f"NIC ports of {system.id} in this plane"))


def _rate(ledger: Ledger, name: str, wish: Plane, system: Part, asked: bool) -> Plane:
    """``wish`` with the link rate of the catalogue's NIC ports, where neither requirement nor profile states one.

    Compute cards that are slower than an Ethernet fabric profile set the rate too, unless the requirement states it.
    """
    rate = rate_of(system, name)
    if rate is None:
        return wish
    slow = name == "compute" and wish.technology == "ethernet" and not asked and rate < (wish.link_gbps or 0.0)
    if slow:
        ledger.warn(
            f"compute: the ports of {system.id} run {rate:g} Gb/s, the fabric profile {wish.link_gbps:g}: {rate:g} it is"
        )
        return replace(wish, link_gbps=ledger.revise("planes.compute.link_gbps", rate, f"rate of the ports of {system.id}"))
    if wish.link_gbps is not None:
        return wish
    return replace(wish, link_gbps=ledger.assume(f"planes.{name}.link_gbps", rate, f"rate of the ports of {system.id}"))


def _uplinks_of(plane: PlaneDesign) -> int:
    """Uplinks of all leaves of a plane that shares another's spines."""
    blocks = -(-plane.nodes // plane.nodes_per_leaf)
    return blocks * plane.leaves_per_block * plane.uplinks


def _check_shares(ledger: Ledger, merged: dict[str, Plane]) -> None:
    for name, wish in merged.items():
        host = merged.get(wish.share) if wish.share else None
        if wish.share and host is None:
            ledger.problem(
                "REQ-409",
                f"planes.{name}.share: there is no plane {wish.share}",
                "a plane can only use the switches of a plane that exists",
                f"describe planes.{wish.share}, or leave share out",
            )
        elif wish.share == name or (host is not None and host.share):
            ledger.problem(
                "REQ-409",
                f"planes.{name}.share: {wish.share} has no switches of its own",
                "one of the planes must own them",
                "share the plane that owns the switches",
            )
        elif host is not None and (wish.subplanes or 1) > (host.subplanes or 1):
            ledger.problem(
                "REQ-409",
                f"planes.{name}.subplanes: {wish.subplanes} on the {host.subplanes or 1} of {wish.share}",
                "a guest cannot have more parallel fabrics than the plane whose switches it uses",
                "ask for as many subplanes, or give the plane its own switches",
            )
    ledger.settle()


def _check_services(ledger: Ledger, plane: PlaneDesign) -> None:
    """Service hosts and guests on the spines are planned for two tiers: refuse what needs a third."""
    if plane.share or plane.spine is None or not (plane.guest_uplinks or (plane.service_ports and plane.service_at == "spine")):
        return
    leaves = -(-plane.nodes // plane.nodes_per_leaf) * plane.leaves_per_block
    grouped = plane.layout == "leaf-groups" and plane.nodes > plane.su_nodes
    three = grouped or plane.nodes > plane.island_nodes or spines_of(plane, leaves) is None
    if three:
        ledger.problem(
            "REQ-410",
            f"planes.{plane.name}: services or guests on the spines are planned for two tiers only",
            f"{plane.nodes} nodes need a third tier, whose spines have no free port",
            "put them on leaves (service_at: leaf, share_tier: leaf), or give the guest plane its own switches",
        )


def _weak(ledger: Ledger) -> None:
    """One warning for each low-confidence figure that the design rests on."""
    for citation in ledger.citations.values():
        if citation.figure.confidence is Confidence.LOW:
            note = f" ({citation.figure.source})" if citation.figure.source else ""
            ledger.warn(f"low confidence: {citation.what} = {citation.figure.value} {citation.figure.unit}".rstrip() + note)
