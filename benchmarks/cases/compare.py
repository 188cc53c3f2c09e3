"""A plan held against a dump in which pairs of host cables were exchanged: every one found, and nothing else."""

from __future__ import annotations

import sys

from cable_list import planned
from dump import dump
from measure import report

from asbuilt.parsers.ibnetdiscover import parse
from asbuilt.workflow.compare import compare

SWAPS = 50


def main() -> None:
    gpus = int(sys.argv[2])
    plan, facts = planned(gpus), parse(dump(gpus, SWAPS), "bench")
    found = compare(plan, facts)
    summary = found.summary
    assert (summary.wrong, summary.missing, summary.unplanned) == (2 * SWAPS, 0, 0), summary
    assert summary.ok == summary.planned - 2 * SWAPS and len(found.findings) == SWAPS, len(found.findings)
    report(lambda: compare(plan, facts), repeat=3, note=f"{summary.planned} links, {SWAPS} swaps, all found and nothing else")


main()
