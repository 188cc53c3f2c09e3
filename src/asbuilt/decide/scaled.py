"""The same kind of site with another number of compute racks, from the plan's own pieces: for lines of break-even.

A closed form, no new plan: the racks of the plan in building order, then those of its full rows again and again. How numbers
round stands with `scaled`, how far it is from a plan of that size in docs/decide-model.md. Whoever can plan other sizes scales
only between them (`Sizes`).
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from asbuilt.decide.site_work import SiteWork
from asbuilt.decide.tasks import Tasks, arranged
from asbuilt.model.deployment import OPERATIONS

_COMPUTING = ("air", "liquid")
_PER_SITE = np.array([operation.unit == "site" for operation in OPERATIONS])
#: Pieces of a row that come with its compute racks alone: its loop, its collectives. The others come with all racks.
_OF_COMPUTING = np.array([operation.scope == "liquid" or operation.unit == "row" for operation in OPERATIONS])
#: What is beyond this place is the arithmetic's, not the site's: 3 x (1/3) is not 1 and a bit.
_PLACES = 9
#: A taken rack: round of its row, index in the plan, how often it was taken before.
_Taken = tuple[int, int, int]


class Sizes(Protocol):
    """A site by its number of compute racks. ``notes``: what was left out to have it at the sizes that were asked for."""

    @property
    def notes(self) -> tuple[str, ...]: ...

    def __call__(self, racks: int, /) -> Tasks: ...


class Scaled:
    """Every size scaled from one plan."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self.notes: tuple[str, ...] = ()

    def __call__(self, racks: int, /) -> Tasks:
        """As `scaled`."""
        return scaled(self._tasks, racks)


def scaled(tasks: Tasks, racks: int) -> Tasks:
    """The site of ``tasks`` with ``racks`` compute racks; at the plan's own number exactly ``tasks``.

    Racks of every other kind grow in proportion, rounded to the nearest whole number, at least one. Each round of full rows
    is new rows; kinds that stand in no full row (storage) go on in their own row. Pieces of a row are those of the plan's row
    times the share of its racks that are taken (of its loop and its collectives: of its compute racks), rounded up. The site
    stays one; its audited records grow in proportion, rounded up. Of a rack that is taken again, leaves serve the rows of the
    same round, spines every row.
    Raises ``ValueError`` for less than one rack, and for a site without compute racks.
    """
    work = tasks.work
    if racks < 1:
        raise ValueError(f"a site of {racks} compute racks was asked for; the smallest has 1")
    inside = sum(kind in _COMPUTING for kind in work.kinds)
    if not inside:
        raise ValueError("the plan has no compute racks, so there is nothing to make more of")
    return arranged(_resized(work, _taken(work, racks, inside), racks / inside))


def _taken(work: SiteWork, racks: int, inside: int) -> list[_Taken]:
    """The racks of the new site, in building order."""
    computing = [k for k, kind in enumerate(work.kinds) if kind in _COMPUTING]
    of_row = np.bincount(work.rack_row[computing], minlength=len(work.rows))
    full = of_row == of_row.max()
    made = _repeated(work, computing, full, racks)
    for kind in sorted(set(work.kinds) - set(_COMPUTING)):
        there = [k for k, other in enumerate(work.kinds) if other == kind]
        made += _repeated(work, there, full, max(1, math.floor(len(there) * racks / inside + 1 / 2)))
    return sorted(made)


def _repeated(work: SiteWork, there: list[int], full: np.ndarray, wanted: int) -> list[_Taken]:
    """``wanted`` of the racks ``there``: all of them, then those in ``full`` rows round by round, else all of them again."""
    made = [(0, k, 0) for k in there[:wanted]]
    again = [k for k in there if full[work.rack_row[k]]]
    cycle = again or there
    for i in range(wanted - len(made)):
        times = 1 + i // len(cycle)
        made.append((times if again else 0, cycle[i % len(cycle)], times))
    return made


def _resized(work: SiteWork, taken: list[_Taken], ratio: float) -> SiteWork:
    rounds = np.array([again for again, _, _ in taken], dtype=np.int64)
    racks = np.array([rack for _, rack, _ in taken], dtype=np.int64)
    rows = sorted({(again, int(work.rack_row[rack])) for again, rack, _ in taken})
    number = {row: n for n, row in enumerate(rows)}
    rack_row = np.array([number[again, int(work.rack_row[rack])] for again, rack, _ in taken], dtype=np.int64)
    row_round = np.array([again for again, _ in rows], dtype=np.int64)
    of_row = np.array([row for _, row in rows], dtype=np.int64)
    computes = np.array([kind in _COMPUTING for kind in work.kinds])
    share = _share(rack_row, work.rack_row, of_row, np.ones(len(computes), dtype=bool), racks)
    computing = _share(rack_row, work.rack_row, of_row, computes, racks)
    shares = np.where(_OF_COMPUTING, computing[:, None], share[:, None])
    site = np.where(_PER_SITE, work.site_pieces, _up(work.site_pieces * ratio))
    together = row_round[:, None] == rounds[None, :]
    return SiteWork(
        rows=tuple(_again(work.rows[row], again) for again, row in rows),
        racks=tuple(_again(work.racks[rack], times) for _, rack, times in taken),
        kinds=tuple(work.kinds[rack] for rack in racks),
        rack_row=rack_row,
        rack_gpus=work.rack_gpus[racks],
        rack_pieces=work.rack_pieces[racks],
        row_pieces=_up(work.row_pieces[of_row] * shares),
        site_pieces=site,
        trunks=work.trunks[np.ix_(of_row, racks)] & together,
        below=work.below[np.ix_(of_row, racks)] & together,
        above=work.above[np.ix_(of_row, racks)],
    )


def _share(rack_row: np.ndarray, before: np.ndarray, of_row: np.ndarray, counted: np.ndarray, racks: np.ndarray) -> np.ndarray:
    """Racks of each new row that are ``counted``, over those of the plan's row that it is made of; 0 where that has none."""
    now = np.bincount(rack_row, weights=counted[racks], minlength=len(of_row))
    planned = np.bincount(before, weights=counted)[of_row]
    made: np.ndarray = np.divide(now, planned, out=np.zeros(len(of_row)), where=planned > 0)
    return made


def _up(pieces: np.ndarray) -> np.ndarray:
    made: np.ndarray = np.ceil(np.round(pieces, _PLACES))
    return made


def _again(name: str, times: int) -> str:
    """``A``, when it is taken again ``A.2``, ``A.3`` ..."""
    return f"{name}.{times + 1}" if times else name
