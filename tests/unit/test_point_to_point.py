"""Cable lists as people keep them: headers in any words, sheets, encodings, and workbooks that mean harm."""

from __future__ import annotations

import io
import json
import zipfile

import openpyxl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from asbuilt.model.tables import LINKS
from asbuilt.parsers.plans.columns import parse_columns
from asbuilt.parsers.plans.point_to_point import read


def ends(plan: Plan) -> list[tuple[str, int, str]]:
    assert LINKS.faults(plan.links) == []
    assert plan.account is not None and plan.account.balanced
    return plan.links.select("a_device", "a_port", "b_name").rows()


def code(data: bytes, **columns: str) -> str:
    with pytest.raises(ProblemError) as caught:
        read(data, "x.csv", columns)
    return caught.value.problems.items[0].code


def book(**sheets: list[list[object]]) -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    "header",
    [
        "Source,Port,Destination,Port",
        "StartDevice,StartPort,EndDevice,EndPort",
        "a_device,a_interface,b_device,b_interface",
        "A端设备,A端接口,Z端设备,Z端接口",
        "#Fields:StartDevice,StartPort,EndDevice,EndPort",
        "From,Interface,To,Interface",
        "Device A;Port A;Device B;Port B",
        "Source\tPort\tDestination\tPort",
    ],
)
def test_headers(header: str) -> None:
    sign = next((s for s in ";\t" if s in header), ",")
    text = "\n".join(["Cable list of the hall", header, sign.join(["leaf-1", "Port 3", "node1", "mlx5_0"])])
    assert ends(read(text.encode())) == [("leaf-1", 3, "node1 mlx5_0")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings(encoding: str) -> None:
    text = "A端设备,A端接口,Z端设备,Z端接口\r\n接入_1,端口2,GPU服务器_7,网卡1\r\n"
    assert ends(read(text.encode(encoding))) == [("接入_1", 2, "GPU服务器_7 网卡1")]


def test_repeated_and_unnamed_headers_are_read_by_position() -> None:
    rows = ["Source,Rack,Location,Slot,,Port,Destination,Rack,Location,,Port", "n1,x1,u1,ocp,-,2,sw-1,x9,u40,-,17"]
    plan = read("\n".join(rows).encode())
    assert ends(plan) == [("sw-1", 17, "n1 ocp:2")]


def test_columns_as_the_user_says() -> None:
    text = b"x,who,hole,what,card\n1,sw-1,17,n1,mlx5_0\n"
    assert code(text) == "PAR-002"
    wanted = parse_columns("a_device=who, a_port=hole,b_device=4,b_port=CARD")
    assert ends(read(text, "x.csv", wanted)) == [("sw-1", 17, "n1 mlx5_0")]
    assert code(text, a_device="who", a_port="whole") == "PAR-003"
    assert code(text, a_device="who", colour="hole") == "PAR-003"
    with pytest.raises(ProblemError, match="PAR-003"):
        parse_columns("a_device")


def test_hosts_of_one_name_in_several_racks() -> None:
    rows = ["rack #,StartDevice,StartPort,EndDevice,EndPort"]
    rows += [f"R{r},Server 1 IB Port {p},IB Port {p},LEAF-{p},Port {r}" for r in (1, 2) for p in (1, 2)]
    plan = read("\n".join(rows).encode())
    assert ends(plan)[0] == ("LEAF-1", 1, "R1 Server 1 IB Port 1") and plan.links.height == 4
    assert "rack is put before" in plan.warnings[-1]


def test_a_name_that_ends_like_its_port_is_left_alone() -> None:
    rows = ["Source,Port,Destination,Port", "leaf-r1,1,Server 1,mlx5_1", "leaf 2,2,Server 2,mlx5_2"]
    assert ends(read("\n".join(rows).encode())) == [("leaf 2", 2, "Server 2 mlx5_2"), ("leaf-r1", 1, "Server 1 mlx5_1")]


def test_port_words() -> None:
    ports = {"E1/34": 34, "swp5": 5, "Ethernet1/7": 7, "22/1": 43, "1/22/2": 44, "P9": 9, "j3": 3, "端口8": 8}
    rows = ["node_type,Source,Port,Destination,Port"] + [f"switch,sw{i},{p},n{i},mlx5_0" for i, p in enumerate(ports)]
    plan = read("\n".join(rows).encode())
    seen = {r["a_label"]: r["a_port"] for r in plan.links.to_dicts()}
    assert seen == ports


def test_rates() -> None:
    rows = ["Source,Port,Destination,Port,Speed", "s,1,n1,m,400G", "s,2,n2,m,200000", "s,3,n3,m,100", "s,4,n4,m,fast"]
    assert read("\n".join(rows).encode()).links["rate_gbps"].to_list() == [400, 200, 100, None]


def test_sheets_tables_and_blank_devices() -> None:
    head = ["A端设备", "A端接口", "Z端设备", "Z端接口"]
    first = [
        ["summary", None],
        ["nodes", 2],
        [None],
        head,
        ["leaf-1", "端口1", "n1", "k1"],
        [None, "端口2", "n2", "k1"],
        [None, None, None, None],
    ]
    again = [head, ["n1", "k1", "leaf-1", "端口1"], ["n3", "k1", None, None], head, ["leaf-2", 1.0, "n3", "k2"]]
    plan = read(book(one=first, two=again), "x.xlsx")
    assert ends(plan) == [("leaf-1", 1, "n1 k1"), ("leaf-1", 2, "n2 k1"), ("leaf-2", 1, "n3 k2")]
    assert plan.account is not None
    assert (plan.account.total, plan.account.facts, plan.account.ignorable, plan.account.unread) == (12, 4, 7, 1)
    assert plan.unread[0]["why"].startswith("two row 3: no b end device")


def test_json_lists_and_topologies() -> None:
    cables = [{"source": "sw-1", "source_port": 3, "dest": "n1", "dest_port": "mlx5_0"}]
    assert ends(read(json.dumps(cables).encode())) == [("sw-1", 3, "n1 mlx5_0")]
    devices = [
        {
            "id": 0,
            "common_name": "sw-1",
            "type": "switch",
            "ports": [{"port": 3, "destination_node_id": 1, "destination_port": 2}],
        },
        {
            "id": 1,
            "common_name": "n1",
            "type": "server",
            "ports": [{"port": 2, "destination_node_id": 0, "destination_port": 3}, 7],
        },
    ]
    plan = read(json.dumps({"topology": devices}).encode())
    assert ends(plan) == [("sw-1", 3, "n1 2")]
    for bad in (b"{", b"[]", b'{"a": 1}', b"[" * 5000):
        assert code(bad) == "PAR-001"


def test_nothing_to_compare_is_a_problem() -> None:
    assert code(b"") == "PAR-002"
    assert code(b"Source,Port,Destination,Port\n") == "PAR-005"
    assert code(b"Source,Port,Destination,Port\na,,b,\n") == "PAR-005"
    assert code(b"Source,Destination\na,b\n") == "PAR-002"
    assert code(b"\x00\x01\x02") == "PAR-001"


def test_rows_without_a_switch_are_shown() -> None:
    plan = read(b"Source,Port,Destination,Port\nleaf-1,3,n1,mlx5_0\nn1,mlx5_1,n2,mlx5_1\n")
    assert plan.unread == ({"line": 3, "why": "neither end is a switch"},)


def packed(**parts: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 and no more",
        packed(**{"readme.txt": b"hello"}),
        packed(**{"[Content_Types].xml": b"<Types/>"}),
        packed(**{"[Content_Types].xml": b"<Types/>", "xl/big.xml": b" " * (64 << 20)}),
        packed(**{"[Content_Types].xml": b'<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>'}),
        book(one=[["Source", "Port", "Destination", "Port"]])[:-300],
    ],
    ids=["cut", "no workbook", "empty", "bomb", "entities", "tail cut"],
)
def test_hostile_workbooks(data: bytes) -> None:
    assert code(data) == "PAR-004"
