"""XLSX sheets as rows of cells, with a guard: a workbook is somebody else's ZIP of XML."""

from __future__ import annotations

import io
import zipfile
from typing import Iterator

from asbuilt.base.problem import Place, Problem, ProblemError

#: Limits on what a workbook unpacks to; a cable list of a million links stays far below.
MOST_BYTES, MOST_RATIO, MOST_PARTS = 512 << 20, 400, 5000
MOST_ROWS, MOST_COLUMNS = 2_000_000, 256
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")


def sheets(data: bytes, file: str) -> Iterator[tuple[str, Iterator[tuple[object, ...]]]]:
    """(sheet name, its rows) of every sheet, values only, in the workbook's order.

    Raises `ProblemError` PAR-004 for a workbook that is broken, unpacks to too much, or declares XML entities.
    """
    _guard(data, file)
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        names = [sheet.title for sheet in book.worksheets]
    except Exception as error:
        # openpyxl raises whatever its XML and ZIP layers raise; a broken workbook must not be a traceback.
        raise _refused(file, f"the workbook cannot be read: {type(error).__name__}") from None
    for name in names:
        yield name, _rows(book[name], file)


def _rows(sheet: object, file: str) -> Iterator[tuple[object, ...]]:
    sheet.reset_dimensions()  # type: ignore[attr-defined]  # what a sheet says of its size need not be true
    rows = sheet.iter_rows(values_only=True)  # type: ignore[attr-defined]
    number = 0
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except Exception as error:
            raise _refused(file, f"a sheet cannot be read after row {number}: {type(error).__name__}") from None
        number += 1
        if number > MOST_ROWS or any(c is not None for c in row[MOST_COLUMNS:]):
            raise _refused(file, f"a sheet has more than {MOST_ROWS} rows or {MOST_COLUMNS} columns")
        yield tuple(row[:MOST_COLUMNS])


def _guard(data: bytes, file: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            parts = packed.infolist()
            size = sum(p.file_size for p in parts)
            if len(parts) > MOST_PARTS or size > MOST_BYTES or size > MOST_RATIO * max(len(data), 1):
                raise _refused(file, f"the workbook unpacks to {len(parts)} parts of {size} bytes")
            for part in parts:
                if part.filename.endswith((".xml", ".rels")):
                    with packed.open(part) as stream:
                        head = stream.read(65536)
                    if any(mark in head for mark in _DECLARATIONS):
                        raise _refused(file, f"{part.filename} declares XML entities")
            if "[Content_Types].xml" not in {p.filename for p in parts}:
                raise _refused(file, "the ZIP file is no workbook")
    except (zipfile.BadZipFile, RuntimeError, EOFError, OSError) as error:
        raise _refused(file, f"the workbook is a broken ZIP file: {str(error)[:80]}") from None
    except Exception as error:
        if isinstance(error, ProblemError):
            raise
        raise _refused(file, f"the workbook cannot be unpacked: {type(error).__name__}") from None


def _refused(file: str, what: str) -> ProblemError:
    return ProblemError(Problem("PAR-004", what, Place(file), fix="save the cable list as CSV and give that"))
