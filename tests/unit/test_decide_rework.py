"""Rework: which package the hours fall to, how waits join, closed forms, damage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from asbuilt.base.kernel import Engine
from asbuilt.decide.rework import Places, added, destroyed, expected_added, inspected_again, places
from asbuilt.decide.risk import Faults, Lots, all_shares, draw_faults, expected_faults, lots_of
from asbuilt.decide.sampling import Sampling
from asbuilt.model.crew_question import Checkpoints
from asbuilt.model.deployment import CATCHES, FAULT_KINDS
from fault_site import KIND, STAGE, packages, two_racks

SHAPE = (1, len(FAULT_KINDS), len(CATCHES))
ONE = np.ones(SHAPE)
NONE = np.zeros(SHAPE)
DETECT = {f"fault.{kind.id}.detect.{catch}": 0.5 for kind in FAULT_KINDS for catch in kind.catches[:-1]}


def falls_to(where: Places, lots: Lots, kind: str, catch: str, row: int = 0) -> dict[int, float]:
    """Packages and weights of a cell."""
    lot = int(np.flatnonzero((lots.kind == KIND[kind]) & (lots.row == row))[0])
    at = slice(where.start[lot * len(CATCHES) + STAGE[catch]], where.start[lot * len(CATCHES) + STAGE[catch] + 1])
    return dict(zip(where.package[at].tolist(), where.weight[at].tolist(), strict=True))


def some(lots: Lots, cells: list[tuple[int, str, str, int]], runs: int = 1, key: int = 5) -> Faults:
    """Faults by hand: run, kind (of row 0), catch, number."""
    lot = {FAULT_KINDS[k].id: index for index, k in enumerate(lots.kind.tolist())}
    columns = [[run, lot[kind], STAGE[catch], count] for run, kind, catch, count in cells]
    run, at, catch, count = np.array(columns, np.int64).T
    return Faults(runs, lots, run, at, catch, count, np.zeros(0, np.int64), np.zeros((runs, 0)), key)


def test_each_stage_mends_where_it_looks() -> None:
    tasks = two_racks()
    lots = lots_of(tasks)
    where = places(lots, tasks)
    assert falls_to(where, lots, "connector_dirty", "inspection") == {3: 0.25, 4: 0.75}
    assert falls_to(where, lots, "connector_dirty", "fabric") == {8: 1.0}
    assert falls_to(where, lots, "connector_dirty", "collectives") == {9: 1.0}
    assert falls_to(where, lots, "connector_dirty", "soak") == {10: 1.0}
    assert falls_to(where, lots, "connector_dirty", "production") == {}
    assert falls_to(where, lots, "fitting_leak", "pressure") == {5: 1.0}
    assert falls_to(where, lots, "backplane_pin", "node") == {6: pytest.approx(1 / 3), 7: pytest.approx(2 / 3)}
    assert falls_to(where, lots, "gpu_fault", "node") == {6: pytest.approx(1 / 3), 7: pytest.approx(2 / 3)}


def test_a_stage_without_a_package_at_the_place_is_the_next_one() -> None:
    tasks = packages(
        ("power/rack", 1, "net", {"cord_plug": 4}),
        ("power/rack", 0, "a", {"cord_plug": 4}),
        ("bringup/rack", 0, "b", {"node_bring_up": 1}),
        ("fibre/rack", 1, "net", {"jumper_lay": 4}),
        ("acceptance/fabric", 0, "", {"link_verify": 4}),
    )
    lots = lots_of(tasks)
    where = places(lots, tasks)
    assert falls_to(where, lots, "cord_wrong", "node", row=0) == {2: 1.0}, "no bring-up of that rack: the first of its row"
    assert falls_to(where, lots, "cord_wrong", "node", row=1) == {2: 1.0}, "none in the row: the first of the site"
    assert falls_to(where, lots, "cable_swapped", "fabric", row=1) == {4: 1.0}
    assert falls_to(where, lots, "cable_swapped", "soak", row=1) == {3: 1.0}, "nobody soaks: where it was made"
    assert falls_to(where, lots, "cord_wrong", "pressure", row=0) == {2: 1.0}, "no pressure test: the stage after it"
    alone = packages(("power/rack", 0, "a", {"cord_plug": 4}))
    for catch in CATCHES[:-1]:
        assert falls_to(places(lots_of(alone), alone), lots_of(alone), "cord_wrong", catch) == {0: 1.0}
    assert places(lots_of(packages(("audit", -1, "", {"audit": 1}))), alone).start.tolist() == [0]


def test_hours_add_up_and_the_longest_wait_counts() -> None:
    tasks = two_racks()
    lots = lots_of(tasks)
    where = places(lots, tasks)
    hours, waits = NONE.copy(), NONE.copy()
    hours[0, KIND["fitting_leak"], STAGE["pressure"]] = 2.0
    hours[0, KIND["connector_dirty"], STAGE["fabric"]], waits[0, KIND["connector_dirty"], STAGE["fabric"]] = 1.0, 5.0
    hours[0, KIND["optic_dead"], STAGE["fabric"]], waits[0, KIND["optic_dead"], STAGE["fabric"]] = 0.5, 48.0
    faults = some(
        lots,
        [
            (0, "fitting_leak", "pressure", 3),
            (0, "connector_dirty", "fabric", 2),
            (0, "optic_dead", "fabric", 4),
            (1, "optic_dead", "production", 9),
            (1, "connector_dirty", "fabric", 1),
        ],
        runs=2,
    )
    work, hold = added(faults, where, hours, waits)
    assert work[0].tolist() == [0, 0, 0, 0, 0, 6.0, 0, 0, 4.0, 0, 0] and hold[0].tolist() == [0] * 8 + [48.0, 0, 0]
    assert work[1].tolist() == [0] * 8 + [1.0, 0, 0] and hold[1].tolist() == [0] * 8 + [5.0, 0, 0]


def test_hours_by_run_are_those_of_the_run() -> None:
    tasks = two_racks()
    lots = lots_of(tasks)
    hours = np.zeros((2, *SHAPE[1:]))
    hours[:, KIND["fitting_leak"], STAGE["pressure"]] = (1.0, 10.0)
    faults = some(lots, [(0, "fitting_leak", "pressure", 1), (1, "fitting_leak", "pressure", 1)], runs=2)
    assert added(faults, places(lots, tasks), hours, np.zeros_like(hours))[0][:, 5].tolist() == [1.0, 10.0]


def test_a_few_faults_fall_to_racks_by_their_pieces() -> None:
    tasks = two_racks()
    lots = lots_of(tasks)
    where, n = places(lots, tasks), 40_000
    faults = some(lots, [(run, "connector_dirty", "inspection", 2) for run in range(n)], runs=n)
    work, hold = added(faults, where, ONE, 3.0 * ONE)
    assert np.array_equal(work[:, 3] + work[:, 4], np.full(n, 2.0)) and work.sum() == 2.0 * n
    for number, p in ((0, 0.75**2), (1, 2 * 0.25 * 0.75), (2, 0.25**2)):
        assert abs((work[:, 3] == number).mean() - p) < 3.0 * math.sqrt(p * (1.0 - p) / n)
    assert np.array_equal(hold > 0, work > 0) and set(hold.ravel().tolist()) == {0.0, 3.0}
    again, _ = added(faults, where, ONE, NONE)
    other, _ = added(some(lots, [(run, "connector_dirty", "inspection", 2) for run in range(n)], n, key=6), where, ONE, NONE)
    assert np.array_equal(work, again) and not np.array_equal(work, other)


def test_many_faults_are_spread_by_the_pieces() -> None:
    tasks = two_racks()
    lots, n = lots_of(tasks), 20_000
    faults = some(lots, [(run, "connector_dirty", "inspection", 10) for run in range(n)], runs=n)
    work, hold = added(faults, places(lots, tasks), ONE, 3.0 * ONE)
    assert work[:, 3] == pytest.approx(2.5) and work[:, 4] == pytest.approx(7.5)
    p = 1.0 - 0.75**10
    assert abs((hold[:, 3] == 3.0).mean() - p) < 3.0 * math.sqrt(p * (1.0 - p) / n)
    assert set(hold[:, 3].tolist()) == {0.0, 3.0} and (hold[:, 4] == 3.0).all()


@pytest.mark.parametrize("mean", (0.3, 6.0, 30.0))
def test_added_hours_have_the_expected_values(mean: float) -> None:
    tasks = two_racks()
    lots = lots_of(tasks)
    where, n = places(lots, tasks), 20_000
    shares = all_shares(Checkpoints(), frozenset(), DETECT)
    means = np.full((n, len(lots.kind)), mean)
    rng = np.random.default_rng(11)
    hours = rng.random(SHAPE)
    waits = rng.random(SHAPE)
    work, hold = added(draw_faults(lots, means, shares, rng), where, hours, waits)
    made, _ = expected_faults(lots, means[:1], shares)
    expected_work, expected_hold = expected_added(made, lots, where, hours, waits)
    assert (np.abs(work.mean(axis=0) - expected_work[0]) <= 3.5 * work.std(axis=0) / math.sqrt(n)).all()
    assert (np.abs(hold.mean(axis=0) - expected_hold[0]) <= 3.5 * hold.std(axis=0) / math.sqrt(n) + 1e-4).all()
    assert expected_hold[0].any() and expected_work[0].sum() == pytest.approx(
        float((made[0, :, :-1] * hours[0][lots.kind][:, :-1]).sum())
    ), "every hour but production's is in a package"


def test_a_second_look_is_spread_as_the_ends_are() -> None:
    tasks = two_racks()
    lots = lots_of(tasks)
    means = np.full((400, len(lots.kind)), 2.0)
    shares = all_shares(Checkpoints(connector_inspection=0.1), frozenset(), DETECT)
    faults = draw_faults(lots, means, shares, np.random.default_rng(2), Sampling(0.1, True, np.array([0.9])))
    again = inspected_again(faults, places(lots, tasks))
    hit = faults.inspected[:, 0] > 0
    assert 0 < hit.sum() < 400
    assert again[hit][:, 3] == pytest.approx(90.0) and again[hit][:, 4] == pytest.approx(270.0)
    assert not again[~hit].any()


def test_only_what_is_under_power_is_destroyed() -> None:
    tasks = two_racks()
    lots = lots_of(tasks)
    n = 20_000
    cells = [(run, "fitting_leak", catch, 1) for run in range(n) for catch in ("pressure", "node")]
    faults = some(lots, [*cells, (0, "fitting_leak", "production", 100)], runs=n)
    chance = np.zeros((1, len(FAULT_KINDS)))
    chance[0, KIND["fitting_leak"]] = 1.0
    sure = destroyed(faults, chance, np.random.default_rng(1))
    assert sure[:, KIND["fitting_leak"]].tolist() == [101.0] + [1.0] * (n - 1) and sure.sum() == n + 100
    made = destroyed(faults, 0.2 * chance, np.random.default_rng(1))[1:, KIND["fitting_leak"]]
    assert abs(made.mean() - 0.2) < 3.0 * math.sqrt(0.16 / n)


def test_plain_and_compiled_sums_are_equal() -> None:
    tasks = two_racks()
    lots = lots_of(tasks)
    where = places(lots, tasks)
    means = np.full((500, len(lots.kind)), 11.0)
    rng = np.random.default_rng(4)
    faults = draw_faults(lots, means, all_shares(Checkpoints(), frozenset(), DETECT), rng)
    hours, waits = rng.random((500, *SHAPE[1:])), rng.random((500, *SHAPE[1:]))
    before, answers = Engine.mode, []
    try:
        for mode in ("numpy", "numba"):
            Engine.mode = mode
            answers.append(added(faults, where, hours, waits))
    finally:
        Engine.mode = before
    for plain, compiled in zip(*answers, strict=True):
        assert np.array_equal(plain, compiled)
