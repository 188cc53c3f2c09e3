"""The pools of teams of one arrangement: one pool for each scope, staffed by the party that does it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from asbuilt.model.assumption import Assumptions
from asbuilt.model.crew_question import Arrangement, Party, Question
from asbuilt.model.deployment import SCOPES

#: The first five days of a week are no weekend.
_WORKDAYS, _OFFICE_WEEK_H = 5.0, 40.0
#: A day shift is what lies in the first twelve hours of a day's work; what is beyond is night work.
_DAY_SHIFT_H = 12.0


@dataclass(frozen=True, slots=True)
class Pools:
    """Arrays over SCOPES. ``people``: of one team in one shift; ``staff``: people needed in all teams and shifts together.

    ``hours_per_day``: hours of a day in which a team position is staffed; ``qualification`` of the party; ``night`` and
    ``weekend``: shares of the paid hours.
    """

    party: tuple[str, ...]
    teams: np.ndarray  # int64[6]
    people: np.ndarray  # int64[6]
    staff: np.ndarray  # float64[6]
    shifts: np.ndarray  # int64[6], one after the other in a day
    hours_per_day: np.ndarray  # float64[6]
    days_per_week: np.ndarray  # int64[6]
    qualification: tuple[str, ...]
    night: np.ndarray  # float64[6]
    weekend: np.ndarray  # float64[6]
    tools: tuple[frozenset[str], ...]

    @property
    def specialist(self) -> np.ndarray:
        """bool[6]: the scopes that the specialist does."""
        return np.array([party == "specialist" for party in self.party])


def pools(question: Question, arrangement: Arrangement, assumptions: Assumptions, hours: np.ndarray) -> Pools:
    """Who staffs which scope. ``hours [6]``: work of each scope, of one team; teams that nobody states follow from it."""
    parties = [question.party(arrangement, scope) for scope in SCOPES]
    shifts = [party.shift for party in parties]
    per_day = np.array([shift.hours_per_day for shift in shifts])
    days = np.array([shift.days for shift in shifts], np.int64)
    teams = np.array(
        [team_count(p, scope, assumptions, h) for p, scope, h in zip(parties, SCOPES, hours.tolist(), strict=True)], np.int64
    )  # fmt: skip
    people = np.array([people_of_team(scope, assumptions) for scope in SCOPES], np.int64)
    weekly = np.array([positions(p, assumptions) for p in parties])
    return Pools(
        party=tuple(party.id for party in parties),
        teams=teams,
        people=people,
        staff=teams * people * weekly,
        shifts=np.array([shift.shifts for shift in shifts], np.int64),
        hours_per_day=per_day,
        days_per_week=days,
        qualification=tuple(p.qualification[scope] for p, scope in zip(parties, SCOPES, strict=True)),
        night=np.maximum(per_day - _DAY_SHIFT_H, 0.0) / per_day,
        weekend=np.maximum(days - _WORKDAYS, 0.0) / days,
        tools=tuple(party.tools for party in parties),
    )


def team_count(party: Party, scope: str, assumptions: Assumptions, hours: float) -> int:
    """Teams of a party for a scope: stated, or as many as do its ``hours`` in ``crew.<party>.weeks`` of one 40-hour shift."""
    stated = party.teams.get(scope)
    if stated is not None:
        return stated
    return max(1, math.ceil(hours / (assumptions[f"crew.{party.id}.weeks"].likely * _OFFICE_WEEK_H)))


def people_of_team(scope: str, assumptions: Assumptions) -> int:
    """People of one team of a scope, a whole number."""
    return max(1, round(assumptions[f"crew.team.{scope}"].likely))


def positions(party: Party, assumptions: Assumptions) -> int:
    """People who take turns in one position: one for each shift of a day, and more where a week asks too many hours of one."""
    shift = party.shift
    weekly_h = shift.hours_per_day * shift.days
    return max(shift.shifts, math.ceil(weekly_h / assumptions["crew.person_week_hours"].likely))
