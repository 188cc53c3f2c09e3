"""NIC ports as their hosts see them: ibstat, ibstatus, and who says a line in a capture of a whole fleet."""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.model.facts import Facts
from asbuilt.parsers import ibstat, ibstatus
from host_transcripts import FLEET, IBSTAT, IBSTATUS


def ports(facts: Facts) -> list[dict[str, object]]:
    return facts.tables["hca_facts"].to_dicts()


def test_ibstat_block_by_block() -> None:
    facts = ibstat.parse(IBSTAT.encode(), "c", "elsewhere")
    first, old, down, roce = ports(facts)
    assert first == {
        "host": "node0003",
        "device": "mlx5_0",
        "port": 1,
        "node_guid": "0002c90300aa0010",
        "port_guid": "0002c90300aa0010",
        "system_guid": "0002c90300aa0013",
        "type": "MT4129",
        "firmware": "28.39.1002",
        "link_layer": "infiniband",
        "state": "active",
        "phys_state": "linkup",
        "rate_gbps": 400.0,
        "width": None,
        "speed": None,
        "lid": 75,
        "lmc": 0,
        "sm_lid": 1,
        "capture_id": "c",
        "line": 9,
    }
    # A remark behind a value is none of it; a port without its link layer is closed by the next port.
    assert (old["type"], old["state"], old["phys_state"]) == ("MT25418", "init", "linkup")
    assert (old["rate_gbps"], old["speed"], old["link_layer"], old["port_guid"]) == (40.0, "FDR10", None, None)
    assert (down["port"], down["state"], down["phys_state"], down["rate_gbps"]) == (2, "down", "polling", 10.0)
    assert (down["port_guid"], down["link_layer"]) == (None, "ethernet"), "a GUID of 0 is no GUID"
    assert (roce["device"], roce["phys_state"], roce["lid"], roce["firmware"]) == ("rocep130s0", "disabled", None, None)
    account = facts.accounts["c"]
    assert (account.unread, account.unread_lines) == (1, ((35, ".."),))
    assert account.ignorable == 1, "the prompt"


def test_a_fleet_whose_lines_are_mixed() -> None:
    facts = ibstat.parse(FLEET.encode(), "c")
    rows = [(r["host"], r["node_guid"], r["state"], r["link_layer"], r["rate_gbps"]) for r in ports(facts)]
    assert rows == [
        ("node0001", "0002c90300000001", "active", "infiniband", 400.0),
        ("node0002", "0002c90300000002", "down", "ethernet", None),
    ]
    assert facts.accounts["c"].unread_lines == ((16, "pdsh@head: node0004: ssh exited with exit code 255"),)


@pytest.mark.parametrize(
    ("prompt", "host"),
    [
        ("[root@node0003 ~]# ibstat", "node0003"),
        ("node0003$ ibstat", "node0003"),
        ("root@node0003:/srv/mft# ibstat", "node0003"),
        ("admin@gpu-7.cluster:~$ ibstat", "gpu-7.cluster"),
        ("$ ibstat", "subject"),
        ("bash-4.2$ ibstat", "subject"),
        ("root# ibstat", "subject"),
    ],
)
def test_the_host_of_a_prompt(prompt: str, host: str) -> None:
    text = f"{prompt}\nCA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tLink layer: InfiniBand\n"
    assert [r["host"] for r in ports(ibstat.parse(text.encode(), "c", "subject"))] == [host]


def test_nobody_said_the_host() -> None:
    text = b"CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tLink layer: InfiniBand"
    (row,) = ports(ibstat.parse(text, "c"))
    assert row["host"] is None and row["link_layer"] == "infiniband", "a last value that is whole without a line end counts"


def test_a_block_that_is_cut_gives_nothing() -> None:
    text = IBSTAT[: IBSTAT.index("\t\tLink layer: InfiniBand")]
    facts = ibstat.parse(text.encode(), "c")
    assert facts.tables == {} and facts.notes == ("c: the last port is cut: its lines are unread",)
    assert facts.accounts["c"].unread == 16


def test_gathered_output_speaks_for_all_its_hosts() -> None:
    block = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Down\n\t\tPhysical state: Disabled\n\t\tLink layer: InfiniBand\n"
    text = f"---------------\nnode[1-2,7] (3)\n---------------\n{block}---------------\nnode9\n---------------\n{block}"
    facts = ibstat.parse(text.encode(), "c")
    assert [(r["host"], r["line"]) for r in ports(facts)] == [("node1", 5), ("node2", 5), ("node7", 5), ("node9", 13)]
    assert facts.accounts["c"].unread == 0 and facts.accounts["c"].ignorable == 6


def test_a_gathered_block_for_the_whole_world_is_not_spread_out() -> None:
    block = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Down\n\t\tLink layer: InfiniBand\n"
    text = "---------------\nnode[1-3000000]\n---------------\n" + block
    facts = ibstat.parse(text.encode(), "c")
    assert facts.tables == {} and facts.accounts["c"].unread == 4


def test_the_list_of_guids_that_somebody_calls_ibstat_is_unread() -> None:
    text = "VM_hostname vm0005I\n0ff08c4321664e96\n"
    assert not ibstat.sniff(text.encode())
    assert ibstat.parse(text.encode(), "c").accounts["c"].unread == 2


def test_ibstatus_block_by_block() -> None:
    facts = ibstatus.parse(IBSTATUS.encode(), "c", "node1@2026-01-31T12:00:00Z")
    first, second = ports(facts)
    told = {k: v for k, v in first.items() if v is not None}
    assert told == {
        "host": "node1",
        "device": "mlx5_ib0",
        "port": 1,
        "port_guid": "00155dfffd33ff0b",
        "link_layer": "infiniband",
        "state": "active",
        "phys_state": "linkup",
        "rate_gbps": 400.0,
        "width": 4,
        "speed": "NDR",
        "lid": 0x96,
        "sm_lid": 0x11C,
        "capture_id": "c",
        "line": 2,
    }
    assert (second["state"], second["phys_state"], second["port_guid"], second["lid"]) == ("down", "disabled", None, 0)
    assert facts.accounts["c"].unread == 0


def test_two_runs_in_one_capture_are_two_reports() -> None:
    once = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: {}\n\t\tLink layer: InfiniBand\n"
    text = "[root@n1 ~]# ibstat\n" + once.format("Active") + "[root@n1 ~]# ibstat\n" + once.format("Down")
    frame = ibstat.parse(text.encode(), "c").tables["hca_facts"]
    assert frame.sort("line").select("state").to_series().to_list() == ["active", "down"]
    assert frame.select(pl.col("host").n_unique()).item() == 1
