"""Topology of machines as measured, resolved to planned GPUs and ports: what checks of affinity judge.

`diagnose.measured_topology` makes them from several fact tables. ``gpu`` counts the GPUs of a node from 0 in the order of their
PCI addresses, which is the driver's own. ``socket`` is that of the NUMA node: NUMA nodes with processors are dealt out to the
sockets in order (a board with NPS4 has four to a socket).
"""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column
_ORIGIN = (
    C("capture_id", "str", "the capture that says so", nullable=True),
    C("line", "i64", "1-based line of the capture", nullable=True),
)
GPU_PLACES = Schema(
    "gpu_places",
    "Where each GPU of a node sits, by its firmware.",
    (
        C("node", "str", "node"),
        C("gpu", "i64", "number of the GPU"),
        C("address", "str", "PCI address"),
        C("numa", "i64", "NUMA node; null where the firmware does not say", nullable=True),
        C("socket", "i64", "processor socket", nullable=True),
        C("cpus", "str", "processors of its NUMA node as a list", nullable=True),
        C("driver_cpus", "str", "processors that the driver calls near", nullable=True),
        *_ORIGIN,
    ),
    ("node", "gpu"),
)
PORT_PLACES = Schema(
    "port_places",
    "Where each network device of a node sits, by its firmware.",
    (
        C("node", "str", "node"),
        C("device", "str", "RDMA device"),
        C("address", "str", "PCI address"),
        C("numa", "i64", "NUMA node; null where the firmware does not say", nullable=True),
        C("socket", "i64", "processor socket", nullable=True),
        C("cpus", "str", "processors of its NUMA node as a list", nullable=True),
        *_ORIGIN,
    ),
    ("node", "device"),
)
NEAR = Schema(
    "near_measured",
    "How near each GPU of a node is to each network device: before the driver and after it.",
    (
        C("node", "str", "node"),
        C("gpu", "i64", "number of the GPU"),
        C("device", "str", "RDMA device"),
        C("before", "str", "PIX, PXB, PHB, NODE or SYS by PCI parents and NUMA nodes", nullable=True),
        C("after", "str", "the driver's word", nullable=True),
        C("same_numa", "bool", "both on one NUMA node", nullable=True),
        C("one_domain", "bool", "the driver can tell: false on Grace, where every GPU has a PCI domain of its own"),
        *_ORIGIN,
    ),
    ("node", "gpu", "device"),
)

NVLINK_TRAY_MEASURED = Schema(
    "nvlink_tray_measured",
    "What captures of NVLink switch trays say: one row per chip, part, sensor or leak detector and capture.",
    (
        C("node", "str", "null: a switch tray is no node", nullable=True),
        C("nvlink_tray", "str", "tray of the plan"),
        C("kind", "str", "switch_chip, switch_tray (as a whole, or a part), or sensor"),
        C("name", "str", "as printed"),
        C("state", "str", "as printed, lower case; of a sensor that of `sensor_facts`", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line", "nvlink_tray", "kind", "name"),
)
