"""K faults inside as many nodes, drawn from a seed: equal for an equal plan and seed."""

from __future__ import annotations

import random

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.rehearse.fault import Fault
from asbuilt.rehearse.node_change import Change
from asbuilt.rehearse.node_kinds import kinds, state_of
from asbuilt.rehearse.node_state import State

XIDS = ("48", "79", "94", "119")
#: Kinds by what is drawn besides the node.
OF_SLOT = ("gpu", "nvlink", "ecc", "remap", "throttle", "xid")
OF_DEVICE = ("width", "gen", "rootport", "aer", "firmware")
OF_NODE = (
    "nicset", "mrrs", "numa", "irq", "acs", "nps", "dimm", "leak", "driver", "kernel", "config", "cmdline", "peermem", "module",
    "fabricmanager", "fabricstate", "clique", "hang", "silent",
)  # fmt: skip


def fits(state: State, kind: str) -> bool:
    """True when a node that stands so can have a fault of this kind."""
    board, domain = state.board, state.domain
    needs = {
        "nvlink": state.links > 0,
        "numa": board.sockets > 1 and any(n.plane == "compute" for n in board.nics),
        "irq": board.sockets > 1,
        "nps": not board.grace,
        "acs": not board.grace,
        "cmdline": not board.grace,
        "dimm": any(d.gib for d in board.dimms),
        "peermem": "nvidia_peermem" in state.modules,
        "fabricmanager": state.services["nvidia-fabricmanager"][1] == "active",
        "fabricstate": domain != "none",
        "clique": domain == "domain",
        "leak": board.grace,
    }
    return needs.get(kind, True)


def drawn(plan: Plan, used: tuple[Change, ...], fault: Fault, wanted: int, seed: int) -> tuple[Fault, ...]:
    """``wanted`` faults at nodes that have none yet. Raises ``ProblemError`` CLI-023 where the plan has fewer nodes."""
    busy = {c.node for c in used} | {c.value for c in used if c.kind == "sameas"}
    free = [n for n in kinds(plan) if n not in busy]
    if len(free) < wanted:
        what = f"{fault}: only {len(free)} nodes are without a fault"
        raise ProblemError(Problem("CLI-023", what, fix=f"ask for {len(free)}"))
    draw = random.Random(seed)  # noqa: S311 (a reproducible draw, not a secret)
    return tuple(_one(draw, plan, node) for node in draw.sample(free, wanted))


def judged(plan: Plan, node: str, kind: str, device: str) -> bool:
    """True when the plan says what a link of this device should be: of others nobody can tell that it is less."""
    import polars as pl

    column = {"width": "pcie_width", "gen": "pcie_gen", "rootport": "pcie_gen"}.get(kind)
    if column is None or not plan.has("hardware"):
        return True
    table, key, part = ("gpus", "slot", "model") if device.startswith("gpu") else ("nics", "device", "part")
    wanted = int(device[3:]) if device.startswith("gpu") else device
    parts = plan.table(table).filter((pl.col("node") == node) & (pl.col(key) == wanted))[part]
    known = plan.table("hardware").filter(pl.col("part").is_in(parts.implode()) & pl.col(column).is_not_null())
    return not known.is_empty()


def _one(draw: random.Random, plan: Plan, node: str) -> Fault:
    state = state_of(plan, node)
    kind = draw.choice([k for k in (*OF_SLOT, *OF_DEVICE, *OF_NODE) if fits(state, k)])
    slots, devices = [g.slot for g in state.board.gpus], [n.device for n in state.board.nics]
    if kind in OF_SLOT:
        place = f"{node}/{draw.choice(slots)}"
        return Fault(kind, (place, draw.choice(XIDS)) if kind == "xid" else (place,))
    if kind in OF_DEVICE:
        gpus = [f"gpu{s}" for s in slots] if kind != "firmware" else []
        able = [d for d in (*devices, *gpus) if judged(plan, node, kind, d)]
        return Fault(kind, (f"{node}/{draw.choice(able)}",))
    return Fault(kind, (node,))
