"""``ibstat`` of a fleet, as pdsh or clush print it, whole columns at a time (`asbuilt.parsers.shapes`).

It reads a strict part of what `ibstat` reads line by line, with equal facts and an equal account, and answers None for any
other text: without a prefix, with prompts or remarks, a block that lost its end, a label twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import distinct_numbers, guid_texts, read_only
from asbuilt.model.discovery import FactTables
from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import HCA_FACTS
from asbuilt.parsers import fact_rows, ibstat
from asbuilt.parsers.host_lines import FACT, IGNORABLE, PREFIX, TIMED, UNREAD, account_of, indented
from asbuilt.parsers.ibstat_pass import CODES, HOST, LENGTH, PORT, fleet
from asbuilt.parsers.ibstat_whole import Fleet
from asbuilt.parsers.shapes import HEX, LONG, Shapes, shape_text, shapes
from asbuilt.parsers.shapes_seen import plain_shapes, without_returns
from asbuilt.parsers.tools import command

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
_CARD = ("CA type", "Number of ports", "Firmware version", "Hardware version", "Node GUID", "System image GUID")
_PORT = ("State", "Physical state", "Rate", "Base lid", "LMC", "SM lid", "Capability mask", "Port GUID", "Link layer")
_LABELS = ("", "CA", "Port", *_CARD, *_PORT)
_GUIDS = {"Node GUID", "System image GUID", "Port GUID"}
_NUMBERS = {"Base lid": 0xFFFF, "LMC": 7, "SM lid": 0xFFFF, "Rate": 99999}
_HEXADECIMAL = re.compile(r"^0x[0-9a-fA-F]{1,16}$")
_REMARK = re.compile(r"[ \t]#")
_NOTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(slots=True)
class _Forms:
    """What each shape is: label (0: none), class of its lines, numbers in its prefix, what stands behind them up to the colon,
    which number is the value (-1: none), and the value of its first line."""

    label: list[int] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    tail: list[int] = field(default_factory=list)
    skeleton: list[int] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    value: list[str] = field(default_factory=list)


def parse(data: bytes, capture_id: str) -> Facts | None:
    """As `ibstat.parse` of UTF-8 text without its mark; None when the text is not of the plain kind."""
    plain = without_returns(data) if data.endswith(b"\n") else None
    if plain is None:
        return None
    found = shapes(plain)
    forms = _forms(found) if found.shape.min(initial=0) >= 0 and plain_shapes(found) else None
    if forms is None:
        return None
    ports = _ports(plain, found, forms)
    if ports is None:
        return None
    classes = np.array(forms.classes, np.uint8).take(found.shape)
    if any(_known(found.line(line).decode("ascii").rstrip()) for line in np.flatnonzero(classes == UNREAD).tolist()):
        return None  # the first line of its shape had too many digits, this one has not
    account = account_of(classes, plain, found.start, found.end, {})
    rows = FactTables({HCA_FACTS.name: len(ports.seats)}, lambda: {HCA_FACTS.name: ports.frame(capture_id)})
    return Facts(rows, {capture_id: account}, (), ibstat.TOOL)


def _ports(data: bytes, found: Shapes, forms: _Forms) -> _Ports | None:
    """The ports of all hosts; None where lines are out of place, begin with blanks, or a port has a number past 255."""
    label = np.array(forms.label, np.uint8).take(found.shape)
    seats = np.full((int(np.count_nonzero(label == PORT)), CODES + 2), -1, np.int32)
    if not len(seats):
        return None
    count, runs = fleet(found.data, read_only(found.start), read_only(label), seats, np.full(CODES, -1, np.int64))
    names = _names(data, found, seats) if count >= 0 else []
    if len(set(names)) < max(runs, 1):  # lines may come mixed
        if indented(found.data, found.start, found.end):
            return None
        whole = Fleet(found, label, *(np.array(c, np.int64) for c in (forms.before, forms.tail, forms.skeleton)))
        if not whole.regular():
            return None
        seats = whole.seats()
        names = _names(data, found, seats)
    ports = _Ports(found, forms, seats, names)
    number = ports.number("Port")
    return ports if ((number >= 0) & (number <= 255)).all() else None


def _forms(found: Shapes) -> _Forms | None:
    """Each shape by its first line; None when a line needs the long way."""
    forms = _Forms()
    skeletons: dict[str, int] = {}
    for line in found.first.tolist():
        raw = found.line(line)
        text = raw.decode("ascii").rstrip()
        form, spans = shape_text(raw)
        prefix = PREFIX.match(text)
        rest = (prefix[2] or "") if prefix else text
        if (
            LONG in form
            or text[:1] == "-"
            or _REMARK.search(text)
            or ibstat.OWN.match(text)
            or command(raw) is not None
            or TIMED.match(rest)
        ):
            return None
        label, value = _label(rest)
        if prefix is None or not label:
            blank = not text or (prefix is not None and not rest)
            _add(forms, 0, IGNORABLE if blank else UNREAD, (0, 0, 0), -1, "")
            continue
        colon = prefix.end(1)
        inside = [span for span in spans if span[1] <= colon]
        tail = colon - (inside[-1][1] if inside else 0)
        skeleton = skeletons.setdefault(shape_text(raw[:colon])[0], len(skeletons))
        number = -1
        if value[:1].isdigit():
            start = text.rindex(value)
            number = next((i for i, span in enumerate(spans) if span[0] == start), -1)
        if label in _GUIDS and (not _HEXADECIMAL.match(value) or number < 0 or form[-1:] != HEX):
            return None
        if label in ("CA", "CA type", "Firmware version") and len(value.split()) > 1:
            return None  # one shape may hold blanks and tabs alike
        if label in _NUMBERS and number >= 0 and not _plain_number(label, value):
            return None
        _add(forms, _LABELS.index(label), FACT, (len(inside), tail, skeleton), number, value)
    return forms


def _known(text: str) -> bool:
    """True for a line that ibstat may have written, behind a prefix or not."""
    prefix = PREFIX.match(text)
    return bool(ibstat.OWN.match(text) or (prefix and (not prefix[2] or ibstat.OWN.match(prefix[2]))))


def _plain_number(label: str, value: str) -> bool:
    """True for a decimal number, with a speed in brackets behind a rate."""
    return value.isdigit() or (label == "Rate" and "." not in value and bool(ibstat.RATE.match(value)))


def _add(forms: _Forms, label: int, kind: int, prefix: tuple[int, int, int], number: int, value: str) -> None:
    forms.label.append(label)
    forms.classes.append(kind)
    forms.before.append(prefix[0])
    forms.tail.append(prefix[1])
    forms.skeleton.append(prefix[2])
    forms.number.append(number)
    forms.value.append(value)


def _label(rest: str) -> tuple[str, str]:
    """(label, value) of a line without its prefix; ("", "") for a line that is none of the tool's."""
    if card := ibstat.CA.match(rest):
        return ("CA", card[1]) if card[1].isprintable() else ("", "")
    if port := ibstat.PORT.match(rest):
        return "Port", port[1]
    if line := ibstat.FIELD.match(rest):
        return " ".join(line[1].split()), line[2].strip()
    return "", ""


def _names(data: bytes, found: Shapes, seats: Array) -> list[bytes]:
    """The hosts by number, each from the line of its first port."""
    first = np.flatnonzero(np.diff(seats[:, HOST], prepend=-1))
    start, length = found.start[seats[first, PORT]], seats[first, LENGTH]
    return [data[at:behind] for at, behind in zip(start.tolist(), (start + length).tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class _Ports:
    """A row a port: the lines of its labels (`asbuilt.parsers.ibstat_pass`), and the names of the hosts."""

    found: Shapes
    forms: _Forms
    seats: Array
    names: list[bytes]

    def _told(self, label: str) -> tuple[Array, Array, Array]:
        """(ports that say ``label``, its line for each of them, the shape of the line)."""
        lines = self.seats[:, _LABELS.index(label)]
        ports = np.flatnonzero(lines >= 0)
        lines = lines[ports]
        return ports, lines, self.found.shape[lines]

    def number(self, label: str) -> Array:
        """A number a port as int64, -1 for none and for what is out of bounds."""
        ports, lines, shape = self._told(label)
        which = np.array(self.forms.number, np.int64)[shape]
        held = which >= 0
        numbers = self.found.number(lines[held], which[held])
        values = np.full(len(self.seats), -1, np.int64)
        values[ports[held]] = np.where(numbers <= np.uint64(_NUMBERS.get(label, 999)), numbers, _NOTHING).astype(np.int64)
        return values

    def integers(self, label: str) -> pl.Series:
        """A number a port, null where it has none."""
        import polars as pl

        values = self.number(label)
        return pl.select(pl.when(pl.Series(values >= 0)).then(pl.Series(values))).to_series()

    def guids(self, label: str) -> pl.Series:
        import polars as pl

        ports, lines, shape = self._told(label)
        values = np.zeros(len(self.seats), np.uint64)
        values[ports] = self.found.number(lines, np.array(self.forms.number, np.int64)[shape])
        texts = guid_texts(values)
        return texts if values.all() else texts.zip_with(pl.Series(values != 0), pl.Series([None], dtype=pl.String))

    def words(self, label: str, meaning: Any) -> pl.Series:
        """``meaning`` of the text a port; each distinct text, told by shape, numbers and length, is looked at once."""
        import polars as pl

        ports, lines, shape = self._told(label)
        found = self.found
        colon = found.start[lines] + self.seats[ports, LENGTH]
        mark = (found.end[lines] - colon).astype(np.uint64) * _MIX + shape.astype(np.uint64)
        before = np.array(self.forms.before, np.int64)[shape]
        inside = found.at[lines + 1] - found.at[lines] - before
        for which in range(int(inside.max(initial=0))):
            held = np.flatnonzero(inside > which)
            at = found.at[lines[held]] + before[held] + which
            place = (found.stops[at] - colon[held]).astype(np.uint64)
            mark[held] = (mark[held] * _MIX + found.values[at]) * _MIX + place
        index, first = distinct_numbers(mark)
        said = []
        for i in first.tolist():
            raw = found.data[colon[i] + 1 : found.end[lines[i]]].tobytes().decode("ascii").rstrip()
            said.append(meaning(_label(raw.removeprefix(" "))[1]))
        which_text = np.full(len(self.seats), len(said), np.int64)
        which_text[ports] = index
        return pl.Series([*said, None], dtype=pl.String).gather(pl.Series(which_text))

    def frame(self, capture_id: str) -> pl.DataFrame:
        """`HCA_FACTS`, a row a port, by line."""
        import polars as pl

        def rate_speed(text: str) -> str | None:
            rate = ibstat.RATE.match(text)
            return rate[2] if rate else None

        frame = pl.DataFrame(
            {
                "host": pl.Series([name.decode() for name in self.names]).gather(pl.Series(self.seats[:, HOST])),
                "device": self.words("CA", str),
                "port": self.number("Port"),
                "node_guid": self.guids("Node GUID"),
                "port_guid": self.guids("Port GUID"),
                "system_guid": self.guids("System image GUID"),
                "type": self.words("CA type", lambda t: t or None),
                "firmware": self.words("Firmware version", lambda t: t or None),
                "link_layer": self.words("Link layer", lambda t: ibstat.LAYERS.get(t.lower())),
                "state": self.words("State", fact_rows.state),
                "phys_state": self.words("Physical state", fact_rows.physical),
                "rate_gbps": self.integers("Rate").cast(pl.Float64),
                "speed": self.words("Rate", rate_speed),
                "lid": self.integers("Base lid"),
                "lmc": self.integers("LMC"),
                "sm_lid": self.integers("SM lid"),
                "line": self.seats[:, PORT].astype(np.int64) + 1,
            }
        )
        return HCA_FACTS.conform(frame.with_columns(capture_id=pl.lit(capture_id))).sort("line")
