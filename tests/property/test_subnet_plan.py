"""LIDs: unique, inside 1 to 0xBFFF, aligned, in their range; the same after growth; one table entry per index."""

from __future__ import annotations

import dataclasses

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.catalogue.load import load
from asbuilt.design.reach import UNICAST_LIDS
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Growth, Plane, Planes, Requirement, Subnet
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.model.tables_subnet import SUBNET_TABLES
from asbuilt.plan.expand import expand
from asbuilt.workflow import templates

CATALOGUE = load()
#: System and GPUs of one node.
SYSTEMS = {"dgx-h100": 8, "dgx-b200": 8, "gb200-nvl72": 72, "l40s-8gpu": 8}


def made(system: str, gpus: int, target: int | None, lmc: int | None = None) -> Plan:
    planes = Planes(compute=Plane(lmc=lmc)) if lmc else Planes()
    asked = Requirement(name="x", system=system, gpus=gpus, growth=Growth(gpus=target), planes=planes)
    return expand(resolve(asked, CATALOGUE), CATALOGUE)


def spans(plan: Plan) -> pl.DataFrame:
    """Every end port with its range, and its LIDs from ``lid`` to ``end``."""
    ranges = plan.table("lid_ranges").select("subnet", "range", "first", "last", "used")
    lids = plan.table("lids").join(ranges, on=["subnet", "range"], how="left", maintain_order="left")
    return lids.with_columns((pl.col("lid") + pl.lit(2, pl.Int64).pow(pl.col("lmc")) - 1).alias("end"))


def assert_sound(plan: Plan) -> None:
    for schema in SUBNET_TABLES:
        assert PLAN_TABLES[schema.name].faults(plan.table(schema.name)) == []
    held = spans(plan)
    assert held.height and held["first"].null_count() == 0
    assert held.filter((pl.col("lid") < pl.col("first")) | (pl.col("end") > pl.col("last"))).is_empty()
    assert held["first"].min() >= 1 and held["last"].max() <= UNICAST_LIDS  # type: ignore[operator]
    assert held.filter(pl.col("lid") % pl.lit(2, pl.Int64).pow(pl.col("lmc")) != 0).is_empty()
    following = held.sort("subnet", "lid").with_columns(pl.col("lid").shift(-1).over("subnet").alias("next"))
    assert following.filter(pl.col("end") >= pl.col("next")).is_empty()
    following_first = pl.col("first").shift(-1).over("subnet").alias("next")
    ranges = plan.table("lid_ranges").sort("subnet", "first").with_columns(following_first)
    assert ranges.filter(pl.col("last") >= pl.col("next")).is_empty()
    spent = held.group_by("subnet", "range").agg((pl.col("end") - pl.col("lid") + 1).sum().alias("spent"))
    ranges = ranges.join(spent, on=["subnet", "range"], how="left").with_columns(pl.col("spent").fill_null(0))
    assert (ranges["spent"] == ranges["used"]).all()
    assert held["port_guid"].n_unique() == held.height
    subnets = plan.table("subnets").filter(pl.col("technology") == "infiniband").select("subnet", "lids")
    counted = ranges.group_by("subnet").agg(pl.col("used").sum())
    assert subnets.join(counted, on="subnet").filter(pl.col("lids") != pl.col("used")).is_empty()
    members = plan.table("partition_members")
    assert set(members["port"]) == set(held["port"])
    first = members.filter(pl.col("index") == 0)
    assert first.height == held.height and set(first["entry"]) <= {0x7FFF, 0xFFFF}


def assert_kept(small: Plan, large: Plan) -> None:
    """Every end port of ``small`` that ``large`` has keeps its LID, GUIDs and range; every range keeps its place.

    Display names may hold a rack number, which follows the hall. A default service host stands only where a port is free.
    """
    same = ["subnet", "lid", "lmc", "node_guid", "port_guid", "range"]
    old, new = (plan.table("lids").select("port", "role", *same) for plan in (small, large))
    assert old.filter(pl.col("role").is_in(["node", "leaf"])).join(new, on="port", how="anti").is_empty()
    both = old.join(new, on="port", suffix="_new")
    assert both.filter(pl.any_horizontal(pl.col(c) != pl.col(f"{c}_new") for c in same)).is_empty()
    place = ["subnet", "range", "first", "last"]
    moved = small.table("lid_ranges").select(place).join(large.table("lid_ranges").select(place), on=place, how="anti")
    assert moved.is_empty(), moved.rows()


@given(st.sampled_from(sorted(SYSTEMS)), st.integers(1, 200), st.sampled_from([None, 1, 2, 3]))
@settings(max_examples=12, deadline=None)
def test_lids_are_unique_aligned_and_in_their_range(system: str, units: int, lmc: int | None) -> None:
    assert_sound(made(system, units * SYSTEMS[system], None, lmc))


@given(st.sampled_from(sorted(SYSTEMS)), st.tuples(st.integers(1, 256), st.integers(1, 256), st.integers(1, 256)))
@settings(max_examples=12, deadline=None)
def test_growth_within_the_target_keeps_every_lid(system: str, counts: tuple[int, int, int]) -> None:
    now, then, target = (n * SYSTEMS[system] for n in sorted(counts))
    small, large = made(system, now, target), made(system, then, target)
    assert_sound(small)
    assert_sound(large)
    assert_kept(small, large)


@given(st.sampled_from(["l40s-384", "dgx-h100-superpod", "dgx-b200", "gb200-nvl72", "gb300-nvl72"]), st.integers(1, 8))
@settings(max_examples=8, deadline=None)
def test_a_template_grows_to_its_target_without_moving_a_lid(name: str, eighths: int) -> None:
    asked = decode(templates.text(name).encode(), name)
    target = max(asked.growth.gpus or 0, asked.gpus)
    step = 72 if "nvl72" in name else 8
    fewer = max(step, target * eighths // 8 // step * step)
    pair = [
        expand(resolve(dataclasses.replace(asked, gpus=n, growth=Growth(gpus=target), phases=()), CATALOGUE), CATALOGUE)
        for n in (fewer, target)
    ]
    assert_kept(*pair)


def test_an_island_at_the_end_of_the_lid_space_fits() -> None:
    """Where islands end because the LIDs do, the ranges are packed and still fit."""
    for lmc in (0, 2, 5):
        plan = made("dgx-h100", 16_384 if lmc else 45_056, None, lmc)
        assert plan.table("subnets").filter(pl.col("technology") == "infiniband").height > 2
        assert_sound(plan)


def test_a_subnet_states_the_lmc_of_its_planes() -> None:
    asked = Requirement(name="x", system="dgx-h100", gpus=256, subnets={"compute": Subnet(lmc=3)})
    plan = expand(resolve(asked, CATALOGUE), CATALOGUE)
    assert_sound(plan)
    nics = plan.table("lids").filter(pl.col("role") == "node", pl.col("subnet") == "compute")
    assert set(nics["lmc"]) == {3}
