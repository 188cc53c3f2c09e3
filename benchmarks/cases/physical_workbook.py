"""The workbook of so many GB300 NVL72 racks: the same sheets written by the product, by openpyxl and by XlsxWriter itself.

``write`` makes the file of sheets that are there; ``whole`` makes the sheets as well. The peers write the same cells with the
same headers, widths, filter and frozen header, in the mode that each has for large files (write-only, constant memory).
Digest: the cells of two sheets, read back.
"""

from __future__ import annotations

import hashlib
import io
import sys
from typing import Any

from measure import report

from asbuilt.artefacts.workbook import cover, workbook
from asbuilt.artefacts.workbook_book import workbook_bytes
from asbuilt.artefacts.workbook_columns import header, number_format, width
from asbuilt.artefacts.workbook_sheets import Sheet, sheets
from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.plan.expand import expand

TEXT = (
    "schema: requirement/v1\nname: bench\nsystem: gb300-nvl72\ngpus: {gpus}\nnode: {{power_cap_w: 120000}}\n"
    "site: {{racks_per_row: 10}}\nfibre: {{trunks: between-rows, tray_width_mm: 450}}\n"
)


def planned(racks: int) -> Plan:
    catalogue = load()
    return expand(resolve(decode(TEXT.format(gpus=72 * racks).encode(), "bench"), catalogue), catalogue)


def with_openpyxl(listed: list[Sheet]) -> bytes:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    bold = Font(bold=True)
    for sheet in listed:
        page = book.create_sheet(sheet.name)
        page.freeze_panes = "B2"
        page.auto_filter.ref = f"A1:{get_column_letter(sheet.frame.width)}{sheet.frame.height + 1}"
        heads = []
        for at, column in enumerate(sheet.schema.columns):
            page.column_dimensions[get_column_letter(at + 1)].width = width(column, sheet.frame[column.name])[0]
            head = WriteOnlyCell(page, header(column))
            head.font = bold
            heads.append(head)
        page.append(heads)
        for row in sheet.frame.iter_rows():
            page.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def with_xlsxwriter(listed: list[Sheet]) -> bytes:
    from xlsxwriter import Workbook

    target = io.BytesIO()
    book = Workbook(target, {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    bold = book.add_format({"bold": True})
    for sheet in listed:
        page = book.add_worksheet(sheet.name)
        page.freeze_panes(1, 1)
        page.autofilter(0, 0, sheet.frame.height, sheet.frame.width - 1)
        forms = []
        for at, column in enumerate(sheet.schema.columns):
            form = book.add_format({"num_format": number_format(column)}) if number_format(column) else None
            page.set_column(at, at, width(column, sheet.frame[column.name])[0])
            page.write_string(0, at, header(column), bold)
            forms.append(form)
        for number, row in enumerate(sheet.frame.iter_rows(), start=1):
            for at, value in enumerate(row):
                page.write(number, at, value, forms[at])
    book.close()
    return target.getvalue()


def digest(data: bytes, listed: list[Sheet]) -> str:
    """Of the cells of the shortest and the longest sheet, as openpyxl reads them: 48 is 48.0, an empty text an empty cell."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(data), read_only=True)
    ordered = sorted(listed, key=lambda s: s.frame.height)
    seen = hashlib.sha256()
    for sheet in (ordered[0], ordered[-1]):
        for row in book[sheet.name].iter_rows(max_row=2000, max_col=sheet.frame.width, values_only=True):
            alike = [None if v == "" else float(v) if isinstance(v, int | float) else v for v in row]
            seen.update(repr(alike).encode())
    return seen.hexdigest()[:16]


def main() -> None:
    name, racks = sys.argv[1], int(sys.argv[2])
    plan = planned(racks)
    listed = sheets(plan)
    cells = sum(s.frame.height * s.frame.width for s in listed)
    if name == "whole":
        report(lambda: workbook(plan), repeat=2, note=f"{cells / 1e6:.2f} million cells")
        return
    jobs: dict[str, Any] = {
        "write": lambda: workbook_bytes(cover(plan, listed), listed),
        "openpyxl": lambda: with_openpyxl(listed),
        "xlsxwriter": lambda: with_xlsxwriter(listed),
    }
    data = jobs[name]()
    note = f"{cells / 1e6:.2f} million cells in {len(listed)} sheets, {len(data) / 1e6:.1f} MB"
    report(jobs[name], repeat=2 if name == "write" else 1, warm=False, digest=digest(data, listed), note=note)


main()
