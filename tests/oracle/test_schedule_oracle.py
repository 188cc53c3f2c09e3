"""The schedule against an independent model in SimPy: the same hours give the same times, other draws the same distribution."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asbuilt.decide.schedule import Times, schedule
from asbuilt.decide.tasks import tasks
from deployment_sites import as_site, hall, hall_crew, hall_hours, random_site
from requirements_of_tests import absent
from template_plans import made

pytestmark = pytest.mark.oracle

ALIKE_H = 1e-6
SMALL_SITES = 120
SIGMAS = 3.0


def by_simpy(root: Path, sites: list[dict[str, Any]]) -> list[Times]:
    """What SimPy says, or a skip that says what is missing."""
    python = root / ".venv-oracle" / "bin" / "python"
    if not python.exists() or subprocess.run([str(python), "-c", "import simpy"], capture_output=True, check=False).returncode:
        absent("REQUIRE_REAL", "oracle: SimPy is not installed (`make test` sets up .venv-oracle)")
    done = subprocess.run(
        [str(python), str(root / "tests" / "oracle" / "crew_schedule.py")],
        input=json.dumps(sites), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return [Times(*np.array(runs, float).transpose(1, 0, 2)) for runs in json.loads(done.stdout)]


def test_random_sites_hour_by_hour(root: Path) -> None:
    """Pools, rows, limits, shifts, holds, packages without work, and sites of whole hours where many events meet."""
    drawn = [random_site(seed) for seed in range(SMALL_SITES)]
    for seed, (case, theirs) in enumerate(zip(drawn, by_simpy(root, [as_site(*one) for one in drawn]), strict=True)):
        site, staff, work, hold = case
        ours = schedule(work, hold, **site, **staff)
        for own, other in zip(ours, theirs, strict=True):
            assert np.abs(own - other).max() <= ALIKE_H, f"site {seed}"


def test_a_hall_of_100_racks_hour_by_hour(root: Path) -> None:
    site, staff = hall(100), hall_crew(100)
    work, hold = hall_hours(site, 3, 11)
    (theirs,) = by_simpy(root, [as_site(site, staff, work, hold)])
    ours = schedule(work, hold, **site, **staff)
    for own, other in zip(ours, theirs, strict=True):
        assert np.abs(own - other).max() <= ALIKE_H


def test_a_planned_site_hour_by_hour(root: Path) -> None:
    """The packages of a template's plan, with its own order: the last to finish is the soak or the audit."""
    planned = tasks(made("gb300-nvl72"))
    site = {"scope": planned.scope, "row": planned.row, "pred_start": planned.pred_start, "pred": planned.pred}
    staff = hall_crew(len(planned.work.racks))
    work, hold = hall_hours(site, 2, 31)
    (theirs,) = by_simpy(root, [as_site(site, staff, work, hold)])
    ours = schedule(work, hold, **site, **staff)
    for own, other in zip(ours, theirs, strict=True):
        assert np.abs(own - other).max() <= ALIKE_H
    assert planned.package[int(ours.finish_h[0].argmax())] in {"acceptance/soak", "acceptance/audit"}


def test_other_draws_give_the_same_distribution(root: Path) -> None:
    """Finish of 16 racks: mean and variance of 2,000 runs here and 200 there lie within three standard errors."""
    site, staff = hall(16), hall_crew(16)
    own = schedule(*hall_hours(site, 2_000, 21), **site, **staff).finish_h.max(axis=1)
    (theirs,) = by_simpy(root, [as_site(site, staff, *hall_hours(site, 200, 22))])
    other = theirs.finish_h.max(axis=1)
    error = np.sqrt(own.var(ddof=1) / len(own) + other.var(ddof=1) / len(other))
    assert abs(own.mean() - other.mean()) < SIGMAS * error
    assert own.std() > 1.0
    spreads = [((x - x.mean()) ** 2).std(ddof=1) / np.sqrt(len(x)) for x in (own, other)]
    assert abs(own.var(ddof=1) - other.var(ddof=1)) < SIGMAS * np.hypot(*spreads)
