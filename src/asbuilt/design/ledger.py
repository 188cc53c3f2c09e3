"""What a design rests on: every default that was chosen, every catalogue figure that was read, every warning and problem."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from asbuilt.base.origin import Assumption, Citation, Confidence
from asbuilt.base.problem import Problem, ProblemError

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Catalogue, Part


@dataclass(slots=True)
class Ledger:
    """Collects while a requirement is resolved; nothing is raised before `settle`, so that all problems show at once."""

    catalogue: Catalogue
    assumptions: list[Assumption] = field(default_factory=list)
    citations: dict[str, Citation] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def assume(self, path: str, value: Any, why: str) -> Any:
        """Record that nobody stated ``path`` and ``value`` was chosen; returns ``value``."""
        self.assumptions.append(Assumption(path, value, why))
        return value

    def revise(self, path: str, value: Any, why: str) -> Any:
        """`assume` in place of what was assumed for ``path`` before."""
        self.assumptions = [a for a in self.assumptions if a.path != path]
        return self.assume(path, value, why)

    def figure(self, part: Part, key: str, default: Any = None) -> Any:
        """The value of a catalogue figure, cited; ``default`` (uncited) when the part does not state it."""
        if not part.has(key):
            return default
        cited = part.cite(key)
        self.citations.setdefault(cited.what, cited)
        return cited.figure.value

    def part(self, kind: str, part_id: str, path: str) -> Part | None:
        """The catalogue part, or None after noting the catalogue's own problem with the requirement's path before it."""
        try:
            return self.catalogue.get(kind, part_id)
        except ProblemError as error:
            for problem in error.problems.items:
                what = f"{path}: {problem.what}"
                self.problems.append(Problem(problem.code, what, problem.place, problem.why, problem.fix))
            return None

    def warn(self, text: str) -> None:
        """A sentence that the reader must see beside the result."""
        if text not in self.warnings:
            self.warnings.append(text)

    def problem(self, code: str, what: str, why: str = "", fix: str = "") -> None:
        """A reason why no design can be made."""
        self.problems.append(Problem(code, what, None, why, fix))

    def settle(self) -> None:
        """Raise ``ProblemError`` with everything that was noted, if anything was."""
        if self.problems:
            raise ProblemError(self.problems)

    def weak(self) -> tuple[str, ...]:
        """Names of the cited figures with confidence ``low``, in the order in which they were read."""
        return tuple(c.what for c in self.citations.values() if c.figure.confidence is Confidence.LOW)


@dataclass(frozen=True, slots=True)
class Choices:
    """What one ``section`` of the requirement states (``asked``), else a default, which ``ledger`` records as assumed."""

    ledger: Ledger
    section: str
    asked: object

    def __call__(self, name: str, default: Any, why: str) -> Any:
        given = getattr(self.asked, name)
        return given if given is not None else self.ledger.assume(f"{self.section}.{name}", default, why)

    def number(self, name: str, default: float, why: str) -> float:
        """The same as a number."""
        return float(self(name, default, why))
