"""Solvers of the physical plan beside named peers on the same random cases. The peers check that the answers are alike.

``sweep`` / ``pandapower``: unbalanced rows of busway, voltages at every tap (within 0.1 % of the peer's).
``rows`` / ``pandapipes``: rows of racks on two headers, the flow of every rack (within 0.1 %).
``routes`` / ``networkx``: the shortest ways over the trays between pairs of racks (digest of all lengths).
``phases``: loads dealt to three phases, longest first, then swaps; the note says what is left of the spread.
The peers of the first two solve row after row, as their networks are made for; building the network is part of it.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "oracle"))

from measure import report

VOLTS, POWER_FACTOR = 415.0, 0.98
TAPS, RACKS = 12, 10
ALIKE = 1e-3
WAYS_A_RACK = 6


def busways(count: int) -> dict[str, Any]:
    """Random rows of `TAPS` tap-offs: W by phase, m between them, mΩ/m."""
    draw = np.random.default_rng(20)
    mean = draw.uniform(1e3, 40e3, (count, TAPS, 1))
    return {
        "loads": mean * draw.uniform(0.0, 1.6, (count, TAPS, 3)),
        "sections": draw.uniform(0.3, 3.0, (count, TAPS)),
        "r": draw.uniform(0.01, 0.06, count),
        "x": draw.uniform(0.005, 0.03, count),
    }


def swept(rows: dict[str, Any]) -> Any:
    from asbuilt.physics.conductors import sweep

    return sweep(rows["loads"], rows["sections"], rows["r"], rows["x"], VOLTS, POWER_FACTOR)


def with_pandapower(rows: dict[str, Any], ours: Any) -> None:
    from power_flow import solve

    warnings.filterwarnings("ignore")
    for at in range(len(rows["r"])):
        asked = {
            "sections_m": rows["sections"][at].tolist(),
            "r": float(rows["r"][at]),
            "x": float(rows["x"][at]),
            "loads_w": rows["loads"][at].tolist(),
        }
        theirs = np.array(solve(asked, VOLTS, POWER_FACTOR)["shares"])
        assert np.abs(ours[at] / theirs - 1).max() < ALIKE


def headers(count: int) -> list[dict[str, Any]]:
    """Random rows of `RACKS` racks, as `tests/oracle/hydraulics.py` reads them."""
    draw = random.Random(17)

    def row() -> dict[str, Any]:
        segments = [{"mm": 107.1, "m": draw.uniform(0.6, 6), "k": draw.uniform(0.1, 1)} for _ in range(RACKS)]
        branches = [{"mm": draw.uniform(25, 40), "m": draw.uniform(2, 8), "k": draw.uniform(20, 120)} for _ in range(RACKS)]
        fluid = {"density": 1012.0, "viscosity_pa_s": 1.2e-3, "roughness_mm": 0.015}
        return {"pressure_kpa": draw.uniform(80, 250), "segments": segments, "branches": branches, **fluid}

    return [row() for _ in range(count)]


def solved(rows: list[dict[str, Any]]) -> list[list[float]]:
    from asbuilt.physics import hydraulics, pipes
    from asbuilt.physics.coolant import Fluid
    from asbuilt.physics.pipes import Bore

    out = []
    for row in rows:
        fluid = Fluid(row["density"], row["viscosity_pa_s"], 4000.0, 0.5)
        branches = tuple(
            hydraulics.Branch(
                100.0,
                b["k"] * fluid.density_kg_m3 * pipes.velocity_m_s(100.0, b["mm"]) ** 2 / 2000.0,
                2.0,
                (Bore(b["mm"], b["m"], 0.0, row["roughness_mm"]),),
            )
            for b in row["branches"]
        )
        segments = tuple(Bore(s["mm"], s["m"], s["k"], row["roughness_mm"]) for s in row["segments"])
        found = hydraulics.for_pressure(hydraulics.direct_return(branches, segments), fluid, row["pressure_kpa"])
        out.append([float(q) for q in found.flow_l_min])
    return out


def with_pandapipes(rows: list[dict[str, Any]], ours: list[list[float]]) -> None:
    from hydraulics import solved as of_peer

    for row, own in zip(rows, ours, strict=True):
        assert max(abs(a / b - 1) for a, b in zip(own, of_peer(row), strict=True)) < ALIKE


def floor(racks: int) -> tuple[Any, Any, Any, Any, Any]:
    """Site, places of ``racks`` racks in rows of ten, ends of random pairs of them, pitch of the rows."""
    from asbuilt.model.design import SiteDesign
    from asbuilt.plan.fibre.grid import RackPlaces
    from asbuilt.plan.placement import ROWS_PER_HALL

    site = SiteDesign(
        rack_height_u=48, rack_power_kw=142.0, rack_weight_kg=1800.0, rack_width_mm=600.0, rack_depth_mm=1068.0,
        nodes_per_rack=18, racks_per_row=10, aisle_mm=1800.0, tray_height_mm=2600.0, slack_m=1.0, power_mw=None, pue=1.2,
        cooling="liquid", coolant_supply_c=35.0, air_inlet_c=25.0, feeds=2, cords=("A",), airflow="",
    )  # fmt: skip
    at = np.arange(racks, dtype=np.int64)
    row = at // site.racks_per_row
    places = RackPlaces(row, at % site.racks_per_row + 1, row % ROWS_PER_HALL, row // ROWS_PER_HALL)
    ends = np.random.default_rng(3).integers(0, racks, (2, racks * WAYS_A_RACK))
    return site, places, *np.sort(ends, axis=0), site.rack_depth_mm + site.aisle_mm


def routed(site: Any, places: Any, a: Any, b: Any) -> Any:
    """Length of every way in mm, its segments found as well."""
    from asbuilt.plan.fibre.grid import leg_lengths_m, steps, tray_grid, ways

    grid = tray_grid(site, places)
    way = ways(grid, places, a, b)
    assert len(steps(grid, way).segment) >= len(a) // 2
    return np.rint(leg_lengths_m(grid, way).sum(axis=1) * 1000.0).astype(np.int64)


def graph(count: int) -> dict[str, Any]:
    """The trays as edges (x1, y1, x2, y2, mm), the seat of every rack and the pairs of racks, for the peer."""
    from asbuilt.plan.fibre.grid import segments, tray_grid
    from asbuilt.plan.placement import ROWS_PER_HALL, hall_width_mm

    site, places, a, b, pitch = floor(count)
    grid = tray_grid(site, places)
    held = segments(grid, places, {int(r): int(r) % ROWS_PER_HALL * pitch for r in grid.rows})
    ends = np.rint(np.stack([held.x1, held.y1, held.x2, held.y2])).astype(np.int64)
    length = np.abs(held.x1 - held.x2) + np.abs(held.y1 - held.y2)
    x = places.hall * hall_width_mm(site) + (places.position - 0.5) * site.rack_width_mm
    seats = np.rint(np.stack([x, places.line * pitch + site.rack_depth_mm / 2.0])).astype(np.int64)
    return {
        "edges": ends.T.tolist(), "mm": length.tolist(), "seats": seats.T.tolist(), "a": a.tolist(), "b": b.tolist(),
    }  # fmt: skip


def with_networkx(held: dict[str, Any]) -> Any:
    """The same lengths by Dijkstra from each rack that is a first end, over the segments as edges; paths as well."""
    import networkx as nx

    trays = nx.Graph()
    for (x1, y1, x2, y2), mm in zip(held["edges"], held["mm"], strict=True):
        trays.add_edge((x1, y1), (x2, y2), weight=mm)
    seats = [tuple(seat) for seat in held["seats"]]
    far_ends: dict[int, list[int]] = {}
    for at, source in enumerate(held["a"]):
        far_ends.setdefault(source, []).append(at)
    out = np.empty(len(held["a"]), np.int64)
    for source, listed in far_ends.items():
        far, _ = nx.single_source_dijkstra(trays, seats[source])
        for at in listed:
            out[at] = round(far[seats[held["b"][at]]])
    return out


def graph_from_product(count: int) -> dict[str, Any]:
    """`graph` made by the product's interpreter: the peer's has no catalogue."""
    python = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "python"
    done = subprocess.run([str(python), __file__, "graph", str(count)], capture_output=True, text=True, check=True)
    held: dict[str, Any] = json.loads(done.stdout)
    return held


def digest(lengths: Any) -> str:
    return hashlib.sha256(lengths.tobytes()).hexdigest()[:16]


def phases(count: int) -> tuple[Any, str]:
    """Loads of supplies of some kinds, and what is left of the spread after dealing and after swaps."""
    from asbuilt.physics.assignment import balanced, deal, totals
    from asbuilt.physics.three_phase import nema_unbalance

    draw = np.random.default_rng(5)
    loads = draw.choice([350.0, 800.0, 1600.0, 2750.0, 3300.0], count) * draw.uniform(0.7, 1.0, count)
    left = [float(nema_unbalance(totals(loads, d))) for d in (deal(loads), balanced(loads))]
    return loads, f"unbalance {left[0]:.1e} after dealing, {left[1]:.1e} after swaps"


def main() -> None:
    name, count = sys.argv[1], int(sys.argv[2])
    if name in ("sweep", "pandapower"):
        if name == "pandapower":
            import pandapower  # noqa: F401
        rows = busways(count)
        result = swept(rows)
        assert result.settled.all()
        ours = np.abs(result.volts) * np.sqrt(3) / VOLTS
        job = (lambda: swept(rows)) if name == "sweep" else (lambda: with_pandapower(rows, ours))
        report(job, repeat=1 if name == "pandapower" else 5, rows=count, note=f"{count * TAPS} taps")
    elif name in ("rows", "pandapipes"):
        asked = headers(count)
        flows = solved(asked)
        job = (lambda: solved(asked)) if name == "rows" else (lambda: with_pandapipes(asked, flows))
        report(job, repeat=1 if name == "pandapipes" else 5, rows=count, note=f"{count * RACKS} racks")
    elif name == "routes":
        site, places, a, b, _ = floor(count)
        report(lambda: routed(site, places, a, b), repeat=5, digest=digest(routed(site, places, a, b)), note=f"{len(a)} ways")
    elif name == "networkx":
        held = graph_from_product(count)
        report(lambda: with_networkx(held), repeat=1, warm=False, digest=digest(with_networkx(held)))
    elif name == "graph":
        print(json.dumps(graph(count)))
    else:
        from asbuilt.physics.assignment import balanced

        loads, note = phases(count)
        report(lambda: balanced(loads), repeat=5, note=note)


main()
