"""The plan's tables: schemas, foreign keys, ports used once, even striping, and what a crew reads off them."""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import BuildPhase, Cabling, Plane, Planes, Requirement, Tier
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.plan.canonical import plan_hash
from asbuilt.plan.counts import counts
from asbuilt.plan.expand import expand
from asbuilt.workflow import templates
from template_plans import expanded as planned

CATALOGUE = load()
TEMPLATES = templates.names()


def made(system: str, gpus: int, **more: object) -> Plan:
    return expand(resolve(Requirement(name="x", system=system, gpus=gpus, **more), CATALOGUE), CATALOGUE)  # type: ignore[arg-type]


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_table_keeps_its_schema(template: str) -> None:
    plan = planned(template)
    assert set(plan.tables) == set(PLAN_TABLES)
    assert [fault for name, frame in plan.tables.items() for fault in PLAN_TABLES[name].faults(frame)] == []


@pytest.mark.parametrize("template", TEMPLATES)
def test_foreign_keys_hold(template: str) -> None:
    plan = planned(template)
    for name, schema in PLAN_TABLES.items():
        for column, target in schema.foreign.items():
            table, key = target.split(".")
            lost = plan.table(name).join(plan.table(table), left_on=column, right_on=key, how="anti")
            assert lost.height == 0, (name, column, lost.head(3).rows())
    devices = pl.concat([plan.table("nodes").select(d="node"), plan.table("switches").select(d="switch")])
    for side in ("a_device", "b_device"):
        assert plan.links.join(devices, left_on=side, right_on="d", how="anti").height == 0
    assert plan.table("transceivers").join(devices, left_on="device", right_on="d", how="anti").height == 0
    assert plan.links.join(plan.table("jumpers"), on="jumper", how="anti").height == 0


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_port_takes_one_link(template: str) -> None:
    links = planned(template).links
    ends = pl.concat(
        [
            links.select(pl.col("a_device").alias("device"), pl.lit("").alias("nic"), pl.col("a_port").alias("port")),
            links.select(
                pl.col("b_device").alias("device"), pl.col("b_nic").fill_null("").alias("nic"), pl.col("b_port").alias("port")
            ),
        ]
    )
    assert ends.height == ends.n_unique()
    budget = planned(template).table("port_budget")
    ports = ends.join(budget, left_on="device", right_on="switch", how="inner")
    assert ports.filter((pl.col("port") < 1) | (pl.col("port") > pl.col("ports"))).height == 0
    assert budget.filter(pl.any_horizontal(pl.col("free", "short", "node_links", "uplinks") < 0)).height == 0


@pytest.mark.parametrize("template", TEMPLATES)
def test_front_panel_labels_name_one_port_each(template: str) -> None:
    links = planned(template).links
    near = links.select(device="a_device", label="a_label")
    far = links.select(device="b_device", label="b_label")
    both = pl.concat([near, far])
    assert both.height == both.n_unique()


@pytest.mark.parametrize("template", TEMPLATES)
def test_striping_is_even(template: str) -> None:
    """Every leaf of a plane has equally many links to each spine that it reaches."""
    up = planned(template).links.filter(pl.col("kind").is_in(["leaf_spine", "spine_core"]))
    per_pair = up.group_by("plane", "kind", "a_device", "b_device").len()
    spread = per_pair.group_by("plane", "kind").agg(pl.col("len").min().alias("least"), pl.col("len").max().alias("most"))
    assert spread.filter(pl.col("least") != pl.col("most")).rows() == []


@pytest.mark.parametrize("template", TEMPLATES)
def test_racks_hold_what_stands_in_them(template: str) -> None:
    plan = planned(template)
    racks = plan.table("racks")
    assert racks.filter(pl.col("used_u") > pl.col("height_u")).rows() == []
    stands = pl.concat(
        [
            plan.table("nodes").select("rack", "u", "height_u", d="node"),
            plan.table("switches").select("rack", "u", "height_u", d="switch"),
        ]
    )
    ordered = stands.sort("rack", "u").with_columns(below=(pl.col("u") + pl.col("height_u")).shift(1).over("rack"))
    assert ordered.filter(pl.col("u") < pl.col("below")).rows() == []
    tops = stands.join(racks.select("rack", room="height_u"), on="rack")
    assert tops.filter((pl.col("u") < 1) | (pl.col("u") + pl.col("height_u") - 1 > pl.col("room"))).rows() == []
    assert racks.select("x_mm", "y_mm").n_unique() == racks.height


@pytest.mark.parametrize("template", TEMPLATES)
def test_cables_reach(template: str) -> None:
    plan = planned(template)
    jumpers = plan.table("jumpers").filter(pl.col("part") != "unknown")
    assert jumpers.filter(pl.col("length_m") < pl.col("route_m")).rows() == []
    for part in jumpers["part"].unique():
        entry = CATALOGUE.get("cable", part)
        own = jumpers.filter(pl.col("part") == part)
        assert own["route_m"].max() <= entry.value("reach_m")
        stock = {float(x) for x in entry.value("lengths_m")}
        assert {x for x in own["length_m"].unique() if x <= max(stock)} <= stock


def test_l40s_as_written_is_the_deployment_plan() -> None:
    sizing = counts(planned("l40s-384-as-written"), CATALOGUE).as_json()
    assert sizing["switches"]["compute"] == {"leaf": 4, "spine": 4, "core": 0, "total": 8}
    assert sizing["links"]["node_leaf"] == 192
    assert sizing["links"]["leaf_spine"] == 64
    assert sizing["planes"]["compute"]["oversubscription"] == 1.5
    budget = planned("l40s-384-as-written").table("port_budget").filter(pl.col("switch").str.contains("compute/leaf"))
    assert budget["free"].to_list() == [0, 0, 0, 0]
    assert budget["short"].sum() == 96 + 2  # two storage ports of 48 nodes, two subnet manager hosts
    spare = planned("l40s-384-as-written").table("switches").filter("spare")
    assert spare["model"].to_list() == ["qm9700"]


def test_a_dgx_has_four_twin_port_modules_for_eight_rails() -> None:
    plan = made("dgx-h100", 248)
    modules = plan.table("transceivers").filter((pl.col("device") == "node:0000") & (pl.col("part") == "mma4z00-ns-flt"))
    assert modules["links"].to_list() == [2, 2, 2, 2]
    leaf = plan.table("transceivers").filter(pl.col("device") == "sw:compute/leaf-b000-r0")
    assert leaf.height == 32
    # 31 nodes and one UFM host fill the 16 lower cages; 32 uplinks the upper ones.
    assert leaf["links"].to_list() == [2] * 32


def test_xdr_takes_single_mode_only() -> None:
    jumpers = made("dgx-b300", 576, fabric="xdr").table("jumpers").filter(pl.col("jumper").str.contains("sw:compute/"))
    assert jumpers["medium"].unique().to_list() == ["single-mode"]


def test_a_q3400_is_four_asics() -> None:
    plan = made("dgx-b300", 576, fabric="xdr")
    chassis = plan.table("switches").filter((pl.col("plane") == "compute") & ~pl.col("spare"))
    own = plan.table("asics").join(chassis, on="switch", how="semi")
    assert own.height == 4 * chassis.height
    assert own["asic"][0] == f"{chassis['switch'][0]}#0"


def test_split_ports_share_a_splitter_and_say_so_on_the_label() -> None:
    plan = made("l40s-8gpu", 384)
    first = plan.links.filter((pl.col("a_device") == "sw:compute/leaf-b000-r0") & (pl.col("a_port").is_in([1, 2, 3, 4]))).sort(
        "a_port"
    )
    assert first["a_label"].to_list() == ["1/1/1", "1/1/2", "1/2/1", "1/2/2"]
    assert first["jumper"].to_list() == [f"cable:sw:compute/leaf-b000-r0/{n}" for n in (1, 1, 3, 3)]
    cable = plan.table("jumpers").filter(pl.col("jumper") == "cable:sw:compute/leaf-b000-r0/1")
    assert cable.select("part", "links").rows() == [("mfp7e20-n", 2)]


def test_build_phases_reach_nodes_leaves_links_and_racks() -> None:
    phases = (BuildPhase("pilot", 256), BuildPhase("rest", 1024))
    plan = made("dgx-h100", 1024, phases=phases)
    nodes = plan.table("nodes").filter(pl.col("role") == "compute")
    assert nodes.filter(pl.col("phase") == "pilot").height == 32
    leaves = plan.table("switches").filter((pl.col("plane") == "compute") & (pl.col("role") == "leaf"))
    assert leaves.filter(pl.col("phase") == "pilot")["block"].unique().to_list() == [0]
    crossing = plan.links.filter((pl.col("kind") == "leaf_spine") & (pl.col("plane") == "compute"))
    assert crossing.group_by("phase").len().sort("phase").rows() == [("pilot", 256), ("rest", 768)]
    assert set(plan.table("racks")["phase"]) == {"pilot", "rest"}


def test_names_follow_their_templates_and_stay_unique() -> None:
    compute = Plane(leaf=Tier(names="LEAF-{rail:02d}-{block:02d}"), spine=Tier(names="SPINE-{index:03d}"))
    plan = made("dgx-h100", 1024, planes=Planes(compute=compute), node_names="gpu{index:05d}")
    names = dict(plan.table("switches").select("switch", "name").rows())
    assert names["sw:compute/leaf-b003-r7"] == "LEAF-07-03"
    assert names["sw:compute/spine-p00-02"] == "SPINE-002"
    assert plan.table("nodes")["name"][127] == "gpu00127"
    assert plan.links.filter(pl.col("b_device") == "node:0127")["b_name"].str.starts_with("gpu00127 mlx5_").any()


def test_a_template_that_repeats_names_is_told_apart_and_said() -> None:
    plan = made("dgx-h100", 1024, planes=Planes(compute=Plane(leaf=Tier(names="LEAF-{rail:02d}"))))
    names = plan.table("switches")["name"]
    assert names.n_unique() == len(names)
    assert any("a name that others have" in w for w in plan.warnings)


@pytest.mark.parametrize(
    ("spec", "name"), [("", "L10"), ("d", "L10"), ("03d", "L010"), ("x", "La"), ("02X", "L0A"), ("04", "L0010")]
)
def test_templates_take_the_formats_that_requirements_may_use(spec: str, name: str) -> None:
    template = "L{index:" + spec + "}" if spec else "L{index}"
    plan = made("dgx-h100", 1024, planes=Planes(compute=Plane(leaf=Tier(names=template))))
    names = dict(plan.table("switches").select("switch", "name").rows())
    assert names["sw:compute/leaf-b001-r2"] == name


def test_a_format_that_a_field_cannot_take_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"PLN-003 node_names: name template .* row cannot be written as 'x'"):
        made("dgx-h100", 256, node_names="n{index}-{row:x}")


def test_an_unknown_field_in_a_template_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"PLN-003 planes\.compute\.leaf\.names: name template .*no field 'rial'"):
        made("dgx-h100", 256, planes=Planes(compute=Plane(leaf=Tier(names="L{rial}"))))


def test_the_part_that_the_requirement_names_is_used_or_its_absence_said() -> None:
    plan = made("dgx-h100", 256, cabling=Cabling(switch_link="mms4x00-nm", node_link="mms4x00-ns-flt"))
    compute = plan.table("transceivers").filter(pl.col("device").str.starts_with("sw:compute/spine"))
    assert compute["part"].unique().to_list() == ["mms4x00-nm"]


@pytest.mark.parametrize("template", ["l40s-384", "dgx-h100-superpod"])
def test_the_hash_is_the_same_in_another_process(template: str) -> None:
    import subprocess
    import sys

    code = (
        "from asbuilt.workflow import templates\nfrom asbuilt.model.decode_requirement import decode\n"
        "from asbuilt.workflow.plan import make_plan\n"
        f"t = templates.text({template!r})\nprint(make_plan(decode(t if isinstance(t, bytes) else t.encode(), 'x')).plan_hash)"
    )
    env = {"PYTHONHASHSEED": "77", "POLARS_MAX_THREADS": "1", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == plan_hash(planned(template), CATALOGUE)


def test_the_hash_sees_a_single_cell() -> None:
    plan = planned("dgx-h100-superpod")
    before = plan_hash(plan, CATALOGUE)
    links = plan.links.with_columns(a_name=pl.when(pl.col("a_port") == 7).then(pl.lit("other")).otherwise("a_name"))
    changed = Plan(plan.name, {**plan.tables, "links": links}, plan.design)
    assert plan_hash(changed, CATALOGUE) != before


def test_subnets_count_lids() -> None:
    subnets = planned("dgx-h100-superpod").table("subnets")
    compute = subnets.filter(pl.col("subnet") == "compute").row(0, named=True)
    assert (compute["endpoints"], compute["switches"], compute["lids"]) == (1020, 48, 1116)
    assert subnets.filter(pl.col("technology") == "ethernet")["lids"].null_count() == 2


def test_the_bill_counts_rows_and_spares() -> None:
    plan = made("dgx-h100", 1016, cabling=Cabling(spare_percent=10))
    bill = plan.table("bom")
    cables = bill.filter(pl.col("category") == "cable")
    assert cables["quantity"].sum() == plan.table("jumpers").height + plan.table("management_ports").height
    assert bill.filter(pl.col("category") == "optic")["quantity"].sum() == plan.table("transceivers").height
    assert all(s == -(-q * 10 // 100) for q, s in cables.select("quantity", "spares").rows())
    assert bill.filter(pl.col("category") == "system").select("part", "quantity").rows()[0] == ("dgx-h100", 127)


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_switch_has_a_management_port_of_its_own(template: str) -> None:
    plan = planned(template)
    ports = plan.table("management_ports")
    wanted = plan.table("switches").filter(~pl.col("spare") & (pl.col("plane") != "oob")).height
    hosts = plan.table("nodes").filter(pl.col("role") == "service").height
    assert ports.height == wanted + hosts
    assert ports["port"].null_count() == 0
    taken = plan.links.filter(pl.col("plane") == "oob").select(switch="a_device", port="a_port")
    both = pl.concat([taken, ports.select("switch", "port")])
    assert both.height == both.n_unique()
    budget = ports.join(plan.table("port_budget"), on="switch")
    assert budget.filter(pl.col("port") > pl.col("ports")).height == 0
    assert ports.filter(pl.col("length_m") < pl.col("route_m")).height == 0


def test_nvl72_racks_come_whole() -> None:
    plan = made("gb200-nvl72", 1152)
    trays = plan.table("nodes").filter((pl.col("role") == "compute") & (pl.col("unit") == 0)).sort("index")
    assert trays["rack"].n_unique() == 1
    # Eight trays below the nine NVLink switch trays, ten above.
    assert trays["u"].to_list() == [*range(5, 13), *range(22, 32)]
    assert plan.table("bom").filter(pl.col("part") == "gb200-nvl72")["quantity"].to_list() == [16]
