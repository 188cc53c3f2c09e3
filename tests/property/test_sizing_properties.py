"""Properties of the closed form over systems, fabrics, sizes and wishes: ports are never exceeded, striping is even, nothing
shrinks while a cluster grows, and every size from 8 to 1,048,576 GPUs is answered."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design.cages import guest_ports
from asbuilt.design.fabric import count_island, count_plane, spines_of
from asbuilt.design.ports import balance, divisor_at_least, largest_divisor
from asbuilt.design.reach import UNICAST_LIDS
from asbuilt.design.resolve import resolve
from asbuilt.design.sizing import sizing
from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.requirement import Growth, Plane, Planes, Requirement, Tier

BOOK = load()
PAIRS = [(s, f) for s in BOOK.ids("system") for f in BOOK.get("system", s).value("fabrics")]
SIZES = st.one_of(
    st.integers(8, 2_000),
    st.integers(8, 1_048_576),
    st.sampled_from([8, 248, 256, 504, 512, 576, 1016, 1024, 2048, 2056, 4096, 9216, 10_368, 16_384, 45_056, 1_048_576]),
)
pairs = st.sampled_from(PAIRS)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """A design that resolves: any catalogue system, fabric and size, with some wishes for its compute plane."""
    system, fabric = draw(pairs)
    wish = Plane(
        oversubscription=draw(st.sampled_from([None, 1.0, 1.5, 2.0, 3.0])),
        spine_oversubscription=draw(st.sampled_from([None, 1.0, 2.0])),
        lmc=draw(st.sampled_from([None, 0, 1, 2])),
        service_ports=draw(st.sampled_from([None, 0, 2, 8])),
        leaf=Tier(reserved_ports=draw(st.sampled_from([None, 0, 2, 8]))),
    )
    asked = Requirement(
        name="property",
        system=system,
        gpus=draw(SIZES),
        fabric=fabric,
        planes=Planes(compute=wish),
        growth=Growth(node_slots=draw(st.sampled_from([None, 0, 4]))),
    )
    return resolve(asked, BOOK)


def own_switches(design: Design) -> list[PlaneDesign]:
    return [p for p in design.planes if not (p.share and p.share_tier == "leaf")]


def islands(plane: PlaneDesign) -> list[int]:
    """Nodes of one full island, where there is one, and of the last."""
    full, rest = divmod(plane.nodes, plane.island_nodes)
    return [plane.island_nodes] * bool(full) + [rest] * bool(rest)


@settings(max_examples=150, deadline=None)
@given(designs())
def test_no_switch_has_more_links_than_ports(design: Design) -> None:
    for plane in own_switches(design):
        down = plane.nodes_per_leaf * plane.rails_per_leaf + guest_ports(plane)
        assert down + plane.uplinks * plane.uplink_units <= plane.leaf.ports
        for nodes in islands(plane):
            made = count_island(plane, nodes, (), design.planes)
            blocks = -(-nodes // plane.nodes_per_leaf)
            assert made.leaf == blocks * plane.leaves_per_block
            assert made.leaf * plane.nodes_per_leaf * plane.rails_per_leaf >= made.node_leaf
            if made.spine and plane.spine:
                assert made.leaf_spine == made.leaf * plane.uplinks
                assert made.leaf_spine + made.spine_core <= made.spine * plane.spine.ports
            if made.core and plane.core:
                assert made.spine_core <= made.core * plane.core.ports
                assert made.spine_core == made.spine * plane.spine_uplinks


@settings(max_examples=150, deadline=None)
@given(designs())
def test_striping_is_even(design: Design) -> None:
    for plane in own_switches(design):
        for nodes in islands(plane):
            made = count_island(plane, nodes, (), design.planes)
            if made.tiers == 2:
                assert plane.spine is not None and plane.uplinks % made.spine == 0
                fewer = divisor_at_least(plane.uplinks, 1)
                while fewer is not None and fewer < made.spine:
                    assert made.leaf * (plane.uplinks // fewer) > plane.spine.ports, "fewer spines would have been enough"
                    fewer = divisor_at_least(plane.uplinks, fewer + 1)
            if made.tiers == 3:
                groups = plane.group_spines or plane.uplinks
                assert made.core % groups == 0 and plane.spine_uplinks % (made.core // groups) == 0


@settings(max_examples=150, deadline=None)
@given(designs())
def test_promised_oversubscription_is_kept(design: Design) -> None:
    for plane in own_switches(design):
        if plane.spine is None or plane.layout == "leaf-groups":
            continue
        down = (plane.nodes_per_leaf * plane.rails_per_leaf + guest_ports(plane)) * plane.link_gbps
        assert down <= plane.oversubscription * plane.uplinks * plane.uplink_gbps * (1 + 1e-9)
        if plane.core is not None:
            assert plane.pod_leaves <= plane.spine_oversubscription * plane.spine_uplinks + plane.leaves_per_block


@settings(max_examples=150, deadline=None)
@given(designs())
def test_a_subnet_never_has_more_lids_than_there_are(design: Design) -> None:
    for plane in own_switches(design):
        if plane.technology != "infiniband" or plane.spine is None:
            continue
        for nodes in islands(plane):
            made = count_island(plane, nodes, (), design.planes)
            ends = (made.node_leaf + nodes * guest_ports(plane) // plane.nodes_per_leaf) << plane.lmc
            spine = plane.spine.asics * made.spine
            core = plane.core.asics * made.core if plane.core else 0
            assert ends + made.leaf * plane.leaf.asics + spine + core <= UNICAST_LIDS


@settings(max_examples=100, deadline=None)
@given(pairs, SIZES, st.integers(1, 64))
def test_more_nodes_never_take_fewer_switches_links_or_kilowatts(pair: tuple[str, str], gpus: int, more: int) -> None:
    """With the parameters held (what growth inside a design does), every count is monotone."""
    small = resolve(Requirement(name="grow", system=pair[0], gpus=gpus, fabric=pair[1], growth=Growth(gpus=1_048_576)), BOOK)
    added = more * small.node.nodes_per_unit
    planes = tuple(replace(p, nodes=p.nodes + added) for p in small.planes)
    large = replace(small, nodes=small.nodes + added, gpus=small.gpus + added * small.node.gpus_per_node, planes=planes)
    for before, after in zip(small.planes, large.planes, strict=True):
        a, b = count_plane(before, small.planes), count_plane(after, large.planes)
        assert b.node_leaf > a.node_leaf and b.leaf >= a.leaf and b.leaf_spine >= a.leaf_spine
        if a.islands == b.islands and before.layout != "leaf-groups":
            assert b.spine >= a.spine and b.core >= a.core
    one, two = sizing(small, BOOK), sizing(large, BOOK)
    if one.islands == two.islands and small.planes[0].layout != "leaf-groups":
        assert two.it_kw > one.it_kw
    assert two.cables > one.cables and two.weight_kg >= 0
    assert two.racks_by_role["compute"] >= one.racks_by_role["compute"]


@settings(max_examples=120, deadline=None)
@given(pairs, SIZES)
def test_every_size_is_answered_and_rounded_up_by_less_than_a_unit(pair: tuple[str, str], gpus: int) -> None:
    design = resolve(Requirement(name="any", system=pair[0], gpus=gpus, fabric=pair[1]), BOOK)
    made = sizing(design, BOOK)
    unit = design.node.gpus_per_node * design.node.nodes_per_unit
    assert 0 <= made.gpus - gpus < unit and made.gpus % unit == 0
    assert made.gpus == made.nodes * design.node.gpus_per_node
    assert made.facility_kw == pytest.approx(made.it_kw * made.pue, abs=0.15)
    assert made.it_kw >= made.it_expected_kw > 0
    assert made.racks == sum(made.racks_by_role.values())
    assert made.switches_total == sum(p["total"] for p in made.planes.values())
    links = sum(p["node_leaf"] + p["leaf_spine"] + p["spine_core"] + p["service"] for p in made.planes.values())
    assert links / 2 <= made.cables <= 2 * links, "a splitter serves two links, two jumpers at most make one"
    assert made.links.node_leaf == made.nodes * made.planes["compute"]["rails"] * made.planes["compute"]["subplanes"]
    assert made.liquid_kw >= 0 and made.air_kw > 0 and (made.cdus > 1) == (made.liquid_kw > 0)
    assert all(m["text"] and m["source"] for m in made.limits)


@settings(max_examples=60, deadline=None)
@given(pairs, st.integers(8, 20_000))
def test_the_next_mark_ahead_is_never_behind(pair: tuple[str, str], gpus: int) -> None:
    made = sizing(resolve(Requirement(name="mark", system=pair[0], gpus=gpus, fabric=pair[1]), BOOK), BOOK)
    for mark in made.limits:
        if mark["at_gpus"] is None or mark["id"] == "site-power":
            continue
        assert mark["now"] == (made.gpus > mark["at_gpus"]), mark


@given(st.integers(1, 512), st.sampled_from([1, 2, 4]), st.sampled_from([1.0, 1.25, 5 / 3, 2.0, 4.0]))
def test_balance_keeps_ports_and_promise(ports: int, units: int, promised: float) -> None:
    link = 100.0
    down, up = balance(ports, units, link, link * units, promised)
    assert down + up * units <= ports
    assert down * link <= promised * up * link * units + 1e-6


@given(st.integers(1, 200), st.floats(0, 300))
def test_divisors(number: int, bound: float) -> None:
    above, below = divisor_at_least(number, bound), largest_divisor(number, bound)
    every = [d for d in range(1, number + 1) if number % d == 0]
    assert above == next((d for d in every if d >= bound), None)
    assert below == max((d for d in every if d <= bound), default=1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 128), st.integers(1, 40))
def test_a_dictated_spine_count_stands(nodes: int, spines: int) -> None:
    wish = Plane(nodes_per_leaf=32, spine=Tier(count=spines))
    try:
        design = resolve(Requirement(name="d", system="dgx-h100", gpus=nodes * 8, planes=Planes(compute=wish)), BOOK)
    except ProblemError:
        return
    plane = design.plane("compute")
    assert plane is not None and spines_of(plane, 8) == spines
