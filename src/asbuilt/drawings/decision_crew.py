"""People on site by week: a strip for each shift of each arrangement, stacked by skill."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from asbuilt.drawings.decision_ink import Chart, Span, chart, ticks
from asbuilt.drawings.decision_time import wait_d
from asbuilt.drawings.decision_words import letter, plain, said, short
from asbuilt.drawings.scale import wrap
from asbuilt.model.decision import ArrangementResult
from asbuilt.model.deployment import SCOPES, SKILLS

#: Pixels of a strip, and the least of a week: more weeks than fit are shown several to a bar, by the most people of them.
_HEIGHT, _LEAST = 74.0, 4.0


def crew_by_week(results: Sequence[ArrangementResult], narrow: bool = False, standalone: bool = False) -> str:
    """People of each skill on site in each week, a strip for each shift; all strips on one scale. SVG, empty without crew."""
    if not any(r.crew for r in results):
        return ""
    weeks = max((c.week for r in results for c in r.crew), default=0)
    skills = [s for s in SKILLS.values() if any(c.skill == s for r in results for c in r.crew)]
    skills += sorted({c.skill for r in results for c in r.crew} - set(skills))
    told = "; ".join(
        f"{letter(i)} {r.name}: most {_most(r)} people in week {_busiest(r)}" for i, r in enumerate(results) if r.crew
    )
    made = chart("People on site by week and shift", told, narrow)
    left = 34.0
    bundle = max(1, ceil(weeks * _LEAST / (made.width - left)))
    strips = {(i, s): _strip(r, s, bundle) for i, r in enumerate(results) for s in sorted({c.shift for c in r.crew})}
    most = max((sum(bar.values()) for strip in strips.values() for bar in strip.values()), default=1)
    made.legend([(_skill(s), said(s)) for s in skills])
    span = Span(0.0, ceil(weeks / bundle) * bundle, left, made.width - 2)
    for i, r in enumerate(results):
        _head(made, i, r)
        for shift in sorted({c.shift for c in r.crew}):
            _draw(made, span, strips[i, shift], shift, most, bundle, skills)
        made.y += 6
    made.y += 4
    texts = [(week - 0.5, short(week)) for week in ticks(0, weeks, 6 if narrow else 12) if week >= 1 and week == int(week)]
    made.grid(span, made.y - 10, made.y - 8, texts, "week of work, from the day on which the crew is there")
    made.y += 26
    waits = [f"{letter(i)} {short(wait_d(r))}" for i, r in enumerate(results) if r.crew and wait_d(r)]
    if waits:
        made.words([f"Days from the first day of the hardware on site to week 1: {', '.join(waits)}."])
    if bundle > 1:
        made.words([f"Each bar stands for {bundle} weeks and shows the most people of each skill in them."])
    return made.svg(standalone)


def _most(result: ArrangementResult) -> int:
    return max(_totals(result).values(), default=0)


def _busiest(result: ArrangementResult) -> int:
    totals = _totals(result)
    return max(totals, key=lambda w: totals[w])


def _totals(result: ArrangementResult) -> dict[int, int]:
    made: dict[int, int] = {}
    for c in result.crew:
        made[c.week] = made.get(c.week, 0) + c.people
    return made


def _strip(result: ArrangementResult, shift: int, bundle: int) -> dict[int, dict[str, int]]:
    """Bar → skill → most people in a week of the bar."""
    by_week: dict[tuple[int, str], int] = {}
    for c in result.crew:
        if c.shift == shift:
            by_week[c.week, c.skill] = by_week.get((c.week, c.skill), 0) + c.people
    made: dict[int, dict[str, int]] = {}
    for (week, skill), people in by_week.items():
        bar = made.setdefault((week - 1) // bundle, {})
        bar[skill] = max(bar.get(skill, 0), people)
    return made


def _skill(skill: str) -> int:
    names = [SKILLS[s] for s in SCOPES]
    return names.index(skill) if skill in names else len(names)


def _head(made: Chart, place: int, result: ArrangementResult) -> None:
    made.canvas.text(0, made.y + 14, f"{letter(place)}  {plain(result.name)}", "strong", made.width)
    made.y += 20
    by_party: dict[str, list[str]] = {}
    for c in result.crew:
        names = by_party.setdefault(c.party, [])
        if c.skill not in names:
            names.append(c.skill)
    text = "; ".join(f"{said(p)}: {', '.join(said(n) for n in sorted(names, key=_skill))}" for p, names in by_party.items())
    for line in wrap(plain(text, 300) or "nobody on site", made.width - 2, "small"):
        made.canvas.text(0, made.y + 11, line, "small")
        made.y += 15
    made.y += 4


def _draw(
    made: Chart, span: Span, strip: dict[int, dict[str, int]], shift: int, most: int, bundle: int, skills: Sequence[str]
) -> None:
    """One strip: its own zero line, the common scale at its left."""
    base = made.y + 16 + _HEIGHT
    level = Span(0.0, float(most), base, base - _HEIGHT)
    made.canvas.text(span.start, made.y + 11, f"shift {shift}", "small")
    free = base + 20
    for value in ticks(0.0, float(most), 5):
        y = level.at(value)
        if value == int(value) and free - y >= 13:
            made.canvas.line(((span.start, y), (span.end, y)), "grid")
            made.canvas.text(span.start - 5, y + 4, f"{int(value):,}", "small end", span.start - 5, 11.5)
            free = y
    for at, bar in strip.items():
        x, end = span.at(at * bundle), span.at((at + 1) * bundle)
        gap = 1.0 if end - x > 4 else 0.4
        y = base
        for skill in skills:
            people = bar.get(skill, 0)
            if people:
                tall = base - level.at(people)
                when = f"week {at + 1}" if bundle == 1 else f"weeks {at * bundle + 1} to {(at + 1) * bundle}"
                made.swatch(
                    x + gap / 2, y - tall, end - x - gap, tall, _skill(skill), f"{when}, shift {shift}: {people} {said(skill)}"
                )
                y -= tall
    made.canvas.line(((span.start, base), (span.end, base)), "axis")
    made.y = base + 10
