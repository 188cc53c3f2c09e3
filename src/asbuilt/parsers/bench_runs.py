"""Runs of a benchmark of one machine in a text: whose line opens one, which run a later line is of, its row at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Generic, Iterator, TypeVar

from asbuilt.model.facts_bench import RUN_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told


@dataclass(slots=True)
class Run:
    """A run as far as it is told: the line that opened it, its number in the text, columns of ``run_facts``."""

    opened: Said
    number: int
    values: dict[str, Any] = field(default_factory=dict)

    def key(self, told: Told) -> str:
        """What fact tables call it in ``run``."""
        return f"{told.capture_id}#{self.number}"

    def tell(self, told: Told, benchmark: str, **more: Any) -> None:
        """Its row of ``run_facts``; ``more`` counts before `values`. Not complete, unless one of them says so."""
        row = {"complete": False, **self.values, "run": self.key(told), "benchmark": benchmark, "line": self.opened.number}
        told.add(RUN_FACTS, self.opened, {**row, **more})


R = TypeVar("R", bound=Run)


class Runs(Generic[R]):
    """Runs in the order in which they open, and the one that each speaker is at: what two turns say is not one run."""

    def __init__(self, kind: Callable[[Said, int], R]) -> None:
        self._kind = kind
        self._all: list[R] = []
        self._current: dict[Any, R] = {}

    def __iter__(self) -> Iterator[R]:
        return iter(self._all)

    def at(self, said: Said) -> R | None:
        """The run that a line is of; None before the first one of whoever says it."""
        return self._current.get((said.speaker.hosts, said.speaker.turn))

    def open(self, said: Said) -> R:
        """A new run, which the next lines of the same speaker are of."""
        run = self._current[said.speaker.hosts, said.speaker.turn] = self._kind(said, len(self._all) + 1)
        self._all.append(run)
        return run
