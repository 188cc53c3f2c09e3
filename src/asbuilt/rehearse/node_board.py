"""One hardware model per kind of node: sockets, NUMA nodes, the PCI tree with every GPU and card, DIMMs, interrupts.

Nodes of one system whose GPUs and cards are planned alike share one `Board`. What tells two of them apart (serials, UUIDs,
GUIDs) is no part of it. Addresses, tree and memory are the twin's own: the plan fixes sockets, rails and names, not buses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from asbuilt.rehearse.node_parts import GTS, CardPart, GpuPart, Maker

ROOT, UPSTREAM, DOWNSTREAM, END = "root_port", "upstream", "downstream", "endpoint"
#: MaxReadReq of cards that are tuned, and of everything else.
TUNED_READ, PLAIN_READ = 4096, 512


@dataclass(frozen=True, slots=True)
class Function:
    """One PCI function: address, the bridge above it ("" on a root bus), what it is, and its link as it is now."""

    address: str
    parent: str
    kind: str
    class_id: str
    class_name: str
    pci_id: str
    name: str
    numa: int
    max_gts: float = 0.0
    gts: float = 0.0
    max_width: int = 0
    width: int = 0
    driver: str = ""
    revision: str = ""
    read_request: int = PLAIN_READ
    acs: bool = False
    slot: str = ""
    subsystem: str = ""

    @property
    def bus(self) -> str:
        """``dddd:bb`` of the function's own bus."""
        return self.address[:7]


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU: slot number of the plan, address, socket, rail."""

    slot: int
    address: str
    socket: int
    numa: int
    rail: int
    part: GpuPart


@dataclass(frozen=True, slots=True)
class Nic:
    """A function of a network card: RDMA device of the plan, address, interface, the card that it is of, first interrupt."""

    device: str
    address: str
    netdev: str
    plane: str
    rail: int
    socket: int
    numa: int
    infiniband: bool
    rate_gbps: int
    part: CardPart
    card: int
    function: int
    irq: int
    firmware: str


@dataclass(frozen=True, slots=True)
class Numa:
    """A NUMA node: its socket, processors as a list, memory; ``gpu`` is the slot whose memory it is, else -1."""

    number: int
    socket: int
    cpus: str
    memory_mib: int
    gpu: int = -1


@dataclass(frozen=True, slots=True)
class Dimm:
    """A memory socket and what sits in it; 0 GiB when empty."""

    locator: str
    bank: str
    gib: int
    mts: int
    numa: int


@dataclass(frozen=True, slots=True)
class Board:
    """All hardware of one kind of node."""

    system: str
    grace: bool
    maker: Maker
    sockets: int
    numa: tuple[Numa, ...]
    functions: tuple[Function, ...]
    gpus: tuple[Gpu, ...]
    nics: tuple[Nic, ...]
    dimms: tuple[Dimm, ...]

    def function(self, address: str) -> Function:
        """The function at an address. Raises ``KeyError`` when none is there."""
        for function in self.functions:
            if function.address == address:
                return function
        raise KeyError(address)

    def changed(self, address: str, **fields: object) -> Board:
        """The board with fields of one function changed."""
        done = tuple(replace(f, **fields) if f.address == address else f for f in self.functions)  # type: ignore[arg-type]
        return replace(self, functions=done)

    def without(self, address: str) -> Board:
        """The board without one function, whatever it is: GPU, card or bridge."""
        return replace(
            self,
            functions=tuple(f for f in self.functions if f.address != address),
            gpus=tuple(g for g in self.gpus if g.address != address),
            nics=tuple(n for n in self.nics if n.address != address),
        )

    def path(self, address: str) -> list[Function]:
        """The function and every bridge above it, up to the root port."""
        found = [self.function(address)]
        while found[-1].parent:
            found.append(self.function(found[-1].parent))
        return found

    def nic(self, device: str) -> Nic:
        """The card function of an RDMA device. Raises ``KeyError`` when there is none."""
        for nic in self.nics:
            if nic.device == device:
                return nic
        raise KeyError(device)

    def gpu(self, slot: int) -> Gpu:
        """The GPU of a slot. Raises ``KeyError`` when there is none."""
        for gpu in self.gpus:
            if gpu.slot == slot:
                return gpu
        raise KeyError(slot)

    def near(self, socket: int) -> str:
        """The processors of a socket as a list: that of its first NUMA node where it has several."""
        return next(n.cpus for n in self.numa if n.socket == socket and n.gpu < 0)

    def relation(self, one: str, two: str) -> str:
        """What `nvidia-smi topo -m` calls the way between two functions: PIX, PXB, PHB, NODE or SYS."""
        a, b = self.path(one), self.path(two)
        if self.grace:
            return "PIX" if a[0].bus == b[0].bus else "SYS"
        if a[0].address[:-1] == b[0].address[:-1]:
            return "PIX"
        common = {f.address for f in a} & {f.address for f in b}
        if common:
            switches = {f.address[:7] for f in (*a[1:], *b[1:]) if f.kind == DOWNSTREAM and f.address not in common}
            return "PIX" if len(switches) <= 1 else "PXB"
        if a[-1].bus == b[-1].bus:
            return "PHB"
        return "NODE" if a[0].numa == b[0].numa else "SYS"


def spread(numbers: list[int]) -> str:
    """Numbers as a list of runs: ``0-55,112-167``."""
    runs: list[list[int]] = []
    for n in sorted(numbers):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def listed(text: str) -> list[int]:
    """The numbers of a list of runs."""
    found: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def numa_nodes(maker: Maker, sockets: int, per_socket: int, gpus: tuple[Gpu, ...], grace: bool) -> tuple[Numa, ...]:
    """NUMA nodes: ``per_socket`` of each processor, and on Grace eight per GPU behind them (the first holds its memory)."""
    cores = maker.cores
    made = []
    memory = (maker.per_socket_gib or maker.channels * maker.per_channel * maker.dimm_gib) * 1024 * sockets
    number = sockets * per_socket
    for index in range(number):
        share = cores // per_socket
        first = index * share
        cpus = [t * cores * sockets + c for t in range(maker.threads) for c in range(first, first + share)]
        # The kernel keeps a part for itself: 1.6 % is what 64-bit kernels of both architectures show.
        made.append(Numa(index, index // per_socket, spread(cpus), int(memory / number * 0.984)))
    for gpu in gpus if grace else ():
        for share in range(8):
            made.append(Numa(number, gpu.socket, "", gpu.part.memory_mib if share == 0 else 0, gpu.slot))
            number += 1
    return tuple(made)


def dimms(maker: Maker, sockets: int) -> tuple[Dimm, ...]:
    """Modules as many to a channel as the system has, of two sockets a channel; none where memory is soldered."""
    made = []
    for socket in range(sockets):
        for channel in range(maker.channels if maker.dimm_gib else 0):
            letter = chr(ord("A") + channel)
            for place in (0, 1):
                bank = f"P{socket}_Node{socket}_Channel{channel}_Dimm{place}"
                gib, mts = (maker.dimm_gib, maker.dimm_mts) if place < maker.per_channel else (0, 0)
                made.append(Dimm(f"P{socket + 1}-DIMM{letter}{place + 1}", bank, gib, mts, socket))
    return tuple(made)


def gts_of(gen: int) -> float:
    """GT/s of a PCIe generation."""
    return GTS.get(gen, GTS[5])
