"""`asbuilt affinity CAPTURE…`: interrupts, ranks and ports by the measured topology, the difference, and scripts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.model.affinity import NodeAffinity

HELP = """Affinity from what was measured, never from the template: which port serves which GPU, where interrupts and ranks
belong, and how that differs from what is applied and planned. --out writes apply.sh and revert.sh for every node.

Exit 0 all is as measured and planned, 1 something differs, 3 not everything was measured."""
_SHOWN = 12


def arguments(parser: argparse.ArgumentParser) -> None:
    """CAPTUREs, and where scripts go."""
    parser.add_argument("captures", nargs="*", metavar="CAPTURE", help="captures or archives of nodes; default: the project's")
    parser.add_argument("--out", metavar="DIR", default="", help="write <node>/apply.sh, revert.sh and ranks.tsv into DIR")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the affinity; write scripts where asked."""
    from pathlib import Path

    from asbuilt.cli.written import empty_folder
    from asbuilt.workflow.affinity import affinity, as_json, exit_code, write_affinity
    from asbuilt.workflow.captures import read_captures
    from asbuilt.workflow.plan import open_plan
    from asbuilt.workflow.verify import project_captures

    project = Path(args.directory)
    if args.out:
        empty_folder(project / args.out, args.out)
    plan = open_plan(project)
    named = [c if c == "-" else str(project / c) for c in args.captures]
    found = affinity(plan, read_captures(named or project_captures(project)))
    written = write_affinity(found, plan, project / args.out) if args.out else ()
    if args.json:
        import json

        print(json.dumps(as_json(found), indent=1, ensure_ascii=False))
    else:
        print(screen(found))
        if written:
            print(f"\n{len(written)} files in {args.out}: try them on one node, then revert.sh, before the fleet")
    return exit_code(found)


def screen(found: Sequence[NodeAffinity]) -> str:
    """The answer as text: alike nodes once."""
    if not found:
        return "no capture tells the topology of a planned node: capture lspci, numactl -H and sysfs (`asbuilt collect`)"
    groups: dict[tuple[object, ...], list[NodeAffinity]] = {}
    for node in found:
        groups.setdefault((node.ports, node.gpus, node.unknown), []).append(node)
    lines: list[str] = []
    for alike in sorted(groups.values(), key=lambda g: (not g[0].differs, -len(g)))[:_SHOWN]:
        lines += [*_one(alike), ""]
    if len(groups) > _SHOWN:
        lines.append(f"and {len(groups) - _SHOWN} kinds of nodes more (--json names all)")
    return "\n".join(lines).rstrip()


def _one(alike: list[NodeAffinity]) -> list[str]:
    from asbuilt.base.hosts import Hosts

    node = alike[0]
    who = node.name if len(alike) == 1 else f"{len(alike)} nodes alike: {Hosts.fold(n.name for n in alike)}"
    lines = [f"{who}   {'differs' if node.differs else 'as measured and planned'}"]
    if node.ports:
        lines.append("  port       address        rail  NUMA  socket        near processors          interrupts elsewhere")
    for p in node.ports:
        socket = "?" if p.socket is None else str(p.socket)
        socket += f" (plan {p.planned_socket})" if p.socket is not None and p.socket != p.planned_socket else ""
        numa = "?" if p.numa is None else str(p.numa)
        away = "not measured" if p.away is None else f"{p.away} of {p.irqs}" + (f", first to {p.shown}" if p.shown else "")
        lines.append(f"  {p.device:<10} {p.address:<14} {p.rail!s:>4}  {numa:>4}  {socket:<12}  {p.cpus[:24]:<24} {away}")
    if node.gpus:
        lines.append("  GPU  port       near  plan       processors of its rank")
    for g in node.gpus:
        planned = "same" if g.device == g.planned_device else g.planned_device or "-"
        lines.append(f"  {g.gpu:>3}  {g.device:<10} {g.relation:<5} {planned:<10} {g.cpus[:60]}")
    if node.ports:
        lines.append(f"  NCCL_IB_HCA={node.hca_list}")
    lines += [f"  not known: {why}" for why in node.unknown]
    return lines
