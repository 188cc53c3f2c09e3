"""The command line as a contract: help text, lazy imports, exit codes."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from asbuilt.cli.main import COMMANDS, main, usage

ROOT = Path(__file__).resolve().parents[2]
HELP = ROOT / "tests" / "golden" / "cli_help.txt"
#: Neither --help nor the closed form may pay for these.
HEAVY = ("polars", "numba", "pandas", "rich", "openpyxl", "fastapi", "jinja2", "numpy", "ClusterShell", "pyarrow")


def test_help_is_the_snapshot() -> None:
    assert usage() + "\n" == HELP.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_module_with_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"asbuilt.cli.{command}")
    assert module.HELP
    assert main([command, "--help"]) == 0
    assert f"usage: asbuilt {command}" in capsys.readouterr().out


READERS = (
    "catalogue",
    "size",
    "plan",
    "show",
    "diff",
    "check",
    "rehearse",
    "verify",
    "compare",
    "report",
    "explain",
    "adopt",
    "collect",
    "decide",
)


@pytest.mark.parametrize("command", READERS)
def test_reading_commands_speak_json(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([command, "--help"])
    assert "--json" in capsys.readouterr().out


def loaded_by(code: str) -> set[str]:
    probe = f"import sys\n{code}\nimport json\nprint('\\n' + json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.strip().splitlines()[-1]))


def test_help_imports_nothing_heavy() -> None:
    assert loaded_by("from asbuilt.cli.main import main; main(['--help'])") == set()


def test_size_imports_nothing_heavy() -> None:
    assert loaded_by("import asbuilt; asbuilt.size('dgx-h100', 1024)") == set()


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ([], 2, ""),
        (["--version"], 0, ""),
        (["sise"], 2, "CLI-002 unknown command 'sise'\n  fix: did you mean `asbuilt size`?\n1 problem\n"),
        (["--quiet"], 2, "CLI-001 unknown option '--quiet'\n  fix: see `asbuilt --help`\n1 problem\n"),
        (["zzz"], 2, "CLI-002 unknown command 'zzz'\n  fix: see `asbuilt --help` for the commands\n1 problem\n"),
    ],
)
def test_usage_mistakes(arguments: list[str], code: int, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == code
    assert capsys.readouterr().err == text


def test_an_internal_error_is_70_and_one_message(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import asbuilt.cli.explain as command

    def broken(_: object) -> int:
        raise RuntimeError("boom")

    monkeypatch.setattr(command, "run", broken)
    monkeypatch.delenv("ASBUILT_TRACEBACK", raising=False)
    assert main(["explain", "FAB-001"]) == 70
    assert capsys.readouterr().err == (
        "CLI-070 internal error: RuntimeError: boom\n"
        "  why: this is a fault of asbuilt, not of your input\n"
        "  fix: run again with ASBUILT_TRACEBACK=1 and report the output\n"
    )


def test_a_panic_of_the_table_library_is_70_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import polars as pl

    import asbuilt.cli.explain as command

    def broken(_: object) -> int:
        raise pl.exceptions.PanicException("index out of bounds")

    monkeypatch.setattr(command, "run", broken)
    assert main(["explain", "FAB-001"]) == 70
    assert capsys.readouterr().err.startswith("CLI-070 internal error: PanicException: index out of bounds\n")
