"""ibdiagnet: its tables, its link list, its console."""

from __future__ import annotations

from asbuilt.parsers import ibdiagnet, ibdiagnet_csv, ibdiagnet_lst
from host_transcripts import DB_CSV, IBDIAGNET, LST

LEAF, NODE = "00000000b0000001", "00000000a0000001"


def test_sections_become_tables() -> None:
    tables = ibdiagnet_csv.parse(DB_CSV.encode(), "c").tables
    names = tables["name_facts"].select("guid", "kind", "description", "ports", "port_guid", "system_guid", "line").rows()
    assert names == [
        (LEAF, "switch", "leaf, one", 64, LEAF, LEAF, 3),
        (NODE, "ca", "n1 mlx5_0", 1, "00000000a0000002", "00000000a0000003", 4),
    ]
    wanted = (
        "guid",
        "port",
        "lid",
        "state",
        "phys_state",
        "width",
        "speed",
        "speed_could",
        "mtu_bytes",
        "vls",
        "peer_guid",
        "line",
    )
    ports = tables["port_facts"].select(wanted).rows()
    assert ports == [
        (LEAF, 1, None, "active", "linkup", 4, "NDR", "NDR", 4096, 8, None, 10),
        (LEAF, 2, None, "down", "polling", None, None, "NDR", 4096, 8, None, 11),
        (NODE, 1, 7, "init", "linkup", 1, "HDR", None, 2048, 15, None, 12),
        (LEAF, 1, None, None, None, None, None, None, None, None, NODE, 18),
    ]
    counters = tables["counter_facts"].select("guid", "port", "counter", "value", "line").rows()
    assert counters == [
        (LEAF, 1, "PortXmitData", 99999999999.0, 23),
        (LEAF, 1, "SymbolErrorCounter", 3.0, 23),
        (NODE, 1, "PortXmitData", 5.0, 24),
        (NODE, 1, "QP1Dropped", 0.0, 24),
        (NODE, 1, "SymbolErrorCounter", 16.0, 24),
        (LEAF, 1, "delta:SymbolErrorCounter", 2.0, 29),
    ]
    assert tables["sm_facts"].select("guid", "priority", "state", "activity").rows() == [
        ("00000000a0000002", 14, "master", 1234)
    ]
    modules = tables["module_facts"].select("quantity", "value", "text", "unit").rows()
    assert modules == [
        ("firmware", None, "46.100.1112", ""),
        ("part_number", None, "MMA4Z00-NS", ""),
        ("serial_number", None, "MT1", ""),
        ("temperature_c", 45.0, "45C", "°C"),
        ("vendor", None, "Maker", ""),
    ]
    (complaint,) = tables["sm_log_facts"].to_dicts()
    assert (complaint["code"], complaint["what"], complaint["message"]) == (
        "LINK_DIFFERENT_SPEED",
        "error",
        "one end, another speed",
    )


def test_rows_that_are_not_read_are_told() -> None:
    facts = ibdiagnet_csv.parse(DB_CSV.encode(), "c")
    assert facts.accounts["c"].unread_lines == (
        (5, 'NODES: no GUID that can be read: "anonymised",1,1,1,1,0xhost1,0xhost1,0xhost1'),
        (13, "0xa0000001,0xa0000002,1,7"),
    )
    assert facts.notes == ("c: sections of which nothing is read: PHY_DB12",)


def test_a_file_that_a_full_disk_cut() -> None:
    cut = DB_CSV[: DB_CSV.index("END_PHY_DB12") + 6]
    facts = ibdiagnet_csv.parse(cut.encode(), "c")
    assert facts.notes[1] == "c: section PHY_DB12 has no end: it may be cut"
    assert facts.accounts["c"].unread_lines[-1] == (50, "END_PH")
    whole = ibdiagnet_csv.parse(DB_CSV.rstrip("\n").encode(), "c")
    assert len(whole.notes) == 1, "the last marker is whole without a line end"


def test_both_bits_of_a_speed() -> None:
    """IBTA's base bits stand beside the extended one on an active port; FDR10 has a bit of its own."""
    import polars as pl

    from asbuilt.parsers.ibdiagnet_sections import SPEED_BITS, highest

    masks = [1, 4, 0x804, 0x800, 0x400, 0x10000, 0x1004, 0, None]
    assert highest(pl.Series(masks), SPEED_BITS).to_list() == ["SDR", "QDR", "NDR", "NDR", "HDR", "FDR10", "XDR", None, None]


def test_the_link_list() -> None:
    facts = ibdiagnet_lst.parse(LST.encode(), "c")
    wanted = ("guid", "lid", "port", "kind", "description", "state", "width", "speed", "peer_guid", "peer_port", "line")
    leaf, card = f"{1:016x}", f"{8:016x}"
    assert facts.tables["port_facts"].select(wanted).rows() == [
        (leaf, 2, 31, "switch", "leaf {1}", "active", 4, "QDR", card, 1, 1),
        (card, 3, 1, "ca", "n1 mlx5_0", "init", 1, None, leaf, 31, 2),
    ]
    names = facts.tables["name_facts"].select("guid", "ports", "port_guid", "system_guid").rows()
    assert names == [(leaf, 40, leaf, leaf), (card, 1, f"{9:016x}", f"{9:016x}")]
    assert [text for _, text in facts.accounts["c"].unread_lines] == ["a node without a GUID"]


def test_the_console() -> None:
    facts = ibdiagnet.parse(IBDIAGNET.encode(), "c")
    logged = facts.tables["sm_log_facts"].select("code", "what", "line").rows()
    assert logged == [("E", "duplicate", 9), ("W", "topology", 10), ("W", "error", 11), ("W", "ignored", 12)]
    managers = facts.tables["sm_facts"].select("lid", "guid", "priority", "state").rows()
    assert managers == [(1, "0002c903000000a1", 14, "master")]
    assert facts.notes == ("c: stage Discovery: 2 errors, 1 warnings",)
    assert facts.accounts["c"].unread == 0


def test_prose_is_not_taken_for_progress() -> None:
    facts = ibdiagnet.parse(b"this is a letter\n-I- Discovering ... 2 nodes\nand goes on\n", "c")
    assert [n for n, _ in facts.accounts["c"].unread_lines] == [1, 3]


def test_words_that_look_like_numbers_stay_words() -> None:
    text = (
        "START_NODES\nNodeGUID,NodeDesc\n0x1,7\nEND_NODES\nSTART_CABLE_INFO\nNodeGuid,PortNum,PN,SN\n0x1,1,123,007\nEND_CABLE_INFO\n"
        "START_WARNINGS_LINKS_CHECK\nEventName,Summary\n1,2\nEND_WARNINGS_LINKS_CHECK\n"
        "START_PM_INFO\nNodeGUID,PortNumber,SymbolErrorCounter,Odd\n0x1,1,3,1e400\n0x1,2,N/A,-1\nEND_PM_INFO\n"
    )
    facts = ibdiagnet_csv.parse(text.encode(), "c")
    assert facts.tables["module_facts"]["text"].to_list() == ["123", "007"]
    assert facts.tables["sm_log_facts"]["code"].to_list() == ["1"]
    assert facts.tables["name_facts"]["description"].to_list() == ["7"]
    assert facts.tables["counter_facts"].select("counter", "value").rows() == [("SymbolErrorCounter", 3.0)], (
        "no counter is negative"
    )
    assert facts.accounts["c"].balanced and facts.accounts["c"].unread == 0
