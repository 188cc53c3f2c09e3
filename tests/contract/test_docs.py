"""Pages that a user reads must stay true: commands exist, links resolve, shown output is what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from asbuilt.cli.main import COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
BLOCK = re.compile(r"^```\n(.*?)^```", re.S | re.M)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    missing = [t for t in targets if not (page.parent / t).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    said = set(re.findall(r"(?:`|^)asbuilt (?:-C \S+ )?([a-z]+)", text, re.M))
    assert said <= set(COMMANDS), f"no such commands: {sorted(said - set(COMMANDS))}"


def test_the_readme_names_every_command_and_the_two_make_targets() -> None:
    first_screen = README[: README.index("**How big")]
    assert "make demo" in first_screen and "make test" in first_screen
    assert all(re.search(rf"`(asbuilt )?{command}\b", README) for command in COMMANDS)


def test_paths_in_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    source = ROOT / "src" / "asbuilt"
    for path in re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?)`", text):
        assert (source / path).exists() or (ROOT / path).exists(), path


def shown(start: str) -> list[str]:
    """The lines of the README's block that begins with ``start``, without the ones left out."""
    block = next(b for b in BLOCK.findall(README) if b.startswith(start))
    return [line.rstrip() for line in block.splitlines() if line.strip() not in ("...", "")]


def holds(line: str, out: str) -> bool:
    """True when ``out`` has the line; ``...`` at its end stands for the rest."""
    return line.removesuffix(" ...") in out


def test_the_size_screen_of_the_readme_is_real(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["size", "--system", "dgx-h100", "--gpus", "1024"]) == 0
    out = capsys.readouterr().out
    assert [line for line in shown("1,024 GPUs") if not holds(line, out)] == []


def test_the_findings_of_the_readme_are_real(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for template, command, code, start in (
        ("l40s-384-as-written", ("check",), 1, "BLOCKER  DES-012"),
        ("l40s-384", ("rehearse", "--fault", "swap:node0030/mlx5_0,node0046/mlx5_2"), 0, "MAJOR  FAB-001"),
    ):
        project = tmp_path / template
        assert main(["new", template, str(project)]) == 0
        assert main(["-C", str(project), "plan"]) == 0
        capsys.readouterr()
        assert main(["-C", str(project), *command]) == code
        out = capsys.readouterr().out
        assert [line for line in shown(start) if not holds(line, out)] == []
