"""`asbuilt verify`: captures of the site against the project's plan."""

from __future__ import annotations

import argparse

HELP = """Hold captures against the project's plan; without CAPTURE: those in the project's captures folder.

Exit 0 all links as planned, 1 not so, 3 undecided (something was not measured), 2 invalid input."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """CAPTUREs; scope, strictness, GUID list, tool; how to answer."""
    parser.add_argument("captures", nargs="*", metavar="CAPTURE", help="capture files or folders; - reads standard input")
    parser.add_argument(
        "--scope", metavar="WHAT", help="what is built: phase=1,row=A+B,plane=compute; the rest is not yet built"
    )
    parser.add_argument("--strict", action="store_true", help="links that are not in the plan fail, instead of warning")
    parser.add_argument(
        "--require", metavar="ID,…", default="", help="what must have been measured: ids of checks, or fabric for all"
    )
    parser.add_argument(
        "--layer", metavar="NAME,…", default="", help="ask about node, fabric or collective alone (default: all of them)"
    )
    parser.add_argument("--guids", metavar="FILE", help="GUID list (guid, name) for devices without a name of their own")
    parser.add_argument("--as", dest="tool", default="", metavar="TOOL", help="the tool that wrote the captures")
    parser.add_argument("--predict", metavar="DIR", default="", help="also write what will be captured after all repairs")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    parser.add_argument("--html", metavar="FILE", default="", help="also write the answer as one HTML page")


def run(args: argparse.Namespace) -> int:
    """The verification's exit code. Raises ``ProblemError`` for input that cannot be read."""
    import json
    from pathlib import Path

    from asbuilt.cli.verified import screen
    from asbuilt.cli.written import empty_folder, refuse, write_page, write_prediction
    from asbuilt.workflow.after_repair import predict
    from asbuilt.workflow.captures import read_captures
    from asbuilt.workflow.foreign_plan import read_guids
    from asbuilt.workflow.plan import open_plan
    from asbuilt.workflow.required import asked_layers, required_checks
    from asbuilt.workflow.verify import project_captures, verify

    project = Path(args.directory)
    page = project / args.html if args.html else None
    if page is not None:
        refuse(page, args.html)
    after = project / args.predict if args.predict else None
    if after is not None:
        empty_folder(after, args.predict)
    required = required_checks(args.require)
    plan = open_plan(project)
    named = [c if c == "-" else str(project / c) for c in args.captures]
    captures = read_captures(named or project_captures(project), args.tool)
    guids = read_guids(str(project / args.guids)) if args.guids else None
    verification = verify(
        plan, captures, args.scope, guids, strict=args.strict, required=required, layers=asked_layers(args.layer)
    )
    if page is not None:
        write_page(page, args.html, verification, plan)
    if after is not None:
        write_prediction(after, args.predict, predict(plan, captures, args.scope, guids))
    if args.json:
        print(json.dumps(verification.as_json(), indent=2, ensure_ascii=False))
    else:
        print(screen(verification, f"{plan.name}: measured against the plan"))
    return verification.exit_code
