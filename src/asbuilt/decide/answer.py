"""The whole answer: arrangements simulated side by side, what they come to, what the choice hangs on, what to find out next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.decide import break_even, claims, outcome, tornado
from asbuilt.decide.cases import Site, cases
from asbuilt.decide.next_steps import next_steps
from asbuilt.decide.readiness import readiness
from asbuilt.decide.results import result_of
from asbuilt.decide.runs import Executor, run
from asbuilt.decide.scaled import Scaled, Sizes
from asbuilt.decide.simulate import Case, Outcomes
from asbuilt.decide.trial import updated
from asbuilt.decide.variants import OUTSIDE_DAYS, factor_of, variants
from asbuilt.decide.worked import worked
from asbuilt.model.crew_question import Question
from asbuilt.model.decision import Counted, Decision, Summary, Swing

if TYPE_CHECKING:
    from asbuilt.decide.tasks import Tasks

#: Runs of a variant: a share of those of the answer itself, within bounds.
_FEWER, _LEAST, _ENOUGH = 5, 500, 4_000
_MOST_SWINGS = 40
AS_ASKED = "as asked"


@dataclass(frozen=True, slots=True)
class Asked:
    """A site and what is asked of it. ``unclaimed``: the same question, claims left out. ``sizes``: the same site with other
    numbers of compute racks; None: scaled from its own pieces."""

    tasks: Tasks
    counted: tuple[Counted, ...]
    plan_hash: str
    question: Question
    unclaimed: Question
    sizes: Sizes | None = None


def answer(asked: Asked, executor: Executor | None = None, tell: Callable[[str], None] = lambda text: None) -> Decision:
    """Simulate, compare, explain. ``executor`` runs chunks of deployments elsewhere; ``tell`` hears what is done.

    What own people or a specialist were found to do (``question.trials``) is put into the rates first.
    """
    question = learnt(asked.question)
    site = Site.of(asked.tasks)
    tell("staffing")
    staffed = cases(site, question)
    tell(f"{question.runs:,} deployments of {len(staffed)} arrangements")
    outcomes = run(staffed, question.seed, question.runs, executor)
    order = sorted(outcomes, key=lambda key: float(outcomes[key].cost.mean()))
    winner, rival = order[0], order[1] if len(order) > 1 else ""
    varied = _variants(site, asked, question, staffed, executor, tell)
    tell("what the answer hangs on")
    swings: tuple[Swing, ...] = tornado.swings(site, question, staffed, winner, rival)[:_MOST_SWINGS] if rival else ()
    sizes = asked.sizes or Scaled(asked.tasks)
    found = break_even.cells(sizes, question) if _scalable(asked.tasks) else ()
    results = tuple(
        result_of(arrangement, question, staffed[arrangement.id], outcomes[arrangement.id])
        for arrangement in question.arrangements
    )
    pairs = ((result, staffed[result.id]) for result in results)
    pieces = dict(zip((c.operation for c in asked.counted), (c.count for c in asked.counted), strict=True))
    names = {arrangement.id: arrangement.name for arrangement in question.arrangements}
    return Decision(
        name=question.name,
        plan_hash=asked.plan_hash,
        currency=question.currency,
        runs=question.runs,
        seed=question.seed,
        gpus=asked.tasks.gpus,
        racks=dict(asked.tasks.racks),
        rows=len(asked.tasks.rows),
        quantities=asked.counted,
        assumptions=tuple(question.assumptions),
        arrangements=results,
        winner=winner,
        winner_share=_share(outcomes, winner),
        rival=rival,
        lead=tornado.lead(staffed, winner, rival) if rival else None,
        variants=(*_summaries(AS_ASKED, outcomes), *(line for name, o in varied.items() for line in _summaries(name, o))),
        tornado=swings,
        break_even=found,
        break_even_words=break_even.words(found, names, question.currency),
        next_measurements=next_steps(question, outcomes, staffed, varied) if rival else (),
        claims=claims.held(claims.Ground(site, question, staffed, outcomes, varied.get(OUTSIDE_DAYS), sizes)),
        readiness=readiness(question, pieces, asked.tasks.racks, question.assumptions),
        worked=worked(pairs, asked.counted, question.assumptions, question.currency),
        notes=(*question.notes, *sizes.notes),
    )


def learnt(question: Question) -> Question:
    """The question with the rates that its trials and past faults give."""
    from dataclasses import replace

    if not question.trials:
        return question
    return replace(question, assumptions=updated(question.assumptions, question.trials, factor_of(question)))


def _scalable(tasks: Tasks) -> bool:
    return bool({"air", "liquid"} & set(tasks.racks))


def _share(outcomes: Mapping[str, Outcomes], winner: str) -> float:
    """Share of the runs in which the winner is the cheapest: all arrangements of a run have the same luck."""
    costs = np.stack([o.cost for o in outcomes.values()], axis=1)
    return float((costs.argmin(axis=1) == list(outcomes).index(winner)).mean())


def _variants(
    site: Site,
    asked: Asked,
    question: Question,
    staffed: Mapping[str, Case],
    executor: Executor | None,
    tell: Callable[[str], None],
) -> dict[str, Mapping[str, Outcomes]]:
    """Outcomes of every variant, in fewer runs than the answer itself, with the luck of its first ones."""
    made: dict[str, Mapping[str, Outcomes]] = {}
    runs = min(question.runs, _ENOUGH, max(_LEAST, question.runs // _FEWER))
    for name, cases_of_it in variants(site, question, learnt(asked.unclaimed), staffed):
        tell(name)
        made[name] = run(cases_of_it, question.seed, runs, executor)
    return made


def _summaries(name: str, outcomes: Mapping[str, Outcomes]) -> list[Summary]:
    best = min(outcomes, key=lambda key: float(outcomes[key].cost.mean()))
    return [
        Summary(name, key, outcome.quantiles(o.cost), outcome.quantiles(o.acceptance_d), key == best)
        for key, o in outcomes.items()
    ]
