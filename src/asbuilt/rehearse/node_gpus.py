"""What NVIDIA's tools print of a node's GPUs: the CSV query, ``-q``, the topology matrix, NVLinks, IMEX. Texts carry marks."""

from __future__ import annotations

from collections.abc import Iterator

from asbuilt.model.capture_set import BY_ID
from asbuilt.rehearse.node_board import Board, Gpu
from asbuilt.rehearse.node_marks import mark
from asbuilt.rehearse.node_parts import GTS
from asbuilt.rehearse.node_state import NO_CLUSTER, GpuState, State
from asbuilt.rehearse.node_sysfs import rdma

_GEN = {gts: gen for gen, gts in GTS.items()}
_HEAD_WIDTH = 42
#: Columns of the CSV query whose head says a unit.
_UNITS = {
    "memory.total": "MiB",
    "memory.used": "MiB",
    "utilization.gpu": "%",
    "power.draw": "W",
    "power.limit": "W",
    "clocks.sm": "MHz",
    "clocks.max.sm": "MHz",
}
_CSV_HEADS = {"clocks.sm": "clocks.current.sm [MHz]"}
_SLOW_SHARE = 0.4
_COOL_C, _HOT_C = 31, 87
_TOPO_LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks
"""


def bus_id(address: str) -> str:
    """A PCI address as NVIDIA's tools print it: eight digits of domain, upper case."""
    domain, _, rest = address.partition(":")
    return f"{domain.zfill(8)}:{rest}".upper()


def ordered(board: Board) -> list[Gpu]:
    """The GPUs in the order of their index: by PCI address."""
    return sorted(board.gpus, key=lambda g: g.address)


def _now(state: State, gpu: Gpu) -> dict[str, str]:
    """The values of one GPU that both the query and ``-q`` print, by the names of the query."""
    said, part = state.gpus[gpu.slot], gpu.part
    end = state.board.function(gpu.address)
    port = state.board.function(end.parent) if end.parent else end
    limit = min(end.max_gts, port.max_gts)
    asleep, clock = said.performance != "P0", part.clock_mhz
    return {
        "pci.bus_id": bus_id(gpu.address),
        "uuid": mark(f"gpu{gpu.slot}"),
        "serial": mark(f"gpuserial{gpu.slot}"),
        "name": part.name,
        "vbios_version": part.vbios,
        "driver_version": state.software.driver,
        "memory.total": f"{part.memory_mib}",
        "memory.used": "1",
        "pcie.link.gen.current": str(_GEN[end.gts]),
        "pcie.link.gen.max": str(_GEN[limit]),
        "pcie.link.width.current": str(end.width),
        "pcie.link.width.max": str(min(end.max_width, port.max_width)),
        "pstate": said.performance,
        "utilization.gpu": "0",
        "persistence_mode": "Enabled",
        "mig.mode.current": "Disabled" if part.links else "[N/A]",
        "ecc.mode.current": "Enabled",
        "ecc.errors.uncorrected.volatile.total": str(said.uncorrected_volatile),
        "ecc.errors.uncorrected.aggregate.total": str(said.uncorrected_aggregate),
        "temperature.gpu": str(_HOT_C) if said.hot else state.vary(f"temp:{gpu.slot}", str(_COOL_C)),
        "power.draw": f"{part.limit_w * (0.05 if asleep else 0.11):.2f}",
        "power.limit": f"{part.limit_w:.2f}",
        "clocks.sm": str(210 if asleep else int(clock * _SLOW_SHARE) if said.hot else clock),
        "clocks.max.sm": str(clock),
    }


def query_csv(state: State) -> str:
    """``nvidia-smi --query-gpu=... --format=csv`` with the fields of the capture set."""
    fields = BY_ID["nvidia-smi"].shell.partition("--query-gpu=")[2].partition(" ")[0].split(",")
    heads = [_CSV_HEADS.get(f, f"{f} [{_UNITS[f]}]" if f in _UNITS else f) for f in fields]
    lines = [", ".join(heads)]
    for index, gpu in enumerate(ordered(state.board)):
        now = _now(state, gpu) | {"index": str(index)}
        lines.append(", ".join(f"{now[f]} {_UNITS[f]}" if f in _UNITS else now[f] for f in fields))
    return "\n".join(lines) + "\n"


def query_all(state: State) -> str:
    """``nvidia-smi -q``."""
    soft = state.software
    head = [
        "",
        "==============NVSMI LOG==============",
        "",
        _row(0, "Timestamp", "Tue Dec  1 08:00:12 2026"),
        _row(0, "Driver Version", soft.driver),
        _row(0, "CUDA Version", soft.cuda),
        "",
        _row(0, "Attached GPUs", str(len(state.board.gpus))),
    ]
    lines = head + [line for i, gpu in enumerate(ordered(state.board)) for line in _gpu(state, gpu, i)]
    return "\n".join(lines) + "\n"


def _row(depth: int, name: str, value: str) -> str:
    lead = "    " * depth
    return f"{lead}{name}".ljust(_HEAD_WIDTH) + f": {value}"


def _lines(depth: int, tree: dict[str, object]) -> Iterator[str]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield "    " * depth + name
            yield from _lines(depth + 1, value)
        else:
            yield _row(depth, name, str(value))


def _gpu(state: State, gpu: Gpu, index: int) -> Iterator[str]:
    yield f"GPU {bus_id(gpu.address)}"
    yield from _lines(1, {**_who(state, gpu, index), **_pci(state, gpu), **_health(state, gpu), **_heat(state, gpu)})
    yield ""


def _who(state: State, gpu: Gpu, index: int) -> dict[str, object]:
    part = gpu.part
    return {
        "Product Name": part.name,
        "Product Brand": "NVIDIA",
        "Product Architecture": part.architecture,
        "Display Mode": "Disabled",
        "Display Active": "Disabled",
        "Persistence Mode": "Enabled",
        "Addressing Mode": "ATS" if state.board.grace else "None",
        "MIG Mode": dict.fromkeys(("Current", "Pending"), "Disabled" if part.links else "N/A"),
        "Accounting Mode": "Disabled",
        "Accounting Mode Buffer Size": "4000",
        "Driver Model": {"Current": "N/A", "Pending": "N/A"},
        "Serial Number": mark(f"gpuserial{gpu.slot}"),
        "GPU UUID": mark(f"gpu{gpu.slot}"),
        "Minor Number": str(index),
        "VBIOS Version": part.vbios,
        "MultiGPU Board": "No",
        "Board ID": f"0x{int(gpu.address[5:7], 16) << 8:x}",
        "Board Part Number": part.board,
        "GPU Part Number": f"{part.pci_id[5:].upper()}-885-A1",
        "FRU Part Number": "N/A",
        "Platform Info": {
            "Peer Type": "Switch Connected" if part.links else "N/A",
            "Module Id": str(gpu.slot + 1),
        },
        "GPU Recovery Action": "None",
        "GSP Firmware Version": state.software.driver,
    }


def _pci(state: State, gpu: Gpu) -> dict[str, object]:
    now, device = _now(state, gpu), gpu.part.pci_id
    end = state.board.function(gpu.address)
    port = state.board.function(end.parent) if end.parent else end
    return {
        "PCI": {
            "Bus": f"0x{gpu.address[5:7].upper()}",
            "Device": "0x00",
            "Domain": f"0x{gpu.address[:4].upper()}",
            "Base Classcode": "0x3",
            "Sub Classcode": "0x2",
            "Device Id": f"0x{(device[5:] + device[:4]).upper()}",
            "Bus Id": bus_id(gpu.address),
            "Sub System Id": "0x16C110DE",
            "GPU Link Info": {
                "PCIe Generation": {
                    "Max": now["pcie.link.gen.max"],
                    "Current": now["pcie.link.gen.current"],
                    "Device Current": now["pcie.link.gen.current"],
                    "Device Max": str(_GEN[end.max_gts]),
                    "Host Max": str(_GEN[port.max_gts]),
                },
                "Link Width": {
                    "Max": f"{now['pcie.link.width.max']}x",
                    "Current": f"{now['pcie.link.width.current']}x",
                },
            },
            "Bridge Chip": {"Type": "N/A", "Firmware": "N/A"},
            "Replays Since Reset": "0",
            "Replay Number Rollovers": "0",
            "Tx Throughput": "0 KB/s",
            "Rx Throughput": "0 KB/s",
        },
        "Fan Speed": "N/A",
        "Performance State": now["pstate"],
    }


def _health(state: State, gpu: Gpu) -> dict[str, object]:
    said, part = state.gpus[gpu.slot], gpu.part
    hot = "Active" if said.hot else "Not Active"
    counts = {"SRAM Correctable": "0", "SRAM Uncorrectable Parity": "0", "SRAM Uncorrectable SEC-DED": "0"}
    rows = {"Correctable Error": "0", "Uncorrectable Error": str(said.remapped)}
    return {
        "Clocks Event Reasons": {
            "Idle": "Not Active" if said.hot else "Active",
            "Applications Clocks Setting": "Not Active",
            "SW Power Cap": "Not Active",
            "HW Slowdown": hot,
            "    HW Thermal Slowdown": hot,
            "    HW Power Brake Slowdown": "Not Active",
            "Sync Boost": "Not Active",
            "SW Thermal Slowdown": "Not Active",
            "Display Clock Setting": "Not Active",
        },
        "FB Memory Usage": {
            "Total": f"{part.memory_mib} MiB",
            "Reserved": "454 MiB",
            "Used": "1 MiB",
            "Free": f"{part.memory_mib - 455} MiB",
        },
        "Compute Mode": "Default",
        "Utilization": {"GPU": "0 %", "Memory": "0 %"},
        "ECC Mode": {"Current": "Enabled", "Pending": "Enabled"},
        "ECC Errors": {
            "Volatile": counts | {"DRAM Correctable": "0", "DRAM Uncorrectable": str(said.uncorrected_volatile)},
            "Aggregate": counts
            | {
                "DRAM Correctable": "0",
                "DRAM Uncorrectable": str(said.uncorrected_aggregate),
                "SRAM Threshold Exceeded": "No",
            },
        },
        "Retired Pages": {"Single Bit ECC": "N/A", "Double Bit ECC": "N/A", "Pending Page Blacklist": "N/A"},
        "Remapped Rows": rows
        | {
            "Pending": "Yes" if said.remap_pending else "No",
            "Remapping Failure Occurred": "No",
            "Bank Remap Availability Histogram": {
                "Max": "2560 bank(s)",
                "High": "0 bank(s)",
                "Partial": "0 bank(s)",
                "Low": "0 bank(s)",
                "None": "0 bank(s)",
            },
        },
    }


def _heat(state: State, gpu: Gpu) -> dict[str, object]:
    now, said, part = _now(state, gpu), state.gpus[gpu.slot], gpu.part
    watts = f"{part.limit_w:.2f} W"
    found: dict[str, object] = {
        "Temperature": {
            "GPU Current Temp": f"{now['temperature.gpu']} C",
            "GPU T.Limit Temp": f"{0 if said.hot else _HOT_C - _COOL_C} C",
            "GPU Shutdown T.Limit Temp": "-8 C",
            "GPU Slowdown T.Limit Temp": "-2 C",
            "GPU Max Operating T.Limit Temp": "0 C",
            "GPU Target Temperature": "N/A",
            "Memory Current Temp": f"{now['temperature.gpu']} C" if part.links else "N/A",
        },
        "GPU Power Readings": {
            "Average Power Draw": f"{now['power.draw']} W",
            "Instantaneous Power Draw": f"{now['power.draw']} W",
            "Current Power Limit": watts,
            "Requested Power Limit": watts,
            "Default Power Limit": watts,
            "Max Power Limit": watts,
        },
        "Clocks": {"Graphics": f"{now['clocks.sm']} MHz", "SM": f"{now['clocks.sm']} MHz"},
        "Max Clocks": {"Graphics": f"{part.clock_mhz} MHz", "SM": f"{part.clock_mhz} MHz"},
    }
    return found | _fabric(state, said) | {"Processes": "None"}


def _fabric(state: State, said: GpuState) -> dict[str, object]:
    if state.domain == "none":
        return {"Fabric": {"State": "N/A", "Status": "N/A", "CliqueId": "N/A", "ClusterUUID": "N/A"}}
    whole = said.registered
    cluster = mark("cluster") if state.domain == "domain" and whole else NO_CLUSTER
    first, second = said.fabric
    return {
        "Fabric": {
            "State": first,
            "Status": second,
            "CliqueId": str(said.clique) if whole else "0",
            "ClusterUUID": cluster,
            "Health": {"Bandwidth": "Full" if whole else "N/A"},
        }
    }


def topology(state: State) -> str:
    """``nvidia-smi topo -m``: GPUs and RDMA devices, near processors, the legend."""
    board = state.board
    gpus = [(f"GPU{i}", g.address) for i, g in enumerate(ordered(board))]
    nics = [(f"NIC{i}", n.address) for i, n in enumerate(rdma(state))]
    names = [name for name, _ in (*gpus, *nics)]
    head = "\t\x1b[4m" + "\t".join((*names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID")) + "\x1b[0m"
    lines = [head]
    tails = {f"GPU{i}": _affinity(board, g) for i, g in enumerate(ordered(board))}
    for row, one in (*gpus, *nics):
        cells = []
        for column, two in (*gpus, *nics):
            both = row[0] == "G" == column[0]
            cells.append(" X " if row == column else f"NV{state.links}" if both and state.links else board.relation(one, two))
        lines.append("\t".join((row, *cells, *tails.get(row, ("", "", "")))) + ("" if row in tails else "\t"))
    legend = "".join(f"  NIC{i}: {n.device}\n" for i, n in enumerate(rdma(state)))
    return "\n".join(lines) + "\n" + _TOPO_LEGEND + (f"\nNIC Legend:\n\n{legend}\n" if legend else "\n")


def _affinity(board: Board, gpu: Gpu) -> tuple[str, str, str]:
    own = next((str(n.number) for n in board.numa if n.gpu == gpu.slot), "N/A")
    cpus = next((n.cpus for n in board.numa if n.number == gpu.numa), board.near(gpu.socket))
    return cpus, str(gpu.numa), "\t" + own


def nvlink_status(state: State) -> str:
    """``nvidia-smi nvlink -s``."""
    lines = []
    for index, gpu in enumerate(ordered(state.board)):
        lines.append(f"GPU {index}: {gpu.part.name} (UUID: {mark(f'gpu{gpu.slot}')})")
        down = state.gpus[gpu.slot].links_down
        for link in range(state.links):
            rate = "<inactive>" if link in down else f"{gpu.part.link_gbytes_s:g} GB/s"
            lines.append(f"\t Link {link}: {rate}")
    return "\n".join(lines) + "\n"


def nvlink_errors(state: State) -> str:
    """``nvidia-smi nvlink -e``."""
    lines = []
    for index, gpu in enumerate(ordered(state.board)):
        lines.append(f"GPU {index}: {gpu.part.name} (UUID: {mark(f'gpu{gpu.slot}')})")
        for link in range(state.links):
            if link not in state.gpus[gpu.slot].links_down:
                lines += [f"\t Link {link}: {what} Errors: 0" for what in ("Replay", "Recovery", "CRC")]
                lines.append("")
    return "\n".join(lines) + "\n"


def imex(state: State) -> str:
    """``nvidia-imex-ctl -N``: the nodes of the domain and how each sees every other."""
    count = state.imex
    lines = [
        "Connectivity Table Legend:",
        "I - Invalid - Node wasn't reachable, no connection status available",
        "N - Never Connected",
        "R - Recovering - Connection was lost, but clean up has not yet been triggered.",
        "D - Disconnected - Connection was lost, and clean up has been triggered.",
        "A - Authenticating - If GSSAPI enabled, client has initiated mutual authentication.",
        "!V! - Version mismatch, communication disabled.",
        "!M! - Node map mismatch, communication disabled.",
        "C - Connected - Ready for operation",
        "",
        "12/1/2026 08:00:12.410",
        "Nodes:",
    ]
    for index in range(count):
        address = f"{mark('network')}.{index + 1}"
        lines.append(f"Node #{index:<3} - {address:<18} - READY                - Version: {state.software.driver}")
    lines += ["", " Nodes From\\To  " + "  ".join(f"{i:<2}" for i in range(count))]
    lines += [f"       {i:<2}       " + "  ".join(f"{'C':<2}" for _ in range(count)) for i in range(count)]
    lines.append("Domain State: UP")
    return "\n".join(lines) + "\n"
