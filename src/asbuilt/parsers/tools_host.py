"""Tools of what a machine tells of itself: tool name -> module that reads it."""

from __future__ import annotations

HOST_TOOLS: dict[str, str] = {
    "node-manifest": "node_manifest",
    "sysfs": "sysfs",
    "sysfs-paths": "sysfs_paths",
    "interrupts": "interrupts",
    "lspci": "lspci",
    "lspci-vv": "lspci_vv",
    "lspci-tv": "lspci_tv",
    "lstopo": "lstopo",
    "lscpu": "lscpu",
    "numactl": "numactl",
    "lsmod": "lsmod",
    "modinfo": "modinfo",
    "dmidecode": "dmidecode",
    "dmesg": "dmesg",
    "systemctl": "systemctl",
    "ipmitool-sensor": "ipmitool_sensor",
    "ipmitool-fru": "ipmitool_fru",
    "ipmitool-sel": "ipmitool_sel",
    "redfish": "redfish",
    "readings": "readings",
    "packages": "packages",
    "filehashes": "filehashes",
    "ethtool-link": "ethtool_link",
}
