"""The wiring: published counts, every port used once, even striping, and the rules where planes share switches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.design import PlaneDesign, TierDesign
from asbuilt.plan.ports import budget, network
from asbuilt.plan.wiring import LinkArrays, prove, wire

NDR = TierDesign("qm9700", 64, 32, 2, 400.0)
RADIX_128 = TierDesign("radix-128", 128, 64, 2, 400.0)
XDR = TierDesign("q3400-ra", 144, 72, 2, 800.0, asics=4)


def plane(**changes: object) -> PlaneDesign:
    """The DGX H100 compute plane of 128 nodes, with changes."""
    base = PlaneDesign(
        name="compute",
        technology="infiniband",
        layout="rail-optimised",
        nodes=128,
        rails=8,
        subplanes=1,
        link_gbps=400.0,
        uplink_gbps=400.0,
        nodes_per_leaf=32,
        rails_per_leaf=1,
        uplinks=32,
        spine_uplinks=32,
        leaf=NDR,
        spine=NDR,
        core=NDR,
        pod_leaves=32,
        su_nodes=32,
        group_spines=0,
        island_nodes=8192,
        share=None,
        separation="physical",
        subnet="compute",
        pkey=None,
        lmc=0,
        service_ports=0,
        nic="connectx-7-400",
        oversubscription=1.0,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def radix_128(gpus: int) -> PlaneDesign:
    """A declared 400G Ethernet three-tier rail fabric of radix 128."""
    return plane(
        technology="ethernet",
        nodes=gpus // 8,
        nodes_per_leaf=64,
        uplinks=64,
        spine_uplinks=64,
        leaf=RADIX_128,
        spine=RADIX_128,
        core=RADIX_128,
        pod_leaves=64,
        su_nodes=64,
        island_nodes=65_536,
    )


def leaf_groups(su: int) -> PlaneDesign:
    """GB200 NVL72 over NDR: a leaf group per rail and SU."""
    return plane(
        layout="leaf-groups",
        nodes=144 * su,
        rails=4,
        nodes_per_leaf=18,
        uplinks=18,
        spine_uplinks=24,
        su_nodes=144,
        group_spines=6,
        island_nodes=144 * 16,
    )


def tally(wired: object) -> tuple[int, ...]:
    role = wired.switches.role  # type: ignore[attr-defined]
    kinds = (wired.node_leaf, wired.leaf_spine, wired.spine_core)  # type: ignore[attr-defined]
    return (*(int((role == r).sum()) for r in range(3)), *(len(k) for k in kinds))


# NVIDIA DGX SuperPOD reference architecture, DGX H100 (RA-11333-001 V11) and B200: 3 SU is 16 spines, not 12.
H100 = [
    (31, (8, 4, 0, 248, 256, 0)),
    (63, (16, 8, 0, 504, 512, 0)),
    (95, (24, 16, 0, 760, 768, 0)),
    (127, (32, 16, 0, 1016, 1024, 0)),
    (256, (64, 32, 0, 2048, 2048, 0)),
    (512, (128, 128, 64, 4096, 4096, 4096)),
    (2048, (512, 512, 256, 16384, 16384, 16384)),
]


@pytest.mark.parametrize(("nodes", "expected"), H100)
def test_dgx_h100_tables(nodes: int, expected: tuple[int, ...]) -> None:
    wired = wire(plane(nodes=nodes))
    assert tally(wired) == expected
    used = prove(wired)
    assert used["node"] == nodes * 8
    assert used["links"] == sum(expected[3:])


@pytest.mark.parametrize(
    ("su", "expected"), [(2, (64, 48, 18)), (4, (128, 96, 36)), (8, (256, 192, 72)), (16, (512, 384, 144))]
)
def test_gb200_leaf_groups(su: int, expected: tuple[int, ...]) -> None:
    wired = wire(leaf_groups(su))
    prove(wired)
    assert tally(wired)[:3] == expected


def test_one_leaf_group_su_needs_no_core() -> None:
    assert tally(wire(leaf_groups(1)))[:3] == (32, 9, 0)


@pytest.mark.parametrize(("su", "leaf", "spine"), [(1, 16, 8), (2, 32, 16), (8, 128, 64), (16, 256, 128)])
def test_dual_plane(su: int, leaf: int, spine: int) -> None:
    """DGX B300 Spectrum-X: two subplanes, one 400G port of each NIC in either."""
    wired = wire(replace(radix_128(su * 512), subplanes=2))
    prove(wired)
    assert tally(wired)[:3] == (leaf, spine, 0)
    assert int(wired.node_leaf.b_port.max()) == 16


@pytest.mark.parametrize(("nodes", "leaf", "spine"), [(72, 8, 4), (144, 16, 8), (288, 32, 18), (576, 64, 36), (1296, 144, 72)])
def test_b300_xdr(nodes: int, leaf: int, spine: int) -> None:
    wired = wire(
        plane(nodes=nodes, nodes_per_leaf=72, uplinks=72, spine_uplinks=72, leaf=XDR, spine=XDR, core=XDR, pod_leaves=72)
    )
    prove(wired)
    assert tally(wired)[:3] == (leaf, spine, 0)


def test_a_node_sits_at_its_slot_on_every_rail() -> None:
    wired = wire(plane(nodes=40))
    leaf = wired.node_leaf
    block, slot = np.divmod(leaf.b_device, 32)
    assert bool((leaf.a_switch == block * 8 + leaf.b_port - 1).all())
    assert bool((leaf.a_port == slot + 1).all())


def test_rails_that_share_a_leaf_follow_one_another() -> None:
    wired = wire(plane(nodes=4, nodes_per_leaf=4, rails_per_leaf=2, uplinks=8))
    leaf = wired.node_leaf
    rail = leaf.b_port - 1
    assert bool((leaf.a_switch == rail // 2).all())
    assert bool((leaf.a_port == (rail % 2) * 4 + leaf.b_device + 1).all())


def test_islands_are_fabrics_of_their_own() -> None:
    wired = wire(plane(nodes=300, island_nodes=128))
    prove(wired)
    assert [s.nodes for s in wired.shapes] == [128, 128, 44]
    island = wired.switches.island
    for links in (wired.leaf_spine, wired.spine_core):
        assert bool((island[links.a_switch] == island[links.b_device]).all())


def test_too_many_leaves_without_a_core_tier_is_refused() -> None:
    with pytest.raises(ProblemError, match="PLN-001 plane compute: 128 leaves are more"):
        wire(plane(nodes=512, core=None))


def test_a_dictated_spine_count_that_does_not_divide_is_dealt_round_robin() -> None:
    wired = wire(plane(nodes=32, spine=replace(NDR, fixed_count=5)))
    prove(wired)
    per_spine = np.bincount(wired.leaf_spine.b_device)[8:]
    assert int(per_spine.max() - per_spine.min()) <= 1


def test_the_proof_finds_a_port_with_two_links() -> None:
    wired = wire(plane(nodes=31))
    port = wired.node_leaf.a_port.copy()
    port[1] = port[0]
    broken = replace(wired, node_leaf=replace(wired.node_leaf, a_port=port))
    with pytest.raises(ProblemError, match="1 switch ports carry more than one link"):
        prove(broken)


def test_the_proof_finds_a_port_that_does_not_exist_and_uneven_striping() -> None:
    wired = wire(plane(nodes=31))
    port = wired.leaf_spine.b_port.copy()
    port[5] = 65
    with pytest.raises(ProblemError, match="does not have"):
        prove(replace(wired, leaf_spine=replace(wired.leaf_spine, b_port=port)))
    far = wired.leaf_spine.b_device.copy()
    near = wired.leaf_spine.b_port.copy()
    far[0], near[0] = 11, 64
    far[-1], near[-1] = 8, 1
    with pytest.raises(ProblemError, match="not evenly"):
        prove(replace(wired, leaf_spine=replace(wired.leaf_spine, b_device=far, b_port=near)))


def test_131072_gpus_take_16_bytes_a_cable() -> None:
    wired = wire(radix_128(131_072))
    assert tally(wired) == (2048, 2048, 1024, 131_072, 131_072, 131_072)
    assert wired.cables == 393_216
    assert wired.nbytes / wired.cables <= 40
    assert prove(wired)["links"] == 393_216


def test_guests_take_the_ports_behind_the_hosts_slots() -> None:
    host = plane(nodes=16, rails=4, nodes_per_leaf=16, uplinks=16, shared_rails=1, service_ports=2)
    guest = replace(host, name="storage", rails=4, share="compute", nodes=16, shared_rails=0, service_ports=0)
    net = network((host, guest))
    shared = next(g for g in net.groups if g.plane.name == "storage")
    assert len(shared.arrays) == 64
    assert sorted(set(shared.arrays.a_port.tolist())) == list(range(17, 33))
    up = next(g for g in net.groups if g.kind == "leaf_spine")
    assert int(up.arrays.a_port.min()) == 33
    counted = budget(net)
    assert counted["shared_links"][:4].tolist() == [16] * 4
    assert counted["service"].sum() == 2
    assert counted["short"].sum() == 0
    assert bool((counted["free"] >= 0).all())


def test_what_finds_no_port_is_short_and_said() -> None:
    """48 nodes down and 16 uplinks fill an unsplit 64-port leaf: two storage rails and two service hosts have no port."""
    host = plane(
        nodes=48, rails=4, nodes_per_leaf=48, uplinks=16, shared_rails=1, service_ports=2, spine=replace(NDR, fixed_count=4)
    )
    guest = replace(host, name="storage", rails=2, share="compute", shared_rails=0, service_ports=0)
    net = network((host, guest))
    counted = budget(net)
    assert {g.kind: len(g.arrays) for g in net.groups} == {"node_leaf": 192, "leaf_spine": 64}
    assert int(counted["short"].sum()) == 96 + 2
    assert len(net.warnings) == 2


def test_guest_leaves_join_the_hosts_spines_behind_its_own_leaves() -> None:
    host = plane(
        nodes=16, rails=4, nodes_per_leaf=16, uplinks=16, spine=replace(NDR, fixed_count=4), service_at="spine", service_ports=2
    )
    guest = replace(
        host, name="storage", rails=2, share="compute", share_tier="spine", uplinks=8, spine=None, core=None, service_ports=0
    )
    net = network((host, guest))
    joined = next(g for g in net.groups if g.plane.name == "storage" and g.kind == "leaf_spine")
    assert len(joined.arrays) == 16
    assert sorted(set(joined.arrays.b_port.tolist())) == [17, 18, 19, 20]
    service = next(g for g in net.groups if g.kind == "service")
    # From the last port down: leaves that come with growth take the next ones.
    assert service.arrays.a_port.tolist() == [64, 64]
    _once(net.groups)


def test_wide_uplinks_name_the_first_of_their_ports() -> None:
    split = TierDesign("qm9700", 128, 32, 4, 200.0)
    wired = wire(plane(nodes=16, rails=4, nodes_per_leaf=64, uplinks=24, uplink_units=2, leaf=split, link_gbps=200.0))
    assert sorted(set(wired.leaf_spine.a_port.tolist())) == list(range(65, 112, 2))
    prove(wired)


def _once(groups: list[object]) -> None:
    seen: set[tuple[int, int]] = set()
    for group in groups:
        arrays: LinkArrays = group.arrays  # type: ignore[attr-defined]
        ends = list(zip(arrays.a_switch.tolist(), arrays.a_port.tolist(), strict=True))
        if group.far == "switch":  # type: ignore[attr-defined]
            ends += list(zip(arrays.b_device.tolist(), arrays.b_port.tolist(), strict=True))
        for end in ends:
            assert end not in seen
            seen.add(end)


def test_a_leaf_that_is_asked_for_more_ports_than_it_has_is_a_problem_with_the_number_that_fits() -> None:
    """36 nodes of 4 ports and 24 uplinks of 2 port numbers on a leaf of 120: 18 nodes would fit."""
    leaf = TierDesign("sn5600", 120, 64, 2, 400.0, reserved_ports=8)
    storage = plane(name="storage", leaf=leaf, nodes_per_leaf=36, rails=4, rails_per_leaf=4, uplinks=24, uplink_units=2)
    with pytest.raises(ProblemError) as told:
        network((storage, plane()))
    text = told.value.problems.render()
    assert "PLN-001 plane storage: a leaf needs 144 ports for 36 nodes with 4 rails each and 48 for 24 uplinks" in text
    assert "set planes.storage.nodes_per_leaf to 18 or less" in text and "1 problem" in text
    assert network((replace(storage, nodes_per_leaf=18), plane())).groups
