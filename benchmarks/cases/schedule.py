"""Deployments of a hall simulated: the product's schedule, and the same hall in SimPy with the same hours.

Both sides of one run give the same digest: of every start and end of the first `ALIKE` deployments. The product simulates
`DEPLOYMENTS`, the peer `ALIKE`; the case's `peer_factor` is the ratio of the two. ``linear``: CPU time of a
package at 100, 200 and 400 racks.
"""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "oracle"))

from measure import report

DEPLOYMENTS, ALIKE = 1_000, 4


def made(racks: int, runs: int) -> tuple[Any, Any, Any, Any]:
    """Tasks, crew, work and hold hours of the hall."""
    from deployment_sites import hall, hall_crew, hall_hours

    site = hall(racks)
    return site, hall_crew(racks), *hall_hours(site, runs, 7)


def ours(racks: int, runs: int) -> Any:
    """A job that simulates ``runs`` deployments; returns its times."""
    from asbuilt.decide.schedule import schedule

    site, staff, work, hold = made(racks, runs)
    return lambda: schedule(work, hold, **site, **staff)


def theirs(racks: int) -> Any:
    from crew_schedule import simulated

    from deployment_sites import as_site

    hall, staff, work, hold = made(racks, DEPLOYMENTS)
    site = as_site(hall, staff, work[:ALIKE], hold[:ALIKE])
    return lambda: simulated(site)


def digest(times: Any) -> str:
    """Of starts, ends of work and finishes [3, runs, T], exactly."""
    return hashlib.sha256(np.ascontiguousarray(times, np.float64).tobytes()).hexdigest()[:16]


def main() -> None:
    name, racks = sys.argv[1], int(sys.argv[2])
    if name == "simpy":
        job = theirs(racks)
        report(job, repeat=1, warm=False, digest=digest(np.array(job()).transpose(1, 0, 2)))
        return
    job = ours(racks, DEPLOYMENTS)
    done = digest(np.stack([times[:ALIKE] for times in job()]))
    if name == "product":
        packages = len(made(racks, 1)[0]["scope"])
        report(job, repeat=3, digest=done, note=f"{DEPLOYMENTS} deployments of {packages} packages")
        return
    costs = []
    for size in (racks, 2 * racks, 4 * racks):
        again, count = ours(size, DEPLOYMENTS // 4), len(made(size, 1)[0]["scope"])
        again()
        took = []
        for _ in range(5):
            start = time.process_time()
            again()
            took.append(time.process_time() - start)
        costs.append(f"{size} racks {min(took) / (DEPLOYMENTS // 4) / count * 1e9:.0f} ns")
    report(job, repeat=1, note="a package: " + ", ".join(costs))


main()
