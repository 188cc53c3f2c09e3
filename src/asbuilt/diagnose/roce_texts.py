"""How findings about RDMA over Ethernet and about Ethernet ports read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_AGAIN = "then capture again"
_BACK = "set the old value again"
_HOPS = "hops"
_SET = "the exported settings of the device (`asbuilt export roce`) hold the planned value"

ROCE_TEXTS: dict[str, Text] = {
    "NET-001": Text(
        "{who} {has} {found}, planned is {expected}: RDMA frames are dropped there under load, or other traffic is paused",
        f"set flow control of this port: mlnx_qos -i PORT --pfc, or nv set qos pfc; {_SET}; {_AGAIN}",
        _BACK,
        by="text",
        several=_HOPS,
    ),
    "NET-002": Text(
        "{who}: {found}, planned is {expected}: only pauses slow senders down there",
        "switch: turn marking on for the queue; host: write 1 to /sys/class/net/PORT/ecn/roce_np and roce_rp, enable/PRIORITY; "
        f"{_SET}; {_AGAIN}",
        _BACK,
        by="text",
        several=_HOPS,
    ),
    "NET-003": Text(
        "{who} {verb} {found}, planned is {expected}: it fills before its neighbours mark, or starves its flows",
        f"set min-threshold, max-threshold and probability of the queue; {_SET}; {_AGAIN}",
        _BACK,
        by="text",
        several=_HOPS,
    ),
    "NET-004": Text(
        "{who} {has} the map {found}, planned is {expected}: RDMA, or its notifications, travel as other traffic there",
        f"set trust to DSCP and the map: mlnx_qos -i PORT --trust dscp --dscp2prio, or nv set qos mapping; {_SET}; {_AGAIN}",
        _BACK,
        by="text",
        several=_HOPS,
    ),
    "NET-005": Text(
        "{who} {has} {found}, planned is {expected}: larger frames vanish at this hop",
        f"set the MTU: ip link set PORT mtu, nv set interface PORT link mtu; {_SET}; {_AGAIN}",
        _BACK,
        by="text",
        several=_HOPS,
    ),
    "NET-006": Text(
        "the ends of {who} disagree: {found}",
        f"compare the maps of both ends with the plan of all traffic, not only RDMA; set one of them; {_AGAIN}",
        _BACK,
        by="text",
        several="links",
    ),
    "NET-007": Text(
        "{who} {has} {found}, planned is {expected}: thresholds and shares are set on queues that the traffic does not take",
        f"set the map of priorities to queues: mlnx_qos -i PORT --prio_tc, nv set qos egress-queue-mapping; {_SET}; {_AGAIN}",
        _BACK,
        by="text",
        several=_HOPS,
    ),
    "NET-008": Text(
        "{who} {verb} set up for {found}, planned is {expected}: the buffer overflows with what is under way on a longer cable",
        f"set the cable length: mlnx_qos -i PORT --cable_len, nv set qos roce cable-length, CABLE_LENGTH; {_SET}; {_AGAIN}",
        _BACK,
        by="text",
        several=_HOPS,
    ),
    "NET-009": Text(
        "{who} {has} lost RDMA frames: {found}",
        "look along the way for a hop whose flow control or headroom is off the plan (NET-001, NET-008); clear the counters, "
        f"run the load again, {_AGAIN}",
        "nothing is changed",
        by="device",
    ),
    "NET-010": Text(
        "{who} {verb} held in pause: {found}",
        "find the receiver that is too slow: host load, PCIe width and generation, firmware; take it out of the job, run the "
        f"load again, {_AGAIN}",
        "put the host back",
        by="device",
    ),
    "NET-012": Text(
        "{who} {has} {found} for connections that do not mark themselves, planned is {expected}: they travel as other traffic",
        f"cma_roce_tos -d DEVICE -t TOS (four times the DSCP), at every boot; {_SET}; {_AGAIN}",
        _BACK,
        by="text",
    ),
    "NET-020": Text(
        "{who} {verb} {found}",
        f"enable the port; look at both ends: power, transceiver, cable, split and error correction; {_AGAIN}",
        "nothing is moved",
        by="device",
    ),
    "NET-021": Text(
        "{who} {verb} at {found}, planned is {expected}: an older part at one end, a wrong split, or a forced speed",
        f"check split, speed and error correction of both ends, and that cable and optics are the planned parts; {_AGAIN}",
        "put the first part back",
        by="text",
    ),
}
