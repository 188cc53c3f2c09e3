"""Random faults on random small plans: exactly those are found, and the moves that the findings name mend them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict
from asbuilt.workflow.rehearse import Rehearsal, judge, rehearse
from asbuilt.workflow.repair import apply_moves
from little_fabric import little_plan

plans = st.builds(
    little_plan,
    nodes=st.integers(2, 9),
    rails=st.sampled_from([1, 2, 4, 8]),
    spines=st.integers(1, 4),
    technology=st.sampled_from(["infiniband", "infiniband", "ethernet"]),
    asics=st.sampled_from([1, 1, 4]),
    oob=st.booleans(),
)


def mended(plan: Plan, rehearsal: Rehearsal) -> Rehearsal:
    """The same twin after the moves; a port in Ethernet mode is set back, which no move does."""
    after = apply_moves(plan, rehearsal.built, rehearsal.verification.repairs)
    return judge(plan, replace(after, ethernet=frozenset()))


@given(plan=plans, seed=st.integers(0, 10**9 - 1))
@settings(max_examples=30, deadline=None)
def test_a_clean_twin_verifies_clean_whatever_its_hardware(plan: Plan, seed: int) -> None:
    rehearsal = rehearse(plan, seed=seed)
    assert rehearsal.verification.findings == ()
    assert rehearsal.verification.summary.ok == plan.links.height
    assert rehearsal.exit_code == 0


@given(plan=plans, seed=st.integers(0, 10**9 - 1), wanted=st.integers(1, 5))
@settings(max_examples=80, deadline=None)
def test_random_faults_are_found_exactly_and_mended_with_no_more_moves_than_faults(plan: Plan, seed: int, wanted: int) -> None:
    count = min(wanted, plan.links.height // 4)
    rehearsal = rehearse(plan, [f"random:{count}@{seed}"] if count else [])
    assert rehearsal.missed == () and rehearsal.extra == ()
    assert not any(f.verdict is Verdict.ERROR for f in rehearsal.verification.findings)
    summary = rehearsal.verification.summary
    counted = {"ok": summary.ok, "wrong": summary.wrong, "missing": summary.missing}
    assert dict(rehearsal.expected["outcome"].value_counts().rows()) == {k: v for k, v in counted.items() if v}
    assert rehearsal.verification.details.get("exchanges", 0) <= sum(i.moves or 1 for i in rehearsal.injected)
    after = mended(plan, rehearsal)
    assert after.verification.findings == () and after.verification.summary.ok == plan.links.height


@given(plan=plans, node=st.integers(0, 8), swaps=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=4))
@settings(max_examples=40, deadline=None)
def test_swaps_that_meet_are_still_explained_and_mended(plan: Plan, node: int, swaps: list[tuple[int, int]]) -> None:
    """Swaps may share cables here, so that they form longer rings; a rotated node on top."""
    compute = plan.links.filter(plan.links["b_nic"].is_not_null() & (plan.links["plane"] == "compute"))
    links = compute["link"].to_list()  # of one plane: a compute cable does not fit a socket of another
    specs = [f"swap:{links[a % len(links)]},{links[b % len(links)]}" for a, b in swaps if a % len(links) != b % len(links)]
    if compute.filter(compute["b_device"] == "node:0000").height > 1:
        specs.insert(0, f"rail:node:{node % plan.table('nodes').height:04d}")  # before a swap takes a rail away
    rehearsal = rehearse(plan, specs)
    assert rehearsal.missed == () and rehearsal.extra == ()
    done = sum(i.moves or 0 for i in rehearsal.injected)
    assert rehearsal.verification.details["exchanges"] <= done
    assert mended(plan, rehearsal).verification.findings == ()


@pytest.mark.parametrize("fault", ["absent:SPINE-01", "absent:LEAF-02", "clone:gpu000/mlx5_0,gpu003/mlx5_2"])
@pytest.mark.parametrize("technology", ["infiniband", "ethernet"])
def test_faults_that_no_cable_move_mends_are_found_exactly(fault: str, technology: str) -> None:
    rehearsal = rehearse(little_plan(nodes=6, technology=technology), [fault])
    assert rehearsal.exact and rehearsal.exit_code == 0
    assert rehearsal.verification.exit_code == 1
    assert len(rehearsal.verification.findings) == 1, "one cause, one finding"


@pytest.mark.parametrize("pair", [("gpu000/mlx5_0", "gpu003/mlx5_2"), ("gpu003/mlx5_2", "gpu000/mlx5_0")])
def test_a_copied_identity_asks_for_no_cable_move(pair: tuple[str, str]) -> None:
    rehearsal = rehearse(little_plan(nodes=6), [f"clone:{','.join(pair)}"])
    assert rehearsal.exact and rehearsal.verification.repairs == ()


def test_a_rotation_behind_a_dark_leaf_is_mended_in_two_rounds() -> None:
    plan = little_plan(nodes=6)
    rehearsal = rehearse(plan, ["rail:gpu002", "absent:LEAF-03"])
    assert rehearsal.exact
    powered = replace(apply_moves(plan, rehearsal.built, rehearsal.verification.repairs), absent=frozenset())
    second = judge(plan, powered)
    assert len(second.verification.findings) == 1, "only the cable that nobody could see is left"
    assert mended(plan, second).verification.findings == ()


def test_a_plane_that_no_capture_shows_is_undecided_not_missed() -> None:
    rehearsal = rehearse(little_plan(nodes=6, oob=True), ["absent:OOB-01"])
    assert rehearsal.exact and rehearsal.exit_code == 3
    assert rehearsal.verification.summary.not_measured == 6


def test_a_copy_of_a_device_behind_a_dark_leaf_still_answers_with_its_name() -> None:
    rehearsal = rehearse(little_plan(nodes=6), ["absent:LEAF-03", "clone:gpu003/mlx5_2,gpu001/mlx5_0"])
    assert rehearsal.exact and rehearsal.verification.summary.wrong == 1


@pytest.mark.parametrize("more", ["swap:gpu000/mlx5_0,gpu004/mlx5_1", "swap:gpu003/mlx5_2,gpu004/mlx5_1", "rail:gpu000"])
@pytest.mark.parametrize("technology", ["infiniband", "ethernet"])
def test_a_copied_identity_among_misplaced_cables_is_set_right_before_any_of_them_moves(more: str, technology: str) -> None:
    """Nobody can carry out a move of "the second device of that name": identities first, cables in the next round."""
    plan = little_plan(nodes=6, technology=technology)
    first = rehearse(plan, ["clone:gpu000/mlx5_0,gpu003/mlx5_2", more])
    assert first.exact
    told = [f for f in first.verification.findings if "identity" in f.cause]
    assert told and "its own" in told[0].next
    assert not any("same identity" in text for m in first.verification.repairs for text in (m.take, m.put, m.cable))
    own = replace(apply_moves(plan, first.built, first.verification.repairs), clones={})
    second = judge(plan, own)
    assert mended(plan, second).verification.findings == ()
