"""A decision as one HTML file that needs nothing else: the answer first, then what it is made of, each figure to be opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from asbuilt.base.origin import Origin
from asbuilt.drawings.decision_cost import cost_distribution, cost_parts
from asbuilt.drawings.decision_crew import crew_by_week
from asbuilt.drawings.decision_faults import faults_by_catch
from asbuilt.drawings.decision_hangs import next_measurements, reach, tornado
from asbuilt.drawings.decision_ink import series_css
from asbuilt.drawings.decision_map import break_even_map
from asbuilt.drawings.decision_time import gantt, times, wait_d
from asbuilt.drawings.decision_words import (
    CHANGE,
    amount,
    days,
    known,
    letter,
    money,
    plain,
    racks_said,
    said,
    share,
    short,
    unit_of,
)
from asbuilt.drawings.theme import FONT, css_variables, drawing_css
from asbuilt.model.decision import Decision, NextMeasurement
from asbuilt.report.decision_answer import GPU_HOUR, a_day, answer, mark, next_best, winner
from asbuilt.report.decision_figures import Book, breakable, pieces
from asbuilt.report.decision_rows import assumption_groups, comparison, crew_weeks, gates, scopes_of, shared, variants
from asbuilt.report.html import environment

#: Racks that carry GPUs: what the axis of the break-even map counts.
_GPU_RACKS = ("air", "liquid")


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart in two layouts: for screens and paper, and for a phone."""

    wide: str
    narrow: str


def decision_html(decision: Decision, versions: dict[str, str] | None = None) -> str:
    """The decision as a page. ``versions``: names and versions of what made it, for its last line."""
    env = environment()
    body = env.get_template("decision.html").render(**_content(decision), versions=versions or {})
    style = env.get_template("decision_style.html").render()
    frame = env.get_template("page.html")
    title = f"Who builds it: {plain(decision.name, 80)}" if decision.name else "Who builds it"
    look = drawing_css() + series_css() + style
    return frame.render(title=title, body=body, variables=css_variables(), drawing=look, font=FONT)


def _content(decision: Decision) -> dict[str, Any]:
    book = Book(decision)
    groups = assumption_groups(book)
    origins = Counter(str(a.origin) for a in decision.assumptions)
    return {
        "d": decision,
        "name": plain(decision.name, 120),
        "sentences": answer(decision),
        "heads": _heads(decision),
        "rows": comparison(book),
        "variants": variants(decision),
        "pictures": pictures(decision),
        "tables": _tables(decision, book),
        "groups": groups,
        "origins": [(str(o), origins[str(o)]) for o in Origin if origins[str(o)]],
        "worked": _worked(book),
        "claimed": origins[str(Origin.CLAIMED)],
        "guessed": origins[str(Origin.ASSUMED)],
        "source": book.source,
        "plain": plain,
        "said": said,
        "amount": amount,
        "racks": racks_said(decision.racks),
        "breakable": breakable,
        "a_day": a_day(decision),
        "simulated_lead": _simulated_lead(decision),
        "pieces": pieces,
        "linked": book.linked,
    }


def _heads(decision: Decision) -> list[dict[str, Any]]:
    return [
        {
            "letter": letter(at),
            "name": plain(r.name, 80),
            "won": r.id == decision.winner,
            "scopes": [(said(s), said(r.parties[s])) for s in scopes_of(decision, r)],
            "checkpoints": [plain(c, 120) for c in r.checkpoints],
            "critical": [plain(c, 120) for c in r.critical],
            "weeks": crew_weeks(r),
            "gates": gates(r),
            "wait": days(wait_d(r)) if wait_d(r) else "",
        }
        for at, r in enumerate(decision.arrangements)
    ]


def pictures(decision: Decision) -> dict[str, Picture]:
    """Every chart of the page by name; those that there is nothing for are left out."""
    results, currency = decision.arrangements, decision.currency
    names = {r.id: r.name for r in results}
    origins = {a.id: str(a.origin) for a in decision.assumptions}
    rival = next_best(decision)
    words = (mark(decision, decision.winner), mark(decision, rival.id) if rival else "")
    drawn: dict[str, Callable[[bool], str]] = {
        "cost": lambda n: cost_distribution(results, currency, n),
        "parts": lambda n: cost_parts(results, currency, n),
        "times": lambda n: times(results, n),
        "faults": lambda n: faults_by_catch(results, currency, n),
        "crew": lambda n: crew_by_week(results, n),
        "tornado": lambda n: tornado(decision.tornado, currency, decision.lead, words, origins, n),
        "map": lambda n: break_even_map(decision.break_even, names, currency, _here(decision), n),
        "next": lambda n: next_measurements(decision.next_measurements, currency, n),
    }
    made = {key: Picture(draw(False), draw(True)) for key, draw in drawn.items()}
    for at, result in enumerate(results):
        made[f"gantt{at}"] = Picture(gantt(result, at), gantt(result, at, narrow=True))
    return {key: picture for key, picture in made.items() if picture.wide}


def _here(decision: Decision) -> tuple[int, float] | None:
    """This site on the break-even map: GPU racks and the mean value of a GPU-hour; None where one is not known."""
    racks = sum(decision.racks.get(kind, 0) for kind in _GPU_RACKS)
    value = next((a.mean for a in decision.assumptions if a.id == GPU_HOUR), None)
    return (racks, value) if racks and value is not None else None


def _tables(decision: Decision, book: Book) -> dict[str, Any]:
    d, currency = decision, decision.currency
    meanings = {a.id: (plain(a.meaning, 160), str(a.origin), book.anchors[a.id]) for a in d.assumptions}
    none = ("", "", "")
    swings = sorted(d.tornado, key=lambda s: -reach(s, d.lead))
    return {
        "swings": [
            (
                plain(s.assumption, 120),
                *meanings.get(s.assumption, none),
                f"{short(s.low_value)} to {amount(s.high_value, unit_of(s.unit, currency))}",
                money(s.at_low, currency),
                money(s.at_high, currency),
                s.changes_winner,
            )
            for s in swings
        ],
        "next": [
            {
                "what": plain(m.what, 200),
                "id": plain(m.assumption, 120),
                "anchor": meanings.get(m.assumption, none)[2],
                "worth": money(m.worth, currency),
                "cost": money(m.cost, currency),
                "settles": _settles(m),
                "how": plain(m.how, 300),
                "pays": m.cost is not None and m.worth > m.cost,
                "change": m.assumption == CHANGE,
            }
            for m in d.next_measurements
        ],
        "duties": shared(d, lambda r: r.duties),
        "tools": shared(d, lambda r: r.tools),
        "registers": shared(d, lambda r: r.registers),
        "qualifications": shared(d, lambda r: r.qualifications),
        "records": shared(d, lambda r: r.records),
    }  # fmt: skip


def _simulated_lead(decision: Decision) -> str:
    """By how much the winner is cheaper than its rival on average over the deployments; empty where that is not known."""
    won, rival = winner(decision), next_best(decision)
    gap = rival.cost.mean - won.cost.mean if won is not None and rival is not None else float("nan")
    return money(gap, decision.currency) if known(gap) else ""


def _settles(one: NextMeasurement) -> str:
    """In how many of the cases knowing it would change the choice; of a change, whether it does."""
    if one.assumption == CHANGE:
        return "yes" if one.settles else "no"
    return f"in {share(one.settles)} of the cases"


def _worked(book: Book) -> list[dict[str, Any]]:
    return [
        {
            "anchor": book.anchors[w.id],
            "id": plain(w.id, 120),
            "figure": book.figure(w, amount(w.value, w.unit)),
            "label": plain(w.label, 160),
            "inputs": book.inputs(w.inputs),
        }
        for w in book.shown()
    ]
