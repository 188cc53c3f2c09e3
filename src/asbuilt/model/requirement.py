"""What is asked: the decoded `cluster.yaml`. ``None`` means "not stated"; `design` chooses and records it as assumed.

Every field carries its meaning and unit in ``metadata``; the JSON Schema, the decoder and the reference page are made from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asbuilt.model.requirement_cooling import Cooling
from asbuilt.model.requirement_fibre import Fibre
from asbuilt.model.requirement_field import NAME as NAME
from asbuilt.model.requirement_field import spec
from asbuilt.model.requirement_nodes import Nodes
from asbuilt.model.requirement_power import Power
from asbuilt.model.requirement_software import LOCK

#: A node by its display name or its natural key (`svc:compute-0`).
HOST = r"^[A-Za-z0-9]([A-Za-z0-9._:-]{0,62})$"
TECHNOLOGIES = ("infiniband", "ethernet")
LAYOUTS = ("rail-optimised", "leaf-groups", "fat-tree")
SEPARATIONS = ("physical", "partition", "none")
PLANE_NAMES = ("compute", "storage", "frontend", "management", "oob")
POOLS = (*PLANE_NAMES, "switches", "loopback")
_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
CIDR = rf"^{_OCTET}(\.{_OCTET}){{3}}/([89]|[12][0-9]|30)$"
#: RFC 1123: labels of letters, digits and hyphens, joined by dots.
DOMAIN = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$"


@dataclass(frozen=True, slots=True)
class Growth:
    gpus: int | None = spec("GPU count that the site must reach without recabling", unit="GPUs", least=8, most=1_048_576)
    node_slots: int | None = spec(
        "further nodes that must find ports on the compute leaves that are built now", unit="nodes", least=0, most=512
    )


@dataclass(frozen=True, slots=True)
class Workload:
    kind: str | None = spec("what the cluster mostly does", choices=("collective", "io", "serving", "mixed"))
    model_parameters_b: float | None = spec("parameters of the largest model", unit="10^9", least=0, most=100_000)
    checkpoint_bytes_per_parameter: float | None = spec("state saved per parameter", unit="bytes", least=1, most=64)
    checkpoint_interval_min: float | None = spec("time between checkpoints", unit="min", least=1, most=10_080)
    checkpoint_write_max_s: float | None = spec("longest time a checkpoint may take to write", unit="s", least=1, most=86_400)
    model_load_max_s: float | None = spec("longest time to load the model from storage", unit="s", least=1, most=86_400)
    storage_tier: str | None = spec(
        "storage performance class of the reference architecture", choices=("good", "better", "best")
    )


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier of switches of a plane."""

    switch: str | None = spec("catalogue id of the switch", pattern=NAME)
    split: bool | None = spec("ports are split to the link rate (false: one link a port, whatever its rate)")
    uplinks: int | None = spec("links of one switch to the tier above", least=0, most=1024)
    count: int | None = spec("switches of this tier, where the count is dictated rather than computed", least=0, most=100_000)
    reserved_ports: int | None = spec("ports of each switch kept free (services, growth)", least=0, most=512)
    spares: int | None = spec("cold-spare switches in stock", least=0, most=1000)
    names: str | None = spec("display-name template, fields: plane subplane rail block pod index rack island", longest=128)


@dataclass(frozen=True, slots=True)
class Roce:
    """RDMA over Ethernet on one plane: what every hop must agree on. What is not stated is NVIDIA's published default."""

    enabled: bool | None = spec("the Ethernet plane carries RDMA (false: nothing is planned for it)")
    priority: int | None = spec("lossless priority of RDMA traffic", least=0, most=7)
    dscp: int | None = spec("code point of RDMA traffic", least=0, most=63)
    cnp_priority: int | None = spec("priority of congestion notification packets", least=0, most=7)
    cnp_dscp: int | None = spec("code point of congestion notification packets", least=0, most=63)
    mtu_bytes: int | None = spec("MTU of every interface, as IP packet", unit="bytes", least=576, most=9978)
    rdma_mtu_bytes: int | None = spec("MTU of RDMA messages (256, 512, 1024, 2048 or 4096)", unit="bytes", least=256, most=4096)
    ecn_min_kb: int | None = spec("queue length at which congestion is first marked", unit="kB", least=1, most=100_000)
    ecn_max_kb: int | None = spec("queue length from which marking has its full probability", unit="kB", least=1, most=100_000)
    ecn_probability: int | None = spec("marking probability at ecn_max_kb", unit="%", least=1, most=100)
    ecn_by_rate: bool | None = spec("ecn_min_kb and ecn_max_kb hold at 100 Gb/s and grow with the rate of the port")
    weight: int | None = spec("share of the bandwidth that RDMA traffic is sure of", unit="%", least=1, most=99)
    switch_os: str | None = spec("whose settings the switches take", choices=("cumulus", "sonic"))


@dataclass(frozen=True, slots=True)
class Plane:
    """One network plane. ``share`` names the plane whose switches it uses."""

    technology: str | None = spec("link layer", choices=TECHNOLOGIES)
    layout: str | None = spec("how nodes meet leaves", choices=LAYOUTS)
    rails: int | None = spec(
        "ports of one node in one subplane; each is a rail when the layout is rail-optimised", least=1, most=16
    )
    subplanes: int | None = spec("independent parallel fabrics (dual-plane: 2)", least=1, most=4)
    link_gbps: float | None = spec("rate of a node link", unit="Gb/s", least=0.1, most=3200)
    uplink_gbps: float | None = spec("rate of a link between switches", unit="Gb/s", least=0.1, most=3200)
    nic: str | None = spec("catalogue id of the NIC that carries the node links", pattern=NAME)
    nodes_per_leaf: int | None = spec("node slots of one leaf", least=1, most=512)
    leaf: Tier = field(default_factory=Tier, metadata={"meaning": "the switches that nodes plug into"})
    spine: Tier = field(default_factory=Tier, metadata={"meaning": "the switches above the leaves"})
    core: Tier = field(default_factory=Tier, metadata={"meaning": "the switches above the spines"})
    oversubscription: float | None = spec("leaf downlink to uplink bandwidth promised", unit="ratio", least=1, most=32)
    spine_oversubscription: float | None = spec("spine downlink to uplink bandwidth promised", unit="ratio", least=1, most=32)
    share: str | None = spec("plane whose switches this plane uses", choices=PLANE_NAMES)
    share_tier: str | None = spec(
        "lowest tier that is shared; spine: own leaves, joined to the spines of the shared plane", choices=("leaf", "spine")
    )
    separation: str | None = spec("how the plane is kept apart from the others", choices=SEPARATIONS)
    subnet: str | None = spec("name of the subnet", pattern=NAME)
    pkey: int | None = spec("InfiniBand partition key without the membership bit", least=1, most=0x7FFF)
    lmc: int | None = spec("LID mask control", least=0, most=7)
    service_ports: int | None = spec("ports for fabric services: UFM, subnet manager hosts", least=0, most=64)
    service_at: str | None = spec("tier that the service ports are taken from", choices=("leaf", "spine"))
    roce: Roce | None = field(default=None, metadata={"meaning": "RDMA over Ethernet"})


@dataclass(frozen=True, slots=True)
class Planes:
    compute: Plane | None = field(default=None, metadata={"meaning": "GPU to GPU"})
    storage: Plane | None = field(default=None, metadata={"meaning": "nodes to storage"})
    frontend: Plane | None = field(default=None, metadata={"meaning": "users, provisioning, in-band"})
    management: Plane | None = field(default=None, metadata={"meaning": "in-band management, where it is not the frontend"})
    oob: Plane | None = field(default=None, metadata={"meaning": "BMCs, switch management ports, PDUs"})


@dataclass(frozen=True, slots=True)
class NicPort:
    """One NIC function of the node, as the owner ordered it."""

    plane: str = spec("plane that the port serves", choices=PLANE_NAMES, required=True, default="")
    part: str = spec("catalogue id of the card", pattern=NAME, required=True, default="")
    rail: int = spec("rail within the plane, from 0", least=0, most=15, default=0)
    socket: int | None = spec("CPU socket that the slot hangs on", least=0, most=7)
    link_type: str | None = spec("link layer that the port is to run", choices=TECHNOLOGIES)
    name: str | None = spec("device name on the node (mlx5_0)", pattern=NAME)


@dataclass(frozen=True, slots=True)
class NodeMap:
    """The GPU to NIC to socket to rail map, where it differs from the catalogue's."""

    gpu_sockets: tuple[int, ...] | None = spec("CPU socket of each GPU, in GPU order", least=0, most=7, shortest=1, longest=16)
    gpu_rails: tuple[int, ...] | None = spec("compute rail of each GPU, in GPU order", least=0, most=15, shortest=1, longest=16)
    nics: tuple[NicPort, ...] | None = spec("NIC ports of the node, in PCI order", shortest=1, longest=64)
    power_cap_w: float | None = spec("power cap set on a node, or on an NVL72 rack", unit="W", least=100, most=1_000_000)


@dataclass(frozen=True, slots=True)
class Site:
    """The building: what a rack may hold, how rows lie, what power and cooling there is."""

    rack_height_u: int | None = spec("usable height of a rack", unit="U", least=10, most=60)
    rack_power_kw: float | None = spec("power one rack may draw", unit="kW", least=1, most=1000)
    rack_weight_kg: float | None = spec("static load one rack position may carry", unit="kg", least=100, most=10_000)
    rack_width_mm: float | None = spec("width of a rack", unit="mm", least=400, most=1200)
    rack_depth_mm: float | None = spec("depth of a rack", unit="mm", least=600, most=1600)
    nodes_per_rack: int | None = spec("nodes placed in one rack", least=1, most=72)
    racks_per_row: int | None = spec("racks side by side in one row", least=1, most=200)
    aisle_mm: float | None = spec("width of an aisle between rows", unit="mm", least=600, most=6000)
    tray_height_mm: float | None = spec("height of the cable trays above the floor", unit="mm", least=1500, most=10_000)
    slack_m: float | None = spec("service slack added to every cable", unit="m", least=0, most=20)
    power_mw: float | None = spec("power of the site for IT and cooling", unit="MW", least=0.001, most=100_000)
    pue: float | None = spec("facility power over IT power", unit="ratio", least=1, most=3)
    cooling: str | None = spec("what the hall can cool", choices=("air", "liquid", "mixed"))
    coolant_supply_c: float | None = spec("facility coolant supply temperature", unit="°C", least=5, most=50)
    air_inlet_c: float | None = spec("air temperature at the rack inlet", unit="°C", least=5, most=45)
    feeds: int | None = spec("independent power feeds at each rack", least=1, most=4)
    cords: tuple[str, ...] | None = spec(
        "feed of each power cord of a node, in PSU order (A, A, A, B, B, B)", pattern=r"^[A-D]$", shortest=1, longest=32
    )
    airflow: str | None = spec("direction of switch air as ordered", choices=("port-to-connector", "connector-to-port"))
    switch_ports_face: str | None = spec("aisle that the port side of the switches faces", choices=("cold", "hot"))


@dataclass(frozen=True, slots=True)
class BuildPhase:
    name: str = spec("name of the build phase", pattern=NAME, required=True, default="")
    gpus: int = spec("GPUs that stand when this phase is done", unit="GPUs", least=1, most=1_048_576, required=True, default=0)


@dataclass(frozen=True, slots=True)
class Cabling:
    prefer: str | None = spec("medium where several reach", choices=("copper", "multimode", "single-mode", "aoc"))
    node_link: str | None = spec("catalogue id of the optic or cable for node links", pattern=NAME)
    switch_link: str | None = spec("catalogue id of the optic or cable for links between switches", pattern=NAME)
    polish: str | None = spec("ferrule polish of the jumpers as ordered", choices=("apc", "upc"))
    spare_percent: float | None = spec("spare cables and optics", unit="%", least=0, most=50)


@dataclass(frozen=True, slots=True)
class LidRange:
    """A declared range of unicast LIDs."""

    first: int | None = spec("first LID of the range", least=1, most=0xBFFF)
    last: int | None = spec("last LID of the range", least=1, most=0xBFFF)


@dataclass(frozen=True, slots=True)
class LidRanges:
    """Ranges of unicast LIDs by role, where the owner dictates them."""

    service: LidRange | None = field(default=None, metadata={"meaning": "hosts of the subnet manager and of UFM"})
    leaf: LidRange | None = field(default=None, metadata={"meaning": "leaf switches"})
    spine: LidRange | None = field(default=None, metadata={"meaning": "spine switches"})
    core: LidRange | None = field(default=None, metadata={"meaning": "core switches"})
    aggregation: LidRange | None = field(default=None, metadata={"meaning": "SHARP aggregation nodes"})
    node: LidRange | None = field(default=None, metadata={"meaning": "NIC ports of the nodes"})


@dataclass(frozen=True, slots=True)
class PlaneLane:
    """How the traffic of one plane is told apart on the wire."""

    service_level: int | None = spec("service level of the plane's partition", least=0, most=14)
    virtual_lane: int | None = spec("virtual lane that the service level maps to", least=0, most=14)
    weight: int | None = spec("weight of the lane in the high-priority table", unit="64 bytes", least=0, most=255)
    low_weight: int | None = spec("weight of the lane in the low-priority table", unit="64 bytes", least=0, most=255)


@dataclass(frozen=True, slots=True)
class PlaneLanes:
    """Lanes by plane."""

    compute: PlaneLane | None = field(default=None, metadata={"meaning": "lane of the compute plane"})
    storage: PlaneLane | None = field(default=None, metadata={"meaning": "lane of the storage plane"})
    frontend: PlaneLane | None = field(default=None, metadata={"meaning": "lane of the frontend plane"})
    management: PlaneLane | None = field(default=None, metadata={"meaning": "lane of the management plane"})


@dataclass(frozen=True, slots=True)
class Subnet:
    """One InfiniBand subnet: what its subnet manager is told."""

    lmc: int | None = spec("LID mask control of every NIC port", least=0, most=7)
    routing_engine: str | None = spec("routing engine", choices=("ftree", "updn", "minhop"))
    sm_hosts: tuple[str, ...] | None = spec(
        "hosts of the subnet manager, the master first (node id or name)", pattern=HOST, shortest=1, longest=8
    )
    sm_priorities: tuple[int, ...] | None = spec(
        "priority of each subnet manager, in the order of sm_hosts", least=0, most=15, shortest=1, longest=8
    )
    lid_ranges: LidRanges = field(default_factory=LidRanges, metadata={"meaning": "ranges of LIDs, where they are dictated"})
    qos: bool | None = spec("service levels and virtual lanes are set up (false: everything travels on service level 0)")
    lanes: PlaneLanes = field(default_factory=PlaneLanes, metadata={"meaning": "service level and lane of each plane"})
    max_vls: int | None = spec("virtual lanes in operation on every port (1, 2, 4, 8 or 15)", least=1, most=15)
    high_limit: int | None = spec(
        "bytes of high priority before a low-priority packet may go", unit="4096 bytes", least=0, most=255
    )
    mtu_bytes: int | None = spec(
        "MTU of the broadcast groups (256, 512, 1024, 2048 or 4096)", unit="bytes", least=256, most=4096
    )
    sharp: bool | None = spec("in-network reduction (SHARP) is used, where every switch can")
    adaptive_routing: bool | None = spec("adaptive routing is used, where every switch can")
    polling_timeout_ms: int | None = spec(
        "time between two looks of the standby at the master", unit="ms", least=100, most=600_000
    )
    polling_retries: int | None = spec("unanswered looks after which the master counts as dead", least=1, most=100)
    sweep_interval_s: int | None = spec("time between two light sweeps of the master", unit="s", least=0, most=3600)


@dataclass(frozen=True, slots=True)
class Tenant:
    """A group of nodes that is kept apart by a partition key of its own."""

    name: str = spec("name of the tenant", pattern=NAME, required=True, default="")
    pkey: int = spec("InfiniBand partition key without the membership bit", least=1, most=0x7FFF, required=True, default=0)
    nodes: str = spec("its nodes as a host set: node[0000-0015]", longest=4096, required=True, default="")
    planes: tuple[str, ...] | None = spec("planes whose ports belong to it", choices=PLANE_NAMES, shortest=1, longest=5)
    exclusive: bool | None = spec("no node of it may belong to another tenant")


@dataclass(frozen=True, slots=True)
class AddressPool:
    """The range of IPv4 addresses that the networks of a plane are cut from."""

    plane: str = spec("plane, or switches (management ports) or loopback", choices=POOLS, required=True, default="")
    cidr: str = spec("IPv4 range: 10.0.0.0/16", pattern=CIDR, required=True, default="")
    vlan: int | None = spec("VLAN of its first network; further ones count up", least=1, most=4094)


@dataclass(frozen=True, slots=True)
class Addresses:
    """IP addresses and names. What is not stated is cut from 10.0.0.0/8."""

    domain: str | None = spec("DNS domain of the cluster", pattern=DOMAIN, longest=200)
    pools: tuple[AddressPool, ...] = spec("ranges by plane, where the owner dictates them", default=(), longest=7)


@dataclass(frozen=True, slots=True)
class Requirement:
    """The whole requirement. ``system`` and ``gpus`` are all that must be stated."""

    name: str = spec("name of the cluster", pattern=NAME, required=True, default="")
    system: str = spec("catalogue id of the GPU system", pattern=NAME, required=True, default="")
    gpus: int = spec("GPUs asked for", unit="GPUs", least=8, most=1_048_576, required=True, default=0)
    fabric: str | None = spec("reference fabric profile", pattern=NAME)
    node_names: str | None = spec("display-name template of nodes, fields: index rack row su", longest=128)
    growth: Growth = field(default_factory=Growth, metadata={"meaning": "where the site is going"})
    workload: Workload = field(default_factory=Workload, metadata={"meaning": "what it is for"})
    planes: Planes = field(default_factory=Planes, metadata={"meaning": "the networks"})
    node: NodeMap = field(default_factory=NodeMap, metadata={"meaning": "inside the node"})
    site: Site = field(default_factory=Site, metadata={"meaning": "the building"})
    power: Power = field(default_factory=Power, metadata={"meaning": "the power chain: feeds, busways, PDUs, cords"})
    cooling: Cooling = field(default_factory=Cooling, metadata={"meaning": "coolant loops and the air of the rows"})
    fibre: Fibre = field(default_factory=Fibre, metadata={"meaning": "trays, trunks and panels"})
    phases: tuple[BuildPhase, ...] = spec("build phases, in order", default=(), longest=100)
    cabling: Cabling = field(default_factory=Cabling, metadata={"meaning": "media and spares"})
    subnets: dict[str, Subnet] = field(
        default_factory=dict, metadata={"meaning": "the InfiniBand subnets, by name", "pattern": NAME}
    )
    tenants: tuple[Tenant, ...] = spec("groups of nodes kept apart by partition keys", default=(), longest=1000)
    addresses: Addresses = field(default_factory=Addresses, metadata={"meaning": "IP addresses and names"})
    nodes: Nodes = field(default_factory=Nodes, metadata={"meaning": "what every machine must show: memory, firmware, kernel"})
    software: dict[str, str] = field(
        default_factory=dict,
        metadata={
            "meaning": "versions that every node must run: driver, kernel, firmware.PART, package.NAME, file./PATH (its hash)",
            "pattern": LOCK,
        },
    )
