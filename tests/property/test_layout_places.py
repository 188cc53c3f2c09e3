"""Whatever is asked, every device has one place of its own in a rack, and every rack one of its own on the floor."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.requirement import Requirement, Site
from asbuilt.model.tables_layout import FLOOR, RACK_SLOTS
from asbuilt.plan.expand import expand

SYSTEMS = ("dgx-h100", "dgx-b200", "l40s-8gpu", "gb200-nvl72", "gb300-nvl72", "mi300x-8gpu", "hgx-h100")


@settings(max_examples=8, deadline=None)
@given(
    system=st.sampled_from(SYSTEMS),
    racks=st.integers(1, 40),
    across=st.integers(2, 20),
    per_rack=st.integers(1, 4),
    aisle=st.sampled_from((1200.0, 1800.0, 2400.5)),
    face=st.sampled_from(("hot", "cold")),
)
def test_every_device_and_every_rack_has_a_place_of_its_own(
    system: str, racks: int, across: int, per_rack: int, aisle: float, face: str
) -> None:
    whole = "nvl72" in system
    gpus = racks * 72 if whole else racks * per_rack * 8
    site = Site(racks_per_row=across, aisle_mm=aisle, switch_ports_face=face, nodes_per_rack=None if whole else per_rack)
    plan = expand(resolve(Requirement(name="any", system=system, gpus=gpus, site=site), load()), load())
    slots, floor, tall = plan.table("rack_slots"), plan.table("floor"), plan.table("racks").select("rack", tall="height_u")
    assert RACK_SLOTS.faults(slots) == [] and FLOOR.faults(floor) == []
    end = pl.col("u") + pl.col("height_u")
    ordered = slots.join(tall, on="rack").sort("rack", "u").with_columns(before=end.shift(1).over("rack"), end=end - 1)
    assert (
        ordered.filter((pl.col("before") > pl.col("u") + 1e-9) | (pl.col("u") < 1) | (pl.col("end") > pl.col("tall"))).height
        == 0
    )
    for table, key in (("nodes", "node"), ("switches", "switch"), ("panels", "panel")):
        devices = (
            plan.table(table).filter(pl.col("u").is_not_null()).select(pl.col(key).alias("device"), "rack", "u", "height_u")
        )
        same = slots.select("device", "rack", "u", "height_u").join(devices, on="device", how="semi")
        assert same.sort("device").equals(devices.sort("device"))
    stands = floor.filter(pl.col("kind").is_in(["rack", "position"])).sort("y_mm", "x_mm")
    gap = stands.with_columns(nearer=pl.col("x_mm") < (pl.col("x_mm") + pl.col("width_mm")).shift(1).over("y_mm") - 0.5)
    assert gap.filter("nearer").height == 0
    assert stands["object"].n_unique() == stands.height
    depth, aisles = stands["depth_mm"][0], floor.filter(pl.col("kind") == "aisle")
    for y in stands["y_mm"].unique():
        beside = aisles.filter(((pl.col("y_mm") + pl.col("depth_mm") - y).abs() < 1) | ((pl.col("y_mm") - y - depth).abs() < 1))
        kinds = beside["name"].str.split(" ").list.first()
        assert set(kinds) == {"hot", "cold"}, "one hot aisle, one cold"
