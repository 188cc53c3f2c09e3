"""The dump parser: grammar, quirks of terminals and versions, the line account, and both kernels alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator

import polars as pl
import pytest

from asbuilt.base.kernel import Engine
from asbuilt.model.discovery import FactTables
from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS, Facts
from asbuilt.parsers.ibnetdiscover import parse

DUMP = b"""#
# Topology file: generated on Mon Jan  5 09:00:00 2026
#
# Initiated from node 00000000000000b1 port 00000000000000b1

vendid=0x2c9
devid=0xd2f0
sysimgguid=0xa1
switchguid=0xa1(a1)
Switch\t41 "S-00000000000000a1"\t\t# "MF0;leaf-1:MQM8700/U1" enhanced port 0 lid 13 lmc 0
[1]\t"H-00000000000000b1"[1](b1) \t\t# "node1 mlx5_0 " lid 9 4xHDR
[3]\t"S-00000000000000a2"[7]\t\t# "MF0;spine-1:MQM8700/U1" lid 14 4xFDR10
[5]\t"S-00000000000000a1"[6]\t\t# "MF0;leaf-1:MQM8700/U1" lid 13 2xEDR
[6]\t"S-00000000000000a1"[5]\t\t# "MF0;leaf-1:MQM8700/U1" lid 13 2xEDR
[41]\t"H-00000000000000a9"[1](a9) \t\t# "Mellanox Technologies Aggregation Node" lid 15 4xHDR

vendid=0x2c9
devid=0xd2f0
switchguid=0xa2(a2)
Switch\t41 "S-00000000000000a2"\t\t# "MF0;spine-1:MQM8700/U1" base port 0 lid 14 lmc 0
[7]\t"S-00000000000000a1"[3]\t\t# "MF0;leaf-1:MQM8700/U1" lid 13 4xFDR10

vendid=0x0
devid=0x1021
sysimgguid=0xb0
caguid=0xb1
Ca\t2 "H-00000000000000b1"\t\t# "node1 mlx5_0 "
[1](b1) \t"S-00000000000000a1"[1]\t\t# lid 9 lmc 0 "MF0;leaf-1:MQM8700/U1" lid 13 4xHDR

vendid=0x2c9
devid=0xcf09
sysimgguid=0xa1
caguid=0xa9
Ca\t1 "H-00000000000000a9"\t\t# "Mellanox Technologies Aggregation Node"
[1](a9) \t"S-00000000000000a1"[41]\t\t# lid 15 lmc 0 "MF0;leaf-1:MQM8700/U1" lid 13 4xHDR
"""


@pytest.fixture(params=["numpy", "numba"])
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    before, Engine.mode = Engine.mode, request.param
    yield request.param
    Engine.mode = before


def equal(one: Facts, two: Facts) -> bool:
    return one.tables.keys() == two.tables.keys() and all(
        one.tables[n].drop("capture_id").equals(two.tables[n].drop("capture_id")) for n in one.tables
    )


def test_a_whole_dump(kernels: str) -> None:
    facts = parse(DUMP, "c")
    devices, links = facts.tables["device_facts"], facts.tables["link_facts"]
    assert DEVICE_FACTS.faults(devices) == [] and LINK_FACTS.faults(links) == []
    account = facts.accounts["c"]
    assert account.balanced and account.unread == 0 and account.total == DUMP.count(b"\n")
    assert devices.select("guid", "kind", "description", "ports", "vendor_id", "device_id", "lid").rows() == [
        ("00000000000000a1", "switch", "MF0;leaf-1:MQM8700/U1", 41, 0x2C9, 0xD2F0, 13),
        ("00000000000000a2", "switch", "MF0;spine-1:MQM8700/U1", 41, 0x2C9, 0xD2F0, 14),
        ("00000000000000a9", "aggregation", "Mellanox Technologies Aggregation Node", 1, 0x2C9, 0xCF09, None),
        ("00000000000000b1", "ca", "node1 mlx5_0 ", 2, 0, 0x1021, None),
    ]
    assert devices["system_guid"].to_list() == ["00000000000000a1", None, "00000000000000a1", "00000000000000b0"]
    assert links.height == 8
    first = links.row(0, named=True)
    assert first == {
        "guid": "00000000000000a1", "port": 1, "peer_guid": "00000000000000b1", "peer_port": 1,
        "peer_description": "node1 mlx5_0 ", "peer_kind": "ca", "port_guid": "00000000000000b1", "lid": None,
        "width": 4, "speed": "HDR", "capture_id": "c", "line": 11,
    }  # fmt: skip
    assert links["speed"].to_list() == ["HDR", "FDR10", "EDR", "EDR", "HDR", "FDR10", "HDR", "HDR"]
    assert links.filter(pl.col("guid") == pl.col("peer_guid"))["peer_port"].to_list() == [6, 5]
    assert links.filter(pl.col("peer_kind") == "switch")["lid"].drop_nulls().to_list() == [9, 15]
    assert not facts.details["incomplete"] and facts.notes == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.replace(b"\t", b""),
        lambda d: d.replace(b"\t", b"   "),
        lambda d: d.replace(b"\n", b"\r\n"),
        lambda d: b"=~=~=~= PuTTY log 2026.01.05 09:00:00 =~=~=~=\r\n\n" + d,
        lambda d: d + b"\nadmin@ufm [ mgmt-ha-active ] (config) # ",
        lambda d: d.decode().encode("utf-16"),
        lambda d: b"\xef\xbb\xbf" + d,
        lambda d: d.replace(b"xHDR", b"xHDR s=5 w=2").replace(b'[7]\t"S', b'[7][ext 3]\t"S'),
        lambda d: d.replace(b"(a1)\nSwitch", b"(a1)\t# MQM8700 slot 1\nSwitch").replace(b"=0xa1\n", b"=0xa1\t\t# Chassis 1\n"),
        lambda d: b"\nChassis 1 (guid 0xa1)\n\nNon-Chassis Nodes\n" + d,
    ],
    ids=["tabs lost", "blanks", "crlf", "putty", "prompt", "utf-16", "bom", "full", "grouped", "chassis"],
)
def test_what_terminals_and_versions_do_to_it(kernels: str, change: object) -> None:
    plain = parse(DUMP, "c")
    seen = parse(change(DUMP), "c")  # type: ignore[operator]
    drop = ["line"]
    for name, table in plain.tables.items():
        assert seen.tables[name].drop(drop).equals(table.drop(drop)), name
    account = seen.accounts["c"]
    assert account.balanced and account.unread <= 1
    assert not seen.details["incomplete"]


def test_names_with_quotes_and_hashes(kernels: str) -> None:
    odd = b'a "b" # c" lid 7'
    facts = parse(DUMP.replace(b"node1 mlx5_0 ", odd), "c")
    assert facts.tables["device_facts"].filter(pl.col("kind") == "ca")["description"].to_list() == [odd.decode()]
    assert facts.tables["link_facts"]["peer_description"][0] == odd.decode()


def test_bytes_that_are_no_text_stay_in_one_name(kernels: str) -> None:
    facts = parse(DUMP.replace(b"node1 mlx5_0 ", b"n\xff\x00\x80de"), "c")
    assert facts.tables["link_facts"].height == 8
    assert facts.tables["link_facts"]["peer_description"][0].startswith("n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'[1]\t"H-00000000000000b1"[1](b1) \t\t# "node1 mlx5_0 " lid 9 4xHDRx', "no such speed"),
        (b'[1]\t"X-00000000000000b1"[1](b1) \t\t# "node1 mlx5_0 " lid 9 4xHDR', "no such kind"),
        (b'[1]\t"H-0000000000000000b1"[1](b1) \t\t# "node1 mlx5_0 " lid 9 4xHDR', "GUID too long"),
        (b'[1]\t"H-00000000000000b1"[1](b1 \t\t# "node1 mlx5_0 " lid 9 4xHDR', "bracket open"),
        (b"[1]", "nothing else"),
    ],
)
def test_a_broken_line_is_kept_as_unread(kernels: str, line: bytes, why: str) -> None:
    good = b'[1]\t"H-00000000000000b1"[1](b1) \t\t# "node1 mlx5_0 " lid 9 4xHDR'
    assert good in DUMP
    facts = parse(DUMP.replace(good, line), "c")
    account = facts.accounts["c"]
    assert account.balanced and account.unread == 1, why
    assert account.unread_lines[0] == (11, line.decode().strip())
    assert facts.tables["link_facts"].height == 7


def test_a_broken_device_line_takes_its_ports_with_it(kernels: str) -> None:
    facts = parse(DUMP.replace(b'Switch\t41 "S-00000000000000a2"', b'Swtch\t41 "S-00000000000000a2"'), "c")
    assert facts.accounts["c"].unread == 2  # its header and its one port, which must not fall to the device above
    assert facts.details["incomplete"], "the spine is a peer without a record now"
    assert "00000000000000a2" not in facts.tables["link_facts"]["guid"].to_list()


def test_a_device_or_port_told_twice_counts_once(kernels: str) -> None:
    facts = parse(DUMP + DUMP, "c")
    assert equal(facts, parse(DUMP, "c"))
    account = facts.accounts["c"]
    assert account.balanced and account.unread == 4 + 8


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\n\n\n", b"\0\0\0", b"\xff\xfe", b"[1]", b"Switch", b'Ca 1 "H-', bytes(range(256)) * 40]
)
def test_nothing_to_read_gives_nothing(kernels: str, data: bytes) -> None:
    facts = parse(data, "c")
    assert facts.tables == {} and facts.accounts["c"].balanced


def test_a_lone_device_is_no_fabric(kernels: str) -> None:
    lone = b'vendid=0x2c9\ndevid=0x1021\nsysimgguid=0xb1\ncaguid=0xb1\nCa\t1 "H-00000000000000b1"\t\t# "n1 mlx5_0"\n'
    facts = parse(lone, "c")
    assert facts.tables["device_facts"].height == 1 and "link_facts" not in facts.tables
    assert facts.details["incomplete"] and "no link" in facts.notes[0]


def test_a_long_line_is_unread_and_does_no_harm(kernels: str) -> None:
    at = DUMP.index(b"[3]")
    long_ = DUMP[:at] + b'[2]\t"H-' + b"a" * (64 << 20) + b"\n" + DUMP[at:]
    facts = parse(long_, "c")
    assert facts.accounts["c"].unread == 1 and facts.accounts["c"].balanced
    assert len(facts.accounts["c"].unread_lines[0][1]) <= 200
    assert facts.tables["link_facts"].height == 8


def test_every_prefix_says_less_and_nothing_else(kernels: str) -> None:
    whole = parse(DUMP, "c")
    for cut in range(0, len(DUMP), 7):
        facts = parse(DUMP[:cut], "c")
        assert facts.accounts["c"].balanced
        for name, table in facts.tables.items():
            assert table.join(whole.tables[name], on=table.columns, how="anti", nulls_equal=True).height == 0, cut


PORTS = b"""\
CA   134  1 0x7cfe900300000001 4x EDR - SW  1719 10 0x7cfe900300000009 ( 'o1 HCA-1' - 'leaf 1 ' )
SW  1719 10 0x7cfe900300000009 4x EDR - CA   134  1 0x7cfe900300000001 ( 'leaf 1 ' - 'o1 HCA-1' )
SW  1719 11 0x7cfe900300000009 4x ???                                    'leaf 1 '
SW  1719 12 0x7cfe900300000009 4x SDR                                    'leaf 1 '
CA    78  1 0x7cfe900300000011 4x HDR - SW  1719 41 0x7cfe900300000009 ( 'Mellanox Technologies Aggregation Node' - 'leaf 1 ' )
"""


def test_the_ports_report() -> None:
    facts = parse(PORTS, "p")
    account = facts.accounts["p"]
    assert account.balanced and account.unread == 0 and account.facts == 5
    assert facts.tables["device_facts"].select("kind", "description").rows() == [
        ("ca", "o1 HCA-1"),
        ("switch", "leaf 1 "),
        ("aggregation", "Mellanox Technologies Aggregation Node"),
    ]
    assert facts.tables["link_facts"].select("port", "peer_port", "width", "speed", "lid").rows() == [
        (1, 10, 4, "EDR", 134),
        (10, 1, 4, "EDR", 1719),
        (1, 41, 4, "HDR", 78),
    ]
    assert "2 ports are listed as down" in " ".join(facts.notes)
    # Both lines of a cable name the port GUID of its NIC, so that nobody takes it for the switch's.
    (nic, switch, _) = facts.tables["link_facts"].iter_rows(named=True)
    assert nic["port_guid"] == switch["port_guid"] == nic["guid"] == switch["peer_guid"]


def test_a_ports_report_that_is_cut_says_so() -> None:
    facts = parse(PORTS[:-20], "p")
    assert facts.accounts["p"].unread == 1 and facts.accounts["p"].balanced and facts.details["incomplete"]


@pytest.mark.parametrize(
    "change", [lambda d: d, lambda d: d.replace(b"\n", b"\r\n"), lambda d: d.replace(b"mlx5_0", "mlx5_ä".encode())]
)
def test_far_from_the_end_lines_are_read_eight_bytes_at_a_time_and_say_the_same(kernels: str, change: object) -> None:
    near, far = parse(change(DUMP), "c"), parse(change(DUMP) + b"\n" * 2000, "c")  # type: ignore[operator]
    assert equal(near, far) and far.accounts["c"].unread == 0 and far.accounts["c"].facts == near.accounts["c"].facts


def test_tables_are_made_when_they_are_looked_at(kernels: str) -> None:
    facts = parse(DUMP, "c")
    assert isinstance(facts.tables, FactTables) and facts.has("link_facts") and not facts.tables.made
    assert facts.discovered is not None and facts.discovered.links.shape[1] == 8 and facts.tables["link_facts"].height == 8
    assert facts.tables.made and replace(facts, tables=dict(facts.tables)).discovered is None
