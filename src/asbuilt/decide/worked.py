"""Figures that open: what each is made of, in words, with the ids of what went in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from asbuilt.decide.hours import FLOOR, NOISE, REFERENCE, SLOPE, hold_id, minutes_id
from asbuilt.decide.money import PARTS
from asbuilt.decide.rates import rate_id
from asbuilt.decide.simulate import Case
from asbuilt.model.assumption import Assumptions
from asbuilt.model.decision import ArrangementResult, Counted, Worked
from asbuilt.model.deployment import CATCHES, FAULT_KINDS, OPERATIONS, SCOPES, FaultKind

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
    "insurance": "GPUs x equipment value of one x rate; rates of the parties by the share of scopes with work that they do",
    "liability": "faults found after power is on x probability that hardware is destroyed x damage, at most the deductible; "
    "less what the specialist's contract bears",
    "audit": "records that can be measured again x share of them that is, rounded up to whole ones, x price of one",
    "idle": "GPU-hours that stand idle from the first day until their row (or the site) may be used, and again while the whole "
    "site is tested, x value of a GPU-hour",
    "outages": "faults that production finds x (hours x GPUs that stand idle, never more than there are + GPUs of the site x "
    "share of them in the job x hours that it loses x times until the fault is found) x value of a GPU-hour",
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

#: Catches that are made before acceptance, and those that find a fault under power.
_BEFORE, _POWERED = CATCHES[:-1], tuple(catch for catch in CATCHES if catch not in ("inspection", "pressure"))
_SCOPE_OF = {operation.id: operation.scope for operation in OPERATIONS}
_DONE_BEFORE = ("experience.fault_slope", "experience.fault_floor", REFERENCE)
_PREMIUM = "money.premium.specialist"
_WHEN = ("ready_days", "shift_hours", "shifts", "days", "weeks", "experience_racks")


def worked(
    results: Iterable[tuple[ArrangementResult, Case]], counted: tuple[Counted, ...], assumptions: Assumptions, unit: str
) -> tuple[Worked, ...]:
    """Every figure of every arrangement: cost, its parts, times, idle hours, faults by catch. ``unit``: the currency.

    What a figure moves with stands among its inputs, or among those of the figures that it is made of.
    """
    made: list[Worked] = [_quantity(item) for item in counted]
    done = frozenset(item.operation for item in counted if item.count > 0)
    for result, case in results:
        of = _Of(result, case, assumptions, done)
        made += _costs(of, unit)
        made += _times(of)
        made += _faults(of)
    return tuple(made)


def _quantity(item: Counted) -> Worked:
    return Worked(f"quantity.{item.operation}", item.meaning, item.count, item.unit, item.source)


@dataclass(frozen=True, slots=True)
class _Of:
    """An arrangement, and what its figures are made of. ``done``: operations that the site has pieces of."""

    result: ArrangementResult
    case: Case
    assumptions: Assumptions
    done: frozenset[str]

    def ids(self, *keys: str) -> tuple[str, ...]:
        """Those that there is an assumption, a quantity or a figure of this arrangement of; each once."""
        own = (f"{self.result.id}.", "quantity.")
        return tuple(key for key in dict.fromkeys(keys) if key in self.assumptions or key.startswith(own))

    @property
    def scopes(self) -> tuple[str, ...]:
        """Scopes with work on this site."""
        busy = set(self.case.tasks.scope.tolist())
        return tuple(scope for k, scope in enumerate(SCOPES) if k in busy)

    @property
    def parties(self) -> tuple[str, ...]:
        return tuple(sorted({self.result.parties[scope] for scope in self.scopes}))

    @property
    def kinds(self) -> tuple[FaultKind, ...]:
        """Kinds of fault that can come about here."""
        there = set(self.case.lots.kind.tolist())
        return tuple(kind for k, kind in enumerate(FAULT_KINDS) if k in there)

    def grades(self, scopes: Iterable[str], word: str) -> Iterator[str]:
        """``qualification.<grade>.<word>`` of those who do the scopes."""
        return (f"qualification.{self.case.pools.qualification[SCOPES.index(scope)]}.{word}" for scope in scopes)

    def caught(self, catches: Iterable[str]) -> Iterator[str]:
        """The figures of faults by catch."""
        return (f"{self.result.id}.faults.{catch}" for catch in catches)

    def by_catch(self, word: str) -> Iterator[str]:
        """``fault.<kind>.<word>.<catch>`` of what is found before acceptance."""
        return (f"fault.{kind.id}.{word}.{catch}" for kind in self.kinds for catch in kind.catches if catch in _BEFORE)

    def hour(self) -> Iterator[str]:
        """What an hour of the teams costs."""
        yield from (f"money.hour.{scope}" for scope in self.scopes)
        yield from (f"crew.team.{scope}" for scope in self.scopes)
        yield from ("money.night",) if self.case.pools.night.any() else ()
        yield from ("money.weekend",) if self.case.pools.weekend.any() else ()

    def staff(self) -> Iterator[str]:
        """How many people there are."""
        yield from (f"crew.team.{scope}" for scope in self.scopes)
        yield "crew.person_week_hours"
        yield from (f"crew.{party}.{word}" for party in self.parties for word in ("weeks", "shift_hours", "shifts", "days"))


def _costs(of: _Of, unit: str) -> list[Worked]:
    id = of.result.id
    whole = tuple(f"{id}.cost.{part}" for part in PARTS)
    how = "the sum of its parts in each run; mean of the runs"
    made = [Worked(f"{id}.cost", "cost, idle GPUs and outages among it", of.result.cost.mean, unit, how, whole)]
    for part in PARTS:
        inputs = of.ids(*_inputs(part, of))
        mean = of.result.parts[part].mean
        made.append(Worked(f"{id}.cost.{part}", LABELS[part], mean, unit, FORMULAS[part], inputs, note=_note(part, of, unit)))
    return made


def _note(part: str, of: _Of, unit: str) -> str:
    """What the inputs alone do not show: of a mixed crew, whose labour the premium is of."""
    rate = of.assumptions[_PREMIUM].mean
    if part != "premium" or len(of.parties) == 1 or rate <= 0.0:
        return ""
    return f"the specialist's share of the labour: {of.result.parts[part].mean / rate:,.0f} {unit}"


def _inputs(part: str, of: _Of) -> tuple[str, ...]:
    id, bill, parties = of.result.id, of.case.bill, sorted(set(of.result.parties.values()))
    schedule, hours = f"{id}.acceptance", tuple(of.hour())
    premium = (_PREMIUM,) if "specialist" in of.parties else ()
    passed = ("money.liability_passed.specialist",) if "specialist" in of.parties else ()
    each = {
        "labour": (schedule, *hours),
        "premium": (f"{id}.cost.labour", *premium) if premium else (),
        "rework": (*of.caught(_BEFORE), *of.by_catch("rework"), *hours, *premium),
        "replacements": (*of.caught(CATCHES), *(f"fault.{k.id}.parts" for k in of.kinds)),
        "mobilisation": (*(f"money.mobilisation.{party}" for party in of.parties), *of.staff()),
        "travel": (schedule, *(f"money.travel_day.{party}" for party in of.parties), *of.staff()),
        "training": (
            *(f"money.training.{scope}" for scope in bill.trained), "rule.trial_experience_racks",
            "crew.own.experience_racks", *of.staff(),
        ) if bill.trained else (),
        "lead": (schedule, "money.lead_week"),
        "tooling": (
            schedule,
            *(f"tooling.{tool}.{word}" for tool, _, _ in bill.tools for word in ("buy", "rent_week", "calibration_year")),
        ) if bill.tools else (),
        "insurance": ("money.equipment_gpu", *(f"money.insurance.{party}" for party in parties)),
        "liability": (
            *of.caught(_POWERED), "money.deductible", *passed,
            *(f"fault.{k.id}.{word}" for k in of.kinds for word in ("damage", "damage_probability")),
        ),
        "audit": ("quantity.audit", "money.audit_sample", "money.audit_share"),
        "idle": (f"{id}.idle_hours", "money.gpu_hour"),
        "outages": (
            *of.caught(CATCHES[-1:]), "money.gpu_hour", *PRODUCTION,
            *(f"fault.{k.id}.{word}" for k in of.kinds for word in ("outage", "outage_gpus")),
        ),
    }  # fmt: skip
    return each[part]


def _times(of: _Of) -> list[Worked]:
    id, result = of.result.id, of.result
    operations = [operation.id for operation in OPERATIONS if operation.id in of.done]
    inputs = of.ids(
        *(minutes_id(operation) for operation in operations),
        *(hold_id(operation) for operation in operations),
        NOISE, SLOPE, REFERENCE, FLOOR, "access.row_people",
        *(f"crew.{party}.{word}" for party in of.parties for word in _WHEN),
        *(f"crew.team.{scope}" for scope in of.scopes),
        *of.grades(of.scopes, "time_factor"),
        *(("money.sign_off_hours",) if of.case.sign_offs.any() else ()),
        *of.caught(_BEFORE), *of.by_catch("rework"), *of.by_catch("wait"),
    )  # fmt: skip
    how = (
        "packages of work (pieces x minutes of a team x practice x qualification x luck, rework added) done in order by the "
        "teams of each skill in their shifts, as many in a row as have room; holds pass by themselves"
    )
    schedule = (f"{id}.acceptance",)
    each = (
        "GPUs of each row x hours until it may be used; and all GPUs x hours of work and hold of the site's fabric test and "
        "soak, without rework, for which rows in use are given back"
    )
    first = "the same packages in the same order; the collectives of the first row that passes them"
    teams = "teams that nobody stated are as many as cost least at expected values"
    return [
        Worked(f"{id}.first_job", "first row may be used", result.first_job_d.mean, "d", first, schedule),
        Worked(
            f"{id}.acceptance", "accepted", result.acceptance_d.mean, "d", f"{how}; soak and audit done", inputs, note=teams
        ),
        Worked(f"{id}.idle_hours", "GPU-hours that stand idle", result.idle_gpu_h.mean, "GPU h", each, schedule),
    ]


def _faults(of: _Of) -> list[Worked]:
    made = []
    how = "operations x rate x experience x qualification x share that is caught here and not before"
    for catch in CATCHES:
        rows = [row for row in of.result.faults if row.catch == catch]
        found = {row.fault for row in rows}
        inputs = of.ids(*(key for kind in of.kinds if kind.id in found for key in _of_kind(of, kind, catch)))
        label = f"faults caught: {catch}"
        made.append(Worked(f"{of.result.id}.faults.{catch}", label, sum(row.mean for row in rows), "faults", how, inputs))
    return made


def _of_kind(of: _Of, kind: FaultKind, catch: str) -> Iterator[str]:
    """What the number of faults of a kind that are caught at a stage is made of: who works, and what stages before it miss."""
    scope = _SCOPE_OF[kind.operation]
    party = of.result.parties[scope]
    yield f"quantity.{kind.operation}"
    yield rate_id(of.assumptions, kind.id, party)
    yield from (f"fault.{kind.id}.detect.{stage}" for stage in kind.catches if CATCHES.index(stage) <= CATCHES.index(catch))
    by_work = f"fault.{kind.id}.by_work"
    yield by_work
    if of.assumptions[by_work].high > 0.0:
        yield from (*_DONE_BEFORE, f"crew.{party}.experience_racks", *of.grades((scope,), "fault_factor"))
