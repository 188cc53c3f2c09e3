"""`asbuilt compare` from files: formats told apart, several files, GUID lists, refusals, exit codes, HTML."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import fabric_dump as maker
from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.parsers.plans import guid_list, ibsim
from asbuilt.parsers.sniff import sniff, told
from asbuilt.workflow.captures import write_captures
from asbuilt.workflow.foreign_plan import read_plans
from asbuilt.workflow.rehearse import rehearse
from little_fabric import little_plan

FABRIC = maker.fabric(3)
NAMES = FABRIC.names
CABLES = list(zip(FABRIC.a, FABRIC.a_port, FABRIC.b, FABRIC.b_port, strict=True))
ROWS = [(NAMES[a], p, NAMES[b], q) for a, p, b, q in CABLES]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    hosts = [r for r in ROWS if " " in r[2]]
    switches = [r for r in ROWS if " " not in r[2]]
    head = "#StartDevice,StartPort,EndDevice,EndPort,LinkType\n"
    (tmp_path / "hosts.ndt").write_text(head + "".join(f"{b.split()[0]},{b},{a},Port {p},Data\n" for a, p, b, _ in hosts))
    (tmp_path / "switches.ndt").write_text(head + "".join(f"{a},Port {p},{b},Port {q},Data\n" for a, p, b, q in switches))
    rows = "".join(f"{a},{p},{b.replace(' ', ',')}\n" for a, p, b, _ in hosts)
    (tmp_path / "cables.csv").write_text("leaf,hole,who,card\n" + rows)
    (tmp_path / "dump.txt").write_bytes(maker.dump(FABRIC))
    return tmp_path


def run(folder: Path, *words: str) -> int:
    return main(["-C", str(folder), "compare", *words])


def test_two_plans_and_a_dump(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = ("--plan", "hosts.ndt", "--plan", "switches.ndt", "--measured", "dump.txt")
    assert run(folder, *both, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["summary"]["planned"] == answer["summary"]["ok"] == len(CABLES) and answer["exit"] == 0
    assert run(folder, *both) == 0
    assert capsys.readouterr().out.startswith(f"{len(CABLES):,} links planned: {len(CABLES):,} ok\n")


def test_columns_and_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--plan", "cables.csv", "--measured", "dump.txt", "--html", "page.html")
    assert run(folder, *words) == 2
    assert "PAR-002" in capsys.readouterr().err
    columns = ("--columns", "a_device=leaf,a_port=hole,b_device=who,b_port=card")
    assert run(folder, *words, *columns) == 0
    assert "<html" in (folder / "page.html").read_text()
    assert run(folder, *words, *columns) == 2
    assert "CLI-046" in capsys.readouterr().err


def test_a_guid_list(folder: Path) -> None:
    blank = ["MT4129 ConnectX7   Mellanox Technologies"] * len(NAMES)
    (folder / "dump.txt").write_bytes(maker.dump(FABRIC, descriptions=blank))
    (folder / "guids.csv").write_text(
        "guid,name\n" + "".join(f"0x{g},{n}\n" for g, n in zip(maker.guids(FABRIC), NAMES, strict=True))
    )
    assert run(folder, "--plan", "hosts.ndt", "--measured", "dump.txt", "--guids", "guids.csv") == 0


def test_what_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "smi.txt").write_text("+---+\n| NVIDIA-SMI 550.54 |\n")
    (folder / "empty.txt").write_text("")
    assert run(folder, "--plan", "hosts.ndt", "--measured", "smi.txt") == 2
    assert "PAR-008" in (said := capsys.readouterr().err) and "nvidia-smi" in said
    assert run(folder, "--plan", "smi.txt", "--measured", "dump.txt") == 2
    assert "PAR-001" in capsys.readouterr().err
    assert run(folder, "--plan", "nowhere.ndt", "--measured", "dump.txt") == 2
    assert "CLI-040" in capsys.readouterr().err
    assert run(folder, "--plan", "hosts.ndt", "--measured", "empty.txt") == 3
    assert run(folder, "--plan", "hosts.ndt", "--measured", "dump.txt", "--scope", "row=A") == 2


def test_one_port_in_two_files(folder: Path) -> None:
    text = (folder / "hosts.ndt").read_text()
    (folder / "more.ndt").write_text(
        text.replace("Port 1,", "Port 9,").replace("Port 2,", "Port 1,").replace("Port 9,", "Port 2,")
    )
    assert read_plans([str(folder / "hosts.ndt")] * 2).links.height == 24
    with pytest.raises(ProblemError, match="PAR-006"):
        read_plans([str(folder / "hosts.ndt"), str(folder / "more.ndt")])


def test_guid_lists() -> None:
    plain = guid_list.read(b"GUID,name\n0x0002c903000d7aac,leaf-1\n0c42:a103:0079:aeec , leaf-2\n")
    assert plain.rows() == [("0002c903000d7aac", "leaf-1"), ("0c42a1030079aeec", "leaf-2")]
    assert guid_list.read(b'# map\n0x2c903000d7aac\t"leaf 1"\n').rows() == [("0002c903000d7aac", "leaf 1")]
    for bad in (b"", b'<guid>  "leaf"\n', b"12,a\n12,b\n", b"0002c903000d7aac,a\n0x0002c903000d7aac,b\n", b"zz,a\n"):
        with pytest.raises(ProblemError, match="PAR-007"):
            guid_list.read(bad)


def test_the_sniffer() -> None:
    assert sniff(maker.dump(FABRIC)) == ("ibnetdiscover",)
    assert told(b"") == "the file is empty" and told(b"a\0") == "this is binary"
    assert told(b"hello") == "no tool that we know writes this"
    assert told("# Topology file: generated on\n".encode("utf-16")) == "this looks like ibnetdiscover"


def test_a_chassis_of_several_asics_is_one_switch() -> None:
    """Four GUIDs behind one system GUID, one of them named: its unnamed ASICs are that switch, too."""
    from asbuilt.diagnose.identity import identify, planned_devices

    links = maker.links(FABRIC)
    devices = planned_devices(links)
    measured = pl.DataFrame(
        {
            "guid": ["00000000000000a0", "00000000000000a1", "00000000000000b1"],
            "system_guid": ["00000000000000a0", "00000000000000a0", "00000000000000b0"],
            "kind": ["switch"] * 3,
            "description": ["MF0;leaf-0000-r1:MQ3400/U1", "Quantum Mellanox Technologies", "Quantum Mellanox Technologies"],
        }
    )
    found = identify(devices, measured).planned
    assert found[0] == found[1] >= 0 and devices.frame["name"][int(found[0])] == "leaf-0000-r1" and found[2] == -1


@pytest.mark.parametrize("command", ["verify", "report", "rehearse", "adopt"])
def test_a_place_that_cannot_be_written_is_a_users_problem(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "l40s-384", str(tmp_path / "p")]) == 0
    assert main(["-C", str(tmp_path / "p"), "plan"]) == 0
    assert main(["-C", str(tmp_path / "p"), "rehearse", "--keep", "cap"]) == 0
    (tmp_path / "p" / "file").write_text("in the way")
    option = {"verify": ["cap", "--html", "file/x.html"], "report": ["--html", "file/x.html"]}
    option |= {"rehearse": ["--keep", "file/x"], "adopt": ["cap", "--out", "file/x.yaml"]}
    capsys.readouterr()
    assert main(["-C", str(tmp_path / "p"), command, *option[command]]) == 2
    assert "CLI-047" in capsys.readouterr().err


def test_pages_say_what_each_check_claims(tmp_path: Path) -> None:
    assert main(["new", "l40s-384", str(tmp_path / "p")]) == 0
    assert main(["-C", str(tmp_path / "p"), "plan"]) == 0
    assert main(["-C", str(tmp_path / "p"), "rehearse", "--keep", "cap"]) == 0
    assert main(["-C", str(tmp_path / "p"), "verify", "cap", "--html", "v.html"]) == 0
    assert "Every planned link ends in the port that the plan names" in (tmp_path / "p" / "v.html").read_text()
    assert main(["-C", str(tmp_path / "p"), "report", "cap", "--html", "r.html"]) == 3, "files are relative to -C"
    assert (tmp_path / "p" / "r.html").is_file()


def test_the_inside_of_a_director_is_no_cable_of_a_netlist() -> None:
    text = (
        'Switch 40 "S-1"  # "MF0;D1:CS8500/L1/U1"\n[1] "H-1"[1]\n[21] "S-2"[1]\n\n'
        'Switch 40 "S-2"  # "MF0;D1:CS8500/S1/U1"\n[1] "S-1"[21]\n[2] "S-3"[1]\n\n'
        'Switch 40 "S-3"  # "MF0;D2:CS8500/S1/U1"\n[1] "S-2"[2]\n\nHca 1 "H-1"  # "gpu001 mlx5_0"\n[1] "S-1"[1]\n'
    )
    plan = ibsim.read(text.encode(), "x.net")
    assert plan.links.height == 2 and plan.account is not None and plan.account.balanced and not plan.unread


def test_what_will_be_captured_after_the_repairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = little_plan(nodes=8)
    write_captures(rehearse(plan, ["mirror:LEAF-01/1-8", "unplug:LEAF-02/3"]).captures, tmp_path / "now")
    write_captures(rehearse(plan).captures, tmp_path / "planned")
    there = ["-C", str(tmp_path), "compare"]
    assert main([*there, "--predicted", "planned", "--measured", "now", "--predict", "after"]) == 1
    told = capsys.readouterr()
    assert "ports 1–8 of LEAF-01 are mirrored" in told.out
    assert told.err == ("predicted after 9 moves: after\n  gpu002 mlx5_1: no capture shows it, so its GUID there is made up\n")
    assert main([*there, "--predicted", "planned", "--measured", "after"]) == 0
    assert main([*there, "--predicted", "after", "--measured", "planned"]) == 0
    capsys.readouterr()
    assert main([*there, "--predicted", "after", "--measured", "now", "--json"]) == 1
    seen = json.loads(capsys.readouterr().out)
    assert (seen["summary"]["wrong"], seen["summary"]["missing"]) == (8, 1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "CLI-001 neither --plan nor --predicted is given"),
        (["--plan", "a.csv", "--predicted", "now"], "CLI-001 --plan and --predicted are both given"),
        (["--predicted", "now", "--predict", "now"], "CLI-046 now is not empty"),
        (["--predicted", "empty"], "CLI-048 nothing to predict from: no capture shows a link"),
    ],
)
def test_what_compare_refuses_about_predictions(
    options: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_captures(rehearse(little_plan()).captures, tmp_path / "now")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "dump.txt").write_text("\n")
    assert main(["-C", str(tmp_path), "compare", *options, "--measured", "now"]) == 2
    assert says in capsys.readouterr().err
