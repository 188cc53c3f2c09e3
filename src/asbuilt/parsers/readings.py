"""Readings of racks, power shelves, busways and cooling units as a CSV file: ``time,subject,sensor,value,unit[,kind,state]``.

The first line names the columns, in any order; ``timestamp``, ``host``, ``rack``, ``device``, ``reading`` and ``units`` are
taken for what they mean, other columns are left out. Commas, semicolons (then a decimal comma is allowed) or tabs separate. One
line is one record. The subject is the host of the row (a rack, a shelf, a unit). Values are told in one unit for each kind
(`reading_units`); a kind that neither its column nor unit nor name says is ``discrete``, with a note.
"""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import SENSOR_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import LONGEST_LINE, Account, as_utf8, host_of_subject, split_lines
from asbuilt.parsers.reading_units import KINDS, certain, kind_of_name, normalised

TOOL = "readings"
_ALIASES = {
    "timestamp": "time", "date": "time", "host": "subject", "rack": "subject", "device": "subject", "unit_name": "subject",
    "name": "sensor", "point": "sensor", "reading": "value", "units": "unit", "uom": "unit",
}  # fmt: skip
_KNOWN = ("time", "subject", "sensor", "value", "unit", "kind", "state")
_SIGN = re.compile(rb'^[ "\w,;\t]*\bsubject\b[ "\w,;\t]*$')
_TIME = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?$")
_EPOCH = re.compile(r"^\d{10}(?:\d{3})?(?:\.\d{1,6})?$")
_UNTOLD = ("", "na", "n/a", "null", "none", "nan", "-", "--", "?")
_STATES = {
    "normal": "ok", "good": "ok", "dry": "ok", "alarm": "critical", "crit": "critical", "warn": "warning", "wet": "leak",
    "leakage": "leak", "missing": "absent", "not present": "absent", "offline": "unreadable", "unavailable": "unreadable",
}  # fmt: skip
_LONGEST_CELL = 200
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")


def sniff(data: bytes) -> bool:
    """True for a text whose first lines name the columns subject, sensor and value."""
    for line in as_utf8(data[: 1 << 13]).splitlines()[:20]:
        if _SIGN.match(line) and _columns(_cells(line.decode("utf-8", "replace"), _separator(line.decode("utf-8", "replace")))):
            return True
    return False


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``sensor_facts``. Never raises; a record that cannot be a reading is unread, with the reason."""
    data = as_utf8(data)
    lines = split_lines(data)
    account = Account(lines)
    _, asked = host_of_subject(subject)
    reader = _Reader(account, capture_id, asked)
    for number, line in enumerate(lines, start=1):
        closed = number < len(lines) or data.endswith(b"\n")
        if len(line) > LONGEST_LINE:
            account.unread(number, "longer than a line can be")
        elif not closed and line.strip():
            account.unread(number, "the last line has no end: it may be cut")
        else:
            reader.line(number, line.decode("utf-8", "replace").strip("\r\n"))
    tables = fact_rows.table(SENSOR_FACTS, reader.rows, capture_id)
    return Facts(tables, {capture_id: account.result()}, tuple(reader.notes), TOOL)


def _separator(text: str) -> str:
    """The separator that a line of names uses most."""
    return max(",;\t", key=text.count)


def _cells(text: str, separator: str) -> list[str]:
    """The cells of one line, without blanks around them; a quote that is not closed ends with the line."""
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]
    except csv.Error:
        return []


def _columns(cells: list[str]) -> dict[str, int]:
    """Column -> its place, {} for a line that names no subject, sensor and value."""
    found: dict[str, int] = {}
    for place, cell in enumerate(cells):
        word = cell.strip().lower()
        name = word if word in _KNOWN else _ALIASES.get(word, "")
        if name and (name not in found or word == name):
            found[name] = place
    return found if {"subject", "sensor", "value"} <= found.keys() else {}


class _Reader:
    """Rows, notes and what became of each line."""

    def __init__(self, account: Account, capture_id: str, asked: str | None) -> None:
        self.account, self.capture_id, self.asked = account, capture_id, asked
        self.rows: list[dict[str, object]] = []
        self.notes: list[str] = []
        self._places: dict[str, int] = {}
        self._separator = ","
        self._width = 0

    def line(self, number: int, text: str) -> None:
        """Take one line: nothing, names of columns, or a record."""
        if not text.strip() or text.lstrip().startswith("#"):
            self.account.ignore(number)
            return
        if not self._places or "sensor" in text.lower():
            separator = _separator(text)
            cells = _cells(text, separator)
            places = _columns(cells)
            if places:
                self._places, self._separator, self._width = places, separator, len(cells)
                self.account.ignore(number)
                return
        if not self._places:
            self.account.unread(number, "no line before it names the columns subject, sensor and value")
            return
        why = self._record(number, _cells(text, self._separator))
        if why:
            self.account.unread(number, why)

    def _record(self, number: int, cells: list[str]) -> str:
        """Add a row; why not, else ""."""
        if len(cells) != self._width:
            return f"{len(cells)} cells where the columns are {self._width}"
        told = {name: cells[place] for name, place in self._places.items()}
        if any(len(v) > _LONGEST_CELL or _CONTROLS.search(v) for v in told.values()):
            return "a cell that is too long or holds control characters"
        if not told["subject"] or not told["sensor"]:
            return "no subject or no sensor"
        time = _time(told.get("time", "")) if told.get("time") else self.asked
        if told.get("time") and time is None:
            return "a time that is not ISO 8601"
        state = self._state(told.get("state", ""))
        value = self._value(told["value"])
        if value is None and told["value"].lower() not in _UNTOLD:
            return "a value that is no number"
        if value is None and state is None:
            state = "unreadable"
        unit, name = told.get("unit", ""), told["sensor"]
        amount, unit_now, kind = normalised(value, unit, name)
        row = {"host": told["subject"], "sensor": name, "value": amount, "unit": unit_now, "state": state, "time": time}
        self.rows.append({**row, "kind": self._kind(told, unit, name, kind), "line": number})
        self.account.fact(number)
        return ""

    def _value(self, text: str) -> float | None:
        value = fact_rows.real(text)
        if value is None and self._separator == ";" and text.count(",") == 1:
            value = fact_rows.real(text.replace(",", "."))
        return value

    def _state(self, text: str) -> str | None:
        word = " ".join(text.lower().split())
        return _STATES.get(word, word) or None

    def _kind(self, told: dict[str, str], unit: str, name: str, guessed: str) -> str:
        """The column's kind where it is one, else that of the unit or the name."""
        given = told.get("kind", "").lower()
        if given in KINDS:
            return given
        if given:
            self._note(f'"{given}" is no kind of sensor; taken by its unit')
        if guessed == "discrete" and not certain(unit) and kind_of_name(name) is None:
            self._note(f'neither the unit "{unit}" nor the name "{name}" says what is measured: taken as discrete')
        return guessed

    def _note(self, text: str) -> None:
        words = f"{self.capture_id}: {text}"
        if words not in self.notes and len(self.notes) < 20:
            self.notes.append(words)


def _time(text: str) -> str | None:
    """ISO 8601; seconds or milliseconds since 1970 become it. None for anything else."""
    if _TIME.match(text):
        return text.replace(" UTC", "Z").replace(" ", "T", 1).replace(",", ".").replace(" ", "")
    if _EPOCH.match(text):
        seconds = float(text) / (1000 if len(text.partition(".")[0]) == 13 else 1)
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return None
