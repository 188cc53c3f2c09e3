"""``asbuilt report``: everything that is known about the plan, as one HTML file, as JSON, or as text."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.workflow.report import Report

HELP = """One report of the plan: design, fabric and rows as drawn, design checks, captures held against the plan,
coverage of every check, sources and assumptions. Without --html or --json a summary is printed."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """``CAPTURE…``, ``--html FILE``, ``--json``, ``--scope``, ``--plan``."""
    parser.add_argument("captures", nargs="*", metavar="CAPTURE", help="files or folders (default: the project's captures/)")
    parser.add_argument("--html", metavar="FILE", help="write one HTML file that needs nothing else; - for standard output")
    parser.add_argument("--json", action="store_true", help="the report as JSON, schema report/v1")
    parser.add_argument("--scope", default="", metavar="SCOPE", help="what is built: phase=1,row=A,plane=compute")
    parser.add_argument(
        "--plan", default="", metavar="HASH", help="a stored plan by the start of its hash (default: the current one)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite FILE when it exists")


def run(args: argparse.Namespace) -> int:
    """0 everything that was asked holds · 1 something fails · 3 undecided, or nothing was measured or judged."""
    import json
    import sys
    from pathlib import Path

    from asbuilt.cli.written import refuse, write
    from asbuilt.workflow.report import project_report

    folder = Path(args.directory)
    target = None if args.html in (None, "-") else folder / args.html
    if target is not None and not args.force:
        refuse(target, args.html, "choose another name, or add --force")
    captures = [c if c == "-" else folder / c for c in args.captures]
    made = project_report(folder, captures, args.scope, args.plan)
    if args.html == "-":
        print(made.html)
    elif target is not None:
        write(target, made.html)
        print(f"wrote {args.html}", file=sys.stderr)
    if args.json:
        print(json.dumps(made.document, indent=2, ensure_ascii=False))
    elif args.html is None:
        print(summary(made))
        print("\n`asbuilt report --html FILE` writes the whole report.", file=sys.stderr)
    return made.exit_code


def summary(made: Report) -> str:
    """What each part says, its findings and its counts, for a terminal."""
    import sys

    from asbuilt.cli.findings import columns, text, wants_colour
    from asbuilt.report.document import outcome

    blocks = []
    for verification in made.verifications:
        word, sentence = outcome(verification)
        s = verification.summary
        lines = [f"{verification.kind}: {sentence}"]
        if verification.kind != "check":
            lines.append(
                f"links: {s.planned:,} planned, {s.ok:,} ok, {s.wrong:,} wrong, {s.missing:,} missing, "
                f"{s.not_measured:,} not measured; {s.unplanned:,} unplanned"
            )
        title = f"{made.document['name']}: {verification.kind}"
        if word != "nothing":
            lines += ["", text(verification, title, width=columns(), colour=wants_colour(sys.stdout))]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
