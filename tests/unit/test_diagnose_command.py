"""`asbuilt diagnose` on lists of measurements: what it answers, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.parsers.path_measurements import read

PAIRS = """# pairs of one morning
from,to,device,result
node0001,node0002,mlx5_0,pass
node0003,node0004,mlx5_0,fail
node0003,node0005,mlx5_0,fail
node0003,node0006,mlx5_0,fail
node0004,node0006,mlx5_0,pass
node0005,node0006,mlx5_0,pass
node0003,node0006,mlx5_1,pass
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "p"
    assert main(["new", "l40s-384", str(folder)]) == 0
    assert main(["-C", str(folder), "plan"]) == 0
    return folder


def asked(project: Path, text: str, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, str]:
    (project / "m.csv").write_text(text, encoding="utf-8")
    capsys.readouterr()
    code = main(["-C", str(project), "diagnose", "m.csv", *more])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_port_that_explains_all_pairs_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(project, PAIRS, capsys)
    assert code == 1
    assert "7 measurements over 348 components, 3 of them bad" in out
    assert "most probable\n" in out
    assert "node0003 mlx5_0 (card, cable, or its port of IBLEAF-00-07)" in out.split("most probable")[1].splitlines()[1]


def test_json_names_suspects_and_what_is_assumed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(project, PAIRS, capsys, "--json")
    told = json.loads(out)
    assert (told["schema"], told["exit"], code) == ("diagnosis/v1", 1, 1)
    assert told["suspects"][0]["components"] == ["nic:0003/mlx5_0"] and told["certainty"] >= 0.95
    assert told["assumed"]["seen"] == 0.98 and told["unexplained"] == []


def test_one_bad_collective_is_undecided_and_asks_for_the_half_that_tells_most(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = asked(project, "hosts,result\nnode[0000-0047],fail\n", capsys)
    assert code == 3
    assert "measure next  a collective of " in out and "tells 0.9" in out


def test_good_measurements_blame_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(project, "hosts,result\nnode[0000-0047],pass\n", capsys)
    assert code == 0 and "nothing to explain" in out


def test_values_are_held_against_the_limit_that_was_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "from,to,rail,value,unit\nnode0001,node0002,0,196,Gb/s\nnode0003,node0002,0,48,Gb/s\nnode0003,node0001,0,49,Gb/s\n"
    code, out, _ = asked(project, text, capsys, "--least", "180")
    assert code == 3 and "2 of them bad" in out and "node0003" in out.split("suspects so far")[1].splitlines()[1]
    code, _, err = asked(project, text, capsys)
    assert code == 2
    assert "m.csv:2: CLI-084 a value without a result, and no limit to hold it against" in err
    assert "  fix: say --least VALUE, or write a result column" in err


def test_strangers_are_refused_with_their_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "from,to,device,result\nnode0001,nod0002,mlx5_0,pass\nnode0001,node0002,mlx5_77,pass\n"
    code, _, err = asked(project, text, capsys)
    assert code == 2
    assert "m.csv:2: CLI-083 the plan has no node nod0002; did you mean node0002?" in err
    assert "m.csv:3: CLI-083 the plan has no such port of node0002" in err
    code, _, err = asked(project, PAIRS, capsys, "--plane", "nowhere")
    assert code == 2 and "CLI-083 the plan has no link from a node on plane 'nowhere'" in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "PAR-009 there is no measurement in the list"),
        ("a,b\n1,2\n", "PAR-009 the first line does not name the columns: from and to (or hosts), and result or value"),
        ("from,to,result\nn1,n1,pass\n", "PAR-009 a measurement is between two or more different hosts"),
        ("from,to,result\nn1,n2,maybe\n", "PAR-009 result 'maybe' is neither pass nor fail"),
        ("from,to,value\nn1,n2,fast\n", "PAR-009 value 'fast' is no number"),
        ("from,to,value,rail\nn1,n2,3,x\n", "PAR-009 rail 'x' is no number from 0 to 1023"),
        ("from,to,value\nn1,n2,\n", "PAR-009 there is neither a result nor a value"),
        ("hosts,result\nn[1-,fail\n", "PAR-009 hosts: "),
        ('from,to,result\n"n1,n2,pass\n', "PAR-009"),
    ],
)
def test_what_is_no_measurement_is_said_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ProblemError) as caught:
        read(text.encode(), "m.csv")
    assert said in str(caught.value)


def test_hostile_bytes_are_refused() -> None:
    for data in (b"\xff\xfe\x00\xd8", b"\x00" * 50, b"from,to,result\n" + b"x" * (2 << 20)):
        with pytest.raises(ProblemError):
            read(data, "m.csv")
