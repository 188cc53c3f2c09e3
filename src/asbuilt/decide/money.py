"""Money of one simulated deployment, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from asbuilt.decide.calendar import worked_h
from asbuilt.decide.parties import Pools
from asbuilt.model.deployment import FAULT_KINDS, OPERATIONS, SCOPES

#: What a cost is made of. The idle GPUs before acceptance and the outages after it are the owner's, whoever builds.
PARTS = (
    "labour", "premium", "rework", "replacements", "mobilisation", "travel", "training", "lead", "tooling", "insurance",
    "liability", "audit", "idle", "outages",
)  # fmt: skip
_DAY_H, _WEEK_D = 24.0, 7.0
_SCOPE_OF = {operation.id: operation.scope for operation in OPERATIONS}


@dataclass(frozen=True, slots=True)
class Presence:
    """Who was there, in ``S`` runs: first start and last end of each pool in calendar hours, ``[S, 6]`` (NaN: no work), and
    hours that its teams spent on rework, ``[S, 6]``."""

    first_h: np.ndarray
    last_h: np.ndarray
    rework_h: np.ndarray

    @property
    def days(self) -> np.ndarray:
        """Calendar days from the first start to the last end, ``[S, 6]``; 0 where a pool has no work."""
        made: np.ndarray = np.nan_to_num((self.last_h - self.first_h) / _DAY_H, nan=0.0)
        return made

    def staffed_h(self, pools: Pools) -> np.ndarray:
        """Hours of the shifts from the first start to the last end of each pool, ``[S, 6]``: never less than any team worked.

        Monday morning to Friday evening is five shifts, not five sevenths of four days and a bit.
        """
        ends = [np.nan_to_num(time, nan=0.0) for time in (self.first_h, self.last_h)]
        since, until = (worked_h(time, pools.hours_per_day[None, :], pools.days_per_week[None, :]) for time in ends)
        return until - since


@dataclass(frozen=True, slots=True)
class Ended:
    """When things were usable, in ``S`` runs: hours until acceptance, and GPU-hours that stood idle until usable, ``[S]``."""

    acceptance_h: np.ndarray
    idle_gpu_h: np.ndarray


@dataclass(frozen=True, slots=True)
class Bill:
    """What money is counted for, the same in all runs; ``tools``: id, number, scope of those that own people lack."""

    gpus: float
    audit_samples: float
    tools: tuple[tuple[str, float, str], ...]
    trained: tuple[str, ...]  # scopes whose own people are trained first


def costs(
    bill: Bill,
    pools: Pools,
    there: Presence,
    ended: Ended,
    caught: np.ndarray,
    destroyed: np.ndarray,
    drawn: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Money of each part, ``[S, len(PARTS)]``.

    ``caught``: faults by kind and catch ``[S, K, C]``; ``destroyed``: those that destroyed hardware ``[S, K]``; ``drawn``:
    values by id ``[S]``.
    """
    runs = len(ended.acceptance_h)
    made = {part: np.zeros(runs) for part in PARTS}
    _people(made, pools, there, drawn)
    weeks = ended.acceptance_h / (_DAY_H * _WEEK_D)
    external = pools.specialist
    made["lead"] = drawn["money.lead_week"] * weeks * (1.0 + float(external.any()))
    for scope in bill.trained:
        made["training"] += drawn[f"money.training.{scope}"] * pools.staff[SCOPES.index(scope)]
    weeks_there = there.days / _WEEK_D
    for tool, number, scope in bill.tools:
        made["tooling"] += number * _tool(tool, weeks_there[:, SCOPES.index(scope)], drawn)
    value = drawn["money.equipment_gpu"] * bill.gpus
    busy = (there.days > 0).any(axis=0)  # an air-cooled site has nobody for loops
    share = float(external[busy].mean()) if busy.any() else float(external.mean())
    made["insurance"] = value * (
        drawn["money.insurance.own"] * (1.0 - share) + drawn["money.insurance.specialist"] * share
    )  # fmt: skip
    _faults(made, bill.gpus, caught, destroyed, external, drawn)
    made["audit"] = drawn["money.audit_sample"] * bill.audit_samples
    made["idle"] = drawn["money.gpu_hour"] * ended.idle_gpu_h
    return np.stack([made[part] for part in PARTS], axis=1)


def _people(made: dict[str, np.ndarray], pools: Pools, there: Presence, drawn: Mapping[str, np.ndarray]) -> None:
    """Labour, premium, rework, mobilisation, travel. People are paid while their pool is on site, busy or waiting."""
    days, shifts_h = there.days, there.staffed_h(pools)
    for k, scope in enumerate(SCOPES):
        outside = bool(pools.specialist[k])
        party = "specialist" if outside else "own"
        paid = 1.0 + pools.night[k] * drawn["money.night"] + pools.weekend[k] * drawn["money.weekend"]
        rate = drawn[f"money.hour.{scope}"] * paid
        on_site_h = shifts_h[:, k] * pools.teams[k] * pools.people[k]
        again_h = np.minimum(there.rework_h[:, k] * pools.people[k], on_site_h)
        premium = drawn["money.premium.specialist"] if outside else np.zeros(len(days))
        made["labour"] += rate * (on_site_h - again_h)
        made["rework"] += rate * again_h * (1.0 + premium)
        made["premium"] += rate * (on_site_h - again_h) * premium
        present = days[:, k] > 0
        made["mobilisation"] += drawn[f"money.mobilisation.{party}"] * pools.staff[k] * present
        made["travel"] += drawn[f"money.travel_day.{party}"] * pools.staff[k] * days[:, k]


def _tool(tool: str, weeks: np.ndarray, drawn: Mapping[str, np.ndarray]) -> np.ndarray:
    """One tool: bought and calibrated for as many years as it takes, or rented for whole weeks, whichever is cheaper."""
    whole = np.ceil(weeks)
    years = np.ceil(weeks / _WEEKS_A_YEAR)
    made: np.ndarray = np.minimum(
        drawn[f"tooling.{tool}.buy"] + years * drawn[f"tooling.{tool}.calibration_year"],
        drawn[f"tooling.{tool}.rent_week"] * whole,
    )
    return made


_WEEKS_A_YEAR = 52.0


def _faults(
    made: dict[str, np.ndarray],
    gpus: float,
    caught: np.ndarray,
    destroyed: np.ndarray,
    external: np.ndarray,
    drawn: Mapping[str, np.ndarray],
) -> None:
    """Replacements, liability for what is destroyed, outages in production."""
    if not caught.any():
        return
    passed = drawn["money.liability_passed.specialist"]
    job_gpu_h = job_hours(gpus, drawn)
    for k, kind in enumerate(FAULT_KINDS):
        counts = caught[:, k, :]
        if not counts.any():
            continue
        made["replacements"] += counts.sum(axis=1) * drawn[f"fault.{kind.id}.parts"]
        each = np.minimum(drawn[f"fault.{kind.id}.damage"], drawn["money.deductible"])
        borne = 1.0 - passed if external[SCOPES.index(_SCOPE_OF[kind.operation])] else np.ones(len(counts))
        made["liability"] += destroyed[:, k] * each * borne
        gpu_h = drawn[f"fault.{kind.id}.outage"] * np.minimum(drawn[f"fault.{kind.id}.outage_gpus"], gpus)
        made["outages"] += counts[:, -1] * (gpu_h + job_gpu_h) * drawn["money.gpu_hour"]


def job_hours(gpus: float, drawn: Mapping[str, np.ndarray]) -> np.ndarray:
    """GPU-hours that jobs lose to one fault in production: GPUs of the job, hours each time, times until it is found."""
    return np.asarray(gpus * drawn["production.job_share"] * drawn["production.job_h"] * drawn["production.times"])
