"""Regenerates the reference pages that are made from code, or checks that the committed ones are up to date.

python tools/generate_docs.py            write
python tools/generate_docs.py --check    exit 1 and name the pages that lag
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def tables_page() -> str:
    """The reference of every table: columns, dtypes, units, keys."""
    from asbuilt.model.facts import FACT_TABLES
    from asbuilt.model.measured_subnet import MEASURED_TABLES
    from asbuilt.model.tables import PLAN_TABLES
    from asbuilt.model.verdict import VERDICTS

    out = ["# Tables", "", "Generated from the schemas in `asbuilt.model`; do not edit.", ""]
    for title, schemas in (
        ("Plan", list(PLAN_TABLES.values())),
        ("Facts", list(FACT_TABLES)),
        ("Facts resolved to planned ports", list(MEASURED_TABLES)),
        ("Verdicts", [VERDICTS]),
    ):
        out += [f"## {title}", ""]
        for schema in schemas:
            out += [f"### {schema.name}", "", schema.meaning, "", f"Key: `{', '.join(schema.key)}`."]
            if schema.foreign:
                out.append("Refers to: " + ", ".join(f"`{a}` → `{b}`" for a, b in sorted(schema.foreign.items())) + ".")
            out += ["", "| column | type | unit | meaning |", "|---|---|---|---|"]
            for column in schema.columns:
                nullable = " (may be unknown)" if column.nullable else ""
                out.append(f"| `{column.name}` | {column.dtype} | {column.unit} | {column.meaning}{nullable} |")
            out.append("")
    return "\n".join(out)


def checks_page() -> str:
    """Every check by layer: claim, severity, why, how it is measured, repair, source."""
    from asbuilt.workflow.explain import everything

    found = [e for e in everything() if e.kind == "check"]
    out = ["# Checks", "", "Generated from the docstrings of the checks; do not edit. `asbuilt explain ID` prints one.", ""]
    out += [
        "A check answers `pass`, `fail`, `not_measured`, `not_applicable` or `error` for each subject. No data is never a",
        "pass: a figure that nobody knows is `not_measured`, a table that the plan does not have is `not_applicable`. Each",
        "check is proven to pass and to fail by the files in `tests/controls/<ID>/`.",
        "",
    ]
    for layer in dict.fromkeys(e.layer for e in found):
        out += [f"## Layer: {layer}", "", "| id | severity | claim |", "|---|---|---|"]
        held = [e for e in found if e.layer == layer]
        out += [f"| [{e.id}](#{e.id.lower()}) | {e.severity} | {e.claim} |" for e in held]
        out.append("")
        for e in held:
            out += [f"### {e.id}", "", e.claim, ""]
            reads = [f"`{t}`" for t in (*e.needs, *e.facts)]
            parts = dict(e.parts) | ({"Reads": ", ".join(reads)} if reads else {})
            out += [f"- **{label}:** {text}" for label, text in parts.items()]
            out.append("")
    return "\n".join(out)


def pages() -> dict[str, str]:
    """Path below the repository root -> generated text."""
    from asbuilt.model.requirement_schema import reference_markdown
    from asbuilt.workflow.assumptions_page import assumptions_page
    from asbuilt.workflow.catalogue import keys_page, open_catalogue, refreshed_page

    catalogue = ROOT / "docs" / "catalogue.md"
    return {
        "docs/catalogue.md": refreshed_page(catalogue.read_text(encoding="utf-8"), open_catalogue()),
        "docs/reference/catalogue-figures.md": keys_page(),
        "docs/reference/assumptions.md": assumptions_page(),
        "docs/reference/tables.md": tables_page(),
        "docs/checks.md": checks_page(),
        "docs/requirement.md": reference_markdown(),
    }


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = []
    for name, text in pages().items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        print("out of date, run `make docs`: " + ", ".join(stale))
        return 1
    print(f"{len(pages())} generated pages " + ("are up to date" if check else "written"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
