"""Every drawing of the plan as a picture of its own: SVG for a screen or printer, and again for a phone, with an index."""

from __future__ import annotations

from typing import Sequence

from asbuilt.artefacts.pdf_book import HASH_LETTERS, NOTICE, Imprint, pdf_book
from asbuilt.drawings.every import Chapter, book_rows, chapters
from asbuilt.drawings.theme import FONT, css_variables, plural, xml
from asbuilt.model.plan import Plan

TARGET = "drawings"
WRITES = "every drawing as SVG (drawings/*.svg), for a phone (drawings/phone/*.svg), with an index (drawings/index.html)"
LOST: tuple[str, ...] = ("findings: the drawings show the plan; `asbuilt check` judges it",)
BOOK_TARGET = "pdf-book"
BOOK_WRITES = "the drawings as one PDF (drawings/drawings.pdf), A3 landscape with a title block"
BOOK_LOST: tuple[str, ...] = ("above 40 racks: rows that are like another row (their sheets are among the SVG files)",)
FOLDER = "drawings"


def drawings(plan: Plan) -> dict[str, bytes]:
    """The SVG files by path, and their index; nothing for a plan that has none of the tables. Equal plans give equal bytes."""
    wide, narrow = chapters(plan), chapters(plan, narrow=True)
    files = {f"{FOLDER}/{s.name}.svg": s.svg(standalone=True).encode() for c in wide for s in c.sheets}
    files |= {f"{FOLDER}/phone/{s.name}.svg": s.svg(standalone=True).encode() for c in narrow for s in c.sheets}
    if len(files) != sum(len(c.sheets) for c in (*wide, *narrow)):
        raise ValueError("two sheets of the plan have one name")
    if files:
        files[f"{FOLDER}/index.html"] = _index(plan, wide, narrow).encode()
    return files


def book(plan: Plan) -> dict[str, bytes]:
    """``drawings/drawings.pdf``; nothing for a plan without drawings. Raises `ProblemError` ART-010 without typst."""
    rows, left_out = book_rows(plan)
    sheets = [s for c in chapters(plan, rows=rows) for s in c.sheets]
    if not sheets:
        return {}
    phases = sorted(plan.table("racks")["phase"].unique().to_list()) if plan.has("racks") else []
    imprint = Imprint(plan.name or "unnamed plan", plan.plan_hash, ", ".join(phases), left_out)
    return {f"{FOLDER}/drawings.pdf": pdf_book(sheets, imprint)}


def _index(plan: Plan, wide: Sequence[Chapter], narrow: Sequence[Chapter]) -> str:
    small = {c.title: c for c in narrow}
    parts = [f"<h1>{xml(plan.name or 'Drawings')}</h1>"]
    count = sum(len(c.sheets) for c in wide)
    mark = xml(plan.plan_hash[:HASH_LETTERS] or "without a hash")
    parts.append(f"<p>{plural(count, 'sheet')}, {xml(NOTICE)}. Plan <code>{mark}</code>.</p>")
    for chapter in wide:
        parts.append(f"<h2>{xml(chapter.title)}</h2><ul>")
        parts += [_item(s.name, s.title, s.subtitle) for s in chapter.sheets]
        parts.append("</ul>")
        if chapter.title in small:
            sheets = small[chapter.title].sheets
            parts.append(f"<details><summary>For a phone: {plural(len(sheets), 'sheet')}</summary><ul>")
            parts += [_item(f"phone/{s.name}", s.title, s.subtitle) for s in sheets]
            parts.append("</ul></details>")
    style = (
        f"{css_variables()}body{{font:15px/1.5 {FONT};margin:24px auto;max-width:860px;padding:0 16px;"
        "background:var(--bg);color:var(--ink)}a{color:var(--accent)}h2{font-size:17px;margin:24px 0 4px}"
        "ul{margin:4px 0;padding-left:20px}small{color:var(--ink-2)}summary{color:var(--ink-2)}"
    )
    title = xml(f"{plan.name or 'Plan'}: drawings")
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{style}</style></head><body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _item(path: str, title: str, subtitle: str) -> str:
    return f'<li><a href="{xml(path)}.svg">{xml(title)}</a> <small>{xml(subtitle)}</small></li>'
