"""What `decide.yaml` may say: one field is one line with meaning, unit and bounds. What is absent was not stated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from asbuilt.base.decode import PATTERN_WORDS, Grammar
from asbuilt.base.fault import Fault
from asbuilt.model.deployment import FAULT_KINDS, PARTIES, QUALIFICATIONS
from asbuilt.model.requirement_field import spec

#: Tools that the work asks for; each has its prices under `tooling.<tool>`.
TOOLS = (
    "mpo_tester",
    "mpo_scope_200x",
    "torque_wrench",
    "go_nogo_gauge",
    "nitrogen_rig",
    "otdr",
    "milliohm_meter",
    "phase_tester",
)
ARRANGEMENT = r"^[a-z][a-z0-9-]{0,30}$"
CURRENCY = r"^[A-Z]{3}$"
PATTERN_WORDS[ARRANGEMENT] = "small letters, digits and hyphens, starting with a letter, at most 31 characters"
PATTERN_WORDS[CURRENCY] = "the three capital letters of a currency: USD, EUR, GBP"

_FILE, _FIELD, _VALUE = "CLI-100", "CLI-101", "CLI-102"
_FIELD_FAULTS = (Fault.UNKNOWN_KEY, Fault.MISSING, Fault.NO_VALUE, Fault.DUPLICATE_KEY, Fault.KEY_NOT_TEXT)
_VALUE_FAULTS = (
    Fault.WRONG_TYPE,
    Fault.NUMBER_FORM,
    Fault.OUT_OF_RANGE,
    Fault.NOT_A_CHOICE,
    Fault.PATTERN,
    Fault.LENGTH,
    Fault.UNQUOTED,
)
CODES = dict.fromkeys(Fault, _FILE) | dict.fromkeys(_FIELD_FAULTS, _FIELD) | dict.fromkeys(_VALUE_FAULTS, _VALUE)
GRAMMAR = Grammar("decide", 1, CODES, "docs/decide-inputs.md shows one")


def _teams(skill: str) -> Any:
    return spec(f"teams of {skill} at work at the same time", least=1, most=200)


def _grade(work: str) -> Any:
    return spec(f"how well its people know {work}", choices=QUALIFICATIONS)


def _by(work: str, required: bool = True) -> Any:
    return spec(f"who does {work}", choices=PARTIES, required=required)


@dataclass(frozen=True, slots=True)
class ShiftGiven:
    hours: float | None = spec("hours of one shift", unit="h", least=1, most=24)
    shifts: int | None = spec("shifts one after the other in a day", least=1, most=3)
    days: int | None = spec("working days in a week", least=1, most=7)


@dataclass(frozen=True, slots=True)
class TeamsGiven:
    staging: int | None = _teams("rack technicians")
    power: int | None = _teams("electricians")
    liquid: int | None = _teams("liquid-cooling technicians")
    fibre: int | None = _teams("fibre technicians")
    bringup: int | None = _teams("systems engineers")
    acceptance: int | None = _teams("commissioning engineers")


@dataclass(frozen=True, slots=True)
class GradesGiven:
    staging: str | None = _grade("placing racks and mounting servers")
    power: str | None = _grade("feeds, shelves and cords")
    liquid: str | None = _grade("loops, fittings and pressure tests")
    fibre: str | None = _grade("trunks, end faces and loss tests")
    bringup: str | None = _grade("firmware, systems and diagnostics")
    acceptance: str | None = _grade("fabric, collectives and soak")


@dataclass(frozen=True, slots=True)
class PartyGiven:
    name: str | None = spec("its name in the report", longest=80)
    shift: ShiftGiven | None = field(default=None, metadata={"meaning": "when its people work"})
    teams: TeamsGiven | None = field(default=None, metadata={"meaning": "teams of each skill"})
    qualification: GradesGiven | None = field(default=None, metadata={"meaning": "how well its people know each scope"})
    experience_racks: float | None = spec(
        "racks of this kind that its people have built", unit="racks", least=0, most=100_000
    )  # fmt: skip
    tools: tuple[str, ...] | None = spec("tools that it has, in calibration", choices=TOOLS, longest=len(TOOLS))
    lead: bool | None = spec("whether it has a dedicated project lead")
    supervised_racks: float | None = spec(
        "racks that its people built under supervision of somebody experienced", unit="racks", least=0, most=100_000
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckpointsGiven:
    connector_inspection: float | None = spec(
        "share of the connectors that is inspected: 1 each, 0 none, between them a sample of each row", least=0, most=1
    )
    escalate: bool | None = spec("whether one dirty connector in a sample has the whole row inspected")
    cable_inspection: bool | None = spec("whether a second person looks at labels, bends, torque marks and cords")
    pressure_test: bool | None = spec("whether loops are held under nitrogen")
    node_acceptance: bool | None = spec("whether nodes are diagnosed and burnt in")
    fabric_gate: bool | None = spec("whether a row's fabric is held against the plan")
    collectives_gate: bool | None = spec("whether a row's collectives are run and judged")
    soak: bool | None = spec("whether the whole site runs under load before it is accepted")


@dataclass(frozen=True, slots=True)
class ArrangementGiven:
    staging: str = _by("staging")
    power: str = _by("power")
    liquid: str | None = _by("liquid", required=False)
    fibre: str = _by("fibre")
    bringup: str = _by("bring-up")
    acceptance: str = _by("acceptance")
    name: str | None = spec("its name in the report", longest=80)
    checkpoints: CheckpointsGiven | None = field(
        default=None, metadata={"meaning": "checkpoints of this arrangement where they differ from the others'"}
    )


@dataclass(frozen=True, slots=True)
class TrialGiven:
    fault: str = spec("the kind of fault that was counted", choices=tuple(kind.id for kind in FAULT_KINDS), required=True)
    operations: int = spec("pieces of work that were looked at", least=1, most=1_000_000_000, required=True)
    faults: int = spec("faults of the kind found in them", least=0, most=1_000_000_000, required=True)
    party: str | None = spec("whose work it was", choices=PARTIES)
    source: str = spec("where that is written down", longest=200, required=True)


@dataclass(frozen=True, slots=True)
class QuestionGiven:
    """`decide.yaml`. ``assumptions`` stands beside these fields and is read by `crew_assumptions`."""

    currency: str | None = spec("the currency of every amount in this file and in the answer", pattern=CURRENCY)
    usd: float | None = spec("what one US dollar is worth in the currency", least=0.0001, most=1_000_000)
    gpu_hour: float | None = spec("what an hour of one GPU is worth to the owner", unit="money/h", least=0, most=1_000_000)
    early_use: bool | None = spec("whether rows are used as soon as they are accepted, before the whole site is")
    racks_per_quarter: float | None = spec(
        "racks that are to be built in a quarter of a year, now and later", unit="racks", least=0, most=100_000
    )
    own: PartyGiven | None = field(default=None, metadata={"meaning": "the own people"})
    specialist: PartyGiven | None = field(default=None, metadata={"meaning": "the specialist crew"})
    arrangements: dict[str, ArrangementGiven] | None = field(
        default=None, metadata={"meaning": "who does which scope, by name", "pattern": ARRANGEMENT}
    )
    checkpoints: CheckpointsGiven | None = field(default=None, metadata={"meaning": "which checkpoints are kept"})
    history: str | None = spec("a CSV file of past faults, beside this file", longest=200)
    trial: tuple[TrialGiven, ...] | None = field(default=None, metadata={"meaning": "what a trial rack showed", "longest": 200})
