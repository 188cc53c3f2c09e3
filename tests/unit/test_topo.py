"""ibutils topologies with and without libraries, and ibsim netlists."""

from __future__ import annotations

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.tables import LINKS
from asbuilt.parsers.plans import ibsim, topo

TOPO = b"""# a fabric
MTS2400 SL1-1
   P1 -4x-5G-> MT23108 H-1 P1
   P13 -4x-> MTS2400 SL2-1 P1   # trunk

MTS2400 SL2-1 CFG: fan=low
   P1 -> MTS2400 SL1-1 P13
   rubbish here and there
"""
DIRECTOR = b"""BIG D1
  L1/P3 -> MT23108 H-1 P1
  C-17A -> MT23108 H-2 P1
"""
LIBRARY = b"""SYSTEM LEAF,LEAF4x
 NODE SW 24 MT48436 U1
  1 -> P1
  3 -10G-> P3
  4 -> C-17A
TOPSYSTEM BIG,Alias
 SUBSYSTEM LEAF leaf1
  P1 -> L1/P1
  P3 -> L1/P3
  C-17A -> C-17A
"""


def test_a_topology() -> None:
    plan = topo.read(TOPO, "t.topo")
    assert LINKS.faults(plan.links) == []
    rows = {r["link"]: r for r in plan.links.to_dicts()}
    assert set(rows) == {"link:SL1-1/1", "link:SL1-1/13"}
    assert rows["link:SL1-1/1"]["b_name"] == "H-1 P1" and rows["link:SL1-1/1"]["rate_gbps"] == 20
    assert (rows["link:SL1-1/13"]["b_device"], rows["link:SL1-1/13"]["b_port"]) == ("SL2-1", 1)
    account = plan.account
    assert account is not None and account.balanced and (account.facts, account.unread) == (3, 1)
    assert plan.unread[0]["line"] == 8 and "neither a system nor a link line" in plan.unread[0]["why"]


def test_a_director_without_its_library_says_so() -> None:
    plan = topo.read(DIRECTOR, "t.topo")
    assert plan.links["a_device"].to_list() == ["D1", "D1/L1"]
    assert "give their .ibnl" in plan.warnings[-1]


def test_a_director_with_its_library_knows_chip_and_port() -> None:
    plan = topo.read(DIRECTOR, "t.topo", {"big.ibnl": LIBRARY})
    assert plan.links.select("a_device", "a_port", "b_name").rows() == [("D1", 3, "H-1 P1"), ("D1", 4, "H-2 P1")]
    assert not any(".ibnl" in w for w in plan.warnings)


def test_a_library_that_calls_itself_ends() -> None:
    assert topo.library(b"TOPSYSTEM A\nSUBSYSTEM A x\n P1 -> P1\n").ports == {}


@pytest.mark.parametrize("data", [b"", b"hello\nworld\n", b"a,b,c,d\n", b"\xff\xfe\x00"])
def test_what_is_no_topology_is_refused(data: bytes) -> None:
    with pytest.raises(ProblemError, match=r"PAR-00[15]"):
        topo.read(data)
    assert not topo.sniff(data)


NET = b"""# netlist
Switch\t8 "Switch1"
[1]\t"Hca1"[1]
[2]\t"S-00a2"[4] w=12

Switch 8 "S-00a2"  # "spine" base port 0
[4] "Switch1"[2]
[5] "nobody"
Hca 2 "Hca1"   # "node1 mlx5_0"
[1](1) "Switch1"[1]
"""


def test_a_netlist() -> None:
    plan = ibsim.read(NET, "n.net")
    assert LINKS.faults(plan.links) == []
    rows = plan.links.select("link", "b_name", "b_port").rows()
    assert rows == [("link:Switch1/1", "node1 mlx5_0", 1), ("link:Switch1/2", "spine", 4)]
    assert plan.account is not None and plan.account.balanced and plan.account.unread == 1


def test_both_ports_of_one_adapter_are_two_links() -> None:
    text = NET + b'[2](2) "Switch1"[8]\n'
    text = (
        text.replace(b'[2]\t"S-00a2"', b'[8]\t"Hca1"[2]\n[7]\t"H-9"[1]\n[2]\t"S-00a2"') + b'\nCa 1 "H-9" # "Aggregation Node"\n'
    )
    plan = ibsim.read(text, "n.net")
    hosts = plan.links.filter(plan.links["b_nic"].is_not_null())
    assert hosts.select("a_port", "b_name", "b_port").rows() == [(1, "node1 mlx5_0", 1), (8, "node1 mlx5_0", 2)]
    assert plan.account is not None and plan.account.balanced


def test_what_is_no_netlist_is_refused() -> None:
    with pytest.raises(ProblemError, match="PAR-001"):
        ibsim.read(b"SwitchName=s0 Nodes=n[1-4]\n")
    with pytest.raises(ProblemError, match="PAR-005"):
        ibsim.read(b'Switch 8 "a"\n')
    assert ibsim.sniff(NET) and not ibsim.sniff(b"x\n")
