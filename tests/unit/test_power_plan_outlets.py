"""Cords into outlets: conductors, banks, what does not fit; and what a lost PDU leaves to the others."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.plan.expand import expand
from asbuilt.plan.power.outlets import Plugged, outlets_of, plug_in
from template_plans import CATALOGUE


def plugged(watts: list[float], large: list[bool], banks: int = 9, c19: int = 18, c13: int = 6) -> Plugged:
    count = len(watts)
    none = np.zeros(count, np.bool_)
    pdu = np.zeros(count, np.int32)
    return plug_in(np.array(watts), pdu, np.array(large), outlets_of(banks, c19, c13), np.zeros(1, np.int32), none)


def carried(watts: list[float], where: np.ndarray, count: int) -> list[float]:
    return np.bincount(where, weights=watts, minlength=count).tolist()


def test_outlets_are_dealt_over_the_banks_in_turn() -> None:
    outlets = outlets_of(9, 18, 6)
    assert outlets.large.tolist() == [2] * 9 and outlets.small.tolist() == [1] * 6 + [0] * 3
    assert outlets.per_conductor(outlets.small).tolist() == [2, 2, 2] and outlets.symmetric
    assert not outlets_of(4, 8, 0).symmetric
    assert outlets_of(0, 6, 3).banks == 3  # without breakers a bank is a conductor


def test_the_worked_example_of_unequal_supplies() -> None:
    watts = [3300.0, 3300.0, 2750.0, 2100.0, 1700.0, 1600.0]
    found = plugged(watts, [True] * 6)
    # Longest first gives 5,000, 4,900 and 4,850 W; no exchange of two makes it evener.
    assert sorted(carried(watts, found.conductor, 3)) == [4850.0, 4900.0, 5000.0]
    assert (found.bank % 3 == found.conductor).all()


def test_swaps_mend_what_longest_first_leaves() -> None:
    watts = [500.0, 500.0, 400.0, 400.0, 300.0, 300.0, 300.0]
    totals = carried(watts, plugged(watts, [True] * 7).conductor, 3)
    assert max(totals) - min(totals) <= 200.0 and sum(totals) == sum(watts)


def test_small_plugs_take_small_outlets_first_and_then_step_down() -> None:
    found = plugged([1000.0] * 10, [False] * 10)
    assert sorted(found.large.tolist()) == [False] * 6 + [True] * 4
    assert len(set(found.outlet.tolist())) == 10
    assert sorted(carried([1000.0] * 10, found.bank, 9)) == [1000.0] * 8 + [2000.0]


def test_banks_are_even_though_few_of_them_have_small_outlets() -> None:
    watts = [1720.0] * 14 + [820.0, 820.0]
    found = plugged(watts, [False] * 16)
    assert max(carried(watts, found.bank, 9)) <= 3440.0


def test_cords_without_an_outlet_get_numbers_behind_the_last() -> None:
    found = plugged([100.0] * 5, [True] * 5, banks=3, c19=3, c13=2)
    assert sorted(found.outlet.tolist()) == [0, 2, 4, 5, 6]  # three C19 among five outlets, two cords too many


def test_a_cord_without_load_takes_an_outlet_too() -> None:
    found = plugged([0.0, 0.0, 900.0], [True] * 3)
    assert len(set(found.outlet.tolist())) == 3


def test_busways_stay_even_by_turning_whole_pdus() -> None:
    pdus, cords = 9, 8
    watts = np.full(pdus * cords, 1250.0)
    pdu = np.repeat(np.arange(pdus, dtype=np.int32), cords)
    none = np.zeros(len(watts), np.bool_)
    found = plug_in(watts, pdu, ~none, outlets_of(9, 18, 6), np.zeros(pdus, np.int32), none)
    assert carried(watts.tolist(), found.conductor, 3) == [30000.0] * 3  # 3 + 3 + 2, turned
    for at in range(pdus):
        assert sorted(np.bincount(found.conductor[pdu == at], minlength=3).tolist()) == [2, 3, 3]


def test_a_lost_pdu_leaves_its_load_to_the_rest_of_the_rack() -> None:
    text = b"""schema: requirement/v1
name: x
system: dgx-h100
gpus: 32
site: {feeds: 1, nodes_per_rack: 4}
power: {pdus_per_feed: 2, sharing_skew_percent: 0}
"""
    tables = expand(resolve(decode(text, "x"), CATALOGUE), CATALOGUE).tables
    loads = tables["conductor_loads"].filter((pl.col("subject") == "circuit:A-01/A1") & (pl.col("conductor") != "N"))
    watts = dict(loads.group_by("case").agg(pl.col("load_a").sum() * 415 / np.sqrt(3) * 0.98).iter_rows())
    # Three supplies of each node are left: 10.2 kW over three is more than they give, 3.3 kW each.
    assert watts["healthy"] == pytest.approx(4 * 5100) and watts["lost:part"] == pytest.approx(4 * 9900)
    assert "lost:feed:A" not in watts  # nothing is left of it
    circuit = tables["circuits"].filter(pl.col("circuit") == "circuit:A-01/A1").row(0, named=True)
    assert circuit["lost_a"] == pytest.approx(4 * 3300 / (415 / np.sqrt(3) * 0.98))
