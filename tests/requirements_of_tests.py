"""What tests need from the machine, and how its absence is told: a failure in CI, one visible line elsewhere."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def absent(variable: str, text: str) -> NoReturn:
    """Fail when ``variable`` (REQUIRE_FIELD or REQUIRE_REAL) is 1, else skip with ``text``."""
    if os.environ.get(variable) == "1":
        pytest.fail(text, pytrace=False)
    pytest.skip(text)


def need_program(name: str) -> str:
    """The path of a real program."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        absent("REQUIRE_REAL", f"real: {name} is not installed (`make setup` as root installs it)")
    return found
