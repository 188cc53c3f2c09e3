"""Rules of thumb held against the model: what is called agreement, what differs, what cannot be shown."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from asbuilt.decide import claims
from asbuilt.decide.cases import Site, cases
from asbuilt.decide.claims import AGREES, DIFFERS, NOT_SHOWN, Ground, held
from asbuilt.decide.money import PARTS
from asbuilt.decide.runs import run
from asbuilt.decide.scaled import Scaled, scaled
from asbuilt.decide.simulate import Case, Outcomes, expected
from asbuilt.model.decision import ClaimHeld
from decide_sites import SMALL, WET, question, site, stated

DIRECT = ("labour", "premium", "rework")
RUNS = 20


@functools.cache
def ground(template: str = SMALL) -> Ground:
    """A site with few runs, no comparison in the same shifts, and 4 racks in the place of 100 as a large site."""
    small = stated(question(template).assumptions, rule__large_site_racks=4.0)
    asked = replace(question(template), runs=RUNS, assumptions=small)
    staffed = cases(site(template), asked)
    return Ground(site(template), asked, staffed, run(staffed, 1, RUNS), None, Scaled(site(template).tasks))


@pytest.fixture
def two_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only two sizes are looked at: what is said of them is the same arithmetic."""
    monkeypatch.setattr(claims, "_SIZES", (2, 5))


def said(found: Ground, number: int) -> ClaimHeld:
    """One of the claims, in the order in which they are held."""
    return held(found)[number]


def with_direct(base: Ground, amounts: Mapping[str, float]) -> Ground:
    """The same with so much direct labour of each arrangement, all of it labour."""
    made = {}
    for key, outcomes in base.outcomes.items():
        parts = outcomes.parts.copy()
        parts[:, [PARTS.index(part) for part in DIRECT]] = 0.0
        parts[:, PARTS.index("labour")] = amounts[key]
        made[key] = replace(outcomes, parts=parts)
    return replace(base, outcomes=made)


def with_days(outcomes: Mapping[str, Outcomes], days: Mapping[str, float]) -> dict[str, Outcomes]:
    return {key: replace(o, acceptance_d=np.full(len(o.acceptance_d), days[key])) for key, o in outcomes.items()}


@pytest.mark.usefixtures("two_sizes")
@pytest.mark.parametrize(
    ("theirs", "found", "verdict"),
    [
        (130_000.0, "+30% (130,000 against 100,000)", AGREES),
        (120_000.0, "+20% (120,000 against 100,000)", AGREES),
        (119_000.0, "+19% (119,000 against 100,000)", DIFFERS),
        (141_000.0, "+41% (141,000 against 100,000)", DIFFERS),
        (80_000.0, "-20% (80,000 against 100,000)", DIFFERS),
    ],
)
def test_the_premium_agrees_within_what_is_claimed(theirs: float, found: str, verdict: str) -> None:
    amounts = {"in-house": 100_000.0, "specialist": theirs, "mixed": 1.0}
    made = said(with_direct(ground(), amounts), 0)
    assert (made.claimed, made.found, made.verdict) == ("20% to 40% more", found, verdict)
    assert made.source.startswith("firms that sell the service")


@pytest.mark.usefixtures("two_sizes")
@pytest.mark.parametrize(
    ("theirs", "same", "found", "verdict", "why"),
    [
        (60.0, None, "40% less until acceptance (P50)", AGREES, "no input says it"),
        (50.0, 95.0, "50% less until acceptance (P50); 5% in own people's shifts", AGREES, "is most of it"),
        (60.0, 65.0, "40% less until acceptance (P50); 35% in own people's shifts", AGREES, "is the smaller part of it"),
        (75.0, 98.0, "25% less until acceptance (P50); 2% in own people's shifts", DIFFERS, "is most of it"),
        (40.0, 90.0, "60% less until acceptance (P50); 10% in own people's shifts", DIFFERS, "is most of it"),
        (120.0, 140.0, "-20% less until acceptance (P50); -40% in own people's shifts", DIFFERS, ""),
    ],
)
def test_the_time_agrees_within_what_is_claimed(theirs: float, same: float | None, found: str, verdict: str, why: str) -> None:
    base = ground()
    days = {"in-house": 100.0, "specialist": theirs, "mixed": 1.0}
    made = replace(base, outcomes=with_days(base.outcomes, days))
    if same is not None:
        made = replace(made, same_shifts=with_days(base.outcomes, {**days, "specialist": same}))
    told = said(made, 1)
    assert (told.claimed, told.found, told.verdict) == ("30% to 50% less", found, verdict)
    assert told.why.endswith(why)


@pytest.mark.usefixtures("two_sizes")
def test_what_was_not_asked_for_cannot_be_shown() -> None:
    base = ground(WET)
    mixed = tuple(a for a in base.question.arrangements if a.id == "mixed")
    alone = replace(base, question=replace(base.question, arrangements=mixed))
    told = held(alone)
    assert [claim.verdict for claim in told] == [NOT_SHOWN] * 5 and not any(claim.found for claim in told)
    assert [re.sub(".*in which (.*) does everything", r"\1", claim.why) for claim in told] == [
        "one party",
        "one party",
        "the specialist",
        "the own side",
        "the own side",
    ]
    dry = said(ground(SMALL), 4)
    assert (dry.verdict, dry.why, dry.found) == (NOT_SHOWN, "this site has no liquid-cooled racks", "")


@pytest.mark.usefixtures("two_sizes")
def test_people_who_cost_nothing_are_no_measure() -> None:
    base = ground(WET)
    told = held(with_direct(base, dict.fromkeys(base.outcomes, 0.0)))
    for at in (0, 4):
        assert told[at].verdict == NOT_SHOWN and told[at].found == "" and "cost nothing" in told[at].why


@pytest.mark.parametrize("most", [*range(12), 19, 20, 21, 74, 75, 76, 149, 199, 200])
def test_the_largest_size_is_found_between_those_that_are_looked_at(most: int) -> None:
    asked: list[int] = []

    def holds(racks: int) -> bool:
        asked.append(racks)
        return racks <= most

    assert claims._largest(holds) == most
    assert min(asked) >= 1 and len(asked) < 20


@pytest.mark.usefixtures("two_sizes")
def test_racks_of_a_quarter_are_those_that_are_accepted_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_QUARTER_D", 40.0)
    base = ground()
    found = said(base, 3)
    own = base.whole("own")
    assert own is not None
    asked = replace(base.question, own=claims._seasoned(base.question.own, 10.0))
    days = {n: float(expected(claims._sized(base, asked, own, n)).acceptance_d[0]) for n in range(1, 6)}
    most = max((n for n in days if all(days[m] <= 40.0 for m in range(1, n + 1))), default=0)
    assert found.found == {
        0: "not even one rack in a quarter",
        5: "5 racks like these accepted within 40 days, the largest size looked at",
    }.get(most, f"{most} racks like these accepted within 40 days, {most + 1} not")
    assert found.verdict == DIFFERS  # five is too far from the ten that are claimed, and nothing larger was looked at


@pytest.mark.usefixtures("two_sizes")
def test_what_faults_cost_is_held_against_a_site_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    base = ground(WET)
    own = base.whole("own")
    assert own is not None
    shares = {n: claims._of_faults(claims._sized(base, base.question, own, n)) for n in (2, 5)}
    for whole, without_idle in shares.values():
        assert whole > without_idle > 0.0
    told = said(base, 4)
    assert told.found.startswith(f"faults cost {shares[2][0]:.0%} of direct labour at 2 racks, {shares[5][0]:.0%} at 5; ")
    # Without any fault in the rates there is nothing that faults cost.
    real = claims.expected
    rates = {item.id: np.zeros(1) for item in base.question.assumptions if item.is_rate}
    case = claims._sized(base, base.question, own, 2)
    monkeypatch.setattr(claims, "expected", lambda case, changed=None: real(case, rates))
    assert claims._of_faults(case) == (0.0, 0.0)


@pytest.mark.usefixtures("two_sizes")
def test_technicians_are_counted_from_the_teams_of_the_scaled_site() -> None:
    base = ground()
    told = said(base, 2)
    outside = base.whole("specialist")
    assert outside is not None
    case: Case = claims.case_of(Site.of(scaled(base.site.tasks, 4)), base.question, outside)
    people = int((case.pools.teams * case.pools.people)[:4].sum())
    assert told.claim.startswith("4 racks and more") and told.found.startswith(f"{people} technicians on a shift, ")
    assert told.verdict == (AGREES if 10 <= people <= 20 else DIFFERS)
