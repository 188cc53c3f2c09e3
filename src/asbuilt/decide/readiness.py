"""Whether the own team is ready: experience, tools, training, supervision, a lead, pace; and what closes each gap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from asbuilt.base.origin import Origin
from asbuilt.decide.tools import uses
from asbuilt.model.decision import Item
from asbuilt.model.deployment import OPERATIONS, QUALIFICATIONS, SCOPES

if TYPE_CHECKING:
    from asbuilt.model.assumption import Assumed, Assumptions
    from asbuilt.model.crew_question import Question

MET, SHORT, UNKNOWN = "met", "short", "unknown"
_LIQUID = "liquid"


def readiness(
    question: Question, pieces: Mapping[str, float], racks: Mapping[str, int], assumptions: Assumptions
) -> tuple[Item, ...]:
    """Lines of the readiness check of own people, each ``met``, ``short`` or ``unknown`` with what closes it.

    ``pieces``: of each operation; ``racks``: of the site, by kind. ``amount``: what the own team has. The last line, a trial
    rack, is ``short`` (advised) where experience, training or supervision fall short. Thresholds: ``rule.*``.
    """
    own, scopes = question.own, _scopes(pieces)
    novices = [scope for scope in scopes if own.qualification[scope] == QUALIFICATIONS[0]]
    lines = [
        _experience(question, assumptions),
        _tools(question, pieces),
        _trained(novices, scopes),
        _supervised(question, assumptions),
        _lead(question),
        _pace(question, assumptions),
    ]
    if racks.get(_LIQUID, 0) > 0:
        lines.append(_liquid(racks[_LIQUID], assumptions))
    gaps = [line.what for line in (lines[0], lines[2], lines[3]) if line.state == SHORT]
    return (*lines, _trial(question, gaps, assumptions))


def _scopes(pieces: Mapping[str, float]) -> list[str]:
    there = {operation.scope for operation in OPERATIONS if pieces.get(operation.id, 0) > 0}
    return [scope for scope in SCOPES if scope in there]


def _said(rule: Assumed) -> str:
    """Where a threshold comes from, and that it is only claimed where it is."""
    claimed = " (claimed)" if rule.origin is Origin.CLAIMED else ""
    return f"{rule.id} = {rule.likely:g} {rule.unit}{claimed}: {rule.source}"


def _experience(question: Question, assumptions: Assumptions) -> Item:
    rule, had = assumptions["rule.trial_experience_racks"], question.own.experience_racks
    enough = had >= rule.likely
    words = f"{had:g} racks of this kind built before, {rule.likely:g} asked for"
    closes = "" if enough else "; a trial rack, or people who have done it, close it"
    return Item("experience", words + closes, had, "racks", MET if enough else SHORT, _said(rule))


def _tools(question: Question, pieces: Mapping[str, float]) -> Item:
    asked = sorted({use.tool for use in uses(pieces)})
    missing = [tool for tool in asked if tool not in question.own.tools]
    words = f"{len(asked) - len(missing)} of {len(asked)} tools at hand and in calibration"
    if missing:
        words += f"; missing: {', '.join(missing)}: buy or rent them, the tool list says which"
    return Item("tools", words, float(len(asked) - len(missing)), "tools", SHORT if missing else MET, "the question: own.tools")


def _trained(novices: list[str], scopes: list[str]) -> Item:
    words = f"trained or certified in {len(scopes) - len(novices)} of {len(scopes)} scopes of work"
    if novices:
        words += f"; novices in {', '.join(novices)}: train them under supervision, or give these scopes away"
    amount = float(len(scopes) - len(novices))
    return Item("training", words, amount, "scopes", SHORT if novices else MET, "the question: own.qualification")


def _supervised(question: Question, assumptions: Assumptions) -> Item:
    rule, had = assumptions["rule.supervised_racks"], question.own.supervised_racks
    enough = had >= rule.likely
    words = f"{had:g} racks built under supervision of somebody experienced, {rule.likely:g} asked for"
    closes = "" if enough else "; have the first racks of this site supervised"
    return Item("work under supervision", words + closes, had, "racks", MET if enough else SHORT, _said(rule))


def _lead(question: Question) -> Item:
    if question.own.lead:
        return Item("project lead", "a lead with no other task", None, "", MET, "the question: own.lead")
    words = "nobody leads the work alone; free one person for the whole time, money.lead_week says what that costs"
    return Item("project lead", words, None, "", SHORT, "the question: own.lead")


def _pace(question: Question, assumptions: Assumptions) -> Item:
    rule, asked = assumptions["rule.racks_per_quarter"], question.racks_per_quarter
    if asked is None:
        words = "racks a quarter are not stated; state how many come, then it can be judged"
        return Item("racks a quarter", words, None, "racks", UNKNOWN, _said(rule))
    within = asked <= rule.likely
    words = f"{asked:g} racks come in a quarter, up to {rule.likely:g} are said to be reasonable for own people"
    closes = "" if within else "; more own teams, or a crew for the peak"
    return Item("racks a quarter", words + closes, asked, "racks", MET if within else SHORT, _said(rule))


def _liquid(racks: int, assumptions: Assumptions) -> Item:
    rule = assumptions["rule.liquid_errors_racks"]
    below = racks < rule.likely
    words = f"{racks} liquid-cooled racks; from {rule.likely:g} on accumulated errors are said to dominate"
    closes = "" if below else "; keep every checkpoint, and look at the expected faults: they are computed, not believed"
    return Item("errors that add up", words + closes, float(racks), "racks", MET if below else SHORT, _said(rule))


def _trial(question: Question, gaps: list[str], assumptions: Assumptions) -> Item:
    basis = "rule.trial_experience_racks, rule.supervised_racks, money.trial_rack"
    if not gaps:
        return Item("trial rack", "not needed: experience, training and supervision are there", None, "", MET, basis)
    cost = assumptions["money.trial_rack"].likely
    words = (
        f"build one rack first, slowly, with every record and every fault counted; short of {', '.join(gaps)}. It costs "
        f"about {cost:,.0f} {question.currency} more than the rack itself; what it shows replaces the assumed fault rates"
    )
    return Item("trial rack", words, 1.0, "racks", SHORT, basis)
