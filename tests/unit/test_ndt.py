"""UFM NDT plans: switch ports, director notation, names without regard to case, rows told twice, refusals."""

from __future__ import annotations

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.tables import LINKS
from asbuilt.parsers.plans.ndt import read, sniff

HEAD = "#StartDevice,StartPort,EndDevice,EndPort,LinkType\n"


def plan(*rows: str) -> object:
    return read((HEAD + "\n".join(rows)).encode(), "x.ndt")


def codes(data: bytes) -> list[str]:
    with pytest.raises(ProblemError) as caught:
        read(data, "x.ndt")
    return [p.code for p in caught.value.problems.items]


def test_a_host_row_either_way_round() -> None:
    one = read((HEAD + "node1,node1 mlx5_0,LEAF-1,Port 3, Data\n").encode())
    two = read((HEAD + "LEAF-1,Port 3,node1,node1 mlx5_0,Data\n").encode())
    assert LINKS.faults(one.links) == []
    assert one.links.equals(two.links.with_columns(one.links["a_label"], one.links["b_label"]))
    row = one.links.row(0, named=True)
    assert (row["link"], row["a_device"], row["a_port"]) == ("link:LEAF-1/3", "LEAF-1", 3)
    assert (row["b_device"], row["b_nic"], row["b_name"], row["kind"]) == ("node1", "mlx5_0", "node1 mlx5_0", "node_leaf")


def test_a_director_port_is_board_chip_and_port() -> None:
    read_plan = read((HEAD + "LEAF-1,Port 21,DIR-A,Blade 6_Port 2/20,Data\n").encode())
    row = read_plan.links.row(0, named=True)
    assert (row["b_device"], row["b_port"], row["b_name"], row["b_label"]) == ("DIR-A/L06/U2", 20, "DIR-A", "Blade 6_Port 2/20")


def test_rows_of_both_ends_and_of_other_case_are_one_link() -> None:
    rows = ["LEAF-1,Port 21,DIR-A,Blade 6_Port 2/20,Data", "dir-a,blade 06_port 2/20,leaf-1,PORT 21,Data"]
    seen = read((HEAD + "\n".join(rows)).encode(), "x.ndt")
    assert seen.links.height == 1 and seen.account is not None and seen.account.facts == 2
    assert "1 rows tell a link again" in seen.warnings[1]


def test_a_port_used_twice_is_shown_not_dropped() -> None:
    rows = ["n1,n1 mlx5_0,LEAF,Port 1,Data", "n2,n2 mlx5_0,LEAF,Port 1,Data"]
    seen = read((HEAD + "\n".join(rows)).encode(), "x.ndt")
    assert seen.links.height == 1
    assert seen.unread == ({"line": 3, "why": "LEAF Port 1 is already used by line 2"},)
    assert seen.account is not None and seen.account.balanced and seen.account.unread == 1


def test_every_line_is_accounted_for() -> None:
    text = HEAD + "\n# remark\nn1,n1 mlx5_0,LEAF,Port 1,Data\nn1,n1 mlx5_1,LEAF\nLEAF,abra,LEAF,cadabra,Data\n"
    seen = read(text.encode(), "x.ndt")
    assert seen.account is not None
    assert (seen.account.total, seen.account.facts, seen.account.ignorable, seen.account.unread) == (6, 1, 3, 2)
    assert [u["line"] for u in seen.unread] == [5, 6]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("football > rugby\n", "PAR-001"),
        ("", "PAR-001"),
        ("NVIDIA-SMI 550.54\n", "PAR-001"),
        (HEAD, "PAR-005"),
        (HEAD + "LEAF,abra,LEAF,cadabra,Data", "PAR-005"),
    ],
)
def test_refusals(text: str, code: str) -> None:
    assert codes(text.encode()) == [code]


def test_binary_is_refused_with_its_place() -> None:
    assert codes(b"#StartDevice\nx\x00\n") == ["PAR-001"]


def test_sniff() -> None:
    assert sniff(HEAD.encode()) and sniff(b"\xef\xbb\xbf\n  #StartDevice, StartPort ,EndDevice,EndPort\n")
    assert not sniff(b"Source,Port,Destination,Port\n") and not sniff(b"")
