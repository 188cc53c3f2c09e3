"""Host side of congestion marks: both points, the account of every line, half-read priorities."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from asbuilt.parsers import roce_ecn
from asbuilt.parsers.tools import TOOLS

FLEET = b"""node0000: /sys/class/net/mlx5_0/ecn/roce_np/enable/3:1
node0000: /sys/class/net/mlx5_0/ecn/roce_np/enable/4:0
node0000: /sys/class/net/mlx5_0/ecn/roce_np/cnp_dscp:48
node0000: /sys/class/net/mlx5_0/ecn/roce_rp/enable/3:1
node0000: /sys/class/net/mlx5_0/ecn/roce_rp/enable/4:1
node0001: /sys/class/net/mlx5_0/ecn/roce_np/enable/3:1

node0001: grep: /sys/class/net/lo/ecn: No such file or directory
"""


def test_a_priority_answers_when_both_points_are_on() -> None:
    facts = roce_ecn.parse(FLEET, "x")
    rows = facts.tables["roce_facts"].select("device", "side", "interface", "setting", "index", "value", "text", "line").rows()
    assert rows == [
        ("node0000", "host", "mlx5_0", "ecn", 3, 1.0, "roce_np on, roce_rp on", 4),
        ("node0000", "host", "mlx5_0", "ecn", 4, 0.0, "roce_np off, roce_rp on", 5),
    ]


def test_every_line_is_accounted_for_and_half_a_reading_is_unread() -> None:
    account = roce_ecn.parse(FLEET, "x").accounts["x"]
    assert (account.total, account.facts, account.ignorable, account.unread) == (8, 4, 2, 2)
    assert account.balanced
    assert (6, "priority 3 of mlx5_0: only one of roce_np and roce_rp") in account.unread_lines


def test_the_host_may_be_the_subject() -> None:
    text = b"/sys/class/net/eth2/ecn/roce_np/enable/3:1\n/sys/class/net/eth2/ecn/roce_rp/enable/3:1\n"
    assert roce_ecn.parse(text, "x", "node7").tables["roce_facts"]["device"].to_list() == ["node7"]
    assert [name for name, tool in TOOLS.items() if tool.sniff(text)] == ["roce-ecn"]


@given(st.integers(0, len(FLEET)))
def test_facts_of_a_prefix_are_facts_of_the_whole(cut: int) -> None:
    whole = roce_ecn.parse(FLEET, "x").tables["roce_facts"]
    part = roce_ecn.parse(FLEET[:cut], "x")
    assert part.accounts["x"].balanced
    rows = part.tables["roce_facts"].rows() if "roce_facts" in part.tables else []
    assert set(rows) <= set(whole.rows())


@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    facts = roce_ecn.parse(data, "x")
    assert facts.accounts["x"].balanced
