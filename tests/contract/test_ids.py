"""One register of ids: what the code uses is registered, what is registered is used or retired, and nothing is used twice."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from asbuilt.checks.registry import checks
from asbuilt.workflow.problem_texts import PROBLEMS

ROOT = Path(__file__).resolve().parents[2]
REGISTER = ROOT / "docs" / "reference" / "ids.tsv"
PROBLEM = re.compile(r"""["'`]((?:REQ|CAT|PLN|PAR|ART|PRJ|CLI)-\d{3})["'`]""")


def register() -> list[dict[str, str]]:
    lines = REGISTER.read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]


def used_in_code() -> set[str]:
    """Problem codes that stand as text in the source; the texts for `asbuilt explain` do not count as a use."""
    found: set[str] = set()
    for path in (ROOT / "src" / "asbuilt").rglob("*.py"):
        if path.name not in ("problem_texts.py",):
            text = path.read_text(encoding="utf-8")
            found |= set(PROBLEM.findall(text)) | set(re.findall(r"\b(CLI-070)\b", text))
    return found


def test_the_register_is_well_formed() -> None:
    rows = register()
    assert list(rows[0]) == ["id", "kind", "since", "retired"]
    assert [i for i, n in Counter(r["id"] for r in rows).items() if n > 1] == [], "an id is never used twice"
    for row in rows:
        assert re.fullmatch(r"[A-Z]{2,4}-\d{3}", row["id"]), row
        assert row["kind"] in ("check", "problem") and re.fullmatch(r"\d+\.\d+", row["since"]), row


def test_checks_are_registered() -> None:
    live = {r["id"] for r in register() if r["kind"] == "check" and not r["retired"]}
    assert live == set(checks())


def test_problem_codes_are_registered() -> None:
    live = {r["id"] for r in register() if r["kind"] == "problem" and not r["retired"]}
    assert live == used_in_code()


def test_every_problem_code_is_explained() -> None:
    live = {r["id"] for r in register() if r["kind"] == "problem" and not r["retired"]}
    assert live == set(PROBLEMS)
    for code, text in PROBLEMS.items():
        assert len(text) > 20 and text.endswith("."), code


@pytest.mark.parametrize("kind", ["check", "problem"])
def test_retired_ids_are_not_in_use(kind: str) -> None:
    retired = {r["id"] for r in register() if r["kind"] == kind and r["retired"]}
    assert not retired & (set(checks()) | used_in_code())
