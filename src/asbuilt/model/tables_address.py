"""Plan tables of IP addresses: networks cut from a range per plane, and the address and DNS name of every interface."""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column

ADDRESS_POOLS = Schema(
    "address_pools",
    "IPv4 networks: one for each broadcast domain, cut from the range of its plane at places that growth does not move.",
    (
        C("network", "str", "natural key: <plane>, <plane>-r<rail>, ...-s<subplane>, ...-i<island>, ...-b<block of a leaf>"),
        C("plane", "str", "plane; switches for management ports of switches, loopback for router ids"),
        C("kind", "str", "ipoib, ethernet, bmc, switch-management, storage or loopback"),
        C("rail", "i64", "rail, -1 for all"),
        C("subplane", "i64", "subplane, -1 for all"),
        C("island", "i64", "island, -1 for all"),
        C("block", "i64", "block of nodes behind one leaf of a routed plane, -1 for all"),
        C("supernet", "str", "range of the plane that it is cut from"),
        C("cidr", "str", "network and prefix"),
        C("gateway", "str", "gateway; null: the network is not routed", nullable=True),
        C("vlan", "i64", "VLAN, null where there is none", nullable=True),
        C("first", "str", "first address that interfaces of nodes or devices get"),
        C("last", "str", "last address that interfaces of nodes or devices get"),
        C("used", "i64", "addresses given out now, services included"),
        C("target", "i64", "addresses that the growth target asks for"),
        C("reserved", "i64", "lowest addresses kept for the gateway, network equipment and service hosts"),
        C("room", "i64", "addresses left for growth, from first to last"),
        C("without", "i64", "interfaces that find no address"),
        C("origin", "str", "declared or assumed: where the range comes from"),
        C("source", "str", "the requirement's line, or the rule"),
    ),
    ("network",),
)
ADDRESSES = Schema(
    "addresses",
    "The address and DNS name of every interface: nodes, BMCs, service hosts, management ports, loopbacks of routers.",
    (
        C("device", "str", "node, service host or switch"),
        C("interface", "str", "NIC device name, bond-<plane> for several ports with one address, mgmt, or lo"),
        C("plane", "str", "plane"),
        C("network", "str", "network"),
        C("address", "str", "IPv4 address; null: the network has none left", nullable=True),
        C("prefix", "i64", "prefix length"),
        C("name", "str", "DNS label: RFC 1123 letters, digits and hyphens, lower case"),
        C("kind", "str", "ipoib, ethernet, bmc, switch-management, storage or loopback"),
        C("phase", "str", "build phase"),
    ),
    ("device", "interface"),
    {"network": "address_pools.network"},
)

ADDRESS_TABLES = (ADDRESS_POOLS, ADDRESSES)
