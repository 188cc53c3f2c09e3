"""Past faults as CSV: which kind, found in how many pieces of work, whose work it was, and where that is written down."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from asbuilt.base.fault import Fault
from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.base.scalar import named
from asbuilt.base.source_text import SourceText, read_source
from asbuilt.model.crew_question import Trial
from asbuilt.model.deployment import FAULT_KINDS, PARTIES

COLUMNS = ("fault", "operations", "faults", "party", "when", "source")
CODE = "CLI-106"
MOST_ROWS = 5000
MOST_COUNT = 1_000_000_000
MOST_PROBLEMS = 50
_CODES = dict.fromkeys(Fault, CODE)
_KINDS = tuple(kind.id for kind in FAULT_KINDS)
_COUNT = re.compile(r"^(0|[1-9][0-9]{0,11})$")
_WHEN = re.compile(r"^[12][0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$")
_HOW = "the first line is " + ",".join(COLUMNS)


def read_history(path: Path, name: str, asked: Place | None = None) -> tuple[Trial, ...]:
    """Past faults in the CSV file at ``path``, called ``name`` in messages. A header alone gives none.

    ``asked``: where the file is named. Raises ``ProblemError`` CLI-106 with every problem of the file and the place of each.
    """
    try:
        if not path.is_file():
            raise OSError(0, "it is not a file" if path.exists() else "there is no such file")
        with path.open("rb") as opened:
            data = opened.read((1 << 20) + 1)
    except OSError as error:
        what = f"the history of faults {named(name)} cannot be read: {error.strerror or error}"
        fix = "give the name of a CSV file beside this one"
        raise ProblemError(Problem(CODE, what, asked or Place(name), fix=fix)) from None
    return parse_history(data, name)


def parse_history(data: bytes, name: str) -> tuple[Trial, ...]:
    """As ``read_history``, of bytes."""
    source = read_source(data, name, _CODES)
    reader = _Reader(source)
    found = reader.trials()
    if reader.problems:
        raise ProblemError(reader.problems)
    return found


class _Reader:
    """Reads one file; a line at fault is told and left out, so that the rest is read too."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems: list[Problem] = []
        first = next((line for line in source.lines if line.strip()), "")
        self.delimiter = ";" if first.count(";") > first.count(",") else ","

    def trials(self) -> tuple[Trial, ...]:
        found: list[Trial] = []
        columns: list[str] | None = None
        csv.field_size_limit(1 << 20)  # of the whole process: what another reader set is not this one's
        rows = csv.reader(self.source.lines, delimiter=self.delimiter, strict=True)
        try:
            for cells in rows:
                if not any(cell.strip() for cell in cells):
                    continue
                if columns is None:
                    columns = self._header(cells, rows.line_num)
                    if self.problems:
                        return ()
                    continue
                made = self._row(columns, cells, rows.line_num)
                if made is not None:
                    found.append(made)
                if len(found) > MOST_ROWS:
                    fix = "add up the counts of each kind and party"
                    self._note(rows.line_num, "", f"more than {MOST_ROWS} lines", "", fix)
                    return ()
                if len(self.problems) >= MOST_PROBLEMS:
                    return ()
        except csv.Error as error:
            self._note(rows.line_num, "", f"the line is no CSV: {error}", "", "write each text in plain double quotes, or none")
            return ()
        if columns is None:
            self.problems.append(Problem(CODE, "the file is empty", Place(self.source.file), fix=_HOW))
        return tuple(found)

    def _note(self, line: int, cell: str, what: str, why: str = "", fix: str = "") -> None:
        text = self.source.lines[line - 1] if 0 < line <= len(self.source.lines) else ""
        column = text.find(cell) + 1 if cell else 1
        self.problems.append(Problem(CODE, what, self.source.place(line, max(1, column), len(cell)), why, fix))

    def _header(self, cells: list[str], line: int) -> list[str]:
        names = [cell.strip() for cell in cells]
        for index, name in enumerate(names):
            if name not in COLUMNS:
                near = nearest(name.lower(), COLUMNS, "did you mean ")
                self._note(line, name, f"unknown column {named(name)}", "it would be ignored", near or _HOW)
            elif name in names[:index]:
                self._note(line, name, f"column {named(name)} is there twice", "only one can be meant", "delete one of them")
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            what = f"column{'s' if len(missing) > 1 else ''} {', '.join(missing)} missing"
            self._note(line, "", what, "nothing can be assumed for it", _HOW)
        return names

    def _row(self, columns: list[str], cells: list[str], line: int) -> Trial | None:
        before = len(self.problems)
        if len(cells) != len(columns):
            what = f"the line has {len(cells)} cells, the header {len(columns)}"
            self._note(line, "", what, "", "put a text with a comma in it in double quotes")
            return None
        row = {name: cell.strip() for name, cell in zip(columns, cells, strict=True)}
        self._plain(row, line)
        self._words(row, line)
        operations = self._count(row, "operations", 1, line)
        faults = self._count(row, "faults", 0, line)
        if operations is not None and faults is not None and faults > operations:
            why = "a rate is faults in pieces of work; a piece counts once"
            self._note(line, row["faults"], f"{faults} faults in {operations} operations", why, "mend one of the two counts")
        if len(self.problems) > before or operations is None or faults is None:
            return None
        where = f"{row['source']}, {row['when']} ({self.source.file} line {line})"
        return Trial(row["fault"], float(operations), float(faults), row["party"], where)

    def _plain(self, row: dict[str, str], line: int) -> None:
        for name, cell in row.items():
            if not cell:
                fix = f"give `{name}`, or delete the line"
                self._note(line, "", f"`{name}` is empty", "nothing can be assumed for it", fix)
            elif cell[0] in "=+-@" and name not in ("operations", "faults"):
                why = "a table program runs it as a formula when the file is opened"
                self._note(line, cell, f"{named(cell)} begins as a formula", why, "begin it with a letter or a digit")
            elif len(cell) > 200:
                self._note(line, cell[:60], f"`{name}` has {len(cell)} characters; at most 200 are read")

    def _words(self, row: dict[str, str], line: int) -> None:
        for name, known in (("fault", _KINDS), ("party", PARTIES)):
            cell = row[name]
            if cell and cell not in known and cell[0] not in "=+-@":
                near = nearest(cell[:64].lower(), known, "did you mean ")
                self._note(line, cell, f"{named(cell)} is no {name}", "", near or f"write one of: {', '.join(known)}")
        if row["when"] and not _WHEN.match(row["when"]) and row["when"][0] not in "=+-@":
            self._note(line, row["when"], f"{named(row['when'])} is no date", "", "write 2026, 2026-05 or 2026-05-31")

    def _count(self, row: dict[str, str], name: str, least: int, line: int) -> int | None:
        cell = row[name]
        if not cell:
            return None
        if not _COUNT.match(cell) or not least <= int(cell) <= MOST_COUNT:
            what = f"{named(cell)} is no number of {name}"
            fix = f"write a whole number from {least} to {MOST_COUNT}, digits only"
            self._note(line, cell, what, "", fix)
            return None
        return int(cell)
