"""Build time a link from 1k to 1M GPUs; linear means the same at every size."""

from __future__ import annotations

import json
import sys
import time

from fabric import plane

from asbuilt.plan.wiring import wire

SIZES = (1024, 8192, 65_536, 131_072)


def cost(gpus: int) -> float:
    """Best seconds a link of five builds."""
    best = float("inf")
    links = wire(plane(gpus)).cables
    for _ in range(5):
        start = time.perf_counter()
        wire(plane(gpus))
        best = min(best, time.perf_counter() - start)
    return best / links


def main() -> None:
    costs = {gpus: cost(gpus) for gpus in (*SIZES, int(sys.argv[2]))}
    shown = ", ".join(f"{gpus}: {c * 1e9:.0f} ns" for gpus, c in costs.items())
    print(json.dumps({"seconds": costs[max(costs)], "peak_mib": 0.0, "note": f"a link costs {shown}"}))


main()
