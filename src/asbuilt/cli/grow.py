"""`asbuilt grow PILOT TARGET`: what of a pilot survives, what must be done again, what breaks at how many racks."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.predict.grown import Growth

HELP = """From pilot to production: plan both, compare, and name what breaks at how many racks, with the number behind it.

PILOT: a project folder, a cluster.yaml, or a template. TARGET: the same, or a size of the pilot's own requirement:
a number of GPUs (10080), or of compute racks (10racks). Exit code 1 when something of the pilot must be done again."""

EXAMPLES = """
examples:
  asbuilt grow pilot/ 720
  asbuilt grow pilot/cluster.yaml 10racks --json
  asbuilt grow gb300-nvl72 10080 --rates rates.yaml
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.epilog = EXAMPLES
    parser.add_argument("pilot", metavar="PILOT", help="a project folder, a cluster.yaml, or a template")
    parser.add_argument("target", metavar="TARGET", help="the same, or a number of GPUs, or of racks: 10racks")
    parser.add_argument("--rates", metavar="FILE", help="hours and money of one piece of each act (YAML, rates/v1)")
    parser.add_argument("--json", action="store_true", help="the whole answer as JSON, with every item")


def run(args: argparse.Namespace) -> int:
    """Print the answer. 0: everything of the pilot survives, 1: something must be done again."""
    import sys
    from pathlib import Path

    from asbuilt.cli.grow_screen import screen
    from asbuilt.cli.sizing_screen import Style
    from asbuilt.workflow.grow import grow, read_rates

    folder = Path(args.directory)
    rates = read_rates(folder / args.rates) if args.rates else None

    def tell(text: str) -> None:
        if sys.stderr.isatty():
            print(f"{text} …", file=sys.stderr)

    found: Growth = grow(args.pilot, args.target, folder, rates, tell)
    if args.json:
        import json

        print(json.dumps(found.as_json(), indent=1, ensure_ascii=False))
    else:
        print(screen(found, Style.of(sys.stdout)))
    return 0 if found.survives else 1
