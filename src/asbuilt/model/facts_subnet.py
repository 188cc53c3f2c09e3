"""Fact tables of what an InfiniBand subnet answers: ports, LIDs, partitions, lanes, forwarding, managers, counters, modules.

A tool names a port by GUID, by LID, or not at all; what it does not print is null. Where a capture's text does not name its
port (``smpquery pkeys``), the command line that stands before it in the capture does, or the capture's subject. ``guid`` is the
node's, or that of the NIC port where the tool was asked by it (``-G``) or prints no other: a reader tries both.
"""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column
_ORIGIN = (
    C("capture_id", "str", "the capture that says so"),
    C("line", "i64", "1-based line (or record) of the capture"),
)
_WHO = (
    C("guid", "str", "GUID of the node (or of the NIC port, where the tool knows no other), 16 hex digits", nullable=True),
    C("lid", "i64", "LID by which the port was asked or answers", nullable=True),
    C("port", "i64", "protocol port number", nullable=True),
)

PORT_FACTS = Schema(
    "port_facts",
    "One row per port as the fabric sees it (iblinkinfo, smpquery portinfo, ibnetdiscover -p, ibdiagnet): up or not.",
    (
        *_WHO,
        C("port_guid", "str", "port GUID", nullable=True),
        C("kind", "str", "switch, ca or router", nullable=True),
        C("description", "str", "node description", nullable=True),
        C("state", "str", "logical state: down, init, armed, active", nullable=True),
        C("phys_state", "str", "physical state: sleep, polling, disabled, training, linkup, recovery, phytest", nullable=True),
        C("width", "i64", "lanes in use", nullable=True),
        C("speed", "str", "speed word in use", nullable=True),
        C("width_could", "i64", "lanes that the tool says it could run", nullable=True),
        C("speed_could", "str", "speed word that the tool says it could run", nullable=True),
        C("peer_guid", "str", "GUID of the far side, as guid", nullable=True),
        C("peer_lid", "i64", "LID of the far side", nullable=True),
        C("peer_port", "i64", "port number of the far side", nullable=True),
        C("peer_description", "str", "node description of the far side", nullable=True),
        C("mtu_bytes", "i64", "neighbour MTU in use", "bytes", nullable=True),
        C("lmc", "i64", "LID mask control", nullable=True),
        C("sm_lid", "i64", "LID of the master SM as the port knows it", nullable=True),
        C("vls", "i64", "operational data VLs", nullable=True),
        C("high_limit", "i64", "VL high limit", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line"),
)
HCA_FACTS = Schema(
    "hca_facts",
    "One row per NIC port as its own host sees it (ibstat, ibstatus, ibv_devinfo).",
    (
        C("host", "str", "host name: the capture's subject, or the prefix of the line", nullable=True),
        C("device", "str", "device name (mlx5_0)"),
        C("port", "i64", "port number"),
        C("node_guid", "str", "node GUID", nullable=True),
        C("port_guid", "str", "port GUID", nullable=True),
        C("system_guid", "str", "system image GUID", nullable=True),
        C("type", "str", "card type as printed (MT4129)", nullable=True),
        C("firmware", "str", "firmware version", nullable=True),
        C("link_layer", "str", "infiniband or ethernet", nullable=True),
        C("state", "str", "logical state: down, init, armed, active", nullable=True),
        C("phys_state", "str", "physical state: polling, disabled, linkup, ...", nullable=True),
        C("rate_gbps", "f64", "rate as printed", "Gb/s", nullable=True),
        C("width", "i64", "lanes, where printed", nullable=True),
        C("speed", "str", "speed word, where printed", nullable=True),
        C("lid", "i64", "base LID", nullable=True),
        C("lmc", "i64", "LID mask control", nullable=True),
        C("sm_lid", "i64", "LID of the SM", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line", "host"),
)
NAME_FACTS = Schema(
    "name_facts",
    "One row per node as lists of nodes print it (ibhosts, ibswitches, ibnodes, smpquery nodedesc and nodeinfo, saquery).",
    (
        *_WHO,
        C("kind", "str", "switch, ca or router", nullable=True),
        C("description", "str", "node description", nullable=True),
        C("ports", "i64", "number of ports", nullable=True),
        C("port_guid", "str", "port GUID", nullable=True),
        C("system_guid", "str", "system image GUID", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line"),
)
PKEY_FACTS = Schema(
    "pkey_facts",
    "One row per entry of a port's partition table that is not zero, and one with index null for a table that is all zero.",
    (
        *_WHO,
        C("index", "i64", "index in the table", nullable=True),
        C("entry", "i64", "entry with the membership bit"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "index"),
)
SL2VL_FACTS = Schema(
    "sl2vl_facts",
    "One row per row of an SL-to-VL table: the port, the input port, and the lanes of SL 0 to 15.",
    (
        *_WHO,
        C("in_port", "i64", "input port (0 for a NIC)", nullable=True),
        C("lanes", "str", "the 16 lanes, joined by a comma"),
        *_ORIGIN,
    ),
    ("capture_id", "line"),
)
VLARB_FACTS = Schema(
    "vlarb_facts",
    "One row per entry of a VL arbitration table.",
    (
        *_WHO,
        C("priority", "str", "high or low"),
        C("index", "i64", "row of the table"),
        C("vl", "i64", "virtual lane"),
        C("weight", "i64", "weight, in units of 64 bytes"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "priority", "index"),
)
LFT_FACTS = Schema(
    "lft_facts",
    "One row per LID of a switch's linear forwarding table (ibroute, dump_lfts, opensm-lfts.dump).",
    (
        C("guid", "str", "GUID of the switch", nullable=True),
        C("lid", "i64", "LID of the switch", nullable=True),
        C("target", "i64", "destination LID"),
        C("out_port", "i64", "port that it leaves by; 255: none"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "target"),
)
PATH_FACTS = Schema(
    "path_facts",
    "One row per path record or traced route hop.",
    (
        C("from_lid", "i64", "LID at the start", nullable=True),
        C("to_lid", "i64", "LID at the end", nullable=True),
        C("hop", "i64", "hop of a trace; null for a path record", nullable=True),
        C("guid", "str", "GUID of the node at this hop", nullable=True),
        C("in_port", "i64", "port entered", nullable=True),
        C("out_port", "i64", "port left by", nullable=True),
        C("pkey", "i64", "partition key of a path record", nullable=True),
        C("sl", "i64", "service level of a path record", nullable=True),
        C("mtu_bytes", "i64", "MTU of a path record", "bytes", nullable=True),
        C("rate_gbps", "f64", "rate of a path record", "Gb/s", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line"),
)
SM_FACTS = Schema(
    "sm_facts",
    "One row per subnet manager that was seen (sminfo, saquery -s, ibdiagnet).",
    (
        C("lid", "i64", "LID of its port", nullable=True),
        C("guid", "str", "port GUID", nullable=True),
        C("priority", "i64", "priority", nullable=True),
        C("state", "str", "master, standby, discovering or notactive"),
        C("activity", "i64", "activity count", nullable=True),
        C("description", "str", "node description", nullable=True),
        C("listed", "bool", "the capture lists every manager that the SA knows (saquery -s)", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line"),
)
SM_LOG_FACTS = Schema(
    "sm_log_facts",
    "One row per line of a subnet manager's log or output that says something went wrong, or that the subnet is up.",
    (
        C("time", "str", "time as printed", nullable=True),
        C("code", "str", "error code (AC14, 5411), or the word that was found"),
        C("what", "str", "subnet_up, routing (code: engine), error, fallback, ignored, duplicate, topology, trap or handover"),
        C("message", "str", "the line"),
        *_ORIGIN,
    ),
    ("capture_id", "line"),
)
COUNTER_FACTS = Schema(
    "counter_facts",
    "One row per port counter that was read.",
    (
        *_WHO,
        C("host", "str", "host, where a host tool says so", nullable=True),
        C("device", "str", "device or interface, where a host tool says so", nullable=True),
        C("counter", "str", "name as the standard writes it (SymbolErrorCounter, PortXmitData, ...)"),
        C("value", "f64", "value; of PortXmitData and PortRcvData in units of 4 bytes"),
        C("time", "str", "time of the reading, ISO 8601, where it is told", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line", "counter", "host"),
)
MODULE_FACTS = Schema(
    "module_facts",
    "One row per quantity of a link or module that a host or switch reports (mlxlink, ibdiagnet --get_phy_info).",
    (
        *_WHO,
        C("host", "str", "host", nullable=True),
        C("device", "str", "device", nullable=True),
        C(
            "quantity",
            "str",
            "raw_ber, effective_ber, symbol_ber, rx_power_dbm, temperature_c, fec_bin, firmware, ...",
        ),
        C("lane", "i64", "lane, or bin of a FEC histogram", nullable=True),
        C("value", "f64", "value as a number", nullable=True),
        C("text", "str", "value as printed", nullable=True),
        C("unit", "str", "unit"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "quantity", "lane", "host"),
)

SUBNET_FACTS = (
    PORT_FACTS,
    HCA_FACTS,
    NAME_FACTS,
    PKEY_FACTS,
    SL2VL_FACTS,
    VLARB_FACTS,
    LFT_FACTS,
    PATH_FACTS,
    SM_FACTS,
    SM_LOG_FACTS,
    COUNTER_FACTS,
    MODULE_FACTS,
)
