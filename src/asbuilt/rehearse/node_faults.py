"""Faults inside a node, which no cable shows: what doing each of them means, and which checks must name it.

``gpu:NODE/SLOT``         the GPU is not there           ``nvlink:NODE/SLOT``      one NVLink of it is inactive
``width:NODE/DEVICE``     half the lanes                 ``gen:NODE/DEVICE``       one PCIe generation less
``rootport:NODE/DEVICE``  the root port can do less      ``ecc:NODE/SLOT``         uncorrected errors in its memory
``remap:NODE/SLOT``       a row waits to be remapped     ``throttle:NODE/SLOT``    slowed down by heat
``xid:NODE/SLOT,79``      the driver logged an XID       ``asleep:NODE/SLOT``      power saving: no fault, none to be named
``ethmode:NODE/NIC``      the port is set to Ethernet    ``firmware:NODE/NIC``     older firmware on its card
``nicset:NODE``           a card function is missing     ``mrrs:NODE``             MaxReadReq of the cards is untuned
``numa:NODE``             a card on the wrong socket     ``irq:NODE``              interrupts go to the wrong socket
``acs:NODE``              ACS on at the PCIe switches    ``nps:NODE``              four NUMA nodes per socket
``dimm:NODE``             a memory module is missing     ``leak:NODE``             the tray reports a leak
``driver:NODE``           older GPU driver               ``kernel:NODE``           older kernel
``peermem:NODE``          nvidia_peermem is not loaded   ``module:NODE``           another needed module is not loaded
``cmdline:NODE``          the kernel translates addresses of devices (IOMMU)
``config:NODE``           a configuration file edited by hand
``fabricmanager:NODE``    the fabric manager failed      ``fabricstate:NODE``      GPUs are not registered with the fabric
``clique:NODE``           GPUs in another NVLink clique  ``aer:NODE/DEVICE``       PCIe errors in the log
``hang:NODE``             nvidia-smi does not end        ``silent:NODE``           the node left no archive
``sameas:NODE,NODE``      the first node's archive holds the second machine

DEVICE is an RDMA device (mlx5_3) or a GPU as gpu<slot>.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.rehearse.built import Built, end_of
from asbuilt.rehearse.fault import Fault, Injected
from asbuilt.rehearse.node_board import Board
from asbuilt.rehearse.node_change import Change
from asbuilt.rehearse.node_draw import fits, judged
from asbuilt.rehearse.node_effects import address_of, lower_root
from asbuilt.rehearse.node_expected import EXPECTED
from asbuilt.rehearse.node_kinds import state_of
from asbuilt.rehearse.node_state import State
from asbuilt.rehearse.places import Places

Done = tuple[Built, Injected]
#: Kinds by what stands behind the node's name.
_OF_SLOT = ("gpu", "nvlink", "ecc", "remap", "throttle", "asleep")
_OF_DEVICE = ("width", "gen", "rootport", "aer")
_OF_NIC = ("ethmode", "firmware")
_OF_NODE = (
    "nicset", "mrrs", "numa", "irq", "acs", "nps", "dimm", "leak", "driver", "kernel", "config", "peermem", "module", "cmdline",
    "fabricmanager", "fabricstate", "clique", "hang", "silent",
)  # fmt: skip

#: The word that has the kernel translate what devices address, by maker of the processor.
_TRANSLATE = {"GenuineIntel": "intel_iommu=on", "AuthenticAMD": "amd_iommu=on"}

#: Why a node cannot have a fault, and what to name instead.
_WHY_NOT = {
    "numa": ("it has one socket, or no compute card", "name a node of two sockets"),
    "irq": ("it has one socket", "name a node of two sockets"),
    "cmdline": ("a Grace processor always translates what devices address", "name an x86 node"),
    "acs": ("on Grace trays access control is left as it is", "name an x86 node"),
    "nps": ("a Grace processor has one NUMA node", "name an x86 node"),
    "dimm": ("its memory is soldered", "name a node with memory modules"),
    "leak": ("it is cooled by air", "name a liquid-cooled tray"),
    "fabricstate": ("its GPUs are in no NVLink domain", "name a node with NVLink"),
    "clique": ("its GPUs are in no NVLink domain of several nodes", "name a node of an NVL72 rack"),
    "fabricmanager": ("no fabric manager is to run there", "name a node with NVSwitches of its own"),
    "peermem": ("it has no NVIDIA GPU", "name a node that has"),
}


def subject(node: str, target: str) -> str:
    """The subject of a GPU, card or node as checks name it."""
    index = node.partition(":")[2]
    if target.startswith("gpu"):
        return f"gpu:{index}/{target[3:]}"
    return f"nic:{index}/{target}" if target else node


def _node(places: Places, fault: Fault, word: str) -> tuple[str, State]:
    node = places.node(word)
    try:
        return node, state_of(places.plan, node)
    except KeyError:
        what = f"{fault}: {node} is no compute node, and the twin asks only those"
        raise ProblemError(Problem("CLI-023", what, fix="name a compute node")) from None


def _split(fault: Fault, word: str) -> tuple[str, str]:
    node, slash, rest = word.rpartition("/")
    if not slash:
        raise ProblemError(
            Problem("CLI-021", f"fault {fault}: no device behind the node", fix=f"write {NODE_EXAMPLES[fault.kind]}")
        )
    return node, rest


def _slot(fault: Fault, board: Board, word: str) -> int:
    known = {str(g.slot): g.slot for g in board.gpus}
    slot = known.get(word.removeprefix("gpu"))
    if slot is None:
        what = f"{fault}: the node has no GPU {word!r}"
        raise ProblemError(Problem("CLI-022", what, fix=f"its GPUs are {', '.join(known) or 'none'}"))
    return slot


def _device(fault: Fault, board: Board, word: str) -> str:
    if word.removeprefix("gpu").isdecimal():
        return f"gpu{_slot(fault, board, word)}"
    known = [n.device for n in board.nics]
    if word not in known:
        fix = nearest(word, known, "did you mean ") or f"its card functions are {', '.join(known)}"
        raise ProblemError(Problem("CLI-022", f"{fault}: the node has no device {word!r}", fix=fix.strip(" ;,()")))
    return word


def _refuse(fault: Fault, why: str, fix: str) -> ProblemError:
    return ProblemError(Problem("CLI-023", f"{fault}: {why}", fix=fix))


def _done(built: Built, fault: Fault, change: Change, subjects: tuple[str, ...], links: tuple[str, ...] = ()) -> Done:
    ids, follows = EXPECTED[fault.kind]
    findings = tuple((ids, s) for s in subjects) if ids else ()
    return replace(built, nodes=(*built.nodes, change)), Injected(fault, links, None, findings, follows)


def _at_slot(places: Places, built: Built, fault: Fault) -> Done:
    word, rest = _split(fault, fault.arguments[0])
    node, state = _node(places, fault, word)
    slot = _slot(fault, state.board, rest)
    if fault.kind == "nvlink" and not state.links:
        raise _refuse(fault, "its GPUs have no NVLink", "name a node whose GPUs have")
    value = fault.arguments[1] if len(fault.arguments) > 1 else ""
    if fault.kind == "xid" and not value.isdecimal():
        raise _refuse(fault, f"{value!r} is no XID", f"write {NODE_EXAMPLES['xid']}")
    return _done(built, fault, Change(node, fault.kind, str(slot), value), (subject(node, f"gpu{slot}"),))


def _at_device(places: Places, built: Built, fault: Fault) -> Done:
    word, rest = _split(fault, fault.arguments[0])
    node, state = _node(places, fault, word)
    board, device = state.board, _device(fault, state.board, rest)
    if not judged(places.plan, node, fault.kind, device):
        raise _refuse(fault, "the catalogue does not say what its link should be", "name a device whose maker publishes it")
    address = board.gpu(int(device[3:])).address if device.startswith("gpu") else board.nic(device).address
    path = board.path(address)
    shared = {"width": path[1], "gen": path[1], "rootport": path[-1]}.get(fault.kind)
    near = [f"gpu{g.slot}" for g in board.gpus] + [n.device for n in board.nics]
    touched = [d for d in near if shared is not None and shared in board.path(address_of(board, d))] or [device]
    if fault.kind == "rootport":
        lower = lower_root(path)
        touched = [d for d in touched if board.function(address_of(board, d)).max_gts > lower]
    touched = [d for d in touched if judged(places.plan, node, fault.kind, d)]
    return _done(built, fault, Change(node, fault.kind, device), tuple(subject(node, d) for d in touched))


def _ethmode(places: Places, built: Built, fault: Fault) -> Done:
    from asbuilt.rehearse.faults import eth_fault

    changed, record = eth_fault(places, built, fault)
    end = next(iter(changed.ethernet - built.ethernet), None)
    if end is None:
        raise _refuse(fault, "that port runs Ethernet already", "name another")
    ids, follows = EXPECTED["ethmode"]
    return changed, replace(record, findings=((ids, subject(*end)),), follows=follows)


def _firmware(places: Places, built: Built, fault: Fault) -> Done:
    word, rest = _split(fault, fault.arguments[0])
    node, state = _node(places, fault, word)
    device = _device(fault, state.board, rest)
    if device.startswith("gpu"):
        raise _refuse(fault, "that is a GPU", "name a card function: NODE/NIC")
    card = state.board.nic(device).card
    touched = tuple(subject(node, n.device) for n in state.board.nics if n.card == card)
    return _done(built, fault, Change(node, fault.kind, device), touched)


def _nicset(places: Places, built: Built, fault: Fault) -> Done:
    """The last function of the node's cards is gone, and so is what its cable leads to."""
    import polars as pl

    node, state = _node(places, fault, fault.arguments[0])
    if not state.board.nics:
        raise _refuse(fault, "it has no card function", "name another node")
    device = state.board.nics[-1].device
    mine = built.cables.filter((pl.col("b_device") == node) & (pl.col("b_nic") == device))["cable"].to_list()
    links = tuple(end_of(built, cable, "b").cable for cable in mine)
    less = built.with_cables(built.cables.filter(~pl.col("cable").is_in(mine)))
    return _done(less, fault, Change(node, fault.kind, device), (subject(node, device),), links)


def _at_node(places: Places, built: Built, fault: Fault) -> Done:
    node, state = _node(places, fault, fault.arguments[0])
    board, kind = state.board, fault.kind
    if not fits(state, kind):
        raise _refuse(fault, *_WHY_NOT[kind])
    target, value = "", ""
    subjects: tuple[str, ...] = (node,)
    if kind == "numa":
        card = next(n for n in board.nics if n.plane == "compute")
        target, value, subjects = card.device, str((card.socket + 1) % board.sockets), (subject(node, card.device),)
    elif kind == "nps":
        value = "4"
    elif kind == "dimm":
        target = next(d.locator for d in board.dimms if d.gib)
    elif kind == "irq":
        subjects = tuple(subject(node, n.device) for n in board.nics)
    elif kind == "module":
        value = "ib_umad" if any(n.infiniband for n in board.nics) else "mlx5_ib"
    elif kind == "cmdline":
        value = _TRANSLATE.get(board.maker.cpu_vendor, "iommu=on")
        subjects = (f"{node}#kernel command line",)
    elif kind in ("fabricstate", "clique"):
        subjects = tuple(subject(node, f"gpu{g.slot}") for g in board.gpus)
    return _done(built, fault, Change(node, kind, target, value), subjects)


def _sameas(places: Places, built: Built, fault: Fault) -> Done:
    (one, _), (two, _) = (_node(places, fault, word) for word in fault.arguments)
    if one == two:
        raise _refuse(fault, "a machine is itself", "name two nodes")
    return _done(built, fault, Change(one, fault.kind, "", two), (one, two))


NODE_ARITY: dict[str, int] = {
    **dict.fromkeys((*_OF_SLOT, *_OF_DEVICE, *_OF_NIC, *_OF_NODE), 1),
    "xid": 2,
    "sameas": 2,
}
NODE_EXAMPLES: dict[str, str] = {
    **{kind: f"{kind}:node:0003/5" for kind in _OF_SLOT},
    **{kind: f"{kind}:node:0003/mlx5_3" for kind in (*_OF_DEVICE, *_OF_NIC)},
    **{kind: f"{kind}:node:0003" for kind in _OF_NODE},
    "xid": "xid:node:0003/5,79",
    "sameas": "sameas:node:0003,node:0004",
}
NODE_DO: dict[str, Callable[[Places, Built, Fault], Done]] = {
    **dict.fromkeys((*_OF_SLOT, "xid"), _at_slot),
    **dict.fromkeys(_OF_DEVICE, _at_device),
    **dict.fromkeys(_OF_NODE, _at_node),
    "ethmode": _ethmode,
    "firmware": _firmware,
    "nicset": _nicset,
    "sameas": _sameas,
}
