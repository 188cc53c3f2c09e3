"""Faults: how many each row's work puts in, and at which stage each of them is caught. Random draws and expected values."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.decide.hours import practice
from asbuilt.decide.sampling import Sampling, expected_sampled, sampled
from asbuilt.model.crew_question import Checkpoints
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, OPERATIONS, FaultKind

if TYPE_CHECKING:
    from asbuilt.decide.tasks import Tasks

#: The kind whose checkpoint is a share: end faces, every one, a sample of each row, or none.
SAMPLED_KIND = "connector_dirty"
#: The checkpoint that switches a stage on, beside the inspection.
_SWITCH = {
    "pressure": "pressure_test",
    "node": "node_acceptance",
    "fabric": "fabric_gate",
    "collectives": "collectives_gate",
    "soak": "soak",
}
_STAGE = {catch: index for index, catch in enumerate(CATCHES)}
_COLUMN = {operation.id: column for column, operation in enumerate(OPERATIONS)}
#: Means up to which counts are looked up in the distribution itself; above, the generator's own method is faster.
_BY_INVERSION = 8.0


def kept(kind: str, catch: str, checkpoints: Checkpoints) -> float:
    """The share of the pieces that a stage looks at, for faults of a kind. Production looks at all that is left.

    Raises ``ValueError`` where ``connector_inspection`` is no share.
    """
    if catch == CATCHES[-1]:
        return 1.0
    if catch == CATCHES[0]:
        return _sample(checkpoints) if kind == SAMPLED_KIND else float(checkpoints.cable_inspection)
    return float(getattr(checkpoints, _SWITCH[catch]))


def _sample(checkpoints: Checkpoints) -> float:
    share = checkpoints.connector_inspection
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"connector_inspection is a share from 0 to 1, not {share:g}")
    return share


def catch_shares(
    kind: FaultKind,
    checkpoints: Checkpoints,
    impossible: Set[tuple[str, str]],
    detect: Mapping[str, float | np.ndarray],
) -> np.ndarray:
    """Shares of a kind's faults by the stage that catches them, ``[..., len(CATCHES)]``; they sum to 1.

    The stages come one after the other, and each finds ``detect`` of what is still there. A stage that is switched off, or
    whose tool is missing (``impossible``: pairs of kind and catch), finds nothing; production finds what is left. A sample
    is counted without the inspection that follows a find (``draw_faults`` adds it). Raises ``KeyError`` for a stage without
    ``detect``, ``ValueError`` for one outside 0 to 1.
    """
    found = {c: _detects(kind.id, c, detect[c]) for c in kind.catches[:-1]}
    shape = np.broadcast_shapes(*(value.shape for value in found.values()))
    made = np.zeros((*shape, len(CATCHES)))
    left = np.ones(shape)
    for catch, value in found.items():
        looked_at = 0.0 if (kind.id, catch) in impossible else kept(kind.id, catch, checkpoints)
        made[..., _STAGE[catch]] = left * value * looked_at
        left = left - made[..., _STAGE[catch]]
    made[..., -1] = left
    return made


def _detects(kind: str, catch: str, value: float | np.ndarray) -> np.ndarray:
    made = np.asarray(value, np.float64)
    if not ((made >= 0.0) & (made <= 1.0)).all():
        raise ValueError(f"fault.{kind}.detect.{catch} is a share from 0 to 1; it is {made.min():g} to {made.max():g}")
    return made


def all_shares(
    checkpoints: Checkpoints, impossible: Set[tuple[str, str]], values: Mapping[str, float | np.ndarray]
) -> np.ndarray:
    """``catch_shares`` of every kind, ``[S, K, len(CATCHES)]``, or with one run where ``values`` (by id) are single numbers."""
    made = [
        catch_shares(kind, checkpoints, impossible, {c: values[f"fault.{kind.id}.detect.{c}"] for c in kind.catches[:-1]})
        for kind in FAULT_KINDS
    ]
    shape = np.broadcast_shapes(*(one.shape[:-1] for one in made))
    runs = shape[0] if shape else 1
    return np.stack([np.broadcast_to(one, (runs, len(CATCHES))) for one in made], axis=1)


def fault_factor(done: np.ndarray, slope: np.ndarray, reference: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """Fault rate over that at the reference, ``[S, L]``, by racks done before ``[L]``; slope, reference and floor ``[S]``.

    ``done``: the party's racks from before plus those done here. The curve is the one that ``hours.practice`` has for times
    (Wright): that it holds for faults is assumed, not published.
    """
    return practice(done, slope, reference, floor)


@dataclass(frozen=True, slots=True)
class Lots:
    """One lot for each kind of fault and row with work that can put it in: ``L`` lots, by kind, then row (-1: the site).

    ``pieces``: chances, one for each piece of the kind's operation; ``repeat``: racks done before, averaged over them.
    """

    kind: np.ndarray  # int64[L], index into FAULT_KINDS
    row: np.ndarray  # int64[L]
    pieces: np.ndarray  # float64[L]
    repeat: np.ndarray  # float64[L]

    def of_kind(self, kind: int) -> slice:
        """The lots of one kind lie together."""
        return slice(*(int(i) for i in np.searchsorted(self.kind, (kind, kind + 1))))


def lots_of(tasks: Tasks) -> Lots:
    """The lots of a site's packages of work."""
    rows = tasks.row + 1
    parts = []
    for k, kind in enumerate(FAULT_KINDS):
        pieces = tasks.operations[:, _COLUMN[kind.operation]]
        total = np.bincount(rows, pieces)
        there = np.flatnonzero(total > 0)
        repeat = np.bincount(rows, pieces * tasks.repeat)[there] / total[there]
        parts.append((np.full(len(there), k), there - 1, total[there], repeat))
    kinds, at, pieces, repeat = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Lots(kinds.astype(np.int64), at.astype(np.int64), pieces, repeat)


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of ``runs`` deployments: the cells (run, lot, catch) that hold any, ``[N]`` each, with their ``count``.

    ``inspected``: pieces of ``inspected_lots`` looked at because a sample had a fault in it, ``[S, M]``. ``key``: the chance
    by which ``rework`` deals the faults of a row out to its racks.
    """

    runs: int
    lots: Lots
    run: np.ndarray
    lot: np.ndarray
    catch: np.ndarray
    count: np.ndarray
    inspected_lots: np.ndarray
    inspected: np.ndarray
    key: int

    def counts(self) -> np.ndarray:
        """All cells, ``int64[S, L, len(CATCHES)]``. Large: for tests and small sites."""
        made = np.zeros((self.runs, len(self.lots.kind), len(CATCHES)), np.int64)
        made[self.run, self.lot, self.catch] = self.count
        return made

    def by_kind(self) -> np.ndarray:
        """Faults by kind and catch, ``float64[S, K, len(CATCHES)]``: whole numbers."""
        shape = (self.runs, len(FAULT_KINDS), len(CATCHES))
        at = (self.run * shape[1] + self.lots.kind[self.lot]) * shape[2] + self.catch
        return np.bincount(at, self.count, self.runs * shape[1] * shape[2]).reshape(shape)


def fault_means(lots: Lots, rates: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Expected faults of each lot, ``[S, L]``: pieces times the rate of its kind ``[S, K]`` times the party's factor
    ``[S, L]`` (qualification and experience)."""
    made: np.ndarray = rates[:, lots.kind] * factors
    made *= lots.pieces
    return made


def draw_faults(
    lots: Lots, means: np.ndarray, shares: np.ndarray, rng: np.random.Generator, sampling: Sampling | None = None
) -> Faults:
    """Faults of ``S`` deployments: Poisson with the ``means [S, L]`` of the lots, split by ``shares [S or 1, K, C]``.

    Faults of one lot that are caught at different stages are independent Poisson numbers (thinning), so each cell is drawn by
    itself, and cells without a share are not drawn. Every kind and catch has a stream of its own, made from one number of
    ``rng``: arrangements drawn from equal generators share the luck of whatever they do alike, and a higher mean never
    gives fewer faults of a cell (up to a mean of 8, above which the generator draws). ``sampling``: end faces are inspected
    as a sample of each row. Raises ``ValueError`` for a mean that is negative or no number.
    """
    if not (np.isfinite(means) & (means >= 0.0)).all():
        raise ValueError("expected faults of a lot are numbers from 0 on; a rate, a factor or a count of pieces is not")
    key = int(rng.integers(0, 2**63))
    runs = len(means)
    cells: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
    seen = np.zeros(0, np.int64)
    inspected = np.zeros((runs, 0))
    for k, kind in enumerate(FAULT_KINDS):
        at = lots.of_kind(k)
        if at.start == at.stop:
            continue
        if sampling is not None and kind.id == SAMPLED_KIND:
            stream = np.random.default_rng([key, k, len(CATCHES)])
            counts, inspected = sampled(stream, means[:, at], lots.pieces[at], shares[:, k, :], sampling)
            seen = np.arange(at.start, at.stop)
            run, lot, catch = np.nonzero(counts)
            cells.append((run, lot + at.start, catch, counts[run, lot, catch]))
            continue
        for catch_name in kind.catches:
            c = _STAGE[catch_name]
            if not shares[:, k, c].any():
                continue
            run, lot, count = _poisson(np.random.default_rng([key, k, c]), means[:, at] * shares[:, k, c][:, None])
            cells.append((run, lot + at.start, np.full(len(run), c), count))
    if not cells:
        cells.append((np.zeros(0, np.int64),) * 4)
    run, lot, catch, count = (np.concatenate(part) for part in zip(*cells, strict=True))
    return Faults(runs, lots, run, lot, catch, count, seen, inspected, key)


def _poisson(rng: np.random.Generator, means: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Poisson numbers of ``means [S, M]``: run, column and number of those above zero.

    Small means by inversion of one uniform number for each. None is above zero where it lies below 1 - mean, which is less
    than the probability of zero: most cells need no more than this comparison.
    """
    if means.max() > _BY_INVERSION:
        counts = rng.poisson(means)
        run, column = np.nonzero(counts)
        return run, column, counts[run, column]
    chance = rng.random(means.shape)
    run, column = np.nonzero(chance >= 1.0 - means)
    chance, mean = chance[run, column], means[run, column]
    count = np.zeros(len(run), np.int64)
    term = np.exp(-mean)
    total = term.copy()
    open_ = np.flatnonzero(chance >= total)
    number = 0
    while open_.size:
        number += 1
        count[open_] = number
        term[open_] *= mean[open_] / number
        total[open_] += term[open_]
        open_ = open_[(chance[open_] >= total[open_]) & (term[open_] > np.finfo(float).eps * total[open_])]
    some = count > 0
    return run[some], column[some], count[some]


def expected_faults(
    lots: Lots, means: np.ndarray, shares: np.ndarray, sampling: Sampling | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Expected faults ``[S, L, len(CATCHES)]`` (mean times share) and pieces inspected after a find ``[S, L]``, closed form."""
    made = means[:, :, None] * shares[:, lots.kind, :]
    again = np.zeros(means.shape)
    if sampling is not None:
        k = next(index for index, kind in enumerate(FAULT_KINDS) if kind.id == SAMPLED_KIND)
        at = lots.of_kind(k)
        made[:, at], again[:, at] = expected_sampled(means[:, at], lots.pieces[at], shares[:, k, :], sampling)
    return made, again


def sampling_of(
    checkpoints: Checkpoints, impossible: Set[tuple[str, str]], values: Mapping[str, float | np.ndarray]
) -> Sampling | None:
    """The sample of end faces that the checkpoints ask for; None where all or none are inspected, or no scope is there.

    Raises ``ValueError`` where ``connector_inspection`` is no share.
    """
    share = _sample(checkpoints)
    if share in (0.0, 1.0) or (SAMPLED_KIND, CATCHES[0]) in impossible:
        return None
    detect = np.atleast_1d(np.asarray(values[f"fault.{SAMPLED_KIND}.detect.{CATCHES[0]}"], np.float64))
    return Sampling(share, checkpoints.escalate, detect)
