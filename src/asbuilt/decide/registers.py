"""What can go wrong at whose cost: the register of insurance and liability for an arrangement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.model.decision import Item
from asbuilt.model.deployment import OPERATIONS

if TYPE_CHECKING:
    from asbuilt.model.assumption import Assumptions
    from asbuilt.model.crew_question import Arrangement, Question

OWN, SHARED, CREW = "owner bears", "shared", "crew bears"


@dataclass(frozen=True, slots=True)
class Risk:
    """``scope``: whose work it comes with (empty: whoever builds); ``operation``: asked about only where the site has it.

    ``passes``: ``damage`` (a crew pays a share of the owner's part), ``people`` (each employer's own), ``never`` (stays with
    the owner whoever builds), ``papers`` (a contract can put it on the crew).
    """

    id: str
    what: str
    scope: str
    operation: str
    passes: str
    cover: str


RISKS = (
    Risk("moving", "a rack dropped or tipped while it is moved", "staging", "rack_place", "damage",
         "installation floater with transit"),
    Risk("moving_liquid", "a liquid-cooled rack of over a tonne dropped or tipped", "staging", "rack_place_liquid", "damage",
         "installation floater with transit, value of one rack named"),
    Risk("backplane", "backplane pins bent while trays are seated", "staging", "backplane_seat", "damage",
         "installation floater; the maker's warranty ends where its procedure was not followed"),
    Risk("power", "hardware destroyed by a wrong cord, feed or loose fastener", "power", "circuit_land", "damage",
         "installation floater, electrical damage included"),
    Risk("leak", "hardware wetted by a leak", "liquid", "fitting_torque", "damage",
         "installation floater, liquid damage and consequential damage of other racks included by name"),
    Risk("optics", "end faces and modules spoiled by dirt", "fibre", "connector_mate", "damage",
         "below most deductibles: self-insured, spares at hand"),
    Risk("pressure", "people hurt by a pneumatic test", "liquid", "loop_pressure_test", "people",
         "employer's and public liability"),
    Risk("shock", "people hurt by work on live parts or by a falling load", "", "rack_place", "people",
         "employer's and public liability"),
    Risk("delay", "GPUs idle because the work ends late", "", "site_fabric", "never",
         "delay in start-up cover, or contractual damages for delay, as a rule capped far below what the GPU-hours are worth"),
    Risk("late_fault", "a fault found in production, after acceptance", "", "site_soak", "papers",
         "defects clause of the contract with its months; own work: nobody"),
    Risk("records", "records missing or void: warranty and insurance refuse", "", "link_verify", "papers",
         "no record, no pay: the record list is part of the contract"),
    Risk("access", "passwords, keys or settings in foreign hands", "bringup", "node_bring_up", "papers",
         "accounts of the crew end with acceptance; cyber cover where it is asked for"),
)  # fmt: skip


def registers(
    question: Question,
    arrangement: Arrangement,
    pieces: Mapping[str, float],
    assumptions: Assumptions,
    exposures: Mapping[str, float] | None = None,
) -> tuple[Item, ...]:
    """One line for each risk that the site has: who bears it, under which cover, with which deductible.

    ``exposures``: expected money of a risk by its id, before any cover, in the decision's currency; a risk without one stays
    unknown (``amount`` None). State ``owner bears``, ``shared`` or ``crew bears``. The last line is the insured value's premium
    rate. Raises ``ValueError`` for an exposure of a risk that is none.
    """
    given = dict(exposures or {})
    strangers = sorted(set(given) - {risk.id for risk in RISKS})
    if strangers:
        raise ValueError(f"no risk is called {', '.join(strangers)}; there are: {', '.join(risk.id for risk in RISKS)}")
    there = [risk for risk in RISKS if pieces.get(risk.operation, 0) > 0]
    made = [_item(risk, question, arrangement, assumptions, given.get(risk.id)) for risk in there]
    return (*made, *_premiums(question, arrangement, pieces, assumptions))


def _builders(question: Question, arrangement: Arrangement, scope: str) -> list[str]:
    """Ids of the parties whose work a risk comes with."""
    scopes = [scope] if scope else list(arrangement.parties)
    return sorted({question.party(arrangement, each).id for each in scopes})


def _item(risk: Risk, question: Question, arrangement: Arrangement, assumptions: Assumptions, exposure: float | None) -> Item:
    builders = _builders(question, arrangement, risk.scope)
    outside = [b for b in builders if b != question.own.id]
    state, words, basis = _borne(risk, question, bool(outside), len(outside) == len(builders), assumptions)
    return Item(risk.what, f"{words}; cover: {risk.cover}", exposure, question.currency, state, basis)


def _borne(risk: Risk, question: Question, outside: bool, alone: bool, assumptions: Assumptions) -> tuple[str, str, str]:
    """State, words and basis of who bears a risk. ``outside``: a crew builds; ``alone``: nobody else does."""
    own, crew = question.own.name, question.specialist.name
    if risk.passes == "people":
        who = f"each employer its own people: {crew}" + ("" if alone else f" and {own}")
        state = (CREW if alone else SHARED) if outside else OWN
        return state, who if outside else f"{own} as employer", "law of the place; certificates before the first shift"
    if risk.passes == "never" or not outside:
        return OWN, _kept(risk, question, assumptions), f"{_deductible(risk)}stated: who builds"
    if risk.passes == "papers":
        return CREW if alone else SHARED, f"{crew} where the contract says so, else the owner", "contract"
    item = assumptions["money.liability_passed.specialist"]
    words = (
        f"of the owner's part (deductible {assumptions['money.deductible'].likely:,.0f} {question.currency}) {crew} pays "
        f"{item.likely:.0%} where it caused the damage ({item.origin}), the owner the rest"
    )
    return SHARED, words, "money.liability_passed.specialist, money.deductible"


def _deductible(risk: Risk) -> str:
    return "money.deductible; " if risk.passes == "damage" else ""


def _kept(risk: Risk, question: Question, assumptions: Assumptions) -> str:
    if risk.passes != "damage":
        return "the owner, whoever builds" if risk.passes == "never" else "the owner: own work has no contract behind it"
    amount = assumptions["money.deductible"].likely
    return f"the owner, up to the deductible of {amount:,.0f} {question.currency} for one damage; above it the insurer"


def _premiums(
    question: Question, arrangement: Arrangement, pieces: Mapping[str, float], assumptions: Assumptions
) -> list[Item]:
    """Premium rates for the equipment's value, one line for each party that builds something."""
    scopes = {o.scope for o in OPERATIONS if pieces.get(o.id, 0) > 0}
    made = []
    for party in (question.own, question.specialist):
        builds = [scope for scope in arrangement.parties if scope in scopes and question.party(arrangement, scope) is party]
        if builds:
            rate = assumptions[f"money.insurance.{party.id}"]
            words = f"premium for the months of its work ({', '.join(builds)}); {rate.source}"
            made.append(
                Item(
                    f"insurance of the equipment, work of {party.name}",
                    words,
                    rate.likely,
                    "share of the equipment's value",
                    "premium",
                    rate.id,
                )
            )
    return made
