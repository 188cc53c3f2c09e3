"""Requirement and catalogue to Design: reference profiles, what the requirement overrides, what is refused and how."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.requirement import Growth, NicPort, NodeMap, Plane, Planes, Requirement, Tier

CATALOGUE = load()


def design(system: str, gpus: int, fabric: str | None = None, **more: object) -> Design:
    return resolve(Requirement(name="test", system=system, gpus=gpus, fabric=fabric, **more), CATALOGUE)  # type: ignore[arg-type]


def plane(made: Design, name: str) -> PlaneDesign:
    found = made.plane(name)
    assert found is not None
    return found


def test_dgx_h100_gets_the_superpod_fabric() -> None:
    made = design("dgx-h100", 1024)
    compute = plane(made, "compute")
    assert (made.nodes, made.profile, made.site.nodes_per_rack) == (128, "ndr", 4)
    assert (compute.rails, compute.nodes_per_leaf, compute.uplinks, compute.leaf.ports, compute.pod_leaves) == (
        8,
        32,
        32,
        64,
        32,
    )
    assert compute.leaves_per_block == 8


def test_l40s_splits_its_leaves_and_an_uplink_takes_two_port_numbers() -> None:
    compute = plane(design("l40s-8gpu", 384), "compute")
    assert (compute.leaf.ports, compute.leaf.ports_per_cage, compute.uplink_units) == (128, 4, 2)
    assert (compute.nodes_per_leaf, compute.uplinks, compute.link_gbps, compute.uplink_gbps) == (64, 32, 200.0, 400.0)


def test_slower_cards_set_the_rate_of_an_ethernet_fabric() -> None:
    made = design("l40s-8gpu", 384, "roce")
    compute = plane(made, "compute")
    assert (compute.link_gbps, compute.uplink_gbps, compute.leaf.ports) == (200.0, 400.0, 256)
    assert any("run 200 Gb/s" in w for w in made.warnings)
    assert [a.value for a in made.assumptions if a.path == "planes.compute.link_gbps"] == [200.0]


def test_unsplit_leaf_as_dictated() -> None:
    asked = Plane(rails=4, leaf=Tier(split=False, uplinks=16, count=4), spine=Tier(count=4), oversubscription=1.5)
    compute = plane(design("l40s-8gpu", 384, planes=Planes(compute=asked)), "compute")
    assert (compute.leaf.ports, compute.uplink_units, compute.nodes_per_leaf, compute.uplinks) == (64, 1, 48, 16)
    assert compute.spine is not None and compute.spine.fixed_count == 4


def test_promised_oversubscription_sets_the_uplinks() -> None:
    asked = Plane(nodes_per_leaf=48, oversubscription=1.5)
    compute = plane(design("l40s-8gpu", 384, planes=Planes(compute=asked)), "compute")
    assert (compute.nodes_per_leaf, compute.uplinks) == (48, 16)
    assert compute.nodes_per_leaf * 200 / (compute.uplinks * 400) == 1.5


@pytest.mark.parametrize(
    ("gpus", "rails_per_leaf", "single"),
    [(8, 8, True), (56, 8, True), (64, 8, True), (72, 2, False), (80, 2, False), (248, 1, False)],
)
def test_small_fabrics_share_leaves_or_are_one_switch(gpus: int, rails_per_leaf: int, single: bool) -> None:
    compute = plane(design("dgx-h100", gpus), "compute")
    assert compute.rails_per_leaf == rails_per_leaf
    assert (compute.spine is None) is single


def test_growth_target_keeps_small_fabric_choices_out() -> None:
    assert plane(design("dgx-h100", 56, growth=Growth(gpus=512)), "compute").rails_per_leaf == 1
    assert plane(design("dgx-h100", 56, growth=Growth(node_slots=2)), "compute").spine is not None


def test_ndr_on_nvl72_means_leaf_groups() -> None:
    made = design("gb200-nvl72", 1152, "ndr")
    compute = plane(made, "compute")
    assert made.profile == "ndr-leaf-groups"
    assert (compute.layout, compute.nodes_per_leaf, compute.uplinks) == ("leaf-groups", 18, 18)
    assert (compute.group_spines, compute.spine_uplinks) == (6, 24)
    assert any(a.path == "fabric.variant" and a.value == "ndr-leaf-groups" for a in made.assumptions)


def test_a_pair_that_nobody_published_is_built_and_said() -> None:
    made = design("l40s-8gpu", 384, "roce", planes=Planes(compute=Plane(link_gbps=200)))
    assert any("no reference architecture" in warning for warning in made.warnings)
    dual = design("gb300-nvl72", 576, "spectrum-x-dual-plane")
    assert plane(dual, "compute").subplanes == 2 and len([n for n in dual.node.nics if n.plane == "compute"]) == 8


def test_gpus_round_up_to_whole_racks_and_say_so() -> None:
    made = design("gb300-nvl72", 100)
    assert (made.gpus, made.nodes) == (144, 36)
    assert any("rounded up to 144" in warning for warning in made.warnings)


def test_dual_plane_gives_each_nic_a_port_in_both_planes() -> None:
    made = design("dgx-b300", 512)
    ports = [n for n in made.node.nics if n.plane == "compute"]
    assert len(ports) == 16
    assert {(n.rail, n.subplane) for n in ports} == {(r, s) for r in range(8) for s in range(2)}
    assert len({n.cage for n in ports}) == 8
    assert len({n.name for n in ports}) == 16


@pytest.mark.parametrize(("system", "expected"), [("dgx-h100", 16), ("dgx-b200", 8), ("gb200-nvl72", 9), ("gb300-nvl72", 9)])
def test_out_of_band_switches_are_found_by_counting_ports(system: str, expected: int) -> None:
    assert plane(design(system, 9216), "oob").nodes_per_leaf == expected


def test_lid_space_bounds_an_infiniband_island_and_lmc_shrinks_it() -> None:
    far = plane(design("dgx-h100", 65536), "compute").island_nodes
    leaves, pods = far * 8 // 32, far * 8 // 1024
    # Each switch has a LID, and its SHARP aggregation node another one.
    assert far * 8 + 2 * (leaves + pods * 32 + 1024) <= 49_151
    assert (far + 128) * 8 + 2 * ((far + 128) * 8 // 32 + (pods + 1) * 32 + 1024) > 49_151
    less = plane(design("dgx-h100", 65536, planes=Planes(compute=Plane(lmc=2))), "compute").island_nodes
    assert less < far / 3


def test_ordered_nics_stand_even_when_the_card_cannot() -> None:
    nics = (
        *(NicPort(plane="compute", part="connectx-7-ndr200", rail=r, socket=r % 2) for r in range(4)),
        *(NicPort(plane="storage", part="connectx-6-dx", rail=r, link_type="infiniband") for r in range(2)),
    )
    made = design("l40s-8gpu", 384, node=NodeMap(nics=nics))
    stored = [n for n in made.node.nics if n.plane == "storage"]
    assert [n.part for n in stored] == ["connectx-6-dx", "connectx-6-dx"]
    assert [n.name for n in made.node.nics][:4] == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"]
    assert plane(made, "storage").rails == 2


def test_a_plane_may_use_the_leaves_of_another() -> None:
    shared = Planes(storage=Plane(technology="infiniband", share="compute", separation="physical", rails=2, pkey=0x200))
    made = design("l40s-8gpu", 384, planes=shared)
    compute, storage = plane(made, "compute"), plane(made, "storage")
    assert storage.share == "compute" and storage.subnet == "compute"
    assert compute.shared_rails == 1
    assert compute.nodes_per_leaf * 2 + compute.uplinks * compute.uplink_units <= compute.leaf.ports


def test_every_choice_and_every_figure_is_recorded() -> None:
    made = design("dgx-h100", 1024)
    paths = {a.path for a in made.assumptions}
    assert {"fabric", "site.pue", "site.nodes_per_rack", "planes.compute.leaf.switch", "planes.oob.nodes_per_leaf"} <= paths
    cited = {c.what: c.figure for c in made.citations}
    assert cited["system/dgx-h100 power_max_w"].value == 10200
    assert all(figure.source for figure in cited.values())
    weak = [c.what for c in made.citations if c.figure.confidence == "low"]
    assert weak and all(any(what in warning for warning in made.warnings) for what in weak)


def _nic_elsewhere() -> Design:
    return design("l40s-8gpu", 384, planes=Planes(compute=Plane(leaf=Tier(switch="sn5600"))))


def _guest_of_one_switch() -> Planes:
    host = Plane(leaf=Tier(uplinks=0))
    return Planes(compute=host, storage=Plane(share="compute", share_tier="spine", leaf=Tier(uplinks=8)))


REFUSED: list[tuple[str, str, Callable[[], Design]]] = [
    ("REQ-401", "outside 8 to 1,048,576", lambda: design("dgx-h100", 7)),
    ("REQ-401", "outside 8 to 1,048,576", lambda: design("dgx-h100", 1_048_577)),
    ("CAT-002", "did you mean dgx-h100", lambda: design("dgx-h10", 64)),
    ("REQ-403", "reaches 400 Gb/s, the fabric runs 800 Gb/s", lambda: design("dgx-h100", 64, "xdr")),
    ("REQ-403", "does not run infiniband", lambda: design("mi300x-8gpu", 64, "xdr")),
    ("CAT-002", "fabric: no fabric 'ndrr'", lambda: design("dgx-h100", 64, "ndrr")),
    ("REQ-404", "sn5600 is an ethernet switch, the plane is infiniband", _nic_elsewhere),
    (
        "REQ-405",
        "qm8700 reaches 200 Gb/s",
        lambda: design("dgx-h100", 64, planes=Planes(compute=Plane(leaf=Tier(switch="qm8700")))),
    ),
    (
        "REQ-406",
        "64 of the 64 ports",
        lambda: design("dgx-h100", 64, planes=Planes(compute=Plane(spine=Tier(reserved_ports=64)))),
    ),
    ("REQ-408", "whole blocks of 8", lambda: design("dgx-h100", 1024, planes=Planes(compute=Plane(leaf=Tier(count=12))))),
    (
        "REQ-409",
        "there is no plane management",
        lambda: design("dgx-h100", 64, planes=Planes(storage=Plane(share="management"))),
    ),
    ("REQ-410", "compute has no spines", lambda: design("l40s-8gpu", 64, planes=_guest_of_one_switch())),
    ("REQ-410", "two tiers only", lambda: design("dgx-h100", 16384, planes=Planes(compute=Plane(service_at="spine")))),
]


@pytest.mark.parametrize(("code", "says", "made"), REFUSED)
def test_refusals_name_field_limit_and_way_out(code: str, says: str, made: Callable[[], Design]) -> None:
    with pytest.raises(ProblemError) as caught:
        made()
    assert [p.code for p in caught.value.problems.items] == [code]
    text = caught.value.problems.render()
    assert says in text and "fix:" in text


def test_all_problems_come_at_once() -> None:
    with pytest.raises(ProblemError) as caught:
        design("dgx-h10", 3)
    assert [p.code for p in caught.value.problems.items] == ["REQ-401", "CAT-002"]


def test_every_catalogue_system_and_fabric_resolves() -> None:
    pairs = [(s, f) for s in CATALOGUE.ids("system") for f in CATALOGUE.get("system", s).value("fabrics")]
    assert len(pairs) >= 10
    for system, fabric in pairs:
        for gpus in (8, 512, 16_384, 1_048_576):
            made = design(system, gpus, fabric)
            assert made.gpus >= gpus and plane(made, "compute").nodes == made.nodes
