"""What each engine of a rehearsal cannot show. Left out of the verdict, listed with it as "not proven here"."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that an engine cannot prove: what, and why not."""

    what: str
    why: str


#: Formats that the embedded twin renders, and the real thing that each was held against.
PROVEN_AGAINST = {
    "ibnetdiscover": "public dumps of real FDR and HDR fabrics, and ibnetdiscover 44.0 reading ibsim",
    "lldpctl": "lldpd 1.0.16 running in network namespaces",
    **dict.fromkeys(
        ("iblinkinfo", "smpquery", "sminfo", "ibstat", "ibroute"),
        "our readers alone, which also read public samples of the tool; no sample was written again from its facts",
    ),
    **dict.fromkeys(
        ("mlnx_qos", "cma_roce_tos", "roce-ecn", "interface-status", "nvue-qos", "sonic-config"),
        "unproven: manuals and public transcripts, no real capture was at hand",
    ),
}
#: Formats of the node twin, by what stood at hand to hold them against.
_SAMPLES = "public samples of the tool, whose forms it follows; no sample was written again from its facts"
_MANUALS = "unproven: manuals and public transcripts, no real capture was at hand"
PROVEN_AGAINST |= dict.fromkeys(
    ("lscpu", "numactl", "lspci-vv", "lspci-tv", "dmidecode", "lsmod", "nvidia-smi-csv", "nvidia-smi-q", "nvidia-smi-topo",
     "nvidia-smi-nvlink", "ibdev2netdev", "show_gids", "mst-status", "mlxconfig", "flint"), _SAMPLES,
)  # fmt: skip
PROVEN_AGAINST |= dict.fromkeys(
    ("sysfs", "sysfs-paths", "interrupts", "dmesg", "systemctl", "imex", "ofed_info", "packages", "filehashes",
     "ipmitool-sensor", "ipmitool-fru", "ipmitool-sel", "redfish", "nvos"), _MANUALS,
)  # fmt: skip
NODE_LIMITS = (
    Limit("PCI addresses and trees of real systems", "the twin lays its own: the plan fixes sockets, rails and names"),
    Limit("firmware, software and sensors of real nodes", "one set of versions for all that the plan does not lock"),
    Limit("nodes that differ where nothing is wrong", "all of a kind boot at one moment, with equal counters and logs"),
    Limit("which NVLink ends at which switch chip", "nobody publishes it: the twin wires link 2 t + c to chip c of tray t"),
    Limit("GPUs under load", "the twin's GPUs are idle at full clocks; speeds of links under load are not shown"),
)
UNPROVEN_FORMATS = (
    Limit(
        "how a dump of an XDR fabric looks", "no real sample: ASICs per chassis, port numbering and device ids are our reading"
    ),
    Limit("how a dump of an NDR fabric looks", "no real sample with switches: speed words and device ids are from documents"),
)

_CABLES = (
    Limit("optics, fibre loss, bit errors", "the twin's cables carry no light"),
    Limit("link width and speed reached", "every link comes up at its planned rate"),
)

ENGINES: dict[str, tuple[Limit, ...]] = {
    "embedded": (
        *_CABLES,
        Limit(
            "that a subnet manager sets LIDs, partitions, lanes and routes as planned",
            "none runs: the twin answers by the plan's own rules (--engine opensm asks a real one)",
        ),
        Limit("that a setting of RDMA over Ethernet has its effect", "the twin answers what is set, and carries no traffic"),
        Limit("SHARP and adaptive routing", "aggregation nodes are listed, nothing is aggregated or routed"),
        Limit("forwarding tables of chassis of several ASICs (XDR)", "their planes do not meet: none are rendered"),
        Limit("interface names of split Ethernet cages", "ports are numbered through as swp<port>"),
        Limit("BMCs and devices that send no LLDP", "every Ethernet neighbour of the twin announces itself"),
        *UNPROVEN_FORMATS,
    ),
    "ibsim": (
        *_CABLES,
        Limit("speeds past HDR", "ibsim 0.10 knows none: NDR and XDR words are loaded as HDR"),
        Limit("LIDs of the plan", "no subnet manager runs: LIDs are those of the netlist"),
        Limit("Ethernet planes", "ibsim simulates InfiniBand alone"),
        Limit("two devices with one GUID", "ibsim refuses to load them"),
        Limit("chassis of several ASICs (XDR)", "their planes do not meet, and discovery starts from one host: refused"),
    ),
    "opensm": (
        *_CABLES,
        Limit("speeds past HDR, lane counts", "ibsim 0.10 knows none past HDR: every link is loaded as 4xHDR"),
        Limit(
            "MTU of 4096 bytes, VL high limit, operational VLs", "ibsim fixes the MTU at 2048 and keeps neither of the others"
        ),
        Limit("SHARP and adaptive routing", "upstream OpenSM has neither; aggregation nodes get LIDs, nothing is aggregated"),
        Limit("NVIDIA's subnet manager and UFM", "another program: their files are generated, not rehearsed"),
        Limit("traffic: bandwidth, latency, congestion, credit stalls", "ibsim carries management packets alone"),
        Limit("tables past one packet from the SA", "umad2sim has no RMPP: path records are asked one by one"),
        Limit("Ethernet planes", "ibsim simulates InfiniBand alone"),
        Limit("two devices with one GUID", "ibsim refuses to load them"),
        Limit("chassis of several ASICs (XDR)", "their planes do not meet, and discovery starts from one host: refused"),
    ),
}
