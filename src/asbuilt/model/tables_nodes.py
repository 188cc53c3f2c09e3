"""Plan tables of what a node must show when it is asked: its parts, its memory and settings, its software, who it is.

What a kind of part shows is one row of `hardware`; what a system shows is one row of `node_traits`; a threshold is an
expectation. PCI addresses are of the system's own board, where its maker publishes them, else unknown until a first node is
measured.
"""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column

HARDWARE = Schema(
    "hardware",
    "What a GPU or NIC of each part in the plan shows to the tools of its host.",
    (
        C("part", "str", "catalogue id"),
        C("kind", "str", "gpu or nic"),
        C("name", "str", "display name"),
        C("pci_ids", "str", "vendor:device that it may have, joined by + (10de:2330)", nullable=True),
        C("shown_as", "str", "names or card types that tools print for it, joined by |", nullable=True),
        C("functions", "i64", "PCI functions of one card", nullable=True),
        C("pcie_gen", "i64", "PCIe generation", nullable=True),
        C("pcie_width", "i64", "PCIe lanes", nullable=True),
        C("memory_mib", "f64", "memory as nvidia-smi shows it", "MiB", nullable=True),
        C("nvlinks", "i64", "NVLinks of one GPU; 0 for none", nullable=True),
        C("nvlink_gbytes_s", "f64", "rate of one NVLink, one direction", "GB/s", nullable=True),
        C("source", "str", "where the figures are from", nullable=True),
        C("confidence", "str", "lowest confidence of them", nullable=True),
    ),
    ("part",),
)
NODE_TRAITS = Schema(
    "node_traits",
    "What a node of each system in the plan shows: sockets, memory, services, its NVLink domain.",
    (
        C("system", "str", "catalogue id"),
        C("gpus", "i64", "GPUs"),
        C("sockets", "i64", "processors", nullable=True),
        C("architecture", "str", "x86_64 or aarch64", nullable=True),
        C("memory_gib", "f64", "memory of the processors", "GiB", nullable=True),
        C("dimms", "i64", "memory modules; 0 where memory is soldered", nullable=True),
        C("dimm_gib", "f64", "size of one module", "GiB", nullable=True),
        C("dimm_mts", "f64", "speed that the modules run at", "MT/s", nullable=True),
        C("channels", "i64", "memory channels of one socket", nullable=True),
        C("nvlink", "str", "none, switch (NVSwitch in the node) or domain (NVLink over several nodes)"),
        C("domain_gpus", "i64", "GPUs of one NVLink domain"),
        C("switch_trays", "i64", "NVLink switch trays of a domain", nullable=True),
        C("switch_chips", "i64", "NVLink switch chips of a domain, or of the node", nullable=True),
        C("fabric_manager", "bool", "the node itself must run the fabric manager"),
        C("bmc", "bool", "it has a BMC"),
        C("source", "str", "where the figures are from", nullable=True),
        C("confidence", "str", "lowest confidence of them", nullable=True),
    ),
    ("system",),
)
SOFTWARE = Schema(
    "software",
    "The lock of versions: what every node must run. A component that nobody locked has no row.",
    (
        C("component", "str", "component as in `version_facts`"),
        C("part", "str", "part it is of, where it is firmware of a part", nullable=True),
        C("version", "str", "version that every node must have"),
        C("origin", "str", "declared or assumed"),
        C("source", "str", "where the requirement says so"),
    ),
    ("component", "part"),
)
MACHINES = Schema(
    "machines",
    "Which machine each node is, where the project's machines.csv says so.",
    (
        C("node", "str", "node"),
        C("kind", "str", "kind of name as in `identity_facts`"),
        C("value", "str", "the name"),
        C("origin", "str", "declared"),
    ),
    ("node", "kind", "value"),
    {"node": "nodes.node"},
)

NVLINK_TRAYS = Schema(
    "nvlink_trays",
    "NVLink switch trays of racks whose GPUs are one NVLink domain: where each stands, and what its captures are called.",
    (
        C("nvlink_tray", "str", "natural key: nvtray:<rack>/<number from the bottom of the rack>"),
        C("name", "str", "display name, and that of its captures: nvlink-<rack>-<number>"),
        C("unit", "i64", "number of the NVLink domain, as in `nodes`"),
        C("rack", "str", "rack"),
        C("u", "f64", "lowest U it takes", "U"),
        C("slot", "str", "its place in `rack_slots`"),
        C("part", "str", "catalogue id"),
        C("chips", "i64", "NVLink switch chips", nullable=True),
        C("ports", "i64", "NVLink ports of all its chips", nullable=True),
        C("phase", "str", "build phase"),
    ),
    ("nvlink_tray",),
    {"rack": "racks.rack", "slot": "rack_slots.slot"},
)

NODE_TABLES = (HARDWARE, NODE_TRAITS, SOFTWARE, MACHINES, NVLINK_TRAYS)
