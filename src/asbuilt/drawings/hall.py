"""The hall from above, to scale: an overview, then every group of two rows with its racks, CDUs, aisles and dimensions.

y runs up the sheet, so that the hall's front is at the bottom and the row nearest to it is row A.
"""

from __future__ import annotations

from asbuilt.drawings.hall_overview import overview
from asbuilt.drawings.hall_parts import ROLE_CSS, ROLE_WORDS, Aisle, FloorRow, Ground, Thing, ground, windows, within
from asbuilt.drawings.hall_rows import row_sheets
from asbuilt.drawings.scale import NARROW_PX, WIDE_PX, View, across, heading, label, mm, notes, scale_bar, upright, width_of
from asbuilt.drawings.sheet import Sheet, file_stem
from asbuilt.drawings.theme import Canvas, number, plural
from asbuilt.model.plan import Plan

#: Rows on one sheet, and the least width of a rack in pixels that its name and figures ask for.
ROWS = 2
LEAST_RACK_PX = {False: 58.0, True: 53.0}
MOST_SCALE = 0.125
GUTTER, RIGHT = 46.0, 16.0
NOTE = "Thick edge: front. Nameplate power; weight with contents and coolant, where it is known. Dashed: kept for later."


def sheets(plan: Plan, *, narrow: bool = False) -> list[Sheet]:
    """Overview, plan of each group of rows, and the front of each row. No sheet for a plan without a floor."""
    floor = ground(plan)
    if floor is None:
        return []
    details = plan_sheets(floor, narrow)
    first = [overview(floor, narrow)] if len(details) > 1 else []
    return [*first, *details, *row_sheets(plan, floor, narrow)]


def plan_sheets(floor: Ground, narrow: bool = False) -> list[Sheet]:
    """Plans of neighbouring rows, cut along the rows where these are longer than a sheet."""
    room = (NARROW_PX if narrow else WIDE_PX) - GUTTER - RIGHT
    out = []
    for rows in _groups(floor):
        least = LEAST_RACK_PX[narrow] / _rack_width(rows)
        longest = max(r.right for r in rows) - min(r.x for r in rows)
        scale = min(max(least, room / longest), MOST_SCALE)
        cut = windows(rows, room / scale)
        for at, window in enumerate(cut):
            out.append(_sheet(floor, rows, window, min(scale, room / (window[1] - window[0])), narrow, (at + 1, len(cut))))
    return out


def _rack_width(rows: list[FloorRow]) -> float:
    return min((t.w for row in rows for t in row.things if t.kind != "cdu"), default=600.0)


def _groups(floor: Ground) -> list[list[FloorRow]]:
    """Rows by two that share an aisle."""
    out: list[list[FloorRow]] = []
    for row in floor.rows:
        if out and len(out[-1]) < ROWS and floor.beside(out[-1][-1])[1] == floor.beside(row)[0] is not None:
            out[-1].append(row)
        else:
            out.append([row])
    return out


def _sheet(
    floor: Ground, rows: list[FloorRow], window: tuple[float, float], scale: float, narrow: bool, part: tuple[int, int]
) -> Sheet:
    words = " and ".join(row.letters for row in rows)
    title = f"Hall plan, row{'s' if len(rows) > 1 else ''} {words}"
    shown = [thing for row in rows for thing in within(row, window)]
    subtitle = _counts(shown)
    if part[1] > 1:
        title += f", part {part[0]} of {part[1]}"
    canvas = Canvas(NARROW_PX if narrow else WIDE_PX, 0, title, f"{subtitle} {'; '.join(t.hint for t in shown)}")
    top = heading(canvas, title, subtitle) + 18
    aisles = list(dict.fromkeys(a for row in rows for a in floor.beside(row) if a is not None))
    upper = max([row.y + row.d for row in rows] + [a.y + a.d for a in aisles])
    lower = min([row.y for row in rows] + [a.y for a in aisles])
    view = View(GUTTER, top, window[0], upper, scale)
    width = view.px(window[1] - window[0])
    across(canvas, GUTTER, GUTTER + width, top - 8, mm(window[1] - window[0]))
    for aisle in aisles:
        _aisle(canvas, view, aisle, window)
    for row in rows:
        upright(canvas, GUTTER - 12, view.y(row.y + row.d), view.y(row.y), mm(row.d))
        _row(canvas, view, row, window)
    bottom = view.y(lower)
    end = _foot(canvas, shown, scale, bottom + 14)
    canvas.height = end + 12
    stem = file_stem("hall", "rows", *(row.letters for row in rows), *([str(part[0])] if part[1] > 1 else []))
    return Sheet(title, subtitle, stem, canvas)


def _counts(shown: list[Thing]) -> str:
    """What is on a sheet: racks by role with their power, CDUs, kept positions."""
    racks = [t for t in shown if t.kind == "rack"]
    roles = [(role, sum(t.role == role for t in racks)) for role in ROLE_CSS]
    words = [plural(count, f"{role} rack") for role, count in roles if count]
    words += [plural(sum(t.kind == "cdu" for t in shown), "CDU")] * any(t.kind == "cdu" for t in shown)
    kept = sum(t.kind == "position" for t in shown)
    words += [f"{plural(kept, 'position')} kept"] * bool(kept)
    kw = sum(t.kw or 0.0 for t in racks)
    return f"{', '.join(words)}; {number(kw, 1)} kW of racks."


def _aisle(canvas: Canvas, view: View, aisle: Aisle, window: tuple[float, float]) -> None:
    start, end = max(aisle.x, window[0]), min(aisle.x + aisle.w, window[1])
    if end <= start:
        return
    left, top, width, tall = view.rect(start, aisle.y, end - start, aisle.d)
    canvas.box(left, top, width, tall, "panel" if aisle.hot else "sheet", aisle.name, 0)
    upright(canvas, GUTTER - 12, top, top + tall, mm(aisle.d))
    name = aisle.name[:1].upper() + aisle.name[1:]
    label(canvas, left, top + 18, width, tall - 36, [(name, "small"), (mm(aisle.d), "tiny")])


def _row(canvas: Canvas, view: View, row: FloorRow, window: tuple[float, float]) -> None:
    front = row.y if row.front_low else row.y + row.d
    outside = 12.0 if row.front_low else -5.0
    things = within(row, window)
    stands = next((t for t in things if t.kind != "cdu"), None)
    if stands is not None:
        room = view.px(window[1] - stands.x) - 6
        canvas.text(view.x(stands.x) + 4, view.y(front) + outside, f"Row {row.letters}, front", "num strong", room, 10.5)
    for thing in things:
        place = view.rect(thing.x, thing.y, thing.w, thing.d)
        css = {"position": "frame", "cdu": "b-oob"}.get(thing.kind, f"t-{ROLE_CSS.get(thing.role, 'none')}")
        left, top, w, h = place
        canvas.box(left + 0.6, top + 0.6, w - 1.2, h - 1.2, css, thing.hint, 1)
        label(canvas, left, top, w, h, _lines(thing))
        if thing.kind == "rack":
            edge = view.y(thing.y) if row.front_low else view.y(thing.y + thing.d)
            canvas.line(((left + 0.6, edge), (left + w - 0.6, edge)), f"l-{ROLE_CSS.get(thing.role, 'none')}", 3)
    first = next((t for t in things if t.kind == "rack"), None)
    if first is not None:
        back = row.y + row.d if row.front_low else row.y
        level = view.y(back) + (-6.0 if row.front_low else 14.0)
        across(canvas, view.x(first.x), view.x(first.right), level, mm(first.w))


def _lines(thing: Thing) -> list[tuple[str, str]]:
    if thing.kind == "position":
        return [(thing.name, "num"), ("kept", "tiny")]
    lines = [(thing.name, "num strong")]
    if thing.kind == "rack":
        lines.append((ROLE_WORDS.get(thing.role, thing.role), "tiny"))
    if thing.kw is not None:
        lines.append((f"{number(thing.kw, 1 if thing.kw < 100 else 0)} kW", "num"))
    if thing.kg is not None:
        lines.append((f"{number(thing.kg)} kg", "tiny"))
    return lines


def _foot(canvas: Canvas, shown: list[Thing], scale: float, y: float) -> float:
    """Legend, scale bar and notes. Returns the lower end."""
    x = 16.0
    roles = [role for role in ROLE_CSS if any(t.kind == "rack" and t.role == role for t in shown)]
    for role in roles:
        if x + 26 + width_of(role, "small") > canvas.width - 16:
            x, y = 16.0, y + 18
        canvas.box(x, y, 12, 12, f"t-{ROLE_CSS[role]}")
        canvas.text(x + 17, y + 10, role, "small")
        x += 32 + width_of(role, "small")
    y += 34
    scale_bar(canvas, 16, y, scale)
    return notes(canvas, [NOTE], y + 4)
