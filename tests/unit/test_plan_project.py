"""The project folder: written whole or not at all, swapped in one step, one writer, damage told; plan, show and diff."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from asbuilt.artefacts.delimited import guarded
from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.store import project
from asbuilt.workflow.plan import compile_project, open_plan

SMALL = "name: small\nsystem: dgx-h100\ngpus: 64\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a requirement of 64 GPUs."""
    (tmp_path / "cluster.yaml").write_text("schema: requirement/v1\n" + SMALL, encoding="utf-8")
    return tmp_path


def ask(folder: Path, *arguments: str) -> int:
    return main(["-C", str(folder), *arguments])


def test_a_plan_is_stored_and_read_back(folder: Path) -> None:
    plan = compile_project(folder)
    assert (folder / "plan").is_symlink()
    assert (folder / "plan").resolve().name == plan.plan_hash[:12]
    again = open_plan(folder)
    assert again.plan_hash == plan.plan_hash
    assert again.warnings == plan.warnings
    assert set(again.tables) == set(plan.tables)
    assert all(again.table(name).equals(frame) for name, frame in plan.tables.items())
    assert again.design == plan.design


def test_the_same_requirement_gives_the_same_bytes(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "cluster.yaml").write_text("# a comment\nschema: requirement/v1\n" + SMALL, encoding="utf-8")
    one, two = compile_project(folder), compile_project(other)
    assert one.plan_hash == two.plan_hash
    for path in sorted((folder / "plan" / "tables").iterdir()):
        assert path.read_bytes() == (other / "plan" / "tables" / path.name).read_bytes()


def test_a_second_run_keeps_what_is_there(folder: Path) -> None:
    compile_project(folder)
    before = (folder / "plan" / "plan.json").stat().st_mtime_ns
    compile_project(folder)
    assert (folder / "plan" / "plan.json").stat().st_mtime_ns == before
    assert len(project.plans(folder)) == 1


def test_nothing_half_written_stays_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_project(folder)

    def full(self: pl.DataFrame, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    (folder / "cluster.yaml").write_text("schema: requirement/v1\n" + SMALL.replace("64", "128"), encoding="utf-8")
    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(ProblemError, match="PRJ-003 cannot write here: No space left on device"):
        compile_project(folder)
    assert [p.name for p in (folder / "plans").iterdir()] == [first.plan_hash[:12]]
    assert open_plan(folder).plan_hash == first.plan_hash


def test_a_second_writer_is_told_who_holds_the_project(folder: Path) -> None:
    compile_project(folder)
    with (folder / ".asbuilt.lock").open("w", encoding="utf-8") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        stream.write("process 4711 on crane: asbuilt plan")
        stream.flush()
        with pytest.raises(ProblemError, match="PRJ-005 the project is being written by process 4711 on crane"):
            compile_project(folder)
    compile_project(folder)


def test_a_file_in_the_way_of_the_link_is_not_overwritten(folder: Path) -> None:
    (folder / "plan").write_text("mine", encoding="utf-8")
    with pytest.raises(ProblemError, match=r"PRJ-003 .*nothing is overwritten"):
        compile_project(folder)
    assert (folder / "plan").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda home: (home / "plan.json").write_text("{", encoding="utf-8"), "PRJ-004"),
        (lambda home: (home / "plan.json").write_text('{"schema": "plan/v9"}', encoding="utf-8"), r"schema 'plan/v9'"),
        (lambda home: (home / "tables" / "links.parquet").write_bytes(b"PAR1"), "PRJ-004"),
        (lambda home: (home / "tables" / "links.parquet").unlink(), "PRJ-004"),
        (
            lambda home: pl.DataFrame({"link": ["x"]}).write_parquet(home / "tables" / "links.parquet"),
            "1 rows, the record says",
        ),
    ],
)
def test_damage_is_told(folder: Path, spoil: object, text: str) -> None:
    compile_project(folder)
    spoil((folder / "plan").resolve())  # type: ignore[operator]
    with pytest.raises(ProblemError, match=text):
        open_plan(folder)


def test_plans_are_found_by_hash_folder_and_name(folder: Path) -> None:
    plan = compile_project(folder)
    home = (folder / "plan").resolve()
    for reference in ("", "plan", plan.plan_hash, plan.plan_hash[:4], plan.plan_hash[:12], str(home), f"plans/{home.name}"):
        assert project.find_plan(folder, reference) == home
    for reference in ("fff", plan.plan_hash[:3], "nowhere"):
        with pytest.raises(ProblemError, match="PRJ-002 there is no plan"):
            project.find_plan(folder, reference)


def test_without_a_requirement_or_plan_the_way_out_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(tmp_path, "plan") == 2
    assert "PRJ-001 there is no requirement" in capsys.readouterr().err
    assert ask(tmp_path, "show", "links") == 2
    assert "`asbuilt plan` makes one from cluster.yaml" in capsys.readouterr().err


def test_plan_prints_a_screen_and_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(folder, "plan") == 0
    out = capsys.readouterr().out
    assert out.startswith("small: 64 GPUs, 8 nodes of dgx-h100   plan ")
    assert all(len(line) <= 100 for line in out.splitlines())
    assert ask(folder, "plan", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "sizing/v1"
    assert document["plan_hash"] == open_plan(folder).plan_hash
    assert document["nodes"] == 8


def test_show_filters_limits_and_explains(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compile_project(folder)
    assert ask(folder, "show", "links", "--where", "plane=compute", "--where", "b_device=node:000*", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["total"] == 64
    assert {r["plane"] for r in document["rows"]} == {"compute"}
    assert {"name": "rate_gbps", "unit": "Gb/s"} in document["columns"]
    assert ask(folder, "show", "links", "--where", "a_port=3", "--columns", "link,b_name", "--limit", "2") == 0
    out = capsys.readouterr().out
    assert "2 of" in out
    assert out.splitlines()[0].split() == ["link", "b_name"]
    assert ask(folder, "show") == 0
    assert "transceivers" in capsys.readouterr().out
    for wrong, text in (
        (["show", "linkz"], "CLI-030 there is no table 'linkz'\n  fix: did you mean links?"),
        (["show", "links", "--where", "plain=compute"], "CLI-031 there is no column 'plain'\n  fix: did you mean plane?"),
        (["show", "links", "--where", "compute"], "CLI-032 --where 'compute' is not COLUMN=VALUE"),
        (["show", "links", "--columns", "lnk"], "CLI-031 there is no column 'lnk'\n  fix: did you mean link?"),
    ):
        assert ask(folder, *wrong) == 2
        assert text in capsys.readouterr().err


def test_csv_is_whole_and_safe_in_a_spreadsheet(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compile_project(folder)
    assert ask(folder, "show", "nodes", "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == open_plan(folder).table("nodes").height
    risky = pl.DataFrame({"name": ["=1+1", "+x", "-x", "@x", "\tx", "plain", "a=b", None], "n": [-1, 2, 3, 4, 5, 6, 7, 8]})
    cells = list(csv.DictReader(io.StringIO(guarded(risky).write_csv())))
    assert [c["name"] for c in cells] == ["'=1+1", "'+x", "'-x", "'@x", "'\tx", "plain", "a=b", ""]
    assert cells[0]["n"] == "-1"


def test_diff_names_what_changed_and_exits_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = compile_project(folder).plan_hash
    text = "schema: requirement/v1\n" + SMALL + 'node_names: "gpu{index:03d}"\n'
    (folder / "cluster.yaml").write_text(text, encoding="utf-8")
    second = compile_project(folder).plan_hash
    assert ask(folder, "diff", first[:12], "plan") == 1
    out = capsys.readouterr().out
    assert "nodes: " in out
    assert "8 × name changed" in out
    assert "~ node:0000  name: node-0000 → gpu000" in out
    assert ask(folder, "diff", first, second, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    changed = {t["table"] for t in document["tables"]}
    assert changed == {"nodes", "links", "lids", "subnet_managers", "addresses", "ethernet_ports", "rack_slots"}
    assert all(not t["added"] and not t["removed"] for t in document["tables"])
    assert ask(folder, "diff", second, "plan") == 0
    assert "no difference" in capsys.readouterr().out


def test_a_project_may_bring_its_own_hardware(folder: Path) -> None:
    own = folder / "catalogue" / "rack"
    own.mkdir(parents=True)
    built_in = Path(project.__file__).parents[1] / "catalogue" / "data" / "rack" / "rack-48u.yaml"
    text = built_in.read_text(encoding="utf-8")
    (own / "rack-48u.yaml").write_text(text.replace("value: 180", "value: 222"), encoding="utf-8")
    plan = compile_project(folder)
    assert plan.table("racks").filter(pl.col("role") == "network")["weight_kg"].min() >= 222
    default = folder.parent / "default"
    default.mkdir()
    (default / "cluster.yaml").write_text("schema: requirement/v1\n" + SMALL, encoding="utf-8")
    assert compile_project(default).plan_hash != plan.plan_hash


def test_output_to_a_closed_pipe_is_no_error(folder: Path) -> None:
    compile_project(folder)
    command = f"{sys.executable} -m asbuilt.cli.main -C {folder} show links --csv | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_a_plan_says_when_the_requirement_or_the_catalogue_has_changed_since(folder: Path) -> None:
    own = folder / "catalogue" / "rack"
    own.mkdir(parents=True)
    built_in = Path(project.__file__).parents[1] / "catalogue" / "data" / "rack" / "rack-48u.yaml"
    text = built_in.read_text(encoding="utf-8")
    (own / "rack-48u.yaml").write_text(text, encoding="utf-8")
    made = compile_project(folder)
    assert open_plan(folder).warnings == made.warnings
    (own / "rack-48u.yaml").write_text(text.replace("value: 180", "value: 222"), encoding="utf-8")
    assert open_plan(folder).warnings[0].startswith("the catalogue has changed since this plan was made (rack/rack-48u)")
    asked = folder / "cluster.yaml"
    asked.write_text(asked.read_text(encoding="utf-8").replace("gpus: 64", "gpus: 128"), encoding="utf-8")
    assert open_plan(folder).warnings[0].startswith("cluster.yaml has changed since this plan was made")
    asked.write_text("schema: requirement/v1\nno such: thing\n", encoding="utf-8")
    assert open_plan(folder).warnings[0].startswith("cluster.yaml cannot be read any more")
    compile_again = "schema: requirement/v1\n" + SMALL
    asked.write_text(compile_again + "\n# a remark changes nothing\n", encoding="utf-8")
    assert open_plan(folder).warnings[0].startswith("the catalogue has changed")
    compile_project(folder)
    assert not any("has changed" in w for w in open_plan(folder).warnings)
