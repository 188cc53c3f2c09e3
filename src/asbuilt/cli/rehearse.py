"""`asbuilt rehearse`: the planned fabric as a twin, with faults, captured and verified."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.rehearse.fault import Injected
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
  init:NODE/NIC  limited:NODE/NIC  lids:A,B  slow:A  idle:HOST     what only the subnet shows
  pfc:HOP  ecn:HOP  dscp:HOP  mtu:HOP  unread:HOP     RDMA over Ethernet set otherwise, or not read, at NODE/NIC or SWITCH/PORT

faults inside nodes, which their archives show (DEVICE is a NIC, or a GPU as gpu5):
  gpu:NODE/SLOT    a GPU is missing              nvlink:NODE/SLOT  an NVLink is down
  width:NODE/DEVICE  half the PCIe lanes         gen:NODE/DEVICE   a PCIe generation less
  rootport:NODE/DEVICE  the root port is lower   aer:NODE/DEVICE   PCIe errors logged
  ethmode:NODE/NIC a port set to Ethernet        firmware:NODE/NIC older card firmware
  ecc:NODE/SLOT  remap:NODE/SLOT  throttle:NODE/SLOT  xid:NODE/SLOT,79     a GPU that tells of errors or heat
  nodes:K@SEED     K faults inside as many nodes
  asleep:NODE/SLOT an idle GPU saves power: nothing may be accused
  driver:NODE  kernel:NODE  config:NODE  cmdline:NODE  module:NODE  peermem:NODE  nps:NODE     software and settings that differ
  dimm:NODE  nicset:NODE  leak:NODE      a memory module or card function missing, a leak
  numa:NODE  irq:NODE  acs:NODE  mrrs:NODE     a card on the wrong socket, interrupts, access control, read requests
  fabricmanager:NODE  fabricstate:NODE  clique:NODE     the NVLink fabric
  nvtray:TRAY  nvswitch:TRAY,CHIP     an NVLink switch tray of an NVL72 rack is dark, or one chip of it
  hang:NODE  silent:NODE  sameas:NODE,NODE     nvidia-smi hangs, no archive, the archive of another machine

scenarios (--engine opensm --scenario NAME):
  bring-up         the subnet comes up on the generated files; every row that the plan fixes is read back
  faults           the faults of --fault, put into the running subnet, are found (the default with --fault)
  failover         the master dies; the standby takes over in time and changes nothing; the primary returns
  growth           what --to GPUS adds is plugged in; what stood keeps its LIDs and same-leaf paths
  spare-leaf       a leaf dies; its cold spare takes its place by the generated edits

Exit 0 everything provable matched and exactly the faults were found, 1 not so, 3 undecided, 2 invalid input."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Engine, faults, where to keep the captures; how to answer."""
    engines = "embedded (default); ibsim: the real ibsim and ibnetdiscover; opensm: and the real OpenSM and its tools"
    parser.add_argument("--engine", default="embedded", help=engines)
    parser.add_argument("--scenario", default="", metavar="NAME", help="of the opensm engine; see above")
    parser.add_argument("--to", type=int, metavar="GPUS", help="scenario growth: the larger target")
    parser.add_argument(
        "--switch", default="", metavar="SWITCH", help="scenario spare-leaf: the leaf that dies (default: the first)"
    )
    parser.add_argument(
        "--ports", type=int, default=0, metavar="N", help="bring-up: ask N ports one by one at most, spread evenly"
    )
    parser.add_argument("--fault", action="append", default=[], metavar="SPEC", help="a fault; see above")
    nodes = "every node's archive too: hardware, settings, software (alone with a fault inside a node)"
    parser.add_argument("--nodes", action="store_true", help=nodes)
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
    from asbuilt.workflow.rehearse_opensm import ENGINE, Wish, larger_plan, rehearse_opensm

    project = Path(args.directory)
    keep = project / args.keep if args.keep else None
    if keep is not None and keep.is_dir() and any(keep.iterdir()):
        raise ProblemError(Problem("CLI-046", f"{args.keep} is not empty", fix="name another folder, or empty it"))
    if args.ports < 0:
        raise ProblemError(Problem("CLI-029", f"--ports {args.ports} is no number of ports", fix="0 asks all"))
    plan = open_plan(project)
    if args.engine == ENGINE:
        larger = larger_plan(project, plan, args.to) if args.to is not None else None
        wish = Wish(args.scenario, tuple(args.fault), larger, args.switch, args.ports, args.seed)
        rehearsal = rehearse_opensm(plan, wish, lambda text: print(text, file=sys.stderr, flush=True))
    else:
        _only_opensm(args)
        rehearsal = rehearse(plan, args.fault, args.engine, args.seed, args.nodes)
    if keep is not None:
        write_captures(rehearsal.captures, keep)
        print(f"captures of the twin: {args.keep}", file=sys.stderr)
    if args.json:
        print(json.dumps(rehearsal.as_json(), indent=2, ensure_ascii=False))
    else:
        print(screen(rehearsal, plan.name))
    return rehearsal.exit_code


def _only_opensm(args: argparse.Namespace) -> None:
    """Raise ``ProblemError`` CLI-029 for a scenario asked of an engine that has none."""
    from asbuilt.base.problem import Problem, ProblemError

    if args.scenario or args.to is not None or args.switch or args.ports:
        what = f"engine {args.engine} has no scenarios"
        raise ProblemError(Problem("CLI-029", what, fix="add --engine opensm"))


def screen(rehearsal: Rehearsal, name: str) -> str:
    """The answer as text: what was done, what was found, whether they agree, and what was not proven."""
    from asbuilt.cli.rehearsed import proof_lines
    from asbuilt.cli.verified import screen as verified

    lines = [verified(rehearsal.verification, f"{name}: rehearsal ({rehearsal.engine} engine)"), ""]
    for record in rehearsal.injected:
        lines.append(f"fault       {record.fault}: {_touched(record)}")
    for proof in rehearsal.proofs:
        lines += [*proof_lines(proof), ""]
    lines.append(f"verdict     {_verdict(rehearsal)}")
    lines += [f"            missed: {link}" for link in rehearsal.missed[:10]]
    lines += [f"            not a fault: {link}" for link in rehearsal.extra[:10]]
    lines.append("")
    lines.append("not proven here:")
    lines += [f"  {limit.what}: {limit.why}" for limit in rehearsal.limits]
    return "\n".join(lines)


def _touched(record: Injected) -> str:
    """What a fault is at: links, or what of a node it is inside of."""
    from asbuilt.rehearse.node_expected import EXPECTED

    if record.fault.kind in EXPECTED and not record.links:
        subjects = [subject for _, subject in record.findings]
        more = f" and {len(subjects) - 3} more" if len(subjects) > 3 else ""
        return ", ".join(subjects[:3]) + more if subjects else "nothing may be accused"
    return f"{len(record.links):,} link{'s' if len(record.links) != 1 else ''}"


def _verdict(rehearsal: Rehearsal) -> str:
    if any(p.failed for p in rehearsal.proofs):
        return "not passed: a step failed, a row differs, or a manager did not take a line of its files"
    if not rehearsal.exact:
        return f"{len(rehearsal.missed):,} changed links were missed, {len(rehearsal.extra):,} others were accused"
    count = len(rehearsal.injected)
    if rehearsal.exit_code:
        return "no fault was missed and nothing else accused, but something was not measured"
    if not count:
        return "the twin is as planned" if not rehearsal.proofs else "the subnet is as planned, on the real OpenSM"
    return f"exactly the {count} fault{'s' if count != 1 else ''} put in {'were' if count != 1 else 'was'} found"
