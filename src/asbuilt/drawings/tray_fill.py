"""What the tray map says: trays by row, the fill of each segment now and when finished, and the limit that it is held to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from asbuilt.drawings.theme import number
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

VERDICT_WORDS = {"pass": "within", "warn": "above the planned fill", "fail": "OVER the limit", "none": "not judged"}
WORSE = {"none": 0, "pass": 1, "warn": 2, "fail": 3}


@dataclass(frozen=True, slots=True)
class Place:
    """A rack, or a position kept for one, from above: left edge and width in mm, and whether cables drop to it."""

    name: str
    x_mm: float
    width_mm: float
    built: bool
    drops: bool


@dataclass(frozen=True, slots=True)
class TrayRow:
    """A row with its places and its tray segments by kind, both in order along the row."""

    row: str
    y_mm: float
    places: tuple[Place, ...]
    trays: dict[str, tuple[dict[str, Any], ...]]


@dataclass(frozen=True, slots=True)
class TrayHall:
    """A block of rows in order across the hall, and the trays that cross them.

    ``planned`` and ``most`` are the fill in per cent that trays are planned for and the hard limit; None: nobody set one.
    """

    rows: tuple[TrayRow, ...]
    cross: tuple[dict[str, Any], ...]
    planned: float | None
    most: float | None

    def verdict(self, tray: dict[str, Any]) -> str:
        """By the larger of the fill now and when finished: ``pass``, ``warn`` above the planned fill, ``fail`` over the limit.

        ``none`` without a limit, and for power trays: the limits are those of data cables.
        """
        if self.planned is None or self.most is None or tray["kind"] == "power":
            return "none"
        fill = max(tray["fill_now_percent"], tray["fill_full_percent"])
        if fill > self.most:
            return "fail"
        return "warn" if fill > self.planned else "pass"


def tray_halls(plan: Plan) -> tuple[tuple[TrayHall, ...], tuple[dict[str, Any], ...]]:
    """Each block of rows that stand over one another, and the main trays that run along the rows from block to block.

    Within a block x starts at its left edge. Nothing for a plan without trays.
    """
    import polars as pl

    if not plan.has("trays") or not plan.table("trays").height:
        return (), ()
    trays = plan.table("trays").sort("kind", "x1_mm", "tray")
    over: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for tray in trays.filter(pl.col("row").is_not_null()).iter_rows(named=True):
        over.setdefault(tray["row"], {}).setdefault(tray["kind"], []).append(tray)
    places = _places(plan)
    rows = [_tray_row(row, kinds, places.get(row, [])) for row, kinds in over.items()]
    limits = fill_limits(plan)
    blocks = _blocks(rows)
    across: dict[int, list[dict[str, Any]]] = {}
    mains = []
    for tray in trays.filter(pl.col("row").is_null()).iter_rows(named=True):
        if abs(tray["y2_mm"] - tray["y1_mm"]) >= abs(tray["x2_mm"] - tray["x1_mm"]):
            nearest = min(range(len(blocks)), key=lambda i: _apart(blocks[i], tray["x1_mm"]), default=0)
            across.setdefault(nearest, []).append(tray)
        else:
            mains.append(tray)
    halls = [_shifted(block, across.get(i, []), limits) for i, block in enumerate(blocks)]
    return tuple(sorted(halls, key=lambda h: min((len(r.row), r.row) for r in h.rows))), tuple(mains)


def _tray_row(row: str, kinds: dict[str, list[dict[str, Any]]], places: list[Place]) -> TrayRow:
    depth = min(t["y1_mm"] for held in kinds.values() for t in held)
    return TrayRow(row, depth, tuple(places), {kind: tuple(held) for kind, held in kinds.items()})


def _extent(row: TrayRow) -> tuple[float, float]:
    """Left and right edge of a row, its places and trays together, in mm."""
    ends = [x for held in row.trays.values() for t in held for x in (t["x1_mm"], t["x2_mm"])]
    ends += [x for p in row.places for x in (p.x_mm, p.x_mm + p.width_mm)]
    return min(ends), max(ends)


def _blocks(rows: list[TrayRow]) -> list[tuple[float, float, list[TrayRow]]]:
    """Rows whose extents touch stand over one another: left edge, right edge and the rows of each such block."""
    blocks: list[tuple[float, float, list[TrayRow]]] = []
    for row in sorted(rows, key=lambda r: (*_extent(r), r.row)):
        left, right = _extent(row)
        if blocks and left <= blocks[-1][1]:
            first, last, held = blocks[-1]
            blocks[-1] = (first, max(last, right), [*held, row])
        else:
            blocks.append((left, right, [row]))
    return blocks


def _apart(block: tuple[float, float, list[TrayRow]], x_mm: float) -> float:
    return max(block[0] - x_mm, x_mm - block[1], 0.0)


def _shifted(
    block: tuple[float, float, list[TrayRow]],
    across: list[dict[str, Any]],
    limits: tuple[float | None, float | None],
) -> TrayHall:
    """The block with x from its left edge, its rows in order across the hall."""
    left = block[0]

    def moved(tray: dict[str, Any]) -> dict[str, Any]:
        return tray | {"x1_mm": tray["x1_mm"] - left, "x2_mm": tray["x2_mm"] - left}

    rows = tuple(
        TrayRow(
            row.row,
            row.y_mm,
            tuple(replace(p, x_mm=p.x_mm - left) for p in row.places),
            {kind: tuple(moved(t) for t in held) for kind, held in row.trays.items()},
        )
        for row in sorted(block[2], key=lambda r: (r.y_mm, len(r.row), r.row))
    )
    return TrayHall(rows, tuple(moved(t) for t in across), *limits)


def fill_limits(plan: Plan) -> tuple[float | None, float | None]:
    """The lowest and the highest fill of a tray that expectations of the plan allow, in per cent: planned, and at most."""
    import polars as pl

    if not plan.has("expectations"):
        return None, None
    table = plan.table("expectations")
    rows = table.filter((pl.col("subject_kind") == "tray") & (pl.col("unit") == "%") & (pl.col("op") == "le"))
    values = rows["value"].cast(pl.Float64, strict=False).drop_nulls().to_list()
    return min(values, default=None), max(values, default=None)


def _places(plan: Plan) -> dict[str, list[Place]]:
    """Racks, and positions kept on the floor, by row in order along it."""
    import polars as pl

    dropped = _dropped(plan)
    wide = plan.design.site.rack_width_mm if plan.design else RACK_WIDTH_MM
    found: dict[str, list[Place]] = {}
    racks = plan.table("racks").sort("x_mm", "rack") if plan.has("racks") else None
    if racks is not None:
        for rack, name, row, x in racks.select("rack", "name", "row", "x_mm").iter_rows():
            found.setdefault(row, []).append(Place(name, x, wide, True, rack in dropped))
    if plan.has("floor"):
        later = plan.table("floor").filter((pl.col("kind") == "position") & pl.col("row").is_not_null())
        for name, row, x, width in later.select("name", "row", "x_mm", "width_mm").iter_rows():
            found.setdefault(row, []).append(Place(name, x, width, False, False))
    return {row: sorted(held, key=lambda p: (p.x_mm, p.name)) for row, held in found.items()}


RACK_WIDTH_MM = 600.0


def _dropped(plan: Plan) -> set[str]:
    """The racks that a route of the plan ends at."""
    import polars as pl

    if not plan.has("routes"):
        return set()
    routes: pl.DataFrame = plan.table("routes")
    return set(pl.concat([routes["a_rack"], routes["b_rack"]]).unique().to_list())


def worst(hall: TrayHall, trays: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    """The fullest segment: by verdict, then by the fill when finished, then now; the first of equals."""
    return max(trays, key=lambda t: (WORSE[hall.verdict(t)], t["fill_full_percent"], t["fill_now_percent"]))


def near(row: TrayRow, tray: dict[str, Any]) -> str:
    """The rack or position under the middle of a segment; empty when the row has none."""
    middle = (tray["x1_mm"] + tray["x2_mm"]) / 2
    if not row.places:
        return ""
    return min(row.places, key=lambda p: abs(p.x_mm + p.width_mm / 2 - middle)).name


def row_words(hall: TrayHall, row: TrayRow, kind: str) -> tuple[str, str]:
    """Verdict and sentence for the trays of one kind over a row: the fullest segment, where it is, the heaviest metre."""
    trays = row.trays[kind]
    full = worst(hall, trays)
    verdict = hall.verdict(full)
    size = f"{number(full['width_mm'])} × {number(full['depth_mm'])} mm"
    place = near(row, full)
    told = f"{kind}, {size}: {fill_words(full)}{f' at {place}' if place else ''}: {VERDICT_WORDS[verdict]}"
    mass = max(t["mass_kg_m"] for t in trays)
    return verdict, f"{told}; up to {number(mass, 1)}\u00a0kg/m" + (", SHARED with power" if full["shared"] else "")


def fill_words(tray: dict[str, Any]) -> str:
    """``now 12 %, finished 46 %``, with no-break spaces."""
    return f"now {number(tray['fill_now_percent'], 1)}\u00a0%, finished {number(tray['fill_full_percent'], 1)}\u00a0%"
