"""What design checks are held against: traits of parts, power sources, growth, thresholds with origin and source."""

from __future__ import annotations

import functools
import json
from typing import Any

import polars as pl
import pytest

from asbuilt.checks.registry import checks
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.tables import EXPECTATIONS
from asbuilt.model.tables_design import GROWTH, PARTS, PLANES, POWER_SOURCES
from asbuilt.workflow.plan import make_plan


@functools.cache
def _plan(document: str) -> Plan:
    return make_plan(decode(document.encode(), "cluster.yaml"))


def plan_of(system: str, gpus: int, **groups: Any) -> Plan:
    document = {"schema": "requirement/v1", "name": "small", "system": system, "gpus": gpus} | groups
    return _plan(json.dumps(document, sort_keys=True))


@pytest.mark.parametrize("system", ["dgx-h100", "dgx-b300", "gb200-nvl72", "l40s-8gpu"])
def test_the_tables_keep_their_schemas(system: str) -> None:
    plan = plan_of(system, 144, growth={"gpus": 576})
    for schema in (PARTS, PLANES, POWER_SOURCES, GROWTH, EXPECTATIONS):
        assert schema.faults(plan.table(schema.name)) == []


def test_every_part_that_the_plan_names_has_its_traits() -> None:
    plan = plan_of("dgx-h100", 144)
    known = set(plan.table("parts")["part"])
    for table, column in (("nics", "part"), ("switches", "model"), ("transceivers", "part"), ("jumpers", "part")):
        assert set(plan.table(table)[column]) <= known, table


def traits(plan: Plan, part: str) -> dict[str, Any]:
    return plan.table("parts").filter(pl.col("part") == part).row(0, named=True)


def test_traits_are_those_of_the_catalogue() -> None:
    plan = plan_of("l40s-8gpu", 64)
    switch = next(m for m in plan.table("switches")["model"].unique() if m == "qm9700")
    found = traits(plan, switch)
    assert (found["link_types"], found["rates_gbps"], found["form_factor"], found["heatsink"]) == (
        "infiniband", "200+400", "osfp", "finned")  # fmt: skip
    assert found["cage_power_w"] == 17.0 and found["kind"] == "switch"


def test_the_ordered_polish_replaces_that_of_fibre_cables_only() -> None:
    ordered = plan_of("dgx-h100", 64, cabling={"polish": "upc"}).table("parts")
    usual = plan_of("dgx-h100", 64).table("parts")
    changed = ordered.join(usual.select("part", usual="polish"), on="part").filter(pl.col("polish") != pl.col("usual"))
    assert changed.height and set(changed["kind"]) == {"cable"}
    assert set(changed["medium"]) <= {"multimode", "single-mode"}


def test_cords_go_to_feeds_in_order_and_shelves_in_turn() -> None:
    servers = plan_of("dgx-h100", 64, site={"feeds": 2, "cords": ["A", "B", "A", "B", "A", "B"]}).table("power_sources")
    assert servers["feed"].to_list() == ["A", "B", "A", "B", "A", "B"]
    assert set(servers["source"].str.slice(0, 4)) == {"psu:"}
    rack = plan_of("gb200-nvl72", 72, site={"feeds": 2}).table("power_sources")
    assert rack["feed"].to_list() == ["A", "B"] * 4 and set(rack["kind"]) == {"shelf"}
    stated = plan_of("gb200-nvl72", 72, site={"feeds": 2}, power={"shelf_feeds": ["A"] * 4 + ["B"] * 4})
    assert stated.table("power_sources")["feed"].to_list() == ["A"] * 4 + ["B"] * 4


def test_a_cap_bounds_the_draw_and_never_raises_it() -> None:
    low = plan_of("dgx-h100", 64, node={"power_cap_w": 9_000}).table("power_sources")
    high = plan_of("dgx-h100", 64, node={"power_cap_w": 50_000}).table("power_sources")
    assert set(low["need_w"]) == {9_000.0} and set(low["capped"]) == {True}
    assert set(high["need_w"]) == {10_200.0} and set(high["capped"]) == {False}


def moved_by_pair(now: Plan, then: Plan, plane: str) -> int:
    """Installed uplinks that cannot stay: for each pair of switches, those beyond what the target keeps between the two."""

    def pairs(plan: Plan) -> pl.DataFrame:
        links = plan.links.filter((pl.col("plane") == plane) & (pl.col("kind") == "leaf_spine"))
        return links.group_by("a_device", "b_device").agg(links=pl.len())

    both = pairs(now).join(pairs(then), on=["a_device", "b_device"], how="left", suffix="_then")
    lost = pl.col("links").cast(pl.Int64) - pl.col("links_then").fill_null(0).cast(pl.Int64)
    return int(both.select(lost.clip(0).sum()).item())


@pytest.mark.parametrize(
    ("system", "gpus", "target"),
    [
        ("dgx-h100", 512, 1024),
        ("dgx-h100", 768, 1024),
        ("dgx-b200", 504, 1016),
        ("dgx-h100", 1024, 2048),
        ("dgx-h100", 1024, 4096),
        ("dgx-h100", 4096, 8192),
        ("dgx-b300", 512, 2048),
        ("gb300-nvl72", 576, 1152),
    ],
)
def test_moved_uplinks_are_those_that_the_two_expanded_plans_show(system: str, gpus: int, target: int) -> None:
    now = plan_of(system, gpus, growth={"gpus": target})
    row = now.table("growth").filter((pl.col("plane") == "compute") & (pl.col("quantity") == "spine striping"))
    assert row["moved_links"].item() == moved_by_pair(now, plan_of(system, target), "compute")


def test_without_a_target_there_is_nothing_to_grow_to() -> None:
    assert plan_of("dgx-h100", 512).table("growth").is_empty()
    assert plan_of("dgx-h100", 512, growth={"gpus": 512}).table("growth").is_empty()


@pytest.mark.parametrize("system", ["dgx-h100", "dgx-b300", "gb300-nvl72", "l40s-8gpu"])
def test_every_threshold_names_its_check_its_origin_and_its_source(system: str) -> None:
    rows = plan_of(system, 144, site={"power_mw": 3.0, "airflow": "port-to-connector", "switch_ports_face": "cold"})
    table = rows.table("expectations")
    assert set(table["check_id"]) <= set(checks())
    # A plane of single leaves promises no ratio; everything else is there whatever the system. Subnets have theirs.
    always = {"DES-034", "DES-043", "DES-048", "DES-049", "DES-051", "DES-052", "DES-053", "DES-055"}
    own = set(table.filter(pl.col("check_id").is_between(pl.lit("DES-000"), pl.lit("DES-079")))["check_id"])
    assert own - {"DES-032"} == always
    assert {"DES-104", "FAB-007", "FAB-031", "FAB-034", "FAB-044"} <= set(table["check_id"])
    assert set(table["origin"]) <= {"declared", "assumed", "published", "derived"}
    assert table["source"].str.len_chars().min() > 3
    said = table.filter(pl.col("id") == "DES-053/*").row(0, named=True)
    assert (said["value"], said["unit"], said["origin"], said["source"]) == ("3", "MW", "declared", "site.power_mw")
