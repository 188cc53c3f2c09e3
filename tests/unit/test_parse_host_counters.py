"""Counters and modules: perfquery, ibqueryerrors, ethtool -S, mlxlink."""

from __future__ import annotations

import json

from asbuilt.parsers import ethtool_stats, ibqueryerrors, mlxconfig, mlxlink, perfquery
from host_transcripts import ETHTOOL, IBQUERYERRORS, MLXCONFIG, MLXLINK, PERFQUERY


def test_perfquery_block_by_block() -> None:
    facts = perfquery.parse(PERFQUERY.encode(), "c")
    rows = facts.tables["counter_facts"].drop("capture_id").rows()
    asked, at = "0002c903000d7aac", "2026-01-31T12:00:00Z"
    assert rows == [
        (asked, 133, 33, None, None, "PortXmitData", 37108676853855.0, at, 6),
        (asked, 133, 33, None, None, "PortRcvData", 18446744073709551615.0, at, 7),
        (asked, 133, 33, None, None, "SymbolErrorCounter", 3.0, at, 8),
        (asked, 133, 33, None, None, "QP1Dropped", 0.0, at, 9),
        (None, 12, 1, None, None, "LinkDownedCounter", 2.0, at, 14),
        (None, 12, 1, None, None, "PortXmitDiscards", 31.0, at, 15),
        (None, 9, 1, "node0003", "mlx5_1", "PortLocalPhysicalErrors", 7.0, "2026-01-31T13:00:00+00:00", 21),
    ]
    assert facts.accounts["c"].unread_lines == ((16, "ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (Lid 12)"),)


def test_the_subject_may_be_the_port_or_the_host() -> None:
    text = b"# Port counters: Lid 4 port 33 (CapMask: 0x1300)\nLinkDownedCounter:...............1\n"
    for subject, guid, host, time in (
        ("0x506b4b0300cc02a6", "506b4b0300cc02a6", None, None),
        ("0x506b4b0300cc02a6@2026-01-31T12:00:00Z", "506b4b0300cc02a6", None, "2026-01-31T12:00:00Z"),
        ("node7", None, "node7", None),
        ("", None, None, None),
    ):
        (row,) = perfquery.parse(text, "c", subject).tables["counter_facts"].to_dicts()
        assert (row["guid"], row["host"], row["time"]) == (guid, host, time), subject
        assert (row["lid"], row["port"], row["value"]) == (4, 33, 1.0)


def test_a_timeout_is_no_zero() -> None:
    facts = perfquery.parse(b"", "c", "0x506b4b0300cc02a6")
    assert facts.tables == {} and facts.accounts["c"].total == 0


def test_a_value_that_may_go_on_is_not_read() -> None:
    facts = perfquery.parse(b"# Port counters: Lid 4 port 33\nLinkDownedCounter:...............12", "c")
    assert facts.tables == {} and facts.accounts["c"].unread == 1


def test_a_counter_without_its_header_belongs_to_nobody() -> None:
    text = b"LinkDownedCounter:...............12\n$ perfquery 4 1\nLinkDownedCounter:...............12\n"
    assert perfquery.parse(text, "c").accounts["c"].unread == 2


def test_ibqueryerrors_lists_bad_ports_only() -> None:
    facts = ibqueryerrors.parse(IBQUERYERRORS.encode(), "c")
    counters = facts.tables["counter_facts"].select("guid", "port", "counter", "value", "line").rows()
    assert counters == [
        ("0000000000200002", 33, "LinkDownedCounter", 3.0, 3),
        ("0000000000200002", 33, "PortXmitData", 26254.0, 3),
        ("0000000000200002", 33, "SymbolErrorCounter", 250.0, 3),
        ("0002c90300000001", 1, "PortRcvErrors", 12.0, 6),
    ]
    names = facts.tables["name_facts"].select("guid", "description").rows()
    assert names == [("0000000000200002", "leaf-r1"), (None, "node0001 mlx5_0")]
    assert facts.accounts["c"].unread == 0 and facts.accounts["c"].facts == 4


def test_a_clean_summary_is_an_answer_without_facts() -> None:
    text = b"\n## Summary: 16 nodes checked, 0 bad nodes found\n##          226 ports checked, 0 ports have errors\n"
    facts = ibqueryerrors.parse(text, "c")
    assert facts.tables == {} and facts.accounts["c"].unread == 0 and ibqueryerrors.sniff(text)


def test_ethtool_keeps_what_tells() -> None:
    facts = ethtool_stats.parse(ETHTOOL.encode(), "c")
    rows = facts.tables["counter_facts"].select("host", "device", "counter", "value", "line").rows()
    assert rows == [
        ("node1", "eth2", "rx_prio3_pause", 5.0, 3),
        ("node1", "eth2", "tx_prio3_pause", 0.0, 4),
        ("node1", "eth2", "rx_discards_phy", 12.0, 5),
    ]
    assert facts.accounts["c"].ignorable == 4 and facts.accounts["c"].unread == 0


def test_mlxlink_by_device() -> None:
    facts = mlxlink.parse(MLXLINK.encode(), "c")
    frame = facts.tables["module_facts"]
    assert set(frame["host"]) == {"node0003"} and facts.accounts["c"].unread == 0
    said = {(r["device"], r["quantity"], r["lane"]): (r["value"], r["text"], r["unit"]) for r in frame.to_dicts()}
    assert said["mlx5_4", "state", None] == (None, "Active", ""), "without its colours"
    assert said["mlx5_5", "state", None] == (None, "Polling", "")
    assert said["mlx5_4", "temperature_c", None] == (49.0, "49", "°C")
    assert said["mlx5_4", "temperature_c_max", None] == (80.0, "80", "°C")
    assert [said["mlx5_4", "rx_power_dbm", lane][0] for lane in (1, 2, 3, 4)] == [1.945, 1.892, -2.167, 2.025]
    assert said["mlx5_4", "rx_power_dbm_min", None] == (-5.003, "-5.003", "dBm")
    assert said["mlx5_4", "raw_ber", None] == (2e-9, "2E-9", "1")
    assert said["mlx5_4", "effective_ber", None] == (1.5e-254, "15E-255", "1")
    assert said["mlx5_4", "symbol_ber", None] == (None, "N/A", "1"), "not available is no number"
    assert said["mlx5_4", "raw_errors", 2] == (None, "N/A", "1")
    assert said["mlx5_4", "fec_bin", 0] == (5836219047.0, "[0:0]", "1")
    assert said["mlx5_4", "fec_bin", 1] == (42.0, "[1:1]", "1")
    assert said["mlx5_4", "firmware", None] == (None, "46.100.1112", "")
    assert said["mlx5_4", "tx_los_per_lane", 4] == (0.0, "0", "")


def test_mlxlink_as_json() -> None:
    sections = {
        "Operational Info": {"State": "Active", "Speed": "IB-EDR"},
        "Supported Info": {"Enabled Link Speed": {"mask": "0x0000003f", "values": ["EDR", "FDR"]}},
        "Physical Counters and BER Info": {"Raw Physical BER": "2E-9", "Raw Physical Errors Per Lane": {"values": ["0", "1"]}},
        "Odd": {"x": None},
    }
    text = json.dumps({"result": {"output": sections}}).encode()
    facts = mlxlink.parse(text, "c", "node1/mlx5_0")
    rows = facts.tables["module_facts"].select("host", "device", "quantity", "lane", "value", "text").rows()
    assert rows == [
        ("node1", "mlx5_0", "state", None, None, "Active"),
        ("node1", "mlx5_0", "speed", None, None, "IB-EDR"),
        ("node1", "mlx5_0", "enabled_link_speed", None, None, "EDR,FDR"),
        ("node1", "mlx5_0", "raw_ber", None, 2e-9, "2E-9"),
        ("node1", "mlx5_0", "raw_errors", 1, 0.0, "0"),
        ("node1", "mlx5_0", "raw_errors", 2, 1.0, "1"),
    ]
    account = facts.accounts["c"]
    assert (account.total, account.facts, account.unread) == (6, 5, 1)
    cut = mlxlink.parse(text[:-9], "c", "node1/mlx5_0")
    assert cut.tables == {} and cut.accounts["c"].unread == 1 and "not whole JSON" in cut.notes[0]


def test_mlxconfig_tells_what_ports_are_told_to_be() -> None:
    facts = mlxconfig.parse(MLXCONFIG.encode(), "c")
    rows = facts.tables["module_facts"].select("host", "device", "port", "quantity", "text", "line").rows()
    first, second = "/dev/mst/mt4129_pciconf0", "/dev/mst/mt4129_pciconf1"
    assert rows == [
        ("node01", first, 1, "link_type_current", "ethernet", 13),
        ("node01", first, 1, "link_type_default", "ethernet", 13),
        ("node01", first, 1, "link_type_next_boot", "infiniband", 13),
        ("node01", second, 1, "link_type", "infiniband", 16),
        ("node01", second, 2, "link_type", "vpi", 17),
    ]
    assert facts.accounts["c"].unread == 0
