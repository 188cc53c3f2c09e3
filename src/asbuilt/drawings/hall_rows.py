"""The front of each row, to scale: racks with their contents, and the heights of manifold headers and trays above them."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.drawings.elevation_parts import RackFace, faces
from asbuilt.drawings.hall_parts import ROLE_CSS, FloorRow, Ground, Thing, windows, within
from asbuilt.drawings.scale import (
    NARROW_PX,
    U_MM,
    WIDE_PX,
    View,
    across,
    heading,
    label,
    mm,
    notes,
    scale_bar,
    width_of,
)
from asbuilt.drawings.sheet import Sheet, file_stem
from asbuilt.drawings.theme import Canvas, number
from asbuilt.model.plan import Plan

LEAST_RACK_PX = {False: 58.0, True: 53.0}
MOST_SCALE = 0.125
GUTTER, RIGHT = 112.0, 16.0
#: Frame of a rack above and below its units, where its outside height is not known, mm.
FRAME_MM = 124.0
#: Free above the highest thing, mm.
ABOVE_MM = 250.0
LEVEL_PX = 12.0


@dataclass(frozen=True, slots=True)
class Overhead:
    """Something that runs above racks: its name, x from and to, underside and height in mm."""

    name: str
    css: str
    x1: float
    x2: float
    z: float
    tall: float


def row_sheets(plan: Plan, floor: Ground, narrow: bool = False) -> list[Sheet]:
    """Fronts of all rows, cut along the row where it is longer than a sheet."""
    by_rack = {face.name: face for face in faces(plan)}
    over = _overhead(plan)
    room = (NARROW_PX if narrow else WIDE_PX) - GUTTER - RIGHT
    out = []
    for row in floor.rows:
        racks = [t for t in row.things if t.kind != "cdu"] or list(row.things)
        scale = min(max(LEAST_RACK_PX[narrow] / racks[0].w, room / (row.right - row.x)), MOST_SCALE)
        cut = windows([row], room / scale)
        if not row.front_low:
            cut.reverse()  # seen from the other side: the sheets run from left to right
        for at, window in enumerate(cut):
            fits = min(scale, room / (window[1] - window[0]))
            out.append(_sheet(row, window, fits, by_rack, over.get(row.letters, []), narrow, (at + 1, len(cut))))
    return out


def _overhead(plan: Plan) -> dict[str, list[Overhead]]:
    """Manifold headers and trays over each row, from the tables that know their heights."""
    out: dict[str, list[Overhead]] = {}
    if plan.has("trays"):
        for item in plan.table("trays").iter_rows(named=True):
            if item["row"] is not None:
                x1, x2 = sorted((item["x1_mm"], item["x2_mm"]))
                css = {"power": "t-none", "copper": "t-oob"}.get(item["kind"], "t-frontend")
                name = f"{item['kind']} tray"
                out.setdefault(item["row"], []).append(Overhead(name, css, x1, x2, item["z_mm"], item["depth_mm"]))
    if plan.has("manifolds") and plan.has("racks") and plan.has("loops"):
        sizes = dict(plan.table("loops").select("loop", "header_id_mm").iter_rows())
        racks = {rack: (row, x) for rack, row, x in plan.table("racks").select("rack", "row", "x_mm").iter_rows()}
        width = plan.design.site.rack_width_mm if plan.design else 600.0
        for item in plan.table("manifolds").iter_rows(named=True):
            row, x = racks[item["rack"]]
            tall = sizes.get(item["loop"]) or U_MM
            out.setdefault(row, []).append(Overhead("header", "t-oob", x, x + width, item["underside_mm"], tall))
    return {row: _joined(pieces) for row, pieces in out.items()}


def _joined(pieces: list[Overhead]) -> list[Overhead]:
    """Neighbouring pieces of the same thing at the same height as one, headers also across a gap of racks without coolant."""
    out: list[Overhead] = []
    for piece in sorted(pieces, key=lambda p: (p.name, p.z, p.tall, p.x1)):
        last = out[-1] if out else None
        same = last is not None and (last.name, last.z, last.tall) == (piece.name, piece.z, piece.tall)
        if last is not None and same and (piece.x1 <= last.x2 + 1 or piece.name == "header"):
            out[-1] = Overhead(last.name, last.css, last.x1, max(last.x2, piece.x2), last.z, last.tall)
        else:
            out.append(piece)
    return out


def _sheet(
    row: FloorRow,
    window: tuple[float, float],
    scale: float,
    by_rack: dict[str, RackFace],
    over: list[Overhead],
    narrow: bool,
    part: tuple[int, int],
) -> Sheet:
    title = f"Row {row.letters}, front"
    things = within(row, window)
    way = "left to right" if row.front_low else "right to left"
    subtitle = f"Seen from its cold aisle; positions run from {way}. Heights above the floor in mm."
    if part[1] > 1:
        title += f", part {part[0]} of {part[1]}"
    canvas = Canvas(NARROW_PX if narrow else WIDE_PX, 0, title, f"{subtitle} {'; '.join(t.hint for t in things)}")
    top = heading(canvas, title, subtitle) + 20
    seen = [o for o in over if o.x1 < window[1] - 1 and o.x2 > window[0] + 1]
    tall = {t.name: _tall(t, by_rack.get(t.name)) for t in things}
    highest = max([*tall.values(), *(o.z + o.tall for o in seen)], default=0.0) + ABOVE_MM
    view = View(GUTTER, top, window[1] if not row.front_low else window[0], highest, scale, mirrored=not row.front_low)
    width = view.px(window[1] - window[0])
    across(canvas, GUTTER, GUTTER + width, top - 8, mm(window[1] - window[0]))
    for item in _drawn_once(seen):
        x1, x2 = max(item.x1, window[0]), min(item.x2, window[1])
        left, upper, w, h = view.rect(x1, item.z, x2 - x1, item.tall)
        canvas.box(left, upper, w, max(h, 2.0), item.css, f"{item.name}, underside {mm(item.z)}", 0)
    for thing in things:
        _thing(canvas, view, thing, tall[thing.name], by_rack.get(thing.name))
    floor_y = view.y(0)
    canvas.line(((GUTTER - 4, floor_y), (GUTTER + width, floor_y)), "line", 2)
    _levels(canvas, view, {(t.kind, tall[t.name]) for t in things if t.kind != "position"}, seen)
    end = _names(canvas, view, things, floor_y, narrow)
    scale_bar(canvas, 16, end + 24, scale)
    canvas.height = notes(canvas, [_note(seen)], end + 28) + 12
    stem = file_stem("row", row.letters, "front", *([str(part[0])] if part[1] > 1 else []))
    return Sheet(title, subtitle, stem, canvas)


def _note(seen: list[Overhead]) -> str:
    note = "Below each rack: nameplate power, weight with contents and coolant. Dashed: kept for later."
    return note if seen else f"{note} No heights of trays or headers are planned over this row."


def _tall(thing: Thing, face: RackFace | None) -> float:
    """Outside height in mm; where nobody knows it, that of the units and a frame."""
    units = face.height_u if face is not None else 48
    return thing.h if thing.h is not None else units * U_MM + FRAME_MM


def _drawn_once(seen: list[Overhead]) -> list[Overhead]:
    """The higher ones first, so that what is nearer to the racks stays visible."""
    return sorted(seen, key=lambda o: (-o.z, o.name, o.x1))


def _thing(canvas: Canvas, view: View, thing: Thing, tall: float, face: RackFace | None) -> None:
    left, upper, w, h = view.rect(thing.x, 0, thing.w, tall)
    css = {"position": "frame", "cdu": "t-oob"}.get(thing.kind, "sheet")
    canvas.box(left + 0.6, upper, w - 1.2, h, css, thing.hint, 1)
    if thing.kind != "rack":
        words = [(thing.name, "num"), ("kept" if thing.kind == "position" else _kw(thing), "tiny")]
        label(canvas, left, upper + h / 2 - 20, w, 40, words)
        return
    if face is None:
        return
    base = max(0.0, (tall - face.height_u * U_MM) / 2)
    for device in face.held:
        if device.face == "rear":
            continue
        x, y, dw, dh = view.rect(thing.x + 60, base + (device.u - 1) * U_MM, thing.w - 120, device.height_u * U_MM)
        shade = {"nvlink-switch": "b-compute", "panel": "b-none", "shelf": "t-none"}.get(device.kind, f"t-{device.css}")
        canvas.box(x, y + 0.3, dw, max(dh - 0.6, 0.8), shade, f"{device.name}, U{device.u:g}", 0)


def _kw(thing: Thing) -> str:
    return f"{number(thing.kw, 1 if thing.kw < 100 else 0)} kW" if thing.kw is not None else ""


def _levels(canvas: Canvas, view: View, tops: set[tuple[str, float]], seen: list[Overhead]) -> None:
    """Heights at the left edge: a tick at each, its text beside it, moved apart where two would touch."""
    marks = {("rack top" if kind == "rack" else f"{kind.upper()} top", z) for kind, z in tops}
    for z in {item.z for item in seen}:
        names = sorted({item.name for item in seen if item.z == z})
        marks.add(("trays" if len(names) > 1 and all("tray" in name for name in names) else ", ".join(names), z))
    free = float("inf")
    for name, z in sorted(marks, key=lambda m: (m[1], m[0])):
        y = view.y(z)
        level = min(y, free - LEVEL_PX)
        free = level
        canvas.line(((GUTTER - 14, level), (GUTTER - 9, level), (GUTTER - 4, y), (GUTTER, y)), "line")
        canvas.text(GUTTER - 17, level + 3.5, f"{name} {number(z)}", "tiny end", GUTTER - 21, 10.0)
    canvas.text(GUTTER - 17, view.y(0) + 3.5, "floor 0", "tiny end")


def _names(canvas: Canvas, view: View, things: list[Thing], y: float, narrow: bool) -> float:
    """Names, power and weight below the racks. Returns the lower end."""
    for thing in things:
        if thing.kind != "rack":
            continue
        left, _, w, _ = view.rect(thing.x, 0, thing.w, 1)
        css = f"l-{ROLE_CSS.get(thing.role, 'none')}"
        canvas.line(((left + 2, y + 4), (left + w - 2, y + 4)), css, 3)
        lines = [(thing.name, "num strong"), (_kw(thing), "tiny")]
        lines += [(f"{number(thing.kg)} kg", "tiny")] if thing.kg is not None else []
        level = y + 6
        for text, kind in lines:
            level += 13
            if text and width_of(text, kind) <= w - 2:
                canvas.text(left + w / 2, level, text, f"{kind} mid")
    return y + 48
