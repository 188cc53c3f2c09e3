"""The floor as the hall drawings and the DXF show it: rows with what stands in them, and the aisles between."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.drawings.theme import number
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

W_PER_KW = 1000.0
ROLE_CSS = {"compute": "compute", "network": "frontend", "management": "management", "storage": "storage"}
ROLE_WORDS = {"management": "mgmt"}
#: Lengths that differ by no more are the same, mm.
_NEAR_MM = 1.0
#: Lengths tried between equal stretches and the longest that fit.
_TRIES = 16


@dataclass(frozen=True, slots=True)
class Thing:
    """A rack, CDU or kept position: corner with the lowest coordinates and size in mm, kW and kg where known."""

    kind: str
    name: str
    role: str
    x: float
    y: float
    w: float
    d: float
    h: float | None
    kw: float | None
    kg: float | None
    kpa: float | None
    phase: str | None

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def hint(self) -> str:
        """All that is known of it in one line."""
        words = [self.name, self.role if self.kind == "rack" else "kept for later" if self.kind == "position" else self.kind]
        for value, digits, unit in ((self.kw, 1, "kW"), (self.kg, 0, "kg"), (self.kpa, 1, "kPa on its footprint")):
            if value is not None:
                words.append(f"{number(value, digits)} {unit}")
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class Aisle:
    """An aisle: hot or cold, name, corner and size in mm."""

    name: str
    x: float
    y: float
    w: float
    d: float

    @property
    def hot(self) -> bool:
        return self.name.startswith("hot")


@dataclass(frozen=True, slots=True)
class FloorRow:
    """A row: letters, x at which its hall starts, lowest y, depth, whether its front is there, its things by x."""

    letters: str
    hall: float
    y: float
    d: float
    front_low: bool
    things: tuple[Thing, ...]

    @property
    def x(self) -> float:
        return min(thing.x for thing in self.things)

    @property
    def right(self) -> float:
        return max(thing.right for thing in self.things)


@dataclass(frozen=True, slots=True)
class Ground:
    """The floor of a plan: rows ordered by hall and then from its front, and aisles by the corner they start at."""

    rows: tuple[FloorRow, ...]
    aisles: tuple[Aisle, ...]
    below: dict[tuple[int, int], Aisle]
    above: dict[tuple[int, int], Aisle]

    def beside(self, row: FloorRow) -> tuple[Aisle | None, Aisle | None]:
        """The aisles at the lower and at the upper side of a row."""
        return self.below.get(_at(row.hall, row.y)), self.above.get(_at(row.hall, row.y + row.d))


def _at(x: float, y: float) -> tuple[int, int]:
    """A corner to the millimetre."""
    return round(x), round(y)


def ground(plan: Plan) -> Ground | None:
    """The floor of a plan; None for a plan that has no floor (someone else's cable list)."""
    if not plan.has("floor") or not plan.table("floor").height:
        return None
    table = _told(plan)
    aisles: list[Aisle] = []
    by_row: dict[str, list[Thing]] = {}
    for item in table.iter_rows(named=True):
        if item["kind"] == "aisle":
            aisles.append(Aisle(item["name"], item["x_mm"], item["y_mm"], item["width_mm"], item["depth_mm"]))
        else:
            by_row.setdefault(item["row"] or "", []).append(_thing(item))
    aisles.sort(key=lambda a: (a.x, a.y))
    below = {_at(a.x, a.y + a.d): a for a in aisles}
    above = {_at(a.x, a.y): a for a in aisles}
    starts = sorted({a.x for a in aisles})
    rows = []
    for letters, things in by_row.items():
        racks = [t for t in things if t.kind != "cdu"] or things
        y, x = min(t.y for t in racks), min(t.x for t in racks)
        hall = starts[max(0, bisect_right(starts, x + _NEAR_MM) - 1)] if starts else x
        aisle = below.get(_at(hall, y))
        depth = max(t.d for t in racks)
        ordered = tuple(sorted(things, key=lambda t: (t.x, t.name)))
        rows.append(FloorRow(letters, hall, y, depth, aisle is None or not aisle.hot, ordered))
    rows.sort(key=lambda row: (row.hall, row.y))
    return Ground(tuple(rows), tuple(aisles), below, above)


def _told(plan: Plan) -> pl.DataFrame:
    """The floor with role and power of racks and capacity of CDUs beside it."""
    import polars as pl

    table = plan.table("floor")
    known = pl.DataFrame(schema={"object": pl.String, "role": pl.String, "kw": pl.Float64})
    parts = [known]
    if plan.has("racks"):
        racks = plan.table("racks")
        key = pl.format("floor:{}", "rack").alias("object")
        parts.append(racks.select(key, "role", kw=pl.col("power_w") / W_PER_KW))
    if plan.has("cdus"):
        cdus = plan.table("cdus")
        parts.append(cdus.select(pl.format("floor:{}", "cdu").alias("object"), pl.lit("cdu").alias("role"), kw="capacity_kw"))
    return table.join(pl.concat(parts), on="object", how="left", maintain_order="left")


def _thing(item: dict[str, object]) -> Thing:
    def length(key: str) -> float:
        return float(str(item[key]))

    def maybe(key: str) -> float | None:
        return None if item[key] is None else float(str(item[key]))

    return Thing(
        str(item["kind"]), str(item["name"]), str(item["role"] or item["kind"]), length("x_mm"), length("y_mm"),
        length("width_mm"), length("depth_mm"), maybe("height_mm"), maybe("kw") or None, maybe("weight_kg"), maybe("load_kpa"),
        None if item["phase"] is None else str(item["phase"]),
    )  # fmt: skip


def windows(rows: Sequence[FloorRow], most_mm: float) -> list[tuple[float, float]]:
    """Stretches along the rows, each at most ``most_mm`` long, that together hold everything, cut between things.

    As few as possible, and as equal as possible: the last one is no scrap.
    """
    spans = sorted({(t.x, t.right) for row in rows for t in row.things})
    fewest = _cut(spans, most_mm)
    least = (max(right for _, right in spans) - spans[0][0]) / len(fewest)
    for step in range(_TRIES):
        even = _cut(spans, least + (most_mm - least) * step / _TRIES)
        if len(even) <= len(fewest):
            return even
    return fewest


def _cut(spans: Sequence[tuple[float, float]], most_mm: float) -> list[tuple[float, float]]:
    out: list[list[float]] = []
    for x, right in spans:
        if (out and right - out[-1][0] <= most_mm + _NEAR_MM) or (out and x < out[-1][1]):
            out[-1][1] = max(out[-1][1], right)
        else:
            out.append([x, right])
    return [(a, b) for a, b in out]


def within(row: FloorRow, window: tuple[float, float]) -> list[Thing]:
    """What of a row stands in a window."""
    return [t for t in row.things if window[0] - _NEAR_MM <= t.x < window[1] - _NEAR_MM]
