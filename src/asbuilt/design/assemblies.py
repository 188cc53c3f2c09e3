"""Cable assemblies in closed form: one a link, one for two links on a split fibre, two for a link over two fibres.

An OSFP cage has two fibre ports, any other pluggable cage one. Where a cage carries twice as many links as it has fibre
ports (QM9700 split to 200 Gb/s), a 1:2 splitter serves two neighbouring ports; where it carries one link of more than one
fibre port's rate (800 Gb/s over two 400 Gb/s modules' ports), the link takes two jumpers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from asbuilt.catalogue.load import Catalogue
from asbuilt.design.fabric import FabricCounts, count_plane
from asbuilt.model.design import Design, PlaneDesign, TierDesign

_FIBRE_PORTS = {"osfp": 2}
#: Far ends of a cable with fixed ends that joins one OSFP cage to two cards.
_SPLITTER_ENDS = 2


def assemblies_of(plane: PlaneDesign, design: Design, catalogue: Catalogue, count: FabricCounts) -> int:
    """Cable assemblies of one plane. Links of guests on a split leaf are in the host's count, since they share splitters."""
    if plane.share and plane.share_tier == "leaf":
        return count.node_leaf if plane.node_fixed_ends else 0
    split = _links_per_fibre(catalogue, plane.leaf)
    if plane.node_fixed_ends and plane.leaf.ports_per_cage == _SPLITTER_ENDS:
        # A splitter with fixed ends fills the cage: counted as a module of the cage would be.
        filled = count_plane(replace(plane, node_fixed_ends=False, switch_fixed_ends=True), design.planes)
        return filled.modules - count.service + count.leaf_spine + count.spine_core
    # The fibres of a leaf are counted as its modules are, with the fibre's ports in place of the cage's.
    fibres = count_plane(
        replace(plane, leaf=replace(plane.leaf, ports_per_cage=split), switch_fixed_ends=True), design.planes
    ).modules
    at_spine = plane.service_at == "spine" and plane.spine is not None
    if plane.node_fixed_ends:
        fibres += count.node_leaf + count.service
    elif not at_spine:
        fibres -= count.service  # modules at the service hosts' end
    up = count.leaf_spine * _fibres_per_uplink(catalogue, plane, plane.leaf, plane.uplink_units)
    core = count.spine_core * (_fibres_per_uplink(catalogue, plane, plane.spine, 1) if plane.spine else 1)
    return fibres + up + core


def assemblies(design: Design, catalogue: Catalogue, counts: Mapping[str, FabricCounts]) -> dict[str, int]:
    """Cable assemblies by plane."""
    return {plane.name: assemblies_of(plane, design, catalogue, counts[plane.name]) for plane in design.planes}


def _fibre_ports(catalogue: Catalogue, tier: TierDesign) -> int:
    return _FIBRE_PORTS.get(str(catalogue.get("switch", tier.switch).value("cage")), 1)


def _links_per_fibre(catalogue: Catalogue, leaf: TierDesign) -> int:
    return max(1, leaf.ports_per_cage // _fibre_ports(catalogue, leaf))


def _fibres_per_uplink(catalogue: Catalogue, plane: PlaneDesign, tier: TierDesign, units: int) -> int:
    """Jumpers of one uplink: 2 where its cage carries nothing else and one fibre port is too slow for it."""
    ports = _fibre_ports(catalogue, tier)
    part = catalogue.get("switch", tier.switch)
    fibre_gbps = float(part.value("rate_gbps")) * int(part.value("ports_per_cage")) / ports
    alone = tier.ports_per_cage // units <= 1
    return 2 if ports > 1 and alone and not plane.switch_fixed_ends and plane.uplink_gbps > fibre_gbps else 1
