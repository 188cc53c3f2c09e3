"""Tools: what is needed, bought or rented, what nothing finds without them."""

from __future__ import annotations

import pytest

from asbuilt.decide.tasks import tasks, totals
from asbuilt.decide.tools import USES, calibration, impossible, lacking, price, tool_list, uses
from asbuilt.model.deployment import FAULT_KINDS, OPERATIONS, SCOPES
from decide_case import TOOLS, arrangement, assumptions, party, question
from template_plans import made

NVL72 = totals(tasks(made("gb300-nvl72")))
AIR = totals(tasks(made("l40s-384")))
TEAMS = {"staging": 2, "power": 3, "liquid": 8, "fibre": 4, "bringup": 1, "acceptance": 1}
WEEKS = dict.fromkeys(SCOPES, 6.0)
EVERYTHING = dict.fromkeys(SCOPES, frozenset(TOOLS))


def test_every_pair_is_one_that_the_kind_can_be_caught_at_and_by_the_scope_that_does_the_work() -> None:
    kinds = {kind.id: kind for kind in FAULT_KINDS}
    scope = {operation.id: operation.scope for operation in OPERATIONS}
    for use in USES:
        for kind, catch in use.finds:
            assert catch in kinds[kind].catches
            assert scope[kinds[kind].operation] == use.scope
    pairs = [pair for use in USES for pair in use.finds]
    assert len(pairs) == len(set(pairs))
    assert {use.tool for use in USES} == set(TOOLS)


def test_nothing_is_impossible_with_all_tools_and_the_map_without_any() -> None:
    assert impossible(EVERYTHING) == frozenset()
    assert impossible(dict.fromkeys(SCOPES, frozenset())) == {
        ("backplane_pin", "inspection"),
        ("fastener_loose", "inspection"),
        ("fitting_leak", "pressure"),
        ("trunk_loss", "inspection"),
        ("connector_dirty", "inspection"),
    }


@pytest.mark.parametrize("tool", TOOLS)
def test_one_tool_more_never_hides_anything(tool: str) -> None:
    less = {scope: held - {tool} for scope, held in EVERYTHING.items()}
    assert impossible(EVERYTHING) <= impossible(less)
    assert impossible(less) == {pair for use in USES if use.tool == tool for pair in use.finds}


def test_a_scope_needs_the_tool_in_its_own_hands() -> None:
    held = {**EVERYTHING, "fibre": frozenset({"mpo_tester"})}
    assert impossible(held) == {("connector_dirty", "inspection")}


def test_an_air_cooled_site_needs_no_liquid_tools() -> None:
    assert {use.tool for use in uses(AIR)} == {"phase_tester", "milliohm_meter", "mpo_scope_200x"}
    assert {use.tool for use in uses(NVL72)} == set(TOOLS)


def test_what_is_lacking_is_counted_by_teams_sites_and_loops() -> None:
    asked = question(own=party("own", "own people", tools=frozenset({"phase_tester"})))
    assert lacking(asked, arrangement(), NVL72, TEAMS) == (
        ("go_nogo_gauge", 2, "staging"),
        ("torque_wrench", 3, "power"),
        ("milliohm_meter", 1, "power"),
        ("torque_wrench", 8, "liquid"),
        ("nitrogen_rig", 3, "liquid"),  # three loops, eight teams
        ("mpo_tester", 4, "fibre"),
        ("otdr", 1, "fibre"),
        ("mpo_scope_200x", 4, "fibre"),
    )
    crewed = lacking(asked, arrangement(("fibre", "liquid")), NVL72, TEAMS)
    assert {scope for _, _, scope in crewed} == {"staging", "power"}


def test_the_cheaper_of_buying_and_renting_over_the_weeks() -> None:
    short, long = price("mpo_tester", 2, 5.2, assumptions()), price("mpo_tester", 2, 60, assumptions())
    assert (short.buy, short.rent, short.choice) == (2 * 6300, 2 * 400 * 6, "rent")
    assert (long.buy, long.rent, long.choice) == (2 * (6000 + 2 * 300), 2 * 400 * 60, "buy")
    assert price("otdr", 1, 0.1, assumptions()).rent == 400  # a week begun is a week
    with pytest.raises(KeyError, match=r"no assumption is called 'tooling\.hammer\.buy'"):
        price("hammer", 1, 1, assumptions())


def test_the_list_in_words() -> None:
    asked = question(own=party("own", "own people", tools=frozenset(TOOLS) - {"nitrogen_rig"}))
    lines = {item.what: item for item in tool_list(asked, arrangement(), NVL72, TEAMS, WEEKS, assumptions())}
    rig = lines["nitrogen rig with logging gauge and thermometer (nitrogen_rig)"]
    assert (rig.amount, rig.unit, rig.state) == (3.0, "tools", "rent")
    assert rig.detail == (
        "liquid, own people: a loop is tight when its pressure, corrected for temperature, stays; bought and calibrated 18,900 "
        "USD, rented for 6 weeks 7,200 USD; a certificate holds 365 days: on the first day it is at most 323 days old; without "
        "it nothing finds fitting_leak at pressure"
    )
    assert rig.basis == "tooling.nitrogen_rig.*, loop_pressure_test"
    tester = lines["phase rotation tester with voltage (phase_tester)"]
    assert (tester.state, tester.basis) == ("has", "the question: tools of own people")
    assert tester.detail == (
        "power, own people: rotation and polarity of each circuit; no kind of fault that is simulated hangs on it; stated "
        "that it is there, not how many; a certificate holds 365 days: on the first day it is at most 323 days old"
    )


def test_a_calibration_that_ends_during_the_work_says_so() -> None:
    assert calibration(60, assumptions()) == (
        "a certificate holds 365 days and the work takes 420: calibrate again by day 365 at the latest"
    )
