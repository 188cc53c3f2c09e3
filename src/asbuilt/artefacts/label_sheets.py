"""Label sheets as PDF: a QR code and three lines on each label, set by typst, on common die-cut sheets and on a roll.

The QR code holds the key of the cable and nothing else: what is known of it may change, its label stays. Its mask is fixed, so
that a key always gives the same picture. Sizes of the A4 sheets are those printed on the makers' packs; sheets are centred.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.artefacts.typst_text import literal
from asbuilt.base.problem import Problem, ProblemError

if TYPE_CHECKING:
    import polars as pl

A4_MM = (210.0, 297.0)
#: Width of a letter of the monospaced typeface over its size (DejaVu Sans Mono: 1,233 of 2,048 units), and mm in a point.
_LETTER, _POINT_MM = 1233 / 2048, 25.4 / 72
_LEAST_PT = 3.5
#: Quiet zone around a QR code, in modules (ISO/IEC 18004).
_QUIET = 4
_MASK = 2


@dataclass(frozen=True, slots=True)
class Form:
    """A sheet: labels across and down, size of one, gap between columns, all in mm; ``page`` None is one label a page."""

    about: str
    across: int
    down: int
    width_mm: float
    height_mm: float
    gap_mm: float
    qr_mm: float
    most_pt: float
    page_mm: tuple[float, float] | None = A4_MM

    @property
    def text_mm(self) -> float:
        """Width that is left for the text."""
        return self.width_mm - self.qr_mm - 1.5


SHEETS = {
    "l7651": Form("A4, 65 labels of 38.1 x 21.2 mm (as Avery L7651): flags and devices", 5, 13, 38.1, 21.2, 2.5, 19.0, 6.5),
    "l4731": Form("A4, 189 labels of 25.4 x 10 mm (as Avery L4731): thin cords", 7, 27, 25.4, 10.0, 2.5, 9.6, 5.0),
    "roll60": Form(
        "roll, one label of 60 x 25 mm a page: the printed part of a self-laminating wrap",
        1,
        1,
        60.0,
        25.0,
        0.0,
        22.0,
        9.0,
        None,
    ),
}


def sheet(records: pl.DataFrame, name: str) -> bytes:
    """PDF of the ``records`` (table `LABELS`, in their order) on a sheet of `SHEETS`; ``KeyError`` for an unknown one.

    Equal records give equal bytes: nothing is dated, and the fonts are those that typst carries.
    """
    return compiled(source(records, name))


def compiled(main: str) -> bytes:
    """``main`` set by typst as PDF. Raises `ProblemError` ART-010 where typst is not installed."""
    try:
        import typst
    except ImportError as missing:
        raise ProblemError(
            Problem(
                "ART-010",
                "printable labels and sheets for the crews need typst, which is not installed",
                why="their pages are set by it; `labels.csv` is made with them",
                fix="pip install typst, or export without labels and crew-sheets",
            )
        ) from missing
    made = typst.compile(main.encode(), ignore_system_fonts=True, pdf_tags=False)
    if not isinstance(made, bytes):
        raise TypeError("typst gives one PDF for a document")
    return made


def source(records: pl.DataFrame, name: str) -> str:
    """The typst source of `sheet`: no package, no file, fonts that typst carries."""
    form = SHEETS[name]
    codes: dict[str, int] = {}
    cells = []
    columns = ("item", "own", "remote", "crew", "pull", "end")
    for item, own, remote, crew, pull, end in records.select(columns).iter_rows():
        number = codes.setdefault(item, len(codes))
        lines = [own, f"/{remote}" if remote else "", f"{crew} {pull}" if remote else f"{crew} {pull} {end}"]
        size = _size(form, max(len(line) for line in lines[:2]))
        texts = ", ".join(literal(part) for line in lines[:2] for part in _cut(line, form, size))
        cells.append(f"one({number}, ({texts},), {literal(lines[2])}, {size:g}pt)")
    pictures = ",\n".join(f'"{qr_svg(item)}"' for item in codes)  # digits, letters and single quotes alone
    return (
        f'{_page(form)}#let codes = (\n{pictures},\n).map(s => image(bytes(s), format: "svg", width: {form.qr_mm:g}mm))\n'
        + (f"{_ONE % (form.width_mm, form.height_mm, form.qr_mm)}{_laid(form, cells)}")
    )


_ONE = """#let one(code, lines, foot, size) = box(width: %gmm, height: %gmm, clip: true, grid(
  columns: (%gmm, 1fr), align: (left + horizon, left + horizon), rows: 100%%,
  codes.at(code),
  text(size: size, stack(dir: ttb, spacing: 0.35em, ..lines.map(l => text(weight: "bold", l)), text(size: 0.8em, foot))),
))
"""


def _page(form: Form) -> str:
    if form.page_mm is None:
        page = f"width: {form.width_mm:g}mm, height: {form.height_mm:g}mm, margin: 0mm"
    else:
        wide, high = form.page_mm
        side = (wide - form.across * form.width_mm - (form.across - 1) * form.gap_mm) / 2
        top = (high - form.down * form.height_mm) / 2
        # A hair less below: the rows fill the sheet to the letter, and a rounding must not push the last one over.
        page = f"width: {wide:g}mm, height: {high:g}mm, margin: (x: {side:g}mm, top: {top:g}mm, bottom: {top - 0.5:g}mm)"
    return (
        f'#set document(title: "Labels", date: none)\n#set page({page})\n'
        '#set text(font: "DejaVu Sans Mono", lang: "en", hyphenate: false)\n#set par(leading: 0.3em, spacing: 0em)\n'
    )


def _laid(form: Form, cells: list[str]) -> str:
    if form.page_mm is None:
        return "".join(f"#page({cell})\n" for cell in cells)
    joined = ",\n".join(cells)
    return (
        f"#grid(columns: ({form.width_mm:g}mm,) * {form.across}, rows: {form.height_mm:g}mm, "
        f"column-gutter: {form.gap_mm:g}mm, row-gutter: 0mm,\n{joined})\n"
    )


def _size(form: Form, letters: int) -> float:
    """Letters in points, so that a line of so many fits; the least size when none does (the line is then cut in two)."""
    fitting = form.text_mm / (max(1, letters) * _LETTER * _POINT_MM)
    return max(_LEAST_PT, min(form.most_pt, int(fitting * 10) / 10))


def _cut(line: str, form: Form, size: float) -> list[str]:
    """A line in pieces that fit at this size."""
    letters = max(1, int(form.text_mm / (size * _LETTER * _POINT_MM)))
    return [line[at : at + letters] for at in range(0, len(line), letters)]


@functools.lru_cache(maxsize=8192)
def qr_svg(text: str) -> str:
    """The QR code of ``text`` (error correction M) as SVG: dark modules of a line joined, quiet zone included."""
    rows = modules(text)
    side = len(rows) + 2 * _QUIET
    runs = "".join(f"M{x} {y}h{n}v1h-{n}z" for y, row in enumerate(rows) for x, n in _runs(row))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='-{_QUIET} -{_QUIET} {side} {side}' width='{side}' height='{side}'>"
        f"<path d='{runs}'/></svg>"
    )


def modules(text: str) -> tuple[bytes, ...]:
    """The modules of the QR code of ``text``, row by row, 1 for dark, without quiet zone."""
    import segno

    code = segno.make_qr(text, error="m", mask=_MASK, boost_error=False, encoding="utf-8")
    return tuple(bytes(row) for row in code.matrix)


def _runs(row: bytes) -> list[tuple[int, int]]:
    """Start and length of each run of dark modules."""
    found: list[tuple[int, int]] = []
    for x, dark in enumerate(row):
        if dark and found and sum(found[-1]) == x:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        elif dark:
            found.append((x, 1))
    return found
