"""Every registered check holds on its good control and fails on its bad one with exactly the finding written there."""

from __future__ import annotations

from pathlib import Path

import pytest
from control_file import HERE, controls, differences, outcome, put, read

from asbuilt.checks.registry import checks

IDS = sorted(checks())
FILES = [path for id in IDS for path in controls(id)]


@pytest.mark.parametrize("check_id", IDS)
def test_every_check_has_a_good_and_a_bad_control(check_id: str) -> None:
    kinds = {path.stem.partition("-")[0] for path in controls(check_id)}
    assert kinds == {"good", "bad"}, f"{check_id} has {sorted(kinds) or 'no controls'}; see tests/controls/README.md"


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_control(path: Path) -> None:
    control = read(path)
    assert bool(control["expect"]) == path.stem.startswith("bad"), "good expects nothing, bad expects findings"
    problems = differences(path.parent.name, control, outcome(control, path.parent))
    assert not problems, "\n".join(problems)


def test_no_control_stands_without_a_check() -> None:
    assert sorted(p.name for p in HERE.iterdir() if p.is_dir() and p.name != "__pycache__") == IDS


def test_paths_into_a_requirement() -> None:
    document = {"planes": {"storage": {"nic": "a"}}, "node": {"nics": [{"part": "x"}, {"part": "y"}]}}
    put(document, "planes.storage.nic", None)
    put(document, "node.nics[1].part", "z")
    put(document, "site.cooling", "air")
    assert document == {"planes": {"storage": {}}, "node": {"nics": [{"part": "x"}, {"part": "z"}]}, "site": {"cooling": "air"}}


def test_a_control_that_is_not_met_is_told() -> None:
    control = read(HERE / "DES-060" / "bad.yaml")
    seen = outcome(control, HERE / "DES-060")
    wrong = control | {"expect": [control["expect"][0] | {"found": "something else"}]}
    assert "something else" in differences("DES-060", wrong, seen)[0]
    assert "a good control has findings" in differences("DES-060", control | {"expect": []}, seen)[0]
