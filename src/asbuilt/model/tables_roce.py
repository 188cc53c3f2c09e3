"""Plan tables of RDMA over Ethernet: traffic classes per plane, settings per port, and the choice against InfiniBand."""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column

ROCE_CLASSES = Schema(
    "roce_classes",
    "Traffic classes of each Ethernet plane that carries RDMA: what is marked how, which queue it takes, what is lossless.",
    (
        C("plane", "str", "plane"),
        C("traffic", "str", "roce, cnp (congestion notification packets) or default"),
        C("priority", "i64", "switch priority: user priority of the frame within the device"),
        C("dscp", "i64", "code point of the IP header; null for all others", nullable=True),
        C("traffic_class", "i64", "egress queue"),
        C("pfc", "bool", "lossless: priority flow control (IEEE 802.1Qbb) is on"),
        C("ecn", "bool", "congestion is marked on its queue (RFC 3168)"),
        C("ecn_min_bytes", "i64", "queue length at which marking begins, on a port of 100 Gb/s", "bytes", nullable=True),
        C("ecn_max_bytes", "i64", "queue length from which it has its full probability", "bytes", nullable=True),
        C("ecn_probability", "i64", "marking probability at the upper threshold, percent", nullable=True),
        C("scheduling", "str", "strict or dwrr"),
        C("weight", "i64", "share of the bandwidth under dwrr, percent", nullable=True),
        C("mtu_bytes", "i64", "MTU of the plane's interfaces (IP packet)", "bytes"),
        C("rdma_mtu_bytes", "i64", "MTU of RDMA messages", "bytes"),
        C("origin", "str", "published, declared or assumed"),
        C("source", "str", "where the values come from"),
    ),
    ("plane", "traffic"),
)
ETHERNET_PORTS = Schema(
    "ethernet_ports",
    "Both ends of every planned Ethernet link, by the names that their devices use.",
    (
        C("device", "str", "node or switch"),
        C("interface", "str", "interface as its device calls it: NIC device name, swp1s0, Ethernet0"),
        C("name", "str", "display name of the device"),
        C("plane", "str", "plane"),
        C("role", "str", "host, leaf, spine or core"),
        C("dialect", "str", "linux, cumulus or sonic"),
        C("link", "str", "link"),
        C("port", "i64", "protocol port number; for a NIC port 1"),
        C("label", "str", "front-panel label"),
        C("speed_gbps", "f64", "planned rate", "Gb/s"),
        C("peer", "str", "device at the far end"),
        C("peer_interface", "str", "interface at the far end"),
        C("phase", "str", "build phase", nullable=True),
    ),
    ("device", "interface"),
    {"link": "links.link"},
)
ROCE_PORTS = Schema(
    "roce_ports",
    "Every port end of every hop that RDMA over Ethernet crosses, host or switch, with what must be set on it.",
    (
        C("device", "str", "node or switch"),
        C("interface", "str", "interface as its device calls it: NIC device name, swp1s0, Ethernet0"),
        C("name", "str", "display name of the device"),
        C("plane", "str", "plane"),
        C("role", "str", "host, leaf, spine or core"),
        C("dialect", "str", "linux, cumulus or sonic: whose settings it takes"),
        C("link", "str", "link"),
        C("port", "i64", "protocol port number; for a NIC port 1"),
        C("label", "str", "front-panel label"),
        C("speed_gbps", "f64", "planned rate", "Gb/s"),
        C("mtu_bytes", "i64", "MTU of the interface (IP packet)", "bytes"),
        C("pfc", "str", "priorities with flow control, joined by +"),
        C("trust", "str", "what a frame's priority is read from: dscp"),
        C("cable_m", "f64", "stock length of the cable", "m", nullable=True),
        C("headroom_bytes", "i64", "buffer above XOFF that takes what is still under way", "bytes", nullable=True),
        C("ecn_min_bytes", "i64", "marking begins; null at a host, which answers marks", "bytes", nullable=True),
        C("ecn_max_bytes", "i64", "full marking probability", "bytes", nullable=True),
        C("peer", "str", "device at the far end"),
        C("peer_interface", "str", "interface at the far end"),
        C("phase", "str", "build phase", nullable=True),
    ),
    ("device", "interface"),
    {"link": "links.link"},
)
ROCE_BUFFERS = Schema(
    "roce_buffers",
    "Packet buffer of each switch against the headroom that its lossless ports need.",
    (
        C("switch", "str", "switch"),
        C("model", "str", "catalogue id"),
        C("ports", "i64", "lossless ports"),
        C("headroom_bytes", "i64", "headroom of all of them", "bytes", nullable=True),
        C("buffer_bytes", "i64", "packet buffer of the switch; null: no figure", "bytes", nullable=True),
        C("confidence", "str", "confidence of the buffer's figure", nullable=True),
    ),
    ("switch",),
    {"switch": "switches.switch"},
)
FABRIC_CHOICE = Schema(
    "fabric_choice",
    "InfiniBand against Ethernet for this cluster's compute plane: what either asks for, counted from the plan's own tables.",
    (
        C("order", "i64", "place in the table"),
        C("question", "str", "what is compared"),
        C("infiniband", "str", "answer for InfiniBand"),
        C("ethernet", "str", "answer for Ethernet with RoCE"),
        C("unit", "str", "unit, empty for words and counts"),
        C("origin", "str", "derived, published or assumed"),
        C("source", "str", "how it was counted, or where it is said"),
    ),
    ("order",),
)

ROCE_TABLES = (ETHERNET_PORTS, ROCE_CLASSES, ROCE_PORTS, ROCE_BUFFERS, FABRIC_CHOICE)
