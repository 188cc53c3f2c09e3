"""Where the answer changes character: the next tier, a re-striped spine, a full subnet, a rack or a site that is too small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asbuilt.design.fabric import spines_of
from asbuilt.design.ports import divisor_at_least
from asbuilt.design.reach import GPUS_MOST, UNICAST_LIDS
from asbuilt.design.services import stated
from asbuilt.design.totals import Totals
from asbuilt.model.design import Design, PlaneDesign

# An ordinary server room feeds and cools 5 to 10 kW a rack.
ENTERPRISE_KW = (5.0, 10.0)
# Above this, rear doors or liquid: NVIDIA cools a B300 rack of 58 kW with active rear-door heat exchangers.
AIR_RACK_KW = 50.0
# TIA-942 Rated-3 superimposed live load.
FLOOR_KPA = 12.0
GRAVITY = 9.80665
RULE = "even striping and port counts of the reference architectures"


def limits_of(design: Design, totals: Totals) -> list[dict[str, Any]]:
    """Marks in the order in which a growing cluster meets them, then those of racks and site.

    Each: ``id``, ``what`` it is about, ``at_gpus`` (the most GPUs before the change; None: not a matter of size), ``now``
    (this size is past it), ``text`` and ``source``.
    """
    marks = [*_fabric_marks(design), *_service_mark(totals)]
    marks = [m for m in marks if m["at_gpus"] is None or m["at_gpus"] < GPUS_MOST]
    marks.sort(key=lambda m: (m["at_gpus"] is None, m["at_gpus"] or 0))
    return [*marks, *_rack_marks(design, totals), *_site_marks(design, totals)]


def _mark(id_: str, what: str, at: int | None, now: bool, text: str, source: str = RULE) -> dict[str, Any]:
    return {"id": id_, "what": what, "at_gpus": at, "now": now, "text": text, "source": source}


def _fabric_marks(design: Design) -> Iterator[dict[str, Any]]:
    plane, per = design.plane("compute"), design.node.gpus_per_node
    if plane is None:
        return
    whole = design.node.nodes_per_unit

    def gpus(nodes: int) -> int:
        return nodes // whole * whole * per

    if plane.spine is None:
        most = gpus(_single_nodes(plane, stated(design.requirement.planes.compute)))
        yield _mark(
            "tier-2", "compute fabric", most, design.gpus > most,
            f"one {plane.leaf.switch} is the whole fabric up to {most:,} GPUs; beyond it leaves and spines",
        )  # fmt: skip
        return
    yield from _whole_su(design, plane, gpus)
    yield from _shared_leaf_mark(plane, gpus)
    two_tier, island = gpus(_two_tier_nodes(plane)), gpus(plane.island_nodes)
    in_island = min(design.nodes, plane.island_nodes)
    if gpus(in_island) <= two_tier:
        yield from _stripe_mark(design, plane, gpus)
    if island > two_tier:
        yield _mark(
            "tier-3", "compute fabric", two_tier, design.gpus > two_tier,
            f"two tiers reach {two_tier:,} GPUs; beyond it a third tier of cores joins "
            + ("the SUs" if plane.layout == "leaf-groups" else "pods of leaves and spines"),
        )  # fmt: skip
    if gpus(in_island) > two_tier:
        yield from _core_mark(design, plane, gpus)
    reason = _island_reason(plane)
    yield _mark(
        "island", "compute fabric", island, design.gpus > island,
        f"one fabric ends at {island:,} GPUs ({reason}); beyond it further islands, and no job's collectives cross them",
        "R²/2 and R³/4 end ports of radix R; unicast LIDs 1-49,151 (OpenSM ib_types.h)",
    )  # fmt: skip


def _whole_su(design: Design, plane: PlaneDesign, gpus: Any) -> Iterator[dict[str, Any]]:
    """The end of the scalable unit that is being filled: up to there no switch is added."""
    units = -(-design.nodes // plane.su_nodes)
    what = "trays" if design.node.units_are_racks else "nodes"
    yield _mark(
        "su", "scalable units", gpus(units * plane.su_nodes), False,
        f"{units:,} SU{'s' if units > 1 else ''} of {plane.su_nodes} {what} {'are' if units > 1 else 'is'} full "
        f"at {gpus(units * plane.su_nodes):,} GPUs",
        f"fabric/{design.profile} su_nodes",
    )  # fmt: skip


def _shared_leaf_mark(plane: PlaneDesign, gpus: Any) -> Iterator[dict[str, Any]]:
    """Small fabrics in which rails share a leaf: the size from which they part, and node links move."""
    if plane.rails_per_leaf == 1 or plane.layout == "fat-tree":
        return
    most = gpus(plane.nodes_per_leaf)
    yield _mark(
        "rails", "compute leaves", most, False,
        f"{plane.rails_per_leaf} rails share a leaf up to {most:,} GPUs; beyond it fewer do, and node links move: "
        "state growth.gpus to wire for it now",
    )  # fmt: skip


def _single_nodes(plane: PlaneDesign, services: bool) -> int:
    """Most nodes that one switch takes, with the ``services`` that the requirement asks for."""
    per_node = plane.rails + plane.shared_rails * plane.leaves_per_block
    return max(1, (plane.leaf.ports - plane.service_ports * services) // per_node)


def _two_tier_nodes(plane: PlaneDesign) -> int:
    assert plane.spine is not None
    if plane.layout == "leaf-groups":
        return plane.su_nodes
    return plane.spine.ports // plane.leaves_per_block * plane.nodes_per_leaf


def _stripe_mark(design: Design, plane: PlaneDesign, gpus: Any) -> Iterator[dict[str, Any]]:
    """The size from which every leaf's uplinks must be dealt over more spines."""
    assert plane.spine is not None
    leaves = -(-min(design.nodes, plane.island_nodes) // plane.nodes_per_leaf) * plane.leaves_per_block
    spines = spines_of(plane, leaves)
    if spines is None or plane.spine.fixed_count or plane.guest_uplinks:
        return
    blocks = plane.spine.ports * spines // plane.uplinks // plane.leaves_per_block
    most, following = gpus(blocks * plane.nodes_per_leaf), divisor_at_least(plane.uplinks, spines + 1)
    within = most < gpus(plane.island_nodes)
    if following is not None and within and plane.layout != "leaf-groups":
        yield _mark(
            "restripe", "compute spines", most, False,
            f"{spines} spines serve up to {most:,} GPUs; beyond it {following}, and the uplinks of every leaf are dealt anew",
        )  # fmt: skip


def _core_mark(design: Design, plane: PlaneDesign, gpus: Any) -> Iterator[dict[str, Any]]:
    assert plane.core is not None
    if plane.layout == "leaf-groups":
        unit, per_set, sets_per_unit = plane.su_nodes, plane.su_nodes, plane.leaves_per_block
    else:
        unit = plane.pod_leaves // plane.leaves_per_block * plane.nodes_per_leaf
        per_set, sets_per_unit = unit, 1
    sets = -(-min(design.nodes, plane.island_nodes) // per_set) * sets_per_unit
    group = divisor_at_least(plane.spine_uplinks, sets * plane.spine_uplinks / plane.core.ports)
    following = divisor_at_least(plane.spine_uplinks, (group or 0) + 1)
    if group is None or following is None:
        return
    most = gpus(plane.core.ports * group // plane.spine_uplinks // sets_per_unit * unit)
    yield _mark(
        "restripe", "compute cores", most, False,
        f"{group} cores behind each spine index serve up to {most:,} GPUs; beyond it {following}, "
        "and the uplinks of every spine are dealt anew",
    )  # fmt: skip


def _island_reason(plane: PlaneDesign) -> str:
    assert plane.spine is not None
    ports = _two_tier_nodes(plane)
    if plane.core is not None and plane.layout != "leaf-groups":
        ports = plane.core.ports * (plane.pod_leaves // plane.leaves_per_block) * plane.nodes_per_leaf
    elif plane.core is not None:
        ports = plane.core.ports // plane.rails * plane.su_nodes
    if plane.technology == "infiniband" and plane.island_nodes < ports:
        lmc = f" at LMC {plane.lmc}" if plane.lmc else ""
        return f"the subnet's {UNICAST_LIDS:,} unicast LIDs are taken{lmc}"
    return f"every port of its {plane.core.ports if plane.core else plane.spine.ports}-port top tier is taken"


def _service_mark(totals: Totals) -> Iterator[dict[str, Any]]:
    for name, count in totals.counts.items():
        if count.service < count.service_asked:
            yield _mark(
                "services", f"{name} fabric", None, True,
                f"{count.service_asked - count.service} links to UFM or subnet managers find no leaf port: "
                "leave one node slot of the last SU empty",
                "DGX SuperPOD RA: 31, 63, 95 and 127 nodes",
            )  # fmt: skip


def _rack_marks(design: Design, totals: Totals) -> Iterator[dict[str, Any]]:
    low, high = ENTERPRISE_KW
    need, site = totals.rack_kw_max, design.site
    if need > high:
        nodes = "" if design.node.units_are_racks else _per_enterprise_rack(design.node.power_max_w / 1000, high)
        yield _mark(
            "rack-kw", "racks", None, True,
            f"the fullest rack draws {need:.1f} kW; an enterprise room gives {low:g} to {high:g} kW a rack{nodes}",
            "common enterprise practice",
        )  # fmt: skip
    else:
        yield _mark(
            "rack-kw", "racks", None, False,
            f"the fullest rack draws {need:.1f} kW, within the {low:g} to {high:g} kW of an enterprise room",
            "common enterprise practice",
        )  # fmt: skip
    if need > site.rack_power_kw + 0.05:
        yield _mark(
            "rack-site-kw", "racks", None, True,
            f"the fullest rack draws {need:.1f} kW, the site allows {site.rack_power_kw:g} kW a rack",
            "requirement",
        )  # fmt: skip
    if totals.rack_peak_kw is not None and totals.rack_peak_kw > need:
        yield _mark(
            "rack-peak", "racks", None, True,
            f"a full rack peaks at {totals.rack_peak_kw:.0f} kW for moments: size breakers and busway for that",
            f"system/{design.node.system} power_peak_w",
        )  # fmt: skip
    if totals.liquid_kw > 0:
        refused = site.cooling == "air"
        yield _mark(
            "liquid", "cooling", None, refused,
            f"{totals.liquid_kw / max(1e-9, totals.liquid_kw + totals.air_kw):.0%} of the heat leaves in liquid"
            + (": this hall has air only and cannot carry it" if refused else "; the hall needs a coolant loop"),
            "catalogue",
        )  # fmt: skip
    elif need > AIR_RACK_KW:
        yield _mark(
            "air-rack", "cooling", None, True,
            f"{need:.0f} kW a rack in air: active rear doors, or fewer nodes a rack",
            "NVIDIA data-centre best practices with DGX B300 (2026-02-27), second-hand",
        )  # fmt: skip
    area = site.rack_width_mm * site.rack_depth_mm / 1e6
    if totals.rack_kg is not None and area > 0:
        kpa = totals.rack_kg * GRAVITY / area / 1000
        if kpa > FLOOR_KPA:
            yield _mark(
                "floor", "floor", None, True,
                f"a full rack of {totals.rack_kg:,.0f} kg stands with {kpa:.1f} kPa on its footprint; "
                f"floors are commonly rated {FLOOR_KPA:g} kPa: have the load spread or the slab checked",
                "TIA-942 Rated-3 live load 12 kPa",
            )  # fmt: skip


def _per_enterprise_rack(node_kw: float, rack_kw: float) -> str:
    fits = int(rack_kw // node_kw)
    return f": {fits} node{'s' if fits != 1 else ''} a rack there" if fits else f": not even one node ({node_kw:g} kW)"


def _site_marks(design: Design, totals: Totals) -> Iterator[dict[str, Any]]:
    site = design.site
    if site.power_mw is None:
        return
    facility = totals.it_kw * site.pue / 1000
    at = int(design.gpus * site.power_mw / facility)
    unit = design.node.gpus_per_node * design.node.nodes_per_unit
    most = at // unit * unit
    over = facility > site.power_mw
    yield _mark(
        "site-power", "site", most, over,
        f"{facility:.2f} MW against {site.power_mw:g} MW of the site: "
        + (f"too much; about {most:,} GPUs fit" if over else f"it carries about {most:,} GPUs"),
        "requirement; power in proportion to GPUs",
    )  # fmt: skip
