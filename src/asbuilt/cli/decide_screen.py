"""The answer of `asbuilt decide` as text of 100 columns, or of as few as 80 where the terminal has no more."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from asbuilt.base.origin import Origin
from asbuilt.cli.sizing_screen import Style
from asbuilt.drawings.decision_faults import caught_at
from asbuilt.drawings.decision_hangs import reach
from asbuilt.drawings.decision_words import CHANGE, days, known, letter, money, plain, racks_said, said, share, short, unit_of
from asbuilt.model.decision import ArrangementResult, Decision, Item, NextMeasurement, Quantiles, Swing
from asbuilt.model.deployment import CATCHES
from asbuilt.report.decision_answer import a_day, answer, claims_variant
from asbuilt.report.decision_rows import scopes_of

#: Columns: the most and the least that are used.
WIDTH, LEAST = 100, 80
#: Columns of the words at the left, and swings, steps and break-even lines shown; --html and --json have all of them.
_LABEL, _SWINGS, _STEPS, _LINES = 28, 6, 3, 4
_SIGNS = {"claimed": "◆", "assumed": "○"}


@dataclass(frozen=True, slots=True)
class Look(Style):
    """How the text is set: with colours or without, in so many columns."""

    width: int = WIDTH

    def wrapped(self, text: str, lead: str, indent: int, colour: Callable[[str], str] | None = None) -> list[str]:
        """Text in lines of the screen; a number and its unit, kept together by a fixed blank, stay on one line."""
        parts = textwrap.wrap(text, self.width - indent, break_on_hyphens=False) or [""]
        shown = [colour(p) if colour else p for p in parts]
        return [lead + shown[0], *(" " * indent + part for part in shown[1:])]


def screen(found: Decision, style: Style, columns: int = WIDTH) -> str:
    """The answer, the arrangements side by side, without claims, what it hangs on, what to find out, claims, own team.

    ``columns`` of the terminal: of more than ``WIDTH`` the rest stays empty, with fewer than ``LEAST`` lines are too long.
    """
    look = Look(style.colour, min(WIDTH, max(LEAST, columns)))
    lines = [*_head(found, look), ""]
    lines += [*_answer(found, look), ""]
    lines += [*_arrangements(found, look), ""]
    lines += [*_side_by_side(found, look), ""]
    for part in (_without_claims, _hangs, _break_even, _next, _claims, _readiness):
        made = part(found, look)
        lines += [*made, ""] if made else []
    lines += _trust(found, look)
    return "\n".join(line.rstrip() for line in lines).replace("\u00a0", " ")


def _head(found: Decision, look: Look) -> list[str]:
    title = f"who builds {plain(found.name, 70) or 'this site'}: {found.gpus:,} GPUs in {racks_said(found.racks)}"
    ground = f"{found.runs:,} simulated deployments of each arrangement, seed {found.seed}, plan {plain(found.plan_hash, 13)}"
    return [*look.wrapped(title, "", 0, look.bold), *look.wrapped(ground, "", 0, look.dim)]


def _answer(found: Decision, look: Look) -> list[str]:
    first, *rest = answer(found)
    lines = look.wrapped(first, "", 0, look.good if len(found.arrangements) > 1 else look.bold)
    for sentence in rest:
        lines += look.wrapped(sentence.replace("`", ""), "", 0)
    return lines


def _arrangements(found: Decision, look: Look) -> list[str]:
    lines = [look.head("the arrangements")]
    for place, result in enumerate(found.arrangements):
        by_party: dict[str, list[str]] = {}
        for scope in scopes_of(found, result):
            by_party.setdefault(result.parties[scope], []).append(said(scope))
        told = "; ".join(f"{said(party)}: {', '.join(scopes)}" for party, scopes in by_party.items())
        lead = f"  {letter(place):<3}"
        lines += look.wrapped(f"{plain(result.name, 60)} ({told})", lead, len(lead))
    return lines


def _side_by_side(found: Decision, look: Look) -> list[str]:
    wide = min(18, (look.width - _LABEL) // max(1, len(found.arrangements)))

    def row(name: str, texts: Sequence[str]) -> str:
        return f"  {_fitted(name, _LABEL - 3):<{_LABEL - 2}}" + "".join(f"{_fitted(t, wide - 1):>{wide}}" for t in texts)

    def line(name: str, of: Callable[[ArrangementResult], str]) -> str:
        return row(name, [of(r) for r in found.arrangements])

    marks = [letter(i) + ("*" if r.id == found.winner else "") for i, r in enumerate(found.arrangements)]
    parts = list(dict.fromkeys(k for r in found.arrangements for k in r.parts))
    catches = [c for c in CATCHES if any(f.catch == c for r in found.arrangements for f in r.faults)]
    head = f"side by side, {plain(found.currency, 12)}"
    title = f"{head:<{_LABEL}}" + "".join(f"{mark:>{wide}}" for mark in marks)
    lines = [look.head(title), look.bold(line("cost P50", lambda r: short(r.cost.p50)))]
    lines.append(look.dim(line("  P10 to P90", lambda r: _range(r.cost))))
    lines += [line(f"  {said(key)}", _part(key)) for key in parts]
    lines.append(look.bold(line("first job, days P50", lambda r: short(r.first_job_d.p50))))
    lines.append(look.bold(line("acceptance, days P50", lambda r: short(r.acceptance_d.p50))))
    lines.append(look.dim(line("  P10 to P90", lambda r: _range(r.acceptance_d))))
    lines.append(line("idle GPU-hours P50", lambda r: short(r.idle_gpu_h.p50)))
    lines += [line(f"faults: {said(catch)}", _caught(catch)) for catch in catches]
    lines.append(line("most people in a week", _people))
    told = "* cheapest; parts of the cost and faults caught at a stage: means; days from the first day of the hardware on site"
    day = a_day(found).replace("`", "")
    return [*lines, *look.wrapped(told, "  ", 2, look.dim), *(look.wrapped(day, "  ", 2) if day else [])]


def _range(q: Quantiles) -> str:
    return f"{short(q.p10)}–{short(q.p90)}"


def _part(key: str) -> Callable[[ArrangementResult], str]:
    return lambda r: short(r.parts[key].mean) if key in r.parts else "none"


def _caught(catch: str) -> Callable[[ArrangementResult], str]:
    return lambda r: short(caught_at(r, catch))


def _people(result: ArrangementResult) -> str:
    by_week = Counter[int]()
    for c in result.crew:
        by_week[c.week] += c.people
    return short(float(max(by_week.values()))) if by_week else "unknown"


def _without_claims(found: Decision, look: Look) -> list[str]:
    places = {r.id: letter(i) for i, r in enumerate(found.arrangements)}
    lines = [look.head("with every seller's claim left out")]
    for s in claims_variant(found):
        sign = look.good("✓") if s.winner else " "
        cost = f"{money(s.cost.p50, found.currency)} ({_range(s.cost)})"
        mark = places.get(s.arrangement, "?")
        lines.append(f"  {sign} {mark:<3}{cost:<42}accepted after {days(s.acceptance_d.p50)}")
    return lines if len(lines) > 1 else []


def _hangs(found: Decision, look: Look) -> list[str]:
    swings = [s for s in found.tornado if known(s.at_low) and known(s.at_high)]
    swings.sort(key=lambda s: -reach(s, found.lead))
    if not swings:
        return []
    origins = {a.id: str(a.origin) for a in found.assumptions}
    title = f"what the lead over the next one hangs on, {plain(found.currency, 12)}: at the low and the high end"
    lines = look.wrapped(title, "", 0, look.head)
    for s in swings[:_SWINGS]:
        lines.append(_swing(s, origins.get(s.assumption, ""), found.currency, look))
    if len(swings) > _SWINGS:
        lines.append(look.dim(f"  and {len(swings) - _SWINGS} more"))
    told = "! turns the choice; below 0 the next one is cheaper; all other assumptions at their mean"
    return [*lines, *look.wrapped(told, "  ", 2, look.dim)]


def _swing(s: Swing, origin: str, currency: str, look: Look) -> str:
    sign = look.warn("!") if s.changes_winner else " "
    less = WIDTH - look.width
    room, reach_of, end = 38 - less // 4, 26 - less // 3, 11 - less // 8
    name = f"{_SIGNS.get(origin, ' ')} {_fitted(plain(s.assumption), room)}"
    span = _fitted(f"{short(s.low_value)} to {short(s.high_value)} {unit_of(s.unit, currency)}", reach_of)
    return f"  {sign} {name:<{room + 4}}{span:<{reach_of + 1}}{short(s.at_low):>{end}}{short(s.at_high):>{end}}"


def _break_even(found: Decision, look: Look) -> list[str]:
    if not found.break_even_words:
        return []
    lines = [look.head("break-even")]
    for text in found.break_even_words[:_LINES]:
        lines += look.wrapped(plain(text, 300), "  ", 2)
    more = len(found.break_even_words) - _LINES
    return [*lines, look.dim(f"  and {more} more")] if more > 0 else lines


def _next(found: Decision, look: Look) -> list[str]:
    if not found.next_measurements:
        return []
    lines = [look.head("what to find out or change next")]
    for m in sorted(found.next_measurements, key=_worth)[:_STEPS]:
        pays = m.cost is not None and m.worth > m.cost
        lines += look.wrapped(_step(m, found.currency), f"  {look.good('✓') if pays else look.dim('–')} ", 4)
    return [*lines, look.dim("  ✓ worth more than it costs, or saves money")]


def _step(m: NextMeasurement, currency: str) -> str:
    if m.assumption == CHANGE:
        return f"{plain(m.what, 200)}: saves {money(m.worth, currency)}; {plain(m.how, 200)}"
    told = f"{plain(m.what, 120)} ({plain(m.assumption, 60)}): worth {money(m.worth, currency)}"
    return (
        f"{told}, costs {money(m.cost, currency)}; changes the choice in {share(m.settles)} of the cases; {plain(m.how, 200)}"
    )


def _worth(m: NextMeasurement) -> float:
    """Those that pay first, then by what they are worth."""
    return -(m.worth - m.cost) if m.cost is not None else 0.0


def _claims(found: Decision, look: Look) -> list[str]:
    if not found.claims:
        return []
    lines = [look.head("claims, held against the model")]
    for c in found.claims:
        sign = {"agrees": look.good("✓"), "differs": look.warn("≠")}.get(c.verdict, look.dim("?"))
        why = f"found {plain(c.found, 200)}" if c.found else plain(c.why, 200)
        told = f"{plain(c.claim, 200)}: {plain(c.verdict, 30)}; {why}"
        lines += look.wrapped(told, f"  {sign} ", 4)
    return lines


def _readiness(found: Decision, look: Look) -> list[str]:
    if not found.readiness:
        return []
    lines = [look.head("is the own team ready")]
    for item in found.readiness:
        lines += look.wrapped(_item(item), f"  {_state(item.state, look)} ", 4)
    return lines


def _state(state: str, look: Look) -> str:
    return {"met": look.good("✓"), "has": look.good("✓"), "unknown": look.dim("?")}.get(state, look.warn("!"))


def _item(item: Item) -> str:
    return f"{plain(item.what)}: {plain(item.state, 30)}; {plain(item.detail, 400)}"


def _trust(found: Decision, look: Look) -> list[str]:
    count = Counter(str(a.origin) for a in found.assumptions)
    told = ", ".join(f"{count[str(o)]:,} {o}" for o in Origin if count[str(o)])
    lines = look.wrapped(
        f"inputs: {told or 'none recorded'}. ◆ claimed by who sells the service, ○ assumed by this tool.", "", 0, look.dim
    )
    for note in found.notes[:_LINES]:
        lines += look.wrapped(plain(note, 300), f"{look.warn('!')} ", 2)
    more = len(found.notes) - _LINES
    lines += [look.dim(f"  and {more} more notes in --json and --html")] if more > 0 else []
    told = "--html FILE opens every figure to formula, inputs and source; decide.yaml replaces any input."
    return [*lines, *look.wrapped(told, "", 0, look.dim)]


def _fitted(text: str, room: int) -> str:
    one_line = text[: len(text) - len(text.lstrip())] + plain(text, 200)
    return one_line if len(one_line) <= room else one_line[: room - 1] + "…"
