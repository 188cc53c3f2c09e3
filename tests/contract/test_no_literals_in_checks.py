"""Checks hold no numbers: a threshold is an expectation of the plan, with origin and source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "src" / "asbuilt" / "checks"
FILES = sorted(FOLDER.glob("*.py"))
ALLOWED = {0, 1, -1, 2}


def literals(source: str) -> list[tuple[int, object]]:
    """Line and value of every number in ``source`` that is not one of those allowed."""
    return [
        (node.lineno, node.value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float, complex))
        and not isinstance(node.value, bool)
        and node.value not in ALLOWED
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_checks_hold_no_numbers(path: Path) -> None:
    found = literals(path.read_text(encoding="utf-8"))
    assert not found, f"{path.name}: put these into the plan's expectations or base/units.py: {found}"


def test_the_ban_bites() -> None:
    assert literals("ok = pl.col('lids') <= 49151") == [(1, 49151)]
    assert literals("ok = x > -3") == [(1, 3)]
    assert literals("ok = x * 0.5 + 1 - 2") == [(1, 0.5)]
    assert literals("ok = x > -1 and y is True") == []


def test_no_number_hides_in_text() -> None:
    """``float("3.5")`` and ``int("49151")`` would walk around the ban."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("float", "int", "Decimal"):
                assert not any(isinstance(a, ast.Constant) for a in node.args), f"{path.name}:{node.lineno}"
