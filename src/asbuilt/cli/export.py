"""`asbuilt export`: artefacts of the plan for other programs."""

from __future__ import annotations

import argparse

HELP = "Write the plan as files for other programs, into the project's artefacts folder."


def arguments(parser: argparse.ArgumentParser) -> None:
    """TARGETs; ``--list``; ``--force``; ``--json``."""
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="what to write (default: every target)")
    parser.add_argument("--list", action="store_true", help="list the targets and what each cannot carry, and stop")
    parser.add_argument("--force", action="store_true", help="replace files that were changed by hand")
    parser.add_argument("--json", action="store_true", help="what was written, as JSON")


def run(args: argparse.Namespace) -> int:
    """0 when the files stand. Raises ``ProblemError`` (CLI-045, ART-001, ART-002, PRJ-…) otherwise."""
    import json
    import sys
    from dataclasses import asdict
    from pathlib import Path

    from asbuilt.base.problem import Problem
    from asbuilt.workflow.export import FOLDER, TARGETS, export

    if args.list:
        rows = [
            {
                "target": t.name,
                "writes": t.writes,
                "lost": list(t.lost),
                "proof": t.proof,
                "not_rehearsed": t.unrehearsed,
            }
            for t in TARGETS.values()
        ]
        if args.json:
            print(json.dumps({"schema": "targets/v1", "targets": rows}, indent=2))
        else:
            for t in TARGETS.values():
                print(f"{t.name:<18} {t.writes}")
                print(f"{'':<18}   proven: {t.proof}" if t.proof else f"{'':<18}   not rehearsed: {t.unrehearsed}")
                for lost in t.lost:
                    print(f"{'':<18}   not carried: {lost}")
        return 0
    from asbuilt.workflow.plan import open_plan

    project = Path(args.directory)
    plan = open_plan(project)
    skipped: list[Problem] = []
    written = export(plan, project, args.targets, force=args.force, skipped=skipped)
    for problem in skipped:
        print(problem.render(), file=sys.stderr)
    if args.json:
        told = {"schema": "export/v1", "files": [asdict(w) for w in written], "skipped": [asdict(p) for p in skipped]}
        print(json.dumps(told, indent=2))
        return 0
    if not written:
        what = "the plan has no InfiniBand subnet, and the targets asked for are of InfiniBand"
        print(f"nothing to write: {what}", file=sys.stderr)
    made = int((plan.table("lids")["guid_origin"] == "assumed").sum()) if plan.has("lids") else 0
    if made:
        print(f"note: {made:,} GUIDs are placeholders that no hardware has; put the real ones into guids.csv", file=sys.stderr)
    for file in written:
        print(f"{FOLDER}/{file.path}")
        mark = ", not rehearsed" if file.unrehearsed else ""
        print(f"  {file.size:,} bytes, {file.state}{mark}", file=sys.stderr)
    return 0
