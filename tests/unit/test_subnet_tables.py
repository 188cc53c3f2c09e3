"""The plan of a subnet: values of the 384-GPU example, and what the requirement changes in them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
import yaml

from asbuilt.base.problem import ProblemError
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Plane, Planes, Requirement, Subnet
from asbuilt.model.tables_subnet import SUBNET_TABLES
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan


def made(template: str = "l40s-384", **changes: Any) -> Plan:
    """The plan of a template with top-level keys replaced; of `planes` only those keys that are named (None: taken out)."""
    document = yaml.safe_load(templates.text(template))
    for plane, fields in changes.pop("planes", {}).items():
        both = document["planes"][plane] | fields
        document["planes"][plane] = {key: value for key, value in both.items() if value is not None}
    data = yaml.safe_dump(document | changes, sort_keys=False).encode()
    return make_plan(decode(data, "cluster.yaml"))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return made()


def settings(plan: Plan, subnet: str = "ib0") -> dict[str, str]:
    rows = plan.table("subnet_settings").filter(pl.col("subnet") == subnet)
    return dict(rows.select("setting", "value").rows())


def port(plan: Plan, key: str) -> dict[str, Any]:
    return plan.table("lids").row(by_predicate=pl.col("port") == key, named=True)


def entries(plan: Plan, key: str) -> list[int]:
    return plan.table("partition_members").filter(pl.col("port") == key).sort("index")["entry"].to_list()


def refused(**changes: Any) -> str:
    with pytest.raises(ProblemError) as caught:
        made(**changes)
    return caught.value.problems.render()


def test_ranges_of_the_example(plan: Plan) -> None:
    rows = plan.table("lid_ranges").sort("first").select("range", "first", "last", "used").rows()
    assert rows == [
        ("leaf", 16, 31, 6),
        ("spine", 32, 47, 4),
        ("service", 48, 63, 2),
        ("aggregation", 64, 79, 10),
        ("node/su-000", 80, 271, 192),  # 32 nodes of an SU, four compute and two storage ports each
        ("node/su-001", 272, 463, 96),
    ]


def test_lids_follow_from_coordinates(plan: Plan) -> None:
    assert port(plan, "sw:compute/leaf-b000-r2#0")["lid"] == 16 + 2
    assert port(plan, "sw:compute/spine-p00-03#0")["lid"] == 32 + 3
    assert port(plan, "sw:compute/spine-p00-03#0+agg")["name"] == "Mellanox Technologies Aggregation Node"
    assert port(plan, "svc:compute-1/mlx5_0")["lid"] == 48 + 1
    assert port(plan, "node:0033/mlx5_2")["lid"] == 272 + 6 + 2
    assert port(plan, "node:0033/mlx5_5")["lid"] == 272 + 6 + 5
    leaf = port(plan, "sw:compute/leaf-b000-r2#0")
    assert (leaf["name"], leaf["number"], leaf["lmc"]) == ("MF0;IBLEAF-02-07:MQM9700/U1", 0, 0)
    nic = port(plan, "node:0033/mlx5_2")
    assert (nic["name"], nic["plane"], nic["su"], nic["number"]) == ("node0033 mlx5_2", "compute", 1, 1)


def test_a_block_that_comes_later_takes_the_places_kept_for_it() -> None:
    small, large = made(gpus=384, growth={"gpus": 1024}), made(gpus=1024, growth={"gpus": 1024})
    before = dict(small.table("lids").select("port", "lid").rows())
    after = dict(large.table("lids").select("port", "lid").rows())
    assert {key: after[key] for key in before} == before
    new = [after[f"sw:compute/leaf-b001-r{rail}#0"] for rail in range(4)]
    assert new == [16 + 4 + rail for rail in range(4)]
    assert small.table("lid_ranges")["range"].to_list() == large.table("lid_ranges")["range"].to_list()


def test_without_infiniband_the_tables_are_empty() -> None:
    plan = made("roce-b200")
    assert all(plan.table(schema.name).is_empty() for schema in SUBNET_TABLES)


def test_a_plane_apart_has_a_subnet_a_manager_and_a_prefix_of_its_own() -> None:
    plan = make_plan(Requirement(name="x", system="dgx-h100", gpus=256))
    assert settings(plan, "compute")["separation:compute"] == "own subnet"
    prefixes = {settings(plan, subnet)["subnet_prefix"] for subnet in ("compute", "storage")}
    assert len(prefixes) == 2 and "0xfe80000000000000" in prefixes
    assert set(plan.table("subnet_managers")["subnet"]) == {"compute", "storage"}


def test_partitions_of_the_example(plan: Plan) -> None:
    rows = plan.table("partitions").select("partition", "pkey", "sl", "mtu_bytes", "origin").rows()
    assert rows == [
        ("compute", 0x100, 1, 4096, "declared"),
        ("default", 0x7FFF, 0, 4096, "derived"),
        ("storage", 0x200, 2, 4096, "declared"),
    ]
    assert entries(plan, "node:0000/mlx5_0") == [0x7FFF, 0x8100]
    assert entries(plan, "node:0000/mlx5_4") == [0x7FFF, 0x8200]
    assert entries(plan, "svc:compute-0/mlx5_0") == [0xFFFF]
    assert entries(plan, "sw:compute/leaf-b000-r0#0") == [0x7FFF]


def test_a_plane_without_a_key_gets_one_that_is_free() -> None:
    plan = made(planes={"storage": {"pkey": None, "separation": "none"}, "compute": {"pkey": 0x200}})
    keys = dict(plan.table("partitions").select("partition", "pkey").rows())
    assert keys == {"compute": 0x200, "default": 0x7FFF, "storage": 0x201}
    origin = dict(plan.table("partitions").select("partition", "origin").rows())
    assert origin["storage"] == "assumed"


TENANTS = [
    {"name": "physics", "pkey": 0x0011, "nodes": "node[0000-0003]", "exclusive": True},
    {"name": "biology", "pkey": 0x2001, "nodes": "node[0004-0005]", "planes": ["compute"]},
]


def test_tenants_leave_the_partition_of_their_plane() -> None:
    """Table order is that of OpenSM: the default key, then keys with their bytes swapped."""
    plan = made(tenants=TENANTS)
    assert entries(plan, "node:0000/mlx5_0") == [0x7FFF, 0x8011]
    assert entries(plan, "node:0000/mlx5_4") == [0x7FFF, 0x0200, 0x8011]  # storage servers stay in reach
    assert entries(plan, "node:0004/mlx5_0") == [0x7FFF, 0xA001]
    assert entries(plan, "node:0004/mlx5_4") == [0x7FFF, 0x8200]
    assert entries(plan, "node:0006/mlx5_0") == [0x7FFF, 0x8100]
    rows = plan.table("partitions").filter(pl.col("tenant") != "").select("partition", "plane", "sl", "exclusive").rows()
    assert rows == [("biology", "compute", 1, None), ("physics", "", 1, True)]


def test_a_tenant_of_unknown_nodes_is_told() -> None:
    text = refused(tenants=[{"name": "a", "pkey": 17, "nodes": "node[0047-0049],gpu1"}])
    assert text == (
        "PLN-012 tenants[0].nodes: gpu1, node0048, node0049: not nodes of this plan with a port in an InfiniBand subnet\n"
        "  why: a tenant is made of planned nodes\n"
        "  fix: `asbuilt show nodes` lists the names\n"
        "1 problem"
    )


def test_levels_and_lanes_of_the_example(plan: Plan) -> None:
    levels = plan.table("service_levels")
    assert levels["vl"].to_list() == [0, 1, 2] + [0] * 13
    weights = plan.table("vl_arbitration").select("priority", "vl", "weight").rows()
    assert weights == [("high", 0, 4), ("low", 0, 64), ("low", 1, 192), ("low", 2, 128)]
    told = settings(plan)
    assert (told["qos"], told["qos_max_vls"], told["max_op_vls"], told["qos_high_limit"]) == ("TRUE", "4", "3", "0")
    assert told["qos_sl2vl"] == "0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,0"
    assert (told["qos_vlarb_high"], told["qos_vlarb_low"]) == ("0:4", "0:64,1:192,2:128")


def test_lanes_as_the_requirement_dictates_them() -> None:
    lanes = {"compute": {"service_level": 4, "virtual_lane": 3, "weight": 10}, "storage": {"low_weight": 9}}
    plan = made(subnets={"ib0": {"lanes": lanes, "max_vls": 8, "high_limit": 3, "mtu_bytes": 2048}})
    levels = dict(plan.table("service_levels").select("sl", "vl").rows())
    assert (levels[4], levels[2], levels[1]) == (3, 2, 0)
    weights = plan.table("vl_arbitration").select("priority", "vl", "weight").rows()
    assert weights == [("high", 3, 10), ("low", 0, 64), ("low", 2, 9), ("low", 3, 192)]
    assert (settings(plan)["qos_max_vls"], settings(plan)["max_op_vls"], settings(plan)["qos_high_limit"]) == ("8", "4", "3")
    partitions = dict(plan.table("partitions").select("partition", "sl").rows())
    assert partitions == {"compute": 4, "default": 0, "storage": 2}
    assert set(plan.table("partitions")["mtu_bytes"]) == {2048}


def test_without_levels_everything_travels_on_level_0() -> None:
    plan = made(subnets={"ib0": {"qos": False}})
    assert settings(plan)["qos"] == "FALSE" and "qos_sl2vl" not in settings(plan)
    assert plan.table("service_levels").select("sl", "vl").rows() == [(0, 0)]
    assert plan.table("vl_arbitration").is_empty()
    assert set(plan.table("partitions")["sl"]) == {0}


def test_managers_of_the_example(plan: Plan) -> None:
    rows = plan.table("subnet_managers").select("role", "node", "priority").rows()
    assert rows == [("master", "svc:compute-0", 14), ("standby", "svc:compute-1", 10)]


def test_managers_as_named_and_by_display_name() -> None:
    plan = made(subnets={"ib0": {"sm_hosts": ["node0003", "svc:compute-1", "node:0040"], "sm_priorities": [15, 9, 2]}})
    rows = plan.table("subnet_managers").select("role", "port", "priority").rows()
    assert rows == [
        ("master", "node:0003/mlx5_0", 15),
        ("standby", "svc:compute-1/mlx5_0", 9),
        ("standby", "node:0040/mlx5_0", 2),
    ]
    assert entries(plan, "node:0003/mlx5_0") == [0xFFFF, 0x8100]


def test_a_manager_on_a_host_that_is_not_there_is_told() -> None:
    text = refused(subnets={"ib0": {"sm_hosts": ["node0003", "node9999"]}})
    assert text.startswith("PLN-013 subnets.ib0.sm_hosts: node9999 has no port in subnet ib0\n")


def test_without_service_hosts_two_nodes_apart_stand_in_and_it_is_said() -> None:
    plan = made(planes={"compute": {"service_ports": 0}})
    managers = plan.table("subnet_managers")
    nodes = plan.table("nodes").select("node", "rack")
    links = plan.table("links").select("a_device", node="b_device", device="b_nic")
    placed = managers.join(nodes, on="node").join(links, on=["node", "device"])
    assert placed["rack"].n_unique() == 2 and placed["a_device"].n_unique() == 2
    assert any("ib0: no service host is planned" in warning and "(assumed)" in warning for warning in plan.warnings)


def test_ranges_as_dictated_and_others_step_aside() -> None:
    ranges = {"node": {"first": 1000, "last": 2000}, "leaf": {"first": 40, "last": 60}}
    rows = made(subnets={"ib0": {"lid_ranges": ranges}}).table("lid_ranges").sort("first")
    assert rows.select("range", "first", "last").rows() == [
        ("spine", 16, 31),
        ("leaf", 40, 60),
        ("service", 64, 79),
        ("aggregation", 80, 95),
        ("node/su-000", 1000, 1191),
        ("node/su-001", 1192, 1383),
    ]


@pytest.mark.parametrize(
    ("role", "last", "told"),
    [
        ("leaf", 3, "subnets.ib0.lid_ranges.leaf: 1 to 3 holds 3 LIDs"),
        ("node", 100, "subnets.ib0.lid_ranges.node: 1 to 100 holds 100 LIDs"),
    ],
)
def test_a_range_that_is_too_small_is_told(role: str, last: int, told: str) -> None:
    text = refused(subnets={"ib0": {"lid_ranges": {role: {"first": 1, "last": last}}}})
    assert text.startswith(f"PLN-010 {told}") and "room for the growth target included" in text and "or delete it" in text


def test_a_subnet_that_no_plane_is_in_is_told() -> None:
    assert refused(subnets={"ib1": {"lmc": 1}}) == (
        "PLN-014 subnets.ib1: no plane of this plan is in a subnet of that name; there are: ib0\n"
        "  why: what it says would be ignored\n"
        "  fix: did you mean ib0?\n"
        "1 problem"
    )


def test_one_island_may_be_told_apart_but_for_its_lmc() -> None:
    def asked(**subnets: Subnet) -> Requirement:
        return Requirement(name="x", system="dgx-h100", gpus=1024, planes=Planes(compute=Plane(lmc=6)), subnets=subnets)

    plan = make_plan(asked(**{"compute": Subnet(max_vls=4), "compute-i1": Subnet(max_vls=8)}))
    told = {subnet: settings(plan, subnet)["qos_max_vls"] for subnet in ("compute", "compute-i1")}
    assert told == {"compute": "4", "compute-i1": "8"}
    with pytest.raises(ProblemError) as caught:
        make_plan(asked(**{"compute-i1": Subnet(lmc=5)}))
    assert "PLN-014 subnets.compute-i1.lmc: islands and subplanes of compute have one LMC" in caught.value.problems.render()


def test_engines_and_their_reasons() -> None:
    assert settings(made())["routing_engine"] == "ftree"
    assert settings(make_plan(Requirement(name="x", system="dgx-h100", gpus=8)), "storage")["routing_engine"] == "minhop"
    with_lmc = made(subnets={"ib0": {"lmc": 1}})
    assert settings(with_lmc)["routing_engine"] == "minhop"  # hosts on two spines
    assert settings(made("dgx-h100-superpod", subnets={"compute": {"lmc": 1}}), "compute")["routing_engine"] == "updn"
    uneven = made(planes={"compute": {"spine": {"switch": "qm9700", "count": 5}, "service_ports": 0}})
    reason = dict(uneven.table("subnet_settings").select("setting", "reason").rows())["routing_engine"]
    assert settings(uneven)["routing_engine"] == "updn" and "do not divide evenly" in reason
    dictated = made(subnets={"ib0": {"routing_engine": "updn"}})
    row = dictated.table("subnet_settings").row(by_predicate=pl.col("setting") == "routing_engine", named=True)
    assert (row["value"], row["origin"], row["source"]) == ("updn", "declared", "subnets.ib0.routing_engine")
    assert "cn_guid_file" not in settings(dictated) and settings(dictated)["root_guid_file"] == "root_guids"


def test_every_setting_has_a_reason_a_source_and_an_origin(plan: Plan) -> None:
    rows = plan.table("subnet_settings")
    assert set(rows["origin"]) <= {"published", "declared", "derived", "assumed"}
    assert rows.filter((pl.col("reason") == "") | (pl.col("source") == "")).is_empty()
    told = settings(plan)
    assert told["sm_dead_after_ms"] == str(int(told["sminfo_polling_timeout"]) * int(told["polling_retry_number"]))
    assert (told["root_tier"], told["honor_guid2lid_file"], told["sharp"]) == ("spine", "TRUE", "TRUE")
    assert told["separation:storage"] == told["separation:compute"].replace("storage", "compute")
    assert "kept apart by partition" in told["separation:storage"]


def test_times_as_stated() -> None:
    wish = {"polling_timeout_ms": 1000, "polling_retries": 3, "sweep_interval_s": 2, "sharp": False}
    told = settings(made(subnets={"ib0": wish}))
    assert (told["sm_dead_after_ms"], told["sweep_interval"], told["sharp"]) == ("3000", "2", "FALSE")


def test_a_chassis_of_four_asics_has_four_lids_and_no_aggregation_node() -> None:
    plan = made("dgx-b300-xdr")
    leaf = plan.table("switches").filter(pl.col("role") == "leaf", pl.col("plane") == "compute")["switch"].min()
    lids = plan.table("lids").filter(pl.col("device") == leaf).sort("lid")
    assert lids["port"].to_list() == [f"{leaf}#{asic}" for asic in range(4)]
    assert lids["lid"].to_list() == list(range(lids["lid"][0], lids["lid"][0] + 4))
    assert "aggregation" not in plan.table("lid_ranges")["role"].to_list()
