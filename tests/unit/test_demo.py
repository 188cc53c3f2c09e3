"""The demo: every step holds, with and without the real programs; a folder of someone else's is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.cli.main import main
from asbuilt.rehearse import ibsim
from asbuilt.workflow.demo import FAULTS, Step, demo


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Step]]:
    """The folder of a demo without the real programs, and its steps."""

    def missing(names: object) -> dict[str, str]:
        raise ProblemError(Problem("CLI-024", "not installed: ibsim"))

    folder = tmp_path_factory.mktemp("demos") / "demo"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ibsim.programs, "find", missing)
        return folder, list(demo(folder))


def test_the_whole_road_holds_without_the_real_programs(embedded: tuple[Path, list[Step]]) -> None:
    folder, steps = embedded
    assert all(step.holds for step in steps)
    told = "\n".join(line for step in steps for line in step.lines)
    assert "490 links planned: 482 ok, 6 wrong, 2 missing, 0 unplanned" in told
    assert "4 acts of repair for 4 faults: 1 exchange, 2 plug, 1 rotation" in told
    assert "measured again: 490 of 490 links ok" in told
    assert "not run: not installed: ibsim. The embedded twin stood in" in told
    assert all(f"put in   {fault}" in told for fault in FAULTS)
    report = (folder / "reports" / "report.html").read_text(encoding="utf-8")
    assert "two cables are exchanged: node0007 mlx5_0 and node0019 mlx5_1" in report
    assert "Measured against the plan" not in report, "a rehearsal is no measurement"


def test_a_second_run_replaces_the_first(embedded: tuple[Path, list[Step]], capsys: pytest.CaptureFixture[str]) -> None:
    folder = embedded[0]
    report = folder / "reports" / "report.html"
    report.write_text("of the first run", encoding="utf-8")
    assert main(["-C", str(folder.parent), "demo"]) == 0
    assert capsys.readouterr().out.count("the whole road holds") == 1
    assert "two cables are exchanged" in report.read_text(encoding="utf-8")
    assert sorted(p.name for p in folder.parent.iterdir()) == ["demo"]


def test_a_folder_of_someone_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cluster.yaml").write_text("name: mine\n", encoding="utf-8")
    assert main(["demo", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"{tmp_path}: CLI-060 the folder holds something that is not a demo's\n"
        "  fix: name an empty or new folder: `asbuilt demo DIR`\n1 problem\n"
    )
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == "name: mine\n"
