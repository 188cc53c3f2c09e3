"""Labels for everything that is pulled and for what stands still: all of them as CSV, and the first rows as printable sheets.

Both ends of a cable are neighbours in every file, because both are put on before it is pulled.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from asbuilt.artefacts.delimited import write_csv
from asbuilt.artefacts.label_sheets import SHEETS, sheet
from asbuilt.model.plan import Plan
from asbuilt.plan.labels import label_records

if TYPE_CHECKING:
    import polars as pl

TARGET = "labels"
WRITES = (
    "labels of both ends of every cable, hose and power cord, of racks, PDUs, panels and CDUs: labels/labels.csv for label "
    "printers, labels/<sheet>/<row>.pdf with QR codes"
)
LOST = (
    "site and room in the identifiers: the requirement does not name them",
    "sheets past the first rows: labels/README.txt says which; the CSV has all labels",
)
#: Sheets are made for so many labels of a row, and for so many of a plan: the rest is in the CSV alone.
MOST_PER_ROW, MOST_IN_ALL = 4_000, 4_000
COLUMNS = (
    "pull", "crew", "kind", "text", "own", "remote", "qr", "end", "tail", "row", "rack", "u", "route", "part",
    "length_m", "phase",
)  # fmt: skip
#: Labels of racks, power and liquid are few and are printed before those of cables.
_PRINTED = ("rack", "power", "liquid", "cable")
#: Where labels of things go that belong to no row.
_NO_ROW = "hall"


def labels(plan: Plan) -> dict[str, bytes]:
    """``labels/labels.csv``, the sheets of each row, and ``labels/README.txt``; nothing for a plan without labels.

    Lengths in metres. Rows are in the order of work of each crew. Cells that a spreadsheet would run as a formula get a
    ``'`` in front. Equal plans give equal bytes.
    """
    records = label_records(plan)
    if records.is_empty():
        return {}
    target = io.BytesIO()
    write_csv(as_csv(records), target)
    files = {"labels/labels.csv": target.getvalue()}
    printed, left = chosen(records)
    for row, some in printed:
        for name in SHEETS:
            files[f"labels/{name}/{_file(row)}.pdf"] = sheet(some, name)
    files["labels/README.txt"] = _readme(records, [row for row, _ in printed], left).encode()
    return files


def as_csv(records: pl.DataFrame) -> pl.DataFrame:
    """The records in the columns of the CSV; ``qr`` is what the code holds."""
    import polars as pl

    return records.with_columns(pl.col("item").alias("qr")).select(COLUMNS)


def chosen(records: pl.DataFrame) -> tuple[list[tuple[str, pl.DataFrame]], dict[str, int]]:
    """Which records are printed, by row of the hall, and how many of which row are not. Labels that read nothing never are."""
    import polars as pl

    readable = records.filter(pl.col("text").is_not_null()).with_columns(_row().alias("row"))
    printed: list[tuple[str, pl.DataFrame]] = []
    left: dict[str, int] = {}
    room = MOST_IN_ALL
    rows = readable["row"].unique().to_list()
    for row in sorted(rows, key=lambda r: (r == _NO_ROW, len(r), r)):
        of_row = pl.concat(readable.filter((pl.col("row") == row) & (pl.col("crew") == crew)) for crew in _PRINTED)
        some = of_row.head(min(room, MOST_PER_ROW) // 2 * 2)
        room -= some.height
        if some.height:
            printed.append((row, some))
        if some.height < of_row.height:
            left[row] = of_row.height - some.height
    return printed, left


def _row() -> pl.Expr:
    """The row in whose file a label is printed: both ends of a cable in the one of its near end."""
    import polars as pl

    return pl.col("row").first().over("crew", "pull").fill_null(_NO_ROW)


def _file(row: str) -> str:
    """A row as a file name: letters, digits and hyphens; everything else by its number."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "-") else f"_{ord(c):x}" for c in row)


def _readme(records: pl.DataFrame, printed: list[str], left: dict[str, int]) -> str:
    import polars as pl

    by_kind = records.group_by("crew", "kind").len().sort("crew", "kind")
    unread = records.filter(pl.col("text").is_null()).height
    lines = [
        f"{records.height} labels, in the order of work of each crew (row, pair of racks, rack unit, port):",
        *(f"  {crew:7} {kind:14} {count}" for crew, kind, count in by_kind.rows()),
        "",
        "labels.csv: one line per label, UTF-8, comma, header line; any label printer's program maps these columns.",
        "  text    what is printed: own/remote; own alone on racks, PDUs, panels and CDUs",
        "  qr      what the QR code holds: the key of the cable, the same on both ends",
        "  pull    the order of work; both ends of a cable share it and are neighbours",
        "  end     near is the reference end (switch, PDU, header), far the other one",
        "",
        "Sheets, to be printed at 100 %, one page on plain paper first:",
        *(f"  {name:8} {form.about}" for name, form in SHEETS.items()),
        f"  rows printed: {', '.join(printed) or 'none'}",
    ]
    lines += [f"  not printed: {count} labels of row {row} (in labels.csv)" for row, count in left.items()]
    if unread:
        lines.append(f"  not printed: {unread} labels of ends whose place the plan does not know (empty text in labels.csv)")
    lines += ["", "Put on and scan both labels of a cable before it is pulled."]
    return "\n".join(lines) + "\n"
