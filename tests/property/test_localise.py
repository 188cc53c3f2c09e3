"""Faults drawn at random on planned fabrics are found by the proposed measurements, in fewer than plain bisection takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import yaml

from asbuilt.diagnose.localise import Measured, posterior, propose
from asbuilt.diagnose.paths import CABLE, NODE, PORT, Paths
from asbuilt.model.decode_requirement import decode
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan
from bisection import bisect
from template_plans import made

MOST = 60


@pytest.fixture(scope="module")
def paths() -> Paths:
    return Paths(made("l40s-384"))


@pytest.fixture(scope="module")
def blocks() -> Paths:
    """64 nodes in two blocks: half of the ways of a rail go over spines."""
    text = templates.text("dgx-h100-superpod")
    document = yaml.safe_load(text)
    document["gpus"] = 512
    document.pop("phases", None)
    return Paths(make_plan(decode(yaml.safe_dump(document, sort_keys=False).encode(), "blocks")))


def everyone(paths: Paths) -> tuple[int, ...]:
    rows = [i for i, e in enumerate(paths.ends) if e.node.startswith("node:")]
    return tuple(sorted(rows, key=lambda i: (paths.ends[i].rail, i)))


def site(paths: Paths, faults: set[int], rng: np.random.Generator):  # type: ignore[no-untyped-def]
    """A site with these components at fault: what a collective over ends answers."""

    def run(ends: Sequence[int]) -> bool:
        used = paths.used(ends)
        spared = float(np.prod([1 - used[f] for f in faults]))
        return bool(rng.random() < spared)

    return run


def found(paths: Paths, run) -> tuple[int, set[str]]:  # type: ignore[no-untyped-def]
    """(measurements made, components of the best explanation) by following the proposals."""
    measured = [Measured(everyone(paths), run(everyone(paths)))]
    left = posterior(paths, measured)
    while len(measured) < MOST:
        following = propose(left)
        if following is None or following.bits < 0.28:  # what is left is 95 to 5
            break
        measured.append(Measured(following.ends, run(following.ends)))
        left = posterior(paths, measured)
    return len(measured), set(left.best)


def draw(paths: Paths, kind: str, rng: np.random.Generator, count: int = 1) -> set[int]:
    used = paths.used(everyone(paths))
    pool = [i for i, k in enumerate(paths.kinds) if k == kind and used[i] > 0]
    return {int(i) for i in rng.choice(pool, count, replace=False)}


@pytest.mark.parametrize("kind", [NODE, PORT])
def test_one_fault_is_found_in_fewer_measurements_than_by_halves(paths: Paths, kind: str) -> None:
    rng = np.random.default_rng(20)
    ours, theirs, hits, their_hits = [], [], 0, 0
    for _ in range(5):
        fault = draw(paths, kind, rng)
        names = {paths.names[f] for f in fault}
        run = site(paths, fault, rng)
        steps, best = found(paths, run)
        plain, blamed = bisect(paths, run)
        ours.append(steps)
        theirs.append(plain)
        hits += best == names
        their_hits += blamed == names
    print(f"{kind}: {hits} of 5 in {np.mean(ours):.1f} measurements; by halves {their_hits} of 5 in {np.mean(theirs):.1f}")
    assert hits == 5
    assert np.mean(ours) <= 13, ours  # log2 of 344 components is 8.4
    assert np.mean(ours) < np.mean(theirs), (ours, theirs)
    assert their_hits >= 4


def test_a_cable_between_switches_is_found_where_halves_blame_nothing(blocks: Paths) -> None:
    rng = np.random.default_rng(4)
    ours, hits = [], 0
    for _ in range(3):
        fault = draw(blocks, CABLE, rng)
        run = site(blocks, fault, rng)
        steps, best = found(blocks, run)
        ours.append(steps)
        same = {blocks.used(everyone(blocks))[f] for f in fault}
        hits += bool(same) and best == {blocks.names[f] for f in fault}
        _, blamed = bisect(blocks, run)
        assert not blamed & {blocks.names[f] for f in fault}
    print(f"cable: {hits} of 3 in {np.mean(ours):.1f} measurements; by halves none")
    assert hits == 3
    assert np.mean(ours) <= 20, ours


def test_two_faults_are_found(paths: Paths) -> None:
    rng = np.random.default_rng(3)
    ours, theirs, hits = [], [], 0
    for _ in range(4):
        fault = draw(paths, PORT, rng, 2)
        names = {paths.names[f] for f in fault}
        run = site(paths, fault, rng)
        steps, best = found(paths, run)
        plain, _ = bisect(paths, run)
        ours.append(steps)
        theirs.append(plain)
        hits += best == names
    assert hits == 4
    assert np.mean(ours) < np.mean(theirs), (ours, theirs)


def test_nothing_is_blamed_where_everything_is_good(paths: Paths) -> None:
    left = posterior(paths, [Measured(everyone(paths), True)])
    assert left.best == () and left.suspects() == ()
    assert float(left.weight[0]) > 0.9


def test_a_wrong_measurement_does_not_hide_the_fault(paths: Paths) -> None:
    """One answer is false: the rest outweighs it, and it is named as not explained."""
    fault = paths.at["nic:0007/mlx5_1"]
    pairs = [("0007", "0008"), ("0007", "0009"), ("0007", "0010"), ("0001", "0002"), ("0003", "0004")]
    rows = [tuple(paths.row[f"node:{n}", "mlx5_1"] for n in pair) for pair in pairs]
    measured = [Measured(r, not paths.used(r)[fault] > 0, str(i)) for i, r in enumerate(rows)]
    false = (paths.row["node:0020", "mlx5_0"], paths.row["node:0021", "mlx5_0"])
    left = posterior(paths, [*measured, Measured(false, False, "false")])
    assert "nic:0007/mlx5_1" in {c for s in left.suspects(3) for c in s.components} | set(left.best)
    assert "false" in {m.name for m in left.unexplained()} or len(left.best) > 1
    sound = tuple(paths.row[f"node:{n}", "mlx5_0"] for n in ("0007", "0008"))
    alone = posterior(paths, [*measured, Measured(sound, True)])
    assert alone.best == ("nic:0007/mlx5_1",)


def test_what_no_measurement_tells_apart_is_one_class(paths: Paths) -> None:
    pair = tuple(paths.row[f"node:{n}", "mlx5_1"] for n in ("0007", "0008"))
    left = posterior(paths, [Measured(pair, False)])
    first = left.suspects()[0]
    assert set(first.components) >= {"node:0007", "node:0008", "nic:0007/mlx5_1", "nic:0008/mlx5_1"}
    assert first.probability > 0.6 and 0.2 < left.chance < 0.4, "one bad pair may be chance"
