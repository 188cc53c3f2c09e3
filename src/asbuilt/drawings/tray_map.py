"""The tray map: trays over the rows from above with their fill, cross trays between the rows, drops to the racks.

Along the rows it is to scale; across them it is not: trays lie side by side so that their fill can be read.
"""

from __future__ import annotations

from typing import Any

from asbuilt.drawings.judged import LINE, WIDE, sign, wrapped
from asbuilt.drawings.sheet import Sheet, file_stem
from asbuilt.drawings.theme import Canvas, number, plural, text_width
from asbuilt.drawings.tray_fill import VERDICT_WORDS, TrayHall, TrayRow, fill_words, row_words, tray_halls, worst
from asbuilt.model.plan import Plan

MARGIN, LEFT = 16.0, 66.0
WORDS_W = 300.0
STRIP, STRIP_GAP, NUMBERS = 20.0, 4.0, 20.0
AISLE, CROSS_W, CROSS_STEP = 46.0, 16.0, 74.0
ROWS, ROWS_NARROW, OVERVIEW_ROWS = 4, 3, 34
SCALE_MOST = 0.11
HATCH = 6.0


def tray_sheets(plan: Plan, width: float = WIDE, rows: frozenset[str] | None = None) -> tuple[Sheet, ...]:
    """The map of the trays, so many rows a sheet, with an overview in front where there are several; none without trays.

    ``rows``: of the maps only those that show one of these rows.
    """
    halls, mains = tray_halls(plan)
    most = ROWS if width >= WIDE else ROWS_NARROW
    parts = [(hall, start) for hall in halls for start in range(0, len(hall.rows), most)]
    sheets = list(_overview(halls, mains, width)) if len(parts) > 1 else []
    for hall, start in parts:
        stop = min(start + most, len(hall.rows))
        if rows is None or not rows.isdisjoint(r.row for r in hall.rows[start:stop]):
            sheets.append(_map(hall, start, stop, width, alone=len(parts) == 1))
    return tuple(sheets)


def _map(hall: TrayHall, start: int, stop: int, width: float, *, alone: bool) -> Sheet:
    rows = hall.rows[start:stop]
    letters = rows[0].row if len(rows) == 1 else f"{rows[0].row} to {rows[-1].row}"
    title = f"Tray map, row{'s' if len(rows) > 1 else ''} {letters}"
    told = f"{plural(sum(len(t) for r in rows for t in r.trays.values()), 'segment')} over {plural(len(rows), 'row')}"
    canvas = Canvas(width, 0, title, f"{title}: {told}, fill now and when finished.")
    y = _head(canvas, hall, title)
    wide = width >= WIDE
    room = width - LEFT - MARGIN - (WORDS_W + 16 if wide else 0)
    extent = max(_reach(row) for row in rows)
    scale = min(SCALE_MOST, room / max(extent, 1.0))
    marks = []
    y = _crossing(canvas, hall, start - 1, (y, y + AISLE), scale, room) if start else y
    for index, row in enumerate(rows):
        bottom = _row(canvas, hall, row, y, scale)
        next_top = bottom + (AISLE if start + index + 1 < len(hall.rows) else 0)
        if wide:
            next_top = max(next_top, _words(canvas, hall, row, width - MARGIN - WORDS_W, y, WORDS_W) + 8)
        else:
            marks.append(row)
        y = _crossing(canvas, hall, start + index, (bottom, next_top), scale, room)
    for row in marks:
        canvas.text(MARGIN, y + 22, f"Row {row.row}", "strong", width - 2 * MARGIN)
        y = _words(canvas, hall, row, MARGIN, y + 26, width - 2 * MARGIN)
    canvas.height = y + 14
    return Sheet(title, told, file_stem("trays", *([] if alone else [letters])), canvas)


def _reach(row: TrayRow) -> float:
    ends = [max(t["x1_mm"], t["x2_mm"]) for held in row.trays.values() for t in held]
    return float(max([*ends, *(p.x_mm + p.width_mm for p in row.places)]))


def _head(canvas: Canvas, hall: TrayHall, title: str) -> float:
    y = 26.0
    canvas.text(MARGIN, y, title, "big", canvas.width - 2 * MARGIN, 15)
    held = "no limit is set"
    if hall.planned is not None and hall.most is not None:
        held = f"planned {number(hall.planned, 1)} %, at most {number(hall.most, 1)} %"
    words = f"Figures: fill now/when finished, in per cent of the cross-section; {held}. "
    words += "A figure alone: when finished. Along the rows to scale."
    y += 18
    for line in wrapped(words, canvas.width - 2 * MARGIN):
        canvas.text(MARGIN, y, line, "small")
        y += LINE
    x = MARGIN
    for verdict in ("none",) if hall.most is None else ("pass", "warn", "fail"):
        word = VERDICT_WORDS[verdict]
        need = 34 + text_width(word, 11.5) + 18
        if x + need > canvas.width - MARGIN:
            x, y = MARGIN, y + 22
        _strip(canvas, x, y - 4, 28, 14, verdict, word)
        canvas.text(x + 34, y + 7, word, "small")
        x += need
    dot = "dot: cables drop to the rack"
    if x + text_width(dot, 11.5) + 20 > canvas.width - MARGIN:
        x, y = MARGIN, y + 22
    canvas.add(f'<circle cx="{x + 5:.1f}" cy="{y + 3:.1f}" r="3.5" class="p-none"/>')
    canvas.text(x + 14, y + 7, dot, "small")
    return y + 30


def _strip(canvas: Canvas, x: float, y: float, w: float, h: float, verdict: str, hint: str) -> None:
    """A piece of tray: plain when within, hatched above the planned fill, hatched both ways over the limit."""
    canvas.box(x, y, w, h, f"t-{verdict}", hint, 1)
    if verdict not in ("warn", "fail"):
        return
    paths = []
    for step in range(int((w + h) // HATCH) + 1):
        a = step * HATCH
        left, right = max(0.0, a - h), min(w, a)
        if right > left:
            paths.append(f"M{x + left:.1f},{y + a - left:.1f}L{x + right:.1f},{y + a - right:.1f}")
            if verdict == "fail":
                paths.append(f"M{x + left:.1f},{y + h - a + left:.1f}L{x + right:.1f},{y + h - a + right:.1f}")
    canvas.add(f'<path d="{"".join(paths)}" class="link faint l-{verdict}"/>')


def _row(canvas: Canvas, hall: TrayHall, row: TrayRow, y: float, scale: float) -> float:
    kinds = sorted(row.trays, key=lambda k: (min(t["y1_mm"] for t in row.trays[k]), k))
    height = len(kinds) * (STRIP + STRIP_GAP) + NUMBERS + 6
    canvas.text(MARGIN, y + height - 7, row.row, "strong", LEFT - MARGIN - 6)
    for place in row.places:
        x, w = LEFT + place.x_mm * scale, place.width_mm * scale
        canvas.box(x + 0.5, y, max(w - 1, 0.6), height, "panel" if place.built else "frame", place.name, 2)
        short = place.name.rpartition("-")[2] or place.name
        dot = 10.0 if place.drops else 0.0
        if w >= text_width(short, 10) + dot + 4:
            canvas.text(x + w / 2 + dot / 2, y + height - 7, short, "mid tiny")
            dot_x = x + w / 2 + dot / 2 - text_width(short, 10) / 2 - 6
        else:
            dot_x = x + w / 2
        if place.drops:
            canvas.add(f'<circle cx="{dot_x:.1f}" cy="{y + height - 10.5:.1f}" r="{min(3.0, w / 3):.1f}" class="p-none"/>')
    level = y + 4
    for kind in kinds:
        canvas.text(LEFT - 8, level + 14, kind, "end small", LEFT - 20, 11.5)
        for tray in row.trays[kind]:
            _segment(canvas, hall, tray, level, scale)
        level += STRIP + STRIP_GAP
    return y + height


def _segment(canvas: Canvas, hall: TrayHall, tray: dict[str, Any], y: float, scale: float) -> None:
    x0, x1 = sorted((LEFT + tray["x1_mm"] * scale, LEFT + tray["x2_mm"] * scale))
    hint = f"{tray['tray']}: {fill_words(tray)}, {plural(tray['cables_now'], 'cable')} now, {tray['cables_full']:,} finished"
    _strip(canvas, x0 + 0.5, y, max(x1 - x0 - 1, 0.6), STRIP, hall.verdict(tray), hint)
    for text in (_pair(tray), number(tray["fill_full_percent"])):
        if text_width(text, 10.5) + 4 <= x1 - x0:
            canvas.text((x0 + x1) / 2, y + 14, text, "mid num halo")
            return


def _pair(tray: dict[str, Any]) -> str:
    return f"{number(tray['fill_now_percent'])}/{number(tray['fill_full_percent'])}"


def _words(canvas: Canvas, hall: TrayHall, row: TrayRow, x: float, y: float, room: float) -> float:
    for kind in sorted(row.trays):
        verdict, words = row_words(hall, row, kind)
        sign(canvas, x + 6, y + 8, verdict)
        for line in wrapped(words, room - 20):
            canvas.text(x + 18, y + 12, line, {"fail": "small c-fail", "warn": "small c-warn"}.get(verdict, "small"))
            y += LINE - 1
        y += 3
    return y


def _crossing(canvas: Canvas, hall: TrayHall, index: int, span: tuple[float, float], scale: float, room: float) -> float:
    """The aisle behind row ``index`` with the trays that cross it, pushed apart so far that their figures can be read."""
    top, bottom = span
    if index + 1 >= len(hall.rows):
        return bottom
    here = _crossers(hall, index)
    most = max(1, int(room // CROSS_STEP))
    shown = here if len(here) <= most else [worst(hall, tuple(here))]
    places: list[float] = []
    for tray in shown:
        places.append(max(LEFT + tray["x1_mm"] * scale, places[-1] + CROSS_STEP if places else LEFT))
    for i in range(len(places) - 1, -1, -1):
        most_right = LEFT + room - CROSS_STEP if i == len(places) - 1 else places[i + 1] - CROSS_STEP
        places[i] = max(LEFT, min(places[i], most_right))
    for tray, x in zip(shown, places, strict=True):
        hint = f"{tray['tray']}: {fill_words(tray)}"
        _strip(canvas, x, top + 1, CROSS_W, bottom - top - 2, hall.verdict(tray), hint)
        canvas.text(x + CROSS_W + 5, top + 20, tray["kind"], "tiny", CROSS_STEP - CROSS_W - 8, 10)
        css = {"fail": "num c-fail", "warn": "num c-warn"}.get(hall.verdict(tray), "num")
        canvas.text(x + CROSS_W + 5, top + 34, _pair(tray), css, CROSS_STEP - CROSS_W - 8, 10.5)
    if len(here) > len(shown):
        canvas.text(places[-1] + CROSS_STEP, top + 27, f"the fullest of {len(here):,} that cross here", "small")
    return bottom


def _crossers(hall: TrayHall, index: int) -> list[dict[str, Any]]:
    """The trays that run over at least half of the way between two neighbouring rows, in order along them."""
    low, high = sorted((hall.rows[index].y_mm, hall.rows[index + 1].y_mm))
    found = []
    for tray in hall.cross:
        start, end = sorted((tray["y1_mm"], tray["y2_mm"]))
        if min(end, high) - max(start, low) >= (high - low) / 2 > 0:
            found.append(tray)
    return sorted(found, key=lambda t: (t["x1_mm"], t["kind"], t["tray"]))


def _overview(halls: tuple[TrayHall, ...], mains: tuple[dict[str, Any], ...], width: float) -> list[Sheet]:
    """Each row in a line (narrow: more): the fullest segment of each kind, and of those that cross or join blocks of rows."""
    every = [(hall, row) for hall in halls for row in hall.rows]
    kinds = sorted({kind for _, row in every for kind in row.trays})
    wide = width >= WIDE
    per_sheet = OVERVIEW_ROWS if wide else OVERVIEW_ROWS // 2
    chunks = [every[i : i + per_sheet] for i in range(0, len(every), per_sheet)]
    sheets = []
    for at, chunk in enumerate(chunks, start=1):
        title = "Tray map, overview" + (f", sheet {at} of {len(chunks)}" if len(chunks) > 1 else "")
        told = f"{plural(len(every), 'row')}, the fullest segment of each kind"
        canvas = Canvas(width, 0, title, f"{title}: {told}.")
        y = _head(canvas, halls[0], title)
        if at == 1:
            y = _between_rows(canvas, halls, mains, y)
        pitch = (width - LEFT - MARGIN) / (len(kinds) if wide else 1)
        for hall, row in chunk:
            canvas.text(MARGIN, y + 12, row.row, "strong", LEFT - MARGIN - 6)
            for column, kind in enumerate(k for k in kinds if k in row.trays):
                x, level = (LEFT + column * pitch, y) if wide else (LEFT, y + column * LINE)
                _fullest(canvas, hall, kind, row.trays[kind], (x, level, pitch))
            y += LINE + 4 if wide else LINE * len(row.trays) + 8
        canvas.height = y + 12
        words = (str(at),) if len(chunks) > 1 else ()
        sheets.append(Sheet(title, told, file_stem("trays", "overview", *words), canvas))
    return sheets


def _between_rows(canvas: Canvas, halls: tuple[TrayHall, ...], mains: tuple[dict[str, Any], ...], y: float) -> float:
    """The fullest of the trays that cross the rows, and of the main trays that join blocks of rows, by kind."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for word, trays in (("across the rows", [t for h in halls for t in h.cross]), ("from block to block", list(mains))):
        for tray in trays:
            groups.setdefault(f"{tray['kind']} {word}", []).append(tray)
    for name in sorted(groups):
        held = tuple(groups[name])
        label = f"{name} ({plural(len(held), 'segment')})"
        _fullest(canvas, halls[0], label, held, (MARGIN, y, canvas.width - 2 * MARGIN))
        y += LINE + 2
    return y + 8


def _fullest(
    canvas: Canvas, hall: TrayHall, name: str, trays: tuple[dict[str, Any], ...], at: tuple[float, float, float]
) -> None:
    """Sign and words for the fullest of some trays; ``at``: x, y and the room in pixels."""
    x, y, room = at
    full = worst(hall, trays)
    verdict = hall.verdict(full)
    sign(canvas, x + 6, y + 8, verdict)
    css = {"fail": "small c-fail", "warn": "small c-warn"}.get(verdict, "small")
    canvas.text(x + 18, y + 12, f"{name} {_pair(full)} %: {VERDICT_WORDS[verdict]}", css, room - 24, 11.5)
