"""Records of ``key … value`` lines as columns: what a key says lands in the row of the record that its line belongs to.

A key that comes again in a record opens another record: somebody printed two without their headings.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from asbuilt.base.kernel import kernel
from asbuilt.parsers.grammar import Reading

Array = np.ndarray[Any, Any]


class Records:
    """The records that a text has of the keys ``names``: their first ``lines`` and, in ``where`` (a row each), the line of
    every key, -1 where the record does not say it."""

    def __init__(self, reading: Reading, names: list[str], where: Array) -> None:
        self.reading, self.names, self._where = reading, names, where
        self.count = len(where)

    @cached_property
    def first(self) -> Array:
        """The first line of each record."""
        first: Array = np.where(self._where < 0, self.reading.count, self._where).min(axis=1, initial=self.reading.count)
        return first

    def _of(self, name: str) -> tuple[Array, Array]:
        lines = self._where[:, self.names.index(name)]
        record = np.flatnonzero(lines >= 0)
        return lines[record], record

    def number(self, name: str, absent: int = -1, group: str = "value") -> Array:
        """int64 a record, -1 where it does not say ``name``; ``absent`` where it says it without a number."""
        lines, record = self._of(name)
        column = np.full(self.count, -1, np.int64)
        column[record] = self.reading.number(lines, group, absent)
        return column

    def has(self, name: str) -> Array:
        """Which records say ``name``, with whatever value."""
        found = np.zeros(self.count, bool)
        found[self._of(name)[1]] = True
        return found

    def guid(self, name: str) -> Array:
        """uint64 a record, 0 where it does not say ``name``."""
        lines, record = self._of(name)
        column = np.zeros(self.count, np.uint64)
        column[record] = self.reading.unsigned(lines, "value")
        return column

    def word(self, name: str, known: dict[str, str]) -> Any:
        """Text a record by the table of words, null where it says none or another."""
        lines, record = self._of(name)
        return self.scatter(record, self.reading.words(lines, "word", known))

    def text(self, name: str, pattern: str) -> Any:
        """What ``pattern`` takes out of the line of ``name``, null where the record has none."""
        lines, record = self._of(name)
        return self.scatter(record, self.reading.texts(lines).str.extract(pattern))

    def pair(self, name: str, one: str, two: str) -> tuple[Array, Array, Array]:
        """(records that say ``name``, two numbers of its line)."""
        lines, record = self._of(name)
        return record, self.reading.number(lines, one), self.reading.number(lines, two)

    def scatter(self, record: Array, said: Any) -> Any:
        """A series of this many records from the values of some of them."""
        import polars as pl

        index = np.full(self.count, len(record), np.int64)
        index[record] = np.arange(len(record))
        return said.append(pl.Series([None], dtype=pl.String)).gather(pl.Series(index))


def records(reading: Reading, names: list[str], opening: dict[str, bool], asked: Array | None = None) -> tuple[Records, Array]:
    """(the records of the keys ``names``, the lines with such a key that stand in none).

    A rule called by a name in ``opening`` opens a record, or (False) what is no record of this kind, up to the next such line.
    ``asked`` says for what stands above the first prompt, and behind each, whether records may be there without any heading;
    None: they may not. A prompt, and a line that nobody can read, ends a record.
    """
    acts = np.full(len(reading.rules) + 2, NOTHING, np.int64)  # which rule, -1 unread and PROMPT count from the end
    for i, one in enumerate(reading.rules):
        if one.name in names:
            acts[i] = names.index(one.name)
        elif one.name in opening:
            acts[i] = OPENS if opening[one.name] else CLOSES
    acts[-1] = acts[-2] = ASKS
    allowed = np.zeros(len(reading.prompts.lines) + 1, bool) if asked is None else asked
    where, out = _grouped(reading.which, acts, np.ascontiguousarray(allowed), asked is None, np.int64(len(names)))
    return Records(reading, names, where), out


NOTHING, OPENS, CLOSES, ASKS = -1, -2, -3, -4


def _grouped_whole(which: Array, acts: Array, allowed: Array, headed: Any, keys: Any) -> tuple[Array, Array]:
    """As `_grouped`, with whole arrays."""
    act = acts[which]
    lines = np.flatnonzero(act >= 0)
    place = np.arange(len(which))
    bound = np.maximum.accumulate(np.where(act <= OPENS, place, -1))[lines]
    kind = np.where(bound >= 0, act[bound], ASKS)
    may = allowed[np.cumsum(act == ASKS)[lines]] | bool(headed)
    fits = may & np.where(kind == ASKS, not headed, kind == OPENS)
    out, lines, bound = lines[~fits], lines[fits], bound[fits]
    key = act[lines]
    row = _repeats(bound, key) + np.cumsum(np.concatenate(([0], np.diff(bound) > 0))) if len(lines) else bound
    where = np.full((int(row[-1]) + 1 if len(row) else 0, int(keys)), -1, np.int64)
    where[row, key] = lines
    return where, out


@kernel(_grouped_whole, threshold=1 << 19)
def _grouped(which: Any, acts: Any, allowed: Any, headed: Any, keys: Any) -> tuple[Any, Any]:
    """(line of each key of each record, lines with a key outside of records)."""
    n = len(which)
    total = 0
    for i in range(n):
        total += acts[which[i]] >= 0
    where = np.empty((total, keys), np.int64)
    out = np.empty(total, np.int64)
    count = outside = prompts = 0
    told, is_open = not headed, False
    for i in range(n):
        act = acts[which[i]]
        if act == NOTHING:
            continue
        if act < 0:
            is_open = False
            prompts += act == ASKS
            told = act == OPENS or (act == ASKS and not headed)
            continue
        if not (told and (headed or allowed[prompts])):
            out[outside] = i
            outside += 1
            continue
        if not is_open or where[count - 1, act] >= 0:
            is_open = True
            where[count, :] = -1
            count += 1
        where[count - 1, act] = i
    return where[:count].copy(), out[:outside].copy()


def _repeats(record: Array, key: Array) -> Array:
    """How many records more there are above each line because a key came again."""
    added = np.zeros(len(record), np.int64)
    order = np.lexsort((np.arange(len(key)), key, record))
    if not (np.diff(record[order]) + np.diff(key[order]) ** 2 == 0).any():
        return added
    seen: set[int] = set()
    last, more = -1, 0
    for i, (r, k) in enumerate(zip(record.tolist(), key.tolist(), strict=True)):
        if r != last:
            seen, last = set(), r
        elif k in seen:
            seen, more = set(), more + 1
        seen.add(k)
        added[i] = more
    return added
