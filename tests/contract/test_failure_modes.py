"""The page of failure modes is true: each mode of the list has checks that live, and each of them is proven able to fail."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from asbuilt.checks.registry import checks
from controls.control_file import HERE, outcome, read

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "failure-modes.md").read_text(encoding="utf-8")
#: The list of issue 5, "Done when" 2.
MODES = (4, *range(7, 22), *range(32, 38), 40)
COLUMNS = ["mode", "what goes wrong", "checks", "what is read", "confirm by", "negative control"]
ID = re.compile(r"\b[A-Z]{2,4}-\d{3}\b")


def table() -> list[dict[str, str]]:
    """The rows of the numbered table; its header says where it begins, a line that is no row where it ends."""
    lines = PAGE.splitlines()
    start = lines.index(f"| {' | '.join(COLUMNS)} |")
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(COLUMNS, (cell.strip() for cell in line.strip("|").split("|")), strict=True)))
    return rows


ROWS = table()
IDS = sorted({id for row in ROWS for id in ID.findall(row["checks"])})


@cache
def retired() -> frozenset[str]:
    """Ids of the register that are not to be used any more."""
    lines = (ROOT / "docs" / "reference" / "ids.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return frozenset(line.split("\t")[0] for line in lines if line.split("\t")[3])


def test_every_mode_of_the_list_has_one_row() -> None:
    assert [int(row["mode"]) for row in ROWS] == list(MODES)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"mode-{r['mode']}")
def test_a_mode_says_all_that_a_reader_needs(row: dict[str, str]) -> None:
    assert all(row[column] for column in COLUMNS)
    found = ID.findall(row["checks"])
    assert found, "a mode that no check finds"
    assert re.findall(r"`tests/controls/([A-Z]+-\d{3})`", row["negative control"]) == found, "each check has its control here"


@pytest.mark.parametrize("id", IDS)
def test_a_check_of_the_list_lives(id: str) -> None:
    assert id in checks() and id not in retired()


@pytest.mark.parametrize("id", IDS)
def test_its_bad_control_fails(id: str) -> None:
    """By its text, or by what the control produces where the text does not name the verdict."""
    controls = sorted((HERE / id).glob("bad*.yaml"))
    assert controls
    for path in controls:
        control = read(path)
        if any(finding.get("verdict") == "fail" for finding in control["expect"]):
            return
    seen = outcome(read(controls[0]), HERE / id)
    assert any(finding.id == id and finding.verdict == "fail" for finding in seen.findings)


def test_every_check_that_the_page_names_exists() -> None:
    named = {id for id in ID.findall(PAGE) if not id.startswith("CLI-")}
    assert named - set(checks()) == set()


NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
#: Defects of section 5.1 of the list, and the habits that it names beside them.
DEFECTS = 17


@pytest.mark.parametrize(("path", "test"), NAMED, ids=lambda v: v.rpartition("/")[2])
def test_a_test_that_the_page_names_exists(path: str, test: str) -> None:
    assert re.search(rf"^def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.M)


def test_each_defect_of_others_is_told_and_shown_by_a_test() -> None:
    section = PAGE[PAGE.index("\n## Checks that cannot fail") :]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == DEFECTS
    assert all("::test_" in row.split("|")[4] for row in rows)
