"""`asbuilt explain`: what a check claims and why, or what a problem code means."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.workflow.explain import Explanation

HELP = "What a check or a problem code means. Without an ID: all of them."
_LABEL = 13


def arguments(parser: argparse.ArgumentParser) -> None:
    """ID, and ``--json``."""
    parser.add_argument("id", nargs="?", metavar="ID", help="a check (DES-012) or a problem code (REQ-022); none lists all")
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def run(args: argparse.Namespace) -> int:
    """0 when it is known. Raises ``ProblemError`` CLI-050 otherwise."""
    import json

    from asbuilt.workflow.explain import everything, explain

    if args.id is None:
        listed = everything()
        if args.json:
            print(json.dumps({"schema": "explanations/v1", "ids": [_object(e) for e in listed]}, indent=2, ensure_ascii=False))
        else:
            print(_listing(listed))
        return 0
    found = explain(args.id)
    if args.json:
        print(json.dumps({"schema": "explanation/v1", **_object(found)}, indent=2, ensure_ascii=False))
    else:
        print(_page(found))
    return 0


def _object(found: Explanation) -> dict[str, object]:
    if found.kind == "problem":
        return {"id": found.id, "kind": "problem", "claim": found.claim}
    parts = {label.lower().replace(" ", "_"): text for label, text in found.parts.items()}
    return {
        "id": found.id,
        "kind": "check",
        "claim": found.claim,
        "layer": found.layer,
        "severity": found.severity,
        "since": found.since,
        "needs": list(found.needs),
        "facts": list(found.facts),
        **parts,
    }


def _page(found: Explanation) -> str:
    import textwrap

    from asbuilt.cli.findings import columns, wants_colour

    bold, dim, plain = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if wants_colour() else ("", "", "")
    width = columns()
    head = textwrap.wrap(f"{found.id}  {found.claim}", width, subsequent_indent=" " * (len(found.id) + 2))
    lines = [bold + head[0].replace(found.id, found.id + plain, 1), *head[1:]]
    if found.kind == "check":
        lines += ["", f"{dim}{found.layer} check, severity {found.severity}, since {found.since}{plain}"]
        reads = [f"plan tables {', '.join(found.needs)}"] if found.needs else []
        reads += [f"fact tables {', '.join(found.facts)}"] if found.facts else []
        parts = dict(found.parts) | ({"Reads": "; ".join(reads)} if reads else {})
        for label, text in parts.items():
            hang = " " * _LABEL
            wrapped = textwrap.wrap(text, width, initial_indent=hang, subsequent_indent=hang, break_long_words=False)
            lines += ["", f"{dim}{label:<{_LABEL}}{plain}{wrapped[0].strip()}", *wrapped[1:]]
    return "\n".join(lines)


def _listing(listed: tuple[Explanation, ...]) -> str:
    from asbuilt.cli.findings import columns

    return "\n".join(_row(e, columns()) for e in listed)


def _row(e: Explanation, width: int) -> str:
    head = f"{e.id:<8} {e.severity or 'problem':<8} "
    room = width - len(head)
    return head + (e.claim if len(e.claim) <= room else e.claim[: room - 1].rstrip() + "…")
