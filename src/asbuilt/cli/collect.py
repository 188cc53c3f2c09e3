"""`asbuilt collect`: the passive capture set run on the nodes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from asbuilt.model.plan import Plan
    from asbuilt.workflow.collect import Collected, Wish

HELP = """Ask every node of the plan what it is: read-only commands, one archive per node, into the project's captures.

Nodes are asked over ssh by Ansible, or with --srun by Slurm. Nothing is installed, started or left behind on them. Nodes whose
archive is there are not asked again. Where no connection leads: `asbuilt export collect`, carry collect/capture.sh, run it on
the node, bring the archives into one folder, and look at them with --from.

Exit 0 every node answered, 3 some are not measured, 2 invalid input."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which nodes, how they are reached, where archives go; how to answer."""
    parser.add_argument("out", nargs="?", metavar="DIR", help="where archives go (default: captures/nodes-<n> of the project)")
    parser.add_argument("--from", dest="given", metavar="DIR", help="ask nobody: say what the archives in DIR are")
    parser.add_argument("--nodes", metavar="HOSTSET", default="", help="which nodes: gpu[000-047] (default: all compute nodes)")
    parser.add_argument("--srun", action="store_true", help="ask through Slurm instead of ssh")
    parser.add_argument("--user", default="", help="user on the nodes (default: ssh's own)")
    parser.add_argument("--port", type=int, default=0, help="port of ssh (default: ssh's own)")
    parser.add_argument("--ssh-config", metavar="FILE", default="", help="configuration file of ssh: jump hosts, keys")
    parser.add_argument("--become", action="store_true", help="become root by sudo; else questions that need root stay open")
    parser.add_argument("--limit", type=int, default=32, metavar="N", help="nodes asked at the same time (default 32)")
    parser.add_argument("--timeout", type=int, default=900, metavar="S", help="seconds that one node may take (default 900)")
    parser.add_argument("--again", action="store_true", help="ask nodes again whose archive is there")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def run(args: argparse.Namespace) -> int:
    """0 or 3. Raises ``ProblemError`` for what cannot be asked."""
    import json
    from pathlib import Path

    from asbuilt.base.problem import Problem, ProblemError
    from asbuilt.workflow.collect import Way, Wish, survey
    from asbuilt.workflow.plan import open_plan

    bad = [f"--{n} {v}" for n, v in (("limit", args.limit), ("timeout", args.timeout)) if v < 1]
    bad += [f"--port {args.port}"] if not 0 <= args.port < 65536 else []
    if bad:
        raise ProblemError(Problem("CLI-094", f"{b} is out of bounds", fix="see `asbuilt collect --help`") for b in bad)
    if args.given and (args.out or args.srun or args.again):
        raise ProblemError(Problem("CLI-094", "--from asks nobody: no DIR, --srun or --again beside it", fix="leave one out"))
    project = Path(args.directory)
    plan = open_plan(project)
    if args.given:
        collected = survey(plan, project / args.given, args.nodes)
    else:
        ssh_config = str(project / args.ssh_config) if args.ssh_config else ""
        way = Way(args.user, args.port, ssh_config, args.become, args.limit, args.timeout)
        engine = "srun" if args.srun else "ansible"
        wish = Wish(args.nodes, project / args.out if args.out else None, engine, way, args.again)
        collected = _asked(project, plan, wish)
    print(json.dumps(collected.as_json(), indent=2, ensure_ascii=False) if args.json else screen(collected, plan.name))
    return collected.exit_code


def _asked(project: Path, plan: Plan, wish: Wish) -> Collected:
    """Ask with a progress bar on standard error; without a terminal nothing is drawn."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from asbuilt.workflow.collect import Stand, collect

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("asking nodes", total=None)

        def tell(stand: Stand, total: int) -> None:
            bar.update(task, advance=1, total=total)
            if not stand.measured:
                bar.console.print(f"{stand.name}: {stand.how}: {stand.why}", markup=False, highlight=False)

        return collect(project, plan, wish, tell)


def screen(collected: Collected, name: str) -> str:
    """The answer as text: nodes by how they stand, questions by how they ended, who is not measured and why, what is next."""
    from asbuilt.workflow.collect import why_not

    total = len(collected.stands)
    measured = sum(s.measured for s in collected.stands)
    lines = [f"{name}: {measured} of {total} nodes have an archive in {collected.folder}", ""]
    lines += [f"  {count:>6} {how}" for how, count in collected.counts.items()]
    questions = ", ".join(f"{count:,} {how}" for how, count in collected.questions.items())
    if questions:
        lines += ["", f"questions: {questions}"]
    reasons = why_not(collected.stands)
    if reasons:
        lines += ["", "not measured:"]
        lines += [f"  {names}: {how}: {why}" if why else f"  {names}: {how}" for how, why, names in reasons]
    if collected.strangers:
        shown = ", ".join(collected.strangers[:5]) + (" …" if len(collected.strangers) > 5 else "")
        lines += ["", f"of no node of the plan: {shown}"]
    if measured:
        lines += ["", f"next: asbuilt verify {collected.folder}"]
    return "\n".join(lines)
