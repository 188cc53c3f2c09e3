"""Pictures: well-formed, deterministic, escaped, inside their frame, and telling the right counts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import polars as pl
import pytest

from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.drawings.fabric import fabric_svg, plan_fabric_svg
from asbuilt.drawings.fabric_rows import shape
from asbuilt.drawings.planned_fabric import natural, switches, too_large
from asbuilt.drawings.row import row_svg, rows_svg
from asbuilt.drawings.theme import fit, number, plural, text_width, xml
from asbuilt.model.design import Design, LinkCounts, Sizing, TierCounts
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.model.verdict import Finding, Layer, Severity, Verdict
from asbuilt.workflow.sizing_page import SystemOption, answer, systems
from little_fabric import little_plan

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</text><script>alert("x")</script>&\x00\ud800 " onload="y'


def designed(system: str = "dgx-h100", gpus: int = 1024) -> Design:
    return resolve(Requirement(name="drawn", system=system, gpus=gpus), load())


def sized(design: Design, leaf: int, spine: int, core: int = 0, islands: int = 1, racks: int = 40) -> Sizing:
    """A sizing by hand: only what the pictures read matters."""
    plane = design.planes[0]
    return Sizing(
        system=design.requirement.system, fabric=design.profile, gpus_asked=design.gpus, gpus=design.gpus, nodes=design.nodes,
        racks=racks, racks_by_role={"compute": racks - 6, "network": 4, "storage": 1, "management": 1}, nvlink_domains=1,
        compute=TierCounts(leaf, spine, core), storage_switches=4, frontend_switches=2, management_switches=1, oob_switches=7,
        links=LinkCounts(design.nodes * plane.rails, leaf * plane.uplinks, core * 64), cables=1, optics=1, islands=islands,
        it_kw=1.0, it_expected_kw=1.0, facility_kw=1.0, pue=1.3, liquid_kw=0.0, air_kw=1.0, coolant_l_min=0.0, airflow_m3_h=1.0,
        cdus=0, weight_kg=1.0, rack_kw_max=41.2, storage_read_gbytes_s=1.0, storage_write_gbytes_s=1.0, storage_capacity_tb=1.0,
    )  # fmt: skip


def root_of(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def texts(svg: str) -> list[str]:
    return [re.sub(r"\s+", " ", "".join(t.itertext())) for t in root_of(svg).iter(f"{SVG}text")]


def assert_inside(svg: str) -> None:
    """Every box, line and text anchor lies inside the view box."""
    root = root_of(svg)
    _, _, width, height = (float(v) for v in root.get("viewBox", "").split())
    for rect in root.iter(f"{SVG}rect"):
        x, y, w, h = (float(rect.get(k, "0")) for k in ("x", "y", "width", "height"))
        assert w > 0 and h > 0, ET.tostring(rect)
        assert x >= -0.1 and x + w <= width + 0.1 and y >= -0.1 and y + h <= height + 0.1, ET.tostring(rect)
    turned = {id(t) for g in root.iter(f"{SVG}g") for t in g.iter(f"{SVG}text")}
    for text in root.iter(f"{SVG}text"):
        if id(text) in turned:
            continue
        x, y = float(text.get("x", "0")), float(text.get("y", "0"))
        full = text.text or ""
        size = 10.5 if "num" in text.get("class", "") else 11.5 if "small" in text.get("class", "") else 13
        room = text_width(full, size)
        left = x - room / 2 if "mid" in text.get("class", "") else x - room if "end" in text.get("class", "") else x
        assert left >= -1 and left + room <= width + 1 and 0 <= y <= height, (full, left, room, width)


CASES = {
    "one node": ("dgx-h100", 8, 1, 0, 0, 1),
    "one leaf row": ("dgx-h100", 256, 8, 4, 0, 1),
    "four blocks": ("dgx-h100", 1024, 32, 16, 0, 1),
    "eight blocks": ("dgx-h100", 2048, 64, 32, 0, 1),
    "three tiers": ("dgx-h100", 4096, 128, 128, 64, 1),
    "131k": ("dgx-h100", 131072, 4096, 4096, 2048, 1),
    "islands": ("dgx-h100", 524288, 16384, 16384, 8192, 4),
    "leaf groups": ("gb200-nvl72", 1152, 64, 48, 36, 1),
    "many leaf groups": ("gb200-nvl72", 9216, 512, 384, 144, 1),
    "dual plane": ("dgx-b300", 4096, 128, 64, 0, 1),
    "four rails": ("l40s-8gpu", 384, 4, 4, 0, 1),
}


@pytest.mark.parametrize("name", CASES)
def test_fabric_of_every_size_is_whole_and_inside_its_frame(name: str) -> None:
    system, gpus, leaf, spine, core, islands = CASES[name]
    design = designed(system, gpus)
    sizing = sized(design, leaf, spine, core, islands)
    svg = fabric_svg(design, sizing)
    assert_inside(svg)
    assert svg == fabric_svg(design, sizing)
    said = " ".join(texts(svg))
    for count in (leaf, spine, core):
        assert not count or f"{count:,}" in said
    assert len(svg) < 250_000
    boxes = [r for r in root_of(svg).iter(f"{SVG}rect") if r.get("class", "").startswith("t-compute")]
    assert 1 <= len(boxes) <= 400


@pytest.mark.parametrize("name", ["one node", "three tiers", "131k", "many leaf groups"])
def test_the_row_picture_keeps_inside_and_counts_racks(name: str) -> None:
    system, gpus, leaf, spine, core, islands = CASES[name]
    design = designed(system, gpus)
    sizing = sized(design, leaf, spine, core, islands, racks=7 if name == "one node" else 4096)
    svg = row_svg(design, sizing)
    assert_inside(svg)
    said = texts(svg)
    assert f"{sizing.racks:,} racks" in said[0]
    assert len(svg) < 250_000


@pytest.mark.parametrize("option", systems(), ids=lambda o: o.id)
def test_every_system_and_fabric_is_drawn_at_every_scale(option: SystemOption) -> None:
    for fabric, _ in option.fabrics:
        for gpus in (8, 16, 72, 200, 1000, 2304, 20_000, 1_048_576):
            got = answer(option.id, gpus, fabric)
            assert_inside(got.fabric)
            assert_inside(got.row)
            said = " ".join(texts(got.fabric))
            for count in (got.sizing.compute.leaf, got.sizing.compute.spine, got.sizing.compute.core):
                assert not count or f"{count:,}" in said, (fabric, gpus)


def test_a_picture_has_a_name_and_a_description() -> None:
    design = designed()
    root = root_of(fabric_svg(design, sized(design, 32, 16)))
    assert root.get("role") == "img"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and title.text == "Compute fabric for 1,024 GPUs"
    assert desc is not None and "32 leaves, 16 spines" in (desc.text or "")


def test_only_a_standalone_picture_carries_a_style() -> None:
    design = designed()
    sizing = sized(design, 32, 16)
    assert "<style>" not in fabric_svg(design, sizing) and 'style="' not in fabric_svg(design, sizing)
    alone = fabric_svg(design, sizing, standalone=True)
    assert "<style>" in alone and "prefers-color-scheme: dark" in alone
    assert root_of(alone).tag == f"{SVG}svg"


def test_shape_counts_pods_and_blocks() -> None:
    design = designed("dgx-h100", 4096)
    form = shape(design.planes[0], sized(design, 128, 128, 64))
    assert (form.pods, form.spines_per_pod, form.grouped) == (4, 32, True)
    design = designed("dgx-h100", 1024)
    form = shape(design.planes[0], sized(design, 32, 16))
    assert (form.blocks, form.leaves_per_block, form.pods) == (4, 8, 1)


def finding(number: int, subject: str, verdict: Verdict = Verdict.FAIL, cause: str = "cause") -> Finding:
    return Finding(
        f"FAB-{number:03d}", verdict, Severity.MAJOR, Layer.FABRIC, subject, "a", "b", "", cause, "", "", subjects=(subject,)
    )


def test_every_switch_of_a_plan_is_drawn_by_name() -> None:
    plan = little_plan(48, 4, 4, oob=True)
    svg = plan_fabric_svg(plan)
    assert_inside(svg)
    said = texts(svg)
    for name in plan.table("switches")["name"]:
        assert any(name in t for t in said), name
    assert said.count("48 node links") == 5


def test_faulty_links_are_marked_and_numbered() -> None:
    plan = little_plan(4, 4, 2)
    between = plan.links.filter(pl.col("kind") == "leaf_spine")["link"][0]
    host = plan.links.filter(pl.col("kind") == "node_leaf")["link"][0]
    clean = plan_fabric_svg(plan)
    assert 'class="fault"' not in clean
    svg = plan_fabric_svg(plan, [finding(1, between), finding(2, host), finding(3, "link:nowhere/1")])
    assert svg.count('class="fault"') == 2
    assert any("FAB-001 cause" in t for t in texts(svg)) and any("FAB-002 cause" in t for t in texts(svg))
    assert any("1 more finding" in t for t in texts(svg)), "a finding that is not a link of the plan is still counted"
    unmeasured = plan_fabric_svg(plan, [finding(1, between, Verdict.NOT_MEASURED)])
    assert 'class="fault"' not in unmeasured and 'class="warnline"' in unmeasured


def test_a_plan_without_switches_is_drawn_from_its_links() -> None:
    whole = little_plan(4, 4, 2)
    partial = Plan("cut sheet", {"links": whole.links})
    boxes, pairs = switches(partial)
    whole_boxes, whole_pairs = switches(whole)
    assert {(b.name, b.rank, b.nodes) for b in boxes.values()} == {(b.name, b.rank, b.nodes) for b in whole_boxes.values()}
    assert pairs == whole_pairs
    assert_inside(plan_fabric_svg(partial))


def test_a_large_plan_is_merged_by_tier_and_keeps_its_marks() -> None:
    plan = little_plan(2, 80, 8)
    boxes, pairs = switches(plan)
    assert too_large(boxes, pairs)
    link = plan.links.filter(pl.col("kind") == "leaf_spine")["link"][0]
    svg = plan_fabric_svg(plan, [finding(1, link)])
    assert_inside(svg)
    assert "79 other leaves" in texts(svg) and "LEAF-01" in texts(svg), "a switch with a finding stays apart"
    assert "80 leaves" in texts(plan_fabric_svg(plan)) and "8 spines" in texts(plan_fabric_svg(plan))
    assert svg.count('class="fault"') == 1


def test_hostile_names_stay_text() -> None:
    plan = little_plan(4, 4, 2)
    named = plan.links.with_columns(pl.lit('</text><script>alert("x")</script>&').alias("a_name"))
    bad = replace(plan, name=HOSTILE, tables={"links": named})
    svg = plan_fabric_svg(bad, [finding(1, named["link"][0], cause=HOSTILE)])
    assert "<script" not in svg
    assert not list(root_of(svg).iter(f"{SVG}script"))
    assert xml("a\x00b\x1b") == "a\ufffdb\ufffd" and xml("<&'\">") == "&lt;&amp;&#39;&quot;&gt;"


def racks_plan(rows: int, per_row: int) -> Plan:
    entries = [
        {
            "rack": f"rack:{chr(65 + r)}-{p:02d}", "name": f"{chr(65 + r)}{p:02d}", "role": "network" if p == 1 else "compute",
            "row": chr(65 + r), "position": p, "x_mm": 600.0 * (p - 1), "y_mm": 2400.0 * r, "height_u": 48, "used_u": 32.0,
            "power_w": 41_200.0, "expected_w": 1.0, "heat_w": 1.0, "liquid_w": 0.0, "weight_kg": 900.0, "airflow_m3_h": None,
            "phase": "1",
        }
        for r in range(rows) for p in range(1, per_row + 1)
    ]  # fmt: skip
    plan = little_plan(4, 4, 2)
    racks = PLAN_TABLES["racks"].conform(pl.DataFrame(entries, infer_schema_length=None))
    return replace(plan, tables={**plan.tables, "racks": racks})


@pytest.mark.parametrize(("rows", "per_row"), [(1, 1), (3, 12), (20, 40)])
def test_rows_of_a_plan(rows: int, per_row: int) -> None:
    svg = rows_svg(racks_plan(rows, per_row))
    assert_inside(svg)
    said = texts(svg)
    assert f"{plural(rows * per_row, 'rack')} in {plural(rows, 'row')}" in said
    if rows == 3:
        assert "41.2" in said
        assert any(t.startswith("Network rack A01") for t in said)
        assert any(t.startswith("LEAF-01") for t in said), "the devices of the drawn rack are named"


def test_numbers_and_words() -> None:
    assert number(1234.50, 2) == "1,234.5" and number(0.0) == "0" and number(1000000) == "1,000,000"
    assert (
        plural(1, "switch") == "1 switch"
        and plural(1200, "switch") == "1,200 switches"
        and plural(2, "leaf", "leaves") == "2 leaves"
    )
    assert natural("leaf 2") < natural("leaf 10")
    assert fit("IBLEAF-0123456789", 60) != "IBLEAF-0123456789" and "…" in fit("IBLEAF-0123456789", 60)
    assert fit("short", 500) == "short"
