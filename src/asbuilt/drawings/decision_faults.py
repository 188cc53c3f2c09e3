"""Expected faults of each arrangement by the stage that catches them, the field's five by name."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from asbuilt.drawings.decision_ink import Chart, Span, chart, ticks
from asbuilt.drawings.decision_words import count_by, known, letter, money, plain, said, short
from asbuilt.drawings.scale import width_of
from asbuilt.model.decision import ArrangementResult, CaughtFaults
from asbuilt.model.deployment import CATCHES, FIELD_FIVE

OTHER = "all other kinds"
_BAR = 20.0


def faults_by_catch(results: Sequence[ArrangementResult], currency: str, narrow: bool = False, standalone: bool = False) -> str:
    """For each arrangement a bar for each stage of catch: mean number of faults, made of the five named kinds and the rest.

    Behind it stands the price of their parts, the money that a ``CaughtFaults`` has. SVG; empty where no number is known.
    """
    sums = {(i, c): _at(r, c) for i, r in enumerate(results) for c in CATCHES}
    most = max((sum(v.values()) for v in sums.values()), default=0.0)
    if not any(known(f.mean) for r in results for f in r.faults):
        return ""
    series = {kind: at for at, kind in enumerate((*FIELD_FIVE, OTHER))}
    told = "; ".join(
        f"{letter(i)} {r.name}: " + ", ".join(f"{short(caught_at(r, c))} at {said(c)}" for c in CATCHES if sums[i, c])
        for i, r in enumerate(results)
    )
    made = chart("Expected faults by the stage that catches them", told, narrow)
    made.legend([(at, said(kind)) for kind, at in series.items()])
    left = 78.0
    costs = {
        (i, c): fsum(f.cost for f in r.faults if f.catch == c and known(f.cost)) for i, r in enumerate(results) for c in CATCHES
    }
    ends = {(i, c): _end(caught_at(results[i], c), costs[i, c], currency, narrow) for i, c in sums}
    room = max((width_of(text, "small") for text in ends.values()), default=0.0) + 10
    span = Span(0.0, most, left, made.width - room)
    marks = ticks(0.0, most, 4 if narrow else 7)
    for i, r in enumerate(results):
        made.canvas.text(0, made.y + 14, f"{letter(i)}  {plain(r.name)}", "strong", made.width)
        made.y += 22
        top = made.y
        for catch in CATCHES:
            if any(sums[j, catch] for j in range(len(results))):
                _bar(made, span, said(catch), sums[i, catch], series, ends[i, catch])
        if i < len(results) - 1:
            for value in marks:
                made.rule(span.at(value), top - 2, made.y - 2)
            made.y += 6
        else:
            made.grid(span, top - 2, made.y, [(v, short(v)) for v in marks], "faults, mean of the runs")
            made.y += 36
    behind = "mean number of faults"
    if not narrow:
        behind += " · price of the parts for them; what they cost in time is in rework, idle GPUs and outages"
    made.words([f"Behind each bar: {behind}."])
    return made.svg(standalone)


def caught_at(result: ArrangementResult, catch: str) -> float:
    """Mean number of faults that one stage catches, of all kinds; the same in charts, tables and on the screen."""
    return fsum(f.mean for f in result.faults if f.catch == catch and known(f.mean))


def _at(result: ArrangementResult, catch: str) -> dict[str, float]:
    """Mean faults of one stage by series."""
    found: list[CaughtFaults] = [f for f in result.faults if f.catch == catch]
    return dict(count_by([(f.fault if f.fault in FIELD_FIVE else OTHER, f.mean) for f in found]))


def _end(count: float, cost: float, currency: str, narrow: bool) -> str:
    return short(count) if narrow else f"{short(count)}  ·  {money(cost, currency)}"


def _bar(made: Chart, span: Span, name: str, values: dict[str, float], series: dict[str, int], end: str) -> None:
    made.canvas.text(0, made.y + 14, name, "small", span.start - 6, 11.5)
    x = span.start
    for kind, number in series.items():
        value = values.get(kind, 0.0)
        if value > 0:
            wide = span.at(value) - span.start
            made.swatch(x, made.y, wide, _BAR - 3, number, f"{said(kind)} caught at {name}: {short(value)}")
            made.on(x, made.y + 13, wide, short(value))
            x += wide
    made.canvas.text(x + 6, made.y + 13, end if values else "0", "small")
    made.y += _BAR
