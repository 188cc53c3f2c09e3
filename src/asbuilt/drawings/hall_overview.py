"""The whole hall on one sheet: rows as bands of racks by role, with the letters of the rows."""

from __future__ import annotations

from itertools import groupby, pairwise

from asbuilt.drawings.hall_parts import ROLE_CSS, FloorRow, Ground, Thing
from asbuilt.drawings.scale import NARROW_PX, WIDE_PX, View, across, heading, mm, notes, scale_bar, upright, width_of
from asbuilt.drawings.sheet import Sheet
from asbuilt.drawings.theme import Canvas, number, plural

MOST_TALL, MOST_SCALE = 960.0, 0.05
LEFT, RIGHT = 64.0, 16.0
#: Below this width a rack is not drawn by itself but as part of a run of equal ones.
LEAST_RACK_PX = 7.0
LETTER_PX = 12.0


def overview(floor: Ground, narrow: bool = False) -> Sheet:
    """All rows to scale. Every rack a box where that is at least some pixels wide, else runs of racks of one role."""
    racks = [t for row in floor.rows for t in row.things if t.kind == "rack"]
    title = "Hall overview"
    kept = sum(t.kind == "position" for row in floor.rows for t in row.things)
    words = [plural(len(racks), "rack"), plural(len(floor.rows), "row")] + [f"{plural(kept, 'position')} kept"] * bool(kept)
    power = number(sum(t.kw or 0.0 for t in racks), 1)
    subtitle = f"{', '.join(words)}; {power} kW of racks. Row A is nearest to the hall's front."
    canvas = Canvas(NARROW_PX if narrow else WIDE_PX, 0, title, subtitle)
    x0 = min([r.x for r in floor.rows] + [a.x for a in floor.aisles])
    x1 = max([r.right for r in floor.rows] + [a.x + a.w for a in floor.aisles])
    y0 = min([r.y for r in floor.rows] + [a.y for a in floor.aisles])
    y1 = max([r.y + r.d for r in floor.rows] + [a.y + a.d for a in floor.aisles])
    top = heading(canvas, title, subtitle) + 34
    scale = min((canvas.width - LEFT - RIGHT) / (x1 - x0), MOST_TALL / (y1 - y0), MOST_SCALE)
    view = View(LEFT, top, x0, y1, scale)
    across(canvas, view.x(x0), view.x(x1), top - 22, mm(x1 - x0))
    upright(canvas, 18, view.y(y1), view.y(y0), mm(y1 - y0))
    for aisle in floor.aisles:
        canvas.box(*view.rect(aisle.x, aisle.y, aisle.w, aisle.d), "panel" if aisle.hot else "sheet", aisle.name, 0)
    for row in floor.rows:
        _row(canvas, view, row)
    _letters(canvas, view, floor)
    cdus = sum(t.kind == "cdu" for row in floor.rows for t in row.things)
    y = _legend(canvas, racks, cdus, view.y(y0) + 16)
    scale_bar(canvas, 16, y + 18, scale)
    canvas.height = notes(canvas, ["Shaded aisles are hot, the others cold. Dashed: kept for later."], y + 22) + 12
    return Sheet(title, subtitle, "hall-overview", canvas)


def _row(canvas: Canvas, view: View, row: FloorRow) -> None:
    whole = min(view.px(t.w) for t in row.things) >= LEAST_RACK_PX
    for (kind, role), run in groupby(row.things, key=lambda t: (t.kind, t.role)):
        css = {"position": "frame", "cdu": "b-oob"}.get(kind, f"t-{ROLE_CSS.get(role, 'none')}")
        if whole:
            for thing in run:
                left, top, w, h = view.rect(thing.x, thing.y, thing.w, thing.d)
                canvas.box(left + 0.4, top, w - 0.8, h, css, thing.hint, 0)
            continue
        for stretch in _touching(list(run)):
            first, last = stretch[0], stretch[-1]
            hint = f"{first.name} to {last.name}: {plural(len(stretch), f'{role} rack' if kind == 'rack' else kind)}"
            canvas.box(*view.rect(first.x, first.y, last.right - first.x, first.d), css, hint, 0)


def _touching(run: list[Thing]) -> list[list[Thing]]:
    """A run in stretches without a gap."""
    out: list[list[Thing]] = []
    for thing in run:
        if out and thing.x <= out[-1][-1].right + 1:
            out[-1].append(thing)
        else:
            out.append([thing])
    return out


def _letters(canvas: Canvas, view: View, floor: Ground) -> None:
    """Letters left of the rows, where they find room; else the first and last row above each hall."""
    halls = [list(rows) for _, rows in groupby(floor.rows, key=lambda r: r.hall)]
    ends = [max(r.right for r in rows) for rows in halls]
    gap = min((view.px(b[0].hall - end) for b, end in zip(halls[1:], ends, strict=False)), default=LEFT - 26)
    widest = max(width_of(r.letters, "tiny") for r in floor.rows)
    for rows in halls:
        pitch = min((view.px(b.y - a.y) for a, b in pairwise(rows)), default=LETTER_PX)
        if widest + 6 <= gap and pitch >= LETTER_PX:
            for row in rows:
                canvas.text(view.x(row.hall) - 4, view.y(row.y + row.d / 2) + 3.5, row.letters, "tiny end")
            continue
        names = f"{rows[0].letters} to {rows[-1].letters}"
        room = view.px(rows[0].right - rows[0].x)
        if width_of(names, "tiny") <= room:
            canvas.text(view.x(rows[0].x) + room / 2, view.top - 6, names, "tiny mid")


def _legend(canvas: Canvas, racks: list[Thing], cdus: int, y: float) -> float:
    x = 16.0
    entries = [(f"t-{css}", sum(t.role == role for t in racks), f"{role} rack") for role, css in ROLE_CSS.items()]
    for css, count, word in (*entries, ("b-oob", cdus, "CDU")):
        text = plural(count, word)
        if not count:
            continue
        if x + 26 + width_of(text, "small") > canvas.width - 16:
            x, y = 16.0, y + 18
        canvas.box(x, y, 12, 12, css)
        canvas.text(x + 17, y + 10, text, "small")
        x += 34 + width_of(text, "small")
    return y + 20
