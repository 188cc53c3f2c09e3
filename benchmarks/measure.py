"""One measurement in one process: best of several runs, and peak memory over what the imports took.

Case scripts call `report`; `run.py` starts product and peer one after the other and prints their ratio.
"""

from __future__ import annotations

import gc
import json
import resource
import time
from typing import Any, Callable


def peak_mib() -> float:
    """Highest resident memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report(job: Callable[[], Any], *, repeat: int = 3, warm: bool = True, **details: Any) -> None:
    """Run ``job`` and print one JSON line: best seconds, peak MiB over the imported baseline, and ``details``.

    ``warm`` runs it once before (compiled caches, page cache): the figure is of the second job of a session.
    """
    base = peak_mib()
    if warm:
        job()
    best = float("inf")
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        result = job()
        best = min(best, time.perf_counter() - start)
        del result
    print(json.dumps({"seconds": best, "peak_mib": round(peak_mib() - base, 1), **details}))
