"""When each arrangement is done: first job and acceptance with their spread, and the median run row by row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from asbuilt.drawings.decision_ink import Chart, Span, chart, ticks
from asbuilt.drawings.decision_words import known, letter, plain, said, short
from asbuilt.drawings.scale import width_of
from asbuilt.drawings.theme import fit
from asbuilt.model.decision import ArrangementResult, Bar, Quantiles
from asbuilt.model.deployment import SCOPES

#: Rows that one chart shows; those on the critical path come first.
MOST_ROWS = 24
#: From so many rows on packages have no names of their own beside them: colour, texture and tooltip tell them.
COMPACT = 7
_BAR, _GAP = 15.0, 3.0
#: A wait shorter than this, in days, is not drawn.
_SHORTEST = 0.05
#: From what moment days are counted, for the axes.
FROM = "days from the first day of the hardware on site"
SMALL = 11.5


def times(results: Sequence[ArrangementResult], narrow: bool = False, standalone: bool = False) -> str:
    """Days to the first job and to acceptance: a line from P10 to P90, a mark at P50. SVG, empty where none is known."""
    values = [v for r in results for q in (r.first_job_d, r.acceptance_d) for v in (q.p10, q.p50, q.p90) if known(v)]
    if not values:
        return ""
    told = "; ".join(f"{letter(i)} {r.name}: first job {_days(r.first_job_d)}, acceptance {_days(r.acceptance_d)}"
                     for i, r in enumerate(results))  # fmt: skip
    made = chart("Days to the first job and to acceptance", told, narrow)
    span = Span(0.0, max(max(values), 0.0), 10, made.width - 10)
    top = made.y
    for i, r in enumerate(results):
        made.canvas.text(0, made.y + 14, f"{letter(i)}  {plain(r.name)}", "strong", made.width)
        made.y += 20
        for word, quantiles, mark in (("first job", r.first_job_d, "circle"), ("acceptance", r.acceptance_d, "square")):
            _range(made, span, i, f"{word} {_days(quantiles)}", quantiles, mark)
        made.y += 8
    made.grid(
        span,
        top + 20,
        made.y,
        [(v, short(v)) for v in ticks(0.0, span.high, 5 if narrow else 9)],
        FROM,
    )
    made.y += 36
    made.words(["Line: P10 to P90. Circle: first job at P50. Square: acceptance at P50."])
    return made.svg(standalone)


def _days(q: Quantiles) -> str:
    return f"{short(q.p50)} d (P10 {short(q.p10)}, P90 {short(q.p90)})"


def _range(made: Chart, span: Span, place: int, text: str, q: Quantiles, mark: str) -> None:
    """One line with its text beside it, or above it where the picture is narrow."""
    made.canvas.text(20, made.y + 11, text, "small halo", made.width - 22, SMALL)
    y = made.y + 22
    if known(q.p10) and known(q.p90):
        left, right = span.at(q.p10), span.at(q.p90)
        made.swatch(left, y - 4, right - left, 8, place, text)
    if known(q.p50):
        x = span.at(q.p50)
        if mark == "circle":
            made.canvas.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" class="hollow"/>')
        else:
            made.canvas.box(x - 5, y - 5, 10, 10, "mark", radius=1)
    made.y += 34


def wait_d(result: ArrangementResult) -> float:
    """Days from the first day of the hardware on site to the first package of the median run; 0 where they are not known.

    The packages of that run begin when the crew is there; its acceptance is the P50, the wait for the crew among it.
    """
    ends = [b.end_d for b in result.bars if known(b.end_d)]
    wait = result.acceptance_d.p50 - max(ends, default=float("nan"))
    return wait if known(wait) and wait > _SHORTEST else 0.0


def gantt(result: ArrangementResult, place: int, narrow: bool = False, standalone: bool = False) -> str:
    """The packages of the median run over days, row by row, the site last. Critical ones have a thick outline and a sign.

    Days count from the first day of the hardware on site: what the crew is waited for comes first. SVG, empty without packages.
    """
    wait = wait_d(result)
    known_bars = [
        replace(b, start_d=b.start_d + wait, end_d=b.end_d + wait) for b in result.bars if known(b.start_d) and known(b.end_d)
    ]
    if not known_bars:
        return ""
    by_row: dict[str, list[Bar]] = {}
    for bar in known_bars:
        by_row.setdefault(bar.row, []).append(bar)
    rows = sorted(by_row, key=natural)
    shown = rows
    if len(rows) > MOST_ROWS:
        first = sorted(rows, key=lambda r: (r != "", not any(b.critical for b in by_row[r]), rows.index(r)))[:MOST_ROWS]
        shown = [r for r in rows if r in first]
    told = "; ".join(
        f"{b.package} {b.row or 'site'}: day {short(b.start_d)} to {short(b.end_d)}" for b in known_bars if b.critical
    )
    name = f"{letter(place)} {plain(result.name)}"
    made = chart(f"Packages of the median run: {name}", f"On the critical path: {told}", narrow)
    last = max(b.end_d for b in known_bars)
    left = 54.0 if narrow else 96.0
    span = Span(min(0.0, *(b.start_d for b in known_bars)), last, left, made.width - 14)
    _legend(made, known_bars)
    top = made.y
    if wait:
        _waiting(made, span, wait)
    named = len(shown) < COMPACT
    for row in shown:
        _lane(made, span, row, by_row[row], named)
    step = [(v, short(v)) for v in ticks(span.low, last, 5 if narrow else 10)]
    made.grid(span, top, made.y, step, FROM)
    made.y += 36
    if len(shown) < len(rows):
        made.words([f"{len(rows) - len(shown)} more rows, off the critical path, are not drawn; --json has them."])
    return made.svg(standalone)


def _legend(made: Chart, bars: Sequence[Bar]) -> None:
    """Scopes that have packages, and what a thick outline means."""
    scopes = [s for s in SCOPES if any(b.scope == s for b in bars)]
    scopes += sorted({b.scope for b in bars} - set(scopes))
    made.legend([(_scope(s), said(s)) for s in scopes])
    made.canvas.box(0, made.y + 1, 14, 12, "crit", radius=1)
    made.canvas.text(20, made.y + 11, "thick outline and ▸: on the critical path", "small")
    made.y += 24


def _waiting(made: Chart, span: Span, wait: float) -> None:
    """The line before the rows: the days until the crew is there."""
    text = f"until the crew is there: {short(wait)} d"
    x, end = span.at(0.0), span.at(wait)
    made.canvas.line(((0, made.y), (made.width, made.y)), "grid")
    made.canvas.text(0, made.y + 16, "wait", "strong", span.start - 6)
    made.canvas.box(x, made.y + 4, max(end - x, 1.5), _BAR, "frame", text, 1)
    need = width_of(text, "small")
    if need <= end - x - 6:
        made.canvas.text((x + end) / 2, made.y + 15.5, text, "small halo mid")
    elif end + 5 + need <= made.width:
        made.canvas.text(end + 5, made.y + 15.5, text, "small halo")
    else:
        made.canvas.text(span.start, made.y + 34, text, "small halo", made.width - span.start, SMALL)
        made.y += _BAR + _GAP
    made.y += _BAR + _GAP + 6


def natural(row: str) -> tuple[bool, int, list[tuple[int, str]]]:
    """A before B before AA, 2 before 10, the site last."""
    return (
        row == "",
        len(re.sub(r"\d", "", row)),
        [(int(p), "") if p.isdigit() else (0, p) for p in re.split(r"(\d{1,9})", row)],
    )


def _scope(scope: str) -> int:
    return SCOPES.index(scope) if scope in SCOPES else len(SCOPES)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A bar with its name in, right of or left of it; ``left`` and ``right``: what both need of the line."""

    bar: Bar
    x: float
    wide: float
    name: str
    anchor: str
    at: float
    left: float
    right: float


def _placed(made: Chart, span: Span, bar: Bar, named: bool) -> _Placed:
    x = span.at(bar.start_d)
    wide = max(span.at(bar.end_d) - x, 1.5)
    name = ("▸ " if bar.critical else "") + plain(bar.package, 40)
    end = x + wide
    if not named:
        mark = "▸" if bar.critical and wide > width_of("▸", "small") else ""
        return _Placed(bar, x, wide, mark, "mid", x + wide / 2, x, end)
    need = width_of(name, "small")
    if need <= wide - 6:
        return _Placed(bar, x, wide, name, "mid", x + wide / 2, x, end)
    if end + 5 + need <= made.width:
        return _Placed(bar, x, wide, name, "", end + 5, x, end + 5 + need)
    if x - 5 - need >= span.start:
        return _Placed(bar, x, wide, name, "end", x - 5, x - 5 - need, end)
    return _Placed(bar, x, wide, fit(name, max(wide - 6, 0.0), SMALL), "mid", x + wide / 2, x, end)


def _lane(made: Chart, span: Span, row: str, bars: Sequence[Bar], named: bool) -> None:
    """A row of the hall: its packages on as few lines as keep them and their names apart."""
    lines: list[list[_Placed]] = []
    for bar in sorted(bars, key=lambda b: (_scope(b.scope), b.start_d, b.end_d)):
        put = _placed(made, span, bar, named or not row)
        free = next(
            (line for line in lines if line[-1].bar.scope == bar.scope and line[-1].right + (4 if named else 0) <= put.left),
            None,
        )
        if free is None:
            lines.append([put])
        else:
            free.append(put)
    made.canvas.line(((0, made.y), (made.width, made.y)), "grid")
    made.canvas.text(0, made.y + 16, f"row {plain(row)}" if row else "site", "strong", span.start - 6)
    for at, line in enumerate(lines):
        for put in line:
            _package(made, made.y + 4 + at * (_BAR + _GAP), put)
    made.y += len(lines) * (_BAR + _GAP) + 6


def _package(made: Chart, y: float, put: _Placed) -> None:
    bar = put.bar
    hint = f"{plain(bar.package)}: day {short(bar.start_d)} to {short(bar.end_d)}" + (", critical" if bar.critical else "")
    made.swatch(put.x, y, put.wide, _BAR, _scope(bar.scope), hint)
    if bar.critical:
        made.canvas.box(put.x, y, put.wide, _BAR, "crit", hint, 1)
    if put.name not in ("", "…"):
        made.canvas.text(put.at, y + 11.5, put.name, f"small halo {put.anchor}".strip())
