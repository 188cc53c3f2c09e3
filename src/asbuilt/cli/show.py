"""`asbuilt show TABLE`: rows of a table of the plan, as a table, JSON or CSV."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

HELP = """Show a table of the plan: racks, nodes, gpus, nics, switches, links, jumpers, transceivers, loads, bom, ...

Without TABLE: the tables and their rows. `--where` may be given more than once; all must hold."""
LIMIT = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", nargs="?", metavar="TABLE", help="a table of the plan")
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="only rows with this value; * matches any run of characters",
    )
    parser.add_argument("--columns", metavar="A,B", help="only these columns, in this order")
    parser.add_argument(
        "--limit", type=int, metavar="N", help=f"at most N rows, 0 for all (default: {LIMIT}; all with --json or --csv)"
    )
    parser.add_argument("--plan", default="", metavar="HASH", help="another plan of the project, by its hash or folder")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the rows as JSON")
    form.add_argument("--csv", action="store_true", help="the rows as CSV, safe to open in a spreadsheet")


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from asbuilt.workflow.plan import open_table, table_index

    folder = Path(args.directory)
    if args.table is None:
        _index(table_index(folder, args.plan), args)
        return 0
    columns = [c.strip() for c in args.columns.split(",") if c.strip()] if args.columns else None
    found = open_table(folder, args.table, args.plan, tuple(args.where), columns)
    limit = args.limit if args.limit is not None else (0 if args.json or args.csv else LIMIT)
    rows = found.rows if limit <= 0 else found.rows.head(limit)
    if args.json:
        _json(
            {
                "schema": "rows/v1",
                "plan_hash": found.plan_hash,
                "table": args.table,
                "total": found.rows.height,
                "columns": [{"name": n, "unit": found.units.get(n, "")} for n in rows.columns],
                "rows": rows.to_dicts(),
            }
        )
    elif args.csv:
        import sys

        from asbuilt.artefacts.delimited import write_csv

        sys.stdout.flush()
        write_csv(rows, sys.stdout.buffer)
    else:
        print(text(rows, found.units))
        left = found.rows.height - rows.height
        more = f"{rows.height:,} of {found.rows.height:,} rows (--limit 0 for all)" if left else f"{rows.height:,} rows"
        print(f"\n{args.table}: {more}")
    return 0


def _index(index: list[tuple[str, int, str]], args: argparse.Namespace) -> None:
    if args.json:
        _json({"schema": "tables/v1", "tables": [{"table": t, "rows": n, "meaning": m} for t, n, m in index]})
        return
    for table, rows, meaning in index:
        print(f"{table:<14} {rows:>9,}  {meaning}")


def _json(document: dict[str, Any]) -> None:
    import json

    print(json.dumps(document, indent=1, ensure_ascii=False))


def text(rows: pl.DataFrame, units: dict[str, str]) -> str:
    """Rows in aligned columns, numbers to the right, units in the heads. Columns with one value are said once above."""
    if not rows.height:
        return "no rows"
    heads = [f"{n} [{units[n]}]" if units.get(n) else n for n in rows.columns]
    cells = [[_cell(v) for v in rows[n].to_list()] for n in rows.columns]
    above = []
    kept = []
    for head, column, name in zip(heads, cells, rows.columns, strict=True):
        if rows.height > 2 and len(set(column)) == 1 and len(rows.columns) > 8:
            above.append(f"{head} = {column[0]}")
        else:
            kept.append((head, column, rows.schema[name].is_numeric()))
    widths = [max(len(h), *(len(c) for c in column)) for h, column, _ in kept]
    lines = ["all rows: " + ", ".join(above), ""] if above else []
    lines.append(
        "  ".join(h.rjust(w) if number else h.ljust(w) for (h, _, number), w in zip(kept, widths, strict=True)).rstrip()
    )
    for i in range(rows.height):
        row = [(c[i].rjust(w) if number else c[i].ljust(w)) for (_, c, number), w in zip(kept, widths, strict=True)]
        lines.append("  ".join(row).rstrip())
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return "".join(c if c.isprintable() else "·" for c in str(value))
