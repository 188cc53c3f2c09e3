"""Closed-form counts of a plane: switches by tier, links, modules, islands. No object per port, link or switch.

Sources of the rules: NVIDIA DGX SuperPOD reference architectures for H100, B200, B300 and GB200, whose tables the tests
reproduce; even striping means that the spines of a pod are a divisor of a leaf's uplinks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from asbuilt.design.cages import filled, guest_ports, of_leaf, of_spine
from asbuilt.design.ports import divisor_at_least
from asbuilt.model.design import PlaneDesign

Guests = tuple[tuple[PlaneDesign, int], ...]


@dataclass(frozen=True, slots=True)
class FabricCounts:
    """Counts of one plane, or of one island and subplane of it. ``modules`` are transceivers at switch ends and, for
    service links, at the host's end; ``tiers`` is 1, 2 or 3."""

    leaf: int = 0
    spine: int = 0
    core: int = 0
    node_leaf: int = 0
    leaf_spine: int = 0
    spine_core: int = 0
    service: int = 0
    modules: int = 0
    tiers: int = 1
    islands: int = 1
    service_asked: int = 0

    @property
    def switches(self) -> int:
        return self.leaf + self.spine + self.core

    @property
    def links(self) -> int:
        return self.node_leaf + self.leaf_spine + self.spine_core + self.service

    def times(self, factor: int) -> FabricCounts:
        """These counts for ``factor`` alike."""
        counted = ("leaf", "spine", "core", "node_leaf", "leaf_spine", "spine_core", "service", "modules", "service_asked")
        return replace(self, **{name: getattr(self, name) * factor for name in counted})

    def plus(self, other: FabricCounts) -> FabricCounts:
        """The sum; tiers and islands are the larger of the two."""
        return FabricCounts(
            self.leaf + other.leaf,
            self.spine + other.spine,
            self.core + other.core,
            self.node_leaf + other.node_leaf,
            self.leaf_spine + other.leaf_spine,
            self.spine_core + other.spine_core,
            self.service + other.service,
            self.modules + other.modules,
            max(self.tiers, other.tiers),
            max(self.islands, other.islands),
            self.service_asked + other.service_asked,
        )


def count_plane(plane: PlaneDesign, planes: tuple[PlaneDesign, ...]) -> FabricCounts:
    """Counts of ``plane`` over all its islands and subplanes. ``planes`` are all planes of the design (guests, hosts).

    A plane that shares another's leaves counts its node links only; its modules at switch ends are in the host's count.
    """
    if plane.share and plane.share_tier == "leaf":
        return FabricCounts(node_leaf=_guest_links(plane, planes), tiers=0)
    guests = guests_of(plane, planes)
    full, rest = divmod(plane.nodes, plane.island_nodes)
    total = FabricCounts(tiers=0)
    if full:
        total = total.plus(count_island(plane, plane.island_nodes, guests, planes).times(full * plane.subplanes))
    if rest:
        total = total.plus(count_island(plane, rest, guests, planes).times(plane.subplanes))
    return replace(total, islands=full + bool(rest))


def _guest_links(guest: PlaneDesign, planes: tuple[PlaneDesign, ...]) -> int:
    """Node links of a plane on another's leaves that find a port there, over all blocks and subplanes."""
    host = next(p for p in planes if p.name == guest.share)
    before = next(first for plane, first in guests_of(host, planes) if plane is guest)
    left, slots = guest_ports(host), host.nodes_per_leaf
    total = 0
    for island, many in ((host.island_nodes, guest.nodes // host.island_nodes), (guest.nodes % host.island_nodes, 1)):
        for nodes, blocks in ((slots, island // slots), (island % slots, 1)):
            each = sum(min(nodes, max(0, left - (before + r // host.leaves_per_block) * slots)) for r in range(guest.rails))
            total += many * blocks * each
    return total * guest.subplanes


def guests_of(plane: PlaneDesign, planes: tuple[PlaneDesign, ...]) -> Guests:
    """Planes on the leaves of ``plane``, each with the number of its first local rail behind the host's own."""
    found, before = [], 0
    for other in planes:
        if other.share == plane.name and other.share_tier == "leaf":
            found.append((other, before))
            before += -(-other.rails // plane.leaves_per_block)
    return tuple(found)


def count_island(plane: PlaneDesign, nodes: int, guests: Guests, planes: tuple[PlaneDesign, ...]) -> FabricCounts:
    """Counts of one island of ``nodes`` nodes, in one subplane."""
    blocks = -(-nodes // plane.nodes_per_leaf)
    leaves = blocks * plane.leaves_per_block
    asked = plane.service_ports + plane.service_unplaced
    base = FabricCounts(leaf=leaves, node_leaf=nodes * plane.rails, service_asked=asked)
    if plane.share and plane.share_tier == "spine":
        joined = replace(base, leaf_spine=leaves * plane.uplinks, tiers=2)
        return _with_leaf_services(plane, nodes, blocks, guests, joined)
    if plane.spine is None or plane.uplinks == 0:
        return _with_leaf_services(plane, nodes, blocks, guests, base)
    if plane.layout == "leaf-groups" and nodes > plane.su_nodes:
        return _with_leaf_services(plane, nodes, blocks, guests, _groups(plane, blocks, base))
    spines = spines_of(plane, leaves)
    if spines is not None:
        return _two_tier(plane, nodes, blocks, guests, planes, base, spines)
    return _with_leaf_services(plane, nodes, blocks, guests, _pods(plane, leaves, base))


def spines_of(plane: PlaneDesign, leaves: int) -> int | None:
    """Spines of a two-tier fabric: as dictated, else the smallest divisor of a leaf's uplinks whose spines have ports
    for all leaves and guests. None when no divisor is enough, so that a third tier is needed."""
    assert plane.spine is not None
    if plane.spine.fixed_count:
        return plane.spine.fixed_count
    ports = plane.spine.ports
    count = divisor_at_least(plane.uplinks, leaves * plane.uplinks / ports)
    while count is not None and leaves * (plane.uplinks // count) + -(-plane.guest_uplinks // count) > ports:
        count = divisor_at_least(plane.uplinks, count + 1)
    return count


def _two_tier(
    plane: PlaneDesign,
    nodes: int,
    blocks: int,
    guests: Guests,
    planes: tuple[PlaneDesign, ...],
    base: FabricCounts,
    spines: int,
) -> FabricCounts:
    assert plane.spine is not None
    made = replace(base, spine=spines, leaf_spine=base.leaf * plane.uplinks, tiers=2)
    used = [base.leaf * _share(plane.uplinks, spines, s) for s in range(spines)]
    for guest in planes:
        if guest.share == plane.name and guest.share_tier == "spine":
            leaves = -(-guest.nodes // guest.nodes_per_leaf) * guest.leaves_per_block
            used = [n + leaves * _share(guest.uplinks, spines, s) for s, n in enumerate(used)]
    if plane.service_at == "spine":
        left = [max(0, plane.spine.ports - n) for n in used]
        dealt = _deal(plane.service_ports, left)
        used = [n + d for n, d in zip(used, dealt, strict=True)]
        none: tuple[tuple[int, ...], ...] = ((),) * plane.leaves_per_block
        made = replace(made, service=sum(dealt), modules=sum(dealt) * (not plane.node_fixed_ends))
        leaf_modules = _leaf_modules(plane, nodes, blocks, guests, none)
    else:
        made = _with_leaf_services(plane, nodes, blocks, guests, made)
        leaf_modules = 0
    per_cage = plane.spine.ports_per_cage
    above = 0 if plane.switch_fixed_ends else sum(filled(n, per_cage) for n in used)
    return replace(made, modules=made.modules + leaf_modules + above)


def _share(links: int, spines: int, spine: int) -> int:
    """Links of one leaf to spine ``spine`` when link j goes to spine j % spines."""
    return links // spines + (spine < links % spines)


def _pods(plane: PlaneDesign, leaves: int, base: FabricCounts) -> FabricCounts:
    """Three tiers: every pod has one spine per leaf uplink with all its uplinks; one group of cores per spine index."""
    assert plane.spine is not None and plane.core is not None
    pods, rest = -(-leaves // plane.pod_leaves), leaves % plane.pod_leaves or plane.pod_leaves
    group = divisor_at_least(plane.spine_uplinks, pods * plane.spine_uplinks / plane.core.ports) or plane.spine_uplinks
    modules = 0
    if not plane.switch_fixed_ends:
        per_cage, up = plane.spine.ports_per_cage, plane.spine_uplinks
        modules += (pods - 1) * plane.uplinks * of_spine(plane.pod_leaves, plane.pod_leaves + 1, up, per_cage)
        modules += plane.uplinks * of_spine(rest, plane.pod_leaves + 1, up, per_cage)
        modules += plane.uplinks * group * filled(pods * (up // group), plane.core.ports_per_cage)
    return replace(
        base,
        spine=pods * plane.uplinks,
        core=plane.uplinks * group,
        leaf_spine=leaves * plane.uplinks,
        spine_core=pods * plane.uplinks * plane.spine_uplinks,
        modules=modules,
        tiers=3,
    )


def _groups(plane: PlaneDesign, blocks: int, base: FabricCounts) -> FabricCounts:
    """Leaf groups: the leaves of one rail and SU have their own spines; cores of one spine index join all groups."""
    assert plane.spine is not None and plane.core is not None
    per_group = plane.su_nodes // plane.nodes_per_leaf
    units, rest = -(-blocks // per_group), blocks % per_group or per_group
    sets, spines, up = units * plane.leaves_per_block, plane.group_spines, plane.spine_uplinks
    group = divisor_at_least(up, sets * up / plane.core.ports) or up
    parallel = plane.uplinks // spines
    modules = 0
    if not plane.switch_fixed_ends:
        first, per_cage = per_group * parallel + 1, plane.spine.ports_per_cage
        last = plane.leaves_per_block
        modules += (sets - last) * spines * of_spine(per_group * parallel, first, up, per_cage)
        modules += last * spines * of_spine(rest * parallel, first, up, per_cage)
        modules += spines * group * filled(sets * (up // group), plane.core.ports_per_cage)
    return replace(
        base,
        spine=sets * spines,
        core=spines * group,
        leaf_spine=base.leaf * plane.uplinks,
        spine_core=sets * spines * up,
        modules=modules,
        tiers=3,
    )


def _with_leaf_services(plane: PlaneDesign, nodes: int, blocks: int, guests: Guests, made: FabricCounts) -> FabricCounts:
    """``made`` with the modules of its leaves, and the service links that find a port on the last block's leaves."""
    last = nodes - (blocks - 1) * plane.nodes_per_leaf
    queues = [_free_ports(plane, last, column) for column in range(plane.leaves_per_block)]
    dealt = _deal(plane.service_ports, [len(q) for q in queues])
    services = tuple(tuple(q[:n]) for q, n in zip(queues, dealt, strict=True))
    modules = made.modules + _leaf_modules(plane, nodes, blocks, guests, services)
    modules += 0 if plane.node_fixed_ends else sum(dealt)
    return replace(made, service=sum(dealt), modules=modules)


def _free_ports(plane: PlaneDesign, nodes: int, column: int) -> list[int]:
    """Ports of a last-block leaf that may go to service hosts, in the order in which they are taken."""
    if not plane.service_ports:
        return []
    slots = plane.nodes_per_leaf
    behind = slots * plane.rails_per_leaf + guest_ports(plane) + plane.uplinks * plane.uplink_units
    rails = min(plane.rails_per_leaf, plane.rails - column * plane.rails_per_leaf)
    ports = list(range(behind + 1, min(plane.leaf.ports, behind + plane.service_ports) + 1))
    for slot in range(slots - 1, nodes - 1, -1):
        if len(ports) >= plane.service_ports:
            break
        ports += [rail * slots + slot + 1 for rail in range(rails - 1, -1, -1)]
    return ports


def _deal(wanted: int, room: list[int]) -> list[int]:
    """How many of ``wanted`` each place gets when they are dealt one by one, round robin, into places with ``room``."""
    dealt = [0] * len(room)
    left = min(wanted, sum(room))
    while left:
        for place, space in enumerate(room):
            if left and dealt[place] < space:
                dealt[place] += 1
                left -= 1
    return dealt


def _leaf_modules(plane: PlaneDesign, nodes: int, blocks: int, guests: Guests, services: tuple[tuple[int, ...], ...]) -> int:
    """Modules of all leaves: whole blocks, and the last block with its services. Columns that are alike count once."""
    slots = plane.nodes_per_leaf
    last = nodes - (blocks - 1) * slots
    total = 0
    alike: dict[tuple[int, tuple[int, ...], tuple[int, ...]], tuple[int, int]] = {}
    for column in range(plane.leaves_per_block):
        rails = min(plane.rails_per_leaf, plane.rails - column * plane.rails_per_leaf)
        on = tuple(len(range(column, guest.rails, plane.leaves_per_block)) for guest, _ in guests)
        key = (rails, on, services[column])
        if key not in alike:
            whole = of_leaf(plane, slots, column, guests, ()) if blocks > 1 else 0
            alike[key] = (whole, of_leaf(plane, last, column, guests, services[column]))
        whole, final = alike[key]
        total += (blocks - 1) * whole + final
    return total
