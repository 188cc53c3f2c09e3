"""A little site of packages of work, by hand, for tests of faults and rework."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from asbuilt.base.origin import Confidence, Origin
from asbuilt.model.assumption import PER_OPERATION, Assumed, Assumptions, Spread
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, OPERATIONS

COLUMN = {operation.id: column for column, operation in enumerate(OPERATIONS)}
KIND = {kind.id: index for index, kind in enumerate(FAULT_KINDS)}
STAGE = {catch: index for index, catch in enumerate(CATCHES)}


@dataclass
class Packages:
    """What faults need to know of tasks."""

    package: tuple[str, ...]
    row: np.ndarray
    rack: tuple[str, ...]
    repeat: np.ndarray
    operations: np.ndarray


def packages(*rows: tuple[str, int, str, dict[str, float]], repeat: tuple[float, ...] = ()) -> Any:
    """Packages in order: word, row, rack, pieces by operation."""
    operations = np.zeros((len(rows), len(OPERATIONS)))
    for index, (_, _, _, pieces) in enumerate(rows):
        for operation, number in pieces.items():
            operations[index, COLUMN[operation]] = number
    return cast(
        Any,
        Packages(
            package=tuple(row[0] for row in rows),
            row=np.array([row[1] for row in rows], np.int64),
            rack=tuple(row[2] for row in rows),
            repeat=np.array(repeat or (0.0,) * len(rows)),
            operations=operations,
        ),
    )


def two_racks() -> Any:
    """One row with two racks, all stages, and the site's soak."""
    return packages(
        ("staging/rack", 0, "a", {"backplane_seat": 9}),
        ("staging/rack", 0, "b", {"backplane_seat": 18}),
        ("liquid/rack", 0, "a", {"fitting_torque": 8}),
        ("fibre/rack", 0, "a", {"connector_mate": 100, "jumper_lay": 50, "optic_insert": 50}),
        ("fibre/rack", 0, "b", {"connector_mate": 300, "jumper_lay": 150}),
        ("liquid/gate", 0, "", {"loop_pressure_test": 1}),
        ("bringup/rack", 0, "a", {"node_bring_up": 9}),
        ("bringup/rack", 0, "b", {"node_bring_up": 18}),
        ("acceptance/fabric", 0, "", {"link_verify": 200}),
        ("acceptance/collectives", 0, "", {"row_collectives": 1}),
        ("acceptance/soak", -1, "", {"site_soak": 1}),
        repeat=(0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0),
    )


def rate(id: str, low: float, likely: float, high: float, **more: Any) -> Assumed:
    """A fault rate."""
    return assumed(id, low, likely, high, unit=PER_OPERATION, **more)


def assumed(
    id: str,
    low: float,
    likely: float,
    high: float,
    unit: str = "share",
    origin: Origin = Origin.ASSUMED,
    removed: Spread | None = None,
    faults: float | None = None,
    operations: float | None = None,
) -> Assumed:
    return Assumed(
        id, low, likely, high, unit, origin, Confidence.LOW, "own estimate", "what it is", removed, "", faults, operations
    )


def assumptions(*items: Assumed) -> Assumptions:
    return Assumptions({item.id: item for item in items})
