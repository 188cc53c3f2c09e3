"""Artefacts: NDT and netlist text against the plan, hostile names, files changed by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from asbuilt.artefacts.ndt import HEADER, ndt
from asbuilt.artefacts.netlist import netlist
from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.model.plan import Plan
from asbuilt.workflow.export import TARGETS, export, make
from little_fabric import little_plan
from little_subnet import with_subnet


def renamed(plan: Plan, old: str, new: str) -> Plan:
    """The plan with one display name replaced wherever it stands."""
    links = plan.links.with_columns(pl.col("a_name", "b_name").str.replace_all(old, new, literal=True))
    return replace(plan, tables={**plan.tables, "links": links})


def test_ndt_rows_are_the_planned_links() -> None:
    plan = little_plan(oob=True)
    files = {name: data.decode().splitlines() for name, data in ndt(plan).items()}
    assert all(lines[0] == HEADER for lines in files.values())
    rows = {tuple(line.split(",")) for lines in files.values() for line in lines[1:]}
    wanted = set()
    for link in plan.links.filter(pl.col("plane") == "compute").iter_rows(named=True):
        if link["b_nic"]:
            node = link["b_name"].removesuffix(f" {link['b_nic']}")
            wanted.add((node, link["b_name"], link["a_name"], f"Port {link['a_port']}", "Data"))
        else:
            wanted.add((link["a_name"], f"Port {link['a_port']}", link["b_name"], f"Port {link['b_port']}", "Data"))
    assert rows == wanted


def test_a_plan_that_knows_only_links_is_exported_whole() -> None:
    plan = little_plan()
    partial = Plan("partial", {"links": plan.links})
    assert ndt(partial) == ndt(plan)


def test_a_directors_port_keeps_its_label() -> None:
    plan = little_plan()
    board = pl.when(pl.col("b_device") == "sw:compute/spine-0").then(pl.lit("Blade 16_Port 2/20")).otherwise("b_label")
    plan = replace(plan, tables={**plan.tables, "links": plan.links.with_columns(board.alias("b_label"))})
    assert b",SPINE-01,Blade 16_Port 2/20,Data" in ndt(plan)["ndt/switch_to_switch.ndt"]


def test_netlist_lines_come_in_pairs() -> None:
    text = netlist(little_plan(oob=True))["netlist/ib0.net"].decode()
    owner, ends = "", set()
    for line in text.splitlines():
        head = re.match(r'(?:Switch|Ca) \d+ "([SH]-[0-9a-f]{16})"', line)
        owner = head[1] if head else owner
        port = re.match(r'\[(\d+)\](?:\([0-9a-f]{16}\))?\t"([SH]-[0-9a-f]{16})"\[(\d+)\]', line)
        if port:
            ends.add((owner, port[1], port[2], port[3]))
    assert len(ends) == 2 * little_plan().links.height
    assert {(c, d, a, b) for a, b, c, d in ends} == ends


def test_the_netlist_has_the_guids_of_the_plans_lids() -> None:
    plan = with_subnet(little_plan(nodes=2, rails=1, spines=1))
    assert netlist(plan) == netlist(little_plan(nodes=2, rails=1, spines=1))  # made GUIDs are the same without LIDs
    nic, switch = pl.col("port") == "node:0001/mlx5_0", pl.col("port") == "sw:compute/leaf-000-0#0"
    given = pl.when(nic).then(pl.lit("b83fd20300aabb00")).when(switch).then(pl.lit("fc6a1c0300112240"))
    lids = plan.table("lids").with_columns(given.otherwise("port_guid").alias("port_guid"))
    text = netlist(replace(plan, tables={**plan.tables, "lids": lids}))["netlist/ib0.net"].decode()
    assert 'switchguid=0xfc6a1c0300112240\nSwitch 4 "S-fc6a1c0300112240"   # "LEAF-01"' in text
    assert '[1](b83fd20300aabb00)\t"S-fc6a1c0300112240"[2]' in text and 'Ca 1 "H-b83fd20300aabaff"' in text


@pytest.mark.parametrize(
    ("target", "name", "says"),
    [
        (ndt, "LEAF,01", "cannot carry that character"),
        (ndt, 'LEAF"01', "cannot carry that character"),
        (ndt, "=LEAF-01", "would not take it for a name"),
        (ndt, "#LEAF-01", "would not take it for a name"),
        (ndt, "LEAF\n01", "cannot carry that character"),
        (netlist, 'LEAF"01', "cannot carry that character"),
        (netlist, "LEAF=01", "cannot carry that character"),
        (netlist, "L" * 65, "at most 64 bytes"),
    ],
)
def test_a_name_that_a_format_cannot_carry_is_refused(target: object, name: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        target(renamed(little_plan(), "LEAF-01", name))  # type: ignore[operator]
    assert "ART-001" in str(caught.value) and says in str(caught.value)


def test_equal_plans_give_equal_bytes() -> None:
    assert make(little_plan()) == make(little_plan())
    assert list(TARGETS)[:8] == ["ndt", "netlist", "opensm", "nvidia-sm", "ufm", "topo", "cut-sheet", "port-descriptions"]
    assert list(TARGETS)[8:12] == ["roce", "hosts", "drawings", "pdf-book"]
    assert all(bool(t.proof) != bool(t.unrehearsed) for t in TARGETS.values())


def test_a_file_changed_by_hand_stays_unless_forced(tmp_path: Path) -> None:
    plan = little_plan()
    assert {w.state for w in export(plan, tmp_path)} == {"new"}
    assert {w.state for w in export(plan, tmp_path)} == {"same"}
    edited = tmp_path / "artefacts" / "ndt" / "switch_to_host.ndt"
    edited.write_bytes(b"mine\n")
    with pytest.raises(ProblemError) as caught:
        export(plan, tmp_path)
    assert "ART-002" in str(caught.value) and edited.read_bytes() == b"mine\n"
    assert {w.path: w.state for w in export(plan, tmp_path, force=True)}["ndt/switch_to_host.ndt"] == "changed"


def test_a_new_plan_replaces_what_was_exported(tmp_path: Path) -> None:
    export(little_plan(), tmp_path)
    assert "changed" in {w.state for w in export(little_plan(nodes=5), tmp_path)}


def test_an_unknown_target_is_named_with_its_neighbour() -> None:
    with pytest.raises(ProblemError) as caught:
        make(little_plan(), ["netlst"])
    assert "; did you mean netlist?" in str(caught.value)


def test_the_command_lists_targets_without_a_project(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--list", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [t["target"] for t in document["targets"]] == list(TARGETS) and all(t["lost"] for t in document["targets"])
    assert main(["export", "--list"]) == 0
    told = capsys.readouterr().out
    assert "not rehearsed: UFM is not freely available" in told and "proven: the real OpenSM 3.3.23 on ibsim" in told


def test_an_ethernet_fabric_gives_no_empty_cable_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {name.split("/")[0] for name in make(little_plan(technology="ethernet"))} == {
        "collect",
        "cut-sheet",
        "drawings",
        "port-descriptions",
    }
    assert main(["new", "roce-b200", str(tmp_path / "p")]) == 0
    assert main(["-C", str(tmp_path / "p"), "plan"]) == 0
    capsys.readouterr()
    assert main(["-C", str(tmp_path / "p"), "export", "ndt", "netlist", "opensm", "topo"]) == 0
    assert "nothing to write" in capsys.readouterr().err
    assert main(["-C", str(tmp_path / "p"), "export", "cut-sheet"]) == 0
    said = capsys.readouterr()
    assert said.out == "artefacts/cut-sheet/cables.csv\n" and said.err.endswith("bytes, new, not rehearsed\n")
