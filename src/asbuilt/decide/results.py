"""The result of one arrangement as the document has it: quantiles, faults, people, registers, one run day by day."""

from __future__ import annotations

import numpy as np

from asbuilt.decide import outcome, shown
from asbuilt.decide.cases import pieces_by_operation, teams_by_scope
from asbuilt.decide.crew_weeks import crew
from asbuilt.decide.critical_path import Link, Run, chain
from asbuilt.decide.money import job_hours
from asbuilt.decide.qualifications import qualifications
from asbuilt.decide.raci import duties
from asbuilt.decide.records import records
from asbuilt.decide.registers import registers
from asbuilt.decide.runs import chunk_runs
from asbuilt.decide.schedule import Times
from asbuilt.decide.simulate import Case, Outcomes, detailed, present, room
from asbuilt.decide.tools import tool_list
from asbuilt.decide.worked import PRODUCTION
from asbuilt.model.crew_question import Arrangement, Question
from asbuilt.model.decision import ArrangementResult
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, SCOPES

_WEEK_D = 7.0
_NAMES = {
    "connector_inspection": "connectors inspected", "escalate": "the whole row inspected where one is dirty",
    "cable_inspection": "cables, cords and fasteners looked at by a second person", "pressure_test": "pressure test",
    "node_acceptance": "nodes accepted", "fabric_gate": "fabric gate of each row",
    "collectives_gate": "collectives of each row", "soak": "soak of the site",
}  # fmt: skip


def result_of(arrangement: Arrangement, question: Question, case: Case, outcomes: Outcomes) -> ArrangementResult:
    """Everything about one arrangement. The run that is shown is the one nearest to the median time of the first chunk."""
    size = min(chunk_runs({arrangement.id: case}), question.runs)
    run = outcome.nearest_run(outcomes.acceptance_d[:size])
    _, times, work = detailed(case, question.seed, 0, size)
    critical = chain(_shown(case, times, run))
    bars = shown.bars(times, run, case.tasks, np.array([link.package for link in critical], np.int64))
    pieces, teams = pieces_by_operation(case.tasks), teams_by_scope(case.pools)
    people = dict(zip(SCOPES, (int(n) for n in np.ceil(case.pools.staff).tolist()), strict=True))
    weeks = dict(zip(SCOPES, (present(times, work, case.tasks.scope).days[run] / _WEEK_D).tolist(), strict=True))
    believed = question.assumptions
    return ArrangementResult(
        id=arrangement.id,
        name=arrangement.name,
        parties=dict(arrangement.parties),
        checkpoints=_checkpoints(arrangement),
        cost=outcome.quantiles(outcomes.cost),
        parts=outcome.parts(outcomes),
        first_job_d=outcome.quantiles(outcomes.first_job_d),
        acceptance_d=outcome.quantiles(outcomes.acceptance_d),
        idle_gpu_h=outcome.quantiles(outcomes.idle_gpu_h),
        faults=outcome.faults(case, outcomes),
        crew=crew(times, run, case.tasks, case.pools),
        bars=bars,
        critical=steps(critical, case),
        cost_samples=outcome.sampled(outcomes.cost),
        acceptance_samples=outcome.sampled(outcomes.acceptance_d),
        tools=tool_list(question, arrangement, pieces, teams, weeks, believed),
        registers=registers(question, arrangement, pieces, believed, exposures(case, outcomes, pieces)),
        duties=duties(question, arrangement, pieces, len(case.tasks.rows)),
        qualifications=qualifications(question, arrangement, pieces, people, believed),
        records=records(question, arrangement, pieces, teams),
        worked=(f"{arrangement.id}.cost", f"{arrangement.id}.first_job", f"{arrangement.id}.acceptance"),
    )


def _checkpoints(arrangement: Arrangement) -> tuple[str, ...]:
    kept = []
    for name, words in _NAMES.items():
        value = getattr(arrangement.checkpoints, name)
        if name == "connector_inspection":
            kept.append(f"{value:.0%} of {words}" if value < 1.0 else f"all {words}")
        elif name != "escalate":
            kept.append(words if value else f"no {words}")
        elif arrangement.checkpoints.connector_inspection < 1.0 and value:
            kept.append(words)
    return tuple(kept)


def _shown(case: Case, times: Times, run: int) -> Run:
    """One run as the critical chain is looked for in it."""
    tasks, pools = case.tasks, case.pools
    return Run(
        start_h=times.start_h[run], work_end_h=times.work_end_h[run], finish_h=times.finish_h[run], scope=tasks.scope,
        row=tasks.row, pred_start=tasks.pred_start, pred=tasks.pred, teams=pools.teams, people=pools.people,
        hours_per_day=pools.hours_per_day, days_per_week=pools.days_per_week, row_people=room(case),
    )  # fmt: skip


def steps(critical: tuple[Link, ...], case: Case) -> tuple[str, ...]:
    """The critical chain in words, first to last; packages of one kind and row that wait for the same are one step."""
    words: list[str] = []
    for link in critical:
        row = case.tasks.row[link.package]
        place = f"row {case.tasks.rows[row]}" if row >= 0 else "the site"
        word = f"{case.tasks.package[link.package]}, {place} (waited for: {link.reason})"
        if not words or words[-1] != word:
            words.append(word)
    return tuple(words)


def exposures(case: Case, outcomes: Outcomes, pieces: dict[str, float]) -> dict[str, float]:
    """Expected money of the risks that the runs speak of, before any cover."""
    believed = case.assumptions
    means = outcomes.caught.mean(axis=0, dtype=np.float64)
    powered = [CATCHES.index(catch) for catch in CATCHES if catch not in ("inspection", "pressure")]
    made: dict[str, float] = {}
    for risk, kinds in _OF_RISK.items():
        total = 0.0
        for k, kind in enumerate(FAULT_KINDS):
            if kind.id in kinds:
                each = believed[f"fault.{kind.id}.damage"].mean * believed[f"fault.{kind.id}.damage_probability"].mean
                total += float(means[k, powered].sum()) * each
                total += float(means[k].sum()) * believed[f"fault.{kind.id}.parts"].mean if risk == "optics" else 0.0
        made[risk] = total
    made["delay"] = float(outcomes.idle_gpu_h.mean()) * believed["money.gpu_hour"].mean
    lost = float(job_hours(case.bill.gpus, {key: np.full(1, believed[key].mean) for key in PRODUCTION})[0])
    late = sum(
        float(means[k, -1])
        * (believed[f"fault.{kind.id}.outage"].mean * min(believed[f"fault.{kind.id}.outage_gpus"].mean, case.bill.gpus) + lost)
        for k, kind in enumerate(FAULT_KINDS)
    )
    made["late_fault"] = late * believed["money.gpu_hour"].mean
    return made


_OF_RISK = {
    "backplane": ("backplane_pin",),
    "power": ("cord_wrong", "fastener_loose"),
    "leak": ("fitting_leak",),
    "optics": ("connector_dirty", "optic_dead"),
}
