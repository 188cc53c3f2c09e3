"""``asbuilt decide``: the screen word for word, JSON, the report file, what goes to the use case, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import asbuilt.workflow.decide as use_case
from asbuilt.cli.decide import size_of
from asbuilt.cli.decide_screen import screen
from asbuilt.cli.main import main
from asbuilt.cli.sizing_screen import Style
from decision_sample import sample

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "decide" / "screen.txt"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, dict[str, Any]]]:
    """What the use case was asked; it answers with the made-up decision."""
    calls: list[tuple[Any, dict[str, Any]]] = []

    def answered(source: str | None, folder: Path, **rest: Any) -> Any:
        calls.append(((source, folder), rest))
        return sample()

    monkeypatch.setattr(use_case, "decide", answered)
    return calls


def test_the_screen_is_the_golden_one() -> None:
    assert screen(sample(), Style(False)) + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_the_screen_is_printed(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decide"]) == 0
    assert capsys.readouterr().out == GOLDEN.read_text(encoding="utf-8")
    (source, folder), rest = asked[0]
    assert source is None and folder == Path() and rest["size"] is None and rest["file"] is None
    assert (rest["runs"], rest["seed"], rest["without_claims"], rest["processes"], rest["gpu_hour"]) == (
        20_000,
        1,
        False,
        None,
        None,
    )


def test_options_reach_the_use_case(asked: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--racks", "100", "--file", "own.yaml", "--gpu-hour", "2.5", "--runs", "500", "--seed", "7", "--without-claims"]
    assert main(["-C", str(tmp_path), "decide", "gb300-nvl72", *options, "--processes", "2", "--json"]) == 0
    (source, folder), rest = asked[0]
    assert (source, folder, rest["size"], rest["file"]) == ("gb300-nvl72", tmp_path, "100racks", tmp_path / "own.yaml")
    assert (rest["gpu_hour"], rest["runs"], rest["seed"], rest["without_claims"], rest["processes"]) == (2.5, 500, 7, True, 2)
    assert json.loads(capsys.readouterr().out)["schema"] == "decision/v1"
    assert size_of(1024, None) == "1024" and size_of(None, None) is None


def test_the_report_is_written_once(asked: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(tmp_path), "decide", "--html", "out.html"]) == 0
    assert "wrote out.html" in capsys.readouterr().err
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "Who builds it" in page
    assert main(["-C", str(tmp_path), "decide", "--html", "out.html"]) == 2
    assert len(asked) == 1, "it is refused before the work"
    assert "CLI-046 out.html is there already" in capsys.readouterr().err
    assert main(["-C", str(tmp_path), "decide", "--html", "out.html", "--force"]) == 0
    capsys.readouterr()
    assert main(["-C", str(tmp_path), "decide", "--html", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")


@pytest.mark.parametrize("options", [["--racks", "8", "--gpus", "64"], ["--runs", "many"], ["--gpu-hour", "dear"]], ids=str)
def test_wrong_options_are_2(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decide", *options]) == 2
    assert "usage: asbuilt decide" in capsys.readouterr().err


def test_its_help_imports_nothing_heavy() -> None:
    heavy = ("polars", "numba", "rich", "jinja2", "numpy", "asbuilt.report", "asbuilt.workflow")
    probe = "import sys\nfrom asbuilt.cli.main import main\nmain(['decide', '--help'])\n"
    probe += f"print('loaded:', [m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"
