"""RDMA over Ethernet as hosts and switches answer: mlnx_qos, cma_roce_tos, NVUE, SONiC, state of interfaces."""

from __future__ import annotations

import json
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.parsers import cma_roce_tos, interface_status, mlnx_qos, nvue_qos, sonic_config, unproven
from asbuilt.parsers.tools import TOOLS
from host_transcripts import CMA, INTERFACES, IP_JSON, MLNX_QOS, NVUE, SONIC

Key = tuple[str | None, str, int | None]


def settings(facts: Facts, device: str) -> dict[Key, Any]:
    """(interface, setting, index) -> value or text of one device."""
    rows = facts.tables["roce_facts"].to_dicts()
    return {
        (r["interface"], r["setting"], r["index"]): r["text"] if r["value"] is None else r["value"]
        for r in rows
        if r["device"] == device
    }


def interfaces(facts: Facts) -> list[tuple[Any, ...]]:
    wanted = ("device", "side", "interface", "alias", "admin", "oper", "speed_gbps", "mtu_bytes", "lanes", "fec", "configured")
    return facts.tables["interface_facts"].select(wanted).rows()


def test_mlnx_qos() -> None:
    facts = mlnx_qos.parse(MLNX_QOS.encode(), "c")
    said = settings(facts, "node1")
    assert said["eth2", "trust", None] == "dscp" and said["eth3", "trust", None] == "pcp"
    assert [said["eth2", "pfc", p] for p in range(8)] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert said["eth2", "dscp_to_priority", 26] == 3 and said["eth2", "dscp_to_priority", 7] == 0
    assert said["eth2", "buffer_bytes", 1] == 156096 and said["eth2", "priority_to_buffer", 3] == 1
    assert said["eth2", "cable_length_m", None] == 7
    assert (said["eth2", "tc_algorithm", 0], said["eth2", "tc_algorithm", 3]) == ("vendor", "ets")
    assert said["eth2", "tc_bandwidth_percent", 3] == 50 and said["eth2", "tc_limit_gbps", 3] == 10.5
    assert ("eth2", "tc_limit_gbps", 0) not in said, "an unlimited class has no limit"
    assert said["eth2", "priority_to_tc", 3] == 3
    assert settings(facts, "node2") == settings(facts, "node3") == {("eth2", "trust", None): "dscp"}
    assert facts.accounts["c"].unread == 0
    assert set(facts.tables["roce_facts"]["side"]) == {"host"}


def test_an_interface_that_only_the_subject_tells() -> None:
    text = b"Priority trust state: dscp\n"
    for subject, device, interface in (("node1/eth2", "node1", "eth2"), ("node1", "node1", None), ("", None, None)):
        (row,) = mlnx_qos.parse(text, "c", subject).tables["roce_facts"].to_dicts()
        assert (row["device"], row["interface"]) == (device, interface)


def test_priorities_belong_to_the_class_before_them() -> None:
    text = b"tc: 3 ratelimit: unlimited, tsa: strict\n\t priority:  5\nCable len: 7\n\t priority:  6\n"
    facts = mlnx_qos.parse(text, "c", "n/e")
    assert settings(facts, "n")["e", "priority_to_tc", 5] == 3
    assert facts.accounts["c"].unread_lines == ((4, "priority:  6"),)


def test_cma_roce_tos() -> None:
    facts = cma_roce_tos.parse(CMA.encode(), "c")
    assert settings(facts, "node0003") == {
        ("mlx5_2", "cma_tos", 1): 106,
        ("mlx5_2", "cma_dscp", 1): 26,
        ("mlx5_3", "cma_tos", 1): 0,
    }
    assert facts.accounts["c"].unread_lines == ((6, "300"),)


def test_nvue_one_interface_all_interfaces_and_the_whole_switch() -> None:
    facts = nvue_qos.parse(NVUE.encode(), "c")
    said = settings(facts, "leaf01")
    assert said["swp1", "trust", None] == "dscp" and said["swp1", "dscp_to_priority", 26] == 3
    assert ("swp1", "dscp_to_priority", 99) not in said, "there is no code point 99"
    assert [said["swp1", "pfc", p] for p in range(8)] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert (said["swp1", "ecn", 3], said["swp1", "ecn_min_bytes", 3]) == (1, 146.48 * 1024)
    assert said["swp1", "ecn_max_bytes", 3] == 1.43 * (1 << 20) and said["swp1", "ecn_probability_percent", 3] == 100
    assert said["swp1", "tc_algorithm", 3] == "ets" and said["swp1", "cable_length_m", None] == 5
    assert said[None, "roce_mode", None] == "lossless" and said[None, "trust", None] == "both"
    assert [said[None, "ecn", tc] for tc in range(8)] == [1, 0, 0, 1, 0, 0, 0, 0]
    assert said[None, "dscp_to_priority", 26] == 3 and said[None, "priority_to_tc", 3] == 3
    assert [said["swp3", "pfc", p] for p in range(8)] == [0] * 8, "the interface is in the command alone"
    assert interfaces(facts) == [
        ("leaf01", "switch", "swp1", None, "up", "up", 400.0, 9216, None, "rs", False),
        ("leaf01", "switch", "swp2", None, "up", "down", None, 1500, None, None, False),
    ]
    assert facts.accounts["c"].unread == 0


def test_pfc_that_is_on_in_one_direction_is_not_on() -> None:
    text = json.dumps({"pfc": {"rx": "enable", "tx": "disable", "switch-priority": [3]}}).encode()
    facts = nvue_qos.parse(text, "c", "leaf/swp1")
    assert settings(facts, "leaf")["swp1", "pfc", 3] == 0
    assert facts.tables["roce_facts"]["text"][3] == "rx enable,tx disable"


def test_pfc_that_names_no_priority_says_nothing() -> None:
    text = json.dumps({"pfc": {"rx": "enable", "tx": "enable"}}).encode()
    assert nvue_qos.parse(text, "c", "leaf/swp1").tables == {}


def test_a_cut_document_gives_nothing_from_inside() -> None:
    text = NVUE[: NVUE.index('"swp2"')] + '\n{"trust": {"trust-mode": "dscp"}}\n'
    facts = nvue_qos.parse(text.encode(), "c")
    assert facts.tables == {} and facts.accounts["c"].facts == 0
    assert facts.accounts["c"].unread_lines[0] == (2, "no whole JSON from here to the next prompt")


def test_sonic() -> None:
    facts = sonic_config.parse(SONIC.encode(), "c", "not-me")
    said = settings(facts, "leaf-7")
    for port in ("Ethernet0", "Ethernet4"):
        assert [said[port, "pfc", p] for p in range(8)] == [0, 0, 0, 1, 1, 0, 0, 0]
        assert said[port, "trust", None] == "dscp"
        assert (said[port, "ecn", 3], said[port, "ecn_min_bytes", 3], said[port, "ecn_max_bytes", 4]) == (1, 250000, 1000000)
        assert said[port, "ecn_probability_percent", 3] == 5 and said[port, "tc_bandwidth_percent", 4] == 15
    assert said["Ethernet0", "ecn", 0] == 0 and said["Ethernet0", "tc_algorithm", 0] == "strict"
    assert ("Ethernet4", "ecn", 1) not in said, "a profile that is not there says nothing"
    assert said[None, "dscp_to_priority", 26] == 3 and said[None, "priority_to_tc", 3] == 3, "one map on every port"
    assert (None, "dscp_to_priority", 70) not in said
    assert (said["Ethernet0", "xoff_bytes", 3], said["Ethernet0", "buffer_bytes", 4]) == (160000, 18432)
    assert said["Ethernet0", "cable_length_m", None] == 5
    assert interfaces(facts) == [
        ("leaf-7", "switch", "Ethernet0", "etp1", "up", None, 400.0, 9100, 4, "rs", True),
        ("leaf-7", "switch", "Ethernet4", None, None, None, 400.0, 9100, 4, None, True),
    ]
    assert facts.accounts["c"].unread == 0


def test_sonic_maps_of_some_ports_are_written_for_them() -> None:
    document = json.loads(SONIC)
    document["PORT_QOS_MAP"] = {"Ethernet0": {"dscp_to_tc_map": "AZURE"}}
    said = settings(sonic_config.parse(json.dumps(document).encode(), "c"), "leaf-7")
    assert said["Ethernet0", "dscp_to_priority", 26] == 3
    assert not any(interface is None for interface, *_ in said)


def test_sonic_that_is_cut() -> None:
    facts = sonic_config.parse(SONIC[:-2].encode(), "c")
    assert facts.tables == {} and facts.accounts["c"].unread == 1


def test_state_of_interfaces() -> None:
    facts = interface_status.parse(INTERFACES.encode(), "c")
    assert interfaces(facts) == [
        ("leaf-7", "switch", "Ethernet0", "etp1", "up", "up", 200.0, 9100, 4, "rs", False),
        ("leaf-7", "switch", "Ethernet4", "etp2", "up", "down", 400.0, 9100, 4, None, False),
        ("node1", "host", "lo", None, "up", None, None, 65536, None, None, False),
        ("node1", "host", "eth2", None, "up", "up", None, 4200, None, None, False),
    ]
    assert [n for n, _ in facts.accounts["c"].unread_lines] == [6], "a row without its last cells"
    as_json = interface_status.parse(IP_JSON.encode(), "c", "node1")
    assert [(r[1], r[2], r[4], r[5], r[7]) for r in interfaces(as_json)] == [
        ("host", "eth2", "up", "up", 4200),
        ("switch", "swp1", "down", None, 9216),
    ]


def test_json_of_a_switch_is_read_by_either_name() -> None:
    one, two = nvue_qos.parse(NVUE.encode(), "c"), interface_status.parse(NVUE.encode(), "c")
    assert one.tables["interface_facts"].equals(two.tables["interface_facts"])


def test_formats_without_a_real_sample_are_named_after_tools() -> None:
    assert set(unproven.NO_REAL_SAMPLE) <= set(TOOLS) and set(unproven.PARTLY) <= set(TOOLS)
    assert not set(unproven.NO_REAL_SAMPLE) & set(unproven.PARTLY)
