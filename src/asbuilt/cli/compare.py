"""`asbuilt compare`: somebody's cable plan held against somebody's capture, without a project."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.model.plan import Plan

HELP = """Hold a capture against someone else's plan: which cables end where they should, and the smallest set of moves.

  asbuilt compare --plan switch_to_host.ndt --measured ibnetdiscover.txt
  asbuilt compare --plan cables.xlsx --columns "a_device=Leaf,a_port=Leaf port,b_device=Host,b_port=NIC" --measured dump.txt
  asbuilt compare --predicted after/ --measured dump.txt     what was not done as the repairs say (see `verify --predict`)
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plan",
        metavar="FILE",
        action="append",
        default=[],
        help="cable plan: NDT, .topo, CSV, XLSX, JSON, netlist (may be given again)",
    )
    parser.add_argument(
        "--predicted",
        metavar="DIR",
        action="append",
        default=[],
        help="captures (mostly those of --predict) whose cables are the plan, in place of --plan",
    )
    parser.add_argument(
        "--measured",
        metavar="FILE",
        action="append",
        required=True,
        help="ibnetdiscover dump or ports report, lldpctl JSON, or a folder",
    )
    parser.add_argument(
        "--plan-format",
        metavar="F",
        default="",
        choices=("", "ndt", "topo", "point_to_point", "ibsim", "netbox"),
        help="ndt, topo, point_to_point, ibsim or netbox",
    )
    parser.add_argument(
        "--columns", metavar="FIELD=HEADER,…", default="", help="which column is which: a_device a_port b_device b_port …"
    )
    parser.add_argument("--guids", metavar="FILE", default="", help="which GUID is which device: guid,name per line")
    parser.add_argument("--scope", metavar="KEY=VALUE,…", default="", help="what is built: phase, plane, row, rack, island")
    parser.add_argument(
        "--require", metavar="ID,…", default="", help="what must have been measured: ids of checks, or fabric for all"
    )
    parser.add_argument("--strict", action="store_true", help="links beside the plan fail, too")
    parser.add_argument(
        "--predict", metavar="DIR", default="", help="also write what will be captured when all repairs are done"
    )
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    parser.add_argument("--html", metavar="FILE", default="", help="also write the answer as one HTML page")


def run(args: argparse.Namespace) -> int:
    """The comparison's exit code. Raises ``ProblemError`` for input that cannot be read."""
    import json
    from pathlib import Path

    from asbuilt.cli.verified import screen
    from asbuilt.cli.written import empty_folder, refuse, write_page, write_prediction
    from asbuilt.workflow.after_repair import predict
    from asbuilt.workflow.captures import read_captures
    from asbuilt.workflow.compare import compare
    from asbuilt.workflow.foreign_plan import read_discovery, read_guids
    from asbuilt.workflow.required import required_checks

    at = Path(getattr(args, "directory", "."))

    def here(file: str) -> str:
        return file if file == "-" else str(at / file)

    page = Path(here(args.html)) if args.html else None
    if page is not None:
        refuse(page, args.html)
    after = at / args.predict if args.predict else None
    if after is not None:
        empty_folder(after, args.predict)
    required = required_checks(args.require)
    plan, guids = _plan(args, here)
    measured = [here(f) for f in args.measured]
    facts = read_discovery(measured)
    guids = read_guids(here(args.guids)) if args.guids else guids
    seen = compare(plan, facts, args.scope or None, guids, strict=args.strict, required=required)
    if page is not None:
        write_page(page, args.html, seen, plan)
    if after is not None:
        write_prediction(after, args.predict, predict(plan, read_captures(measured), args.scope or None, guids))
    if args.json:
        print(json.dumps(seen.as_json(), indent=2, ensure_ascii=False))
    else:
        print(screen(seen, plan.name))
    return seen.exit_code


def _plan(args: argparse.Namespace, here: Callable[[str], str]) -> tuple[Plan, pl.DataFrame | None]:
    """The plan to compare with, and the GUID list that it brings. Raises ``ProblemError`` CLI-001 for none, or two kinds."""
    from asbuilt.base.problem import Problem, ProblemError
    from asbuilt.workflow.after_repair import as_plan
    from asbuilt.workflow.captures import read_captures
    from asbuilt.workflow.foreign_plan import read_plans

    if bool(args.plan) == bool(args.predicted):
        what = "--plan and --predicted are both given" if args.plan else "neither --plan nor --predicted is given"
        raise ProblemError(Problem("CLI-001", what, fix="name a cable list with --plan, or captures with --predicted"))
    if args.plan:
        return read_plans([here(f) for f in args.plan], args.plan_format, args.columns), None
    return as_plan(read_captures([here(f) for f in args.predicted]), ", ".join(args.predicted))
