"""Bytes of somebody's text file to text: UTF-8, UTF-16, or the code pages that spreadsheets write."""

from __future__ import annotations

from asbuilt.base.problem import Place, Problem, ProblemError

MOST_BYTES = 512 << 20


def decoded(data: bytes, file: str) -> str:
    """The text of ``data``: by its byte order mark, else UTF-8, else GB 18030 (Chinese), else Windows-1252.

    Raises `ProblemError` PAR-001 for bytes that are no text (NUL in them), PAR-004 for more than `MOST_BYTES`.
    """
    if len(data) > MOST_BYTES:
        raise ProblemError(Problem("PAR-004", f"the file has {len(data)} bytes, more than {MOST_BYTES}", Place(file)))
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if b"\0" in data:
        at = data.index(b"\0")
        line = data.count(b"\n", 0, at) + 1
        raise ProblemError(
            Problem(
                "PAR-001", "this is no text: it holds NUL bytes", Place(file, line), fix="give the file as text, CSV or XLSX"
            )
        )
    for encoding in ("utf-8-sig", "gb18030", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
