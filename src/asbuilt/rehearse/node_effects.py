"""What each change does to a node as it stands (`node_state.State`). Nothing here writes a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from asbuilt.model.plan import Plan
from asbuilt.rehearse.node_board import DOWNSTREAM, PLAIN_READ, ROOT, Board, Function, numa_nodes
from asbuilt.rehearse.node_change import Change
from asbuilt.rehearse.node_layout import board_of
from asbuilt.rehearse.node_parts import GTS
from asbuilt.rehearse.node_state import FAILED, State

Rows = Sequence[dict[str, Any]]
#: What a drifted node shows instead: one release older each.
OLD_DRIVER, OLD_KERNEL, OLD_FIRMWARE_END = "575.57.08", "6.8.0-79-generic", ".2048"
_NARROW = 2
_EVENT = "12/01/2026 | 06:12:44 UTC | "
_LOWER = {gts: GTS[gen - 1] for gen, gts in GTS.items() if gen - 1 in GTS}


def address_of(board: Board, target: str) -> str:
    """The PCI address of ``gpu<slot>`` or of an RDMA device. Raises ``KeyError`` for one that is not there."""
    return board.gpu(int(target[3:])).address if target.startswith("gpu") else board.nic(target).address


def _link(board: Board, address: str, **fields: object) -> Board:
    """Both ends of the link of an endpoint changed: all functions of its card, and the port above."""
    end = board.function(address)
    for function in board.functions:
        if function.parent == end.parent and function.bus == end.bus:
            board = board.changed(function.address, **fields)
    return board.changed(end.parent, **fields)


def _gpu(state: State, change: Change) -> State:
    gone = state.board.gpu(int(change.target))
    at = f"NVRM: GPU {gone.address}: RmInitAdapter failed! (0x62:0x40:2142)"
    return replace(state, board=state.board.without(gone.address), log=(*state.log, (1.0, at)))


def _width(state: State, change: Change) -> State:
    address = address_of(state.board, change.target)
    width = state.board.function(address).max_width // _NARROW
    return replace(state, board=_link(state.board, address, width=width))


def _gen(state: State, change: Change) -> State:
    address = address_of(state.board, change.target)
    lower = _LOWER[state.board.function(address).max_gts]
    return replace(state, board=_link(state.board, address, gts=lower))


def lower_root(path: list[Function]) -> float:
    """GT/s of a root port that can do one generation less than it and what hangs right below it."""
    return _LOWER[min(path[-2].max_gts, path[-1].max_gts)]


def _rootport(state: State, change: Change) -> State:
    """The root port can do one generation less than what hangs below it: its own link runs at that."""
    board = state.board
    path = board.path(address_of(board, change.target))
    root, below, lower = path[-1], path[-2], lower_root(path)
    board = board.changed(root.address, max_gts=lower, gts=lower)
    if len(path) == 2:
        return replace(state, board=_link(board, below.address, gts=lower))
    return replace(state, board=board.changed(below.address, gts=lower))


def _acs(state: State, change: Change) -> State:
    kind = DOWNSTREAM if any(f.kind == DOWNSTREAM for f in state.board.functions) else ROOT
    functions = tuple(replace(f, acs=True) if f.kind == kind else f for f in state.board.functions)
    return replace(state, board=replace(state.board, functions=functions))


def _mrrs(state: State, change: Change) -> State:
    cards = {n.address for n in state.board.nics}
    functions = tuple(replace(f, read_request=PLAIN_READ) if f.address in cards else f for f in state.board.functions)
    return replace(state, board=replace(state.board, functions=functions))


def _without_module(state: State, module: str) -> State:
    return replace(state, modules={m: users for m, users in state.modules.items() if m != module})


def _nvlink(state: State, change: Change) -> State:
    slot = int(change.target)
    return state.with_gpu(slot, links_down=(*state.gpus[slot].links_down, state.links - 1))


def _nvswitch(state: State, change: Change) -> State:
    """The chip behind one link is dead: every GPU lacks it."""
    for slot, gpu in state.gpus.items():
        state = state.with_gpu(slot, links_down=(*gpu.links_down, int(change.value)))
    return state


def _fabricmanager(state: State, change: Change) -> State:
    state = replace(state, services={**state.services, "nvidia-fabricmanager": FAILED})
    return _unregistered(state)


def _unregistered(state: State) -> State:
    for slot in state.gpus:
        state = state.with_gpu(slot, fabric=("In Progress", "N/A"), registered=False)
    return state


def _xid(state: State, change: Change) -> State:
    words = {
        "79": "GPU has fallen off the bus.",
        "48": "DBE (double bit error) detected",
        "63": "Row remapper: new row marked for remapping",
        "74": "NVLink: fatal error detected on link 3(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
        "94": "Contained: SM (0x1). RST: No, D-RST: No",
        "119": "Timeout after 6s of waiting for RPC response from GPU GSP!",
    }
    address = state.board.gpu(int(change.target)).address
    text = f"NVRM: Xid (PCI:{address[:-2]}): {change.value}, pid='<unknown>', name=<unknown>, "
    return replace(state, log=(*state.log, (80000.0, text + words.get(change.value, "unknown"))))


def _ecc(state: State, change: Change) -> State:
    return state.with_gpu(int(change.target), uncorrected_volatile=3, uncorrected_aggregate=3)


def _remap(state: State, change: Change) -> State:
    return state.with_gpu(int(change.target), remapped=1, remap_pending=True)


def _throttle(state: State, change: Change) -> State:
    return state.with_gpu(int(change.target), hot=True)


def _asleep(state: State, change: Change) -> State:
    """Power saving, no fault: an idle GPU lowers its clocks and the speed of its link."""
    slot = int(change.target)
    state = state.with_gpu(slot, performance="P8")
    return replace(state, board=_link(state.board, state.board.gpu(slot).address, gts=GTS[1]))


def _driver(state: State, change: Change) -> State:
    return replace(state, software=replace(state.software, driver=OLD_DRIVER))


def _kernel(state: State, change: Change) -> State:
    return replace(state, software=replace(state.software, kernel=OLD_KERNEL))


def _firmware(state: State, change: Change) -> State:
    """Every function of the card runs the older firmware."""
    card = state.board.nic(change.target).card
    nics = tuple(
        replace(n, firmware=n.firmware.rpartition(".")[0] + OLD_FIRMWARE_END) if n.card == card else n for n in state.board.nics
    )
    return replace(state, board=replace(state.board, nics=nics))


def _dimm(state: State, change: Change) -> State:
    """One module is not there: its socket is empty and its NUMA node has less memory."""
    board = state.board
    gone = next(d for d in board.dimms if d.locator == change.target)
    dimms = tuple(replace(d, gib=0, mts=0) if d is gone else d for d in board.dimms)
    own = next(n for n in board.numa if n.socket == gone.numa)
    numa = tuple(replace(n, memory_mib=n.memory_mib - gone.gib * 1024) if n is own else n for n in board.numa)
    return replace(state, board=replace(board, dimms=dimms, numa=numa))


def _hang(state: State, change: Change) -> State:
    ends = {"nvidia-smi*": "timed_out", "nvlink-*": "timed_out"}
    words = "INFO: task nvidia-smi:41230 blocked for more than 122 seconds."
    return replace(state, outcomes={**state.outcomes, **ends}, log=(*state.log, (80100.0, words)))


def _leak(state: State, change: Change) -> State:
    event = f"{_EVENT}Cooling Device Leak_Detect_0 | Transition to Critical from less severe | Asserted"
    return replace(state, leak=True, events=(*state.events, event))


def _config(state: State, change: Change) -> State:
    return replace(state, software=replace(state.software, edited=True))


def _cmdline(state: State, change: Change) -> State:
    """Addresses of devices are translated: the word that passes them through is another."""
    words = tuple(change.value if w == "iommu=pt" else w for w in state.software.cmdline)
    return replace(state, software=replace(state.software, cmdline=words))


def _aer(state: State, change: Change) -> State:
    address = address_of(state.board, change.target)
    driver = state.board.function(address).driver
    head = f"{driver} {address}: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer, (Requester ID)"
    log = ((80200.0, head), (80200.1, f"{driver} {address}:    [14] CmpltTO                (First)"))
    return replace(state, log=(*state.log, *log))


def _clique(state: State, change: Change) -> State:
    for slot in state.gpus:
        state = state.with_gpu(slot, clique=1)
    return state


def _nps(state: State, change: Change) -> State:
    """Four NUMA nodes per socket: the BIOS splits each processor, and every device belongs to a part of one."""
    board, parts = state.board, int(change.value)
    numa = numa_nodes(board.maker, board.sockets, parts, board.gpus, board.grace)
    sockets = {f.address: f.numa for f in board.functions}
    functions = tuple(replace(f, numa=sockets[f.address] * parts) for f in board.functions)
    gpus = tuple(replace(g, numa=g.socket * parts) for g in board.gpus)
    nics = tuple(replace(n, numa=n.socket * parts) for n in board.nics)
    return replace(state, board=replace(board, numa=numa, functions=functions, gpus=gpus, nics=nics))


EFFECTS: dict[str, Callable[[State, Change], State]] = {
    "gpu": _gpu,
    "width": _width,
    "gen": _gen,
    "rootport": _rootport,
    "irq": lambda state, change: replace(state, irq_astray=True),
    "acs": _acs,
    "mrrs": _mrrs,
    "peermem": lambda state, change: _without_module(state, "nvidia_peermem"),
    "module": lambda state, change: _without_module(state, change.value),
    "nvlink": _nvlink,
    "nvswitch": _nvswitch,
    "fabricmanager": _fabricmanager,
    "fabricstate": lambda state, change: _unregistered(state),
    "xid": _xid,
    "ecc": _ecc,
    "remap": _remap,
    "throttle": _throttle,
    "asleep": _asleep,
    "driver": _driver,
    "kernel": _kernel,
    "config": _config,
    "firmware": _firmware,
    "dimm": _dimm,
    "nicset": lambda state, change: replace(state, board=state.board.without(state.board.nic(change.target).address)),
    "hang": _hang,
    "leak": _leak,
    "cmdline": _cmdline,
    "aer": _aer,
    "clique": _clique,
    "nps": _nps,
    # Who answers is decided by the fleet, and a port's link layer by the built fabric.
    "silent": lambda state, change: state,
    "sameas": lambda state, change: state,
}


def changed(plan: Plan, state: State, change: Change, system: str, gpus: Rows, nics: Rows) -> State:
    """The state with one more change. A card on another socket (`numa`) makes the whole board anew."""
    if change.kind != "numa":
        return EFFECTS[change.kind](state, change)
    moved = [{**n, "socket": int(change.value), "plane": "moved"} if n["device"] == change.target else n for n in nics]
    firmware = {n.device: n.firmware for n in state.board.nics}
    planes = {n.device: n.plane for n in state.board.nics}
    board = board_of(plan, system, gpus, moved)
    told = tuple(
        replace(n, firmware=firmware.get(n.device, n.firmware), plane=planes.get(n.device, n.plane)) for n in board.nics
    )
    return replace(state, board=replace(board, nics=told))
