"""The formulas of power beyond the worked examples: edges, unknowns, and time at size."""

from __future__ import annotations

import numpy as np
import pytest

from asbuilt.physics import assignment, conductors, cords, protection, three_phase

NAN = float("nan")


def test_a_top_and_bottom_feed_puts_a_whole_rack_through_one_section() -> None:
    """Feed A in the upper shelves, B in the lower ones, eighteen trays between; interleaved shelves halve the way."""
    trays = np.full(18, 2640.0 / 18)
    load = np.concatenate([[0.0, 0.0], trays, [0.0, 0.0]])
    apart = np.isin(np.arange(22), [0, 1, 20, 21])
    healthy = conductors.section_currents(conductors.shelf_injection(load, apart))
    lost = conductors.section_currents(conductors.shelf_injection(load, np.isin(np.arange(22), [20, 21])))
    assert healthy.max() == pytest.approx(1320.0)
    assert lost.max() == pytest.approx(2640.0)
    middle = np.concatenate([trays[:9], [0.0, 0.0], trays[9:]])
    interleaved = conductors.section_currents(conductors.shelf_injection(middle, np.arange(20) == 9))
    assert interleaved.max() == pytest.approx(1320.0)


def test_a_bar_with_no_shelf_left_has_no_known_current() -> None:
    assert np.isnan(conductors.section_currents(conductors.shelf_injection([0.0, 10.0], [False, False]))).all()


def test_shares_with_a_lost_feed() -> None:
    assert three_phase.shares_with_lost([[3, 3], [2, 4]], None) == pytest.approx(np.array([[0.5, 0.5], [1 / 3, 2 / 3]]))
    assert three_phase.shares_with_lost([[2, 2, 2]], 1).tolist() == [[0.5, 0.0, 0.5]]
    assert np.isnan(three_phase.shares_with_lost([[6, 0]], 0)).all()


def test_mixed_loads_add_as_phasors() -> None:
    """A load between L1 and L2 leaves the neutral alone; the same current to neutral on one phase fills it."""
    assert three_phase.line_currents([0, 0, 0], [10, 0, 0])[3] == pytest.approx(0.0)
    assert three_phase.line_currents([10, 0, 0]) == pytest.approx([10, 0, 0, 10])
    assert three_phase.line_currents([0, 0, 0], [0, 0, 0], 7.0) == pytest.approx([7, 7, 7, 0])
    assert three_phase.line_currents([5, 5, 5], [5, 5, 5]) == pytest.approx([5 + 5 * np.sqrt(3)] * 3 + [0])
    assert three_phase.line_currents(np.zeros((2, 3)), np.zeros((2, 3))).shape == (2, 4)


def test_third_harmonics_add_up_in_the_neutral() -> None:
    assert three_phase.neutral_amperes([10, 10, 10], 0.1) == pytest.approx(3.0)


def test_no_load_is_balanced() -> None:
    assert three_phase.nema_unbalance([[0, 0, 0], [1, 1, 1]]).tolist() == [0.0, 0.0]
    assert three_phase.spread([0, 0, 0]) == 0.0


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^basis is nec or iec, not 'ul'$"):
        three_phase.usable_amperes(60, "ul")
    with pytest.raises(ValueError, match=r"^basis is nec or iec, not 'ul'$"):
        cords.rated_amperes("C14", "C13", "ul")
    with pytest.raises(ValueError, match=r"^redundancy is N, N\+1 or 2N, not '3N'$"):
        three_phase.feeds_needed(1, 1, "3N")


def test_an_exact_fit_needs_no_further_feed() -> None:
    assert three_phase.feeds_needed(3 * 34.5e3, 34.5e3, "N") == 3
    assert three_phase.feeds_needed(0.1 * 3, 0.1, "N") == 3


def test_couplers_that_nobody_knows_mate_with_nothing_and_carry_nothing_known() -> None:
    assert cords.mates(["C13", "C99", ""], ["C99", "C14", ""]).tolist() == [False, False, False]
    assert np.isnan(cords.rated_amperes(["C20", "60309"], ["60309", "C13"], "iec")).all()
    assert cords.most_celsius(["C13", "C15", "C21"]).tolist() == [70, 120, 155]


def test_a_cord_is_as_strong_as_its_weaker_end() -> None:
    assert cords.rated_amperes("C20", "C13", "iec") == 10
    assert cords.rated_amperes("C20", "C13", "nec") == 12


@pytest.mark.parametrize(
    ("lower", "upper", "pickup", "fault", "verdict", "reason"),
    [
        (60, 60, 1e6, 1e3, "not_selective", "the upper breaker is rated no higher than the lower one"),
        (60, 100, 1e6, 1e3, "not_proven", "ratings less than 2:1 apart: the trip curves have to be compared"),
        (60, 400, NAN, 1e3, "not_proven", "the instantaneous pick-up of the upper breaker is not known"),
        (60, 400, 1600, NAN, "not_proven", "the fault current is not known"),
        (NAN, 400, 1600, 1e3, "not_proven", "a rating is not known"),
        (60, 120, 1600, 1599, "selective", "no fault reaches the upper pick-up"),
    ],
)
def test_coordination_says_why(lower: float, upper: float, pickup: float, fault: float, verdict: str, reason: str) -> None:
    verdicts, reasons = protection.coordination(lower, upper, pickup, fault)
    assert (verdicts.item(), reasons.item()) == (verdict, reason)


def test_a_longer_run_never_raises_the_fault_current() -> None:
    at_source = protection.fault_amperes(415, 65_000)
    assert at_source == pytest.approx(65_000)
    runs = protection.fault_amperes(415, 65_000, np.linspace(0, 20, 50), 0.2, 0.1)
    assert (np.diff(runs) < 0).all()


def test_all_gpus_at_once() -> None:
    """From 40 to 155 kW at 415 V: 160 A more in each conductor; six supplies of 35 A inrush together 210 A."""
    assert protection.step_amperes(40_000, 155_000, 415) == pytest.approx(159.99, abs=0.005)
    assert protection.inrush_amperes(35, 6) == 210


def test_a_row_that_cannot_carry_its_load_says_so() -> None:
    loads = np.stack([np.full((4, 3), 1e3), np.full((4, 3), 9e6)])
    row = conductors.sweep(loads, np.full((2, 4), 50.0), 0.5, 0.2, 415)
    assert row.settled.tolist() == [True, False]
    assert np.isnan(row.lowest_share).tolist() == [False, True]


def test_balanced_load_to_neutral_agrees_with_the_closed_form() -> None:
    """A balanced row carries nothing in the neutral; at little drop constant power is constant current."""
    row = conductors.sweep(np.full((10, 3), 440.0), np.full(10, 3.0), 0.025, 0.0128, 415, 0.98)
    current = three_phase.amperes(13_200, 415, 3, 0.98)
    drop = conductors.drop_volts(current, 30, 0.025, 0.0128, 0.98) * conductors.equal_taps(10)
    assert (1 - row.lowest_share) * 415 == pytest.approx(float(drop), rel=1e-3)
    assert row.neutral_a == pytest.approx(0.0, abs=1e-9)


def test_rows_without_taps() -> None:
    row = conductors.sweep(np.zeros((2, 0, 3)), np.zeros((2, 0)), 0.02, 0.01, 415)
    assert row.head_a.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert conductors.equal_taps(0) == 0.0


def test_a_single_phase_line_drops_there_and_back() -> None:
    assert conductors.single_phase_drop_volts(10, 10, 1.0) == pytest.approx(0.2)


def test_swaps_only_ever_help() -> None:
    draw = np.random.default_rng(3)
    for _ in range(50):
        loads = draw.integers(100, 3300, int(draw.integers(1, 40)))
        dealt = assignment.deal(loads)
        gap = [np.ptp(assignment.totals(loads, d)) for d in (dealt, assignment.swap(loads, dealt))]
        assert gap[1] <= gap[0]
        assert np.bincount(dealt, minlength=3).sum() == loads.size


def test_a_bad_deal_is_mended() -> None:
    loads = [10, 9, 8, 1, 2, 3]
    mended = assignment.swap(loads, [0, 0, 0, 1, 1, 2])
    assert np.ptp(assignment.totals(loads, mended)) < np.ptp(assignment.totals(loads, [0, 0, 0, 1, 1, 2]))


def test_what_a_conductor_carries_already_counts() -> None:
    assert assignment.deal([5, 5], 3, [10, 0, 0]).tolist() == [1, 2]
    assert assignment.totals([5, 5], [1, -1], 3, [1, 0, 0]).tolist() == [1, 5, 0]


def test_groups_are_dealt_within_their_places() -> None:
    dealt = assignment.deal_groups([[3, 2, 1, 0], [1, 1, 1, 1]], [[1, 1, 1], [3, 0, 0]])
    assert dealt.tolist() == [[0, 1, 2, -1], [0, 0, 0, -1]]
    assert assignment.deal_groups([[5.0]], [[1, 1, 1]], [[9, 9, 0]]).tolist() == [[2]]


def test_six_thousand_supplies_are_dealt_evenly() -> None:
    loads = np.random.default_rng(1).integers(500, 3300, 6000)
    dealt = assignment.balanced(loads)
    assert three_phase.nema_unbalance(assignment.totals(loads, dealt)) < 1e-5
