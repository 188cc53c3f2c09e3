"""Who is responsible, accountable, consulted and informed; and who signs what where the work changes hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.model.decision import Duty
from asbuilt.model.deployment import OPERATIONS, SCOPES, SKILLS

if TYPE_CHECKING:
    from asbuilt.model.crew_question import Arrangement, Question

_OWNER, _VENDOR = "owner", "makers of the hardware"


@dataclass(frozen=True, slots=True)
class HandOver:
    """One scope's work taken over by another; ``evidence``: what must be on the table before anybody signs, by operation."""

    before: str
    after: str
    each: str
    evidence: tuple[tuple[str, str], ...]


#: In building order. What the next one builds on is what the one before must prove.
HAND_OVERS = (
    HandOver("staging", "power", "rack", (
        ("rack_place", "racks in place, level, bolted"),
        ("rack_place_liquid", "liquid-cooled racks in place, level, bolted"),
        ("backplane_seat", "seat photos and gauge results of the trays"),
    )),
    HandOver("staging", "liquid", "rack", (("rack_place_liquid", "liquid-cooled racks in place, clearances above measured"),)),
    HandOver("staging", "fibre", "rack", (
        ("panel_mount", "panels fixed at their planned height"),
        ("switch_mount", "switches fixed at their planned height"),
    )),
    HandOver("power", "bringup", "row", (
        ("circuit_test", "voltage, rotation and polarity of the circuits"),
        ("bond_measure", "bond readings within target"),
        ("shelf_feed", "torque records of the shelves, second signature"),
        ("cord_plug", "cords held against the plan by a second person"),
    )),
    HandOver("liquid", "bringup", "row", (
        ("fitting_torque", "torque records of the fittings, second signature, paint mark"),
        ("loop_pressure_test", "pressure logs of the loops, corrected for temperature"),
        ("loop_flush", "coolant samples of the loops"),
    )),
    HandOver("fibre", "acceptance", "row", (
        ("connector_inspect", "end-face images with verdict"),
        ("trunk_test", "loss, polarity and length of the trunks"),
        ("jumper_lay", "labels and bends looked at by a second person"),
    )),
    HandOver("bringup", "acceptance", "row", (
        ("node_accept", "node archives without a finding that blocks"),
        ("domain_accept", "states of the NVLink domains"),
        ("switch_bring_up", "software and settings of the switches"),
    )),
)  # fmt: skip

_ACTIVITY = {
    "staging": "bring in, place and equip the racks",
    "power": "land, test and plug the power",
    "liquid": "build, test and fill the coolant loops",
    "fibre": "pull, inspect, mate and test the fibres and cables",
    "bringup": "bring up machines and switches",
    "acceptance": "prove fabric, collectives and soak",
}


def duties(question: Question, arrangement: Arrangement, pieces: Mapping[str, float], rows: int) -> tuple[Duty, ...]:
    """Lines of the RACI: the scopes that have work, the hand-overs between parties, the gates, audit and acceptance.

    ``pieces``: of each operation; ``rows``: rows of the site, each handed over by itself. Where both sides of a hand-over are
    one party, nothing is signed over and there is no line.
    """
    scopes = [scope for scope in SCOPES if any(pieces.get(o.id, 0) > 0 for o in OPERATIONS if o.scope == scope)]
    made = [_work(question, arrangement, scope) for scope in scopes]
    for hand_over in HAND_OVERS:
        evidence = [(o, words) for o, words in hand_over.evidence if pieces.get(o, 0) > 0]
        if evidence and hand_over.before in scopes and hand_over.after in scopes:
            made += _signed(question, arrangement, hand_over, [f"{pieces[o]:,.0f} x {words}" for o, words in evidence], rows)
    if pieces.get("audit", 0) > 0:
        made.append(_audit(question, arrangement, pieces["audit"]))
    made.append(_accept(question, arrangement))
    return tuple(made)


def _lead(question: Question, arrangement: Arrangement, scope: str) -> str:
    return f"project lead of {question.party(arrangement, scope).name}"


def _work(question: Question, arrangement: Arrangement, scope: str) -> Duty:
    party = question.party(arrangement, scope)
    outside = party.id != question.own.id
    return Duty(
        activity=_ACTIVITY[scope],
        responsible=f"{party.name}: {SKILLS[scope]}s",
        accountable=_lead(question, arrangement, scope),
        consulted=_VENDOR,
        informed=f"{_OWNER}'s project lead" if outside else _OWNER,
        sign_off="",
    )


def _signed(question: Question, arrangement: Arrangement, hand_over: HandOver, evidence: list[str], rows: int) -> list[Duty]:
    gives, takes = question.party(arrangement, hand_over.before), question.party(arrangement, hand_over.after)
    if gives.id == takes.id:
        return []
    each = f"row by row, {rows} rows on the site" if hand_over.each == "row" else "rack by rack"
    words = (
        f"handed over by {gives.name}, taken over by {takes.name}, {each}, both sign: {'; '.join(evidence)}. What the "
        "records show is taken over as they show it; what they lack stays with the giver"
    )
    return [
        Duty(
            activity=f"hand-over from {hand_over.before} to {hand_over.after}",
            responsible=f"{gives.name}: {SKILLS[hand_over.before]}s",
            accountable=_lead(question, arrangement, hand_over.before),
            consulted=f"{takes.name}: {SKILLS[hand_over.after]}s",
            informed=f"{_OWNER}'s project lead",
            sign_off=words,
        )
    ]


def _audit(question: Question, arrangement: Arrangement, samples: float) -> Duty:
    builders = sorted({question.party(arrangement, scope).name for scope in SCOPES})
    words = (
        f"{samples:,.0f} records measured again; the owner draws the sample and does not tell it before the day; what counts "
        "as a failure and when the sample grows is written down first"
    )
    return Duty("measure a sample of the records again", "third party or own people who did not build", _OWNER,
                ", ".join(builders), "insurer", words)  # fmt: skip


def _accept(question: Question, arrangement: Arrangement) -> Duty:
    proves = question.party(arrangement, SCOPES[-1])
    words = "acceptance is signed by the owner alone, on the verification report, the record list complete and the soak passed"
    return Duty("accept the cluster", _OWNER, _OWNER, _lead(question, arrangement, SCOPES[-1]), proves.name, words)
