"""`asbuilt size`: one screen of 80 columns, a table for several sizes, JSON by contract, and problems that teach."""

from __future__ import annotations

import io
import json
import re

import pytest

from asbuilt.cli.main import main
from asbuilt.cli.size import gpu_counts
from asbuilt.cli.sizing_screen import WIDTH, Style, screen, table
from asbuilt.workflow.size import size

PLAIN = Style(False)
CASES = [
    ("dgx-h100", 1024),
    ("gb300-nvl72", 9216),
    ("l40s-8gpu", 384),
    ("dgx-h100", 8),
    ("dgx-b300", 1_048_576),
    ("gb200-nvl72", 1000),
]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("system", "gpus"), CASES)
def test_screen_fits_a_terminal(system: str, gpus: int) -> None:
    text = screen(size(system, gpus), "NVIDIA Something, one tray", "some fabric", {}, PLAIN)
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH, max(lines, key=len)
    assert len(lines) <= 52
    assert "\x1b" not in text
    assert f"{size(system, gpus).gpus:,} GPUs" in lines[0]


def test_screen_answers_the_buyer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--system", "dgx-h100", "--gpus", "1024", "--site-mw", "1.5"]) == 0
    text = capsys.readouterr().out
    for word in (
        "128 nodes",
        "76 switches",
        "1.43 MW",
        "2.00 MW grid at PUE 1.4",
        "can this site carry it",
        "next sensible sizes",
    ):
        assert word in text
    assert re.search(r"compute +32 +16 +– +48 +qm9700 +1 : 1", text)
    assert "too much; about" in text
    assert "hangs on low-confidence figures" in text


def test_colour_only_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert Style.of(Terminal()).colour and not Style.of(io.StringIO()).colour
    coloured = screen(size("dgx-h100", 64), "x", "y", {}, Style.of(Terminal()))
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == screen(size("dgx-h100", 64), "x", "y", {}, PLAIN)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Style.of(Terminal()).colour


def test_several_sizes_make_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--system", "dgx-b200", "--gpus", "256,1k, 2048"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["256", "1,024", "2,048"]
    assert len({len(line) for line in lines[-4:]}) == 1
    assert "NVIDIA" not in table([size("dgx-b200", 256)], "Own", "own", PLAIN)


def test_json_is_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--system", "gb300-nvl72", "--gpus", "100", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["schema"], made["gpus_asked"], made["gpus"], made["nvlink_domains"]) == ("sizing/v1", 100, 144, 2)
    assert set(made["switches"]) == {"compute", "storage", "frontend", "management", "oob", "total"}
    assert set(made["links"]) >= {"node_leaf", "leaf_spine", "spine_core"}
    assert set(made["power"]) == {"it_kw", "it_expected_kw", "facility_kw", "pue"}
    assert {"liquid_kw", "air_kw", "coolant_l_min", "airflow_m3_h", "cdus"} == set(made["cooling"])
    assert made["limits"] and made["assumptions"] and made["sources"] and made["warnings"]
    assert main(["size", "--system", "dgx-h100", "--gpus", "8,16", "--json"]) == 0
    assert [s["gpus"] for s in json.loads(capsys.readouterr().out)["sizings"]] == [8, 16]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--system", "dgx-h100", "--gpus", "7"], "REQ-401", "outside 8 to 1,048,576"),
        (["--system", "dgx-h100", "--gpus", "1048577"], "REQ-401", "1,048,576"),
        (["--system", "dgx-h10", "--gpus", "64"], "CAT-002", "did you mean dgx-h100"),
        (["--system", "dgx-h100", "--gpus", "many"], "CLI-010", "'many' is not a number of GPUs"),
        (["--system", "dgx-h100", "--gpus", "64,"], "CLI-010", "'' is not"),
        (["--system", "dgx-h100", "--gpus", "64", "--fabric", "xdr"], "REQ-403", "take one of ndr, roce"),
        (
            ["--system", "dgx-h100", "--gpus", "64", "--pue", "0.5", "--rack-kw", "nan"],
            "CLI-011",
            "--pue: 0.5 is outside 1 to 3",
        ),
    ],
)
def test_problems_teach(arguments: list[str], code: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == "" and code in told.err and says in told.err and "fix:" in told.err
    assert "Traceback" not in told.err


def test_all_site_problems_come_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--system", "dgx-h100", "--gpus", "64", "--pue", "0.5", "--rack-kw", "0"]) == 2
    assert capsys.readouterr().err.count("CLI-011") == 2


def test_gpu_counts() -> None:
    assert gpu_counts("1_024, 2k") == [1024, 2048]
