"""Rack elevations: front and rear of every rack, U by U, with the power, liquid and fibre sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asbuilt.drawings.elevation_parts import Held, RackFace, Strip, faces
from asbuilt.drawings.scale import LINE, NARROW_PX, WIDE_PX, heading, turned, type_size, wrap
from asbuilt.drawings.sheet import Sheet, file_stem
from asbuilt.drawings.theme import Canvas, plural
from asbuilt.model.plan import Plan

U_PX = 13.0
#: One rack: U numbers, front, gap, rear with the strips at its sides.
GUTTER, VIEW, GAP, REAR = 24.0, 144.0, 14.0, 172.0
CELL = GUTTER + VIEW + GAP + REAR
STRIP, PIPE = 12.0, 8.0
#: Most lines below a rack.
FOOT_LINE = 15.0
ALIKE_NAMED = 4
#: Boxes of what has no plane: outlined where it only passes something on.
_SHADES = {"nvlink-switch": "b-compute", "panel": "b-none", "shelf": "t-none"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A rack as drawn, and the racks that look like it (typical sheets only)."""

    face: RackFace
    alike: tuple[str, ...]


def sheets(plan: Plan, *, narrow: bool = False, typical: bool = False) -> list[Sheet]:
    """Elevations of all racks in row order: three racks a sheet, one where ``narrow``. No sheet without rack units.

    ``typical``: one rack for each kind of stack, with the names of the others that are stacked the same.
    """
    shown = _typical(plan) if typical else [Shown(face, ()) for face in faces(plan)]
    across = 1 if narrow else 3
    out = []
    # A sheet holds racks of one row only, so that row and sheets go to the same crew.
    groups: list[list[Shown]] = []
    for item in shown:
        if not groups or len(groups[-1]) == across or (groups[-1][0].face.row != item.face.row and not typical):
            groups.append([])
        groups[-1].append(item)
    for group in groups:
        out.append(_sheet(group, narrow, typical))
    return out


def _typical(plan: Plan) -> list[Shown]:
    first: dict[tuple[object, ...], tuple[RackFace, list[str]]] = {}
    for face in faces(plan):
        first.setdefault(face.stack, (face, []))[1].append(face.name)
    return [Shown(face, tuple(names[1:])) for face, names in first.values()]


def _sheet(group: Sequence[Shown], narrow: bool, typical: bool) -> Sheet:
    names = [item.face.name for item in group]
    span = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}" if not typical else ", ".join(names)
    title = f"Rack elevation{'s' if len(names) > 1 else ''} {span}"
    subtitle = "Front and rear, U from the bottom. " + ("One rack of each kind." if typical else f"Row {group[0].face.row}.")
    canvas = Canvas(NARROW_PX if narrow else WIDE_PX, 0, title, _described(group))
    top = heading(canvas, title, subtitle)
    pitch = (canvas.width - 32 - CELL) / 2 if not narrow else 0.0
    tallest = max(item.face.height_u for item in group)
    end = top
    for at, item in enumerate(group):
        end = max(end, _rack(canvas, item, 16 + at * pitch, top, tallest))
    canvas.height = end + 14
    prefix = "typical-elevation" if typical else "elevation"
    return Sheet(title, subtitle, file_stem(prefix, names[0]), canvas)


def _described(group: Sequence[Shown]) -> str:
    parts = [f"{item.face.name}: {plural(len(item.face.held), 'device')}; {'; '.join(item.face.said)}" for item in group]
    return ". ".join(parts) + "."


def _rack(canvas: Canvas, item: Shown, left: float, top: float, tallest: int) -> float:
    face = item.face
    front, rear = left + GUTTER, left + GUTTER + VIEW + GAP
    canvas.text(front, top + 12, f"{face.name} front", "strong", VIEW)
    canvas.text(rear, top + 12, f"{face.name} rear", "strong", REAR)
    bottom = top + 22 + tallest * U_PX
    upper = bottom - face.height_u * U_PX
    _numbers(canvas, left + GUTTER - 5, bottom, face.height_u)
    canvas.box(front, upper, VIEW, face.height_u * U_PX, "sheet", radius=0)
    for device in face.held:
        if device.face != "rear":
            _device(canvas, device, front + 3, VIEW - 6, bottom, seen="front")
    canvas.box(rear, upper, REAR, face.height_u * U_PX, "sheet", radius=0)
    inside, room = _sides(canvas, face, rear, upper, bottom)
    for device in face.held:
        if device.face != "front":
            _device(canvas, device, inside, room, bottom, seen="rear")
    return _foot(canvas, item, left, bottom + 6)


def _numbers(canvas: Canvas, x: float, bottom: float, height_u: int) -> None:
    for u in range(1, height_u + 1):
        canvas.text(x, bottom - (u - 1) * U_PX - 3, u, "tiny end")


def _sides(canvas: Canvas, face: RackFace, rear: float, upper: float, bottom: float) -> tuple[float, float]:
    """PDUs at both sides and, inside them, the manifold. Returns left edge and width of what is free for devices."""
    left = [s for s in face.pdus if s.side == "left"]
    right = [s for s in face.pdus if s.side != "left"]
    tall = bottom - upper
    for at, strip in enumerate(left):
        _pdu(canvas, strip, rear + at * STRIP, upper, tall)
    for at, strip in enumerate(right):
        _pdu(canvas, strip, rear + REAR - (at + 1) * STRIP, upper, tall)
    a, b = rear + len(left) * STRIP, rear + REAR - len(right) * STRIP
    if face.liquid:
        for x, letter in ((a, "S"), (b - PIPE, "R")):
            canvas.box(
                x + 1, upper + 2, PIPE - 2, tall - 4, "t-oob", {"S": "supply manifold", "R": "return manifold"}[letter], 2
            )
        for x, letter in ((a, "S"), (b - PIPE, "R")):
            canvas.text(x + PIPE / 2, bottom + 11, letter, "num strong mid")
        a, b = a + PIPE, b - PIPE
    return a + 3, b - a - 6


def _pdu(canvas: Canvas, strip: Strip, x: float, y: float, tall: float) -> None:
    canvas.box(x + 0.5, y + 1, STRIP - 1, tall - 2, "panel", strip.text, 2)
    turned(canvas, x + STRIP / 2 + 3.4, y + tall / 2, strip.text, "tiny", tall - 8)


def _device(canvas: Canvas, device: Held, x: float, w: float, bottom: float, seen: str) -> None:
    level = bottom - (device.u - 1 + device.height_u) * U_PX
    tall = device.height_u * U_PX
    words = f"{device.name}, {device.more}" if device.more else device.name
    hint = f"{words}, U{device.u:g}" + (", liquid-cooled" if device.liquid else "")
    shade = _SHADES.get(device.kind, f"t-{device.css}")
    canvas.box(x, level + 0.7, w, tall - 1.4, shade, hint, 1.5)
    css = "num" if tall >= 13 else "one"
    mark = 14.0 if device.liquid and seen == "rear" else 0.0
    if mark:
        for end in (x + 5, x + w - 5):
            canvas.add(f'<circle cx="{end:.1f}" cy="{level + tall / 2:.1f}" r="2.6" class="b-oob"/>')
    if tall < 9:
        return
    room = w - 8 - 2 * mark
    lines, css = _name_lines(device, words, room, tall, css)
    size = type_size(css)
    first = level + (tall - len(lines) * size * LINE) / 2
    for at, line in enumerate(lines):
        canvas.text(x + w / 2, first + (at + 0.78) * size * LINE, line, f"{css} mid", room, size)


def _name_lines(device: Held, words: str, room: float, tall: float, css: str) -> tuple[list[str], str]:
    """What is written into a device's box, and in which type: all words, else the name, else the name in smaller type."""
    for text, kind in ((words, css), (device.name, css), (device.name, "one")):
        lines = wrap(text, room, kind, names=True)
        if len(lines) <= max(1, int((tall - 2) // (type_size(kind) * LINE))) and "…" not in "".join(lines):
            return lines, kind
    return [device.name], css


def _foot(canvas: Canvas, item: Shown, left: float, y: float) -> float:
    y += 8
    lines = list(item.face.said)
    if item.alike:
        more = f" and {plural(len(item.alike) - ALIKE_NAMED, 'more', 'more')}" if len(item.alike) > ALIKE_NAMED else ""
        lines.append(f"Alike: {', '.join(item.alike[:ALIKE_NAMED])}{more}")
    for said in lines:
        for line in wrap(said, CELL - GUTTER, "small"):
            y += FOOT_LINE
            canvas.text(left + GUTTER, y, line, "small")
    return y
