"""Plan tables of an InfiniBand subnet: what its subnet manager is told, and what every port must then answer.

An *end port* is what has a LID: port 0 of a switch ASIC, a NIC port, a SHARP aggregation node. Its natural key is
``<switch>#<asic>``, ``<node>/<nic device>`` or ``<switch>#<asic>+agg``. Forwarding tables are no table of the plan: they are
computed from these and the links (`plan.forwarding`).
"""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column

SUBNET_SETTINGS = Schema(
    "subnet_settings",
    "Every setting of an InfiniBand subnet's manager that the plan decides, with the reason.",
    (
        C("subnet", "str", "subnet"),
        C("setting", "str", "name of the setting: the word of opensm.conf where it has one"),
        C("value", "str", "value as text"),
        C("unit", "str", "unit, empty for words and counts"),
        C("origin", "str", "published, declared, derived or assumed"),
        C("source", "str", "where the value comes from"),
        C("reason", "str", "why this value for this subnet"),
    ),
    ("subnet", "setting"),
)
LID_RANGES = Schema(
    "lid_ranges",
    "Declared ranges of unicast LIDs, per role and scalable unit, with room for growth.",
    (
        C("subnet", "str", "subnet"),
        C("range", "str", "name of the range: role, or role and scalable unit"),
        C("role", "str", "leaf, spine, core, node, service or aggregation"),
        C("su", "i64", "scalable unit, -1 for all"),
        C("first", "i64", "first LID of the range"),
        C("last", "i64", "last LID of the range"),
        C("used", "i64", "LIDs that the plan gives out, times 2^LMC for NIC ports"),
    ),
    ("subnet", "range"),
)
LIDS = Schema(
    "lids",
    "Every end port of every InfiniBand subnet with its GUIDs and its stable LID.",
    (
        C("port", "str", "natural key of the end port: <switch>#<asic>, <node>/<device>, or <switch>#<asic>+agg"),
        C("subnet", "str", "subnet"),
        C("device", "str", "switch or node"),
        C("nic", "str", "NIC device name, null for switches", nullable=True),
        C("number", "i64", "port number on the device that answers: 0 for a switch, else from 1"),
        C("role", "str", "leaf, spine, core, node, service or aggregation"),
        C("plane", "str", "plane that it serves"),
        C("su", "i64", "scalable unit, -1 when it serves all"),
        C("name", "str", "node description that it is to answer with"),
        C("node_guid", "str", "node GUID, 16 hex digits"),
        C("port_guid", "str", "port GUID, 16 hex digits; of a switch its node GUID"),
        C("guid_origin", "str", "declared (GUID list), measured, or assumed (placeholder until measured)"),
        C("lid", "i64", "base LID"),
        C("lmc", "i64", "LID mask control of this port; 0 for switches"),
        C("range", "str", "LID range that it is taken from"),
        C("phase", "str", "build phase"),
    ),
    ("port",),
)
PARTITIONS = Schema(
    "partitions",
    "Partitions of each InfiniBand subnet. 0x7fff, the default one, is always planned.",
    (
        C("subnet", "str", "subnet"),
        C("partition", "str", "name"),
        C("pkey", "i64", "partition key without the membership bit, 0x0001 to 0x7fff"),
        C("plane", "str", "plane that it carries, empty for the default partition and tenants across planes"),
        C("tenant", "str", "tenant, empty for none"),
        C("ipoib", "bool", "IPoIB is allowed: a broadcast group is made"),
        C("mtu_bytes", "i64", "MTU of the broadcast group", "bytes"),
        C("rate_gbps", "f64", "rate of the broadcast group", "Gb/s"),
        C("sl", "i64", "service level"),
        C("origin", "str", "declared, derived or assumed"),
        C("exclusive", "bool", "nodes of this tenant may belong to no other; null: nobody said", nullable=True),
    ),
    ("subnet", "partition"),
)
PARTITION_MEMBERS = Schema(
    "partition_members",
    "Membership of every end port: one row per entry of its partition table.",
    (
        C("port", "str", "end port"),
        C("index", "i64", "index in the port's partition table as the subnet manager fills it"),
        C("subnet", "str", "subnet"),
        C("partition", "str", "partition"),
        C("membership", "str", "full or limited"),
        C("entry", "i64", "table entry: partition key with the membership bit 0x8000"),
    ),
    ("port", "index"),
    {"port": "lids.port"},
)
SERVICE_LEVELS = Schema(
    "service_levels",
    "Every service level of each subnet: the virtual lane it maps to and the traffic it carries.",
    (
        C("subnet", "str", "subnet"),
        C("sl", "i64", "service level, 0 to 15"),
        C("vl", "i64", "virtual lane"),
        C("traffic", "str", "what travels on it; empty for a level that nothing uses"),
    ),
    ("subnet", "sl"),
)
VL_ARBITRATION = Schema(
    "vl_arbitration",
    "The VL arbitration tables of each subnet, row by row.",
    (
        C("subnet", "str", "subnet"),
        C("priority", "str", "high or low"),
        C("index", "i64", "row of the table"),
        C("vl", "i64", "virtual lane"),
        C("weight", "i64", "weight, in units of 64 bytes"),
    ),
    ("subnet", "priority", "index"),
)
SUBNET_MANAGERS = Schema(
    "subnet_managers",
    "Where the subnet managers of each subnet run, and with what priority.",
    (
        C("subnet", "str", "subnet"),
        C("role", "str", "master or standby"),
        C("number", "i64", "0 for the master, then the standbys in order"),
        C("port", "str", "end port that it is bound to"),
        C("node", "str", "host"),
        C("name", "str", "display name of the host"),
        C("device", "str", "NIC device name"),
        C("port_guid", "str", "port GUID, 16 hex digits"),
        C("priority", "i64", "SM priority, 0 to 15"),
    ),
    ("subnet", "number"),
    {"port": "lids.port"},
)

SUBNET_TABLES = (
    SUBNET_SETTINGS,
    LID_RANGES,
    LIDS,
    PARTITIONS,
    PARTITION_MEMBERS,
    SERVICE_LEVELS,
    VL_ARBITRATION,
    SUBNET_MANAGERS,
)
