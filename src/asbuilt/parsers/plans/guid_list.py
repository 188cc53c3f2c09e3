"""Lists of which GUID is which device: ``guid,name`` CSV (with or without header), or ib-node-name-map files
(``0x0002c9… "name"``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.parsers.plans.text import decoded

if TYPE_CHECKING:
    import polars as pl

_ROW = re.compile(r'^"?(?:0x)?([0-9a-fA-F:]{4,23})"?\s*[,;\t ]\s*"?([^"]+?)"?\s*(?:[,;\t].*)?$')
_SHOWN = 20


def read(data: bytes, file: str = "guids.csv") -> pl.DataFrame:
    """Columns guid (16 hex digits, lower case) and name. A GUID may be listed once.

    Raises `ProblemError` PAR-007 with every line that gives no GUID and name, or gives a GUID a second name.
    """
    import polars as pl

    found = numbered(data, file)
    names = [name for name, _ in found.values()]
    return pl.DataFrame({"guid": list(found), "name": names}, schema={"guid": pl.String, "name": pl.String})


def numbered(data: bytes, file: str = "guids.csv") -> dict[str, tuple[str, int]]:
    """As `read`: name and number of its line by GUID."""
    found: dict[str, tuple[str, int]] = {}
    problems = []
    for number, raw in enumerate(decoded(data, file).splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#") or (number == 1 and "guid" in line.lower() and not _ROW.match(line)):
            continue
        match = _ROW.match(line)
        guid = match[1].replace(":", "").lower().zfill(16) if match else ""
        place = Place(file, number, 1, line[:200], len(line[:200]))
        if match is None or len(guid) != 16:
            problems.append(Problem("PAR-007", "no GUID and name in this line", place, fix="write 0c42a1030079aeec,leaf-01"))
        elif found.setdefault(guid, (match[2], number))[0] != match[2]:
            what = f"{guid} is {found[guid][0]!r} and {match[2]!r}"
            problems.append(Problem("PAR-007", what, place, fix="keep one of the two"))
    if not found and not problems:
        problems.append(Problem("PAR-007", "the list is empty", Place(file), fix="write 0c42a1030079aeec,leaf-01"))
    if problems:
        more = len(problems) - _SHOWN
        tail = [Problem("PAR-007", f"and {more} lines more", Place(file))] if more > 0 else []
        raise ProblemError([*problems[:_SHOWN], *tail])
    return found
