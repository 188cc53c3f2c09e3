"""Service levels, virtual lanes and their arbitration, per subnet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.model.requirement import PlaneLane
from asbuilt.model.tables_subnet import SERVICE_LEVELS, VL_ARBITRATION
from asbuilt.plan.subnet_scene import Scene

if TYPE_CHECKING:
    import polars as pl

LEVELS = 16  # IBTA vol. 1, 7.6.5: four bits
#: Virtual lanes that a port can be told to operate (IBTA vol. 1, PortInfo.OperationalVLs: codes 1 to 5).
OPERATIONAL = (1, 2, 4, 8, 15)
PLANE_LEVELS = {"compute": 1, "storage": 2, "frontend": 3, "management": 4, "oob": 5}
#: Low-priority weights, units of 64 bytes: planes share a full link as these do. All chosen here.
LOW_WEIGHTS = {"compute": 192, "storage": 128, "frontend": 64, "management": 64, "oob": 64}
DEFAULT_WEIGHT = 64
#: OpenSM's own entry of the high-priority table, and its own high limit.
HIGH_WEIGHT, HIGH_LIMIT = 4, 0
#: Quantum-2 firmware known issues 955641 and 1249608 (docs.nvidia.com, firmware 31.2010 release notes).
LOW_ONLY = (
    "planes share by the low-priority table alone: on Quantum-2 the high limit does not act as it should (firmware known "
    "issue 955641), and no weight is 0 (1249608); the high table holds VL 0, which carries management and little else"
)


@dataclass(frozen=True, slots=True)
class Lane:
    """One plane's traffic: service level, virtual lane, weights (0: not in that table)."""

    plane: str
    sl: int
    vl: int
    high: int
    low: int


@dataclass(frozen=True, slots=True)
class Lanes:
    """Lanes of a subnet. Without QoS everything travels on service level 0, lane 0, and no table is written."""

    qos: bool
    lanes: tuple[Lane, ...]
    max_vls: int
    high_limit: int

    def sl_of(self, plane: str) -> int:
        return next((lane.sl for lane in self.lanes if lane.plane == plane), 0)

    def levels(self) -> list[int]:
        """The virtual lane of each service level; levels that nothing uses map to lane 0."""
        out = [0] * LEVELS
        for lane in self.lanes:
            out[lane.sl] = lane.vl
        return out

    def high(self) -> list[tuple[int, int]]:
        """(lane, weight) rows of the high-priority table."""
        asked = [(lane.vl, lane.high) for lane in self.lanes if lane.high]
        return asked or ([(0, HIGH_WEIGHT)] if self.qos else [])

    def low(self) -> list[tuple[int, int]]:
        """(lane, weight) rows of the low-priority table: lane 0 first, each lane once."""
        if not self.qos:
            return []
        rows = {0: DEFAULT_WEIGHT}
        for lane in self.lanes:
            rows[lane.vl] = max(rows.get(lane.vl, 0) if lane.vl else 0, lane.low)
        return sorted(rows.items())


def lanes_of(scene: Scene) -> Lanes:
    """The lanes that a subnet's wish asks for, or the defaults."""
    wish = scene.wish
    if wish.qos is False:
        return Lanes(False, (), 1, 0)
    made: list[Lane] = []
    for number, plane in enumerate(scene.planes, start=1):
        asked: PlaneLane = getattr(wish.lanes, plane.name, None) or PlaneLane()
        sl = asked.service_level if asked.service_level is not None else PLANE_LEVELS[plane.name]
        vl = asked.virtual_lane if asked.virtual_lane is not None else min(number, (wish.max_vls or LEVELS) - 1)
        low = asked.low_weight if asked.low_weight is not None else LOW_WEIGHTS[plane.name]
        made.append(Lane(plane.name, sl, vl, asked.weight or 0, low))
    used = max((lane.vl for lane in made), default=0) + 1
    enough = next((n for n in OPERATIONAL if n >= used), OPERATIONAL[-1])
    high = wish.high_limit if wish.high_limit is not None else HIGH_LIMIT
    return Lanes(True, tuple(made), wish.max_vls or enough, high)


def operational_code(lanes: Lanes) -> int:
    """The code of ``max_vls`` in PortInfo.OperationalVLs: 1 for lane 0 alone, 5 for lanes 0 to 14."""
    return next((code for code, n in enumerate(OPERATIONAL, start=1) if n >= lanes.max_vls), len(OPERATIONAL))


def levels_table(parts: list[tuple[Scene, Lanes]]) -> pl.DataFrame:
    """Table `SERVICE_LEVELS`: 16 rows a subnet; without QoS level 0 alone, as nothing is written for the others."""
    import polars as pl

    rows = []
    for scene, lanes in parts:
        traffic: dict[int, list[str]] = {0: ["default partition: management, subnet administration, IPoIB between managers"]}
        for lane in lanes.lanes:
            traffic.setdefault(lane.sl, []).append(lane.plane)
        if not lanes.qos:
            traffic[0] += [p.name for p in scene.planes]
        for sl, vl in enumerate(lanes.levels() if lanes.qos else [0]):
            rows.append((scene.name, sl, vl, "; ".join(traffic.get(sl, []))))
    frame = pl.DataFrame(rows, schema=SERVICE_LEVELS.polars(), orient="row")
    return SERVICE_LEVELS.conform(frame.sort("subnet", "sl"))


def arbitration_table(parts: list[tuple[Scene, Lanes]]) -> pl.DataFrame:
    """Table `VL_ARBITRATION`."""
    import polars as pl

    rows = [
        (scene.name, priority, index, vl, weight)
        for scene, lanes in parts
        for priority, held in (("high", lanes.high()), ("low", lanes.low()))
        for index, (vl, weight) in enumerate(held)
    ]
    frame = pl.DataFrame(rows, schema=VL_ARBITRATION.polars(), orient="row")
    return VL_ARBITRATION.conform(frame.sort("subnet", "priority", "index"))
