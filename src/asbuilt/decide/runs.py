"""Many deployments of several arrangements, in chunks that may run in other processes. Results do not hang on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from asbuilt.decide.simulate import Case, Outcomes, joined, simulate, values_of


class Executor(Protocol):
    """Whatever runs calls elsewhere and gives their results in order, as executors of the standard library do."""

    def map(self, fn: Callable[..., Any], /, *iterables: Iterable[Any]) -> Iterable[Any]: ...


#: Runs of one chunk: enough that calls cost nothing, few enough that a chunk of a large site stays in memory.
CHUNK = 512
_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk of one question: what another process needs to know."""

    cases: Mapping[str, Case]
    seed: int
    chunk: int
    runs: int


def simulated(piece: Piece) -> dict[str, Outcomes]:
    """The outcomes of one chunk for each arrangement, with equal streams."""
    drawn: dict[int, dict[str, np.ndarray]] = {}
    made = {}
    for key, case in piece.cases.items():
        believed = id(case.assumptions)
        if believed not in drawn:
            drawn[believed] = values_of(case.assumptions, piece.seed, piece.chunk, piece.runs)
        made[key] = simulate(case, piece.seed, piece.chunk, piece.runs, drawn[believed])
    return made


def chunk_runs(cases: Mapping[str, Case]) -> int:
    """Runs of one chunk of these cases."""
    packages = max(len(case.tasks.package) for case in cases.values())
    return max(1, min(CHUNK, _CELLS // packages))


def run(cases: Mapping[str, Case], seed: int, runs: int, executor: Executor | None = None) -> dict[str, Outcomes]:
    """``runs`` deployments of each arrangement. ``executor`` runs chunks elsewhere. Raises ``ValueError`` below one run."""
    if runs < 1:
        raise ValueError(f"{runs} runs were asked for; at least one is needed")
    size = chunk_runs(cases)
    pieces = [Piece(cases, seed, chunk, min(size, runs - first)) for chunk, first in enumerate(range(0, runs, size))]
    chunks = list(map(simulated, pieces) if executor is None else executor.map(simulated, pieces))
    return {key: joined([chunk[key] for chunk in chunks]) for key in cases}
