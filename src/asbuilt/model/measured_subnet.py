"""Subnet facts resolved to planned ports: what the checks of a subnet judge. `diagnose.subnet_tables` makes them.

``port`` is the natural key of the end port (``<switch>#<asic>``, ``<node>/<device>``) that the fact speaks of, ``number`` the
port number on that device: 0 or null for the end port itself, from 1 for an external port of a switch. ``link`` is the planned
link at that port. Facts of devices that the plan does not know have no row here; they are counted in a note.
"""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column
_ORIGIN = (
    C("capture_id", "str", "the capture that says so"),
    C("line", "i64", "1-based line of the capture"),
)
_PORT = (
    C("port", "str", "end port of the device"),
    C("number", "i64", "port number on the device: 0 for the end port of a switch"),
    C("link", "str", "planned link at this port", nullable=True),
)

PORTS_MEASURED = Schema(
    "ports_measured",
    "Planned ports as the fabric sees them, one row per report.",
    (
        *_PORT,
        C("state", "str", "logical state", nullable=True),
        C("phys_state", "str", "physical state", nullable=True),
        C("width", "i64", "lanes in use", nullable=True),
        C("speed", "str", "speed word in use", nullable=True),
        C("width_could", "i64", "lanes that the tool says it could run", nullable=True),
        C("speed_could", "str", "speed word that the tool says it could run", nullable=True),
        C("mtu_bytes", "i64", "neighbour MTU in use", "bytes", nullable=True),
        C("vls", "i64", "operational data VLs", nullable=True),
        C("high_limit", "i64", "VL high limit", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line", "port", "number"),
)
HCAS_MEASURED = Schema(
    "hcas_measured",
    "Planned NIC ports as their own hosts see them, one row per report.",
    (
        *_PORT,
        C("link_layer", "str", "infiniband or ethernet", nullable=True),
        C("state", "str", "logical state", nullable=True),
        C("phys_state", "str", "physical state", nullable=True),
        C("rate_gbps", "f64", "rate as printed", "Gb/s", nullable=True),
        C("lid", "i64", "base LID", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line", "port"),
)
LIDS_MEASURED = Schema(
    "lids_measured",
    "LIDs of planned end ports, one row per report.",
    (
        C("port", "str", "end port"),
        C("lid", "i64", "base LID"),
        C("lmc", "i64", "LID mask control", nullable=True),
        C("state", "str", "logical state, where the report has one", nullable=True),
        C("own", "bool", "the port's own host says so, which speaks for itself alone"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "port"),
)
IDENTITIES_MEASURED = Schema(
    "identities_measured",
    "Who says to be who: one row per report of a device, planned or not, that names a GUID.",
    (
        C("guid", "str", "node GUID", nullable=True),
        C("port_guid", "str", "port GUID", nullable=True),
        C("kind", "str", "switch, ca or router", nullable=True),
        C("number", "i64", "port number", nullable=True),
        C("name", "str", "node description, or host and device", nullable=True),
        C("host", "str", "host that says it of itself", nullable=True),
        C("device", "str", "device name on that host", nullable=True),
        C("lid", "i64", "LID", nullable=True),
        C("link_layer", "str", "infiniband or ethernet", nullable=True),
        C("system_guid", "str", "system image GUID", nullable=True),
        C("port", "str", "planned end port of that name", nullable=True),
        C("subnet", "str", "subnet that it is in, where something tells", nullable=True),
        C("nameless", "bool", "it answers with a factory name or none"),
        *_ORIGIN,
    ),
    ("capture_id", "line"),
)
PKEYS_MEASURED = Schema(
    "pkeys_measured",
    "Partition table entries of planned end ports. Of a table that is all zero one row with index null.",
    (
        C("port", "str", "end port"),
        C("index", "i64", "index in the table", nullable=True),
        C("entry", "i64", "entry with the membership bit"),
        C("pkey", "i64", "partition key without the membership bit"),
        C("text", "str", "the entry in hex, as tools print it"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "port", "index"),
)
SL2VL_MEASURED = Schema(
    "sl2vl_measured",
    "SL-to-VL rows of planned ports.",
    (
        *_PORT,
        C("in_port", "i64", "input port", nullable=True),
        C("lanes", "str", "the 16 lanes, joined by a comma"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "port"),
)
VLARB_MEASURED = Schema(
    "vlarb_measured",
    "VL arbitration entries of planned ports.",
    (
        *_PORT,
        C("priority", "str", "high or low"),
        C("index", "i64", "row of the table"),
        C("vl", "i64", "virtual lane"),
        C("weight", "i64", "weight, in units of 64 bytes"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "port", "priority", "index"),
)
MANAGERS_MEASURED = Schema(
    "managers_measured",
    "Subnet managers that were seen, planned or not, one row per manager and capture.",
    (
        C("subnet", "str", "subnet, null when nothing tells which", nullable=True),
        C("port", "str", "planned end port that it runs on", nullable=True),
        C("called", "str", "what it is called: planned name, description, GUID or LID"),
        C("priority", "i64", "priority", nullable=True),
        C("state", "str", "master, standby, discovering or notactive"),
        C("listed", "bool", "the capture lists every manager that the subnet administration knows"),
        *_ORIGIN,
    ),
    ("capture_id", "line"),
)
COUNTERS_MEASURED = Schema(
    "counters_measured",
    "Counters of planned ports, one row per counter and reading.",
    (
        *_PORT,
        C("counter", "str", "name as the standard writes it"),
        C("value", "f64", "value; of PortXmitData and PortRcvData in units of 4 bytes"),
        C("at_s", "f64", "time of the reading, seconds since 1970 UTC; null where it is not told", "s", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line", "counter"),
)
MODULES_MEASURED = Schema(
    "modules_measured",
    "Quantities of planned ports' links and modules.",
    (
        *_PORT,
        C("quantity", "str", "raw_ber, effective_ber, symbol_ber, rx_power_dbm, temperature_c, fec_bin, firmware, ..."),
        C("lane", "i64", "lane, or bin of a FEC histogram", nullable=True),
        C("value", "f64", "value as a number", nullable=True),
        C("text", "str", "value as printed", nullable=True),
        C("unit", "str", "unit"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "quantity", "lane"),
)

MEASURED_TABLES = (
    PORTS_MEASURED,
    HCAS_MEASURED,
    LIDS_MEASURED,
    IDENTITIES_MEASURED,
    PKEYS_MEASURED,
    SL2VL_MEASURED,
    VLARB_MEASURED,
    MANAGERS_MEASURED,
    COUNTERS_MEASURED,
    MODULES_MEASURED,
)
