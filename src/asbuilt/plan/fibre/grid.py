"""The trays as a graph: lines of nodes, a segment between neighbours, and the way between two racks along them.

A row tray has a node at every rack position and one where the cross-aisle tray meets it, over the middle of the row. The
cross tray of a hall has a node at every row; where there are several halls it reaches from front to back, and main trays join
it to the next hall's at the front, at half depth and at the back. `plan/route.py` has the lengths of these ways in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asbuilt.base.row_letters import row_letters
from asbuilt.base.units import MM_PER_M
from asbuilt.model.design import SiteDesign
from asbuilt.plan.placement import ROWS_PER_HALL, hall_width_mm

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Lines that a way can touch: row, cross tray, main tray, cross tray, row.
LEGS = 5
_MAINS = ("front", "middle", "back")


@dataclass(frozen=True, slots=True)
class RackPlaces:
    """Per rack, in table order: row number from 0, position from 1, line in its hall and hall number, both from 0."""

    row: Ints
    position: Ints
    line: Ints
    hall: Ints


@dataclass(frozen=True, slots=True)
class TrayGrid:
    """Nodes of all lines end to end: ``along`` is a node's coordinate on its line, mm. Line n has the nodes from ``start[n]``
    to ``start[n + 1]`` and one segment fewer, the first of them ``first[n]``.

    Lines are the rows of ``rows`` in order, then the cross trays of the halls, then the three main trays (front, middle,
    back). ``crosses`` and ``mains`` are the first line of each kind; ``mains`` is the number of lines where there is one hall.
    """

    site: SiteDesign
    rows: Ints
    halls: int
    start: Ints
    first: Ints
    along: Floats
    crosses: int
    mains: int

    @property
    def lines(self) -> int:
        return len(self.start) - 1

    @property
    def segments(self) -> int:
        return int(self.first[-1])


def tray_grid(site: SiteDesign, places: RackPlaces) -> TrayGrid:
    """The graph over the rows and halls that ``places`` use."""
    rows = np.unique(places.row)
    halls = int(places.hall.max(initial=0)) + 1
    pitch = site.rack_depth_mm + site.aisle_mm
    across = max(2, site.racks_per_row)
    in_row = np.unique(np.append(np.arange(across, dtype=np.float64), (across - 1) / 2.0)) * site.rack_width_mm
    if halls > 1:
        lines = np.unique(np.append(np.arange(ROWS_PER_HALL, dtype=np.float64), (ROWS_PER_HALL - 1) / 2.0)) * pitch
    else:
        lines = np.arange(int(places.line.max(initial=0)) + 1, dtype=np.float64) * pitch
    main = np.arange(halls, dtype=np.float64) * hall_width_mm(site)
    parts = [in_row] * len(rows) + [lines] * halls + ([main] * len(_MAINS) if halls > 1 else [])
    sizes = np.array([len(p) for p in parts], np.int64)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(sizes - 1)]).astype(np.int64)
    return TrayGrid(site, rows, halls, start, first, np.concatenate(parts), len(rows), len(rows) + halls)


@dataclass(frozen=True, slots=True)
class Ways:
    """Per way its legs in order, shape (n, `LEGS`): line, first and last node on it. A leg of no length has equal nodes."""

    line: Ints
    begin: Ints
    end: Ints


def ways(grid: TrayGrid, places: RackPlaces, a: Ints, b: Ints) -> Ways:
    """The shortest way of each pair of racks (row numbers of ``places``), as `plan/route.py` measures it."""
    site = grid.site
    across = max(2, site.racks_per_row)
    middle = (across - 1) // 2 if across % 2 else across // 2
    seat_a, seat_b = (_seat(places.position[at], across) for at in (a, b))
    row_a, row_b = places.row[a], places.row[b]
    hall_a, hall_b = places.hall[a], places.hall[b]
    line_a, line_b = (_bench(places.line[at], grid.halls) for at in (a, b))
    same, inside = row_a == row_b, hall_a == hall_b
    main, bench = _main(site, places.line[a], places.line[b])
    shape = (len(a), LEGS)
    line, begin, end = (np.zeros(shape, np.int64) for _ in range(3))
    line[:, 0], begin[:, 0], end[:, 0] = np.searchsorted(grid.rows, row_a), seat_a, np.where(same, seat_b, middle)
    line[:, 1], begin[:, 1] = grid.crosses + hall_a, line_a
    end[:, 1] = np.where(same, line_a, np.where(inside, line_b, bench))
    line[:, 2] = np.where(inside, 0, grid.mains + main)
    begin[:, 2], end[:, 2] = np.where(inside, 0, hall_a), np.where(inside, 0, hall_b)
    line[:, 3], end[:, 3] = grid.crosses + hall_b, line_b
    begin[:, 3] = np.where(inside, line_b, bench)
    line[:, 4], end[:, 4] = np.searchsorted(grid.rows, row_b), seat_b
    begin[:, 4] = np.where(same, seat_b, middle)
    return Ways(line, begin, end)


def row_ways(grid: TrayGrid, row: Ints, position: Ints, target: Ints) -> Ways:
    """Ways in a row from one position to another; to the cross tray where ``target`` is 0."""
    across = max(2, grid.site.racks_per_row)
    middle = (across - 1) // 2 if across % 2 else across // 2
    line = np.searchsorted(grid.rows, row).astype(np.int64)[:, None]
    end = np.where(target > 0, _seat(target, across), middle).astype(np.int64)
    return Ways(line, _seat(position, across)[:, None], end[:, None])


def _seat(position: Ints, across: int) -> Ints:
    """Node of a position in its row: behind the middle of an even row stands the node of the cross tray."""
    return np.where((across % 2 == 0) & (position > across // 2), position, position - 1).astype(np.int64)


def _bench(line: Ints, halls: int) -> Ints:
    """Node of a row on the cross tray: with several halls one more stands at half depth."""
    return np.where((halls > 1) & (line >= ROWS_PER_HALL // 2), line + 1, line).astype(np.int64)


def _main(site: SiteDesign, line_a: Ints, line_b: Ints) -> tuple[Ints, Ints]:
    """Which main tray is nearest for a way between halls, and the node of the cross trays that meets it."""
    depth = ROWS_PER_HALL - 1
    far = [np.abs(line_a - at) + np.abs(line_b - at) for at in (0.0, depth / 2.0, float(depth))]
    main = np.argmin(np.stack(far), axis=0).astype(np.int64)
    return main, np.array([0, ROWS_PER_HALL // 2, ROWS_PER_HALL], np.int64)[main]


def leg_lengths_m(grid: TrayGrid, way: Ways) -> Floats:
    """Length of each leg, m, shape (n, `LEGS`)."""
    base = grid.start[way.line]
    lengths: Floats = np.abs(grid.along[base + way.end] - grid.along[base + way.begin]) / MM_PER_M
    return lengths


@dataclass(frozen=True, slots=True)
class Steps:
    """The segments of all ways end to end: which way, its step from 1, which segment."""

    way: Ints
    step: Ints
    segment: Ints


def steps(grid: TrayGrid, way: Ways) -> Steps:
    """Every way as the segments that it passes, in order."""
    count = np.abs(way.end - way.begin)
    total = count.sum(axis=1)
    flat = count.ravel()
    back = (way.end < way.begin).ravel()
    origin = (grid.first[way.line] + way.begin).ravel() - back
    within = np.arange(int(flat.sum()), dtype=np.int64) - np.repeat(np.cumsum(flat) - flat, flat)
    segment = np.repeat(origin, flat) + np.where(np.repeat(back, flat), -within, within)
    which = np.repeat(np.arange(len(total), dtype=np.int64), total)
    step = np.arange(len(which), dtype=np.int64) - np.repeat(np.cumsum(total) - total, total) + 1
    return Steps(which, step, segment)


@dataclass(frozen=True, slots=True)
class Segments:
    """Per segment: line and number on it from 1, ends in mm on the floor, and the row (number in ``rows``, -1: none)."""

    line: Ints
    number: Ints
    x1: Floats
    y1: Floats
    x2: Floats
    y2: Floats
    row: Ints


def segments(grid: TrayGrid, places: RackPlaces, row_y_mm: dict[int, float]) -> Segments:
    """Where the segments lie: over the middle of the racks. ``row_y_mm`` is the front of each row."""
    site = grid.site
    line = np.repeat(np.arange(grid.lines, dtype=np.int64), np.diff(grid.first))
    number = np.arange(grid.segments, dtype=np.int64) - grid.first[line]
    one = grid.along[grid.start[line] + number]
    two = grid.along[grid.start[line] + number + 1]
    middle = (max(2, site.racks_per_row) - 1) / 2.0 * site.rack_width_mm
    over_x, over_y = site.rack_width_mm / 2.0, site.rack_depth_mm / 2.0
    is_row = line < grid.crosses
    row = np.where(is_row, np.minimum(line, len(grid.rows) - 1), -1)
    hall_of = np.concatenate([grid.rows // ROWS_PER_HALL, np.arange(grid.halls), np.zeros(len(_MAINS), np.int64)])
    left = hall_of[line] * hall_width_mm(site)
    front = np.array([row_y_mm[int(r)] for r in grid.rows] or [0.0])[np.maximum(row, 0)]
    is_cross = ~is_row & (line < grid.mains)
    depth = (ROWS_PER_HALL - 1) * (site.rack_depth_mm + site.aisle_mm)
    main_y = np.array([0.0, depth / 2.0, depth])[np.clip(line - grid.mains, 0, len(_MAINS) - 1)]
    x1 = np.where(is_row, left + one, np.where(is_cross, left + middle, middle + one)) + over_x
    x2 = np.where(is_row, left + two, np.where(is_cross, left + middle, middle + two)) + over_x
    y1 = np.where(is_row, front, np.where(is_cross, one, main_y)) + over_y
    y2 = np.where(is_row, front, np.where(is_cross, two, main_y)) + over_y
    return Segments(line, number + 1, x1, y1, x2, y2, row)


def line_names(grid: TrayGrid) -> list[str]:
    """Word of each line in the keys of its segments: row letters, ``cross-<hall>``, ``main-<place>``."""
    rows = [row_letters(int(r)) for r in grid.rows]
    crosses = [f"cross-{hall + 1}" for hall in range(grid.halls)]
    return rows + crosses + ([f"main-{place}" for place in _MAINS] if grid.halls > 1 else [])
