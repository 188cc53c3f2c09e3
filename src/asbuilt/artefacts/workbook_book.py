"""The file of a workbook: XlsxWriter makes cover, headers, formats and print set-up, the rows are put into its sheets.

XlsxWriter makes one Python object per cell and its constant-memory mode writes temporary files. Rows of a large plan are
therefore made columnar (`workbook_rows`) and written into the sheets that it left empty, piece by piece.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from asbuilt.artefacts.workbook_columns import header, number_format, width
from asbuilt.artefacts.workbook_rows import CellStyle, letters, rows_xml
from asbuilt.artefacts.workbook_sheets import Sheet
from asbuilt.base.problem import Problem, ProblemError

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

#: Rows of a sheet, its header among them (Microsoft, Excel specifications and limits).
EXCEL_ROWS = 1_048_576
#: Cells of a sheet: some 100 bytes each, and a file in the archive holds 2 GiB.
CELLS_MOST = 16_000_000
COVER = "cover"
NAME_MOST = 31
_BAD_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f]")
#: Excel keeps this name for itself.
_RESERVED = "history"
#: A workbook has to be created some day. This is nobody's clock: the same for every plan.
_CREATED = datetime(2000, 1, 1)
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
A4, A3 = 9, 8
#: Width in characters beyond which a sheet is printed on A3.
A4_HOLDS = 170.0
HASH_LETTERS = 12
_MARGIN_INCH = 0.4


@dataclass(frozen=True, slots=True)
class Cover:
    """The first sheet: name and hash of the plan, facts (words, text), counts (words, number, unit), notes."""

    name: str
    plan_hash: str
    facts: tuple[tuple[str, str], ...]
    counts: tuple[tuple[str, float, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet of the file: a `Sheet`, or a part of one that has more rows than Excel takes."""

    name: str
    sheet: Sheet
    start: int
    rows: int
    note: str


def workbook_bytes(cover: Cover, sheets: Sequence[Sheet], most: int = EXCEL_ROWS) -> bytes:
    """The XLSX file of ``cover`` and ``sheets``, each cut after ``most`` rows (header among them) and told so on the cover.

    Very wide sheets are cut before that, at `CELLS_MOST`. Equal input gives equal bytes.
    Raises `ProblemError` ART-010 where XlsxWriter is not installed.
    """
    listed = pages(sheets, most)
    skeleton = _skeleton(cover, listed)
    target = io.BytesIO()
    with zipfile.ZipFile(skeleton) as empty, zipfile.ZipFile(target, "w") as full:
        for info in empty.infolist():
            with full.open(_entry(info.filename), "w", force_zip64=False) as file:
                for piece in _filled(info.filename, empty.read(info), listed):
                    file.write(piece)
    return target.getvalue()


def pages(sheets: Sequence[Sheet], most: int = EXCEL_ROWS) -> list[Page]:
    """The sheets under names that Excel takes, cut where they have more rows than ``most``."""
    taken = {COVER, _RESERVED}
    listed = []
    for sheet in sheets:
        room = min(most - 1, CELLS_MOST // len(sheet.schema.columns))
        parts = max(1, -(-sheet.frame.height // room))
        for part in range(parts):
            start = part * room
            rows = min(room, sheet.frame.height - start)
            note = "" if parts == 1 else f"part {part + 1} of {parts}: rows {start + 1:,} to {start + rows:,} of the list"
            name = sheet_name(sheet.name if part == 0 else f"{sheet.name} {part + 1}", taken)
            listed.append(Page(name, sheet, start, rows, note))
    return listed


def sheet_name(wanted: str, taken: set[str]) -> str:
    """A name that Excel takes: at most 31 characters, none of ``[]:*?/\\``, no quote at its ends, not there yet in any case.

    Adds it to ``taken``, in lower case.
    """
    clean = _BAD_IN_NAMES.sub("_", wanted).strip("' ") or "sheet"
    name, number = clean[:NAME_MOST].rstrip("' "), 1
    while name.lower() in taken:
        number += 1
        tail = f" ({number})"
        name = clean[: NAME_MOST - len(tail)] + tail
    taken.add(name.lower())
    return name


def _entry(name: str) -> zipfile.ZipInfo:
    """A file of the archive without date and system; quick compression: sheets are large and alike."""
    info = zipfile.ZipInfo(name, _ZIP_TIME)
    info.create_system = 0
    info.compress_type = zipfile.ZIP_DEFLATED
    info._compresslevel = 3  # type: ignore[attr-defined]  # open() takes no level of its own
    return info


_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml$")


def _filled(name: str, data: bytes, listed: Sequence[Page]) -> Iterator[bytes]:
    """A file of the skeleton; of a sheet with its rows. The cover is sheet 1."""
    found = _SHEET.match(name)
    if found is None or found[1] == "1":
        yield data
        return
    page = listed[int(found[1]) - 2]
    text = data.decode()
    head, rest = text.split('<row r="2"', 1)
    samples, tail = rest.split("</sheetData>", 1)
    plain, quoted = samples.split('<row r="3"', 1)
    styles = [CellStyle(*pair) for pair in zip(_styles(plain), _styles(quoted), strict=True)]
    last = f"{letters(len(styles) - 1)}{page.rows + 1}"
    yield re.sub(r'<dimension ref="[^"]*"/>', f'<dimension ref="A1:{last}"/>', head).encode()
    yield from rows_xml(page.sheet.frame.slice(page.start, page.rows), styles, 2)
    yield f"</sheetData>{tail}".encode()


def _styles(row: str) -> list[str]:
    return re.findall(r'<c r="[A-Z]+\d+" s="(\d+)"', row)


def _skeleton(cover: Cover, listed: Sequence[Page]) -> io.BytesIO:
    """The workbook without rows: below each header a row of formats, and one of formats for texts that open like formulas."""
    try:
        from xlsxwriter import Workbook
    except ImportError as missing:
        raise ProblemError(
            Problem(
                "ART-010",
                "the workbook needs XlsxWriter, which is not installed",
                why="its formats and print set-up are written by it",
                fix="pip install XlsxWriter, or export the other targets",
            )
        ) from missing
    target = io.BytesIO()
    book = Workbook(target, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"title": cover.name, "subject": cover.plan_hash, "created": _CREATED, "comments": cover.notes[0]})
    formats = _Formats(book)
    _cover(book.add_worksheet(COVER), formats, cover, listed)
    for page in listed:
        _sheet(book.add_worksheet(page.name), formats, page, cover)
    book.close()
    target.seek(0)
    return target


class _Formats:
    """Cell formats by their properties, each made once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._made: dict[tuple[tuple[str, Any], ...], Any] = {}

    def __call__(self, **properties: Any) -> Any:
        key = tuple(sorted(properties.items()))
        if key not in self._made:
            self._made[key] = self._book.add_format({"font_name": "Calibri", "font_size": 10, "valign": "top", **properties})
        return self._made[key]


_HEAD = {"bold": True, "text_wrap": True, "bg_color": "#DCE6F1", "bottom": 1, "valign": "vcenter"}


def _sheet(sheet: Worksheet, formats: _Formats, page: Page, cover: Cover) -> None:
    """Header, widths, filter, frozen panes and print set-up of one sheet."""
    across = 0.0
    for at, column in enumerate(page.sheet.schema.columns):
        held = page.sheet.frame[column.name].slice(page.start, page.rows)
        wide, wrapped = width(column, held)
        across += wide
        sheet.set_column(at, at, wide)
        sheet.write_string(0, at, header(column), formats(**_HEAD))
        shown = {"num_format": number_format(column)} if number_format(column) else {}
        more = {"text_wrap": True} if wrapped else {}
        sheet.write_blank(1, at, None, formats(**shown, **more))
        sheet.write_blank(2, at, None, formats(**shown, **more, quote_prefix=True))
    last = len(page.sheet.schema.columns) - 1
    sheet.set_row(0, 30)
    sheet.freeze_panes(1, 1)
    sheet.autofilter(0, 0, page.rows, last)
    # Ports and panel positions are names made of digits: no warning triangles.
    sheet.ignore_errors({"number_stored_as_text": f"A1:{letters(last)}{page.rows + 1}"})
    sheet.repeat_rows(0)
    _printed(sheet, cover, page.name, A3 if across > A4_HOLDS else A4)


def _printed(sheet: Worksheet, cover: Cover, name: str, paper: int) -> None:
    """Landscape, as wide as the page, with what it is and which plan it is from on every page."""
    sheet.set_landscape()
    sheet.set_paper(paper)
    sheet.fit_to_pages(1, 0)
    sheet.set_margins(_MARGIN_INCH, _MARGIN_INCH, 2 * _MARGIN_INCH, 2 * _MARGIN_INCH)
    title = cover.name[:80].replace("&", "&&")
    mark = cover.plan_hash[:HASH_LETTERS]
    sheet.set_header(f"&L{title}&C{name.replace('&', '&&')}&R{f'plan {mark}' if mark else ''}")
    sheet.set_footer(f"&L{cover.notes[0]}&R&P / &N")


def _cover(sheet: Worksheet, formats: _Formats, cover: Cover, listed: Sequence[Page]) -> None:
    """Facts, counts, notes, and the sheets with links."""
    bold, plain = formats(bold=True), formats(text_wrap=True)
    sheet.set_column(0, 0, 36)
    sheet.set_column(1, 1, 14)
    sheet.set_column(2, 2, 18)
    sheet.set_column(3, 3, 100)
    sheet.write_string(0, 0, cover.name, formats(bold=True, font_size=16))
    row = 1
    for note in cover.notes:
        sheet.write_string(row, 0, note, formats())
        row += 1
    row += 1
    for words, fact in cover.facts:
        sheet.write_string(row, 0, words, bold)
        sheet.write_string(row, 1, fact, formats())
        row += 1
    row += 1
    for words, count, unit in cover.counts:
        sheet.write_string(row, 0, words, formats())
        sheet.write_number(row, 1, count, formats(num_format="#,##0.0" if unit else "#,##0"))
        sheet.write_string(row, 2, unit, formats())
        row += 1
    row += 1
    for at, words in enumerate(("sheet", "rows", "part", "what it holds")):
        sheet.write_string(row, at, words, formats(**_HEAD))
    link = formats(font_color="#0563C1", underline=1)
    for page in listed:
        row += 1
        quoted = page.name.replace("'", "''")
        sheet.write_url(row, 0, f"internal:'{quoted}'!A1", link, page.name)
        sheet.write_number(row, 1, page.rows, formats(num_format="#,##0"))
        sheet.write_string(row, 2, page.sheet.group, formats())
        sheet.write_string(row, 3, f"{page.sheet.schema.meaning} {page.note}".strip(), plain)
    _printed(sheet, cover, COVER, A4)
