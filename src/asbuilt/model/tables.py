"""The schemas of the plan's tables. The reference page and the contract test are made from these declarations."""

from __future__ import annotations

from asbuilt.base.table import Column, Schema
from asbuilt.model.tables_address import ADDRESS_TABLES
from asbuilt.model.tables_cooling import COOLING_TABLES
from asbuilt.model.tables_design import GROWTH, PARTS, PLANES, POWER_SOURCES
from asbuilt.model.tables_fibre import FIBRE_TABLES
from asbuilt.model.tables_layout import LAYOUT_TABLES
from asbuilt.model.tables_nodes import NODE_TABLES
from asbuilt.model.tables_power import POWER_TABLES
from asbuilt.model.tables_roce import ROCE_TABLES
from asbuilt.model.tables_subnet import SUBNET_TABLES

C = Column

RACKS = Schema(
    "racks",
    "Rack positions in rows, with what stands in them summed.",
    (
        C("rack", "str", "natural key: rack:<row>-<position>, row A.., position two digits"),
        C("name", "str", "display name"),
        C("role", "str", "compute, network, management or storage"),
        C("row", "str", "row letter(s)"),
        C("position", "i64", "position in the row, from 1"),
        C("x_mm", "f64", "left front corner along the row", "mm"),
        C("y_mm", "f64", "left front corner across the rows", "mm"),
        C("height_u", "i64", "usable height", "U"),
        C("used_u", "f64", "height taken", "U"),
        C("power_w", "f64", "nameplate power of what stands in it", "W"),
        C("expected_w", "f64", "expected power of what stands in it", "W"),
        C("heat_w", "f64", "heat of what stands in it", "W"),
        C("liquid_w", "f64", "part of the heat taken by liquid", "W"),
        C("weight_kg", "f64", "weight of what stands in it and of the rack", "kg"),
        C("airflow_m3_h", "f64", "air that its devices move", "m3/h", nullable=True),
        C("phase", "str", "build phase"),
    ),
    ("rack",),
)
NODES = Schema(
    "nodes",
    "Servers, NVL72 compute trays, and the service hosts that plug into a fabric.",
    (
        C("node", "str", "natural key: node:<index>, service hosts svc:<plane>-<index>"),
        C("name", "str", "display name"),
        C("role", "str", "compute or service"),
        C("index", "i64", "0-based index within its role"),
        C("system", "str", "catalogue id"),
        C("unit", "i64", "NVL72 rack index (nvlink domain), else the node's own index"),
        C("su", "i64", "scalable unit, from 0"),
        C("island", "i64", "compute island (subnet), from 0"),
        C("rack", "str", "rack it stands in"),
        C("u", "f64", "lowest U it takes", "U"),
        C("height_u", "f64", "height", "U"),
        C("phase", "str", "build phase"),
    ),
    ("node",),
    {"rack": "racks.rack"},
)
GPUS = Schema(
    "gpus",
    "Every GPU with its socket and compute rail.",
    (
        C("gpu", "str", "natural key: gpu:<node index>/<gpu>"),
        C("node", "str", "node"),
        C("slot", "i64", "GPU number within the node"),
        C("model", "str", "catalogue id"),
        C("socket", "i64", "CPU socket"),
        C("rail", "i64", "compute rail it uses"),
    ),
    ("gpu",),
    {"node": "nodes.node"},
)
NICS = Schema(
    "nics",
    "Every NIC port of every node.",
    (
        C("nic", "str", "natural key: nic:<node index>/<device name>"),
        C("node", "str", "node"),
        C("device", "str", "device name on the node"),
        C("part", "str", "catalogue id"),
        C("plane", "str", "plane it serves"),
        C("rail", "i64", "rail within the plane"),
        C("socket", "i64", "CPU socket"),
        C("link_type", "str", "infiniband or ethernet"),
        C("rate_gbps", "f64", "planned rate", "Gb/s"),
        C("cage", "str", "cage label on the node"),
    ),
    ("nic",),
    {"node": "nodes.node"},
)
SWITCHES = Schema(
    "switches",
    "Every switch chassis.",
    (
        C("switch", "str", "natural key: sw:<plane>/<role>-<coordinates>"),
        C("name", "str", "display name"),
        C("plane", "str", "plane that owns it"),
        C("role", "str", "leaf, spine or core"),
        C("model", "str", "catalogue id"),
        C("island", "i64", "island, from 0"),
        C("subplane", "i64", "subplane, from 0"),
        C("rail", "i64", "rail it serves, -1 when it serves all"),
        C("block", "i64", "block of node slots (leaf), pod or group (spine), group (core)"),
        C("pod", "i64", "pod, from 0; -1 outside pods"),
        C("index", "i64", "index within its role and plane"),
        C("ports", "i64", "ports at the planned rate"),
        C("asics", "i64", "switch ASICs (node GUIDs) behind the chassis"),
        C("subnet", "str", "subnet"),
        C("rack", "str", "rack it stands in"),
        C("u", "f64", "lowest U it takes", "U"),
        C("height_u", "f64", "height", "U"),
        C("phase", "str", "build phase"),
        C("spare", "bool", "cold spare: racked or stocked, without links"),
    ),
    ("switch",),
    {"rack": "racks.rack"},
)
ASICS = Schema(
    "asics",
    "Switch ASICs behind each chassis; most chassis have one.",
    (
        C("asic", "str", "natural key: <switch>#<n>"),
        C("switch", "str", "chassis"),
        C("number", "i64", "ASIC number, from 0"),
    ),
    ("asic",),
    {"switch": "switches.switch"},
)
PORT_BUDGET = Schema(
    "port_budget",
    "Ports of each switch: what the plan asks of it and what it has.",
    (
        C("switch", "str", "switch"),
        C("ports", "i64", "ports at the planned rate"),
        C("node_links", "i64", "links to nodes of its own plane"),
        C("shared_links", "i64", "links to nodes of planes that share it"),
        C("uplinks", "i64", "links to the tier above"),
        C("downlinks", "i64", "links to the tier below"),
        C("service", "i64", "ports for UFM and subnet manager hosts"),
        C("reserved", "i64", "ports kept free on purpose"),
        C("free", "i64", "ports left"),
        C("short", "i64", "ports asked for that do not exist"),
    ),
    ("switch",),
    {"switch": "switches.switch"},
)
LINKS = Schema(
    "links",
    "Every planned link, port to port. The reference end (a) is the switch end of a host link, else the lower tier.",
    (
        C("link", "str", "natural key: link:<reference switch>/<port>"),
        C("plane", "str", "plane"),
        C("kind", "str", "node_leaf, leaf_spine, spine_core or service"),
        C("a_device", "str", "reference device (a switch)"),
        C("a_port", "i64", "protocol port number, from 1"),
        C("a_label", "str", "front-panel label: cage, or cage/half"),
        C("b_device", "str", "far device"),
        C("b_port", "i64", "protocol port number at the far end; for a NIC port 1"),
        C("b_nic", "str", "NIC device name when the far end is a node", nullable=True),
        C("b_label", "str", "front-panel label of the far end"),
        C("a_name", "str", "display name of the reference device"),
        C("b_name", "str", "display name of the far device (node and NIC device name)"),
        C("rate_gbps", "f64", "planned rate", "Gb/s", nullable=True),
        C("rail", "i64", "rail, -1 when none", nullable=True),
        C("subplane", "i64", "subplane", nullable=True),
        C("island", "i64", "island", nullable=True),
        C("phase", "str", "build phase; the later of its two ends", nullable=True),
        C("jumper", "str", "the jumper (cable assembly) that carries it", nullable=True),
    ),
    ("link",),
)
JUMPERS = Schema(
    "jumpers",
    "Cable assemblies: one end-to-end jumper per row, which may carry several links.",
    (
        C("jumper", "str", "natural key: cable:<reference switch>/<port of its first link>"),
        C("part", "str", "catalogue id of the cable"),
        C("medium", "str", "copper, active-copper, multimode, single-mode or aoc"),
        C("links", "i64", "links that it carries"),
        C("a_device", "str", "reference device"),
        C("a_label", "str", "front-panel label"),
        C("b_device", "str", "far device"),
        C("b_label", "str", "front-panel label"),
        C("route_m", "f64", "length of the route: drops, trays, slack", "m"),
        C("length_m", "f64", "stock length ordered", "m"),
        C("phase", "str", "build phase"),
    ),
    ("jumper",),
)
TRANSCEIVERS = Schema(
    "transceivers",
    "Pluggable optics, one row per module. Cables with fixed ends have none.",
    (
        C("transceiver", "str", "natural key: xcvr:<device>/<cage>"),
        C("device", "str", "device whose cage it sits in"),
        C("cage", "str", "cage label"),
        C("part", "str", "catalogue id"),
        C("links", "i64", "links that it serves"),
        C("power_w", "f64", "maximum power", "W", nullable=True),
        C("phase", "str", "build phase"),
    ),
    ("transceiver",),
)
MANAGEMENT_PORTS = Schema(
    "management_ports",
    "Management ports of switches and service hosts, and the out-of-band port that each is patched to.",
    (
        C("device", "str", "switch or service host whose management port it is"),
        C("name", "str", "display name of the device"),
        C("switch", "str", "out-of-band leaf", nullable=True),
        C("switch_name", "str", "display name of the out-of-band leaf", nullable=True),
        C("port", "i64", "port of the out-of-band leaf, of those that it keeps for this; null: none was left", nullable=True),
        C("label", "str", "front-panel label of that port", nullable=True),
        C("part", "str", "catalogue id of the patch cord", nullable=True),
        C("route_m", "f64", "length of the route", "m", nullable=True),
        C("length_m", "f64", "stock length ordered", "m", nullable=True),
        C("phase", "str", "build phase"),
    ),
    ("device",),
    {"switch": "switches.switch"},
)
LOADS = Schema(
    "loads",
    "Power and heat of each kind of device in each rack.",
    (
        C("rack", "str", "rack"),
        C("part", "str", "catalogue id of the device"),
        C("role", "str", "node, switch, storage or service"),
        C("count", "i64", "devices of this kind in the rack"),
        C("nameplate_w", "f64", "maximum input power, all of them", "W"),
        C("expected_w", "f64", "expected power, all of them", "W"),
        C("heat_w", "f64", "heat, all of them", "W"),
        C("liquid_w", "f64", "part of the heat taken by liquid", "W"),
        C("confidence", "str", "lowest confidence of the figures used"),
    ),
    ("rack", "part", "role"),
    {"rack": "racks.rack"},
)
SUBNETS = Schema(
    "subnets",
    "Subnets, with the planes and counts in each.",
    (
        C("subnet", "str", "name"),
        C("technology", "str", "infiniband or ethernet"),
        C("planes", "str", "planes in it, joined by +"),
        C("island", "i64", "island", nullable=True),
        C("subplane", "i64", "subplane", nullable=True),
        C("endpoints", "i64", "end ports"),
        C("switches", "i64", "switch ASICs"),
        C("lmc", "i64", "LID mask control", nullable=True),
        C("lids", "i64", "unicast LIDs used: (endpoints + SHARP aggregation nodes) x 2^LMC + switch ASICs", nullable=True),
    ),
    ("subnet",),
)
EXPECTATIONS = Schema(
    "expectations",
    "Thresholds for a class of subjects, with tolerance and source. Checks hold no numbers.",
    (
        C("id", "str", "natural key"),
        C("check_id", "str", "check that uses it"),
        C("subject_kind", "str", "kind of subject"),
        C("selector", "str", "which subjects: column=value, or *"),
        C("op", "str", "eq, ge, le, in"),
        C("value", "str", "the threshold as text"),
        C("unit", "str", "unit"),
        C("tol_abs", "f64", "absolute tolerance", nullable=True),
        C("tol_rel", "f64", "relative tolerance", nullable=True),
        C("origin", "str", "published, measured, declared, derived, claimed or assumed"),
        C("source", "str", "where it is from"),
        C("valid_if", "str", "condition under which it holds", nullable=True),
        C("confidence", "str", "confidence of a threshold that comes from the catalogue", nullable=True),
    ),
    ("id",),
)
BOM = Schema(
    "bom",
    "What is bought: parts, counted from the tables, with spares.",
    (
        C("part", "str", "catalogue id"),
        C("role", "str", "what it is used as"),
        C("category", "str", "system, switch, nic, optic, cable, rack, ..."),
        C("description", "str", "what it is"),
        C("quantity", "i64", "needed"),
        C("spares", "i64", "spare quantity"),
        C("length_m", "f64", "stock length, for cables", "m", nullable=True),
        C("rule", "str", "how the quantity and the spares were found"),
        C("confidence", "str", "lowest confidence of the catalogue figures behind it"),
    ),
    ("category", "part", "role", "length_m"),
)

PLAN_TABLES: dict[str, Schema] = {
    s.name: s
    for s in (
        RACKS,
        NODES,
        GPUS,
        NICS,
        SWITCHES,
        ASICS,
        PORT_BUDGET,
        LINKS,
        JUMPERS,
        TRANSCEIVERS,
        MANAGEMENT_PORTS,
        LOADS,
        SUBNETS,
        *SUBNET_TABLES,
        EXPECTATIONS,
        BOM,
        PLANES,
        PARTS,
        POWER_SOURCES,
        GROWTH,
        *ADDRESS_TABLES,
        *ROCE_TABLES,
        *LAYOUT_TABLES,
        *POWER_TABLES,
        *COOLING_TABLES,
        *FIBRE_TABLES,
        *NODE_TABLES,
    )
}
