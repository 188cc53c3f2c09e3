"""Rack elevations: every device drawn once a face, nothing on anything, no text cut off, on any screen."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import polars as pl
import pytest

from asbuilt.drawings.elevation import U_PX, sheets
from asbuilt.drawings.elevation_parts import faces
from asbuilt.drawings.sheet import Sheet, file_stem
from asbuilt.model.plan import Plan
from asbuilt.model.tables_cooling import MANIFOLDS
from asbuilt.model.tables_power import PDUS, SHELVES
from drawing_boxes import Box, colliding, cut, rects, texts
from template_plans import expanded

HOSTILE = '</text><script>alert("x")</script>&\x00\ud800" onload="y'


def pdu(rack: str, feed: str, side: str) -> dict[str, object]:
    return {
        "pdu": f"pdu:{rack.removeprefix('rack:')}/{feed}1", "rack": rack, "feed": f"feed:{feed}", "part": "any",
        "circuit": "any", "side": side, "rating_a": 63.0,
        "usable_a": 50.4, "rating_basis": "breaker", "voltage_v": 400.0, "conductors": 3,
        "outlets_c13": 12, "outlets_c19": 12, "banks": 6, "phase": "1",
    }  # fmt: skip


def dressed(template: str) -> Plan:
    """The plan of a template with PDUs, shelves on feeds and manifolds of our own, whatever its tables say."""
    plan = expanded(template)
    slots = plan.table("rack_slots")
    shelf = slots.filter(pl.col("kind") == "shelf")
    busbar = set(shelf["rack"])
    sides = (("A", "left"), ("B", "right"), ("C", "left"), ("D", "right"))
    bare = [rack for rack in plan.table("racks")["rack"] if rack not in busbar]
    tables = dict(plan.tables)
    tables["pdus"] = PDUS.conform(pl.DataFrame([pdu(rack, feed, side) for rack in bare for feed, side in sides]))
    tables["shelves"] = SHELVES.conform(
        shelf.select(
            pl.col("device").alias("shelf"), "rack", pl.lit(1).alias("number"), "u", "height_u", "part", "phase",
            pl.lit("feed:B").alias("feed"), pl.lit(6).alias("supplies"),
            *[pl.lit(1.0).alias(name) for name in ("rating_w", "nominal_w", "lost_w")],
        )
    )  # fmt: skip
    tables["manifolds"] = MANIFOLDS.conform(
        shelf.select("rack", "phase").unique().sort("rack").with_columns(
            manifold=pl.format("manifold:{}", "rack"), loop=pl.lit("loop:A"), underside_mm=pl.lit(2300.0),
            top_mm=pl.lit(2236.0), clearance_mm=pl.lit(64.0),
        )
    )  # fmt: skip
    return replace(plan, tables=tables)


def devices(sheet: Sheet) -> list[Box]:
    return [box for box in rects(sheet.svg()) if ", U" in box.what]


@pytest.mark.parametrize("template", ["gb300-nvl72", "dgx-h100-superpod", "l40s-384"])
@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_is_cut_off_and_nothing_overlaps(template: str, narrow: bool) -> None:
    for sheet in sheets(dressed(template), narrow=narrow):
        svg = sheet.svg()
        assert sheet.width == (390 if narrow else 1120)
        assert cut(svg) == [], sheet.name
        assert colliding(texts(svg)) == [], sheet.name
        assert colliding(devices(sheet)) == [], sheet.name


@pytest.mark.parametrize("template", ["gb300-nvl72", "dgx-h100-superpod", "l40s-384"])
def test_every_device_is_drawn_at_its_u_once_a_face(template: str) -> None:
    plan = dressed(template)
    drawn = [box for sheet in sheets(plan) for box in devices(sheet)]
    slots = plan.table("rack_slots")
    seen = 2 * slots.filter(pl.col("face") == "both").height + slots.filter(pl.col("face") != "both").height
    assert len(drawn) == seen
    for box in drawn[:200]:
        name = box.what.rsplit(", U", 1)[0].split(",")[0]
        heights = set(slots.filter(pl.col("name") == name)["height_u"])
        assert round((box.bottom - box.top + 1.4) / U_PX, 2) in heights


def test_sheets_say_power_liquid_and_fibre_sides() -> None:
    first = sheets(dressed("gb300-nvl72"), narrow=True)[0]
    said = " ".join(box.what for box in texts(first.svg()))
    assert "power shelf 1, feed B" in said
    assert "Liquid: supply (S) and return (R) manifold, header 2,300 mm above the floor" in said
    assert "compute: 142 kW, 37 of 48 U, 1,375 kg" in said
    network = next(s for s in sheets(dressed("gb300-nvl72"), narrow=True) if s.name == "elevation-a-05")
    assert {"PDU A1, feed A, 63 A", "PDU D1, feed D, 63 A"} <= {box.what for box in texts(network.svg())}


def test_names_of_sheets_are_file_names_and_unique() -> None:
    found = [sheet.name for narrow in (False, True) for sheet in sheets(expanded("dgx-h100-superpod"), narrow=narrow)]
    assert all(file_stem(name) == name for name in found)
    assert len({sheet.name for sheet in sheets(expanded("dgx-h100-superpod"), narrow=True)}) == 39
    assert file_stem("Hall /..", "\ud800A b") == "hall-a-b" and file_stem("..") == "sheet"


def test_typical_sheets_draw_each_stack_once_and_name_the_others() -> None:
    plan = dressed("gb300-nvl72")
    alike: dict[object, list[str]] = {}
    for face in faces(plan):
        alike.setdefault(face.stack, []).append(face.name)
    few = sheets(plan, typical=True)
    assert len(few) < len(sheets(plan))
    said = " ".join(box.what for sheet in few for box in texts(sheet.svg()))
    assert max(len(names) for names in alike.values()) > 1
    for first, *others in alike.values():
        more = f" and {len(others) - 4} more" if len(others) > 4 else ""
        assert not others or f"Alike: {', '.join(others[:4])}{more}" in said
        assert f"{first} front" in said and all(f"{name} front" not in said for name in others)
    for sheet in few:
        assert cut(sheet.svg()) == [] and colliding(texts(sheet.svg())) == []


def test_hostile_names_stay_text_and_long_names_are_shortened() -> None:
    plan = dressed("l40s-384")
    slots = plan.table("rack_slots").with_columns(name=pl.lit("node-" + "w" * 80 + HOSTILE.replace("\ud800", "")))
    for sheet in sheets(replace(plan, tables=plan.tables | {"rack_slots": slots})):
        svg = sheet.svg(standalone=True)
        ET.fromstring(svg)
        assert "<script" not in svg
        assert cut(sheet.svg()) == []


def test_unknown_power_and_weight_are_said_and_a_plan_without_rack_units_has_no_sheet() -> None:
    plan = expanded("dgx-h100-superpod")
    said = next(face for face in faces(plan) if face.role == "management").said[0]
    assert said == "management: power not known, 7 of 48 U, weight not known"
    bare = replace(plan, tables={k: v for k, v in plan.tables.items() if k != "rack_slots"})
    assert sheets(bare) == []


def test_equal_plans_give_equal_pictures() -> None:
    a, b = sheets(expanded("l40s-384")), sheets(expanded("l40s-384"))
    assert [s.svg(True) for s in a] == [s.svg(True) for s in b]
