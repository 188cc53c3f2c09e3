"""Shelves and busbars, breakers, earth bonds, and what a site has built otherwise than planned."""

from __future__ import annotations

import functools

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.plan.expand import expand
from template_plans import CATALOGUE, expanded

H100 = "system: dgx-h100\ngpus: 64\nsite: {feeds: 3, nodes_per_rack: 4, cords: [A, A, B, B, C, C]}\n"
NVL72 = "system: gb300-nvl72\ngpus: 144\nnode: {power_cap_w: 132000}\n"


@functools.cache
def plan_of(text: str) -> Plan:
    return expand(resolve(decode(f"schema: requirement/v1\nname: x\n{text}".encode(), "x"), CATALOGUE), CATALOGUE)


def busbar(plan: Plan) -> pl.DataFrame:
    return plan.tables["busbars"].filter(pl.col("rack") == "rack:A-01").sort("number")


def test_shelves_of_both_feeds_at_both_ends() -> None:
    shelves = expanded("gb300-nvl72").tables["shelves"].filter(pl.col("rack") == "rack:A-01").sort("number")
    assert shelves["feed"].to_list() == ["feed:A", "feed:B"] * 4
    assert shelves["u"].to_list()[:4] == [1.0, 2.0, 3.0, 4.0] and shelves["u"].to_list()[4] > 30
    assert set(shelves.select("supplies", "rating_w", "nominal_w", "lost_w").rows()) == {(6, 33000.0, 15000.0, 30000.0)}


def test_feed_words_of_power_sources_and_shelves_agree() -> None:
    for text in (NVL72, NVL72 + "power: {shelf_feeds: [B, B, B, B, A, A, A, A]}\n"):
        tables = plan_of(text).tables
        shelves = tables["shelves"].filter(pl.col("rack") == "rack:A-01").sort("number")
        assert ("feed:" + tables["power_sources"].sort("number")["feed"]).to_list() == shelves["feed"].to_list()


def test_a_at_the_top_and_b_at_the_bottom_sends_the_whole_rack_through_one_section() -> None:
    rack_a = 132000 / 49
    mixed, split = busbar(plan_of(NVL72)), busbar(plan_of(NVL72 + "power: {shelf_feeds: [B, B, B, B, A, A, A, A]}\n"))
    assert split["healthy_a"].to_list() == pytest.approx(mixed["healthy_a"].to_list())  # nobody sees it before
    worst = split.sort("lost_a").row(-1, named=True)
    assert worst["lost_a"] == pytest.approx(rack_a) and worst["lost"] in ("feed:A", "feed:B")
    by_feed = mixed.filter(pl.col("lost").str.starts_with("feed"))
    assert by_feed["lost_a"].max() == pytest.approx(rack_a / 2)  # three of four shelves below: half of those left
    assert set(mixed["rating_a"].to_list()) == {1400.0} and set(mixed["voltage_v"].to_list()) == {49.0}


def test_a_lost_shelf_moves_its_share_to_the_other_end() -> None:
    sections = busbar(plan_of(NVL72))
    worst = sections.sort("lost_a", "number").row(-1, named=True)
    # Four of the seven shelves that stand are at one end.
    assert worst["lost_a"] == pytest.approx(132000 / 49 * 4 / 7) and worst["lost"].startswith("shelf ")
    assert worst["peak_a"] == pytest.approx(155000 / 49 * 4 / 7)


def test_sections_carry_what_is_put_in_below_and_not_used_there() -> None:
    plan = plan_of(NVL72)
    sections = busbar(plan)
    stack = plan.tables["nodes"].filter(pl.col("rack") == "rack:A-01").sort("u")
    shelves = plan.tables["shelves"].filter(pl.col("rack") == "rack:A-01").sort("u")
    for row in sections.iter_rows(named=True):
        put_in = (shelves["u"] <= row["bottom_u"]).sum() * 16500
        used = (stack["u"] <= row["bottom_u"]).sum() * 132000 / 18
        assert row["healthy_a"] == pytest.approx(abs(put_in - used) / 49, abs=1e-6)


def test_an_uncapped_rack_asks_more_than_a_shelf_has() -> None:
    shelves = plan_of(NVL72.replace("node: {power_cap_w: 132000}\n", "")).tables["shelves"]
    assert set(shelves["lost_w"].to_list()) == {33750.0} and set(shelves["rating_w"].to_list()) == {33000.0}


def test_nothing_is_proven_without_the_sites_figures() -> None:
    rows = plan_of(H100).tables["protections"]
    assert set(rows["verdict"].to_list()) == {"not_proven"}
    assert set(rows["reason"].to_list()) == {"the fault current is not known"}


def test_breakers_in_series_are_selective_only_below_the_pick_up() -> None:
    weak = plan_of(H100 + "power: {fault_ka: 4, pickup_multiple: 12, icu_ka: 10}\n").tables["protections"]
    upper = weak.filter(pl.col("upstream").str.starts_with("busway:"))
    assert set(upper["verdict"].to_list()) == {"selective"} and set(upper["icu_ka"].to_list()) == {10.0}
    rated = upper.row(0, named=True)
    assert rated["pickup_ka"] == pytest.approx(rated["upstream_a"] * 12 * 0.8 / 1000)
    assert rated["ratio"] == pytest.approx(rated["upstream_a"] / rated["downstream_a"])
    strong = plan_of(H100 + "power: {fault_ka: 65, pickup_multiple: 5}\n").tables["protections"]
    reasons = set(strong["reason"].to_list())
    assert reasons == {"the fault reaches the upper pick-up: needs the makers' selectivity table"}
    small = plan_of(H100 + "power: {fault_ka: 65, pickup_multiple: 5, busway_a: 60}\n").tables["protections"]
    assert set(small.filter(pl.col("upstream").str.starts_with("busway:"))["verdict"].to_list()) == {"not_selective"}


def test_a_declared_study_proves_what_is_open_and_nothing_that_is_wrong() -> None:
    power = "power: {fault_ka: 65, pickup_multiple: 5, busway_a: 60, selectivity_study: 'study 17, 2026-05-04'}\n"
    rows = plan_of(H100 + power).tables["protections"]
    banks = rows.filter(pl.col("downstream").str.starts_with("bank:"))
    assert set(banks.select("verdict", "reason").rows()) == {("selective", "declared: study 17, 2026-05-04")}
    assert "not_selective" in rows["verdict"].to_list()


def test_bonds_of_every_rack_with_the_sites_targets() -> None:
    tables = plan_of(H100).tables
    bonds, racks = tables["bonds"], tables["racks"]
    buses = bonds.filter(pl.col("kind") == "rack-to-bus")
    assert buses["rack"].to_list() == racks["rack"].sort().to_list()
    assert set(buses.select("target_mohm", "warn_mv", "fail_mv", "origin").rows()) == {(5.0, None, None, "assumed")}
    between = bonds.filter(pl.col("kind") == "rack-to-rack")
    assert set(between.select("target_mohm", "warn_mv", "fail_mv").rows()) == {(10.0, 10.0, 50.0)}
    assert ("bond:A-01/A-02", "rack:A-02") in between.select("bond", "far").rows()
    own = "power: {bond_bus_mohm: 2, bond_rack_mohm: 4, potential_warn_mv: 5, potential_fail_mv: 25}\n"
    assert set(plan_of(H100 + own).tables["bonds"]["origin"].to_list()) == {"declared"}


def test_racks_that_copper_joins_are_bonded_wherever_they_stand() -> None:
    tables = expanded("l40s-384").tables
    far = tables["bonds"].filter(pl.col("bond") == "bond:A-01/A-07")  # six racks on, at the end of a copper cable
    assert far.height == 1 and far["kind"].item() == "rack-to-rack"


AS_BUILT = """power:
  circuits_as_built:
    - {rack: A-01, feed: A, length_m: 9, side: right, door: true, feed_as_built: B}
  cords_as_built:
    - {device: 'node:0005', supply: 0, feed: C}
"""


def test_what_a_site_has_built_otherwise_is_planned_as_it_is() -> None:
    plan = plan_of(H100 + AS_BUILT)
    circuit = plan.tables["circuits"].filter(pl.col("circuit") == "circuit:A-01/A1").row(0, named=True)
    told = {k: circuit[k] for k in ("feed", "busway", "whip_m", "side", "door")}
    assert told == {"feed": "feed:B", "busway": "busway:A/B", "whip_m": 9.0, "side": "right", "door": True}
    assert plan.tables["pdus"].filter(pl.col("pdu") == "pdu:A-01/A1")["feed"].item() == "feed:B"
    cord = plan.tables["cords"].filter(pl.col("cord") == "cord:node:0005/0").row(0, named=True)
    assert (cord["feed"], cord["pdu"]) == ("feed:A", "pdu:A-02/C1")  # asked for, and plugged into
    loads = plan.tables["conductor_loads"].filter(pl.col("subject") == "pdu:A-01/A1")
    # Nothing of it is left when B is lost: four supplies of each node hang on B.
    assert set(loads["case"].to_list()) == {"healthy", "lost:feed:A", "lost:feed:C"}
    node = plan.tables["cords"].filter(pl.col("device") == "node:0000")
    assert set(node["lost_w"].round(3).to_list()) == {2550.0, 3300.0}  # 10.2 kW over the two on C, 3.3 kW at most each


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            "circuits_as_built: [{rack: Z-01, feed: A, length_m: 9}]",
            "PLN-015 power.circuits_as_built[0]: the plan has no circuit:Z-01/A1\n"
            "  why: what is said of it would be ignored\n"
            "  fix: use a key of `asbuilt show circuits`, or delete the entry\n1 problem",
        ),
        (
            "cords_as_built: [{device: 'node:0001', supply: 7, feed: B}]",
            "PLN-015 power.cords_as_built[0]: the plan has no cord:node:0001/7\n"
            "  why: what is said of it would be ignored\n"
            "  fix: use a key of `asbuilt show cords`, or delete the entry\n1 problem",
        ),
    ],
)
def test_words_about_what_the_plan_does_not_have(entry: str, said: str) -> None:
    with pytest.raises(ProblemError) as caught:
        plan_of(f"{H100}power: {{{entry}}}\n")
    assert str(caught.value) == said


def test_a_cord_cannot_end_in_a_pdu_that_the_rack_does_not_have() -> None:
    text = H100.replace("C, C]", "B, A]") + "power: {cords_as_built: [{device: 'node:0001', supply: 0, feed: C}]}\n"
    with pytest.raises(ProblemError) as caught:
        plan_of(text)
    assert str(caught.value) == (
        "PLN-015 power.cords_as_built: rack:A-01 has no PDU on feed C\n"
        "  why: a cord ends in a PDU of its own rack\n"
        "  fix: name a feed that the rack has, or delete the entry\n1 problem"
    )
