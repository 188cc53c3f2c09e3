"""Addresses: one per interface, from coordinates, in private networks that growth does not move; names that DNS takes."""

from __future__ import annotations

import ipaddress
import re

import polars as pl
import pytest

from asbuilt.base.ipv4 import dotted, first, last, number, span
from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Addresses, AddressPool, Growth, Requirement
from asbuilt.plan.expand import expand
from asbuilt.workflow import templates
from template_plans import expanded as planned

CATALOGUE = load()
LABEL = re.compile(r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")


def made(gpus: int, growth: int | None = None, system: str = "hgx-b200", fabric: str | None = "roce", **more: object) -> Plan:
    asked = Requirement(name="x", system=system, gpus=gpus, fabric=fabric, growth=Growth(gpus=growth), **more)  # type: ignore[arg-type]
    return expand(resolve(asked, CATALOGUE), CATALOGUE)


@pytest.mark.parametrize("template", templates.names())
def test_every_interface_has_one_address_in_its_network(template: str) -> None:
    plan = planned(template)
    pools = {r["network"]: r for r in plan.table("address_pools").iter_rows(named=True)}
    rows = plan.table("addresses")
    assert rows["address"].null_count() == 0 and rows["address"].n_unique() == rows.height
    networks = [ipaddress.IPv4Network(p["cidr"]) for p in pools.values()]
    assert all(n.is_private for n in networks)
    assert not any(a.overlaps(b) for i, a in enumerate(networks) for b in networks[i + 1 :])
    for row in rows.sample(min(300, rows.height), seed=1).iter_rows(named=True):
        pool = pools[row["network"]]
        network, address = ipaddress.IPv4Network(pool["cidr"]), ipaddress.IPv4Address(row["address"])
        assert address in network and address not in (network.network_address, network.broadcast_address)
        assert row["address"] != pool["gateway"]
        assert row["prefix"] == (32 if row["kind"] == "loopback" else network.prefixlen)
        assert network.subnet_of(ipaddress.IPv4Network(pool["supernet"]))


@pytest.mark.parametrize("template", templates.names())
def test_who_has_addresses(template: str) -> None:
    plan = planned(template)
    rows = plan.table("addresses")
    nics = plan.table("nics")
    single = nics.filter(pl.col("plane").is_in(["compute", "storage", "oob"]))
    lone = single.join(rows, left_on=["node", "device"], right_on=["device", "interface"], how="anti")
    assert lone.is_empty(), "every port that is no bond has an address"
    for plane in ("frontend", "management"):
        nodes = nics.filter(pl.col("plane") == plane)["node"].unique()
        assert rows.filter(pl.col("plane") == plane)["device"].n_unique() == nodes.len()
    patched = plan.table("management_ports")["device"]
    managed = rows.filter(pl.col("interface") == "mgmt")["device"]
    assert set(patched) <= set(managed)
    assert set(plan.table("switches").filter(~pl.col("spare"))["switch"]) <= set(managed)


@pytest.mark.parametrize("template", templates.names())
def test_names_are_dns_labels_of_their_own(template: str) -> None:
    names = planned(template).table("addresses")["name"]
    assert names.n_unique() == names.len()
    assert all(LABEL.match(n) for n in names)


def test_the_addresses_of_the_384_gpu_example() -> None:
    rows = planned("l40s-384").table("addresses")
    told = {(r["device"], r["interface"]): (r["address"], r["name"], r["kind"]) for r in rows.iter_rows(named=True)}
    assert told["node:0007", "mlx5_0"] == ("10.0.0.39", "node0007-compute-r0", "ipoib")
    assert told["node:0007", "mlx5_3"] == ("10.48.0.39", "node0007-compute-r3", "ipoib")
    assert told["node:0007", "mlx5_5"] == ("10.80.0.39", "node0007-storage-r1", "ipoib")
    assert told["node:0007", "mlx5_6"] == ("10.128.0.39", "node0007", "ethernet")
    assert told["node:0007", "bmc"] == ("10.160.0.39", "node0007-bmc", "bmc")
    assert told["svc:compute-0", "mlx5_0"] == ("10.0.0.16", "ufm-compute-0-compute-r0", "ipoib")
    assert told["svc:compute-1", "mgmt"] == ("10.192.0.17", "ufm-compute-1", "switch-management")
    assert told["sw:compute/spine-p00-03", "mgmt"] == ("10.192.0.42", "ibspine-03", "switch-management")
    pools = {r["network"]: r for r in planned("l40s-384").table("address_pools").iter_rows(named=True)}
    assert pools["compute-r0"]["gateway"] is None and pools["compute-r0"]["vlan"] is None
    assert (pools["management"]["gateway"], pools["management"]["vlan"]) == ("10.128.0.1", 400)
    assert (pools["compute-r0"]["used"], pools["compute-r0"]["target"], pools["compute-r0"]["room"]) == (50, 64, 175)


def test_a_routed_plane_has_a_network_behind_each_leaf() -> None:
    plan = planned("roce-b200")
    rows = plan.table("addresses").filter(pl.col("plane").is_in(["compute", "storage", "frontend"]))
    links = plan.links.filter(pl.col("kind") == "node_leaf")
    bond = pl.when(pl.col("plane") == "frontend").then(pl.lit("bond-frontend")).otherwise("b_nic")
    at = links.with_columns(bond.alias("interface")).join(
        rows, left_on=["b_device", "interface"], right_on=["device", "interface"]
    )
    behind = at.filter(pl.col("plane") == "compute").group_by("a_device").agg(pl.col("network").n_unique())
    assert set(behind["network"]) == {1}, "the servers of a leaf are one network"
    loops = plan.table("addresses").filter(pl.col("kind") == "loopback")
    assert (
        set(loops["prefix"]) == {32}
        and loops.height == plan.table("switches").filter(pl.col("plane").is_in(["compute", "storage"])).height
    )


@pytest.mark.parametrize(
    ("system", "fabric", "small", "large", "target"),
    [
        ("hgx-b200", "roce", 512, 1024, 2048),
        ("hgx-b200", "roce", 64, 4096, 4096),
        ("dgx-h100", None, 256, 1024, 1024),
        ("l40s-8gpu", None, 64, 384, 512),
    ],
)
def test_growth_keeps_every_address(system: str, fabric: str | None, small: int, large: int, target: int) -> None:
    before = made(small, target, system, fabric).table("addresses")
    after = made(large, target, system, fabric).table("addresses")
    nodes = before.filter(pl.col("device").str.starts_with("node:"))
    both = nodes.join(after, on=["device", "interface"], how="left")
    assert both.filter(pl.col("address") != pl.col("address_right")).is_empty()
    assert both["address_right"].null_count() == 0
    leaves = before.filter(pl.col("device").str.contains("/leaf"))
    kept = leaves.join(after, on=["device", "interface"])
    assert kept.height and kept.filter(pl.col("address") != pl.col("address_right")).is_empty()


def test_a_larger_target_widens_networks_and_moves_nothing() -> None:
    small, large = made(128, 128, "l40s-8gpu", None), made(128, 8192, "l40s-8gpu", None)
    both = small.table("addresses").join(large.table("addresses"), on=["device", "interface"])
    assert both.filter(pl.col("address") != pl.col("address_right")).is_empty()
    prefixes = [p.table("address_pools").filter(network="oob")["cidr"][0] for p in (small, large)]
    assert prefixes == ["10.160.0.0/24", "10.160.0.0/21"]


def test_a_stated_range_is_used_and_too_small_a_one_leaves_interfaces_without() -> None:
    pools = Addresses(pools=(AddressPool("compute", "172.16.0.0/20", 700), AddressPool("oob", "192.168.1.0/26")))
    plan = made(512, addresses=pools)
    held = {r["network"]: r for r in plan.table("address_pools").iter_rows(named=True)}
    first_rail = held["compute-r0-b000"]
    assert (first_rail["cidr"], first_rail["vlan"], first_rail["origin"]) == ("172.16.0.0/25", 700, "declared")
    assert first_rail["source"] == "addresses.pools, compute"
    assert held["compute-r1-b000"]["vlan"] == 701
    assert (held["oob"]["used"], held["oob"]["without"]) == (31, 64 * 3 - 31)
    assert plan.table("addresses").filter(network="oob")["address"].null_count() == 64 * 3 - 31


def test_odd_names_become_labels() -> None:
    plan = made(64, node_names="GPU_node.{index:02d}")
    assert plan.table("addresses").filter(device="node:0003", plane="frontend")["name"].to_list() == ["gpu-node-03"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("- {plane: compute, cidr: 10.0.0.0/33}", "10.0.0.0/33"),
        ("- {plane: compute, cidr: 10.0.0.256/24}", "10.0.0.256/24"),
        ("- {plane: moon, cidr: 10.0.0.0/8}", "moon"),
        ("- {plane: compute, cidr: 10.0.0.0/8, vlan: 4095}", "4095"),
    ],
)
def test_what_a_range_may_not_say(line: str, told: str) -> None:
    text = f"schema: requirement/v1\nname: x\nsystem: hgx-b200\ngpus: 64\naddresses:\n  pools:\n    {line}\n"
    with pytest.raises(ProblemError) as caught:
        decode(text.encode(), "cluster.yaml")
    assert told in str(caught.value) and "cluster.yaml:7:" in str(caught.value)


def test_numbers_of_addresses() -> None:
    frame = pl.DataFrame({"a": ["10.0.0.1", "255.255.255.255", "1.2.3", "1.2.3.256", "x", None]})
    values = frame.select(number(pl.col("a")).alias("n"))["n"].to_list()
    assert values == [167772161, 4294967295, None, None, None, None]
    assert frame.select(dotted(number(pl.col("a"))).alias("b"))["b"].to_list()[:2] == ["10.0.0.1", "255.255.255.255"]
    cidr = pl.DataFrame({"c": ["10.0.0.0/24", "0.0.0.0/0", "10.0.0.0", "10.0.0.0/x"]})
    assert cidr.select(first(pl.col("c")).alias("f"))["f"].to_list() == [167772160, 0, None, 167772160]
    assert cidr.select(last(pl.col("c")).alias("l"))["l"].to_list() == [167772415, 4294967295, None, None]
    assert span("10.0.0.5/24") == (167772160, 167772415)
