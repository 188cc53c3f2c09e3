"""One arrangement, deployed many times over: values drawn, hours, faults, rework, schedule, money. Runs come in chunks.

All arrangements draw from equal streams: what they do alike has the same luck, so that their difference is their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from asbuilt.decide import hours as working
from asbuilt.decide import money, risk
from asbuilt.decide.parties import Pools
from asbuilt.decide.rates import drawn, fixed, rate_id, triangle
from asbuilt.decide.rework import Places, added, destroyed, expected_added, inspected_again
from asbuilt.decide.risk import Lots
from asbuilt.decide.schedule import Times, schedule
from asbuilt.decide.tasks import Tasks
from asbuilt.model.assumption import Assumptions
from asbuilt.model.crew_question import Checkpoints
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, OPERATIONS, PARTIES, SCOPES

_DAY_H, _MINUTES_PER_H = 24.0, 60.0
#: Steps in which a spread is taken where a mean of the later of two is asked for.
_STEPS = 24
_SCOPE_OF = {operation.id: SCOPES.index(operation.scope) for operation in OPERATIONS}
#: Packages that end a row, and the site.
ROW_DONE, SITE_DONE = "acceptance/collectives", ("acceptance/site", "acceptance/soak", "acceptance/audit")
#: Packages that take all GPUs of the site.
WHOLE_SITE = ("acceptance/site", "acceptance/soak")


@dataclass(frozen=True, slots=True)
class Case:
    """All that is fixed before anything is drawn.

    ``lots``, ``places``: of ``tasks``; ``pieces``: of each operation in each package with dropped checkpoints left out
    ``[T, O]``; ``impossible``: pairs of fault kind and catch that a missing tool switches off; ``sign_offs``: interfaces that
    each package waits for ``[T]``; ``ready_d``: days until all parties are there.
    """

    tasks: Tasks
    pools: Pools
    lots: Lots
    places: Places
    pieces: np.ndarray
    checkpoints: Checkpoints
    impossible: frozenset[tuple[str, str]]
    sign_offs: np.ndarray
    bill: money.Bill
    assumptions: Assumptions
    early_use: bool


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What came out, run by run. ``parts [S, 14]`` in the order of ``money.PARTS``; ``caught [S, K, C]``; times in days."""

    parts: np.ndarray
    first_job_d: np.ndarray
    acceptance_d: np.ndarray
    idle_gpu_h: np.ndarray
    rework_h: np.ndarray
    caught: np.ndarray

    @property
    def cost(self) -> np.ndarray:
        """Money of all parts, ``[S]``."""
        made: np.ndarray = self.parts.sum(axis=1)
        return made


def joined(chunks: list[Outcomes]) -> Outcomes:
    """Chunks of one case, one after the other."""
    return Outcomes(*(np.concatenate([getattr(chunk, field.name) for chunk in chunks]) for field in fields(Outcomes)))


class Streams(NamedTuple):
    """Generators of one chunk: values, the luck of packages, faults, what faults destroy."""

    values: np.random.Generator
    luck: np.random.Generator
    faults: np.random.Generator
    damage: np.random.Generator


def streams(seed: int, chunk: int) -> Streams:
    """Those of a chunk, whoever simulates it, and for whatever arrangement."""
    return Streams(*(np.random.default_rng(one) for one in np.random.SeedSequence(seed, spawn_key=(chunk,)).spawn(4)))


def values_of(assumptions: Assumptions, seed: int, chunk: int, runs: int) -> dict[str, np.ndarray]:
    """What every input is in the runs of one chunk, ``[runs]`` by id."""
    return drawn(assumptions, ids(assumptions), streams(seed, chunk).values, runs)


def simulate(case: Case, seed: int, chunk: int, runs: int, values: Mapping[str, np.ndarray] | None = None) -> Outcomes:
    """``runs`` deployments of one chunk. ``values``: those of the chunk, where they are at hand already."""
    return detailed(case, seed, chunk, runs, values)[0]


def detailed(
    case: Case, seed: int, chunk: int, runs: int, values: Mapping[str, np.ndarray] | None = None
) -> tuple[Outcomes, Times, np.ndarray]:
    """The same with start, end and finish of each package, and the hours of work in it ``[S, T]``."""
    rng = streams(seed, chunk)
    if values is None:
        values = values_of(case.assumptions, seed, chunk, runs)
    shares = risk.all_shares(case.checkpoints, case.impossible, values)
    sampling = risk.sampling_of(case.checkpoints, case.impossible, values)
    faults = risk.draw_faults(case.lots, _means(case, values), shares, rng.faults, sampling)
    more_work, more_hold = added(faults, case.places, _each(values, "rework"), _each(values, "wait"))
    noise = case.assumptions[working.NOISE]
    luck = triangle(noise.low, noise.likely, noise.high, rng.luck.random((runs, len(case.tasks.package))))
    again = np.zeros((1, 1))
    if sampling is not None and faults.inspected.size:
        again = _looked_again(case, inspected_again(faults, case.places), values, luck)
    gone = destroyed(faults, _by_kind(values, "damage_probability"), rng.damage)
    load = _loaded(case, values, luck, (more_work, more_hold), again, faults.by_kind(), gone)
    return (*built(case, load), load.work)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Work and faults of ``S`` deployments before anybody is staffed: the same whatever the teams.

    ``work``, ``hold``: hours of each package ``[S, T]``, rework and waits added; ``rework``: the hours of it by pool
    ``[S, 6]``; ``caught [S, K, C]``; ``gone``: faults that destroyed hardware ``[S, K]``; ``values``: every input ``[S]``;
    ``tested``: hours in which the whole site is tested and no row of it in use ``[S]``; ``ready_h``: hours until all parties
    are there ``[S]``.
    """

    values: Mapping[str, np.ndarray]
    work: np.ndarray
    hold: np.ndarray
    rework: np.ndarray
    caught: np.ndarray
    gone: np.ndarray
    tested: np.ndarray
    ready_h: np.ndarray


def expected(case: Case, changed: Mapping[str, np.ndarray] | None = None, runs: int = 1) -> Outcomes:
    """``runs`` deployments with every input at its mean, and faults as many as expected of each kind: nothing is drawn.

    ``changed``: other values of some inputs, ``[runs]`` by id, so that many single changes cost one call.
    """
    return built(case, expected_load(case, changed, runs))[0]


def expected_load(case: Case, changed: Mapping[str, np.ndarray] | None = None, runs: int = 1) -> Loaded:
    """Work and faults of ``expected``, for those who try several staffings."""
    values = {key: np.full(runs, value) for key, value in fixed(case.assumptions, ids(case.assumptions)).items()}
    values.update(changed or {})
    shares = risk.all_shares(case.checkpoints, case.impossible, values)
    sampling = risk.sampling_of(case.checkpoints, case.impossible, values)
    faults, again = risk.expected_faults(case.lots, _means(case, values), shares, sampling)
    work, hold = expected_added(faults, case.lots, case.places, _each(values, "rework"), _each(values, "wait"))
    luck = np.broadcast_to(values[working.NOISE][:, None], (runs, len(case.tasks.package)))
    looked = _looked_again(case, _spread_again(case, again), values, luck) if sampling is not None else np.zeros((1, 1))
    by_kind = np.zeros((runs, len(FAULT_KINDS), len(CATCHES)))
    for lot, kind in enumerate(case.lots.kind.tolist()):
        by_kind[:, kind] += faults[:, lot]
    under_power = by_kind[:, :, 2:].sum(axis=2)
    gone = under_power * _by_kind(values, "damage_probability")
    load = _loaded(case, values, luck, (work, hold), looked, by_kind, gone)
    return replace(load, ready_h=_expected_ready_h(case, values))


def _looked_again(case: Case, again: np.ndarray, values: Mapping[str, np.ndarray], luck: np.ndarray) -> np.ndarray:
    """Hours of a team for pieces inspected after a find, ``[S, T]``: at the same pace as the package's own work."""
    made: np.ndarray = again * values["work.connector_inspect.minutes"][:, None] / _MINUTES_PER_H
    made *= working.pace(case.tasks, case.pools, values, luck)
    return made


def _spread_again(case: Case, again: np.ndarray) -> np.ndarray:
    """Expected pieces inspected after a find, by package: as the pieces of the row are spread."""
    made = np.zeros((len(again), len(case.tasks.package)))
    for lot in np.flatnonzero(again.any(axis=0)).tolist():
        at = slice(case.places.start[lot * len(CATCHES)], case.places.start[lot * len(CATCHES) + 1])
        made[:, case.places.package[at]] += again[:, lot][:, None] * case.places.weight[at]
    return made


#: What shapes a case before anything is drawn: teams, shifts, room, samples of the audit. With it what enters no run at all.
SHAPING = ("access.", "crew.", "money.audit_share")
_NO_RUN = ("rule.", "money.trial_rack")
_OF_RUNS = tuple(f"crew.{party}.{word}" for party in PARTIES for word in ("ready_days", "experience_racks"))


def shapes(id: str) -> bool:
    """Whether an input shapes the case, and is no value of a run."""
    return id.startswith(SHAPING) and id not in _OF_RUNS


def ids(assumptions: Assumptions) -> tuple[str, ...]:
    """All that is drawn: what makes a difference between runs. The others would only look as if they did."""
    return tuple(item.id for item in assumptions if not (shapes(item.id) or item.id.startswith(_NO_RUN)))


def _means(case: Case, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Expected faults of each lot, ``[S, L]``: pieces x rate, the share that people put in x qualification x experience."""
    pools = case.pools
    scope = np.array([_SCOPE_OF[kind.operation] for kind in FAULT_KINDS], np.int64)
    rates = np.stack(
        [values[rate_id(case.assumptions, kind.id, pools.party[k])] for kind, k in zip(FAULT_KINDS, scope, strict=True)], axis=1
    )
    grades = np.stack([values[f"qualification.{pools.qualification[k]}.fault_factor"] for k in scope], axis=1)
    done = working.experience(pools, values)[:, scope[case.lots.kind]] + case.lots.repeat
    factors = risk.fault_factor(
        done, values["experience.fault_slope"], values[working.REFERENCE], values["experience.fault_floor"]
    )  # fmt: skip
    factors *= grades[:, case.lots.kind]  # of what people put in; what parts bring along is the same whoever builds
    factors -= 1.0
    factors *= _by_kind(values, "by_work")[:, case.lots.kind]
    factors += 1.0
    return risk.fault_means(case.lots, rates, factors)


def _each(values: Mapping[str, np.ndarray], word: str) -> np.ndarray:
    """``fault.<kind>.<word>.<catch>`` of one fault, ``[S, K, C]``; zero where a kind is never caught."""
    runs = len(values[working.NOISE])
    made = np.zeros((runs, len(FAULT_KINDS), len(CATCHES)))
    for k, kind in enumerate(FAULT_KINDS):
        for catch in kind.catches:
            made[:, k, CATCHES.index(catch)] = values[f"fault.{kind.id}.{word}.{catch}"]
    return made


def _by_kind(values: Mapping[str, np.ndarray], word: str) -> np.ndarray:
    return np.stack([values[f"fault.{kind.id}.{word}"] for kind in FAULT_KINDS], axis=1)


def _loaded(
    case: Case,
    values: Mapping[str, np.ndarray],
    luck: np.ndarray,
    more: tuple[np.ndarray, np.ndarray],
    again: np.ndarray,
    caught: np.ndarray,
    gone: np.ndarray,
) -> Loaded:
    """Hours of the packages, with rework, waits and sign-offs; ``again``: of inspections that a find brought, ``[S, T]``."""
    tasks = case.tasks
    work = working.work_hours(tasks, case.pieces, case.pools, values, luck)
    if case.sign_offs.any():
        work += case.sign_offs[None, :] * values["money.sign_off_hours"][:, None]
    hold = working.hold_hours(tasks, values, working.held(case.checkpoints))
    tested = _tested_h(case, work, hold)
    work += more[0] + again
    ready_h = _ready_h(case.pools, values)
    return Loaded(values, work, hold + more[1], _by_scope(more[0], tasks.scope), caught, gone, tested, ready_h)


def built(case: Case, load: Loaded) -> tuple[Outcomes, Times]:
    """The schedule that the teams of ``case`` make of the work, and the money."""
    tasks, pools = case.tasks, case.pools
    times = schedule(
        load.work, load.hold, tasks.scope, tasks.row, tasks.pred_start, tasks.pred, pools.teams, pools.people,
        pools.hours_per_day, pools.days_per_week, room(case),
    )  # fmt: skip
    there = present(times, load.work, tasks.scope, load.rework)
    ready_h = load.ready_h
    usable, first, done = _usable(case, times)
    idle_gpu_h = ((usable + ready_h[:, None]) * tasks.row_gpus).sum(axis=1) + load.tested * tasks.row_gpus.sum()
    ended = money.Ended(done + ready_h, idle_gpu_h)
    parts = money.costs(case.bill, pools, there, ended, load.caught, load.gone, load.values)
    made = Outcomes(
        parts,
        (first + ready_h) / _DAY_H,
        ended.acceptance_h / _DAY_H,
        ended.idle_gpu_h,
        load.rework,
        load.caught.astype(np.float32),
    )
    return made, times


def room(case: Case) -> int:
    """People that a row has room for: as assumed, and at least the largest team."""
    return max(round(case.assumptions["access.row_people"].likely), int(case.pools.people.max()))


def _ready_h(pools: Pools, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Hours until the last of the parties is there."""
    made = [values[f"crew.{party}.ready_days"] * _DAY_H for party in sorted(set(pools.party))]
    return np.asarray(np.max(np.stack(made), axis=0))


def _expected_ready_h(case: Case, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Expected hours until the last party is there: two who may each be late are later than either, on average.

    A wait at its mean stands for its whole spread, one moved away from it for itself.
    """
    middle = (np.arange(_STEPS) + 0.5) / _STEPS
    days = []
    for party in sorted(set(case.pools.party)):
        item = case.assumptions[f"crew.{party}.ready_days"]
        stated = values[item.id][:, None]
        days.append(np.where(stated == item.mean, triangle(item.low, item.likely, item.high, middle)[None, :], stated))
    if len(days) == 1:
        return np.asarray(values[item.id] * _DAY_H)
    made: np.ndarray = np.maximum(days[0][:, :, None], days[1][:, None, :]).mean(axis=(1, 2)) * _DAY_H
    return made


def _by_scope(hours: np.ndarray, scope: np.ndarray) -> np.ndarray:
    """Hours of packages by pool, ``[S, 6]``."""
    return np.stack([hours[:, scope == k].sum(axis=1) for k in range(len(SCOPES))], axis=1)


def present(times: Times, work: np.ndarray, scope: np.ndarray, rework: np.ndarray | None = None) -> money.Presence:
    """First start and last end of the work of each pool; ``rework``: hours of it ``[S, 6]``, none where it is not asked for."""
    runs = len(work)
    first, last = np.full((runs, len(SCOPES)), np.nan), np.full((runs, len(SCOPES)), np.nan)
    for k in range(len(SCOPES)):
        mine = np.flatnonzero((scope == k) & (work > 0).any(axis=0))
        if mine.size:
            first[:, k] = times.start_h[:, mine].min(axis=1)
            last[:, k] = times.work_end_h[:, mine].max(axis=1)
    return money.Presence(first, last, np.zeros_like(first) if rework is None else rework)


def _tested_h(case: Case, work: np.ndarray, hold: np.ndarray) -> np.ndarray:
    """Hours for which rows in use are given back, ``[S]``: the fabric of the site and its soak take all GPUs at once.

    Their work and their holds. Nights and weekends between shifts, and hours in which a fault is mended or a part waited for,
    belong to whoever uses the rows: one node does not keep them all.
    """
    if not case.early_use:
        return np.zeros(len(work))  # nothing was in use
    whole = np.flatnonzero(np.isin(np.array(case.tasks.package), WHOLE_SITE))
    made: np.ndarray = (work[:, whole] + hold[:, whole]).sum(axis=1)
    return made


def _usable(case: Case, times: Times) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hours until each row may be used ``[S, R]``, the first row with GPUs ``[S]``, and all is accepted ``[S]``."""
    tasks = case.tasks
    words = np.array(tasks.package)
    done = times.finish_h[:, np.isin(words, SITE_DONE)].max(axis=1)
    rows = np.flatnonzero(words == ROW_DONE)
    usable = np.repeat(done[:, None], len(tasks.rows), axis=1)
    usable[:, tasks.row[rows]] = times.finish_h[:, rows]
    with_gpus = tasks.row_gpus > 0
    first = usable[:, with_gpus].min(axis=1)
    if not case.early_use:
        usable = np.repeat(done[:, None], len(tasks.rows), axis=1)
        first = done
    return usable, first, done
