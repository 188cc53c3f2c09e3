"""The cut sheet and the port descriptions: every cable with both ends, safe in a spreadsheet and on a command line."""

from __future__ import annotations

import csv
import io
import shlex
from dataclasses import replace

import polars as pl
import pytest

from asbuilt.artefacts.cut_sheet import COLUMNS, cut_sheet
from asbuilt.artefacts.port_descriptions import port_descriptions
from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from little_fabric import little_plan
from template_plans import made


@pytest.fixture(scope="module")
def l40s() -> Plan:
    return made("l40s-384")


def sheet(plan: Plan) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(cut_sheet(plan)["cut-sheet/cables.csv"].decode())))


def test_every_link_and_every_patch_cord_is_a_row(l40s: Plan) -> None:
    rows = sheet(l40s)
    patched = l40s.table("management_ports").filter(pl.col("port").is_not_null())
    assert len(rows) == l40s.links.height + patched.height
    assert {r["link"] for r in rows if r["kind"] != "management"} == set(l40s.links["link"])
    assert list(rows[0]) == list(COLUMNS)


def test_a_row_has_both_ends_as_the_plan_places_them(l40s: Plan) -> None:
    row = next(r for r in sheet(l40s) if r["link"] == "link:sw:compute/leaf-b000-r0/2")
    link = l40s.links.filter(pl.col("link") == row["link"]).row(0, named=True)
    jumper = l40s.table("jumpers").filter(pl.col("jumper") == link["jumper"]).row(0, named=True)
    switch = l40s.table("switches").filter(pl.col("switch") == link["a_device"]).row(0, named=True)
    node = l40s.table("nodes").filter(pl.col("node") == link["b_device"]).row(0, named=True)
    racks = dict(l40s.table("racks").select("rack", "name").iter_rows())
    assert (row["cable"], row["part"], float(row["length_m"])) == (jumper["jumper"], jumper["part"], jumper["length_m"])
    assert (row["a_rack"], float(row["a_u"]), row["a_device"]) == (racks[switch["rack"]], switch["u"], switch["name"])
    assert (row["b_rack"], float(row["b_u"]), row["b_device"]) == (racks[node["rack"]], node["u"], node["name"])
    assert (row["a_cage"], row["a_port"], row["b_cage"], row["b_nic"]) == ("1/1/2", "2", "mlx5_0", "mlx5_0")
    near, far = f"{row['a_rack']} U3 {row['a_device']} 1/1/2", f"{row['b_rack']} U10 {row['b_device']} mlx5_0"
    assert (row["a_label_text"], row["b_label_text"]) == (f"{near} > {far}", f"{far} > {near}")


def test_links_of_one_cable_bear_its_key(l40s: Plan) -> None:
    rows = [r for r in sheet(l40s) if r["cable"] == "cable:sw:compute/leaf-b000-r0/1"]
    assert [r["link"] for r in rows] == ["link:sw:compute/leaf-b000-r0/1", "link:sw:compute/leaf-b000-r0/2"]
    assert {r["links_in_cable"] for r in rows} == {"2"}


def test_rows_stand_in_the_order_of_racks_and_ports(l40s: Plan) -> None:
    places = [(r["a_rack"], float(r["a_u"]), r["a_device"], int(r["a_port"])) for r in sheet(l40s)]
    assert places == sorted(places)


def test_half_units_are_told_and_unknown_places_are_empty() -> None:
    plan = little_plan(nodes=1, rails=1, spines=0)
    half = plan.table("switches").with_columns(pl.lit(40.5).alias("u"))
    row = sheet(replace(plan, tables={**plan.tables, "switches": half}))[0]
    assert row["a_label_text"] == "rack:A-01 U40.5 LEAF-01 1 > rack:A-01 U1 gpu000 mlx5_0"
    bare = sheet(Plan("partial", {"links": plan.links}))[0]
    assert (bare["a_rack"], bare["a_u"], bare["part"], bare["length_m"]) == ("", "", "", "")
    assert bare["a_label_text"] == "LEAF-01 1 > gpu000 mlx5_0"


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "@SUM(A1)", "+1", "-1"])
def test_a_name_is_never_a_formula(name: str) -> None:
    plan = little_plan(nodes=1, rails=1, spines=0)
    links = plan.links.with_columns(pl.lit(name).alias("a_name"))
    row = sheet(Plan("partial", {"links": links}))[0]
    assert row["a_device"] == "'" + name and row["a_label_text"].startswith("'" + name)


def test_a_plan_without_a_link_gives_no_sheet() -> None:
    assert cut_sheet(Plan("empty", {"links": little_plan().links.clear()})) == {}
    assert cut_sheet(little_plan()) == cut_sheet(little_plan())


def described(plan: Plan) -> dict[str, list[str]]:
    files = {
        name.removeprefix("port-descriptions/"): data.decode().splitlines() for name, data in port_descriptions(plan).items()
    }
    assert all(lines[0].startswith("# not rehearsed: ") for lines in files.values())
    return {name: lines[1:] for name, lines in files.items()}


def test_every_cabled_port_of_every_switch_is_described(l40s: Plan) -> None:
    files = described(l40s)
    ends = l40s.links.height + l40s.links.filter(pl.col("b_nic").is_null()).height
    assert sum(map(len, files.values())) == ends
    leaf = files["IBLEAF-00-07.mlnx-os.txt"]
    assert leaf[:2] == [
        'interface ib 1/1/1/1 description "node0000 mlx5_0"',
        'interface ib 1/1/1/2 description "node0001 mlx5_0"',
    ]
    assert 'interface ib 1/26/1 description "IBSPINE-03 1/1"' in leaf  # 400G: the port runs whole
    assert files["IBSPINE-03.mlnx-os.txt"][0] == 'interface ib 1/1/1 description "IBLEAF-00-07 26/1/1"'
    assert files["management-leaf-b000-r0.nvue.txt"][0] == "nv set interface swp1 description 'node0000 mlx5_6'"


@pytest.mark.parametrize(
    ("model", "label", "rate", "says"),
    [
        ("sn5600", "37/1", 800.0, "swp37"),
        ("sn5600", "37/2", 400.0, "swp37s1"),
        ("sn2201", "9", 1.0, "swp9"),
        ("q3400-ra", "72/2", 800.0, "sw72p2"),
        ("qm8700", "4", 200.0, "ib 1/4"),
        ("qm8700", "4/2", 100.0, "ib 1/4/2"),
        ("qm9700", "4/2/1", 200.0, "ib 1/4/2/1"),
        ("qm9700", "4/2/1", 400.0, "ib 1/4/2"),
    ],
)
def test_interfaces_bear_the_names_of_their_switch(model: str, label: str, rate: float, says: str) -> None:
    plan = little_plan(nodes=1, rails=1, spines=0)
    links = plan.links.with_columns(pl.lit(label).alias("a_label"), pl.lit(rate).alias("rate_gbps"))
    switches = plan.table("switches").with_columns(pl.lit(model).alias("model"))
    files = described(replace(plan, tables={**plan.tables, "links": links, "switches": switches}))
    assert [line.split(" description ")[0] for lines in files.values() for line in lines] == [
        f"nv set interface {says}" if says.startswith("sw") else f"interface {says}"
    ]


def test_a_switch_of_another_maker_gets_a_list() -> None:
    plan = little_plan(nodes=1, rails=1, spines=0, switch="arista-7060x6-64pe")
    assert described(plan) == {"LEAF-01.list.txt": ["1\t1\tgpu000 mlx5_0"]}


def test_a_description_is_one_word_of_the_shell() -> None:
    plan = little_plan(nodes=1, rails=1, spines=0, switch="sn5600")
    links = plan.links.with_columns(pl.lit("$(reboot); `x` & gpu").alias("b_name"))
    (line,) = next(iter(described(replace(plan, tables={**plan.tables, "links": links})).values()))
    assert shlex.split(line) == ["nv", "set", "interface", "swp1", "description", "$(reboot); `x` & gpu"]


@pytest.mark.parametrize("name", ["a'b", 'a"b', "a\\b", "a?b", "a\nb", "n" * 65])
def test_a_name_that_no_quoting_makes_safe_is_refused(name: str) -> None:
    plan = little_plan(nodes=1, rails=1, spines=0)
    links = plan.links.with_columns(pl.lit(name).alias("b_name"))
    with pytest.raises(ProblemError, match="ART-001"):
        port_descriptions(replace(plan, tables={**plan.tables, "links": links}))


def test_a_switch_name_that_is_no_file_name_is_refused() -> None:
    plan = little_plan(nodes=1, rails=1, spines=0)
    switches = plan.table("switches").with_columns(pl.lit("../x").alias("name"))
    with pytest.raises(ProblemError, match="a file name"):
        port_descriptions(replace(plan, tables={**plan.tables, "switches": switches}))
