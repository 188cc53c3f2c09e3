"""The one-line power diagram: an overview of the hall, and one sheet for each row, from the feed to the cords.

Wide sheets run from left to right; narrow ones (a phone's width) go down, each level a step further in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from asbuilt.drawings.judged import LINE, NARROW, SMALL, WIDE, Judged, draw_judged, judged_height, wrapped
from asbuilt.drawings.power_chain import Link, busway_judged, feed_judged, row_chains, rows_with_power, source_word, unfed
from asbuilt.drawings.sheet import Sheet, file_stem
from asbuilt.drawings.theme import Canvas, number, plural
from asbuilt.model.plan import Plan

MARGIN, PAD, GAP = 16.0, 9.0, 12.0
TITLE = 18.0
COLUMNS = (168.0, 206.0, 218.0, 218.0, 184.0)
BETWEEN = (WIDE - 2 * MARGIN - sum(COLUMNS)) / (len(COLUMNS) - 1)
HEADS = ("Feed", "Busway", "Tap, breaker, whip", "PDU or shelf", "Racks and cords")
STEP = 13.0
BREAKER = 2
# Height of the chains of one sheet, narrow and wide: a wide one fills a page on paper.
TALLEST = (1600.0, 680.0)
OVERVIEW_ROWS = 24
LEGEND = "Percent of the usable continuous current or power, with the worst other feed, PDU or shelf lost."


def one_line_sheets(plan: Plan, width: float = WIDE, rows: frozenset[str] | None = None) -> tuple[Sheet, ...]:
    """The overview, where there is more than one row, and the sheets of the rows; nothing for a plan without circuits.

    ``width``: `WIDE` or `NARROW`, in pixels. ``rows``: row sheets of these rows only. A row that would grow too tall has
    several sheets, each with the feeds that fit on it.
    """
    powered = rows_with_power(plan)
    sheets = list(_overview(plan, powered, width)) if len(powered) > 1 else []
    for row in powered:
        if rows is not None and row not in rows:
            continue
        parts = _parts(row_chains(plan, row), width)
        for part, piece in parts:
            sheets.append(_row_sheet(row, part, width, unfed(plan, row), None if len(parts) == 1 else piece))
    return tuple(sheets)


def _parts(chains: tuple[Link, ...], width: float) -> list[tuple[tuple[Link, ...], str]]:
    """The chains of a row, so many on a sheet as it has room for; one that is too tall alone is cut: ``1 of 2``."""
    parts: list[tuple[tuple[Link, ...], str]] = []
    used = 0.0
    for chain in chains:
        pieces = _pieces(chain, width)
        for index, piece in enumerate(pieces):
            need = _depth(piece, width)
            if parts and len(pieces) == 1 and used + need <= TALLEST[width >= WIDE]:
                parts[-1] = ((*parts[-1][0], piece), "")
                used += need
            else:
                parts.append(((piece,), f"{index + 1} of {len(pieces)}" if len(pieces) > 1 else ""))
                used = need if len(pieces) == 1 else TALLEST[width >= WIDE]
    return parts


def _pieces(chain: Link, width: float) -> list[Link]:
    """A feed with all that hangs below it, or several times with a part of it each."""
    if _depth(chain, width) <= TALLEST[width >= WIDE]:
        return [chain]
    pieces: list[Link] = []
    held: list[tuple[Link, Link]] = []
    for way in chain.below:
        for circuit in way.below:
            if held and _depth(_rebuilt(chain, [*held, (way, circuit)]), width) > TALLEST[width >= WIDE]:
                pieces.append(_rebuilt(chain, held))
                held = []
            held.append((way, circuit))
    return [*pieces, _rebuilt(chain, held)]


def _rebuilt(chain: Link, held: list[tuple[Link, Link]]) -> Link:
    """The feed with some of its circuits, each below its own busway."""
    ways = list(dict.fromkeys(way for way, _ in held))
    below = tuple(replace(way, below=tuple(c for w, c in held if w is way)) for way in ways)
    return replace(chain, below=below)


def _row_sheet(row: str, chains: tuple[Link, ...], width: float, bare: list[str], piece: str | None) -> Sheet:
    """``piece``: None when the sheet holds the whole row; else which piece of a feed it holds, empty for whole feeds."""
    letters = [c.title.removeprefix("Feed ") for c in chains]
    feeds = f"feed{'s' if len(letters) > 1 else ''} {', '.join(letters)}"
    title = f"One-line diagram, row {row}"
    words: tuple[str, ...] = ()
    if piece is not None:
        title += f", {feeds}" + (f", part {piece}" if piece else "")
        words = (f"feed-{'-'.join(letters)}", *piece.split(" ")[:1])
    canvas = Canvas(width, 0, title, f"Power chain of row {row}, {feeds}, from feed to cords. {LEGEND}")
    y = _head(canvas, title, f"{LEGEND} Without a circuit in the plan: {', '.join(bare)}." if bare else LEGEND)
    if width >= WIDE:
        x = MARGIN
        for head, column in zip(HEADS, COLUMNS, strict=True):
            canvas.text(x, y + 6, head, "strong")
            x += column + BETWEEN
        y += 18
    for chain in chains:
        y = (_across(canvas, chain, y) if width >= WIDE else _down(canvas, chain, y, [])) + GAP
    canvas.height = y + 4
    return Sheet(title, f"{feeds}, to the cord", file_stem("one-line", f"row-{row}", *words), canvas)


def _head(canvas: Canvas, title: str, words: str) -> float:
    y = 26.0
    for line in wrapped(title, canvas.width - 2 * MARGIN, 16.5):
        canvas.text(MARGIN, y, line, "big")
        y += 20
    for line in wrapped(words, canvas.width - 2 * MARGIN):
        canvas.text(MARGIN, y, line, "small")
        y += LINE
    return y + 8


def _box_height(link: Link, width: float) -> float:
    inner = width - 2 * PAD
    lines = sum(len(wrapped(line, inner)) for line in link.lines)
    titles = len(wrapped(link.title, inner, 14.3))
    return 2 * PAD + titles * TITLE + lines * LINE + sum(judged_height(j, inner) for j in link.judged)


def _draw_box(canvas: Canvas, link: Link, x: float, y: float, width: float) -> float:
    """The box of a link; returns its lower edge."""
    inner, height = width - 2 * PAD, _box_height(link, width)
    canvas.box(x, y, width, height, "sheet")
    level = y + PAD + 12
    for line in wrapped(link.title, inner, 14.3):
        canvas.text(x + PAD, level, line, "strong")
        level += TITLE
    for text in link.lines:
        for line in wrapped(text, inner, SMALL):
            canvas.text(x + PAD, level, line, "small")
            level += LINE
    top = level - 12
    for judged in link.judged:
        top = draw_judged(canvas, x + PAD, top, inner, judged)
    return y + height


def _span(link: Link) -> float:
    """Height of a link and of all that hangs below it, drawn across."""
    below = sum(_span(b) for b in link.below) + GAP * max(0, len(link.below) - 1)
    return max(_box_height(link, COLUMNS[link.level]), below)


def _depth(link: Link, width: float) -> float:
    if width >= WIDE:
        return _span(link) + GAP
    own = _box_height(link, width - 2 * MARGIN - STEP * link.level) + GAP
    return own + sum(_depth(b, width) for b in link.below)


def _across(canvas: Canvas, link: Link, y: float) -> float:
    """A link and its right-hand side from ``y`` on; returns the lower edge of all."""
    x = MARGIN + sum(COLUMNS[: link.level]) + BETWEEN * link.level
    width = COLUMNS[link.level]
    bottom = _draw_box(canvas, link, x, y, width)
    port = y + 24
    top = y
    for below in link.below:
        right, turn = x + width, x + width + BETWEEN / 2
        end = x + width + BETWEEN
        canvas.line(((right, port), (turn, port), (turn, top + 24), (end, top + 24)), "line", 2)
        if below.level == BREAKER:
            canvas.box(end - 9, top + 20, 8, 8, "sheet", radius=0)
        top = _across(canvas, below, top) + GAP
    return max(bottom, top - GAP)


def _down(canvas: Canvas, link: Link, y: float, stems: list[float]) -> float:
    """A link and what hangs below it, each level one step further in; returns the ``y`` below all."""
    x = MARGIN + STEP * link.level
    if stems:
        canvas.line(((stems[-1], y + 18), (x, y + 18)), "line", 2)
    bottom = _draw_box(canvas, link, x, y, canvas.width - MARGIN - x)
    stem = x + STEP / 2
    level = bottom + GAP
    for below in link.below:
        last = level
        level = _down(canvas, below, level, [*stems, stem])
        canvas.line(((stem, bottom), (stem, last + 18)), "line", 2)
    return level


def _overview(plan: Plan, rows: list[str], width: float) -> list[Sheet]:
    """Feeds, and the busways of all rows as a table, so many rows a sheet."""
    import polars as pl

    feeds = list(plan.table("feeds").sort("letter").iter_rows(named=True))
    ways: dict[str, list[dict[str, Any]]] = {}
    for way in plan.table("busways").filter(pl.col("row").is_in(rows)).sort("busway").iter_rows(named=True):
        ways.setdefault(way["row"], []).append(way)
    per_sheet = OVERVIEW_ROWS if width >= WIDE else OVERVIEW_ROWS // 2
    chunks = [rows[i : i + per_sheet] for i in range(0, len(rows), per_sheet)]
    sheets = []
    for index, chunk in enumerate(chunks):
        many = f", sheet {index + 1} of {len(chunks)}" if len(chunks) > 1 else ""
        title = f"One-line diagram, overview{many}"
        told = f"{plural(len(feeds), 'feed')}, {plural(len(rows), 'row')}"
        canvas = Canvas(width, 0, title, f"{told}: load of feeds and busways. {LEGEND}")
        y = _head(canvas, title, f"{told}. {LEGEND}")
        y = _feeds(canvas, feeds, y) if not index else y
        y = _ways(canvas, [w for row in chunk for w in ways.get(row, [])], y)
        canvas.height = y + 8
        words = (str(index + 1),) if len(chunks) > 1 else ()
        sheets.append(Sheet(title, told, file_stem("one-line", "overview", *words), canvas))
    return sheets


def _feeds(canvas: Canvas, feeds: list[dict[str, Any]], y: float) -> float:
    count = min(len(feeds), 4) if canvas.width >= WIDE else 1
    room = (canvas.width - 2 * MARGIN - GAP * (count - 1)) / count
    lowest = y
    for index, feed in enumerate(feeds):
        lines = (
            f"{source_word(feed['source'])}, {number(feed['voltage_v'])} V, {feed['redundancy']}",
            f"all feeds: {number(feed['load_kw'], 1)} kW nominal",
        )
        link = Link(0, f"Feed {feed['letter']}", lines, feed_judged(feed))
        if index and index % count == 0:
            y = lowest + GAP
        lowest = max(lowest, _draw_box(canvas, link, MARGIN + (index % count) * (room + GAP), y, room))
    return lowest + GAP + 6


def _ways(canvas: Canvas, ways: list[dict[str, Any]], y: float) -> float:
    """Each busway in one line (narrow: in three): name, rating and length, now and finished."""
    wide = canvas.width >= WIDE
    if not ways:
        canvas.text(MARGIN, y + 12, "No busways: circuits come from panels.", "small")
        return y + 24
    for way in ways:
        now, full = busway_judged(way)
        name = f"Busway {way['busway'].removeprefix('busway:')}"
        told = f"{number(way['rating_a'])} A, {number(way['length_m'], 1)} m, {plural(way['taps_full'], 'tap')}"
        told += f", drop {number(way['drop_percent'], 2)} %"
        if wide:
            canvas.text(MARGIN, y + 12, name, "strong", 150)
            canvas.text(MARGIN + 160, y + 12, told, "small", 250, SMALL)
            y = _pair(canvas, (now, full), y)
        else:
            canvas.text(MARGIN, y + 12, name, "strong", canvas.width - 2 * MARGIN)
            canvas.text(MARGIN, y + 28, told, "small", canvas.width - 2 * MARGIN, SMALL)
            y += 34
            for judged in (now, full):
                y = draw_judged(canvas, MARGIN, y, canvas.width - 2 * MARGIN, judged)
            y += 8
    return y


def _pair(canvas: Canvas, pair: tuple[Judged, Judged], y: float) -> float:
    left = MARGIN + 430
    room = (WIDE - MARGIN - left - GAP) / 2
    ends = [draw_judged(canvas, left + i * (room + GAP), y, room, judged) for i, judged in enumerate(pair)]
    return max(ends) + 4


__all__ = ["NARROW", "WIDE", "one_line_sheets"]
