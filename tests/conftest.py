"""Shared by all groups: where field samples are, what may be missing, and the minutes of each group."""

from __future__ import annotations

import os
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from asbuilt.base.kernel import Engine
from requirements_of_tests import absent

ROOT = Path(__file__).resolve().parents[1]
FIELD = Path(os.environ.get("ASBUILT_FIELD", ROOT / ".." / "shared" / "field")).resolve()
BUDGET = ROOT / "tests" / "budget.toml"
_spent: dict[str, float] = defaultdict(float)

# Draws are fixed, so that what fails belongs to the change under test; `make draws` searches with new ones.
# Loaded here, on import: the `settings` of a test take what they do not say from the profile loaded when they are written.
# How fast the machine is says nothing about a draw: no deadline, and drawing may be slow.
DRAWS = os.environ.get("ASBUILT_DRAWS", "fixed")
_ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("fixed", derandomize=True, database=None, **_ANY_SPEED)
settings.register_profile("random", derandomize=False, **_ANY_SPEED)
settings.load_profile(DRAWS)
if DRAWS == "fixed":
    # Hypothesis also draws numbers and words that it reads in the modules loaded so far: fixed draws would change with any
    # change of the product, and with which tests ran before. There is no setting for it; a contract test sees that it is off.
    providers._get_local_constants = lambda: providers._local_constants


def pytest_configure(config: pytest.Config) -> None:
    Engine.mode = os.environ.get("ASBUILT_KERNELS", "auto")
    if DRAWS == "fixed" and config.getoption("--hypothesis-seed", None) is not None:
        raise pytest.UsageError("--hypothesis-seed has no effect on fixed draws: set ASBUILT_DRAWS=random too")


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def field() -> Path:
    """The folder of real samples; its absence fails under REQUIRE_FIELD=1 and is said otherwise."""
    if not (FIELD / "INDEX.tsv").exists():
        absent("REQUIRE_FIELD", "field: 0 files, set ASBUILT_FIELD to the folder of samples")
    return FIELD


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    parts = report.nodeid.split("/")
    if len(parts) > 1:
        _spent[parts[1]] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Minutes per group against the budget: over warns, over double fails (see `pytest_sessionfinish`)."""
    if not _spent:
        return
    terminalreporter.section("minutes per group (work, not wall clock)")
    for line, _ in _budget_lines():
        terminalreporter.write_line(line)


def _budget_lines() -> list[tuple[str, bool]]:
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))["minutes"]
    shared = budget["unit_golden_contract"]
    lines = []
    quick = sum(_spent.get(g, 0.0) for g in ("unit", "golden", "contract", "controls")) / 60
    rows = [("unit golden contract controls", quick, shared)]
    rows += [(g, _spent.get(g, 0.0) / 60, budget[g]) for g in budget if g != "unit_golden_contract"]
    for group, minutes, limit in rows:
        state = "ok" if minutes <= limit else "OVER" if minutes <= 2 * limit else "OVER DOUBLE"
        lines.append((f"{group:<30} {minutes:6.2f} of {limit} min  {state}", minutes > 2 * limit))
    return lines


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if hasattr(session.config, "workerinput") or not _spent:
        return
    if any(over for _, over in _budget_lines()) and session.exitstatus == 0:
        session.exitstatus = 1
