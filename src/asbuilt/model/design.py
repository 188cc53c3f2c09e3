"""The resolved requirement and the logical answer. Parameters here; counts in `Sizing`; every object in the plan.

`Design` is what sizing (closed form) and the plan (expansion) both start from; they share nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from asbuilt.base.origin import Assumption, Citation
from asbuilt.model.design_cooling import CoolingDesign
from asbuilt.model.design_fibre import FibreDesign
from asbuilt.model.design_power import PowerDesign
from asbuilt.model.requirement import Requirement


@dataclass(frozen=True, slots=True)
class TierDesign:
    """A tier, resolved. ``ports`` is the usable port count of one switch at ``rate_gbps`` after splitting and reserves.

    The chassis has ``ports + reserved_ports`` ports at that rate; the reserved ones are the last.
    ``cages`` and ``ports_per_cage`` describe the front panel in use: ports_per_cage 2 means a twin-port cage (or a
    port split in two). ``asics`` is the number of switch ASICs (GUIDs) behind one chassis, ``aggregation`` that of SHARP
    aggregation nodes that answer beside them, each with LIDs of its own like a NIC port: one on a single-ASIC switch.
    """

    switch: str
    ports: int
    cages: int
    ports_per_cage: int
    rate_gbps: float
    reserved_ports: int = 0
    asics: int = 1
    spares: int = 0
    fixed_count: int | None = None
    names: str = ""
    aggregation: int = 0


@dataclass(frozen=True, slots=True)
class PlaneDesign:
    """One plane, resolved to parameters without counts.

    layout ``rail-optimised``: leaf (block b, rail r) serves rail r of the b-th group of ``nodes_per_leaf`` nodes.
    ``leaf-groups``: the same, but each rail of an SU has its own ``group_spines`` spines, joined by cores (NVL72 NDR).
    ``fat-tree``: a leaf serves all ``rails`` ports of its ``nodes_per_leaf`` nodes (leaf pairs when ``rails_across``).
    ``uplinks`` per leaf is fixed (full), so that growth inside a block adds no switch-to-switch cable.
    ``pod_leaves`` leaves share the spines of a pod when a third tier is needed. ``island_nodes`` nodes at most share
    one subnet or fabric; beyond it further islands are built.

    Ports of a leaf, in units of the link rate: node slot s of local rail j sits at ``j * nodes_per_leaf + s + 1``; the rails
    of planes that share these switches (``shared_rails`` per leaf) follow as further local rails; then the uplinks, each
    taking ``uplink_units`` port numbers (2 where a 400G uplink sits on a leaf split to 200G) and named by the first of them.
    Links to service hosts, at most ``service_ports`` per island and subplane, go round-robin over the leaves of the island's
    last block: first on ports behind the uplinks, then on free node slots from the last slot and the last rail backwards;
    what finds no port there is not planned. ``service_unplaced`` more, which the fabric profile has and nobody asked for,
    are known to find none and are not part of ``service_ports``. With ``service_at`` spine they go round-robin over the
    island's spines, behind the ports of the leaves. A plane with ``share`` and ``share_tier`` leaf has no switches of its
    own: its rail r lands on leaf ``r % leaves per block`` of the host plane, as far as own rails and uplinks leave ports.
    With ``share_tier`` spine it has leaves, and its uplink j goes to spine ``j % spines`` of the host plane, whose spines
    take the guests' leaves (``guest_uplinks`` links in all, planes in order) behind their own; only two-tier fabrics are
    planned so. ``spine`` None: leaves stand alone, above them is the site's own.
    Spine and core ports are filled from 1 without gaps in the order of the tier below; a spine's uplinks start behind the
    ports kept for a full pod (``pod_leaves``) or group. ``node_fixed_ends`` / ``switch_fixed_ends``: these links are cables
    with fixed ends (copper, AOC), so that no transceiver is counted for them.
    """

    name: str
    technology: str
    layout: str
    nodes: int
    rails: int
    subplanes: int
    link_gbps: float
    uplink_gbps: float
    nodes_per_leaf: int
    rails_per_leaf: int
    uplinks: int
    spine_uplinks: int
    leaf: TierDesign
    spine: TierDesign | None
    core: TierDesign | None
    pod_leaves: int
    su_nodes: int
    group_spines: int
    island_nodes: int
    share: str | None
    separation: str
    subnet: str
    pkey: int | None
    lmc: int
    service_ports: int
    nic: str
    oversubscription: float
    spine_oversubscription: float = 1.0
    uplink_units: int = 1
    shared_rails: int = 0
    node_fixed_ends: bool = False
    switch_fixed_ends: bool = False
    share_tier: str = "leaf"
    service_at: str = "leaf"
    guest_uplinks: int = 0
    service_unplaced: int = 0

    @property
    def leaves_per_block(self) -> int:
        """Leaves (of one subplane) that serve one block of ``nodes_per_leaf`` nodes."""
        return -(-self.rails // self.rails_per_leaf)


@dataclass(frozen=True, slots=True)
class NicPortDesign:
    """One NIC port of every node: device name, card, plane, rail, subplane, socket, link layer, cage position."""

    name: str
    part: str
    plane: str
    rail: int
    socket: int
    link_type: str
    cage: str
    rate_gbps: float
    subplane: int = 0


@dataclass(frozen=True, slots=True)
class NodeDesign:
    """Inside every node (or NVL72 compute tray): GPUs with socket and rail, NIC ports with plane, rail and socket."""

    system: str
    gpus_per_node: int
    nodes_per_unit: int
    gpu_model: str
    gpu_sockets: tuple[int, ...]
    gpu_rails: tuple[int, ...]
    nics: tuple[NicPortDesign, ...]
    height_u: float
    weight_kg: float | None
    power_max_w: float
    power_expected_w: float
    heat_max_w: float
    liquid_fraction: float
    airflow_m3_h: float | None
    psus: int
    psu_w: float
    psus_needed: int
    unit_power_max_w: float = 0.0
    unit_power_expected_w: float = 0.0
    unit_heat_max_w: float = 0.0
    unit_liquid_fraction: float = 0.0
    unit_weight_kg: float | None = None
    unit_airflow_m3_h: float | None = None
    nvlink_domain_gpus: int = 0
    power_cap_w: float | None = None
    management_switches: int = 0
    management_switch: str = ""

    def built_in(self, plane: PlaneDesign) -> int:
        """Out-of-band leaves that come in each rack of a rack-scale system: the first of those that serve the rack.

        They are in the rack's own height, power and weight. 0 where the plane has other switches, or blocks that do not
        divide a rack.
        """
        same = plane.name == "oob" and plane.leaf.switch == self.management_switch and plane.leaves_per_block == 1
        if not self.units_are_racks or not same or self.nodes_per_unit % plane.nodes_per_leaf:
            return 0
        return min(self.management_switches, self.nodes_per_unit // plane.nodes_per_leaf)

    @property
    def units_are_racks(self) -> bool:
        """True for rack-scale systems: power, heat and weight are those of the whole rack (``unit_...``)."""
        return self.nodes_per_unit > 1


@dataclass(frozen=True, slots=True)
class SiteDesign:
    """The building, resolved; the same fields as the requirement's ``site`` with every default chosen."""

    rack_height_u: int
    rack_power_kw: float
    rack_weight_kg: float
    rack_width_mm: float
    rack_depth_mm: float
    nodes_per_rack: int
    racks_per_row: int
    aisle_mm: float
    tray_height_mm: float
    slack_m: float
    power_mw: float | None
    pue: float
    cooling: str
    coolant_supply_c: float
    air_inlet_c: float
    feeds: int
    cords: tuple[str, ...]
    airflow: str
    switch_u_per_rack: int = 20
    switch_ports_face: str = "hot"
    rack_part: str = ""
    rack_own_weight_kg: float | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """The resolved requirement. ``nodes`` are servers, or compute trays of NVL72 racks (``nodes_per_unit`` a rack)."""

    requirement: Requirement
    gpus: int
    nodes: int
    node: NodeDesign
    planes: tuple[PlaneDesign, ...]
    site: SiteDesign
    power: PowerDesign
    cooling: CoolingDesign
    fibre: FibreDesign
    assumptions: tuple[Assumption, ...] = ()
    citations: tuple[Citation, ...] = ()
    warnings: tuple[str, ...] = ()
    profile: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    def plane(self, name: str) -> PlaneDesign | None:
        """The plane called ``name``, or None."""
        return next((p for p in self.planes if p.name == name), None)


@dataclass(frozen=True, slots=True)
class TierCounts:
    leaf: int = 0
    spine: int = 0
    core: int = 0

    @property
    def total(self) -> int:
        return self.leaf + self.spine + self.core


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Electrical links of the compute plane, all subplanes and islands summed; ``service`` are UFM and SM host links."""

    node_leaf: int = 0
    leaf_spine: int = 0
    spine_core: int = 0
    service: int = 0


@dataclass(frozen=True, slots=True)
class Sizing:
    """The object of ``asbuilt size`` and ``asbuilt plan --json``; see `design/sizing.py` for every formula.

    ``derivation`` maps a dotted path of the JSON object to ``formula``, ``inputs`` (name and value pairs), ``sources`` and the
    lowest ``confidence``. ``limits`` have ``id what at_gpus now text source``: the size at which the answer changes character
    (``at_gpus`` None: not a matter of size) and whether this size is past it. ``planes``: switches, models and links by plane.
    """

    system: str
    fabric: str
    gpus_asked: int
    gpus: int
    nodes: int
    racks: int
    racks_by_role: dict[str, int]
    nvlink_domains: int
    compute: TierCounts
    storage_switches: int
    frontend_switches: int
    management_switches: int
    oob_switches: int
    links: LinkCounts
    cables: int
    optics: int
    islands: int
    it_kw: float
    it_expected_kw: float
    facility_kw: float
    pue: float
    liquid_kw: float
    air_kw: float
    coolant_l_min: float
    airflow_m3_h: float
    cdus: int
    weight_kg: float
    rack_kw_max: float
    storage_read_gbytes_s: float
    storage_write_gbytes_s: float
    storage_capacity_tb: float
    limits: tuple[dict[str, Any], ...] = ()
    assumptions: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
    sources: tuple[dict[str, Any], ...] = ()
    derivation: dict[str, Any] = field(default_factory=dict)
    planes: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def switches_total(self) -> int:
        return (
            self.compute.total + self.storage_switches + self.frontend_switches + self.management_switches + self.oob_switches
        )

    def as_json(self) -> dict[str, Any]:
        """The documented JSON object, schema ``sizing/v1``."""
        compute = {"leaf": self.compute.leaf, "spine": self.compute.spine, "core": self.compute.core}
        return {
            "schema": "sizing/v1",
            "system": self.system,
            "fabric": self.fabric,
            "gpus_asked": self.gpus_asked,
            "gpus": self.gpus,
            "nodes": self.nodes,
            "racks": self.racks,
            "racks_by_role": self.racks_by_role,
            "nvlink_domains": self.nvlink_domains,
            "switches": {
                "compute": {**compute, "total": self.compute.total},
                "storage": self.storage_switches,
                "frontend": self.frontend_switches,
                "management": self.management_switches,
                "oob": self.oob_switches,
                "total": self.switches_total,
            },
            "links": {
                "node_leaf": self.links.node_leaf,
                "leaf_spine": self.links.leaf_spine,
                "spine_core": self.links.spine_core,
                "service": self.links.service,
            },
            "cables": self.cables,
            "optics": self.optics,
            "islands": self.islands,
            "power": {
                "it_kw": self.it_kw,
                "it_expected_kw": self.it_expected_kw,
                "facility_kw": self.facility_kw,
                "pue": self.pue,
            },
            "cooling": {
                "liquid_kw": self.liquid_kw,
                "air_kw": self.air_kw,
                "coolant_l_min": self.coolant_l_min,
                "airflow_m3_h": self.airflow_m3_h,
                "cdus": self.cdus,
            },
            "weight_kg": self.weight_kg,
            "rack_kw_max": self.rack_kw_max,
            "storage": {
                "read_gbytes_s": self.storage_read_gbytes_s,
                "write_gbytes_s": self.storage_write_gbytes_s,
                "capacity_tb": self.storage_capacity_tb,
            },
            "limits": list(self.limits),
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
            "sources": list(self.sources),
            "derivation": self.derivation,
            "planes": self.planes,
        }
