"""A node as it stands: its board, software, services, what GPUs say of themselves, its log and sensors. A fault changes it.

`WELL` values are what a node shows that is as planned; versions locked in the plan's table `software` go before them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from asbuilt.model.plan import Plan
from asbuilt.rehearse.node_board import Board, Nic
from asbuilt.rehearse.node_marks import mark

ACTIVE = ("loaded", "active", "running", "enabled")
ONCE = ("loaded", "active", "exited", "enabled")
FAILED = ("loaded", "failed", "failed", "enabled")
ABSENT = ("not-found", "inactive", "dead", "")
NO_CLUSTER = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class GpuState:
    """What one GPU says of itself beyond its hardware."""

    performance: str = "P0"
    uncorrected_volatile: int = 0
    uncorrected_aggregate: int = 0
    remap_pending: bool = False
    remapped: int = 0
    hot: bool = False
    links_down: tuple[int, ...] = ()
    fabric: tuple[str, str] = ("Completed", "Success")
    clique: int = 0
    registered: bool = True


@dataclass(frozen=True, slots=True)
class Software:
    """Versions of one node, and its kernel command line."""

    kernel: str
    os: str = "Ubuntu 24.04.3 LTS"
    driver: str = "580.95.05"
    cuda: str = "13.0"
    ofed: str = "MLNX_OFED_LINUX-24.10-3.2.5.0"
    nccl: str = "2.28.3-1+cuda13.0"
    mpi: str = "4.1.7rc1-1"
    dcgm: str = "1:4.4.1-1"
    cmdline: tuple[str, ...] = ("iommu=pt", "pci=realloc=off", "numa_balancing=disable", "init_on_alloc=0")
    bios: str = ""
    bmc: str = ""
    numa_balancing: int = 0
    #: A configuration file was edited by hand.
    edited: bool = False
    #: Packages that the lock names, with their versions.
    packages: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """Everything that a node's answers are made from, but for its own names.

    ``services``: unit -> (load, active, sub, enabled). ``modules`` are loaded with their users. ``log`` are further kernel
    lines with their seconds since boot, ``events`` further lines of the BMC's log. ``outcomes`` maps the id of a command, or
    the start of it with ``*``, to how it ends instead of running. ``varied``: what differs
    between equal machines (counters, times, free memory, temperatures) differs here too.
    """

    board: Board
    software: Software
    services: dict[str, tuple[str, str, str, str]]
    modules: dict[str, tuple[str, ...]]
    gpus: dict[int, GpuState]
    domain: str = "none"
    links: int = 0
    imex: int = 0
    log: tuple[tuple[float, str], ...] = ()
    events: tuple[str, ...] = ()
    leak: bool = False
    irq_astray: bool = False
    ethernet: frozenset[str] = frozenset()
    dark: frozenset[str] = frozenset()
    outcomes: dict[str, str] = field(default_factory=dict)
    bmc: bool = True
    supplies: int = 0
    varied: bool = False

    def runs_ethernet(self, nic: Nic) -> bool:
        """True when the port runs Ethernet, planned so or not."""
        return not nic.infiniband or nic.device in self.ethernet

    def up(self, nic: Nic) -> bool:
        """True when the port has a link: one of the wrong link layer has none."""
        return nic.device not in self.dark and not (nic.infiniband and nic.device in self.ethernet)

    def vary(self, key: str, plain: str) -> str:
        """``plain``, or the place of a value of each node's own where nodes are to differ in what is no fault."""
        return mark(key) if self.varied else plain

    def with_gpu(self, slot: int, **fields: object) -> State:
        """The state with fields of one GPU changed."""
        changed = replace(self.gpus[slot], **fields)  # type: ignore[arg-type]
        return replace(self, gpus={**self.gpus, slot: changed})


_BASE_MODULES: dict[str, tuple[str, ...]] = {
    "nvme": (),
    "nvme_core": ("nvme",),
    "ipmi_ssif": (),
    "ipmi_si": (),
    "ipmi_msghandler": ("ipmi_ssif", "ipmi_si"),
    "mlx5_ib": (),
    "mlx5_core": ("mlx5_ib",),
    "ib_uverbs": ("rdma_ucm", "mlx5_ib"),
    "ib_umad": (),
    "ib_ipoib": (),
    "rdma_ucm": (),
    "rdma_cm": ("rdma_ucm",),
    "ib_cm": ("rdma_cm", "ib_ipoib"),
    "iw_cm": ("rdma_cm",),
    "ib_core": ("rdma_cm", "ib_ipoib", "iw_cm", "ib_umad", "rdma_ucm", "ib_uverbs", "mlx5_ib", "ib_cm"),
}
_NVIDIA_MODULES: dict[str, tuple[str, ...]] = {
    "nvidia_peermem": (),
    "gdrdrv": (),
    "nvidia_uvm": (),
    "nvidia_drm": (),
    "nvidia_modeset": ("nvidia_drm",),
    "nvidia": ("nvidia_uvm", "nvidia_peermem", "nvidia_modeset", "gdrdrv"),
}


def as_planned(plan: Plan, board: Board, trait: dict[str, object]) -> State:
    """The state of a node on which nothing is wrong."""
    nvidia = any(g.part.nvidia for g in board.gpus)
    links = board.gpus[0].part.links if board.gpus else 0
    domain = str(trait.get("nvlink") or ("none" if not links else "domain" if board.grace else "switch"))
    modules = dict(_BASE_MODULES)
    if nvidia:
        modules |= _NVIDIA_MODULES
        modules["ib_uverbs"] = ("nvidia_peermem", *modules["ib_uverbs"])
    manager = bool(trait["fabric_manager"]) if trait else domain == "switch"
    services = {
        "nvidia-fabricmanager": ACTIVE if nvidia and manager else ABSENT,
        "nvidia-imex": ACTIVE if nvidia and domain == "domain" else ABSENT,
        "nvidia-persistenced": ACTIVE if nvidia else ABSENT,
        "nvidia-dcgm": ACTIVE if nvidia else ABSENT,
        "openibd": ONCE,
        "opensm": ("loaded", "inactive", "dead", "disabled"),
        "irqbalance": ("loaded", "inactive", "dead", "disabled"),
        "slurmd": ACTIVE,
        "munge": ACTIVE,
        "chronyd": ACTIVE,
        "tuned": ACTIVE,
        "firewalld": ("loaded", "inactive", "dead", "disabled"),
    }
    return State(
        board, _software(plan, board), services, modules, {g.slot: GpuState() for g in board.gpus}, domain, links,
        _trays(trait, board) if domain == "domain" else 0, bmc=bool(trait.get("bmc", True)), supplies=_supplies(plan, board),
    )  # fmt: skip


def _supplies(plan: Plan, board: Board) -> int:
    """Power supplies of one node, as the plan expects them; none in a tray on a busbar."""
    if board.grace or not plan.has("expectations"):
        return 0
    rows = plan.table("expectations").filter(plan.table("expectations")["check_id"] == "NOD-063")
    return int(float(rows["value"][0])) if rows.height else 4


def _trays(trait: dict[str, object], board: Board) -> int:
    """Nodes of one NVLink domain."""
    return int(str(trait.get("domain_gpus") or 72)) // max(1, len(board.gpus))


def _software(plan: Plan, board: Board) -> Software:
    """The versions of the lock, and usual ones where nothing is locked."""
    kernel = "6.8.0-1025-nvidia-64k" if board.grace else "6.8.0-85-generic"
    found = Software(kernel, bios=board.maker.bios, bmc=board.maker.bmc)
    if not plan.has("software"):
        return found
    locked = dict(plan.table("software").filter(plan.table("software")["part"].is_null()).select("component", "version").rows())
    fields = ("kernel", "os", "driver", "cuda", "ofed", "nccl", "mpi", "bios", "bmc")
    found = replace(found, **{f: locked[f] for f in fields if f in locked})
    if found.ofed[:1].isdigit():  # locked by its release alone
        found = replace(found, ofed=f"MLNX_OFED_LINUX-{found.ofed}")
    named = tuple((c.removeprefix("package:"), v) for c, v in locked.items() if c.startswith("package:"))
    found = replace(found, packages=named)
    if "cmdline" in locked:
        found = replace(found, cmdline=tuple(locked["cmdline"].split()))
    return found


def locked_firmware(plan: Plan, board: Board, parts: dict[str, str]) -> Board:
    """The board with the firmware that the plan locks for a card's part; ``parts``: device -> catalogue id."""
    if not plan.has("software"):
        return board
    rows = plan.table("software")
    locked: dict[str, str] = dict(
        rows.filter(rows["component"] == "nic_firmware").select("part", "version").drop_nulls().rows()
    )
    nics = tuple(replace(n, firmware=locked.get(parts.get(n.device, ""), n.firmware)) for n in board.nics)
    return replace(board, nics=nics)
