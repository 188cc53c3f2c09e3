"""The declared fabric of the build benches: 400G Ethernet, radix 128, eight rails, three tiers."""

from __future__ import annotations

from asbuilt.model.design import PlaneDesign, TierDesign


def plane(gpus: int) -> PlaneDesign:
    """8 rails, one 400G port a GPU, 64 nodes a leaf, 64 uplinks, radix 128 in all tiers."""
    tier = TierDesign("sn5600", ports=128, cages=64, ports_per_cage=2, rate_gbps=400.0)
    return PlaneDesign(
        name="compute", technology="ethernet", layout="rail-optimised", nodes=gpus // 8, rails=8, subplanes=1,
        link_gbps=400.0, uplink_gbps=400.0, nodes_per_leaf=64, rails_per_leaf=1, uplinks=64, spine_uplinks=64,
        leaf=tier, spine=tier, core=tier, pod_leaves=64, su_nodes=64, group_spines=0, island_nodes=65_536, share=None,
        separation="physical", subnet="compute", pkey=None, lmc=0, service_ports=0, nic="connectx-7", oversubscription=1.0,
    )  # fmt: skip
