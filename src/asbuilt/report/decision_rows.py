"""The tables of a decision: the comparison side by side, what holds without claims, lists that arrangements share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

from asbuilt.base.origin import Origin
from asbuilt.drawings.decision_faults import caught_at
from asbuilt.drawings.decision_time import natural, wait_d
from asbuilt.drawings.decision_words import amount, days, known, letter, money, plain, said, short, unit_of
from asbuilt.model.assumption import Assumed, Spread
from asbuilt.model.decision import ArrangementResult, Decision, Duty, Item, Quantiles, Summary
from asbuilt.model.deployment import CATCHES, SCOPES
from asbuilt.report.decision_answer import claims_variant
from asbuilt.report.decision_figures import Book, Figure, days_of, ends, ends_of, least, money_of

_FAULT = "fault"
#: Lines in which the least is marked: in the others less is no better (a fault caught early is well caught).
_COMPARED = ("", "lead", "sub last")
#: How figures came about that have no working of their own.
_QUANTILES = "P10, P50 and P90: 10, 50 and 90 of 100 simulated deployments lie at or below the value"
_PEOPLE = "largest sum over shifts and skills in a week of the median run"
_HANDS = "neighbouring scopes in building order that different parties do"
_MEAN = "mean of the simulated deployments; means of parts add up, their P50 do not"
_REWORK = (
    "sum over kinds and stages: mean number of faults x mean of fault.<kind>.rework.<stage>; what production finds is among it"
)
#: What a gate is called in the head of its column.
_GATES = {
    "power/gate": "power gate", "liquid/gate": "pressure gate", "acceptance/fabric": "fabric",
    "acceptance/collectives": "collectives", "acceptance/site": "site fabric", "acceptance/soak": "soak",
    "acceptance/audit": "audit",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison. ``head``: a line that only names those below it."""

    label: str
    cells: tuple[Figure, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Shared:
    """A list and the arrangements that have it, by letter and name."""

    marks: str
    items: tuple[Item, ...] | tuple[Duty, ...]
    first: bool


def comparison(book: Book) -> list[Row]:
    """The arrangements side by side; every figure opens."""
    results, currency = book.decision.arrangements, book.decision.currency

    def hands(result: ArrangementResult) -> float:
        return _interfaces(book.decision, result)

    parts = list(dict.fromkeys(k for r in results for k in r.parts))
    caught = [c for c in CATCHES if any(f.catch == c for r in results for f in r.faults)]
    return [
        _quantiles(book, "Cost, P50", lambda r: r.cost, lambda v: money(v, currency), ("cost", "total"), "lead"),
        Row("of which, on average", (), "head"),
        *(_part(book, key) for key in parts),
        Row("when", (), "head"),
        _quantiles(book, "First job, P50", lambda r: r.first_job_d, days, ("first_job_d", "first_job")),
        _quantiles(book, "Acceptance, P50", lambda r: r.acceptance_d, days, ("acceptance_d", "acceptance")),
        _quantiles(book, "Idle GPU-hours, P50", lambda r: r.idle_gpu_h, short, ("idle_hours", "idle_gpu_h")),
        Row("faults, on average, by the stage that catches them", (), "head"),
        *(_caught(book, catch) for catch in caught),
        _row(book, "Rework, hours of a team", _rework, lambda r: (amount(_rework(r), "h"), ""), ("rework_h",), _REWORK),
        Row("people", (), "head"),
        _row(
            book,
            "Most people in a week, all shifts",
            _most_people,
            lambda r: (short(_most_people(r)), _weeks(r)),
            ("people",),
            _PEOPLE,
        ),
        _row(book, "Work changing hands", hands, lambda r: (short(hands(r)), ""), ("interfaces",), _HANDS),
    ]


def _quantiles(
    book: Book,
    label: str,
    of: Callable[[ArrangementResult], Quantiles],
    word: Callable[[float], str],
    names: tuple[str, ...],
    kind: str = "",
) -> Row:
    return _row(book, label, lambda r: of(r).p50, lambda r: (word(of(r).p50), ends(of(r))), names, _QUANTILES, kind)


def _row(
    book: Book,
    label: str,
    value: Callable[[ArrangementResult], float],
    text: Callable[[ArrangementResult], tuple[str, str]],
    names: tuple[str, ...],
    fallback: str,
    kind: str = "",
) -> Row:
    results = book.decision.arrangements
    best = least([value(r) for r in results]) if kind in _COMPARED else None
    cells = []
    for at, result in enumerate(results):
        shown, sub = text(result)
        cells.append(
            book.figure(book.found(result.id, *names), shown, sub if known(value(result)) else "", fallback, at == best)
        )
    return Row(label, tuple(cells), kind)


def _part(book: Book, key: str) -> Row:
    results, names = book.decision.arrangements, (f"cost.{key}", f"part.{key}")

    def text(result: ArrangementResult) -> tuple[str, str]:
        q = result.parts.get(key)
        return (money(q.mean, book.decision.currency), ends(q)) if q else ("none", "")

    def value(result: ArrangementResult) -> float:
        return result.parts[key].mean if key in result.parts else float("nan")

    label = next((w.label for r in results if (w := book.found(r.id, *names))), said(key))
    return _row(book, plain(label), value, text, names, _MEAN, "sub")


def _caught(book: Book, catch: str) -> Row:
    def value(result: ArrangementResult) -> float:
        return caught_at(result, catch)

    return _row(
        book,
        said(catch),
        value,
        lambda r: (short(value(r)), ""),
        (f"faults.{catch}",),
        _MEAN,
        "sub" if catch != CATCHES[-1] else "sub last",
    )


def _rework(result: ArrangementResult) -> float:
    return fsum(f.rework_h for f in result.faults) if result.faults else float("nan")


def _most_people(result: ArrangementResult) -> float:
    by_week: dict[int, int] = {}
    for c in result.crew:
        by_week[c.week] = by_week.get(c.week, 0) + c.people
    return float(max(by_week.values())) if by_week else float("nan")


def _weeks(result: ArrangementResult) -> str:
    weeks = {c.week for c in result.crew}
    return f"{len(weeks):,} weeks with people on site" if weeks else ""


def scopes_of(decision: Decision, result: ArrangementResult) -> tuple[str, ...]:
    """Scopes of an arrangement in building order, without those of which the plan has no work."""
    there = {q.scope for q in decision.quantities if q.count > 0}
    return tuple(s for s in SCOPES if s in result.parties and (s in there or not there))


def _interfaces(decision: Decision, result: ArrangementResult) -> float:
    order = [result.parties[s] for s in scopes_of(decision, result)]
    return float(sum(1 for a, b in itertools.pairwise(order) if a != b))


def gates(result: ArrangementResult) -> tuple[tuple[str, ...], list[tuple[str, tuple[str, ...]]]]:
    """When gates fall in the median run: their names, and for each row (the site last) the day of each; empty: none there.

    Days count from the first day of the hardware on site, as acceptance does.
    """
    there = [key for key in _GATES if any(b.package == key for b in result.bars)]
    rows = sorted({b.row for b in result.bars if b.package in there}, key=natural)
    wait = wait_d(result)
    by = {(b.row, b.package): b.end_d + wait for b in result.bars}
    lines = [(plain(row, 40), tuple(short(by[row, key]) if (row, key) in by else "" for key in there)) for row in rows]
    return tuple(_GATES[key] for key in there), lines


def variants(decision: Decision) -> list[dict[str, object]]:
    """Comparisons under other inputs, the one without claims first: a line for each arrangement."""
    places = {r.id: (i, r.name) for i, r in enumerate(decision.arrangements)}
    names = list(dict.fromkeys(s.variant for s in decision.variants))
    unclaimed = {s.variant for s in claims_variant(decision)}
    names.sort(key=lambda n: n not in unclaimed)
    made: list[dict[str, object]] = []
    for name in names:
        lines = [_variant(s, places, decision.currency) for s in decision.variants if s.variant == name]
        made.append({"name": plain(name), "unclaimed": name in unclaimed, "lines": lines})
    return made


def _variant(one: Summary, places: dict[str, tuple[int, str]], currency: str) -> dict[str, object]:
    place, name = places.get(one.arrangement, (-1, one.arrangement))
    cost, cost_ends = money_of(one.cost, currency)
    time, time_ends = days_of(one.acceptance_d)
    mark = letter(place) if place >= 0 else "?"
    shown = {"cost": cost, "cost_sub": cost_ends, "days": time, "days_sub": time_ends}
    return {"letter": mark, "name": plain(name), "winner": one.winner, **shown}


def shared(decision: Decision, of: Callable[[ArrangementResult], Sequence[Item] | Sequence[Duty]]) -> list[Shared]:
    """Lists of the arrangements; those that are alike are told once."""
    groups: list[tuple[tuple[object, ...], list[str]]] = []
    for place, result in enumerate(decision.arrangements):
        items = tuple(of(result))
        mark = f"{letter(place)} {plain(result.name, 60)}"
        same = next((marks for known_items, marks in groups if known_items == items), None)
        if same is None:
            groups.append((items, [mark]))
        else:
            same.append(mark)
    won = next((i for i, r in enumerate(decision.arrangements) if r.id == decision.winner), 0)
    return [
        Shared(", ".join(marks), items, any(m.startswith(letter(won) + " ") for m in marks))  # type: ignore[arg-type]
        for items, marks in groups
        if items
    ]


def crew_weeks(result: ArrangementResult) -> list[tuple[int, int, str, str, int, str]]:
    """Week, shift, skill, party, people, hours, in this order."""
    return [(c.week, c.shift, plain(c.skill), said(c.party), c.people, short(c.hours)) for c in
            sorted(result.crew, key=lambda c: (c.week, c.shift, c.skill, c.party))]  # fmt: skip


def assumption_groups(book: Book) -> list[dict[str, object]]:
    """All assumptions: those that sellers claim first, the rest by the first word of their id, of faults by their kind.

    ``chip``: what the group is called in the list of groups, empty for all but the first of a word.
    """
    claimed = [a for a in book.decision.assumptions if a.origin is Origin.CLAIMED]
    rest = [a for a in book.decision.assumptions if a.origin is not Origin.CLAIMED]
    made: list[dict[str, object]] = []
    if claimed:
        title = "Claimed by firms that sell the service"
        made.append(
            {"key": "g-claims", "title": title, "chip": title, "claims": True, "rows": [_line(book, a) for a in claimed]}
        )
    by_group: dict[tuple[str, str], list[Assumed]] = {}
    for a in rest:
        by_group.setdefault(_group(a.id), []).append(a)
    chips: set[str] = set()
    for at, ((word, kind), items) in enumerate(by_group.items()):
        title = f"{plain(said(word), 40)}: {plain(said(kind), 40)}" if kind else plain(said(word), 40)
        chip = "" if word in chips else plain(said(word), 40)
        chips.add(word)
        rows = [_line(book, a) for a in items]
        made.append({"key": f"g{at}", "title": title, "chip": chip, "claims": False, "rows": rows})
    return made


def _range(one: Spread) -> str:
    fixed = one.low == one.likely == one.high
    return short(one.likely) if fixed else f"{ends_of(one.low, one.high)}, likely {short(one.likely)}"


def _group(key: str) -> tuple[str, str]:
    words = key.split(".")
    return words[0], words[1] if words[0] == _FAULT and len(words) > 2 else ""


def _line(book: Book, one: Assumed) -> dict[str, object]:
    left = one.removed
    return {
        "id": plain(one.id, 120), "anchor": book.anchors[one.id], "low": short(one.low), "likely": short(one.likely),
        "high": short(one.high), "unit": unit_of(one.unit, book.decision.currency),
        "origin": str(one.origin), "confidence": str(one.confidence),
        "source": plain(one.source, 900), "meaning": plain(one.meaning, 400),
        "removed": _range(left) if left else "",
        "why": plain(one.removed_why, 600),
        "rate": f"as if {short(one.faults)} faults had been seen in {short(one.operations)} operations" if one.faults else "",
    }  # fmt: skip
