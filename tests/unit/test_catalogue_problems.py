"""What a broken catalogue file is answered with, word for word: tests/golden/catalogue/*.yaml and its .txt."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue import read
from asbuilt.catalogue.load import load

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "catalogue"
FILES = sorted(GOLDEN.glob("*.yaml"))


def test_there_are_files_and_each_has_its_text() -> None:
    assert len(FILES) >= 31
    assert {f.stem for f in FILES} == {f.stem for f in GOLDEN.glob("*.txt")}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_answer_to_a_broken_file(path: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        read.read_part(path.read_bytes(), "catalogue/rack/r.yaml", "rack", "r")
    assert caught.value.problems.render() + "\n" == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_every_problem_code_of_a_file_is_shown_by_one() -> None:
    shown = {word for f in GOLDEN.glob("*.txt") for word in f.read_text(encoding="utf-8").split() if word.startswith("CAT-")}
    assert shown == {f"CAT-{number:03d}" for number in range(4, 13)}


def test_without_the_compiled_reader_the_facts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    part = load().get("system", "gb200-nvl72")
    path = Path(read.__file__).parent / "data" / "system" / "gb200-nvl72.yaml"
    monkeypatch.setattr(read, "_Loader", yaml.SafeLoader)
    assert read.read_part(path.read_bytes(), part.file, "system", "gb200-nvl72") == part


def problem_of(folders: list[Path]) -> str:
    with pytest.raises(ProblemError) as caught:
        load(folders)
    return caught.value.problems.render()


def test_folders_that_cannot_be_a_catalogue(tmp_path: Path) -> None:
    (tmp_path / "own" / "racks").mkdir(parents=True)
    rack = tmp_path / "twice" / "rack"
    rack.mkdir(parents=True)
    (rack / "r.yaml").write_text("", encoding="utf-8")
    (rack / "r.yml").write_text("", encoding="utf-8")
    text = problem_of([tmp_path / "own", tmp_path / "twice", tmp_path / "none"])
    kinds = "system, gpu, nic, switch, optic, cable, fibre, rack, power, cooling, storage, software, fabric"
    assert text == (
        f"{tmp_path}/own/racks: CAT-013 racks is not a kind of part; did you mean rack?\n"
        f"  fix: one of {kinds}\n"
        f"{rack}/r.yml: CAT-013 rack r is described twice, also in r.yaml\n"
        "  fix: keep one of the two files\n"
        f"{tmp_path}/none: CAT-013 no such catalogue folder\n"
        "  fix: create it, or leave it out\n"
        "3 problems"
    )


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "rack" / "r.yaml"
    folder.mkdir(parents=True)
    with pytest.raises(ProblemError, match="CAT-004 cannot be read: Is a directory"):
        load([tmp_path]).get("rack", "r")


@pytest.mark.parametrize(
    ("kind", "part_id", "text"),
    [
        ("switches", "qm9700", "CAT-001 no kind switches; did you mean switch?"),
        ("switch", "QM9700", "CAT-002 no switch 'QM9700' in the catalogue; did you mean qm9700?"),
        ("switch", "qm9800", "CAT-002 no switch 'qm9800' in the catalogue; did you mean qm9700?"),
        ("switch", "zzz", "CAT-002 no switch 'zzz' in the catalogue\n"),
    ],
)
def test_an_unknown_part_is_answered_with_the_nearest(kind: str, part_id: str, text: str) -> None:
    with pytest.raises(ProblemError) as caught:
        load().get(kind, part_id)
    assert caught.value.problems.render().startswith(text)
    if kind == "switch":
        assert all(known in str(caught.value) for known in load().ids("switch"))
