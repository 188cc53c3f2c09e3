"""The whole plan (all tables, racks, cables, power, bill) of DGX H100 servers on the reference fabric.

The peer is AutoLink 3.3.3, a published planner: 3.9 s for 8,192 GPUs (1,024 servers) with fewer tables, measured on the
machine where networkx built the declared 131,072-GPU fabric in 1.20 s. Here networkx builds the same fabric again, and
AutoLink's time is scaled by the ratio of the two builds.
"""

from __future__ import annotations

import json
import subprocess
import sys

from measure import report

AUTOLINK_S = {8192: 3.9, 2048: 1.2}
NETWORKX_THERE_S = 1.20
NETWORKX_GPUS = 131_072


def main() -> None:
    side, gpus = sys.argv[1], int(sys.argv[2])
    if side == "autolink":
        done = subprocess.run(
            [sys.executable, __file__.replace("plan.py", "build.py"), "networkx", str(NETWORKX_GPUS)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        here = json.loads(done.stdout)["seconds"]
        print(json.dumps({"seconds": AUTOLINK_S[gpus] * here / NETWORKX_THERE_S, "peak_mib": 0.0}))
        return
    from asbuilt.model.requirement import Requirement
    from asbuilt.workflow.plan import make_plan

    requirement = Requirement(name="bench", system="dgx-h100", gpus=gpus)
    plan = make_plan(requirement)
    rows = sum(t.height for t in plan.tables.values())
    report(lambda: make_plan(requirement), repeat=3, note=f"{rows} rows in {len(plan.tables)} tables")


main()
