"""``ibstat`` of a fleet, as pdsh or clush print it, whole columns at a time (`asbuilt.parsers.shapes`).

It reads a strict part of what `ibstat` reads line by line, with equal facts and an equal account, and answers None for any
other text: without a prefix, with prompts or remarks, a block that lost its end, a label twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import distinct_numbers, guid_texts
from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import HCA_FACTS
from asbuilt.parsers import fact_rows, ibstat
from asbuilt.parsers.host_lines import FACT, IGNORABLE, PREFIX, TIMED, UNREAD, account_of, indented
from asbuilt.parsers.shapes import HEX, LONG, Shapes, shape_text, shapes
from asbuilt.parsers.tools import command

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
_CARD = ("CA type", "Number of ports", "Firmware version", "Hardware version", "Node GUID", "System image GUID")
_PORT = ("State", "Physical state", "Rate", "Base lid", "LMC", "SM lid", "Capability mask", "Port GUID", "Link layer")
_LABELS = ("", "CA", "Port", *_CARD, *_PORT)
_CA_LINE, _PORT_LINE = _LABELS.index("CA"), _LABELS.index("Port")
_GUIDS = {"Node GUID", "System image GUID", "Port GUID"}
_NUMBERS = {"Base lid": 0xFFFF, "LMC": 7, "SM lid": 0xFFFF, "Rate": 99999}
_HEXADECIMAL = re.compile(r"^0x[0-9a-fA-F]{1,16}$")
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
    if not data.isascii() or b"\r" in data or b"\x1b" in data or b" #" in data or not data.endswith(b"\n"):
        return None
    found = shapes(data)
    forms = None if (found.shape < 0).any() or indented(found.data, found.start, found.end) else _forms(found)
    if forms is None:
        return None
    lines = np.flatnonzero(np.array(forms.label, np.uint8)[found.shape])
    reading = _Fleet(found, forms, lines) if len(lines) else None
    if reading is None or not reading.regular():
        return None
    classes = np.array(forms.classes, np.uint8)[found.shape]
    if any(_known(found.line(line).decode("ascii").rstrip()) for line in np.flatnonzero(classes == UNREAD).tolist()):
        return None  # the first line of its shape had too many digits, this one has not
    account = account_of(classes, data, found.start, found.end, {})
    return Facts({HCA_FACTS.name: reading.frame(capture_id)}, {capture_id: account}, (), ibstat.TOOL)


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
        if LONG in form or text[:1] == "-" or ibstat.OWN.match(text) or command(raw) is not None or TIMED.match(rest):
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


class _Fleet:
    """The lines of all hosts, host by host: each with its label, the CA and the port that it belongs to."""

    def __init__(self, found: Shapes, forms: _Forms, lines: Array) -> None:
        self.found, self.forms = found, forms
        shape = found.shape[lines]
        before, tail = (np.array(column, np.int64)[shape] for column in (forms.before, forms.tail))
        mark = np.array(forms.skeleton, np.uint64)[shape]
        colon = found.start[lines] + tail
        for which in range(int(before.max(initial=0))):
            held = np.flatnonzero(before > which)
            at = found.at[lines[held]] + which
            stop = found.stops[at]
            mark[held] = (mark[held] * _MIX + found.values[at]) * _MIX + (stop - found.start[lines[held]]).astype(np.uint64)
            colon[held] = stop + tail[held]
        host, first = distinct_numbers(mark)
        self.names = [
            found.data[found.start[lines[i]] : colon[i]].tobytes().decode("ascii") for i in first.tolist()
        ]  # one a host
        if (host[1:] < host[:-1]).any():  # the lines of hosts come mixed
            order = np.argsort(host, kind="stable")
            lines, host, colon, shape = lines[order], host[order], colon[order], shape[order]
        self.lines, self.host, self.colon, self.shape = lines, host, colon, shape
        self.label = np.array(forms.label, np.uint8)[self.shape]
        self.card = np.cumsum(self.label == _CA_LINE) - 1
        self.port = np.cumsum(self.label == _PORT_LINE) - 1
        self.cards, self.ports = np.flatnonzero(self.label == _CA_LINE), np.flatnonzero(self.label == _PORT_LINE)

    def regular(self) -> bool:
        """True when every line has its host's CA, every port all that closes it, and no label comes twice."""
        if not len(self.ports) or self.label[0] != _CA_LINE:
            return False
        of_port = self.label > _PORT_LINE + len(_CARD)
        of_card = (self.label > _PORT_LINE) & ~of_port
        opened = np.where(self.port >= 0, self.ports[np.maximum(self.port, 0)], -1)
        behind = opened > self.cards[self.card]  # a port of this CA was opened before
        if (self.host != self.host[self.cards[self.card]]).any() or (of_card & behind).any() or (of_port & ~behind).any():
            return False
        whose = np.where(of_port, self.port, self.card) * 64 + self.label
        told = whose[of_port | of_card]
        seen = np.zeros(int(told.max(initial=0)) + 1, bool)
        seen[told] = True
        if np.count_nonzero(seen) != len(told):
            return False
        ends = np.append(self.ports[1:], len(self.label))
        limits = np.minimum(ends, self._next_card())
        last = self.label[limits - 1] == _LABELS.index("Link layer")
        number = self.number("Port", self.ports)
        return bool(last.all() and self._count("State") == len(self.ports) and ((number >= 0) & (number <= 255)).all())

    def _next_card(self) -> Array:
        """For each port, the line (in this order) of the next CA, or the end."""
        edges = np.append(self.cards, len(self.label))
        found: Array = edges[self.card[self.ports] + 1]
        return found

    def _count(self, label: str) -> int:
        return int((self.label == _LABELS.index(label)).sum())

    def _seats(self, label: str) -> tuple[Array, Array]:
        """(places of the lines that say ``label``, for each port which of them is its own, -1 for none)."""
        places = np.flatnonzero(self.label == _LABELS.index(label))
        by_card = label in _CARD or label == "CA"
        owner = (self.card if by_card else self.port)[places]
        seat = np.full((len(self.cards) if by_card else len(self.ports)) + 1, -1, np.int64)
        seat[owner] = np.arange(len(places))
        return places, seat[self.card[self.ports]] if by_card else seat[:-1]

    def number(self, label: str, places: Array) -> Array:
        """The value of the lines at ``places`` as int64, -1 for what is no number or out of bounds."""
        which = np.array(self.forms.number, np.int64)[self.shape[places]]
        values = np.full(len(places), -1, np.int64)
        held = which >= 0
        numbers = self.found.number(self.lines[places[held]], which[held])
        values[held] = np.where(numbers <= np.uint64(_NUMBERS.get(label, 999)), numbers, np.uint64(0)).astype(np.int64)
        values[np.flatnonzero(held)[numbers > np.uint64(_NUMBERS.get(label, 999))]] = -1
        return values

    def integers(self, label: str) -> pl.Series:
        """A number a port, null where it has none."""
        import polars as pl

        places, seat = self._seats(label)
        values = np.append(self.number(label, places), -1)[seat]
        return pl.select(pl.when(pl.Series(values >= 0)).then(pl.Series(values))).to_series()

    def guids(self, label: str) -> pl.Series:
        import polars as pl

        places, seat = self._seats(label)
        which = np.array(self.forms.number, np.int64)[self.shape[places]]
        values = np.append(self.found.number(self.lines[places], which), np.uint64(0))[seat]
        texts = guid_texts(values)
        return texts if values.all() else texts.zip_with(pl.Series(values != 0), pl.Series([None], dtype=pl.String))

    def words(self, label: str, meaning: Any) -> pl.Series:
        """``meaning`` of the text a port; each distinct text, told by shape, numbers and length, is looked at once."""
        import polars as pl

        places, seat = self._seats(label)
        lines = self.lines[places]
        mark = (self.found.end[lines] - self.colon[places]).astype(np.uint64) * _MIX + self.shape[places].astype(np.uint64)
        before = np.array(self.forms.before, np.int64)[self.shape[places]]
        inside = self.found.at[lines + 1] - self.found.at[lines] - before
        for which in range(int(inside.max(initial=0))):
            held = np.flatnonzero(inside > which)
            at = self.found.at[lines[held]] + before[held] + which
            place = (self.found.stops[at] - self.colon[places[held]]).astype(np.uint64)
            mark[held] = (mark[held] * _MIX + self.found.values[at]) * _MIX + place
        index, first = distinct_numbers(mark)
        said = []
        for i in first.tolist():
            raw = self.found.data[self.colon[places[i]] + 1 : self.found.end[lines[i]]].tobytes().decode("ascii").rstrip()
            said.append(meaning(_label(raw.removeprefix(" "))[1]))
        listed = pl.Series([*said, None], dtype=pl.String)
        return listed.gather(pl.Series(np.append(index, len(said))[seat]))

    def frame(self, capture_id: str) -> pl.DataFrame:
        """`HCA_FACTS`, a row a port, by line."""
        import polars as pl

        def rate_speed(text: str) -> str | None:
            rate = ibstat.RATE.match(text)
            return rate[2] if rate else None

        frame = pl.DataFrame(
            {
                "host": pl.Series(self.names).gather(pl.Series(self.host[self.ports])),
                "device": self.words("CA", str),
                "port": self.number("Port", self.ports),
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
                "line": self.lines[self.ports] + 1,
            }
        )
        return HCA_FACTS.conform(frame.with_columns(capture_id=pl.lit(capture_id))).sort("line")
