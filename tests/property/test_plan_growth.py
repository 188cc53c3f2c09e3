"""A larger target keeps the old ids and rows; what it changes, the difference lists completely."""

from __future__ import annotations

import functools

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.plan.difference import differences, key_texts
from asbuilt.plan.expand import expand
from asbuilt.plan.shape import island_shapes

CATALOGUE = load()
FAMILIES = ("dgx-h100", "dgx-b300", "gb200-nvl72", "gb300-nvl72", "l40s-8gpu")


@functools.cache
def planned(system: str, gpus: int) -> Plan:
    return expand(resolve(Requirement(name="x", system=system, gpus=gpus), CATALOGUE), CATALOGUE)


def manner(plan: Plan) -> tuple[object, ...]:
    """How the compute plane is built: rails on a leaf, slots, tiers. Growth inside one manner moves no leaf."""
    assert plan.design is not None
    plane = plan.design.planes[0]
    return plane.rails_per_leaf, plane.nodes_per_leaf, plane.uplinks, island_shapes(plane)[0].kind


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(FAMILIES), st.integers(1, 60), st.integers(1, 60))
def test_growth_keeps_ids_and_lists_changes(system: str, first: int, more: int) -> None:
    unit = 72 if system.endswith("nvl72") else 8
    before, after = planned(system, first * unit), planned(system, (first + more) * unit)
    kept = ["gpus", "nics"]
    if manner(before) == manner(after):
        kept.append("switches")
    for table in kept:
        key = list(PLAN_TABLES[table].key)
        own = before.table(table) if table != "switches" else before.table(table).filter(pl.col("plane") == "compute")
        assert own.join(after.table(table), on=key, how="anti").height == 0, table
    nodes = before.table("nodes").filter(pl.col("role") == "compute")
    assert nodes.join(after.table("nodes"), on="node", how="anti").height == 0
    if manner(before) == manner(after):
        links = before.links.filter((pl.col("plane") == "compute") & (pl.col("kind") == "node_leaf"))
        same = links.join(after.links, on=["link", "b_device", "b_port", "b_nic", "a_label"], how="semi")
        assert same.height == links.height
    for found in differences(before.tables, after.tables):
        assert replayed(before.table(found.table), found) == after.table(found.table).height
        check_complete(before, after, found.table)


def replayed(old: pl.DataFrame, found: object) -> int:
    return old.height - found.removed.height + found.added.height  # type: ignore[attr-defined]


def check_complete(before: Plan, after: Plan, table: str) -> None:
    """Every row that is not equal in both stands in the difference, and no other."""
    found = next(d for d in differences({table: before.table(table)}, {table: after.table(table)}) if d.table == table)
    key = list(PLAN_TABLES[table].key)
    names = list(PLAN_TABLES[table].names)
    old, new = before.table(table), after.table(table)
    touched = set(found.changed["key"])
    unequal = old.join(new, on=names, how="anti", nulls_equal=True).join(new, on=key, how="semi", nulls_equal=True)
    assert {" ".join("-" if v is None else _text(v) for v in row) for row in unequal.select(key).rows()} == touched
    assert len(key_texts(found, found.added)) == new.join(old, on=key, how="anti", nulls_equal=True).height


def _text(value: object) -> str:
    return str(pl.Series([value]).cast(pl.String)[0])


def test_inside_a_leaf_block_only_node_links_are_added() -> None:
    """From 30 to 31 DGX H100: no leaf, spine or cable between switches is added or moved."""
    before, after = planned("dgx-h100", 240), planned("dgx-h100", 248)
    up = pl.col("kind") == "leaf_spine"
    compute = pl.col("plane") == "compute"
    assert (
        before.links.filter(up & compute)
        .select("link", "b_device", "b_port")
        .equals(after.links.filter(up & compute).select("link", "b_device", "b_port"))
    )
    old_racks = before.table("nodes").filter(pl.col("role") == "compute").select("node", "rack", "u")
    assert old_racks.join(after.table("nodes"), on=["node", "rack", "u"], how="semi").height == old_racks.height


def test_a_renaming_is_a_changed_column() -> None:
    before = planned("dgx-h100", 248)
    renamed = before.table("nodes").with_columns(name=pl.lit("new-") + pl.col("name"))
    found = next(d for d in differences(before.tables, {**before.tables, "nodes": renamed}) if d.table == "nodes")
    assert (found.added.height, found.removed.height) == (0, 0)
    assert found.changed["column"].unique().to_list() == ["name"]
    assert found.changed.height == renamed.height
