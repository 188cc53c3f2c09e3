"""`asbuilt demo`: the whole road on the 384-GPU example."""

from __future__ import annotations

import argparse

HELP = """The whole road on the 384-GPU example: requirement, plan, checks, export, a twin with faults, verify, repair, report.

Exit 0 when the findings equal the faults that were put in and the repaired fabric verifies clean, else 1."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default="demo", metavar="DIR", help="project folder to write (default: demo)")


def run(args: argparse.Namespace) -> int:
    import os
    from pathlib import Path

    from asbuilt.workflow.demo import demo

    folder = Path(args.directory) / args.folder
    holds = True
    for number, step in enumerate(demo(Path(os.path.normpath(folder))), start=1):
        mark = "ok" if step.holds else "NOT AS IT SHOULD BE"
        print(f"{number}. {step.title}  [{mark}]")
        for line in step.lines:
            print(f"     {line}")
        holds = holds and step.holds
    print("\nthe whole road holds" if holds else "\nsomething on the road does not hold", flush=True)
    return 0 if holds else 1
