"""What an elevation shows of each rack, read from the plan's tables: devices by U, PDUs by side, coolant, patch panels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.drawings.theme import PLANES, number, plural
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

W_PER_KW = 1000.0


@dataclass(frozen=True, slots=True)
class Held:
    """A device in a rack: lowest U, height, face (front, rear or both), how it is coloured, its name and what else to say."""

    u: float
    height_u: float
    face: str
    kind: str
    css: str
    name: str
    more: str
    liquid: bool


@dataclass(frozen=True, slots=True)
class Strip:
    """A PDU at the side of a rack, seen from the rear."""

    side: str
    text: str


@dataclass(frozen=True, slots=True)
class RackFace:
    """One rack: name, role, height in U, devices from the bottom, PDUs, and lines to say about it."""

    name: str
    role: str
    row: str
    height_u: int
    held: tuple[Held, ...]
    pdus: tuple[Strip, ...]
    liquid: bool
    said: tuple[str, ...]

    @property
    def stack(self) -> tuple[object, ...]:
        """What makes two racks look alike: everything but the names of the devices."""
        slots = tuple((h.u, h.height_u, h.face, h.kind, h.css, h.more, h.liquid) for h in self.held)
        return (self.role, self.height_u, slots, self.pdus, self.liquid)


def faces(plan: Plan) -> Iterator[RackFace]:
    """Every rack of the plan in the order of rows and positions. Nothing for a plan that knows no rack units."""
    if not plan.has("rack_slots") or not plan.has("racks"):
        return
    slots = _by_rack(_coloured(plan))
    pdus, shelves = _by_rack(_table(plan, "pdus")), _feeds(plan)
    manifolds = _by_rack(_table(plan, "manifolds"))
    weights = _weights(plan)
    for row in _ordered(plan.table("racks")).iter_rows(named=True):
        rack = row["rack"]
        held = tuple(_held(item, shelves) for item in slots.get(rack, ()))
        strips = tuple(_strip(item) for item in sorted(pdus.get(rack, ()), key=lambda p: (p["side"], p["pdu"])))
        wet = any(h.liquid for h in held)
        yield RackFace(
            row["name"],
            row["role"],
            row["row"],
            row["height_u"],
            held,
            strips,
            wet,
            _said(row, held, strips, manifolds.get(rack, ()), wet, weights.get(rack)),
        )


def _ordered(racks: pl.DataFrame) -> pl.DataFrame:
    """Racks in the order of rows (A, B, ..., Z, AA) and positions."""
    import polars as pl

    return racks.sort(pl.col("row").str.len_chars(), "row", "position")


def _table(plan: Plan, name: str) -> pl.DataFrame | None:
    return plan.table(name) if plan.has(name) and plan.table(name).height else None


def _by_rack(frame: pl.DataFrame | None) -> dict[str, list[dict[str, object]]]:
    if frame is None:
        return {}
    out: dict[str, list[dict[str, object]]] = {}
    for row in frame.iter_rows(named=True):
        out.setdefault(row["rack"], []).append(row)
    return out


def _coloured(plan: Plan) -> pl.DataFrame:
    """Slots from the bottom up, with the plane of the switches among them."""
    import polars as pl

    slots = plan.table("rack_slots").sort("rack", "u")
    planes = pl.lit(None, dtype=pl.String).alias("plane")
    if not plan.has("switches"):
        return slots.with_columns(planes)
    of = plan.table("switches").select(pl.col("switch").alias("device"), "plane", "spare")
    return slots.join(of, on="device", how="left", maintain_order="left")


def _feeds(plan: Plan) -> dict[str, str]:
    """Feed letter of each power shelf."""
    shelves = _table(plan, "shelves")
    if shelves is None:
        return {}
    return {shelf: feed.removeprefix("feed:") for shelf, feed in shelves.select("shelf", "feed").iter_rows()}


def _weights(plan: Plan) -> dict[str, float | None]:
    """What each rack weighs with contents and coolant, kg; None where nobody knows."""
    floor = _table(plan, "floor")
    if floor is None:
        return {}
    return {key.removeprefix("floor:"): kg for key, kg in floor.select("object", "weight_kg").iter_rows()}


_CSS = {
    "node": "compute",
    "nvlink-switch": "compute",
    "storage": "storage",
    "service": "management",
    "management": "management",
}


def _held(item: dict[str, object], shelves: dict[str, str]) -> Held:
    kind, plane = str(item["kind"]), item.get("plane")
    css = _CSS.get(kind, "none")
    if kind == "switch":
        css = str(plane) if plane in PLANES else "none"
    feed = shelves.get(str(item["device"]), "")
    more = f"feed {feed}" if feed else "cold spare" if item.get("spare") else ""
    return Held(
        float(str(item["u"])),
        float(str(item["height_u"])),
        str(item["face"]),
        kind,
        css,
        str(item["name"]),
        more,
        bool(item["liquid"]),
    )


def _strip(item: dict[str, object]) -> Strip:
    name = str(item["pdu"]).rsplit("/", 1)[-1]
    feed = str(item["feed"]).removeprefix("feed:")
    return Strip(str(item["side"]), f"PDU {name}, feed {feed}, {number(float(str(item['rating_a'])))} A")


def _said(
    row: dict[str, object],
    held: tuple[Held, ...],
    strips: tuple[Strip, ...],
    manifolds: list[dict[str, object]] | tuple[()],
    wet: bool,
    weight: float | None,
) -> tuple[str, ...]:
    """Lines below a rack: load, power side, liquid side, fibre side."""
    used = sum(h.height_u for h in held)
    watts = float(str(row["power_w"]))
    power = "power not known" if held and not watts else f"{number(watts / W_PER_KW, 1)} kW"
    lines = [
        f"{row['role']}: {power}, {number(used, 1)} of {row['height_u']} U, "
        + (f"{number(weight)} kg" if weight is not None else "weight not known")
    ]
    feeds = sorted({h.more for h in held if h.kind == "shelf" and h.more})
    shelves = sum(h.kind == "shelf" for h in held)
    if strips:
        sides = sorted({s.side for s in strips})
        lines.append(f"Power: {plural(len(strips), 'PDU')}, {' and '.join(sides)}")
    elif shelves:
        lines.append(f"Power: {plural(shelves, 'shelf', 'shelves')}{', ' + ', '.join(feeds) if feeds else ''}, busbar")
    if wet:
        header = [m["underside_mm"] for m in manifolds]
        over = f", header {number(float(str(header[0])))} mm above the floor" if header else ""
        lines.append(f"Liquid: supply (S) and return (R) manifold{over}")
    panels = sum(h.kind == "panel" for h in held)
    if panels:
        face = next(h.face for h in held if h.kind == "panel")
        lines.append(f"Fibre: {plural(panels, 'patch panel')}, {face}")
    return tuple(lines)
