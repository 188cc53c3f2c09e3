"""``asbuilt report`` and ``asbuilt serve`` from the command line, and the report of a project."""

from __future__ import annotations

import json
import socket
import threading
import urllib.request
from pathlib import Path

import pytest

from asbuilt.cli.main import main
from asbuilt.cli.serve import listen
from asbuilt.workflow.report import report
from asbuilt.workflow.verify import project_captures
from little_fabric import little_plan


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project") / "l40s"
    assert main(["new", "l40s-384-as-written", str(folder)]) == 0
    assert main(["-C", str(folder), "plan"]) == 0
    return folder


def test_the_html_is_written_once_and_not_over_another(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.html"
    assert main(["-C", str(project), "report", "--html", str(file)]) == 1
    first = file.read_text(encoding="utf-8")
    assert "l40s-384-as-written" in first and "DES-012" in first and "</html>" in first
    capsys.readouterr()
    assert main(["-C", str(project), "report", "--html", str(file)]) == 2
    assert "CLI-046" in capsys.readouterr().err
    assert main(["-C", str(project), "report", "--html", str(file), "--force"]) == 1
    assert main(["-C", str(project), "report", "--html", str(tmp_path / "no" / "r.html")]) == 2
    said = capsys.readouterr().err
    assert "CLI-047" in said and "Traceback" not in said
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"], "nothing half-written stays"


def test_json_and_screen(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(project), "report", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "report/v1" and document["sizing"]["gpus"] == 384
    assert {f["id"] for f in document["verifications"][0]["findings"]} >= {"DES-001", "DES-010", "DES-012", "DES-020"}
    assert main(["-C", str(project), "report"]) == 1
    assert "The plan does not hold what it promises" in capsys.readouterr().out


def test_a_project_without_a_plan_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(tmp_path), "report"]) == 2
    assert "PRJ-002" in capsys.readouterr().err


def test_captures_of_the_project_are_held_against_the_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from asbuilt.rehearse.twin import render
    from asbuilt.workflow.captures import write_captures
    from asbuilt.workflow.plan import open_plan

    folder = tmp_path / "site"
    assert main(["new", "l40s-384", str(folder)]) == 0
    assert main(["-C", str(folder), "plan"]) == 0
    capsys.readouterr()
    assert project_captures(folder) == ()
    undecided = 3  # of power and cooling: what only a maker or a site can say
    assert main(["-C", str(folder), "report", "--json"]) == undecided
    assert [v["kind"] for v in json.loads(capsys.readouterr().out)["verifications"]] == ["check"]
    write_captures(render(open_plan(folder)), folder / "captures" / "first")
    assert main(["-C", str(folder), "report", "--json"]) == undecided
    planned, measured = json.loads(capsys.readouterr().out)["verifications"]
    assert {f["verdict"] for f in planned["findings"]} == {"not_measured"} and not measured["findings"]
    assert measured["summary"]["planned"] == measured["summary"]["ok"] > 0
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    assert main(["-C", str(folder), "report", str(empty)]) in (2, 3), "an empty capture is never a pass"


def test_what_a_rehearsal_kept_as_the_projects_captures_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "site"
    assert main(["new", "l40s-384", str(folder)]) == main(["-C", str(folder), "plan"]) == 0
    assert main(["-C", str(folder), "rehearse", "--fault", "unplug:node0003/mlx5_0", "--keep", "captures"]) == 0
    assert main(["-C", str(folder), "verify"]) == 1
    capsys.readouterr()
    assert main(["-C", str(folder), "report", "--json"]) == 1
    _, measured = json.loads(capsys.readouterr().out)["verifications"]
    assert [f["id"] for f in measured["findings"]] == ["FAB-002"] and measured["summary"]["missing"] == 1


def test_a_partial_plan_has_a_report_and_no_verdict() -> None:
    made = report(little_plan(4, 4, 2))
    assert made.exit_code == 3, "nothing was judged: undecided, never a pass"
    assert "Nothing judged" in made.html and made.document["sizing"] is None


def test_serve_refuses_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 2
    assert main(["serve", "--port", "70000"]) == 2
    assert main(["serve", "--host", "203.0.113.7"]) == 2
    said = capsys.readouterr().err
    assert said.count("CLI-311") == 3 and "--port" in said


def test_serve_answers_and_stops(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import uvicorn

    running: list[uvicorn.Server] = []
    begin = uvicorn.Server.run

    def run(self: uvicorn.Server, sockets: list[socket.socket] | None = None) -> None:
        running.append(self)
        begin(self, sockets)

    monkeypatch.setattr(uvicorn.Server, "run", run)
    answers: list[int] = []
    monkeypatch.setattr("uvicorn.Server.install_signal_handlers", lambda self: None, raising=False)
    thread = threading.Thread(target=lambda: answers.append(main(["serve", "--port", "0"])), daemon=True)
    thread.start()
    url = ""
    for _ in range(200):
        url = capsys.readouterr().out.strip() or url
        if running and running[0].started and url:
            break
        thread.join(0.05)
    with urllib.request.urlopen(url, timeout=10) as page:
        assert page.status == 200 and "GPU cluster sizing" in page.read().decode()
    running[0].should_exit = True
    thread.join(10)
    assert answers == [0]
