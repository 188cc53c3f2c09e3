"""Archives of the twin's nodes as captures, and what is listed with them as proven or not."""

from __future__ import annotations

from collections.abc import Sequence

from asbuilt.model.capture import Capture
from asbuilt.model.capture_set import COMMANDS
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.engines import NODE_LIMITS, PROVEN_AGAINST, Limit
from asbuilt.rehearse.node_twin import Fleet
from asbuilt.rehearse.nvlink_trays import tray_captures
from asbuilt.workflow.node_archives import NODE_ARCHIVE


def node_captures(plan: Plan, built: Built, seed: int = 0) -> tuple[Capture, ...]:
    """One capture per compute node that answers: its archive, a tar file packed with gzip; those of NVLink switch trays."""
    fleet = Fleet(plan, built, seed)
    archives = tuple(Capture(f"{fleet.name(n)}.tar.gz", fleet.archive(n), NODE_ARCHIVE, fleet.name(n)) for n in fleet.nodes)
    return archives + tray_captures(plan, built)


def formats(captures: Sequence[Capture]) -> dict[str, str]:
    """What every format in ``captures`` was held against; an archive of a node holds those of the capture set."""
    tools = [c.tool for c in captures if c.tool != NODE_ARCHIVE]
    if any(c.tool == NODE_ARCHIVE for c in captures):
        tools += [command.tool for command in COMMANDS]
    return {tool: PROVEN_AGAINST[tool] for tool in tools}


def limits(captures: Sequence[Capture]) -> tuple[Limit, ...]:
    """What the twin's nodes cannot show; nothing where none was rendered."""
    return NODE_LIMITS if any(c.tool == NODE_ARCHIVE for c in captures) else ()
