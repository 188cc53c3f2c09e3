"""What the answer hangs on: swings of the assumptions, and what finding out is worth against what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asbuilt.drawings.decision_ink import Chart, Span, chart, ticks
from asbuilt.drawings.decision_words import CHANGE, known, money, plain, said, short, unit_of
from asbuilt.drawings.scale import type_size, width_of, wrap
from asbuilt.model.decision import NextMeasurement, Swing

#: Assumptions that a tornado shows, the widest first.
MOST = 15
_LOW, _HIGH = 0, 1
_BAR = 18.0
#: Signs of origins that nobody has measured.
SIGNS = {"claimed": "◆ ", "assumed": "○ "}


def tornado(
    swings: Sequence[Swing],
    currency: str,
    lead: float | None,
    words: tuple[str, str],
    origins: Mapping[str, str],
    narrow: bool = False,
    standalone: bool = False,
) -> str:
    """Each assumption from its low to its high end, all others at their mean, and what that does to the lead of the winner.

    ``words``: winner and rival. Left of the line marked 0 the rival is cheaper. SVG, empty without swings.
    """
    drawn = sorted((s for s in swings if known(s.at_low) and known(s.at_high)), key=lambda s: -reach(s, lead))[:MOST]
    if not drawn:
        return ""
    winner, rival = (plain(w, 40) for w in words)
    told = "; ".join(
        f"{s.assumption}: {short(s.at_low)} at {short(s.low_value)}, {short(s.at_high)} at {short(s.high_value)}" for s in drawn
    )
    made = chart(f"What the lead of {winner} over {rival} hangs on, in {plain(currency, 12)}", told, narrow)
    values = [v for s in drawn for v in (s.at_low, s.at_high)] + ([lead] if known(lead) and lead is not None else [])
    low, high = min(0.0, *values), max(0.0, *values)
    left = 8.0 if narrow else 430.0
    sides = 8.0 if narrow else 10 + max(width_of(short(v), "small") for v in values)
    span = Span(low, high, left + sides, made.width - sides)
    made.legend([(_LOW, "at its low end"), (_HIGH, "at its high end")])
    _sides(made, span, winner, rival)
    top, ends = made.y, []
    for swing in drawn:
        ends += _swing(made, span, swing, lead, left, origins.get(swing.assumption, ""), currency)
    bars = len(made.canvas.parts)
    for at, css, thick in ((0.0, "crit", 2.4), (lead, "even", 1.2)):
        if at is not None and known(at):
            made.canvas.line(((span.at(at), top - 4), (span.at(at), made.y)), css, thick)
    if narrow:  # names stand across the lines there: the lines go below them
        made.under += made.canvas.parts[bars:]
        del made.canvas.parts[bars:]
    for x, y, text, css in ends:
        _end_text(made, x, y, text, css)
    made.grid(span, made.y, made.y, [(v, short(v)) for v in ticks(low, high, 4 if narrow else 6)], plain(currency, 12))
    made.y += 36
    notes = ["Solid line: both cost the same."]
    if known(lead):
        notes[0] += f" Dashed line: everything at its mean, {money(lead, currency)}."
    notes.append("! the choice changes. ◆ claimed by who sells the service. ○ assumed by this tool.")
    if len(swings) > len(drawn):
        notes.append(f"The {len(drawn)} widest of {len(swings)} swings.")
    made.words(notes)
    return made.svg(standalone)


def reach(swing: Swing, lead: float | None) -> float:
    """How far a swing moves the lead: from its lowest to its highest value, the likely one among them."""
    values = [swing.at_low, swing.at_high] + ([lead] if lead is not None and known(lead) else [])
    return max(values) - min(values)


def _sides(made: Chart, span: Span, winner: str, rival: str) -> None:
    """Who is cheaper on which side of 0."""
    texts = (f"◂ {rival} cheaper", f"{winner} cheaper ▸")
    zero = span.at(0)
    if made.narrow or width_of(texts[0], "small") > zero - 8 or width_of(texts[1], "small") > made.width - zero - 8:
        for text in (f"left of the solid line: {rival} cheaper", f"right of it: {winner} cheaper"):
            for line in wrap(text, made.width - 4, "small"):
                made.canvas.text(0, made.y + 11, line, "small")
                made.y += 15
        made.y += 6
        return
    made.canvas.text(zero - 8, made.y + 11, texts[0], "small end")
    made.canvas.text(zero + 8, made.y + 11, texts[1], "small")
    made.y += 22


def _swing(
    made: Chart, span: Span, swing: Swing, lead: float | None, left: float, origin: str, currency: str
) -> list[tuple[float, float, str, str]]:
    """Name, range and bars of one assumption. Place, text and alignment of its values are returned: lines come before them."""
    mark = "! " if swing.changes_winner else ""
    name = f"{mark}{SIGNS.get(origin, '')}{plain(swing.assumption)}"
    values = f"{short(swing.low_value)} to {short(swing.high_value)} {unit_of(swing.unit, currency)}"
    if made.narrow:
        made.canvas.text(0, made.y + 12, name, "small strong halo", made.width * 0.92, type_size("small"))
        made.canvas.text(0, made.y + 26, values, "small halo", made.width, type_size("small"))
        made.y += 31
    else:
        wide = min(width_of(values, "small"), left * 0.6)
        made.canvas.text(0, made.y + 13, name, "small strong", left - wide - 14, type_size("small"))
        made.canvas.text(left, made.y + 13, values, "small end", wide, type_size("small"))
    base = lead if lead is not None and known(lead) else (swing.at_low + swing.at_high) / 2
    both = [(swing.at_low, _LOW, "low"), (swing.at_high, _HIGH, "high")]
    both.sort(key=lambda end: -abs(end[0] - base))
    same_side = (both[0][0] >= base) == (both[1][0] >= base)
    for at, (value, series, word) in enumerate(both):
        a, b = sorted((span.at(base), span.at(value)))
        # Of two ends on one side the nearer one is a thinner bar on the other: both are seen.
        slim = 4.0 if same_side and at else 0.0
        made.swatch(a, made.y + slim, b - a, _BAR - 4 - 2 * slim, series, f"{name} at its {word} end: {short(value)}")
    y = made.y + 12
    made.y += _BAR + (4 if made.narrow else 2)
    if made.narrow:
        return []
    told = both[:1] if same_side else both
    return [
        (span.at(v) + 5, y, short(v), "small") if v >= base else (span.at(v) - 5, y, short(v), "small end") for v, _, _ in told
    ]


def _end_text(made: Chart, x: float, y: float, text: str, css: str) -> None:
    """The value at an end of a bar, on paper of its own: no line of the scale runs through it."""
    wide = width_of(text, "small")
    made.canvas.box(x - wide if css.endswith("end") else x, y - 10, wide, 13, "paper", radius=0)
    made.canvas.text(x, y, text, css)


def next_measurements(
    measured: Sequence[NextMeasurement], currency: str, narrow: bool = False, standalone: bool = False
) -> str:
    """For each thing to find out: what knowing it is worth before deciding, against what finding out costs. SVG."""
    drawn = sorted((m for m in measured if known(m.worth)), key=lambda m: -m.worth)[:MOST]
    if not drawn:
        return ""
    told = "; ".join(f"{m.what}: worth {short(m.worth)}, costs {short(m.cost)}" for m in drawn)
    made = chart(f"What finding out is worth and costs, in {plain(currency, 12)}", told, narrow)
    high = max(v for m in drawn for v in (m.worth, m.cost) if v is not None and known(v))
    room = max(width_of(money(v, currency), "small") for m in drawn for v in (m.worth, m.cost)) + 10
    span = Span(0.0, max(high, 0.0), 44.0, made.width - room)
    changes = sum(m.assumption == CHANGE for m in drawn)
    kinds = [(2, "worth before deciding"), (4, "cost of finding out")] if changes < len(drawn) else []
    made.legend([*kinds, (5, "saved by a change, its price counted in")] if changes else kinds)
    for m in drawn:
        change = m.assumption == CHANGE
        pays = "pays" if m.cost is not None and m.worth > m.cost else "does not pay" if m.cost is not None else "cost unknown"
        made.y += 2
        for line in wrap(f"{plain(m.what, 200)}{'' if change else f': {pays}'}", made.width - 4, "strong"):
            made.canvas.text(0, made.y + 12, line, "strong")
            made.y += 16
        if not change:
            made.canvas.text(0, made.y + 11, plain(m.assumption), "small", made.width, type_size("small"))
            made.y += 15
        made.y += 3
        bars = (("saves", m.worth, 5),) if change else (("worth", m.worth, 2), ("costs", m.cost, 4))
        for word, value, series in bars:
            made.canvas.text(0, made.y + 12, word, "small")
            if value is not None and known(value):
                made.swatch(
                    span.start, made.y, span.at(value) - span.start, 14, series, f"{said(word)} {money(value, currency)}"
                )
            end = span.at(value) if value is not None and known(value) else span.start
            made.canvas.text(end + 6, made.y + 12, money(value, currency), "small")
            made.y += 17
        made.y += 8
    return made.svg(standalone)
