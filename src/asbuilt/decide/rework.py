"""Rework: the hours that faults cost, and the packages of work that they are added to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.decide.dealing import deal
from asbuilt.decide.risk import Faults, Lots
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, OPERATIONS

if TYPE_CHECKING:
    from asbuilt.decide.tasks import Tasks

_COLUMN = {operation.id: column for column, operation in enumerate(OPERATIONS)}
#: The package in which a stage looks, and where: at the same rack, in the same row, or once for the site.
_LOOKS_IN = {
    "pressure": ("liquid/gate", "row"),
    "node": ("bringup/rack", "rack"),
    "fabric": ("acceptance/fabric", "row"),
    "collectives": ("acceptance/collectives", "row"),
    "soak": ("acceptance/soak", "site"),
}
#: Stages from which on a rack has power and coolant: a fault caught there may have destroyed something.
POWERED = tuple(catch for catch in CATCHES if catch not in ("inspection", "pressure"))


@dataclass(frozen=True, slots=True)
class Places:
    """The packages of work that faults of a lot caught at a stage fall to: rows of a sparse table, one for each (lot, catch).

    ``start [L*C+1]``; ``package`` and ``weight``: where, and what share of the lot's pieces. Production has none: the
    work is over.
    """

    packages: int
    start: np.ndarray
    package: np.ndarray
    weight: np.ndarray


def places(lots: Lots, tasks: Tasks) -> Places:
    """Where the faults of each lot fall to.

    At inspection to the packages that put them in; at a later stage to the package of that stage at the rack, or the first
    of its row that comes after, or of the site; where the site has no such package, to the next later stage's, at last to
    the packages of the lot itself: no hour gets lost.
    """
    targets = _targets(tasks)
    start, package, weight = [0], [], []
    for kind, row in zip(lots.kind.tolist(), lots.row.tolist(), strict=True):
        pieces = tasks.operations[:, _COLUMN[FAULT_KINDS[kind].operation]]
        made_in = np.flatnonzero((tasks.row == row) & (pieces > 0))
        share = pieces[made_in] / pieces[made_in].sum()
        for catch in CATCHES[:-1]:
            falls_to, inverse = np.unique(targets[catch][made_in], return_inverse=True)
            package.append(falls_to)
            weight.append(np.bincount(inverse, share))
            start.append(start[-1] + len(falls_to))
        start.append(start[-1])
    if not package:
        return Places(len(tasks.package), np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return Places(len(tasks.package), np.array(start, np.int64), np.concatenate(package), np.concatenate(weight))


def _targets(tasks: Tasks) -> dict[str, np.ndarray]:
    """For each catch and package in which a fault is made, the package in which it is mended."""
    own = np.arange(len(tasks.package))
    words = np.array(tasks.package)
    racks = np.array(tasks.rack)
    made = {CATCHES[0]: own}
    later: np.ndarray | None = None
    for catch in reversed(CATCHES[1:-1]):
        word, near = _LOOKS_IN[catch]
        there = np.flatnonzero(words == word)
        if not there.size:
            made[catch] = own if later is None else later
            continue
        target = _after(there, own)
        if near != "site":
            for row in np.unique(tasks.row[there]):
                inside = np.flatnonzero(tasks.row == row)
                target[inside] = _after(there[tasks.row[there] == row], inside)
        if near == "rack":
            at = {str(racks[index]): int(index) for index in there[::-1]}
            for index in np.flatnonzero(racks != ""):
                target[index] = at.get(str(racks[index]), int(target[index]))
        made[catch] = later = target
    return made


def _after(there: np.ndarray, of: np.ndarray) -> np.ndarray:
    """For each package of ``of`` the first of ``there`` (sorted) that is not before it, or the last one."""
    made: np.ndarray = there[np.minimum(np.searchsorted(there, of), len(there) - 1)]
    return made


def _of_cells(faults: Faults, values: np.ndarray) -> np.ndarray:
    run = faults.run if len(values) > 1 else np.zeros(len(faults.run), np.int64)
    made: np.ndarray = values[run, faults.lots.kind[faults.lot], faults.catch]
    return made


def added(faults: Faults, where: Places, hours: np.ndarray, waits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hours that faults add to the work and to the hold of each package, ``[S, T]`` both; ``hours`` and ``waits``: of one
    fault, ``[S or 1, K, len(CATCHES)]``.

    Work adds up. Parts are ordered together and waited for together: of several waits of one package the longest counts.
    A few faults of a row are dealt out to its racks by chance, in proportion to their pieces; the hours of many are spread in
    that proportion, and a rack waits with the probability that any fell to it. Faults of production add to no package.
    """
    entry = faults.lot * len(CATCHES) + faults.catch
    each, wait = _of_cells(faults, hours), _of_cells(faults, waits)
    table = (where.start, where.package, where.weight)
    return deal((faults.run, entry, faults.count), each, wait, table, faults.key, (faults.runs, where.packages))


def expected_added(
    expected: np.ndarray, lots: Lots, where: Places, hours: np.ndarray, waits: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The expected values of ``added`` from expected faults ``[S, L, len(CATCHES)]``, in closed form.

    Faults of each lot that fall to a package are Poisson with the mean m, so with the waits of a package in falling order the
    longest is the i-th with probability exp(-(m_1 + … + m_(i-1))) - exp(-(m_1 + … + m_i)).
    """
    cells = len(CATCHES)
    entry = np.repeat(np.arange(len(where.start) - 1), np.diff(where.start))
    lot, catch = entry // cells, entry % cells
    kind = lots.kind[lot]
    means = expected[:, lot, catch] * where.weight
    work, hold = np.zeros((2, len(expected), where.packages))
    for run, mean in enumerate(means):
        row = run if len(hours) > 1 else 0
        work[run] = np.bincount(where.package, mean * hours[row, kind, catch], where.packages)
        wait = waits[row, kind, catch]
        order = np.lexsort((-wait, where.package))
        package, upto = where.package[order], np.cumsum(mean[order])
        before = upto - mean[order]
        first = np.searchsorted(package, package)  # of the same package
        upto, before = upto - before[first], before - before[first]
        hold[run] = np.bincount(package, wait[order] * (np.exp(-before) - np.exp(-upto)), where.packages)
    return work, hold


def inspected_again(faults: Faults, where: Places) -> np.ndarray:
    """Pieces inspected because a sample had a fault in it, by package, ``[S, T]``: spread as the pieces of the row are."""
    made = np.zeros((faults.runs, where.packages))
    for column, lot in enumerate(faults.inspected_lots.tolist()):
        at = slice(where.start[lot * len(CATCHES)], where.start[lot * len(CATCHES) + 1])
        made[:, where.package[at]] += faults.inspected[:, column][:, None] * where.weight[at]
    return made


def destroyed(faults: Faults, probability: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Faults by kind that destroyed hardware, ``float64[S, K]``; ``probability [S or 1, K]``, of one caught under power."""
    under_power = np.isin(faults.catch, [CATCHES.index(catch) for catch in POWERED])
    kind = faults.lots.kind[faults.lot][under_power]
    run = faults.run[under_power]
    chance = probability[run if len(probability) > 1 else np.zeros(len(run), np.int64), kind]
    count = rng.binomial(faults.count[under_power], chance)
    width = len(FAULT_KINDS)
    return np.bincount(run * width + kind, count, faults.runs * width).reshape(faults.runs, width)
