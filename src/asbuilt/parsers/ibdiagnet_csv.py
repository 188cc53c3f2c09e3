"""``ibdiagnet2.db_csv``: the tables that ibdiagnet writes about every node and port, ``START_NODES`` … ``END_NODES``.

Sections that become facts are those of `ibdiagnet_sections.SECTIONS`. Others are blocks of which nothing is read: their lines
are ignorable, and a note names them. A row counts when it has as many cells as its header and names its node by a GUID; where
somebody replaced the GUIDs by words (``0xhost1``), rows are unread with that reason. Columns are found by name, since each
version has its own. A section without its end is cut: its whole rows count, and a note says so.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.model.facts import Facts
from asbuilt.parsers.host_lines import FACT, IGNORABLE, LONGEST_LINE, UNREAD, UNREAD_KEPT, account_of, as_utf8
from asbuilt.parsers.ibdiagnet_numbers import GUID, NOT_WANTED, NUMBER, line_ends, rows
from asbuilt.parsers.ibdiagnet_rows import GUIDS, IDENTITY, Numbers, Part, Rows, Section, Taken
from asbuilt.parsers.ibdiagnet_sections import SECTIONS, joined

if TYPE_CHECKING:
    import polars as pl

TOOL = "ibdiagnet-csv"
Array = np.ndarray[Any, Any]
_SNIFFED = 1 << 20
_S, _E = b"SE"


@dataclass(frozen=True, slots=True)
class _Section:
    """Name, lines (0-based) of its marker and behind its last row, and whether its end is there."""

    name: str
    start: int
    stop: int
    whole: bool


def sniff(data: bytes) -> bool:
    """True for a text with the start of the section that every such file has."""
    head = data[:_SNIFFED]
    return any(head.startswith(m) or b"\n" + m in head for m in (b"START_NODES", b"START_PORTS"))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of every section that we know. Never raises."""
    text = as_utf8(data)
    raw = np.frombuffer(text, np.uint8)
    stops = line_ends(text)
    closed = bool(text.endswith(b"\n"))
    if len(raw) and not closed:
        stops = np.append(stops, len(raw))
    starts = np.concatenate(([0], stops[:-1] + 1)) if len(stops) else stops
    classes = np.full(len(stops), UNREAD, np.uint8)
    width = stops - starts
    returned = np.zeros(len(stops), bool)
    returned[width > 0] = raw[stops[width > 0] - 1] == 13
    classes[(width == 0) | ((width == 1) & returned)] = IGNORABLE
    why: dict[int, str] = {}
    kept: dict[str, list[Part]] = {}
    skipped: list[str] = []
    cut: list[str] = []
    for section in _sections(text, starts, stops, closed):
        classes[section.start] = IGNORABLE
        if section.whole:
            classes[section.stop] = IGNORABLE
        else:
            cut.append(section.name)
        if section.name not in SECTIONS:
            skipped.append(section.name)
            last = section.stop if closed or section.stop < len(stops) else len(stops) - 1
            classes[section.start + 1 : last] = IGNORABLE
            continue
        _read(text, starts, stops, closed, section, classes, why, kept)
    account = account_of(classes, text, starts, stops, why)
    notes = []
    if skipped:
        notes.append(f"{capture_id}: sections of which nothing is read: {', '.join(dict.fromkeys(skipped))}"[:2000])
    notes += [f"{capture_id}: section {name} has no end: it may be cut" for name in cut]
    return Facts(joined(kept, capture_id), {capture_id: account}, tuple(notes), TOOL)


def _sections(text: bytes, starts: Array, stops: Array, closed: bool) -> list[_Section]:
    """The sections in order; a marker is a line of its own, and the last one counts only with its line feed or whole name."""
    marks: list[tuple[int, bool, str]] = []
    lead = np.frombuffer(text, np.uint8)[starts] if len(starts) else starts
    for line in np.flatnonzero((lead == _S) | (lead == _E)).tolist():
        at, stop = int(starts[line]), int(stops[line])
        for word, opens in ((b"START_", True), (b"END_", False)):
            if text.startswith(word, at):
                name = text[at + len(word) : min(stop, at + 100)].rstrip(b"\r").decode("ascii", "replace")
                if name.replace("_", "").isalnum():
                    marks.append((line, opens, name))
    opened = {name for _, opens, name in marks if opens}
    marks = [m for m in marks if m[1] or closed or m[0] < len(stops) - 1 or m[2] in opened]
    found: list[_Section] = []
    for i, (line, opens, name) in enumerate(marks):
        if not opens:
            continue
        after = marks[i + 1] if i + 1 < len(marks) else None
        whole = after is not None and not after[1] and after[2] == name
        found.append(_Section(name, line, after[0] if after is not None else len(stops), whole))
    return found


def _read(
    text: bytes, starts: Array, stops: Array, closed: bool, section: _Section, classes: Array,
    why: dict[int, str], kept: dict[str, list[Part]],
) -> None:  # fmt: skip
    """Rows of one known section: those that read well become tables in ``kept``, their lines facts in ``classes``."""
    first, last = section.start + 2, section.stop
    if last == len(stops) and not closed:
        last -= 1  # the line that the file's end cuts
    if first > last or stops[first - 1] - starts[first - 1] > LONGEST_LINE:
        return
    head = text[starts[first - 1] : stops[first - 1]].decode("utf-8", "replace").strip()
    header = [c.strip().lower() for c in head.split(",")]
    if len(set(header)) != len(header):
        return
    classes[first - 1] = IGNORABLE
    known = SECTIONS[section.name]
    lines, taken = np.arange(first, last), _numbers(text, starts[first:last], stops[first:last], first, header, known)
    if taken is None:
        lines, cells = _cells(text, starts, stops, first, last, header, known)
        if cells is None:
            return
        taken = known.take(Rows(cells, lines + 1, header))
    for name, part in taken.parts().items():
        kept.setdefault(name, []).append(part)
    classes[lines[taken.good]] = FACT
    for line in lines[~taken.good][:UNREAD_KEPT].tolist():
        why.setdefault(line, f"{section.name}: {taken.why}")


def _numbers(text: bytes, starts: Array, stops: Array, first: int, header: list[str], section: Section) -> Taken | None:
    """A section of which only numbers are wanted, if that is what stands in it."""
    wanted = [name for name in header if not section.wanted or name in section.wanted]
    if section.later is None or not len(starts) or int((stops - starts).max()) > LONGEST_LINE:
        return None
    kinds = [(GUID if name in GUIDS else NUMBER) if name in wanted else NOT_WANTED for name in header]
    told = rows(text, starts, stops, kinds)
    return None if told is None else section.later(Numbers(told, wanted, first + 1 + np.arange(len(told)), header))


def _cells(
    text: bytes, starts: Array, stops: Array, first: int, last: int, header: list[str], section: Section
) -> tuple[Array, pl.DataFrame | None]:
    """(the lines whose number of cells is right, their wanted columns as text)."""
    number = np.arange(first, last)
    number = number[stops[first:last] - starts[first:last] <= LONGEST_LINE]
    columns = [i for i, name in enumerate(header) if not section.wanted or name in section.wanted]
    if not len(number) or not columns:
        return number[:0], None
    body = text[starts[first] : stops[last - 1]]
    if b'"' not in body:
        commas = np.flatnonzero(np.frombuffer(body, np.uint8) == 44) + starts[first]
        held = np.searchsorted(commas, stops[number]) - np.searchsorted(commas, starts[number])
        right = number[held == len(header) - 1]
        if not len(right):
            return right, None
        if len(right) != last - first or b"\0" in body:
            body = b"\n".join(text[starts[i] : stops[i]] for i in right.tolist())
        frame = _table(body.replace(b"\0", b"?") if b"\0" in body else body, header, columns, section.numeric)
        if frame is not None and frame.height == len(right):
            return right, frame
    return _quoted(text, starts, stops, number, header, columns)


def _table(body: bytes, header: list[str], columns: list[int], numbers: bool) -> pl.DataFrame | None:
    """The columns of rows without quotes as text; where ``numbers``, others than the identity as Float64 if all are."""
    import polars as pl

    names = [f"c{i}" for i in range(len(header))]
    named = ",".join(names).encode() + b"\n" + body
    reals: dict[str, Any] = {names[i]: pl.Float64 for i in columns if header[i] not in IDENTITY}
    for types, absent in (((reals, ["N/A", "NA"]),) if numbers else ()) + (({}, None),):
        try:
            frame = pl.read_csv(
                io.BytesIO(named), columns=[names[i] for i in columns], infer_schema=False, schema_overrides=types,
                null_values=absent, quote_char=None, encoding="utf8-lossy",
            )  # fmt: skip
        except pl.exceptions.PolarsError:
            continue
        return frame.rename({names[i]: header[i] for i in columns})
    return None


def _quoted(
    text: bytes, starts: Array, stops: Array, number: Array, header: list[str], columns: list[int]
) -> tuple[Array, pl.DataFrame | None]:
    """As `_cells`, line by line: a cell in quotes may hold commas."""
    import polars as pl

    right: list[int] = []
    cells: list[list[str]] = []
    for line in number.tolist():
        text_line = text[starts[line] : stops[line]].decode("utf-8", "replace").rstrip("\r")
        try:
            found = next(csv.reader([text_line], skipinitialspace=True), [])
        except csv.Error:
            continue
        if len(found) == len(header) and text_line.count('"') % 2 == 0:
            right.append(line)
            cells.append([found[i] for i in columns])
    if not right:
        return number[:0], None
    names = {header[i]: pl.String for i in columns}
    return np.array(right, np.int64), pl.DataFrame(cells, schema=names, orient="row")
