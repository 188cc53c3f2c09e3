"""Fact tables of what a machine's GPUs say: identity, link, memory, faults, NVLink, the matrix of the topology, diagnostics."""

from __future__ import annotations

from asbuilt.base.table import Column, Schema
from asbuilt.model.facts_node import HOST, ORIGIN

C = Column

GPU_FACTS = Schema(
    "gpu_facts",
    "One row per GPU and report.",
    (
        HOST,
        C("index", "i64", "index that the tool gives it", nullable=True),
        C("address", "str", "PCI address", nullable=True),
        C("uuid", "str", "GPU UUID", nullable=True),
        C("serial", "str", "serial number", nullable=True),
        C("name", "str", "product name as printed", nullable=True),
        C("vbios", "str", "VBIOS version", nullable=True),
        C("memory_mib", "f64", "total memory", "MiB", nullable=True),
        C("memory_used_mib", "f64", "memory in use", "MiB", nullable=True),
        C("gen_now", "i64", "PCIe generation it runs at", nullable=True),
        C("gen_max", "i64", "highest generation of GPU and its slot", nullable=True),
        C("width_now", "i64", "lanes it runs on", nullable=True),
        C("width_max", "i64", "highest width", nullable=True),
        C("replays", "f64", "PCIe replays", nullable=True),
        C("performance_state", "str", "P0 to P12", nullable=True),
        C("utilisation_percent", "f64", "load of the GPU", "%", nullable=True),
        C("persistence", "bool", "persistence mode", nullable=True),
        C("mig", "bool", "multi-instance mode", nullable=True),
        C("ecc", "bool", "ECC mode", nullable=True),
        C("uncorrected_volatile", "f64", "uncorrected ECC errors since the last load of the driver", nullable=True),
        C("uncorrected_aggregate", "f64", "uncorrected ECC errors of its life", nullable=True),
        C("sram_uncorrected_aggregate", "f64", "the part of these in SRAM", nullable=True),
        C("corrected_volatile", "f64", "corrected ECC errors since the last load of the driver", nullable=True),
        C("corrected_aggregate", "f64", "corrected ECC errors of its life", nullable=True),
        C("remapped_corrected", "f64", "rows remapped for corrected errors", nullable=True),
        C("remapped_uncorrected", "f64", "rows remapped for uncorrected errors", nullable=True),
        C("remap_pending", "bool", "a remap waits for a reset", nullable=True),
        C("remap_failed", "bool", "a remap failed", nullable=True),
        C("retired_pages", "f64", "retired pages", nullable=True),
        C("temperature_c", "f64", "core temperature", "°C", nullable=True),
        C("memory_temperature_c", "f64", "memory temperature", "°C", nullable=True),
        C("margin_c", "f64", "margin to the thermal limit (T.Limit)", "°C", nullable=True),
        C("power_w", "f64", "power drawn", "W", nullable=True),
        C("power_limit_w", "f64", "power limit in force", "W", nullable=True),
        C("sm_mhz", "f64", "clock of the SMs", "MHz", nullable=True),
        C("sm_max_mhz", "f64", "highest clock of the SMs", "MHz", nullable=True),
        C(
            "slowdown",
            "str",
            "reasons for a slower clock that are active, joined by +: hw_thermal, hw_power_brake, hw, sw_thermal, sw_power, "
            "sync, app_clocks, display, idle; none when no reason is active",
            nullable=True,
        ),
        C("fabric_state", "str", "state of the fabric registration as printed (Completed, In Progress)", nullable=True),
        C("fabric_status", "str", "status as printed (Success)", nullable=True),
        C("cluster_uuid", "str", "NVLink cluster UUID; 0 for none", nullable=True),
        C("clique_id", "i64", "NVLink clique", nullable=True),
        C("module_id", "i64", "module id", nullable=True),
        *ORIGIN,
    ),
    ("capture_id", "line", "host"),
)
NVLINK_FACTS = Schema(
    "nvlink_facts",
    "One row per NVLink of a GPU and report.",
    (
        HOST,
        C("gpu", "i64", "index of the GPU"),
        C("uuid", "str", "UUID of the GPU", nullable=True),
        C("link", "i64", "number of the link"),
        C("active", "bool", "it is active", nullable=True),
        C("gbytes_s", "f64", "rate of one direction as printed", "GB/s", nullable=True),
        C("replay_errors", "f64", "replay errors", nullable=True),
        C("recovery_errors", "f64", "recovery errors", nullable=True),
        C("crc_errors", "f64", "CRC errors", nullable=True),
        C("remote", "str", "PCI address or id of the far side, where printed", nullable=True),
        *ORIGIN,
    ),
    ("capture_id", "line", "host", "gpu", "link"),
)
TOPOLOGY_FACTS = Schema(
    "topology_facts",
    "One row per cell of a topology matrix (`nvidia-smi topo -m`): both directions, without the diagonal.",
    (
        HOST,
        C("a", "str", "row as printed (GPU0, NIC3)"),
        C("b", "str", "column as printed"),
        C("a_device", "str", "device behind a row of the NIC legend (mlx5_0); null where no legend says it", nullable=True),
        C("b_device", "str", "device behind the column", nullable=True),
        C("relation", "str", "NV<n>, PIX, PXB, PHB, NODE or SYS"),
        *ORIGIN,
    ),
    ("host", "a", "b", "capture_id"),
)
AFFINITY_FACTS = Schema(
    "affinity_facts",
    "One row per GPU (or NIC) of a topology matrix: the processors and NUMA node that the driver calls near.",
    (
        HOST,
        C("device", "str", "row as printed (GPU0)"),
        C("cpus", "str", "processors as a list", nullable=True),
        C("numa", "str", "NUMA node, or a list of them, as printed", nullable=True),
        C("gpu_numa", "i64", "NUMA id of the GPU's own memory", nullable=True),
        *ORIGIN,
    ),
    ("host", "device", "capture_id"),
)
DIAGNOSTIC_FACTS = Schema(
    "diagnostic_facts",
    "One row per test and GPU of a diagnostic (dcgmi diag).",
    (
        HOST,
        C("category", "str", "group of the test as printed", nullable=True),
        C("test", "str", "name in lower case with underscores"),
        C("gpu", "i64", "index of the GPU; null for the whole machine", nullable=True),
        C("result", "str", "pass, fail, warn or skip"),
        C("code", "str", "error code", nullable=True),
        C("message", "str", "warning or error in words", nullable=True),
        C("version", "str", "version of the diagnostic", nullable=True),
        *ORIGIN,
    ),
    ("capture_id", "line", "host", "test", "gpu"),
)
NVLINK_FABRIC_FACTS = Schema(
    "nvlink_fabric_facts",
    "One row per statement about the NVLink domain outside a GPU: switch trays and chips, IMEX nodes.",
    (
        HOST,
        C("kind", "str", "switch_tray (as a whole, or a part of it), switch_chip, imex_node, imex_domain or partition"),
        C("name", "str", "as printed; of a chip its own name, without that of a chassis around it"),
        C("state", "str", "as printed, lower case; of a part of a tray its health, or that it is absent or off", nullable=True),
        C("peer", "str", "the node that an IMEX line speaks of", nullable=True),
        *ORIGIN,
    ),
    ("capture_id", "line", "host", "kind", "name", "peer"),
)

GPU_FACT_TABLES = (GPU_FACTS, NVLINK_FACTS, TOPOLOGY_FACTS, AFFINITY_FACTS, DIAGNOSTIC_FACTS, NVLINK_FABRIC_FACTS)
