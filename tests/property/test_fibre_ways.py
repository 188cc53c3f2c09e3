"""Ways over the tray graph: the lengths of `plan/route.py`, the shortest there are, and segments that join end to end."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.design import SiteDesign
from asbuilt.physics.trunk_count import spare_trunks, trunks_needed
from asbuilt.plan.fibre.grid import RackPlaces, leg_lengths_m, segments, steps, tray_grid, ways
from asbuilt.plan.placement import ROWS_PER_HALL, Hall, hall_width_mm
from asbuilt.plan.route import Stands, route_m
from template_plans import expanded

Point = tuple[float, float]


def _site(across: int) -> SiteDesign:
    design = expanded("l40s-384").design
    assert design is not None
    return replace(design.site, racks_per_row=across)


def _hall(site: SiteDesign, rows: list[int], positions: list[int]) -> Hall:
    """Racks at these places, by the rules of `placement.lay_out`."""
    row, position = np.array(rows, np.int32), np.array(positions, np.int32)
    number, line = np.divmod(row, ROWS_PER_HALL)
    line = np.where(number % 2 == 0, line, ROWS_PER_HALL - 1 - line)
    none = np.zeros(0, np.int32)
    return Hall(
        kind=np.zeros(len(row), np.int32),
        row=row,
        position=position,
        x_mm=(position - 1) * site.rack_width_mm + number * hall_width_mm(site),
        y_mm=line * (site.rack_depth_mm + site.aisle_mm),
        node_rack=none,
        node_u=none.astype(np.float64),
        network_rack=none,
        network_u=none.astype(np.float64),
        network_positions=1,
    )


def _places(site: SiteDesign, hall: Hall) -> RackPlaces:
    line = np.rint(hall.y_mm / (site.rack_depth_mm + site.aisle_mm)).astype(np.int64)
    row = hall.row.astype(np.int64)
    return RackPlaces(row, hall.position.astype(np.int64), line, row // ROWS_PER_HALL)


@st.composite
def _halls(draw: st.DrawFn) -> tuple[SiteDesign, Hall]:
    site = _site(draw(st.integers(2, 17)))
    across = max(2, site.racks_per_row)
    place = st.tuples(st.integers(0, draw(st.sampled_from([2, 20, 80]))), st.integers(1, across))
    racks = sorted(draw(st.sets(place, min_size=2, max_size=12)))
    return site, _hall(site, [r for r, _ in racks], [p for _, p in racks])


@settings(max_examples=60)
@given(_halls())
def test_ways_have_the_length_of_routes_and_join_end_to_end(case: tuple[SiteDesign, Hall]) -> None:
    site, hall = case
    places = _places(site, hall)
    grid = tray_grid(site, places)
    a, b = np.triu_indices(len(hall), 1)
    way = ways(grid, places, a, b)
    lengths = leg_lengths_m(grid, way).sum(axis=1)
    top = site.tray_height_mm / 44.45 + 1.0  # devices at tray height: no drops
    stands = Stands(np.arange(len(hall), dtype=np.int32), np.full(len(hall), top), np.zeros(len(hall)))
    expected = route_m(site, hall, stands, stands, a.astype(np.int32), b.astype(np.int32)) - site.slack_m
    assert np.abs(lengths - expected).max() <= 0.0051  # routes are rounded to the centimetre

    front = {int(r): float(y) for r, y in zip(hall.row, hall.y_mm, strict=True)}
    where = segments(grid, places, front)
    nearest = _shortest(where, {_over(site, hall, i) for i in range(len(hall))})
    passed = steps(grid, way)
    for pair in range(len(a)):
        taken = passed.segment[passed.way == pair]
        assert passed.step[passed.way == pair].tolist() == list(range(1, len(taken) + 1))
        at = _over(site, hall, int(a[pair]))
        total = 0.0
        for s in taken.tolist():
            one, two = _round(where.x1[s], where.y1[s]), _round(where.x2[s], where.y2[s])
            assert at in (one, two)
            at = two if at == one else one
            total += abs(where.x2[s] - where.x1[s]) + abs(where.y2[s] - where.y1[s])
        assert at == _over(site, hall, int(b[pair]))
        assert abs(total / 1000 - lengths[pair]) < 1e-6
        assert abs(nearest[_over(site, hall, int(a[pair]))][at] - total) < 1e-6


def _round(x: float, y: float) -> Point:
    return round(float(x), 3), round(float(y), 3)


def _over(site: SiteDesign, hall: Hall, rack: int) -> Point:
    return _round(hall.x_mm[rack] + site.rack_width_mm / 2, hall.y_mm[rack] + site.rack_depth_mm / 2)


def _shortest(where: object, sources: set[Point]) -> dict[Point, dict[Point, float]]:
    """Dijkstra over the segments, from each of ``sources``: knows nothing of rows and halls."""
    near: dict[Point, list[tuple[Point, float]]] = defaultdict(list)
    for x1, y1, x2, y2 in zip(where.x1, where.y1, where.x2, where.y2, strict=True):  # type: ignore[attr-defined]
        one, two, long = _round(x1, y1), _round(x2, y2), float(abs(x2 - x1) + abs(y2 - y1))
        near[one].append((two, long))
        near[two].append((one, long))
    out = {}
    for source in sources:
        best = {source: 0.0}
        queue = [(0.0, source)]
        while queue:
            far, at = heapq.heappop(queue)
            if far > best[at]:
                continue
            for other, long in near[at]:
                if far + long < best.get(other, float("inf")) - 1e-9:
                    best[other] = far + long
                    heapq.heappush(queue, (far + long, other))
        out[source] = best
    return out


@given(st.integers(0, 10**6), st.sampled_from([2, 4, 8, 16]), st.integers(1, 200), st.integers(0, 100))
def test_trunks_carry_all_ports_and_none_too_many(ports: int, fibres: int, legs: int, percent: int) -> None:
    usable = legs * fibres
    trunks = trunks_needed(ports, fibres, usable)
    assert trunks * usable >= ports * fibres > (trunks - 1) * usable or trunks == ports == 0
    spares = spare_trunks(trunks, percent)
    assert spares == (max(1, -(-trunks * percent // 100)) if trunks else 0)
    array = np.array([ports], np.int64)
    assert spare_trunks(trunks_needed(array, fibres, usable), percent).tolist() == [spares]
