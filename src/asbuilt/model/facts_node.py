"""Fact tables of what one machine says of itself: who it is, its memory and processors, devices, settings, services, events.

``host`` is the machine: the subject of the capture (the node's name in an archive), or the prefix of a line. PCI addresses are
written ``dddd:bb:dd.f``, lower case, with the domain; what a tool does not print is null.
"""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column
ORIGIN = (
    C("capture_id", "str", "the capture that says so"),
    C("line", "i64", "1-based line (or record) of the capture"),
)
HOST = C("host", "str", "the machine that says so", nullable=True)

COMMAND_FACTS = Schema(
    "command_facts",
    "One row per command of a node's archive: whether it ran, how it ended, how long it took.",
    (
        HOST,
        C("command", "str", "id of the command in the capture set"),
        C("outcome", "str", "ran, timed_out, absent (no such program), needs_root, skipped or failed"),
        C("exit_code", "i64", "exit status", nullable=True),
        C("seconds", "f64", "how long it took", "s", nullable=True),
        C("time", "str", "when it began, ISO 8601", nullable=True),
        *ORIGIN,
    ),
    ("host", "command"),
)
IDENTITY_FACTS = Schema(
    "identity_facts",
    "One row per name by which a machine can be told from every other.",
    (
        HOST,
        C(
            "kind",
            "str",
            "system_serial, system_uuid, board_serial, chassis_serial, machine_id, hostname, boot_id, bmc_mac, gpu_uuid, "
            "gpu_serial, nic_serial or port_guid",
        ),
        C("value", "str", "as printed, lower case for UUIDs, GUIDs and MACs"),
        *ORIGIN,
    ),
    ("host", "kind", "value"),
)
VERSION_FACTS = Schema(
    "version_facts",
    "One row per thing of a machine that has a version.",
    (
        HOST,
        C(
            "component",
            "str",
            "kernel, os, cmdline, driver, cuda, ofed, nccl, mpi, bios, bmc, vbios, nic_firmware, fabric_manager, "
            "module:<name>, package:<name>, file:<path> (a hash), ...",
        ),
        C("device", "str", "device it is of (PCI address, mlx5_0, GPU index), where there are several", nullable=True),
        C("part", "str", "part or board id that the tool prints (PSID, MT4129, GPU name)", nullable=True),
        C("version", "str", "as printed"),
        *ORIGIN,
    ),
    ("host", "component", "device", "capture_id", "line"),
)
SETTING_FACTS = Schema(
    "setting_facts",
    "One row per setting of a machine or of a card in it (BIOS, mlxconfig, kernel command line, sysctl, ethtool).",
    (
        HOST,
        C("domain", "str", "bios, cmdline, nic, link, kernel, bmc or nccl"),
        C("device", "str", "device, where the setting is of one", nullable=True),
        C("name", "str", "name as the tool prints it"),
        C(
            "value",
            "str",
            "value as printed; for a card what holds now, null where the tool tells the next boot alone",
            nullable=True,
        ),
        C("next_boot", "str", "value from the next boot on, where the tool says it", nullable=True),
        *ORIGIN,
    ),
    ("host", "domain", "device", "name", "capture_id", "line"),
)
DIMM_FACTS = Schema(
    "dimm_facts",
    "One row per memory socket of a machine, full or empty.",
    (
        HOST,
        C("locator", "str", "name of the socket as printed"),
        C("bank", "str", "bank or channel as printed", nullable=True),
        C("size_gib", "f64", "size of the module; 0 for an empty socket", "GiB", nullable=True),
        C("kind", "str", "DDR4, DDR5, LPDDR5, ...", nullable=True),
        C("speed_mts", "f64", "rated speed", "MT/s", nullable=True),
        C("configured_mts", "f64", "speed that it runs at", "MT/s", nullable=True),
        C("maker", "str", "manufacturer", nullable=True),
        C("part", "str", "part number", nullable=True),
        C("serial", "str", "serial number", nullable=True),
        *ORIGIN,
    ),
    ("host", "locator", "bank", "capture_id", "line"),
)
PROCESSOR_FACTS = Schema(
    "processor_facts",
    "One row per machine and report: its processors.",
    (
        HOST,
        C("model", "str", "model name", nullable=True),
        C("architecture", "str", "x86_64 or aarch64", nullable=True),
        C("sockets", "i64", "processors", nullable=True),
        C("cores", "i64", "cores of one socket", nullable=True),
        C("threads", "i64", "threads of one core", nullable=True),
        C("cpus", "i64", "logical processors", nullable=True),
        C("online", "str", "those that are online, as a list (0-191)", nullable=True),
        C("numa_nodes", "i64", "NUMA nodes", nullable=True),
        *ORIGIN,
    ),
    ("host", "capture_id", "line"),
)
NUMA_FACTS = Schema(
    "numa_facts",
    "One row per NUMA node of a machine.",
    (
        HOST,
        C("numa", "i64", "number of the NUMA node"),
        C("cpus", "str", "its logical processors as a list (0-47,96-143); empty for a node of memory alone", nullable=True),
        C("memory_mib", "f64", "its memory", "MiB", nullable=True),
        C("distances", "str", "distance to every node, joined by a comma", nullable=True),
        *ORIGIN,
    ),
    ("host", "numa", "capture_id"),
)
PCI_FACTS = Schema(
    "pci_facts",
    "One row per PCI function and report. Bridges are rows too: `parent` leads up to the root port.",
    (
        HOST,
        C("address", "str", "dddd:bb:dd.f"),
        C("parent", "str", "address of the bridge above it; root:<dddd:bb> for a function of a root bus", nullable=True),
        C("class_id", "str", "class, four hex digits (0302: 3D controller, 0207: InfiniBand, 0604: bridge)", nullable=True),
        C("class_name", "str", "class in words", nullable=True),
        C("vendor_id", "str", "vendor, four hex digits", nullable=True),
        C("device_id", "str", "device, four hex digits", nullable=True),
        C("name", "str", "device in words", nullable=True),
        C("revision", "str", "revision", nullable=True),
        C("driver", "str", "kernel driver in use", nullable=True),
        C("numa_node", "i64", "NUMA node; -1 where the firmware does not say", nullable=True),
        C("slot", "str", "physical slot", nullable=True),
        C("port_type", "str", "endpoint, root_port, upstream, downstream, bridge or legacy", nullable=True),
        C("cap_gts", "f64", "speed that it is capable of", "GT/s", nullable=True),
        C("cap_width", "i64", "lanes that it is capable of", nullable=True),
        C("now_gts", "f64", "speed that it runs at", "GT/s", nullable=True),
        C("now_width", "i64", "lanes that it runs on", nullable=True),
        C("payload_bytes", "i64", "MaxPayload in force", "bytes", nullable=True),
        C("read_request_bytes", "i64", "MaxReadReq in force", "bytes", nullable=True),
        C("acs", "str", "ACS controls that are on, joined by + (SrcValid+ReqRedir); none when all are off", nullable=True),
        C("link_disabled", "bool", "link disable bit", nullable=True),
        *ORIGIN,
    ),
    ("host", "address", "capture_id", "line"),
)
NIC_FUNCTION_FACTS = Schema(
    "nic_function_facts",
    "One row per function of a network card and report: how the names of one device belong together.",
    (
        HOST,
        C("address", "str", "PCI address", nullable=True),
        C("rdma", "str", "RDMA device (mlx5_0)", nullable=True),
        C("port", "i64", "port of the device", nullable=True),
        C("netdev", "str", "network interface", nullable=True),
        C("mst", "str", "MST device", nullable=True),
        C("type", "str", "card type as printed (ConnectX7, MT4129)", nullable=True),
        C("psid", "str", "parameter set id", nullable=True),
        C("part_number", "str", "part number", nullable=True),
        C("firmware", "str", "firmware version", nullable=True),
        C("link_layer", "str", "infiniband or ethernet", nullable=True),
        C("up", "bool", "link is up", nullable=True),
        C("numa_node", "i64", "NUMA node", nullable=True),
        C("gid_index", "i64", "index of a GID", nullable=True),
        C("gid", "str", "the GID", nullable=True),
        C("gid_version", "str", "v1 or v2, for RDMA over Ethernet", nullable=True),
        *ORIGIN,
    ),
    ("capture_id", "line", "host"),
)
KERNEL_MODULE_FACTS = Schema(
    "kernel_module_facts",
    "One row per kernel module that is loaded, or that was asked for and is not.",
    (
        HOST,
        C("module", "str", "name, with underscores"),
        C("loaded", "bool", "it is loaded"),
        C("users", "i64", "how many use it", nullable=True),
        C("version", "str", "version", nullable=True),
        *ORIGIN,
    ),
    ("host", "module", "capture_id"),
)
SERVICE_FACTS = Schema(
    "service_facts",
    "One row per service of a machine.",
    (
        HOST,
        C("service", "str", "unit name without .service"),
        C("load", "str", "loaded, not-found or masked", nullable=True),
        C("active", "str", "active, inactive, failed or activating", nullable=True),
        C("sub", "str", "running, exited, dead, ...", nullable=True),
        C("enabled", "str", "enabled, disabled, static or masked", nullable=True),
        *ORIGIN,
    ),
    ("host", "service", "capture_id"),
)
IRQ_FACTS = Schema(
    "irq_facts",
    "One row per interrupt of a machine's network cards (and others, where the capture holds them).",
    (
        HOST,
        C("irq", "i64", "number"),
        C("name", "str", "name as /proc/interrupts prints it", nullable=True),
        C("address", "str", "PCI address of its device, where the name or sysfs says it", nullable=True),
        C("cpus", "str", "processors that it may go to, as a list", nullable=True),
        C("effective", "str", "processors that it does go to", nullable=True),
        C("count", "f64", "interrupts so far, all processors", nullable=True),
        *ORIGIN,
    ),
    ("host", "irq", "capture_id"),
)
EVENT_FACTS = Schema(
    "event_facts",
    "One row per line of a log that says something happened (kernel ring buffer, BMC event log, fabric manager).",
    (
        HOST,
        C(
            "source",
            "str",
            "xid, sxid, nvrm, mlx5, aer, pcie, nvlink, mce, oom, hung, thermal, sel, fabric_manager, nvidia-smi or dcgm; log: "
            "a line that says nothing but that the log was read and when",
        ),
        C("code", "str", "number or word of the event (79)", nullable=True),
        C("device", "str", "PCI address or sensor that it is about", nullable=True),
        C("seconds", "f64", "time since boot", "s", nullable=True),
        C("time", "str", "ISO 8601, where the log prints it with a date", nullable=True),
        C("severity", "str", "fatal, uncorrected, critical, corrected, warning or info, where the log says it", nullable=True),
        C("message", "str", "the line"),
        *ORIGIN,
    ),
    ("capture_id", "line", "host"),
)
SENSOR_FACTS = Schema(
    "sensor_facts",
    "One row per sensor of a BMC, rack PDU, power shelf or cooling unit.",
    (
        HOST,
        C("sensor", "str", "name as printed"),
        C("kind", "str", "temperature, voltage, current, power, fan, flow, pressure, humidity, leak, presence or discrete"),
        C("value", "f64", "reading", nullable=True),
        C("unit", "str", "unit of the reading", nullable=True),
        C("state", "str", "ok, warning, critical, leak, absent, unreadable, or as printed", nullable=True),
        C("low", "f64", "lower critical limit of the sensor itself", nullable=True),
        C("high", "f64", "upper critical limit of the sensor itself", nullable=True),
        C("time", "str", "time of the reading, ISO 8601", nullable=True),
        *ORIGIN,
    ),
    ("capture_id", "line", "host", "sensor"),
)

NODE_FACTS = (
    COMMAND_FACTS, IDENTITY_FACTS, VERSION_FACTS, SETTING_FACTS, DIMM_FACTS, PROCESSOR_FACTS, NUMA_FACTS, PCI_FACTS,
    NIC_FUNCTION_FACTS, KERNEL_MODULE_FACTS, SERVICE_FACTS, IRQ_FACTS, EVENT_FACTS, SENSOR_FACTS,
)  # fmt: skip
