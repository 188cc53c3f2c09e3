"""A question with its own few assumptions, for tests of lists and registers: the built-in numbers may change, these don't."""

from __future__ import annotations

from collections.abc import Mapping

from asbuilt.base.origin import Confidence, Origin
from asbuilt.model.assumption import Assumed, Assumptions
from asbuilt.model.crew_question import Arrangement, Party, Question, Shift
from asbuilt.model.deployment import SCOPES

TOOLS = (
    "mpo_tester", "mpo_scope_200x", "torque_wrench", "go_nogo_gauge", "nitrogen_rig", "otdr", "milliohm_meter", "phase_tester",
)  # fmt: skip
VALUES = {
    "rule.calibration_days": 365, "rule.trial_experience_racks": 3, "rule.supervised_racks": 2, "rule.racks_per_quarter": 10,
    "rule.liquid_errors_racks": 50, "money.trial_rack": 8000, "money.deductible": 100000,
    "money.liability_passed.specialist": 0.7, "money.insurance.own": 0.003, "money.insurance.specialist": 0.0015,
    **{f"tooling.{tool}.buy": 6000 for tool in TOOLS},
    **{f"tooling.{tool}.rent_week": 400 for tool in TOOLS},
    **{f"tooling.{tool}.calibration_year": 300 for tool in TOOLS},
    **{f"money.training.{scope}": 2000 for scope in SCOPES},
    **{f"crew.team.{scope}": 2 for scope in SCOPES},
}  # fmt: skip
CLAIMED = ("rule.racks_per_quarter", "rule.liquid_errors_racks", "money.liability_passed.specialist")


def assumptions(**over: float) -> Assumptions:
    """``VALUES``, some written over (a point is written as two underscores)."""
    values: Mapping[str, float] = {**VALUES, **{key.replace("__", "."): value for key, value in over.items()}}
    return Assumptions({key: _assumed(key, float(value)) for key, value in values.items()})


def _assumed(key: str, value: float) -> Assumed:
    origin = Origin.CLAIMED if key in CLAIMED else Origin.ASSUMED
    return Assumed(key, value, value, value, "unit", origin, Confidence.LOW, "test", "test")


def party(which: str, name: str, **over: object) -> Party:
    """A party that knows and has everything, some of it written over."""
    whole: dict[str, object] = {
        "id": which, "name": name, "shift": Shift(8, 1, 5), "teams": {}, "qualification": dict.fromkeys(SCOPES, "trained"),
        "experience_racks": 20.0, "tools": frozenset(TOOLS), "lead": True, "supervised_racks": 5.0,
    }  # fmt: skip
    return Party(**{**whole, **over})  # type: ignore[arg-type]


def arrangement(outside: tuple[str, ...] = ()) -> Arrangement:
    """The scopes ``outside`` by the specialist, the rest by own people."""
    return Arrangement("case", "case", {scope: "specialist" if scope in outside else "own" for scope in SCOPES})


def question(own: Party | None = None, specialist: Party | None = None, **over: object) -> Question:
    """A question between own people and a crew."""
    whole: dict[str, object] = {
        "name": "case", "currency": "USD", "own": own or party("own", "own people"),
        "specialist": specialist or party("specialist", "the crew"), "arrangements": (arrangement(),),
        "assumptions": assumptions(),
    }  # fmt: skip
    return Question(**{**whole, **over})  # type: ignore[arg-type]
