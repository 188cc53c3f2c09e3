"""One plane, from wishes to parameters: ports of its tiers, node slots of a leaf, uplinks, pods, islands."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.design.leaves import Ends, Leaves, groups, leaves, pods
from asbuilt.design.ledger import Ledger
from asbuilt.design.ports import tier, uplink_units
from asbuilt.design.reach import UNICAST_LIDS, UNLIMITED, Reach, reach, reach_of_groups
from asbuilt.model.design import PlaneDesign, TierDesign
from asbuilt.model.requirement import Plane

DEFAULT_SWITCH = {"infiniband": "qm9700", "ethernet": "sn5600"}
DEFAULT_RATE = {"compute": 400.0, "storage": 200.0, "frontend": 100.0, "management": 25.0, "oob": 1.0}
# Up to this rate a link is bought as a cable with fixed ends: 1GbE Cat5e, 10-100GbE DAC or AOC (DGX H100 cable list).
FIXED_ENDS_GBPS = 100.0


@dataclass(frozen=True, slots=True)
class Scene:
    """What a plane needs to know of the cluster and of its neighbours."""

    ledger: Ledger
    nodes: int
    ends: Ends
    su_nodes: int
    dictated: bool
    guest_uplinks: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """Everything above the node links of one plane."""

    leaf: TierDesign
    spine: TierDesign | None
    core: TierDesign | None
    leaves: Leaves
    units: int
    pod_leaves: int
    spine_uplinks: int
    group_spines: int
    reach: Reach


def resolve_plane(scene: Scene, name: str, wish: Plane) -> PlaneDesign | None:
    """`PlaneDesign` of ``wish``; None after noting in the ledger why it cannot be built."""
    ledger, path = scene.ledger, f"planes.{name}"
    technology = wish.technology or ledger.assume(f"{path}.technology", "ethernet", "the link layer of most planes")
    link = float(wish.link_gbps or ledger.assume(f"{path}.link_gbps", DEFAULT_RATE[name], "common rate of this plane"))
    shape = _shape(scene, path, name, wish, technology, link)
    if shape is None:
        return None
    uplink = shape.spine.rate_gbps if shape.spine else float(wish.uplink_gbps or link)
    block = -(-scene.ends.rails // shape.leaves.rails_per_leaf)
    fixed_node, fixed_switch = _fixed_ends(ledger, name, link, uplink)
    return PlaneDesign(
        name=name,
        technology=technology,
        layout=wish.layout or "rail-optimised",
        nodes=scene.nodes,
        rails=scene.ends.rails,
        subplanes=wish.subplanes or 1,
        link_gbps=link,
        uplink_gbps=uplink,
        nodes_per_leaf=shape.leaves.nodes_per_leaf,
        rails_per_leaf=shape.leaves.rails_per_leaf,
        uplinks=shape.leaves.uplinks,
        spine_uplinks=shape.spine_uplinks,
        leaf=shape.leaf,
        spine=shape.spine,
        core=shape.core,
        pod_leaves=shape.pod_leaves,
        su_nodes=scene.su_nodes,
        group_spines=shape.group_spines,
        island_nodes=shape.reach.nodes,
        share=wish.share,
        separation=wish.separation
        or ledger.assume(f"{path}.separation", "physical", "own switches unless sharing is declared"),
        subnet=wish.subnet or ledger.assume(f"{path}.subnet", wish.share or name, "one subnet for each set of switches"),
        pkey=wish.pkey,
        lmc=wish.lmc or 0,
        service_ports=wish.service_ports or 0,
        nic=wish.nic or "",
        oversubscription=wish.oversubscription or 1.0,
        spine_oversubscription=wish.spine_oversubscription or 1.0,
        uplink_units=shape.units,
        shared_rails=-(-scene.ends.guest_rails // block),
        node_fixed_ends=fixed_node,
        switch_fixed_ends=fixed_switch,
        share_tier=wish.share_tier or "leaf",
        service_at=wish.service_at or "leaf",
        guest_uplinks=scene.guest_uplinks,
    )


def _shape(scene: Scene, path: str, name: str, wish: Plane, technology: str, link: float) -> Shape | None:
    """Tiers, leaf slots, pods and reach of a plane; None after noting why not."""
    ledger = scene.ledger
    switch = wish.leaf.switch or ledger.assume(f"{path}.leaf.switch", DEFAULT_SWITCH[technology], f"common {technology} switch")
    leaf = tier(ledger, f"{path}.leaf", switch, technology, link, wish.leaf)
    if leaf is None:
        return None
    own_spine = _has_spine(name, wish)
    spine, core = _upper(ledger, path, technology, switch, wish) if own_spine else (None, None)
    if own_spine and (spine is None or core is None):
        return None
    native = ledger.catalogue.get("switch", switch)
    uplink = float(wish.uplink_gbps or (spine.rate_gbps if spine else native.value("rate_gbps")))
    units = uplink_units(leaf, int(native.value("ports")), link, uplink)
    upper = own_spine or (wish.share_tier == "spine" and wish.share is not None)
    found = leaves(ledger, path, wish, leaf, units, link, uplink, upper, scene.dictated, scene.ends)
    block = -(-scene.ends.rails // found.rails_per_leaf)
    if found.single or found.uplinks == 0:
        spine = core = None
    pod_leaves, spine_uplinks = pods(spine, wish.spine_oversubscription or 1.0, block)
    group_spines = 0
    ends_per_node = scene.ends.rails + scene.ends.guest_rails
    if wish.layout == "leaf-groups" and spine is not None and core is not None:
        per_group = -(-scene.su_nodes // found.nodes_per_leaf)
        group_spines, spine_uplinks, pod_leaves = groups(found.uplinks, spine, per_group)
        far = reach_of_groups(
            rails=scene.ends.rails,
            su_nodes=scene.su_nodes,
            nodes_per_leaf=found.nodes_per_leaf,
            group_spines=group_spines,
            spine_uplinks=spine_uplinks,
            leaves_per_su=per_group * scene.ends.rails,
            spine=spine,
            core=core,
            leaf=leaf,
            lmc=wish.lmc or 0,
            infiniband=technology == "infiniband",
            services=wish.service_ports or 0,
        )
    else:
        far = reach(
            leaves_per_block=block,
            nodes_per_leaf=found.nodes_per_leaf,
            uplinks=found.uplinks,
            leaf=leaf,
            spine=spine,
            core=core,
            pod_leaves=pod_leaves,
            spine_uplinks=spine_uplinks,
            ends_per_node=ends_per_node,
            infiniband=technology == "infiniband",
            services=wish.service_ports or 0,
            lmc=wish.lmc or 0,
        )
    if wish.share:
        far = Reach(UNLIMITED, "", UNLIMITED)
    elif not far.nodes:
        _no_lids(ledger, path, wish, found, ends_per_node)
        return None
    return Shape(leaf, spine, core, found, units, pod_leaves, spine_uplinks, group_spines, far)


def _no_lids(ledger: Ledger, path: str, wish: Plane, found: Leaves, ends_per_node: int) -> None:
    """Note that not even one block of leaves fits the LID space of a subnet."""
    lmc = wish.lmc or 0
    taken = found.nodes_per_leaf * ends_per_node << lmc
    ledger.problem(
        "REQ-412",
        f"{path}.lmc: {lmc} gives a port {1 << lmc} LIDs; {found.nodes_per_leaf} nodes on one group of leaves take {taken:,}",
        f"a subnet has {UNICAST_LIDS:,} unicast LIDs, and one group of leaves cannot lie in two subnets",
        "lower the LMC, or put fewer nodes on a leaf (nodes_per_leaf)",
    )


def _has_spine(name: str, wish: Plane) -> bool:
    """Frontend, management and oob leaves stand alone unless a spine is named: above them is the site's own network."""
    if wish.share or wish.leaf.uplinks == 0:
        return False
    return wish.spine.switch is not None or name in ("compute", "storage")


def _upper(
    ledger: Ledger, path: str, technology: str, leaf_switch: str, wish: Plane
) -> tuple[TierDesign | None, TierDesign | None]:
    """(spine, core) tiers at the uplink rate; either is None after noting why it cannot be."""
    spine_switch = wish.spine.switch or ledger.assume(f"{path}.spine.switch", leaf_switch, "the same model as the leaves")
    if not ledger.catalogue.has("switch", spine_switch):
        ledger.part("switch", spine_switch, f"{path}.spine.switch")
        return None, None
    uplink = float(wish.uplink_gbps or ledger.catalogue.get("switch", spine_switch).value("rate_gbps"))
    spine = tier(ledger, f"{path}.spine", spine_switch, technology, uplink, wish.spine)
    core_switch = wish.core.switch or ledger.assume(f"{path}.core.switch", spine_switch, "the same model as the spines")
    return spine, tier(ledger, f"{path}.core", core_switch, technology, uplink, wish.core)


def _fixed_ends(ledger: Ledger, name: str, link: float, uplink: float) -> tuple[bool, bool]:
    """Whether node links and switch links of a plane are cables with fixed ends, by rate."""
    node, switch = link <= FIXED_ENDS_GBPS, uplink <= FIXED_ENDS_GBPS
    ledger.assume(
        f"planes.{name}.media",
        "fixed ends" if node else "optics",
        f"links up to {FIXED_ENDS_GBPS:g} Gb/s are copper or AOC, faster ones fibre with transceivers",
    )
    return node, switch
