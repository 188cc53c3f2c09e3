"""`asbuilt compare`: somebody's cable plan held against somebody's capture, without a project."""

from __future__ import annotations

import argparse

HELP = """Hold a capture against someone else's plan: which cables end where they should, and the smallest set of moves.

  asbuilt compare --plan switch_to_host.ndt --measured ibnetdiscover.txt
  asbuilt compare --plan cables.xlsx --columns "a_device=Leaf,a_port=Leaf port,b_device=Host,b_port=NIC" --measured dump.txt
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plan",
        metavar="FILE",
        action="append",
        required=True,
        help="cable plan: NDT, .topo, CSV, XLSX, JSON, netlist (may be given again)",
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
        choices=("", "ndt", "topo", "point_to_point", "ibsim"),
        help="ndt, topo, point_to_point or ibsim",
    )
    parser.add_argument(
        "--columns", metavar="FIELD=HEADER,…", default="", help="which column is which: a_device a_port b_device b_port …"
    )
    parser.add_argument("--guids", metavar="FILE", default="", help="which GUID is which device: guid,name per line")
    parser.add_argument("--scope", metavar="KEY=VALUE,…", default="", help="what is built: phase, plane, row, rack, island")
    parser.add_argument("--strict", action="store_true", help="links beside the plan fail, too")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    parser.add_argument("--html", metavar="FILE", default="", help="also write the answer as one HTML page")


def run(args: argparse.Namespace) -> int:
    import json
    import sys
    from pathlib import Path

    from asbuilt.cli.findings import columns, repair_lines, text, wants_colour, warning_lines
    from asbuilt.cli.written import refuse, write_page
    from asbuilt.workflow.compare import compare
    from asbuilt.workflow.foreign_plan import read_discovery, read_guids, read_plans

    at = Path(getattr(args, "directory", "."))

    def here(file: str) -> str:
        return file if file == "-" else str(at / file)

    page = Path(here(args.html)) if args.html else None
    if page is not None:
        refuse(page, args.html)
    plan = read_plans([here(f) for f in args.plan], args.plan_format, args.columns)
    facts = read_discovery([here(f) for f in args.measured])
    guids = read_guids(here(args.guids)) if args.guids else None
    seen = compare(plan, facts, args.scope or None, guids, strict=args.strict)
    if page is not None:
        write_page(page, args.html, seen, plan)
    if args.json:
        print(json.dumps(seen.as_json(), indent=2, ensure_ascii=False))
        return seen.exit_code
    print(summary_line(seen.summary))
    print(text(seen, plan.name, width=columns(), colour=wants_colour(sys.stdout)))
    for line in [*warning_lines(seen, width=columns()), *repair_lines(seen)]:
        print(line)
    return seen.exit_code


def summary_line(counts: object) -> str:
    """The links counted: ``2,223 planned: 2,219 ok, 2 wrong, 2 missing · 107 unplanned``."""
    number = {n: getattr(counts, n) for n in ("planned", "ok", "wrong", "missing", "not_measured", "unplanned", "out_of_scope")}
    parts = [
        f"{number[n]:,} {n.replace('_', ' ')}" for n in ("ok", "wrong", "missing", "not_measured") if number[n] or n == "ok"
    ]
    tail = [f"{number[n]:,} {n.replace('_', ' ')}" for n in ("unplanned", "out_of_scope") if number[n]]
    return f"{number['planned']:,} links planned: {', '.join(parts)}" + "".join(f" · {t}" for t in tail)
