"""The packages of work of a site and their order: which team's, in which row, how many pieces, after what.

Order: a rack is staged before its power, coolant and fibres; the header of a row comes before its racks' hoses, the trunks
before the cords. The gates of a row wait for all its racks; nothing is switched on in a row before its gates. The fabric of a
row is judged when the row and every rack with a switch above it stand; then its collectives, then the site, soak and audit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.decide.site_work import COLUMN, SiteWork, site_work
from asbuilt.model.deployment import OPERATIONS, SCOPES

if TYPE_CHECKING:
    from asbuilt.model.plan import Plan

#: Package -> scope and ``rack``, ``row`` or ``site``, in the order of the work within a scope.
PACKAGES: Mapping[str, tuple[str, str]] = {operation.package: (operation.scope, operation.each) for operation in OPERATIONS}
#: Pieces of a rack's package that belong to the row itself go with this package: the header's own fittings.
_OF_THE_ROW = {"liquid/rack": "liquid/header"}
#: Packages that are judged, not built: their practice grows with the rows before them.
_JUDGED = "acceptance"
#: A place in the site: package, row (-1: the site), rack (-1: the row).
_Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Tasks:
    """``T`` packages in priority order; every predecessor has a smaller index, so the order is topological.

    ``scope``: index into SCOPES; ``row``: index into ``rows``, -1 for the site; ``rack``: its id, empty for packages of a row
    or the site. Predecessors of package t are ``pred[pred_start[t]:pred_start[t + 1]]``, without those that others imply.
    ``repeat``: racks of that scope done before it in this order; ``operations``: pieces of each operation, ``[T, O]``.
    ``racks``: number by kind; ``work``: what the packages were made from.
    """

    package: tuple[str, ...]
    scope: np.ndarray
    row: np.ndarray
    rack: tuple[str, ...]
    pred_start: np.ndarray
    pred: np.ndarray
    repeat: np.ndarray
    operations: np.ndarray
    rows: tuple[str, ...]
    row_gpus: np.ndarray
    racks: Mapping[str, int]
    gpus: int
    work: SiteWork


def tasks(plan: Plan, audit_share: float = 1.0) -> Tasks:
    """The packages of ``plan``. ``audit_share``: share of its records that are measured again (0 to 1), rounded up.

    Raises ``ValueError`` for a plan whose work cannot be counted.
    """
    return arranged(site_work(plan, audit_share))


def arranged(work: SiteWork) -> Tasks:
    """The packages of ``work`` in order. One without pieces is left out; what waited for it waits for what it waited for."""
    places = _places(work)
    made_of = np.stack([_pieces(work, place) for place in places])
    kept: np.ndarray = made_of.sum(axis=1) > 0
    pred_start, pred = _order(work, places, kept)
    there = [place for place, keep in zip(places, kept, strict=True) if keep]
    gpus = np.zeros(len(work.rows))
    np.add.at(gpus, work.rack_row, work.rack_gpus)
    return Tasks(
        package=tuple(package for package, _, _ in there),
        scope=np.array([SCOPES.index(PACKAGES[package][0]) for package, _, _ in there], dtype=np.int64),
        row=np.array([row for _, row, _ in there], dtype=np.int64),
        rack=tuple(work.racks[rack] if rack >= 0 else "" for _, _, rack in there),
        pred_start=pred_start,
        pred=pred,
        repeat=_repeat(work, there),
        operations=made_of[kept],
        rows=work.rows,
        row_gpus=gpus,
        racks=dict(Counter(work.kinds)),
        gpus=int(work.rack_gpus.sum()),
        work=work,
    )


def _places(work: SiteWork) -> list[_Place]:
    """Every package that there could be: scope by scope, in it row by row, in it package by package, rack by rack."""
    racks: list[list[int]] = [[] for _ in work.rows]
    for rack, row in enumerate(work.rack_row):
        racks[row].append(rack)
    made: list[_Place] = []
    for scope in SCOPES:
        packages = [(package, each) for package, (owner, each) in PACKAGES.items() if owner == scope]
        for row, inside in enumerate(racks):
            for package, each in packages:
                if each == "rack":
                    made += [(package, row, rack) for rack in inside]
                elif each == "row":
                    made.append((package, row, -1))
        made += [(package, -1, -1) for package, each in packages if each == "site"]
    return made


def _columns(package: str, each: str) -> list[int]:
    """Operations whose pieces of a rack, row or site (``each``) go with ``package``."""
    own = [COLUMN[o.id] for o in OPERATIONS if o.package == package]
    if each != "row":
        return own
    return own + [COLUMN[o.id] for o in OPERATIONS if _OF_THE_ROW.get(o.package) == package]


_COLUMNS = {package: _columns(package, each) for package, (_, each) in PACKAGES.items()}


def _pieces(work: SiteWork, place: _Place) -> np.ndarray:
    package, row, rack = place
    source = work.rack_pieces[rack] if rack >= 0 else work.row_pieces[row] if row >= 0 else work.site_pieces
    made = np.zeros(len(OPERATIONS))
    made[_COLUMNS[package]] = source[_COLUMNS[package]]
    return made


def _waits(work: SiteWork) -> dict[_Place, list[_Place]]:
    """What each place waits for, packages without pieces among them."""
    made: dict[_Place, list[_Place]] = {}
    gates: list[_Place] = []
    for row in range(len(work.rows)):
        inside = np.flatnonzero(work.rack_row == row).tolist()
        wet = [rack for rack in inside if _pieces(work, ("liquid/rack", row, rack)).any()]  # the others stand outside the loop
        for rack in inside:
            staged = ("staging/rack", row, rack)
            trunks = [("fibre/trunks", r, -1) for r in np.flatnonzero(work.trunks[:, rack]).tolist() if r != row]
            made["power/rack", row, rack] = [staged]
            made["liquid/rack", row, rack] = [staged, ("liquid/header", row, -1)]
            made["fibre/rack", row, rack] = [staged, ("fibre/trunks", row, -1), *trunks]
            made["bringup/rack", row, rack] = [("power/gate", row, -1), ("liquid/gate", row, -1)]
        made["power/gate", row, -1] = [("power/rack", row, rack) for rack in inside]
        made["liquid/gate", row, -1] = [("liquid/header", row, -1), *(("liquid/rack", row, rack) for rack in wet)]
        serving = np.flatnonzero(work.below[row] | work.above[row]).tolist()
        made["acceptance/fabric", row, -1] = [
            (package, int(work.rack_row[rack]), rack) for package in ("fibre/rack", "bringup/rack") for rack in serving
        ]
        made["acceptance/collectives", row, -1] = [("acceptance/fabric", row, -1)]
        gates.append(("acceptance/collectives", row, -1))
    made["acceptance/site", -1, -1] = gates
    made["acceptance/soak", -1, -1] = [("acceptance/site", -1, -1)]
    made["acceptance/audit", -1, -1] = [("acceptance/site", -1, -1)]
    return made


def _order(work: SiteWork, places: list[_Place], kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Predecessors of the kept places as CSR. Sets of places are whole numbers, one bit for each kept place."""
    waits = _waits(work)
    number: dict[_Place, int] = {}
    nearest: dict[_Place, int] = {}  # last kept places on every way here
    before: dict[_Place, int] = {}  # all kept places before here
    behind: list[int] = []  # the same by number, for the kept ones
    start, pred = [0], []
    for place, keep in zip(places, kept.tolist(), strict=True):
        near = past = 0
        for other in waits.get(place, ()):
            near |= 1 << number[other] if other in number else nearest[other]
            past |= before[other] | (1 << number[other] if other in number else 0)
        nearest[place], before[place] = near, past
        if not keep:
            continue
        number[place] = len(behind)
        behind.append(past)
        needed = _bits(near)
        implied = 0
        for other_number in needed:
            implied |= behind[other_number]
        pred += [n for n in needed if not implied >> n & 1]
        start.append(len(pred))
    return np.array(start, dtype=np.int64), np.array(pred, dtype=np.int64)


def _bits(mask: int) -> list[int]:
    """Numbers of the bits that are set, rising."""
    made = []
    while mask:
        low = mask & -mask
        made.append(low.bit_length() - 1)
        mask ^= low
    return made


def _repeat(work: SiteWork, there: list[_Place]) -> np.ndarray:
    """Racks of the scope before each package; of acceptance the racks of the rows before, for the site all of them."""
    done: Counter[str] = Counter()
    in_rows = np.concatenate([[0], np.cumsum(np.bincount(work.rack_row, minlength=len(work.rows)))])
    made = np.zeros(len(there))
    for index, (package, row, rack) in enumerate(there):
        scope = PACKAGES[package][0]
        made[index] = in_rows[row] if scope == _JUDGED else done[scope]
        done[scope] += rack >= 0
    return made


def totals(tasks: Tasks) -> dict[str, float]:
    """Pieces of each operation that the site has, those without pieces left out."""
    sums = tasks.operations.sum(axis=0).tolist()
    return {operation.id: count for operation, count in zip(OPERATIONS, sums, strict=True) if count}
