"""Cases to simulate: a question and a site put together, one case for each arrangement, staffed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from asbuilt.base.origin import Origin
from asbuilt.decide import tools
from asbuilt.decide.hours import experience_id, pieces, scope_hours
from asbuilt.decide.money import Bill
from asbuilt.decide.parties import Pools, pools
from asbuilt.decide.rework import Places, places
from asbuilt.decide.risk import Lots, lots_of
from asbuilt.decide.simulate import Case, Loaded, built, expected_load
from asbuilt.decide.tasks import Tasks
from asbuilt.model.assumption import Assumptions
from asbuilt.model.crew_question import Arrangement, Question
from asbuilt.model.deployment import OPERATIONS, QUALIFICATIONS, SCOPES

#: Scopes whose work is taken over by which scope.
HANDED = (
    ("staging", "power"), ("staging", "liquid"), ("staging", "fibre"), ("power", "bringup"), ("liquid", "bringup"),
    ("fibre", "acceptance"), ("bringup", "acceptance"),
)  # fmt: skip
_AUDIT = next(column for column, operation in enumerate(OPERATIONS) if operation.id == "audit")
#: A staffing is taken over another when it is cheaper by more than this share: no chasing of rounding.
_WORTH_IT = 1e-4


@dataclass(frozen=True, slots=True)
class Site:
    """What is built: the packages of work, where faults come from and fall to. The same for all arrangements."""

    tasks: Tasks
    lots: Lots
    places: Places

    @classmethod
    def of(cls, tasks: Tasks) -> Site:
        lots = lots_of(tasks)
        return cls(tasks, lots, places(lots, tasks))


def case_of(
    site: Site,
    question: Question,
    arrangement: Arrangement,
    assumptions: Assumptions | None = None,
    teams: np.ndarray | None = None,
) -> Case:
    """The case of one arrangement. Teams that nobody stated are as few as cost least, up to what the default gives.

    ``teams``: int64[6], those of a case that was staffed before, to spare looking again.
    """
    believed = _experienced(question, assumptions or question.assumptions)
    full = pools(question, arrangement, believed, scope_hours(site.tasks, believed))
    case = _case(site, question, arrangement, believed, full)
    if teams is not None:
        return _with_all_teams(case, question, arrangement, teams)
    stated = np.array([scope in question.party(arrangement, scope).teams for scope in SCOPES])
    staffed = _staffed(case, stated)
    tools_now = lacking(question, arrangement, pieces_by_operation(site.tasks), staffed.pools)
    return replace(staffed, bill=replace(staffed.bill, tools=tools_now))


def _experienced(question: Question, believed: Assumptions) -> Assumptions:
    """``believed`` with the racks that each party has built, where the question says another number than is assumed."""
    own = {}
    for party in (question.own, question.specialist):
        item = believed[experience_id(party.id)]
        if party.experience_racks != item.likely:
            done = party.experience_racks
            own[item.id] = replace(item, low=done, likely=done, high=done, origin=Origin.DECLARED, removed=None, removed_why="")
    return believed.with_own(own) if own else believed


def cases(site: Site, question: Question, assumptions: Assumptions | None = None) -> Mapping[str, Case]:
    """One case for each arrangement of the question, by id."""
    return {a.id: case_of(site, question, a, assumptions) for a in question.arrangements}


def _case(site: Site, question: Question, arrangement: Arrangement, believed: Assumptions, full: Pools) -> Case:
    """Tools that a party lacks are bought or rented: nothing is switched off for want of one.

    Own people with little experience are trained first, in money and in the days until they are ready. Novices are those who
    are not: they take longer and make more faults in the place of it.
    """
    green = question.own.experience_racks < believed["rule.trial_experience_racks"].likely
    busy = _with_work(site.tasks)
    own = [scope for k, scope in enumerate(SCOPES) if arrangement.parties[scope] == "own" and busy[k]]
    taught = [scope for scope in own if question.own.qualification[scope] != QUALIFICATIONS[0]]
    pieces_of = pieces_by_operation(site.tasks)
    bill = Bill(
        gpus=float(site.tasks.gpus),
        audit_samples=float(site.tasks.operations[:, _AUDIT].sum()),
        tools=lacking(question, arrangement, pieces_of, full),
        trained=tuple(taught if green else ()),
    )
    return Case(
        tasks=site.tasks,
        pools=full,
        lots=site.lots,
        places=site.places,
        pieces=pieces(site.tasks, arrangement.checkpoints),
        checkpoints=arrangement.checkpoints,
        impossible=frozenset(),
        sign_offs=sign_offs(site.tasks, arrangement),
        bill=bill,
        assumptions=believed,
        early_use=question.early_use,
    )


def pieces_by_operation(tasks: Tasks) -> dict[str, float]:
    """Pieces of each operation of the whole site."""
    return dict(zip((operation.id for operation in OPERATIONS), tasks.operations.sum(axis=0).tolist(), strict=True))


def teams_by_scope(full: Pools) -> dict[str, int]:
    """Teams at work at the same time, by scope."""
    return dict(zip(SCOPES, full.teams.tolist(), strict=True))


def lacking(
    question: Question, arrangement: Arrangement, pieces_of: Mapping[str, float], full: Pools
) -> tuple[tuple[str, float, str], ...]:
    """Tool, number and scope of what own people lack; a specialist brings tools, paid with the hours."""
    found = tools.lacking(question, arrangement, pieces_of, teams_by_scope(full))
    return tuple((tool, float(number), scope) for tool, number, scope in found if arrangement.parties[scope] == "own")


def _with_work(tasks: Tasks) -> np.ndarray:
    return np.bincount(tasks.scope, minlength=len(SCOPES)) > 0


def sign_offs(tasks: Tasks, arrangement: Arrangement) -> np.ndarray:
    """Interfaces that each package waits for, ``[T]``: the first package of a scope in a row signs for every scope that it
    takes over from another party and that has work there."""
    made = np.zeros(len(tasks.package))
    for row in range(len(tasks.rows)):
        inside = tasks.row == row
        for before, after in HANDED:
            if arrangement.parties[before] == arrangement.parties[after]:
                continue
            given = inside & (tasks.scope == SCOPES.index(before))
            taken = np.flatnonzero(inside & (tasks.scope == SCOPES.index(after)))
            if given.any() and taken.size:
                made[taken[0]] += 1.0
    return made


def _staffed(case: Case, stated: np.ndarray) -> Case:
    """``case`` with the number of teams of each skill that costs least at expected values, up to those it comes with.

    Fewer teams wait less and cost less; the site takes longer. Looked for from the most teams down and from one team up, since
    a second team of one skill may pay only beside a second one of another; the cheaper of the two ends. Stated teams stay.
    """
    load, most = expected_load(case), case.pools.teams
    load = replace(load, caught=np.zeros_like(load.caught), gone=np.zeros_like(load.gone))  # parts, damage, outages: the same
    few = case
    for k in np.flatnonzero(~stated).tolist():
        few = _with_teams(few, k, 1)
    known: dict[tuple[int, ...], float] = {}
    ends = [_cheapest(start, load, stated, most, known) for start in ((case, few) if (most[~stated] > 1).any() else (case,))]
    return min(ends, key=lambda end: end[1])[0]


def _cheapest(
    best: Case, load: Loaded, stated: np.ndarray, most: np.ndarray, known: dict[tuple[int, ...], float]
) -> tuple[Case, float]:
    """From ``best`` on: skills in turn, largest staff first, each with one team less or more, half or twice as many, until
    nothing gets cheaper. The case and its cost; ``known``: costs by teams, of whoever looked before."""

    def price(one: Case) -> float:
        teams = tuple(one.pools.teams.tolist())
        if teams not in known:
            known[teams] = float(built(one, load)[0].cost[0])
        return known[teams]

    least = price(best)
    moved = True
    while moved:
        moved = False
        for k in np.argsort(-best.pools.staff, kind="stable").tolist():
            while not stated[k]:
                now = int(best.pools.teams[k])
                numbers = {min(max(other, 1), int(most[k])) for other in (now // 2, now - 1, now + 1, 2 * now)} - {now}
                tried = [_with_teams(best, k, number) for number in sorted(numbers)]
                prices = [price(one) for one in tried]
                at = int(np.argmin(prices)) if prices else 0
                if not prices or prices[at] >= least * (1.0 - _WORTH_IT):
                    break
                best, least, moved = tried[at], prices[at], True
    return best, least


def _with_teams(case: Case, scope: int, number: int) -> Case:
    teams = case.pools.teams.copy()
    staff = case.pools.staff.copy()
    staff[scope] *= number / teams[scope]
    teams[scope] = number
    return replace(case, pools=replace(case.pools, teams=teams, staff=staff))


def _with_all_teams(case: Case, question: Question, arrangement: Arrangement, teams: np.ndarray) -> Case:
    staff = case.pools.staff * teams / case.pools.teams
    full = replace(case.pools, teams=teams.copy(), staff=staff)
    tools_now = lacking(question, arrangement, pieces_by_operation(case.tasks), full)
    return replace(case, pools=full, bill=replace(case.bill, tools=tools_now))
