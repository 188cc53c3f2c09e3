"""What a node's ``/sys`` and ``/proc`` say: `grep -sH .` lines, links, interrupts. Texts carry marks (`node_marks`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from asbuilt.rehearse.node_board import Board, Function, Nic, listed
from asbuilt.rehearse.node_layout import IRQS
from asbuilt.rehearse.node_marks import mark
from asbuilt.rehearse.node_state import State

_DMI = "/sys/class/dmi/id"
_PCI = "/sys/bus/pci/devices"
#: Lane words of an InfiniBand rate, as the driver prints them.
_SPEEDS = {800: "4X XDR", 400: "4X NDR", 200: "4X HDR", 100: "4X EDR"}
#: Every node of the twin was booted then, and asked a while later.
BOOT_DAY, BOOT_CLOCK = "2026-11-30", "08:00"
UPTIME = "86400.52 19200000.10"


def told(rows: Iterable[tuple[str, str]]) -> str:
    """Lines of ``grep -sH .``: path, colon, content."""
    return "".join(f"{path}:{value}\n" for path, value in rows)


def identity(state: State) -> str:
    """Names by which the machine can be told from every other."""
    maker = state.board.maker
    return told(
        (
            (f"{_DMI}/sys_vendor", maker.vendor),
            (f"{_DMI}/product_name", maker.product),
            (f"{_DMI}/product_serial", mark("serial")),
            (f"{_DMI}/product_uuid", mark("uuid")),
            (f"{_DMI}/board_serial", mark("board")),
            (f"{_DMI}/chassis_serial", mark("chassis")),
            ("/etc/machine-id", mark("machine")),
            ("/proc/sys/kernel/hostname", mark("name")),
            ("/proc/sys/kernel/random/boot_id", mark("boot")),
        )
    )


def system(state: State) -> str:
    """Firmware, kernel and its command line, release."""
    maker, soft = state.board.maker, state.software
    release = (
        f'PRETTY_NAME="{soft.os}"',
        'NAME="Ubuntu"',
        'VERSION_ID="24.04"',
        f'VERSION="{soft.os.removeprefix("Ubuntu ")} (Noble Numbat)"',
        "VERSION_CODENAME=noble",
        "ID=ubuntu",
        "ID_LIKE=debian",
    )
    root = "root=UUID=6f3c2a1e-0000-4000-8000-000000000001"
    return told(
        (
            (f"{_DMI}/bios_vendor", "American Megatrends International, LLC." if not state.board.grace else "NVIDIA"),
            (f"{_DMI}/bios_version", soft.bios),
            (f"{_DMI}/bios_date", maker.bios_date),
            ("/proc/sys/kernel/osrelease", soft.kernel),
            ("/proc/cmdline", f"BOOT_IMAGE=/boot/vmlinuz-{soft.kernel} {root} ro {' '.join(soft.cmdline)}"),
            *(("/etc/os-release", line) for line in release),
            ("/proc/sys/kernel/numa_balancing", str(soft.numa_balancing)),
            ("/proc/uptime", state.vary("uptime", UPTIME)),
        )
    )


def _gts(speed: float) -> str:
    return f"{speed:.1f} GT/s PCIe" if speed else "Unknown"


def pci_links(state: State) -> str:
    """Class, ids, NUMA node and link of every PCI function: one property of all of them after another, as the shell asks."""
    functions = state.board.functions

    def rows(name: str, of: Iterable[tuple[Function, str]]) -> Iterator[tuple[str, str]]:
        return ((f"{_PCI}/{f.address}/{name}", value) for f, value in of)

    linked = [f for f in functions if f.max_width]
    return told(
        (
            *rows("class", ((f, f"0x{f.class_id}00") for f in functions)),
            *rows("vendor", ((f, f"0x{f.pci_id[:4]}") for f in functions)),
            *rows("device", ((f, f"0x{f.pci_id[5:]}") for f in functions)),
            *rows("numa_node", ((f, str(f.numa)) for f in functions)),
            *rows("current_link_speed", ((f, _gts(f.gts)) for f in linked)),
            *rows("current_link_width", ((f, str(f.width)) for f in linked)),
            *rows("max_link_speed", ((f, _gts(f.max_gts)) for f in linked)),
            *rows("max_link_width", ((f, str(f.max_width)) for f in linked)),
        )
    )


def real_path(board: Board, address: str) -> str:
    """Where a function's folder really is, from ``/sys/devices``."""
    path = [f.address for f in reversed(board.path(address))]
    return "/".join((f"pci{path[0][:7]}", *path))


def pci_paths(state: State) -> str:
    """``readlink -f`` of every PCI function: bridges above it stand in its path."""
    board = state.board
    return "".join(f"/sys/devices/{real_path(board, f.address)}\n" for f in board.functions)


def rdma(state: State) -> list[Nic]:
    """The functions that have an RDMA device, by name."""
    return sorted((n for n in state.board.nics if n.part.mellanox), key=lambda n: n.device)


def infiniband(state: State) -> str:
    """RDMA devices and their ports."""
    base = "/sys/class/infiniband"
    nics = rdma(state)

    def port(nic: Nic) -> dict[str, str]:
        up, ethernet = state.up(nic), state.runs_ethernet(nic)
        rate = f"{nic.rate_gbps} Gb/sec ({_SPEEDS.get(nic.rate_gbps, '1X EDR')})"
        return {
            "link_layer": "Ethernet" if ethernet else "InfiniBand",
            "state": "4: ACTIVE" if up else "1: DOWN",
            "phys_state": "5: LinkUp" if up else "3: Disabled" if ethernet else "2: Polling",
            "rate": rate if up else "40 Gb/sec (4X QDR)" if ethernet else "10 Gb/sec (4X SDR)",
            "lid": "0x0" if ethernet else mark(f"lidx:{nic.device}") if up else "0xffff",
        }

    ports = {n.device: port(n) for n in nics}
    rows = [(f"{base}/{n.device}/node_guid", mark(f"guidc:{n.device}")) for n in nics]
    rows += [(f"{base}/{n.device}/sys_image_guid", mark(f"imagec:{n.device}")) for n in nics]
    rows += [(f"{base}/{n.device}/fw_ver", n.firmware) for n in nics]
    rows += [(f"{base}/{n.device}/board_id", n.part.psid) for n in nics]
    rows += [(f"{base}/{n.device}/hca_type", n.part.hca) for n in nics]
    for name in ("link_layer", "state", "phys_state", "rate", "lid"):
        rows += [(f"{base}/{n.device}/ports/1/{name}", ports[n.device][name]) for n in nics]
    return told(rows)


def infiniband_paths(state: State) -> str:
    """``ls -l`` of the folders of RDMA devices and interfaces: links into the PCI tree."""
    board = state.board

    def line(name: str, target: str) -> str:
        return f"lrwxrwxrwx 1 root root 0 Nov 30 08:01 {name} -> ../../devices/{target}\n"

    devices = "".join(line(n.device, f"{real_path(board, n.address)}/infiniband/{n.device}") for n in rdma(state))
    nets = sorted((n.netdev, f"{real_path(board, n.address)}/net/{n.netdev}") for n in board.nics)
    others = line("lo", "virtual/net/lo")
    net = "".join(line(*pair) for pair in nets) + others
    return f"/sys/class/infiniband:\ntotal 0\n{devices}\n/sys/class/net:\ntotal 0\n{net}"


def _irqs(state: State) -> list[tuple[int, Nic, int, str]]:
    """(interrupt, card function, number within it, processors it may go to)."""
    board = state.board
    found = []
    for nic in board.nics:
        socket = 1 - nic.socket if state.irq_astray and board.sockets > 1 else nic.socket
        near = next(n.cpus for n in board.numa if n.socket == socket and n.gpu < 0)
        if not state.irq_astray:
            near = next((n.cpus for n in board.numa if n.number == nic.numa and n.cpus), near)
        found += [(nic.irq + i, nic, i, near) for i in range(IRQS)]
    return found


def irq_affinity(state: State) -> str:
    """Where interrupts may go and do go, by number as the shell sorts them."""
    irqs = sorted(_irqs(state), key=lambda row: str(row[0]))
    rows = [(f"/proc/irq/{irq}/smp_affinity_list", cpus) for irq, _, _, cpus in irqs]
    rows += [(f"/proc/irq/{irq}/effective_affinity_list", str(listed(cpus)[number])) for irq, _, number, cpus in irqs]
    return told(rows)


def interrupts(state: State) -> str:
    """``/proc/interrupts``: a column per processor, a line per interrupt."""
    board = state.board
    count = 1 + max(max(listed(n.cpus)) for n in board.numa if n.cpus)
    lines = ["           " + " ".join(f"{f'CPU{i}':<10}" for i in range(count))]
    zeros = ["         0"] * count
    for irq, nic, number, cpus in sorted(_irqs(state), key=lambda row: row[0]):
        cells = zeros.copy()
        cells[listed(cpus)[number]] = state.vary(f"count:{number}", f"{1000 + 37 * number + nic.irq:>10}")
        what = "mlx5_async0" if number == 0 else f"mlx5_comp{number - 1}"
        if not nic.part.mellanox:
            what = f"{nic.netdev}-TxRx-{number}"
        name = f"{what}@pci:{nic.address}" if nic.part.mellanox else what
        chip = "ITS-PCI-MSIX" if board.grace else "IR-PCI-MSIX"
        lines.append(f"{irq:>4}: {' '.join(cells)}  {chip}-{nic.address}  {number:>4}-edge      {name}")
    if not board.grace:
        lines.append(f" NMI: {' '.join(zeros)}   Non-maskable interrupts")
        lines.append(f" LOC: {' '.join(['   5120034'] * count)}   Local timer interrupts")
    lines += [" ERR:          0"] + ([] if board.grace else [" MIS:          0"])
    return "\n".join(lines) + "\n"


def modules(state: State) -> str:
    """Versions of the loaded modules that have one."""
    soft = state.software
    ofed = soft.ofed.rpartition("-")[0].rpartition("-")[2] or soft.ofed
    versions = {m: soft.driver for m in state.modules if m.startswith("nvidia")}
    versions |= {m: ofed for m in ("mlx5_core", "mlx5_ib", "ib_core", "ib_uverbs") if m in state.modules}
    versions |= {"nvme": "1.0"} if "nvme" in state.modules else {}
    versions |= {"gdrdrv": "2.5.1"} if "gdrdrv" in state.modules else {}
    return told((f"/sys/module/{m}/version", v) for m, v in sorted(versions.items()))
