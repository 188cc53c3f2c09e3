"""Where the choice turns: racks x value of a GPU-hour x racks that own people have built before. At expected values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from asbuilt.decide.cases import Site, case_of
from asbuilt.decide.scaled import Sizes
from asbuilt.decide.simulate import expected
from asbuilt.model.crew_question import Arrangement, Question
from asbuilt.model.decision import BreakEvenCell
from asbuilt.model.deployment import SCOPES

#: Sizes, in compute racks, and experience, in racks, that are looked at: a grid, no assumption.
RACKS = (2, 4, 8, 16, 32, 64, 128)
EXPERIENCE = (0, 10, 100)
#: Values of a GPU-hour below the low end of ``money.gpu_hour``, as shares of it: the choice mostly turns between it and none.
_BELOW = (0.125, 0.25, 0.5)


def gpu_hours(question: Question) -> tuple[float, ...]:
    """Values of a GPU-hour that are looked at: 0, steps up to the low end of what is assumed, likely, high."""
    item = question.assumptions["money.gpu_hour"]
    steps = [*(share * item.low for share in _BELOW), item.low, item.likely, item.high]
    return tuple(dict.fromkeys((0.0, *(round(step, 2) for step in steps))))


def cells(sizes: Sizes, question: Question, racks: Sequence[int] = RACKS) -> tuple[BreakEvenCell, ...]:
    """The cheapest arrangement of each cell and its margin over the next. ``sizes``: the site by its compute racks.

    Each arrangement has the cheaper of two staffings in each cell (``_staffings``)."""
    values = gpu_hours(question)
    prices = {"money.gpu_hour": np.array(values)}
    made: list[BreakEvenCell] = []
    for number in racks:
        sized = Site.of(sizes(number))
        teams = {a.id: _staffings(sized, question, a) for a in question.arrangements}
        for done in EXPERIENCE:
            asked = replace(question, own=replace(question.own, experience_racks=float(done)))
            costs = {
                a.id: np.min([expected(case_of(sized, asked, a, None, t), prices, len(values)).cost for t in both], axis=0)
                for a, both in zip(asked.arrangements, teams.values(), strict=True)
            }  # fmt: skip
            for at, value in enumerate(values):
                order = sorted(costs, key=lambda key: float(costs[key][at]))
                margin = float(costs[order[1]][at] - costs[order[0]][at]) if len(order) > 1 else 0.0
                made.append(BreakEvenCell(number, value, float(done), order[0], margin))
    return tuple(made)


def _staffings(site: Site, question: Question, arrangement: Arrangement) -> tuple[np.ndarray, ...]:
    """Teams that cost least at what a GPU-hour is taken for, and one of each: where it is worth nothing, nobody hurries."""
    teams = case_of(site, question, arrangement).pools.teams
    stated = [scope in question.party(arrangement, scope).teams for scope in SCOPES]
    return teams, np.where(stated, teams, 1)


def words(found: Sequence[BreakEvenCell], names: dict[str, str], currency: str) -> tuple[str, ...]:
    """The cells as sentences: for each experience and GPU-hour value, who is cheapest up to how many racks."""
    made = []
    for done in dict.fromkeys(cell.experience_racks for cell in found):
        for value in dict.fromkeys(cell.gpu_hour for cell in found):
            line = [cell for cell in found if cell.experience_racks == done and cell.gpu_hour == value]
            line.sort(key=lambda cell: cell.racks)
            turns = [(a, b) for a, b in itertools.pairwise(line) if a.winner != b.winner]
            who = f"own people with {done:g} racks behind them, a GPU-hour at {value:g} {currency}"
            if not turns:
                made.append(f"{who}: {names[line[0].winner]} at every size from {line[0].racks} to {line[-1].racks} racks")
            else:
                parts = [f"{names[a.winner]} up to {a.racks} racks" for a, _ in turns]
                made.append(f"{who}: {', '.join(parts)}, {names[turns[-1][1].winner]} from {turns[-1][1].racks} racks on")
    return tuple(made)
