"""Where loops lie: which positions of a row are racks, which loop each is on, from which end it is fed."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from asbuilt.model.design import Design
from asbuilt.plan.cooling.demand import Demand
from asbuilt.plan.devices import phase_names
from asbuilt.plan.placement import network_positions

if TYPE_CHECKING:
    import polars as pl


class _Stood(NamedTuple):
    """A compute rack that stands now."""

    rack: str
    row: str
    position: int
    x_mm: float
    y_mm: float
    phase: str


@dataclass(frozen=True, slots=True)
class LoopSite:
    """One loop: the racks from its CDU outwards. ``phases``: None where no rack stands yet."""

    loop: str
    row: str
    racks: tuple[str, ...]
    phases: tuple[str | None, ...]
    lengths_m: tuple[float, ...]
    from_left: bool
    left_mm: float
    right_mm: float
    y_mm: float
    phase: str
    first_cdu: int
    beside: int

    @property
    def name(self) -> str:
        """A, or A-2: the loop's key without its prefix."""
        return self.loop.removeprefix("loop:")

    @property
    def built(self) -> tuple[bool, ...]:
        return tuple(phase is not None for phase in self.phases)


def most_racks(design: Design, asked: Demand, heat_kw: float) -> int:
    """Racks that one CDU carries, by its heat and by the highest flow that it is published for; as declared where it is."""
    if design.cooling.racks_per_loop is not None:
        return design.cooling.racks_per_loop
    unit = design.cooling.unit
    if unit is None:
        return 1_000
    flows = [flow for _, flow, _ in unit.points] or ([unit.flow_l_min] if unit.flow_l_min else [])
    by_heat = math.floor(unit.capacity_kw / heat_kw + 1e-9) if heat_kw > 0 else 1_000
    by_flow = math.floor(max(flows) / asked.flow_l_min + 1e-9) if flows else by_heat
    return max(1, min(by_heat, by_flow))


def units_needed(design: Design, racks: int, asked: Demand, heat_kw: float) -> int:
    """CDUs that run side by side on a loop of ``racks``."""
    unit = design.cooling.unit
    if unit is None:
        return 1
    flows = [flow for _, flow, _ in unit.points] or ([unit.flow_l_min] if unit.flow_l_min else [])
    by_heat = racks * heat_kw / unit.capacity_kw if unit.capacity_kw > 0 else 1.0
    by_flow = racks * asked.flow_l_min / max(flows) if flows else 0.0
    return max(1, math.ceil(by_heat - 1e-9), math.ceil(by_flow - 1e-9))


def places(design: Design, racks: pl.DataFrame) -> list[int]:
    """Positions of a row that hold compute racks when it is finished: all but the middle ones, kept for network racks."""
    across = max(2, design.site.racks_per_row)
    count = {role: int(n) for role, n in racks.group_by("role").len().iter_rows()}
    middle = network_positions(count.get("compute", 0), count.get("network", 0), across)
    first = (across - middle) // 2 + 1
    return [p for p in range(1, across + 1) if not first <= p < first + middle]


def loop_sites(design: Design, racks: pl.DataFrame, most: int, units: int) -> list[LoopSite]:
    """Loops of every row in which a compute rack stands now, rows in the order of the hall.

    A row is shared evenly between as many loops as ``most`` racks a loop ask for; the first half of them is fed from the
    row's left end, the others from its right. Each loop has ``units`` CDUs and those that stand by.
    """
    ranks = {name: at for at, name in enumerate(phase_names(design))}
    listed = places(design, racks)
    compute = racks.filter(racks["role"] == "compute")
    found = []
    rows: dict[str, list[_Stood]] = {}
    for held in map(_Stood._make, compute.select(_Stood._fields).iter_rows()):
        rows.setdefault(held.row, []).append(held)
    for row, stand in sorted(rows.items(), key=lambda item: (len(item[0]), item[0])):
        by_position = {r.position: r for r in stand}
        every = sorted(set(listed) | set(by_position))
        found += _of_row(design, row, every, by_position, ranks, most, units)
    return found


def _of_row(
    design: Design,
    row: str,
    every: list[int],
    stand: dict[int, _Stood],
    ranks: dict[str, int],
    most: int,
    units: int,
) -> list[LoopSite]:
    site = design.site
    width = site.rack_width_mm
    loops = -(-len(every) // most)
    each = -(-len(every) // loops)
    chunks = [every[i : i + each] for i in range(0, len(every), each)]
    one = next(iter(stand.values()))
    left = one.x_mm - (one.position - 1) * width
    across = max(2, site.racks_per_row)
    halves = (len(chunks) + 1) // 2
    stood = units + design.cooling.cdus_standby
    made = []
    for at, chunk in enumerate(chunks):
        from_left = at < halves
        order = chunk if from_left else chunk[::-1]
        ends = (order[0] - 1) if from_left else (across - order[0])
        gaps = [abs(b - a) for a, b in itertools.pairwise(order)]
        lengths = (design.cooling.feed_m + ends * width / 1000.0, *(round(g * width / 1000.0, 6) for g in gaps))
        phases = tuple(stand[p].phase if p in stand else None for p in order)
        known = sorted((p for p in phases if p is not None), key=lambda p: ranks.get(p, len(ranks)))
        if not known:
            continue
        made.append(
            LoopSite(
                loop=f"loop:{row}" if len(chunks) == 1 else f"loop:{row}-{at + 1}",
                row=row,
                racks=tuple(f"rack:{row}-{p:02d}" for p in order),
                phases=phases,
                lengths_m=lengths,
                from_left=from_left,
                left_mm=left,
                right_mm=left + across * width,
                y_mm=one.y_mm,
                phase=known[0],
                first_cdu=at * stood + 1,
                beside=(at if from_left else len(chunks) - 1 - at) * stood,
            )
        )
    return made
