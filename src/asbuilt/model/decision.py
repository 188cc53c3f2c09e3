"""The answer to "who builds it", as a document: figures that open to their formula, and what the answer hangs on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from asbuilt.base.origin import Origin
from asbuilt.model.assumption import Assumed


@dataclass(frozen=True, slots=True)
class Quantiles:
    """P10, P50, P90 and the mean over the simulated deployments."""

    p10: float
    p50: float
    p90: float
    mean: float


@dataclass(frozen=True, slots=True)
class Worked:
    """A figure that can be opened: ``formula`` in words, ``inputs`` by id (assumptions, quantities, other worked figures)."""

    id: str
    label: str
    value: float | None  # None: unknown
    unit: str
    formula: str
    inputs: tuple[str, ...] = ()
    origin: Origin = Origin.DERIVED
    note: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of one operation the plan has, and where that is read."""

    operation: str
    scope: str
    unit: str
    count: float
    meaning: str
    source: str


@dataclass(frozen=True, slots=True)
class CaughtFaults:
    """Faults of one kind caught at one stage: mean and P90 of the number, mean hours of rework, mean price of its parts."""

    fault: str
    catch: str
    mean: float
    p90: float
    rework_h: float
    cost: float


@dataclass(frozen=True, slots=True)
class CrewWeek:
    """People of one skill and party on site in one week (counted from 1), in one shift (1, 2, …), in the median run."""

    week: int
    shift: int
    skill: str
    party: str
    people: int
    hours: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One package of a row (or of the site) in the median run: days from the first work; ``critical``: on the critical path."""

    package: str
    scope: str
    row: str
    start_d: float
    end_d: float
    critical: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a register or list: tools, insurance, liability, records, qualifications, readiness, sign-offs.

    ``amount`` with ``unit`` where there is one, else None; ``state``: a word such as ``has``, ``buy``, ``rent``, ``short``,
    ``met``, ``unknown``; ``basis``: where it comes from.
    """

    what: str
    detail: str
    amount: float | None
    unit: str
    state: str
    basis: str


@dataclass(frozen=True, slots=True)
class Duty:
    """One line of the RACI; ``sign_off``: who signs for what where the work changes hands, else empty."""

    activity: str
    responsible: str
    accountable: str
    consulted: str
    informed: str
    sign_off: str


@dataclass(frozen=True, slots=True)
class ArrangementResult:
    """One arrangement, simulated. Money in the decision's currency, times in days from the first day on site."""

    id: str
    name: str
    parties: Mapping[str, str]
    checkpoints: tuple[str, ...]
    cost: Quantiles
    parts: Mapping[str, Quantiles]
    first_job_d: Quantiles
    acceptance_d: Quantiles
    idle_gpu_h: Quantiles
    faults: tuple[CaughtFaults, ...]
    crew: tuple[CrewWeek, ...]
    bars: tuple[Bar, ...]
    critical: tuple[str, ...]
    cost_samples: tuple[float, ...]  # at most 2,000, for the picture of the distribution
    acceptance_samples: tuple[float, ...]
    tools: tuple[Item, ...] = ()
    registers: tuple[Item, ...] = ()
    duties: tuple[Duty, ...] = ()
    qualifications: tuple[Item, ...] = ()
    records: tuple[Item, ...] = ()
    worked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Swing:
    """One assumption at its low and at its high end, all else at its mean.

    ``at_low``, ``at_high``: cost of the decision's ``rival`` minus cost of its ``winner``; below 0 the rival is cheaper.
    """

    assumption: str
    low_value: float
    high_value: float
    unit: str
    at_low: float
    at_high: float
    changes_winner: bool


@dataclass(frozen=True, slots=True)
class BreakEvenCell:
    """Who is cheapest at so many racks, such a GPU-hour value, so much experience; ``margin`` over the next one."""

    racks: int
    gpu_hour: float
    experience_racks: float
    winner: str
    margin: float


@dataclass(frozen=True, slots=True)
class NextMeasurement:
    """What knowing one thing is worth before deciding, what finding out costs, in the decision's currency.

    ``assumption`` is ``a change`` where a line is something to do otherwise; what it saves has its price in it.
    """

    assumption: str
    what: str
    worth: float
    cost: float | None
    settles: float  # share of the simulated cases, 0 to 1, in which it would change the choice
    how: str


@dataclass(frozen=True, slots=True)
class ClaimHeld:
    """A published rule of thumb held against the model."""

    claim: str
    claimed: str
    found: str
    verdict: str  # agrees | differs | not shown
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Summary:
    """One line of a comparison made under other inputs (claims left out, a trial rack, a checkpoint dropped)."""

    variant: str
    arrangement: str
    cost: Quantiles
    acceptance_d: Quantiles
    winner: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """The whole answer."""

    name: str
    plan_hash: str
    currency: str
    runs: int
    seed: int
    gpus: int
    racks: Mapping[str, int]
    rows: int
    quantities: tuple[Counted, ...]
    assumptions: tuple[Assumed, ...]
    arrangements: tuple[ArrangementResult, ...]
    winner: str
    winner_share: float  # share of the runs in which it is the cheapest
    variants: tuple[Summary, ...]
    tornado: tuple[Swing, ...]
    break_even: tuple[BreakEvenCell, ...]
    break_even_words: tuple[str, ...]
    next_measurements: tuple[NextMeasurement, ...]
    claims: tuple[ClaimHeld, ...]
    readiness: tuple[Item, ...]
    worked: tuple[Worked, ...]
    notes: tuple[str, ...]
    rival: str = ""  # what the winner is held against in ``tornado``: the next cheapest
    lead: float | None = None  # cost of the rival minus cost of the winner, everything at its mean

    def as_json(self) -> dict[str, Any]:
        """``schema decision/v1``; enumerations as words."""
        made = asdict(self)
        made["assumptions"] = [item.as_json() for item in self.assumptions]
        for row, item in zip(made["worked"], self.worked, strict=True):
            row["origin"] = str(item.origin)
        return {"schema": "decision/v1", **made}
