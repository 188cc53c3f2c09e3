"""Records of ``key … value`` lines as columns: what a key says lands in the row of the record that its line belongs to.

A key that comes again in a record opens another record: somebody printed two without their headings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.parsers.grammar import Reading

Array = np.ndarray[Any, Any]


class Records:
    """The records that ``lines`` make up. ``key`` is an index into ``names`` for each line, ``record`` any ascending number."""

    def __init__(self, reading: Reading, names: list[str], lines: Array, key: Array, record: Array) -> None:
        self.reading, self.names = reading, names
        order = np.argsort(key.astype(np.int8), kind="stable")
        ordered, sorted_ = record[order], key[order]
        if ((ordered[1:] == ordered[:-1]) & (sorted_[1:] == sorted_[:-1])).any():
            record = record + _repeats(record, key)
        opens = np.concatenate(([True], record[1:] != record[:-1])) if len(lines) else np.zeros(0, bool)
        self.first = lines[opens]
        self.count = len(self.first)
        self._lines, self._record = lines[order], (np.cumsum(opens) - 1)[order]
        self._bounds = np.searchsorted(sorted_, np.arange(len(names) + 1))

    def _of(self, name: str) -> tuple[Array, Array]:
        at = self.names.index(name)
        part = slice(self._bounds[at], self._bounds[at + 1])
        return self._lines[part], self._record[part]

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


def keyed(reading: Reading, names: list[str]) -> tuple[Array, Array]:
    """(lines of the rules called by one of ``names``, which of them each is)."""
    key_of = np.array([names.index(r.name) if r.name in names else -1 for r in reading.rules] + [-1, -1])
    lines = reading.lines(*names)
    return lines, key_of[reading.which[lines]]


def _repeats(record: Array, key: Array) -> Array:
    """How many records more there are above each line because a key came again."""
    seen: set[int] = set()
    last, more = -1, 0
    added = np.zeros(len(record), np.int64)
    for i, (r, k) in enumerate(zip(record.tolist(), key.tolist(), strict=True)):
        if r != last:
            seen, last = set(), r
        elif k in seen:
            seen, more = set(), more + 1
        seen.add(k)
        added[i] = more
    return added
