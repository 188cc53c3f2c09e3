"""The reference page and the templates say what the dataclasses say."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from asbuilt.base.problem import ProblemError
from asbuilt.cli import new
from asbuilt.model.decode_requirement import decode, encode
from asbuilt.model.requirement_problems import MEANINGS
from asbuilt.model.requirement_schema import reference_markdown, schema
from asbuilt.workflow import templates

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "requirement.md"


def test_the_reference_page_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_markdown()


def test_every_problem_code_is_registered() -> None:
    rows = (ROOT / "docs" / "reference" / "ids.tsv").read_text(encoding="utf-8").splitlines()
    registered = {row.split("\t")[0] for row in rows if row.split("\t")[1:2] == ["problem"]}
    assert set(MEANINGS) | {"PRJ-010", "PRJ-011", "PRJ-012"} <= registered


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", templates.names())
def test_a_template_decodes_and_validates(name: str) -> None:
    text = templates.text(name)
    requirement = decode(text.encode(), f"{name}.yaml")
    assert requirement.name == name
    assert decode(encode(requirement).encode(), "again") == requirement
    for written in (text, encode(requirement)):
        assert [e.message for e in Draft202012Validator(schema()).iter_errors(yaml.safe_load(written))] == []


@pytest.mark.parametrize("name", templates.names())
def test_a_template_teaches(name: str) -> None:
    text = templates.text(name)
    assert text.startswith("# ") and text.count("#") >= 10
    assert max(len(line) for line in text.splitlines()) <= 128


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"gpus": "384"}, ["gpus"]),
        ({"gpus": 4}, ["gpus"]),
        ({"colour": "blue"}, []),
        ({"planes": {"compute": {"technology": "fibre"}}}, ["planes", "compute", "technology"]),
        ({"node": {"gpu_rails": [0, 99]}}, ["node", "gpu_rails", 1]),
        ({"software": {"driver": 550.9}}, ["software", "driver"]),
        ({"schema": "requirement/v2"}, ["schema"]),
    ],
)
def test_the_schema_and_the_decoder_refuse_alike(change: dict[str, object], path: list[str | int]) -> None:
    document = {"schema": "requirement/v1", "name": "a", "system": "b", "gpus": 8, **change}
    assert [list(e.absolute_path) for e in Draft202012Validator(schema()).iter_errors(document)] == [path]
    with pytest.raises(ProblemError):
        decode(json.dumps(document).encode(), "a")


def test_the_files_beside_the_code_are_the_listed_ones() -> None:
    folder = ROOT / "src" / "asbuilt" / "workflow" / "template_files"
    assert {path.stem for path in folder.glob("*.yaml")} == set(templates.names())


def _new(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    new.arguments(parser)
    return new.run(parser.parse_args(arguments))


def test_new_writes_once_and_never_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "project"
    assert _new("dgx-b200", str(folder)) == 0
    written = folder / "cluster.yaml"
    assert capsys.readouterr().out == f"{written}\n"
    assert written.read_text(encoding="utf-8") == templates.text("dgx-b200")
    written.write_text("mine", encoding="utf-8")
    with pytest.raises(ProblemError, match="PRJ-011 a requirement is already there"):
        _new("l40s-384", str(folder))
    assert written.read_text(encoding="utf-8") == "mine"
    with pytest.raises(ProblemError, match="PRJ-011"):
        _new("l40s-384", str(written))


def test_new_knows_near_names(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="PRJ-010 no template is called 'dgxb200'\n  fix: did you mean `dgx-b200`"):
        _new("dgxb200", str(tmp_path / "x"))
    assert not (tmp_path / "x").exists()


def test_new_alone_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert _new() == 0
    listed = capsys.readouterr().out
    assert all(f"{name}  " in listed or f"{name} " in listed for name in templates.names())
    assert _new("--json") == 0
    rows = json.loads(capsys.readouterr().out)["templates"]
    assert [row["name"] for row in rows] == list(templates.names()) and all(row["summary"] for row in rows)


def test_new_prints_the_schema() -> None:
    run = subprocess.run([sys.executable, "-m", "asbuilt.cli.main", "new", "--schema"], capture_output=True, check=True)
    assert json.loads(run.stdout) == schema()
