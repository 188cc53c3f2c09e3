"""Everything that a sizing is made of: counts by plane, switches by model, racks, power, heat, weight."""

from __future__ import annotations

from dataclasses import dataclass, replace

from asbuilt.design import racks as rack_rules
from asbuilt.design.assemblies import assemblies
from asbuilt.design.fabric import FabricCounts, count_plane
from asbuilt.design.heat import Cdus, air_m3_h, cdus, coolant_l_min, return_c
from asbuilt.design.ledger import Ledger
from asbuilt.design.storage import Storage, storage_of
from asbuilt.model.design import Design, PlaneDesign

CDU = "vertiv-xdu1350"
SERVICE_HOST = "ufm-appliance-ndr"


@dataclass(frozen=True, slots=True)
class SwitchRun:
    """Equal switches of one tier of one plane, with what one of them takes. Powers in W, weight in kg.

    Switches that are built into the racks of the system take nothing beside these; ``whole`` is what one takes alone.
    """

    plane: str
    role: str
    model: str
    count: int
    height_u: float
    power_max_w: float
    power_typical_w: float
    liquid_fraction: float
    weight_kg: float | None
    whole: SwitchRun | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Everything that the answer is made of, before rounding. kW, kg, m³/h, L/min."""

    counts: dict[str, FabricCounts]
    switches: tuple[SwitchRun, ...]
    racks_by_role: dict[str, int]
    storage: Storage
    node_kw: float
    node_expected_kw: float
    switch_kw: float
    switch_expected_kw: float
    node_heat_kw: float
    liquid_kw: float
    air_kw: float
    coolant: float
    airflow: float
    cdus: Cdus
    weight_kg: float
    rack_kw_max: float
    rack_kg: float | None
    node_optics: int
    cables: dict[str, int]
    rack_peak_kw: float | None = None

    @property
    def it_kw(self) -> float:
        return self.node_kw + self.switch_kw + self.storage.power_kw

    @property
    def expected_kw(self) -> float:
        return self.node_expected_kw + self.switch_expected_kw + self.storage.power_kw


def total(design: Design, ledger: Ledger) -> Totals:
    """Counts, racks, power, heat and weight of ``design``; catalogue figures are cited in ``ledger``."""
    counts = {plane.name: count_plane(plane, design.planes) for plane in design.planes}
    runs = tuple(run for plane in design.planes for run in _runs(ledger, plane, counts[plane.name], design))
    stored = storage_of(design, ledger)
    node, units = design.node, design.nodes // design.node.nodes_per_unit
    rack_scale = node.units_are_racks
    node_kw = (units * node.unit_power_max_w if rack_scale else design.nodes * node.power_max_w) / 1000
    expected_kw = (units * node.unit_power_expected_w if rack_scale else design.nodes * node.power_expected_w) / 1000
    heat_kw = (units * node.unit_heat_max_w if rack_scale else design.nodes * node.heat_max_w) / 1000
    share = node.unit_liquid_fraction if rack_scale else node.liquid_fraction
    switch_kw = sum(r.count * r.power_max_w for r in runs) / 1000
    switch_liquid = sum(r.count * r.power_max_w * r.liquid_fraction for r in runs) / 1000
    liquid_kw = heat_kw * share + switch_liquid
    air_kw = heat_kw * (1 - share) + switch_kw - switch_liquid + stored.power_kw
    supply = design.site.coolant_supply_c
    flow = coolant_l_min(liquid_kw, supply, return_c(supply, rack_scale)) if liquid_kw else 0.0
    host, host_kg = _service_host(ledger)
    packing = rack_rules.pack(_devices(design, runs, counts, host), design.site)
    by_role = {
        "compute": rack_rules.compute_racks(design),
        "network": packing.racks,
        "management": rack_rules.management_racks(design),
        "storage": rack_rules.storage_racks(stored.power_kw),
    }
    per_rack = node.nodes_per_unit if rack_scale else min(design.site.nodes_per_rack, design.nodes)
    rack_kw = node.unit_power_max_w / 1000 if rack_scale else per_rack * node.power_max_w / 1000
    rack_kg, weight = _weight(design, runs, by_role, per_rack)
    weight += (host_kg or 0.0) * sum(c.service for c in counts.values())
    weight += sum((r.weight_kg or 0.0) * n for r, n in _spare_runs(design, runs))
    return Totals(
        counts=counts,
        switches=runs,
        racks_by_role=by_role,
        storage=stored,
        node_kw=node_kw,
        node_expected_kw=expected_kw,
        switch_kw=switch_kw,
        switch_expected_kw=sum(r.count * r.power_typical_w for r in runs) / 1000,
        node_heat_kw=heat_kw,
        liquid_kw=liquid_kw,
        air_kw=air_kw,
        coolant=flow,
        airflow=_airflow(design, units, air_kw, heat_kw * (1 - share)),
        cdus=_cdus(ledger, liquid_kw, flow),
        weight_kg=weight,
        rack_kw_max=max(rack_kw, packing.fullest_kw, stored.power_kw / max(1, by_role["storage"])),
        rack_kg=rack_kg,
        node_optics=_node_optics(design, counts),
        cables=assemblies(design, ledger.catalogue, counts),
        rack_peak_kw=_peak_kw(design, ledger, per_rack),
    )


def _peak_kw(design: Design, ledger: Ledger, per_rack: int) -> float | None:
    """Short peak of a full rack of nodes in kW, where the maker states one."""
    part = ledger.catalogue.get("system", design.node.system)
    whole = design.node.units_are_racks
    peak = ledger.figure(part, "unit_power_peak_w" if whole else "power_peak_w")
    return None if peak is None else float(peak) * (1 if whole else per_rack) / 1000


def _runs(ledger: Ledger, plane: PlaneDesign, count: FabricCounts, design: Design) -> list[SwitchRun]:
    found = []
    built_in = design.node.built_in(plane) * (design.nodes // design.node.nodes_per_unit)
    tiers = (("leaf", plane.leaf, count.leaf), ("spine", plane.spine, count.spine), ("core", plane.core, count.core))
    for role, tier, number in tiers:
        if tier is None or not number:
            continue
        part = ledger.catalogue.get("switch", tier.switch)
        most = float(ledger.figure(part, "power_max_w", 0.0) or 0.0)
        weight = ledger.figure(part, "weight_kg")
        found.append(
            SwitchRun(
                plane=plane.name,
                role=role,
                model=tier.switch,
                count=number,
                height_u=float(ledger.figure(part, "height_u", 1.0)),
                power_max_w=most,
                power_typical_w=float(ledger.figure(part, "power_typical_w", most)),
                liquid_fraction=float(ledger.figure(part, "heat_liquid_fraction", 0.0)),
                weight_kg=None if weight is None else float(weight),
            )
        )
    if not built_in:
        return found
    leaf, *above = found
    outside = [replace(leaf, count=leaf.count - built_in)] if leaf.count > built_in else []
    inside = SwitchRun(plane.name, leaf.role, leaf.model, built_in, 0.0, 0.0, 0.0, 0.0, 0.0, whole=leaf)
    return [*outside, inside, *above]


def _devices(
    design: Design, runs: tuple[SwitchRun, ...], counts: dict[str, FabricCounts], host: rack_rules.Device
) -> list[tuple[rack_rules.Device, int]]:
    """What network racks hold, in order: switches by plane and tier, service hosts, cold spares (which draw nothing, but
    keep their place and power for the day when they stand in)."""
    devices = [(_device(r), r.count) for r in runs if r.whole is None]
    devices.append((host, sum(c.service for c in counts.values())))
    devices += [(_device(r, live=False), count) for r, count in _spare_runs(design, runs)]
    return [d for d in devices if d[1]]


def _device(run: SwitchRun, live: bool = True) -> rack_rules.Device:
    return rack_rules.Device(run.height_u, run.power_max_w, run.weight_kg or 0.0, live)


def _spare_runs(design: Design, runs: tuple[SwitchRun, ...]) -> list[tuple[SwitchRun, int]]:
    """Cold spares by plane and tier: like which switch, and how many."""
    found = []
    for plane in design.planes:
        if plane.share and plane.share_tier == "leaf":
            continue
        for tier in (plane.leaf, plane.spine, plane.core):
            like = next((r for r in runs if tier is not None and r.model == tier.switch), None)
            if tier is not None and tier.spares and like is not None:
                found.append((like.whole or like, tier.spares))
    return found


def _node_optics(design: Design, counts: dict[str, FabricCounts]) -> int:
    """Transceivers in nodes: cages whose links are planned and are not cables with fixed ends.

    Where a plane's links find no port on the leaves that it shares, only the share of its cages that do is counted.
    """
    planes = {p.name: p for p in design.planes}
    cages: dict[str, set[str]] = {}
    for nic in design.node.nics:
        cages.setdefault(nic.plane, set()).add(nic.cage)
    whole: set[str] = set()
    partial = 0
    for name, found in cages.items():
        plane = planes.get(name)
        if plane is None or plane.node_fixed_ends:
            continue
        links, wanted = counts[name].node_leaf, plane.nodes * plane.rails * plane.subplanes
        if links == wanted:
            whole |= found
        else:
            partial += links * len(found) // (plane.rails * plane.subplanes)
    return design.nodes * len(whole) + partial


def _service_host(ledger: Ledger) -> tuple[rack_rules.Device, float | None]:
    """What a fabric service host takes of a rack, and its weight in kg: the UFM appliance's figures."""
    if not ledger.catalogue.has("switch", SERVICE_HOST):
        return rack_rules.Device(1.0, 0.0, 0.0), None
    part = ledger.catalogue.get("switch", SERVICE_HOST)
    weight = ledger.figure(part, "weight_kg")
    height, power = float(ledger.figure(part, "height_u", 1.0)), float(ledger.figure(part, "power_max_w", 0.0))
    return rack_rules.Device(height, power, float(weight or 0.0)), weight


def _weight(design: Design, runs: tuple[SwitchRun, ...], by_role: dict[str, int], per_rack: int) -> tuple[float | None, float]:
    """(weight of a full rack of nodes or None, weight of everything whose weight is known) in kg."""
    node, own = design.node, design.site.rack_own_weight_kg or 0.0
    if node.units_are_racks:
        one, nodes = node.unit_weight_kg, by_role["compute"] * (node.unit_weight_kg or 0.0)
        frames = sum(count for role, count in by_role.items() if role != "compute") * own
    else:
        one = None if node.weight_kg is None else per_rack * node.weight_kg + own
        nodes = design.nodes * (node.weight_kg or 0.0)
        frames = sum(by_role.values()) * own
    return one, nodes + sum(r.count * (r.weight_kg or 0.0) for r in runs) + frames


def _airflow(design: Design, units: int, air_kw: float, node_air_kw: float) -> float:
    """Air of the nodes as published, of everything else from its heat."""
    node = design.node
    published = node.unit_airflow_m3_h if node.units_are_racks else node.airflow_m3_h
    if published is None:
        return air_m3_h(air_kw)
    return float(published) * (units if node.units_are_racks else design.nodes) + air_m3_h(max(0.0, air_kw - node_air_kw))


def _cdus(ledger: Ledger, liquid_kw: float, flow: float) -> Cdus:
    if liquid_kw <= 0 or not ledger.catalogue.has("cooling", CDU):
        return Cdus(0, 0)
    part = ledger.catalogue.get("cooling", CDU)
    return cdus(liquid_kw, flow, float(ledger.figure(part, "capacity_kw")), float(ledger.figure(part, "flow_l_min")))
