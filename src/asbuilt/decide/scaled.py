"""The same kind of site with another number of compute racks, from the plan's own pieces: for lines of break-even.

A closed form, no new plan: racks are taken in building order, and when they are used up from the first one again. How the
numbers round stands with `scaled`. What changes character with size (a third tier, another header) is not seen; the plan of
that size says it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.decide.site_work import SiteWork
from asbuilt.decide.tasks import Tasks, arranged
from asbuilt.model.deployment import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMPUTING = ("air", "liquid")
_PER_SITE = np.array([operation.unit == "site" for operation in OPERATIONS])
#: What is beyond this place is the arithmetic's, not the site's: 3 x (1/3) is not 1 and a bit.
_PLACES = 9
#: A taken rack: which time it is taken, from 0, and its index in the plan.
_Taken = tuple[int, int]


def scaled(tasks: Tasks, racks: int) -> Tasks:
    """The site of ``tasks`` with ``racks`` compute racks; at the plan's own number exactly ``tasks``.

    Racks of every other kind grow in proportion, rounded to the nearest whole number, at least one. Pieces of a row are those
    of the plan's row times the share of its racks that are taken, rounded up. Pieces of the site stay one; its audited records
    grow in proportion, rounded up. Of a rack that is taken again, leaves serve the rows of the same round, spines every row.
    Raises ``ValueError`` for less than one rack, and for a site without compute racks.
    """
    work = tasks.work
    if racks < 1:
        raise ValueError(f"a site of {racks} compute racks was asked for; the smallest has 1")
    inside = sum(kind in _COMPUTING for kind in work.kinds)
    if not inside:
        raise ValueError("the plan has no compute racks, so there is nothing to make more of")
    ratio = racks / inside
    return arranged(_resized(work, _taken(work.kinds, racks, inside), ratio))


def _taken(kinds: Sequence[str], racks: int, inside: int) -> list[_Taken]:
    """The racks of the new site, in building order."""
    computing = [k for k, kind in enumerate(kinds) if kind in _COMPUTING]
    made = _cycled(computing, racks)
    for kind in sorted(set(kinds) - set(_COMPUTING)):
        there = [k for k, other in enumerate(kinds) if other == kind]
        made += _cycled(there, max(1, math.floor(len(there) * racks / inside + 1 / 2)))
    return sorted(made)


def _cycled(there: list[int], wanted: int) -> list[_Taken]:
    return [(i // len(there), there[i % len(there)]) for i in range(wanted)]


def _resized(work: SiteWork, taken: list[_Taken], ratio: float) -> SiteWork:
    rounds = np.array([again for again, _ in taken], dtype=np.int64)
    racks = np.array([rack for _, rack in taken], dtype=np.int64)
    rows = sorted({(again, int(work.rack_row[rack])) for again, rack in taken})
    number = {row: n for n, row in enumerate(rows)}
    rack_row = np.array([number[again, int(work.rack_row[rack])] for again, rack in taken], dtype=np.int64)
    row_round = np.array([again for again, _ in rows], dtype=np.int64)
    of_row = np.array([row for _, row in rows], dtype=np.int64)
    share = np.bincount(rack_row) / np.bincount(work.rack_row)[of_row]
    site = np.where(_PER_SITE, work.site_pieces, _up(work.site_pieces * ratio))
    together = row_round[:, None] == rounds[None, :]
    return SiteWork(
        rows=tuple(_again(work.rows[row], again) for again, row in rows),
        racks=tuple(_again(work.racks[rack], again) for again, rack in taken),
        kinds=tuple(work.kinds[rack] for rack in racks),
        rack_row=rack_row,
        rack_gpus=work.rack_gpus[racks],
        rack_pieces=work.rack_pieces[racks],
        row_pieces=_up(work.row_pieces[of_row] * share[:, None]),
        site_pieces=site,
        trunks=work.trunks[np.ix_(of_row, racks)] & together,
        below=work.below[np.ix_(of_row, racks)] & together,
        above=work.above[np.ix_(of_row, racks)],
    )


def _up(pieces: np.ndarray) -> np.ndarray:
    made: np.ndarray = np.ceil(np.round(pieces, _PLACES))
    return made


def _again(name: str, times: int) -> str:
    """``A``, when it is taken again ``A.2``, ``A.3`` ..."""
    return f"{name}.{times + 1}" if times else name
