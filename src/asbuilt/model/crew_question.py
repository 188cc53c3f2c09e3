"""What is asked when a crew is chosen: the parties, their shifts, who does which scope, which checkpoints are kept."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from asbuilt.model.assumption import Assumptions


@dataclass(frozen=True, slots=True)
class Shift:
    """When a team position is staffed: hours of one shift, shifts one after the other in a day, days in a week."""

    hours: float
    shifts: int
    days: int

    @property
    def hours_per_day(self) -> float:
        return self.hours * self.shifts

    @property
    def words(self) -> str:
        """``8 h x 5 days``, ``2 x 12 h x 7 days``."""
        several = f"{self.shifts} x " if self.shifts > 1 else ""
        return f"{several}{self.hours:g} h x {self.days} days"


@dataclass(frozen=True, slots=True)
class Party:
    """Own people or a specialist crew.

    ``teams``: teams of a skill at work at the same time; a skill that is absent gets the default number for the site's size.
    ``qualification``: per scope. ``experience_racks``: racks of this kind that its people have built before.
    ``tools``: ids of tools that it has, in calibration. ``lead``: a dedicated project lead. ``supervised_racks``: racks built
    under supervision of somebody experienced.
    """

    id: str
    name: str
    shift: Shift
    teams: Mapping[str, int]
    qualification: Mapping[str, str]
    experience_racks: float
    tools: frozenset[str]
    lead: bool
    supervised_racks: float


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Which checkpoints are kept. A share of 1 inspects every connector; below, a sample of each row."""

    connector_inspection: float = 1.0
    escalate: bool = True  # one dirty connector in the sample: the whole row is inspected
    cable_inspection: bool = True  # labels, bends, torque marks, cords looked at by a second person
    pressure_test: bool = True
    node_acceptance: bool = True
    fabric_gate: bool = True
    collectives_gate: bool = True
    soak: bool = True


@dataclass(frozen=True, slots=True)
class Arrangement:
    """One answer to "who builds it": the party of each scope, and the checkpoints."""

    id: str
    name: str
    parties: Mapping[str, str]
    checkpoints: Checkpoints = Checkpoints()

    def interfaces(self) -> int:
        """Scopes whose work is taken over by another party: neighbours in building order that differ."""
        order = list(self.parties.values())
        return sum(1 for a, b in itertools.pairwise(order) if a != b)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a trial rack, or past work, showed: faults of a kind found in so many operations."""

    fault: str
    operations: float
    faults: float
    party: str
    source: str


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that is asked at once. ``seed`` and ``runs`` of the simulation; money in ``currency``.

    ``notes``: what nobody stated and what stands there instead, in words.
    """

    name: str
    currency: str
    own: Party
    specialist: Party
    arrangements: tuple[Arrangement, ...]
    assumptions: Assumptions
    trials: tuple[Trial, ...] = ()
    racks_per_quarter: float | None = None
    early_use: bool = True
    seed: int = 1
    runs: int = 20_000
    notes: tuple[str, ...] = ()

    def party(self, arrangement: Arrangement, scope: str) -> Party:
        """Who does ``scope`` in ``arrangement``."""
        return self.own if arrangement.parties[scope] == "own" else self.specialist
