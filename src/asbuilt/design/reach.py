"""How far one fabric reaches: nodes of an island from ports (R²/2, R³/4) and from the LID space of an InfiniBand subnet."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.design.ports import divisor_at_least
from asbuilt.model.design import TierDesign

GPUS_MOST = 1_048_576
UNLIMITED = GPUS_MOST
# Unicast LIDs 0x0001-0xBFFF: IB_LID_UCAST_END_HO in OpenSM's include/iba/ib_types.h.
UNICAST_LIDS = 49_151


@dataclass(frozen=True, slots=True)
class Reach:
    """Most nodes of one island, and what ends it: ``ports``, ``lids`` or nothing (``""``)."""

    nodes: int
    limit: str
    two_tier_nodes: int


def lids_taken(ends: int, lmc: int, *tiers: tuple[int, TierDesign]) -> int:
    """Highest LID of a subnet packed without gaps: switch ASICs from 1 on, then runs of 2^LMC LIDs at multiples of 2^LMC.

    Runs are for ``ends`` end ports and for the SHARP aggregation nodes of ``tiers`` (number of switches, tier). A switch has
    one LID whatever the LMC (OpenSM option lmc_esp0, FALSE as shipped).
    """
    switches = sum(count * tier.asics for count, tier in tiers)
    runs = ends + sum(count * tier.aggregation for count, tier in tiers)
    step = 1 << lmc
    return -(-(switches + 1) // step) * step - 1 + runs * step


def reach(
    *,
    leaves_per_block: int,
    nodes_per_leaf: int,
    uplinks: int,
    leaf: TierDesign,
    spine: TierDesign | None,
    core: TierDesign | None,
    pod_leaves: int,
    spine_uplinks: int,
    ends_per_node: int,
    infiniband: bool,
    lmc: int,
    services: int = 0,
) -> Reach:
    """Reach of a leaf/spine/core fabric with even striping; ``ends_per_node`` are its end ports per node in one subplane.

    Two tiers end when a spine cannot take one link of every leaf. Three tiers end when a core cannot take one link of
    every pod. An InfiniBand subnet also ends where `lids_taken` (with ``services`` end ports to service hosts) passes the
    unicast LIDs.
    """
    if spine is None or uplinks == 0:
        return Reach(UNLIMITED, "", nodes_per_leaf)
    two_tier = max(1, spine.ports // leaves_per_block) * nodes_per_leaf
    most, limit = two_tier, "ports"
    blocks_per_pod = max(1, pod_leaves // leaves_per_block)
    pod_nodes = blocks_per_pod * nodes_per_leaf
    if core is not None and spine_uplinks > 0:
        most = max(two_tier, core.ports * pod_nodes)
    if not infiniband:
        return Reach(most, limit, two_tier)

    def lids(nodes: int) -> int:
        leaves = -(-nodes // nodes_per_leaf) * leaves_per_block
        ends = nodes * ends_per_node + services
        if nodes <= two_tier:
            spines = divisor_at_least(uplinks, leaves * uplinks / spine.ports) or uplinks
            return lids_taken(ends, lmc, (leaves, leaf), (spines, spine))
        assert core is not None
        pods = -(-nodes // pod_nodes)
        cores = uplinks * (divisor_at_least(spine_uplinks, pods * spine_uplinks / core.ports) or spine_uplinks)
        return lids_taken(ends, lmc, (leaves, leaf), (pods * uplinks, spine), (cores, core))

    if lids(most) <= UNICAST_LIDS:
        return Reach(most, limit, two_tier)
    # Islands end between pods; where not even one pod has the LIDs, between blocks of leaves; 0: not even one block.
    for step in (pod_nodes, nodes_per_leaf) if most > two_tier else (nodes_per_leaf,):
        low, high = 0, -(-most // step)
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (middle, high) if lids(middle * step) <= UNICAST_LIDS else (low, middle)
        if low:
            break
    return Reach(low * step, "lids", min(two_tier, low * step))


def reach_of_groups(
    *,
    rails: int,
    su_nodes: int,
    nodes_per_leaf: int,
    group_spines: int,
    spine_uplinks: int,
    leaves_per_su: int,
    spine: TierDesign,
    core: TierDesign,
    leaf: TierDesign,
    lmc: int,
    infiniband: bool,
    services: int = 0,
) -> Reach:
    """Reach of leaf groups: cores of one spine index take at least one link of that spine in every rail and SU.

    Where not even one SU has the LIDs, an island is as many blocks of ``nodes_per_leaf`` nodes as do, on two tiers.
    """
    most, limit = core.ports // rails, "ports"

    def lids(units: int) -> int:
        ends, spines = units * su_nodes * rails + services, units * rails * group_spines
        return lids_taken(ends, lmc, (units * leaves_per_su, leaf), (spines, spine), (group_spines * spine_uplinks, core))

    while infiniband and most and lids(most) > UNICAST_LIDS:
        most, limit = most - 1, "lids"
    if most:
        return Reach(most * su_nodes, limit, su_nodes)
    blocks = su_nodes // nodes_per_leaf

    def lids_of_blocks(count: int) -> int:
        ends = count * nodes_per_leaf * rails + services
        return lids_taken(ends, lmc, (count * rails, leaf), (rails * group_spines, spine))

    while blocks and lids_of_blocks(blocks) > UNICAST_LIDS:
        blocks -= 1
    return Reach(blocks * nodes_per_leaf, limit, blocks * nodes_per_leaf)
