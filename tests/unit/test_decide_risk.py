"""Faults by stage of catch: closed forms, counts, samples without replacement, streams."""

from __future__ import annotations

import math

import numpy as np
import pytest

from asbuilt.decide.risk import (
    SAMPLED_KIND,
    Faults,
    all_shares,
    catch_shares,
    draw_faults,
    expected_faults,
    fault_factor,
    fault_means,
    kept,
    lots_of,
    sampling_of,
)
from asbuilt.decide.sampling import Sampling, expected_sampled, sampled
from asbuilt.model.crew_question import Checkpoints
from asbuilt.model.deployment import CATCHES, FAULT_KINDS
from fault_site import COLUMN, KIND, STAGE, packages, two_racks

LEAK = FAULT_KINDS[KIND["fitting_leak"]]
DIRTY = FAULT_KINDS[KIND[SAMPLED_KIND]]
DETECT = {f"fault.{kind.id}.detect.{catch}": 0.6 for kind in FAULT_KINDS for catch in kind.catches[:-1]}
RUNS = 20_000


def drawn_faults(mean: float, seed: int = 1, checkpoints: Checkpoints | None = None) -> tuple[Faults, np.ndarray]:
    """Faults of the two racks, every lot with the same mean, and the shares they were split by."""
    lots = lots_of(two_racks())
    shares = all_shares(checkpoints or Checkpoints(), frozenset(), DETECT)
    means = np.full((RUNS, len(lots.kind)), mean)
    return draw_faults(lots, means, shares, np.random.default_rng(seed)), shares


def test_stages_find_their_share_of_what_is_left() -> None:
    made = catch_shares(LEAK, Checkpoints(), frozenset(), {"pressure": 0.9, "node": 0.5, "soak": 0.2})
    assert made == pytest.approx([0.0, 0.9, 0.05, 0.0, 0.0, 0.01, 0.04])


def test_a_stage_that_is_off_or_lacks_its_tool_finds_nothing() -> None:
    detect = {"pressure": 0.9, "node": 0.5, "soak": 0.2}
    off = catch_shares(LEAK, Checkpoints(pressure_test=False), frozenset(), detect)
    lacking = catch_shares(LEAK, Checkpoints(), frozenset({("fitting_leak", "pressure")}), detect)
    assert off.tolist() == lacking.tolist()
    assert off == pytest.approx([0.0, 0.0, 0.5, 0.0, 0.0, 0.1, 0.4])
    none = Checkpoints(0.0, False, False, False, False, False, False, False)
    for kind in FAULT_KINDS:
        found = catch_shares(kind, none, frozenset(), dict.fromkeys(kind.catches[:-1], 1.0))
        assert found.tolist() == [0.0] * (len(CATCHES) - 1) + [1.0]


def test_each_checkpoint_switches_its_own_stage() -> None:
    every = Checkpoints()
    assert all(kept(kind.id, catch, every) == 1.0 for kind in FAULT_KINDS for catch in kind.catches)
    assert kept(SAMPLED_KIND, "inspection", Checkpoints(connector_inspection=0.1)) == 0.1
    assert kept(SAMPLED_KIND, "inspection", Checkpoints(cable_inspection=False)) == 1.0
    assert kept("cord_wrong", "inspection", Checkpoints(cable_inspection=False)) == 0.0
    assert kept("cord_wrong", "inspection", Checkpoints(connector_inspection=0.0)) == 1.0
    for catch, name in (("pressure", "pressure_test"), ("node", "node_acceptance"), ("fabric", "fabric_gate"),
                        ("collectives", "collectives_gate"), ("soak", "soak")):  # fmt: skip
        off = Checkpoints(**{name: False})  # type: ignore[arg-type]
        assert [kept("any", other, off) for other in CATCHES[1:]] == [float(other != catch) for other in CATCHES[1:]]
    assert kept("any", "production", Checkpoints(0.0, False, False, False, False, False, False, False)) == 1.0


def test_shares_by_run_and_of_all_kinds() -> None:
    by_run = {**DETECT, "fault.fitting_leak.detect.pressure": np.array([0.0, 1.0])}
    made = all_shares(Checkpoints(), frozenset(), by_run)
    assert made.shape == (2, len(FAULT_KINDS), len(CATCHES))
    assert made.sum(axis=2) == pytest.approx(np.ones((2, len(FAULT_KINDS))))
    assert made[:, KIND["fitting_leak"], STAGE["pressure"]].tolist() == [0.0, 1.0]
    for k, kind in enumerate(FAULT_KINDS):
        elsewhere = [STAGE[catch] for catch in CATCHES if catch not in kind.catches]
        assert not made[:, k, elsewhere].any(), kind.id


def test_a_detection_that_is_no_share_or_is_missing_is_refused() -> None:
    with pytest.raises(ValueError) as caught:
        catch_shares(LEAK, Checkpoints(), frozenset(), {"pressure": 0.9, "node": np.array([0.2, 1.5]), "soak": 0.2})
    assert str(caught.value) == "fault.fitting_leak.detect.node is a share from 0 to 1; it is 0.2 to 1.5"
    with pytest.raises(ValueError, match=r"^fault\.fitting_leak\.detect\.node is a share from 0 to 1; it is nan to nan$"):
        catch_shares(LEAK, Checkpoints(), frozenset(), {"pressure": 0.9, "node": math.nan, "soak": 0.2})
    with pytest.raises(KeyError, match="soak"):
        catch_shares(LEAK, Checkpoints(), frozenset(), {"pressure": 0.9, "node": 0.5})


def test_experience_is_worth_what_wright_says() -> None:
    slope, reference, floor = np.array([0.8]), np.array([10.0]), np.array([0.5])
    made = fault_factor(np.array([10.0, 21.0, 4.5, 10_000.0]), slope, reference, floor)
    assert made[0] == pytest.approx([1.0, 0.8, 1.25, 0.5])


def test_lots_are_rows_of_a_kind_with_their_pieces_and_practice() -> None:
    lots = lots_of(two_racks())
    by = {
        (FAULT_KINDS[k].id, r): (p, done) for k, r, p, done in zip(lots.kind, lots.row, lots.pieces, lots.repeat, strict=True)
    }
    assert by["connector_dirty", 0] == (400.0, 0.75)
    assert by["backplane_pin", 0] == (27.0, pytest.approx(18 / 27))
    assert ("trunk_loss", 0) not in by, "no trunk is pulled here"
    assert lots.of_kind(KIND["trunk_loss"]) == slice(*[np.searchsorted(lots.kind, KIND["trunk_loss"])] * 2)
    site = lots_of(packages(("bringup/rack", -1, "x", {"switch_bring_up": 2}), ("fibre/trunks", 3, "", {"trunk_pull": 5})))
    assert [(FAULT_KINDS[k].id, r) for k, r in zip(site.kind, site.row, strict=True)] == [
        ("trunk_loss", 3),
        ("subnet_setting", -1),
    ]
    assert COLUMN["switch_bring_up"] >= 0


def test_means_are_pieces_times_rate_times_factor() -> None:
    lots = lots_of(two_racks())
    rates = np.zeros((2, len(FAULT_KINDS)))
    rates[:, KIND["connector_dirty"]] = (0.01, 0.02)
    made = fault_means(lots, rates, np.full((1, len(lots.kind)), 1.5))
    at = lots.of_kind(KIND["connector_dirty"])
    assert made[:, at].ravel() == pytest.approx([6.0, 12.0])
    assert made.sum() == pytest.approx(18.0)


@pytest.mark.parametrize("mean", (0.02, 1.5, 12.0, 60.0))
def test_counts_are_poisson_and_split_as_thinned(mean: float) -> None:
    faults, shares = drawn_faults(mean)
    counts = faults.counts()
    lots = faults.lots
    for lot in range(len(lots.kind)):
        created = counts[:, lot].sum(axis=1)
        assert abs(created.mean() - mean) < 3.5 * math.sqrt(mean / RUNS)
        fourth = mean + 3.0 * mean**2
        assert abs(created.var() - mean) < 3.5 * math.sqrt((fourth - mean**2) / RUNS)
        share = shares[0, lots.kind[lot]]
        at = counts[:, lot].mean(axis=0)
        assert (np.abs(at - mean * share) <= 4.0 * np.sqrt(mean * share / RUNS)).all(), (lot, at, mean * share)
        assert not at[share == 0.0].any()


def test_small_counts_have_the_poisson_probabilities() -> None:
    faults, shares = drawn_faults(2.0)
    at = faults.lots.of_kind(KIND["cord_wrong"])
    assert at.start == at.stop, "no cord here"
    lot = faults.lots.of_kind(KIND["fitting_leak"]).start
    counts = faults.counts()[:, lot, STAGE["pressure"]]
    mean = 2.0 * shares[0, KIND["fitting_leak"], STAGE["pressure"]]
    for number in range(6):
        p = math.exp(-mean) * mean**number / math.factorial(number)
        assert abs((counts == number).mean() - p) < 3.5 * math.sqrt(p * (1.0 - p) / RUNS)


def test_sums_by_kind_are_those_of_the_cells() -> None:
    faults, _ = drawn_faults(3.0)
    counts, by_kind = faults.counts(), faults.by_kind()
    assert counts.sum() == by_kind.sum() == faults.count.sum()
    for k in range(len(FAULT_KINDS)):
        assert np.array_equal(by_kind[:, k], counts[:, faults.lots.kind == k].sum(axis=1))


def test_equal_generators_share_the_luck_of_what_is_alike() -> None:
    base, _ = drawn_faults(2.0)
    again, _ = drawn_faults(2.0)
    other, _ = drawn_faults(2.0, seed=2)
    changed, _ = drawn_faults(2.0, checkpoints=Checkpoints(pressure_test=False))
    assert np.array_equal(base.counts(), again.counts()) and base.key == again.key
    assert not np.array_equal(base.counts(), other.counts())
    leak = base.lots.kind == KIND["fitting_leak"]
    assert np.array_equal(base.counts()[:, ~leak], changed.counts()[:, ~leak])
    more, _ = drawn_faults(2.5)
    assert (more.counts() >= base.counts()).all(), "more of the same luck is never less"


def test_a_chunk_does_not_depend_on_the_others() -> None:
    lots = lots_of(two_racks())
    shares = all_shares(Checkpoints(), frozenset(), DETECT)

    def chunk(index: int) -> np.ndarray:
        rng = np.random.default_rng(np.random.SeedSequence(3).spawn(3)[index])
        return draw_faults(lots, np.full((50, len(lots.kind)), 0.7), shares, rng).by_kind()

    forth, back = [chunk(i) for i in (0, 1, 2)], [chunk(i) for i in (2, 1, 0)]
    assert all(np.array_equal(a, b) for a, b in zip(forth, back[::-1], strict=True))
    assert not np.array_equal(forth[0], forth[1])


@pytest.mark.parametrize("wrong", (math.nan, math.inf, -0.1))
def test_a_mean_that_is_none_is_refused(wrong: float) -> None:
    lots = lots_of(two_racks())
    with pytest.raises(ValueError) as caught:
        draw_faults(
            lots, np.full((1, len(lots.kind)), wrong), all_shares(Checkpoints(), frozenset(), DETECT), np.random.default_rng(1)
        )
    assert str(caught.value) == "expected faults of a lot are numbers from 0 on; a rate, a factor or a count of pieces is not"


def test_expected_faults_are_mean_times_share() -> None:
    lots = lots_of(two_racks())
    shares = all_shares(Checkpoints(), frozenset(), DETECT)
    made, again = expected_faults(lots, np.full((1, len(lots.kind)), 4.0), shares)
    assert made[0] == pytest.approx(4.0 * shares[0, lots.kind])
    assert not again.any()


def hypergeometric(pieces: int, sample: int, bad: int, inside: int) -> float:
    return math.comb(bad, inside) * math.comb(pieces - bad, sample - inside) / math.comb(pieces, sample)


class Always(np.random.Generator):
    """Draws as the generator it is made of, with the number of bad pieces given."""

    def __init__(self, seed: int, bad: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self.bad = bad

    def poisson(self, lam, size=None):  # type: ignore[no-untyped-def]
        return np.full(np.shape(lam), self.bad)


def with_bad(bad: int, sampling: Sampling, pieces: int = 40, runs: int = 50_000) -> tuple[np.ndarray, np.ndarray]:
    shares = catch_shares(
        DIRTY, Checkpoints(connector_inspection=sampling.share), frozenset(), dict.fromkeys(DIRTY.catches[:-1], 0.5)
    )
    counts, rest = sampled(Always(4, bad), np.ones((runs, 1)), np.array([float(pieces)]), shares[None, :], sampling)
    return counts[:, 0], rest[:, 0]


def test_a_sample_finds_what_the_hypergeometric_distribution_says() -> None:
    pieces, sample, bad, n = 40, 8, 5, 50_000
    counts, rest = with_bad(bad, Sampling(0.2, False, np.array([1.0])))
    for inside in range(bad + 1):
        p = hypergeometric(pieces, sample, bad, inside)
        assert abs((counts[:, 0] == inside).mean() - p) < 3.5 * math.sqrt(p * (1.0 - p) / n) + 1e-12
    any_found = 1.0 - math.comb(pieces - bad, sample) / math.comb(pieces, sample)
    assert abs((counts[:, 0] > 0).mean() - any_found) < 3.0 * math.sqrt(any_found * (1.0 - any_found) / n)
    assert (counts.sum(axis=1) == bad).all() and not rest.any()


def test_a_find_leads_to_the_rest_of_the_row() -> None:
    pieces, sample, bad, n = 40, 8, 5, 50_000
    counts, rest = with_bad(bad, Sampling(0.2, True, np.array([1.0])))
    any_found = 1.0 - math.comb(pieces - bad, sample) / math.comb(pieces, sample)
    assert set(counts[:, 0].tolist()) == {0, bad}, "a perfect look at all of them, or none in the sample"
    assert abs((counts[:, 0] > 0).mean() - any_found) < 3.0 * math.sqrt(any_found * (1.0 - any_found) / n)
    assert np.array_equal(rest, np.where(counts[:, 0] > 0, pieces - sample, 0.0))


def test_a_sample_that_misses_some_is_binomial_in_what_lies_in_it() -> None:
    pieces, sample, bad, n = 40, 8, 5, 50_000
    counts, _ = with_bad(bad, Sampling(0.2, False, np.array([0.7])))
    p = 0.0
    for inside in range(bad + 1):
        p += hypergeometric(pieces, sample, bad, inside) * 0.3**inside
    assert abs((counts[:, 0] == 0).mean() - p) < 3.0 * math.sqrt(p * (1.0 - p) / n)
    left = bad - counts[:, 0]
    halves = counts[:, STAGE["fabric"]].sum() / left.sum()
    assert abs(halves - 0.5) < 3.0 * math.sqrt(0.25 / left.sum())


@pytest.mark.parametrize("escalate", (False, True))
def test_samples_of_a_large_lot_have_the_expected_values(escalate: bool) -> None:
    pieces, mean, n = 40_000.0, 8.0, 40_000
    sampling = Sampling(0.1, escalate, np.array([0.8]))
    shares = catch_shares(DIRTY, Checkpoints(connector_inspection=0.1), frozenset(), dict.fromkeys(DIRTY.catches[:-1], 0.8))[
        None, :
    ]
    counts, rest = sampled(np.random.default_rng(8), np.full((n, 1), mean), np.array([pieces]), shares, sampling)
    made, again = expected_sampled(np.full((1, 1), mean), np.array([pieces]), shares, sampling)
    spread = counts[:, 0].std(axis=0) / math.sqrt(n)
    assert (np.abs(counts[:, 0].mean(axis=0) - made[0, 0]) < 3.5 * spread + 1e-12).all()
    assert abs(rest.mean() - again[0, 0]) <= 3.5 * rest.std() / math.sqrt(n)
    assert made.sum() == pytest.approx(mean)
    if not escalate:
        assert made[0, 0] == pytest.approx(mean * shares[0])


def test_a_row_has_no_more_bad_ends_than_ends() -> None:
    sampling = Sampling(0.5, True, np.array([1.0]))
    shares = catch_shares(DIRTY, Checkpoints(), frozenset(), dict.fromkeys(DIRTY.catches[:-1], 0.5))[None, :]
    counts, _ = sampled(np.random.default_rng(8), np.full((100, 1), 50.0), np.array([4.0]), shares, sampling)
    assert counts.sum(axis=2).max() == 4


def test_draws_with_a_sample_keep_every_fault_and_tell_what_was_inspected() -> None:
    lots = lots_of(two_racks())
    checkpoints = Checkpoints(connector_inspection=0.05)
    sampling = sampling_of(checkpoints, frozenset(), DETECT)
    assert sampling is not None and sampling.detect.tolist() == [0.6]
    shares = all_shares(checkpoints, frozenset(), DETECT)
    means = np.full((RUNS, len(lots.kind)), 4.0)
    faults = draw_faults(lots, means, shares, np.random.default_rng(1), sampling)
    lot = lots.of_kind(KIND[SAMPLED_KIND]).start
    assert faults.inspected_lots.tolist() == [lot]
    made, again = expected_faults(lots, means[:1], shares, sampling)
    counts = faults.counts()[:, lot]
    assert abs(counts.sum(axis=1).mean() - 4.0) < 3.0 * math.sqrt(4.0 / RUNS)
    hit = faults.inspected[:, 0] > 0
    assert (counts[hit, 0] > 0).all() and not counts[~hit, 0].any()
    assert faults.inspected[hit, 0].tolist() == [380.0] * int(hit.sum())
    assert made[0, lot].sum() == pytest.approx(4.0) and again[0, lot] == pytest.approx(380.0 * hit.mean(), rel=0.1)
    rest = [other for other in range(len(lots.kind)) if other != lot]
    plain = draw_faults(lots, means, shares, np.random.default_rng(1))
    assert np.array_equal(plain.counts()[:, rest], faults.counts()[:, rest])


def test_a_sample_is_only_where_some_are_inspected() -> None:
    for share in (0.0, 1.0):
        assert sampling_of(Checkpoints(connector_inspection=share), frozenset(), DETECT) is None
    assert sampling_of(Checkpoints(connector_inspection=0.1), frozenset({(SAMPLED_KIND, "inspection")}), DETECT) is None
    with pytest.raises(ValueError, match=r"^connector_inspection is a share from 0 to 1, not 1\.5$"):
        sampling_of(Checkpoints(connector_inspection=1.5), frozenset(), DETECT)
    with pytest.raises(ValueError, match=r"^connector_inspection is a share from 0 to 1, not nan$"):
        all_shares(Checkpoints(connector_inspection=math.nan), frozenset(), DETECT)


def test_samples_are_whole_and_rounded_up() -> None:
    whole, size = Sampling(0.07, True, np.array([1.0])).sizes(np.array([100.0, 101.0, 1.0, 0.0]))
    assert whole.tolist() == [100, 101, 1, 0] and size.tolist() == [7, 8, 1, 0]
