"""What people must be able to show before they touch the work: by scope, how many of them, whether they can."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.model.decision import Item
from asbuilt.model.deployment import QUALIFICATIONS, SCOPES, SKILLS

if TYPE_CHECKING:
    from asbuilt.model.assumption import Assumptions
    from asbuilt.model.crew_question import Arrangement, Question

_CERTIFIED = QUALIFICATIONS[-1]


@dataclass(frozen=True, slots=True)
class Competence:
    """``operation``: asked for only where the site has it. ``each``: for every ``person``, or one in every ``team``. ``paper``:
    a licence or certificate that an employer's word does not replace."""

    scope: str
    what: str
    operation: str
    each: str
    paper: bool
    shown: str


#: What is asked for, with what shows it. Sources: IEC 61300-3-35 (end faces), IEC 61280-4-5 (array trunks), ASME B31.3
#: (pneumatic test), local electrical code (licence), Cray XC30 installation (second person at each torque).
COMPETENCES = (
    Competence("staging", "rack handling with lift and ramp", "rack_place", "person", False,
               "instruction signed, lift licence"),
    Competence("staging", "moving liquid-cooled racks of over a tonne", "rack_place_liquid", "team", False,
               "instruction by the maker or a mover who has done it"),
    Competence("staging", "backplane connectors: inspection and go/no-go gauge", "backplane_seat", "team", False,
               "trained by the maker on a dummy tray"),
    Competence("power", "electrician's licence of the place", "circuit_land", "team", True, "licence, by name and number"),
    Competence("power", "lock-out and live-work rules of the site", "circuit_test", "person", False, "instruction signed"),
    Competence("power", "busbar and shelf: torque with a second signature", "shelf_feed", "team", False,
               "course or supervised work"),
    Competence("liquid", "press-fit or brazed joints", "header_segment", "team", True,
               "certificate of the joint's maker, test piece"),
    Competence("liquid", "pneumatic pressure test: exclusion zone, relief valve, temperature correction", "loop_pressure_test",
               "team", True, "certificate of competence for pressure tests"),
    Competence("liquid", "torque of fittings with paint mark and second signature", "fitting_torque", "person", False,
               "course or supervised work"),
    Competence("liquid", "coolant: flush, sample, fill, spill", "loop_fill", "team", False,
               "instruction by the maker of the CDU"),
    Competence("fibre", "end-face inspection and cleaning to IEC 61300-3-35", "connector_inspect", "person", False,
               "course with a test on real end faces"),
    Competence("fibre", "MPO tester: reference, polarity, IEC 61280-4-5", "trunk_test", "team", False,
               "course of the tester's maker"),
    Competence("fibre", "routing: bend radius, pull tension, labels before pulling", "jumper_lay", "person", False,
               "course or supervised work"),
    Competence("bringup", "firmware, BMC and operating system of these machines", "node_bring_up", "team", False,
               "course of the maker or racks done"),
    Competence("bringup", "NVLink domain: fabric manager and tray states", "domain_accept", "team", False,
               "course of the maker or racks done"),
    Competence("acceptance", "fabric acceptance against a plan: links, error rates, collectives", "link_verify", "team", False,
               "course of the maker or sites done"),
)  # fmt: skip


def qualifications(
    question: Question,
    arrangement: Arrangement,
    pieces: Mapping[str, float],
    people: Mapping[str, int],
    assumptions: Assumptions,
) -> tuple[Item, ...]:
    """Needed competences: how many people, and ``met``, ``short`` or ``unknown``.

    ``people``: of each scope, all teams and shifts together; one in every team of ``crew.team.<scope>`` people where not all
    need it. Own trained people are met; novices are short, with what training them costs. A licence or certificate is unknown
    until it is shown by name, and so is everything that a specialist says of people who are not named yet: what a seller
    states is a claim.
    """
    made = []
    for competence in COMPETENCES:
        if pieces.get(competence.operation, 0) <= 0:
            continue
        scope = competence.scope
        size = 1.0 if competence.each == "person" else assumptions[f"crew.team.{scope}"].likely
        number = math.ceil(people[scope] / size)
        made.append(_item(competence, question, arrangement, number, assumptions))
    made += [item for scope in SCOPES if (item := _maker_certified(question, arrangement, scope, pieces)) is not None]
    return tuple(made)


def _item(competence: Competence, question: Question, arrangement: Arrangement, number: int, assumptions: Assumptions) -> Item:
    scope = competence.scope
    party = question.party(arrangement, scope)
    grade = party.qualification[scope]
    who = f"{party.name} ({SKILLS[scope]}, {grade}); shown by: {competence.shown}"
    basis = f"the question: qualification of {party.name}"
    if party.id != question.own.id:
        state, closes = "unknown", "to be shown by name before the first shift; the contract asks for it"
    elif grade == QUALIFICATIONS[0]:
        training = assumptions[f"money.training.{scope}"].likely * number
        state, closes = "short", f"train {number} people, about {training:,.0f} {question.currency}"
        basis = f"money.training.{scope}"
    elif competence.paper and grade != _CERTIFIED:
        state, closes = "unknown", "the licence or certificate itself has to be seen"
    else:
        state, closes = "met", ""
    return Item(competence.what, "; ".join(w for w in (who, closes) if w), float(number), "people", state, basis)


def _maker_certified(question: Question, arrangement: Arrangement, scope: str, pieces: Mapping[str, float]) -> Item | None:
    """A certificate of the maker (NVIDIA-certified installer and the like), where a party is said to have it."""
    party = question.party(arrangement, scope)
    there = any(pieces.get(c.operation, 0) > 0 for c in COMPETENCES if c.scope == scope)
    if not there or party.qualification[scope] != _CERTIFIED:
        return None
    words = (
        f"{party.name} is said to be certified for {scope}: ask for the certificate, its holder's name and its last day; that "
        "it makes faster or better is claimed by those who sell it"
    )
    return Item(
        f"maker's certificate, such as NVIDIA-certified installer ({SKILLS[scope]})",
        words,
        None,
        "",
        "unknown",
        "qualification.certified.*",
    )
