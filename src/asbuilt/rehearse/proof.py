"""What a rehearsal on real programs has proven, step by step and table by table, and what it could not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from asbuilt.rehearse.equality import Equality


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a scenario did: what was to hold, what was found, and whether it holds (None: told, not judged)."""

    what: str
    found: str
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """The answer of one scenario on one subnet.

    ``substitutions``: speed words that ibsim does not know, with the number of cable ends that were loaded as HDR instead.
    ``ports`` of ``ports_all`` ports were asked one by one, in ``questions`` questions in all; ``silent`` ones got no answer.
    """

    scenario: str
    subnet: str
    programs: dict[str, str]
    substitutions: dict[str, int]
    steps: tuple[Step, ...]
    equality: tuple[Equality, ...] = ()
    bad_lines: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    ports: int = 0
    ports_all: int = 0
    questions: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    memory_mib: dict[str, float] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """True when a step does not hold, a row differs, or a manager did not take a line of its files."""
        unequal = any(e.equal < e.compared for e in self.equality)
        return unequal or bool(self.bad_lines) or any(s.holds is False for s in self.steps)

    @property
    def open(self) -> bool:
        """True when a question got no answer, or a table that the plan has could not be compared at all."""
        return bool(self.silent) or any(not e.compared and e.left_out for e in self.equality)

    @property
    def rows(self) -> tuple[int, int]:
        """Rows compared and rows equal, over all tables."""
        return sum(e.compared for e in self.equality), sum(e.equal for e in self.equality)

    def as_json(self) -> dict[str, Any]:
        """The documented object: ``rehearsal/v1``, key ``proofs``."""
        compared, equal = self.rows
        return {
            "scenario": self.scenario,
            "subnet": self.subnet,
            "programs": self.programs,
            "substitutions": self.substitutions,
            "steps": [{"what": s.what, "found": s.found, "holds": s.holds} for s in self.steps],
            "rows": {"compared": compared, "equal": equal},
            "equality": [e.as_json() for e in self.equality],
            "bad_lines": list(self.bad_lines),
            "unanswered": list(self.silent),
            "ports": {"asked": self.ports, "of": self.ports_all},
            "questions": self.questions,
            "seconds": {k: round(v, 3) for k, v in self.seconds.items()},
            "memory_mib": {k: round(v, 1) for k, v in self.memory_mib.items()},
        }
