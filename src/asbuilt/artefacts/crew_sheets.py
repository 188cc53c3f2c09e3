"""Work packages for the crews: what each of them sets, pulls and connects, shift by shift, row by row, with boxes to tick.

A package is one shift of one crew in one row. Its lines are in the order of work of the labels, so that the sheet, the labels
and the cables of a shift lie in the same order. Nothing is pulled before both of its ends are labelled: the first box.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from asbuilt.artefacts.crew_lines import COLUMNS, work_lines
from asbuilt.artefacts.delimited import write_csv
from asbuilt.artefacts.label_sheets import compiled
from asbuilt.artefacts.typst_text import literal
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "crew-sheets"
WRITES = (
    "work packages of each crew by row and shift: crew-sheets/<crew>.csv with all lines, crew-sheets/<crew>-<row>.pdf with "
    "boxes to tick"
)
LOST = (
    "names, dates and torque readings: the sheets have room for them",
    "printed packages past the first ones: crew-sheets/README.txt says which; the CSV files have all lines",
)
#: Lines of a printed sheet, and packages that are printed; the CSV has all of them.
MOST_LINES = 6_000
CREWS = ("rack", "power", "liquid", "cable")
#: Boxes of a line by crew: what is signed for.
BOXES = {
    "rack": ("placed", "bonded", "labelled"),
    "power": ("both ends labelled", "fitted", "tested"),
    "liquid": ("both ends labelled", "fitted", "torque"),
    "cable": ("both ends labelled", "pulled", "connected"),
}


def crew_sheets(plan: Plan) -> dict[str, bytes]:
    """``crew-sheets/<crew>.csv``, ``crew-sheets/<crew>-<row>.pdf`` and a README; nothing for a plan without racks and cables.

    Lengths in metres. Equal plans give equal bytes. Raises `ProblemError` ART-010 where typst is not installed.
    """
    lines = work_lines(plan)
    if lines.is_empty():
        return {}
    files: dict[str, bytes] = {}
    told = []
    room = MOST_LINES
    for crew in CREWS:
        of_crew = _rows_of(lines, crew)
        if of_crew.is_empty():
            continue
        target = io.BytesIO()
        write_csv(of_crew.select(COLUMNS), target)
        files[f"crew-sheets/{crew}.csv"] = target.getvalue()
        for row in of_crew["row"].unique(maintain_order=True).to_list():
            of_row = _rows_of(of_crew, row, "row")
            shifts = of_row["shift"].n_unique()
            name = f"{crew}-{_file(row)}.pdf"
            if of_row.height > room:
                told.append(f"  {name:24} not printed: {of_row.height} lines in {shifts} shifts (in {crew}.csv)")
                continue
            room -= of_row.height
            files[f"crew-sheets/{name}"] = compiled(source(of_row, crew, row, plan.name))
            told.append(f"  {name:24} {of_row.height} lines in {shifts} shifts")
    files["crew-sheets/README.txt"] = _readme(lines, told).encode()
    return files


def _rows_of(lines: pl.DataFrame, value: str, column: str = "crew") -> pl.DataFrame:
    import polars as pl

    return lines.filter(pl.col(column) == value)


def _file(row: str) -> str:
    """A row as a file name: letters, digits and hyphens; everything else by its number."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "-") else f"_{ord(c):x}" for c in row)


#: Kinds of lines with one end.
_STILL = ("rack", "pdu", "panel", "cdu", "fitting")
_PAGE = """#set document(title: %s, date: none)
#set page(paper: "a4", flipped: true, margin: (x: 12mm, top: 12mm, bottom: 14mm), footer: context [
  #set text(size: 7pt)
  #grid(columns: (1fr, auto), [Both ends are labelled and scanned before a cable is pulled. As designed; nothing is measured.],
    [page #counter(page).display() of #counter(page).final().first()])
])
#set text(font: "DejaVu Sans Mono", size: 7.2pt, lang: "en", hyphenate: false)
#let box-to-tick = box(width: 3mm, height: 3mm, stroke: 0.5pt)
#let package(head, foot, heads, cells, last) = {
  if not last { pagebreak(weak: true) }
  text(size: 11pt, weight: "bold", head)
  v(1mm)
  grid(columns: (1fr, 1fr, 1fr), column-gutter: 4mm,
    ..("crew lead", "date and shift", "signature").map(w => [#w: #box(width: 1fr, repeat[.])]))
  v(1mm)
  table(
    columns: (auto, auto, 1fr, 1fr, auto, auto, ..heads.map(h => auto)),
    stroke: 0.3pt + luma(60%%), inset: (x: 1.2mm, y: 0.9mm), align: left + horizon,
    table.header(..("no.", "kind", "from", "to", "part", "m", ..heads).map(h => text(weight: "bold", h))),
    ..cells.map(row => (..row, ..heads.enumerate().map(((i, h)) => align(center,
      if i == 0 and row.at(1) == "fitting" [-] else { box-to-tick })))).flatten(),
  )
  text(size: 8pt, foot)
}
"""


def source(lines: pl.DataFrame, crew: str, row: str, plan: str) -> str:
    """The typst source of one crew's packages in one row, each on pages of its own."""
    title = f"{plan}: {crew} crew, row {row}"
    parts = [_PAGE % literal(title)]
    heads = f"({', '.join(literal(b) for b in BOXES[crew])},)"
    for number, (shift, of_shift) in enumerate(lines.group_by("shift", maintain_order=True)):
        cells = ",\n".join(f"({', '.join(literal(cell) for cell in cells)})" for cells in _cells(of_shift).iter_rows())
        metres = of_shift["length_m"].sum()
        head = f"{plan}  /  {crew} crew  /  row {row}  /  shift {shift[0]}"
        foot = f"{of_shift.height} lines" + (f", {metres:,.0f} m in all" if metres else "")
        parts.append(
            f"#package({literal(head)}, {literal(foot)}, {heads}, (\n{cells},\n), {'true' if number == 0 else 'false'})\n"
        )
    return "".join(parts)


def _cells(lines: pl.DataFrame) -> pl.DataFrame:
    """The texts of a line: number, kind, both ends, part, length; unknown ones as a dash."""
    import polars as pl

    metres = pl.col("length_m")
    length = pl.when(metres == metres.floor()).then(metres.cast(pl.Int64).cast(pl.String)).otherwise(metres.cast(pl.String))
    # An identifier has no blank where a line may break: each sign between its parts may be one.
    ends = [pl.col(c).fill_null("place not known").str.replace_all(r"([-:./])", "${1}\u200b") for c in ("own", "remote")]
    return lines.select(
        pl.col("pull").cast(pl.String), "kind", ends[0],
        pl.when(pl.col("kind").is_in(_STILL)).then(pl.lit("")).otherwise(ends[1]).alias("to"),
        pl.col("part").fill_null("-").str.slice(0, 30), length.fill_null("-").alias("m"),
    )  # fmt: skip


def _readme(lines: pl.DataFrame, told: list[str]) -> str:
    import polars as pl

    each = lines.group_by("crew").agg(pl.len(), pl.struct("row", "shift").n_unique().alias("shifts")).sort("crew")
    sizes = lines.group_by("crew").agg(pl.col("shift_size").first()).sort("crew")
    said = [f"  {crew:7} {count} lines in {shifts} shifts of a row" for crew, count, shifts in each.rows()]
    held = [f"  {crew:7} {size} lines a shift" for crew, size in sizes.rows()]
    return "\n".join(
        [
            "Work packages of the crews, one shift of one crew in one row each:",
            *said,
            "",
            "Lines of a shift (assumed for a crew of two; no published figure: put in your own):",
            *held,
            "",
            "Printed, in the order of the label sheets:",
            *told,
            "",
            "Both ends of everything are labelled and scanned before it is pulled: the first box of each line.",
            "",
        ]
    )
