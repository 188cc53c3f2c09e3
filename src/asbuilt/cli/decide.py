"""``asbuilt decide [SITE]``: own people, a specialist crew, or both; what it costs, when it is done, what that hangs on."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.model.decision import Decision

HELP = """Who builds it: own people, a specialist crew, or both. Deployments of the planned site are simulated for each
arrangement side by side: cost, dates, faults by the stage that catches them, crew by week, tools, registers.

SITE: a project folder, a cluster.yaml, or a template; without it the project of -C. What is your own (people, rates,
shifts, tools, past faults) stands in decide.yaml beside it, or in --file. Exit code 0: answered; 2: bad input."""

EXAMPLES = """
examples:
  asbuilt -C site/ decide
  asbuilt decide gb300-nvl72 --racks 8 --html decision.html
  asbuilt decide dgx-h100-superpod --gpus 1024 --gpu-hour 2.5
  asbuilt decide gb300-nvl72 --racks 100 --runs 100000 --without-claims --json
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.epilog = EXAMPLES
    parser.add_argument("site", nargs="?", metavar="SITE", help="a project folder, a cluster.yaml, or a template")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--gpus", type=int, metavar="N", help="the same site with so many GPUs")
    size.add_argument("--racks", type=int, metavar="N", help="the same site with so many compute racks")
    parser.add_argument(
        "--file", metavar="FILE", help="the question (YAML); default: decide.yaml of the project, where there is one"
    )
    parser.add_argument("--gpu-hour", type=float, metavar="X", help="value of a GPU-hour, in the currency of the question")
    parser.add_argument("--runs", type=int, default=20_000, metavar="N", help="simulated deployments (default: 20000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the simulation (default: 1)")
    parser.add_argument("--without-claims", action="store_true", help="believe nothing that only sellers of the service say")
    parser.add_argument("--processes", type=int, metavar="N", help="processes that share the runs (default: as it pays)")
    parser.add_argument("--json", action="store_true", help="the whole answer as JSON, schema decision/v1")
    parser.add_argument(
        "--html", metavar="FILE", help="write the report, one HTML file that needs nothing else; - for standard output"
    )
    parser.add_argument("--force", action="store_true", help="overwrite FILE when it exists")


def run(args: argparse.Namespace) -> int:
    """Print the answer, or write it. 0: answered."""
    import json
    import shutil
    import sys
    from pathlib import Path

    from asbuilt.cli.written import refuse, room_for, write
    from asbuilt.workflow.decide import decide

    folder = Path(args.directory)
    target = None if args.html in (None, "-") else folder / args.html
    if target is not None:
        room_for(target)
        if not args.force:
            refuse(target, args.html, "choose another name, or add --force")

    def tell(text: str) -> None:
        if sys.stderr.isatty():
            print(f"{text} …", file=sys.stderr)

    found: Decision = decide(
        args.site,
        folder,
        size=size_of(args.gpus, args.racks),
        file=folder / args.file if args.file is not None else None,
        gpu_hour=args.gpu_hour,
        runs=args.runs,
        seed=args.seed,
        without_claims=args.without_claims,
        processes=args.processes,
        tell=tell,
    )
    if target is not None:
        write(target, page(found))
        print(f"wrote {args.html}", file=sys.stderr)
    if args.html == "-":
        print(page(found))
    elif args.json:
        print(json.dumps(found.as_json(), indent=1, ensure_ascii=False))
    else:
        from asbuilt.cli.decide_screen import WIDTH, screen
        from asbuilt.cli.sizing_screen import Style

        columns = shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH
        print(screen(found, Style.of(sys.stdout), columns))
    return 0


def size_of(gpus: int | None, racks: int | None) -> str | None:
    """The size as the use case reads it: ``1024`` or ``100racks``; None: as the site is."""
    if racks is not None:
        return f"{racks}racks"
    return str(gpus) if gpus is not None else None


def page(found: Decision) -> str:
    """The report, with the version of what made it."""
    from asbuilt.base.version import VERSION
    from asbuilt.report.decision import decision_html

    return decision_html(found, {"asbuilt": VERSION})
