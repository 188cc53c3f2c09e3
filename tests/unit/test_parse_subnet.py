"""What the parsers of the fabric's tools make of texts with the quirks of real captures: values, owners, accounts."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import subnet_texts as texts
from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.shapes import HEX, TAIL, shape_text, shapes
from asbuilt.parsers.sniff import told
from asbuilt.parsers.tools import TOOLS
from asbuilt.workflow.captures import facts_of, tool_of

SCHEMAS = {schema.name: schema for schema in FACT_TABLES}


def read(tool: str, text: str, subject: str = "") -> Facts:
    facts = TOOLS[tool].parser().parse(text.encode(), "c", subject)
    assert facts.accounts["c"].balanced
    for name, table in facts.tables.items():
        assert SCHEMAS[name].faults(table) == [], name
    return facts


def rows(facts: Facts, table: str, *columns: str) -> list[tuple[Any, ...]]:
    return facts.tables[table].select(columns).rows()


def account(facts: Facts) -> tuple[int, int, int, int]:
    a = facts.accounts["c"]
    return a.total, a.facts, a.ignorable, a.unread


def test_partition_tables_belong_to_the_port_that_was_asked() -> None:
    facts = read("smpquery", texts.SMPQUERY)
    assert rows(facts, "pkey_facts", "guid", "lid", "port", "index", "entry", "line") == [
        ("0c42a10300bb0009", None, 1, 0, 0x7FFF, 3),
        ("0c42a10300bb0009", None, 1, 1, 0x8100, 3),
        (None, 12, 3, 0, 0x7FFF, 8),
        (None, 13, 1, None, 0, 13),
    ]
    assert account(facts) == (80, 38, 42, 0)
    assert facts.notes == ("c: 1 lines of this capture say that a query failed",)


def test_a_cut_table_of_zeros_is_not_said_to_be_empty() -> None:
    whole = texts.pkey_table("")
    assert rows(read("smpquery", whole), "pkey_facts", "index", "entry") == [(None, 0)]
    assert "pkey_facts" not in read("smpquery", whole[: whole.rindex("16 pkeys")]).tables


@pytest.mark.parametrize(
    ("subject", "who"),
    [
        ("guid:0xc42a10300bb0009/1", ("0c42a10300bb0009", None, 1)),
        ("lid:12/3", (None, 12, 3)),
        ("lid:12", (None, 12, None)),
        ("name:leaf-1", (None, None, None)),
        ("", (None, None, None)),
    ],
)
def test_without_a_prompt_the_subject_names_the_port(subject: str, who: tuple[Any, ...]) -> None:
    facts = read("smpquery", texts.pkey_table("0xffff"), subject)
    assert rows(facts, "pkey_facts", "guid", "lid", "port") == [who]


def test_a_line_that_nobody_can_read_ends_what_stands_above_it() -> None:
    text = "$ smpquery pkeys 12 1\n" + texts.pkey_table("0x7fff") + "smpqu�ery pkeys 13 1\n" + texts.pkey_table("0x8200")
    facts = read("smpquery", text)
    assert rows(facts, "pkey_facts", "lid", "entry") == [(12, 0x7FFF), (None, 0x8200)]
    assert facts.accounts["c"].unread == 1


def test_lanes_and_arbitration() -> None:
    facts = read("smpquery", texts.SMPQUERY)
    plain = "0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,15"
    assert rows(facts, "sl2vl_facts", "lid", "port", "in_port", "lanes") == [
        (7, 5, 0, plain),
        (7, 5, 12, "0,1,1,1" + plain[7:]),
    ]
    assert rows(facts, "vlarb_facts", "lid", "port", "priority", "index", "vl", "weight") == [
        (7, 5, "low", 0, 0, 0x40), (7, 5, "low", 1, 1, 0xC0), (7, 5, "low", 2, 0, 0), (7, 5, "low", 3, 0, 0),
        (7, 5, "high", 0, 1, 0xFF), (7, 5, "high", 1, 2, 8), (7, 5, "high", 2, 0, 0), (7, 5, "high", 3, 0, 0),
    ]  # fmt: skip


def test_port_records() -> None:
    facts = read("smpquery", texts.SMPQUERY)
    columns = (
        "guid",
        "lid",
        "port",
        "state",
        "phys_state",
        "width",
        "speed",
        "mtu_bytes",
        "lmc",
        "sm_lid",
        "vls",
        "high_limit",
    )
    assert rows(facts, "port_facts", *columns) == [
        (None, 7, 2, "down", "polling", 4, "QDR", 4096, 0, 3, 4, 4),
        ("0c42a10300bb0009", 31, 1, "active", "linkup", 4, "NDR", 4096, 0, 3, 4, 4),
    ]


def test_ten_gbps_alone_do_not_tell_the_speed() -> None:
    """A port at HDR says 10.0 Gbps too: an excerpt without the extended speed leaves it open."""
    alone, slow = "LinkSpeedActive:....10.0 Gbps\n", "LinkSpeedActive:....2.5 Gbps\n"
    assert read("smpquery", alone).tables["port_facts"]["speed"].to_list() == [None]
    told_ = read("smpquery", alone + "LinkSpeedExtActive:....No Extended Speed\n" + slow)
    assert told_.tables["port_facts"]["speed"].to_list() == ["QDR", "SDR"]


def test_a_key_that_comes_again_is_another_port() -> None:
    text = "SMLid:....3\nLinkState:....Active\nSMLid:....4\nLinkState:....Initialize\n"
    assert rows(read("smpquery", text), "port_facts", "sm_lid", "state", "line") == [(3, "active", 1), (4, "init", 3)]


def test_node_records_and_descriptions() -> None:
    facts = read("smpquery", texts.SMPQUERY)
    assert rows(facts, "name_facts", "guid", "lid", "kind", "description", "ports", "system_guid") == [
        ("0c42a10300aa0008", 7, "switch", None, 64, "0c42a10300aa0000"),
        ("0c42a10300bb0009", None, None, 'gpu 007 "x" mlx5_0', None, None),
    ]


def test_forwarding_tables_of_every_layout() -> None:
    facts = read("ibroute", texts.LFT)
    assert rows(facts, "lft_facts", "guid", "lid", "target", "out_port", "line") == [
        ("0c42a10300aa0008", None, 0, 255, 5),
        ("0c42a10300aa0008", None, 1, 30, 6),
        ("0c42a10300aa0008", None, 16, 0, 7),
        ("0c42a10300aa0018", 9, 1, 7, 10),
        ("0c42a10300aa0028", None, 1, 64, 14),
        ("0c42a10300aa0028", None, 2, 255, 15),
        ("0c42a10300aa0038", 11, 5, 12, 17),
    ]
    assert account(facts) == (18, 7, 11, 0)


def test_a_table_without_its_heading_is_of_the_switch_that_was_asked() -> None:
    text = "[root@sm-1-2-3 ~]# ibroute -G 0x0c42a10300aa0008\n0x0001 030 : (x)\n$ ibroute 12\n0x0001 031\n"
    assert rows(read("ibroute", text), "lft_facts", "guid", "lid", "out_port") == [
        ("0c42a10300aa0008", None, 30),
        (None, 12, 31),
    ]


def test_a_spoilt_heading_gives_its_rows_to_nobody() -> None:
    text = texts.LFT.replace("dump_ucast_routes: Switch 0x0c", "dump_ucast_routes: Switch 0xzz0c")
    facts = read("ibroute", text)
    assert rows(facts, "lft_facts", "guid", "line")[4:6] == [(None, 14), (None, 15)]
    assert facts.accounts["c"].unread == 1


@pytest.mark.parametrize("line", ["0x10001 001 : (x)", "0x0001 256 : (x)", "0x0001 : (x)", "1 001 : (x)", "0x0001 -01"])
def test_what_can_be_no_route_is_unread(line: str) -> None:
    facts = read("ibroute", line + "\n")
    assert facts.tables == {} and facts.accounts["c"].unread_lines == ((1, line),)


def test_links_by_node() -> None:
    facts = read("iblinkinfo", texts.LINKS)
    columns = ("guid", "port_guid", "kind", "lid", "port", "state", "phys_state", "width", "speed")
    switch = ("0c42a10300aa0008", None, "switch", 7)
    assert rows(facts, "port_facts", *columns) == [
        (None, "0c42a10300bb0009", "ca", 31, 1, "active", "linkup", 4, "NDR"),
        (*switch, 11, "active", "linkup", 4, "NDR"),
        (*switch, 12, "init", "linkup", 2, "EDR"),
        (*switch, 13, "down", "polling", None, None),
        (*switch, 14, "down", "disabled", None, None),
        (*switch, 15, "init", "linkup", 4, "HDR"),
    ]
    assert rows(
        facts, "port_facts", "description", "peer_lid", "peer_port", "peer_description", "width_could", "speed_could"
    ) == [
        ("gpu007 mlx5_0", 7, 11, 'leaf "1" (a)', None, None),
        ('leaf "1" (a)', 31, 1, "gpu007 mlx5_0", None, None),
        ('leaf "1" (a)', 8, 3, "x", 4, "NDR"),
        ('leaf "1" (a)', None, None, None, None, None),
        ('leaf "1" (a)', None, None, None, None, None),
        ('leaf "1" (a)', 9, 1, "spine-1", 12, None),
    ]
    assert account(facts) == (8, 6, 2, 0)


def test_links_one_a_line() -> None:
    facts = read("iblinkinfo", texts.LINE_MODE)
    assert rows(
        facts, "port_facts", "guid", "description", "lid", "port", "state", "peer_guid", "peer_lid", "peer_description"
    ) == [
        ("0c42a10300bb0009", "gpu007 mlx5_0", 31, 1, "active", "0c42a10300aa0008", 7, "leaf-1"),
        ("0c42a10300aa0008", "leaf-1", 7, 12, "down", None, None, None),
    ]


def test_managers_and_the_form_of_ufm() -> None:
    facts = read("sminfo", texts.SMINFO)
    assert rows(facts, "sm_facts", "lid", "guid", "priority", "state", "activity") == [
        (3, "0042a10300cc0001", 14, "master", 347),
        (4, "0c42a10300cc0011", 10, "standby", 12),
        (5, "0002a10300cc0021", 15, "master", None),
    ]
    assert account(facts) == (9, 3, 6, 0)


def test_words_of_the_log() -> None:
    facts = read("opensm-log", texts.LOG)
    assert rows(facts, "sm_log_facts", "what", "code", "line") == [
        ("handover", "DISCOVERING", 1),
        ("handover", "MASTER", 2),
        ("ignored", "PARSE ERROR", 3),
        ("ignored", "AC14", 4),
        ("topology", "AB0D", 5),
        ("fallback", "Failed to setup routing engine", 6),
        ("routing", "minhop", 7),
        ("duplicate", "0D01", 8),
        ("trap", "65", 10),
        ("subnet_up", "SUBNET UP", 11),
        ("error", "4608", 12),
    ]
    assert facts.tables["sm_log_facts"]["time"][9] == "Nov 30 18:28:21 309084"
    assert facts.accounts["c"].unread_lines == ((14, "nothing that a manager says"),)


def test_words_that_opensm_prints() -> None:
    facts = read("opensm-log", texts.PRINTED)
    assert rows(facts, "sm_log_facts", "what", "code", "time") == [
        ("ignored", "Unrecognized token", None),
        ("ignored", "Warning", None),
        ("handover", "MASTER", None),
        ("subnet_up", "SUBNET UP", None),
    ]
    assert facts.accounts["c"].unread == 0


def test_lists_of_nodes() -> None:
    assert rows(read("ibnodes", texts.LISTS), "name_facts", "guid", "kind", "description", "ports", "lid") == [
        ("0c42a10300bb0008", "ca", "gpu007 mlx5_0", 2, None),
        ("0c42a10300bb0018", "ca", 'a "quoted" name', 1, None),
        ("0c42a10300aa0008", "switch", "MF0;leaf-1:MQM9700/U1", 64, 7),
        ("0c42a10300aa0018", "switch", "old one", 36, 2),
    ]


def test_traced_routes_hop_by_hop() -> None:
    facts = read("ibtracert", texts.TRACE)
    assert rows(facts, "path_facts", "from_lid", "to_lid", "hop", "guid", "in_port", "out_port") == [
        (31, 32, 0, "0c42a10300bb0008", None, 1),
        (31, 32, 1, "0c42a10300aa0008", 11, 33),
        (31, 32, 2, "0c42a10300aa0018", 2, 3),
        (31, 32, 3, "0c42a10300bb0019", 1, None),
        (None, None, 0, "0c42a10300aa0018", None, 2),
        (None, None, 1, "0c42a10300aa0008", 33, None),
    ]


def test_records_of_the_administrator() -> None:
    facts = read("saquery", texts.SAQUERY)
    assert rows(facts, "name_facts", "guid", "lid", "port", "kind", "description", "port_guid") == [
        ("0c42a10300bb0008", 31, 1, "ca", "gpu007 mlx5_0", "0c42a10300bb0009"),
        (None, 31, None, None, "gpu007 mlx5_0", None),
    ]
    assert rows(facts, "port_facts", "lid", "port", "peer_lid", "peer_port") == [(31, 1, 7, 11)]
    assert rows(facts, "path_facts", "from_lid", "to_lid", "pkey", "sl", "mtu_bytes", "rate_gbps") == [
        (31, 32, 0x8100, 1, 4096, 200.0)
    ]
    assert rows(facts, "pkey_facts", "lid", "port", "index", "entry") == [(7, 11, 41, 0x8100)]
    assert rows(facts, "sl2vl_facts", "lid", "port", "in_port") == [(7, 5, 2)]
    assert rows(facts, "vlarb_facts", "priority", "index", "vl", "weight")[:3] == [
        ("high", 0, 1, 255),
        ("high", 1, 2, 8),
        ("high", 2, 0, 0),
    ]
    assert rows(facts, "sm_facts", "lid", "state", "priority", "listed") == [
        (3, "master", 14, False),
        (3, "master", None, True),
        (4, "standby", None, True),
        (5, "notactive", None, True),
    ]
    assert account(facts) == (84, 49, 35, 0)


@pytest.mark.parametrize(("line", "table"), [("\t\tVL: 0|", "sl2vl_facts"), ("\t\tWeight:255|", "vlarb_facts")])
@pytest.mark.parametrize("gone", [1, 2])
def test_a_row_of_the_administrator_that_ends_in_a_number_may_be_cut(line: str, table: str, gone: int) -> None:
    """`15|` cut to `15` or `1`: the bar behind the last number is what says that the number is whole."""
    at = texts.SAQUERY.index(line)
    end = texts.SAQUERY.index("\n", at)
    cut = read("saquery", texts.SAQUERY[: end - gone])
    assert table not in cut.tables and account(cut)[3] == 1
    assert read("saquery", texts.SAQUERY[:end]).tables[table].equals(read("saquery", texts.SAQUERY).tables[table])


def test_each_text_is_told_from_every_other() -> None:
    for tool, text in texts.TEXTS.items():
        capture = Capture("c", text.encode())
        assert TOOLS[tool_of(capture)].module == TOOLS[tool].module
        assert told(text.encode()) != "no tool that we know writes this", tool


def test_captures_of_many_tools_are_one_set_of_facts() -> None:
    captures = [Capture(tool, text.encode(), tool) for tool, text in texts.TEXTS.items()]
    facts = facts_of(captures)
    assert set(facts.tables["port_facts"]["capture_id"]) == {"smpquery", "iblinkinfo", "saquery"}
    assert facts.tables["sm_facts"].height == 7 and len(facts.accounts) == len(captures)
    assert not [key for key in facts.details if key.startswith("unread:")]


def test_windows_text_reads_alike() -> None:
    for tool, text in texts.TEXTS.items():
        plain, windows = read(tool, text), read(tool, text.replace("\n", "\r\n"))
        wide = TOOLS[tool].parser().parse(b"\xff\xfe" + text.encode("utf-16-le"), "c")
        for name, table in plain.tables.items():
            assert table.equals(windows.tables[name]), (tool, name)
            assert table.equals(wide.tables[name]), (tool, name)


def test_a_line_past_a_mebibyte_is_unread() -> None:
    for tool, text in texts.TEXTS.items():
        facts = read(tool, text + "x" * ((1 << 20) + 1) + "\n" + text)
        assert facts.accounts["c"].unread == 1 + 2 * read(tool, text).accounts["c"].unread


def test_shapes() -> None:
    assert shape_text(b"  gpu007  0x1f 0xZ 12ab\t\r") == ("gpu\1 \2 \1xZ \1ab", [(5, 8), (10, 14), (15, 16), (19, 21)])
    assert shape_text(b"1234567890123456789 0x12345678901234567")[0] == "\3 \1x\1"
    assert shape_text(b"0x0001 030 : (a 7 b)", 2, short=True)[0] == f"{HEX} \1{TAIL}:)"
    found = shapes(b"a 1 b\na  22  b\n\nc\na 3 b")
    assert found.shape.tolist() == [0, 0, 1, 2, 0] and found.cut
    assert found.number(pl.Series([0, 1, 4]).to_numpy(), 0).tolist() == [1, 22, 3]
