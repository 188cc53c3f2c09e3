"""Qualifications, readiness, duties, records, liability: lines that follow from who builds what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asbuilt.decide.qualifications import qualifications
from asbuilt.decide.raci import duties
from asbuilt.decide.readiness import readiness
from asbuilt.decide.records import records
from asbuilt.decide.registers import RISKS, registers
from asbuilt.decide.tasks import tasks, totals
from asbuilt.decide.tools import needed, uses
from asbuilt.model.crew_question import Checkpoints
from asbuilt.model.decision import Item
from asbuilt.model.deployment import OPERATIONS, SCOPES
from asbuilt.workflow.assumptions import defaults
from decide_case import arrangement, assumptions, party, question
from template_plans import made

SITE = tasks(made("gb300-nvl72"))
NVL72, RACKS = totals(SITE), SITE.racks
AIR_SITE = tasks(made("l40s-384"))
AIR = totals(AIR_SITE)
PEOPLE = {"staging": 6, "power": 4, "liquid": 6, "fibre": 5, "bringup": 2, "acceptance": 2}
TEAMS = {"staging": 2, "power": 2, "liquid": 3, "fibre": 3, "bringup": 1, "acceptance": 1}
MIXED = arrangement(("liquid", "fibre"))


def _by_what(items: tuple[Item, ...]) -> dict[str, Item]:
    found = {item.what: item for item in items}
    assert len(found) == len(items)
    return found


# --- qualifications


def test_own_trained_people_are_met_novices_short_and_licences_have_to_be_seen() -> None:
    own = party("own", "own people", qualification=dict.fromkeys(SCOPES, "trained") | {"fibre": "novice"})
    found = _by_what(qualifications(question(own=own), arrangement(), NVL72, PEOPLE, assumptions()))
    faces = found["end-face inspection and cleaning to IEC 61300-3-35"]
    assert (faces.state, faces.amount, faces.basis) == ("short", 5.0, "money.training.fibre")
    assert faces.detail == (
        "own people (fibre technician, novice); shown by: course with a test on real end faces; train 5 people, "
        "about 10,000 USD"
    )
    assert found["MPO tester: reference, polarity, IEC 61280-4-5"].amount == 3.0  # one in each pair of five
    assert found["electrician's licence of the place"].state == "unknown"
    assert found["lock-out and live-work rules of the site"].state == "met"


def test_what_a_specialist_says_of_people_without_names_is_unknown() -> None:
    crew = party("specialist", "the crew", qualification=dict.fromkeys(SCOPES, "certified"))
    found = qualifications(question(specialist=crew), arrangement(SCOPES), NVL72, PEOPLE, assumptions())
    assert {item.state for item in found} == {"unknown"}
    claimed = _by_what(found)["maker's certificate, such as NVIDIA-certified installer (fibre technician)"]
    assert claimed.amount is None
    assert claimed.detail == (
        "the crew is said to be certified for fibre: ask for the certificate, its holder's name and its last day; that it "
        "makes faster or better is claimed by those who sell it"
    )


def test_an_air_cooled_site_asks_for_no_liquid_and_no_press_fit() -> None:
    found = _by_what(qualifications(question(), arrangement(), AIR, PEOPLE, assumptions()))
    assert not [what for what in found if "pneumatic" in what or "press-fit" in what or "backplane" in what]


# --- readiness


def test_a_team_that_has_everything_is_ready_and_needs_no_trial() -> None:
    found = readiness(question(racks_per_quarter=8.0), NVL72, RACKS, assumptions())
    assert {line.state for line in found} == {"met"}
    assert found[-1].detail == "not needed: experience, training and supervision are there"


def test_each_gap_has_what_closes_it_and_a_trial_rack_is_advised() -> None:
    own = party(
        "own", "own people", experience_racks=2.0, supervised_racks=0.0, lead=False, tools=frozenset({"torque_wrench"}),
        qualification=dict.fromkeys(SCOPES, "trained") | {"liquid": "novice"},
    )  # fmt: skip
    found = _by_what(readiness(question(own=own), NVL72, {**RACKS, "liquid": 100}, assumptions()))
    states = {what: line.state for what, line in found.items()}
    assert states.pop("racks a quarter") == "unknown"
    assert set(states.values()) == {"short"}
    assert found["experience"].detail == (
        "2 racks of this kind built before, 3 asked for; a trial rack, or people who have done it, close it"
    )
    assert found["tools"].detail == (
        "1 of 8 tools at hand and in calibration; missing: go_nogo_gauge, milliohm_meter, mpo_scope_200x, mpo_tester, "
        "nitrogen_rig, otdr, phase_tester: buy or rent them, the tool list says which"
    )
    assert found["training"].detail == (
        "trained or certified in 5 of 6 scopes of work; novices in liquid: train them under supervision, or "
        "give these scopes away"
    )
    assert found["racks a quarter"].basis == "rule.racks_per_quarter = 10 unit (claimed): test"
    assert found["trial rack"].detail == (
        "build one rack first, slowly, with every record and every fault counted; short of experience, training, work under "
        "supervision. It costs about 8,000 USD more than the rack itself; what it shows replaces the assumed fault rates"
    )


@pytest.mark.parametrize(("racks", "state"), [(10.0, "met"), (11.0, "short"), (None, "unknown")])
def test_racks_a_quarter_are_held_against_the_rule(racks: float | None, state: str) -> None:
    found = _by_what(readiness(question(racks_per_quarter=racks), AIR, AIR_SITE.racks, assumptions()))
    assert found["racks a quarter"].state == state
    assert "errors that add up" not in found  # no liquid


# --- duties


def test_one_party_hands_nothing_over_to_itself() -> None:
    lines = duties(question(), arrangement(), NVL72, 3)
    assert not [line for line in lines if line.activity.startswith("hand-over")]
    assert [line.activity for line in lines][-2:] == ["measure a sample of the records again", "accept the cluster"]
    assert all(line.responsible.startswith("own people") for line in lines[:6])


def test_a_mixed_crew_signs_at_each_hand_over_with_evidence_from_the_plan() -> None:
    lines = {line.activity: line for line in duties(question(), MIXED, NVL72, 3)}
    handed = [activity for activity in lines if activity.startswith("hand-over")]
    assert handed == [
        "hand-over from staging to liquid",
        "hand-over from staging to fibre",
        "hand-over from liquid to bringup",
        "hand-over from fibre to acceptance",
    ]
    assert lines["hand-over from liquid to bringup"].sign_off == (
        "handed over by the crew, taken over by own people, row by row, 3 rows on the site, both sign: 238 x torque records of "
        "the fittings, "
        "second signature, paint mark; 3 x pressure logs of the loops, corrected for temperature; 3 x coolant samples of the "
        "loops. What the records show is taken over as they show it; what they lack stays with the giver"
    )
    assert lines["build, test and fill the coolant loops"].accountable == "project lead of the crew"
    assert lines["build, test and fill the coolant loops"].informed == "owner's project lead"
    assert lines["accept the cluster"].responsible == "owner"


def test_hand_overs_are_those_where_the_party_changes() -> None:
    for outside in (("staging",), ("bringup", "acceptance"), ("power",), SCOPES):
        lines = duties(question(), arrangement(outside), NVL72, 3)
        for line in lines:
            if line.activity.startswith("hand-over"):
                _, _, before, _, after = line.activity.split()
                assert (before in outside) != (after in outside)


def test_an_air_cooled_site_has_no_liquid_duties() -> None:
    assert not [line for line in duties(question(), MIXED, AIR, 2) if "coolant" in line.activity or "liquid" in line.activity]


# --- records


def test_every_record_has_the_count_of_the_plan() -> None:
    found = _by_what(records(question(), MIXED, NVL72, TEAMS))
    amounts = {what: item.amount for what, item in found.items()}
    assert amounts == {
        "seat inspection photos of backplane connectors": 432,
        "torque records of power shelves and busbars": 128,
        "cord check": 126,
        "rotation, polarity and voltage of circuits": 156,
        "bond readings": 44,
        "coolant samples": 3,
        "torque records of fittings": 238,
        "pressure logs": 3,
        "loss, polarity and length of trunks": 230,
        "end-face images": 19736,
        "label and bend check of fibre cords": 4764,
        "node archives": 288,
        "states of NVLink domains": 16,
        "link verification": 3648,
        "collectives of rows": 3,
        "soak": 1,
        "calibration certificates": sum(needed(use, NVL72, TEAMS) for use in uses(NVL72)),
    }
    assert {item.state for item in found.values()} == {"demand"}
    assert found["pressure logs"].detail.startswith("from the crew: pressure, gas temperature")
    assert found["cord check"].detail.startswith("from own people: ")


def test_a_sample_asks_for_its_share_and_a_dropped_checkpoint_says_so() -> None:
    kept = Checkpoints(connector_inspection=0.1, pressure_test=False)
    found = _by_what(records(question(), replace(MIXED, checkpoints=kept), NVL72, TEAMS))
    images, logs = found["end-face images"], found["pressure logs"]
    assert (images.amount, images.basis) == (1974.0, "count of connector_inspect x 0.1, rounded up")
    assert images.detail.endswith("; a sample drawn by the owner; one dirty: the whole row")
    assert (logs.state, logs.amount) == ("dropped", 0.0)
    assert logs.detail == (
        "not asked of the crew: the checkpoint pressure_test is dropped, and what it would have found goes on"
    )


def test_an_air_cooled_site_asks_for_no_pressure_logs() -> None:
    assert "pressure logs" not in _by_what(records(question(), MIXED, AIR, TEAMS))


# --- liability


def test_own_work_is_borne_by_the_owner_up_to_the_deductible() -> None:
    found = _by_what(registers(question(), arrangement(), NVL72, assumptions()))
    leak = found["hardware wetted by a leak"]
    assert (leak.state, leak.amount) == ("owner bears", None)
    assert leak.detail == (
        "the owner, up to the deductible of 100,000 USD for one damage; above it the insurer; cover: installation floater, "
        "liquid damage and consequential damage of other racks included by name"
    )
    assert {item.state for item in found.values()} == {"owner bears", "premium"}


def test_a_crew_shares_what_it_damages_and_never_bears_the_idle_gpus() -> None:
    asked = arrangement(SCOPES)
    found = _by_what(registers(question(), asked, NVL72, assumptions(), {"leak": 12000.0}))
    leak = found["hardware wetted by a leak"]
    assert (leak.state, leak.amount, leak.unit) == ("shared", 12000.0, "USD")
    assert leak.detail.startswith(
        "of the owner's part (deductible 100,000 USD) the crew pays 70% where it caused the damage (claimed), the owner the "
        "rest"
    )
    assert found["GPUs idle because the work ends late"].state == "owner bears"
    assert found["people hurt by a pneumatic test"].state == "crew bears"
    mixed = _by_what(registers(question(), MIXED, NVL72, assumptions()))
    assert mixed["a fault found in production, after acceptance"].state == "shared"
    assert mixed["hardware destroyed by a wrong cord, feed or loose fastener"].state == "owner bears"


def test_a_premium_line_for_each_party_that_builds() -> None:
    lines = [item for item in registers(question(), MIXED, NVL72, assumptions()) if item.state == "premium"]
    assert [(item.basis, item.amount) for item in lines] == [
        ("money.insurance.own", 0.003),
        ("money.insurance.specialist", 0.0015),
    ]
    assert lines[1].detail == "premium for the months of its work (liquid, fibre); test"


def test_risks_without_work_are_left_out_and_an_unknown_one_is_an_error() -> None:
    air = _by_what(registers(question(), arrangement(), AIR, assumptions()))
    assert "hardware wetted by a leak" not in air
    with pytest.raises(ValueError) as raised:
        registers(question(), arrangement(), AIR, assumptions(), {"meteor": 1.0})
    assert str(raised.value).startswith("no risk is called meteor; there are: moving, ")


# --- together


def test_what_they_ask_for_exists() -> None:
    operations = {operation.id for operation in OPERATIONS}
    assert {risk.operation for risk in RISKS} <= operations
    assert len({risk.id for risk in RISKS}) == len(RISKS)
    built_in = defaults()
    asked = question(
        own=party("own", "own people", tools=frozenset(), lead=False, qualification=dict.fromkeys(SCOPES, "novice"))
    )
    assert readiness(asked, NVL72, RACKS, built_in)
    assert qualifications(asked, arrangement(), NVL72, PEOPLE, built_in)
    assert registers(asked, MIXED, NVL72, built_in)
