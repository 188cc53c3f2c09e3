"""Texts of GPU tools as made-up machines would print them: eight GPUs, with the quirks that real captures have."""

from __future__ import annotations

import json

GPUS = 8
PLACES = ("18", "2A", "3A", "5D", "9A", "AB", "BA", "DB")


def uuid(gpu: int) -> str:
    return f"GPU-{gpu:08x}-1111-2222-3333-{gpu:012x}"


def serial(gpu: int) -> str:
    return f"16500000000{gpu:02d}"


def _fields(gpu: int) -> list[tuple[int, str, str | None]]:
    """(depth, label, value) of one GPU's block of `nvidia-smi -q`."""
    return [
        (1, "Product Name", "NVIDIA H100 80GB HBM3"),
        (1, "Persistence Mode", "Enabled"),
        (1, "MIG Mode", None), (2, "Current", "Disabled"), (2, "Pending", "Disabled"),
        (1, "Serial Number", serial(gpu)),
        (1, "GPU UUID", uuid(gpu)),
        (1, "VBIOS Version", "96.00.74.00.01"),
        (1, "Platform Info", None), (2, "Module Id", str(gpu + 1)),
        (1, "PCI", None), (2, "GPU Link Info", None), (3, "PCIe Generation", None), (4, "Max", "5"), (4, "Current", "5"),
        (3, "Link Width", None), (4, "Max", "16x"), (4, "Current", "8x" if gpu == 3 else "16x"),
        (2, "Replays Since Reset", "7"),
        (1, "Performance State", "P0"),
        (1, "Clocks Event Reasons", None), (2, "Idle", "Not Active"),
        (2, "SW Power Cap", "Active" if gpu == 1 else "Not Active"),
        (2, "HW Slowdown", "Active" if gpu == 2 else "Not Active"),
        (3, "HW Thermal Slowdown", "Active" if gpu == 2 else "Not Active"),
        (3, "HW Power Brake Slowdown", "Not Active"), (2, "SW Thermal Slowdown", "Not Active"),
        (1, "Clocks Event Reasons Counters", None), (2, "SW Power Capping", "12 us"),
        (1, "FB Memory Usage", None), (2, "Total", "81559 MiB"), (2, "Used", "1 MiB"),
        (1, "Utilization", None), (2, "Gpu", "0 %"),
        (1, "ECC Mode", None), (2, "Current", "Enabled"),
        (1, "ECC Errors", None), (2, "Volatile", None), (3, "SRAM Correctable", "0"), (3, "SRAM Uncorrectable Parity", "1"),
        (3, "SRAM Uncorrectable SEC-DED", "2"), (3, "DRAM Correctable", "4"), (3, "DRAM Uncorrectable", "8"),
        (2, "Aggregate", None), (3, "SRAM Uncorrectable Parity", "16"), (3, "SRAM Uncorrectable SEC-DED", "N/A"),
        (3, "DRAM Uncorrectable", "32"),
        (1, "Retired Pages", None), (2, "Single Bit ECC", "N/A"), (2, "Double Bit ECC", "N/A"),
        (1, "Remapped Rows", None), (2, "Correctable Error", "0"), (2, "Uncorrectable Error", "2"), (2, "Pending", "Yes"),
        (2, "Remapping Failure Occurred", "No"),
        (1, "Temperature", None), (2, "GPU Current Temp", "30 C"), (2, "GPU T.Limit Temp", "57 C"),
        (2, "Memory Current Temp", "36 C"),
        (1, "GPU Power Readings", None), (2, "Power Draw", "100.89 W"), (2, "Current Power Limit", "700.00 W"),
        (1, "Module Power Readings", None), (2, "Power Draw", "N/A"),
        (1, "Clocks", None), (2, "SM", "345 MHz"), (1, "Max Clocks", None), (2, "SM", "1980 MHz"),
        (1, "Fabric", None), (2, "State", "Completed"), (2, "Status", "Success"), (2, "CliqueId", "32766"),
        (2, "ClusterUUID", "AB0AD2B5-0000-4A6B-9E2C-111122223333" if gpu else "00000000-0000-0000-0000-000000000000"),
        (1, "Processes", "None"),
    ]  # fmt: skip


def _line(depth: int, label: str, value: str | None) -> str:
    head = "    " * depth + label
    return head if value is None else f"{head:<42}: {value}"


def full(gpus: int = GPUS) -> str:
    """`nvidia-smi -q`."""
    head = ["", "==============NVSMI LOG==============", ""]
    head += [f"{label:<42}: {value}" for label, value in (
        ("Timestamp", "Tue Jan  6 10:00:00 2026"), ("Driver Version", "565.57.01"), ("CUDA Version", "12.7"))]  # fmt: skip
    head += ["", f"{'Attached GPUs':<42}: {gpus}"]
    for gpu in range(gpus):
        head += [f"GPU 00000000:{PLACES[gpu]}:00.0", *(_line(*field) for field in _fields(gpu)), ""]
    return "\n".join(head) + "\n"


def part(gpus: int = 2) -> str:
    """`nvidia-smi -q -d PAGE_RETIREMENT`."""
    blocks = [
        f"GPU 0000000{gpu + 1}:00:00.0\n    Retired Pages\n        Single Bit ECC                    : 1\n"
        "        Double Bit ECC                    : 2\n        Pending Page Blacklist            : No\n"
        for gpu in range(gpus)
    ]  # fmt: skip
    return "==============NVSMI LOG==============\n\n" + "\n".join(blocks) + "\n"


def table(gpus: int = GPUS) -> str:
    """`nvidia-smi`, the width of driver 535 and later."""
    border = "+-----------------------------------------+------------------------+----------------------+"
    rows = []
    for gpu in range(gpus):
        rows += [
            f"|   {gpu}  NVIDIA H100 80GB HBM3          On  |   00000000:{PLACES[gpu]}:00.0 Off |                    0 |",
            "| N/A   30C    P0            100W /  700W |       1MiB /  81559MiB |      0%      Default |",
            "|                                         |                        |             Disabled |",
            border,
        ]
    return "\n".join([
        "Tue Jan  6 10:00:00 2026",
        border.replace("+", "-").replace("-", "+", 1)[:-1] + "+",
        "| NVIDIA-SMI 565.57.01              Driver Version: 565.57.01      CUDA Version: 12.7     |",
        "|" + border[1:-1] + "|",
        "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
        "|=========================================+========================+======================|",
        *rows,
        "",
        "+-----------------------------------------------------------------------------------------+",
        "| Processes:                                                                              |",
        "|  No running processes found                                                             |",
        "+-----------------------------------------------------------------------------------------+",
    ]) + "\n"  # fmt: skip


def listed(gpus: int = 2) -> str:
    """`nvidia-smi -L` with a MIG device under the first GPU."""
    lines = [f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: {uuid(gpu)})" for gpu in range(gpus)]
    lines.insert(1, "  MIG 1g.10gb     Device  0: (UUID: MIG-00000000-1111-2222-3333-444444444444)")
    return "\n".join(lines) + "\n"


def csv(gpus: int = 2) -> str:
    """`nvidia-smi --query-gpu=… --format=csv`: units in the header and the values."""
    head = "index, pci.bus_id, uuid, serial, name, vbios_version, driver_version, memory.total [MiB], pcie.link.width.current, "
    head += (
        "persistence_mode, mig.mode.current, ecc.errors.uncorrected.volatile.total, temperature.gpu, clocks.current.sm [MHz]"
    )
    rows = [
        f"{g}, 00000000:{PLACES[g]}:00.0, {uuid(g)}, {serial(g)}, NVIDIA H100 80GB HBM3, 96.00.74.00.01, 565.57.01, 81559 MiB, "
        "16, Enabled, Disabled, 0, 30, 345 MHz"
        for g in range(gpus)
    ]
    return "\n".join([head, *rows]) + "\n"


def xml(gpus: int = 2) -> str:
    """`nvidia-smi -q -x`."""
    body = "".join(
        f"""	<gpu id="00000000:{PLACES[gpu]}:00.0">
		<product_name>NVIDIA H100 80GB HBM3</product_name>
		<mig_mode>
			<current_mig>Enabled</current_mig>
		</mig_mode>
		<mig_devices>
			<mig_device>
				<fb_memory_usage>
					<total>9 MiB</total>
				</fb_memory_usage>
			</mig_device>
		</mig_devices>
		<serial>{serial(gpu)}</serial>
		<uuid>{uuid(gpu)}</uuid>
		<vbios_version>96.00.74.00.01</vbios_version>
		<clocks_event_reasons>
			<clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>
			<clocks_event_reason_hw_power_brake_slowdown>Active</clocks_event_reason_hw_power_brake_slowdown>
		</clocks_event_reasons>
		<fb_memory_usage>
			<total>81559 MiB</total>
		</fb_memory_usage>
		<fabric>
			<state>In Progress</state>
			<status>N/A</status>
		</fabric>
	</gpu>
"""
        for gpu in range(gpus)
    )
    return (
        '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n<nvidia_smi_log>\n'
        f"\t<driver_version>565.57.01</driver_version>\n\t<cuda_version>12.7</cuda_version>\n{body}</nvidia_smi_log>\n"
    )


def topology(tabs: bool = True, legend: bool = True, colours: bool = False) -> str:
    """`nvidia-smi topo -m` of two GPUs and two NICs; with tabs there is an empty cell before the NUMA id of the GPU."""
    names = ["GPU0", "GPU1", "NIC0", "NIC1"]
    cells = {
        "GPU0": [" X ", "NV18", "PIX", "SYS"], "GPU1": ["NV18", " X ", "SYS", "PIX"],
        "NIC0": ["PIX", "SYS", " X ", "NODE"], "NIC1": ["SYS", "PIX", "NODE", " X "],
    }  # fmt: skip
    near = {"GPU0": ["0-47,96-143", "0"], "GPU1": ["48-95,144-191", "1"]}
    heads = ["CPU Affinity", "NUMA Affinity", "GPU NUMA ID"]
    if tabs:
        head = "\t" + "\t".join([*names, *heads])
        if colours:
            head = "\t\x1b[4m" + head[1:] + "\x1b[0m"
        rows = ["\t".join([n, *cells[n], *([*near[n], "", "N/A"] if n in near else ["", "", "", ""])]) for n in names]
    else:
        head = " " * 8 + "".join(f"{n:<8}" for n in names) + "    ".join(heads)
        rows = [
            f"{n:<8}" + "".join(f"{c:<8}" for c in cells[n]) + "    ".join([*near[n], "N/A"] if n in near else [])
            for n in names
        ]
    tail = [
        "",
        "Legend:",
        "",
        "  X    = Self",
        "  SYS  = across sockets",
        "",
        "NIC Legend:",
        "",
        "  NIC0: mlx5_0",
        "  NIC1: mlx5_4",
    ]
    return "\n".join([head, *(row.rstrip(" ") for row in rows), *(tail if legend else [])]) + "\n"


def links(gpus: int = 2) -> str:
    """`nvidia-smi nvlink -s`: one link is down."""
    lines = []
    for gpu in range(gpus):
        lines.append(f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: {uuid(gpu)})")
        lines += [f"\t Link {n}: {'<inactive>' if (gpu, n) == (1, 2) else '26.562 GB/s'}" for n in range(4)]
    return "\n".join(lines) + "\n"


def link_errors(gpus: int = 2) -> str:
    """`nvidia-smi nvlink -e`."""
    lines = []
    for gpu in range(gpus):
        lines.append(f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: {uuid(gpu)})")
        lines += [f"\t Link {n}: {word} Errors: {n}" for n in range(3) for word in ("Replay", "Recovery", "CRC")]
    return "\n".join(lines) + "\n"


def _bars(name: str, value: str) -> str:
    return f"| {name:<25} | {value:<46} |"


def diagnostic(version: int = 3) -> str:
    """`dcgmi diag -r 2`: DCGM 3 names the failing GPUs, DCGM 4 has a line for each GPU."""
    rows = [
        "Successfully ran diagnostic for group.",
        f"+{'-' * 27}+{'-' * 48}+", _bars("Diagnostic", "Result"), f"+{'=' * 27}+{'=' * 48}+",
        f"|-----  Metadata  ----------+{'-' * 48}|", _bars("DCGM Version", f"{version}.3.3"),
        _bars("Driver Version Detected", "565.57.01"), f"|-----  Deployment  --------+{'-' * 48}|",
    ]  # fmt: skip
    if version == 4:
        rows += [
            _bars("software", "Fail"),
            _bars("", "GPU0: Pass"),
            _bars("", "GPU1: Fail"),
            _bars("Warning", "GPU1 DCGM_FR_X lost"),
        ]
    else:
        rows += [
            _bars("Page Retirement/Row Remap", "Pass"), _bars("Persistence Mode", "Fail"),
            _bars("Warning", "GPU 0 is not persistent"),
            _bars("", "turn it on."), f"+-----  Integration  -------+{'-' * 48}+", _bars("PCIe", "Pass - All"),
            f"+-----  Hardware  ----------+{'-' * 48}+", _bars("GPU Memory", "Fail - GPU: 1, 3"),
            _bars("Memtest", "Skip - All"),
        ]  # fmt: skip
    return "\n".join([*rows, f"+{'-' * 27}+{'-' * 48}+"]) + "\n"


def diagnostic_json(version: int = 3) -> str:
    """`dcgmi diag -j`."""
    if version == 4:
        tests = [{"name": "memory", "test_summary": {"status": "Fail"}, "results": [
            {"entity_group": "GPU", "entity_id": 0, "status": "Pass"},
            {"entity_group": "GPU", "entity_id": 1, "status": "Fail",
             "warnings": [{"warning": "it broke", "error_id": 41}]}]}]  # fmt: skip
        body = {
            "DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": tests}]},
            "metadata": {"version": "4.2.0"},
        }
        return json.dumps(body, indent=2) + "\n"
    tests = [
        {
            "name": "PCIe",
            "results": [{"gpu_ids": "0,1", "status": "PASS"}, {"gpu_id": "2", "status": "WARN", "warnings": "slow"}],
        }
    ]
    return json.dumps({"DCGM GPU Diagnostic": {"test_categories": [{"category": "Integration", "tests": tests}]}}) + "\n"


def manager() -> str:
    """A log of the fabric manager."""
    head = "[Jan 06 2026 10:00:0"
    return "\n".join([
        f"{head}0] [INFO] [tid 1] Fabric Manager version 565.57.01 is running with the following configuration options",
        f"{head}1] [INFO] [tid 1] Message header details:",
        "Message payload details: nothing of use",
        f"{head}2] [INFO] [tid 1] Successfully configured all the available GPUs and NVSwitches to route NVLink traffic.",
        f"{head}3] [ERROR] [tid 2] detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:86:00.0 "
        "physical id 3 port 33",
        f"{head}4] [ERROR] [tid 2] failed to open the device",
    ]) + "\n"  # fmt: skip


def domain() -> str:
    """`nvidia-imex-ctl -N`: two nodes, one not reached."""
    return "\n".join([
        "Connectivity Table Legend:", "C - Connected - Ready for operation", "I - Invalid - Node wasn't reachable", "",
        "1/6/2026 10:00:00.123", "Nodes:",
        "Node #0   - 10.0.0.1    - READY                - Version: 570.133.20",
        "Node #1   - 10.0.0.2    - UNAVAILABLE          - Version: N/A", "",
        " Nodes From\\To  0   1  ", "       0        C   N  ", "       1        I   I  ", "Domain State: DOWN",
    ]) + "\n"  # fmt: skip


def domain_json() -> str:
    """`nvidia-imex-ctl -N -j`."""
    nodes = {
        "0": {"status": "READY", "host": "10.0.0.1", "version": "570.133.20",
              "connections": {"0": {"host": "10.0.0.1", "status": "CONNECTED"}, "1": {"status": "NEVER_CONNECTED"}}},
        "1": {"status": "UNAVAILABLE", "host": "10.0.0.2", "connections": {}},
    }  # fmt: skip
    return json.dumps({"nodes": nodes, "status": "DEGRADED"}, indent=1) + "\n"


def tray_system(prompt: str = "") -> str:
    """NVOS of one tray: chips, health and what is wrong, place; behind the prompts of a terminal, where one is given."""
    return "\n".join(f"{prompt} {line}" if line.startswith("nv show") else line for line in [
        "nv show ib device",
        "Device  Type      IB Subnet           GUID                     LID",
        "------  --------  ------------------  -----------------------  ---",
        "ASIC1   NVLink-5  infiniband-default  00:00:00:01:FF:FF:00:00  0",
        "ASIC2   NVLink-5  infiniband-default  00:00:00:01:FF:FF:01:00  0",
        "SYSTEM                                9C:63:C0:03:00:72:B2:12", "",
        "nv show system health",
        "            operational  applied",
        "----------  -----------  -------",
        "status      Not OK",
        "status-led  off", "",
        "Health issues",
        "================",
        "Component  Status information",
        "---------  ------------------",
        "LEAKAGE-1  detected leakage", "",
        "nv show platform chassis-location",
        "             operational",
        "-----------  -----------",
        "tray-index   0",
        "slot-number  5",
        "chassis-sn   999WWYY123456",
        "topology-id  GB200 NVL72",
    ] if prompt or not line.startswith("nv show")) + "\n"  # fmt: skip


def tray_parts() -> str:
    """`nv show platform inventory` of one tray."""
    return "\n".join([
        "        HW Version  Model               Serial        State  Type",
        "------  ----------  ------------------  ------------  -----  ------",
        "BMC     N/A         P3809               0123456789    ok     bmc",
        "SWITCH  A1          920-9K36W-00MV-GS0  MT0000X00001  bad    switch",
    ]) + "\n"  # fmt: skip


def switches() -> str:
    """`dcgmi nvlink -s`."""
    return "\n".join([
        "+----------------------+", "|  NvLink Link Status  |", "+----------------------+", "GPUs:",
        "    gpuId 0:", "        U U _ _", "    gpuId 1:", "        U D X _", "NvSwitches:",
        "    physicalId 0:", "        U U D", "", "Key: Up=U, Down=D, Disabled=X, Not Supported=_",
    ]) + "\n"  # fmt: skip


def counters() -> str:
    """`dcgmi nvlink -e`."""
    bar = f"+{'-' * 27}+{'-' * 48}+"
    rows = [
        bar,
        "| NVLINK Error Counts                                                        |",
        "| GPU 0" + " " * 70 + "|",
        bar,
    ]
    for link in range(2):
        rows += [_bars(f"Link {link}", ""), _bars("-> CRC FLIT Error", "1"), _bars("-> CRC Data Error", "2"),
                 _bars("-> Replay Error", "0"), _bars("-> Recovery Error", "0")]  # fmt: skip
    return "\n".join([*rows, bar]) + "\n"


#: Tool -> texts of it.
TEXTS: dict[str, tuple[str, ...]] = {
    "nvidia-smi": (table(2),),
    "nvidia-smi-q": (full(2), part()),
    "nvidia-smi-xml": (xml(),),
    "nvidia-smi-csv": (csv(),),
    "nvidia-smi-l": (listed(),),
    "nvidia-smi-topo": (topology(), topology(tabs=False), topology(colours=True)),
    "nvidia-smi-nvlink": (links(), link_errors()),
    "dcgmi-diag": (diagnostic(3), diagnostic(4), diagnostic_json(3), diagnostic_json(4)),
    "dcgmi-nvlink": (switches(), counters()),
    "fabricmanager-log": (manager(),),
    "imex": (domain(), domain_json()),
    "nvos": (tray_system(), tray_parts()),
}
