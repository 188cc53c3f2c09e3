"""The answer of `asbuilt decide` as text of 100 columns."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Sequence

from asbuilt.base.origin import Origin
from asbuilt.cli.sizing_screen import Style
from asbuilt.drawings.decision_hangs import reach
from asbuilt.drawings.decision_words import CHANGE, days, known, letter, money, plain, said, share, short, unit_of
from asbuilt.model.decision import ArrangementResult, Decision, Item, NextMeasurement, Quantiles, Swing
from asbuilt.model.deployment import CATCHES, SCOPES
from asbuilt.report.decision_answer import answer, claims_variant

WIDTH = 100
#: Columns of the words at the left, and swings, steps and break-even lines shown; --html and --json have all of them.
_LABEL, _SWINGS, _STEPS, _LINES = 26, 6, 3, 4
_SIGNS = {"claimed": "◆", "assumed": "○"}


def screen(found: Decision, style: Style) -> str:
    """The answer, the arrangements side by side, without claims, what it hangs on, what to find out, claims, own team."""
    lines = [*_head(found, style), ""]
    lines += [*_answer(found, style), ""]
    lines += [*_arrangements(found, style), ""]
    lines += [*_side_by_side(found, style), ""]
    for part in (_without_claims, _hangs, _break_even, _next, _claims, _readiness):
        made = part(found, style)
        lines += [*made, ""] if made else []
    lines += _trust(found, style)
    return "\n".join(line.rstrip() for line in lines).replace("\u00a0", " ")


def _head(found: Decision, style: Style) -> list[str]:
    racks = ", ".join(f"{count:,} {plain(kind, 20)}" for kind, count in found.racks.items())
    title = f"who builds {plain(found.name, 70) or 'this site'}: {found.gpus:,} GPUs, {racks or 'unknown'} racks"
    ground = f"{found.runs:,} simulated deployments of each arrangement, seed {found.seed}, plan {plain(found.plan_hash, 13)}"
    return [*_wrapped(title, "", 0, style.bold), style.dim(ground)]


def _answer(found: Decision, style: Style) -> list[str]:
    first, *rest = answer(found)
    lines = _wrapped(first, "", 0, style.good if len(found.arrangements) > 1 else style.bold)
    for sentence in rest:
        lines += _wrapped(sentence.replace("`", ""), "", 0)
    return lines


def _arrangements(found: Decision, style: Style) -> list[str]:
    lines = [style.head("the arrangements")]
    for place, result in enumerate(found.arrangements):
        by_party: dict[str, list[str]] = {}
        for scope in SCOPES:
            if scope in result.parties:
                by_party.setdefault(result.parties[scope], []).append(said(scope))
        told = "; ".join(f"{said(party)}: {', '.join(scopes)}" for party, scopes in by_party.items())
        lead = f"  {letter(place):<3}"
        lines += _wrapped(f"{plain(result.name, 60)} ({told})", lead, len(lead))
    return lines


def _side_by_side(found: Decision, style: Style) -> list[str]:
    wide = min(18, (WIDTH - _LABEL) // max(1, len(found.arrangements)))

    def row(name: str, texts: Sequence[str]) -> str:
        return f"  {_fitted(name, _LABEL - 3):<{_LABEL - 2}}" + "".join(f"{_fitted(t, wide - 1):>{wide}}" for t in texts)

    def line(name: str, of: Callable[[ArrangementResult], str]) -> str:
        return row(name, [of(r) for r in found.arrangements])

    marks = [letter(i) + ("*" if r.id == found.winner else "") for i, r in enumerate(found.arrangements)]
    parts = list(dict.fromkeys(k for r in found.arrangements for k in r.parts))
    catches = [c for c in CATCHES if any(f.catch == c for r in found.arrangements for f in r.faults)]
    head = f"side by side, {plain(found.currency, 12)}"
    title = f"{head:<{_LABEL}}" + "".join(f"{mark:>{wide}}" for mark in marks)
    lines = [style.head(title), style.bold(line("cost P50", lambda r: short(r.cost.p50)))]
    lines.append(style.dim(line("  P10 to P90", lambda r: _range(r.cost))))
    lines += [line(f"  {said(key)}", _part(key)) for key in parts]
    lines.append(style.bold(line("first job, days P50", lambda r: short(r.first_job_d.p50))))
    lines.append(style.bold(line("acceptance, days P50", lambda r: short(r.acceptance_d.p50))))
    lines.append(style.dim(line("  P10 to P90", lambda r: _range(r.acceptance_d))))
    lines.append(line("idle GPU-hours P50", lambda r: short(r.idle_gpu_h.p50)))
    lines += [line(f"faults: {said(catch)}", _caught(catch)) for catch in catches]
    lines.append(line("most people on site", _people))
    return [*lines, style.dim("  * cheapest; parts of the cost and faults caught at a stage: means")]


def _range(q: Quantiles) -> str:
    return f"{short(q.p10)}–{short(q.p90)}"


def _part(key: str) -> Callable[[ArrangementResult], str]:
    return lambda r: short(r.parts[key].mean) if key in r.parts else "none"


def _caught(catch: str) -> Callable[[ArrangementResult], str]:
    return lambda r: short(sum(f.mean for f in r.faults if f.catch == catch))


def _people(result: ArrangementResult) -> str:
    by_week = Counter[int]()
    for c in result.crew:
        by_week[c.week] += c.people
    return short(float(max(by_week.values()))) if by_week else "unknown"


def _without_claims(found: Decision, style: Style) -> list[str]:
    places = {r.id: letter(i) for i, r in enumerate(found.arrangements)}
    lines = [style.head("with every seller's claim left out")]
    for s in claims_variant(found):
        sign = style.good("✓") if s.winner else " "
        cost = f"{money(s.cost.p50, found.currency)} ({_range(s.cost)})"
        lines.append(f"  {sign} {places.get(s.arrangement, '?'):<3}{cost:<42}accepted after {days(s.acceptance_d.p50)}")
    return lines if len(lines) > 1 else []


def _hangs(found: Decision, style: Style) -> list[str]:
    swings = [s for s in found.tornado if known(s.at_low) and known(s.at_high)]
    swings.sort(key=lambda s: -reach(s, found.lead))
    if not swings:
        return []
    origins = {a.id: str(a.origin) for a in found.assumptions}
    lines = [style.head(f"what the lead over the next one hangs on, {plain(found.currency, 12)}: at the low and the high end")]
    for s in swings[:_SWINGS]:
        lines.append(_swing(s, origins.get(s.assumption, ""), found.currency, style))
    if len(swings) > _SWINGS:
        lines.append(style.dim(f"  and {len(swings) - _SWINGS} more"))
    return [*lines, style.dim("  ! turns the choice; below 0 the next one is cheaper")]


def _swing(s: Swing, origin: str, currency: str, style: Style) -> str:
    sign = style.warn("!") if s.changes_winner else " "
    name = f"{_SIGNS.get(origin, ' ')} {_fitted(plain(s.assumption), 38)}"
    span = _fitted(f"{short(s.low_value)} to {short(s.high_value)} {unit_of(s.unit, currency)}", 26)
    return f"  {sign} {name:<42}{span:<27}{short(s.at_low):>11}{short(s.at_high):>11}"


def _break_even(found: Decision, style: Style) -> list[str]:
    if not found.break_even_words:
        return []
    lines = [style.head("break-even")]
    for text in found.break_even_words[:_LINES]:
        lines += _wrapped(plain(text, 300), "  ", 2)
    more = len(found.break_even_words) - _LINES
    return [*lines, style.dim(f"  and {more} more")] if more > 0 else lines


def _next(found: Decision, style: Style) -> list[str]:
    if not found.next_measurements:
        return []
    lines = [style.head("what to find out or change next")]
    for m in sorted(found.next_measurements, key=_worth)[:_STEPS]:
        pays = m.cost is not None and m.worth > m.cost
        lines += _wrapped(_step(m, found.currency), f"  {style.good('✓') if pays else style.dim('–')} ", 4)
    return [*lines, style.dim("  ✓ worth more than it costs")]


def _step(m: NextMeasurement, currency: str) -> str:
    if m.assumption == CHANGE:
        return f"{plain(m.what, 200)}: saves {money(m.worth, currency)}; {plain(m.how, 200)}"
    told = f"{plain(m.what, 120)}: worth {money(m.worth, currency)}, costs {money(m.cost, currency)}; "
    return f"{told}changes the choice in {share(m.settles)} of the cases; {plain(m.how, 200)}"


def _worth(m: NextMeasurement) -> float:
    """Those that pay first, then by what they are worth."""
    return -(m.worth - m.cost) if m.cost is not None else 0.0


def _claims(found: Decision, style: Style) -> list[str]:
    if not found.claims:
        return []
    lines = [style.head("claims, held against the model")]
    for c in found.claims:
        sign = {"agrees": style.good("✓"), "differs": style.warn("≠")}.get(c.verdict, style.dim("?"))
        told = f"{plain(c.claim, 200)}: {plain(c.verdict, 30)}; found {plain(c.found, 200)}"
        lines += _wrapped(told, f"  {sign} ", 4)
    return lines


def _readiness(found: Decision, style: Style) -> list[str]:
    if not found.readiness:
        return []
    lines = [style.head("is the own team ready")]
    for item in found.readiness:
        lines += _wrapped(_item(item), f"  {_state(item.state, style)} ", 4)
    return lines


def _state(state: str, style: Style) -> str:
    return {"met": style.good("✓"), "has": style.good("✓"), "unknown": style.dim("?")}.get(state, style.warn("!"))


def _item(item: Item) -> str:
    return f"{said(item.what)}: {plain(item.state, 30)}; {plain(item.detail, 200)}"


def _trust(found: Decision, style: Style) -> list[str]:
    count = Counter(str(a.origin) for a in found.assumptions)
    told = ", ".join(f"{count[str(o)]:,} {o}" for o in Origin if count[str(o)])
    lines = _wrapped(
        f"inputs: {told or 'none recorded'}. ◆ claimed by who sells the service, ○ assumed by this tool.", "", 0, style.dim
    )
    for note in found.notes[:_LINES]:
        lines += _wrapped(plain(note, 300), f"{style.warn('!')} ", 2)
    more = len(found.notes) - _LINES
    lines += [style.dim(f"  and {more} more notes in --json and --html")] if more > 0 else []
    return [*lines, style.dim("--html FILE opens every figure to formula, inputs and source; decide.yaml replaces any input.")]


def _fitted(text: str, room: int) -> str:
    one_line = text[: len(text) - len(text.lstrip())] + plain(text, 200)
    return one_line if len(one_line) <= room else one_line[: room - 1] + "…"


def _wrapped(text: str, lead: str, indent: int, colour: Callable[[str], str] | None = None) -> list[str]:
    """Text in lines of the screen; a number and its unit, kept together by a fixed blank, stay on one line."""
    parts = textwrap.wrap(text, WIDTH - indent, break_on_hyphens=False) or [""]
    shown = [colour(p) if colour else p for p in parts]
    return [lead + shown[0], *(" " * indent + part for part in shown[1:])]
