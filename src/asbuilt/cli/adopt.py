"""`asbuilt adopt`: a draft requirement from captures of what is there."""

from __future__ import annotations

import argparse

HELP = "Draft a cluster.yaml from captures; values are marked measured or assumed, irregularities are listed."


def arguments(parser: argparse.ArgumentParser) -> None:
    """CAPTUREs; ``--out``; ``--name``; ``--as``; ``--json``."""
    parser.add_argument("captures", nargs="+", metavar="CAPTURE", help="capture files or folders; - reads standard input")
    parser.add_argument("--out", metavar="FILE", help="write the draft to FILE (default: standard output)")
    parser.add_argument("--name", default="adopted", help="name of the cluster in the draft (default: adopted)")
    parser.add_argument("--as", dest="tool", default="", metavar="TOOL", help="the tool that wrote the captures")
    parser.add_argument("--json", action="store_true", help="draft, origins and irregularities as JSON")


def run(args: argparse.Namespace) -> int:
    """0 when a draft was made, with or without irregularities. Raises ``ProblemError`` (CLI-04x) otherwise."""
    import json
    import sys
    from pathlib import Path

    from asbuilt.cli.findings import block, columns, wants_colour
    from asbuilt.cli.written import refuse, write
    from asbuilt.workflow.adopt import adopt
    from asbuilt.workflow.captures import read_captures

    base = Path(args.directory)
    places = [p if p == "-" else str(base / p) for p in args.captures]
    target = base / args.out if args.out else None
    if target is not None:
        refuse(target, args.out)
    draft = adopt(read_captures(places, args.tool), args.name)
    if target is not None:
        write(target, draft.text)
    if args.json:
        print(json.dumps(draft.as_json(), indent=2, ensure_ascii=False))
        return 0
    print(args.out if args.out else draft.text, end="\n" if args.out else "")
    for finding in draft.findings:
        print(f"\n{block(finding, width=columns(), colour=wants_colour(sys.stderr))}", file=sys.stderr)
    count = len(draft.findings)
    values = f"{len(draft.measured)} values measured, {len(draft.assumed)} assumed"
    print(f"\n{values}, {count} kind{'s' if count != 1 else ''} of irregularity left out of the draft", file=sys.stderr)
    for note in draft.notes:
        print(f"note: {note}", file=sys.stderr)
    return 0
