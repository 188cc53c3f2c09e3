"""The same reading of ``ibnetdiscover`` dumps as `discovery_pass`, with whole numpy arrays instead of a compiled loop.

Every step moves one cursor per line at once. A cursor that fails is marked and stays; steps mirror the scanner's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.parsers.discovery_lines import DIGITS

Array = np.ndarray[Any, Any]
PADDING = 64
_SPEED_LETTERS = np.zeros(256, np.int64)
for _code, _letter in enumerate(b"SDQ", start=1):
    _SPEED_LETTERS[_letter] = _code
for _code, _letter in enumerate(b"FEHNX", start=5):
    _SPEED_LETTERS[_letter] = _code


class Cursors:
    """One reading position per line of ``data``, the end of each line, and which are still good.

    ``data`` is padded with `PADDING` zero bytes, so that looking ahead needs no bounds check.
    """

    def __init__(self, data: Array, at: Array, end: Array) -> None:
        self.data, self.at, self.end = data, at.copy(), end
        self.good = np.ones(len(at), bool)

    def byte(self, ahead: int = 0) -> Array:
        """The byte at each cursor, 0 past the line's end."""
        at = self.at + ahead
        return np.where(at < self.end, self.data[at], 0)

    def keep(self, good: Array) -> None:
        """Cursors that are not ``good`` fail and stay failed, where they are."""
        self.good &= good

    def step(self, by: int) -> None:
        """Move the good cursors on; the failed ones stay inside the data."""
        self.at += np.where(self.good, by, 0)

    def blanks(self) -> None:
        """Step over spaces and tabs."""
        live = np.flatnonzero(self.good)
        while len(live):
            at = self.at[live]
            byte = self.data[at]
            live = live[(at < self.end[live]) & ((byte == 32) | (byte == 9))]
            self.at[live] += 1

    def has(self, text: bytes) -> Array:
        """Where ``text`` stands at the cursor."""
        found: Array = (self.data[self.at] == text[0]) & (self.at + len(text) <= self.end)
        if len(text) > 1:
            which = np.flatnonzero(found)
            windows = np.lib.stride_tricks.sliding_window_view(self.data, len(text))[self.at[which]]
            found[which] = (windows == np.frombuffer(text, np.uint8)).all(axis=1)
        return found

    def word(self, text: bytes) -> None:
        """Step over ``text``; cursors without it fail."""
        self.keep(self.has(text))
        self.step(len(text))

    def number(self, most: int) -> Array:
        """A decimal number of 1 to ``most`` digits."""
        value = np.zeros(len(self.at), np.int64)
        length = np.zeros(len(self.at), np.int64)
        running = self.good.copy()
        for ahead in range(most + 1):
            at = self.at + ahead
            digit = self.data[at].astype(np.int64) - 48
            running &= (digit >= 0) & (digit <= 9) & (at < self.end)
            if not running.any():
                break
            value = np.where(running, value * 10 + digit, value)
            length += running
        self.keep((length > 0) & (length <= most))
        self.at += np.where(self.good, length, 0)
        return value

    def hexadecimal(self) -> Array:
        """A hexadecimal number of 1 to 16 digits."""
        digits = DIGITS[np.lib.stride_tricks.sliding_window_view(self.data, 17)[self.at]]
        wrong = digits > 15
        length = np.minimum(np.where(wrong.any(axis=1), wrong.argmax(axis=1), 17), np.maximum(self.end - self.at, 0))
        digits = np.where(np.arange(16) < length[:, None], digits[:, :16], 0).astype(np.uint8)
        packed = np.ascontiguousarray(digits[:, 0::2] << 4 | digits[:, 1::2])
        value = packed.view(">u8").reshape(-1).astype(np.uint64)
        self.keep((length > 0) & (length <= 16))
        self.at += np.where(self.good, length, 0)
        spare = (16 - np.clip(length, 1, 16)).astype(np.uint64)
        shifted: Array = np.right_shift(value, np.uint64(4) * spare)
        return shifted

    def part(self, which: Array) -> Cursors:
        """Cursors of some lines, from where they stand; only good ones may be asked for."""
        return Cursors(self.data, self.at[which], self.end[which])


def _node_name(c: Cursors) -> tuple[Array, Array]:
    """``"S-0002c9…"``: (kind, GUID)."""
    letter = c.byte(1)
    c.keep((c.byte() == 34) & (c.byte(2) == 45) & (c.at + 3 < c.end))
    kind = np.select([letter == 83, letter == 72, letter == 82], [1, 2, 3], 0)
    c.keep(kind > 0)
    c.step(3)
    guid = c.hexadecimal()
    c.word(b'"')
    return kind, guid


def _bracketed(c: Cursors) -> Array:
    """``[17]`` and an optional ``[ext 3]``."""
    c.word(b"[")
    port = c.number(3)
    c.word(b"]")
    external = np.flatnonzero(c.good & c.has(b"[ext "))
    if len(external):
        inner = c.part(external)
        inner.word(b"[ext ")
        inner.number(5)
        inner.word(b"]")
        c.at[external[inner.good]] = inner.at[inner.good]
    return port


def _guid_in_round(c: Cursors) -> tuple[Array, Array]:
    """An optional ``(c42a1030…)``: (GUID, found)."""
    value = np.zeros(len(c.at), np.uint64)
    found = np.zeros(len(c.at), bool)
    which = np.flatnonzero(c.good & (c.byte() == 40))
    if len(which):
        inner = c.part(which)
        inner.at += 1
        value[which] = inner.hexadecimal()
        inner.word(b")")
        found[which] = True
        c.at[which] = inner.at
        c.good[which] = inner.good
    return value, found


def _speed(c: Cursors) -> Array:
    """The speed word's index; the word ends at a blank or the line's end."""
    words = [c.byte(i) for i in range(5)]
    sixth = c.byte(5)
    after3 = (c.at + 3 >= c.end) | (words[3] == 32) | (words[3] == 9)
    after5 = (c.at + 5 >= c.end) | (sixth == 32) | (sixth == 9)
    plain = after3 & (words[1] == 68) & (words[2] == 82)
    code = np.where(plain, _SPEED_LETTERS[words[0]], 0)
    unknown = after3 & (words[0] == 63) & (words[1] == 63) & (words[2] == 63)
    ten = after5 & c.has(b"FDR10")
    code = np.where(unknown, 10, np.where(ten, 4, code))
    c.keep(code > 0)
    c.at += np.where(c.good, np.where(ten, 5, 3), 0)
    return code


def _link_tail(c: Cursors) -> tuple[Array, Array, Array]:
    """``lid 3894 4xHDR``: (lid, width, speed)."""
    c.blanks()
    c.word(b"lid")
    c.blanks()
    lid = c.number(6)
    c.blanks()
    unknown = c.good & (c.byte() == 63) & (c.byte(1) == 63)
    c.at[unknown] += 2
    width = np.full(len(c.at), -1, np.int64)
    known = np.flatnonzero(c.good & ~unknown)
    inner = c.part(known)
    width[known] = inner.number(2)
    inner.word(b"x")
    c.at[known] = inner.at
    c.good[known] = inner.good
    c.blanks()
    return lid, width, _speed(c)


def _closing_quote(c: Cursors, quotes: Array, tail: Any) -> tuple[Array, Array, Array]:
    """The first quote of each line whose ``tail`` reads: (position or -1, position behind the tail, tail's values)."""
    n = len(c.at)
    close, behind = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    values = np.full((3, n), -1, np.int64)
    open_rows = np.flatnonzero(c.good)
    which = np.searchsorted(quotes, c.at[open_rows])
    while len(open_rows):
        inside = which < len(quotes)
        open_rows, which = open_rows[inside], which[inside]
        inside = quotes[which] < c.end[open_rows]
        open_rows, which = open_rows[inside], which[inside]
        inner = Cursors(c.data, quotes[which] + 1, c.end[open_rows])
        answers = tail(inner)
        hit = open_rows[inner.good]
        close[hit], behind[hit] = quotes[which][inner.good], inner.at[inner.good]
        for i, answer in enumerate(answers):
            values[i, hit] = answer[inner.good]
        open_rows, which = open_rows[~inner.good], which[~inner.good] + 1
    return close, behind, values


def link_lines(data: Array, quotes: Array, at: Array, end: Array) -> tuple[Array, Array, Array]:
    """Link lines from ``at`` to ``end``: (position behind the speed word or -1, columns 2 to 9, GUIDs)."""
    c = Cursors(data, at, end)
    port = _bracketed(c)
    own, mine = _guid_in_round(c)
    c.blanks()
    kind, peer = _node_name(c)
    peer_port = _bracketed(c)
    c.blanks()
    far, theirs = _guid_in_round(c)
    c.blanks()
    c.word(b"#")
    c.blanks()
    lid = np.full(len(at), -1, np.int64)
    which = np.flatnonzero(c.good & c.has(b"lid "))
    inner = c.part(which)
    inner.at += 4
    lid[which] = inner.number(6)
    inner.word(b" lmc ")
    inner.number(3)
    inner.blanks()
    c.at[which], c.good[which] = inner.at, inner.good
    c.word(b'"')
    start = c.at
    close, behind, tail = _closing_quote(c, quotes, _link_tail)
    columns = np.stack([port, peer_port, kind, lid, tail[1], tail[2], start, close - start])
    guids = np.stack([peer, np.where(mine, own, np.where(theirs, far, np.uint64(0)))])
    return np.where(c.good, behind, -1), columns, guids


def _switch_tail(c: Cursors) -> tuple[Array, ...]:
    """``enhanced port 0 lid 13 lmc 0``: (lid,)."""
    c.blanks()
    for text in (b"enhanced", b"base"):
        which = np.flatnonzero(c.good & c.has(text))
        inner = c.part(which)
        inner.at += len(text)
        inner.blanks()
        c.at[which] = inner.at
    c.word(b"port 0 lid ")
    lid = c.number(6)
    c.word(b" lmc ")
    c.number(1)
    return (lid,)


def header_lines(data: Array, quotes: Array, at: Array, end: Array) -> tuple[Array, Array, Array]:
    """Device lines: (position behind or -1, columns kind, ports, lid, at, length, GUID)."""
    c = Cursors(data, at, end)
    kind = np.select([c.has(b"Switch"), c.has(b"Ca"), c.has(b"Rt")], [1, 2, 3], 0)
    c.keep(kind > 0)
    c.at += np.select([kind == 1, kind > 1], [6, 2], 0)
    c.blanks()
    ports = c.number(5)
    c.blanks()
    named, guid = _node_name(c)
    c.keep(named == kind)
    c.blanks()
    c.word(b"#")
    c.blanks()
    c.word(b'"')
    start = c.at
    last = quotes[np.maximum(np.searchsorted(quotes, end) - 1, 0)] if len(quotes) else np.full(len(at), -1)
    c.keep(last >= start)
    tails = Cursors(data, start, end)
    tails.good = c.good & (kind == 1)
    close, behind, values = _closing_quote(tails, quotes, _switch_tail)
    tailed = close >= 0
    close = np.where(tailed, close, last)
    columns = np.stack([kind, ports, np.where(tailed, values[0], -1), start, close - start])
    return np.where(c.good, np.where(tailed, behind, end), -1), columns, guid


def attributes(data: Array, at: Array, end: Array) -> tuple[Array, Array]:
    """Attribute lines: (1 vendor, 2 device, 3 system GUID, 4 node GUID, 0 not one; value)."""
    c = Cursors(data, at, end)
    which = np.zeros(len(at), np.int64)
    texts = (
        (1, b"vendid=0x"),
        (2, b"devid=0x"),
        (3, b"sysimgguid=0x"),
        (4, b"switchguid=0x"),
        (4, b"caguid=0x"),
        (4, b"rtguid=0x"),
    )
    for code, text in texts:
        found = c.has(text)
        which[found] = code
        c.at[found] += len(text)
    c.keep(which > 0)
    value = c.hexadecimal()
    return np.where(c.good, which, 0), value


def remarks(data: Array, at: Array, end: Array) -> Array:
    """True for lines that carry nothing (see `discovery_lines.remark`)."""
    c = Cursors(data, at, end)
    found: Array = (at >= end) | (c.byte() == 35)
    for text in (b"=~=~", b"Non-Chassis Nodes", b"Chassis "):
        found |= c.has(text)
    return found
