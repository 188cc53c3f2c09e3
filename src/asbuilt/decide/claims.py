"""Rules of thumb of those who sell the service, held against what the model finds under its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from asbuilt.decide.cases import Site, case_of
from asbuilt.decide.money import PARTS
from asbuilt.decide.scaled import Sizes
from asbuilt.decide.simulate import Case, Outcomes, expected, ids
from asbuilt.model.assumption import Assumed
from asbuilt.model.crew_question import Arrangement, Party, Question
from asbuilt.model.decision import ClaimHeld
from asbuilt.model.deployment import QUALIFICATIONS, SCOPES

AGREES, DIFFERS, NOT_SHOWN = "agrees", "differs", "not shown"
_TECHNICIANS = ("staging", "power", "liquid", "fibre")
_QUARTER_D, _WEEK_D = 91.0, 7.0
#: Sizes that are looked at, in compute racks: a grid, no assumption.
_SIZES = (2, 5, 10, 20, 30, 50, 75, 100, 150, 200)
#: "About" is this share of the number.
_ABOUT = 0.5
_IDLE = PARTS.index("idle")
_DIRECT = tuple(PARTS.index(part) for part in ("labour", "premium", "rework"))


_FREE = "an hour of own people is stated to cost nothing, so there is nothing to hold it against"


@dataclass(frozen=True, slots=True)
class Ground:
    """What claims are held against: the site, the question, cases and outcomes by arrangement; who is in-house, who outside;
    ``sizes``: the site by its number of compute racks."""

    site: Site
    question: Question
    cases: Mapping[str, Case]
    outcomes: Mapping[str, Outcomes]
    same_shifts: Mapping[str, Outcomes] | None
    sizes: Sizes

    def whole(self, party: str) -> Arrangement | None:
        """The arrangement in which one party does everything."""
        found = (a for a in self.question.arrangements if set(a.parties.values()) == {party})
        return next(found, None)

    def direct(self, arrangement: Arrangement) -> float:
        """Direct labour of an arrangement, mean of the runs."""
        return float(self.outcomes[arrangement.id].parts[:, _DIRECT].mean(axis=0).sum())


def held(ground: Ground) -> tuple[ClaimHeld, ...]:
    """Every rule of thumb with what was found. One that needs an arrangement that was not asked for is not shown."""
    own, outside = ground.whole("own"), ground.whole("specialist")
    claimed = ground.question.assumptions
    liquid = "liquid" in ground.site.tasks.racks
    made = [
        _premium(ground, own, outside, claimed["money.premium.specialist"]),
        _shorter(ground, own, outside, claimed["rule.shorter_time"]),
        _technicians(ground, outside, claimed["rule.large_site_racks"], claimed["rule.large_site_technicians"]),
        _quarter(ground, own, claimed["rule.racks_per_quarter"]),
        _errors(ground, own, claimed["rule.liquid_errors_racks"], liquid),
    ]
    return tuple(made)


def _absent(claim: str, claimed: str, item: Assumed, lacking: str) -> ClaimHeld:
    why = f"no arrangement was asked for in which {lacking} does everything"
    return ClaimHeld(claim, claimed, "", NOT_SHOWN, why, item.source)


def _premium(ground: Ground, own: Arrangement | None, outside: Arrangement | None, item: Assumed) -> ClaimHeld:
    claim = "direct labour of a specialist costs more per rack"
    claimed = f"{item.low:.0%} to {item.high:.0%} more"
    if own is None or outside is None:
        return _absent(claim, claimed, item, "one party")
    mine, theirs = ground.direct(own), ground.direct(outside)
    if not mine > 0.0:
        return ClaimHeld(claim, claimed, "", NOT_SHOWN, _FREE, item.source)
    more = theirs / mine - 1.0
    agrees = _within(more, item)
    why = (
        "the hours follow from practice and luck, the price of an hour from nights, weekends and the premium; people are paid "
        "while they wait for others"
    )
    verdict = AGREES if agrees else DIFFERS
    return ClaimHeld(claim, claimed, f"{more:+.0%} ({theirs:,.0f} against {mine:,.0f})", verdict, why, item.source)


def _shorter(ground: Ground, own: Arrangement | None, outside: Arrangement | None, item: Assumed) -> ClaimHeld:
    claim = "a specialist is done in less time"
    claimed = f"{item.low:.0%} to {item.high:.0%} less"
    if own is None or outside is None:
        return _absent(claim, claimed, item, "one party")
    found = _less(ground.outcomes, own.id, outside.id)
    words = f"{found:.0%} less until acceptance (P50)"
    why = "an outcome of shifts, practice and rework: no input says it"
    if ground.same_shifts is not None:
        same = _less(ground.same_shifts, own.id, outside.id)
        words += f"; {same:.0%} in own people's shifts"
        why += f"; {ground.question.specialist.shift.words} against {ground.question.own.shift.words} is most of it"
        why = why if found - same > same else why.replace("is most of it", "is the smaller part of it")
    return ClaimHeld(claim, claimed, words, AGREES if _within(found, item) else DIFFERS, why, item.source)


def _within(share: float, item: Assumed) -> bool:
    """Whether a share lies in what is claimed, to the whole per cent that is told."""
    return item.low <= round(share * 100.0) / 100.0 <= item.high


def _less(outcomes: Mapping[str, Outcomes], own: str, outside: str) -> float:
    return 1.0 - float(np.median(outcomes[outside].acceptance_d) / np.median(outcomes[own].acceptance_d))


def _technicians(ground: Ground, outside: Arrangement | None, size: Assumed, item: Assumed) -> ClaimHeld:
    racks = round(size.likely)
    claim = f"{racks} racks and more take technicians in 12-hour shifts for weeks"
    claimed = f"{item.low:g} to {item.high:g} technicians"
    if outside is None:
        return _absent(claim, claimed, item, "the specialist")
    site = Site.of(ground.sizes(racks))
    case = case_of(site, ground.question, outside)
    people, theirs = _on_a_shift(case), expected(case)
    weeks = float(theirs.acceptance_d[0]) / _WEEK_D
    found = f"{people} technicians on a shift, {weeks:.0f} weeks until acceptance at {racks} racks like these"
    agrees = item.low <= people <= item.high
    why = "counted from the pieces of this plan, scaled, at the staffing that costs least"
    if people > item.high:
        fewer = case_of(site, ground.question, outside, teams=_with_people(case, item.high))
        slow = expected(fewer)
        dearer = float(slow.cost[0] / theirs.cost[0]) - 1.0
        found += f"; with {_on_a_shift(fewer)} it is {float(slow.acceptance_d[0]) / _WEEK_D:.0f} weeks"
        why += f"; with as few as the rule says all of it costs {dearer:.0%} more, because idle GPUs cost more than people"
    return ClaimHeld(claim, claimed, found, AGREES if agrees else DIFFERS, why, item.source)


def _on_a_shift(case: Case) -> int:
    """Technicians of all teams at work at the same time; engineers of bring-up and acceptance are none."""
    return sum(int(case.pools.teams[k] * case.pools.people[k]) for k, s in enumerate(SCOPES) if s in _TECHNICIANS)


def _with_people(case: Case, most: float) -> np.ndarray:
    """Teams ``int64[6]`` with at most ``most`` technicians: in proportion, each scope one at least."""
    teams = case.pools.teams.copy()
    mine = [k for k, scope in enumerate(SCOPES) if scope in _TECHNICIANS]
    teams[mine] = np.maximum(1, (teams[mine] * most / _on_a_shift(case)).astype(np.int64))
    while int((teams[mine] * case.pools.people[mine]).sum()) > most and (teams[mine] > 1).any():
        teams[max(mine, key=lambda k: int(teams[k]))] -= 1
    return teams


def _quarter(ground: Ground, own: Arrangement | None, item: Assumed) -> ClaimHeld:
    claim = "own people with experience, tools and a lead are reasonable"
    claimed = f"up to about {item.likely:g} racks a quarter"
    if own is None:
        return _absent(claim, claimed, item, "the own side")
    asked = replace(ground.question, own=_seasoned(ground.question.own, item.likely))
    most = _largest(lambda n: float(expected(_sized(ground, asked, own, n)).acceptance_d[0]) <= _QUARTER_D)
    found = f"{most} racks like these accepted within {_QUARTER_D:g} days" if most else "not even one rack in a quarter"
    if most:
        found += ", the largest size looked at" if most == _SIZES[-1] else f", {most + 1} not"
    agrees = abs(most - item.likely) <= _ABOUT * item.likely and most < _SIZES[-1]
    why = (
        f"trained people with {asked.own.experience_racks:g} racks behind them, in {asked.own.shift.words}; teams grow with "
        "the work, shifts and holds do not shrink; what a late site costs is another matter"
    )
    return ClaimHeld(claim, claimed, found, AGREES if agrees else DIFFERS, why, item.source)


def _seasoned(own: Party, racks: float) -> Party:
    """Own people as the rule asks for: trained, experienced, with a lead."""
    grades = {scope: grade if grade != QUALIFICATIONS[0] else QUALIFICATIONS[1] for scope, grade in own.qualification.items()}
    return replace(own, experience_racks=max(own.experience_racks, racks), lead=True, qualification=grades)


def _largest(holds: Callable[[int], bool]) -> int:
    """The largest number of racks for which ``holds``, looked for by halves between sizes; 0: not even one."""
    low, high = 0, 0
    for size in _SIZES:
        if not holds(size):
            high = size
            break
        low = size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _sized(ground: Ground, asked: Question, arrangement: Arrangement, racks: int) -> Case:
    return case_of(Site.of(ground.sizes(racks)), asked, arrangement)


def _errors(ground: Ground, own: Arrangement | None, item: Assumed, liquid: bool) -> ClaimHeld:
    claim = "with liquid cooling the risk of accumulated errors dominates"
    claimed = f"from about {item.likely:g} racks on"
    if not liquid:
        return ClaimHeld(claim, claimed, "", NOT_SHOWN, "this site has no liquid-cooled racks", item.source)
    if own is None:
        return _absent(claim, claimed, item, "the own side")
    if not ground.direct(own) > 0.0:
        return ClaimHeld(claim, claimed, "", NOT_SHOWN, _FREE, item.source)
    shares = {n: _of_faults(_sized(ground, ground.question, own, n)) for n in _SIZES}
    first, without = (next((n for n, share in shares.items() if share[k] > 1.0), None) for k in range(2))
    small, large = min(shares), max(shares)
    found = f"faults cost {shares[small][0]:.0%} of direct labour at {small} racks, {shares[large][0]:.0%} at {large}; "
    found += f"more than it {_from(first)}, without idle GPUs {_from(without)}"
    below = max((n for n in _SIZES if first is not None and n < first), default=0)
    agrees = first is not None and below < item.likely <= first
    why = (
        "what faults cost: rework, parts, damage, outages, and GPUs that stand idle for it; held against a site without faults"
    )
    return ClaimHeld(claim, claimed, found, AGREES if agrees else DIFFERS, why, item.source)


def _from(racks: int | None) -> str:
    return f"from {racks} racks on" if racks is not None else "at no size looked at"


def _of_faults(case: Case) -> tuple[float, float]:
    """What faults cost, as a share of direct labour without them, at expected values: all of it, and without idle GPUs."""
    rates = [key for key in ids(case.assumptions) if case.assumptions[key].is_rate]
    with_faults, none = expected(case), expected(case, {key: np.zeros(1) for key in rates})
    labour = none.parts[0, _DIRECT].sum()
    more = with_faults.parts[0] - none.parts[0]
    return float(more.sum() / labour), float((more.sum() - more[_IDLE]) / labour)
