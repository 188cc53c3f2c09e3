"""Which assumption moves the choice: each at its low and its high end, all else at its mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from asbuilt.decide.cases import Site, case_of
from asbuilt.decide.simulate import Case, expected, ids, shapes
from asbuilt.model.assumption import Assumed
from asbuilt.model.crew_question import Question
from asbuilt.model.decision import Swing

#: Both arrangements move by less than this share of their difference: the swing is no swing.
_VISIBLE = 1e-3


def swings(site: Site, question: Question, cases: Mapping[str, Case], winner: str, rival: str) -> tuple[Swing, ...]:
    """Cost of ``rival`` minus cost of ``winner`` at both ends of every assumption with a spread, the largest swing first."""
    pair = (cases[winner], cases[rival])
    believed = cases[winner].assumptions
    plain = [believed[key] for key in ids(believed) if believed[key].low < believed[key].high]
    shaping = [item for item in believed if shapes(item.id) and item.low < item.high]
    base = _lead(pair)
    made = [*_together(plain, pair), *(_rebuilt(item, site, question, winner, rival) for item in shaping)]
    return tuple(
        sorted(
            (
                replace(swing, changes_winner=_turns(base, swing))
                for swing in made
                if max(abs(swing.at_low - base), abs(swing.at_high - base)) > _VISIBLE * abs(base)
            ),
            key=lambda swing: (-abs(swing.at_high - swing.at_low), swing.assumption),
        )
    )


def _turns(base: float, swing: Swing) -> bool:
    """Whether one arrangement is cheaper at some of the three places and the other at another."""
    found = (swing.at_low, base, swing.at_high)
    return min(found) < 0.0 <= max(found)


def lead(cases: Mapping[str, Case], winner: str, rival: str) -> float:
    """Cost of ``rival`` minus cost of ``winner`` with everything at its mean."""
    return _lead((cases[winner], cases[rival]))


def _lead(pair: tuple[Case, Case]) -> float:
    return float(expected(pair[1]).cost[0] - expected(pair[0]).cost[0])


def _together(items: list[Assumed], pair: tuple[Case, Case]) -> list[Swing]:
    """All values of runs in one call: two runs for each, one at either end."""
    runs = 2 * len(items)
    changed = {}
    for at, item in enumerate(items):
        values = np.full(runs, item.mean)
        values[2 * at], values[2 * at + 1] = item.low, item.high
        changed[item.id] = values
    apart = expected(pair[1], changed, runs).cost - expected(pair[0], changed, runs).cost
    return [_swing(item, float(apart[2 * at]), float(apart[2 * at + 1])) for at, item in enumerate(items)]


def _rebuilt(item: Assumed, site: Site, question: Question, winner: str, rival: str) -> Swing:
    """An input that shapes the case: the case is made anew at either end."""
    by_id = {arrangement.id: arrangement for arrangement in question.arrangements}
    ends = []
    for value in (item.low, item.high):
        moved = question.assumptions.with_own({item.id: replace(item, low=value, likely=value, high=value)})
        ends.append(_lead(tuple(case_of(site, question, by_id[key], moved) for key in (winner, rival))))  # type: ignore[arg-type]
    return _swing(item, ends[0], ends[1])


def _swing(item: Assumed, at_low: float, at_high: float) -> Swing:
    return Swing(item.id, item.low, item.high, item.unit, at_low, at_high, False)
