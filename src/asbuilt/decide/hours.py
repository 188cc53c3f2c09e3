"""Hours of each package of work: pieces, minutes of a team, practice, qualification, the package's own luck; and its holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.model.deployment import OPERATIONS, SCOPES

if TYPE_CHECKING:
    from asbuilt.decide.parties import Pools
    from asbuilt.decide.tasks import Tasks
    from asbuilt.model.assumption import Assumptions
    from asbuilt.model.crew_question import Checkpoints

_COLUMN = {operation.id: column for column, operation in enumerate(OPERATIONS)}
_MINUTES_PER_H = 60.0
#: Ids that the hours of packages are made from, beside ``work.<operation>.minutes`` and ``.hold``.
NOISE, SLOPE, REFERENCE, FLOOR = "work.noise.spread", "learning.slope", "learning.reference_racks", "learning.floor"


def minutes_id(operation: str) -> str:
    """The assumption that holds the minutes of a team for one piece."""
    return f"work.{operation}.minutes"


def hold_id(operation: str) -> str:
    """The assumption that holds the calendar hours that pass after a package with this operation."""
    return f"work.{operation}.hold"


def experience_id(party: str) -> str:
    """The assumption that holds the racks of this kind that a party's people have built."""
    return f"crew.{party}.experience_racks"


def practice(racks_done: np.ndarray, slope: np.ndarray, reference: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """Unit time over that of the reference, ``[S, T]``, by racks done before, ``[T]`` or ``[S, T]``; the others ``[S]``.

    With every doubling of the racks done a unit takes ``slope`` of the time: (racks + 1 over reference + 1) to the power
    log2(slope), never below ``floor``. Source: T. P. Wright, "Factors Affecting the Cost of Airplanes", Journal of the
    Aeronautical Sciences 3 (1936), 122-128.
    """
    doublings = np.log2(np.atleast_2d(racks_done) + 1.0) - np.log2(reference + 1.0)[:, None]
    doublings *= np.log2(slope)[:, None]
    made: np.ndarray = np.maximum(np.exp2(doublings), floor[:, None])
    return made


def experience(pools: Pools, drawn: Mapping[str, np.ndarray]) -> np.ndarray:
    """Racks of this kind that the people of each pool have built before, ``[S, 6]``: drawn, for few know it exactly."""
    return np.stack([drawn[experience_id(party)] for party in pools.party], axis=1)


def work_hours(
    tasks: Tasks, made_of: np.ndarray, pools: Pools, drawn: Mapping[str, np.ndarray], noise: np.ndarray
) -> np.ndarray:
    """Hours of a team for each package, ``[S, T]``, without rework.

    ``made_of``: what ``pieces`` gives; ``drawn``: values by id, ``[S]``; ``noise``: the luck of each package, ``[S, T]``.
    """
    minutes = np.stack([drawn[minutes_id(operation.id)] for operation in OPERATIONS], axis=1)
    hours = minutes @ (made_of.T / _MINUTES_PER_H)
    hours *= pace(tasks, pools, drawn, noise)
    made: np.ndarray = hours
    return made


def pace(tasks: Tasks, pools: Pools, drawn: Mapping[str, np.ndarray], noise: np.ndarray) -> np.ndarray:
    """Time of a piece over its minutes, by package ``[S, T]``: practice, qualification, the package's own luck."""
    done = experience(pools, drawn)[:, tasks.scope] + tasks.repeat
    made = practice(done, drawn[SLOPE], drawn[REFERENCE], drawn[FLOOR])
    factors = np.stack([drawn[f"qualification.{pools.qualification[k]}.time_factor"] for k in range(len(SCOPES))], axis=1)
    made *= factors[:, tasks.scope]
    made *= noise
    return made


def hold_hours(tasks: Tasks, drawn: Mapping[str, np.ndarray], kept: frozenset[str]) -> np.ndarray:
    """Calendar hours that must pass after each package's work, ``[S, T]``: the holds of its operations, one after the other.

    A loop is not filled while nitrogen stands in it, an NVLink domain not judged while its nodes burn in. Several pieces of one
    operation (loops, nodes) are held side by side, once.
    ``kept``: operations whose hold is observed; a checkpoint that is dropped drops its hold.
    """
    runs = len(next(iter(drawn.values())))
    made = np.zeros((runs, len(tasks.package)))
    for column, operation in enumerate(OPERATIONS):
        key = hold_id(operation.id)
        if key in drawn and operation.id in kept:
            there = tasks.operations[:, column] > 0
            made[:, there] += drawn[key][:, None]
    return made


#: Operations that a dropped checkpoint leaves out, with their work and hold.
CHECKPOINT_WORK = {
    "pressure_test": ("loop_pressure_test",),
    "node_acceptance": ("node_accept", "domain_accept"),
    "fabric_gate": ("link_verify", "site_fabric"),
    "collectives_gate": ("row_collectives",),
    "soak": ("site_soak",),
}


def pieces(tasks: Tasks, checkpoints: Checkpoints) -> np.ndarray:
    """Pieces of each operation in each package, ``[T, O]``, with what a dropped checkpoint leaves out at zero.

    A sample of connectors is inspected: that share of the pieces. Second looks at cables are no operation of their own.
    """
    made = tasks.operations.copy()
    for name, operations in CHECKPOINT_WORK.items():
        if not getattr(checkpoints, name):
            made[:, [_COLUMN[operation] for operation in operations]] = 0.0
    made[:, _COLUMN["connector_inspect"]] *= checkpoints.connector_inspection
    return made


def held(checkpoints: Checkpoints) -> frozenset[str]:
    """Operations whose hold is observed under ``checkpoints``."""
    dropped = {o for name, operations in CHECKPOINT_WORK.items() if not getattr(checkpoints, name) for o in operations}
    return frozenset(_COLUMN) - dropped


def scope_hours(tasks: Tasks, assumptions: Assumptions) -> np.ndarray:
    """Hours of one team for each scope's pieces at the mean minutes, by people with the reference's practice, ``[6]``."""
    minutes = np.array([assumptions[minutes_id(operation.id)].mean for operation in OPERATIONS])
    hours = tasks.operations @ (minutes / _MINUTES_PER_H)
    return np.bincount(tasks.scope, hours, len(SCOPES))
