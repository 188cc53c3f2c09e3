"""What a node says of processors, memory, modules, services, packages and its kernel's log. Texts carry marks."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from asbuilt.model.capture_set import BY_ID
from asbuilt.rehearse.node_board import Dimm, listed, spread
from asbuilt.rehearse.node_marks import mark
from asbuilt.rehearse.node_state import State
from asbuilt.rehearse.node_sysfs import BOOT_CLOCK, BOOT_DAY

#: Distances of the ACPI table: itself, the same socket, the other socket, memory of a GPU.
_SELF, _NEAR, _FAR, _GPU = 10, 12, 21, 40
_SIZES = {"nvidia": 104050688, "nvidia_uvm": 2195456, "mlx5_core": 2588672, "mlx5_ib": 520192, "ib_core": 524288}
_FREE = 0.96
_BOOT = datetime.fromisoformat(f"{BOOT_DAY}T{BOOT_CLOCK}:00")
#: Seconds after which what the kernel says is no longer of the boot.
_BOOTING = 600


#: Configuration files of a node, and the one that a hand edits.
EDITED = "/etc/sysctl.d/90-rdma.conf"
CONFIGS = ("/etc/modprobe.d/mlx5.conf", "/etc/modprobe.d/nvidia.conf", "/etc/security/limits.conf", EDITED)


def lscpu(state: State) -> str:
    """``lscpu``, in the order of util-linux of each architecture."""
    board, maker = state.board, state.board.maker
    cpus = maker.cores * maker.threads * board.sockets
    rows = [
        ("Architecture:", "aarch64" if board.grace else "x86_64"),
        ("CPU op-mode(s):", "64-bit" if board.grace else "32-bit, 64-bit"),
        ("Byte Order:", "Little Endian"),
        ("CPU(s):", str(cpus)),
        ("On-line CPU(s) list:", f"0-{cpus - 1}"),
        ("Vendor ID:", maker.cpu_vendor),
        ("Model name:", maker.cpu),
        ("Thread(s) per core:", str(maker.threads)),
        ("Core(s) per socket:", str(maker.cores)),
        ("Socket(s):", str(board.sockets)),
        ("NUMA node(s):", str(len(board.numa))),
        *((f"NUMA node{n.number} CPU(s):", n.cpus) for n in board.numa),
        ("Vulnerability Meltdown:", "Not affected"),
        ("Vulnerability Spectre v2:", "Not affected" if board.grace else "Mitigation; Enhanced / Automatic IBRS"),
    ]
    return "".join(f"{name:<38}{value}\n" for name, value in rows)


def numactl(state: State) -> str:
    """``numactl -H``: processors, memory and distances of every NUMA node."""
    nodes = state.board.numa
    lines = [f"available: {len(nodes)} nodes ({spread([n.number for n in nodes])})"]
    for node in nodes:
        lines.append(f"node {node.number} cpus:" + "".join(f" {c}" for c in listed(node.cpus)))
        lines.append(f"node {node.number} size: {node.memory_mib} MB")
        lines.append(f"node {node.number} free: {state.vary(f'free:{node.number}', str(int(node.memory_mib * _FREE)))} MB")
    lines.append("node distances:")
    lines.append("node " + " ".join(f"{n.number:>3}" for n in nodes))

    def distance(one: int, two: int) -> int:
        a, b = nodes[one], nodes[two]
        if one == two:
            return _SELF
        if a.gpu >= 0 or b.gpu >= 0:
            return _GPU if a.socket == b.socket else 2 * _GPU
        return _NEAR if a.socket == b.socket else _FAR

    every = range(len(nodes))
    lines += [f"{n.number:>3}: " + " ".join(f"{distance(i, k):>3}" for k in every) for i, n in enumerate(nodes)]
    return "\n".join(lines) + "\n"


def dmidecode(state: State) -> str:
    """``dmidecode -t bios -t system -t memory``."""
    maker, soft = state.board.maker, state.software
    blocks = [
        "# dmidecode 3.5\nGetting SMBIOS data from sysfs.\nSMBIOS 3.6.0 present.\n",
        "Handle 0x0000, DMI type 0, 26 bytes\nBIOS Information\n"
        f"\tVendor: {'NVIDIA' if state.board.grace else 'American Megatrends International, LLC.'}\n"
        f"\tVersion: {soft.bios}\n\tRelease Date: {maker.bios_date}\n\tROM Size: 64 MB\n"
        "\tCharacteristics:\n\t\tPCI is supported\n\t\tBIOS is upgradeable\n\t\tACPI is supported\n\t\tUEFI is supported\n",
        "Handle 0x0001, DMI type 1, 27 bytes\nSystem Information\n"
        f"\tManufacturer: {maker.vendor}\n\tProduct Name: {maker.product}\n\tVersion: v1.0\n"
        f"\tSerial Number: {mark('serial')}\n\tUUID: {mark('uuid')}\n\tWake-up Type: Power Switch\n"
        "\tSKU Number: Default string\n\tFamily: Default string\n",
    ]
    dimms = state.board.dimms
    if dimms:
        blocks.append(
            f"Handle 0x0020, DMI type 16, 23 bytes\nPhysical Memory Array\n\tLocation: System Board Or Motherboard\n"
            "\tUse: System Memory\n\tError Correction Type: Multi-bit ECC\n\tMaximum Capacity: 12 TB\n"
            f"\tError Information Handle: Not Provided\n\tNumber Of Devices: {len(dimms)}\n"
        )
    else:
        blocks += [_soldered(index, maker.per_socket_gib, maker.dimm_mts) for index in range(state.board.sockets)]
    blocks += [_dimm(0x21 + index, dimm) for index, dimm in enumerate(dimms)]
    return "\n".join(blocks) + "\n"


def _dimm(handle: int, dimm: Dimm) -> str:
    head = f"Handle 0x{handle:04X}, DMI type 17, 92 bytes\nMemory Device\n\tArray Handle: 0x0020\n"
    head += "\tError Information Handle: Not Provided\n"
    where = f"\tSet: None\n\tLocator: {dimm.locator}\n\tBank Locator: {dimm.bank}\n"
    if not dimm.gib:
        return (
            f"{head}\tTotal Width: Unknown\n\tData Width: Unknown\n\tSize: No Module Installed\n\tForm Factor: Unknown\n"
            f"{where}\tType: Unknown\n\tType Detail: Unknown\n"
        )
    return (
        f"{head}\tTotal Width: 80 bits\n\tData Width: 64 bits\n\tSize: {dimm.gib} GB\n\tForm Factor: DIMM\n{where}"
        f"\tType: DDR5\n\tType Detail: Synchronous Registered (Buffered)\n\tSpeed: {dimm.mts} MT/s\n"
        f"\tManufacturer: Samsung\n\tSerial Number: {mark(f'dimm:{dimm.locator}')}\n\tAsset Tag: Not Specified\n"
        f"\tPart Number: M321R8GA0PB0-CWMXJ\n\tRank: 2\n\tConfigured Memory Speed: {dimm.mts} MT/s\n"
        "\tMinimum Voltage: 1.1 V\n\tMaximum Voltage: 1.1 V\n\tConfigured Voltage: 1.1 V\n\tMemory Technology: DRAM\n"
    )


def _soldered(index: int, gib: int, mts: int) -> str:
    return (
        f"Handle 0x{0x21 + index:04X}, DMI type 17, 92 bytes\nMemory Device\n\tArray Handle: 0x0020\n"
        f"\tError Information Handle: Not Provided\n\tTotal Width: 72 bits\n\tData Width: 64 bits\n\tSize: {gib} GB\n"
        f"\tForm Factor: Die\n\tSet: None\n\tLocator: LP5x_{index}\n\tBank Locator: LP5x_{index}\n\tType: LPDDR5\n"
        f"\tType Detail: Synchronous\n\tSpeed: {mts} MT/s\n\tManufacturer: Samsung\n\tSerial Number: Not Specified\n"
        f"\tAsset Tag: Not Specified\n\tPart Number: Not Specified\n\tRank: 1\n\tConfigured Memory Speed: {mts} MT/s\n"
    )


def lsmod(state: State) -> str:
    """``lsmod``: size, and who uses each module."""
    lines = ["Module                  Size  Used by"]
    for module, users in state.modules.items():
        loaded = [u for u in users if u in state.modules]
        used = f"{len(loaded)} {','.join(loaded)}" if loaded else "0"
        lines.append(f"{module:<19} {_SIZES.get(module, 40960):>8}  {used}")
    return "\n".join(lines) + "\n"


def services(state: State) -> str:
    """``systemctl show`` of the units of the capture set, a blank line between two."""
    names = BY_ID["services"].shell.partition("UnitFileState ")[2].split()
    blocks = []
    for name in names:
        load, active, sub, enabled = state.services.get(name, ("not-found", "inactive", "dead", ""))
        blocks.append(f"Id={name}.service\nLoadState={load}\nActiveState={active}\nSubState={sub}\nUnitFileState={enabled}\n")
    return "\n".join(blocks)


def _when(seconds: float, hour: str = "") -> str:
    """The time of the kernel's clock as ``dmesg --time-format=iso`` prints it: micro-seconds behind a comma."""
    at = _BOOT + timedelta(microseconds=round(seconds * 1e6))
    told = at.strftime("%Y-%m-%dT%H:%M:%S,%f+00:00")
    return told[:11] + hour + told[13:] if hour and seconds < _BOOTING else told


def dmesg(state: State) -> str:
    """``dmesg --time-format=iso``: the boot, the drivers, and what happened since."""
    soft, board = state.software, state.board
    lines = [
        (0.0, f"Linux version {soft.kernel} (buildd@lcy02) (gcc 13.3.0) #1 SMP PREEMPT_DYNAMIC"),
        (0.0, f"Command line: BOOT_IMAGE=/boot/vmlinuz-{soft.kernel} ro {' '.join(soft.cmdline)}"),
        (0.004, f"DMI: {board.maker.vendor} {board.maker.product}, BIOS {soft.bios} {board.maker.bios_date}"),
    ]
    at = 9.0
    for nic in (n for n in board.nics if n.part.mellanox):
        f = board.function(nic.address)
        lanes, speed = f.width, f"{f.gts:.1f} GT/s PCIe x{f.width} link"
        lines.append((at, f"mlx5_core {nic.address}: firmware version: {nic.firmware}"))
        lines.append((at + 0.01, f"mlx5_core {nic.address}: {f.gts * lanes * 128 / 130:.3f} Gb/s available PCIe bandwidth "
                      f"({speed})"))  # fmt: skip
        at += 1.0
    if "nvidia" in state.modules:
        lines.append((at + 1, "nvidia: loading out-of-tree module taints kernel."))
        kind = "aarch64" if board.grace else "x86_64"
        loading = f"NVRM: loading NVIDIA UNIX Open Kernel Module for {kind}  {soft.driver}  Release Build"
        lines.append((at + 2, loading))
    lines += [(60.0 + seconds, text) for seconds, text in state.log]
    hour = state.vary("hour", "")
    return "".join(f"{_when(seconds, hour)} {text}\n" for seconds, text in sorted(lines, key=lambda row: row[0]))


def config_hashes(state: State) -> str:
    """``sha256sum`` of configuration files: those of every node, and what the program says of one that is not there."""
    lines = []
    for path in CONFIGS:
        content = f"{path} edited" if state.software.edited and path == EDITED else path
        lines.append(f"{hashlib.sha256(content.encode()).hexdigest()}  {path}\n")
    return "sha256sum: /etc/nccl.conf: No such file or directory\n" + "".join(lines)


def packages(state: State) -> str:
    """``dpkg-query -W``: names and versions, a tab between them."""
    soft = state.software
    series = soft.driver.partition(".")[0]
    kernel = soft.kernel
    found = {
        "bash": "5.2.21-2ubuntu4",
        "chrony": "4.5-1ubuntu4.2",
        "libc6:arm64" if state.board.grace else "libc6:amd64": "2.39-0ubuntu8.6",
        f"linux-image-{kernel}": kernel.rpartition("-")[0].replace("-nvidia", "") + ".85",
        "munge": "0.5.15-4build1",
        "mlnx-ofed-kernel-dkms": soft.ofed.rpartition("LINUX-")[2],
        "openmpi": soft.mpi,
        "slurmd": "24.11.5-1",
    }
    if any(g.part.nvidia for g in state.board.gpus):
        found |= {
            "datacenter-gpu-manager-4-core": soft.dcgm,
            "libnccl2": soft.nccl,
            f"nvidia-driver-{series}-server-open": f"{soft.driver}-0ubuntu1",
        }
        if state.domain == "switch":
            found["nvidia-fabricmanager"] = f"{soft.driver}-1"
        if state.domain == "domain":
            found["nvidia-imex"] = f"{soft.driver}-1"
    found |= dict(soft.packages)
    return "".join(f"{name}\t{version}\n" for name, version in sorted(found.items()))


def ofed_info(state: State) -> str:
    """``ofed_info -s``."""
    return f"{state.software.ofed}:\n"
