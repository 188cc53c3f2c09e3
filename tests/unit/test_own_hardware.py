"""A user's own switch and system: used from sizing to the bill, and broken entries answered in words."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue import load as loading
from asbuilt.cli.main import main
from asbuilt.workflow.plan import compile_project, open_plan

DATA = Path(loading.__file__).parent / "data"
REQUIREMENT = """schema: requirement/v1
name: own
system: own-box
gpus: 512
fabric: ndr
planes:
  compute:
    leaf: {switch: own-72}
    spine: {switch: own-72}
    core: {switch: own-72}
"""


def put(folder: Path, kind: str, source: str, own: str, **changed: str) -> Path:
    """A copy of a built-in part under an id of its own, with some figures' values changed."""
    lines = (DATA / kind / f"{source}.yaml").read_text(encoding="utf-8").replace(f"id: {source}\n", f"id: {own}\n").splitlines()
    for number, line in enumerate(lines):
        figure = lines[number - 1].strip().rstrip(":")
        if line.startswith("    value:") and figure in changed:
            lines[number] = f"    value: {changed.pop(figure)}"
    assert not changed
    path = folder / "catalogue" / kind / f"{own}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cluster.yaml").write_text(REQUIREMENT, encoding="utf-8")
    put(tmp_path, "switch", "qm9700", "own-72", ports="72", cages="36")
    put(tmp_path, "system", "dgx-h100", "own-box")
    return tmp_path


def test_own_parts_from_plan_to_bill(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = compile_project(folder)
    compute = plan.table("switches").filter(pl.col("plane") == "compute")
    assert compute["model"].unique().to_list() == ["own-72"]
    # 36 nodes a leaf: two blocks of 8 leaves; 36 uplinks of 16 leaves need 8 spines of 72, and 9 is the next divisor of 36.
    assert dict(compute.group_by("role").len().rows()) == {"leaf": 16, "spine": 9}
    bill = plan.table("bom").filter(pl.col("part").is_in(["own-72", "own-box"]))
    assert dict(bill.group_by("part").agg(pl.col("quantity").sum()).rows()) == {"own-72": 25, "own-box": 64}
    assert main(["-C", str(folder), "size", "--system", "own-box", "--gpus", "512", "--fabric", "ndr"]) == 0
    assert main(["-C", str(folder), "catalogue", "switch", "own-72"]) == 0
    assert f"your own: {folder}/catalogue/switch/own-72.yaml" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "source", "own", "figure", "value", "code"),
    [
        ("switch", "qm9700", "own-72", "ports", "0", "REQ-406"),
        ("switch", "qm9700", "own-72", "cages", "0", "REQ-406"),
        ("switch", "qm9700", "own-72", "ports", "1000000000", "CAT-012"),
        ("switch", "qm9700", "own-72", "asics", "1000000000", "CAT-012"),
        ("system", "dgx-h100", "own-box", "gpus_per_node", "0", "CAT-012"),
        ("system", "dgx-h100", "own-box", "nodes_per_unit", "0", "CAT-012"),
        ("system", "dgx-h100", "own-box", "psus", "1000000000", "CAT-012"),
    ],
)
def test_impossible_counts_are_refused(
    folder: Path, kind: str, source: str, own: str, figure: str, value: str, code: str
) -> None:
    put(folder, kind, source, own, **{figure: value})
    with pytest.raises(ProblemError, match=code):
        compile_project(folder)


def test_a_hostile_id_is_not_turned_into_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--system", "../../\x1b[31mred", "--gpus", "64"]) == 2
    said = capsys.readouterr().err
    assert "\x1b" not in said and "catalogue/system/../" not in said and "take one of these" in said


def test_gpu_counts_out_of_reach_name_the_limits(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("abc", "-5", "1e3", "9" * 30, "0", "7", "1048577"):
        assert main(["size", "--system", "dgx-h100", f"--gpus={word}"]) == 2
        assert "1,048,576" in capsys.readouterr().err, word


def test_a_damaged_plan_is_made_anew(folder: Path) -> None:
    home = folder / "plan" / "tables"
    compile_project(folder)
    (home / "jumpers.parquet").write_bytes(b"PAR1")
    with pytest.raises(ProblemError, match="PRJ-004"):
        open_plan(folder)
    compile_project(folder)
    assert open_plan(folder).table("jumpers").height > 0
    shutil.rmtree(home)
    compile_project(folder)
    assert open_plan(folder).has("links")


def test_what_is_no_folder_and_no_file_is_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(tmp_path / "none"), "check"]) == 2
    assert "there is no such folder" in capsys.readouterr().err
    os.mkfifo(tmp_path / "cluster.yaml")
    assert main(["-C", str(tmp_path), "plan"]) == 2
    assert "it is not a file" in capsys.readouterr().err
