"""`asbuilt diagnose MEASUREMENTS`: which components explain good and bad measurements between hosts, what to measure next."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.workflow.diagnose import Localised

HELP = """Rank the components that explain measurements between hosts, and name the measurement that tells most.

MEASUREMENTS is a CSV list: from,to (or hosts: node[0000-0047]), device or rail where only one was used, and result (pass, fail)
or value and unit with --least. Exit 0 nothing was bad, 1 the best explanation is settled, 3 it is not yet."""

EXAMPLES = """
examples:
  asbuilt diagnose pairs.csv
  asbuilt diagnose pairs.csv --least 360 --json
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The list, the plane, the limit."""
    parser.epilog = EXAMPLES
    parser.add_argument("measurements", metavar="MEASUREMENTS", help="list of measurements (CSV)")
    parser.add_argument("--plane", default="compute", metavar="NAME", help="plane that was measured (default: compute)")
    parser.add_argument("--least", type=float, metavar="VALUE", help="lowest good value, in the list's own unit")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the suspects and the next measurement."""
    from pathlib import Path

    from asbuilt.workflow.diagnose import diagnose_list
    from asbuilt.workflow.plan import open_plan

    project = Path(args.directory)
    found = diagnose_list(open_plan(project), project / args.measurements, args.plane, args.least)
    if args.json:
        import json

        print(json.dumps(found.as_json(), indent=1, ensure_ascii=False))
    else:
        print(screen(found))
    return found.exit_code


def screen(found: Localised) -> str:
    """The answer as text."""
    count = len(found.left.measured)
    lines = [f"{count} measurement{'s' if count != 1 else ''} over {len(found.paths):,} components, {found.bad} of them bad"]
    if not found.bad:
        return "\n".join([*lines, "nothing to explain: every measurement was good"])
    settled = found.exit_code == 1
    lines += ["", f"{'most probable' if settled else 'suspects so far'}"]
    for suspect in found.suspects[:8]:
        if suspect.probability < 0.005:
            break
        first = found.called(suspect.components[0])
        more = f" or {len(suspect.components) - 1} more that nothing tells apart" if len(suspect.components) > 1 else ""
        lines.append(f"  {suspect.probability:5.0%}  {first}{more}")
        lines += [f"           {found.called(c)}" for c in suspect.components[1:4]]
    if found.left.chance >= 0.005:
        lines.append(f"  {found.left.chance:5.0%}  nothing is at fault: bad for no reason (measure again)")
    unexplained = found.left.unexplained()
    if unexplained:
        lines += ["", f"not explained by the best of them: {', '.join(m.name for m in unexplained[:6])}"]
    if found.proposal is not None and not settled:
        lines += ["", f"measure next  {found.next_words()}"]
        lines.append(f"              bad with {found.proposal.bad:.0%}; tells {found.proposal.bits:.2f} bits")
    elif not settled:
        lines += ["", "no further measurement between hosts tells them apart: read the port counters and modules of these"]
    lines += [
        "",
        f"assumed: a faulty component spoils {found.seen:.0%} of what uses it, {found.false:.1%} is bad for no reason",
    ]
    return "\n".join(lines)
