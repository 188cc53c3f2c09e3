"""`asbuilt check`: the design-time checks on the plan alone, findings by cause."""

from __future__ import annotations

import argparse

HELP = "Design-time checks on the plan alone: findings by cause, with the ways out. No measurement is needed."


def arguments(parser: argparse.ArgumentParser) -> None:
    """``--plan HASH`` for an earlier plan, ``--json``."""
    parser.add_argument(
        "--plan", metavar="HASH", default="", help="a stored plan by the start of its hash (default: the current one)"
    )
    parser.add_argument("--json", action="store_true", help="findings and coverage as JSON")


def run(args: argparse.Namespace) -> int:
    """0 no check fails · 1 one does · 3 undecided: a figure is unknown or a check stopped.

    Raises ``ProblemError`` PRJ-002 when there is no plan yet.
    """
    import json
    import sys
    from pathlib import Path

    from asbuilt.cli.findings import columns, text, wants_colour
    from asbuilt.workflow.check import check
    from asbuilt.workflow.plan import open_plan

    plan = open_plan(Path(getattr(args, "directory", ".")), args.plan)
    seen = check(plan)
    if args.json:
        print(json.dumps(seen.as_json(), indent=2, ensure_ascii=False))
        return seen.exit_code
    print(text(seen, plan.name, width=columns(), colour=wants_colour()))
    if seen.findings:
        print(f"why a check asks what it asks: `asbuilt explain {seen.findings[0].id}`", file=sys.stderr)
    return seen.exit_code
