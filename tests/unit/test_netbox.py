"""The NetBox target: what each thing becomes, templates, splitters over trunks, what is left out and said so."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
import yaml

from asbuilt.artefacts import netbox_kinds as kinds
from asbuilt.artefacts import netbox_ports
from asbuilt.artefacts.netbox import LOST, TARGET, netbox
from asbuilt.artefacts.netbox_cables import cables, panel_ports
from asbuilt.artefacts.netbox_devices import devices
from asbuilt.artefacts.netbox_layouts import layouts
from asbuilt.model.plan import Plan
from asbuilt.parsers.plans import netbox as plans
from asbuilt.workflow.export import TARGETS
from template_plans import made

GB, DGX, L40S = "gb300-nvl72", "dgx-h100-superpod", "l40s-384"


def table(files: dict[str, bytes], name: str) -> pl.DataFrame:
    return pl.read_csv(io.BytesIO(files[f"netbox/import/{name}.csv"]), infer_schema=False)


def device_type(files: dict[str, bytes], slug: str) -> dict[str, Any]:
    (data,) = [d for p, d in files.items() if p.endswith(f"/{slug}.yaml")]
    told: dict[str, Any] = yaml.safe_load(data)
    return told


@pytest.mark.parametrize(
    ("technology", "rate", "cage", "lane", "kind"),
    [
        ("infiniband", 800.0, "osfp", 200.0, "infiniband-xdr"),
        ("infiniband", 200.0, "osfp", 100.0, "infiniband-ndr"),  # NDR200: two lanes of 100
        ("infiniband", 200.0, "qsfp56", 50.0, "infiniband-hdr"),
        ("infiniband", 400.0, None, None, "infiniband-ndr"),
        ("infiniband", 56.0, None, None, "other"),
        ("ethernet", 800.0, "osfp", 100.0, "800gbase-x-osfp"),
        ("ethernet", 400.0, "osfp", 100.0, "400gbase-x-osfp"),
        ("ethernet", 400.0, "qsfp112", None, "400gbase-x-qsfp112"),
        ("ethernet", 100.0, "qsfp56", None, "100gbase-x-qsfp28"),
        ("ethernet", 1600.0, "osfp", None, "other"),
        ("ethernet", 1.0, "rj45", None, "1000base-t"),
        ("ethernet", 400.0, "unheard-of", None, "other"),
        (None, 400.0, "osfp", None, "other"),
    ],
)
def test_interface_types(technology: str | None, rate: float, cage: str | None, lane: float | None, kind: str) -> None:
    assert kinds.interface_type(technology, rate, cage, lane) == kind


@pytest.mark.parametrize(
    ("plug", "volts", "kind"),
    [
        ("60309-60A-3P+N+E", 415.0, "iec-60309-3p-n-e-6h"),
        ("60309-32A-3P+N+E", 400.0, "iec-60309-3p-n-e-6h"),
        ("60309-60A-3P+E", 208.0, "iec-60309-3p-e-9h"),
        ("60309-32A-P+N+E", 230.0, "iec-60309-p-n-e-6h"),
        ("60309-30A-2P+E", 120.0, "iec-60309-2p-e-4h"),
        ("60309-60A-3P+N+E", 480.0, "other"),
        ("CS8365C", 208.0, "other"),
        (None, 415.0, "other"),
    ],
)
def test_plug_types(plug: str | None, volts: float, kind: str) -> None:
    assert kinds.plug_type(plug, volts) == kind


def test_cable_types_slugs_and_couplers() -> None:
    said = [kinds.cable_type(*x) for x in (("cat6", "copper"), ("mcp4y10", "copper"), ("mfp7e10-n", "multimode"),
            ("trunk-om4-mpo12-apc-8x12", None), ("trunk-os2-x", None), ("mfa1a00-c", "aoc"), (None, None))]  # fmt: skip
    assert said == ["cat6", "dac-passive", "mmf", "mmf-om4", "smf-os2", "aoc", ""]
    assert [kinds.slug(t) for t in ("Row A", "a/b", "a_b", "ß", "")] == ["row-a", "a_2fb", "a_5fb", "_df", "_"]
    assert [kinds.coupler_inlet("C20"), kinds.coupler_outlet("C19"), kinds.coupler_inlet("C19")] == [
        "iec-60320-c20", "iec-60320-c19", "other",
    ]  # fmt: skip


def test_every_port_of_a_front_panel_is_there_used_or_not() -> None:
    panel = layouts(made(L40S))
    split = panel.filter((pl.col("plane") == "compute") & (pl.col("role") == "leaf"))
    assert split.height == 128 and split["label"].to_list()[:3] == ["1/1/1", "1/1/2", "1/2/1"]
    assert split["type"].unique().to_list() == ["qm9700|compute leaf"]
    links = made(L40S).links
    used = links.select(switch="a_device", port="a_port", label="a_label").join(
        made(L40S).table("switches").select("switch", "plane", "role"), on="switch"
    )
    assert used.join(panel, on=["plane", "role", "port", "label"], how="anti").is_empty()


def test_a_plan_without_a_design_knows_the_ports_in_its_links() -> None:
    plan = replace(made(L40S), design=None)
    panel = layouts(plan).filter((pl.col("plane") == "compute") & (pl.col("role") == "spine"))
    links = plan.links.filter(pl.col("b_device").str.starts_with("sw:compute/spine"))
    assert 0 < panel.height <= 64 and set(panel["label"]) >= set(links["b_label"])
    assert netbox(plan)["netbox/objects.json"]


def test_a_cold_spare_has_the_ports_of_its_type() -> None:
    files = netbox(made(L40S))
    told = device_type(files, "nvidia-qm9700-compute-leaf")
    assert [p["name"] for p in told["power-ports"]] == ["PSU0", "PSU1"]
    assert told["interfaces"][0] == {"name": "mgmt0", "label": "MGMT", "type": "1000base-t", "mgmt_only": True}
    assert "netbox/import/10-interfaces.csv" not in files, "no device has a port that its type lacks"
    spare = table(files, "09-devices").filter(pl.col("cf_asbuilt_id") == "sw:compute/leaf-spare-0")
    assert spare["device_type"].to_list() == ["QM9700 (Quantum-2, NDR, managed) (compute leaf)"]


def test_outlets_are_those_that_cords_are_plugged_into() -> None:
    """Kind and leg of every outlet as dealt over the banks are those that each cord has."""
    for template in (L40S, DGX, GB):
        plan = made(template)
        outlets = netbox_ports.outlets(plan).select("device", "order", "type", "feed_leg")
        assert outlets.height == plan.table("pdus").select(pl.col("outlets_c13") + pl.col("outlets_c19")).sum().item()
        cords = plan.table("cords").select(
            pl.col("pdu").alias("device"), pl.col("outlet").alias("order"),
            (pl.lit("iec-60320-") + pl.col("outlet_type").str.to_lowercase()).alias("type"),
            pl.col("conductor").replace_strict(kinds.LEGS).alias("feed_leg"),
        )  # fmt: skip
        assert cords.join(outlets, on=cords.columns, how="anti").is_empty()


def test_draws_are_the_share_healthy_and_with_a_feed_lost() -> None:
    plan = made(DGX)
    told = device_type(netbox(plan), "nvidia-dgx-h100")
    cords = plan.table("cords").filter(pl.col("device").str.starts_with("node:"))
    assert [p["name"] for p in told["power-ports"]] == [f"PSU{n}" for n in range(6)]
    assert {p["allocated_draw"] for p in told["power-ports"]} == {1700} == set(cords["nominal_w"].ceil().to_list())
    assert max(p["maximum_draw"] for p in told["power-ports"]) == cords["lost_w"].max()


def test_what_is_fed_from_a_busbar_has_no_power_port() -> None:
    files = netbox(made(GB))
    assert device_type(files, "nvidia-gb300-nvl72")["is_powered"] is False
    shelf = device_type(files, "generic-nvl72-power-shelf")
    assert shelf["power-ports"] == [{"name": "inlet", "type": "iec-60309-3p-n-e-6h"}]


def test_every_slot_switch_node_pdu_and_panel_is_one_device() -> None:
    plan = made(GB)
    found = devices(plan)
    assert found.height == plan.table("rack_slots").height + plan.table("pdus").height
    assert found["key"].is_unique().all() and found["name"].str.to_lowercase().is_unique().all()
    slots = plan.table("rack_slots").select(pl.col("device").alias("key"), "u", pl.col("face").alias("there"))
    held = found.join(slots, on="key", suffix="_there")
    assert held.filter(pl.col("u") != pl.col("u_there")).is_empty()
    assert set(held.filter(pl.col("there") == "rear")["face"]) == {"rear"}
    assert found.filter(pl.col("role") == "rack PDU").select(pl.col("u").is_null().all()).item()


def test_a_link_over_a_trunk_is_three_cables_in_a_row() -> None:
    plan = made(DGX)
    over = plan.table("channels").filter(pl.col("trunk").is_not_null()).row(0, named=True)
    link = plan.links.filter(pl.col("jumper") == over["jumper"]).row(0, named=True)
    frame = cables(plan)
    near, far = frame.filter(pl.col("link") == link["link"]).sort("id").rows(named=True)
    assert (near["a_parent"], near["a_name"], near["length"]) == (link["a_device"], link["a_label"], over["a_cord_m"])
    assert (far["a_parent"], far["a_name"], far["length"]) == (link["b_device"], link["b_label"], over["b_cord_m"])
    trunk = frame.filter(pl.col("id") == over["trunk"]).row(0, named=True)
    assert {near["b_parent"], far["b_parent"]} == {trunk["a_parent"], trunk["b_parent"]}
    assert {near["b_name"].split("-")[1], far["b_name"].split("-")[1]} == {str(over["port"])}
    assert trunk["description"] == "96 fibres, type B, male to male, apc"


def shared_port(plan: Plan) -> Plan:
    """``plan`` with one more link on the jumper of its first trunk channel: a splitter whose legs share a port of the trunk."""
    over = plan.table("channels").filter(pl.col("trunk").is_not_null())["jumper"][0]
    mine = plan.links.filter(pl.col("jumper") == over).row(0, named=True)
    free = plan.links.filter(
        (pl.col("a_device") == mine["a_device"]) & (pl.col("kind") == "node_leaf") & (pl.col("jumper") != over)
    ).row(0, named=True)
    links = plan.links.with_columns(
        pl.when(pl.col("link") == free["link"]).then(pl.lit(over)).otherwise("jumper").alias("jumper")
    )
    jumpers = plan.table("jumpers").filter(pl.col("jumper") != free["jumper"])
    jumpers = jumpers.with_columns(pl.when(pl.col("jumper") == over).then(2).otherwise("links").alias("links"))
    return replace(plan, tables={**plan.tables, "links": links, "jumpers": jumpers})


def test_legs_that_share_a_port_of_a_trunk_stay_apart() -> None:
    """NetBox would join every end of one cable with every other: each leg has front ports and a position of its own."""
    plan = shared_port(made(DGX))
    over = plan.table("channels").filter(pl.col("trunk").is_not_null()).row(0, named=True)
    legs = cables(plan).filter(pl.col("jumper") == over["jumper"])
    assert legs.height == 4 and sorted(legs["b_name"].str.extract("/(.*)$").to_list()) == ["1", "1", "2", "2"]
    rear, front = panel_ports(plan)
    assert rear["positions"].max() == 16 and front.select("device", "rear_port", "rear_port_position").is_unique().all()
    back = plans.read({"objects.json": netbox(plan)["netbox/objects.json"]})
    ends = ("link", "a_device", "a_port", "b_device", "b_port", "b_nic", "b_label", "jumper")
    assert back.links.select(ends).equals(plan.links.select(ends))


def test_the_second_fibre_of_a_link_is_left_out_and_said_so() -> None:
    plan = made(GB)
    second = plan.table("jumpers").join(plan.links, on="jumper", how="anti")
    assert second.height == 192
    assert cables(plan).filter(pl.col("jumper").is_in(second["jumper"].implode())).is_empty()
    assert any("second fibre" in text for text in LOST)


def test_ends_have_one_cable_and_numbers_of_the_document_are_dense() -> None:
    document = json.loads(netbox(made(L40S))["netbox/objects.json"])
    for model, records in document.items():
        if model != "schema":
            assert [r["id"] for r in records] == list(range(1, len(records) + 1))


def test_nothing_for_a_plan_of_links_alone_and_the_page_has_the_list() -> None:
    assert netbox(Plan("links", {"links": made(L40S).links})) == {}
    assert TARGETS[TARGET].lost == LOST and TARGETS[TARGET].unrehearsed
    told = netbox(made(L40S))["netbox/README.txt"].decode()
    assert all(f"  - {text}\n" in told for text in LOST)
    assert "      761 cables\n" in told
