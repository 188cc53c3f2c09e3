"""What each headline figure is made of: the formula with its numbers, the catalogue figures behind it, their confidence."""

from __future__ import annotations

from typing import Any

from asbuilt.base.origin import Confidence
from asbuilt.design import heat, racks
from asbuilt.design.fabric import FabricCounts
from asbuilt.design.ledger import Ledger
from asbuilt.design.totals import SwitchRun, Totals
from asbuilt.model.design import Design, PlaneDesign

Inputs = list[tuple[str, str]]


class _Book:
    """Collects derivations; sources are named by the beginning of their citation."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.entries: dict[str, dict[str, Any]] = {}

    def add(self, path: str, formula: str, inputs: Inputs, *cited: str) -> None:
        found = [c for name in dict.fromkeys(cited) if (c := self.ledger.citations.get(name)) is not None]
        ranks = [c.figure.confidence for c in found]
        lowest = min(ranks, key=lambda c: c.rank) if ranks else Confidence.MEDIUM
        self.entries[path] = {
            "formula": formula,
            "inputs": inputs,
            "confidence": lowest.value,
            "sources": [
                {
                    "what": c.what,
                    "value": c.figure.value,
                    "unit": c.figure.unit,
                    "source": c.figure.source,
                    "confidence": c.figure.confidence.value,
                    "note": c.figure.note,
                }
                for c in found
            ],
        }


def derive(design: Design, totals: Totals, ledger: Ledger) -> dict[str, Any]:
    """Dotted path of the sizing's JSON object -> formula, inputs, sources, lowest confidence."""
    book = _Book(ledger)
    _nodes(book, design, totals)
    _fabric(book, design, totals)
    _cabling(book, design, totals)
    _power(book, design, totals)
    _cooling(book, design, totals)
    _storage(book, totals)
    return book.entries


def _nodes(book: _Book, design: Design, totals: Totals) -> None:
    node, system = design.node, f"system/{design.node.system}"
    unit = node.gpus_per_node * node.nodes_per_unit
    asked = design.requirement.gpus
    text = f"ceil({asked:,} / {unit}) x {unit} GPUs"
    book.add("gpus", text, [("asked", f"{asked:,}"), ("GPUs of one unit", f"{unit}")], f"{system} gpus_per_node")
    book.add("nodes", f"{design.gpus:,} GPUs / {node.gpus_per_node} a node", [], f"{system} gpus_per_node")
    book.add(
        "nvlink_domains",
        f"{design.gpus:,} GPUs / {node.nvlink_domain_gpus} a domain"
        if node.nvlink_domain_gpus > 1
        else "no NVLink in this system",
        [],
        f"{system} nvlink_domain_gpus",
    )
    by_role = totals.racks_by_role
    per_rack = node.nodes_per_unit if node.units_are_racks else design.site.nodes_per_rack
    book.add(
        "racks",
        " + ".join(f"{count} {role}" for role, count in by_role.items()),
        [
            ("compute", f"ceil({design.nodes:,} nodes / {per_rack})"),
            ("network", f"switches packed to {design.site.switch_u_per_rack} U, {design.site.rack_power_kw:g} kW a rack"),
            ("management", f"one for {racks.NODES_PER_MANAGEMENT_RACK:,} nodes"),
            ("storage", f"{totals.storage.power_kw:.1f} kW at {racks.STORAGE_RACK_KW:g} kW a rack"),
        ],
        f"{system} nodes_per_rack",
        f"{system} height_u",
    )
    book.add(
        "weight_kg",
        "nodes + switches + racks, as far as the catalogue states weights (no cables, storage arrays or coolant)",
        [("nodes", f"{design.nodes:,}"), ("switches", f"{sum(r.count for r in totals.switches):,}")],
        f"{system} weight_kg",
        f"{system} unit_weight_kg",
        *(f"switch/{r.model} weight_kg" for r in totals.switches),
    )
    rack_w = node.unit_power_max_w if node.units_are_racks else node.power_max_w
    text = "nameplate of one rack" if node.units_are_racks else f"{min(per_rack, design.nodes)} nodes x {rack_w / 1000:g} kW"
    book.add("rack_kw_max", text + ", or the fullest network rack", [], f"{system} power_max_w", f"{system} unit_power_max_w")


def _fabric(book: _Book, design: Design, totals: Totals) -> None:
    for plane in design.planes:
        count = totals.counts[plane.name]
        cited = (f"fabric/{design.profile} {plane.name}_reference", *(_switch_cites(plane)))
        if plane.name == "compute":
            for tier, text in _tier_texts(plane, count).items():
                book.add(f"switches.compute.{tier}", text, _plane_inputs(plane), *cited)
            book.add("links.node_leaf", f"{plane.nodes:,} nodes x {plane.rails} rails x {plane.subplanes} plane(s)", [], *cited)
            book.add(
                "links.leaf_spine", f"{count.leaf:,} leaves x {plane.uplinks} uplinks" if count.spine else "none", [], *cited
            )
            book.add(
                "links.spine_core",
                f"{count.spine:,} spines x {plane.spine_uplinks} uplinks" if count.core else "none: no third tier",
                [],
                *cited,
            )
            book.add("islands", f"ceil({plane.nodes:,} nodes / {plane.island_nodes:,} of one island)", [], *cited)
            continue
        if plane.share and plane.share_tier == "leaf":
            text = f"uses the {plane.share} leaves"
        else:
            texts = _tier_texts(plane, count)
            text = "; ".join(f"{getattr(count, tier)} {tier}: {texts[tier]}" for tier in texts if getattr(count, tier))
        book.add(f"switches.{plane.name}", text, _plane_inputs(plane), *cited)
    total = sum(c.switches for c in totals.counts.values())
    book.add(
        "switches.total",
        " + ".join(f"{c.switches} {name}" for name, c in totals.counts.items() if c.switches) + f" = {total:,}",
        [],
        *(name for plane in design.planes for name in _switch_cites(plane)),
    )


def _switch_cites(plane: PlaneDesign) -> list[str]:
    tiers = [t for t in (plane.leaf, plane.spine, plane.core) if t is not None]
    return [f"switch/{t.switch} {key}" for t in tiers for key in ("ports", "splits")]


def _plane_inputs(plane: PlaneDesign) -> Inputs:
    rows: Inputs = [
        ("nodes", f"{plane.nodes:,}"),
        ("ports of a node", f"{plane.rails} x {plane.link_gbps:g} Gb/s x {plane.subplanes} plane(s)"),
        ("leaf", f"{plane.leaf.switch}: {plane.leaf.ports} ports, {plane.leaf.reserved_ports} more kept free"),
        ("node slots of a leaf", f"{plane.nodes_per_leaf}"),
    ]
    if plane.spine is not None:
        rows += [
            ("uplinks of a leaf", f"{plane.uplinks} x {plane.uplink_gbps:g} Gb/s"),
            ("spine ports", f"{plane.spine.ports}"),
        ]
    return rows


def _tier_texts(plane: PlaneDesign, count: FabricCounts) -> dict[str, str]:
    many = f" x {plane.subplanes} planes" if plane.subplanes > 1 else ""
    over = f", summed over {count.islands} islands" if count.islands > 1 else ""
    leaf = f"ceil({plane.nodes:,} nodes / {plane.nodes_per_leaf} slots) x {plane.leaves_per_block} leaves a block{many}{over}"
    texts = {"leaf": leaf}
    if plane.spine is None or not count.spine:
        texts["spine"] = "none: one tier"
        texts["core"] = "none"
        return texts
    if count.tiers == 2:
        total = f"{count.leaf // plane.subplanes:,} x {plane.uplinks} uplinks / {plane.spine.ports} ports"
        texts["spine"] = f"smallest divisor of {plane.uplinks} that is at least {total}{many}{over}"
        if plane.spine.fixed_count:
            texts["spine"] = f"{plane.spine.fixed_count} as dictated"
        texts["core"] = "none: two tiers reach"
        return texts
    if plane.layout == "leaf-groups":
        sets = "SUs x rails"
        texts["spine"] = f"{sets} x {plane.group_spines} spines of a leaf group{over}"
        fewest = plane.group_spines
    else:
        sets = "pods"
        texts["spine"] = f"ceil(leaves / {plane.pod_leaves}) pods x {plane.uplinks} spines{many}{over}"
        fewest = plane.uplinks
    ports = plane.core.ports if plane.core else 0
    least = f"{sets} x {plane.spine_uplinks} / {ports}"
    texts["core"] = f"{fewest} groups x smallest divisor of {plane.spine_uplinks} that is at least {least}{many}{over}"
    return texts


def _cabling(book: _Book, design: Design, totals: Totals) -> None:
    parts = [f"{n:,} {name}" for name, n in totals.cables.items() if n]
    book.add("cables", "assemblies (a splitter serves two links, 800G over 400G fibres takes two): " + " + ".join(parts), [])
    switch_ends = sum(c.modules for c in totals.counts.values())
    book.add(
        "optics",
        f"{totals.node_optics:,} in nodes + {switch_ends:,} in switches and service hosts",
        [(f"{p.name} node links", "fixed ends, no optics" if p.node_fixed_ends else "optics") for p in design.planes],
        f"system/{design.node.system} nics",
    )


def _each_w(run: SwitchRun) -> str:
    """What one switch of a run draws, for the reader."""
    return "0 W, in the power of their racks" if run.whole else f"{run.power_max_w:,.0f} W"


def _power(book: _Book, design: Design, totals: Totals) -> None:
    node, system = design.node, f"system/{design.node.system}"
    units = design.nodes // node.nodes_per_unit
    one = node.unit_power_max_w if node.units_are_racks else node.power_max_w
    what = "racks" if node.units_are_racks else "nodes"
    maxima = tuple(f"switch/{r.model} power_max_w" for r in totals.switches)
    inputs: Inputs = [(what, f"{units:,} x {one / 1000:g} kW = {totals.node_kw:,.1f} kW")]
    inputs += [(f"{r.plane} {r.role}", f"{r.count:,} x {_each_w(r)} ({r.model})") for r in totals.switches]
    stored = totals.storage
    inputs.append(("storage arrays", f"{stored.capacity_tb:,.0f} TB = {stored.power_kw:,.1f} kW"))
    watts = f"storage/{stored.tier} power_w_per_tb"
    key = "unit_power" if node.units_are_racks else "power"
    book.add(
        "power.it_kw",
        f"nameplate: {totals.node_kw:,.1f} + {totals.switch_kw:,.1f} switches + {stored.power_kw:,.1f} storage",
        inputs,
        f"{system} {key}_max_w",
        *maxima,
        watts,
    )
    book.add(
        "power.it_expected_kw",
        f"{totals.node_expected_kw:,.1f} + {totals.switch_expected_kw:,.1f} switches + {stored.power_kw:,.1f} storage",
        [],
        f"{system} {key}_expected_w",
        *(f"switch/{r.model} power_typical_w" for r in totals.switches),
        watts,
    )
    book.add(
        "power.facility_kw", f"{totals.it_kw:,.1f} kW x PUE {design.site.pue:g}", [("PUE", f"{design.site.pue:g}")],
        f"{system} {key}_max_w", *maxima, watts,
    )  # fmt: skip
    stated = design.requirement.site.pue is not None
    book.add("power.pue", "as stated" if stated else "assumed: upper half of the design range", [])


def _cooling(book: _Book, design: Design, totals: Totals) -> None:
    node, system = design.node, f"system/{design.node.system}"
    share = node.unit_liquid_fraction if node.units_are_racks else node.liquid_fraction
    key = "unit_heat_max_w" if node.units_are_racks else "heat_max_w"
    fraction = "unit_liquid_fraction" if node.units_are_racks else "liquid_fraction"
    cited = (f"{system} {key}", f"{system} {fraction}")
    warm = totals.node_heat_kw
    book.add(
        "cooling.liquid_kw", f"{warm:,.1f} kW of the nodes x {share:g}", [("heat of the nodes", f"{warm:,.1f} kW")], *cited
    )
    book.add(
        "cooling.air_kw",
        f"{warm:,.1f} kW x (1 - {share:g}) + {totals.switch_kw:,.1f} switches + {totals.storage.power_kw:,.1f} storage",
        [],
        *cited,
        *(f"switch/{r.model} power_max_w" for r in totals.switches),
    )
    supply = design.site.coolant_supply_c
    back = heat.return_c(supply, node.units_are_racks)
    text = f"{totals.liquid_kw:,.1f} kW / (density x heat capacity of PG25 x ({back:g} - {supply:g}) K)"
    book.add(
        "cooling.coolant_l_min",
        text if totals.liquid_kw else "none: air",
        [
            ("supply", f"{supply:g} °C"),
            ("return", f"{back:g} °C"),
            ("fluid", "25 vol% propylene glycol (CoolProp APG, ASHRAE)"),
        ],
        *cited,
    )
    book.add(
        "cooling.airflow_m3_h",
        f"nodes as published, {heat.AIR_RISE_K:g} K rise for everything else",
        [],
        f"{system} airflow_m3_h",
        f"{system} unit_airflow_m3_h",
    )
    made = totals.cdus
    book.add(
        "cooling.cdus",
        f"{made.needed} carry heat and flow, one spare" if made.total else "none: no liquid",
        [],
        "cooling/vertiv-xdu1350 capacity_kw",
        "cooling/vertiv-xdu1350 flow_l_min",
    )


def _storage(book: _Book, totals: Totals) -> None:
    stored = totals.storage
    part = f"storage/{stored.tier}"
    book.add("storage.read_gbytes_s", stored.read_text, [], f"{part} su_read_gbytes_s", f"{part} su_gpus")
    book.add("storage.write_gbytes_s", stored.write_text, [], f"{part} su_write_gbytes_s", f"{part} su_gpus")
    book.add("storage.capacity_tb", stored.capacity_text, [], f"{part} capacity_tb_per_gpu")
