"""Tools that the work asks for: how many, what finding faults without them comes to, whether to buy or to rent them.

Which tool finds which fault is structure, not a number: an end face that nobody can look at is not inspected. Prices and the
days that a calibration holds are assumptions (``tooling.*``, ``rule.calibration_days``). Days count from the first day of the
scope's own work: until then nobody has a tool of it in hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.model.decision import Item
from asbuilt.model.deployment import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Set

    from asbuilt.model.assumption import Assumptions
    from asbuilt.model.crew_question import Arrangement, Question

_WEEKS_A_YEAR, _DAYS_A_WEEK = 52, 7
_SCOPE = {operation.id: operation.scope for operation in OPERATIONS}


@dataclass(frozen=True, slots=True)
class Use:
    """A tool in the hands of one scope: ``operation`` that it is needed for; ``finds``: pairs of fault kind and stage of catch
    that are not found without it; ``each``: one for every ``team``, or one for the ``site``."""

    tool: str
    name: str
    operation: str
    each: str
    finds: tuple[tuple[str, str], ...]
    why: str

    @property
    def scope(self) -> str:
        return _SCOPE[self.operation]


#: Every use of a tool. Sources: end faces IEC 61300-3-35; loss and polarity of array trunks IEC 61280-4-5, which an OTDR does
#: not replace on trunks of tens of metres; second person and paint mark at every torque: Cray XC30 installation (torque table).
USES = (
    Use("go_nogo_gauge", "go/no-go gauge of the backplane", "backplane_seat", "team", (("backplane_pin", "inspection"),),
        "a bent pin is too small to be trusted to the eye"),
    Use("torque_wrench", "torque wrench", "shelf_feed", "team", (("fastener_loose", "inspection"),),
        "a fastener is tight when a value and a second person say so"),
    Use("phase_tester", "phase rotation tester with voltage", "circuit_test", "team", (),
        "rotation and polarity of each circuit; no kind of fault that is simulated hangs on it"),
    Use("milliohm_meter", "milliohm meter, four wires", "bond_measure", "site", (),
        "earth bonds against their targets; no kind of fault that is simulated hangs on it"),
    Use("torque_wrench", "torque wrench", "fitting_torque", "team", (),
        "each fitting to its value; what leaks all the same is found under nitrogen"),
    Use("nitrogen_rig", "nitrogen rig with logging gauge and thermometer", "loop_pressure_test", "loop",
        (("fitting_leak", "pressure"),), "a loop is tight when its pressure, corrected for temperature, stays"),
    Use("mpo_tester", "MPO loss and polarity tester", "trunk_test", "team", (("trunk_loss", "inspection"),),
        "loss, polarity and length of every trunk, with the reference recorded"),
    Use("otdr", "OTDR with launch and tail cord", "trunk_test", "site", (),
        "finds the place of a loss that the tester found; it measures no loss on trunks of tens of metres"),
    Use("mpo_scope_200x", "end-face scope, 200x and 400x, with MPO tips", "connector_inspect", "team",
        (("connector_dirty", "inspection"),), "each end face before each mating; dirt is not seen without it"),
)  # fmt: skip


def uses(pieces: Mapping[str, float]) -> tuple[Use, ...]:
    """The uses that a site with these ``pieces`` of each operation has, in building order."""
    return tuple(use for use in USES if pieces.get(use.operation, 0) > 0)


def impossible(held: Mapping[str, Set[str]]) -> frozenset[tuple[str, str]]:
    """Pairs of fault kind and stage of catch that find nothing, because the scope that looks has not the tool.

    ``held``: tools of each scope, own, brought, bought and rented.
    """
    return frozenset(pair for use in USES if use.tool not in held[use.scope] for pair in use.finds)


def needed(use: Use, pieces: Mapping[str, float], teams: Mapping[str, int]) -> int:
    """How many of a tool ``use`` asks for: one, or one for each team at work at the same time, never more than the pieces."""
    if use.each == "site":
        return 1
    return max(1, min(teams[use.scope], math.ceil(pieces[use.operation])))


def lacking(
    question: Question, arrangement: Arrangement, pieces: Mapping[str, float], teams: Mapping[str, int]
) -> tuple[tuple[str, int, str], ...]:
    """Tool, how many, scope: what the party of a scope does not have and must buy or rent.

    ``pieces``: of each operation; ``teams``: at work at the same time, by scope.
    """
    return tuple(
        (use.tool, needed(use, pieces, teams), use.scope)
        for use in uses(pieces)
        if use.tool not in question.party(arrangement, use.scope).tools
    )


@dataclass(frozen=True, slots=True)
class Price:
    """What so many tools cost for so many weeks, at likely prices, in the decision's currency."""

    buy: float
    rent: float

    @property
    def choice(self) -> str:
        """``rent`` where that is cheaper, else ``buy``: what is bought stays."""
        return "rent" if self.rent < self.buy else "buy"


def price(tool: str, number: int, weeks: float, assumptions: Assumptions) -> Price:
    """Bought and calibrated for each year begun, or rented for each week begun. Raises ``KeyError`` without its prices."""
    buy = assumptions[f"tooling.{tool}.buy"].likely
    year = assumptions[f"tooling.{tool}.calibration_year"].likely
    week = assumptions[f"tooling.{tool}.rent_week"].likely
    begun = max(1, math.ceil(weeks))
    return Price(number * (buy + math.ceil(begun / _WEEKS_A_YEAR) * year), number * week * begun)


def tool_list(
    question: Question,
    arrangement: Arrangement,
    pieces: Mapping[str, float],
    teams: Mapping[str, int],
    weeks: Mapping[str, float],
    assumptions: Assumptions,
) -> tuple[Item, ...]:
    """What each scope's party needs, has, buys or rents, and until when its calibration must hold.

    ``weeks``: from the first start to the last end of the work of each scope, as money counts them. ``amount``: tools at the
    same time. State ``has``, ``buy`` or ``rent``.
    """
    return tuple(
        _item(use, question, arrangement, needed(use, pieces, teams), weeks[use.scope], assumptions) for use in uses(pieces)
    )


def _item(use: Use, question: Question, arrangement: Arrangement, number: int, weeks: float, assumptions: Assumptions) -> Item:
    party = question.party(arrangement, use.scope)
    held = use.tool in party.tools
    words = [f"{use.scope}, {party.name}: {use.why}"]
    state = "has"
    if held:
        words.append("stated that it is there, not how many")
    else:
        cost = price(use.tool, number, weeks, assumptions)
        state = cost.choice
        begun = max(1, math.ceil(weeks))
        words.append(
            f"bought and calibrated {cost.buy:,.0f} {question.currency}, rented for {begun} weeks {cost.rent:,.0f} "
            f"{question.currency}"
        )
    words.append(calibration(weeks, assumptions))
    words.append(_lost(use.finds))
    basis = f"the question: tools of {party.name}" if held else f"tooling.{use.tool}.*, {use.operation}"
    return Item(f"{use.name} ({use.tool})", "; ".join(w for w in words if w), float(number), "tools", state, basis)


def calibration(weeks: float, assumptions: Assumptions) -> str:
    """When a calibration is due, in days from the first day of the scope's work; no date is known here."""
    holds = round(assumptions["rule.calibration_days"].likely)
    lasts = math.ceil(weeks * _DAYS_A_WEEK)
    if lasts >= holds:
        return f"a certificate holds {holds} days and the work takes {lasts}: calibrate again by day {holds} at the latest"
    return f"a certificate holds {holds} days: on the first day it is at most {holds - lasts} days old"


def _lost(finds: Iterable[tuple[str, str]]) -> str:
    found = [f"{kind} at {catch}" for kind, catch in finds]
    return f"without it nothing finds {', '.join(found)}" if found else ""
