"""The loop diagram: CDU, supply and return header as a ladder, a rung for each rack, with flow, velocity and pressures.

What is kept for later racks is dashed; the segment that loses most pressure a metre is marked and named.
"""

from __future__ import annotations

from typing import Any

from asbuilt.drawings.judged import LINE, SMALL, WIDE, Judged, draw_judged, sign, wrapped
from asbuilt.drawings.loop_pressures import Ladder, Rung, Segment, ladders
from asbuilt.drawings.sheet import Sheet, file_stem
from asbuilt.drawings.theme import Canvas, number, plural
from asbuilt.model.plan import Plan

MARGIN, GAP = 16.0, 12.0
SUPPLY_X, RETURN_X = 318.0, 782.0
SUPPLY_X_NARROW, RETURN_X_NARROW = 30.0, 360.0
PITCH, BOX_W, BOX_H = 48.0, 176.0, 36.0
RUNGS, RUNGS_NARROW = 14, 6
W_PER_KW = 1000.0
CASE_WORDS = {
    "now": "racks of now",
    "full": "finished row",
    "pump-out": "one pump out",
    "viscous": "thick fluid",
    "dirty-filter": "dirty filter",
    "worst": "all three at once",
}
DATUM = "Pressures are above the return at the CDU: now / finished row. Dashed: kept for a later rack."


def loop_sheets(plan: Plan, width: float = WIDE, rows: frozenset[str] | None = None) -> tuple[Sheet, ...]:
    """A sheet for each loop (of the given ``rows``), more where its racks do not fit on one; none without liquid cooling."""
    sheets = []
    for ladder in ladders(plan, rows):
        most = RUNGS if width >= WIDE else RUNGS_NARROW
        chunks = [ladder.rungs[i : i + most] for i in range(0, len(ladder.rungs), most)] or [()]
        for index in range(len(chunks)):
            sheets.append(_sheet(ladder, chunks, index, width))
    return tuple(sheets)


def _sheet(ladder: Ladder, chunks: list[tuple[Rung, ...]], index: int, width: float) -> Sheet:
    name = ladder.loop["loop"].removeprefix("loop:")
    many = f", sheet {index + 1} of {len(chunks)}" if len(chunks) > 1 else ""
    title = f"Loop {name}{many}"
    told = f"{plural(ladder.loop['racks'], 'rack')} now, {number(ladder.loop['racks_full'])} in the finished row"
    canvas = Canvas(width, 0, title, f"Cooling loop {name}: {told}. {DATUM}")
    y = 26.0
    canvas.text(MARGIN, y, title, "big", width - 2 * MARGIN, 15)
    y += 18
    for line in wrapped(f"{told}. {DATUM}", width - 2 * MARGIN):
        canvas.text(MARGIN, y, line, "small")
        y += LINE
    if not index:
        y = _facts(canvas, ladder, y + 6)
    first = sum(len(c) for c in chunks[:index])
    y = _rungs(canvas, ladder, chunks[index], first, y + 14)
    canvas.height = y + 12
    words = (str(index + 1),) if len(chunks) > 1 else ()
    return Sheet(title, told, file_stem("loop", name, *words), canvas)


def _facts(canvas: Canvas, ladder: Ladder, y: float) -> float:
    """What the loop is, its CDUs and its cases: beside each other on a wide sheet."""
    wide = canvas.width >= WIDE
    room = (canvas.width - 2 * MARGIN - GAP * 2) / 2 if wide else canvas.width - 2 * MARGIN
    top = y
    for line in _loop_lines(ladder):
        for part in wrapped(line, room):
            canvas.text(MARGIN, y + 12, part, "small")
            y += LINE
    if not wide:
        return _cases(canvas, ladder, MARGIN, y + 8, room)
    return max(y, _cases(canvas, ladder, MARGIN + room + GAP * 2, top, room))


def _loop_lines(ladder: Ladder) -> list[str]:
    loop = ladder.loop
    header = f"{loop['header']} header, {number(loop['header_id_mm'], 1)} mm inside, {loop['topology'].replace('-', ' ')}"
    supply = f"{loop['coolant']}, supply {number(loop['supply_c'], 1)} °C, return {number(loop['return_c'], 1)} °C"
    if loop["dew_point_c"] is not None:
        supply += f", dew point {number(loop['dew_point_c'], 1)} °C"
    flow = f"{number(loop['flow_l_min'])} L/min, up to {number(loop['velocity_m_s'], 2)} m/s in the header, finished row"
    held = f"{number(loop['volume_l'])} L, {number(loop['glycol_l'])} L of it glycol"
    if loop["working_kpa"] is not None:
        held += f"; working pressure {number(loop['working_kpa'])} kPa"
        if loop["weakest_kpa"] is not None:
            held += f", weakest part {number(loop['weakest_kpa'])} kPa ({loop['weakest'] or 'not named'})"
    lines = [header, supply, flow, held]
    for cdu in ladder.cdus:
        told = f"CDU {cdu['cdu'].removeprefix('cdu:')}: {cdu['part']}, {number(cdu['capacity_kw'])} kW"
        if cdu["pumps"] is not None:
            told += f", {plural(cdu['pumps'], 'pump')}"
        if cdu["flow_first_l_min"] is not None and cdu["flow_last_l_min"] is not None:
            told += f", curve {number(cdu['flow_first_l_min'])} to {number(cdu['flow_last_l_min'])} L/min"
        lines.append(told + (", stands by" if cdu["standby"] else ""))
    return lines


def _cases(canvas: Canvas, ladder: Ladder, x: float, y: float, room: float) -> float:
    canvas.text(x, y + 12, "Pressure asked of what the CDU has", "strong")
    y += 20
    for case in ladder.cases:
        word = CASE_WORDS.get(case["case"], case["case"])
        label = f"{word}, {number(case['flow_l_min'])} L/min"
        y = draw_judged(canvas, x, y, room, Judged(label, case["need_kpa"], case["available_kpa"], "kPa"))
        if case["curve"] in ("below", "above"):
            canvas.text(x + 18, y + 10, f"flow {case['curve']} the published curve: not proven", "small")
            y += LINE
    return y


def _rungs(canvas: Canvas, ladder: Ladder, rungs: tuple[Rung, ...], first: int, y: float) -> float:
    """The ladder of some branches, from the CDU (or the sheet before) down."""
    wide = canvas.width >= WIDE
    left, right = (SUPPLY_X, RETURN_X) if wide else (SUPPLY_X_NARROW, RETURN_X_NARROW)
    y = _head(canvas, ladder, first, y, left, right)
    last = y
    by_place = {side: {s.at: s for s in held} for side, held in ladder.segments.items()}
    for offset, rung in enumerate(rungs):
        place = first + offset + 1
        supply, back = by_place["supply"].get(place), by_place["return"].get(place)
        if wide:
            level = last + PITCH
            _beside(canvas, supply, MARGIN, last, left - MARGIN - 14)
            _beside(canvas, back, right + 16, last, canvas.width - MARGIN - right - 16)
        else:
            level = _between(canvas, (supply, back), left, right, last, first=not offset)
        _pipe(canvas, supply, left, last, level)
        _pipe(canvas, back, right, last, level)
        _rung(canvas, rung, left, right, level, wide)
        last = level
    closing = by_place["return"].get(len(ladder.rungs) + 1)
    if closing and first + len(rungs) == len(ladder.rungs):
        told = "; ".join(_segment_lines(closing)).removeprefix(f"{closing.name}: ")
        words = f"{closing.name} runs from the last rack back to the CDU: {told}"
        canvas.line(((right, last), (right, last + BOX_H / 2 + 2)), "line" if closing.row["built"] else "frame", 4)
        last += BOX_H / 2 + 4
        for line in wrapped(words, canvas.width - 2 * MARGIN):
            last += LINE
            canvas.text(MARGIN, last, line, "small c-warn" if closing.worst else "small")
        return last
    if first + len(rungs) < len(ladder.rungs):
        canvas.text((left + right) / 2, last + BOX_H + 16, "goes on on the next sheet", "mid small")
        for x in (left, right):
            canvas.line(((x, last), (x, last + BOX_H + 8)), "frame", 3)
        return last + BOX_H + 20
    return last + BOX_H / 2 + 6


def _head(canvas: Canvas, ladder: Ladder, first: int, y: float, left: float, right: float) -> float:
    """The CDU across both headers, or the words that the sheet goes on."""
    if first:
        canvas.text((left + right) / 2, y + 10, "comes from the sheet before", "mid small")
        return y + 16
    height = 54.0
    x0, x1 = (left - 40, right + 40) if canvas.width >= WIDE else (MARGIN, canvas.width - MARGIN)
    canvas.box(x0, y, x1 - x0, height, "sheet")
    parts = sorted({c["part"] for c in ladder.cdus})
    standing = sum(1 for c in ladder.cdus if not c["standby"])
    canvas.text((left + right) / 2, y + 17, f"{plural(standing, 'CDU')}: {', '.join(parts)}", "mid strong", x1 - x0 - 20)
    now, full = (_kpa(ladder.head[case]) for case in ("now", "full"))
    canvas.text(x0 + 10, y + 45, f"supply {now} / {full} kPa", "small")
    canvas.text(x1 - 10, y + 45, "return 0 kPa", "end small")
    for x, tip, tail in ((left, y + height + 12, y + height + 4), (right, y + height + 4, y + height + 12)):
        canvas.line(((x - 5, tail), (x, tip), (x + 5, tail)), "line", 2)
    return y + height


def _kpa(value: float | None) -> str:
    return "not known" if value is None else number(value, 1)


def _segment_lines(segment: Segment) -> list[str]:
    s = segment.row
    first = f"{segment.name}: {s['nominal']}, {number(s['length_m'], 2)} m, {number(s['velocity_m_s'], 2)} m/s"
    second = f"{number(s['flow_now_l_min'])} / {number(s['flow_l_min'])} L/min,"
    second += f" drop {number(s['drop_now_kpa'], 2)} / {number(s['drop_kpa'], 2)} kPa"
    return [first + (": WORST" if segment.worst else ""), second]


def _beside(canvas: Canvas, segment: Segment | None, x: float, top: float, room: float) -> None:
    if segment is None:
        return
    y = top + PITCH / 2 - 3
    for line in _segment_lines(segment):
        css = "small c-warn" if segment.worst else "small"
        canvas.text(x, y, line, css, room, SMALL)
        y += 14


def _between(
    canvas: Canvas, pair: tuple[Segment | None, Segment | None], left: float, right: float, last: float, *, first: bool
) -> float:
    """Narrow sheets: both segments between the headers, above their rung; returns the level of the rung."""
    y = last + (28 if first else BOX_H + 14)
    for segment in pair:
        if segment is None:
            continue
        for text in _segment_lines(segment):
            for line in wrapped(text, right - left - 24):
                canvas.text(left + 12, y, line, "small c-warn" if segment.worst else "small")
                y += 15
        y += 4
    return y + BOX_H


def _pipe(canvas: Canvas, segment: Segment | None, x: float, top: float, bottom: float) -> None:
    if segment is None:
        return
    told = ", ".join(_segment_lines(segment))
    if segment.worst:
        canvas.box(x - 8, top, 16, bottom - top, "t-warn", told)
    canvas.line(((x, top), (x, bottom)), "line" if segment.row["built"] else "frame", 4 if segment.row["built"] else 3, told)


def _rung(canvas: Canvas, rung: Rung, left: float, right: float, y: float, wide: bool) -> None:
    b: dict[str, Any] = rung.row
    css = "line" if b["built"] else "frame"
    canvas.line(((left, y), (right, y)), css, 2)
    for x, held in ((left + 16, "supply"), (right - 16, "return")):
        if held in b["valves"]:
            canvas.add(f'<path d="M{x - 7:.1f},{y - 5:.1f}l14,10v-10l-14,10z" class="sheet"/>')
    flow = f"{number(b['now_l_min'], 1) if b['now_l_min'] is not None else '–'} / {number(b['full_l_min'], 1)}"
    got = Judged("", b["design_l_min"], b["full_l_min"], "L/min")
    verdict = got.verdict
    middle = (left + right) / 2
    room = BOX_W if wide else right - left - 60
    height = BOX_H if wide else BOX_H + 30
    canvas.box(
        middle - room / 2, y - height / 2, room, height, "sheet", f"{rung.name}: {number(b['liquid_w'] / W_PER_KW, 1)} kW"
    )
    if not b["built"]:
        canvas.box(middle - room / 2 + 2, y - height / 2 + 2, room - 4, height - 4, "frame")
    top = y - height / 2
    sign(canvas, middle - room / 2 + 14, top + 12, verdict)
    canvas.text(middle - room / 2 + 26, top + 16, rung.name + ("" if b["built"] else ", later"), "strong", room - 34)
    told = f"{flow} of {number(b['design_l_min'], 1)} L/min"
    if verdict == "fail":
        told += ": LOW"
    canvas.text(middle - room / 2 + 8, top + 31, told, "num c-fail" if verdict == "fail" else "num", room - 12, 10.5)
    supply = f"{_case_kpa(rung.supply)} kPa"
    back = f"{_case_kpa(rung.back)} kPa"
    if wide:
        canvas.text(left + 30, y - 5, supply, "num")
        canvas.text(right - 30, y - 5, back, "end num")
        canvas.text(left + 30, y + 13, "supply tap", "tiny")
        canvas.text(right - 30, y + 13, "return tap", "end tiny")
    else:
        canvas.text(middle - room / 2 + 8, top + 46, f"supply tap {supply}", "num")
        canvas.text(middle - room / 2 + 8, top + 60, f"return tap {back}", "num")


def _case_kpa(values: dict[str, float | None]) -> str:
    now, full = values["now"], values["full"]
    return f"{'–' if now is None else number(now, 1)} / {'–' if full is None else number(full, 1)}"
