"""Draws of hypothesis: fixed unless asked otherwise, all of them, and the same in every run."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.internal import constants_ast
from hypothesis.internal.conjecture import providers

FIXED = os.environ.get("ASBUILT_DRAWS", "fixed") == "fixed"
DRAWN: list[int] = []


@settings(max_examples=100)
@given(st.integers())
def a_property(value: int) -> None:
    DRAWN.append(value)


def drawn() -> list[int]:
    DRAWN.clear()
    a_property()
    return list(DRAWN)


def test_fixed_draws_are_the_same_again_and_as_many_as_asked_for() -> None:
    """A test's own `settings` inherit the profile, if it was loaded before the module was; random draws do differ."""
    assert settings.get_current_profile_name() == ("fixed" if FIXED else "random")
    one, two = drawn(), drawn()
    assert (one == two) == FIXED and len(one) == len(two) == 100 and len(set(one)) > 50


def test_fixed_draws_do_not_change_with_the_modules_that_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a number new in the product nor the tests that ran before on this worker may change a draw."""
    words = ", ".join(str(900_000 + 7 * i) for i in range(500))
    (tmp_path / "of_the_product.py").write_text(f"NUMBERS = ({words})\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(constants_ast, "is_local_module_file", lambda path: path.startswith(str(tmp_path)))
    monkeypatch.setattr(providers, "is_local_module_file", constants_ast.is_local_module_file)
    before = drawn()
    importlib.import_module("of_the_product")
    assert (drawn() == before) == FIXED


def test_a_seed_for_fixed_draws_is_refused(root: Path) -> None:
    """It would change nothing, and look as if it had."""
    environment = {name: value for name, value in os.environ.items() if name != "ASBUILT_DRAWS"}
    asked = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--hypothesis-seed=7", "tests/contract/test_draws.py"]
    done = subprocess.run(asked, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR and "set ASBUILT_DRAWS=random too" in done.stderr
    done = subprocess.run(asked, cwd=root, env=environment | {"ASBUILT_DRAWS": "random"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
