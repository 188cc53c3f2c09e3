"""A trial rack, or past work: the fault rate of the party that did it, brought up to date by what was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from asbuilt.base.origin import Confidence, Origin
from asbuilt.decide.rates import PseudoCounts, pseudo_counts, rate_id
from asbuilt.model.assumption import Assumed, Assumptions
from asbuilt.model.crew_question import Trial
from asbuilt.model.deployment import FAULT_KINDS, PARTIES

_KINDS = {kind.id for kind in FAULT_KINDS}


def as_expected(party: str, fault: str) -> float:
    """The factor of a party whose faults come at the rate itself: trained people with the experience of the reference."""
    return 1.0


def updated(
    assumptions: Assumptions, trials: Iterable[Trial], factor: Callable[[str, str], float] = as_expected
) -> Assumptions:
    """The same with the rates of those who were tried, and of no one else.

    The rate of a kind, ``fault.<kind>.rate``, holds for all parties. A trial of a party makes a rate of its own,
    ``fault.<kind>.rate.<party>``, which stands right after it and is used for that party alone (``rates.rate_id``): what own
    people do says nothing of a specialist. The rate is gamma distributed as if a faults had been seen in b operations; k
    more in n make it a + k in b + n f, where f = ``factor(party, kind)`` is how many times the rate this party is taken to
    have faults (qualification, experience; they still multiply the new rate afterwards). Conjugate prior of Poisson counts:
    A. Gelman and others, Bayesian Data Analysis, 3rd edition 2013, section 2.6.

    Claims are left out first (``Assumptions.without_claims``), not afterwards: a posterior keeps its prior. Raises
    ``ValueError`` for a kind or party that is none, counts that are no counts, or a rate without a spread.
    """
    items = dict(assumptions.items)
    for trial in trials:
        _check(trial)
        id = rate_id(Assumptions(items), trial.fault, trial.party)
        made = _posterior(items[id], trial, factor(trial.party, trial.fault))
        if made.id in items:
            items[made.id] = made
        else:
            items = _after(items, id, made)
    return Assumptions(items)


def _after(items: dict[str, Assumed], id: str, made: Assumed) -> dict[str, Assumed]:
    ordered: dict[str, Assumed] = {}
    for key, item in items.items():
        ordered[key] = item
        if key == id:
            ordered[made.id] = made
    return ordered


def _check(trial: Trial) -> None:
    where = f"trial of {trial.fault} ({trial.source})"
    if trial.fault not in _KINDS:
        raise ValueError(f"{where}: no kind of fault is called {trial.fault!r}; the kinds are {', '.join(sorted(_KINDS))}")
    if trial.party not in PARTIES:
        raise ValueError(f"{where}: no party is called {trial.party!r}; the parties are {', '.join(PARTIES)}")
    if not (math.isfinite(trial.operations) and trial.operations > 0):
        raise ValueError(
            f"{where}: operations must be a number above 0, not {trial.operations:g}: without work nothing was seen"
        )
    if not (math.isfinite(trial.faults) and trial.faults >= 0):
        raise ValueError(f"{where}: faults must be a number from 0 on, not {trial.faults:g}")
    if trial.faults > trial.operations:
        raise ValueError(
            f"{where}: {trial.faults:g} faults in {trial.operations:g} operations; a piece of work counts as faulty once. "
            "Are the two columns exchanged?"
        )


def _posterior(item: Assumed, trial: Trial, factor: float) -> Assumed:
    if not (math.isfinite(factor) and factor > 0):
        raise ValueError(f"{item.id}: the factor of party {trial.party} must be a number above 0, not {factor:g}")
    prior = pseudo_counts(item)
    if prior is None:
        raise ValueError(
            f"{item.id} is stated as certain ({item.likely:g}), so the trial ({trial.source}) cannot change it; "
            "give low, likely and high, or leave the trial out"
        )
    after = PseudoCounts(prior.faults + trial.faults, prior.operations + trial.operations * factor)
    low, high = after.spread
    before = f"{prior.faults:.3g} in {prior.operations:.4g} before" + (f" ({item.source})" if item.source else "")
    times = "" if factor == 1.0 else f", expected {factor:.3g} times the rate"
    return replace(
        item,
        id=f"fault.{trial.fault}.rate.{trial.party}",
        low=low,
        likely=after.mean,
        high=high,
        origin=Origin.MEASURED,
        confidence=Confidence.MEDIUM,
        source=f"{trial.source}: {trial.faults:g} in {trial.operations:g} operations{times}; as if {before}",
        removed=None,
        removed_why="",
        faults=after.faults,
        operations=after.operations,
    )
