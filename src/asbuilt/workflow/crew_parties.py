"""Own people and specialists: what the question states, and what the assumptions say where it is silent."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from asbuilt.model.assumption import Assumptions
from asbuilt.model.crew_question import Arrangement, Checkpoints, Party, Shift
from asbuilt.model.deployment import SCOPES
from asbuilt.workflow.crew_grammar import TOOLS, ArrangementGiven, CheckpointsGiven, PartyGiven

NAMES = {"own": "own people", "specialist": "specialist crew"}
#: What a party's people are taken for where nobody says it: own people are trained before they begin, which is paid and takes
#: its days; what they have built before is their experience. Specialists sell what they have certificates for (claimed).
GRADES = {
    "own": dict.fromkeys(SCOPES, "trained"),
    "specialist": dict.fromkeys(SCOPES, "trained") | {"liquid": "certified", "fibre": "certified"},
}
#: Ids of numbers of a party that `decide.yaml` may state under its name, and where there.
STATED = {
    "shift_hours": ("shift", "hours"),
    "shifts": ("shift", "shifts"),
    "days": ("shift", "days"),
    "experience_racks": ("experience_racks",),
}


@dataclass(frozen=True, slots=True)
class Told:
    """A party, and what was taken for stated without being so."""

    party: Party
    notes: tuple[str, ...]


def stated_number(given: PartyGiven | None, key: str) -> float | None:
    """The number under one of ``STATED``, or None where the file is silent."""
    value: Any = given
    for step in STATED[key]:
        value = None if value is None else getattr(value, step)
    return None if value is None else float(value)


def party(which: str, given: PartyGiven | None, assumptions: Assumptions) -> Told:
    """The party ``which``; ``assumptions`` hold what the file states as well."""
    said = given or PartyGiven()

    def likely(key: str) -> float:
        return assumptions[f"crew.{which}.{key}"].likely

    shift = Shift(likely("shift_hours"), round(likely("shifts")), round(likely("days")))
    experience = likely("experience_racks")
    outside = which == "specialist"
    teams = _stated(said.teams)
    grades = GRADES[which] | _stated(said.qualification)
    tools = frozenset(said.tools) if said.tools is not None else frozenset(TOOLS if outside else ())
    supervised = said.supervised_racks if said.supervised_racks is not None else (experience if outside else 0.0)
    made = Party(
        which, said.name or NAMES[which], shift, teams, grades, experience, tools,
        outside if said.lead is None else said.lead, supervised,
    )  # fmt: skip
    return Told(made, tuple(_notes(which, said, made, assumptions)))


def _stated(record: Any) -> dict[str, Any]:
    """Fields of a record that are stated."""
    if record is None:
        return {}
    return {f.name: getattr(record, f.name) for f in fields(record) if getattr(record, f.name) is not None}


def _notes(which: str, said: PartyGiven, made: Party, assumptions: Assumptions) -> list[str]:
    name, found = NAMES[which], []
    for key, meaning in (("shift_hours", "hours of a shift"), ("shifts", "shifts in a day"), ("days", "days in a week")):
        if stated_number(said, key) is None:
            item = assumptions[f"crew.{which}.{key}"]
            found.append(f"{name}: {meaning} not stated under `{which}`, taken as {item.likely:g} ({item.origin})")
    if said.experience_racks is None:
        item = assumptions[f"crew.{which}.experience_racks"]
        spread = f"{item.likely:g} racks of this kind" + (f", {item.low:g} to {item.high:g}" if item.low < item.high else "")
        found.append(f"{name}: experience not stated, taken as {spread} ({item.origin})")
    lacking = [scope for scope in SCOPES if scope not in made.teams]
    if lacking:
        weeks = assumptions[f"crew.{which}.weeks"].likely
        span = "1 week" if weeks == 1.0 else f"{weeks:g} weeks"
        found.append(f"{name}: teams not stated for {', '.join(lacking)}, as many as do the work in {span} of 40 h, or fewer")
    graded = _stated(said.qualification)
    ungraded = [f"{scope} {made.qualification[scope]}" for scope in SCOPES if scope not in graded]
    if ungraded:
        found.append(f"{name}: qualification not stated, taken as {', '.join(ungraded)}")
    if said.tools is None:
        taken = "all of them" if made.tools else "none of them"
        found.append(f"{name}: tools not stated, taken to have {taken}")
    if said.lead is None:
        found.append(f"{name}: a dedicated project lead is not stated, taken as {'there' if made.lead else 'not there'}")
    if said.supervised_racks is None:
        found.append(f"{name}: racks built under supervision not stated, taken as {made.supervised_racks:g}")
    return found


def default_arrangements(liquid: bool) -> dict[str, dict[str, str]]:
    """In-house, specialist, and mixed: liquid and fibre (on air-cooled sites fibre alone) by specialists."""
    outside = ("liquid", "fibre") if liquid else ("fibre",)
    return {
        "in-house": dict.fromkeys(SCOPES, "own"),
        "specialist": dict.fromkeys(SCOPES, "specialist"),
        "mixed": {scope: "specialist" if scope in outside else "own" for scope in SCOPES},
    }


def arrangements(
    given: dict[str, ArrangementGiven] | None, common: CheckpointsGiven | None, liquid: bool
) -> tuple[Arrangement, ...]:
    """The built-in three, those of the file in the place of one of the same name or behind them."""
    kept = checkpoints(common, Checkpoints())
    made = {key: Arrangement(key, key, parties, kept) for key, parties in default_arrangements(liquid).items()}
    for key, said in (given or {}).items():
        parties = {scope: getattr(said, scope) or "own" for scope in SCOPES}
        made[key] = Arrangement(key, said.name or key, parties, checkpoints(said.checkpoints, kept))
    return tuple(made.values())


def checkpoints(given: CheckpointsGiven | None, otherwise: Checkpoints) -> Checkpoints:
    """``otherwise`` with what is stated in its place."""
    stated = _stated(given)
    kept = {f.name: getattr(otherwise, f.name) for f in fields(otherwise)}
    return Checkpoints(**(kept | stated))
