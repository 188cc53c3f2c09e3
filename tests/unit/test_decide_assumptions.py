"""The built-in assumptions: each id that the design asks for is there, believable in form, and says where it comes from."""

from __future__ import annotations

import pytest

from asbuilt.base.origin import Confidence, Origin
from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.model.assumption import PER_OPERATION, Assumed
from asbuilt.model.deployment import FAULT_KINDS, OPERATIONS, PARTIES, QUALIFICATIONS, SCOPES
from asbuilt.workflow.assumptions import PER_SYSTEM, defaults, for_system, limits, read_files, systems, unit_limits

TOOLS = (
    "mpo_tester", "mpo_scope_200x", "torque_wrench", "go_nogo_gauge", "nitrogen_rig", "otdr", "milliohm_meter", "phase_tester",
)  # fmt: skip
HOLDS = ("cdu_commission", "loop_flush", "loop_pressure_test", "loop_fill", "node_accept", "domain_accept", "row_collectives",
         "site_soak")  # fmt: skip


def wanted() -> dict[str, str]:
    """Every id that the parts of the decision read, with its unit."""
    ids = {f"work.{operation.id}.minutes": "min" for operation in OPERATIONS}
    ids |= {f"work.{operation}.hold": "h" for operation in HOLDS}
    ids |= {"work.noise.spread": "ratio", "access.row_people": "people", "crew.person_week_hours": "h"}
    for scope in SCOPES:
        ids |= {f"crew.team.{scope}": "people", f"money.hour.{scope}": "money/h", f"money.training.{scope}": "money"}
    for party in PARTIES:
        ids |= {
            f"crew.{party}.weeks": "weeks", f"crew.{party}.ready_days": "days",
            f"crew.{party}.shift_hours": "h", f"crew.{party}.shifts": "shifts",
            f"crew.{party}.days": "days/week", f"crew.{party}.experience_racks": "racks",
            f"money.mobilisation.{party}": "money", f"money.travel_day.{party}": "money/day",
            f"money.insurance.{party}": "share",
        }  # fmt: skip
    ids |= {"learning.slope": "ratio", "learning.reference_racks": "racks", "learning.floor": "ratio"}
    ids |= {"experience.fault_slope": "ratio", "experience.fault_floor": "ratio"}
    for grade in QUALIFICATIONS:
        ids |= {f"qualification.{grade}.time_factor": "ratio", f"qualification.{grade}.fault_factor": "ratio"}
    for kind in FAULT_KINDS:
        at = f"fault.{kind.id}"
        ids |= {f"{at}.rate": PER_OPERATION, f"{at}.parts": "money", f"{at}.outage": "h", f"{at}.outage_gpus": "GPUs"}
        ids |= {f"{at}.damage_probability": "share", f"{at}.damage": "money", f"{at}.by_work": "share"}
        ids |= {f"{at}.detect.{catch}": "share" for catch in kind.catches if catch != "production"}
        ids |= {f"{at}.{what}.{catch}": "h" for catch in kind.catches for what in ("rework", "wait")}
    for tool in TOOLS:
        ids |= {f"tooling.{tool}.buy": "money", f"tooling.{tool}.rent_week": "money/week"}
        ids |= {f"tooling.{tool}.calibration_year": "money/year"}
    ids |= {
        "money.premium.specialist": "ratio", "money.night": "ratio", "money.weekend": "ratio", "money.lead_week": "money/week",
        "money.equipment_gpu": "money", "money.deductible": "money", "money.gpu_hour": "money/h",
        "money.audit_sample": "money", "money.audit_share": "share", "money.sign_off_hours": "h",
        "money.liability_passed.specialist": "share", "rule.racks_per_quarter": "racks",
        "rule.trial_experience_racks": "racks", "production.job_share": "share", "production.job_h": "h",
        "production.times": "ratio",
    }  # fmt: skip
    return ids


@pytest.mark.parametrize("key", sorted(wanted()))
def test_each_id_of_the_design_is_there_with_its_unit(key: str) -> None:
    assert defaults()[key].unit == wanted()[key]


def test_no_fault_or_work_stands_there_that_nothing_reads() -> None:
    known = wanted()
    assert [
        i.id
        for i in defaults()
        if i.id.startswith(("work.", "fault.", "crew.", "tooling.", "production.")) and i.id not in known
    ] == []


def wrong(item: Assumed) -> list[str]:
    """What is wrong with an assumption's form, in words."""
    found = []
    if not item.low <= item.likely <= item.high:
        found.append("not in rising order")
    if item.is_rate and not 0 < item.low < item.likely < item.high < 1:
        found.append("a rate without spread, or outside 0 to 1")
    if item.unit not in unit_limits():
        found.append("unknown unit")
    if not (item.source.strip() and item.meaning.strip()):
        found.append("no source or meaning")
    if (item.origin is Origin.CLAIMED) != (item.removed is not None and bool(item.removed_why.strip())):
        found.append("claimed and removed do not go together")
    if item.origin is Origin.ASSUMED and item.confidence is not Confidence.LOW:
        found.append("assumed, but more than low confidence")
    if item.origin is Origin.ASSUMED and not item.source.startswith(("own estimate", "by definition")):
        found.append("assumed, but does not say that it is an own estimate")
    if item.origin in (Origin.PUBLISHED, Origin.DERIVED) and item.source.startswith("own estimate"):
        found.append("published, but an own estimate")
    if item.origin not in (Origin.ASSUMED, Origin.PUBLISHED, Origin.CLAIMED, Origin.DERIVED):
        found.append("a built-in value is nobody's measurement")
    return found


@pytest.mark.parametrize("item", list(defaults()), ids=lambda item: item.id)
def test_each_assumption_is_well_formed(item: Assumed) -> None:
    assert wrong(item) == []
    allowed = limits()[item.id]
    assert [allowed.broken(v) for v in (item.low, item.likely, item.high)] == ["", "", ""]


@pytest.mark.parametrize("item", list(systems()), ids=lambda item: item.id)
def test_each_value_of_a_system_is_well_formed_and_of_a_known_system(item: Assumed) -> None:
    assert wrong(item) == []
    _, system, what = item.id.split(".")
    assert load().has("system", system)
    assert item.unit == defaults()[PER_SYSTEM[what]].unit


def test_a_system_has_its_own_price_and_another_the_general_one() -> None:
    general, special = defaults(), for_system(defaults(), "l40s-8gpu")
    assert special["money.gpu_hour"].likely < general["money.gpu_hour"].likely
    assert special["money.gpu_hour"].id == "money.gpu_hour"
    assert [a.id for a, b in zip(general, special, strict=True) if a != b] == ["money.equipment_gpu", "money.gpu_hour"]
    assert for_system(general, "mi300x-8gpu").items == general.items


def test_leaving_claims_out_leaves_none_and_changes_only_them() -> None:
    before, after = defaults(), defaults().without_claims()
    assert [i.id for i in after if i.origin is Origin.CLAIMED] == []
    changed = [a.id for a, b in zip(before, after, strict=True) if a != b]
    assert changed == [i.id for i in before if i.origin is Origin.CLAIMED]
    assert {"money.premium.specialist", "crew.specialist.experience_racks"} <= set(changed)
    assert "money.hour.fibre" not in changed


def test_a_lower_stage_of_skill_is_never_better() -> None:
    items = defaults()
    for what in ("time_factor", "fault_factor"):
        grades = [items[f"qualification.{grade}.{what}"] for grade in QUALIFICATIONS]
        assert [g.likely for g in grades] == sorted((g.likely for g in grades), reverse=True)


@pytest.mark.parametrize("kind", FAULT_KINDS, ids=lambda kind: kind.id)
def test_a_fault_found_later_costs_no_less_work(kind: object) -> None:
    hours = [defaults()[f"fault.{kind.id}.rework.{catch}"].likely for catch in kind.catches]  # type: ignore[attr-defined]
    assert hours == sorted(hours)
    waits = [defaults()[f"fault.{kind.id}.wait.{catch}"].likely for catch in kind.catches]  # type: ignore[attr-defined]
    assert waits == sorted(waits)


LEAF = "low: 1, likely: 2, high: 3, unit: min, origin: assumed, confidence: low, source: own estimate, meaning: a thing"


def problems(text: str) -> str:
    with pytest.raises(ProblemError) as caught:
        read_files({"x": text.encode()})
    return str(caught.value)


def test_a_group_says_for_those_below_what_they_do_not_say() -> None:
    said = ("unit: h", "origin: assumed", "confidence: low", "source: own estimate", "meaning: m")
    text = "a:\n" + "".join(f"  {line}\n" for line in (*said, "b: {low: 1, likely: 2, high: 3}"))
    item = read_files({"x": text.encode()})["a.b"]
    assert (item.unit, item.meaning, item.high) == ("h", "m", 3.0)
    assert read_files({"x": text.replace("high: 3", "high: 3, unit: min").encode()})["a.b"].unit == "min"


@pytest.mark.parametrize(
    ("leaf", "told"),
    [
        (LEAF.replace("low: 1", "low: 4"), "low 4 of `a` lies above likely 2"),
        (LEAF.replace("high: 3", "high: 1"), "likely 2 of `a` lies above high 1"),
        (LEAF.replace("unit: min", "unit: fortnights"), "unit `fortnights` of `a` is not known"),
        (LEAF.replace("origin: assumed", "origin: guessed"), "origin `guessed` of `a` is none of: measured"),
        (LEAF.replace("source: own estimate, ", ""), "`a` does not state its source"),
        (LEAF.replace("origin: assumed", "origin: claimed"), "`a` is claimed and does not say what stands there"),
        (LEAF + ", removed: {low: 1, likely: 1, high: 1}", "`a` is not claimed, so that nothing stands in for it"),
        (LEAF.replace("likely: 2, ", ""), "`a` does not state `likely`"),
        (LEAF.replace("low: 1", "low: 0"), "`0` is absurd here: more than 0 min"),
        (LEAF + ", sauce: x", "unknown field `sauce`"),
        (LEAF.replace("low: 1", "low: .nan"), "`.nan` is not a quantity"),
    ],
)
def test_a_broken_built_in_file_says_what_and_where(leaf: str, told: str) -> None:
    text = problems(f"a: {{{leaf}}}\n")
    assert told in text
    assert text.startswith("x.yaml:1:")


def test_an_id_in_two_files_is_refused() -> None:
    with pytest.raises(ProblemError, match="stands in two files"):
        read_files({"x": f"a: {{{LEAF}}}\n".encode(), "y": f"a: {{{LEAF}}}\n".encode()})


#: What differs between the sides by its nature: a crew travels to the site.
TRAVELS = ("money.mobilisation.specialist",)


def test_a_default_that_favours_a_side_is_claimed_or_published() -> None:
    """Own estimates are the same for both sides, so that none of them decides who wins."""
    believed = defaults()
    theirs = [item for item in believed if "specialist" in item.id and item.id.replace("specialist", "own") in believed]
    pairs = [(believed[item.id.replace("specialist", "own")], item) for item in theirs]
    assert len(pairs) >= 9
    apart = [item for own, item in pairs if (own.low, own.likely, own.high) != (item.low, item.likely, item.high)]
    assert [item.id for item in apart if item.origin not in (Origin.CLAIMED, Origin.PUBLISHED)] == list(TRAVELS)
