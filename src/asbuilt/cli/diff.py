"""`asbuilt diff A B`: what changed between two plans."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asbuilt.plan.difference import TableDifference

HELP = """Compare two plans of the project (by hash, folder, or `plan` for the current one), or of two projects.

Exit code 1 when they differ. Rows are matched by their natural keys, so a new name is a changed column, not a new row."""
LIMIT = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="A", help="a plan: its hash (at least 4 digits), its folder, or `plan`")
    parser.add_argument("after", metavar="B", help="another plan")
    parser.add_argument(
        "--limit", type=int, default=LIMIT, metavar="N", help=f"rows shown of each kind, 0 for all (default: {LIMIT})"
    )
    parser.add_argument("--json", action="store_true", help="all differences as JSON")


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from asbuilt.workflow.plan import compare_plans

    found = compare_plans(Path(args.directory), args.before, args.after)
    different = [d for d in found.tables if not d.same]
    if args.json:
        import json

        document = {
            "schema": "diff/v1",
            "before": found.before,
            "after": found.after,
            "same": not different,
            "tables": [_as_json(d) for d in different],
        }
        print(json.dumps(document, indent=1, ensure_ascii=False))
    else:
        print(text(found.before, found.after, different, args.limit))
    return 1 if different else 0


def _as_json(difference: TableDifference) -> dict[str, Any]:
    from asbuilt.plan.difference import key_texts

    return {
        "table": difference.table,
        "before": difference.before,
        "after": difference.after,
        "added": key_texts(difference, difference.added),
        "removed": key_texts(difference, difference.removed),
        "changed": difference.changed.to_dicts(),
    }


def text(before: str, after: str, different: list[TableDifference], limit: int) -> str:
    """The differences for a terminal: per table how many rows, then the first of each kind."""
    from asbuilt.plan.difference import key_texts

    head = f"{before[:12]} → {after[:12]}"
    if not different:
        return f"{head}: no difference"
    lines = [head]
    for d in different:
        by_column = d.changed.group_by("column").len().sort("len", "column", descending=[True, False]).rows()
        parts = [f"{d.added.height:,} added"] if d.added.height else []
        parts += [f"{d.removed.height:,} removed"] if d.removed.height else []
        parts += [f"{count:,} × {column} changed" for column, count in by_column]
        lines += ["", f"{d.table}: {d.before:,} → {d.after:,} rows; {', '.join(parts)}"]
        for sign, rows in (("+", d.added), ("-", d.removed)):
            keys = key_texts(d, rows if limit <= 0 else rows.head(limit))
            lines += [f"  {sign} {key}" for key in keys]
            lines += [f"  {sign} … {rows.height - len(keys):,} more"] if rows.height > len(keys) else []
        shown = d.changed if limit <= 0 else d.changed.head(limit)
        lines += [f"  ~ {r['key']}  {r['column']}: {_said(r['before'])} → {_said(r['after'])}" for r in shown.to_dicts()]
        lines += [f"  ~ … {d.changed.height - shown.height:,} more"] if d.changed.height > shown.height else []
    return "\n".join(lines)


def _said(value: str | None) -> str:
    return "unknown" if value is None else (value or "(empty)")
