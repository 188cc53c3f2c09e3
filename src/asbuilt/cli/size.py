"""``asbuilt size``: one screen for a buyer, from a GPU count and a system. Needs no project."""

from __future__ import annotations

import argparse

HELP = "Size a cluster from a system and a GPU count: switches, racks, megawatts, cooling, storage, and what limits it."

EXAMPLES = """
examples:
  asbuilt size --system dgx-h100 --gpus 1024
  asbuilt size --system gb300-nvl72 --gpus 9216 --site-mw 20
  asbuilt size --system dgx-b200 --gpus 256,512,1024,2048 --fabric ndr
  asbuilt size --system l40s-8gpu --gpus 384 --json
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.epilog = EXAMPLES
    parser.add_argument("--system", required=True, metavar="ID", help="catalogue id (`asbuilt catalogue system` lists them)")
    parser.add_argument("--gpus", required=True, metavar="N[,N...]", help="GPUs asked for; several sizes make a table")
    parser.add_argument("--fabric", metavar="PROFILE", help="reference fabric; default: the system's own")
    parser.add_argument("--pue", type=float, metavar="X", help="facility power over IT power")
    parser.add_argument("--site-mw", type=float, metavar="X", help="power of the site in MW")
    parser.add_argument("--rack-kw", type=float, metavar="X", help="power that one rack may draw in kW")
    parser.add_argument("--cooling", choices=("air", "liquid", "mixed"), help="what the hall can cool")
    parser.add_argument("--json", action="store_true", help="the whole answer as JSON, with every source")


def run(args: argparse.Namespace) -> int:
    """Print the answer. 0; problems of the input raise ``ProblemError``, which the door turns into 2."""
    import json
    import sys
    from pathlib import Path

    from asbuilt.cli.sizing_screen import Style, screen, table
    from asbuilt.workflow.catalogue import open_catalogue
    from asbuilt.workflow.size import size

    counts = gpu_counts(args.gpus)
    wishes = {"pue": args.pue, "power_mw": args.site_mw, "rack_power_kw": args.rack_kw, "cooling": args.cooling}
    site = {name: value for name, value in wishes.items() if value is not None}
    check_site(site)
    book = open_catalogue(Path(args.directory))
    answers = [size(args.system, count, args.fabric, book, **site) for count in counts]
    if args.json:
        documents = [answer.as_json() for answer in answers]
        whole = documents[0] if len(documents) == 1 else {"schema": "sizing-list/v1", "sizings": documents}
        print(json.dumps(whole, ensure_ascii=False, indent=2))
        return 0
    style = Style.of(sys.stdout)
    name = book.get("system", args.system).name
    fabric = book.get("fabric", answers[0].fabric).name
    print(screen(answers[0], name, fabric, site, style) if len(answers) == 1 else table(answers, name, fabric, style))
    return 0


def gpu_counts(text: str) -> list[int]:
    """GPU counts from ``1024`` or ``256,512,1k``; raises ``ProblemError`` CLI-010 for anything else."""
    from asbuilt.base.problem import Problem, ProblemError

    counts = []
    for word in text.split(","):
        plain = word.strip().replace("_", "").lower()
        factor = 1024 if plain.endswith("k") else 1
        digits = plain.removesuffix("k")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
            raise ProblemError(
                Problem(
                    "CLI-010",
                    f"--gpus: {word.strip()!r} is not a number of GPUs",
                    fix="write a whole number from 8 to 1,048,576, or several: --gpus 256,512,1024",
                )
            )
        counts.append(int(digits) * factor)
    return counts


def check_site(site: dict[str, object]) -> None:
    """Hold the site's numbers against the bounds of the requirement; raises ``ProblemError`` CLI-011 with all of them."""
    from dataclasses import fields
    from math import isfinite

    from asbuilt.base.problem import Problem, ProblemError
    from asbuilt.model.requirement import Site

    options = {"pue": "--pue", "power_mw": "--site-mw", "rack_power_kw": "--rack-kw"}
    problems = []
    for field in fields(Site):
        value, least, most = site.get(field.name), field.metadata["least"], field.metadata["most"]
        if isinstance(value, float) and not (isfinite(value) and least <= value <= most):
            unit = "" if field.metadata["unit"] == "ratio" else f" {field.metadata['unit']}"
            what = f"{options[field.name]}: {value:g} is outside {least:g} to {most:,g}{unit}"
            problems.append(Problem("CLI-011", what, why=field.metadata["meaning"], fix="give a number inside these bounds"))
    if problems:
        raise ProblemError(problems)
