"""The cheapest thing to measure or ask next: what knowing it is worth before the choice, how it is found out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from asbuilt.decide.information import Luck, Worth, joint, luck, worth
from asbuilt.decide.rates import rate_id
from asbuilt.decide.runs import chunk_runs
from asbuilt.decide.simulate import Case, Outcomes, ids, values_of
from asbuilt.decide.variants import NO_INSPECTION, OWN_SHIFTS, SAMPLED
from asbuilt.model.assumption import Assumed, Assumptions
from asbuilt.model.crew_question import Question
from asbuilt.model.decision import NextMeasurement
from asbuilt.model.deployment import FAULT_KINDS, OPERATIONS

#: What stands in the place of an assumption where a line is a change.
CHANGE = "a change"
#: Changes that are the owner's to make, and how.
OWN_CHANGES = {
    OWN_SHIFTS: "staff own people for those shifts: more people for each position, nights and weekends paid",
    NO_INSPECTION: "saves the time of looking; what is dirty is found later, or by the jobs: look at the faults by stage first",
    SAMPLED: "look at one in ten, at the whole row where one is dirty; write the rule down before the work",
}
#: A change that saves less than this share of the cost is not worth a line.
_WORTH_SAYING = 0.005
#: Runs that are looked at, and lines that are given.
_MOST_RUNS, _MOST_LINES = 20_000, 12
#: The trial rack is no assumption but shows many.
TRIAL = "a trial rack"
#: How a thing is found out, by the beginning of its id. The first that fits.
_HOW = (
    ("work.", "time it on the first rack, or on a rack that stands"),
    ("fault.", "count it on a trial rack, or in the records of past sites"),
    ("qualification.", "compare two crews on the same work"),
    ("experience.", "compare the first racks of a site with its last ones"),
    ("learning.", "compare the first racks of a site with its last ones"),
    ("crew.", "ask for a dated, binding offer"),
    ("money.gpu_hour", "take it from the contract with the first tenant, or from the budget"),
    ("money.", "ask for a quotation"),
    ("tooling.", "ask for a quotation"),
)


def next_steps(
    question: Question,
    outcomes: Mapping[str, Outcomes],
    cases: Mapping[str, Case],
    varied: Mapping[str, Mapping[str, Outcomes]],
) -> tuple[NextMeasurement, ...]:
    """What is worth changing or knowing, most first."""
    found = (*changes(question, outcomes, varied), *next_measurements(question, outcomes, cases))
    return tuple(sorted(found, key=lambda line: -line.worth))


def changes(
    question: Question, outcomes: Mapping[str, Outcomes], varied: Mapping[str, Mapping[str, Outcomes]]
) -> tuple[NextMeasurement, ...]:
    """What the owner can change, as far as it makes the cheapest arrangement cheaper, or another one the cheapest.

    ``varied``: outcomes of each variant, in the first runs of those of ``outcomes``. ``settles``: 1 where the choice changes.
    """
    made = []
    for name, how in OWN_CHANGES.items():
        if name not in varied:
            continue
        under = {key: float(o.cost.mean()) for key, o in varied[name].items()}
        runs = len(next(iter(varied[name].values())).cost)
        before = {key: float(o.cost[:runs].mean()) for key, o in outcomes.items()}
        best, was = min(under, key=lambda key: under[key]), min(before, key=lambda key: before[key])
        saved = before[was] - under[best]
        if saved > _WORTH_SAYING * before[was]:
            names = {a.id: a.name for a in question.arrangements}
            money = question.currency
            turn = f"{names[was]} for {before[was]:,.0f} {money} becomes {names[best]} for {under[best]:,.0f} {money}"
            what = f"{name}: {turn}, on average"
            made.append(NextMeasurement(CHANGE, what, saved, 0.0, float(best != was), f"{how}; its price is counted in that"))
    return tuple(made)


def next_measurements(
    question: Question, outcomes: Mapping[str, Outcomes], cases: Mapping[str, Case]
) -> tuple[NextMeasurement, ...]:
    """What is worth knowing, most first; nothing where no single thing would change the choice.

    The values of the runs are drawn again from their streams: they are the ones that the outcomes were made with.
    """
    believed = question.assumptions
    costs = np.stack([o.cost for o in outcomes.values()], axis=1)[:_MOST_RUNS]
    values = _values(question, cases, len(costs))
    chance = luck(costs)
    found = [(item, worth(costs, values[item.id], chance)) for item in believed if item.id in values and item.low < item.high]
    found = [(item, known) for item, known in found if known.money > 0.0]
    lines = [_line(item, known) for item, known in sorted(found, key=lambda pair: -pair[1].money)[: _MOST_LINES - 1]]
    trial = _trial(believed, costs, values, chance, {item.id: known for item, known in found})
    return tuple(sorted([*([trial] if trial else []), *lines], key=lambda line: -line.worth))


def _values(question: Question, cases: Mapping[str, Case], runs: int) -> dict[str, np.ndarray]:
    size = chunk_runs(cases)
    believed = question.assumptions
    chunks = []
    for chunk, first in enumerate(range(0, runs, size)):
        # A chunk that ends early was drawn as short as it was run.
        length = min(size, question.runs - first)
        chunks.append(values_of(believed, question.seed, chunk, length))
    return {key: np.concatenate([chunk[key] for chunk in chunks])[:runs] for key in ids(believed)}


def _line(item: Assumed, known: Worth) -> NextMeasurement:
    how = next((words for start, words in _HOW if item.id.startswith(start)), "find somebody who has measured it")
    return NextMeasurement(item.id, item.meaning, known.money, None, known.settles, how)


def _trial(
    believed: Assumptions, costs: np.ndarray, values: Mapping[str, np.ndarray], chance: Luck, alone: Mapping[str, Worth]
) -> NextMeasurement | None:
    """A rack built on trial shows own people's fault rates and times together: at least what the best of them is worth."""
    shown = [f"work.{operation.id}.minutes" for operation in OPERATIONS]
    shown += [rate_id(believed, kind.id, "own") for kind in FAULT_KINDS]
    shown += ["learning.slope", "experience.fault_slope"]
    columns = np.stack([values[key] for key in dict.fromkeys(shown) if key in values], axis=1)
    together = [joint(costs, columns, chance), *(alone[key] for key in shown if key in alone)]
    known = max(together, key=lambda one: one.money)
    if known.money <= 0.0:
        return None
    price = believed["money.trial_rack"]
    how = "build one rack first, slowly, with somebody experienced watching; count every fault, time every step"
    what = "own people's times and fault rates, all of them together; at most this much, for one rack shows them not exactly"
    return NextMeasurement(TRIAL, what, known.money, price.mean, known.settles, how)
