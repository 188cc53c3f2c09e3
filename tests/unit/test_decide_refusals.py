"""What a user can get wrong with `asbuilt decide`, told word for word; nothing is simulated before it is told."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import asbuilt.decide.answer as answering
import asbuilt.workflow.decide as use_case
from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.decide.cases import case_of
from asbuilt.decide.schedule_input import TooLongError
from asbuilt.decide.simulate import Outcomes, expected, ids
from asbuilt.workflow import templates
from asbuilt.workflow.assumptions import limits
from asbuilt.workflow.decide import decide
from decide_sites import SMALL, WET, question, site
from template_plans import made

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "decide" / "command"
ABSURD = """schema: decide/v1
currency: USD
gpu_hour: -2
own:
  experience_racks: -3
  shift: {hours: 0, shifts: 2, days: 5}
  teams: {fibre: 0}
checkpoints: {connector_inspection: 1.5}
assumptions:
  fault.connector_dirty.rate: 0
  fault.optic_dead.rate: {low: 0.02, likely: 0.01, high: 0.03}
  fault.cord_wrong.rate: 2
  fault.connector_dirty.detect.inspection: 95 %
  fault.trunk_loss.detect.inspection: 130
  work.trunk_pull.minutes: 0
  work.node_acept.minutes: 30
  money.gpu_hours: 2
  money.hour.fibre: -80
  money.premium.specialist: {low: 0.4, likely: 0.3, high: 0.2}
  plumbing: 4
"""
#: Options after the name of the site; what they are told is in the golden file of that name.
OPTIONS = {
    "runs-0": ["--runs", "0"],
    "runs-minus": ["--runs", "-1"],
    "runs-far-too-many": ["--runs", "1000000000000"],
    "seed-minus": ["--seed", "-1"],
    "gpu-hour-minus": ["--gpu-hour", "-1"],
    "gpu-hour-nan": ["--gpu-hour", "nan"],
    "gpu-hour-infinite": ["--gpu-hour", "inf"],
    "gpu-hour-absurd": ["--gpu-hour", "1e30"],
    "processes-0": ["--processes", "0"],
    "processes-far-too-many": ["--processes", "1000000"],
    "all-at-once": ["--runs", "0", "--seed", "-1", "--gpu-hour", "nan", "--processes", "0"],
    "racks-0": ["--racks", "0"],
    "racks-minus": ["--racks", "-5"],
    "gpus-7": ["--gpus", "7"],
    "gpus-far-too-many": ["--gpus", "99999999999999"],
    "file-absent": ["--file", "none.yaml"],
    "file-a-folder": ["--file", "folder"],
    "file-empty-name": ["--file", ""],
    "file-absurd": ["--file", "absurd.yaml"],
    "file-another-kind": ["--file", "plain.txt"],
    "html-there": ["--html", "plain.txt"],
    "html-a-folder": ["--html", "folder", "--force"],
    "html-nowhere": ["--html", "nowhere/decision.html"],
    "html-below-a-file": ["--html", "plain.txt/decision.html"],
}
#: What stands in the place of the site.
SITES = {"site-unknown": "l40s-385", "site-empty": "", "site-no-yaml": "plain.txt", "site-without-plan": "folder"}
#: What the parser of options itself says, behind the usage.
USAGE = {
    "runs-1e12": (["--runs", "1e12"], "argument --runs: invalid int value: '1e12'"),
    "seed-text": (["--seed", "lucky"], "argument --seed: invalid int value: 'lucky'"),
    "gpu-hour-text": (["--gpu-hour", "dear"], "argument --gpu-hour: invalid float value: 'dear'"),
    "gpu-hour-comma": (["--gpu-hour", "2,5"], "argument --gpu-hour: invalid float value: '2,5'"),
    "racks-text": (["--racks", "many"], "argument --racks: invalid int value: 'many'"),
    "both": (["--racks", "8", "--gpus", "64"], "argument --gpus: not allowed with argument --racks"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to ask in; whoever gets as far as simulating fails."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain.txt").write_text("hello\n", encoding="utf-8")
    (tmp_path / "absurd.yaml").write_text(ABSURD, encoding="utf-8")
    real = use_case._planned
    monkeypatch.setattr(
        use_case, "_planned", lambda source, at, size: (made(SMALL), None) if size is None else real(source, at, size)
    )
    monkeypatch.setattr(answering, "answer", lambda *asked: pytest.fail("it was simulated"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def held_against(name: str, said: str) -> None:
    said = said.replace(", ".join(templates.names()), "TEMPLATES")
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", OPTIONS)
def test_what_is_wrong_with_an_option_is_told_word_for_word(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decide", SMALL, *OPTIONS[name]]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    held_against(name, err)


@pytest.mark.parametrize("name", SITES)
def test_what_is_no_site_is_told_word_for_word(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain.txt").write_text("hello\n", encoding="utf-8")
    assert main(["-C", str(tmp_path), "decide", SITES[name]]) == 2
    held_against(name, capsys.readouterr().err.replace(f"{tmp_path}/", ""))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", USAGE)
def test_what_is_no_number_is_told_behind_the_usage(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    options, words = USAGE[name]
    assert main(["decide", SMALL, *options]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"asbuilt decide: error: {words}"


@pytest.mark.usefixtures("folder")
def test_a_folder_of_others_is_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Root may write everywhere: the answer of the system is put in its place.
    monkeypatch.setattr(os, "access", lambda path, how: str(path) != "folder")
    assert main(["decide", SMALL, "--html", "folder/decision.html"]) == 2
    held_against("html-of-others", capsys.readouterr().err)


def test_every_absurd_line_is_told_at_once_with_what_was_probably_meant() -> None:
    told = (GOLDEN / "file-absurd.txt").read_text(encoding="utf-8")
    for line, text in enumerate(ABSURD.splitlines(), start=1):
        right = text.endswith(":") or line <= 2
        assert right != (f"absurd.yaml:{line}:" in told), text
    for meant in ("work.node_accept.minutes", "money.gpu_hour"):
        assert f"`{meant}`" in told or meant in told


def test_work_that_would_never_end_is_told_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_case, "_planned", lambda source, at, size: (made(SMALL), None))
    path = tmp_path / "slow.yaml"
    path.write_text("schema: decide/v1\nassumptions:\n  learning.slope: 0.000001\n", encoding="utf-8")
    with pytest.raises(ProblemError) as caught:
        decide(SMALL, tmp_path, file=path, runs=1, processes=1)
    (problem,) = caught.value.problems.items
    assert problem.code == "CLI-102" and "could last longer than the" in problem.what
    assert problem.fix == "state fewer minutes for a piece, or slopes nearer to 1 (learning.slope, experience.fault_slope)"
    assert str(problem.place) == str(path)


def test_no_value_that_is_allowed_makes_a_figure_that_is_none() -> None:
    """Each input alone at the least and at the most that a project may state: finite and not negative, or told."""
    asked = question(WET)
    case = case_of(site(WET), asked, asked.arrangements[-1])
    slow = [id for id in ids(case.assumptions) if id.endswith((".minutes", "slope"))]
    others = [id for id in ids(case.assumptions) if id not in slow]
    values = {id: np.full(2 * len(others), case.assumptions[id].mean) for id in others}
    for at, id in enumerate(others):
        values[id][2 * at : 2 * at + 2] = ends(id)
    held_up(expected(case, values, 2 * len(others)))
    told = set()
    for id in slow:
        for value in ends(id):
            try:
                held_up(expected(case, {id: np.array([value])}))
            except TooLongError:
                told.add(id)
    assert "learning.slope" in told


def ends(id: str) -> tuple[float, float]:
    """The least and the most that a project may state."""
    bounds = limits()[id]
    least = bounds.least if bounds.least is not None else (bounds.above or 0.0) + 1e-9
    assert bounds.most is not None, f"{id} has no most"
    return least, bounds.most


def held_up(found: Outcomes) -> None:
    for figure in (found.parts, found.first_job_d, found.acceptance_d, found.idle_gpu_h, found.caught, found.rework_h):
        assert np.isfinite(figure).all() and (figure >= 0.0).all()
