"""Figures that open: what each is made of, in words, with the ids of what went in."""

from __future__ import annotations

from collections.abc import Iterable

from asbuilt.decide.hours import FLOOR, NOISE, REFERENCE, SLOPE, hold_id, minutes_id
from asbuilt.decide.money import PARTS
from asbuilt.decide.parties import Pools
from asbuilt.model.assumption import Assumptions
from asbuilt.model.decision import ArrangementResult, Counted, Worked
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, OPERATIONS, SCOPES

#: How each part of the cost is worked out, in words.
PRODUCTION = ("production.job_share", "production.job_h", "production.times")
FORMULAS = {
    "labour": "hours of the shifts of each skill from its first start to its last end x teams x people of a team x rate x (1 + "
    "night share x night extra + weekend share x weekend extra), without the hours of rework",
    "premium": "labour of the scopes that the specialist does x premium",
    "rework": "hours of teams on faults found before acceptance x people of a team x rate, with the premium where it applies",
    "replacements": "faults of each kind x its parts",
    "mobilisation": "people of the skills on site x mobilisation a person",
    "travel": "people on site x days on site x travel a day",
    "training": "own people of skills below the experience asked for x training of the skill",
    "lead": "weeks until acceptance x a lead's week; two leads where a specialist is there",
    "tooling": "for each tool that own people lack: bought and calibrated, or rented by the week, whichever is less",
    "insurance": "GPUs x equipment value of one x rate; rates of the parties by the share of scopes that they do",
    "liability": "faults found after power is on x probability that hardware is destroyed x damage, at most the deductible; "
    "less what the specialist's contract bears",
    "audit": "records measured again x price of one",
    "idle": "GPU-hours that stand idle from the first day until their row (or the site) may be used x value of a GPU-hour",
    "outages": "faults that production finds x (hours x GPUs that stand idle + GPUs of the site x share of them in the job x "
    "hours that it loses x times until the fault is found) x value of a GPU-hour",
}
LABELS = {
    "labour": "labour",
    "premium": "premium of the specialist",
    "rework": "rework",
    "replacements": "parts replaced",
    "mobilisation": "mobilisation",
    "travel": "travel",
    "training": "training",
    "lead": "project lead",
    "tooling": "tools and calibration",
    "insurance": "insurance",
    "liability": "self-insured liability",
    "audit": "third-party audit",
    "idle": "idle GPUs until usable",
    "outages": "outages after acceptance",
}


def worked(
    results: Iterable[tuple[ArrangementResult, Pools]], counted: tuple[Counted, ...], assumptions: Assumptions, unit: str
) -> tuple[Worked, ...]:
    """Every figure of every arrangement: cost, its parts, times, idle hours, faults by catch. ``unit``: the currency."""
    made: list[Worked] = [_quantity(item) for item in counted]
    for result, pools in results:
        made += _costs(result, pools, assumptions, unit)
        made += _times(result, pools, assumptions)
        made += _faults(result, assumptions)
    return tuple(made)


def _quantity(item: Counted) -> Worked:
    return Worked(f"quantity.{item.operation}", item.meaning, item.count, item.unit, item.source)


def _costs(result: ArrangementResult, pools: Pools, assumptions: Assumptions, unit: str) -> list[Worked]:
    made = [
        Worked(
            f"{result.id}.cost",
            "cost, idle GPUs and outages among it",
            result.cost.mean,
            unit,
            "the sum of its parts in each run; mean of the runs",
            tuple(f"{result.id}.cost.{part}" for part in PARTS),
        )
    ]
    for part in PARTS:
        inputs = tuple(key for key in _inputs(part, pools) if key in assumptions)
        inputs = (f"{result.id}.idle_hours", *inputs) if part == "idle" else inputs
        made.append(Worked(f"{result.id}.cost.{part}", LABELS[part], result.parts[part].mean, unit, FORMULAS[part], inputs))
    return made


def _inputs(part: str, pools: Pools) -> tuple[str, ...]:
    rates = tuple(f"money.hour.{scope}" for scope in SCOPES)
    crews = tuple(f"crew.team.{scope}" for scope in SCOPES)
    parties = sorted(set(pools.party))
    each = {
        "labour": (*rates, *crews, "money.night", "money.weekend", "crew.person_week_hours"),
        "premium": (*rates, "money.premium.specialist") if "specialist" in parties else (),
        "rework": (*rates, *(f"fault.{k.id}.rework.{c}" for k in FAULT_KINDS for c in k.catches)),
        "replacements": tuple(f"fault.{k.id}.parts" for k in FAULT_KINDS),
        "mobilisation": tuple(f"money.mobilisation.{party}" for party in parties),
        "travel": tuple(f"money.travel_day.{party}" for party in parties),
        "training": tuple(f"money.training.{s}" for s, p in zip(SCOPES, pools.party, strict=True) if p == "own"),
        "lead": ("money.lead_week",),
        "tooling": (),
        "insurance": ("money.equipment_gpu", *(f"money.insurance.{party}" for party in parties)),
        "liability": (
            "money.deductible", "money.liability_passed.specialist",
            *(f"fault.{k.id}.{word}" for k in FAULT_KINDS for word in ("damage", "damage_probability")),
        ),
        "audit": ("money.audit_sample", "money.audit_share"),
        "idle": ("money.gpu_hour",),
        "outages": (
            "money.gpu_hour", *PRODUCTION, *(f"fault.{k.id}.{word}" for k in FAULT_KINDS for word in ("outage", "outage_gpus")),
        ),
    }  # fmt: skip
    return each[part]


def _times(result: ArrangementResult, pools: Pools, assumptions: Assumptions) -> list[Worked]:
    inputs = [minutes_id(operation.id) for operation in OPERATIONS]
    inputs += [hold_id(operation.id) for operation in OPERATIONS]
    inputs += [NOISE, SLOPE, REFERENCE, FLOOR, "access.row_people"]
    inputs += [f"crew.{party}.ready_days" for party in sorted(set(pools.party))]
    known = tuple(key for key in inputs if key in assumptions)
    how = (
        "packages of work (pieces x minutes of a team x practice x qualification x luck, rework added) done in order by the "
        "teams of each skill in their shifts, as many in a row as have room; holds pass by themselves"
    )
    first, whole = result.first_job_d.mean, result.acceptance_d.mean
    idle_of = (f"{result.id}.acceptance",)
    each = "GPUs of each row x hours until it may be used"
    return [
        Worked(f"{result.id}.first_job", "first row may be used", first, "d", f"{how}; the first row's collectives", known),
        Worked(f"{result.id}.acceptance", "accepted", whole, "d", f"{how}; soak and audit done", known),
        Worked(f"{result.id}.idle_hours", "GPU-hours that stand idle", result.idle_gpu_h.mean, "GPU h", each, idle_of),
    ]


def _faults(result: ArrangementResult, assumptions: Assumptions) -> list[Worked]:
    made = []
    for catch in CATCHES:
        rows = [row for row in result.faults if row.catch == catch]
        keys = [key for row in rows for key in (f"fault.{row.fault}.rate", f"fault.{row.fault}.detect.{catch}")]
        made.append(
            Worked(
                f"{result.id}.faults.{catch}", f"faults caught: {catch}", sum(row.mean for row in rows), "faults",
                "operations x rate x experience x qualification x share that is caught here and not before",
                tuple(key for key in dict.fromkeys(keys) if key in assumptions),
            )
        )  # fmt: skip
    return made
