"""The road on the command line: plan, export, rehearse, verify, and what each says and returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.model.decode_requirement import decode
from asbuilt.parsers.plans import ndt as ndt_reader
from asbuilt.rehearse.engines import ENGINES
from asbuilt.workflow import templates
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.export import make
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import rehearse
from asbuilt.workflow.verify import verify
from little_fabric import little_plan


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compiled project of the demo's size."""
    folder = tmp_path_factory.mktemp("l40s")
    (folder / "cluster.yaml").write_text(templates.text("l40s-384"), encoding="utf-8")
    assert main(["-C", str(folder), "plan", "--json"]) == 0
    return folder


def asked(project: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    capsys.readouterr()
    code = main(["-C", str(project), *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", templates.names())
def test_every_template_rehearses_clean_with_every_link_counted(name: str) -> None:
    plan = make_plan(decode(templates.text(name).encode(), name))
    rehearsal = rehearse(plan)
    assert rehearsal.verification.findings == () and rehearsal.exit_code == 0
    summary = rehearsal.verification.summary
    assert (summary.ok, summary.unplanned, summary.out_of_scope) == (plan.links.height, 0, 0)


@pytest.mark.parametrize("name", templates.names())
def test_every_template_gives_its_random_faults_back(name: str) -> None:
    rehearsal = rehearse(make_plan(decode(templates.text(name).encode(), name)), ["random:6@11"])
    assert rehearsal.exact and rehearsal.exit_code == 0 and rehearsal.verification.exit_code == 1
    assert rehearsal.verification.details["exchanges"] <= 6


def test_the_twins_captures_verify_as_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, rehearsal = asked(project, capsys, "rehearse", "--keep", "clean", "--seed", "5")
    assert code == 0 and rehearsal["exact"] is True and rehearsal["not_proven_here"]
    code, answer = asked(project, capsys, "verify", "clean")
    assert code == 0 and answer["kind"] == "verify" and answer["findings"] == []
    assert main(["-C", str(project), "rehearse", "--keep", "clean"]) == 2, "captures are not overwritten"


def test_faults_are_told_with_their_repairs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faults = ("--fault", "swap:node0001/mlx5_0,node0002/mlx5_1", "--fault", "unplug:IBSTOR-00-07/3")
    code, rehearsal = asked(project, capsys, "rehearse", *faults, "--keep", "faulty")
    assert code == 0 and len(rehearsal["findings"]) == 2  # type: ignore[arg-type]
    code, answer = asked(project, capsys, "verify", "faulty")
    assert code == 1 and [len(r["moves"]) for r in answer["repairs"]] == [1, 2]  # type: ignore[attr-defined,index]
    capsys.readouterr()
    assert main(["-C", str(project), "verify", "faulty", "--html", "answer.html"]) == 1
    assert "repairs, in this order" in capsys.readouterr().out
    assert "<html" in (project / "answer.html").read_text(encoding="utf-8")
    assert main(["-C", str(project), "verify", "faulty", "--html", "answer.html"]) == 2


def test_no_capture_is_undecided_never_a_pass(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = asked(project, capsys, "verify")
    assert code == 3 and answer["summary"]["not_measured"] == answer["summary"]["planned"]  # type: ignore[index]
    (project / "empty.txt").write_bytes(b"")
    assert asked(project, capsys, "verify", "empty.txt")[0] == 3


def test_a_plane_alone_may_be_verified_by_scope(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked(project, capsys, "rehearse", "--keep", "parts")
    dump = str(next((project / "parts").glob("ibnetdiscover*")).relative_to(project))
    code, answer = asked(project, capsys, "verify", dump)
    assert code == 3 and answer["summary"]["not_measured"] > 0  # type: ignore[index]
    code, answer = asked(project, capsys, "verify", dump, "--scope", "plane=compute+storage")
    assert code == 0 and answer["summary"]["out_of_scope"] == 96  # type: ignore[index]


def test_wrong_input_is_exit_2_with_every_problem(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(project), "verify", "gone.txt", "gone2.txt"]) == 2
    assert capsys.readouterr().err.count("CLI-040") == 2
    assert main(["-C", str(project), "rehearse", "--fault", "swop:a,b", "--fault", "unplug"]) == 2
    told = capsys.readouterr().err
    assert "; did you mean swap?" in told and "CLI-021" in told
    assert main(["-C", str(project), "rehearse", "--engine", "embeded"]) == 2
    assert "; did you mean embedded?" in capsys.readouterr().err


def test_a_cut_capture_is_no_pass(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked(project, capsys, "rehearse", "--keep", "whole")
    dump = next((project / "whole").glob("ibnetdiscover*"))
    # Switches come first and tell of all their cables: cut behind them, and the links are still proven.
    dump.write_bytes(dump.read_bytes()[: dump.stat().st_size // 4])
    code, answer = asked(project, capsys, "verify", "whole")
    assert code in (1, 3) and answer["summary"]["not_measured"] > 0  # type: ignore[index]


def test_an_exported_ndt_read_back_is_the_plan() -> None:
    """Our own writer through the reader that also reads other people's files, against the twin's dump."""
    plan = make_plan(decode(templates.text("l40s-384").encode(), "x"))
    rehearsal = rehearse(plan, ["random:5@3"])
    dumps = facts_of([c for c in rehearsal.captures if c.tool == "ibnetdiscover"])
    infiniband = plan.links.filter(plan.links["plane"].is_in(["compute", "storage"]))
    changed = rehearsal.expected.filter(rehearsal.expected["link"].is_in(infiniband["link"].implode()))["outcome"]
    answers = [compare(ndt_reader.read(data, name), dumps).summary for name, data in make(plan, ["ndt"]).items()]
    assert sum(a.planned for a in answers) == infiniband.height
    for outcome in ("ok", "wrong", "missing"):
        assert sum(getattr(a, outcome) for a in answers) == (changed == outcome).sum()


def test_engines_say_what_they_cannot_show() -> None:
    assert set(ENGINES) == {"embedded", "ibsim", "opensm"}
    assert all(limit.what and limit.why for limits in ENGINES.values() for limit in limits)


def test_two_devices_with_one_guid_are_beyond_ibsim() -> None:
    with pytest.raises(ProblemError) as caught:
        rehearse(little_plan(), ["clone:gpu000/mlx5_0,gpu001/mlx5_0"], engine="ibsim")
    assert "CLI-023" in str(caught.value) and "embedded" in str(caught.value)


def test_verify_takes_captures_and_places_alike(tmp_path: Path) -> None:
    plan = little_plan()
    captures = rehearse(plan).captures
    (tmp_path / "dump.txt").write_bytes(captures[0].data)
    assert verify(plan, captures).summary == verify(plan, [tmp_path / "dump.txt"]).summary
    assert verify(plan, []).exit_code == 3


@pytest.mark.parametrize(
    ("shape", "said"),
    [({"technology": "ethernet"}, "has no InfiniBand subnet"), ({"asics": 4}, "are planes of their own")],
)
def test_ibsim_refuses_what_it_could_not_show(shape: dict[str, Any], said: str) -> None:
    with pytest.raises(ProblemError, match="CLI-027") as told:
        rehearse(little_plan(**shape), engine="ibsim")
    assert said in told.value.problems.render()
