"""Rack units: every device once in its place, nothing on top of anything, the stack of an NVL72 rack, panels from the top."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement
from asbuilt.model.tables_fibre import PANELS
from asbuilt.model.tables_layout import RACK_SLOTS
from asbuilt.plan.expand import expand
from asbuilt.plan.layout.tables import place_panels, with_panels
from template_plans import CATALOGUE, expanded

TEMPLATES = ("gb300-nvl72", "dgx-h100-superpod", "l40s-384", "dgx-b300-xdr", "gb200-nvl72")


def overlapping(slots: pl.DataFrame) -> list[str]:
    """Slots that start below the end of the one under them in the same rack."""
    end = pl.col("u") + pl.col("height_u")
    ordered = slots.sort("rack", "u").with_columns(before=end.shift(1).over("rack"))
    return ordered.filter(pl.col("before") > pl.col("u") + 1e-9)["slot"].to_list()


def above_the_rack(plan: Plan, slots: pl.DataFrame) -> list[str]:
    joined = slots.join(plan.table("racks").select("rack", tall="height_u"), on="rack", how="left")
    return joined.filter((pl.col("u") < 1) | (pl.col("u") - 1 + pl.col("height_u") > pl.col("tall")))["slot"].to_list()


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_device_has_one_slot_of_its_own(template: str) -> None:
    plan = expanded(template)
    slots = plan.table("rack_slots")
    assert RACK_SLOTS.faults(slots) == []
    assert overlapping(slots) == []
    assert above_the_rack(plan, slots) == []
    placed = slots.select("device", "rack", "u", "height_u")
    for table, key in (("nodes", "node"), ("switches", "switch")):
        devices = plan.table(table).select(pl.col(key).alias("device"), "rack", "u", "height_u")
        assert devices.join(placed, on=["device", "rack", "u", "height_u"], how="anti").height == 0
        assert placed.join(devices, on="device", how="semi").height == devices.height


@pytest.mark.parametrize("system,gpus", [("dgx-h100", 8), ("dgx-h100", 1016), ("l40s-8gpu", 64), ("hgx-b200-liquid", 512),
                                         ("gb200-nvl72", 72), ("mi300x-8gpu", 2048), ("dgx-b300", 4608)])  # fmt: skip
def test_no_size_and_no_system_makes_devices_overlap(system: str, gpus: int) -> None:
    plan = expand(resolve(Requirement(name="any", system=system, gpus=gpus), load()), load())
    slots = plan.table("rack_slots")
    assert overlapping(slots) == [] and above_the_rack(plan, slots) == []
    arrays = plan.table("loads").filter((pl.col("role") == "storage") & (pl.col("nameplate_w") > 0))
    assert sorted(slots.filter(pl.col("kind") == "storage")["rack"]) == sorted(arrays["rack"].unique())
    assert slots.filter(pl.col("kind") == "management").height >= 1


def test_an_nvl72_rack_is_stacked_as_its_maker_stacks_it() -> None:
    plan = expanded("gb300-nvl72")
    rack = plan.table("rack_slots").filter(pl.col("rack") == "rack:A-01").sort("u")
    runs = rack.select("kind", turn=(pl.col("kind") != pl.col("kind").shift(1)).fill_null(True).cum_sum())
    counted = runs.group_by("turn", maintain_order=True).agg(pl.col("kind").first(), pl.len())
    assert list(zip(counted["kind"], counted["len"], strict=True)) == [
        ("shelf", 4), ("node", 8), ("nvlink-switch", 9), ("node", 10), ("shelf", 4), ("switch", 2),
    ]  # fmt: skip
    assert rack["u"].to_list() == [float(u) for u in range(1, 38)]
    assert rack.filter(pl.col("kind") == "shelf")["device"].to_list() == [f"shelf:A-01/{n}" for n in range(1, 9)]
    assert set(rack.filter("liquid")["kind"]) == {"node", "nvlink-switch"}
    assert rack.filter(pl.col("kind") == "nvlink-switch")["part"].unique().to_list() == ["nvlink-switch-tray"]
    used = plan.table("racks").filter(pl.col("rack") == "rack:A-01")["used_u"].item()
    assert rack["height_u"].sum() == used


def panel_rows(racks: list[str], numbers: list[int], u: list[float | None], height: float = 1.0) -> pl.DataFrame:
    rows = len(racks)
    frame = pl.DataFrame({
        "panel": [f"panel:{r.removeprefix('rack:')}/{n:02d}" for r, n in zip(racks, numbers, strict=True)],
        "rack": racks, "number": numbers, "u": pl.Series(u, dtype=pl.Float64), "height_u": [height] * rows,
        "part": ["any"] * rows, "positions": [48] * rows, "used": [1] * rows, "medium": ["single-mode"] * rows,
        "adapter": ["A"] * rows, "polish": ["apc"] * rows, "gender": ["male"] * rows, "phase": ["1"] * rows,
    })  # fmt: skip
    return PANELS.conform(frame.sort("panel"))


def test_panels_take_free_units_from_the_top_and_never_those_of_a_device() -> None:
    plan = expanded("dgx-h100-superpod")
    slots, racks = plan.table("rack_slots").filter(pl.col("kind") != "panel"), plan.table("racks")
    many = 20
    asked = panel_rows(["rack:A-09"] * many + ["rack:A-01"], [*range(1, many + 1), 1], [None] * (many + 1))
    placed = place_panels(racks, slots, asked)
    in_network = placed.filter(pl.col("rack") == "rack:A-09").sort("number")["u"].to_list()
    assert in_network[:3] == [48.0, 47.0, 46.0]
    assert plan.design is not None
    both = with_panels(plan.design, slots, placed)
    assert RACK_SLOTS.faults(both) == []
    assert overlapping(both) == [] and above_the_rack(plan, both) == []
    assert both.filter(pl.col("kind") == "panel").height == placed["u"].count()
    assert place_panels(racks, slots, placed).equals(placed)


def test_a_panel_keeps_a_free_unit_moves_from_a_taken_one_and_finds_no_room_in_a_full_rack() -> None:
    plan = expanded("dgx-h100-superpod")
    slots, racks = plan.table("rack_slots").filter(pl.col("kind") != "panel"), plan.table("racks")
    node = slots.filter((pl.col("rack") == "rack:A-01") & (pl.col("kind") == "node")).sort("u")
    asked = panel_rows(["rack:A-01", "rack:A-01", "rack:A-01"], [1, 2, 3], [1.0, node["u"][0] + 1, 48.0])
    assert place_panels(racks, slots, asked)["u"].to_list() == [1.0, 48.0, 47.0]
    tall = panel_rows(["rack:A-01"], [1], [None], height=20.0)
    assert place_panels(racks, slots, tall)["u"].to_list() == [None]
    assert plan.design is not None
    assert with_panels(plan.design, slots, place_panels(racks, slots, tall)).height == slots.height


def test_panels_sit_where_the_ports_are() -> None:
    for template, rack, face in (("gb300-nvl72", "rack:A-01", "front"), ("dgx-h100-superpod", "rack:A-01", "rear")):
        plan = expanded(template)
        slots = plan.table("rack_slots").filter(pl.col("kind") != "panel")
        placed = place_panels(plan.table("racks"), slots, panel_rows([rack], [1], [None]))
        assert plan.design is not None
        row = with_panels(plan.design, slots, placed).filter(pl.col("kind") == "panel")
        assert row["face"].to_list() == [face]
        assert row["slot"].item() == f"slot:{rack.removeprefix('rack:')}/48" + ("/rear" if face == "rear" else "")


def test_random_panels_in_random_racks_never_overlap() -> None:
    plan = expanded("l40s-384")
    slots, racks = plan.table("rack_slots").filter(pl.col("kind") != "panel"), plan.table("racks")
    draw = np.random.default_rng(11)
    assert plan.design is not None
    for _ in range(12):
        count = int(draw.integers(1, 40))
        where = sorted(draw.choice(racks["rack"].to_list(), count))
        numbers = [where[: i + 1].count(r) for i, r in enumerate(where)]
        u = [None if draw.random() < 0.5 else float(draw.integers(-2, 60)) for _ in where]
        placed = place_panels(racks, slots, panel_rows(where, numbers, u, float(draw.integers(1, 5))))
        both = with_panels(plan.design, slots, placed)
        assert overlapping(both) == [] and above_the_rack(plan, both) == []


def test_the_catalogue_knows_what_is_built_in() -> None:
    for part in expanded("gb300-nvl72").table("rack_slots").filter(pl.col("kind") == "nvlink-switch")["part"].unique():
        assert CATALOGUE.has("switch", part)
    assert CATALOGUE.has("power", "nvl72-power-shelf")
