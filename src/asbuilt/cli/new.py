"""`asbuilt new`: a commented `cluster.yaml` from a template, the list of templates, or the JSON Schema for editors."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HELP = "Write a commented cluster.yaml from a template. Without a template: list them."


def arguments(parser: argparse.ArgumentParser) -> None:
    """TEMPLATE and DIR; ``--schema`` for editors; ``--json`` for the list."""
    parser.add_argument("template", nargs="?", metavar="TEMPLATE", help="name of the template; none lists them")
    parser.add_argument("folder", nargs="?", metavar="DIR", help="folder for cluster.yaml (default: the template's name)")
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of cluster.yaml, for editors, and stop")
    parser.add_argument("--json", action="store_true", help="the list, or what was written, as JSON")


def run(args: argparse.Namespace) -> int:
    """0 when the file was written or the list printed. Raises ``ProblemError`` (PRJ-…) otherwise; nothing is overwritten."""
    import json
    from pathlib import Path

    if args.schema:
        from asbuilt.model.requirement_schema import schema

        print(json.dumps(schema(), indent=2, ensure_ascii=False))
        return 0
    from asbuilt.workflow import templates

    if args.template is None:
        print(_listing_json() if args.json else _listing())
        return 0
    folder = Path(args.folder or args.template)
    written = templates.write(args.template, Path(getattr(args, "directory", ".")) / folder)
    if args.json:
        document = {"schema": "new/v1", "template": args.template, "written": str(written)}
        print(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _tell(written)
    return 0


def _tell(written: Path) -> None:
    """The path on stdout, so that a script can use it; what to do next on stderr."""
    import sys

    print(written)
    print(f"next: read it, change it, then `asbuilt -C {written.parent} plan`", file=sys.stderr)


def _listing() -> str:
    from asbuilt.workflow import templates

    rows = templates.listing()
    width = max(len(row.name) for row in rows)
    lines = [f"{row.name:<{width}}  {row.summary}" for row in rows]
    return "\n".join([*lines, "", "asbuilt new TEMPLATE [DIR] writes DIR/cluster.yaml"])


def _listing_json() -> str:
    import json

    from asbuilt.workflow import templates

    rows = [{"name": row.name, "summary": row.summary} for row in templates.listing()]
    return json.dumps({"schema": "templates/v1", "templates": rows}, indent=2, ensure_ascii=False)
