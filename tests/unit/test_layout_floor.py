"""The floor: loads by the rule of the oracle, unknown weights unknown, aisles in turn, positions kept for growth."""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.base.row_letters import row_index, row_letters
from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Growth, Requirement, Site
from asbuilt.model.tables_cooling import CDUS
from asbuilt.model.tables_layout import FLOOR
from asbuilt.physics.floor_load import GRAVITY_M_S2
from asbuilt.plan.expand import expand
from asbuilt.plan.layout.floor import floor
from template_plans import CATALOGUE, expanded


def planned(system: str = "gb300-nvl72", gpus: int = 144, growth: int | None = None, **site: object) -> Plan:
    requirement = Requirement(
        name="any",
        system=system,
        gpus=gpus,
        growth=Growth(gpus=growth),
        site=Site(**site),  # type: ignore[arg-type]
    )
    return expand(resolve(requirement, load()), load())


def overlaps(table: pl.DataFrame) -> list[tuple[str, str]]:
    """Pairs of things that stand on the same ground. A CDU deeper than the racks may reach into an aisle."""
    rows = table.sort("y_mm", "x_mm").select("object", "x_mm", "y_mm", "width_mm", "depth_mm").rows()
    found = []
    for i, (a, ax, ay, aw, ad) in enumerate(rows):
        for b, bx, by, bw, _ in rows[i + 1 :]:
            if by >= ay + ad - 0.5:
                break
            may = "cdu" in a + b and "aisle" in a + b
            if not may and bx < ax + aw - 0.5 and ax < bx + bw - 0.5:
                found.append((a, b))
    return found


@pytest.mark.parametrize("template", ["gb300-nvl72", "dgx-h100-superpod", "l40s-384"])
def test_the_floor_keeps_its_schema_and_nothing_stands_on_anything(template: str) -> None:
    plan = expanded(template)
    table = plan.table("floor")
    assert FLOOR.faults(table) == []
    assert overlaps(table) == []
    racks = table.filter(pl.col("kind") == "rack")
    assert racks["object"].to_list() == [f"floor:{rack}" for rack in sorted(plan.table("racks")["rack"])]


def test_loads_follow_the_floor_loading_rule() -> None:
    row = expanded("gb300-nvl72").table("floor").filter(pl.col("name") == "A-01")
    coolant = 15 * 1.02
    assert row["weight_kg"].item() == pytest.approx(1360 + coolant)
    kn = (1360 + coolant) * GRAVITY_M_S2 / 1000
    assert row["load_kpa"].item() == pytest.approx(kn / (0.6 * 1.068))
    assert row["shared_kpa"].item() == pytest.approx(kn / (0.6 * (1.068 + 1.8)))
    assert row["caster_kn"].item() == pytest.approx(kn / 3)
    assert row["height_mm"].item() == 2236


def test_unknown_weights_stay_unknown_and_network_racks_of_an_nvl72_hall_weigh_what_a_rack_weighs() -> None:
    plan = expanded("gb300-nvl72")
    table = plan.table("floor").filter(pl.col("kind") == "rack")
    roles = table.join(plan.table("racks").select("name", "role"), on="name")
    vague = roles.filter(pl.col("role").is_in(["storage", "management"]))
    assert vague.height == 2 and vague["weight_kg"].null_count() == 2 and vague["load_kpa"].null_count() == 2
    network = plan.table("racks").filter(pl.col("rack") == "rack:A-05")["weight_kg"].item()
    assert table.filter(pl.col("name") == "A-05")["weight_kg"].item() == pytest.approx(network + 180)


def test_aisles_are_cold_and_hot_in_turn_and_one_lies_behind_the_last_row() -> None:
    table = expanded("gb300-nvl72").table("floor").filter(pl.col("kind") == "aisle").sort("y_mm")
    assert table["name"].to_list() == [
        "cold aisle A", "hot aisle A and B", "cold aisle B and C", "hot aisle C and D", "cold aisle D",
    ]  # fmt: skip
    assert table["y_mm"].to_list() == [-1800.0, 1068.0, 3936.0, 6804.0, 9672.0]
    assert table["phase"].null_count() == 0


def test_a_pilot_of_two_racks_keeps_the_rest_of_its_row() -> None:
    plan = planned(gpus=144, racks_per_row=12)
    kept = plan.table("floor").filter(pl.col("kind") == "position")
    taken = plan.table("racks").filter(pl.col("row") == "A").height
    assert kept.height == 12 - taken
    assert kept["phase"].null_count() == kept.height
    assert set(kept["row"]) == {"A"}


def test_growth_keeps_whole_rows_behind_those_of_the_plan() -> None:
    small, grown = planned(gpus=144, racks_per_row=8), planned(gpus=144, growth=1440, racks_per_row=8)
    rows = set(grown.table("floor").filter(pl.col("kind") == "position")["row"])
    assert rows > set(small.table("floor").filter(pl.col("kind") == "position")["row"])
    compute = grown.table("racks").filter(pl.col("role") == "compute").height
    kept = grown.table("floor").filter(pl.col("kind") == "position").height
    assert compute + kept >= 1440 // 72
    assert overlaps(grown.table("floor")) == []


def test_a_cdu_takes_the_position_that_it_stands_on() -> None:
    plan = planned(gpus=144, racks_per_row=12)
    assert plan.design is not None
    free = plan.table("floor").filter((pl.col("kind") == "position") & (pl.col("row") == "A"))
    row = free.sort("x_mm").row(free.height - 1, named=True)
    cdu = CDUS.conform(pl.DataFrame([{
        "cdu": "cdu:A/1", "loop": "loop:A", "part": "vertiv-xdu1350", "row": "A", "x_mm": row["x_mm"], "y_mm": row["y_mm"],
        "width_mm": 900.0, "depth_mm": 1068.0, "height_mm": 2000.0, "capacity_kw": 1350.0, "standby": False, "phase": "1",
    }]))  # fmt: skip
    table = floor(plan.design, CATALOGUE, plan.tables | {"cdus": cdu})
    assert FLOOR.faults(table) == []
    assert row["name"] not in table.filter(pl.col("kind") == "position")["name"].to_list()
    stands = table.filter(pl.col("kind") == "cdu")
    assert stands["object"].to_list() == ["floor:cdu:A/1"] and stands["weight_kg"].to_list() == [None]
    assert overlaps(table) == []


def test_halls_beside_one_another_have_aisles_of_their_own() -> None:
    plan = planned("l40s-8gpu", 8 * 4 * 80, racks_per_row=2)
    table = plan.table("floor")
    assert overlaps(table) == []
    assert table.filter(pl.col("kind") == "aisle")["x_mm"].n_unique() > 1


def test_row_letters_can_be_read_back() -> None:
    assert [row_index(row_letters(i)) for i in (0, 25, 26, 701, 702)] == [0, 25, 26, 701, 702]
