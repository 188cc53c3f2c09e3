"""RDMA over Ethernet as planned: classes with their sources, every port end, headroom, the names that switches use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from asbuilt.catalogue.load import load
from asbuilt.model.requirement import Roce
from asbuilt.model.tables_roce import ROCE_TABLES
from asbuilt.plan.roce_headroom import QUANTA, headroom_bytes
from asbuilt.plan.roce_names import interface_names
from roce_clusters import roce_cluster
from template_plans import expanded as planned

CATALOGUE = load()


@pytest.mark.parametrize("template", ["roce-b200", "dgx-b300-spectrum-x"])
def test_both_ends_of_every_link_are_planned_once(template: str) -> None:
    plan = planned(template)
    ports = plan.table("roce_ports")
    links = plan.links.filter(plan.links["plane"] == "compute")
    assert ports.height == 2 * links.height
    assert ports.group_by("link").len()["len"].unique().to_list() == [2]
    back = ports.join(ports, left_on=["peer", "peer_interface"], right_on=["device", "interface"])
    assert back.height == ports.height and back.filter(pl.col("link") != pl.col("link_right")).is_empty()
    hosts = ports.filter(role="host")
    nics = plan.table("nics").filter(plane="compute")
    assert hosts.join(nics, left_on=["device", "interface"], right_on=["node", "device"], how="anti").is_empty()
    assert hosts.height == nics.height
    assert set(ports["role"]) == {"host", "leaf", "spine"}
    for schema in ROCE_TABLES:
        assert schema.faults(plan.table(schema.name)) == []


def test_who_carries_rdma() -> None:
    assert planned("l40s-384").table("roce_ports").is_empty()
    assert roce_cluster(roce=Roce(enabled=False)).table("roce_classes").is_empty()
    assert set(planned("roce-b200").table("roce_ports")["plane"]) == {"compute"}


def test_defaults_have_a_source_and_stated_values_are_declared() -> None:
    rows = {r["traffic"]: r for r in planned("roce-b200").table("roce_classes").iter_rows(named=True)}
    roce, cnp = rows["roce"], rows["cnp"]
    assert (roce["priority"], roce["dscp"], roce["pfc"], roce["ecn"]) == (3, 26, True, True)
    assert (roce["ecn_min_bytes"], roce["ecn_max_bytes"], roce["ecn_probability"]) == (150_000, 1_500_000, 100)
    assert (cnp["priority"], cnp["dscp"], cnp["pfc"], cnp["scheduling"]) == (6, 48, False, "strict")
    assert {r["origin"] for r in rows.values()} == {"published"} and all("NVIDIA" in r["source"] for r in rows.values())
    stated = roce_cluster(roce=Roce(priority=4, dscp=34, mtu_bytes=4200))
    rows = {r["traffic"]: r for r in stated.table("roce_classes").iter_rows(named=True)}
    assert (rows["roce"]["priority"], rows["roce"]["dscp"], rows["roce"]["origin"]) == (4, 34, "declared")
    assert rows["roce"]["source"].startswith("planes.compute.roce: priority, dscp, mtu_bytes; NVIDIA")
    assert rows["cnp"]["origin"] == "published"
    assert set(stated.table("roce_ports")["pfc"]) == {"4"} and set(stated.table("roce_ports")["mtu_bytes"]) == {4200}


def test_thresholds_stay_or_grow_with_the_rate() -> None:
    fixed = roce_cluster().table("roce_ports").filter(role="leaf")
    assert set(fixed["ecn_min_bytes"]) == {150_000}
    grown = roce_cluster(roce=Roce(ecn_by_rate=True)).table("roce_ports").filter(role="leaf")
    assert set(grown.select(pl.col("ecn_max_bytes") / pl.col("speed_gbps"))["ecn_max_bytes"]) == {15_000.0}
    assert roce_cluster().table("roce_ports").filter(role="host")["ecn_min_bytes"].null_count() == 48


def test_headroom_by_hand() -> None:
    """400 Gb/s, 10 m, MTU 9216: two frames of 9238, a PAUSE of 84, 5050.5 bytes there and back, 905 quanta of 64."""
    got = headroom_bytes(
        np.array([400.0, 100.0, 400.0, 123.0]), np.array([10.0, 0.0, np.nan, 1.0]), np.array([9216, 1500, 1, 1])
    )
    assert got[0] == np.ceil(2 * 9238 + 84 + 2 * 10 / 198e6 * 400e9 / 8 + 905 * 64) == 81531
    assert got[1] == 2 * 1522 + 84 + 394 * 64
    assert np.isnan(got[2]) and np.isnan(got[3]), "an unknown length or rate is unknown headroom"


def test_headroom_grows_with_length_rate_and_mtu() -> None:
    rates = np.array(sorted(QUANTA), float)
    ones = np.ones(len(rates))
    at = headroom_bytes(rates, 30 * ones, (9216 * ones).astype(np.int64))
    assert (np.diff(at) > 0).all()
    assert (headroom_bytes(rates, 31 * ones, (9216 * ones).astype(np.int64)) >= at).all()
    assert (headroom_bytes(rates, 30 * ones, (9217 * ones).astype(np.int64)) == at + 2).all()


@pytest.mark.parametrize(
    ("label", "speed", "top", "dialect", "name"),
    [
        ("1/1", 400.0, 800.0, "cumulus", "swp1s0"),
        ("64/2", 400.0, 800.0, "cumulus", "swp64s1"),
        ("25/4", 200.0, 800.0, "cumulus", "swp25s3"),
        ("51/1", 800.0, 800.0, "cumulus", "swp51"),
        ("7", 100.0, 100.0, "cumulus", "swp7"),
        ("1/1", 400.0, 800.0, "sonic", "Ethernet0"),
        ("1/2", 400.0, 800.0, "sonic", "Ethernet4"),
        ("2/3", 200.0, 800.0, "sonic", "Ethernet12"),
        ("3", 100.0, 100.0, "sonic", "Ethernet8"),
    ],
)
def test_what_a_port_is_called(label: str, speed: float, top: float, dialect: str, name: str) -> None:
    frame = pl.DataFrame({"label": [label], "speed_gbps": [speed], "top_gbps": [top], "dialect": [dialect]})
    assert frame.select(interface_names().alias("i"))["i"].to_list() == [name]


def test_interfaces_of_a_device_are_distinct_in_both_words() -> None:
    for system in ("cumulus", "sonic"):
        ports = roce_cluster(roce=Roce(switch_os=system)).table("ethernet_ports")
        assert ports.select(pl.struct("device", "interface").n_unique()).item() == ports.height


def test_the_choice_is_counted_from_the_links() -> None:
    for template in ("l40s-384", "roce-b200"):
        plan = planned(template)
        rows = {r["question"]: r for r in plan.table("fabric_choice").iter_rows(named=True)}
        links = plan.links.filter(plan.links["plane"] == "compute")
        hosts, trunks = (links.filter(pl.col("kind") == k).height for k in ("node_leaf", "leaf_spine"))
        assert rows["switch ports to configure"]["ethernet"] == str(hosts + 2 * trunks)
        assert rows["host ports to configure"]["ethernet"] == str(hosts)
        assert rows["settings in all"]["ethernet"] == str((hosts + 2 * trunks) * 13 + hosts * 9)
        assert rows["settings in all"]["infiniband"] == "0"
        assert all(r["origin"] and r["source"] for r in rows.values())
    told = {r["question"]: r["infiniband"] for r in planned("roce-b200").table("fabric_choice").iter_rows(named=True)}
    assert told["settings in one place"] == "not planned for this cluster"
    ours = {r["question"]: r["infiniband"] for r in planned("l40s-384").table("fabric_choice").iter_rows(named=True)}
    assert ours["settings in one place"] == str(planned("l40s-384").table("subnet_settings").height)


def test_a_buffer_that_nobody_states_is_unknown() -> None:
    rows = planned("roce-b200").table("roce_buffers")
    assert set(rows["confidence"]) == {"low"} and set(rows["buffer_bytes"]) == {128_000_000}
    leaf = rows.filter(switch="sw:compute/leaf-b000-r0").row(0, named=True)
    mine = planned("roce-b200").table("roce_ports").filter(device="sw:compute/leaf-b000-r0")
    assert leaf["headroom_bytes"] == mine["headroom_bytes"].sum() and leaf["ports"] == mine.height == 128


@pytest.mark.parametrize("template", ["l40s-384", "roce-b200"])
def test_the_page_shows_the_choice_as_it_is_counted(template: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "roce.md").read_text(encoding="utf-8")
    part = page[page.index(f"`{template}`, built as") :]
    for row in planned(template).table("fabric_choice").iter_rows(named=True):
        unit = f" ({row['unit']})" if row["unit"] else ""
        assert f"| {row['question']}{unit} | {row['infiniband']} | {row['ethernet']} |" in part
