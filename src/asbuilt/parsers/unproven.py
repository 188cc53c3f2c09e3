"""Formats that no real capture in our hands proves: what they were written from. Listed by the documentation and the report."""

from __future__ import annotations

#: Tool -> what its parser was written from.
NO_REAL_SAMPLE: dict[str, str] = {
    "mlnx_qos": "transcripts in public repositories and NVIDIA's manual (MLNX_OFED, Quality of Service)",
    "cma_roce_tos": "transcripts in public repositories",
    "ethtool": "its manual page, and the kernel's list of mlx5 counters; examples in public documents",
    "roce-ecn": "paths in NVIDIA's RoCE documentation and public set-up scripts",
    "nvue-qos": "NVIDIA's NVUE reference, which shows the text form; the JSON keys follow the object paths of its commands",
    "sonic-config": "the SONiC project's schema (doc/swss-schema, sonic-yang-models) and its public default templates",
    "interface-status": "tables in the SONiC project's own documents and tests; iproute2; NVIDIA's NVUE reference",
    "sysfs": "the kernel's documents of its ABI (sysfs-bus-pci, sysfs-class-infiniband, irq-affinity)",
    "sysfs-paths": "the kernel's own layout of /sys/devices",
    "interrupts": "the kernel's source (kernel/irq/proc.c)",
    "dmesg": "util-linux, the kernel's and NVIDIA's documents of their messages; lines in public issues",
    "modinfo": "kmod's manual page",
    "systemctl": "systemd's manual pages",
    "packages": "manual pages of dpkg-query, rpm and pip",
    "filehashes": "coreutils' manual pages",
    "ethtool-link": "ethtool's manual page; examples in public documents",
    "ipmitool-sensor": "ipmitool's source and examples in public documents",
    "ipmitool-fru": "the same",
    "ipmitool-sel": "the same",
    "redfish": "schemas of the DMTF (DSP2046); of NVLink switch trays NVIDIA's BMC manual, bmcweb and public models of it",
    "ibv_devinfo": "rdma-core's source; examples in public documents",
    "ofed_info": "NVIDIA's manual; examples in public documents",
    "imex": "NVIDIA's guide of IMEX",
    "nvos": "examples in NVIDIA's NVOS user manual for NVLink switches, and in that of Cumulus Linux for the inventory",
    "stream": "the printed form of STREAM's and BabelStream's sources",
    "bandwidthTest": "the printed form of the CUDA samples' source",
    "p2pBandwidthLatencyTest": "the same",
    "dcgmproftester": "NVIDIA's guide of DCGM; transcripts in public documents",
    "cublasMatmulBench": "the printed form of its open derivative; launch lines and rows in public scripts",
    "mamf-finder": "the printed form of its source, versions 1 to 4; transcripts in public documents",
    "gpu-burn": "the printed form of its source; transcripts in public documents",
}
#: Tool -> the part of its format that no real capture proves, where the rest is proven.
PARTLY: dict[str, str] = {
    "ibdiagnet-csv": "sections LINKS, PM_INFO, PM_DELTA, SM_INFO, CABLE_INFO and the complaints; real hexadecimal GUIDs",
    "dcgmi-diag": "the rate that the diagnostic test tells of each GPU",
    "ibdiagnet": "the list of subnet managers",
    "mlxlink": "bit error counters, FEC histogram, whole JSON",
    "ibqueryerrors": "tails with thresholds and suppressed counters, data counters",
}
