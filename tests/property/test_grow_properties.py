"""Growth: breaks are found where they are; whole rows more keep every id and end, or the answer lists the change."""

from __future__ import annotations

import functools

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.plan import Plan
from asbuilt.predict.breaks import BREAKS, HOLDS, decisions, next_size
from asbuilt.predict.reading import POWER, Reading
from asbuilt.predict.survival import KEPT, cables, links, survival
from asbuilt.workflow.grow import compute_racks, gpus_per_rack
from asbuilt.workflow.grow_ahead import at_size
from asbuilt.workflow.plan import make_plan
from template_plans import CATALOGUE, made


def reading(key: str, holds: bool) -> Reading:
    return Reading(key, POWER, key, "s", 1.0, 2.0, "A", holds, "t")


@given(st.integers(1, 50), st.integers(1, 400), st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 500), min_size=1))
def test_every_break_is_found_exactly_when_nobody_counts_the_plans(low: int, more: int, breaks: dict[str, int]) -> None:
    high = low + more

    def look(racks: int) -> dict[str, Reading]:
        return {key: reading(key, racks < at) for key, at in breaks.items()}

    seen = {low: look(low), high: look(high)}
    while (size := next_size(seen)) is not None:
        assert low < size < high and size not in seen
        seen[size] = look(size)
    for found in decisions(seen):
        at = breaks[found.reading.id]
        if at > high:
            assert (found.verdict, found.breaks_at) == (HOLDS, None)
        else:
            assert found.verdict == BREAKS and found.exact
            assert (found.holds_to, found.breaks_at) == ((None, low) if at <= low else (at - 1, at))


@functools.cache
def grown(template: str, whole_row: bool) -> Plan:
    """The template with one compute rack more, or with as many as a row has positions."""
    pilot = made(template)
    assert pilot.design is not None
    racks = compute_racks(pilot) + (pilot.design.site.racks_per_row if whole_row else 1)
    return make_plan(at_size(pilot.design.requirement, racks * gpus_per_rack(pilot)), CATALOGUE)


@pytest.mark.parametrize("template", ["l40s-384", "dgx-h100-superpod", "gb300-nvl72"])
@settings(max_examples=2)
@given(whole_row=st.booleans())
def test_more_racks_keep_ids_and_ends_or_the_change_is_listed(template: str, whole_row: bool) -> None:
    pilot, larger = made(template), grown(template, whole_row)
    states = cables(pilot, larger)
    proof = links(pilot, larger, states)
    ends = ["link", "a_device", "a_port", "b_device", "b_port", "b_nic", "rate_gbps"]
    before, after = ({row[0]: row[1:] for row in p.table("links").select(ends).iter_rows()} for p in (pilot, larger))
    assert set(proof.gone) == before.keys() - after.keys()
    assert set(proof.moved) == {key for key in before.keys() & after.keys() if before[key] != after[key]}
    assert proof.same_ends == sum(after.get(key) == value for key, value in before.items())
    kept = set(states.filter(pl.col("state") == KEPT)["jumper"].to_list())
    jumper = dict(pilot.table("links").select("link", "jumper").iter_rows())
    same = [key for key, value in before.items() if after.get(key) == value]
    assert proof.untouched == sum(jumper[key] in kept or jumper[key] is None for key in same)
    for one in survival(pilot, larger, {}):
        assert one.kept >= 0
        assert not set(one.changed) & set(one.gone)


@pytest.mark.parametrize("template", ["l40s-384", "dgx-h100-superpod", "gb300-nvl72"])
def test_nodes_gpus_and_their_ports_never_lose_their_id(template: str) -> None:
    pilot, larger = made(template), grown(template, True)
    for table, key in (("gpus", "gpu"), ("nics", "nic")):
        gone = set(pilot.table(table)[key].to_list()) - set(larger.table(table)[key].to_list())
        assert not gone
    nodes = pilot.table("nodes").filter(pl.col("role") == "compute")["node"].to_list()
    assert set(nodes) <= set(larger.table("nodes")["node"].to_list())


def test_a_promise_of_growth_is_kept_to_the_last_link_and_lid() -> None:
    """`l40s-384` promises 512 GPUs without recabling: every link keeps both ends, every port its LID."""
    pilot = made("l40s-384")
    assert pilot.design is not None
    larger = make_plan(at_size(pilot.design.requirement, 512), CATALOGUE)
    proof = links(pilot, larger, cables(pilot, larger))
    assert (proof.moved, proof.gone) == ((), ())
    found = {s.table: s for s in survival(pilot, larger, {})}
    for table in ("links", "lids", "addresses", "address_pools", "subnet_managers"):
        assert found[table].kept == found[table].rows, table
