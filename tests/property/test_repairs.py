"""Whatever is wrong: the capture predicted for after the moves verifies clean, and tells what was not done as told."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.problem import ProblemError
from asbuilt.model.capture import Capture
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verification
from asbuilt.rehearse.twin import captures as twin
from asbuilt.workflow.after_repair import as_plan, predict
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import Rehearsal, rehearse
from asbuilt.workflow.repair import apply_moves
from asbuilt.workflow.templates import text
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


def clean(plan: Plan, captures: tuple[Capture, ...]) -> Verification:
    seen = compare(plan, facts_of(captures), strict=True)
    assert [f for f in seen.findings if f.id in ("FAB-001", "FAB-002", "FAB-003", "FAB-004")] == []
    assert seen.summary.ok == seen.summary.planned
    return seen


def mended(plan: Plan, done: Rehearsal) -> tuple[Capture, ...]:
    """What the twin shows after the crew did as told; a port in Ethernet mode is set back, which no move does."""
    after = apply_moves(plan, done.built, done.verification.repairs)
    return twin(plan, replace(after, ethernet=frozenset()))


def leftovers(predicted: tuple[Capture, ...], later: tuple[Capture, ...]) -> Verification:
    plan, guids = as_plan(predicted)
    return compare(plan, facts_of(later), guids=guids, strict=True)


@given(plan=plans, seed=st.integers(0, 10**9 - 1), wanted=st.integers(1, 6))
@settings(max_examples=16, deadline=None)
def test_the_prediction_verifies_clean_and_the_repaired_fabric_is_as_predicted(plan: Plan, seed: int, wanted: int) -> None:
    count = min(wanted, plan.links.height // 4)
    done = rehearse(plan, [f"random:{count}@{seed}"] if count else [])
    after = predict(plan, done.captures)
    assert after.moves == len(done.verification.repairs)
    clean(plan, after.captures)
    seen = leftovers(after.captures, mended(plan, done))
    assert seen.summary.ok == seen.summary.planned == plan.links.height and seen.findings == ()


@given(plan=plans, node=st.integers(0, 8), swaps=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=4))
@settings(max_examples=10, deadline=None)
def test_tangled_faults_are_predicted_too(plan: Plan, node: int, swaps: list[tuple[int, int]]) -> None:
    compute = plan.links.filter(plan.links["b_nic"].is_not_null() & (plan.links["plane"] == "compute"))
    links = compute["link"].to_list()
    specs = [f"swap:{links[a % len(links)]},{links[b % len(links)]}" for a, b in swaps if a % len(links) != b % len(links)]
    specs += [f"unplug:{links[(7 * a) % len(links)]}" for a, _ in swaps[:1]]
    if compute.filter(compute["b_device"] == "node:0000").height > 1:
        specs.insert(0, f"rail:node:{node % plan.table('nodes').height:04d}")
    done = rehearse(plan, specs)
    clean(plan, predict(plan, done.captures).captures)


@functools.cache
def template(name: str) -> Plan:
    return make_plan(decode(text(name).encode(), "cluster.yaml"))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("l40s-384", "random:7@5"),
        ("l40s-384", "mirror:IBLEAF-02-07/1-32"),
        ("roce-b200", "random:9@4"),
        ("gb200-nvl72", "random:12@99"),
    ],
)
def test_templates_are_predicted_clean(name: str, fault: str) -> None:
    plan = template(name)
    done = rehearse(plan, [fault])
    assert done.exact and done.verification.repairs
    clean(plan, predict(plan, done.captures).captures)


FAULTS = ["mirror:LEAF-01/1-8", "crossed:mlx5_1,mlx5_2", "swap:SPINE-01/1,SPINE-02/1", "unplug:LEAF-04/2"]


@pytest.mark.parametrize("technology", ["infiniband", "ethernet"])
def test_what_was_not_done_as_told_is_all_that_is_shown(technology: str) -> None:
    plan = little_plan(nodes=8, technology=technology)
    done = rehearse(plan, FAULTS)
    after = predict(plan, done.captures)
    clean(plan, after.captures)
    acts = sorted({m.act for m in done.verification.repairs})
    last = [m for m in done.verification.repairs if m.act == acts[-1]]
    kept = [m for m in done.verification.repairs if m.act != acts[-1]]
    seen = leftovers(after.captures, twin(plan, apply_moves(plan, done.built, kept)))
    assert seen.exit_code == 1 and len(seen.findings) == 1
    assert seen.summary.wrong + seen.summary.missing == len(last)


def test_what_moves_do_not_mend_stays_in_the_prediction() -> None:
    plan = little_plan(nodes=8)
    done = rehearse(plan, ["absent:SPINE-02", "swap:LEAF-01/1,LEAF-01/2"])
    seen = compare(plan, facts_of(predict(plan, done.captures).captures))
    assert seen.summary.wrong == 0 and seen.summary.missing == 8
    assert [f.id for f in seen.findings] == ["FAB-002"]


def test_a_cable_that_trained_slow_is_predicted_slow() -> None:
    plan = little_plan(nodes=8)
    done = rehearse(plan, ["slow:LEAF-01/3", "swap:LEAF-01/3,LEAF-01/4"])
    seen = compare(plan, facts_of(predict(plan, done.captures).captures))
    assert seen.summary.ok == seen.summary.planned
    (slow,) = [f for f in seen.findings if f.id in ("FAB-004", "FAB-007")]
    assert slow.subjects == ("link:sw:compute/leaf-000-0/3",)


def test_a_device_that_no_capture_shows_has_a_made_guid_and_is_named() -> None:
    plan = little_plan(nodes=8)
    done = rehearse(plan, ["unplug:gpu003/mlx5_2"])
    after = predict(plan, done.captures)
    assert after.made == ("gpu003 mlx5_2",)
    clean(plan, after.captures)


@pytest.mark.parametrize("cut", [0, 1])
def test_nothing_is_predicted_from_half_a_measurement(cut: int) -> None:
    plan = little_plan(nodes=8)
    (capture,) = rehearse(plan, []).captures
    half = replace(capture, data=capture.data[: len(capture.data) // 2] if cut else b"")
    with pytest.raises(ProblemError) as caught:
        predict(plan, [half])
    assert "CLI-048" in str(caught.value)
