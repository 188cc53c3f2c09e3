"""The drawings as one PDF book: A3 landscape, a title block on every page, contents in front.

Set by typst with the faces that it carries in itself, so that the bytes are the same on every machine. Nothing is dated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Sequence

from asbuilt.artefacts.typst_text import literal
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.drawings.printed import PRINT_FONT, printed_svg
from asbuilt.drawings.sheet import Sheet

# Room for a drawing on A3 (420 x 297 mm) between margins of 10 mm and above the title block, in points.
ROOM_W, ROOM_H = 1130.0, 736.0
# A small sheet is not blown up beyond this: points per pixel.
LARGEST = 1.12
CONTENTS_LINES = 66
NOTICE = "as designed; nothing here is measured"
HASH_LETTERS = 12


@dataclass(frozen=True, slots=True)
class Imprint:
    """What the title block says on every page: plan name, plan hash, build phases; ``left_out`` stands in the contents."""

    name: str
    plan_hash: str
    phases: str
    left_out: tuple[str, ...] = ()


def pdf_book(sheets: Sequence[Sheet], imprint: Imprint) -> bytes:
    """The book as PDF bytes. Equal sheets and imprint give equal bytes.

    Raises `ProblemError` ART-010 where the typst wheel is not installed.
    """
    data = compiled(source(sheets, imprint), {_image(i): printed_svg(s) for i, s in enumerate(sheets)}, "pdf")
    if not isinstance(data, bytes):
        raise TypeError("typst gives one PDF for a document")
    return data


def compiled(
    main: str, images: dict[str, str], form: Literal["pdf", "png"], ppi: float | None = None
) -> bytes | list[bytes] | None:
    """``main`` set by typst, with pictures by name; ``form`` is ``pdf`` or ``png`` (then one item a page)."""
    try:
        import typst
    except ImportError as missing:
        raise ProblemError(
            Problem(
                "ART-010",
                "the PDF book needs typst, which is not installed",
                why="the SVG sheets are written without it",
                fix="pip install typst, or export without pdf-book",
            )
        ) from missing
    compiler = typst.Compiler(ignore_system_fonts=True)
    files = {"main.typ": main.encode(), **{name: svg.encode() for name, svg in images.items()}}
    result: bytes | list[bytes] | None = compiler.compile(input=files, format=form, ppi=ppi)  # type: ignore[type-var]
    return result


def source(sheets: Sequence[Sheet], imprint: Imprint) -> str:
    """The typst source of the book: contents, then one page for each sheet."""
    count = len(sheets)
    pages = [_contents(sheets, imprint)]
    for index, sheet in enumerate(sheets):
        scale = scale_of(sheet)
        words = ", ".join(literal(w) for w in (sheet.title, sheet.subtitle, f"{index + 1} of {count}"))
        pages.append(
            f"#page(footer: block-of({words}))[\n"
            f"#align(center + horizon)[#image({literal(_image(index))}, width: {sheet.width * scale:.1f}pt, "
            f"alt: {literal(sheet.title)})]\n]"
        )
    return "\n".join([_preamble(imprint), *pages]) + "\n"


def scale_of(sheet: Sheet) -> float:
    """Points per pixel at which the sheet fills its page."""
    return min(ROOM_W / sheet.width, ROOM_H / sheet.height, LARGEST)


def _image(index: int) -> str:
    return f"sheet-{index + 1:04d}.svg"


def _preamble(imprint: Imprint) -> str:
    short = imprint.plan_hash[:HASH_LETTERS] or "none"
    return f"""#set document(title: {literal(imprint.name + ": drawings")}, date: none)
#set page(paper: "a3", flipped: true, margin: (x: 10mm, top: 10mm, bottom: 27mm), footer-descent: 4mm)
#set text(font: {literal(PRINT_FONT)}, size: 11pt, lang: "en", hyphenate: false)
#set par(leading: 0.5em)
#let cell(head, body) = [#text(size: 7.5pt, fill: luma(80))[#head] \\ #body]
#let block-of(title, under, number) = table(
  columns: (1fr, 2fr, 34mm, 1fr, 26mm, 64mm), stroke: 0.6pt + luma(120), inset: 5pt,
  cell("Plan", {literal(imprint.name)}), cell("Sheet", [#strong(title) #text(size: 9pt, under)]),
  cell("Plan hash", raw({literal(short)})), cell("Build phase", {literal(imprint.phases or "none")}),
  cell("Number", number), cell("Status", {literal(NOTICE)}),
)"""


def _contents(sheets: Sequence[Sheet], imprint: Imprint) -> str:
    """The front: what the book holds, and what it leaves out."""
    rows = "\n".join(
        f"  [{index + 1}], {literal(sheet.title)}, text(size: 10pt, {literal(sheet.subtitle)}),"
        for index, sheet in enumerate(sheets)
    )
    left = "".join(f"\n#par({literal(text)})" for text in imprint.left_out)
    columns = 2 if len(sheets) > CONTENTS_LINES // 2 else 1
    return f"""#page(footer: block-of("Contents", {literal(f"{len(sheets)} sheets")}, "front"))[
#text(size: 20pt, weight: "bold", {literal(imprint.name)})
#v(2mm)
#text(size: 13pt, {literal("Drawings of the physical plan: " + NOTICE)}){left}
#v(3mm)
#columns({columns}, table(columns: (12mm, auto, 1fr), stroke: none, inset: 3pt,
  table.header(strong("No."), strong("Sheet"), strong("Shows")),
{rows}
))
]"""
