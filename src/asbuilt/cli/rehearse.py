"""`asbuilt rehearse`: the planned fabric as a twin, with faults, captured and verified."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.workflow.rehearse import Rehearsal

HELP = """Build the planned fabric as a twin, put faults into it, capture from it, and verify the captures.

faults (--fault, may be repeated; A and B are a link id, SWITCH/PORT or NODE/NIC):
  swap:A,B         two cable ends exchanged      unplug:A        a cable pulled out
  rail:NODE        a node's rails rotated        absent:SWITCH   a switch without power
  eth:NODE/NIC     a port in Ethernet mode       clone:A,B       B answers as A
  noname           factory names everywhere      random:K@SEED   K separate faults
  mirror:SWITCH/FIRST-LAST     a run of ports in reverse order
  shift:SWITCH/FIRST-LAST,BY   a run of cables BY ports too high
  crossed:NIC,NIC              two NICs exchanged at every node
  exchange:A,B                 two switches or two nodes exchanged

Exit 0 everything provable matched and exactly the faults were found, 1 not so, 3 undecided, 2 invalid input."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Engine, faults, where to keep the captures; how to answer."""
    parser.add_argument("--engine", default="embedded", help="embedded (default), or ibsim: the real ibsim and ibnetdiscover")
    parser.add_argument("--fault", action="append", default=[], metavar="SPEC", help="a fault; see above")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other hardware: GUIDs differ (default 0)")
    parser.add_argument("--keep", metavar="DIR", help="write the twin's captures into DIR, as `asbuilt verify` reads them")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def run(args: argparse.Namespace) -> int:
    """The rehearsal's exit code. Raises ``ProblemError`` for faults and engines that cannot be."""
    import json
    import sys
    from pathlib import Path

    from asbuilt.base.problem import Problem, ProblemError
    from asbuilt.workflow.captures import write_captures
    from asbuilt.workflow.plan import open_plan
    from asbuilt.workflow.rehearse import rehearse

    project = Path(args.directory)
    keep = project / args.keep if args.keep else None
    if keep is not None and keep.is_dir() and any(keep.iterdir()):
        raise ProblemError(Problem("CLI-046", f"{args.keep} is not empty", fix="name another folder, or empty it"))
    plan = open_plan(project)
    rehearsal = rehearse(plan, args.fault, args.engine, args.seed)
    if keep is not None:
        write_captures(rehearsal.captures, keep)
        print(f"captures of the twin: {args.keep}", file=sys.stderr)
    if args.json:
        print(json.dumps(rehearsal.as_json(), indent=2, ensure_ascii=False))
    else:
        print(screen(rehearsal, plan.name))
    return rehearsal.exit_code


def screen(rehearsal: Rehearsal, name: str) -> str:
    """The answer as text: what was done, what was found, whether they agree, and what was not proven."""
    from asbuilt.cli.verify import screen as verified
    from asbuilt.rehearse.engines import ENGINES

    lines = [verified(rehearsal.verification, f"{name}: rehearsal ({rehearsal.engine} engine)"), ""]
    for record in rehearsal.injected:
        links = f"{len(record.links):,} link{'s' if len(record.links) != 1 else ''}"
        lines.append(f"fault       {record.fault}: {links}")
    lines.append(f"verdict     {_verdict(rehearsal)}")
    lines += [f"            missed: {link}" for link in rehearsal.missed[:10]]
    lines += [f"            not a fault: {link}" for link in rehearsal.extra[:10]]
    lines.append("")
    lines.append("not proven here:")
    lines += [f"  {limit.what}: {limit.why}" for limit in ENGINES[rehearsal.engine]]
    return "\n".join(lines)


def _verdict(rehearsal: Rehearsal) -> str:
    if not rehearsal.exact:
        return f"{len(rehearsal.missed):,} changed links were missed, {len(rehearsal.extra):,} others were accused"
    count = len(rehearsal.injected)
    if rehearsal.exit_code:
        return "no fault was missed and nothing else accused, but something was not measured"
    if not count:
        return "the twin is as planned"
    return f"exactly the {count} fault{'s' if count != 1 else ''} put in {'were' if count != 1 else 'was'} found"
